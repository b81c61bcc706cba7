// SPDX-License-Identifier: Apache-2.0
// edits.js, composing.js and pattern_model.js without a browser: node .ci/browser/edits_test.mjs [SEED]
// What an edit does is checked against operations that are applied here as docs/decisions/048 says; random cases
// print their seed. Exit code: 0, or 1 where something is not as it should be.
import { readFileSync } from "node:fs";

const pages = new URL("../../Sources/Workbench/Pages/", import.meta.url);
const asModule = (text) => `data:text/javascript;base64,${Buffer.from(text).toString("base64")}`;
const editsURL = asModule(readFileSync(new URL("edits.js", pages), "utf8"));
const E = await import(editsURL);
const C = await import(asModule(readFileSync(new URL("composing.js", pages), "utf8").replaceAll('"./edits.js"', `"${editsURL}"`)));
const { PatternModel, Snap, onsets } = await import(asModule(readFileSync(new URL("pattern_model.js", pages), "utf8").replaceAll('"./edits.js"', `"${editsURL}"`)));

let failed = 0, seed = Number(process.argv[2] ?? Date.now() % 1e9);
const first = seed;
/** A value as text, whatever the order of its members. */
const told = (value) => JSON.stringify(value, (_, one) => one && typeof one === "object" && !Array.isArray(one)
  ? Object.fromEntries(Object.entries(one).sort(([a], [b]) => (a < b ? -1 : 1))) : one);
const same = (name, found, wanted) => {
  if (told(found) === told(wanted)) return;
  failed += 1;
  console.log(`FAILED ${name}: ${JSON.stringify(found)}, not ${JSON.stringify(wanted)} (seed ${first})`);
};
const holds = (name, fact, more = "") => same(`${name} ${more}`, Boolean(fact), true);
const random = () => {
  seed = (seed + 0x6d2b79f5) | 0;
  let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
  return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
};
const whole = (least, most) => least + Math.floor(random() * (most - least + 1));

/** The entries after a batch; every index is of the entries before. */
export function applied(entries, operations) {
  const now = structuredClone(entries), points = new Map(), gone = new Set(), before = new Map();
  const put = (at, entry) => before.set(at, [...before.get(at) ?? [], entry]);
  const change = (entry, key, value) => { if (value === null) delete entry[key]; else entry[key] = value; };
  for (const one of operations) {
    if (one.metadata !== undefined) continue;
    const curve = [one.point, one.addPoint, one.removePoint].find((index) => index !== undefined);
    if (curve !== undefined && !points.has(curve)) points.set(curve, { gone: new Set(), put: new Map() });
    if (one.copy !== undefined) {
      const copy = structuredClone(entries[one.copy]);
      Object.entries(one.set ?? {}).forEach(([key, value]) => change(copy, key, value));
      put(one.to, copy);
    } else if (one.set !== undefined) change(now[one.set], one.key, one.value);
    else if (one.insert !== undefined) put(one.insert, structuredClone(one.entry));
    else if (one.remove) one.remove.forEach((index) => gone.add(index));
    else if (one.point !== undefined) {
      const own = now[one.point].points[one.at];
      if (one.time !== undefined) own[0] = one.time;
      if (one.value !== undefined) own[1] = one.value;
    } else if (one.addPoint !== undefined) {
      const own = points.get(curve).put;
      own.set(one.at, [...own.get(one.at) ?? [], [one.time, one.value]]);
    } else if (one.removePoint !== undefined) one.at.forEach((k) => points.get(curve).gone.add(k));
  }
  for (const [index, change] of points) {
    const old = now[index].points;
    now[index].points = [...old, undefined].flatMap((point, k) => [...change.put.get(k) ?? [], ...point && !change.gone.has(k) ? [point] : []]);
  }
  return [...now, undefined].flatMap((entry, index) => [...before.get(index) ?? [], ...entry && !gone.has(index) ? [entry] : []]);
}

