// SPDX-License-Identifier: Apache-2.0
// The spectrum of the newest frames, and the meters of levels.
import { colour, h } from "./dom.js";
import { fixed, hertz, quantity, unitSign } from "./format.js";
import { restOf } from "./waves.js";

/**
 * The size of each frequency of a real signal whose length is a power of two, by a Hann window: the amplitude of a
 * tone that stands on a line.
 *
 * @param {Float32Array} samples
 */
export function amplitudes(samples) {
  const size = samples.length;
  const re = new Float64Array(size), im = new Float64Array(size);
  const bits = Math.log2(size);
  let mean = 0;
  for (let k = 0; k < size; k += 1) mean += samples[k] / size;
  for (let k = 0; k < size; k += 1) {
    let turned = 0;
    for (let bit = 0, rest = k; bit < bits; bit += 1, rest >>= 1) turned = (turned << 1) | (rest & 1);
    re[turned] = (samples[k] - mean) * (0.5 - 0.5 * Math.cos(2 * Math.PI * k / size));
  }
  for (let length = 2; length <= size; length *= 2) {
    const half = length / 2, angle = -2 * Math.PI / length;
    for (let k = 0; k < half; k += 1) {
      const c = Math.cos(angle * k), s = Math.sin(angle * k);
      for (let at = k; at < size; at += length) {
        const other = at + half;
        const x = re[other] * c - im[other] * s, y = re[other] * s + im[other] * c;
        re[other] = re[at] - x;
        im[other] = im[at] - y;
        re[at] += x;
        im[at] += y;
      }
    }
  }
  const out = new Float32Array(size / 2);
  // The window's mean is a half, and a tone's power is in two lines.
  for (let k = 0; k < out.length; k += 1) out[k] = 4 / size * Math.hypot(re[k], im[k]);
  return out;
}

export class Spectrum {
  constructor() {
    this.canvas = h("canvas", { class: "spectrum-canvas", role: "img", "aria-label": "Spectrum" });
    this.words = h("p", { class: "readout" }, "No samples yet.");
    this.element = h("div", { class: "spectrum" }, this.canvas, this.words);
    /** @type {Float32Array | undefined} in dB */
    this.levels = undefined;
    this.rate = 48000;
    this.unit = "1";
    this.name = "response";
    this.top = -200;
    this.dirty = true;
    this.old = false;
    this.observer = new ResizeObserver(() => { this.dirty = true; });
    this.observer.observe(this.canvas);
    this.repaint = () => { this.dirty = true; };
    document.addEventListener("colours", this.repaint);
  }

  close() {
    this.observer.disconnect();
    document.removeEventListener("colours", this.repaint);
  }

  /** @param {Float32Array} samples @param {number} rate @param {string} unit @param {string} name */
  show(samples, rate, unit, name) {
    const sizes = amplitudes(samples);
    this.rate = rate;
    this.unit = unit;
    this.name = name;
    const levels = new Float32Array(sizes.length);
    let best = 1, top = -200;
    for (let k = 1; k < sizes.length; k += 1) {
      levels[k] = 20 * Math.log10(Math.max(1e-10, sizes[k]));
      if (k * rate / samples.length < 8) continue;
      if (levels[k] > levels[best] || best === 1) best = k;
      if (levels[k] > top) top = levels[k];
    }
    this.levels = levels;
    // The axis grows at once, and shrinks only where half of it would be empty.
    const wanted = 10 * Math.ceil((top + 5) / 10);
    if (top >= -120 && (wanted > this.top || wanted < this.top - 50)) this.top = wanted;
    // Between lines the peak of a parabola through three levels.
    const [a, b, c] = [levels[best - 1], levels[best], levels[best + 1] ?? -200];
    const shift = best > 1 && a + c !== 2 * b ? Math.max(-0.5, Math.min(0.5, 0.5 * (a - c) / (a - 2 * b + c))) : 0;
    const step = rate / samples.length;
    this.words.textContent = top < -120 ? `${name}: silent.`
      : `${name}: peak ${fixed((best + shift) * step, 1)} Hz, ${quantity(10 ** (b / 20), unit)} (${fixed(b, 1)} dB re 1 ${
        unitSign(unit) || "full scale"}); lines of ${fixed(step, 1)} Hz`;
    this.dirty = true;
  }

