// SPDX-License-Identifier: Apache-2.0
// The last seconds of what is followed: level with its gate, intensity and sharpness, as they go.
import { colour, h, wantsStill } from "./dom.js";

/** @typedef {{ at: number, heard: number, isOpen: boolean, intensity: number, sharpness: number }} Moment */

export const QUIETEST = -80;
/** Seconds that are seen; milliseconds between pictures for whom wants little motion. */
const SPAN = 20, STILL = 1000;
const HEIGHT = 168, HALF = 84;
/** Pixels beside the newest for the numbers. */
const RIGHT = 34;

export class FollowStrip {
  constructor() {
    /** @type {Moment[]} */
    this.moments = [];
    this.gate = -60;
    this.asked = 0;
    this.drawn = -Infinity;
    this.canvas = h("canvas", { class: "follow-canvas", "aria-hidden": "true" });
    this.element = h("div", { class: "follow-strip", role: "img", "aria-label": `The last ${SPAN} s: level of the sound with the gate above, intensity and sharpness below` }, this.canvas);
    this.element.style.height = `${HEIGHT}px`;
    this.repaint = () => this.draw();
    this.observer = new ResizeObserver(this.repaint);
    this.observer.observe(this.element);
    document.addEventListener("colours", this.repaint);
  }

  close() {
    cancelAnimationFrame(this.asked);
    this.observer.disconnect();
    document.removeEventListener("colours", this.repaint);
  }

  clear() {
    this.moments = [];
    this.draw();
  }

  /** @param {Moment} moment */
  add(moment) {
    this.moments.push(moment);
    while (this.moments.length && this.moments[0].at < moment.at - SPAN - 1) this.moments.shift();
    if (!wantsStill() || performance.now() - this.drawn > STILL) this.draw();
  }

  /** With the next picture. */
  draw() {
    this.asked ||= requestAnimationFrame(() => {
      this.asked = 0;
      this.#draw();
    });
  }

  #draw() {
    const { canvas, moments } = this, width = this.element.clientWidth, c = canvas.getContext("2d");
    if (!c || width < 40) return;
    this.drawn = performance.now();
    const ratio = Math.min(2, devicePixelRatio || 1), [w, high] = [Math.round(width * ratio), Math.round(HEIGHT * ratio)];
    if (canvas.width !== w || canvas.height !== high) {
      canvas.width = w;
      canvas.height = high;
    }
    c.setTransform(ratio, 0, 0, ratio, 0, 0);
    c.fillStyle = colour("surface");
    c.fillRect(0, 0, width, HEIGHT);
    c.font = "11px system-ui, sans-serif";
    c.textBaseline = "middle";
    const end = moments.length ? moments[moments.length - 1].at : 0, x = (/** @type {number} */ at) => (width - RIGHT) * (1 - (end - at) / SPAN);
    const level = (/** @type {number} */ dB) => HALF - 4 - (Math.min(0, Math.max(QUIETEST, dB)) - QUIETEST) / -QUIETEST * (HALF - 22);
    const share = (/** @type {number} */ value) => HEIGHT - 4 - Math.min(1, Math.max(0, value)) * (HALF - 24);
    c.fillStyle = colour("grid");
    for (let back = 5; back < SPAN; back += 5) c.fillRect(Math.round(x(end - back)), 0, 1, HEIGHT);
    for (const dB of [0, -20, -40, -60]) c.fillRect(0, Math.round(level(dB)), width, 1);
    for (const value of [0.5, 1]) c.fillRect(0, Math.round(share(value)), width, 1);
    c.fillStyle = colour("zero");
    for (const y of [level(QUIETEST), share(0)]) c.fillRect(0, Math.round(y), width, 1);
    /** @param {(one: Moment) => number} y @param {string} hue @param {number} [ground] to which it is filled @param {(one: Moment) => boolean} [isThere] */
    const line = (y, hue, ground, isThere = () => true) => {
      c.strokeStyle = c.fillStyle = colour(hue);
      c.lineWidth = 1.75;
      c.beginPath();
      let isOn = false;
      for (const one of moments) {
        if (!isThere(one)) isOn = false;
        else if (isOn) c.lineTo(x(one.at), y(one));
        else {
          c.moveTo(x(one.at), y(one));
          isOn = true;
        }
      }
      c.stroke();
      if (ground === undefined || moments.length < 2) return;
      c.lineTo(x(end), ground);
      c.lineTo(x(moments[0].at), ground);
      c.globalAlpha = 0.16;
      c.fill();
      c.globalAlpha = 1;
    };
    line((one) => level(one.heard), "sound", level(QUIETEST));
    c.strokeStyle = colour("fail");
    c.lineWidth = 1.25;
    c.setLineDash([5, 3]);
    c.beginPath();
    c.moveTo(0, level(this.gate));
    c.lineTo(width, level(this.gate));
    c.stroke();
    c.setLineDash([]);
    line((one) => share(one.intensity), "intensity", share(0));
    // What is silent has no sharpness.
    line((one) => share(one.sharpness), "sharpness", undefined, (one) => one.intensity > 0);
    const words = (/** @type {string} */ text, /** @type {number} */ left, /** @type {number} */ y) => {
      c.globalAlpha = 0.82;
      c.fillStyle = colour("surface");
      c.fillRect(left - 2, y - 7, c.measureText(text).width + 4, 14);
      c.globalAlpha = 1;
      c.fillStyle = colour("muted");
      c.fillText(text, left, y);
    };
    words("Level, dB of full scale", 6, 8);
    words("Intensity and sharpness, 0 to 1", 6, HALF + 10);
    for (const dB of [0, -20, -40, -60]) words(String(dB), width - c.measureText(String(dB)).width - 4, Math.max(8, level(dB)));
    for (const value of [0.5, 1]) words(String(value), width - c.measureText(String(value)).width - 4, share(value));
    for (const back of [5, 10, 15]) words(`${back} s ago`, x(end - back) + 3, HALF);
  }
}
