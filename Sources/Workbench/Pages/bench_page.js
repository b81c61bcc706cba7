// SPDX-License-Identifier: Apache-2.0
// The bench: each rig with what it does, was last seen to do, and can be started to do.
import { get, query } from "./api.js";
import {
  badge, code, dialog, empty, facts, field, fill, h, onChange, put, segmented, select, toast,
} from "./dom.js";
import { age, ago, counted, duration, hertz, moment, quantity, remaining, significant, unitSign } from "./format.js";
import { pageKeys } from "./keys.js";
import { Meters } from "./spectrum.js";
import { link } from "./socket.js";
import { benchNow, liveOf, refreshBench, runWord, start, stopWork, watchBench } from "./store.js";
import { channelColours, channelName, firstChannels, WaveBuffer } from "./waves.js";

/** @typedef {{ id: string, meters: Meters, buffer: WaveBuffer, stop: () => void, known: boolean }} Meter */

/** @param {HTMLElement} place */
export function openBench(place) {
  const rigs = h("div", { class: "rigs" }), work = h("section", { class: "card", "aria-labelledby": "work-title" });
  const facts = h("p", { class: "eyebrow" }, "Asking for the bench…");
  put(place, h("div", { class: "page-head" }, h("h1", null, "Bench"), facts), rigs, work);
  /** @type {Map<string, Meter>} */
  const meters = new Map();
  /** @type {API.Job[]} */
  let jobs = [];
  let jobsOpen = true;
  const jobsPlace = h("div");
  let drawing = 0;

  /** @param {string} id */
  const meterOf = (id) => {
    const known = meters.get(id);
    if (known) return known;
    const buffer = new WaveBuffer(256);
    /** @type {Meter} */
    const meter = { id, meters: new Meters(), buffer, stop: () => {}, known: false };
    meters.set(id, meter);
    const ask = async () => {
      const answer = /** @type {{ events: API.Event[] }} */ (await get(`live/${id}/events${query({ from: 0, limit: 50 })}`));
      const event = answer.events.find((one) => one.kind === "channels");
      if (!event?.channels || !meters.has(id)) return;
      meter.known = true;
      const { channels } = event, chosen = firstChannels(channels), colours = channelColours(channels);
      meter.meters.show(chosen.map((index) => ({ ...channels[index], name: channelName(channels[index], channels) })),
        chosen.map((index) => colours[index]));
      buffer.clear((event.rate ?? 48000) / 50);
      meter.stop = link.waves(`live/${id}`, {
        spec: { columns: 50, seconds: 1, channels: chosen },
        told: (waves) => buffer.add(waves),
      });
    };
    ask().catch(() => {});
    return meter;
  };
  const draw = (/** @type {number} */ now) => {
    drawing = requestAnimationFrame(draw);
    for (const meter of meters.values()) {
      if (meter.known) meter.meters.draw(meter.buffer, now, link.state !== "open" || now - meter.buffer.at > 3000 ? "old" : "");
    }
  };
  drawing = requestAnimationFrame(draw);

  /** @type {Map<string, { shown: string, card: HTMLElement }>} */
  const cards = new Map();
  /** @param {API.Bench} bench */
  const show = (bench) => {
    fill(facts, `${bench.program} on ${bench.host}. Archive ${bench.archive}. Times are UTC.`);
    const held = new Set(bench.rigs.map((rig) => rig.holder?.live).filter(Boolean));
    for (const [id, meter] of meters) {
      if (held.has(id)) continue;
      meter.stop();
      meters.delete(id);
    }
    for (const rig of bench.rigs) {
      const row = bench.live.find((one) => one.id === rig.holder?.live);
      const { overall: _, remaining: __, events: ___, ...steady } = row ?? /** @type {any} */ ({});
      const shown = JSON.stringify([rig, steady]);
      let entry = cards.get(rig.name);
      if (!entry) {
        entry = { shown: "", card: h("section", { class: "card rig", "aria-label": `Rig ${rig.name}` }) };
        cards.set(rig.name, entry);
        rigs.append(entry.card);
      }
      if (entry.shown !== shown) fill(entry.card, rigCard(bench, rig, row, meterOf));
      entry.shown = shown;
      if (row) progress(entry.card, row);
    }
    for (const [name, entry] of cards) {
      if (bench.rigs.some((rig) => rig.name === name)) continue;
      entry.card.remove();
      cards.delete(name);
    }
    rigs.querySelector(".empty")?.remove();
    if (bench.rigs.length === 0) {
      rigs.append(empty("No rig is known here", h("p", null, "Start the workbench with the description of one: ",
        code("haprig serve --rig rigs/simulated-lra.yaml"), ". A rig that is not built yet can be simulated.")));
    }
    showWork(bench);
  };

  let workShown = "";
  /** @param {API.Bench} bench */
  const showWork = (bench) => {
    // What only goes on is told where it stands: a button that is made anew between press and release cannot be clicked.
    const steady = JSON.stringify(bench.live.map(({ overall: _, remaining: __, events: ___, ...row }) => row));
    if (steady !== workShown) fillWork(bench);
    workShown = steady;
    for (const row of bench.live) {
      const cells = [...work.querySelectorAll("[data-live]")];
      const cell = cells.find((one) => one instanceof HTMLElement && one.dataset.live === row.id);
      if (cell) {
        cell.textContent = row.state === "working" && row.overall !== undefined
          ? `${Math.round(100 * row.overall)} %, ${remaining(row.remaining)}` : "–";
      }
    }
  };
  /** @param {API.Bench} bench */
  const fillWork = (bench) => {
    const running = bench.live.filter((row) => row.state === "working");
    const dead = bench.live.filter((row) => row.state !== "working");
    fill(work, h("h2", { id: "work-title" }, "Work on this machine"),
      running.length + dead.length === 0
        ? h("p", { class: "note" }, "Nothing works now: neither this workbench, nor a terminal, nor the nightly timer.")
        : h("div", { class: "scroll" }, h("table", null, h("thead", null, h("tr", null,
          ["State", "Work", "Rig", "Started by", "Since", "Progress", ""].map((name) =>
            h("th", { scope: "col" }, name || h("span", { class: "hidden" }, "Actions"))))),
        h("tbody", null, [...running, ...dead].map((row) => h("tr", null,
          h("td", null, badge(row.state)),
          h("th", { scope: "row" }, h("a", { href: `#/live/${row.id}`, "data-key": `live-${row.id}` },
            row.title ?? row.plan ?? row.command)),
          h("td", null, row.rig ?? "–"), h("td", null, startedBy(row)),
          h("td", null, h("time", { datetime: row.started }, moment(row.started)), " ",
            h("span", { class: "detail" }, ago(row.started))),
          h("td", { class: "number", "data-live": row.id }),
          h("td", null, row.state === "working" && h("button", {
            type: "button", class: "stop small acts", "data-key": `stop-${row.id}`,
            "aria-label": `Stop ${row.title ?? row.command}`, onclick: () => stopWork(`live/${row.id}`),
          }, "Stop"))))))),
      jobsPlace);
  };
  const showJobs = onChange(() => {
    fill(jobsPlace, jobs.length > 0 && h("details", {
      open: jobsOpen, ontoggle: (/** @type {Event} */ event) => { jobsOpen = /** @type {HTMLDetailsElement} */ (event.target).open; },
    }, h("summary", null, `${counted(jobs.length, "piece")} of work started from here`),
        h("div", { class: "scroll" }, h("table", null, h("thead", null, h("tr", null,
          ["State", "Command", "Started", "Run"].map((name) => h("th", { scope: "col" }, name)))),
        h("tbody", null, jobs.slice(0, 12).flatMap((job) => {
          const said = (Array.isArray(job.said) ? job.said.join("\n") : job.said ?? "").trim();
          return [h("tr", { class: said && !job.run ? "told" : "" }, h("td", null, badge(job.state)),
            h("th", { scope: "row" }, h("code", null, ["haprig", ...job.arguments ?? [job.kind]].join(" "))),
            h("td", null, moment(job.started)),
            h("td", null, job.run ? h("a", { href: `#/runs/${job.run}` }, job.run) : "–")),
          said && !job.run && h("tr", null, h("td", { colspan: 4 }, h("pre", { class: "said" }, said)))];
        }))))));
  });

  const askJobs = async () => {
    try {
      jobs = (/** @type {{ jobs: API.Job[] }} */ (await get("jobs"))).jobs
        .sort((a, b) => b.started.localeCompare(a.started));
      showJobs(jobs);
    } catch { /* The bench itself says that the server does not answer. */ }
  };
  let jobsOf = "";
  const stop = watchBench((bench) => {
    show(bench);
    // Jobs have no topic: they are asked for again when what lives has changed.
    const now = bench.live.map((row) => row.id + row.state).join();
    if (now !== jobsOf) askJobs();
    jobsOf = now;
  });
  // What was started from here is asked after as long as it runs.
  const again = setInterval(() => { if (jobs.some((job) => job.state === "running")) askJobs(); }, 2000);
  document.addEventListener("jobs", askJobs);
  refreshBench().catch((error) => { if (!benchNow()) fill(facts, error.message); });
  askJobs();
  pageKeys([
    { keys: "s", does: "Start something on the first free rig", changes: true, act: () => {
      const bench = benchNow();
      const rig = bench?.rigs.find((one) => one.state === "idle");
      if (bench && rig) startDialog(bench, rig);
      else toast("No rig is free.", "bad");
    } },
    { keys: "w", does: "Watch what runs", act: () => { location.hash = "#/live"; } },
  ]);
  return () => {
    stop();
    clearInterval(again);
    document.removeEventListener("jobs", askJobs);
    cancelAnimationFrame(drawing);
    for (const meter of meters.values()) meter.stop();
  };
}