const tap = (time, more = {}) => ({ kind: "transient", time, intensity: 0.5, sharpness: 0.5, ...more });
const hold = (time, duration, more = {}) => ({ kind: "continuous", time, duration, intensity: 0.5, sharpness: 0.2, ...more });
const curve = (time, points, parameter = "HapticIntensityControl") => ({ kind: "curve", time, parameter, points });
const entries = [tap(0), hold(0.1, 0.4), curve(0, [[0, 1], [0.5, 0.2], [1, 0]]), tap(0.6), { kind: "parameter", time: 0.7, parameter: "AudioPanControl", value: 0.5 }, { kind: "other" }];

// Known cases.
same("place", applied([tap(0), tap(1)], E.place([tap(0), tap(1)], tap(0.5))).map((one) => one.time), [0, 0.5, 1]);
same("place first", applied([tap(1)], E.place([tap(1)], tap(0))).map((one) => one.time), [0, 1]);
same("into nothing", applied([], E.place([], tap(2))).map((one) => one.time), [2]);
same("together, none before the beginning", applied(entries, E.move(entries, [1, 3], -0.3)).map((one) => one.time), [0, 0, 0, 0.5, 0.7, undefined]);
same("the end", applied(entries, E.resize(entries, [1, 0], "end", 0.1))[1].duration, 0.5);
same("the beginning", applied(entries, E.resize(entries, [1], "start", 0.1))[1], hold(0.2, 0.3));
same("not shorter than can be", applied(entries, E.resize(entries, [1], "end", -9))[1].duration, 0.001);
same("not longer than can be", applied(entries, E.resize(entries, [1], "end", 99))[1].duration, 30);
same("value within its range", applied(entries, E.shift(entries, [0, 1], "intensity", 0.7)).slice(0, 2).map((one) => one.intensity), [1, 1]);
same("left to the default", "intensity" in applied(entries, E.setAll(entries, [0], "intensity", null))[0], false);
same("what cannot have it has it not", E.setAll(entries, [0, 4], "duration", 1), []);
same("a tap that lasts", applied(entries, E.setKind(entries, [0], "continuous"))[0], { kind: "continuous", time: 0, intensity: 0.5, sharpness: 0.5, duration: 0.1 });
same("what lasts as a tap", applied(entries, E.setKind(entries, [1], "transient"))[1].duration, undefined);
same("repeat", applied([tap(0), tap(0.2)], E.repeat([tap(0), tap(0.2)], [0, 1], 0.5, 2)).map((one) => one.time), [0, 0.2, 0.5, 0.7, 1, 1.2]);
same("sharpness alone", applied(entries, E.pasteKeys(entries, [1, 3], { entries: [tap(9, { sharpness: 0.9, intensity: 1 })] }, ["sharpness"]))[3], tap(0.6, { sharpness: 0.9 }));
same("across patterns", applied([tap(0)], E.paste([tap(0)], E.clipOf(entries, [1, 3]), 2)).map((one) => one.time), [0, 2, 2.5]);
same("in place", applied(entries, E.paste(entries, E.clipOf(entries, [3]))).map((one) => one.time), [0, 0.1, 0, 0.6, 0.6, 0.7, undefined]);
same("backwards", applied(entries, E.reverse(entries, [0, 1, 2])).slice(0, 3), [tap(1), hold(0.5, 0.4), curve(0, [[0, 0], [0.5, 0.2], [1, 1]])]);
same("twice as long", applied(entries, E.stretch(entries, [1, 2, 3], 2, 0)).slice(1, 4), [hold(0.2, 0.8), curve(0, [[0, 1], [1, 0.2], [2, 0]]), tap(1.2)]);
same("on the beat", applied([tap(0.13), tap(0.38)], E.quantise([tap(0.13), tap(0.38)], [0, 1], 0.25)).map((one) => one.time), [0.25, 0.5]);
same("a point", applied(entries, E.addPoint(entries, 2, 0.75, 0.9))[2].points, [[0, 1], [0.5, 0.2], [0.75, 0.9], [1, 0]]);
same("a point before the first", applied([curve(1, [[0, 1], [0.5, 0.2]])], E.addPoint([curve(1, [[0, 1], [0.5, 0.2]])], 0, 0.75, 0.9)), [curve(0.75, [[0, 0.9], [0.25, 1], [0.75, 0.2]])]);
same("a point behind the last", applied(entries, E.addPoint(entries, 2, 2, -4))[2].points[3], [2, 0]);
same("a point between its neighbours", applied(entries, E.movePoints(entries, 2, [1], 9, 0.1))[2].points[1], [1, 0.3]);
same("points together", applied(entries, E.movePoints(entries, 2, [1, 2], 0.25, 0))[2].points, [[0, 1], [0.75, 0.2], [1.25, 0]]);
same("without points", E.removePoints(entries, 2, [0, 1, 2]), [{ remove: [2] }]);
same("half as much", applied(entries, E.scaleCurve(entries, 2, 0.5))[2].points.map(([, value]) => value), [0.5, 0.1, 0]);
same("a new curve", applied([tap(0)], E.draw([tap(0)], "HapticIntensityControl", [[0.5, 0], [1, 1], [1.5, 0]]))[1], curve(0.5, [[0, 0], [0.5, 1], [1, 0]]));
same("into a curve", applied(entries, E.draw(entries, "HapticIntensityControl", [[0.4, 0.6], [0.5, 0.8], [0.6, 0.6]]))[2].points, [[0, 1], [0.4, 0.6], [0.5, 0.8], [0.6, 0.6], [1, 0]]);
same("envelope", [E.envelopeSeconds(0), E.envelopeSeconds(1), E.envelopeValue(E.envelopeSeconds(0.4))], [0.001, 1, 0.4]);
same("two halves of one sign", E.replaced("a\u{1f600}b", [E.difference("a\u{1f600}b", "a\u{1f601}b")]), "a\u{1f601}b");
holds("a half is not kept", (E.difference("a\u{1f600}b", "a\u{1f601}b").insert.codePointAt(0) ?? 0) > 0xffff);

