// SPDX-License-Identifier: Apache-2.0
// Numbers of what is picked: each with its unit and what it may be; an empty field leaves it to the default.
import { field, fill, h, select } from "./dom.js";
import * as edits from "./edits.js";
import { significant } from "./format.js";

/** @typedef {{ edit: (label: string, make: (entries: API.Entry[], picked: number[]) => API.Operation[]) => void, pickPoints: (curve: number, points: Set<number>) => void }} Owner */

const MOST_POINTS = 200;
const CONTROLS = /** @type {[string, string][]} */ (Object.entries(edits.PARAMETERS).map(([id, { name }]) => [id, name]));

/** @param {number} value */
const written = (value) => String(edits.tidy(value));
/** @param {number} low @param {number} high @param {string} unit */
const allowed = (low, high, unit) => `${Number.isFinite(high) ? `${significant(low)} to ${significant(high)}` : `from ${significant(low)}`}${unit ? ` ${unit}` : ""}`;

export class Inspector {
  /** @param {Owner} owner */
  constructor(owner) {
    this.owner = owner;
    this.element = h("div", { class: "inspector" });
    this.shown = "";
    /** Which fields there are. */
    this.form = "";
  }

  /** @param {API.Entry[]} entries @param {Set<number>} picked @param {{ curve: number, points: Set<number> } | undefined} points */
  show(entries, picked, points) {
    const own = edits.inOrder(entries, picked), now = JSON.stringify([own.length > 40 ? own.length : own, own.slice(0, 40).map((index) => edits.bare(entries[index])),
      own.length > 40 && own.map((index) => Object.values(entries[index])), points && [points.curve, ...points.points]]);
    if (now === this.shown) return;
    this.shown = now;
    const form = JSON.stringify([own, own.map((index) => [entries[index].kind, entries[index].points?.length, Boolean(entries[index].path)])]);
    const made = this.#make(entries, own, points);
    if (form === this.form && own.length > 0) this.#renew(made);
    else fill(this.element, made);
    this.form = form;
  }

