// SPDX-License-Identifier: Apache-2.0
// A plane of two values, 0...1 each, that is played by pointers and by keys.
import { colour, h, wantsStill } from "./dom.js";

/** How long a trace is seen, in ms. */
const TRACE = 900;
const STEP = 0.01;
const COARSE = 0.1;

/** @param {number} value */
const limited = (value) => Math.min(1, Math.max(0, value));
/** @param {number} value a place of the cursor, in whole hundredths */
const rounded = (value) => Math.round(limited(value) * 100) / 100;

/**
 * @typedef {object} PadParts
 * @property {string} id
 * @property {string} label what a screen reader calls it
 * @property {string} keys the id of the words that describe its keys
 * @property {string} up the name of the vertical axis
 * @property {string} across the name of the horizontal axis
 * @property {{ x: number, y: number }} cursor where the cursor begins
 * @property {(context: CanvasRenderingContext2D, width: number, height: number) => void} under draws what lies below
 * @property {(source: string, x: number, y: number, at: number) => void} [down] at a time of the page's clock, in ms
 * @property {(source: string, x: number, y: number, at: number) => void} [move]
 * @property {(source: string, at: number) => void} [lifted]
 * @property {() => void} [tap]
 * @property {(x: number, y: number, byKey: boolean) => void} cursorMoved
 */

export class Pad {
  cursor;
  #parts;
  #canvas = h("canvas", { class: "pad-canvas", "aria-hidden": "true" });
  #surface;
  #acrossLabels = h("div", { class: "pad-across" });
  #upLabels = h("div", { class: "pad-up" });
  /** @type {Map<number, string>} pointers that are down */
  #pointers = new Map();
  #isSpaceDown = false;
  /** @type {Map<number, { x: number, y: number, isHeld: boolean, trail: { x: number, y: number, at: number }[] }>} */
  #fingers = new Map();
  /** @type {{ x: number, y: number, at: number }[][]} trails of fingers that are gone */
  #gone = [];
  /** @type {{ x: number, y: number, at: number }[]} */
  #taps = [];
  #frame = 0;
  #sizes;

