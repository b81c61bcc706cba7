// SPDX-License-Identifier: Apache-2.0
// The timeline: three canvases over each other. What stands, what is picked and dragged, what moves with the time.
import { colour, h, wantsStill } from "./dom.js";
import { endOf, envelopeSeconds, has, isSustained, PARAMETERS, valueOf } from "./edits.js";
import { clock, fixed, significant, ticks, unitSign } from "./format.js";
import { PatternModel, SHADES } from "./pattern_model.js";
import { Hands } from "./timeline_hands.js";

/** @typedef {import("./pattern_model.js").Lane} Lane */
/** @typedef {{ id: string, name: string, y: number, height: number, parameter?: string, wave?: Wave }} Row */
/** @typedef {{ id: string, name: string, colour: string, unit: string, traces: Trace[], range?: number }} Wave */
/** @typedef {{ pairs: Float32Array, from: number, step: number, colour: string, rest?: number, isOne?: boolean }} Trace seconds of the pattern */
/** @typedef {{ from: number, to: number }} Span */

/**
 * @typedef {object} Owner what the timeline asks of its editor
 * @property {(picked: Set<number>, active: number | undefined) => void} pick
 * @property {(curve: number, points: Set<number>) => void} pickPoints
 * @property {(label: string, make: (entries: API.Entry[], picked: number[]) => API.Operation[]) => void} edit
 * @property {(time: number) => void} head
 * @property {(span: Span | undefined) => void} loop
 * @property {(text: string) => void} hover
 * @property {() => void} viewed
 * @property {() => string} tool
 * @property {(time: number, isFree: boolean) => number} even nearest moment of grid and beats, or the time itself
 * @property {() => { events: boolean, onsets: boolean }} snaps
 */

export const RULER = 26;
/** Below the events' ground is a strip for their verdicts. */
const FOOT = 14, HAPTIC = 132 + FOOT, AUDIO = 56, CONTROL = 72, WAVE = 72, GAP = 4, SHORTEST_VIEW = 0.004;
/** More events than these in view are drawn by columns of pixels. */
const MOST_DETAIL = 600;

export class Timeline {
  /** @param {Owner} owner */
  constructor(owner) {
    this.owner = owner;
    this.model = new PatternModel([]);
    this.view = { from: -0.02, to: 1 };
    this.head = 0;
    /** @type {Span | undefined} */
    this.loop = undefined;
    /** @type {Set<number>} */
    this.picked = new Set();
    /** @type {{ curve: number, points: Set<number> } | undefined} */
    this.points = undefined;
    /**
     * Marks by entry: what an actuator cannot follow, and what the linter found.
     *
     * @type {Map<number, { sign: string, colour: string }>}
     */
    this.marks = new Map();
    /** @type {Map<number, { sign: string, colour: string }>} */
    this.verdicts = new Map();
    /** @type {{ sharpness: number[], intensity: number[] } | undefined} */
    this.gamut = undefined;
    /** @type {Wave[]} */
    this.waves = [];
    /** @type {Map<string, { pairs: Float32Array, step: number, onsets: number[], beats?: number[], heard?: string }>} sounds by path; of one that was heard by a composition its digest */
    this.sounds = new Map();
    /** @type {{ entries: API.Entry[], signs: { time: number, sign: string, colour: string }[] } | undefined} what would come */
    this.preview = undefined;
    /**
     * Controls that are shown before they have a curve.
     *
     * @type {string[]}
     */
    this.wanted = [];
    /** @type {Row[]} */
    this.rows = [];
    this.width = 300;
    this.height = 200;
    this.layers = ["still", "picked", "moving"].map((name) => h("canvas", { class: `timeline-canvas ${name}`, "aria-hidden": "true" }));
    const context = (/** @type {number} */ layer) => /** @type {CanvasRenderingContext2D} */ (this.layers[layer].getContext("2d"));
    this.still = context(0);
    this.over = context(1);
    this.moving = context(2);
    this.element = h("div", {
      class: "timeline", tabindex: "0", role: "group", "data-key": "timeline",
      "aria-label": "Timeline. Up and down go through the events, left and right move them, plus and minus zoom, 0 shows all, question mark lists all keys.",
    }, this.layers);
    this.dirty = 7;
    this.asked = 0;
    this.observer = new ResizeObserver(() => this.resize());
    this.observer.observe(this.element);
    this.repaint = () => {
      this.shades = undefined;
      this.redraw();
    };
    /** @type {string[] | undefined} */
    this.shades = undefined;
    document.addEventListener("colours", this.repaint);
    this.columns = new Float32Array(0);
    this.shadeOf = new Uint8Array(0);
    this.free = new Int32Array(0);
    this.hands = new Hands(this);
    this.layout();
  }

