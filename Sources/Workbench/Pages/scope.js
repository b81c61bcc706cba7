// SPDX-License-Identifier: Apache-2.0
// Waves that scroll. Each column of pixels is drawn once into a strip that is a ring; a frame copies two parts of it.
import { colour, h, wantsStill } from "./dom.js";
import { clock, significant, ticks, unitSign } from "./format.js";
import { restOf, WaveBuffer } from "./waves.js";

/** @typedef {{ frame: number, text?: string, kind: "take" | "loss" }} Mark */

const AXIS = 20, HEAD = 18;

/** How long the script of the last frames took, in ms; .ci/browser/workbench.py reads it. */
const frameTimes = new Float32Array(1024);
let frameCount = 0;
let between = 0;
/** @param {number} spent */
function keepTime(spent) {
  frameTimes[frameCount % frameTimes.length] = spent + between;
  frameCount += 1;
  between = 0;
}

/**
 * Does something between frames; its time counts for the next one.
 *
 * @template T
 * @param {() => T} act
 * @returns {T}
 */
export function timed(act) {
  const start = performance.now();
  try {
    return act();
  } finally {
    between += performance.now() - start;
  }
}
Object.assign(window, {
  haprigFrameCount: () => frameCount,
  haprigFrames: (count = frameTimes.length) => Array.from(
    { length: Math.min(count, frameCount, frameTimes.length) }, (_, k) => frameTimes[(frameCount - 1 - k) % frameTimes.length]),
});

/**
 * The next of 1, 1.5, 2, 3, 5, 7 times a power of ten: a wave fills most of its lane.
 *
 * @param {number} value
 */
function finer(value) {
  const power = 10 ** Math.floor(Math.log10(value));
  return power * ([1, 1.5, 2, 3, 5, 7].find((step) => step * power >= value * (1 - 1e-9)) ?? 10);
}

/**
 * The lowest, the highest and the middle of pairs.
 *
 * @param {Float32Array} pairs
 * @param {[number, number, number]} into
 */
export function spanOf(pairs, into) {
  let low = Infinity, high = -Infinity, sum = 0, count = 0;
  for (let k = 0; k < pairs.length; k += 1) {
    if (pairs[k] !== pairs[k]) continue;
    if (pairs[k] < low) low = pairs[k];
    if (pairs[k] > high) high = pairs[k];
    sum += pairs[k];
    count += 1;
  }
  into[0] = count ? low : 0;
  into[1] = count ? high : 0;
  into[2] = count ? sum / count : 0;
}

export class Scope {
  /** @param {(frames: { from: number, to: number }) => void} moved told when the window is moved by hand */
  constructor(moved) {
    this.moved = moved;
    this.buffer = new WaveBuffer();
    /** @type {API.Channel[]} */
    this.channels = [];
    /** @type {string[]} */
    this.colours = [];
    /** @type {number[]} the upper end of each lane's axis, from what it stands at */
    this.ranges = [];
    /** @type {number[]} what each channel stands at */
    this.rests = [];
    /** @type {[number, number, number]} */
    this.triple = [0, 0, 0];
    this.full = false;
    this.seconds = 10;
    this.rate = 48000;
    this.follows = true;
    /** Where a window that does not follow begins, in seconds. */
    this.from = 0;
    /** @type {API.Waves | undefined} what such a window shows */
    this.still = undefined;
    /** @type {Mark[]} */
    this.marks = [];
    this.live = true;
    this.canvas = h("canvas", { class: "scope-canvas" });
    this.element = h("div", {
      class: "scope", tabindex: "0", role: "group",
      "aria-label": "Waves. Arrow keys move, plus and minus change the time shown, F follows.",
    }, this.canvas);
    this.strip = document.createElement("canvas");
    this.context = /** @type {CanvasRenderingContext2D} */ (this.canvas.getContext("2d"));
    this.ink = /** @type {CanvasRenderingContext2D} */ (this.strip.getContext("2d"));
    this.width = 0;
    this.height = 0;
    this.ratio = 1;
    /** The columns that the strip holds: from `drawn - width` up to `drawn`. */
    this.drawn = 0;
    /** @type {number[]} up to which column each channel is drawn */
    this.columns = [];
    this.edge = 0;
    this.speed = 0;
    this.last = 0;
    this.generation = -1;
    this.framesPerColumn = 1;
    /** @type {[number, number]} */
    this.pair = [0, 0];
    this.observer = new ResizeObserver(() => this.resize());
    this.observer.observe(this.element);
    this.repaint = () => { this.generation = -1; };
    document.addEventListener("colours", this.repaint);
    /** @type {(() => void)[]} what else is drawn in a frame */
    this.others = [];
    this.ask = requestAnimationFrame((now) => this.frame(now));
    this.stillAt = 0;
  }

