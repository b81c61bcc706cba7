// SPDX-License-Identifier: Apache-2.0
// What can be heard or felt without a rig. None of it is measured.
import { envelopeSeconds } from "./palette_laws.js";

/** The asked-for as sound: an oscillator a finger, so many octaves up. */
export class Sound {
  octaves = 2;
  /** @type {AudioContext | undefined} */
  #context = undefined;
  /** @type {Map<number, { tone: OscillatorNode, loud: GainNode, shape: GainNode }>} */
  #voices = new Map();
  #law;

  /** @param {() => (sharpness: number) => number} law hertz of a sharpness */
  constructor(law) {
    this.#law = law;
  }

  /** Makes it ready; a browser allows that from a click alone. */
  async open() {
    this.#context ??= new AudioContext();
    await this.#context.resume();
  }

  close() {
    for (const finger of [...this.#voices.keys()]) this.lift(finger);
    this.#context?.suspend();
  }

  /** @param {number} sharpness */
  #hertz(sharpness) {
    return this.#law()(sharpness) * 2 ** this.octaves;
  }

  #voice() {
    const context = /** @type {AudioContext} */ (this.#context);
    const tone = context.createOscillator(), loud = context.createGain(), shape = context.createGain();
    tone.connect(loud).connect(shape).connect(context.destination);
    return { tone, loud, shape };
  }

  /** @param {number} intensity @param {number} sharpness */
  tap(intensity, sharpness) {
    if (!this.#context) return;
    const now = this.#context.currentTime, { tone, loud, shape } = this.#voice();
    tone.frequency.value = this.#hertz(sharpness);
    // Intensity is the root of the amplitude; a burst of 22 ms that falls.
    loud.gain.value = 0.4 * intensity ** 2;
    shape.gain.setValueAtTime(0, now);
    shape.gain.linearRampToValueAtTime(1, now + 0.001);
    shape.gain.linearRampToValueAtTime(0, now + 0.022);
    tone.start(now);
    tone.stop(now + 0.03);
  }

  /** @param {number} finger @param {number} intensity @param {number} sharpness @param {number} [attack] @param {number} [decay] */
  touch(finger, intensity, sharpness, attack, decay) {
    if (!this.#context) return;
    const now = this.#context.currentTime;
    let voice = this.#voices.get(finger);
    if (!voice) {
      voice = this.#voice();
      this.#voices.set(finger, voice);
      voice.tone.frequency.value = this.#hertz(sharpness);
      voice.loud.gain.value = 0.3 * intensity ** 2;
      const full = now + (attack ? envelopeSeconds(attack) : 0.004);
      voice.shape.gain.setValueAtTime(0, now);
      voice.shape.gain.linearRampToValueAtTime(1, full);
      if (decay) voice.shape.gain.linearRampToValueAtTime(0, full + envelopeSeconds(decay));
      voice.tone.start(now);
      return;
    }
    voice.tone.frequency.setTargetAtTime(this.#hertz(sharpness), now, 0.006);
    voice.loud.gain.setTargetAtTime(0.3 * intensity ** 2, now, 0.006);
  }

  /** @param {number} finger */
  lift(finger) {
    const voice = this.#voices.get(finger);
    if (!voice || !this.#context) return;
    this.#voices.delete(finger);
    const now = this.#context.currentTime;
    voice.loud.gain.setTargetAtTime(0, now, 0.004);
    voice.tone.stop(now + 0.05);
  }
}

/** What moves at once of several fingers: the strongest. */
class Strongest {
  /** @type {Map<number, { intensity: number, sharpness: number }>} */
  fingers = new Map();
  /** @type {number} */
  #timer = 0;

  /** @param {number} finger @param {number} intensity @param {number} sharpness */
  touch(finger, intensity, sharpness) {
    this.fingers.set(finger, { intensity, sharpness });
    if (!this.#timer) {
      this.again();
      // Motors are slow: ten times a second is all they follow.
      this.#timer = window.setInterval(() => this.again(), 100);
    }
  }

  /** @param {number} finger */
  lift(finger) {
    this.fingers.delete(finger);
    if (this.fingers.size) return;
    clearInterval(this.#timer);
    this.#timer = 0;
    this.rest();
  }

  get strongest() {
    return [...this.fingers.values()].reduce((most, one) => one.intensity > most.intensity ? one : most, { intensity: 0, sharpness: 0 });
  }

  again() {}
  rest() {}
}

/** The vibration of a phone, as far as it can be told anything: on and off. */
export class PhoneVibration extends Strongest {
  static get isOffered() {
    return typeof navigator.vibrate === "function";
  }

  /** @param {number} intensity */
  tap(intensity) {
    navigator.vibrate(Math.round(8 + 22 * intensity));
  }

  /** @override */
  again() {
    const on = Math.round(20 * this.strongest.intensity);
    navigator.vibrate(on > 19 ? 220 : on < 1 ? 0 : Array.from({ length: 22 }, (_, k) => k % 2 ? 20 - on : on));
  }

  /** @override */
  rest() {
    navigator.vibrate(0);
  }
}

/** The motors of a game controller: the heavy one for what is dull, the light one for what is sharp. */
export class ControllerVibration extends Strongest {
  /** @returns {any[]} */
  static get actuators() {
    return [...navigator.getGamepads?.() ?? []].map((one) => /** @type {any} */ (one)?.vibrationActuator).filter(Boolean);
  }

  /** @param {number} intensity @param {number} sharpness @param {number} duration ms */
  static play(intensity, sharpness, duration) {
    for (const one of ControllerVibration.actuators) {
      one.playEffect?.("dual-rumble", { duration, strongMagnitude: intensity * (1 - sharpness), weakMagnitude: intensity * sharpness }).catch?.(() => {});
    }
  }

  /** @param {number} intensity @param {number} sharpness */
  tap(intensity, sharpness) {
    ControllerVibration.play(intensity, sharpness, 40);
  }

  /** @override */
  again() {
    const { intensity, sharpness } = this.strongest;
    ControllerVibration.play(intensity, sharpness, 150);
  }

  /** @override */
  rest() { ControllerVibration.rest(); }

  static rest() {
    for (const one of ControllerVibration.actuators) one.reset?.()?.catch?.(() => {});
  }
}
