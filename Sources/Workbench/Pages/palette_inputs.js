// SPDX-License-Identifier: Apache-2.0
// Instruments beside the pad: a MIDI keyboard and a game controller, where the browser has them.

/** The notes between which sharpness goes from 0 to 1: four octaves around the middle C. */
export const NOTES = [36, 84];

/** @param {number} value */
const limited = (value) => Math.min(1, Math.max(0, value));

/** A MIDI keyboard: the note is sharpness, its velocity intensity, the wheel moves the sharpness of what is held. */
export class Midi {
  /** @type {any} */
  #access = undefined;
  /** @type {Map<number, { sharpness: number, intensity: number }>} */
  #notes = new Map();
  #player;
  #changed;

  static get isOffered() {
    return typeof (/** @type {any} */ (navigator)).requestMIDIAccess === "function";
  }

  /** @param {import("./palette_play.js").Player} player @param {(words: string) => void} changed */
  constructor(player, changed) {
    this.#player = player;
    this.#changed = changed;
  }

  async open() {
    try {
      this.#access = await /** @type {any} */ (navigator).requestMIDIAccess();
    } catch {
      this.#changed("The browser did not allow it.");
      return;
    }
    this.#access.onstatechange = () => this.#listen();
    this.#listen();
  }

  #listen() {
    const inputs = this.#access ? [...this.#access.inputs.values()].filter((one) => one.state !== "disconnected") : [];
    for (const one of inputs) one.onmidimessage = (/** @type {{ data: Uint8Array }} */ event) => this.#heard(event.data);
    this.#changed(inputs.length ? `Listens to ${inputs.map((one) => one.name ?? "a keyboard").join(", ")}.` : "No MIDI keyboard is plugged in.");
  }

  /** @param {Uint8Array} data */
  #heard([status, first, second]) {
    const kind = status & 0xf0;
    if (kind === 0x90 && second > 0) {
      const place = { sharpness: limited((first - NOTES[0]) / (NOTES[1] - NOTES[0])), intensity: second / 127 };
      this.#notes.set(first, place);
      this.#player.down(`note ${first}`, place.sharpness, place.intensity);
    } else if (kind === 0x80 || kind === 0x90) {
      this.#notes.delete(first);
      this.#player.up(`note ${first}`);
    } else if (kind === 0xb0 && first === 1) {
      for (const [note, place] of this.#notes) {
        place.sharpness = second / 127;
        this.#player.move(`note ${note}`, place.sharpness, place.intensity);
      }
    } else if (kind === 0xb0 && (first === 120 || first === 123)) {
      for (const note of this.#notes.keys()) this.#player.up(`note ${note}`);
      this.#notes.clear();
    }
  }

  close() {
    for (const note of this.#notes.keys()) this.#player.up(`note ${note}`);
    for (const one of this.#access?.inputs.values() ?? []) one.onmidimessage = null;
    if (this.#access) this.#access.onstatechange = null;
    this.#access = undefined;
  }
}

/** A game controller: a stick moves the cursor, the trigger is intensity, the first button taps. */
export class Controller {
  #frame = 0;
  #last = 0;
  #isTapped = false;
  #isHeld = false;
  #player;
  #cursor;
  #moved;
  #changed;

  /**
   * @param {import("./palette_play.js").Player} player
   * @param {() => { x: number, y: number }} cursor
   * @param {(x: number, y: number) => void} moved
   * @param {() => void} changed told when one comes or goes
   */
  constructor(player, cursor, moved, changed) {
    this.#player = player;
    this.#cursor = cursor;
    this.#moved = moved;
    this.#changed = changed;
    addEventListener("gamepadconnected", this.#come);
    addEventListener("gamepaddisconnected", this.#come);
    this.#come();
  }

  /** @returns {Gamepad | undefined} */
  get pad() {
    return [...navigator.getGamepads?.() ?? []].find((one) => one?.connected) ?? undefined;
  }

  #come = () => {
    this.#changed();
    if (this.pad && !this.#frame) {
      this.#last = performance.now();
      this.#frame = requestAnimationFrame(this.#look);
    }
  };

  #look = () => {
    const pad = this.pad, now = performance.now(), since = Math.min(0.1, (now - this.#last) / 1000);
    this.#last = now;
    this.#frame = 0;
    if (!pad) {
      this.#let();
      return;
    }
    this.#frame = requestAnimationFrame(this.#look);
    // Sticks at rest are seldom quite at 0.
    const axis = (/** @type {number} */ index) => Math.abs(pad.axes[index] ?? 0) < 0.15 ? 0 : pad.axes[index];
    const [dx, dy] = [axis(0) || axis(2), axis(1) || axis(3)];
    if (dx || dy) this.#moved(limited(this.#cursor().x + 0.9 * since * dx), limited(this.#cursor().y - 0.9 * since * dy));
    const { x, y } = this.#cursor(), trigger = pad.buttons[7]?.value ?? 0;
    if (trigger > 0.05) {
      if (this.#isHeld) this.#player.move("trigger", x, trigger);
      else this.#player.down("trigger", x, trigger, "hold");
      this.#isHeld = true;
    } else this.#let();
    const isTapped = Boolean(pad.buttons[0]?.pressed);
    if (isTapped && !this.#isTapped) {
      this.#player.down("button", x, y, "tap");
      this.#player.up("button");
    }
    this.#isTapped = isTapped;
  };

  #let() {
    if (this.#isHeld) this.#player.up("trigger");
    this.#isHeld = false;
  }

  close() {
    cancelAnimationFrame(this.#frame);
    this.#frame = 0;
    this.#let();
    removeEventListener("gamepadconnected", this.#come);
    removeEventListener("gamepaddisconnected", this.#come);
  }
}
