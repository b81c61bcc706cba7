// SPDX-License-Identifier: Apache-2.0
// Charts that zoom: lines, bands and waves over time, days, frequency or volts.
import { colour, h, put } from "./dom.js";
import { fixed, hertz, quantity, scaleOf, significant, ticks, unitSign } from "./format.js";

/**
 * @typedef {object} Line
 * @property {string} name
 * @property {string} colour a name of the palette
 * @property {number[]} [dash]
 * @property {ArrayLike<number>} x
 * @property {ArrayLike<number>} y or the upper end of a band
 * @property {ArrayLike<number>} [low] the lower end of a band or of waves
 * @property {ArrayLike<number>} [spread] a bar of uncertainty at each point
 * @property {boolean} [points] dots instead of a line
 * @property {number} [alpha]
 */
/** @typedef {{ y: number, name: string, colour: string, dash?: number[] }} Level */
/** @typedef {{ x: number, text: string, colour?: string }} Mark */
/** @typedef {{ from: number, to: number, charts: Set<Chart>, told?: () => void }} View */

/** @returns {View} what charts share that move together */
export const sharedView = () => ({ from: 0, to: 1, charts: new Set() });

/**
 * The buttons that zoom a chart, and whatever moves with it.
 *
 * @param {string} name
 * @param {() => Chart | undefined} chart
 */
export function zoomTools(name, chart) {
  return h("div", { class: "chart-tools" }, /** @type {[string, string, (chart: Chart) => void][]} */ ([
    ["+", "Zoom in", (one) => one.zoom(0.5)], ["−", "Zoom out", (one) => one.zoom(2)], ["All", "Show all", (one) => one.showAll()],
  ]).map(([text, does, act]) => h("button", {
    type: "button", class: "small", "aria-label": `${does}: ${name}`, onclick: () => {
      const one = chart();
      if (one) act(one);
    },
  }, text)));
}

export class Chart {
  /**
   * @param {{ name: string, unit: string, axis: "seconds" | "days" | "hertz" | "number", axisName?: string,
   *   height?: number, view?: View, bare?: boolean, readOut?: (x: number) => string }} options
   */
  constructor(options) {
    this.options = options;
    this.view = options.view ?? sharedView();
    this.view.charts.add(this);
    /** @type {Line[]} */
    this.lines = [];
    /** @type {Level[]} */
    this.levels = [];
    /** @type {Mark[]} */
    this.marks = [];
    this.all = { from: 0, to: 1 };
    /** @type {number | undefined} */
    this.cursor = undefined;
    this.canvas = h("canvas", { class: "chart-canvas" });
    this.readout = h("p", { class: "readout" });
    this.legend = h("p", { class: "legend" });
    this.band = h("div", { class: "selection", hidden: true });
    this.plot = h("div", {
      class: "plot", tabindex: "0", role: "group",
      "aria-label": `${options.name}. Arrow keys move, plus and minus zoom, 0 shows all.`,
    }, this.canvas, this.band);
    this.plot.style.height = `${options.height ?? 180}px`;
    this.element = h("figure", { class: "chart" },
      h("div", { class: "chart-head" }, h("figcaption", null, options.name, " ",
        h("span", { class: "unit" }, unitSign(options.unit))), this.legend, !options.bare && zoomTools(options.name, () => this)), this.plot, this.readout);
    new ResizeObserver(() => this.draw()).observe(this.plot);
    this.repaint = () => {
      if (this.element.isConnected) this.draw();
      else document.removeEventListener("colours", this.repaint);
    };
    document.addEventListener("colours", this.repaint);
    this.#listen();
  }