/** @param {API.LiveRow} row */
const startedBy = (row) => row.job ? "this workbench" : row.command.startsWith("nightly") ? "nightly" : "a terminal";

/** @param {HTMLElement} card @param {API.LiveRow} row */
function progress(card, row) {
  const bar = card.querySelector("progress"), text = card.querySelector(".progress-text");
  if (bar) bar.value = row.overall ?? 0;
  if (text) {
    text.textContent = row.overall === undefined ? "" : `${Math.round(100 * row.overall)} %, ${remaining(row.remaining)}`;
  }
}

/**
 * @param {API.Bench} bench
 * @param {API.Rig} rig
 * @param {API.LiveRow | undefined} row
 * @param {(id: string) => Meter} meterOf
 */
function rigCard(bench, rig, row, meterOf) {
  const states = { idle: "idle", held: "held", missing: "not found" };
  const holder = rig.holder;
  const title = row?.title ?? holder?.title ?? row?.command ?? holder?.command;
  const night = rig.lastNight ?? (rig.lastRun?.plan.includes("night") ? rig.lastRun : undefined);
  return [
    h("div", { class: "card-head" },
      h("h2", null, rig.name), badge(rig.state, states[rig.state]),
      rig.simulated && h("span", { class: "tag" }, "simulated"),
      h("div", { class: "actions" },
        rig.state === "held" && row?.state === "working" && [
          h("a", { class: "button", href: `#/live/${row.id}`, "data-key": `watch-${rig.name}` }, "Watch"),
          h("button", {
            type: "button", class: "stop acts", "data-key": `stop-${rig.name}`, "aria-label": `Stop the work on ${rig.name}`,
            onclick: () => stopWork(`live/${row.id}`),
          }, "Stop")],
        h("button", {
          type: "button", class: "primary acts", "data-key": `start-${rig.name}`, disabled: rig.state !== "idle",
          "aria-label": `Start something on ${rig.name}`, onclick: () => startDialog(bench, rig),
        }, "Start…"))),
    rig.description && h("p", { class: "sentence" }, rig.description),
    rig.problem && h("div", { class: "alert" }, h("p", null, rig.problem),
      rig.state === "missing" && h("p", { class: "detail" },
        "Mend its description, or plug it in and switch it on; what this machine sees is told by ", code("haprig devices"),
        ". The bench looks again by itself.")),
    rig.state === "held" && h("div", { class: "running" },
      h("p", null, h("strong", null, title ?? "Something"), holder ? ` in process ${holder.process}` : "",
        row ? `, since ${moment(row.started)} (${startedBy(row)})` : holder?.since ? `, since ${moment(holder.since)}` : ""),
      row ? [h("div", { class: "progress" }, h("progress", { max: 1, value: row.overall ?? 0,
        "aria-label": `Progress of ${title}` }), h("span", { class: "progress-text number" })),
      meterOf(row.id).meters.element]
        : h("p", { class: "note" }, "It tells nothing of what it does: it was started by an older haprig, or it is no work.")),
    facts([
      ["Last night", night && [h("a", { href: `#/runs/${night.id}`, "data-key": `night-${rig.name}` },
        moment(night.started)), " ", badge(runWord(night)), h("span", { class: "detail" }, `${night.plan}, ${ago(night.started)}`)]],
      ["Last run", rig.lastRun && rig.lastRun.id !== night?.id
        ? [h("a", { href: `#/runs/${rig.lastRun.id}`, "data-key": `run-${rig.name}` }, moment(rig.lastRun.started)), " ",
          badge(runWord(rig.lastRun)), h("span", { class: "detail" }, `${rig.lastRun.plan}, ${ago(rig.lastRun.started)}`)]
        : !rig.lastRun && "none in this archive"],
      ...rig.actuators.map((actuator) => /** @type {[string, any]} */ ([`Actuator ${actuator.id}`, [
        [actuator.type?.toUpperCase(), actuator.model].filter(Boolean).join(" "), h("span", { class: "detail" },
          actuator.profile ? ["Calibrated ", h("a", { href: `#/calibrations/${actuator.id}`, "data-key": `profile-${actuator.id}` },
            moment(actuator.profile.created)), `, ${age(actuator.profile.ageDays)}`,
          actuator.profile.level !== undefined ? `, level ${level(actuator.profile.level)}` : ""]
            : "Never calibrated: its intensity is volts, not what is felt."),
        rig.lastCheck && rig.actuators.length === 1 && h("span", { class: "detail" },
          `Checked ${moment(rig.lastCheck.date)}: ${rig.lastCheck.drifted ? "has drifted" : "as it was"}${
            rig.lastCheck.sigmas === undefined ? "" : `, ${significant(rig.lastCheck.sigmas)} σ`}`)]])),
      ...rig.sensors.map((sensor) => /** @type {[string, any]} */ ([`Sensor ${sensor.name}`, [
        `${sensor.kind} in ${unitSign(sensor.unit) || "full scale"}`,
        (sensor.fullScale || sensor.sensitivity || sensor.date) && h("span", { class: "detail" }, [
          sensor.fullScale ? `full scale ± ${quantity(sensor.fullScale, sensor.unit)}` : "", sensor.sensitivity ? `${significant(1000 * sensor.sensitivity)} mV/(m/s²)` : "",
          sensor.uncertainty ? `± ${significant(100 * sensor.uncertainty)} %` : "",
          sensor.date ? `certificate of ${sensor.date}` : ""].filter(Boolean).join(", "))]])),
      ["Drive", soundCard(rig.drive)],
      ["Capture", soundCard(rig.capture)],
    ]),
  ];
}

