// SPDX-License-Identifier: Apache-2.0
// The archive: runs as a table, and each run with its report, its takes and its files.
import { get, getRaw, getRecord, getWaves, part, query } from "./api.js";
import { Chart, sharedView, waveLine, zoomTools } from "./chart.js";
import { badge, code, dialog, empty, facts, field, fill, h, put, say, select, toast } from "./dom.js";
import { bytes, counted, duration, hertz, moment, quantity, typeset, whole } from "./format.js";
import { pageKeys } from "./keys.js";
import { endOf, lastWords, picked, runWord, start, togglePicked } from "./store.js";
import { WindowTable } from "./table.js";
import { channelColours, channelName, firstChannels } from "./waves.js";
import { finds, plain, readingHead } from "./words.js";

/** What the table was asked last, so that who comes back from a run finds it as it was. */
const asked = { rig: "", plan: "", actuator: "", verdict: "", from: "", to: "", text: "", sort: "started", order: "desc" };

/** @param {HTMLElement} place @param {string[]} path @param {URLSearchParams} params */
export function openRuns(place, path, params) {
  return path[0] ? openRun(place, path[0], path[1] ?? "report", params) : openTable(place, params);
}

const narrow = matchMedia("(max-width: 760px)");

/** @param {HTMLElement} place @param {URLSearchParams} params */
function openTable(place, params) {
  for (const [name, value] of params) if (name in asked) Object.assign(asked, { [name]: value });
  const total = h("p", { class: "eyebrow", role: "status" }, "Asking for the runs…");
  const nothing = h("div", { hidden: true });
  const compareButton = h("a", { class: "button", href: "#/compare" });
  const showPicked = () => {
    const count = picked().length;
    compareButton.hidden = count === 0;
    compareButton.textContent = count === 1 ? "Compare: 1 picked" : `Compare ${count}`;
  };
  /** @type {WindowTable<API.RunRow>} */
  const table = new WindowTable({
    name: "Runs",
    height: () => narrow.matches ? 66 : 34,
    columns: [
      { title: "", name: "col-pick", cell: (row) => h("input", {
        type: "checkbox", checked: picked().includes(row.id), "aria-label": `Pick ${row.id} to be compared`,
        "data-key": `pick-${row.id}`, tabindex: "-1", onchange: () => { togglePicked(row.id); },
      }) },
      { title: "Started (UTC)", sort: "started", name: "col-started", cell: (row) => [
        h("a", { href: `#/runs/${row.id}`, tabindex: "-1" }, moment(row.started)),
        h("span", { class: "row-more" }, `${row.plan} on ${row.rig}, ${row.actuators?.join(", ") ?? ""}`)] },
      { title: "Verdict", sort: "verdict", name: "col-verdict", cell: (row) => badge(runWord(row)) },
      { title: "Rig", sort: "rig", name: "col-wide", cell: (row) => row.rig },
      { title: "Plan", sort: "plan", name: "col-wide", cell: (row) => row.plan },
      { title: "Actuator", name: "col-wide", cell: (row) => row.actuators?.join(", ") ?? "" },
      { title: "Takes", sort: "takes", name: "number col-small", cell: (row) => row.takes === undefined ? "" : whole(row.takes) },
      { title: "Length", sort: "seconds", name: "number col-small", cell: (row) => row.seconds === undefined ? "" : duration(row.seconds) },
      { title: "Recordings", name: "col-small", cell: (row) => row.hasRecordings ? "kept" : "–" },
      { title: "Note", name: "col-note", cell: (row) => row.note ?? "" },
    ],
    order: () => [asked.sort, asked.order === "desc"],
    sorted: (sort) => {
      asked.order = asked.sort === sort && asked.order === "desc" ? "asc" : "desc";
      asked.sort = sort;
      load();
    },
    open: (row) => { location.hash = `#/runs/${row.id}`; },
    pick: (row) => { togglePicked(row.id); },
    ask: async (offset, limit, signal) => {
      const answer = /** @type {API.Runs} */ (await get(`runs${query({ ...asked, offset, limit })}`, signal));
      if (offset === 0) showFacets(answer);
      return { total: answer.total, rows: answer.runs };
    },
    failed: (error) => {
      fill(total, error.message);
      total.classList.add("bad-words");
    },
  });
  const filters = h("form", { class: "filters", role: "search", "aria-label": "Filter of the runs",
    onsubmit: (/** @type {Event} */ event) => event.preventDefault() });
  /** @type {Record<string, HTMLSelectElement>} */
  const choices = {};
  for (const name of ["rig", "plan", "actuator", "verdict"]) {
    choices[name] = h("select", { id: `filter-${name}`, onchange: () => {
      Object.assign(asked, { [name]: choices[name].value });
      load();
    } });
  }
  const search = h("input", { type: "search", value: asked.text, placeholder: "words of a run", oninput: () => {
    clearTimeout(waiting);
    waiting = window.setTimeout(() => {
      asked.text = search.value.trim();
      load();
    }, 200);
  } });
  const day = (/** @type {"from" | "to"} */ name) => h("input", { type: "date", value: asked[name], onchange: (/** @type {Event} */ event) => {
    asked[name] = /** @type {HTMLInputElement} */ (event.target).value;
    load();
  } });
  put(filters, field("Text", search, "grow"), Object.entries(choices).map(([name, choice]) =>
    field(name[0].toUpperCase() + name.slice(1), choice)), field("From", day("from")), field("To", day("to")),
  h("button", { type: "button", class: "clear", onclick: () => {
    Object.assign(asked, { rig: "", plan: "", actuator: "", verdict: "", from: "", to: "", text: "" });
    for (const input of filters.querySelectorAll("input")) input.value = "";
    load();
  } }, "Clear"));
  let waiting = 0;
  /** @param {API.Runs} answer */
  const showFacets = (answer) => {
    for (const [name, choice] of Object.entries(choices)) {
      const now = /** @type {Record<string, string>} */ (asked)[name];
      const known = /** @type {Record<string, API.Facet[]>} */ (answer.facets ?? {})[name] ?? [];
      const all = known.some((one) => one.value === now) || !now ? known : [{ value: now, count: 0 }, ...known];
      fill(choice, h("option", { value: "" }, "all"), all.map((one) =>
        h("option", { value: one.value }, `${one.value} (${whole(one.count)})`)));
      choice.value = now;
    }
    const isFiltered = Boolean(asked.rig || asked.plan || asked.actuator || asked.verdict || asked.from || asked.to || asked.text);
    fill(total, `${counted(answer.total, "run")}${isFiltered ? " match" : " in the archive"}.`);
    total.classList.remove("bad-words");
    table.element.hidden = answer.total === 0;
    nothing.hidden = answer.total > 0;
    filters.hidden = answer.total === 0 && !isFiltered;
    if (answer.total > 0) return;
    fill(nothing, isFiltered ? empty("No run matches", "Clear the filter, or ask for less of it.")
      : empty("The archive is empty", h("p", null, "Start a plan on the ", h("a", { href: "#/bench" }, "bench"),
        ", or at a terminal: ", code("haprig run rigs/plans/smoke.yaml --rig rigs/simulated-lra.yaml"), "."),
      h("p", null, "Runs of another archive come in by copying their folders; older results as a table by ",
        code("haprig archive import"), ".")));
  };
  const load = () => { table.reload(); };
  put(place, h("div", { class: "page-head" }, h("h1", null, "Runs"), h("div", { class: "actions" }, compareButton,
    h("button", { type: "button", class: "acts", onclick: verify }, "Verify the archive")), total), filters, nothing, table.element);
  showPicked();
  document.addEventListener("picked", showPicked);
  const resized = () => table.draw();
  narrow.addEventListener("change", resized);
  load();
  pageKeys([
    { keys: "j", does: "To the table: then arrows, Enter opens, Space picks to compare", act: () => {
      const row = table.body.querySelector("[tabindex='0']");
      if (row instanceof HTMLElement) row.focus();
    } },
    { keys: "v", does: "Verify the archive", changes: true, act: verify },
  ]);
  return () => {
    table.close();
    document.removeEventListener("picked", showPicked);
    narrow.removeEventListener("change", resized);
  };
}

