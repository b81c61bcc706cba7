// SPDX-License-Identifier: Apache-2.0
// What an edit is: from the entries of a pattern and what is asked, the operations of docs/decisions/048.
// Nothing here knows a page; every operation speaks of the entries as they were given.

/** @typedef {API.Entry} Entry */
/** @typedef {API.Operation} Operation */
/** @typedef {{ from?: string, entries: Entry[] }} Clip */

/** The longest duration of a continuous event, in seconds (CoreHaptics). */
export const LONGEST = 30;
/** The shortest duration that a drag or a key makes, in seconds. */
export const SHORTEST = 0.001;

/**
 * What a number may be, and what is taken where nothing is written: name, lowest, highest, unit, step.
 *
 * @type {Record<string, { name: string, low: number, high: number, unit: string, step: number }>}
 */
export const FIELDS = {
  time: { name: "Time", low: 0, high: Infinity, unit: "s", step: 0.01 },
  duration: { name: "Duration", low: 0, high: LONGEST, unit: "s", step: 0.01 },
  intensity: { name: "Intensity", low: 0, high: 1, unit: "", step: 0.05 },
  sharpness: { name: "Sharpness", low: 0, high: 1, unit: "", step: 0.05 },
  attack: { name: "Attack", low: 0, high: 1, unit: "", step: 0.05 },
  decay: { name: "Decay", low: 0, high: 1, unit: "", step: 0.05 },
  release: { name: "Release", low: 0, high: 1, unit: "", step: 0.05 },
  volume: { name: "Volume", low: 0, high: 1, unit: "", step: 0.05 },
  pan: { name: "Pan", low: -1, high: 1, unit: "", step: 0.05 },
  pitch: { name: "Pitch", low: -1, high: 1, unit: "", step: 0.05 },
  brightness: { name: "Brightness", low: 0, high: 1, unit: "", step: 0.05 },
  value: { name: "Value", low: -1, high: 1, unit: "", step: 0.05 },
};

/** @type {Record<string, string[]>} the keys that an entry of a kind can have */
export const KEYS = {
  transient: ["time", "intensity", "sharpness"],
  continuous: ["time", "duration", "intensity", "sharpness", "attack", "decay", "release", "sustained"],
  audio: ["time", "duration", "volume", "pitch", "pan", "brightness", "attack", "decay", "release", "sustained", "path", "envelope", "loop"],
  parameter: ["time", "parameter", "value"],
  curve: ["time", "parameter"],
  other: [],
};

/** @type {Record<string, { name: string, low: number, high: number, neutral: number }>} */
export const PARAMETERS = Object.fromEntries(/** @type {[string, string, number][]} */ ([
  ["HapticIntensityControl", "Intensity control", 0], ["HapticSharpnessControl", "Sharpness control", 1],
  ["HapticAttackTimeControl", "Attack control", 1], ["HapticDecayTimeControl", "Decay control", 1],
  ["HapticReleaseTimeControl", "Release control", 1], ["AudioVolumeControl", "Volume control", 0],
  ["AudioPitchControl", "Pitch control", 1], ["AudioPanControl", "Pan control", 1],
  ["AudioBrightnessControl", "Brightness control", 1], ["AudioAttackTimeControl", "Sound attack control", 1],
  ["AudioDecayTimeControl", "Sound decay control", 1], ["AudioReleaseTimeControl", "Sound release control", 1],
]).map(([id, name, adds]) => [id, { name, low: adds ? -1 : 0, high: 1, neutral: adds ? 0 : 1 }]));

/** @type {Record<string, Record<string, number>>} what is taken where nothing is written */
const DEFAULTS = {
  transient: { intensity: 0.75, sharpness: 0.5 },
  continuous: { intensity: 0.6, sharpness: 0.422601 },
};
const NEUTRAL = /** @type {Record<string, number>} */ ({
  time: 0, duration: 0, attack: 0, decay: 0, release: 0, volume: 1, pan: 0, pitch: 0, brightness: 1, value: 0,
});

