// SPDX-License-Identifier: Apache-2.0
// Runs, takes, or a run and its baseline beside each other: readings, waves and profiles.
import { get, getRecord, getWaves, part, query } from "./api.js";
import { Chart, sharedView, waveLine } from "./chart.js";
import { badge, empty, field, fill, h, put, segmented, select, toast } from "./dom.js";
import { counted, difference, fixed, moment, quantity, significant, typeset } from "./format.js";
import { pageKeys } from "./keys.js";
import { profileCharts } from "./calibrations_page.js";
import { picked, togglePicked } from "./store.js";
import { channelName } from "./waves.js";
import { finds, readingHead } from "./words.js";

const HUES = ["intensity", "sharpness", "response", "sound", "onset", "drive"];
const LETTERS = "ABCDEF";
const COURSES = /** @type {Record<string, string>} */ ({ worse: "fail", better: "pass", changed: "marginal" });

/** @param {HTMLElement} place @param {string[]} _path @param {URLSearchParams} params */
export function openCompare(place, _path, params) {
  const named = params.getAll("run");
  const runs = named.length > 0 ? named : picked();
  const withBaseline = params.get("baseline") === "1";
  const controller = new AbortController();
  const { signal } = controller;
  put(place, h("div", { class: "page-head" }, h("h1", null, "Compare")));
  const choose = h("section", { class: "card", "aria-label": "What is compared" }), content = h("div", { class: "page" });
  put(place, choose, content);
  /** @type {(() => void)[]} */
  const closes = [];
  pageKeys([
    { keys: "m", does: "Only what is more than chance, or all", act: () => {
      const box = place.querySelector("#only-beyond");
      if (box instanceof HTMLInputElement) box.click();
    } },
  ]);
  if (runs.length + (withBaseline ? 1 : 0) < 2) {
    fill(content, empty("Pick what is to be compared", h("p", null, "Pick two runs or more among the ", h("a", { href: "#/runs" }, "runs"),
      " (Space in the table, P in a run), or open a run and compare it with its baseline."),
    h("p", null, "One take is compared with another as RUN:PATTERN:TAKE, below.")));
    showChoice(choose, runs, withBaseline, named.length > 0);
    return () => controller.abort();
  }
  showChoice(choose, runs, withBaseline, named.length > 0);
  fill(content, h("p", { class: "note", role: "status" }, "Comparing…"));
  const load = async () => {
    const diff = /** @type {API.Diff} */ (await get(`compare${query({ run: runs, ...withBaseline && { baseline: 1 } })}`, signal));
    const waves = h("section", { class: "card", "aria-labelledby": "waves-title" });
    const profiles = h("section", { class: "card", "aria-labelledby": "profiles-title", hidden: true });
    const readings = h("section", { class: "card", "aria-labelledby": "differences-title" });
    fill(content, sidesOf(diff), readings, waves, profiles);
    showDifferences(readings, diff);
    const ids = diff.sides.map((side) => side.runs[side.runs.length - 1]?.id).filter(Boolean);
    closes.push(showWaves(waves, diff, ids, signal));
    showProfiles(profiles, diff, signal).catch(() => {});
  };
  load().catch((error) => {
    if (signal.aborted) return;
    fill(content, empty("They cannot be compared", error.message));
  });
  return () => {
    controller.abort();
    closes.forEach((close) => close());
  };
}

