// SPDX-License-Identifier: Apache-2.0
// A pattern as vibration of what the browser has: a phone's motor, or a controller's. None of it is measured.
import { getWaves, query } from "./api.js";
import { pathOf } from "./document.js";
import { field, fill, h, select } from "./dom.js";
import { ControllerVibration, PhoneVibration } from "./palette_outputs.js";

/** Intensity and sharpness are told in steps of so many seconds. */
const STEP = 0.01;
/** So often a motor is told what comes, and for how long it is told, in steps. */
const EVERY = 8, AHEAD = 14;
/** The most steps that are asked for: of what is longer they are longer. */
const MOST = 4000;

export class Vibration {
  /** @type {"" | "phone" | "controller"} */
  #on = "";
  /** @type {{ step: number, intensity: Float32Array, sharpness: Float32Array } | undefined} */
  #lanes = undefined;
  #end = 0;
  #told = NaN;
  #name;

  /** @param {string} name the pattern's */
  constructor(name) {
    this.#name = name;
    this.element = h("span", { class: "feel-vibration" });
    this.#show();
    // A controller is there for the page once one of its buttons was pressed.
    addEventListener("gamepadconnected", this.#show);
    addEventListener("gamepaddisconnected", this.#show);
  }

  #show = () => {
    /** @type {[string, string][]} */
    const offered = [];
    if (PhoneVibration.isOffered) offered.push(["phone", "this device"]);
    if (ControllerVibration.actuators.length) offered.push(["controller", "the controller"]);
    if (!offered.some(([value]) => value === this.#on)) this.#choose("");
    fill(this.element, offered.length > 0 && [field("Vibrate", select([["", "nothing"], ...offered], this.#on, (value) => this.#choose(/** @type {"phone"} */ (value)), { "data-key": "vibrate" }), "inline"),
      this.#on && h("span", { class: "tag" }, "not measured")]);
  };

  /** @param {"" | "phone" | "controller"} value */
  #choose(value) {
    if (value === this.#on) return;
    this.rest();
    this.#on = value;
    this.#show();
    this.changed();
  }

  close() {
    this.rest();
    removeEventListener("gamepadconnected", this.#show);
    removeEventListener("gamepaddisconnected", this.#show);
  }

  /**
   * A play begins.
   *
   * @param {number} end how long the pattern is
   */
  begin(end) {
    this.#end = end;
    this.#told = NaN;
    if (this.#on && !this.#lanes) this.changed();
  }

  /** The pattern is another now. */
  async changed() {
    this.#lanes = undefined;
    if (!this.#on || this.#end === 0) return;
    const columns = Math.max(1, Math.min(MOST, Math.ceil(this.#end / STEP)));
    try {
      const [intensity, sharpness] = await Promise.all(["intensity", "sharpness"].map((lane) => getWaves(`${pathOf(this.#name)}/waves${query({ lane, from: "0", to: this.#end, columns })}`)));
      const most = (/** @type {Float32Array} */ pairs) => Float32Array.from({ length: pairs.length / 2 }, (_, k) => Math.max(0, pairs[2 * k + 1]));
      this.#lanes = { step: intensity.header.framesPerBin / intensity.header.rate, intensity: most(intensity.data[0]), sharpness: most(sharpness.data[0]) };
    } catch { /* What cannot be drawn is not felt either. */ }
  }

  /**
   * The play is at a time; motors are told some steps ahead.
   *
   * @param {number} time @param {number} to where the part that is played ends
   */
  at(time, to) {
    const lanes = this.#lanes;
    if (!this.#on || !lanes) return;
    const since = time - this.#told;
    if (since >= 0 && since < EVERY * lanes.step) return;
    this.#told = time;
    const first = Math.floor(time / lanes.step), last = Math.min(first + AHEAD, Math.ceil(to / lanes.step), lanes.intensity.length);
    if (this.#on === "phone") {
      // A motor that is on or off: of each two steps it is on for the share of the intensity.
      const times = [];
      for (let k = first; k < last; k += 2) {
        const on = Math.round(2000 * lanes.step * Math.max(lanes.intensity[k], lanes.intensity[k + 1] ?? 0));
        times.push(on, Math.round(2000 * lanes.step) - on);
      }
      navigator.vibrate(times.some((ms, k) => k % 2 === 0 && ms > 0) ? times : 0);
      return;
    }
    let loudest = first;
    for (let k = first; k < Math.min(last, first + EVERY); k += 1) if (lanes.intensity[k] > lanes.intensity[loudest]) loudest = k;
    if (lanes.intensity[loudest] > 0) ControllerVibration.play(lanes.intensity[loudest], lanes.sharpness[loudest], 1000 * lanes.step * EVERY);
  }

  /** Nothing plays. */
  rest() {
    this.#told = NaN;
    if (this.#on === "phone") navigator.vibrate(0);
    if (this.#on === "controller") ControllerVibration.rest();
  }
}
