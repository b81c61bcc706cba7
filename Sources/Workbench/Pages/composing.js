// SPDX-License-Identifier: Apache-2.0
// What a composition puts into a pattern, and which entries of it an earlier one has put (docs/decisions/051).
// Nothing here knows a page.
import { bare, endOf, MOST_POINTS, PARAMETERS, placeFor, SHORTEST, startOf, tidy } from "./edits.js";

/** @typedef {API.Entry} Entry */
/** @typedef {{ from: number, to: number }} Span */
/** @typedef {{ entry: Entry, of?: number }} Piece an entry that comes, or what is left of one that is cut */
/** @typedef {{ gone: number[], added: Piece[] }} Exchange entries by their index that go, and what comes */

/** So long before a cut what is cut ends, and its curve is neutral again. */
const EDGE = 0.001;
/** How far a tap may be from another to be the same one that has moved. */
const NEAR = 0.05;
const DRAWN = new Set(["HapticIntensityControl", "HapticSharpnessControl"]);

/** @param {Entry} entry whether it is of the kinds that compositions are of */
export const isComposable = (entry) => entry.kind === "transient" || entry.kind === "continuous" || (entry.kind === "curve" && DRAWN.has(entry.parameter ?? ""));

/** @param {Entry[]} entries @param {number} by seconds @returns {Entry[]} */
export const shifted = (entries, by) => entries.map((one) => ({ ...one, time: tidy((one.time ?? 0) + by) }));

/** @type {WeakMap<Entry, string>} of an entry nothing becomes another but its place in the text, which is no part of this */
const signs = new WeakMap();

/** @param {Entry} entry what it is, whatever the order of its members */
function sign(entry) {
  let found = signs.get(entry);
  if (found === undefined) {
    const { offset: _offset, end: _end, ...rest } = entry;
    found = JSON.stringify(Object.entries(rest).sort(([a], [b]) => (a < b ? -1 : 1)));
    signs.set(entry, found);
  }
  return found;
}

/**
 * What of an entry lies within a span: nothing, itself, or a part of it that plays as it did there.
 *
 * @param {Entry} entry
 * @param {Span} span
 * @returns {Entry[]}
 */
export function cut(entry, { from, to }) {
  if (entry.kind === "transient") return (entry.time ?? 0) >= from && (entry.time ?? 0) < to ? [entry] : [];
  const start = startOf(entry), end = endOf(entry);
  if (start >= from && end <= to) return [entry];
  if (end <= from || start >= to) return [];
  if (entry.kind === "continuous") {
    const begin = Math.max(start, from), length = tidy((end > to ? to - EDGE : end) - begin);
    return length < SHORTEST ? [] : [{ ...entry, time: tidy(begin), duration: length }];
  }
  const begin = entry.time ?? 0, neutral = PARAMETERS[entry.parameter ?? ""]?.neutral ?? 0;
  const points = [...entry.points ?? []].sort((a, b) => a[0] - b[0]).map(([time, value]) => /** @type {[number, number]} */ ([begin + time, value]));
  const last = end > to ? to - EDGE : end;
  const kept = points.filter(([time]) => time >= from && time <= last);
  if (start < from && kept[0]?.[0] !== from) kept.unshift([from, valueAt(points, from)]);
  if (end > to) {
    if (kept[kept.length - 1]?.[0] !== last && last > (kept[kept.length - 1]?.[0] ?? -Infinity)) kept.push([last, valueAt(points, last)]);
    kept.push([to, neutral]);
  }
  if (kept.every(([, value]) => value === neutral)) return [];
  /** @type {Entry[]} */
  const found = [];
  // Chained where there are too many: each begins with the last of the one before.
  for (let at = 0; at < Math.max(1, kept.length - 1); at += MOST_POINTS - 1) {
    const link = kept.slice(at, at + MOST_POINTS), time = tidy(link[0][0]);
    found.push({ ...bare(entry), time, points: link.map(([when, value]) => [tidy(when - time), tidy(value, 4)]) });
  }
  return found;
}

/** @param {[number, number][]} points by time @param {number} time */
function valueAt(points, time) {
  const k = points.findIndex((one) => one[0] >= time);
  if (k < 0) return points[points.length - 1][1];
  if (k === 0) return points[0][1];
  const [a, b] = [points[k - 1], points[k]];
  return a[1] + (b[0] > a[0] ? (time - a[0]) / (b[0] - a[0]) : 1) * (b[1] - a[1]);
}