/** @param {HTMLElement} place @param {string[]} runs @param {boolean} withBaseline @param {boolean} isNamed */
function showChoice(place, runs, withBaseline, isNamed) {
  const go = (/** @type {string[]} */ next, /** @type {boolean} */ baseline) => {
    location.hash = `#/compare${query({ run: next, ...baseline && { baseline: 1 } })}`;
  };
  const input = h("input", { type: "search", placeholder: "a run, or RUN:PATTERN:TAKE", "aria-label": "Another run or take" });
  // The first is what the others are held against: the baseline, where there is one.
  const first = withBaseline ? 1 : 0;
  fill(place, h("ol", { class: "sides" }, withBaseline && h("li", null, letter(0), "the baseline: what was pinned, else the runs of its level in the history"),
    runs.map((run, index) => h("li", null, letter(index + first), h("a", { href: `#/runs/${run.split(":")[0]}` }, run),
    h("button", { type: "button", class: "quiet", "aria-label": `Leave out ${run}`, onclick: () => {
      if (!isNamed) togglePicked(run);
      go(runs.filter((one) => one !== run), withBaseline);
    } }, "✕")))),
  h("form", { class: "filters", onsubmit: (/** @type {Event} */ event) => {
    event.preventDefault();
    const text = input.value.trim();
    if (!text) return;
    if (runs.length + first > 5) toast("At most six are laid beside each other.", "bad");
    else go([...runs, text], withBaseline);
  } }, field("Add", input, "grow"), h("button", { type: "submit" }, "Add"),
  runs.length === 2 && h("button", { type: "button", onclick: () => go([runs[1], runs[0]], withBaseline) }, "Swap"),
  runs.length === 1 && !withBaseline && h("button", { type: "button", onclick: () => go(runs, true) }, "Its baseline")));
}

/** @param {number} index */
function letter(index) {
  const mark = h("span", { class: "letter" }, LETTERS[index] ?? "?");
  mark.style.borderColor = `var(--${HUES[index] ?? "ink"})`;
  return mark;
}

/** @param {API.Diff} diff */
function sidesOf(diff) {
  return h("section", { class: "card", "aria-label": "Result" }, h("p", { class: "sentence strong" }, diff.sentence),
    h("div", { class: "scroll" }, h("table", null, h("thead", null, h("tr", null, ["Side", "Run", "Verdict", "Rig", "Plan", "Actuator", "Software"]
      .map((name) => h("th", { scope: "col" }, name)))), h("tbody", null, diff.sides.flatMap((side, index) => side.runs.map((run, k) =>
      h("tr", null, h("td", null, k === 0 && letter(index)), h("th", { scope: "row" }, h("a", { href: `#/runs/${run.id}` }, run.id),
        h("span", { class: "detail" }, [side.baseline ? " baseline" : "", side.pattern ? ` ${side.pattern}, take ${side.take}` : "",
          run.began ? ` ${moment(run.began)}` : ""].join(""))), h("td", null, run.verdict ? badge(run.verdict) : ""),
      h("td", null, run.rig ?? ""), h("td", null, run.plan ?? ""), h("td", null, run.actuator ?? ""), h("td", null, run.software ?? ""))))))),
    diff.pairs.flatMap((pair) => [
      ...(pair.notes ?? []).map((note) => h("p", { class: "note" }, typeset(note))),
      pair.environment?.length ? h("p", { class: "note" }, `${pair.second} beside ${pair.first}: ${pair.environment.map((one) =>
        `${one.key} ${one.first ?? "not given"} → ${one.second ?? "not given"}`).join("; ")}.`.replaceAll("degC", "°C")) : null]));
}

