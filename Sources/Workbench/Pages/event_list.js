// SPDX-License-Identifier: Apache-2.0
// The entries as a list, for the keyboard and for who cannot see the timeline; only the rows in view are elements.
import { h } from "./dom.js";
import { fixed } from "./format.js";
import { describe } from "./timeline_hands.js";

/** @typedef {import("./pattern_model.js").PatternModel} PatternModel */

const ROW = 26;

export class EventList {
  /** @param {{ pick: (picked: Set<number>, active: number) => void }} owner */
  constructor(owner) {
    this.owner = owner;
    /** @type {PatternModel | undefined} */
    this.model = undefined;
    /** @type {Set<number>} */
    this.picked = new Set();
    /** @type {number | undefined} an entry */
    this.active = undefined;
    /** @type {Map<number, string>} */
    this.notes = new Map();
    this.rows = h("div", { class: "event-rows", role: "presentation" });
    this.element = h("div", {
      class: "event-list", role: "listbox", tabindex: "0", "aria-multiselectable": "true", "data-key": "events",
      "aria-label": "Events, by time",
    }, this.rows);
    this.element.addEventListener("scroll", () => this.#draw());
    this.element.addEventListener("focus", () => {
      if (this.active === undefined && this.model && this.model.order.length > 0) {
        const first = this.picked.size ? [...this.picked][0] : this.model.order[0];
        this.owner.pick(this.picked.size ? this.picked : new Set([first]), first);
      }
    });
    this.element.addEventListener("click", (event) => {
      const row = event.target instanceof Element ? event.target.closest("[data-entry]") : null;
      if (!(row instanceof HTMLElement) || !this.model) return;
      const entry = Number(row.dataset.entry);
      if (event.shiftKey && this.active !== undefined) this.#range(entry);
      else if (event.ctrlKey || event.metaKey) {
        const next = new Set(this.picked);
        if (next.has(entry)) next.delete(entry);
        else next.add(entry);
        this.owner.pick(next, entry);
      } else this.owner.pick(new Set([entry]), entry);
    });
    this.observer = new ResizeObserver(() => this.#draw());
    this.observer.observe(this.element);
  }

  close() {
    this.observer.disconnect();
  }

  /** @param {PatternModel} model @param {Set<number>} picked @param {number | undefined} active @param {Map<number, string>} notes words for what was found at an entry */
  show(model, picked, active, notes) {
    const isMoved = active !== this.active || model !== this.model;
    Object.assign(this, { model, picked, active, notes });
    this.rows.style.height = `${model.order.length * ROW}px`;
    const at = active === undefined ? undefined : model.rank.get(active);
    if (isMoved && at !== undefined) {
      const box = this.element, top = at * ROW;
      if (top < box.scrollTop) box.scrollTop = top;
      else if (top + ROW > box.scrollTop + box.clientHeight) box.scrollTop = top + ROW - box.clientHeight;
    }
    this.#draw();
  }

  #draw() {
    const model = this.model;
    if (!model) return;
    const first = Math.max(0, Math.floor(this.element.scrollTop / ROW) - 4);
    const last = Math.min(model.order.length, first + Math.ceil(this.element.clientHeight / ROW) + 8);
    const options = [];
    for (let k = first; k < last; k += 1) {
      const index = model.order[k], entry = model.entries[index], note = this.notes.get(index);
      const row = h("div", {
        role: "option", id: `event-${index}`, class: `event-row ${entry.kind}${index === this.active ? " active" : ""}`, "data-entry": index,
        "aria-selected": String(this.picked.has(index)), "aria-setsize": model.order.length, "aria-posinset": k + 1,
      }, h("span", { class: "event-time number" }, entry.kind === "other" ? "" : `${fixed(entry.time ?? 0, 3)} s `), h("span", null, describe(entry)), note && h("span", { class: "event-note" }, ` ${note}`));
      row.style.top = `${k * ROW}px`;
      options.push(row);
    }
    this.rows.replaceChildren(...options);
    if (this.active !== undefined && document.getElementById(`event-${this.active}`)) this.element.setAttribute("aria-activedescendant", `event-${this.active}`);
    else this.element.removeAttribute("aria-activedescendant");
  }

  /** @param {number} to */
  #range(to) {
    const model = this.model, from = model?.rank.get(this.active ?? to) ?? 0, end = model?.rank.get(to) ?? 0;
    const next = new Set(this.picked);
    for (let k = Math.min(from, end); k <= Math.max(from, end); k += 1) next.add(model?.order[k] ?? 0);
    this.owner.pick(next, to);
  }

  /**
   * Goes on by so many rows.
   *
   * @param {number} by
   * @param {"one" | "extend" | "only"} how picks it alone, too, or goes there alone
   */
  step(by, how) {
    const model = this.model;
    if (!model || model.order.length === 0) return;
    const at = this.active === undefined ? by > 0 ? -1 : model.order.length : model.rank.get(this.active) ?? -1;
    const entry = model.order[Math.min(model.order.length - 1, Math.max(0, at + by))];
    if (how === "extend") this.#range(entry);
    else this.owner.pick(how === "only" ? this.picked : new Set([entry]), entry);
  }
}