  close() {
    cancelAnimationFrame(this.asked);
    this.observer.disconnect();
    document.removeEventListener("colours", this.repaint);
  }

  /** @param {API.Entry[]} entries */
  show(entries) {
    this.model = new PatternModel(entries);
    this.layout();
  }

  /** The rows from top to bottom. */
  layout() {
    let y = RULER;
    /** @type {Row[]} */
    const rows = [];
    const add = (/** @type {string} */ id, /** @type {string} */ name, /** @type {number} */ height, more = {}) => {
      rows.push({ id, name, y, height, ...more });
      y += height + GAP;
    };
    add("haptic", "Taps and holds", HAPTIC);
    if (this.model.audio.count > 0) add("audio", "Sounds", AUDIO);
    const coming = (this.preview?.entries ?? []).flatMap((one) => (one.kind === "curve" && one.parameter) || []);
    for (const id of new Set([...this.model.controls.keys(), ...this.wanted, ...coming])) add(`control-${id}`, PARAMETERS[id]?.name ?? id, CONTROL, { parameter: id });
    for (const wave of this.waves) add(`wave-${wave.id}`, wave.name, WAVE, { wave });
    this.rows = rows;
    if (this.height !== y) {
      this.height = y;
      this.element.style.height = `${y}px`;
    }
    this.resize();
  }

  /** @param {Timeline["preview"]} preview what would come */
  showPreview(preview) {
    const rows = (/** @type {Timeline["preview"]} */ one) => new Set((one?.entries ?? []).flatMap(({ kind, parameter }) => kind === "curve" ? [parameter] : []));
    const [before, after] = [rows(this.preview), rows(preview)];
    this.preview = preview;
    // What stands is drawn again where it stands elsewhere.
    if (before.size !== after.size || [...after].some((id) => !before.has(id))) this.layout();
    else this.redraw(2);
  }

  resize() {
    const ratio = Math.min(2, window.devicePixelRatio || 1), width = Math.max(120, this.element.clientWidth);
    this.width = width;
    for (const canvas of this.layers) {
      const [w, high] = [Math.round(width * ratio), Math.round(this.height * ratio)];
      if (canvas.width !== w || canvas.height !== high) {
        canvas.width = w;
        canvas.height = high;
      }
      canvas.getContext("2d")?.setTransform(ratio, 0, 0, ratio, 0, 0);
    }
    this.redraw();
  }

  /** @param {number} [layers] 1 what stands, 2 what is picked, 4 what moves */
  redraw(layers = 7) {
    this.dirty |= layers;
    if (!this.asked) {
      this.asked = requestAnimationFrame(() => {
        this.asked = 0;
        const now = this.dirty;
        this.dirty = 0;
        if (now & 1) this.#drawStill();
        if (now & 3) this.#drawPicked();
        this.#drawMoving();
      });
    }
  }

  // Time and pixels.

  get scale() { return this.width / (this.view.to - this.view.from); }
  /** @param {number} time */
  x(time) { return (time - this.view.from) * this.scale; }
  /** @param {number} x */
  time(x) { return this.view.from + x / this.scale; }
  get most() { return Math.max(1, 1.25 * this.seconds + 0.5); }
  /** How long it is with the sounds that are known. */
  get seconds() {
    const { audio, entries } = this.model;
    let most = this.model.seconds;
    for (let k = 0; k < audio.count; k += 1) {
      const { path, duration } = entries[audio.entry[k]], sound = path ? this.sounds.get(path) : undefined;
      if (sound && duration === undefined) most = Math.max(most, audio.start[k] + sound.pairs.length / 2 * sound.step);
    }
    return most;
  }
  /** Whether all of it is seen. */
  get isWhole() { return this.view.from <= 0 && this.view.to >= this.seconds; }

  /** @param {number} from @param {number} to */
  look(from, to) {
    const span = Math.min(1.1 * this.most, Math.max(SHORTEST_VIEW, to - from));
    const margin = span * 0.05;
    from = Math.min(Math.max(from, -margin), Math.max(-margin, this.most - span));
    if (from === this.view.from && from + span === this.view.to) return false;
    this.view = { from, to: from + span };
    this.redraw();
    this.owner.viewed();
    return true;
  }