  draw() {
    if (!this.dirty) return;
    this.dirty = false;
    const ratio = Math.min(2, devicePixelRatio || 1), box = this.canvas.getBoundingClientRect();
    const width = Math.floor(box.width * ratio), height = Math.floor(box.height * ratio);
    if (width < 40 || height < 40) return;
    if (this.canvas.width !== width) this.canvas.width = width;
    if (this.canvas.height !== height) this.canvas.height = height;
    const context = /** @type {CanvasRenderingContext2D} */ (this.canvas.getContext("2d"));
    context.clearRect(0, 0, width, height);
    const left = 34 * ratio, bottom = height - 18 * ratio, low = 10, high = Math.min(this.rate / 2, 10000);
    const x = (/** @type {number} */ f) => left + Math.log(f / low) / Math.log(high / low) * (width - left - 4 * ratio);
    const ceiling = this.top < -190 ? 0 : this.top, floor = ceiling - 100;
    const y = (/** @type {number} */ level) => (ceiling - level) / (ceiling - floor) * (bottom - 4 * ratio) + 4 * ratio;
    context.lineWidth = ratio;
    context.strokeStyle = colour("grid");
    context.fillStyle = colour("muted");
    context.font = `${11 * ratio}px system-ui, sans-serif`;
    context.textBaseline = "middle";
    context.beginPath();
    context.textAlign = "right";
    for (let level = floor; level <= ceiling; level += 20) {
      context.moveTo(left, y(level));
      context.lineTo(width, y(level));
      if (level > floor && level < ceiling) context.fillText(String(level), left - 5 * ratio, y(level));
    }
    context.textAlign = "center";
    for (const f of [10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000]) {
      if (f > high) break;
      context.moveTo(x(f), 0);
      context.lineTo(x(f), bottom);
      if (f !== 10 && x(f) < width - 14 * ratio) {
        context.fillText(f >= 1000 ? `${f / 1000}k` : String(f), x(f), height - 8 * ratio);
      }
    }
    context.stroke();
    context.textAlign = "left";
    context.fillText("dB", 2 * ratio, 8 * ratio);
    context.fillText("Hz", left - 16 * ratio, height - 8 * ratio);
    if (!this.levels) return;
    context.strokeStyle = colour("response");
    context.lineWidth = 1.4 * ratio;
    context.beginPath();
    const step = this.rate / 2 / this.levels.length;
    let column = -1, peak = -Infinity;
    for (let k = Math.ceil(low / step); k < this.levels.length && k * step <= high; k += 1) {
      const now = Math.floor(x(k * step));
      if (now !== column && column >= 0) {
        context.lineTo(column, Math.min(bottom, y(peak)));
        peak = -Infinity;
      }
      column = now;
      peak = Math.max(peak, this.levels[k]);
    }
    context.stroke();
  }

  get described() {
    return `Spectrum of ${this.name} up to ${hertz(this.rate / 2)}`;
  }
}

/** Bars of the newest peaks, with the largest of the last seconds held. */
export class Meters {
  constructor() {
    this.element = h("div", { class: "meters" });
    /** @type {{ channel: API.Channel, bar: HTMLElement, held: HTMLElement, text: HTMLElement, hold: number, at: number,
     *   peak: number, rest: number, over: boolean }[]} */
    this.rows = [];
    /** @type {[number, number, number]} */
    this.triple = [0, 0, 0];
    this.told = 0;
  }

  /** @param {API.Channel[]} channels @param {string[]} colours */
  show(channels, colours) {
    this.rows = channels.map((channel, index) => {
      const bar = h("div", { class: "meter-bar" }), held = h("div", { class: "meter-held" });
      const text = h("span", { class: "meter-text number" }, "–");
      const box = h("div", { class: "meter-box" }, bar, held);
      bar.style.background = `var(--${colours[index]})`;
      this.element.append(h("div", {
        class: "meter", role: "group", "aria-label": `Level of ${channel.name}`,
      }, h("span", { class: "meter-name" }, channel.name), box, text));
      return { channel, bar, held, text, hold: 0, at: 0, peak: 0, rest: 0, over: false };
    });
    this.element.replaceChildren(...this.rows.map((row) =>
      /** @type {HTMLElement} */ (/** @type {HTMLElement} */ (row.bar.parentElement).parentElement)));
  }

  /** @param {import("./waves.js").WaveBuffer} buffer @param {number} now @param {string} old a word where nothing new comes */
  draw(buffer, now, old) {
    const isOld = old !== "";
    const tell = now - this.told > 250;
    if (tell) this.told = now;
    this.rows.forEach((row, index) => {
      const full = row.channel.fullScale || 1;
      let peak = 0;
      if (buffer.framesPerBin > 0 && !isOld) {
        // What a channel stands at is no level: gravity does not move.
        if (tell) {
          buffer.extent(index, 4, this.triple);
          row.rest = restOf(...this.triple);
        }
        const { rest } = row;
        buffer.extent(index, 0.15, this.triple);
        peak = Math.max(this.triple[1] - rest, rest - this.triple[0]);
        row.over = Math.max(this.triple[1], -this.triple[0]) >= 0.99 * full;
      }
      // Falls by 20 dB in half a second, as a meter of programmes does.
      row.peak = Math.max(peak, row.peak * 0.926);
      if (peak >= row.hold || now - row.at > 2000) {
        row.hold = peak;
        row.at = now;
      }
      // A compositor's transform costs no layout.
      row.bar.style.transform = `scaleX(${share(row.peak / full)})`;
      row.held.style.transform = `translateX(${100 * share(row.hold / full)}%)`;
      if (!tell) return;
      const level = row.hold / full;
      row.text.textContent = isOld ? old : row.hold <= 0 ? "–"
        : row.channel.fullScale ? `${fixed(20 * Math.log10(level), 1)} dBFS` : quantity(row.hold, row.channel.unit);
      row.text.classList.toggle("over", Boolean(row.channel.fullScale) && row.over);
    });
  }
}

/**
 * The place of a level in a bar of 60 dB.
 *
 * @param {number} level
 */
const share = (level) => level <= 0.001 ? 0 : Math.min(1, 1 + 20 * Math.log10(level) / 60);
