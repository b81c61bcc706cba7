// SPDX-License-Identifier: Apache-2.0
// Actuators with their profiles: how old, how good, and whether they have drifted since.
import { get, part } from "./api.js";
import { Chart } from "./chart.js";
import { badge, code, empty, facts, fill, h, put } from "./dom.js";
import { age, counted, difference, moment, quantity, significant } from "./format.js";
import { pageKeys } from "./keys.js";

const HUES = ["intensity", "sharpness", "response", "sound", "onset", "drive"];
/** Beyond this an actuator is worth measuring again, whatever its checks say. */
const OLD = 180;

/** @param {HTMLElement} place @param {string[]} path */
export function openCalibrations(place, path) {
  const controller = new AbortController();
  const { signal } = controller;
  pageKeys(path[0] ? [{ keys: "u", does: "Back to all calibrations", act: () => { location.hash = "#/calibrations"; } }] : []);
  (path[0] ? showOne(place, path[0], signal) : showAll(place, signal)).catch((error) => {
    if (!signal.aborted) fill(place, empty("It cannot be read", error.message, h("p", null, h("a", { href: "#/calibrations" }, "All calibrations"))));
  });
  return () => controller.abort();
}

/** @param {HTMLElement} place @param {AbortSignal} signal */
async function showAll(place, signal) {
  put(place, h("div", { class: "page-head" }, h("h1", null, "Calibrations")));
  const all = /** @type {API.Calibrations} */ (await get("calibrations", signal));
  if (all.profiles.length === 0) {
    put(place, empty("No actuator is calibrated", h("p", null, "A profile is what makes an intensity of 0.5 feel the same on each actuator. Start one on the ",
      h("a", { href: "#/bench" }, "bench"), " (Start…, Calibrate), or at a terminal: ", code("haprig calibrate --rig rigs/simulated-lra.yaml"), ".")));
    return;
  }
  const hasChecks = all.profiles.some((one) => one.check);
  const chosen = new Set(all.profiles.slice(0, 3).map((one) => one.id));
  const pictures = h("div");
  const known = /** @type {Map<string, API.Profile>} */ (new Map());
  const drawProfiles = async () => {
    for (const id of chosen) {
      if (!known.has(id)) known.set(id, /** @type {API.Profile} */ (await get(`calibrations/${part(id)}`, signal)));
    }
    const found = [...chosen].map((id) => known.get(id)).filter((one) => one !== undefined);
    fill(pictures, found.length === 0 ? h("p", { class: "note" }, "Pick profiles in the table to see them here.") : profileCharts(/** @type {API.Profile[]} */ (found)));
  };
  put(place, h("section", { class: "card", "aria-labelledby": "profiles-title" }, h("h2", { id: "profiles-title" }, "Profiles"),
    h("div", { class: "scroll" }, h("table", null, h("thead", null, h("tr", null,
      ["Shown", "Actuator", "Kind", "Model", "Rig", "Calibrated", "Age", "Level", hasChecks && "Last check", "Certificate"].filter(Boolean).map((name) => h("th", { scope: "col" }, name)))),
    h("tbody", null, all.profiles.map((one) => h("tr", null, h("td", null, h("input", {
      type: "checkbox", checked: chosen.has(one.id), "aria-label": `Show the profile of ${one.actuator}`, onchange: (/** @type {Event} */ event) => {
        if (/** @type {HTMLInputElement} */ (event.target).checked) chosen.add(one.id);
        else chosen.delete(one.id);
        drawProfiles();
      } })),
    h("th", { scope: "row" }, h("a", { href: `#/calibrations/${encodeURIComponent(one.id)}` }, one.actuator)), h("td", null, one.kind?.toUpperCase() ?? ""),
    h("td", null, one.model ?? ""), h("td", null, one.rig ?? ""), h("td", null, moment(one.created)),
    h("td", null, (one.ageDays ?? 0) > OLD ? badge("marginal", age(one.ageDays)) : age(one.ageDays)),
    h("td", { class: "number" }, one.level === undefined ? "" : typeof one.level === "number" ? `${significant(one.level)} dB` : one.level),
    hasChecks && h("td", null, one.check ? [badge(one.check.drifted ? "drifted" : "pass", one.check.drifted ? "drifted" : "as it was"), h("span", { class: "unit" },
      ` ${moment(one.check.date)}${one.check.sigmas === undefined ? "" : `, ${significant(one.check.sigmas)} σ`}`)] : h("span", { class: "unit" }, "never checked")),
    h("td", null, one.certificate === false ? "–" : h("a", { href: `/api/v1/calibrations/${part(one.id)}/certificate`, target: "_blank", rel: "noopener",
      "aria-label": `Certificate of ${one.actuator}, in a new tab` }, "open")))))))),
  h("section", { class: "card", "aria-labelledby": "overlay-title" }, h("h2", { id: "overlay-title" }, "Laid over each other"), pictures),
  h("section", { class: "card", "aria-labelledby": "drift-title" }, h("h2", { id: "drift-title" }, "Drift"), (all.drift ?? []).length === 0
    ? h("p", { class: "note" }, "Whether an actuator has moved since it was calibrated is told by a check, in 5 s: Start… on the ",
      h("a", { href: "#/bench" }, "bench"), ", where its answer stands among the work, or ", code("haprig check --rig RIG"), ".")
    : h("div", { class: "scroll" }, h("table", null, h("thead", null, h("tr", null, ["Actuator", "Checked", "Reading", "Profile", "Now", "Difference", "σ", "Finding"]
      .map((name, index) => h("th", { scope: "col", class: index > 2 && index < 7 ? "number" : "" }, name)))),
    h("tbody", null, (all.drift ?? []).map((one) => h("tr", null, h("th", { scope: "row" }, one.actuator), h("td", null, moment(one.date)), h("td", null, one.reading),
      h("td", { class: "number" }, exact(one.before, one)), h("td", { class: "number" }, exact(one.after, one)),
      h("td", { class: "number" }, one.before === undefined || one.after === undefined ? "" : difference(one.after - one.before, one.unit ?? "1", one.uncertainty)),
      h("td", { class: "number" }, one.sigmas === undefined ? "" : significant(one.sigmas)),
      h("td", null, one.sigmas === undefined ? "" : badge(one.drifted ? "drifted" : "pass", one.drifted ? "drifted" : "as it was")))))))),
  h("section", { class: "card", "aria-labelledby": "fleets-title" }, h("h2", { id: "fleets-title" }, "Fleets"), (all.fleets ?? []).length === 0
    ? h("p", { class: "note" }, "A fleet is two actuators or more that have profiles: how far apart they feel where both can follow.")
    : (all.fleets ?? []).map(fleet)));
  await drawProfiles();
}