  /** @param {number} factor @param {number} [at] the moment that stays */
  zoom(factor, at = (this.view.from + this.view.to) / 2) {
    return this.look(at - (at - this.view.from) * factor, at + (this.view.to - at) * factor);
  }

  /** @param {number} by a share of what is shown */
  pan(by) {
    const span = this.view.to - this.view.from;
    return this.look(this.view.from + by * span, this.view.to + by * span);
  }

  /** @param {Span} [span] */
  fit(span = { from: 0, to: Math.max(0.1, this.seconds) }) {
    const margin = Math.max(0.005, (span.to - span.from) * 0.04);
    this.look(span.from - margin, span.to + margin);
  }

  /** @param {number} time */
  reveal(time) {
    if (time >= this.view.from && time <= this.view.to) return;
    const span = this.view.to - this.view.from;
    this.look(time - 0.2 * span, time + 0.8 * span);
  }

  /** @param {Row} row @param {number} level 0 to 1, or of a control within its range */
  y(row, level) {
    const [low, high] = this.rangeOf(row), height = row.height - (row.id === "haptic" ? FOOT : 0);
    return row.y + height - 4 - (level - low) / (high - low) * (height - 22);
  }

  /** @param {Row} row @param {number} y */
  level(row, y) {
    const [low, high] = this.rangeOf(row), height = row.height - (row.id === "haptic" ? FOOT : 0);
    return low + (row.y + height - 4 - y) / (height - 22) * (high - low);
  }

  /** @param {Row} row @returns {[number, number]} */
  rangeOf(row) {
    const known = row.parameter ? PARAMETERS[row.parameter] : undefined;
    return known ? [known.low, known.high] : row.parameter ? [-1, 1] : [0, 1];
  }

  /** @param {number} y */
  rowAt(y) { return this.rows.find((row) => y >= row.y && y < row.y + row.height + GAP); }
  /** @param {API.Entry} entry */
  rowOf(entry) {
    return this.rows.find((row) => entry.kind === "audio" ? row.id === "audio"
      : entry.kind === "curve" || entry.kind === "parameter" ? row.parameter === entry.parameter : entry.kind !== "other" && row.id === "haptic");
  }

  // What stands.

