// SPDX-License-Identifier: Apache-2.0
// What pointer and wheel do on the timeline. Nothing is changed before the button is let go: until then it is a ghost.
import { colour } from "./dom.js";
import * as edits from "./edits.js";
import { fixed } from "./format.js";
import { Snap } from "./pattern_model.js";
import { RULER } from "./timeline.js";

/** @typedef {import("./timeline.js").Timeline} Timeline */
/** @typedef {import("./timeline.js").Row} Row */
/** @typedef {{ kind: "tap" | "body" | "start" | "end" | "point" | "curve" | "step" | "handle", entry: number, at?: number, key?: string, from?: number }} Hit */
/** @typedef {{ x: number, y: number, alt: boolean, shift: boolean, more: boolean }} Place */
/**
 * @typedef {object} Drag
 * @property {Place} begin
 * @property {Place} now
 * @property {boolean} isMoved
 * @property {Hit} [hit]
 * @property {"band" | "loop" | "pan" | "move" | "resize" | "points" | "curve" | "handle" | "hold" | "draw" | "tap"} kind
 * @property {"time" | "level"} [axis]
 * @property {[number, number][]} [line]
 * @property {Row} [row]
 * @property {number} [from] the view as it was
 * @property {() => void} [click] what a press without a move does
 */

const REACH = 6, TOUCH = 14;