  /** @param {PadParts} parts */
  constructor(parts) {
    this.#parts = parts;
    this.cursor = { ...parts.cursor };
    this.#surface = h("div", {
      class: "pad", id: parts.id, tabindex: 0, role: "application", "aria-label": parts.label, "aria-describedby": parts.keys,
      "aria-roledescription": "pad", onkeydown: this.#keyDown, onkeyup: this.#keyUp, onblur: () => this.#letSpace(),
      onpointerdown: this.#pointerDown, onpointermove: this.#pointerMove, oncontextmenu: (/** @type {Event} */ event) => event.preventDefault(),
    }, this.#canvas);
    this.element = h("div", { class: "pad-frame" }, h("div", { class: "pad-name-up" }, parts.up), this.#upLabels, this.#surface,
      this.#acrossLabels, h("div", { class: "pad-name-across" }, parts.across));
    this.#sizes = new ResizeObserver(() => this.draw());
    this.#sizes.observe(this.#surface);
    document.addEventListener("colours", this.draw);
    // Wherever a pointer is let go, and whoever has captured it by then.
    addEventListener("pointerup", this.#pointerUp, true);
    addEventListener("pointercancel", this.#pointerUp, true);
  }

  /**
   * Numbers at the edges: a place of 0...1 and its lines of text.
   *
   * @param {[number, string[]][]} across
   * @param {[number, string][]} up
   */
  label(across, up) {
    this.#acrossLabels.replaceChildren(...across.map(([place, lines]) => {
      const label = h("span", null, lines.map((one) => h("span", null, one)));
      label.style.left = `${100 * place}%`;
      label.style.transform = `translateX(${-100 * place}%)`;
      return label;
    }));
    this.#upLabels.replaceChildren(...up.map(([place, text]) => {
      const label = h("span", null, text);
      label.style.top = `${100 * (1 - place)}%`;
      label.style.transform = `translateY(${-100 * (1 - place)}%)`;
      return label;
    }));
  }

  /** @param {number} x @param {number} y @param {boolean} [byKey] */
  place(x, y, byKey = false) {
    this.cursor.x = limited(x);
    this.cursor.y = limited(y);
    this.#parts.cursorMoved(this.cursor.x, this.cursor.y, byKey);
    this.draw();
  }

  /** @param {PointerEvent} event @returns {[number, number]} */
  #placeOf(event) {
    const box = this.#surface.getBoundingClientRect();
    return [limited((event.clientX - box.left) / box.width), limited(1 - (event.clientY - box.top) / box.height)];
  }

  #pointerDown = (/** @type {PointerEvent} */ event) => {
    if (event.button !== 0) return;
    const [x, y] = this.#placeOf(event), source = `pointer ${event.pointerId}`;
    // The focus is where the hand is, so that keys go on from there.
    this.#surface.focus({ preventScroll: true });
    // Of a finger it would keep the moves of all others from this page, in Firefox.
    if (event.pointerType !== "touch") event.preventDefault();
    this.#surface.setPointerCapture(event.pointerId);
    this.#pointers.set(event.pointerId, source);
    this.place(x, y);
    this.#parts.down?.(source, x, y, event.timeStamp);
  };

  #pointerMove = (/** @type {PointerEvent} */ event) => {
    const source = this.#pointers.get(event.pointerId);
    if (!source) return;
    const [x, y] = this.#placeOf(event);
    this.place(x, y);
    this.#parts.move?.(source, x, y, event.timeStamp);
  };

  #pointerUp = (/** @type {PointerEvent} */ event) => {
    const source = this.#pointers.get(event.pointerId);
    this.#pointers.delete(event.pointerId);
    if (source) this.#parts.lifted?.(source, event.timeStamp);
  };

  #keyDown = (/** @type {KeyboardEvent} */ event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const step = event.shiftKey ? COARSE : STEP;
    const [dx, dy] = { ArrowLeft: [-step, 0], ArrowRight: [step, 0], ArrowUp: [0, step], ArrowDown: [0, -step] }[event.key] ?? [0, 0];
    if (dx || dy) {
      event.preventDefault();
      this.place(rounded(this.cursor.x + dx), rounded(this.cursor.y + dy), true);
      if (this.#isSpaceDown) this.#parts.move?.("space", this.cursor.x, this.cursor.y, event.timeStamp);
    } else if (event.key === " " && this.#parts.down) {
      event.preventDefault();
      if (event.repeat || this.#isSpaceDown) return;
      this.#isSpaceDown = true;
      this.#parts.down("space", this.cursor.x, this.cursor.y, event.timeStamp);
    } else if (event.key === "Enter" && this.#parts.tap) {
      event.preventDefault();
      if (!event.repeat) this.#parts.tap();
    }
  };

  #keyUp = (/** @type {KeyboardEvent} */ event) => {
    if (event.key !== " " || !this.#parts.down) return;
    event.preventDefault();
    this.#letSpace();
  };

  #letSpace() {
    if (!this.#isSpaceDown) return;
    this.#isSpaceDown = false;
    this.#parts.lifted?.("space", performance.now());
  }

  /** Forgets what is down: whoever calls it has lifted it. */
  forget() {
    this.#pointers.clear();
    this.#isSpaceDown = false;
  }

  focus() {
    this.#surface.focus();
  }

  /**
   * Shows what a finger does, whatever it comes from.
   *
   * @param {"tap" | "touch" | "lift"} kind
   * @param {number} number
   * @param {number} x
   * @param {number} y
   */
  show(kind, number, x, y) {
    const at = performance.now(), finger = this.#fingers.get(number);
    if (kind === "lift") {
      if (finger && !wantsStill()) this.#gone.push(finger.trail);
      this.#fingers.delete(number);
    } else if (kind === "tap") this.#taps.push({ x, y, at });
    else if (finger) {
      Object.assign(finger, { x, y });
      finger.trail.push({ x, y, at });
    } else this.#fingers.set(number, { x, y, isHeld: true, trail: [{ x, y, at }] });
    this.draw();
  }

  draw = () => {
    this.#frame ||= requestAnimationFrame(this.#paint);
  };

  #paint = () => {
    this.#frame = 0;
    const box = this.#surface.getBoundingClientRect(), scale = devicePixelRatio || 1, now = performance.now();
    const width = Math.round(box.width), height = Math.round(box.height);
    if (!width || !height) return;
    if (this.#canvas.width !== Math.round(width * scale) || this.#canvas.height !== Math.round(height * scale)) {
      this.#canvas.width = Math.round(width * scale);
      this.#canvas.height = Math.round(height * scale);
    }
    const context = /** @type {CanvasRenderingContext2D} */ (this.#canvas.getContext("2d"));
    context.setTransform(scale, 0, 0, scale, 0, 0);
    context.clearRect(0, 0, width, height);
    this.#parts.under(context, width, height);
    context.strokeStyle = colour("grid");
    context.lineWidth = 1;
    context.beginPath();
    for (const place of [0.25, 0.5, 0.75]) {
      context.moveTo(Math.round(place * width) + 0.5, 0);
      context.lineTo(Math.round(place * width) + 0.5, height);
      context.moveTo(0, Math.round(place * height) + 0.5);
      context.lineTo(width, Math.round(place * height) + 0.5);
    }
    context.stroke();
    const isStill = wantsStill();
    const fades = [...this.#gone, ...[...this.#fingers.values()].map((one) => one.trail)];
    context.strokeStyle = colour("intensity");
    context.lineWidth = 3;
    for (const trail of fades) {
      if (!isStill) while (trail.length && now - trail[0].at > TRACE) trail.shift();
      else if (trail.length > 600) trail.splice(0, trail.length - 600);
      for (let k = 1; k < trail.length; k += 1) {
        context.globalAlpha = isStill ? 0.6 : Math.max(0, 1 - (now - trail[k].at) / TRACE);
        context.beginPath();
        context.moveTo(trail[k - 1].x * width, (1 - trail[k - 1].y) * height);
        context.lineTo(trail[k].x * width, (1 - trail[k].y) * height);
        context.stroke();
      }
    }
    this.#gone = this.#gone.filter((one) => one.length > 0);
    this.#taps = this.#taps.filter((one) => now - one.at < TRACE / 2);
    context.strokeStyle = colour("sharpness");
    for (const tap of this.#taps) {
      const age = isStill ? 0 : (now - tap.at) / (TRACE / 2);
      context.globalAlpha = 1 - age;
      context.beginPath();
      context.arc(tap.x * width, (1 - tap.y) * height, 9 + 14 * age, 0, 2 * Math.PI);
      context.stroke();
    }
    context.globalAlpha = 1;
    for (const [number, finger] of this.#fingers) {
      const [x, y] = [finger.x * width, (1 - finger.y) * height];
      context.fillStyle = colour("intensity");
      context.beginPath();
      context.arc(x, y, 13, 0, 2 * Math.PI);
      context.fill();
      context.fillStyle = colour("surface");
      context.font = "600 13px system-ui, sans-serif";
      context.textAlign = "center";
      context.textBaseline = "middle";
      context.fillText(String(number), x, y + 0.5);
    }
    // The cursor, for keys: a cross with a ring, where no finger lies on it.
    const [x, y] = [this.cursor.x * width, (1 - this.cursor.y) * height];
    if (![...this.#fingers.values()].some((one) => Math.hypot(one.x * width - x, (1 - one.y) * height - y) < 13)) {
      context.strokeStyle = colour("ink");
      context.lineWidth = 1.5;
      context.beginPath();
      context.arc(x, y, 7, 0, 2 * Math.PI);
      for (const [dx, dy] of [[1, 0], [-1, 0], [0, 1], [0, -1]]) {
        context.moveTo(x + 4 * dx, y + 4 * dy);
        context.lineTo(x + 12 * dx, y + 12 * dy);
      }
      context.stroke();
    }
    // What fades is drawn again; without motion a tap is taken away once.
    if (this.#gone.length || this.#taps.length || fades.some((one) => one.length > 1)) {
      if (!isStill) this.draw();
      else if (this.#taps.length) setTimeout(this.draw, TRACE / 2);
    }
  };

  close() {
    cancelAnimationFrame(this.#frame);
    this.#sizes.disconnect();
    document.removeEventListener("colours", this.draw);
    removeEventListener("pointerup", this.#pointerUp, true);
    removeEventListener("pointercancel", this.#pointerUp, true);
  }
}