  /**
   * @param {{ lines: Line[], levels?: Level[], marks?: Mark[], from?: number, to?: number, keep?: boolean }} content
   */
  show(content) {
    this.lines = content.lines;
    this.levels = content.levels ?? [];
    this.marks = content.marks ?? [];
    let from = content.from ?? Infinity, to = content.to ?? -Infinity;
    if (content.from === undefined) {
      for (const line of this.lines) {
        for (let k = 0; k < line.x.length; k += 1) {
          from = Math.min(from, line.x[k]);
          to = Math.max(to, line.x[k]);
        }
      }
    }
    if (!(to > from)) [from, to] = Number.isFinite(from) ? [from - 0.5, from + 0.5] : [0, 1];
    this.all = { from, to };
    if (!content.keep) Object.assign(this.view, this.all);
    this.legend.replaceChildren();
    if (this.lines.length > 1 || this.levels.length) {
      put(this.legend, [...this.lines, ...this.levels].filter((line) => line.name).map((line) => {
        const swatch = h("i", { class: line.dash || !("x" in line) ? "swatch dashed" : "swatch", "aria-hidden": "true" });
        swatch.style.color = `var(--${line.colour})`;
        return h("span", null, swatch, line.name);
      }));
    }
    this.draw();
  }

  /** @param {number} factor @param {number} [at] */
  zoom(factor, at) {
    const { view } = this;
    if (this.options.axis === "hertz") {
      const middle = at ?? Math.sqrt(view.from * view.to);
      this.#set(middle * (view.from / middle) ** factor, middle * (view.to / middle) ** factor);
    } else {
      const middle = at ?? (view.from + view.to) / 2;
      this.#set(middle + (view.from - middle) * factor, middle + (view.to - middle) * factor);
    }
  }

  showAll() {
    this.#set(this.all.from, this.all.to);
  }

  /** @param {number} share */
  move(share) {
    const { view, all } = this;
    const step = this.options.axis === "hertz" ? 0 : share * (view.to - view.from);
    const held = Math.max(all.from - view.from, Math.min(all.to - view.to, step));
    this.#set(view.from + held, view.to + held);
  }