// Random ones.
const someEntries = () => Array.from({ length: whole(1, 12) }, () => [tap(E.tidy(random() * 4, 3)), hold(E.tidy(random() * 4, 3), E.tidy(0.01 + random(), 3)),
  curve(E.tidy(random(), 3), [[0, 0.5], [E.tidy(0.1 + random(), 3), 0.2]])][whole(0, 2)]);
const some = (length) => Array.from({ length }, (_, index) => index).filter(() => random() < 0.5);
for (let round = 0; round < 2000; round += 1) {
  const all = someEntries(), picked = some(all.length), more = JSON.stringify({ round, all, picked });
  if (picked.length > 0) {
    const twice = applied(all, E.reverse(all, picked));
    same(`reversed twice ${more}`, applied(twice, E.reverse(twice, picked)), all);
    const there = applied(all, E.move(all, picked, 0.25));
    same(`there and back ${more}`, applied(there, E.move(there, picked, -0.25)), all);
    const even = applied(all, E.quantise(all, picked, 0.125));
    same(`even once ${more}`, E.quantise(even, picked, 0.125), []);
    const long = applied(all, E.stretch(all, picked, 2)), short = applied(long, E.stretch(long, picked, 0.5));
    same(`longer and shorter ${more}`, short, all);
    holds("the others stay", all.every((one, index) => picked.includes(index) || JSON.stringify(one) === JSON.stringify(long[index])), more);
    // Somebody else put something in, or took it out, elsewhere: the same batch does the same to the same.
    const batch = [...E.shift(all, picked, "intensity", 0.1), ...E.repeat(all, picked, 1)];
    const at = whole(0, all.length), newer = [...all.slice(0, at), tap(7.5), ...all.slice(at)];
    const again = E.repeated(batch, all, newer);
    holds("can be repeated", again, more);
    same(`repeated ${more}`, applied(newer, again).filter((one) => one.time !== 7.5).length, applied(all, batch).length);
    same(`does the same ${more}`, applied(newer, again).filter((one) => one.time !== 7.5).map(told).sort(), applied(all, batch).map(told).sort());
    const other = structuredClone(all);
    other[picked[0]].time += 0.5;
    same(`changed meanwhile ${more}`, E.repeated([{ set: picked[0], key: "time", value: 0 }], all, other), undefined);
  }
  const text = Array.from({ length: whole(0, 30) }, () => "ab{}\n\u{1f600}é"[whole(0, 8)] ?? "x").join(""), cut = whole(0, text.length), end = whole(cut, text.length);
  const next = `${text.slice(0, cut)}${["", "a", "\u{1f601}{", "xyz"][whole(0, 3)]}${text.slice(end)}`, edit = E.difference(text, next);
  same(`text ${JSON.stringify([text, next])}`, edit ? E.replaced(text, [edit]) : text, next);
  const line = Array.from({ length: whole(2, 200) }, (_, k) => [k * 0.01, random()]);
  const points = E.simplify(line, 2);
  holds("few points, in order, ends kept", points.length <= 16 && points.every((one, k) => k === 0 || one[0] > points[k - 1][0]) && points[0][0] === 0, String(round));
}
same("places move with the text", [E.moved(10, [{ from: 2, to: 4, insert: "abcdef" }], false), E.moved(10, [{ from: 10, to: 10, insert: "x" }], true),
  E.moved(10, [{ from: 10, to: 10, insert: "x" }], false), E.moved(10, [{ from: 4, to: 10, insert: "" }], true), E.moved(10, [{ from: 11, to: 12, insert: "" }], false)], [14, 10, 11, 4, 10]);