/** @param {HTMLElement} place @param {API.Diff} diff */
function showDifferences(place, diff) {
  let pair = 0, onlyBeyond = diff.pairs.some((one) => one.readings.some((now) => now.finding === "more than chance")), text = "";
  const body = h("tbody"), words = h("p", { class: "note", role: "status" });
  const show = () => {
    const now = diff.pairs[pair];
    if (!now) return;
    const rows = now.readings.filter((one) => (!onlyBeyond || one.finding === "more than chance")
      && (!text || finds(text, one.reading, one.pattern)))
      .sort((a, b) => Number(b.finding === "more than chance") - Number(a.finding === "more than chance"));
    const counts = now.counts;
    words.textContent = `${counts ? `${counted(counts.compared, "reading")} compared: ${counts.beyond} more than chance (${counts.worse} worse, ${
      counts.better} better, ${counts.changed} changed), ${counts.within} within chance, ${counts.untold} cannot be told. ` : ""}${
      rows.length === 0 ? "None to show." : `${rows.length} shown${rows.length > 500 ? ", the first 500" : ""}.`}`;
    body.replaceChildren(...rows.slice(0, 500).flatMap((one) => {
      const unit = one.unit;
      const row = h("tr", { class: one.note ? "told" : "" }, readingHead(one),
        h("td", null, one.pattern || "the run", one.event === undefined ? "" : `, event ${one.event}`),
        h("td", { class: "number strong" }, difference(one.difference, unit, one.uncertainty)),
        h("td", { class: "number" }, one.uncertainty ? `${fixed(Math.abs(one.difference) / one.uncertainty, 1)} u` : "–"),
        h("td", null, one.finding === "more than chance" ? badge(COURSES[one.course ?? "changed"] ?? "marginal", `more than chance${
          one.course ? `, ${one.course}` : ""}`) : badge("not judged", one.finding)),
        h("td", { class: "number" }, quantity(one.first.mean, unit, one.first.uncertainty ?? one.first.scatter),
          h("span", { class: "unit" }, ` n ${one.first.n}`)),
        h("td", { class: "number" }, quantity(one.second.mean, unit, one.second.uncertainty ?? one.second.scatter),
          h("span", { class: "unit" }, ` n ${one.second.n}`)));
      return one.note ? [row, h("tr", null, h("td", { colspan: 7 }, h("span", { class: "detail" }, typeset(one.note))))] : [row];
    }));
  };
  const names = diff.pairs.map((one, index) => /** @type {[string, string]} */ ([String(index), `${one.second} beside ${one.first}`]));
  fill(place, h("div", { class: "card-head" }, h("h2", { id: "differences-title" }, "Readings"), h("div", { class: "tools" },
    names.length > 1 && segmented("Pair", names, "0", (value) => { pair = Number(value); show(); }),
    h("label", { class: "field inline" }, h("input", { type: "checkbox", id: "only-beyond", checked: onlyBeyond,
      onchange: (/** @type {Event} */ event) => { onlyBeyond = /** @type {HTMLInputElement} */ (event.target).checked; show(); } }),
    h("span", null, "only more than chance")),
    field("Reading", h("input", { type: "search", oninput: (/** @type {Event} */ event) => {
      text = /** @type {HTMLInputElement} */ (event.target).value;
      show();
    } }), "inline"))), words,
  h("div", { class: "scroll tall", tabindex: "0", role: "region", "aria-label": "Differences" }, h("table", null, h("thead", null, h("tr", null,
    ["Reading", "Pattern", "Difference", "In its u", "Finding", "First", "Second"].map((name) =>
      h("th", { scope: "col", class: ["Difference", "In its u", "First", "Second"].includes(name) ? "number" : "" }, name)))), body)));
  show();
}

/**
 * When a take's pattern begins in what came back: where it was sent, and the delays that are known.
 *
 * @param {API.RunRecord} record
 * @param {API.Take} take
 * @param {API.Diff} diff
 */
function beginOf(record, take, diff) {
  const frame = record.patterns?.find((one) => one.name === take.pattern)?.takes.find((one) => one.repeat === take.take)?.patternFrame;
  const sent = take.patternStart ?? (frame === undefined ? undefined : frame / take.rate);
  const overlay = diff.overlays?.find((one) => one.pattern === take.pattern);
  const told = overlay?.takes.find((one) => one.run === record.header.folder && one.take === take.take);
  const read = (/** @type {string} */ name) => record.readings.find((one) => one.name === name && one.pattern === take.pattern
    && (one.repeat ?? take.take) === take.take)?.value;
  const electrical = told?.electrical ?? read("latency.electrical");
  // Where one side does not tell its way through the mount, it is left in on both.
  const transport = overlay?.withoutTransport ? undefined : told?.transport ?? read("latency.transport");
  return { sent, electrical, transport };
}