  /**
   * Other values in the same fields: what is being typed into stays.
   *
   * @param {import("./dom.js").Child[]} made
   */
  #renew(made) {
    const next = h("div", null, made);
    for (const now of next.querySelectorAll("[data-key]")) {
      const old = [...this.element.querySelectorAll("[data-key]")].find((one) => one instanceof HTMLElement && one.dataset.key === /** @type {HTMLElement} */ (now).dataset.key);
      if (old instanceof HTMLSelectElement && now instanceof HTMLSelectElement) old.value = now.value;
      if (!(old instanceof HTMLInputElement) || !(now instanceof HTMLInputElement)) continue;
      if (old.type === "checkbox") Object.assign(old, { checked: now.checked, indeterminate: now.indeterminate });
      else if (old !== document.activeElement || old.value === old.dataset.shown || old.value === now.value) {
        const isPicked = old === document.activeElement && old.value !== now.value;
        Object.assign(old, { value: now.value, placeholder: now.placeholder });
        if (isPicked) old.select();
      }
      if (now.dataset.shown !== undefined) old.dataset.shown = now.dataset.shown;
    }
    const rows = this.element.querySelectorAll(".points tbody tr");
    next.querySelectorAll(".points tbody tr").forEach((row, k) => {
      if (row.hasAttribute("aria-current")) rows[k]?.setAttribute("aria-current", "true");
      else rows[k]?.removeAttribute("aria-current");
    });
  }

  /**
   * @param {API.Entry[]} entries
   * @param {number[]} own
   * @param {{ curve: number, points: Set<number> } | undefined} points
   * @returns {import("./dom.js").Child[]}
   */
  #make(entries, own, points) {
    if (own.length === 0) return [h("p", { class: "note" }, "Nothing is picked. Arrow keys go through the events; Enter comes here.")];
    const keys = Object.keys(edits.FIELDS).filter((key) => own.some((index) => edits.has(entries[index], key)));
    const kinds = new Set(own.map((index) => entries[index].kind)), isEvent = [...kinds].every((kind) => kind === "transient" || kind === "continuous");
    return [h("div", { class: "inspector-fields" },
      isEvent && field("Kind", select([...kinds.size > 1 ? /** @type {[string, string][]} */ ([["", "several"]]) : [], ["transient", "Tap"], ["continuous", "Hold"]], kinds.size > 1 ? "" : [...kinds][0],
        (kind) => this.owner.edit("change the kind", (all, chosen) => edits.setKind(all, chosen, kind === "transient" ? "transient" : "continuous")), { "data-key": "field-kind" })),
      keys.map((key) => this.#number(entries, own, key)),
      Object.keys(edits.FLAGS).filter((key) => own.some((index) => edits.has(entries[index], key) && (key === "sustained" || entries[index].path))).map((key) => this.#flag(entries, own, key)),
      own.every((index) => edits.has(entries[index], "parameter")) && field("Parameter", select(CONTROLS, entries[own[0]].parameter ?? "",
        (id) => this.owner.edit("change the parameter", (all, chosen) => edits.setAll(all, chosen, "parameter", id)), { "data-key": "field-parameter" })),
      own.length === 1 && edits.has(entries[own[0]], "path") && field("Sound file", h("input", {
        type: "text", value: entries[own[0]].path ?? "", placeholder: "a tone", "data-key": "field-path", spellcheck: "false",
        onchange: (/** @type {Event} */ event) => {
          const value = /** @type {HTMLInputElement} */ (event.target).value.trim();
          this.owner.edit("change the sound", (all, chosen) => edits.setAll(all, chosen, "path", value || null));
        },
      }))),
    own.length === 1 && entries[own[0]].kind === "curve" && this.#points(entries, own[0], points?.curve === own[0] ? points.points : new Set())];
  }

  /** @param {API.Entry[]} entries @param {number[]} own @param {string} key */
  #number(entries, own, key) {
    const having = own.filter((index) => edits.has(entries[index], key)), { name, unit, step } = edits.FIELDS[key];
    const values = new Set(having.map((index) => /** @type {any} */ (entries[index])[key]));
    const [low, high] = edits.rangeOf(entries[having[0]], key);
    const isOne = values.size === 1, value = isOne ? [...values][0] : undefined;
    const taken = key === "duration" ? entries[having[0]].kind === "continuous" ? "needed" : "of the sound" : significant(edits.valueOf(entries[having[0]], key));
    const input = h("input", {
      type: "number", min: low, ...Number.isFinite(high) && { max: high }, step: "any", "data-key": `field-${key}`, "data-step": step,
      value: value === undefined ? "" : written(value), "data-shown": value === undefined ? "" : written(value), placeholder: isOne ? taken : "several", "aria-label": `${name}, ${allowed(low, high, unit)}`,
    });
    bySteps(input, step, low, high);
    input.addEventListener("change", () => {
      const text = input.value.trim(), now = text === "" ? null : Number(text);
      if (input.validity.badInput || (now !== null && (!Number.isFinite(now) || now < low || now > high))) {
        input.setCustomValidity(`${name} is ${allowed(low, high, unit)}.`);
        input.reportValidity();
        return;
      }
      input.setCustomValidity("");
      // A time must be; a field of several that stays empty says nothing.
      if (now === null && (key === "time" || input.placeholder === "several" || input.placeholder === "needed")) {
        input.value = input.dataset.shown ?? "";
        return;
      }
      this.owner.edit(`set ${name.toLowerCase()}`, (all, chosen) => edits.setAll(all, chosen, key, now));
    });
    input.addEventListener("input", () => input.setCustomValidity(""));
    return field(`${name} (${allowed(low, high, unit)})`, input);
  }

  /** @param {API.Entry[]} entries @param {number[]} own @param {string} key */
  #flag(entries, own, key) {
    const having = own.filter((index) => edits.has(entries[index], key)), box = h("input", {
      type: "checkbox", checked: having.every((index) => edits.flagOf(entries[index], key)), "data-key": `field-${key}`,
      onchange: () => this.owner.edit(`set ${key}`, (all, chosen) => edits.setAll(all, chosen, key, box.checked)),
    });
    box.indeterminate = new Set(having.map((index) => edits.flagOf(entries[index], key))).size > 1;
    return h("label", { class: "field inline" }, box, h("span", null, edits.FLAGS[key][0]));
  }

  /** @param {API.Entry[]} entries @param {number} index @param {Set<number>} chosen */
  #points(entries, index, chosen) {
    const entry = entries[index], points = entry.points ?? [], { low, high } = edits.PARAMETERS[entry.parameter ?? ""] ?? { low: -1, high: 1 };
    const by = h("input", { type: "number", step: "any", value: "0.1", "aria-label": "Shift or scale by", "data-key": "curve-by" });
    const cell = (/** @type {number} */ k, /** @type {"time" | "value"} */ what) => {
      const input = h("input", {
        type: "number", step: "any", min: what === "time" ? 0 : low, ...what === "value" && { max: high }, value: written(points[k][what === "time" ? 0 : 1]), "data-shown": written(points[k][what === "time" ? 0 : 1]), "data-key": `point-${k}-${what}`,
        "aria-label": `Point ${k + 1}, ${what === "time" ? "seconds from the curve's time" : `value, ${low} to ${high}`}`,
        onchange: () => {
          if (!input.checkValidity() || input.value === "") input.reportValidity();
          else this.owner.edit(`set a point's ${what}`, (all) => edits.setPoint(all, index, k, what, Number(input.value)));
        },
        onfocus: () => this.owner.pickPoints(index, new Set([k])),
      });
      bySteps(input, what === "time" ? 0.01 : 0.05, what === "time" ? 0 : low, what === "time" ? Infinity : high);
      return h("td", null, input);
    };
    const whole = (/** @type {string} */ text, /** @type {string} */ label, /** @type {(all: API.Entry[], by: number) => API.Operation[]} */ make) => h("button", {
      type: "button", class: "small", onclick: () => { if (by.value !== "") this.owner.edit(label, (all) => make(all, Number(by.value))); },
    }, text);
    return h("section", { class: "points", "aria-label": "Points of the curve" },
      h("div", { class: "tools left-tools" }, h("button", { type: "button", class: "small", "data-key": "add-point", onclick: () => {
        this.owner.edit("add a point", (all) => {
          const last = all[index].points?.at(-1) ?? [0, 1];
          return edits.addPoint(all, index, (all[index].time ?? 0) + last[0] + 0.1, last[1]);
        });
      } }, "Add a point"), by, whole("Shift", "shift the curve", (all, value) => edits.shiftCurve(all, index, value)),
      whole("Scale", "scale the curve", (all, value) => edits.scaleCurve(all, index, value))),
      h("div", { class: "scroll tall" }, h("table", null, h("thead", null, h("tr", null, ["Point", "Time (s)", `Value (${low} to ${high})`, "Take out"].map((name) => h("th", { scope: "col" }, name)))),
        h("tbody", null, points.slice(0, MOST_POINTS).map((_, k) => h("tr", { "aria-current": chosen.has(k) && "true" }, h("th", { scope: "row" }, k + 1), cell(k, "time"), cell(k, "value"),
          h("td", null, h("button", { type: "button", class: "small", "aria-label": `Take out point ${k + 1}`, "data-key": `point-${k}-out`,
            onclick: () => this.owner.edit("take out a point", (all) => edits.removePoints(all, index, [k])) }, "✕"))))))),
      points.length > MOST_POINTS && h("p", { class: "note" }, `The first ${MOST_POINTS} of ${points.length}; the others are in the timeline and in the text.`));
  }

  /** To the first field. */
  focus() {
    const first = this.element.querySelector("input, select");
    if (first instanceof HTMLElement) first.focus();
  }
}

/**
 * Up and down change a number by its step, and to whole multiples of it: any other value may be typed.
 *
 * @param {HTMLInputElement} input
 * @param {number} step
 * @param {number} low
 * @param {number} high
 */
function bySteps(input, step, low, high) {
  input.addEventListener("keydown", (event) => {
    if (event.key !== "ArrowUp" && event.key !== "ArrowDown") return;
    event.preventDefault();
    const by = (event.key === "ArrowUp" ? 1 : -1) * step * (event.shiftKey ? 0.1 : 1);
    const now = Number(input.value || input.placeholder) || 0;
    input.value = written(Math.min(high, Math.max(low, now + by)));
    input.dispatchEvent(new Event("change"));
  });
}