  /** @param {number} from @param {number} to */
  #set(from, to) {
    const { all, view } = this;
    const least = (all.to - all.from) * 1e-5;
    view.from = Math.max(all.from, Math.min(from, to - least));
    view.to = Math.min(all.to, Math.max(to, from + least));
    if (!(view.to > view.from)) Object.assign(view, all);
    for (const chart of view.charts) chart.draw();
    view.told?.();
  }

  #listen() {
    const { plot } = this;
    plot.addEventListener("keydown", (event) => {
      /** @type {Record<string, () => void>} */
      const acts = {
        ArrowLeft: () => this.move(-0.2), ArrowRight: () => this.move(0.2), "+": () => this.zoom(0.5),
        "=": () => this.zoom(0.5), "-": () => this.zoom(2), 0: () => this.showAll(),
      };
      const act = acts[event.key];
      if (!act || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      event.stopPropagation();
      act();
    });
    plot.addEventListener("wheel", (event) => {
      if (!event.ctrlKey) return;
      event.preventDefault();
      this.zoom(event.deltaY > 0 ? 1.25 : 0.8, this.#valueAt(event.offsetX));
    }, { passive: false });
    plot.addEventListener("dblclick", () => this.showAll());
    plot.addEventListener("pointerleave", () => this.#point(undefined));
    let start = NaN;
    plot.addEventListener("pointerdown", (event) => {
      if (event.button !== 0 || event.pointerType === "touch") return;
      start = event.offsetX;
      plot.setPointerCapture(event.pointerId);
    });
    plot.addEventListener("pointermove", (event) => {
      this.#point(this.#valueAt(event.offsetX));
      if (Number.isNaN(start)) return;
      const [a, b] = [Math.min(start, event.offsetX), Math.max(start, event.offsetX)];
      this.band.hidden = b - a < 4;
      this.band.style.left = `${a}px`;
      this.band.style.width = `${b - a}px`;
    });
    plot.addEventListener("pointerup", (event) => {
      const from = start;
      start = NaN;
      this.band.hidden = true;
      if (Number.isNaN(from) || Math.abs(event.offsetX - from) < 5) return;
      const [a, b] = [this.#valueAt(from), this.#valueAt(event.offsetX)];
      this.#set(Math.min(a, b), Math.max(a, b));
    });
  }

  /** @param {number | undefined} x */
  #point(x) {
    for (const chart of this.view.charts) {
      chart.cursor = x;
      chart.readout.textContent = x === undefined ? "" : chart.#words(x);
      chart.draw();
    }
  }

  /** @param {number} x */
  #words(x) {
    const own = this.options.readOut?.(x);
    if (own !== undefined) return own;
    const at = this.options.axis === "seconds" ? quantity(x, "s") : this.options.axis === "hertz" ? hertz(x)
      : this.options.axis === "days" ? new Date(x * 864e5).toISOString().slice(0, 10) : significant(x);
    return `${at}: ${this.lines.filter((line) => line.x.length > 0).map((line) => {
      const k = nearest(line.x, x);
      return `${line.name} ${line.low ? `${significant(line.low[k])} to ` : ""}${
        quantity(line.y[k], this.options.unit, line.spread?.[k])}`;
    }).join("; ")}`;
  }

  get #left() {
    return 58;
  }

  /** @param {number} offset */
  #valueAt(offset) {
    const share = Math.max(0, Math.min(1, (offset - this.#left) / (this.plot.clientWidth - this.#left - 6)));
    const { from, to } = this.view;
    return this.options.axis === "hertz" ? from * (to / from) ** share : from + share * (to - from);
  }

  draw() {
    const box = this.plot.getBoundingClientRect();
    const ratio = Math.min(2, devicePixelRatio || 1);
    const width = Math.floor(box.width * ratio), height = Math.floor(box.height * ratio);
    if (width < 80 || height < 50) return;
    if (this.canvas.width !== width) this.canvas.width = width;
    if (this.canvas.height !== height) this.canvas.height = height;
    const context = /** @type {CanvasRenderingContext2D} */ (this.canvas.getContext("2d"));
    context.clearRect(0, 0, width, height);
    const left = this.#left * ratio, right = width - 6 * ratio, top = 6 * ratio, bottom = height - 22 * ratio;
    const { from, to } = this.view;
    const isLog = this.options.axis === "hertz";
    const px = isLog ? (/** @type {number} */ x) => left + Math.log(x / from) / Math.log(to / from) * (right - left)
      : (/** @type {number} */ x) => left + (x - from) / (to - from) * (right - left);
    let [low, high] = this.#span(from, to);
    if (!(high > low)) [low, high] = Number.isFinite(low) ? [low - Math.abs(low) * 0.1 - 1e-12, high + Math.abs(high) * 0.1 + 1e-12] : [0, 1];
    const margin = (high - low) * 0.07;
    low -= margin;
    high += margin;
    const py = (/** @type {number} */ y) => bottom - (y - low) / (high - low) * (bottom - top);
    context.font = `${11 * ratio}px system-ui, sans-serif`;
    context.lineWidth = ratio;
    context.textBaseline = "middle";
    context.strokeStyle = colour("grid");
    context.fillStyle = colour("muted");
    context.beginPath();
    const [scale, symbol] = scaleOf(this.options.unit, Math.max(Math.abs(low), Math.abs(high)));
    let vertical = ticks(low * scale, high * scale, Math.max(2, (bottom - top) / ratio / 42));
    // One number alone tells no scale.
    for (let most = 4; vertical.places.length < 2 && most < 9; most += 1) vertical = ticks(low * scale, high * scale, most);
    context.textAlign = "right";
    for (const place of vertical.places) {
      const y = Math.round(py(place / scale)) + 0.5;
      context.moveTo(left, y);
      context.lineTo(right, y);
      context.fillText(fixed(place, vertical.decimals), left - 6 * ratio, y);
    }
    if (symbol && symbol !== unitSign(this.options.unit)) {
      context.textAlign = "left";
      context.fillText(symbol, 2 * ratio, top + 4 * ratio);
    }
    context.textAlign = "center";
    for (const [place, text] of this.#places(from, to, (right - left) / ratio / 90)) {
      const x = Math.round(px(place)) + 0.5;
      context.moveTo(x, top);
      context.lineTo(x, bottom);
      if (x > left + 14 * ratio || isLog) {
        const half = context.measureText(text).width / 2;
        context.fillText(text, Math.min(x, width - half - ratio), height - 10 * ratio);
      }
    }
    context.stroke();
    context.save();
    context.beginPath();
    context.rect(left, 0, right - left, bottom + ratio);
    context.clip();
    for (const level of this.levels) {
      context.strokeStyle = colour(level.colour);
      context.setLineDash((level.dash ?? [5, 3]).map((one) => one * ratio));
      context.beginPath();
      context.moveTo(left, py(level.y));
      context.lineTo(right, py(level.y));
      context.stroke();
    }
    context.setLineDash([]);
    for (const line of this.lines) this.#line(context, line, px, py, ratio);
    for (const mark of this.marks) {
      const x = Math.round(px(mark.x)) + 0.5;
      context.strokeStyle = colour(mark.colour ?? "onset");
      context.setLineDash([3 * ratio, 3 * ratio]);
      context.beginPath();
      context.moveTo(x, top);
      context.lineTo(x, bottom);
      context.stroke();
      context.setLineDash([]);
      context.fillStyle = colour(mark.colour ?? "onset");
      context.textAlign = x > width * 0.7 ? "right" : "left";
      context.fillText(mark.text, x + (x > width * 0.7 ? -4 : 4) * ratio, top + 6 * ratio);
    }
    if (this.cursor !== undefined && this.cursor >= from && this.cursor <= to) {
      context.strokeStyle = colour("ink");
      context.globalAlpha = 0.5;
      context.beginPath();
      context.moveTo(Math.round(px(this.cursor)) + 0.5, top);
      context.lineTo(Math.round(px(this.cursor)) + 0.5, bottom);
      context.stroke();
      context.globalAlpha = 1;
    }
    context.restore();
    context.strokeStyle = colour("zero");
    context.strokeRect(left + 0.5, top + 0.5, right - left - 1, bottom - top - 1);
  }

  /** @param {number} from @param {number} to @returns {[number, number]} what is to be seen between them */
  #span(from, to) {
    let low = Infinity, high = -Infinity;
    for (const { x, y, low: lows, spread } of this.lines) {
      for (let k = 0; k < x.length; k += 1) {
        if (x[k] < from || x[k] > to) continue;
        const more = spread?.[k] ?? 0;
        const bottom = (lows ? lows[k] : y[k]) - more, top = y[k] + more;
        if (bottom < low) low = bottom;
        if (top > high) high = top;
      }
    }
    // A level is shown where it does not squeeze the rest into a line.
    for (const level of this.levels) {
      const size = high - low;
      if (Number.isFinite(size) && (level.y < low - 2 * size || level.y > high + 2 * size)) continue;
      low = Math.min(low, level.y);
      high = Math.max(high, level.y);
    }
    return [low, high];
  }

  /** @param {CanvasRenderingContext2D} context @param {Line} line @param {(x: number) => number} px
   * @param {(y: number) => number} py @param {number} ratio */
  #line(context, line, px, py, ratio) {
    const { x, y, low, spread } = line;
    context.strokeStyle = context.fillStyle = colour(line.colour);
    context.globalAlpha = line.alpha ?? 1;
    context.lineWidth = 1.5 * ratio;
    context.lineJoin = "round";
    context.setLineDash((line.dash ?? []).map((one) => one * ratio));
    context.beginPath();
    if (low) {
      const wide = x.length > 1 ? Math.max(ratio, px(x[1]) - px(x[0])) : ratio;
      for (let k = 0; k < x.length; k += 1) {
        if (y[k] !== y[k]) continue;
        const top = py(y[k]), bottom = py(low[k]);
        context.rect(px(x[k]) - wide / 2, top - ratio / 2, wide, Math.max(ratio, bottom - top + ratio));
      }
      context.fill();
    } else if (line.points) {
      const size = 2.2 * ratio;
      for (let k = 0; k < x.length; k += 1) {
        context.moveTo(px(x[k]) + size, py(y[k]));
        context.arc(px(x[k]), py(y[k]), size, 0, 7);
      }
      context.fill();
      if (spread) {
        context.lineWidth = ratio;
        context.globalAlpha = 0.5;
        context.beginPath();
        for (let k = 0; k < x.length; k += 1) {
          context.moveTo(px(x[k]), py(y[k] - spread[k]));
          context.lineTo(px(x[k]), py(y[k] + spread[k]));
        }
        context.stroke();
      }
    } else {
      let isOn = false;
      for (let k = 0; k < x.length; k += 1) {
        if (y[k] !== y[k]) {
          isOn = false;
          continue;
        }
        if (isOn) context.lineTo(px(x[k]), py(y[k]));
        else context.moveTo(px(x[k]), py(y[k]));
        isOn = true;
      }
      context.stroke();
    }
    context.setLineDash([]);
    context.globalAlpha = 1;
    context.lineWidth = ratio;
  }

  /** @param {number} from @param {number} to @param {number} most @returns {[number, string][]} */
  #places(from, to, most) {
    if (this.options.axis === "hertz") {
      const found = /** @type {[number, string][]} */ ([]);
      for (let power = 1; power < 1e5; power *= 10) {
        for (const step of to / from > 30 ? [1, 2, 5] : [1, 1.5, 2, 3, 4, 5, 6, 8]) {
          if (step * power >= from && step * power <= to) found.push([step * power, hertz(step * power)]);
        }
      }
      return found;
    }
    if (this.options.axis === "days") {
      const days = to - from;
      const step = [1, 2, 7, 14, 31, 62, 92, 183, 366].find((one) => days / one <= most) ?? 366;
      const found = /** @type {[number, string][]} */ ([]);
      for (let day = Math.ceil(from / step) * step; day <= to; day += step) {
        found.push([day, new Date(day * 864e5).toISOString().slice(days > 700 ? 0 : 5, days > 700 ? 7 : 10)]);
      }
      return found;
    }
    const [scale, symbol] = this.options.axis === "seconds" ? scaleOf("s", Math.max(Math.abs(from), Math.abs(to)))
      : [1, this.options.axisName ?? ""];
    const { places, decimals } = ticks(from * scale, to * scale, Math.max(2, most));
    return places.map((place, index) => [place / scale, `${fixed(place, decimals)}${
      index === places.length - 1 && symbol ? ` ${symbol}` : ""}`]);
  }
}

/** @param {ArrayLike<number>} x sorted @param {number} value */
function nearest(x, value) {
  let low = 0, high = x.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (x[middle] < value) low = middle + 1;
    else high = middle;
  }
  return low > 0 && value - x[low - 1] < x[low] - value ? low - 1 : low;
}

/**
 * The lines of a channel of waves, with the time from a moment.
 *
 * @param {API.Waves} waves
 * @param {number} index
 * @param {number} zero
 */
export function waveLine(waves, index, zero) {
  const { header, bins, data } = waves;
  const x = new Float64Array(bins), low = new Float64Array(bins), high = new Float64Array(bins);
  for (let k = 0; k < bins; k += 1) {
    x[k] = (header.from + (k + 0.5) * header.framesPerBin) / header.rate - zero;
    low[k] = data[index][2 * k];
    high[k] = data[index][2 * k + 1];
  }
  return { x, low, high };
}
