// SPDX-License-Identifier: Apache-2.0
// What is played becomes a pattern: few points, honest about what a pattern cannot hold.
//
// Control curves act on every event that sounds. So a vibration alone is one event under curves of its own, within
// the tolerance. Where fingers overlap, or a tap falls into a vibration, the curve of intensity is the strongest of
// them at each moment, and that of sharpness follows the finger that was there first; each finger is cut into pieces
// that have values of their own below these curves. How far that is from what was played is counted and told.

/** @typedef {{ time: number, intensity: number, sharpness: number }} Tap */
/** @typedef {{ finger: number, samples: [number, number, number][], end: number, attack?: number, decay?: number }} Hold time, intensity, sharpness */
/** @typedef {{ taps: Tap[], holds: Hold[] }} Played */
/**
 * @typedef {object} Entry as docs/decisions/048 has it
 * @property {"transient" | "continuous" | "curve" | "parameter"} kind
 * @property {number} time
 * @property {number} [duration]
 * @property {number} [intensity]
 * @property {number} [sharpness]
 * @property {number} [attack]
 * @property {number} [decay]
 * @property {boolean} [sustained]
 * @property {string} [parameter]
 * @property {number} [value]
 * @property {[number, number][]} [points] seconds after the curve's time, value
 */
/** @typedef {{ intensity: number, sharpness: number }} Difference */
/** @typedef {{ entries: Entry[], difference: Difference, samples: number, points: number, pieces: number, overlap: number }} Pattern */

/** How far a reduced curve may be from what was played. */
export const TOLERANCE = 0.02;
/** How far a piece of an overlapping finger may be. */
const PIECE_TOLERANCE = 0.05;
export const MOST_POINTS = 16;
/** The longest that is recorded, in seconds. */
export const LONGEST = 60;
/** The longest continuous event that Core Haptics has, in seconds. */
const LONGEST_EVENT = 30;
/** How long a tap counts among what sounds, in seconds: the length of its burst. */
const TAP_SECONDS = 0.022;
/** The finest step of a piece, in seconds. */
const STEP = 0.02;
/** The least that the curve of a strongest finger goes down to, so that others can be counted below it. */
const LEAST = 0.05;
const INTENSITY = "HapticIntensityControl";
const SHARPNESS = "HapticSharpnessControl";

/**
 * Milliseconds are as exact as an input is, and as phones keep points apart.
 *
 * @param {number} time
 */
const toMillisecond = (time) => Math.round(time * 1000) / 1000;
/** @param {number} value */
const short = (value) => Math.round(value * 10000) / 10000;
/** @param {number} value */
const limited = (value) => Math.min(1, Math.max(0, value));

/** Takes down what is played; it has the verbs of every output. */
export class Recorder {
  /** @type {Tap[]} */
  taps = [];
  /** @type {Hold[]} */
  holds = [];
  /** @type {Map<number, Hold>} */
  #open = new Map();
  #clock;

  /** @param {() => number} clock seconds */
  constructor(clock) {
    this.#clock = clock;
  }

