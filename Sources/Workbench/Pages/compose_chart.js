// SPDX-License-Identifier: Apache-2.0
// What a method heard in a sound and what came of it, in time with the timeline: the panel's one picture.
import { colour, fill, h } from "./dom.js";
import { clock, fixed, nice, significant, ticks } from "./format.js";

/**
 * @typedef {object} Heard
 * @property {API.Composition} answer
 * @property {number} offset seconds of the pattern at which the sound begins
 * @property {API.Entry[]} taps that would come, at the times of the pattern
 * @property {{ pairs: Float32Array, step: number } | undefined} wave of the sound
 * @property {number | undefined} threshold of taps, in dB
 * @property {number | undefined} full the level of full intensity, in dB of full scale
 * @property {number | undefined} gate the level below which nothing is played
 */

const BANDS = [["Level of the sound, in dB of full scale, over its waveform", 96], ["Rise, in dB: what the threshold of taps is held against", 64],
  ["Intensity and sharpness of the vibration and of taps, 0 to 1", 76]];
const AXIS = 18, GAP = 4, QUIETEST = -80;
const HEIGHT = /** @type {number} */ (BANDS.reduce((sum, [, height]) => sum + Number(height) + GAP, AXIS));

export class ComposeChart {
  /** @param {import("./timeline.js").Timeline} timeline whose view it has */
  constructor(timeline) {
    this.timeline = timeline;
    /** @type {Heard | undefined} */
    this.heard = undefined;
    this.width = 0;
    /** @type {number | undefined} */
    this.cursor = undefined;
    this.asked = 0;
    this.canvas = h("canvas", { class: "timeline-canvas", "aria-hidden": "true" });
    this.plot = h("div", { class: "compose-plot", role: "img" }, this.canvas);
    this.plot.style.height = `${HEIGHT}px`;
    this.readout = h("p", { class: "readout" });
    this.legend = h("p", { class: "legend" });
    this.element = h("figure", { class: "compose-chart", hidden: true }, this.plot, this.legend, this.readout);
    this.observer = new ResizeObserver(() => this.draw());
    this.observer.observe(this.plot);
    this.repaint = () => this.draw();
    document.addEventListener("colours", this.repaint);
    this.plot.addEventListener("pointermove", (event) => this.#point(this.#time(event.offsetX)));
    this.plot.addEventListener("pointerleave", () => this.#point(undefined));
  }

  close() {
    cancelAnimationFrame(this.asked);
    this.observer.disconnect();
    document.removeEventListener("colours", this.repaint);
  }

  /** @param {Heard | undefined} heard */
  show(heard) {
    this.heard = heard;
    this.element.hidden = !heard;
    if (!heard) return;
    const { trace, onsets } = heard.answer, { threshold, full } = heard;
    const most = (/** @type {number[]} */ all) => all.reduce((a, b) => Math.max(a, b), 0);
    const words = [`Level up to ${fixed(trace.level.reduce((a, b) => Math.max(a, b), -120), 1)} dB of full scale`,
      `rise up to ${fixed(most(trace.rise), 1)} dB${threshold === undefined ? "" : ` over a threshold of ${significant(threshold)} dB`}`, `${onsets.length} onsets, ${heard.taps.length} taps`,
      trace.intensity.length ? `intensity up to ${fixed(most(trace.intensity), 2)}` : "no vibration beside the taps"];
    this.plot.setAttribute("aria-label", `What is heard and what comes of it, in time with the timeline. ${words.join(", ")}.`);
    /** @type {[string, string, boolean][]} */
    const lines = [["ink", "level", false], ...full === undefined ? [] : /** @type {[string, string, boolean][]} */ ([["intensity", "full intensity", true], ["muted", "gate", true]]),
      ["response", "rise", false], ...threshold === undefined ? [] : /** @type {[string, string, boolean][]} */ ([["fail", "threshold", true]]),
      ["onset", "onsets", false], ["intensity", "intensity", false], ["sharpness", "sharpness", false]];
    const key = lines.map(([, name]) => name).join();
    if (this.legend.dataset.key !== key) {
      this.legend.dataset.key = key;
      fill(this.legend, lines.map(([hue, name, isDashed]) => {
        const swatch = h("i", { class: isDashed ? "swatch dashed" : "swatch", "aria-hidden": "true" });
        swatch.style.color = `var(--${hue})`;
        return h("span", null, swatch, name);
      }), h("span", null, "▾ a tap"));
    }
    this.draw();
  }

  /** With the next picture. */
  draw() {
    if (this.element.hidden) return;
    this.asked ||= requestAnimationFrame(() => {
      this.asked = 0;
      this.#draw();
    });
  }

  /** @param {number} x */
  #time(x) {
    const { from, to } = this.timeline.view;
    return from + x / Math.max(1, this.width) * (to - from);
  }

  /** @param {number | undefined} time */
  #point(time) {
    const { heard } = this, trace = heard?.answer.trace;
    this.cursor = time;
    this.readout.textContent = "";
    if (heard && trace && time !== undefined) {
      const k = Math.floor((time - heard.offset) / trace.step);
      if (k >= 0 && k < trace.level.length) {
        const part = (/** @type {string} */ name, /** @type {number | undefined} */ value, /** @type {number} */ decimals, unit = "") => value === undefined ? [] : [`${name} ${fixed(value, decimals)}${unit}`];
        this.readout.textContent = `${fixed(time, 3)} s: ${[...part("level", trace.level[k], 1, " dB"), ...part("rise", trace.rise[k], 1, " dB"),
          ...part("intensity", trace.intensity[k], 2), ...part("sharpness", trace.sharpness[k], 2)].join(", ")}`;
      }
    }
    this.draw();
  }