/**
 * A number of an entry: as written, else what is taken for it.
 *
 * @param {Entry} entry
 * @param {string} key
 * @returns {number}
 */
export function valueOf(entry, key) {
  const own = /** @type {any} */ (entry)[key];
  return typeof own === "number" ? own : DEFAULTS[entry.kind]?.[key] ?? NEUTRAL[key] ?? 0;
}

/** @type {Record<string, [string, boolean]>} what is so or not: its words, and what is taken where nothing is written */
export const FLAGS = {
  sustained: ["Sustained: holds its level, else it decays", true], envelope: ["Ramped in and out", true], loop: ["Repeats for its duration", false],
};
/** @param {Entry} entry @param {string} key */
export const flagOf = (entry, key) => Boolean(/** @type {any} */ (entry)[key] ?? FLAGS[key][1]);
/** @param {Entry} entry */
export const isSustained = (entry) => flagOf(entry, "sustained");

/** The time of an attack, decay or release of value 0 and of 1, in seconds: the law that the renderer has. */
const FIRST = 0.001, LAST = 1;
/** @param {number} value */
export const envelopeSeconds = (value) => FIRST * (LAST / FIRST) ** Math.min(1, Math.max(0, value));
/** @param {number} seconds */
export const envelopeValue = (seconds) =>
  tidy(Math.min(1, Math.max(0, Math.log(Math.max(FIRST, seconds) / FIRST) / Math.log(LAST / FIRST))), 3);

/** @param {number} value @param {number} [decimals] */
export const tidy = (value, decimals = 6) => Number(value.toFixed(decimals)) + 0;

/** @param {number} value @param {number} low @param {number} high */
const within = (value, low, high) => Math.min(high, Math.max(low, value));

/** @param {Entry} entry */
export const startOf = (entry) => (entry.time ?? 0) + (entry.kind === "curve" ? Math.min(0, ...pointTimes(entry)) : 0);
/** @param {Entry} entry */
export const endOf = (entry) => (entry.time ?? 0)
  + (entry.kind === "curve" ? Math.max(0, ...pointTimes(entry)) : entry.kind === "transient" ? 0 : entry.duration ?? 0);
/** @param {Entry} entry */
const pointTimes = (entry) => (entry.points ?? []).map(([time]) => time);

/** @param {Entry[]} entries @param {Iterable<number>} picked @returns {{ from: number, to: number }} */
export function spanOf(entries, picked) {
  let from = Infinity, to = -Infinity;
  for (const index of picked) {
    from = Math.min(from, startOf(entries[index]));
    to = Math.max(to, endOf(entries[index]));
  }
  return from <= to ? { from, to } : { from: 0, to: 0 };
}

/** @param {Entry[]} entries @param {Iterable<number>} picked entries that can be edited, in the order of their times */
export const inOrder = (entries, picked) => [...picked].filter((index) => entries[index] && entries[index].kind !== "other")
  .sort((a, b) => (entries[a].time ?? 0) - (entries[b].time ?? 0) || a - b);

/** @param {Entry} entry @param {string} key */
export const has = (entry, key) => KEYS[entry.kind]?.includes(key) ?? false;

/** @param {Entry} entry @param {string} key @returns {[number, number]} */
export function rangeOf(entry, key) {
  if (key === "value") {
    const known = PARAMETERS[entry.parameter ?? ""];
    return known ? [known.low, known.high] : [-1, 1];
  }
  return [FIELDS[key].low, FIELDS[key].high];
}

/**
 * Where in the file an entry of a time belongs: behind the last that is not later.
 *
 * @param {Entry[]} entries
 * @param {number} time
 */
export function placeFor(entries, time) {
  for (let index = entries.length; index > 0; index -= 1) {
    if ((entries[index - 1].time ?? Infinity) <= time) return index;
  }
  return entries.some((one) => one.kind !== "other") ? Math.max(0, entries.findIndex((one) => one.kind !== "other")) : entries.length;
}

/** @param {Entry} entry @returns {Entry} without what only its place in a text has */
export function bare(entry) {
  const { offset: _offset, end: _end, ...rest } = /** @type {any} */ (entry);
  return structuredClone(rest);
}