  close() {
    cancelAnimationFrame(this.ask);
    this.observer.disconnect();
    document.removeEventListener("colours", this.repaint);
  }

  /**
   * @param {API.Channel[]} channels
   * @param {number} rate
   * @param {string[]} colours
   */
  show(channels, rate, colours) {
    this.channels = channels;
    this.rate = rate || 48000;
    this.colours = colours;
    this.ranges = channels.map(() => 0);
    this.rests = channels.map(() => 0);
    this.element.style.setProperty("--lanes", String(Math.max(1, channels.length)));
    this.generation = -1;
    this.resize();
  }

  resize() {
    const box = this.element.getBoundingClientRect();
    const ratio = Math.min(2, window.devicePixelRatio || 1);
    const width = Math.max(64, Math.floor(box.width * ratio)), height = Math.max(64, Math.floor(box.height * ratio));
    if (width === this.width && height === this.height) return;
    this.width = width;
    this.height = height;
    this.ratio = ratio;
    this.canvas.width = width;
    this.canvas.height = height;
    this.strip.width = width;
    this.strip.height = height;
    this.generation = -1;
    this.stillAt = 0;
  }

  /** The frames that are to be seen now. */
  get window() {
    const frames = this.seconds * this.rate;
    const from = this.follows ? this.edge - frames : this.from * this.rate;
    return { from, to: from + frames };
  }

  /** @param {API.Waves} waves */
  add(waves) {
    const before = this.buffer.head;
    this.buffer.add(waves);
    if (this.buffer.generation !== this.generation || before === 0) return;
    const now = performance.now();
    const gone = (now - this.last) / 1000;
    if (this.buffer.head > before && gone > 0) {
      const speed = (this.buffer.head - before) / gone;
      // A virtual clock may run at any speed; a block that came late must not make a jump.
      this.speed += (Math.min(speed, 4 * Math.max(this.speed, this.rate)) - this.speed) * Math.min(1, 2 * gone);
    }
    this.last = now;
  }

  /** @param {number} now */
  frame(now) {
    this.ask = requestAnimationFrame((next) => this.frame(next));
    const start = performance.now();
    // Who wants little motion gets two pictures a second.
    if (wantsStill() && now - this.stillAt < 500) return;
    const step = Math.min(0.1, (now - (this.before ?? now)) / 1000);
    this.before = now;
    this.stillAt = now;
    if (this.follows) {
      this.#move(step);
      this.#scroll();
    } else this.#drawStill();
    for (const other of this.others) other();
    keepTime(performance.now() - start);
  }