/** @param {HTMLElement} place @param {API.Diff} diff @param {string[]} ids @param {AbortSignal} signal */
function showWaves(place, diff, ids, signal) {
  let controller = new AbortController(), waiting = 0, again = () => {};
  const load = async () => {
    const sides = await Promise.all(ids.map(async (id) => ({
      id, record: await getRecord(id, signal),
      takes: (/** @type {{ takes: API.Take[] }} */ (await get(`runs/${part(id)}/takes`, signal).catch(() => ({ takes: [] })))).takes,
    })));
    const patterns = [...new Set(sides.flatMap((side) => side.takes.map((take) => take.pattern)))]
      .filter((name) => sides.filter((side) => side.takes.some((take) => take.pattern === name)).length > 1);
    if (patterns.length === 0) {
      fill(place, h("h2", { id: "waves-title" }, "Waves"), h("p", { class: "note" },
        "No pattern has recordings on two sides: they were not kept, or pruned."));
      return;
    }
    let pattern = diff.sides.find((side) => side.pattern)?.pattern ?? patterns[0], number = 1, kind = "waves", channel = "";
    const box = h("div", { class: "charts" }), words = h("p", { class: "note" });
    const view = sharedView();
    const show = async (/** @type {boolean} */ keep) => {
      controller.abort();
      controller = new AbortController();
      const own = controller.signal;
      const parts = sides.map((side, index) => {
        const wanted = diff.sides[index]?.take ?? number;
        const all = side.takes.filter((one) => one.pattern === pattern);
        return { side, take: all.find((one) => one.take === wanted) ?? all[0] };
      });
      const names = [...new Set(parts.flatMap(({ take }) => take ? take.channels.filter((one) => one.kind !== "reference").map((one) => channelName(one, take.channels)) : []))];
      if (!names.includes(channel)) {
        channel = parts.flatMap(({ take }) => take?.channels ?? []).find((one) => one.kind === "response")?.name ?? names[0];
      }
      const asked = parts.flatMap(({ take }) => take?.channels.filter((one) => channelName(one, take.channels) === channel) ?? [])[0];
      const columns = Math.min(4096, Math.max(300, Math.floor(place.clientWidth)));
      let unit = "1", aligned = true, longest = 0;
      const before = 0.05;
      const lines = await Promise.all(parts.map(async ({ side, take }, index) => {
        if (!take) return undefined;
        const named = take.channels.findIndex((one) => channelName(one, take.channels) === channel);
        // Another rig may have another name for what feels the same.
        const place_ = named >= 0 ? named : take.channels.findIndex((one) => one.kind === asked?.kind && one.side === asked?.side);
        if (place_ < 0) return undefined;
        const own_ = take.channels[place_];
        unit = own_.unit;
        const begin = beginOf(side.record, take, diff);
        const isSent = own_.side === "drive" || own_.kind === "drive";
        if (begin.sent === undefined || (!isSent && begin.electrical === undefined)) aligned = false;
        const zero = (begin.sent ?? 0) + (isSent ? 0 : begin.electrical ?? 0) + (own_.kind === "response" ? begin.transport ?? 0 : 0);
        longest = Math.max(longest, take.seconds - zero);
        const waves = await getWaves(`runs/${part(side.id)}/waves${query({
          pattern, take: take.take, columns, channels: String(place_),
          from: keep ? Math.max(0, view.from + zero) : Math.max(0, zero - before), to: keep ? view.to + zero : take.seconds,
        })}`, own);
        const { x, low, high } = waveLine(waves, 0, zero);
        if (own_.kind === "response") takeOff(standing(low, high), low, high);
        const called = named >= 0 ? "" : ` (${own_.name})`;
        const name = `${LETTERS[index]} take ${take.take}${called}`, hue = HUES[index];
        if (kind === "envelopes") return { name, colour: hue, x, y: envelope(low, high) };
        return waves.header.framesPerBin === 1 ? { name, colour: hue, x, y: high } : { name, colour: hue, x, y: high, low, alpha: 0.55 };
      })).catch((error) => {
        if (!own.aborted) fill(words, error.message);
        return [];
      });
      if (own.aborted || lines.length === 0) return;
      if (!chart || chart.options.unit !== unit) {
        if (chart) view.charts.delete(chart);
        chart = new Chart({ name: "laid over each other", unit, axis: "seconds", height: 300, view });
        fill(box, chart.element);
      }
      chart.options.name = `${channel} of ${pattern}`;
      const caption = chart.element.querySelector("figcaption");
      if (caption) fill(caption, `${channel} of ${pattern} `, h("span", { class: "unit" }, unit.replace("m/s2", "m/s²")));
      chart.show({
        lines: /** @type {import("./chart.js").Line[]} */ (lines.filter(Boolean)), keep, from: -before, to: longest,
        marks: [{ x: 0, text: "pattern begins", colour: "muted" }],
      });
      const residual = diff.overlays?.find((one) => one.pattern === pattern)?.residuals?.[0];
      fill(words, aligned ? `Aligned: 0 is where the pattern begins, by the delays that each take measured itself (${
        parts.map(({ side, take }, index) => {
          const begin = take && beginOf(side.record, take, diff);
          return `${LETTERS[index]} ${quantity(begin?.electrical, "s")} electrical${begin?.transport === undefined ? "" : ` and ${quantity(begin.transport, "s")} transport`}`;
        }).join("; ")}).` : "Not aligned: a side does not tell its delays, so each begins where its pattern was sent.",
      asked?.kind === "response" ? " What the sensor stands at is left out." : "",
      residual?.response !== undefined ? ` The rms of the difference is ${significant(100 * residual.response)} % of A's.` : "");
      fill(channelChoice, names.map((one) => h("option", { value: one }, one)));
      channelChoice.value = channel;
    };
    /** @type {Chart | undefined} */
    let chart;
    const channelChoice = h("select", { onchange: () => { channel = channelChoice.value; show(false); } });
    const takes = [...new Set(sides.flatMap((side) => side.takes.map((take) => take.take)))].sort((a, b) => a - b);
    fill(place, h("div", { class: "card-head" }, h("h2", { id: "waves-title" }, "Waves"), h("div", { class: "tools" },
      segmented("Drawn as", [["waves", "Waves"], ["envelopes", "Envelopes"]], kind, (value) => { kind = value; show(true); }),
      field("Pattern", select(patterns.map((one) => [one, one]), pattern, (value) => { pattern = value; show(false); }), "inline"),
      field("Take", select(takes.map((one) => [String(one), String(one)]), "1", (value) => { number = Number(value); show(false); }), "inline"),
      field("Channel", channelChoice, "inline"))), box, words);
    await show(false);
    let wide = place.clientWidth;
    again = () => {
      if (place.clientWidth !== wide) view.told?.();
      wide = place.clientWidth;
    };
    view.told = () => {
      clearTimeout(waiting);
      waiting = window.setTimeout(() => show(true), 150);
    };
  };
  load().catch((error) => {
    if (!signal.aborted) fill(place, h("h2", { id: "waves-title" }, "Waves"), h("p", { class: "note" }, error.message));
  });
  // A wider page has room for finer columns.
  const resized = new ResizeObserver(() => again());
  resized.observe(place);
  return () => {
    clearTimeout(waiting);
    resized.disconnect();
    controller.abort();
  };
}