// Placing, moving, sizing.

/** @param {Entry[]} entries @param {Partial<Entry>} entry @returns {Operation[]} */
export const place = (entries, entry) => [{ insert: placeFor(entries, entry.time ?? 0), entry: bare(/** @type {Entry} */ (entry)) }];

/** @param {Entry[]} entries @param {Iterable<number>} picked @param {number} by seconds @returns {Operation[]} */
export function move(entries, picked, by) {
  const own = inOrder(entries, picked);
  // Together, and none before the beginning.
  const shift = Math.max(by, -Math.min(...own.map((index) => entries[index].time ?? 0)));
  return own.filter(() => tidy(shift) !== 0).map((index) => ({ set: index, key: "time", value: tidy((entries[index].time ?? 0) + shift) }));
}

/** @param {Entry[]} entries @param {Iterable<number>} picked @param {string} key @param {number} by @returns {Operation[]} */
export function shift(entries, picked, key, by) {
  return inOrder(entries, picked).filter((index) => has(entries[index], key)).flatMap((index) => {
    const [low, high] = rangeOf(entries[index], key), before = valueOf(entries[index], key);
    const value = tidy(within(before + by, low, high), 4);
    return value === before ? [] : [{ set: index, key, value }];
  });
}

/**
 * The end, or the beginning while the end stays.
 *
 * @param {Entry[]} entries
 * @param {Iterable<number>} picked
 * @param {"start" | "end"} edge
 * @param {number} by seconds
 * @returns {Operation[]}
 */
export function resize(entries, picked, edge, by) {
  return inOrder(entries, picked).filter((index) => has(entries[index], "duration") && entries[index].duration !== undefined).flatMap((index) => {
    const time = entries[index].time ?? 0, duration = entries[index].duration ?? 0;
    const step = edge === "end" ? within(by, SHORTEST - duration, LONGEST - duration)
      : within(by, Math.max(-time, duration - LONGEST), duration - SHORTEST);
    if (tidy(step) === 0) return [];
    return edge === "end" ? [{ set: index, key: "duration", value: tidy(duration + step) }]
      : [{ set: index, key: "time", value: tidy(time + step) }, { set: index, key: "duration", value: tidy(duration - step) }];
  });
}

/**
 * One value for all that can have it; null leaves it to the default.
 *
 * @param {Entry[]} entries
 * @param {Iterable<number>} picked
 * @param {string} key
 * @param {number | boolean | string | null} value
 * @returns {Operation[]}
 */
export function setAll(entries, picked, key, value) {
  return inOrder(entries, picked).filter((index) => has(entries[index], key)).flatMap((index) => {
    const now = typeof value === "number" && FIELDS[key] ? tidy(within(value, ...rangeOf(entries[index], key))) : value;
    const before = /** @type {any} */ (entries[index])[key];
    return (before ?? null) === now ? [] : [{ set: index, key, value: now }];
  });
}

/**
 * Another kind of event; a tap has no duration, what lasts must have one.
 *
 * @param {Entry[]} entries
 * @param {Iterable<number>} picked
 * @param {"transient" | "continuous"} kind
 * @returns {Operation[]}
 */
export function setKind(entries, picked, kind) {
  return inOrder(entries, picked).filter((index) => ["transient", "continuous"].includes(entries[index].kind) && entries[index].kind !== kind)
    .flatMap((index) => /** @type {Operation[]} */ (kind === "continuous"
      ? [{ set: index, key: "kind", value: kind }, { set: index, key: "duration", value: entries[index].duration ?? 0.1 }]
      : [{ set: index, key: "kind", value: kind }, ...["duration", "attack", "decay", "release", "sustained"]
        .filter((key) => /** @type {any} */ (entries[index])[key] !== undefined).map((key) => ({ set: index, key, value: null }))]));
}

/** @param {Entry[]} entries @param {Iterable<number>} picked @returns {Operation[]} */
export function remove(entries, picked) {
  const all = [...picked].filter((index) => entries[index]).sort((a, b) => a - b);
  return all.length ? [{ remove: all }] : [];
}