export class Hands {
  /** @param {Timeline} line */
  constructor(line) {
    this.line = line;
    /** @type {Drag | undefined} */
    this.drag = undefined;
    /** Whether the last press has moved: then it is no part of a double click. */
    this.wasMoved = false;
    /** @type {Map<number, { x: number, y: number }>} */
    this.pointers = new Map();
    this.spread = 0;
    this.snap = new Snap();
    /** @type {number | undefined} where a drag has snapped to */
    this.snapped = undefined;
    this.last = { x: -99, y: -99 };
    /** @type {Place | undefined} */
    this.hover = undefined;
    this.reach = REACH;
    const element = line.element;
    element.addEventListener("pointerdown", (event) => this.#down(event));
    element.addEventListener("pointermove", (event) => this.#move(event));
    element.addEventListener("pointerup", (event) => this.#up(event));
    element.addEventListener("pointercancel", (event) => this.#leave(event));
    element.addEventListener("pointerleave", () => {
      this.hover = undefined;
      line.owner.hover("");
      line.redraw(4);
    });
    element.addEventListener("dblclick", (event) => this.#double(event));
    element.addEventListener("wheel", (event) => this.#wheel(event), { passive: false });
  }

  /** @param {MouseEvent} event @returns {Place} */
  #place(event) {
    const box = this.line.element.getBoundingClientRect();
    return { x: event.clientX - box.left - this.line.element.clientLeft, y: event.clientY - box.top - this.line.element.clientTop, alt: event.altKey, shift: event.shiftKey, more: event.ctrlKey || event.metaKey };
  }

  /**
   * What lies under a place, nearest first: handles, points, taps, edges, bodies.
   *
   * @param {number} x
   * @param {number} y
   * @returns {Hit[]}
   */
  hits(x, y) {
    const line = this.line, reach = this.reach, model = line.model;
    /** @type {(Hit & { off: number })[]} */
    const found = [];
    for (const handle of line.handles()) {
      const off = Math.hypot(handle.x - x, handle.y - y);
      if (off <= reach + 2) found.push({ kind: "handle", entry: [...line.picked][0], key: handle.key, from: handle.from, off: off - 200 });
    }
    const row = line.rowAt(y);
    if (!row) return found;
    const time = line.time(x), near = reach / line.scale;
    if (row.parameter) {
      const own = model.controls.get(row.parameter);
      for (const index of own?.steps ?? []) {
        const entry = model.entries[index], off = Math.hypot(line.x(entry.time ?? 0) - x, line.y(row, entry.value ?? 0) - y);
        if (off <= reach + 3) found.push({ kind: "step", entry: index, off: off - 50 });
      }
      for (const index of own?.curves ?? []) {
        const entry = model.entries[index], points = entry.points ?? [], begin = entry.time ?? 0;
        points.forEach(([at, value], k) => {
          if (Math.abs(begin + at - time) > near) return;
          const off = Math.hypot(line.x(begin + at) - x, line.y(row, value) - y);
          if (off <= reach + 2) found.push({ kind: "point", entry: index, at: k, off: off - 100 });
        });
        const k = points.findIndex(([at]) => begin + at >= time);
        if (k > 0) {
          const [a, b] = [points[k - 1], points[k]], part = b[0] > a[0] ? (time - begin - a[0]) / (b[0] - a[0]) : 0;
          const off = Math.abs(line.y(row, a[1] + part * (b[1] - a[1])) - y);
          if (off <= reach + 2) found.push({ kind: "curve", entry: index, off });
        }
      }
    } else if (row.id === "haptic" || row.id === "audio") {
      const lane = row.id === "haptic" ? model.haptic : model.audio;
      lane.within(row.id === "audio" ? time - 10 : time - near, time + near, (k) => {
        const index = lane.entry[k], entry = model.entries[index], box = line.box(entry, row);
        if (entry.kind === "transient") {
          // Its head is meant before whatever lies behind it.
          if (y >= box.y - reach) found.push({ kind: "tap", entry: index, off: Math.abs(line.x(lane.start[k]) - x) - (y < box.y + 12 ? 20 : 0) });
          return;
        }
        if (x < box.x - reach || x > box.x + box.width + reach || y < box.y - reach) return;
        const isWide = box.width > 3 * reach, isSized = entry.duration !== undefined;
        if (isSized && Math.abs(x - box.x - box.width) <= reach) found.push({ kind: "end", entry: index, off: 40 + Math.abs(x - box.x - box.width) });
        else if (isSized && isWide && Math.abs(x - box.x) <= reach) found.push({ kind: "start", entry: index, off: 40 + Math.abs(x - box.x) });
        else found.push({ kind: "body", entry: index, off: 100 + box.width / 100 });
      });
    }
    found.sort((a, b) => a.off - b.off);
    return found;
  }

  // Pressing.

  /** @param {PointerEvent} event */
  #down(event) {
    if (event.button > 1) return;
    const line = this.line, begin = this.#place(event);
    this.reach = event.pointerType === "touch" ? TOUCH : REACH;
    try { line.element.setPointerCapture(event.pointerId); } catch { /* A pointer that is gone already. */ }
    line.element.focus({ preventScroll: true });
    this.pointers.set(event.pointerId, begin);
    if (this.pointers.size > 1) {
      const [a, b] = [...this.pointers.values()];
      this.spread = Math.abs(a.x - b.x);
      this.drag = undefined;
      line.redraw(2);
      return;
    }
    if (event.pointerType === "mouse") event.preventDefault();
    const base = { begin, now: begin, isMoved: false };
    if (event.button === 1) {
      this.drag = { ...base, kind: "pan", from: line.view.from };
      return;
    }
    if (begin.y < RULER) {
      this.drag = { ...base, kind: "loop", click: () => line.owner.head(Math.max(0, line.owner.even(line.time(begin.x), begin.alt))) };
      return;
    }
    const row = line.rowAt(begin.y), tool = line.owner.tool();
    if (row?.wave) {
      this.drag = { ...base, kind: "pan", from: line.view.from, click: () => line.owner.head(Math.max(0, line.time(begin.x))) };
      return;
    }
    if (tool === "tap" && row?.id === "haptic") this.drag = { ...base, kind: "tap", row, click: () => this.#putTap(row, this.drag?.now ?? begin) };
    else if (tool === "hold" && (row?.id === "haptic" || row?.id === "audio")) this.drag = { ...base, kind: "hold", row };
    else if (tool === "draw" && row?.parameter) this.drag = { ...base, kind: "draw", row, line: [[line.time(begin.x), line.level(row, begin.y)]] };
    else this.#grab(base);
    this.#prepareSnap();
  }

  /** @param {{ begin: Place, now: Place, isMoved: boolean }} base */
  #grab(base) {
    const line = this.line, { begin } = base, found = this.hits(begin.x, begin.y);
    const isAgain = Math.hypot(begin.x - this.last.x, begin.y - this.last.y) < 4;
    // Once more at the same place, or with Alt: what is picked there is meant, whatever lies above it.
    const held = begin.alt || isAgain ? found.findIndex((one) => line.picked.has(one.entry)) : -1;
    const hit = found[0]?.kind === "handle" ? found[0] : found[Math.max(0, held)];
    if (!hit) {
      this.drag = { ...base, kind: "band", click: () => {
        if (!begin.more && !begin.shift) line.owner.pick(new Set(), undefined);
        line.owner.head(Math.max(0, line.owner.even(line.time(begin.x), begin.alt)));
      } };
      return;
    }
    const toggled = begin.more || begin.shift, before = new Set(line.picked);
    if (hit.kind === "point") {
      const at = hit.at ?? 0, own = line.points?.curve === hit.entry ? line.points.points : new Set();
      if (toggled) {
        if (own.has(at)) own.delete(at);
        else own.add(at);
      }
      line.owner.pickPoints(hit.entry, toggled ? new Set(own) : own.has(at) ? new Set(own) : new Set([at]));
      this.drag = { ...base, kind: "points", hit, row: line.rowAt(begin.y) };
      return;
    }
    if (hit.kind !== "handle" && !before.has(hit.entry)) {
      const next = toggled ? before : new Set();
      next.add(hit.entry);
      line.owner.pick(next, hit.entry);
    }
    const kind = hit.kind === "handle" ? "handle" : hit.kind === "start" || hit.kind === "end" ? "resize" : hit.kind === "curve" ? "curve" : "move";
    this.drag = { ...base, kind, hit, row: line.rowAt(begin.y), click: () => {
      this.last = { x: begin.x, y: begin.y };
      if (hit.kind === "handle") return;
      if (toggled && before.has(hit.entry)) {
        before.delete(hit.entry);
        line.owner.pick(before, hit.entry);
      } else if (!toggled) {
        // A click that moves nothing goes on to what lies below.
        const all = [...new Set(found.map((one) => one.entry))];
        const next = held >= 0 && before.size === 1 ? all[(all.indexOf(hit.entry) + 1) % all.length] : hit.entry;
        line.owner.pick(new Set([next]), next);
      }
    } };
  }

  /** @param {PointerEvent} event */
  #move(event) {
    const line = this.line, now = this.#place(event);
    if (this.pointers.has(event.pointerId)) this.pointers.set(event.pointerId, now);
    if (this.pointers.size > 1) {
      const [a, b] = [...this.pointers.values()], spread = Math.max(12, Math.abs(a.x - b.x)), middle = (a.x + b.x) / 2;
      if (this.spread > 0) line.zoom(Math.max(12, this.spread) / spread, line.time(middle));
      this.spread = spread;
      return;
    }
    const drag = this.drag;
    if (!drag) {
      this.hover = now;
      this.#tellHover(now);
      line.redraw(4);
      return;
    }
    drag.now = now;
    const x = now.x - drag.begin.x, y = now.y - drag.begin.y;
    if (!drag.isMoved && Math.hypot(x, y) < 4) return;
    if (!drag.isMoved) drag.axis = Math.abs(x) >= Math.abs(y) ? "time" : "level";
    drag.isMoved = true;
    this.snapped = undefined;
    if (drag.kind === "pan") {
      const span = line.view.to - line.view.from, from = (drag.from ?? 0) - x / line.scale;
      line.look(from, from + span);
    } else if (drag.kind === "draw" && drag.row) {
      const last = drag.line?.[drag.line.length - 1], time = line.time(now.x);
      if (last && Math.abs(now.x - line.x(last[0])) >= 3) drag.line?.push([time, line.level(drag.row, now.y)]);
    }
    line.redraw(6);
  }

  /** @param {PointerEvent} event */
  #up(event) {
    const line = this.line, drag = this.drag;
    this.pointers.delete(event.pointerId);
    this.wasMoved = Boolean(drag?.isMoved);
    if (!drag) return;
    drag.now = this.#place(event);
    if (!drag.isMoved && drag.kind !== "hold") drag.click?.();
    else this.#commit(drag);
    this.drag = undefined;
    this.snapped = undefined;
    line.redraw(6);
  }

  /** @param {PointerEvent} event */
  #leave(event) {
    this.pointers.delete(event.pointerId);
    this.drag = undefined;
    this.line.redraw(6);
  }

  /** Lets go without doing anything; tells whether there was anything. */
  cancel() {
    const was = Boolean(this.drag?.isMoved);
    this.drag = undefined;
    this.snapped = undefined;
    this.line.redraw(6);
    return was;
  }

  // Snapping.

  #prepareSnap() {
    const line = this.line, { events, onsets } = line.owner.snaps(), kind = this.drag?.kind;
    const isLeft = (/** @type {number} */ index) => (kind === "move" || kind === "resize" || kind === "curve") && line.picked.has(index);
    const moments = events ? [0, line.head, ...line.loop ? [line.loop.from, line.loop.to] : [], ...line.model.edges(isLeft)] : [];
    if (onsets) {
      for (const index of line.model.audio.entry) {
        const entry = line.model.entries[index], sound = entry.path ? line.sounds.get(entry.path) : undefined;
        if (!isLeft(index)) for (const onset of [...sound?.onsets ?? [], ...sound?.beats ?? []]) moments.push((entry.time ?? 0) + onset);
      }
    }
    this.snap.set(moments);
  }

