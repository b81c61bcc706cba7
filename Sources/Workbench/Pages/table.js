// SPDX-License-Identifier: Apache-2.0
// A table of very many rows: those in sight are there, the rest is asked for as it comes.
import { fill, h } from "./dom.js";

/**
 * @template Row
 * @typedef {object} Column
 * @property {string} title
 * @property {string} [sort] the word that the server sorts by
 * @property {string} [name] its class
 * @property {(row: Row) => import("./dom.js").Child | import("./dom.js").Child[]} cell
 */

const PAGE = 200, BEYOND = 12;

/** @template Row */
export class WindowTable {
  /**
   * @param {{ name: string, columns: Column<Row>[], height: () => number,
   *   ask: (offset: number, limit: number, signal: AbortSignal) => Promise<{ total: number, rows: Row[] }>,
   *   open: (row: Row) => void, pick?: (row: Row) => void, sorted: (sort: string) => void,
   *   order: () => [string, boolean], failed: (error: Error) => void }} options
   */
  constructor(options) {
    this.options = options;
    this.total = 0;
    /** @type {Map<number, Row[]>} */
    this.pages = new Map();
    this.asked = new Set();
    /**
     * Rows that stand in the page, so that scrolling makes only those that come into sight.
     *
     * @type {Map<number, { row: Row | undefined, element: HTMLTableRowElement }>}
     */
    this.made = new Map();
    this.at = 0;
    this.controller = new AbortController();
    this.head = h("tr", { "aria-rowindex": 1 });
    this.body = h("tbody");
    this.above = h("div", { "aria-hidden": "true" });
    this.below = h("div", { "aria-hidden": "true" });
    this.table = h("table", { class: "window", "aria-label": options.name, "aria-rowcount": -1 },
      h("thead", null, this.head), this.body);
    this.element = h("div", {
      class: "window-scroll", tabindex: "0", role: "region", "aria-label": `${options.name}: arrow keys go from row to row`,
    }, this.above, this.table, this.below);
    this.element.addEventListener("scroll", () => this.#soon());
    this.element.addEventListener("keydown", (event) => this.#key(event));
    this.observer = new ResizeObserver(() => this.#soon());
    this.observer.observe(this.element);
    this.waiting = 0;
    this.#headings();
  }

  close() {
    this.controller.abort();
    this.observer.disconnect();
  }

  #headings() {
    const [sort, descending] = this.options.order();
    fill(this.head, this.options.columns.map((column) => h("th", {
      scope: "col", class: column.name, "aria-sort": column.sort && column.sort === sort
        ? descending ? "descending" : "ascending" : undefined,
    }, column.sort ? h("button", {
      type: "button", class: "sort", "data-key": `sort-${column.sort}`,
      onclick: () => this.options.sorted(/** @type {string} */ (column.sort)),
    }, column.title, h("span", { "aria-hidden": "true" }, column.sort === sort ? descending ? " ▾" : " ▴" : ""))
      : column.title || h("span", { class: "hidden" }, "Picked"))));
  }

  /** Everything is asked for again: another filter or order. */
  async reload() {
    this.controller.abort();
    this.controller = new AbortController();
    this.pages.clear();
    this.asked.clear();
    this.made.clear();
    this.at = 0;
    this.element.scrollTop = 0;
    this.#headings();
    await this.#ask(0);
  }

  /** @param {number} page */
  async #ask(page) {
    if (this.asked.has(page)) return;
    this.asked.add(page);
    const { signal } = this.controller;
    try {
      const answer = await this.options.ask(page * PAGE, PAGE, signal);
      if (signal.aborted) return;
      this.total = answer.total;
      this.pages.set(page, answer.rows);
      this.table.setAttribute("aria-rowcount", String(this.total + 1));
      this.draw();
    } catch (error) {
      if (signal.aborted) return;
      this.asked.delete(page);
      this.options.failed(error instanceof Error ? error : new Error(String(error)));
    }
  }

  #soon() {
    if (this.waiting) return;
    this.waiting = requestAnimationFrame(() => {
      this.waiting = 0;
      this.draw();
    });
  }

  /** @param {number} index */
  row(index) {
    return this.pages.get(Math.floor(index / PAGE))?.[index % PAGE];
  }

  draw() {
    const height = this.options.height();
    const count = Math.ceil(this.element.clientHeight / height);
    const first = Math.max(0, Math.min(Math.floor(this.element.scrollTop / height) - BEYOND, this.total - count));
    const last = Math.min(this.total, first + count + 2 * BEYOND);
    for (let page = Math.floor(first / PAGE); page <= Math.floor(Math.max(first, last - 1) / PAGE); page += 1) {
      if (this.total > 0) this.#ask(page);
    }
    const rows = [];
    const made = new Map();
    for (let index = first; index < last; index += 1) {
      const known = this.made.get(index), row = this.row(index);
      const entry = known && known.row === row ? known : { row, element: this.#row(index) };
      entry.element.tabIndex = index === this.at ? 0 : -1;
      entry.element.style.height = `${height}px`;
      made.set(index, entry);
      rows.push(entry.element);
    }
    this.made = made;
    fill(this.body, rows);
    this.above.style.height = `${first * height}px`;
    this.below.style.height = `${(this.total - last) * height}px`;
  }

  /** @param {number} index */
  #row(index) {
    const row = this.row(index);
    const element = h("tr", {
      "aria-rowindex": index + 2, "data-key": `row-${index}`, "data-index": index,
      onclick: (/** @type {MouseEvent} */ event) => {
        if (!row || (event.target instanceof Element && event.target.closest("a, button, input, label"))) return;
        this.at = index;
        this.options.open(row);
      },
    }, this.options.columns.map((column, place) => row === undefined
      ? h("td", { class: column.name }, place === 1 ? "…" : "")
      : h("td", { class: column.name }, column.cell(row))));
    return element;
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    if (event.target instanceof HTMLInputElement && event.key === " ") return;
    const many = Math.max(1, Math.floor(this.element.clientHeight / this.options.height()) - 2);
    const steps = /** @type {Record<string, number>} */ ({
      ArrowDown: 1, ArrowUp: -1, PageDown: many, PageUp: -many, Home: -this.total, End: this.total,
    });
    const row = this.row(this.at);
    const isOnRow = document.activeElement instanceof HTMLTableRowElement;
    if (event.key === "Enter" && isOnRow && row) {
      event.preventDefault();
      this.options.open(row);
    } else if (event.key === " " && isOnRow && row && this.options.pick) {
      event.preventDefault();
      this.options.pick(row);
      this.made.delete(this.at);
      this.draw();
    } else if (event.key in steps && this.total > 0) {
      event.preventDefault();
      this.at = Math.max(0, Math.min(this.total - 1, isOnRow ? this.at + steps[event.key] : this.at));
      this.#reveal();
    }
  }

  #reveal() {
    const height = this.options.height(), box = this.element;
    const top = this.at * height, head = this.head.clientHeight;
    if (top < box.scrollTop) box.scrollTop = top;
    else if (top + height + head > box.scrollTop + box.clientHeight) box.scrollTop = top + height + head - box.clientHeight;
    this.draw();
    const row = this.body.querySelector(`[data-index="${this.at}"]`);
    if (row instanceof HTMLElement) row.focus({ preventScroll: true });
  }
}