  /** @param {number} intensity @param {number} sharpness */
  tap(intensity, sharpness) {
    this.taps.push({ time: this.#clock(), intensity: limited(intensity), sharpness: limited(sharpness) });
  }

  /** @param {number} finger @param {number} intensity @param {number} sharpness @param {number} [attack] @param {number} [decay] */
  touch(finger, intensity, sharpness, attack, decay) {
    const time = this.#clock(), hold = this.#open.get(finger);
    if (!hold) {
      const begun = /** @type {Hold} */ ({ finger, samples: [[time, limited(intensity), limited(sharpness)]], end: time, attack, decay });
      this.#open.set(finger, begun);
      this.holds.push(begun);
      return;
    }
    const last = hold.samples[hold.samples.length - 1];
    // A finger that lay still says nothing: it is where it was until the frame before it moves.
    if (time - last[0] > 0.025) hold.samples.push([time - 0.016, last[1], last[2]]);
    hold.samples.push([time, limited(intensity), limited(sharpness)]);
    hold.end = time;
  }

  /** @param {number} finger */
  lift(finger) {
    const hold = this.#open.get(finger);
    if (hold) hold.end = this.#clock();
    this.#open.delete(finger);
  }

  get isEmpty() {
    return this.taps.length === 0 && this.holds.length === 0;
  }

  /**
   * What was played, its first touch at 0; fingers that are still down are lifted.
   *
   * @returns {Played}
   */
  finish() {
    for (const finger of [...this.#open.keys()]) this.lift(finger);
    const start = Math.min(...this.taps.map((one) => one.time), ...this.holds.map((one) => one.samples[0][0]));
    return {
      taps: this.taps.map((one) => ({ ...one, time: one.time - start })),
      holds: this.holds.map((one) => ({
        ...one, end: one.end - start,
        samples: one.samples.map(([time, ...rest]) => /** @type {[number, number, number]} */ ([time - start, ...rest])),
      })),
    };
  }
}

/**
 * The fewest points that stay within a tolerance of all others, by Ramer, Douglas and Peucker; distances are in value,
 * since time and value have no length in common.
 *
 * @param {[number, number][]} points by rising time
 * @param {number} tolerance
 * @returns {[number, number][]}
 */
export function reduce(points, tolerance) {
  if (points.length < 3) return points.slice();
  const kept = new Uint8Array(points.length);
  kept[0] = kept[points.length - 1] = 1;
  const open = [[0, points.length - 1]];
  for (let span = open.pop(); span; span = open.pop()) {
    const [from, to] = span, [a, b] = [points[from], points[to]];
    let far = tolerance, at = -1;
    for (let k = from + 1; k < to; k += 1) {
      const line = a[1] + (points[k][0] - a[0]) / (b[0] - a[0]) * (b[1] - a[1]);
      const distance = Math.abs(points[k][1] - line);
      if (distance > far) [far, at] = [distance, k];
    }
    if (at < 0) continue;
    kept[at] = 1;
    open.push([from, at], [at, to]);
  }
  return points.filter((_, k) => kept[k]);
}

/** @param {[number, number][]} points a polyline @param {number} time its value, held outside */
export function valueAt(points, time) {
  let [low, high] = [0, points.length - 1];
  if (time <= points[0][0]) return points[0][1];
  if (time >= points[high][0]) return points[high][1];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (points[middle][0] <= time) low = middle;
    else high = middle;
  }
  const [a, b] = [points[low], points[high]];
  return b[0] > a[0] ? a[1] + (time - a[0]) / (b[0] - a[0]) * (b[1] - a[1]) : b[1];
}

/**
 * Curves of at most 16 points; each begins with the last point of the one before.
 *
 * @param {string} parameter
 * @param {[number, number][]} points times of the pattern
 * @returns {Entry[]}
 */
function chain(parameter, points) {
  /** @type {Entry[]} */
  const curves = [];
  for (let first = 0; first < points.length - 1 || first === 0; first += MOST_POINTS - 1) {
    const part = points.slice(first, first + MOST_POINTS), time = part[0][0];
    curves.push({ kind: "curve", parameter, time, points: part.map(([at, value]) => [toMillisecond(at - time), short(value)]) });
    if (first + MOST_POINTS >= points.length) break;
  }
  return curves;
}

/** @typedef {{ start: number, end: number, intensity: [number, number][], sharpness: [number, number][], attack?: number, decay?: number }} Voice */

/** @param {Hold} hold @returns {Voice} */
function voiceOf(hold) {
  const start = toMillisecond(hold.samples[0][0]);
  const end = Math.max(toMillisecond(hold.end), toMillisecond(start + STEP));
  /** @type {[number, number, number][]} */
  const samples = [];
  for (const [time, intensity, sharpness] of hold.samples) {
    const at = Math.min(toMillisecond(time), end);
    // Of several within a millisecond the last counts.
    if (samples.length && samples[samples.length - 1][0] >= at) samples[samples.length - 1] = [samples[samples.length - 1][0], intensity, sharpness];
    else samples.push([at, intensity, sharpness]);
  }
  const last = samples[samples.length - 1];
  if (last[0] < end) samples.push([end, last[1], last[2]]);
  return {
    start, end, attack: hold.attack, decay: hold.decay,
    intensity: samples.map(([at, value]) => [at, value]), sharpness: samples.map(([at, , value]) => [at, value]),
  };
}

/**
 * A constant that is within the tolerance of all points, if there is one.
 *
 * @param {[number, number][]} points
 */
function constantOf(points) {
  const values = points.map((one) => one[1]), [least, most] = [Math.min(...values), Math.max(...values)];
  // What moves by less than this is a finger that meant to stay.
  return most - least <= TOLERANCE ? (least + most) / 2 : undefined;
}

/**
 * The entries of what was played, and how far they are from it.
 *
 * @param {Played} played
 * @returns {Pattern}
 */
export function patternOf(played) {
  const voices = played.holds.map(voiceOf).sort((a, b) => a.start - b.start || a.end - b.end);
  const taps = played.taps.map((one) => ({ ...one, time: toMillisecond(one.time) })).sort((a, b) => a.time - b.time);
  /** @type {{ start: number, end: number, voices: Voice[], taps: Tap[] }[]} */
  const groups = [];
  for (const voice of voices) {
    const last = groups[groups.length - 1];
    if (last && voice.start < last.end) {
      last.voices.push(voice);
      last.end = Math.max(last.end, voice.end);
    } else groups.push({ start: voice.start, end: voice.end, voices: [voice], taps: [] });
  }
  /** @type {Entry[]} */
  const entries = [];
  const difference = { intensity: 0, sharpness: 0 };
  let pieces = 0, overlap = 0;
  for (const tap of taps) {
    const group = groups.find((one) => tap.time >= one.start && tap.time < one.end);
    if (group) group.taps.push(tap);
    else entries.push({ kind: "transient", time: tap.time, intensity: short(tap.intensity), sharpness: short(tap.sharpness) });
  }
  const lastTime = Math.max(0, ...taps.map((one) => one.time), ...groups.map((one) => one.start));
  for (const group of groups) {
    const alone = group.voices.length === 1 && group.taps.length === 0;
    const made = alone ? aloneOf(group.voices[0]) : togetherOf(group);
    entries.push(...made.entries);
    pieces += made.entries.filter((one) => one.kind === "continuous").length;
    if (!alone) overlap += group.end - group.start;
    difference.intensity = Math.max(difference.intensity, made.difference.intensity);
    difference.sharpness = Math.max(difference.sharpness, made.difference.sharpness);
    // A curve's last value would hold for everything after it.
    if (lastTime >= group.end) {
      for (const [parameter, neutral] of /** @type {[string, number][]} */ ([[INTENSITY, 1], [SHARPNESS, 0]])) {
        if (made.entries.some((one) => one.parameter === parameter)) entries.push({ kind: "parameter", parameter, time: group.end, value: neutral });
      }
    }
  }
  // Of two at one time the later in the file counts: first what was is undone, then comes what is new.
  const rank = { parameter: 0, curve: 1, transient: 2, continuous: 2 };
  entries.sort((a, b) => a.time - b.time || rank[a.kind] - rank[b.kind]);
  return {
    entries, difference, pieces, overlap, samples: played.holds.reduce((sum, one) => sum + one.samples.length, 0),
    points: entries.reduce((sum, one) => sum + (one.points?.length ?? 0), 0),
  };
}

/** @param {Voice} voice @returns {{ entries: Entry[], difference: Difference }} */
function aloneOf(voice) {
  const intensity = constantOf(voice.intensity), sharpness = constantOf(voice.sharpness);
  // The last digit of what is written is kept out of the tolerance.
  const shape = reduce(voice.intensity, TOLERANCE - 0.0005), pitch = reduce(voice.sharpness, TOLERANCE - 0.0005);
  const peak = short(intensity ?? Math.max(...shape.map((one) => one[1]))), base = short(sharpness ?? pitch[0][1]);
  /** @type {Entry[]} */
  const entries = [];
  if (peak === 0) return { entries, difference: { intensity: Math.max(...voice.intensity.map((one) => one[1])), sharpness: 0 } };
  if (intensity === undefined) entries.push(...chain(INTENSITY, shape.map(([at, value]) => [at, limited(value / peak)])));
  if (sharpness === undefined) entries.push(...chain(SHARPNESS, pitch.map(([at, value]) => [at, value - base])));
  for (let start = voice.start; start < voice.end; start += LONGEST_EVENT) {
    const isFirst = start === voice.start;
    entries.push({
      kind: "continuous", time: toMillisecond(start), duration: toMillisecond(Math.min(LONGEST_EVENT, voice.end - start)), intensity: peak, sharpness: base,
      ...isFirst && voice.attack ? { attack: short(voice.attack) } : {}, ...voice.decay && isFirst ? { decay: short(voice.decay), sustained: false } : {},
    });
    // What has a decay has ended long before its 30 s.
    if (voice.decay) break;
  }
  const difference = { intensity: 0, sharpness: 0 };
  const heard = replay(entries);
  for (const [index, [time, value]] of voice.intensity.entries()) {
    // An event has ended at its end.
    const one = heard.at(index === voice.intensity.length - 1 ? time - 1e-6 : time)[0];
    if (!one) continue;
    difference.intensity = Math.max(difference.intensity, Math.abs(one.intensity - value));
    difference.sharpness = Math.max(difference.sharpness, Math.abs(one.sharpness - voice.sharpness[index][1]));
  }
  return { entries, difference };
}

/**
 * The envelope's share of the intensity, as straight lines: up within the attack, down within the decay.
 *
 * @param {Voice} voice
 * @param {number} time
 */
function envelopeAt(voice, time) {
  const since = time - voice.start, rise = voice.attack ? 0.001 * 1000 ** voice.attack : 0, fall = voice.decay ? 0.001 * 1000 ** voice.decay : Infinity;
  return since < rise ? since / rise : Math.max(0, 1 - (since - rise) / fall);
}

/**
 * Several that sound at once.
 *
 * @param {{ start: number, end: number, voices: Voice[], taps: Tap[] }} group
 * @returns {{ entries: Entry[], difference: Difference }}
 */
function togetherOf({ start, end, voices, taps }) {
  // Everything is looked at on one grid, between whose times all are straight lines.
  const times = new Set();
  for (let time = start; time < end; time += STEP) times.add(toMillisecond(time));
  for (const voice of voices) for (const [time] of voice.intensity) times.add(time);
  for (const tap of taps) for (const time of [tap.time, toMillisecond(tap.time + TAP_SECONDS)]) if (time < end) times.add(time);
  times.add(end);
  const grid = /** @type {number[]} */ ([...times]).sort((a, b) => a - b);
  const strength = (/** @type {Voice} */ voice, /** @type {number} */ time) => valueAt(voice.intensity, time) * envelopeAt(voice, time);
  const strongest = (/** @type {number} */ time, /** @type {number} */ from, /** @type {number} */ to) => Math.min(1, Math.max(LEAST,
    ...voices.filter((one) => one.start <= from && one.end >= to).map((one) => strength(one, time)),
    ...taps.filter((one) => one.time <= from && one.time + TAP_SECONDS >= to - 1e-9).map((one) => one.intensity)));
  // Sharpness follows whoever came first of those that are there, without a jump where another takes over.
  /** @type {[number, number][]} */
  const moved = [[start, 0]];
  /** @type {[number, number][][]} runs without a jump */
  const runs = [];
  for (let k = 1; k < grid.length; k += 1) {
    const [from, to] = [grid[k - 1], grid[k]], lead = voices.find((one) => one.start <= from && one.end >= to);
    moved.push([to, moved[k - 1][1] + (lead ? valueAt(lead.sharpness, to) - valueAt(lead.sharpness, from) : 0)]);
    const [left, right] = [strongest(from, from, to), strongest(to, from, to)];
    const run = runs[runs.length - 1];
    if (run && Math.abs(run[run.length - 1][1] - left) < 1e-6) run.push([to, right]);
    else runs.push([[from, left], [to, right]]);
  }
  let [low, high] = [-Infinity, Infinity];
  for (const voice of voices) {
    for (const time of grid.filter((one) => one >= voice.start && one <= voice.end)) {
      const own = valueAt(moved, time) - valueAt(voice.sharpness, time);
      low = Math.max(low, own);
      high = Math.min(high, 1 + own);
    }
  }
  // Where no one curve leaves every finger its sharpness there is none, and pieces alone follow.
  const shift = Math.min(high, Math.max(low, 0)), course = moved.map(([time, value]) => /** @type {[number, number]} */ ([time, value - shift]));
  const pitches = low <= high && course.every(([, value]) => Math.abs(value) <= 1) ? reduce(course, TOLERANCE / 2) : [[start, 0], [end, 0]].map(([time, value]) => /** @type {[number, number]} */ ([time, value]));
  const strengths = runs.map((run) => reduce(run, TOLERANCE / 2));
  const isFlat = pitches.every(([, value]) => Math.abs(value) < 1e-3);
  const level = (/** @type {number} */ time, /** @type {boolean} */ isAfter) => {
    const run = strengths.find((one) => isAfter ? time < one[one.length - 1][0] : time <= one[one.length - 1][0]) ?? strengths[strengths.length - 1];
    return valueAt(run, time);
  };
  const pitch = (/** @type {number} */ time) => isFlat ? 0 : valueAt(pitches, time);
  /** @type {Entry[]} */
  const entries = strengths.flatMap((run) => chain(INTENSITY, run));
  if (!isFlat) entries.push(...chain(SHARPNESS, pitches));
  const difference = { intensity: 0, sharpness: 0 };
  for (const tap of taps) {
    const intensity = short(limited(tap.intensity / level(tap.time, true)));
    difference.intensity = Math.max(difference.intensity, Math.abs(intensity * level(tap.time, true) - tap.intensity));
    entries.push({ kind: "transient", time: tap.time, intensity, sharpness: short(tap.sharpness) });
  }
  for (const voice of voices) {
    const own = grid.filter((one) => one >= voice.start && one <= voice.end);
    let first = 0;
    while (first < own.length - 1) {
      // A piece goes on as long as one intensity and one sharpness are within the tolerance of all of it.
      let share = [0, 1], place = [0, 1], last = first;
      for (let k = first + 1; k < own.length && own[k] - own[first] <= LONGEST_EVENT; k += 1) {
        let [nextShare, nextPlace] = [share, place];
        for (const [time, isAfter] of /** @type {[number, boolean][]} */ ([[own[k - 1], true], [own[k], false]])) {
          const under = level(time, isAfter), wanted = strength(voice, time), d = valueAt(voice.sharpness, time) - pitch(time);
          nextShare = [Math.max(nextShare[0], (wanted - PIECE_TOLERANCE) / under), Math.min(nextShare[1], (wanted + PIECE_TOLERANCE) / under)];
          nextPlace = [Math.max(nextPlace[0], d - PIECE_TOLERANCE), Math.min(nextPlace[1], d + PIECE_TOLERANCE)];
        }
        const fits = nextShare[0] <= nextShare[1] && nextPlace[0] <= nextPlace[1];
        if (!fits && k > first + 1) break;
        if (fits) [share, place] = [nextShare, nextPlace];
        else {
          const time = (own[first] + own[k]) / 2, one = limited(strength(voice, time) / level(time, true));
          share = [one, one];
          place = [0, 1].map(() => limited(valueAt(voice.sharpness, time) - pitch(time)));
        }
        last = k;
        if (!fits) break;
      }
      const intensity = short(limited((share[0] + share[1]) / 2)), sharpness = short(limited((place[0] + place[1]) / 2));
      for (let k = first; k < last; k += 1) {
        for (const [time, isAfter] of /** @type {[number, boolean][]} */ ([[own[k], true], [own[k + 1], false]])) {
          difference.intensity = Math.max(difference.intensity, Math.abs(intensity * level(time, isAfter) - strength(voice, time)));
          difference.sharpness = Math.max(difference.sharpness, Math.abs(limited(sharpness + pitch(time)) - valueAt(voice.sharpness, time)));
        }
      }
      if (intensity > 0) entries.push({ kind: "continuous", time: own[first], duration: toMillisecond(own[last] - own[first]), intensity, sharpness });
      first = last;
    }
  }
  return { entries, difference };
}

/**
 * What entries ask for at a time: every continuous event with the controls applied (envelopes apart), and every tap.
 *
 * @param {Entry[]} entries
 */
export function replay(entries) {
  /** @type {Record<string, { time: number, points: [number, number][] }[]>} */
  const controls = { [INTENSITY]: [], [SHARPNESS]: [] };
  for (const one of entries) {
    if (one.kind === "curve") controls[one.parameter ?? ""]?.push({ time: one.time, points: one.points ?? [] });
    if (one.kind === "parameter") controls[one.parameter ?? ""]?.push({ time: one.time, points: [[0, one.value ?? 0]] });
  }
  for (const all of Object.values(controls)) all.sort((a, b) => a.time - b.time);
  const control = (/** @type {string} */ parameter, /** @type {number} */ time, /** @type {number} */ neutral) => {
    const all = controls[parameter];
    let [low, high] = [0, all.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (all[middle].time <= time + 1e-9) low = middle + 1;
      else high = middle;
    }
    const one = all[low - 1];
    return one && one.points.length ? valueAt(one.points, time - one.time) : neutral;
  };
  const events = entries.filter((one) => one.kind === "continuous");
  return {
    /** @param {number} time */
    at: (time) => events.filter((one) => time >= one.time - 1e-9 && time < one.time + (one.duration ?? 0) - 1e-9).map((one) => ({
      intensity: limited((one.intensity ?? 0) * control(INTENSITY, time, 1)), sharpness: limited((one.sharpness ?? 0) + control(SHARPNESS, time, 0)),
    })),
    // A tap takes the intensity control of its start, and no sharpness control.
    taps: entries.filter((one) => one.kind === "transient").map((one) => ({
      time: one.time, intensity: limited((one.intensity ?? 0) * control(INTENSITY, one.time, 1)), sharpness: one.sharpness ?? 0,
    })),
  };
}

/** @param {number} value a number as the canonical form writes it */
const number = (value) => Number.isInteger(value) ? `${value}.0` : String(value);

/**
 * The entries as the text of an AHAP file, in the canonical form.
 *
 * @param {Entry[]} entries
 * @param {string} about
 */
export function textOf(entries, about) {
  const pair = (/** @type {string} */ id, /** @type {number} */ value) => `          { "ParameterID": "${id}", "ParameterValue": ${number(value)} }`;
  const written = entries.map((one) => {
    if (one.kind === "parameter") {
      return `      "Parameter": { "ParameterID": "${one.parameter}", "ParameterValue": ${number(one.value ?? 0)}, "Time": ${number(one.time)} }`;
    }
    if (one.kind === "curve") {
      return [`      "ParameterCurve": {`, `        "ParameterID": "${one.parameter}",`, `        "Time": ${number(one.time)},`,
        `        "ParameterCurveControlPoints": [`, (one.points ?? []).map(([time, value]) =>
          `          { "Time": ${number(time)}, "ParameterValue": ${number(value)} }`).join(",\n"), `        ]`, `      }`].join("\n");
    }
    const values = [pair("HapticIntensity", one.intensity ?? 0), pair("HapticSharpness", one.sharpness ?? 0)];
    if (one.attack !== undefined) values.push(pair("AttackTime", one.attack));
    if (one.decay !== undefined) values.push(pair("DecayTime", one.decay));
    if (one.sustained !== undefined) values.push(pair("Sustained", one.sustained ? 1 : 0));
    return [`      "Event": {`, `        "Time": ${number(one.time)},`, `        "EventType": "${one.kind === "transient" ? "HapticTransient" : "HapticContinuous"}",`,
      ...one.kind === "continuous" ? [`        "EventDuration": ${number(one.duration ?? 0)},`] : [], `        "EventParameters": [`, values.join(",\n"),
      `        ]`, `      }`].join("\n");
  });
  return `{\n  "Version": 1.0,\n  "Metadata": {\n    "Project": "Palette",\n    "Description": ${JSON.stringify(about)}\n  },\n  "Pattern": [\n${
    written.map((one) => `    {\n${one}\n    }`).join(",\n")}\n  ]\n}\n`;
}