  /** @param {number} time @param {boolean} isFree @returns {number} */
  #even(time, isFree) {
    if (isFree) return time;
    const reach = REACH / this.line.scale, event = this.snap.nearest(time, reach), beat = this.line.owner.even(time, false);
    const isBeat = beat !== time && Math.abs(beat - time) <= reach;
    const found = event !== undefined && (!isBeat || Math.abs(event - time) <= Math.abs(beat - time)) ? event : isBeat ? beat : undefined;
    if (found !== undefined) this.snapped = found;
    return found ?? time;
  }

  /** @param {Drag} drag @returns {number} by how much what is dragged moves in time */
  #shift(drag) {
    const line = this.line, by = (drag.now.x - drag.begin.x) / line.scale;
    if (!drag.hit) return by;
    const entry = line.model.entries[drag.hit.entry];
    if (!entry) return by;
    const own = drag.kind === "points" ? (entry.time ?? 0) + (entry.points?.[drag.hit.at ?? 0]?.[0] ?? 0)
      : drag.hit.kind === "end" ? edits.endOf(entry) : entry.time ?? 0;
    const first = this.#even(own + by, drag.now.alt) - own;
    if (first !== by || drag.kind !== "move" || entry.duration === undefined) return first;
    // An end may find its place where the beginning has none.
    return this.#even(edits.endOf(entry) + by, drag.now.alt) - edits.endOf(entry);
  }

  /** @param {Drag} drag @returns {number} */
  #rise(drag) {
    if (!drag.row) return 0;
    return this.line.level(drag.row, drag.now.y) - this.line.level(drag.row, drag.begin.y);
  }

  // What a drag has done.

  /** @param {Drag} drag @returns {((entries: API.Entry[], picked: number[]) => API.Operation[]) | undefined} */
  #operations(drag) {
    const line = this.line, hit = drag.hit, by = this.#shift(drag), up = this.#rise(drag);
    switch (drag.kind) {
      case "move":
        if (hit?.kind === "step") return (entries, picked) => [...edits.move(entries, picked, by), ...drag.axis === "level" || drag.now.shift ? edits.shift(entries, picked, "value", up) : []];
        if (drag.axis === "time") return (entries, picked) => edits.move(entries, picked, by);
        return (entries, picked) => ["intensity", "volume"].flatMap((key) => edits.shift(entries, picked, drag.now.shift && key === "intensity" ? "sharpness" : key, up));
      case "resize":
        return (entries, picked) => edits.resize(entries, picked, hit?.kind === "start" ? "start" : "end", by);
      case "points": {
        const chosen = [...line.points?.points ?? []], curve = line.points?.curve ?? -1;
        const only = drag.now.shift ? drag.axis : undefined;
        return (entries) => edits.movePoints(entries, curve, chosen, only === "level" ? 0 : by, only === "time" ? 0 : up);
      }
      case "curve":
        if (!hit) return undefined;
        if (drag.axis === "time") return (entries, picked) => edits.move(entries, picked, by);
        if (drag.now.shift && drag.row) {
          const [low] = line.rangeOf(drag.row), fixed = low === 0 ? 0 : edits.PARAMETERS[drag.row.parameter ?? ""]?.neutral ?? 0;
          const before = line.level(drag.row, drag.begin.y) - fixed, factor = Math.abs(before) > 0.02 ? (line.level(drag.row, drag.now.y) - fixed) / before : 1;
          return (entries) => edits.scaleCurve(entries, hit.entry, factor);
        }
        return (entries) => edits.shiftCurve(entries, hit.entry, up);
      case "handle": {
        const seconds = line.time(drag.now.x) - (hit?.from ?? 0);
        return (entries, picked) => edits.setAll(entries, picked, hit?.key ?? "attack", edits.envelopeValue(seconds));
      }
      default:
        return undefined;
    }
  }

  static LABELS = /** @type {Record<string, string>} */ ({
    move: "move", resize: "change the length", points: "move points", curve: "shift the curve", handle: "change the envelope",
  });

  /** @param {Drag} drag */
  #commit(drag) {
    const line = this.line, { begin, now } = drag;
    const from = Math.min(begin.x, now.x), to = Math.max(begin.x, now.x);
    if (drag.kind === "band") {
      const top = Math.min(begin.y, now.y), low = Math.max(begin.y, now.y);
      const found = new Set(begin.more || begin.shift ? line.picked : []), model = line.model;
      /** @type {{ curve: number, points: Set<number> } | undefined} */
      let points;
      for (const row of line.rows) {
        if (row.y > low || row.y + row.height < top) continue;
        const take = (/** @type {number} */ index) => {
          const box = line.box(model.entries[index], row);
          if (box.x <= to && box.x + box.width >= from && box.y <= low && box.y + box.height >= top) found.add(index);
        };
        if (row.id === "haptic") model.haptic.within(line.time(from) - 0.05, line.time(to) + 0.05, (k) => take(model.haptic.entry[k]));
        else if (row.id === "audio") model.audio.within(line.time(from) - 10, line.time(to), (k) => take(model.audio.entry[k]));
        else if (row.parameter) {
          model.controls.get(row.parameter)?.steps.forEach(take);
          for (const index of model.controls.get(row.parameter)?.curves ?? []) {
            const entry = model.entries[index], inside = new Set((entry.points ?? []).flatMap(([time, value], k) => {
              const x = line.x((entry.time ?? 0) + time), y = line.y(row, value);
              return x >= from && x <= to && y >= top && y <= low ? [k] : [];
            }));
            // Some of its points are points; all of them are the curve.
            if (inside.size > 0 && inside.size < (entry.points?.length ?? 0)) points = { curve: index, points: inside };
            else if (inside.size > 0) found.add(index);
          }
        }
      }
      if (points && found.size === 0) line.owner.pickPoints(points.curve, points.points);
      else line.owner.pick(found, found.size ? [...found][0] : undefined);
      return;
    }
    if (drag.kind === "loop") {
      const span = { from: Math.max(0, line.owner.even(line.time(from), now.alt)), to: Math.max(0, line.owner.even(line.time(to), now.alt)) };
      line.owner.loop(span.to - span.from > 0.01 ? span : undefined);
      return;
    }
    if (drag.kind === "tap" && drag.row) {
      this.#putTap(drag.row, now);
      return;
    }
    if (drag.kind === "hold" && drag.row) {
      const isSound = drag.row.id === "audio", begins = Math.max(0, this.#even(line.time(from), now.alt));
      const ends = Math.max(begins + edits.SHORTEST, this.#even(line.time(to), now.alt));
      const level = edits.tidy(Math.min(1, Math.max(0, line.level(drag.row, begin.y))), 2);
      const duration = edits.tidy(drag.isMoved ? Math.min(edits.LONGEST, ends - begins) : 0.2);
      line.owner.edit(isSound ? "put a tone" : "put a hold", (entries) => edits.place(entries, isSound ? { kind: "audio", time: edits.tidy(begins), duration, volume: 0.5 }
        : { kind: "continuous", time: edits.tidy(begins), duration, intensity: level, sharpness: 0.5 }));
      return;
    }
    if (drag.kind === "draw" && drag.row?.parameter && drag.line) {
      const parameter = drag.row.parameter, drawn = [...drag.line].sort((a, b) => a[0] - b[0]);
      line.owner.edit("draw a curve", (entries) => edits.draw(entries, parameter, drawn));
      return;
    }
    const make = this.#operations(drag);
    if (make) line.owner.edit(Hands.LABELS[drag.kind] ?? drag.kind, make);
  }

  /** @param {Row} row @param {Place} at */
  #putTap(row, at) {
    const line = this.line, time = edits.tidy(Math.max(0, this.#even(line.time(at.x), at.alt)));
    const intensity = edits.tidy(Math.min(1, Math.max(0, line.level(row, at.y))), 2);
    line.owner.edit("put a tap", (entries) => edits.place(entries, { kind: "transient", time, intensity, sharpness: 0.5 }));
  }

  /** @param {MouseEvent} event */
  #double(event) {
    const line = this.line, at = this.#place(event), row = line.rowAt(at.y);
    if (!row || at.y < RULER || line.owner.tool() !== "select" || this.wasMoved) return;
    const found = this.hits(at.x, at.y);
    this.#prepareSnap();
    if (row.parameter) {
      if (found[0]?.kind === "point" || found[0]?.kind === "step") return;
      const parameter = row.parameter, time = Math.max(0, this.#even(line.time(at.x), at.alt)), value = edits.tidy(line.level(row, at.y), 2);
      const curve = found.find((one) => one.kind === "curve")?.entry ?? line.model.controls.get(parameter)?.curves[0];
      line.owner.edit("add a point", (entries) => curve !== undefined && entries[curve]?.kind === "curve" ? edits.addPoint(entries, curve, time, value)
        : edits.place(entries, { kind: "curve", parameter, time: edits.tidy(time), points: [[0, Math.min(1, Math.max(line.rangeOf(row)[0], value))]] }));
    } else if (row.id === "haptic" && !found.some((one) => one.kind === "tap")) this.#putTap(row, at);
  }

  /** @param {WheelEvent} event */
  #wheel(event) {
    const line = this.line, at = this.#place(event);
    const unit = event.deltaMode === 1 ? 16 : event.deltaMode === 2 ? 400 : 1;
    const x = event.deltaX * unit, y = event.deltaY * unit;
    const isPan = (event.shiftKey && !event.ctrlKey) || Math.abs(x) > Math.abs(y);
    const has = isPan ? line.pan((Math.abs(x) > Math.abs(y) ? x : y) / line.width) : line.zoom(Math.exp(Math.max(-200, Math.min(200, y)) * (event.ctrlKey ? 0.01 : 0.0022)), line.time(at.x));
    // Where there is no more to zoom the page scrolls on.
    if (has || event.ctrlKey) event.preventDefault();
  }

  // What is seen of it.

  /** @param {Place} at */
  #tellHover(at) {
    const line = this.line, row = line.rowAt(at.y), time = line.time(at.x);
    const hit = at.y >= RULER ? this.hits(at.x, at.y)[0] : undefined;
    const entry = hit && line.model.entries[hit.entry];
    line.element.classList.toggle("sizes", hit?.kind === "start" || hit?.kind === "end");
    line.element.classList.toggle("grabs", Boolean(hit) && hit?.kind !== "start" && hit?.kind !== "end");
    line.owner.hover(`${fixed(Math.max(0, time), 3)} s${row && (row.id === "haptic" || row.parameter) ? `, ${fixed(line.level(row, at.y), 2)}` : ""}${
      entry ? ` · ${describe(entry)}` : ""}`);
  }

  /** @param {CanvasRenderingContext2D} c */
  drawHover(c) {
    if (!this.hover || this.drag) return;
    c.fillStyle = colour("edge");
    c.globalAlpha = 0.6;
    c.fillRect(this.hover.x, 0, 1, this.line.height);
    c.globalAlpha = 1;
  }

  /** @param {CanvasRenderingContext2D} c */
  drawGhost(c) {
    const drag = this.drag, line = this.line;
    if (!drag?.isMoved) return;
    const { begin, now } = drag;
    c.save();
    c.strokeStyle = c.fillStyle = colour("link");
    c.lineWidth = 1.5;
    c.setLineDash([5, 3]);
    if (drag.kind === "band") {
      c.strokeRect(begin.x, begin.y, now.x - begin.x, now.y - begin.y);
      c.globalAlpha = 0.1;
      c.fillRect(begin.x, begin.y, now.x - begin.x, now.y - begin.y);
    } else if (drag.kind === "loop" || drag.kind === "hold") {
      const row = drag.row, top = row ? begin.y : 0, high = row ? line.y(row, 0) - begin.y : line.height;
      c.strokeRect(Math.min(begin.x, now.x), top, Math.abs(now.x - begin.x), high);
    } else if (drag.kind === "draw" && drag.row) {
      c.setLineDash([]);
      c.beginPath();
      for (const [time, value] of drag.line ?? []) c.lineTo(line.x(time), line.y(drag.row, value));
      c.stroke();
    } else {
      const make = this.#operations(drag), picked = [...line.picked];
      if (make && picked.length <= 400) {
        // The same operations, on copies.
        /** @type {Map<number, API.Entry>} */
        const copies = new Map();
        const copy = (/** @type {number} */ index) => {
          const one = copies.get(index) ?? structuredClone(line.model.entries[index]);
          copies.set(index, one);
          return one;
        };
        for (const one of make(line.model.entries, picked)) {
          if (typeof one.set === "number") Object.assign(copy(one.set), { [one.key ?? ""]: one.value });
          else if (one.point !== undefined) {
            const point = copy(one.point).points?.[Number(one.at)];
            if (point) Object.assign(point, { 0: one.time ?? point[0], 1: one.value ?? point[1] });
          }
        }
        for (const entry of copies.values()) this.#ghost(c, entry);
      } else if (make) {
        const span = edits.spanOf(line.model.entries, picked), by = drag.axis === "time" ? this.#shift(drag) : 0, row = drag.row ?? line.rows[0];
        c.strokeRect(line.x(span.from + by), row.y, (span.to - span.from) * line.scale, row.height);
      }
    }
    c.setLineDash([]);
    if (this.snapped !== undefined) {
      c.fillStyle = colour("onset");
      c.fillRect(line.x(this.snapped) - 0.5, RULER, 1, line.height);
    }
    c.restore();
  }

  /** @param {CanvasRenderingContext2D} c @param {API.Entry} entry */
  #ghost(c, entry) {
    const line = this.line, row = line.rowOf(entry);
    if (!row) return;
    if (entry.kind === "curve") {
      c.beginPath();
      for (const [time, value] of entry.points ?? []) c.lineTo(line.x((entry.time ?? 0) + time), line.y(row, value));
      c.stroke();
      for (const [time, value] of entry.points ?? []) c.fillRect(line.x((entry.time ?? 0) + time) - 3, line.y(row, value) - 3, 6, 6);
    } else if (entry.kind === "continuous") {
      line.shape(c, row, entry);
      c.stroke();
    } else {
      const box = line.box(entry, row);
      c.strokeRect(box.x, box.y, box.width, box.height);
    }
  }
}