/** Compares every file of the archive with the hashes in its records. */
async function verify() {
  const words = h("p", { role: "status" }, "Every file is read and compared with the hash in its run's record…");
  let isOpen = true;
  const box = dialog("Verify the archive", () => [words]);
  box.addEventListener("close", () => { isOpen = false; });
  try {
    let answer = await get("verify");
    while (isOpen && answer && /** @type {any} */ (answer).job) {
      const given = /** @type {any} */ (answer).job;
      const id = typeof given === "string" ? given : given.id;
      let job = /** @type {API.Job} */ (await get(`jobs/${id}`));
      while (isOpen && job.state === "running") {
        await new Promise((done) => setTimeout(done, 500));
        job = /** @type {API.Job} */ (await get(`jobs/${id}`));
      }
      answer = await get("verify");
    }
    const found = /** @type {{ runs: number, files: number, bytes: number, findings: any[], sound: boolean, pruned?: number }} */ (answer);
    fill(words, badge(found.sound ? "pass" : "fail", found.sound ? "sound" : "not as written"), ` ${counted(found.files, "file")} of ${
      counted(found.runs, "run")}, ${bytes(found.bytes)}${found.pruned ? `; ${counted(found.pruned, "file")} pruned on purpose` : ""}.`);
    if (found.findings?.length) {
      put(box, h("div", { class: "scroll tall" }, h("ul", null, found.findings.slice(0, 500).map((one) =>
        h("li", null, typeof one === "string" ? one : [one.run, one.file, one.message].filter(Boolean).join(": "))))));
    }
  } catch (error) {
    fill(words, error instanceof Error ? error.message : String(error));
  }
}