/**
 * What a sensor stands at, gravity above all: the median of the columns' middles.
 *
 * @param {Float64Array} low
 * @param {Float64Array} high
 */
function standing(low, high) {
  const middles = low.map((one, k) => (one + high[k]) / 2).filter(Number.isFinite).sort();
  return middles.length > 0 ? middles[middles.length >> 1] : 0;
}

/** @param {number} offset @param {Float64Array[]} sides */
function takeOff(offset, ...sides) {
  for (const side of sides) for (let k = 0; k < side.length; k += 1) side[k] -= offset;
}

/**
 * The size of waves: the largest over nine columns.
 *
 * @param {Float64Array} low
 * @param {Float64Array} high
 */
function envelope(low, high) {
  const out = new Float64Array(low.length);
  for (let k = 0; k < low.length; k += 1) {
    let size = 0;
    for (let j = Math.max(0, k - 4); j <= Math.min(low.length - 1, k + 4); j += 1) size = Math.max(size, -low[j], high[j]);
    out[k] = size;
  }
  return out;
}

/** @param {HTMLElement} place @param {API.Diff} diff @param {AbortSignal} signal */
async function showProfiles(place, diff, signal) {
  const actuators = [...new Set(diff.sides.flatMap((side) => side.runs.map((run) => run.actuator ?? "")))].filter(Boolean);
  const known = /** @type {{ profiles?: { id: string }[] }} */ (await get("calibrations", signal)).profiles?.map((one) => one.id) ?? [];
  const asked = actuators.filter((id) => known.includes(id));
  const found = (await Promise.all(asked.map((id) => get(`calibrations/${part(id)}`, signal).catch(() => undefined))))
    .filter((one) => one !== undefined);
  if (found.length === 0) return;
  place.hidden = false;
  fill(place, h("h2", { id: "profiles-title" }, found.length > 1 ? "Profiles laid over each other" : "The profile of all sides"),
    profileCharts(/** @type {API.Profile[]} */ (found)));
}