/**
 * A value with the digits that its uncertainty allows.
 *
 * @param {number | undefined} value
 * @param {API.Drift} drift
 */
const exact = (value, drift) => value === undefined ? "" : quantity(value, drift.unit ?? "1", drift.uncertainty).replace(/ ± [^ ]+/, "");

/** @param {API.Fleet} one */
function fleet(one) {
  const name = one.model ?? one.name ?? one.members.join(", ");
  return h("div", { class: "scroll" }, h("table", null, h("caption", null, name, " ", h("span", { class: "unit" }, `${counted(one.members.length, "actuator")}${
    one.goal === undefined ? "" : `, goal ${significant(one.goal)} dB`}`), " ", one.verdict && badge(one.verdict)),
  h("thead", null, h("tr", null, ["Pair", "95 % of points within", "RMS", "RMS without profiles", "Points", "Verdict"].map((title, index) =>
    h("th", { scope: "col", class: index > 0 && index < 5 ? "number" : "" }, title)))),
  h("tbody", null, one.pairs.map((pair) => h("tr", null, h("th", { scope: "row" }, `${pair.a} and ${pair.b}`), decibels(pair.greatest), decibels(pair.rms),
    decibels(pair.without), h("td", { class: "number" }, pair.points ?? ""), h("td", null, pair.verdict ? badge(pair.verdict) : ""))))));
}

/** @param {number | undefined} value */
const decibels = (value) => h("td", { class: "number" }, value === undefined ? "" : `${value.toFixed(2)} dB`);