/**
 * The same again, later by so much: copies in the file, so that what the page does not know comes along.
 *
 * @param {Entry[]} entries
 * @param {Iterable<number>} picked
 * @param {number} by seconds; their own length where it is not given
 * @param {number} [times]
 * @returns {Operation[]}
 */
export function repeat(entries, picked, by, times = 1) {
  const own = inOrder(entries, picked);
  return Array.from({ length: times }, (_, k) => own.map((index) => {
    const time = tidy((entries[index].time ?? 0) + by * (k + 1));
    return { copy: index, to: placeFor(entries, time), set: { time } };
  })).flat();
}

/** @param {Entry[]} entries @param {Iterable<number>} picked the length by which a repeated selection follows itself */
export function period(entries, picked) {
  const { from, to } = spanOf(entries, picked);
  return to > from ? tidy(to - from) : 0.1;
}

// Copying and pasting.

/** @param {Entry[]} entries @param {Iterable<number>} picked @param {string} [from] @returns {Clip} */
export const clipOf = (entries, picked, from) => ({ from, entries: inOrder(entries, picked).map((index) => bare(entries[index])) });

/**
 * Pastes where it was, or so that the earliest begins at a time.
 *
 * @param {Entry[]} entries
 * @param {Clip} clip
 * @param {number} [at]
 * @returns {Operation[]}
 */
export function paste(entries, clip, at) {
  const first = Math.min(...clip.entries.map((one) => one.time ?? 0));
  const by = at === undefined ? 0 : at - first;
  return clip.entries.map((one) => {
    const time = tidy(Math.max(0, (one.time ?? 0) + by));
    return { insert: placeFor(entries, time), entry: { ...bare(one), time } };
  });
}

/**
 * Pastes chosen properties alone: of one entry to all, of several to the picked ones in the order of their times,
 * again from the first where there are more.
 *
 * @param {Entry[]} entries
 * @param {Iterable<number>} picked
 * @param {Clip} clip
 * @param {string[]} keys
 * @returns {Operation[]}
 */
export function pasteKeys(entries, picked, clip, keys) {
  return keys.flatMap((key) => {
    const sources = clip.entries.filter((one) => has(one, key));
    if (sources.length === 0) return [];
    return inOrder(entries, picked).filter((index) => has(entries[index], key)).flatMap((index, k) => {
      const value = /** @type {any} */ (sources[k % sources.length])[key] ?? null;
      return (/** @type {any} */ (entries[index])[key] ?? null) === value ? [] : [{ set: index, key, value }];
    });
  });
}

// Whole selections.

/**
 * Backwards in their own span; curves too.
 *
 * @param {Entry[]} entries
 * @param {Iterable<number>} picked
 * @returns {Operation[]}
 */
export function reverse(entries, picked) {
  const { from, to } = spanOf(entries, picked);
  return inOrder(entries, picked).flatMap((index) => {
    const entry = entries[index], before = entry.time ?? 0;
    const points = entry.points ?? [];
    // A curve's time is where its own points begin to count.
    const last = entry.kind === "curve" ? Math.max(0, ...pointTimes(entry)) : 0;
    const time = tidy(from + to - (entry.kind === "curve" ? before + last : endOf(entry)));
    return [...time === tidy(before) ? [] : [{ set: index, key: "time", value: time }],
      ...points.map((_, k) => {
        const [other, value] = points[points.length - 1 - k];
        return { point: index, at: k, time: tidy(last - other), value };
      }).filter((one) => one.time !== points[one.at][0] || one.value !== points[one.at][1])];
  });
}

/**
 * Longer or shorter by a factor, from a fixed moment (the beginning of the selection).
 *
 * @param {Entry[]} entries
 * @param {Iterable<number>} picked
 * @param {number} factor
 * @param {number} [fixed]
 * @returns {Operation[]}
 */