// The model: what is under a place is what lies there, whatever way it is found.
for (let round = 0; round < 200; round += 1) {
  const all = Array.from({ length: whole(0, 400) }, () => random() < 0.5 ? tap(E.tidy(random() * 20, 3)) : hold(E.tidy(random() * 20, 3), E.tidy(0.01 + random() * (random() < 0.1 ? 15 : 1), 3)));
  const model = new PatternModel(all), from = random() * 20, to = from + random();
  const found = new Set();
  model.haptic.within(from, to, (k) => found.add(model.haptic.entry[k]));
  const wanted = new Set(all.flatMap((one, index) => (one.time ?? 0) <= to && E.endOf(one) >= from ? [index] : []));
  same(`within, round ${round}`, [...found].sort((a, b) => a - b), [...wanted].sort((a, b) => a - b));
}
const snap = new Snap();
snap.set([0.5, 1.25, 3]);
same("snap", [snap.nearest(1.2, 0.1), snap.nearest(2, 0.1), snap.nearest(0.45, 0.1)], [1.25, undefined, 0.5]);
// Two knocks in a quiet sound.
const sound = new Float32Array(2 * 1000).map((_, k) => { const x = (k >> 1) / 1000, s = x < 0.2 ? 99 : x < 0.6 ? x - 0.2 : x - 0.6; return (k % 2 ? 1 : -1) * (0.01 + Math.exp(-s * 40)); });
same("onsets", onsets(sound, 0.001).map((time) => Math.round(time * 100) / 100), [0.2, 0.6]);