/**
 * One part anew: what plays outside of the span plays as before.
 *
 * @param {Entry[]} entries
 * @param {Entry[]} composed of the whole
 * @param {Span} span
 * @returns {Exchange}
 */
export function part(entries, composed, span) {
  /** @type {Exchange} */
  const exchange = { gone: [], added: [] };
  entries.forEach((entry, of) => {
    if (!isComposable(entry)) return;
    const pieces = [...cut(entry, { from: -Infinity, to: span.from }), ...cut(entry, { from: span.to, to: Infinity })];
    if (pieces.length === 1 && pieces[0] === entry) return;
    exchange.gone.push(of);
    for (const piece of pieces) exchange.added.push({ entry: piece, of });
  });
  for (const one of composed) for (const entry of cut(one, span)) exchange.added.push({ entry });
  return exchange;
}

/**
 * All anew: what an earlier composition has put goes, as far as it does not come again.
 *
 * @param {Entry[]} entries
 * @param {Entry[]} composed
 * @param {number[]} earlier the entries that it has put
 * @returns {Exchange}
 */
export function whole(entries, composed, earlier) {
  /** @type {Map<string, number[]>} */
  const known = new Map();
  for (const index of earlier) known.set(sign(entries[index]), [...known.get(sign(entries[index])) ?? [], index]);
  const added = composed.filter((entry) => known.get(sign(entry))?.pop() === undefined).map((entry) => ({ entry }));
  return { gone: [...known.values()].flat().sort((a, b) => a - b), added };
}

/**
 * An exchange that leaves some taps as they are.
 *
 * @param {Entry[]} entries
 * @param {Exchange} exchange
 * @param {Change[]} left what of it is not to be done
 * @returns {Exchange}
 */
export function without(entries, { gone, added }, left) {
  const stay = new Set(left.flatMap(({ old }) => old ? [sign(old)] : [])), away = new Set(left.flatMap(({ now }) => now ? [sign(now)] : []));
  return { gone: gone.filter((index) => !stay.has(sign(entries[index]))), added: added.filter(({ entry }) => !away.has(sign(entry))) };
}

/** @param {Entry[]} entries @param {Exchange} exchange @returns {Entry[]} what they are after it */
export function exchanged(entries, { gone, added }) {
  const left = new Set(gone);
  return [...entries.filter((_, index) => !left.has(index)), ...added.map(({ entry }) => entry)];
}

/** @param {Entry[]} entries @param {Exchange} exchange @returns {API.Operation[]} */
export function operations(entries, { gone, added }) {
  /** @type {API.Operation[]} */
  const found = [...added].sort((a, b) => (a.entry.time ?? 0) - (b.entry.time ?? 0)).map(({ entry, of }) => {
    const to = placeFor(entries, entry.time ?? 0);
    // A copy keeps what a page does not know of.
    return of !== undefined && entry.kind === "continuous" ? { copy: of, to, set: { time: entry.time, duration: entry.duration } } : { insert: to, entry: bare(entry) };
  });
  return gone.length > 0 ? [...found, { remove: gone }] : found;
}

/**
 * The entries that are as a composition has put them: one for each that it has.
 *
 * @param {Entry[]} entries
 * @param {Entry[]} composed
 * @returns {number[]}
 */
export function equal(entries, composed) {
  /** @type {Map<string, number>} */
  const left = new Map();
  for (const one of composed) left.set(sign(one), (left.get(sign(one)) ?? 0) + 1);
  return entries.flatMap((entry, index) => {
    const count = isComposable(entry) ? left.get(sign(entry)) ?? 0 : 0;
    if (count > 0) left.set(sign(entry), count - 1);
    return count > 0 ? [index] : [];
  });
}

/** Of entries that are alike so many are looked at: more of them tell nothing new. */
const MOST_ALIKE = 50;

/**
 * When a composition begins in a document: at the moment at which most of it is there.
 *
 * @param {Entry[]} entries
 * @param {Entry[]} composed at the times of the sound
 * @param {number} expected the moment that is taken where no other has more
 * @returns {number | undefined} nothing where none of it is there
 */