export function stretch(entries, picked, factor, fixed = spanOf(entries, picked).from) {
  return inOrder(entries, picked).flatMap((index) => {
    const entry = entries[index], before = entry.time ?? 0;
    const time = tidy(Math.max(0, fixed + (before - fixed) * factor));
    /** @type {Operation[]} */
    const found = time === tidy(before) ? [] : [{ set: index, key: "time", value: time }];
    if (entry.duration !== undefined && entry.kind !== "transient") {
      found.push({ set: index, key: "duration", value: tidy(within(entry.duration * factor, SHORTEST, LONGEST)) });
    }
    (entry.points ?? []).forEach(([own], k) => { if (own !== 0) found.push({ point: index, at: k, time: tidy(own * factor) }); });
    return found;
  });
}

/**
 * Starts to the nearest multiples of a step.
 *
 * @param {Entry[]} entries
 * @param {Iterable<number>} picked
 * @param {number} step seconds
 * @param {number} [origin]
 * @returns {Operation[]}
 */
export function quantise(entries, picked, step, origin = 0) {
  return inOrder(entries, picked).flatMap((index) => {
    const before = entries[index].time ?? 0;
    let value = origin + Math.round((before - origin) / step) * step;
    if (value < 0) value += step;
    return tidy(value) === tidy(before) ? [] : [{ set: index, key: "time", value: tidy(value) }];
  });
}

// Curves.

/** @param {Entry} entry */
const rangeOfCurve = (entry) => PARAMETERS[entry.parameter ?? ""] ?? { name: "", low: -1, high: 1, neutral: 0 };

/**
 * @param {Entry[]} entries
 * @param {number} index
 * @param {number} time seconds of the pattern
 * @param {number} value
 * @returns {Operation[]}
 */
export function addPoint(entries, index, time, value) {
  const entry = entries[index], { low, high } = rangeOfCurve(entry);
  const own = tidy(time - (entry.time ?? 0));
  if (own < 0) {
    // Before its beginning: the curve begins there, its other points stay where they are.
    return [{ set: index, key: "time", value: tidy(time) }, ...(entry.points ?? []).map(([other], at) => ({ point: index, at, time: tidy(other - own) })),
      { addPoint: index, at: 0, time: 0, value: tidy(within(value, low, high), 4) }];
  }
  const at = (entry.points ?? []).findIndex(([one]) => one > own);
  return [{ addPoint: index, at: at < 0 ? entry.points?.length ?? 0 : at, time: own, value: tidy(within(value, low, high), 4) }];
}

/**
 * Points moved together; none passes its neighbours that stay.
 *
 * @param {Entry[]} entries
 * @param {number} index
 * @param {Iterable<number>} chosen
 * @param {number} by seconds
 * @param {number} up
 * @returns {Operation[]}
 */
export function movePoints(entries, index, chosen, by, up) {
  const entry = entries[index], points = entry.points ?? [], { low, high } = rangeOfCurve(entry);
  const own = new Set(chosen);
  let least = -Infinity, most = Infinity;
  // A text may have its points in any order: those have no neighbours to keep to.
  const isSorted = points.every(([time], k) => k === 0 || time >= points[k - 1][0]);
  for (const k of own) {
    if (!points[k] || !isSorted) continue;
    least = Math.max(least, (own.has(k - 1) ? -Infinity : k > 0 ? points[k - 1][0] : Math.min(0, points[k][0])) - points[k][0]);
    most = Math.min(most, (own.has(k + 1) || k + 1 >= points.length ? Infinity : points[k + 1][0]) - points[k][0]);
  }
  const step = within(by, least, most);
  return [...own].sort((a, b) => a - b).filter((k) => points[k]).map((k) => ({
    point: index, at: k, time: tidy(points[k][0] + step), value: tidy(within(points[k][1] + up, low, high), 4),
  })).filter((one) => one.time !== points[one.at][0] || one.value !== points[one.at][1]);
}

/** @param {Entry[]} entries @param {number} index @param {number} at @param {"time" | "value"} what @param {number} value @returns {Operation[]} */
export function setPoint(entries, index, at, what, value) {
  const entry = entries[index], { low, high } = rangeOfCurve(entry);
  return [what === "time" ? { point: index, at, time: tidy(value) } : { point: index, at, value: tidy(within(value, low, high), 4) }];
}

