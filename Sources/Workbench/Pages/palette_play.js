// SPDX-License-Identifier: Apache-2.0
// From fingers, keys and notes to taps and touches: what one does is the same whatever one does it with.

/**
 * @typedef {object} Output what can be made felt, heard or written down
 * @property {(intensity: number, sharpness: number) => void} tap
 * @property {(finger: number, intensity: number, sharpness: number, attack?: number, decay?: number) => void} touch begins or moves
 * @property {(finger: number) => void} lift
 */
/** @typedef {"both" | "tap" | "hold"} Mode */
/** @typedef {{ number: number, sharpness: number, intensity: number, startX: number, startY: number, held: boolean, timer: number }} Finger */

/** What is held longer than this, in ms, goes on. */
export const HOLD_AFTER = 120;
/** A finger that has moved this far goes on at once. */
const SLIDE = 0.04;
/** As many as two hands have. */
const MOST_FINGERS = 10;

export class Player {
  /** @type {Mode} */
  mode = "both";
  /** The envelope of what is held, 0...1; 0 is none. */
  attack = 0;
  decay = 0;
  /** When what is being handled was done, by the page's clock in ms; 0 is now. */
  at = 0;
  /** @type {Map<string, Finger>} by what it comes from: a pointer, a key, a note */
  fingers = new Map();
  /** @type {Set<Output>} */
  outputs = new Set();
  /**
   * Told whenever a finger comes, moves or goes.
   *
   * @type {(kind: "tap" | "touch" | "lift", finger: Finger) => void}
   */
  shown = () => {};

  /**
   * @param {string} source
   * @param {number} sharpness
   * @param {number} intensity
   * @param {Mode} [mode] another than that of the page
   */
  down(source, sharpness, intensity, mode = this.mode) {
    if (this.fingers.has(source)) this.up(source);
    const taken = new Set([...this.fingers.values()].map((one) => one.number));
    let number = 1;
    while (taken.has(number)) number += 1;
    if (number > MOST_FINGERS) return;
    const finger = { number, sharpness, intensity, startX: sharpness, startY: intensity, held: false, timer: 0 };
    this.fingers.set(source, finger);
    if (mode === "hold") {
      this.#begin(finger);
      return;
    }
    this.outputs.forEach((one) => one.tap(intensity, sharpness));
    this.shown("tap", finger);
    if (mode === "both") finger.timer = window.setTimeout(() => this.#begin(finger), HOLD_AFTER);
  }

  /** @param {Finger} finger */
  #begin(finger) {
    clearTimeout(finger.timer);
    finger.timer = 0;
    finger.held = true;
    this.outputs.forEach((one) => one.touch(finger.number, finger.intensity, finger.sharpness, this.attack || undefined, this.decay || undefined));
    this.shown("touch", finger);
  }

  /** @param {string} source @param {number} sharpness @param {number} intensity */
  move(source, sharpness, intensity) {
    const finger = this.fingers.get(source);
    if (!finger || (finger.sharpness === sharpness && finger.intensity === intensity)) return;
    finger.sharpness = sharpness;
    finger.intensity = intensity;
    if (finger.held) {
      this.outputs.forEach((one) => one.touch(finger.number, intensity, sharpness, this.attack || undefined, this.decay || undefined));
      this.shown("touch", finger);
    } else if (finger.timer && Math.hypot(sharpness - finger.startX, intensity - finger.startY) > SLIDE) this.#begin(finger);
  }

  /** @param {string} source */
  up(source) {
    const finger = this.fingers.get(source);
    if (!finger) return;
    clearTimeout(finger.timer);
    this.fingers.delete(source);
    if (finger.held) this.outputs.forEach((one) => one.lift(finger.number));
    this.shown("lift", finger);
  }

  /**
   * Handles what was done at a time: an event comes some ms after the hand that made it.
   *
   * @param {number} at
   * @param {() => void} act
   */
  asOf(at, act) {
    this.at = at;
    act();
    this.at = 0;
  }

  liftAll() {
    for (const source of [...this.fingers.keys()]) this.up(source);
  }

  /**
   * An output that goes away is left with nothing that sounds.
   *
   * @param {Output} output
   */
  remove(output) {
    if (!this.outputs.delete(output)) return;
    for (const finger of this.fingers.values()) if (finger.held) output.lift(finger.number);
  }
}