/**
 * @param {HTMLElement} place
 * @param {string} id
 * @param {string} tab
 * @param {URLSearchParams} asked
 */
function openRun(place, id, tab, asked) {
  const controller = new AbortController();
  const { signal } = controller;
  const head = h("div", { class: "page-head" }, h("h1", null, id)), about = h("div", { class: "card" });
  const content = h("div", { class: "tab-content" });
  const tabs = /** @type {[string, string][]} */ ([["report", "Report"], ["patterns", "Patterns"], ["takes", "Takes"], ["readings", "Readings"],
    ["files", "Files"]]);
  const list = h("nav", { class: "tabs", "aria-label": "Parts of the run" }, tabs.map(([name, title]) =>
    h("a", { href: `#/runs/${id}/${name}`, "aria-current": name === tab && "page" }, title)));
  put(place, h("p", { class: "eyebrow" }, h("a", { href: "#/runs" }, "Runs")), head, about, list, content);
  let close = () => {};
  /** @type {API.RunRecord | undefined} */
  let record;
  const load = async () => {
    const now = record = await getRecord(id, signal);
    document.title = `${id} – haprig`;
    fill(head, h("h1", null, id), badge(now.verdict), h("div", { class: "actions" },
      h("button", { type: "button", "data-key": "pick", onclick: () => {
        const isIn = togglePicked(id).includes(id);
        toast(isIn ? "Picked to be compared." : "Not picked any more.");
      } }, "Pick to compare"),
      h("a", { class: "button", href: `#/compare?run=${encodeURIComponent(id)}&baseline=1` }, "Compare with its baseline"),
      !now.imported && h("button", { type: "button", class: "acts", "data-key": "score", onclick: scoreAgain }, "Score again")));
    fill(about, facts([
      ["Started", `${moment(now.header.date)} UTC`], ["Plan", now.plan?.name], ["Rig", now.rig && [now.rig.name,
        h("span", { class: "detail" }, [now.rig.device, now.rig.rate && hertz(now.rig.rate)].filter(Boolean).join(", "))]],
      ["Actuator", now.actuator && [now.actuator.id, h("span", { class: "detail" },
        [now.actuator.kind?.toUpperCase(), now.actuator.model].filter(Boolean).join(" "))]],
      ...Object.entries(now.verdicts ?? {}).map(([name, one]) => /** @type {[string, any]} */ ([`Verdict: ${name}`,
        [badge(one.verdict), one.reason && h("span", { class: "detail" }, one.reason)]])),
      ["Imported", now.imported && [`${moment(now.imported.when)} UTC`, h("span", { class: "detail" },
        `from ${now.imported.from.map((one) => one.file).join(", ")} by ${now.imported.by}: not measured here`)]],
      ["Calibration", now.run?.calibration], ["Software", now.run?.software],
      ["Temperature", now.header.environment?.temperature && typeset(now.header.environment.temperature)], ["Took", now.header.duration !== undefined && duration(now.header.duration)],
    ]));
    show();
  };
  const scoreAgain = async () => {
    const job = await start({ kind: "score", run: id });
    if (!job) return;
    toast("Scoring it again from its recordings…");
    try {
      const ended = await endOf(job, signal);
      // A run that fails its limits is scored all the same.
      if ((ended.status ?? 3) > 1) return toast(lastWords(ended) || `The score ended with ${ended.status ?? "no status"}.`, "bad");
      await load();
      toast(`Scored again: ${record?.verdict}.`);
    } catch (error) {
      if (!signal.aborted) toast(error instanceof Error ? error.message : String(error), "bad");
    }
  };
  const show = () => {
    if (!record) return;
    close();
    close = () => {};
    if (tab === "takes") close = showTakes(content, id, record, signal, asked);
    else if (tab === "patterns") showPatterns(content, id, record);
    else if (tab === "files") showFiles(content, id, signal);
    else if (tab === "readings") showReadings(content, record);
    else {
      const report = `/api/v1/runs/${part(id)}/report`;
      const frame = /** @type {HTMLIFrameElement} */ (h("iframe", {
        class: "report", title: `Report of ${id}`, src: report, sandbox: "allow-scripts",
      }));
      fill(content, frame);
      // A large run's patterns have pages of their own, which the sandbox cannot open: it does not know the cookie.
      const listening = new AbortController();
      addEventListener("message", (event) => {
        const { page, mark } = event.data ?? {};
        if (event.source !== frame.contentWindow || !/^(report|pattern-[0-9]+)$/.test(page)) return;
        frame.src = (page === "report" ? report : `${report}/${page}.html`) + (/^#[\w.-]+$/.test(mark) ? mark : "");
      }, { signal: listening.signal });
      close = () => listening.abort();
    }
  };
  load().catch((error) => {
    if (signal.aborted) return;
    fill(content, error.status === 404 ? empty("There is no such run", h("p", null, "It was pruned, or never finished: ",
      h("a", { href: "#/runs" }, "all runs"), ".")) : empty("The run cannot be read", error.message));
  });
  pageKeys([
    ...tabs.map(([name, title], index) => ({ keys: String(index + 1), does: title, act: () => { location.hash = `#/runs/${id}/${name}`; } })),
    { keys: "p", does: "Pick the run to be compared, or not", act: () => { toast(togglePicked(id).includes(id) ? "Picked." : "Not picked any more."); } },
    { keys: "u", does: "Back to the runs", act: () => { location.hash = "#/runs"; } },
  ]);
  return () => {
    controller.abort();
    close();
  };
}

/** @param {HTMLElement} place @param {string} id @param {AbortSignal} signal */
async function showFiles(place, id, signal) {
  try {
    const { files } = /** @type {{ files: API.RunFile[] }} */ (await get(`runs/${part(id)}/files`, signal));
    fill(place, h("div", { class: "card scroll" }, h("table", null, h("caption", null, `${counted(files.length, "file")}, ${
      bytes(files.reduce((sum, one) => sum + (one.bytes ?? one.size ?? 0), 0))}`),
    h("thead", null, h("tr", null, h("th", { scope: "col" }, "File"), h("th", { scope: "col", class: "number" }, "Size"))),
    h("tbody", null, files.map((file) => h("tr", null, h("th", { scope: "row" }, h("a", {
      href: `/api/v1/runs/${part(id)}/files/${part(file.name)}`, target: "_blank", rel: "noopener",
    }, file.name)), h("td", { class: "number" }, bytes(file.bytes ?? file.size))))))));
  } catch (error) {
    if (!signal.aborted) fill(place, empty("Its files cannot be listed", error instanceof Error ? error.message : String(error)));
  }
}

/**
 * The patterns of a run: how each did, and the file that was played.
 *
 * @param {HTMLElement} place
 * @param {string} id
 * @param {API.RunRecord} record
 */
function showPatterns(place, id, record) {
  const all = record.patterns ?? [];
  if (all.length === 0) {
    fill(place, empty("It names no patterns", "What was imported, or measured something else than patterns, has none."));
    return;
  }
  const worst = (/** @type {string} */ name) => {
    const own = record.readings.filter((one) => one.pattern === name && one.limit && one.verdict !== "pass");
    return own.length === 0 ? "nothing is outside its limits" : own.slice(0, 3).map((one) =>
      `${plain(one.name)} ${quantity(one.value, one.unit, one.uncertainty)}, limit ${typeset(one.limit)}`).join("; ")
      + (own.length > 3 ? ` and ${own.length - 3} more` : "");
  };
  fill(place, h("div", { class: "card scroll" }, h("table", null, h("caption", null, counted(all.length, "pattern")),
    h("thead", null, h("tr", null, ["Pattern", "Verdict", "Length", "Events", "Takes", "Outside of limits", "File"].map((name, index) =>
      h("th", { scope: "col", class: index > 1 && index < 5 ? "number" : "" }, name)))),
    h("tbody", null, all.map((one) => h("tr", null, h("th", { scope: "row" },
      h("a", { href: `#/runs/${id}/takes?pattern=${encodeURIComponent(one.name)}` }, one.name)),
    h("td", null, one.verdict ? badge(one.verdict) : ""), h("td", { class: "number" }, duration(one.duration)),
    h("td", { class: "number" }, one.events ?? ""), h("td", { class: "number" }, one.takes.length), h("td", { class: "words" }, worst(one.name)),
    h("td", null, one.input?.file ? h("a", { href: `/api/v1/runs/${part(id)}/files/${part(one.input.file)}`, target: "_blank", rel: "noopener" },
      one.input.file.split("/").pop() ?? "") : "–")))))));
}

/** @param {HTMLElement} place @param {API.RunRecord} record */
function showReadings(place, record) {
  const all = record.readings;
  let pattern = "", verdict = "", text = "";
  const body = h("tbody"), count = h("p", { class: "note", role: "status" });
  const patterns = [...new Set(all.map((one) => one.pattern ?? ""))];
  const show = () => {
    const rows = all.filter((one) => (!pattern || (one.pattern ?? "") === pattern)
      && (!verdict || (verdict === "judged" ? one.verdict : one.verdict === verdict)) && (!text || finds(text, one.name)));
    count.textContent = `${counted(rows.length, "reading")}${rows.length > 600 ? ", the first 600 shown" : ""}.`;
    body.replaceChildren(...rows.slice(0, 600).map((one) => h("tr", null, readingHead({ reading: one.name, channel: one.channel }),
    h("td", null, one.pattern ?? "the run"),
    h("td", { class: "number" }, one.repeat ?? ""), h("td", { class: "number" }, one.event ?? ""),
    h("td", { class: "number" }, quantity(one.value, one.unit, one.uncertainty)), h("td", null, typeset(one.limit)),
    h("td", null, one.verdict ? badge(one.verdict) : ""), h("td", { class: "words" }, typeset(one.note)))));
  };
  fill(place, h("div", { class: "card" }, h("div", { class: "filters" },
    field("Reading", h("input", { type: "search", oninput: (/** @type {Event} */ event) => {
      text = /** @type {HTMLInputElement} */ (event.target).value;
      show();
    } }), "grow"),
    field("Pattern", select([["", "all"], ...patterns.filter(Boolean).map((one) => /** @type {[string, string]} */ ([one, one]))], "",
      (value) => { pattern = value; show(); })),
    field("Verdict", select([["", "all"], ["judged", "judged"], ["fail", "fail"], ["marginal", "marginal"],
      ["not measured", "not measured"], ["pass", "pass"]], "", (value) => { verdict = value; show(); }))), count,
  h("div", { class: "scroll tall", tabindex: "0", role: "region", "aria-label": "Readings" }, h("table", null,
    h("thead", null, h("tr", null, ["Reading", "Pattern", "Take", "Event", "Value", "Limit", "Verdict", "Note"].map((name) =>
      h("th", { scope: "col", class: ["Take", "Event", "Value"].includes(name) ? "number" : "" }, name)))), body))));
  show();
}

/**
 * @param {HTMLElement} place
 * @param {string} id
 * @param {API.RunRecord} record
 * @param {AbortSignal} signal
 * @param {URLSearchParams} asked
 */
function showTakes(place, id, record, signal, asked) {
  const sound = new Sound();
  let closeView = () => {};
  const load = async () => {
    const { takes } = /** @type {{ takes: API.Take[] }} */ (await get(`runs/${part(id)}/takes`, signal));
    if (takes.length === 0) {
      fill(place, empty("It has no recordings", "They were not kept, or pruned. The report and the readings are there."));
      return;
    }
    let index = Math.max(0, takes.findIndex((one) => one.pattern === asked.get("pattern")));
    const charts = h("div", { class: "charts" });
    const show = () => {
      closeView();
      closeView = drawTake(charts, id, takes[index], record, sound, signal);
    };
    fill(place, h("div", { class: "card" }, h("div", { class: "card-head" }, h("h2", null, "Takes"),
      field("Take", select(takes.map((one, k) => [String(k), `${one.pattern}, take ${one.take} (${duration(one.seconds)})`]), String(index),
        (value) => {
          index = Number(value);
          show();
        }), "inline")), charts));
    show();
  };
  load().catch((error) => {
    if (!signal.aborted) fill(place, empty("Its takes cannot be read", error.message));
  });
  return () => {
    closeView();
    sound.stop();
  };
}

/**
 * @param {HTMLElement} place
 * @param {string} id
 * @param {API.Take} take
 * @param {API.RunRecord} record
 * @param {Sound} sound
 * @param {AbortSignal} signal
 */
function drawTake(place, id, take, record, sound, signal) {
  const view = sharedView(), colours = channelColours(take.channels);
  const base = `runs/${part(id)}/`;
  const first = firstChannels(take.channels), all = take.channels.map((_, index) => index);
  const nameOf = (/** @type {number} */ index) => channelName(take.channels[index], take.channels);
  const charts = take.channels.map((channel, index) => new Chart({
    name: nameOf(index), unit: channel.unit, axis: "seconds", height: 130, view, bare: true,
  }));
  const frame = record.patterns?.find((one) => one.name === take.pattern)?.takes.find((one) => one.repeat === take.take)?.patternFrame;
  const begins = take.patternStart ?? (frame === undefined ? undefined : frame / take.rate);
  const isMore = all.length > first.length;
  const showFirst = (/** @type {boolean} */ whole_) => charts.forEach((chart, index) => {
    chart.element.hidden = !whole_ && !first.includes(index);
  });
  const more = isMore && h("label", { class: "field inline" }, h("input", { type: "checkbox", onchange: (/** @type {Event} */ event) =>
    showFirst(/** @type {HTMLInputElement} */ (event.target).checked) }), h("span", null, "all channels"));
  showFirst(false);
  const listen = first.map((index) => h("button", {
    type: "button", "aria-label": `Play ${nameOf(index)} as sound`, onclick: (/** @type {Event} */ event) => sound.play(
      `${base}sound${query({ pattern: take.pattern, take: take.take, channel: index })}`, nameOf(index),
      /** @type {HTMLButtonElement} */ (event.currentTarget), charts),
  }, `▶ ${nameOf(index)}`));
  fill(place, h("div", { class: "tools left-tools" }, h("span", { class: "note" }, "Listen:"), listen, more, sound.words,
    zoomTools("all channels", () => charts[0])), charts.map((one) => one.element));
  let controller = new AbortController();
  let asked = "";
  const ask = async (/** @type {boolean} */ keep) => {
    const { from, to } = keep ? view : { from: 0, to: take.seconds };
    const columns = Math.min(4096, Math.max(300, Math.floor(place.clientWidth * Math.min(2, devicePixelRatio))));
    const key = `${from} ${to} ${columns}`;
    if (key === asked) return;
    asked = key;
    controller.abort();
    controller = new AbortController();
    const own = controller.signal;
    const waves = await getWaves(`${base}waves${query({
      pattern: take.pattern, take: take.take, from, to, columns, channels: take.channels.map((_, index) => index).join(","),
    })}`, own);
    charts.forEach((chart, index) => {
      const { x, low, high } = waveLine(waves, index, 0);
      chart.show({
        lines: [{ name: take.channels[index].name, colour: colours[index], x, y: high, low }], from: 0, to: take.seconds, keep,
        marks: begins === undefined ? [] : [{ x: begins, text: index === 0 ? "pattern begins" : "", colour: "muted" }],
      });
    });
  };
  const failed = (/** @type {any} */ error) => {
    if (error.name !== "AbortError" && !signal.aborted) fill(place, empty("Its waves cannot be read", error.message));
  };
  ask(false).catch(failed);
  let waiting = 0;
  view.told = () => {
    clearTimeout(waiting);
    waiting = window.setTimeout(() => ask(true).catch(failed), 120);
  };
  // A wider page has room for finer columns.
  let wide = place.clientWidth;
  const resized = new ResizeObserver(() => {
    if (place.clientWidth !== wide) view.told?.();
    wide = place.clientWidth;
  });
  resized.observe(place);
  return () => {
    controller.abort();
    clearTimeout(waiting);
    resized.disconnect();
    sound.stop();
  };
}

/** Plays a channel of a take; what gain made it audible is said. */
class Sound {
  /** @type {AudioContext | undefined} */
  context = undefined;
  /** @type {AudioBufferSourceNode | undefined} */
  source = undefined;
  words = h("span", { class: "note", role: "status" });
  drawing = 0;

  /** @param {string} path @param {string} name @param {HTMLButtonElement} button @param {Chart[]} charts */
  async play(path, name, button, charts) {
    const wasOn = button.getAttribute("aria-pressed") === "true";
    this.stop();
    if (wasOn) return;
    try {
      this.context ??= new AudioContext();
      const answer = await getRaw(path);
      const gain = Number(answer.headers.get("X-Gain-dB"));
      const buffer = await this.context.decodeAudioData(await answer.arrayBuffer());
      // A browser that can open no output leaves the promise open for ever.
      await Promise.race([this.context.resume(), new Promise((_, failed) => {
        setTimeout(() => failed(new Error("This browser finds no sound output on this machine.")), 2500);
      })]);
      const source = this.context.createBufferSource();
      source.buffer = buffer;
      source.connect(this.context.destination);
      const context = this.context, begins = context.currentTime;
      source.onended = () => { if (this.source === source) this.stop(); };
      source.start();
      this.source = source;
      button.setAttribute("aria-pressed", "true");
      this.button = button;
      this.charts = charts;
      this.words.textContent = `Playing ${name}${Number.isFinite(gain) && gain !== 0 ? `, with a gain of ${gain.toFixed(1)} dB` : ""}.`;
      const move = () => {
        this.drawing = requestAnimationFrame(move);
        for (const chart of charts) {
          chart.cursor = context.currentTime - begins;
          chart.draw();
        }
      };
      move();
    } catch (error) {
      this.words.textContent = error instanceof Error ? error.message : String(error);
      say(this.words.textContent);
    }
  }

  stop() {
    const source = this.source;
    this.source = undefined;
    source?.stop();
    cancelAnimationFrame(this.drawing);
    this.button?.setAttribute("aria-pressed", "false");
    this.words.textContent = "";
    for (const chart of this.charts ?? []) {
      chart.cursor = undefined;
      chart.draw();
    }
  }
  /** @type {HTMLButtonElement | undefined} */
  button = undefined;
  /** @type {Chart[] | undefined} */
  charts = undefined;
}