  #draw() {
    const { heard, timeline, canvas } = this, width = this.plot.clientWidth, c = canvas.getContext("2d");
    if (!heard || !c || width < 40) return;
    this.width = width;
    const ratio = Math.min(2, window.devicePixelRatio || 1), [w, high] = [Math.round(width * ratio), Math.round(HEIGHT * ratio)];
    if (canvas.width !== w || canvas.height !== high) {
      canvas.width = w;
      canvas.height = high;
    }
    c.setTransform(ratio, 0, 0, ratio, 0, 0);
    const { from, to } = timeline.view, scale = width / (to - from), { answer, offset, taps, wave, threshold, full, gate } = heard, { trace } = answer;
    const x = (/** @type {number} */ time) => (time - from) * scale;
    c.fillStyle = colour("surface");
    c.fillRect(0, 0, width, HEIGHT);
    c.font = "11px system-ui, sans-serif";
    c.textBaseline = "middle";
    const bottom = HEIGHT - AXIS;
    const { places, decimals } = ticks(from, to, Math.max(2, width / 90));
    for (const place of places) {
      c.fillStyle = colour("grid");
      c.fillRect(Math.round(x(place)), 0, 1, bottom);
      if (place < 0) continue;
      c.fillStyle = colour("muted");
      c.fillText(place < 60 ? `${fixed(place, decimals)} s` : clock(place, decimals), x(place) + 3, HEIGHT - AXIS / 2);
    }
    const begin = Math.max(0, Math.floor((from - offset) / trace.step) - 1), stop = Math.ceil((to - offset) / trace.step) + 1;
    /** @param {number[]} values @param {(value: number) => number} y @param {string} hue @param {number} [ground] to which it is filled */
    const line = (values, y, hue, ground) => {
      const end = Math.min(values.length, stop);
      if (end - begin < 1) return;
      c.strokeStyle = c.fillStyle = colour(hue);
      c.lineWidth = 1.5;
      c.beginPath();
      for (let k = begin; k < end; k += 1) c.lineTo(x(offset + (k + 0.5) * trace.step), y(values[k]));
      c.stroke();
      if (ground === undefined) return;
      c.lineTo(x(offset + (end - 0.5) * trace.step), ground);
      c.lineTo(x(offset + (begin + 0.5) * trace.step), ground);
      c.globalAlpha = 0.14;
      c.fill();
      c.globalAlpha = 1;
    };
    /** @param {number} at @param {string} hue */
    const level = (at, hue) => {
      c.strokeStyle = colour(hue);
      c.lineWidth = 1.25;
      c.setLineDash([5, 3]);
      c.beginPath();
      c.moveTo(0, at);
      c.lineTo(width, at);
      c.stroke();
      c.setLineDash([]);
    };
    /** @type {[number, string][]} */
    const numbers = [];
    let top = 0;
    /** @param {number} band @param {number} low @param {number} most @param {number[]} marks @param {(value: number) => string} [told] @returns {(value: number) => number} */
    const axis = (band, low, most, marks, told = (value) => significant(value)) => {
      const height = Number(BANDS[band][1]), ground = top + height - 2, size = height - 20;
      const y = (/** @type {number} */ value) => ground - (Math.min(most, Math.max(low, value)) - low) / (most - low) * size;
      for (const mark of marks) {
        c.fillStyle = colour(mark === low ? "zero" : "grid");
        c.fillRect(0, Math.round(y(mark)), width, 1);
        numbers.push([y(mark), told(mark)]);
      }
      return y;
    };