// Composing.
const level = (all, time) => {
  // What is felt of holds at a time: intensities by their curves, as far as one reaches.
  const curves = all.filter((one) => one.kind === "curve" && one.parameter === "HapticIntensityControl" && E.startOf(one) <= time && E.endOf(one) >= time);
  const points = curves[0]?.points.map(([at, value]) => [curves[0].time + at, value]) ?? [], k = points.findIndex(([at]) => at >= time);
  const control = k < 0 ? 1 : k === 0 ? points[0][1] : points[k - 1][1] + (time - points[k - 1][0]) / (points[k][0] - points[k - 1][0] || 1) * (points[k][1] - points[k - 1][1]);
  return all.filter((one) => one.kind === "continuous" && one.time <= time && E.endOf(one) > time).map((one) => Math.round(1e3 * one.intensity * control) / 1e3).join();
};
same("a tap in the span", [C.cut(tap(1), { from: 1, to: 2 }).length, C.cut(tap(2), { from: 1, to: 2 }).length], [1, 0]);
same("a hold cut at both edges", C.cut(hold(0, 4), { from: 1, to: 2 }), [hold(1, 0.999)]);
same("a curve cut at both edges", C.cut(curve(0, [[0, 0], [4, 1]]), { from: 1, to: 2 }), [curve(1, [[0, 0.25], [0.999, 0.4998], [1, 1]])]);
same("what lies outside is nothing", C.cut(curve(0, [[0, 0], [0.5, 1]]), { from: 1, to: 2 }), []);
/** Something that a composition could be: holds side by side, a chained curve over each, taps between. */
const composition = (seconds) => {
  const all = [];
  for (let at = 0; at < seconds;) {
    const length = Math.min(seconds - at, 0.1 + random());
    if (length < 0.02) break;
    all.push({ ...hold(E.tidy(at, 5), E.tidy(length - 0.005, 5)), intensity: 1, sharpness: 0 });
    const points = Array.from({ length: whole(2, 15) }, (_, k) => k).map((k, _, { length: count }) => [E.tidy((length - 0.005) * k / (count - 1), 5), E.tidy(random(), 4)]);
    all.push(curve(E.tidy(at, 5), [...points, [E.tidy(length - 0.004, 5), 1]]));
    at += length;
    if (random() < 0.7) all.push(tap(E.tidy(at - 0.002, 5), { intensity: E.tidy(random(), 4) }));
    at += random() < 0.2 ? 0.3 : 0.002;
  }
  return all.sort((a, b) => a.time - b.time);
};
for (let round = 0; round < 400; round += 1) {
  const first = composition(4), second = composition(4), from = E.tidy(random() * 3, 5), span = { from, to: E.tidy(from + 0.05 + random(), 5) }, more = `round ${round} ${JSON.stringify(span)}`;
  const mine = [tap(1.23456, { intensity: 0.123 }), { kind: "audio", time: 0, path: "a.wav" }, { kind: "parameter", time: 0.7, parameter: "AudioPanControl", value: 0.5 }, { kind: "other" }];
  const all = [...first, ...mine], ops = C.operations(all, C.part(all, second, span)), after = applied(all, [...ops, { metadata: "Composed", value: {} }]);
  same(`the batch does what is said ${more}`, after.map(told).sort(), C.exchanged(all, C.part(all, second, span)).map(told).sort());
  const touched = new Set(ops.flatMap((one) => one.remove ?? []));
  all.forEach((one, index) => {
    const isOutside = !C.isComposable(one) || (one.kind === "transient" ? one.time < span.from || one.time >= span.to : E.endOf(one) <= span.from || E.startOf(one) >= span.to);
    if (isOutside) holds("what lies outside is not touched", !touched.has(index), `${more} ${told(one)}`);
  });
  holds("operations change no entry that stays", ops.every((one) => one.insert !== undefined || one.copy !== undefined || one.remove), more);
  holds("curves have no more points than can be", after.every((one) => (one.points?.length ?? 0) <= 16), more);
  for (let k = 0; k < 400; k += 1) {
    const time = k / 100 + 0.00333, isInside = time >= span.from && time < span.to;
    // A millisecond before a cut is its ramp.
    if (Math.abs(time - span.from) < 0.0021 || Math.abs(time - span.to) < 0.0021) continue;
    const [found, wanted] = [level(after, time), level(isInside ? second : all, time)].map((one) => one.split(",").filter(Boolean).map(Number));
    holds("plays as it did outside, as composed inside", found.length === wanted.length && found.every((value, j) => Math.abs(value - wanted[j]) < 0.02), `${more} at ${time}: ${found}, not ${wanted}`);
  }
  same(`taps of both ${more}`, after.filter((one) => one.kind === "transient").map((one) => one.time).sort(),
    [...all.filter((one) => one.kind === "transient" && (one.time < span.from || one.time >= span.to)), ...second.filter((one) => one.kind === "transient" && one.time >= span.from && one.time < span.to)].map((one) => one.time).sort());
  // The same part composed again is known, and all anew takes it out and leaves what is mine.
  const made = C.exchanged(first, C.part(first, second, span)), known = C.equal(after, made);
  const final = applied(after, C.operations(after, C.whole(after, second, known))), isMineIn = mine[0].time >= span.from && mine[0].time < span.to;
  same(`all anew ${more}`, final.map(told).sort(), [...second, ...mine.slice(isMineIn ? 1 : 0)].map(told).sort());
  same(`all anew, once more ${more}`, C.operations(final, C.whole(final, second, C.equal(final, second))), []);
}
same("later by the sound's time", C.shifted([tap(0.1)], 0.2), [tap(0.3)]);
same("one that was edited is somebody's", C.equal([tap(0), tap(1, { intensity: 0.6 }), tap(1)], [tap(0), tap(1), tap(2)]), [0, 2]);
const became = (...all) => C.changes(...all).map(({ old: _old, now: _now, ...one }) => one);
same("what became of taps", became([tap(0), tap(1), tap(2), tap(3)], [tap(0), tap(1.02), tap(2, { intensity: 0.9 }), tap(4), hold(1, 1)]),
  [{ what: "moved", time: 1.02, before: 1 }, { what: "changed", time: 2 }, { what: "gone", time: 3 }, { what: "added", time: 4 }]);