  /**
   * Moves the right edge evenly towards what is known.
   *
   * @param {number} step
   */
  #move(step) {
    const head = this.buffer.head;
    const behind = head - this.edge;
    if (behind < 0 || behind > 2 * this.seconds * this.rate || this.generation !== this.buffer.generation
      || wantsStill()) {
      this.edge = head;
      return;
    }
    // A tenth of a second behind there is always something to show, however blocks come.
    const aim = head - 0.1 * Math.max(this.speed, this.rate);
    const wanted = this.live ? this.speed + 3 * (aim - this.edge) : 8 * behind;
    this.edge = Math.min(head, this.edge + Math.max(0, wanted) * step);
  }

  /** @param {number} lane @returns {[number, number]} top and height of its waves, in pixels */
  #lane(lane) {
    const count = Math.max(1, this.channels.length);
    const space = (this.height - AXIS * this.ratio) / count;
    const head = HEAD * this.ratio;
    return [Math.round(lane * space + head), Math.round(space - head - 2 * this.ratio)];
  }

  /**
   * The range that a lane needs, in steps of 1, 2, 5.
   *
   * @param {number} lane
   * @param {boolean} anew whether what it stands at is looked at again
   */
  #fit(lane, anew) {
    const channel = this.channels[lane], [low, high, middle] = this.triple;
    if (anew) this.rests[lane] = this.full ? 0 : restOf(low, high, middle);
    const rest = this.rests[lane], peak = Math.max(high - rest, rest - low);
    if (this.full && channel?.fullScale) {
      if (this.ranges[lane] === channel.fullScale) return false;
      this.ranges[lane] = channel.fullScale;
      return true;
    }
    if (peak > this.ranges[lane] || this.ranges[lane] === 0) {
      // What is silent is a line, not the last bit of its converter.
      const range = finer(Math.max(peak * 1.05, 1e-4 * (channel?.side === "drive" ? channel.fullScale ?? 0 : 0), 1e-6));
      if (range === this.ranges[lane]) return false;
      this.ranges[lane] = range;
      return true;
    }
    return false;
  }

  /** Chooses ranges anew from what is to be seen. */
  fit() {
    this.ranges = this.channels.map(() => 0);
    this.generation = -1;
  }

  #scroll() {
    const { buffer } = this;
    if (buffer.framesPerBin === 0 || this.channels.length === 0) {
      this.#ground(0, this.seconds);
      return;
    }
    const perColumn = this.seconds * this.rate / this.width;
    let anew = this.generation !== buffer.generation || perColumn !== this.framesPerColumn;
    if (anew) {
      this.generation = buffer.generation;
      this.framesPerColumn = perColumn;
      if (this.edge === 0) this.edge = buffer.head;
    }
    for (let lane = 0; lane < buffer.low.length; lane += 1) {
      buffer.extent(lane, anew ? this.seconds : 0.5, this.triple);
      if (this.#fit(lane, anew)) anew = true;
    }
    const right = Math.floor(this.edge / perColumn);
    if (anew) {
      this.ink.clearRect(0, 0, this.width, this.height);
      this.columns = buffer.low.map(() => right - this.width);
      this.drawn = right - this.width;
    }
    this.#clean(right);
    for (let lane = 0; lane < buffer.low.length; lane += 1) this.#columns(lane, right, perColumn);
    this.#ground((right - this.width) * perColumn / this.rate, right * perColumn / this.rate);
    const context = this.context;
    const split = ((right % this.width) + this.width) % this.width;
    const bottom = this.height - AXIS * this.ratio;
    if (split < this.width) {
      context.drawImage(this.strip, split, 0, this.width - split, bottom, 0, 0, this.width - split, bottom);
    }
    if (split > 0) context.drawImage(this.strip, 0, 0, split, bottom, this.width - split, 0, split, bottom);
    this.#overlay((right - this.width) * perColumn, right * perColumn);
  }

  /**
   * Clears the columns of the ring that come into view.
   *
   * @param {number} right
   */
  #clean(right) {
    const count = Math.min(this.width, right - this.drawn);
    if (count <= 0) return;
    const first = (((right - count) % this.width) + this.width) % this.width;
    const straight = Math.min(count, this.width - first);
    this.ink.clearRect(first, 0, straight, this.height);
    if (count > straight) this.ink.clearRect(0, 0, count - straight, this.height);
    this.drawn = right;
  }

  /** @param {number} lane @param {number} right @param {number} perColumn */
  #columns(lane, right, perColumn) {
    const { buffer, ink, pair } = this;
    const head = Math.floor(buffer.heads[lane] * buffer.framesPerBin / perColumn);
    const end = Math.min(right, head);
    const start = Math.max(this.columns[lane] ?? 0, right - this.width, 0);
    if (end <= start) return;
    const [top, height] = this.#lane(lane);
    const scale = height / 2 / this.ranges[lane], middle = top + height / 2 + this.rests[lane] * scale;
    const thick = Math.max(1, this.ratio);
    ink.fillStyle = colour(this.colours[lane]);
    ink.beginPath();
    for (let column = start; column < end; column += 1) {
      buffer.range(lane, column * perColumn, (column + 1) * perColumn, pair);
      if (pair[0] !== pair[0]) continue;
      const high = Math.max(top, middle - pair[1] * scale), low = Math.min(top + height, middle - pair[0] * scale);
      const x = column % this.width;
      ink.rect(x, high - thick / 2, 1, Math.max(thick, low - high + thick));
    }
    ink.fill();
    this.columns[lane] = end;
  }

  /**
   * Ground, grid and names.
   *
   * @param {number} from
   * @param {number} to
   */
  #ground(from, to) {
    const { context, ratio, width, height } = this;
    context.clearRect(0, 0, width, height);
    const bottom = height - AXIS * ratio;
    context.lineWidth = ratio;
    const { places, decimals } = ticks(from, to, Math.max(3, width / ratio / 110));
    context.strokeStyle = colour("grid");
    context.fillStyle = colour("muted");
    context.font = `${11 * ratio}px system-ui, sans-serif`;
    context.textBaseline = "middle";
    context.beginPath();
    for (const place of places) {
      if (place < 0) continue;
      const x = Math.round((place - from) / (to - from) * width) + 0.5;
      context.moveTo(x, 0);
      context.lineTo(x, bottom);
      context.textAlign = x < 24 * ratio ? "left" : x > width - 24 * ratio ? "right" : "center";
      context.fillText(clock(place, decimals), x, height - AXIS * ratio / 2 + ratio);
    }
    context.stroke();
    context.strokeStyle = colour("zero");
    context.beginPath();
    this.channels.forEach((_, lane) => {
      const [top, size] = this.#lane(lane);
      const middle = Math.round(top + size / 2) + 0.5;
      context.moveTo(0, middle);
      context.lineTo(width, middle);
    });
    context.stroke();
  }

  /** @param {number} from @param {number} to frames */
  #overlay(from, to) {
    const { context, ratio, width, height } = this;
    const bottom = height - AXIS * ratio;
    context.font = `600 ${11 * ratio}px system-ui, sans-serif`;
    context.textBaseline = "middle";
    context.textAlign = "left";
    const free = { take: -Infinity, loss: -Infinity };
    for (const mark of this.marks) {
      if (mark.frame < from || mark.frame > to) continue;
      const x = Math.round((mark.frame - from) / (to - from) * width) + 0.5;
      context.strokeStyle = colour(mark.kind === "loss" ? "fail" : "zero");
      context.lineWidth = mark.kind === "loss" ? 2 * ratio : ratio;
      context.beginPath();
      context.moveTo(x, 0);
      context.lineTo(x, bottom);
      context.stroke();
      // Names that would lie over each other are left out.
      if (!mark.text || x < free[mark.kind]) continue;
      free[mark.kind] = x + context.measureText(mark.text).width + 10 * ratio;
      context.fillStyle = colour(mark.kind === "loss" ? "fail" : "muted");
      context.fillText(mark.text, x + 4 * ratio, bottom - (mark.kind === "loss" ? 8 : 20) * ratio);
    }
    for (let lane = 0; lane < this.channels.length; lane += 1) {
      const channel = this.channels[lane];
      const [top, size] = this.#lane(lane);
      const y = top - HEAD * ratio / 2;
      context.fillStyle = colour(this.colours[lane]);
      context.fillRect(8 * ratio, y - ratio, 12 * ratio, 2.5 * ratio);
      context.fillStyle = colour("ink");
      context.fillText(channel.name, 26 * ratio, y);
      const range = this.ranges[lane], unit = unitSign(channel.unit);
      const text = range > 0 ? `± ${significant(range)}${unit ? ` ${unit}` : " of full scale"}${
        channel.volts ? ` (${significant(range * channel.volts)} V)` : ""}${
        this.rests[lane] ? ` about ${significant(this.rests[lane])}` : ""}` : "";
      context.fillStyle = colour("muted");
      context.textAlign = "right";
      context.fillText(text, width - 8 * ratio, y);
      context.textAlign = "left";
      const full = channel.fullScale;
      if (full && this.ranges[lane] >= full) {
        context.strokeStyle = colour("fail");
        context.setLineDash([2 * ratio, 3 * ratio]);
        context.lineWidth = ratio;
        context.beginPath();
        for (const side of [-1, 1]) {
          const place = top + size / 2 - (side * full - this.rests[lane]) / this.ranges[lane] * size / 2;
          context.moveTo(0, place);
          context.lineTo(width, place);
        }
        context.stroke();
        context.setLineDash([]);
      }
    }
  }

  #drawStill() {
    const { from, to } = this.window;
    this.#ground(from / this.rate, to / this.rate);
    const waves = this.still;
    if (waves) {
      const { header, bins, data } = waves;
      for (let lane = 0; lane < Math.min(data.length, this.channels.length); lane += 1) {
        const pairs = data[lane];
        spanOf(pairs, this.triple);
        this.#fit(lane, this.ranges[lane] === 0);
        const [top, height] = this.#lane(lane);
        const scale = height / 2 / this.ranges[lane], middle = top + height / 2 + this.rests[lane] * scale;
        this.context.fillStyle = colour(this.colours[lane]);
        this.context.beginPath();
        const wide = header.framesPerBin / (to - from) * this.width;
        for (let k = 0; k < bins; k += 1) {
          if (pairs[2 * k] !== pairs[2 * k]) continue;
          const x = (header.from + k * header.framesPerBin - from) / (to - from) * this.width;
          if (x < -wide || x > this.width) continue;
          const high = Math.max(top, middle - pairs[2 * k + 1] * scale);
          const low = Math.min(top + height, middle - pairs[2 * k] * scale);
          this.context.rect(x, high - 0.5, Math.max(1, wide), Math.max(this.ratio, low - high + 1));
        }
        this.context.fill();
      }
    }
    this.#overlay(from, to);
  }
}