/** @param {HTMLElement} place @param {string} id @param {AbortSignal} signal */
async function showOne(place, id, signal) {
  const head = h("div", { class: "page-head" }, h("h1", null, id));
  put(place, h("p", { class: "eyebrow" }, h("a", { href: "#/calibrations" }, "Calibrations")), head);
  const profile = /** @type {API.Profile} */ (await get(`calibrations/${part(id)}`, signal));
  document.title = `${id} – haprig`;
  const { model, verification, uncertainty, conditions, limits, source } = profile;
  put(head, h("div", { class: "actions" }, h("a", { class: "button", href: `/api/v1/calibrations/${part(id)}/certificate`, target: "_blank", rel: "noopener",
    "aria-label": "Certificate, in a new tab" }, "Certificate")));
  const of = (/** @type {API.Quantity | undefined} */ one) => one && quantity(one.value, one.unit, one.uncertainty);
  put(place, h("section", { class: "card", "aria-label": "Facts" }, facts([
    ["Actuator", `${profile.actuator.kind?.toUpperCase() ?? ""} ${profile.actuator.model ?? ""}`], ["Rig", profile.actuator.rig], ["Calibrated", source?.date && moment(source.date)],
    ["Model", model.kind], ["Resonance", of(model.f0)], ["Quality", of(model.q)], ["Gain", of(model.gain)], ["Delay", of(model.delay)],
    ["Misfit", model.misfit === undefined ? undefined : `${significant(100 * model.misfit)} %`],
    ["Limits", limits && [limits.continuousVolts && `${limits.continuousVolts} V rms`, limits.peakVolts && `${limits.peakVolts} V peak`].filter(Boolean).join(", ")],
    ["Conditions", conditions && Object.entries(conditions).map(([name, value]) => `${name} ${value}${name === "temperature" ? " °C" : name === "mass" ? " kg" : ""}`).join(", ")],
    ["Uncertainty", uncertainty && `${significant(100 * uncertainty.combined)} % standard, ${significant(100 * uncertainty.expanded)} % expanded (k = 2)`],
    ["Level after verification", verification?.level && `rms ${verification.level.rms.toFixed(3)} dB, greatest ${verification.level.greatest.toFixed(3)} dB`],
    ["Run", source?.run && h("a", { href: `#/runs/${source.run}` }, source.run)], ["Program", source?.program],
  ])), h("section", { class: "card", "aria-labelledby": "pictures-title" }, h("h2", { id: "pictures-title" }, "Pictures"), profileCharts([profile])),
  uncertainty && h("section", { class: "card", "aria-labelledby": "budget-title" }, h("h2", { id: "budget-title" }, "Uncertainty of the acceleration"),
    h("div", { class: "scroll" }, h("table", { class: "narrow" }, h("thead", null, h("tr", null, h("th", { scope: "col" }, "Source"), h("th", { scope: "col" }, "Type"),
      h("th", { scope: "col", class: "number" }, "Standard uncertainty"))), h("tbody", null, uncertainty.lines.map((line) => h("tr", null,
      h("th", { scope: "row" }, line.name), h("td", null, line.type), h("td", { class: "number" }, `${significant(100 * line.relative)} %`))))))));
}

/**
 * What profiles say, laid over each other: what each can make felt, and how it resonates by its drive.
 *
 * @param {API.Profile[]} profiles
 */
export function profileCharts(profiles) {
  const charts = [];
  const withCeiling = profiles.filter((one) => one.ceiling?.length);
  if (withCeiling.length) {
    const chart = new Chart({ name: "Ceiling: the most it can make", unit: "m/s2", axis: "hertz", height: 230 });
    chart.show({ lines: withCeiling.map((one) => ({
      name: one.actuator.id, colour: HUES[profiles.indexOf(one) % HUES.length], x: (one.ceiling ?? []).map((point) => point.frequency),
      y: (one.ceiling ?? []).map((point) => point.acceleration),
    })) });
    charts.push(chart);
  }
  const modelled = profiles.filter((one) => one.model.f0 && one.model.q && one.model.gain);
  if (modelled.length) {
    const chart = new Chart({ name: "Response of the fitted model, for 1 V", unit: "m/s2", axis: "hertz", height: 230 });
    chart.show({ lines: modelled.map((one) => {
      const f0 = one.model.f0?.value ?? 1, q = one.model.q?.value ?? 1, gain = one.model.gain?.value ?? 1;
      const x = Array.from({ length: 300 }, (_, k) => 40 * 10 ** (k / 299));
      return { name: one.actuator.id, colour: HUES[profiles.indexOf(one) % HUES.length], x,
        // The gain is that at the resonance.
        y: x.map((f) => gain * (f / f0) ** 2 / q / Math.hypot(1 - (f / f0) ** 2, f / f0 / q)) };
    }) });
    charts.push(chart);
  }
  for (const [name, key, unit] of /** @type {[string, "f0" | "gain", string][]} */ ([["Resonance by drive", "f0", "Hz"], ["Gain by drive", "gain", "m/s2/V"]])) {
    const found = profiles.filter((one) => (one.model.levels ?? []).some((level) => level[key]));
    if (!found.length) continue;
    const chart = new Chart({ name, unit, axis: "number", axisName: "V", height: 200 });
    chart.show({ lines: found.flatMap((one) => {
      const levels = (one.model.levels ?? []).filter((level) => level[key]);
      const line = { colour: HUES[profiles.indexOf(one) % HUES.length], x: levels.map((level) => level.drive), y: levels.map((level) => level[key]?.value ?? NaN) };
      return [{ ...line, name: one.actuator.id }, { ...line, name: "", points: true, spread: levels.map((level) => level[key]?.uncertainty ?? 0) }];
    }) });
    charts.push(chart);
  }
  return h("div", { class: "chart-grid" }, charts.map((one) => one.element));
}