    // Level, over the waveform.
    const loud = axis(0, QUIETEST, 0, [QUIETEST, -60, -40, -20, 0]);
    if (wave) {
      const middle = top + 18 + (Number(BANDS[0][1]) - 20) / 2, size = (Number(BANDS[0][1]) - 22) / 2, leap = Math.max(1, Math.floor(1 / (wave.step * scale)));
      const first = Math.max(0, Math.floor((from - offset) / wave.step)), last = Math.min(wave.pairs.length >> 1, Math.ceil((to - offset) / wave.step) + 1);
      c.fillStyle = colour("sound");
      c.globalAlpha = 0.4;
      for (let k = first; k < last; k += leap) {
        let least = 0, most = 0;
        for (let j = k; j < Math.min(last, k + leap); j += 1) {
          if (wave.pairs[2 * j] < least) least = wave.pairs[2 * j];
          if (wave.pairs[2 * j + 1] > most) most = wave.pairs[2 * j + 1];
        }
        c.fillRect(x(offset + k * wave.step), middle - most * size, Math.max(1, leap * wave.step * scale), Math.max(1, (most - least) * size));
      }
      c.globalAlpha = 1;
    }
    line(trace.level, loud, "ink");
    if (full !== undefined && full > QUIETEST) level(loud(full), "intensity");
    if (gate !== undefined && gate > QUIETEST) level(loud(gate), "muted");
    top += Number(BANDS[0][1]) + GAP;

    // Rise, its threshold, onsets below and taps above.
    const most = nice(trace.rise.reduce((a, b) => Math.max(a, b), Math.max(1, 1.3 * (threshold ?? 0))));
    const rise = axis(1, 0, most, [0, most / 2, most]);
    line(trace.rise, rise, "response", rise(0));
    if (threshold !== undefined) level(rise(threshold), "fail");
    c.fillStyle = colour("onset");
    for (const onset of answer.onsets) if (onset + offset >= from && onset + offset <= to) c.fillRect(x(onset + offset) - 0.75, rise(0) - 9, 1.5, 9);
    c.fillStyle = colour("ink");
    let before = -Infinity;
    for (const tap of taps) {
      const at = x(tap.time ?? 0);
      if (at < -6 || at > width + 6 || at - before < 2) continue;
      before = at;
      c.beginPath();
      c.moveTo(at - 4, top + 16);
      c.lineTo(at + 4, top + 16);
      c.lineTo(at, top + 22);
      c.fill();
    }
    top += Number(BANDS[1][1]) + GAP;

    // What comes of it.
    const result = axis(2, 0, 1, [0, 0.5, 1]);
    line(trace.intensity, result, "intensity", result(0));
    // Sharpness of what is silent is none.
    if (trace.intensity.some((one) => one > 0)) line(trace.sharpness, result, "sharpness");
    for (const tap of taps) {
      const at = x(tap.time ?? 0);
      if (at < -6 || at > width + 6) continue;
      c.fillStyle = colour("intensity");
      c.fillRect(at - 0.75, result(tap.intensity ?? 0), 1.5, result(0) - result(tap.intensity ?? 0));
      c.fillRect(at - 3, result(tap.intensity ?? 0) - 2, 6, 4);
      c.fillStyle = colour("sharpness");
      c.beginPath();
      c.arc(at, result(tap.sharpness ?? 0), 2.5, 0, 7);
      c.fill();
    }

    // Names and numbers, over what they name.
    let name = 0;
    const words = (/** @type {string} */ text, /** @type {number} */ left, /** @type {number} */ y) => {
      c.globalAlpha = 0.82;
      c.fillStyle = colour("surface");
      c.fillRect(left - 2, y - 7, c.measureText(text).width + 4, 14);
      c.globalAlpha = 1;
      c.fillStyle = colour("muted");
      c.fillText(text, left, y);
    };
    for (const [y, text] of numbers) words(text, width - c.measureText(text).width - 4, Math.max(8, y - (y > bottom - 8 ? 4 : 0)));
    for (const [text, height] of BANDS) {
      const whole = String(text), shown = c.measureText(whole).width > width - 44 ? whole.split(/,|:| and sharp/)[0] : whole;
      words(shown, 6, name + 8);
      name += Number(height) + GAP;
      c.fillStyle = colour("rule");
      if (name < bottom) c.fillRect(0, name - GAP / 2, width, 1);
    }
    if (this.cursor === undefined) return;
    c.fillStyle = colour("ink");
    c.globalAlpha = 0.5;
    c.fillRect(x(this.cursor) - 0.5, 0, 1, bottom);
    c.globalAlpha = 1;
  }
}