export function beginning(entries, composed, expected) {
  const count = (/** @type {number} */ by) => equal(entries, shifted(composed, by)).length;
  const kind = (/** @type {Entry} */ entry) => sign({ ...entry, time: 0 });
  /** @type {Map<string, number[]>} */
  const alike = new Map();
  for (const one of composed) {
    const times = alike.get(kind(one)) ?? [];
    if (times.length < MOST_ALIKE) times.push(one.time ?? 0);
    alike.set(kind(one), times);
  }
  /** @type {Map<number, number>} */
  const votes = new Map();
  for (const entry of entries) {
    if (!isComposable(entry)) continue;
    for (const time of alike.get(kind(entry)) ?? []) {
      const by = tidy((entry.time ?? 0) - time);
      votes.set(by, (votes.get(by) ?? 0) + 1);
    }
  }
  const [best] = [...votes].sort((a, b) => b[1] - a[1] || Math.abs(a[0] - expected) - Math.abs(b[0] - expected));
  const here = count(expected), there = best ? count(best[0]) : 0;
  // One that is alike elsewhere may be anybody's.
  if (there > here && (there > 1 || composed.length === 1)) return best[0];
  return here > 0 || composed.length === 0 ? expected : undefined;
}

/** @typedef {{ what: "added" | "moved" | "changed" | "gone", time: number, before?: number, old?: Entry, now?: Entry }} Change of a tap */

/**
 * What became of taps: those that are near each other are one that has moved.
 *
 * @param {Entry[]} before
 * @param {Entry[]} after
 * @param {number} [by] seconds by which all of them move
 * @returns {Change[]} by time
 */
export function changes(before, after, by = 0) {
  const taps = (/** @type {Entry[]} */ all) => all.filter((one) => one.kind === "transient").sort((a, b) => (a.time ?? 0) - (b.time ?? 0));
  const [old, now] = [taps(before), taps(after)], same = equal(now, old), isSame = new Set(same);
  const stays = new Set(equal(old, same.map((index) => now[index])));
  const left = old.filter((_, index) => !stays.has(index)), come = now.filter((_, index) => !isSame.has(index));
  const times = left.map((one) => (one.time ?? 0) + by);
  /** @type {Change[]} */
  const found = [];
  // The nearest pairs first, so that none is taken from a nearer one.
  const pairs = [];
  for (let k = 0, first = 0; k < come.length; k += 1) {
    const time = come[k].time ?? 0;
    while (first < left.length && times[first] < time - NEAR) first += 1;
    for (let j = first; j < left.length && times[j] <= time + NEAR; j += 1) pairs.push({ k, j, off: Math.abs(times[j] - time) });
  }
  const taken = [new Set(), new Set()];
  for (const { k, j } of pairs.sort((a, b) => a.off - b.off)) {
    if (taken[0].has(k) || taken[1].has(j)) continue;
    taken[0].add(k);
    taken[1].add(j);
    const [was, time] = [left[j].time ?? 0, come[k].time ?? 0], both = { old: left[j], now: come[k] };
    found.push(Math.abs(was - time) > 5e-4 ? { what: "moved", time, before: was, ...both } : { what: "changed", time, ...both });
  }
  come.forEach((one, k) => { if (!taken[0].has(k)) found.push({ what: "added", time: one.time ?? 0, now: one }); });
  left.forEach((one, j) => { if (!taken[1].has(j)) found.push({ what: "gone", time: one.time ?? 0, old: one }); });
  return found.sort((a, b) => a.time - b.time);
}

/**
 * Taps on every so many beats, where there is none within 10 ms.
 *
 * @param {Entry[]} entries
 * @param {number[]} beats seconds of the pattern
 * @param {{ every: number, first: number, intensity: number, sharpness: number }} how
 * @returns {API.Operation[]}
 */
export function tapsOnBeats(entries, beats, { every, first, intensity, sharpness }) {
  const taps = entries.filter((one) => one.kind === "transient").map((one) => one.time ?? 0);
  return beats.filter((time, k) => k >= first - 1 && (k - first + 1) % every === 0 && time >= 0 && !taps.some((one) => Math.abs(one - time) < 0.01))
    .map((time) => ({ insert: placeFor(entries, time), entry: { kind: "transient", time: tidy(time, 4), intensity, sharpness } }));
}