/** @param {number | string} value */
const level = (value) => typeof value === "number" ? `${significant(value)} dB` : value;

/** @param {API.Sound | null | undefined} sound */
function soundCard(sound) {
  if (!sound) return undefined;
  const channels = Array.isArray(sound.channels) ? sound.channels.join(", ") : sound.channels;
  return [sound.device ?? "", h("span", { class: "detail" }, [hertz(sound.rate), channels === undefined ? ""
    : typeof channels === "number" ? counted(channels, "channel") : channels].filter(Boolean).join(", "))];
}

/** @type {[API.JobKind, string, string][]} */
const KINDS = [
  ["run", "Run a plan", "Plays a plan's patterns, measures and scores each take, and keeps the run in the archive."],
  ["play", "Play", "Plays patterns and measures nothing. The drive is held by this page: it stops within half a second when the page is closed, hidden or cut off."],
  ["calibrate", "Calibrate", "Measures an actuator, fits its profile and proves it by measuring again. Takes minutes."],
  ["check", "Check", "Says in 5 s whether an actuator has drifted from its profile."],
  ["latency", "Latency", "Measures the electrical delay from the reference output to the reference input."],
];

/**
 * Shows what work said that has ended before its live page could be opened.
 *
 * @param {API.Job} job
 */
async function showEnd(job) {
  const ended = /** @type {API.Job} */ (await get(`jobs/${encodeURIComponent(job.id)}`));
  const said = Array.isArray(ended.said) ? ended.said.join("\n") : ended.said ?? "";
  if (ended.state !== "done" || !said.trim()) return;
  dialog(`${job.kind}: done`, (close) => [h("section", { class: "readings" }, h("div", { class: "scroll" }, h("pre", { class: "said" }, said))),
    h("div", { class: "box-foot" }, h("button", { type: "button", onclick: close }, "Close"))]);
}