  #palette() {
    if (this.shades) return this.shades;
    const round = hueOf(colour("intensity")), crisp = hueOf(colour("sharpness"));
    // By way of violet and red: each step looks other than the one before.
    if (crisp[0] < round[0]) crisp[0] += 360;
    this.shades = Array.from({ length: SHADES }, (_, k) => {
      const [hue, saturation, light] = round.map((value, part) => value + (crisp[part] - value) * k / (SHADES - 1));
      return `hsl(${hue % 360} ${saturation}% ${light}%)`;
    });
    return this.shades;
  }

  #drawStill() {
    const c = this.still, { width, height } = this, { from, to } = this.view;
    c.fillStyle = colour("surface");
    c.fillRect(0, 0, width, height);
    c.fillStyle = colour("raised");
    c.fillRect(0, 0, width, RULER - 2);
    const { places, decimals } = ticks(from, to, Math.max(2, width / 90));
    c.font = "11px system-ui, sans-serif";
    c.textBaseline = "middle";
    c.fillStyle = colour("grid");
    for (const place of places) c.fillRect(Math.round(this.x(place)), RULER, 1, height - RULER);
    c.fillStyle = colour("muted");
    for (const place of places) {
      if (place < 0) continue;
      c.fillText(place < 60 ? `${fixed(place, decimals)} s` : clock(place, decimals), this.x(place) + 3, RULER / 2 - 1);
      c.fillRect(Math.round(this.x(place)), RULER - 8, 1, 6);
    }
    // Before the beginning there is nothing.
    if (from < 0) {
      c.fillStyle = colour("raised");
      c.fillRect(0, RULER, this.x(0), height - RULER);
    }
    for (const row of this.rows) {
      c.fillStyle = colour("rule");
      c.fillRect(0, row.y + row.height + GAP / 2, width, 1);
      if (row.id === "haptic") this.#drawEvents(row, this.model.haptic);
      else if (row.id === "audio") this.#drawSounds(row);
      else if (row.parameter) this.#drawControl(row, row.parameter);
      else if (row.wave) this.#drawWave(row, row.wave);
      this.#drawName(row);
    }
  }

  /** @param {Row} row */
  #drawName(row) {
    const c = this.still, [low, high] = this.rangeOf(row);
    const text = row.parameter ? `${row.name}, ${low} to ${high}` : row.wave ? `${row.name}${row.wave.range ? `, ±${significant(row.wave.range)} ${unitSign(row.wave.unit)}` : ""}`
      : row.id === "haptic" ? `${row.name}: intensity by height, sharpness by colour and number` : row.name;
    c.font = "11px system-ui, sans-serif";
    const shown = c.measureText(text).width > this.width - 12 ? row.name : text;
    c.globalAlpha = 0.82;
    c.fillStyle = colour("surface");
    c.fillRect(3, row.y + 1, c.measureText(shown).width + 6, 14);
    c.globalAlpha = 1;
    c.fillStyle = colour("muted");
    c.fillText(shown, 6, row.y + 8);
  }

  /** @param {Row} row @param {Lane} lane */
  #drawEvents(row, lane) {
    const { from, to } = this.view, c = this.still, base = this.y(row, 0);
    c.fillStyle = colour("zero");
    c.fillRect(0, base, this.width, 1);
    if (lane.isDense(from, to, MOST_DETAIL)) {
      this.#drawDense(row, lane);
      return;
    }
    const shades = this.#palette(), entries = this.model.entries;
    let label = -Infinity, mark = -Infinity, verdict = -Infinity;
    lane.within(from, to, (k) => {
      const entry = entries[lane.entry[k]], x = this.x(lane.start[k]), top = this.y(row, lane.level[k]);
      const shade = shades[lane.shade[k]];
      c.fillStyle = c.strokeStyle = shade;
      if (lane.isTap[k]) {
        c.fillRect(x - 1, top, 2.5, base - top);
        c.fillRect(x - 4, top - 3, 8, 6);
      } else {
        const end = this.x(lane.end[k]);
        if (end - x < 3) c.fillRect(x, top, Math.max(1, end - x), base - top);
        else {
          this.shape(c, row, entry);
          c.globalAlpha = 0.3;
          c.fill();
          c.globalAlpha = 1;
          c.lineWidth = 1.5;
          c.stroke();
        }
      }
      if (x - label > 26) {
        c.fillStyle = colour("ink");
        c.fillText(fixed(valueOf(entry, "sharpness"), 2), x + (lane.isTap[k] ? 6 : 4), Math.max(row.y + 22, top - (lane.isTap[k] ? 0 : 8)));
        label = x;
      }
      const own = this.marks.get(lane.entry[k]), judged = this.verdicts.get(lane.entry[k]);
      if (own && x - mark > 9) {
        c.fillStyle = colour(own.colour);
        c.fillText(own.sign, x - 4, base - 7);
        mark = x;
      }
      if (judged && x - verdict > 10) {
        c.fillStyle = colour(judged.colour);
        c.fillText(judged.sign, x - 4, base + 10);
        verdict = x;
      }
      if (this.gamut) this.#drawReach(c, row, entry, x, Math.max(x + 8, this.x(lane.end[k])));
    });
  }

  /** @param {CanvasRenderingContext2D} c @param {Row} row @param {API.Entry} entry @param {number} x @param {number} end how far the actuator reaches */
  #drawReach(c, row, entry, x, end) {
    const { sharpness, intensity } = /** @type {{ sharpness: number[], intensity: number[] }} */ (this.gamut), at = valueOf(entry, "sharpness");
    let k = sharpness.findIndex((one) => one >= at);
    if (k < 0) k = sharpness.length - 1;
    const before = Math.max(0, k - 1), width = sharpness[k] - sharpness[before];
    const most = intensity[before] + (width > 0 ? (at - sharpness[before]) / width : 1) * (intensity[k] - intensity[before]);
    if (!(valueOf(entry, "intensity") > most)) return;
    c.fillStyle = colour("fail");
    c.fillRect(x - 4, this.y(row, most), end - x + 4, 2);
  }

  /**
   * The outline of what lasts: attack, what holds or decays, release.
   *
   * @param {CanvasRenderingContext2D} c
   * @param {Row} row
   * @param {API.Entry} entry
   * @param {number} [by] seconds
   */
  shape(c, row, entry, by = 0) {
    const start = (entry.time ?? 0) + by, end = endOf(entry) + by, level = valueOf(entry, entry.kind === "audio" ? "volume" : "intensity");
    const attack = envelopeSeconds(valueOf(entry, "attack")), release = envelopeSeconds(valueOf(entry, "release"));
    const base = this.y(row, 0), top = this.y(row, level), full = Math.min(end, start + attack);
    c.beginPath();
    c.moveTo(this.x(start), base);
    c.lineTo(this.x(full), base + (top - base) * (full - start) / attack);
    if (isSustained(entry)) {
      c.lineTo(this.x(end), top);
      c.lineTo(this.x(end + release), base);
    } else {
      const fall = envelopeSeconds(valueOf(entry, "decay")), stop = Math.max(full, Math.min(end, full + fall));
      c.lineTo(this.x(stop), top + (base - top) * (stop - full) / fall);
      if (stop < full + fall - 1e-9) c.lineTo(this.x(stop + release), base);
    }
    c.closePath();
  }

  /**
   * Many events: in each column of pixels the strongest one.
   *
   * @param {Row} row
   * @param {Lane} lane
   */
  #drawDense(row, lane) {
    const { from, to } = this.view, scale = this.scale, width = Math.ceil(this.width), c = this.still;
    if (this.columns.length < width) {
      this.columns = new Float32Array(width);
      this.shadeOf = new Uint8Array(width);
      this.free = new Int32Array(width + 1);
    }
    const { columns, shadeOf, free } = this;
    columns.fill(-1, 0, width);
    for (let k = 0; k <= width; k += 1) free[k] = k;
    // From the strongest: a column that is taken is passed over, and what was passed over is remembered.
    const find = (/** @type {number} */ at) => {
      let root = at;
      while (free[root] !== root) root = free[root];
      while (free[at] !== root) [free[at], at] = [root, free[at]];
      return root;
    };
    for (let j = 0; j < lane.count; j += 1) {
      const k = lane.byLevel[j];
      if (lane.end[k] < from || lane.start[k] > to) continue;
      const first = Math.max(0, Math.floor((lane.start[k] - from) * scale)), last = Math.min(width - 1, Math.floor((lane.end[k] - from) * scale));
      for (let column = find(first); column <= last; column = find(column + 1)) {
        columns[column] = lane.level[k];
        shadeOf[column] = lane.shade[k];
        free[column] = column + 1;
      }
    }
    const shades = this.#palette(), base = this.y(row, 0);
    let shade = -1;
    for (let column = 0; column < width;) {
      const level = columns[column], own = shadeOf[column];
      let end = column + 1;
      while (end < width && columns[end] === level && shadeOf[end] === own) end += 1;
      if (level >= 0) {
        if (own !== shade) c.fillStyle = shades[shade = own];
        const top = this.y(row, level);
        c.fillRect(column, top, end - column, base - top);
      }
      column = end;
    }
    let mark = -Infinity;
    for (const [index, own] of this.marks) {
      const k = lane.placeOf.get(index);
      if (k === undefined || lane.start[k] < from || lane.start[k] > to || Math.abs(this.x(lane.start[k]) - mark) < 9) continue;
      mark = this.x(lane.start[k]);
      c.fillStyle = colour(own.colour);
      c.fillText(own.sign, mark - 4, base - 7);
    }
  }

  /** @param {Row} row */
  #drawSounds(row) {
    const c = this.still, lane = this.model.audio, middle = row.y + (row.height + 14) / 2, { from, to } = this.view;
    let label = -Infinity;
    lane.within(from - 10, to, (k) => {
      const entry = this.model.entries[lane.entry[k]], sound = entry.path ? this.sounds.get(entry.path) : undefined;
      const x = this.x(lane.start[k]), own = entry.duration ?? (sound ? sound.pairs.length / 2 * sound.step : 0.05), end = this.x(lane.start[k] + own);
      if (end < 0) return;
      c.fillStyle = c.strokeStyle = colour("sound");
      c.globalAlpha = 0.14;
      c.fillRect(x, row.y + 16, Math.max(2, end - x), row.height - 18);
      c.globalAlpha = 1;
      c.fillRect(x, row.y + 16, 1.5, row.height - 18);
      if (sound) this.#trace(c, { pairs: sound.pairs, from: lane.start[k], step: sound.step, colour: "sound" }, middle, lane.level[k] * (row.height - 22) / 2, lane.start[k] + own);
      if (sound?.heard) this.#drawHeard(row, lane.start[k], sound, Math.min(this.width, end));
      if (!sound && !entry.path && end - x > 3) {
        this.shape(c, row, entry);
        c.globalAlpha = 0.4;
        c.fill();
        c.globalAlpha = 1;
      }
      if (x - label > 70) {
        c.fillStyle = colour("ink");
        c.fillText(entry.path?.split("/").pop() ?? "tone", x + 4, row.y + 22);
        label = x;
      }
    });
  }

  /** @param {Row} row @param {number} start @param {{ onsets: number[], beats?: number[] }} sound @param {number} end its onsets below, its beats all over */
  #drawHeard(row, start, { onsets, beats = [] }, end) {
    const c = this.still, bottom = row.y + row.height - 2;
    const each = (/** @type {number[]} */ times, /** @type {number} */ apart, /** @type {(x: number) => void} */ draw) => {
      let last = -Infinity;
      for (const time of times) {
        const x = this.x(start + time);
        if (x < 0 || x > end || x - last < apart) continue;
        draw(x);
        last = x;
      }
    };
    c.fillStyle = colour("onset");
    each(onsets, 2, (x) => c.fillRect(x - 0.5, bottom - 9, 1.5, 9));
    c.fillStyle = colour("ink");
    each(beats, 5, (x) => {
      c.globalAlpha = 0.45;
      c.fillRect(x - 0.5, row.y + 16, 1, row.height - 18);
      c.globalAlpha = 1;
      c.beginPath();
      c.moveTo(x - 4, row.y + 16);
      c.lineTo(x + 4, row.y + 16);
      c.lineTo(x, row.y + 22);
      c.fill();
    });
  }

  /** What would come: outlines over what stands. */
  #drawPreview() {
    const { preview } = this, c = this.over;
    if (!preview) return;
    c.save();
    c.strokeStyle = c.fillStyle = colour("link");
    c.lineWidth = 1.5;
    const { from, to } = this.view;
    let tap = -Infinity;
    for (const entry of preview.entries) {
      const time = entry.time ?? 0, row = this.rowOf(entry);
      if (!row || time > to || endOf(entry) < from) continue;
      c.setLineDash([]);
      if (entry.kind === "transient") {
        const x = this.x(time), top = this.y(row, valueOf(entry, "intensity"));
        if (x - tap < 1) continue;
        tap = x;
        c.globalAlpha = 0.75;
        c.strokeRect(x - 4, top - 3, 8, 6);
        c.fillRect(x - 0.5, top, 1, this.y(row, 0) - top);
      } else if (entry.kind === "continuous") {
        this.shape(c, row, entry);
        c.globalAlpha = 0.1;
        c.fill();
        c.globalAlpha = 0.75;
        c.setLineDash([5, 3]);
        c.stroke();
      } else if (entry.kind === "curve") {
        c.globalAlpha = 0.9;
        c.setLineDash([5, 3]);
        c.beginPath();
        for (const [at, value] of entry.points ?? []) c.lineTo(this.x(time + at), this.y(row, value));
        c.stroke();
      }
    }
    c.globalAlpha = 1;
    const row = this.rows[0];
    let last = -Infinity;
    for (const one of preview.signs) {
      const x = this.x(one.time);
      if (x < 0 || x > this.width || x - last < 9) continue;
      c.fillStyle = colour(one.colour);
      c.fillText(one.sign, x - 4, row.y + 24);
      last = x;
    }
    c.restore();
  }

  /** @param {CanvasRenderingContext2D} c @param {Trace} trace @param {number} middle @param {number} size pixels of a value of one @param {number} [until] */
  #trace(c, trace, middle, size, until = Infinity) {
    const { pairs, step } = trace, count = pairs.length >> 1, rest = trace.rest ?? 0;
    const first = Math.max(0, Math.floor((this.view.from - trace.from) / step) - 1);
    const last = Math.min(count, Math.ceil((Math.min(until, this.view.to) - trace.from) / step) + 1);
    if (last <= first) return;
    // Not more than a point for each pixel.
    const leap = Math.max(1, Math.floor(1 / (step * this.scale)));
    c.fillStyle = c.strokeStyle = colour(trace.colour);
    c.lineWidth = 1;
    c.beginPath();
    for (let k = first; k < last; k += leap) {
      let most = -Infinity;
      for (let j = k; j < Math.min(last, k + leap); j += 1) if (pairs[2 * j + 1] > most) most = pairs[2 * j + 1];
      c.lineTo(this.x(trace.from + (k + leap / 2) * step), middle - (Number.isFinite(most) ? most - rest : 0) * size);
    }
    for (let k = first + Math.floor((last - first - 1) / leap) * leap; k >= first; k -= leap) {
      let least = Infinity;
      for (let j = k; j < Math.min(last, k + leap); j += 1) if (pairs[2 * j] < least) least = pairs[2 * j];
      c.lineTo(this.x(trace.from + (k + leap / 2) * step), middle - (Number.isFinite(least) ? least - rest : 0) * size);
    }
    c.globalAlpha = trace.isOne === false ? 0.35 : 0.75;
    c.fill();
    c.globalAlpha = 1;
    c.stroke();
  }

  /** @param {Row} row @param {Wave} wave */
  #drawWave(row, wave) {
    const c = this.still, middle = row.y + (row.height + 14) / 2;
    c.fillStyle = colour("zero");
    c.fillRect(0, middle, this.width, 1);
    // Of two the newest lies above, and lets the other be seen.
    for (const trace of [...wave.traces].reverse()) this.#trace(c, trace, middle, (row.height - 18) / 2 / (wave.range || 1));
    if (wave.traces.length === 0) {
      c.fillStyle = colour("muted");
      c.fillText(wave.id === "measured" ? "nothing measured is shown" : "not known yet", 6, middle + 9);
    }
  }

  /** @param {Row} row @param {string} parameter */
  #drawControl(row, parameter) {
    const c = this.still, known = PARAMETERS[parameter], own = this.model.controls.get(parameter);
    c.fillStyle = colour("zero");
    c.fillRect(0, this.y(row, known?.neutral ?? 0), this.width, 1);
    const hue = parameter.startsWith("Audio") ? "sound" : parameter.includes("Sharpness") ? "sharpness" : "intensity";
    c.strokeStyle = c.fillStyle = colour(hue);
    c.lineWidth = 1.75;
    for (const index of own?.curves ?? []) {
      const entry = this.model.entries[index], begin = entry.time ?? 0, points = byTime(entry.points ?? []);
      let first = 0, last = points.length;
      while (first + 1 < points.length && begin + points[first + 1][0] < this.view.from) first += 1;
      while (last > first + 1 && begin + points[last - 2][0] > this.view.to) last -= 1;
      c.beginPath();
      for (let k = first; k < last; k += 1) c.lineTo(this.x(begin + points[k][0]), this.y(row, points[k][1]));
      c.stroke();
      if (last - first < MOST_DETAIL) for (let k = first; k < last; k += 1) c.fillRect(this.x(begin + points[k][0]) - 3, this.y(row, points[k][1]) - 3, 6, 6);
    }
    const steps = own?.steps ?? [];
    c.lineWidth = 1;
    steps.forEach((index, k) => {
      const entry = this.model.entries[index], x = this.x(entry.time ?? 0), y = this.y(row, entry.value ?? 0);
      const next = k + 1 < steps.length ? this.x(this.model.entries[steps[k + 1]].time ?? 0) : this.width;
      if (next < 0 || x > this.width) return;
      c.globalAlpha = 0.6;
      c.fillRect(x, y - 0.5, next - x, 1.5);
      c.globalAlpha = 1;
      c.beginPath();
      c.moveTo(x, y - 6);
      c.lineTo(x + 6, y);
      c.lineTo(x, y + 6);
      c.lineTo(x - 6, y);
      c.fill();
    });
    if (!own && !this.preview?.entries.some((one) => one.kind === "curve" && one.parameter === parameter)) {
      c.fillStyle = colour("muted");
      c.fillText("no curve yet: draw one, or double-click for its first point", 6, row.y + row.height / 2 + 8);
    }
  }

  // What is picked and dragged.

  #drawPicked() {
    const c = this.over, { width, height } = this;
    c.clearRect(0, 0, width, height);
    if (this.loop) {
      const x = this.x(this.loop.from), end = this.x(this.loop.to);
      c.fillStyle = colour("link");
      c.globalAlpha = 0.08;
      c.fillRect(x, RULER, end - x, height);
      c.globalAlpha = 1;
      c.fillRect(x, 0, end - x, 5);
      c.fillRect(x, 0, 2, height);
      c.fillRect(end - 2, 0, 2, height);
    }
    this.#drawPreview();
    c.strokeStyle = c.fillStyle = colour("link");
    c.lineWidth = 2;
    const isMany = this.picked.size > MOST_DETAIL;
    let bar = -1;
    for (const index of this.picked) {
      const entry = this.model.entries[index], row = entry && this.rowOf(entry);
      if (!row) continue;
      const box = this.box(entry, row);
      if (box.x + box.width < 0 || box.x > width) continue;
      if (isMany) {
        const x = Math.floor(box.x);
        if (x !== bar) c.fillRect(x, row.y + row.height - 2, Math.max(2, box.width), 4);
        bar = x;
      } else c.strokeRect(box.x - 3, box.y - 3, box.width + 6, box.height + 6);
    }
    if (this.points) {
      const entry = this.model.entries[this.points.curve], row = entry && this.rowOf(entry);
      if (row) {
        for (const k of this.points.points) {
          const point = entry.points?.[k];
          if (point) c.strokeRect(this.x((entry.time ?? 0) + point[0]) - 6, this.y(row, point[1]) - 6, 12, 12);
        }
      }
    }
    for (const handle of this.handles()) {
      c.fillStyle = colour("surface");
      c.beginPath();
      c.arc(handle.x, handle.y, 5, 0, 7);
      c.fill();
      c.stroke();
    }
    this.hands.drawGhost(c);
  }

  /** @param {API.Entry} entry @param {Row} row */
  box(entry, row) {
    const x = this.x(entry.time ?? 0);
    if (entry.kind === "curve") {
      const times = (entry.points ?? [[0, 0]]).map(([time]) => time), first = this.x((entry.time ?? 0) + Math.min(...times));
      return { x: first, y: row.y + 16, width: this.x((entry.time ?? 0) + Math.max(...times)) - first, height: row.height - 18 };
    }
    if (entry.kind === "parameter") return { x: x - 6, y: this.y(row, entry.value ?? 0) - 6, width: 12, height: 12 };
    if (entry.kind === "audio") {
      const sound = entry.path ? this.sounds.get(entry.path) : undefined;
      const seconds = entry.duration ?? (sound ? sound.pairs.length / 2 * sound.step : 0.05);
      return { x, y: row.y + 16, width: Math.max(3, seconds * this.scale), height: row.height - 18 };
    }
    const top = this.y(row, valueOf(entry, "intensity"));
    return entry.kind === "transient" ? { x: x - 4, y: top - 3, width: 8, height: this.y(row, 0) + 3 - top }
      : { x, y: top, width: Math.max(2, (entry.duration ?? 0) * this.scale), height: this.y(row, 0) - top };
  }

  /** Attack, decay and release of the one event that is picked. */
  handles() {
    if (this.picked.size !== 1) return [];
    const [index] = this.picked, entry = this.model.entries[index], row = entry && this.rowOf(entry);
    if (!row || !has(entry, "attack") || entry.duration === undefined) return [];
    const start = entry.time ?? 0, end = endOf(entry), level = valueOf(entry, entry.kind === "audio" ? "volume" : "intensity");
    const attack = envelopeSeconds(valueOf(entry, "attack"));
    const found = [{ key: "attack", x: this.x(start + attack), y: this.y(row, level), from: start },
      { key: "release", x: this.x(end + envelopeSeconds(valueOf(entry, "release"))), y: this.y(row, 0), from: end }];
    if (!isSustained(entry)) found.push({ key: "decay", x: this.x(start + attack + envelopeSeconds(valueOf(entry, "decay"))), y: this.y(row, 0) - 8, from: start + attack });
    return found;
  }

  // What moves with the time and the pointer.

  #drawMoving() {
    const c = this.moving;
    c.clearRect(0, 0, this.width, this.height);
    const x = this.x(this.head);
    c.fillStyle = colour("onset");
    c.fillRect(x - 0.75, 0, 1.5, this.height);
    c.beginPath();
    c.moveTo(x - 6, 0);
    c.lineTo(x + 6, 0);
    c.lineTo(x, 9);
    c.fill();
    this.hands.drawHover(c);
  }

  /** @param {number} time @param {boolean} follows */
  moveHead(time, follows) {
    this.head = time;
    if (follows && (time > this.view.to || time < this.view.from)) {
      const span = this.view.to - this.view.from;
      this.look(time - (wantsStill() ? 0 : 0.05) * span, time + (wantsStill() ? 1 : 0.95) * span);
    }
    this.redraw(4);
  }
}

/** @param {[number, number][]} points a text may have them in any order @returns {[number, number][]} */
const byTime = (points) => points.every(([time], k) => k === 0 || time >= points[k - 1][0]) ? points : [...points].sort((a, b) => a[0] - b[0]);

/** @param {string} text `#rrggbb` @returns {number[]} hue in degrees, saturation and lightness in per cent */
function hueOf(text) {
  const [r, g, b] = [1, 3, 5].map((at) => parseInt(text.slice(at, at + 2), 16) / 255), most = Math.max(r, g, b), least = Math.min(r, g, b), span = most - least;
  const hue = span === 0 ? 0 : most === r ? (g - b) / span : most === g ? 2 + (b - r) / span : 4 + (r - g) / span;
  return [(60 * hue + 360) % 360, span === 0 ? 0 : 100 * span / (1 - Math.abs(most + least - 1)), 50 * (most + least)];
}