same("taps that move together", became([tap(0), tap(1), tap(2)], [tap(0.4), tap(1.41), tap(3)], 0.4),
  [{ what: "moved", time: 0.4, before: 0 }, { what: "moved", time: 1.41, before: 1 }, { what: "gone", time: 2 }, { what: "added", time: 3 }]);
same("nothing became of taps", C.changes([tap(0), tap(0), tap(1)], [tap(1), tap(0), tap(0)]), []);
for (let round = 0; round < 200; round += 1) {
  // Wherever the sound was moved since, and whatever was changed by hand, what was composed is found.
  const made = composition(3), by = E.tidy(random() * 2, 5), expected = E.tidy(random() * 2, 5), more = `round ${round}`;
  const kept = C.shifted(made, by).filter((_, k) => k < 2 || random() < 0.6).map((one, k) => (k > 1 && one.kind === "transient" && random() < 0.3 ? { ...one, sharpness: 0.99 } : one));
  const all = [...kept, tap(0.77, { intensity: 0.2345 }), { kind: "audio", time: expected, path: "a.wav" }];
  same(`where it begins ${more}`, C.beginning(all, made, expected), by);
  same(`what was composed is known ${more}`, C.equal(all, C.shifted(made, by)).length, kept.filter((one) => one.sharpness !== 0.99).length);
  same(`of nothing of it ${more}`, C.beginning([tap(0.77, { intensity: 0.2345 }), hold(1, 9)], made, expected), undefined);
  // A row that is unticked: its tap stays, or does not come; all else is exchanged.
  const other = composition(3), old = C.shifted(made, by), changes = C.changes(old, other), left = changes.filter(() => random() < 0.5), known = C.equal(old, old);
  const after = applied(old, C.operations(old, C.without(old, C.whole(old, other, known), left)));
  const wanted = [...other.filter((one) => !left.some(({ now }) => now === one)), ...left.flatMap((one) => one.old ?? [])];
  same(`all but what is unticked ${more}`, after.map(told).sort(), wanted.map(told).sort());
}
same("where it is expected, where elsewhere is no more", C.beginning([tap(1), tap(2)], [tap(0)], 2), 2);
same("an empty composition begins anywhere", C.beginning([tap(1)], [], 0.5), 0.5);
same("taps on beats", applied([tap(1.004)], C.tapsOnBeats([tap(1.004)], [0, 0.5, 1, 1.5, 2, 2.5], { every: 2, first: 1, intensity: 0.8, sharpness: 0.5 })).map((one) => one.time), [0, 1.004, 2]);

console.log(failed ? `${failed} failed, seed ${first}` : `edits: known cases, 2000 random ones and the model are as they should be (seed ${first})`);
process.exit(failed ? 1 : 0);