/** @param {API.Bench} bench @param {API.Rig} rig */
export function startDialog(bench, rig) {
  /** @type {API.JobKind} */
  let kind = "run";
  const plans = bench.plans, patterns = bench.patterns;
  let plan = plans[0]?.name ?? "", repeats = "", actuator = rig.actuators[0]?.id ?? "", isPattern = plans.length === 0;
  /** @type {Set<string>} */
  const chosen = new Set();
  let wanted = "";
  dialog(`Start on ${rig.name}`, (close) => {
    const words = h("p", { class: "note" }), fields = h("div", { class: "fields" });
    const go = h("button", { type: "submit", class: "primary" }, "Start");
    const list = () => {
      const box = h("div", { class: "pick-list", role: "group", "aria-label": "Patterns" });
      const rows = () => fill(box, patterns.filter((one) => one.name.includes(wanted)).map((one) =>
        h("label", { class: "pick" }, h("input", {
          type: "checkbox", checked: chosen.has(one.name), "data-key": `pick-${one.name}`,
          onchange: (/** @type {Event} */ event) => {
            if (/** @type {HTMLInputElement} */ (event.target).checked) chosen.add(one.name);
            else chosen.delete(one.name);
            check();
          },
        }), h("span", null, one.name), h("span", { class: "detail number" }, one.seconds === undefined ? ""
          : duration(one.seconds)))));
      rows();
      return [field("Find a pattern", h("input", {
        type: "search", value: wanted, oninput: (/** @type {Event} */ event) => {
          wanted = /** @type {HTMLInputElement} */ (event.target).value;
          rows();
        },
      })), box];
    };
    const takesActuator = () => kind === "calibrate" || kind === "check" || (kind === "run" && rig.actuators.length > 1);
    const check = () => {
      const needsPatterns = kind === "play" || (kind === "run" && isPattern);
      go.disabled = needsPatterns ? chosen.size === 0 : kind === "run" && !plan;
      go.textContent = kind === "play" ? "Play, held by this page" : "Start";
    };
    const show = () => {
      words.textContent = KINDS.find(([one]) => one === kind)?.[2] ?? "";
      const now = plans.find((one) => one.name === plan);
      const count = now && (Array.isArray(now.patterns) ? now.patterns.length : now.patterns);
      fill(fields,
        kind === "run" && segmented("What is run", [["plan", "A plan"], ["patterns", "Patterns"]],
          isPattern ? "patterns" : "plan", (value) => {
            isPattern = value === "patterns";
            show();
          }),
        kind === "run" && !isPattern && (plans.length === 0
          ? h("p", { class: "note" }, "No plan is known: start the workbench with ", code("--plans rigs/plans"), ".")
          : [field("Plan", select(plans.map((one) => [one.name, one.name]), plan, (value) => {
            plan = value;
            show();
          }, { "data-key": "plan" })), now && h("p", { class: "note" }, [counted(count ?? 0, "pattern"),
            now.takes === undefined ? "" : counted(now.takes, "take"),
            now.seconds === undefined ? "" : `about ${duration(now.seconds)}`].filter(Boolean).join(", "))]),
        (kind === "play" || (kind === "run" && isPattern)) && list(),
        kind === "run" && isPattern && field("Repeats", h("input", {
          type: "number", min: 1, max: 1000, value: repeats || 1,
          oninput: (/** @type {Event} */ event) => { repeats = /** @type {HTMLInputElement} */ (event.target).value; },
        })),
        takesActuator() && field("Actuator",
          select(rig.actuators.map((one) => [one.id, one.id]), actuator, (value) => { actuator = value; })));
      check();
    };
    show();
    return [h("form", {
      onsubmit: async (/** @type {Event} */ event) => {
        event.preventDefault();
        go.disabled = true;
        const usesPatterns = kind === "play" || (kind === "run" && isPattern);
        const job = await start({
          kind, rig: rig.name, ...kind === "run" && !isPattern && { plan },
          ...usesPatterns && { patterns: [...chosen] }, ...kind === "run" && isPattern && Number(repeats) > 1 && { repeats: Number(repeats) },
          ...takesActuator() && actuator && { actuator },
        });
        go.disabled = false;
        if (!job) return;
        close();
        if (kind !== "play") toast(`Started: ${kind} on ${rig.name}.`);
        const live = await liveOf(job);
        if (live) location.hash = `#/live/${live}`;
        else if (kind !== "play") showEnd(job);
      },
    }, segmented("Work", KINDS.map(([one, text]) => [one, text]), kind, (value) => {
      kind = /** @type {API.JobKind} */ (value);
      show();
    }), words, fields, h("div", { class: "box-foot" }, go,
      h("button", { type: "button", onclick: close }, "Cancel")))];
  });
}