const NAMES = /** @type {Record<string, string>} */ ({ transient: "Tap", continuous: "Hold", audio: "Sound", parameter: "Step", curve: "Curve", other: "Entry" });

/**
 * An entry in words.
 *
 * @param {API.Entry} entry
 */
export function describe(entry) {
  const number = (/** @type {string} */ key) => fixed(edits.valueOf(entry, key), 2);
  const name = NAMES[entry.kind];
  switch (entry.kind) {
    case "transient": return `${name}, intensity ${number("intensity")}, sharpness ${number("sharpness")}`;
    case "continuous": return `${name} of ${fixed(entry.duration ?? 0, 3)} s, intensity ${number("intensity")}, sharpness ${number("sharpness")}`;
    case "audio": return `${entry.path?.split("/").pop() ?? "Tone"}${entry.duration === undefined ? "" : ` of ${fixed(entry.duration, 3)} s`}, volume ${number("volume")}`;
    case "parameter": return `${edits.PARAMETERS[entry.parameter ?? ""]?.name ?? entry.parameter} ${number("value")}`;
    case "curve": return `${edits.PARAMETERS[entry.parameter ?? ""]?.name ?? entry.parameter}, curve of ${entry.points?.length ?? 0} points`;
    default: return "An entry that only the text shows";
  }
}
