// SPDX-License-Identifier: Apache-2.0
// The entries of a pattern as the timeline draws them: typed arrays by time, found by binary search.
import { endOf, PARAMETERS, startOf, valueOf } from "./edits.js";

/** @typedef {API.Entry} Entry */

export const SHADES = 16;
const BLOCK = 64;

/** Events of one lane, by their starts. */
export class Lane {
  /** @param {Entry[]} entries @param {number[]} indices by time @param {(entry: Entry) => number} level @param {(entry: Entry) => number} shade 0 to 1 */
  constructor(entries, indices, level, shade) {
    const count = indices.length;
    this.count = count;
    this.entry = Int32Array.from(indices);
    this.start = new Float64Array(count);
    this.end = new Float64Array(count);
    this.level = new Float32Array(count);
    this.shade = new Uint8Array(count);
    this.isTap = new Uint8Array(count);
    /** The latest end of each block: what ended long before is passed over. */
    this.latest = new Float64Array(Math.ceil(count / BLOCK)).fill(-Infinity);
    /** @type {Map<number, number>} */
    this.placeOf = new Map();
    for (let k = 0; k < count; k += 1) {
      const one = entries[indices[k]];
      this.start[k] = one.time ?? 0;
      this.end[k] = endOf(one);
      this.level[k] = level(one);
      this.shade[k] = Math.round(Math.min(1, Math.max(0, shade(one))) * (SHADES - 1));
      this.isTap[k] = one.kind === "transient" ? 1 : 0;
      const block = Math.floor(k / BLOCK);
      if (this.end[k] > this.latest[block]) this.latest[block] = this.end[k];
      this.placeOf.set(indices[k], k);
    }
    /** The strongest first: of two in one column of pixels that one is drawn. */
    this.byLevel = Int32Array.from({ length: count }, (_, k) => k).sort((a, b) => this.level[b] - this.level[a]);
  }

  /**
   * What overlaps a time, by starts.
   *
   * @param {number} from
   * @param {number} to
   * @param {(k: number) => void} tell
   */
  within(from, to, tell) {
    const last = upper(this.start, to);
    for (let block = 0; block * BLOCK < last; block += 1) {
      if (this.latest[block] < from) continue;
      const stop = Math.min(last, (block + 1) * BLOCK);
      for (let k = block * BLOCK; k < stop; k += 1) if (this.end[k] >= from) tell(k);
    }
  }

  /** @param {number} from @param {number} to @param {number} most */
  isDense(from, to, most) {
    let count = 0;
    const last = upper(this.start, to);
    for (let block = 0; block * BLOCK < last; block += 1) {
      if (this.latest[block] < from) continue;
      const stop = Math.min(last, (block + 1) * BLOCK);
      for (let k = block * BLOCK; k < stop; k += 1) if (this.end[k] >= from) count += 1;
      if (count > most) return true;
    }
    return false;
  }
}

/** @param {ArrayLike<number>} sorted @param {number} value @returns {number} how many are not greater */
export function upper(sorted, value) {
  let low = 0, high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle] <= value) low = middle + 1;
    else high = middle;
  }
  return low;
}

export class PatternModel {
  /** @param {Entry[]} entries */
  constructor(entries) {
    this.entries = entries;
    const order = entries.map((_, index) => index), when = (/** @type {number} */ index) => entries[index].kind === "other" ? Number.MAX_VALUE : entries[index].time ?? 0;
    order.sort((a, b) => when(a) - when(b) || a - b);
    /** All entries by time, last those that only the text shows: the order of the list. */
    this.order = Int32Array.from(order);
    /** @type {Map<number, number>} */
    this.rank = new Map(order.map((index, k) => [index, k]));
    const of = (/** @type {string[]} */ ...kinds) => order.filter((index) => kinds.includes(entries[index].kind));
    this.haptic = new Lane(entries, of("transient", "continuous"), (one) => valueOf(one, "intensity"), (one) => valueOf(one, "sharpness"));
    this.audio = new Lane(entries, of("audio"), (one) => valueOf(one, "volume"), (one) => (valueOf(one, "pitch") + 1) / 2);
    /** Events in the order of their times, as runs count them. */
    this.events = of("transient", "continuous", "audio");
    /** @type {Map<string, { curves: number[], steps: number[] }>} */
    this.controls = new Map();
    for (const index of of("curve", "parameter")) {
      const id = entries[index].parameter ?? "";
      const own = this.controls.get(id) ?? { curves: [], steps: [] };
      (entries[index].kind === "curve" ? own.curves : own.steps).push(index);
      this.controls.set(id, own);
    }
    const known = Object.keys(PARAMETERS);
    this.controls = new Map([...this.controls].sort(([a], [b]) => (known.indexOf(a) + 1 || 99) - (known.indexOf(b) + 1 || 99)));
    this.seconds = order.reduce((most, index) => Math.max(most, endOf(entries[index])), 0);
  }

  /** @param {(entry: number) => boolean} isLeft what is being moved is no place to snap to @returns {number[]} starts and ends of events */
  edges(isLeft) {
    return [...this.order].filter((index) => !isLeft(index) && this.entries[index].kind !== "other").flatMap((index) => {
      const one = this.entries[index];
      return one.kind === "transient" || one.kind === "parameter" ? [one.time ?? 0] : [startOf(one), endOf(one)];
    });
  }
}

/** Moments that a drag goes to when it is near. */
export class Snap {
  constructor() {
    this.moments = new Float64Array();
  }

  /** @param {number[]} moments */
  set(moments) {
    this.moments = Float64Array.from(moments).sort();
  }

  /** @param {number} time @param {number} reach seconds @returns {number | undefined} */
  nearest(time, reach) {
    const next = upper(this.moments, time);
    let best;
    for (const k of [next - 1, next]) {
      const off = Math.abs(this.moments[k] - time);
      if (off <= reach && (best === undefined || off < Math.abs(best - time))) best = this.moments[k];
    }
    return best;
  }
}

/**
 * Where a sound begins anew: its size rises within 20 ms by a quarter of the most that it has, at least 50 ms apart.
 *
 * @param {Float32Array} pairs minima and maxima
 * @param {number} step seconds of a pair
 * @returns {number[]} seconds
 */
export function onsets(pairs, step) {
  const count = pairs.length >> 1, size = new Float32Array(count);
  let most = 0;
  for (let k = 0; k < count; k += 1) {
    size[k] = Math.max(Math.abs(pairs[2 * k]), Math.abs(pairs[2 * k + 1])) || 0;
    most = Math.max(most, size[k]);
  }
  const reach = Math.max(1, Math.round(0.02 / step)), found = [];
  for (let k = 0; k < count; k += 1) {
    let least = k < reach ? 0 : Infinity;
    for (let j = Math.max(0, k - reach); j < k; j += 1) least = Math.min(least, size[j]);
    if (most > 0 && size[k] - least > most / 4 && (found.length === 0 || (k - found[found.length - 1]) * step > 0.05)) found.push(k);
  }
  return found.map((k) => k * step);
}