/** @param {Entry[]} entries @param {number} index @param {Iterable<number>} chosen @returns {Operation[]} */
export function removePoints(entries, index, chosen) {
  const own = [...new Set(chosen)].filter((k) => entries[index].points?.[k]).sort((a, b) => a - b);
  if (own.length === 0) return [];
  // A curve without points is none.
  return own.length === (entries[index].points ?? []).length ? [{ remove: [index] }] : [{ removePoint: index, at: own }];
}

/** @param {Entry[]} entries @param {number} index @param {number} up @returns {Operation[]} all values by so much */
export const shiftCurve = (entries, index, up) => movePoints(entries, index, (entries[index].points ?? []).keys(), 0, up);

/**
 * All values by a factor, from the value that changes nothing.
 *
 * @param {Entry[]} entries
 * @param {number} index
 * @param {number} factor
 * @returns {Operation[]}
 */
export function scaleCurve(entries, index, factor) {
  const entry = entries[index], { low, high, neutral } = rangeOfCurve(entry);
  // What multiplies is scaled from nothing, what is added from nothing added.
  const fixed = low === 0 ? 0 : neutral;
  return (entry.points ?? []).map(([, value], k) => ({
    point: index, at: k, value: tidy(within(fixed + (value - fixed) * factor, low, high), 4),
  })).filter((one) => one.value !== entry.points?.[one.at][1]);
}

/** The most points that CoreHaptics takes in a curve. */
export const MOST_POINTS = 16;

/**
 * A line of the hand as few points: those that matter most (Ramer, Douglas, Peucker), at most sixteen.
 *
 * @param {[number, number][]} line
 * @param {number} width seconds that count as much as a value of one
 * @returns {[number, number][]}
 */
export function simplify(line, width) {
  for (let tolerance = 0.01; ; tolerance *= 1.4) {
    const kept = thin(line, tolerance, width);
    if (kept.length <= MOST_POINTS) return kept.map(([time, value]) => [tidy(time, 4), tidy(value, 3)]);
  }
}

/** @param {[number, number][]} line @param {number} tolerance @param {number} width @returns {[number, number][]} */
function thin(line, tolerance, width) {
  if (line.length < 3) return line;
  const [a, b] = [line[0], line[line.length - 1]];
  const x = (b[0] - a[0]) / width, y = b[1] - a[1], length = Math.hypot(x, y);
  let worst = 0, at = 0;
  for (let k = 1; k < line.length - 1; k += 1) {
    const u = (line[k][0] - a[0]) / width, v = line[k][1] - a[1];
    const off = length > 0 ? Math.abs(x * v - y * u) / length : Math.hypot(u, v);
    if (off > worst) [worst, at] = [off, k];
  }
  return worst <= tolerance ? [a, b]
    : [...thin(line.slice(0, at + 1), tolerance, width).slice(0, -1), ...thin(line.slice(at), tolerance, width)];
}

/**
 * Draws a line into a parameter's curve: what it passes over is replaced, where there is none it is a new one.
 *
 * @param {Entry[]} entries
 * @param {string} parameter
 * @param {[number, number][]} line time of the pattern and value, by time
 * @returns {Operation[]}
 */
export function draw(entries, parameter, line) {
  if (line.length < 2) return [];
  const { low, high } = PARAMETERS[parameter] ?? { low: -1, high: 1 };
  const from = line[0][0], to = line[line.length - 1][0];
  const points = simplify(line.map(([time, value]) => [Math.max(0, time), within(value, low, high)]), Math.max(1e-3, to - from));
  const index = entries.findIndex((one) => one.kind === "curve" && one.parameter === parameter && startOf(one) <= to && endOf(one) >= from);
  if (index < 0) {
    return place(entries, /** @type {Entry} */ ({
      kind: "curve", parameter, time: points[0][0], points: points.map(([time, value]) => [tidy(time - points[0][0]), value]),
    }));
  }
  const begin = entries[index].time ?? 0, old = entries[index].points ?? [];
  const gone = [...old.keys()].filter((k) => begin + old[k][0] >= from && begin + old[k][0] <= to);
  const at = gone.length ? gone[0] : old.findIndex(([time]) => begin + time > to) >= 0 ? old.findIndex(([time]) => begin + time > to) : old.length;
  const added = points.filter(([time]) => time >= begin).map(([time, value]) => ({ addPoint: index, at, time: tidy(time - begin), value }));
  return [...gone.length ? [{ removePoint: index, at: gone }] : [], ...added];
}

// What became stale.

/** @param {Operation} one @returns {number[]} the entries that it names */
const named = (one) => [one.set, one.copy, one.point, one.addPoint, one.removePoint].filter((index) => typeof index === "number")
  .concat(one.remove ?? []).map(Number);

/**
 * The same operations for entries of a newer state, where those that they name are unchanged.
 *
 * @param {Operation[]} operations
 * @param {Entry[]} before
 * @param {Entry[]} after
 * @returns {Operation[] | undefined}
 */
export function repeated(operations, before, after) {
  const same = (/** @type {Entry} */ a, /** @type {Entry} */ b) => JSON.stringify(bare(a)) === JSON.stringify(bare(b));
  const most = Math.min(before.length, after.length);
  let head = 0, tail = 0;
  while (head < most && same(before[head], after[head])) head += 1;
  while (tail < most - head && same(before[before.length - 1 - tail], after[after.length - 1 - tail])) tail += 1;
  const by = after.length - before.length;
  const isKnown = (/** @type {number} */ index) => index < head || index >= before.length - tail;
  const now = (/** @type {number} */ index) => index < head ? index : index + by;
  const place = (/** @type {number} */ index) => index <= head ? index : Math.max(head, index + by);
  if (operations.some((one) => one.text || named(one).some((index) => !isKnown(index)))) return undefined;
  return operations.map((one) => {
    const next = /** @type {any} */ ({ ...one });
    // In a copy, `set` is what changes in it.
    for (const key of ["set", "copy", "point", "addPoint", "removePoint"]) if (typeof next[key] === "number") next[key] = now(next[key]);
    if (one.remove) next.remove = one.remove.map(now);
    if (typeof one.insert === "number") next.insert = place(one.insert);
    if (typeof one.to === "number") next.to = place(one.to);
    return next;
  });
}

/**
 * The one replacement that makes a text of another; nothing where they are the same.
 *
 * @param {string} before
 * @param {string} after
 * @returns {API.TextEdit | undefined}
 */
export function difference(before, after) {
  if (before === after) return undefined;
  const most = Math.min(before.length, after.length);
  let head = 0, tail = 0;
  while (head < most && before.charCodeAt(head) === after.charCodeAt(head)) head += 1;
  while (tail < most - head && before.charCodeAt(before.length - 1 - tail) === after.charCodeAt(after.length - 1 - tail)) tail += 1;
  // Two halves of one sign are not parted.
  if (head > 0 && (before.charCodeAt(head - 1) & 0xfc00) === 0xd800) head -= 1;
  if (tail > 0 && (before.charCodeAt(before.length - tail) & 0xfc00) === 0xdc00) tail -= 1;
  return { from: head, to: before.length - tail, insert: after.slice(head, after.length - tail) };
}

/** @param {string} text @param {API.TextEdit[]} edits replacements of the text before, in any order that does not overlap */
export const replaced = (text, edits) => [...edits].sort((a, b) => b.from - a.from)
  .reduce((now, one) => now.slice(0, one.from) + one.insert + now.slice(one.to), text);

/**
 * Where a place of the text before stands now. What is put exactly there stands before it, unless it is an end.
 *
 * @param {number} at
 * @param {API.TextEdit[]} edits
 * @param {boolean} isEnd
 */
export const moved = (at, edits, isEnd) => edits.reduce((now, one) =>
  one.to <= at && (one.from < at || !isEnd) ? now + one.insert.length - (one.to - one.from) : now, at);
