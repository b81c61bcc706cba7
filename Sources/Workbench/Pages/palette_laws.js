// SPDX-License-Identifier: Apache-2.0
// What sharpness, intensity and the envelope's numbers stand for, and how far an actuator follows.

/** Thresholds of feeling in dB re 1 g peak, as Sources/Perception has them; linear in hertz, held outside. */
export const AOSP16 = [
  [0.4, -97.81], [2, -69.86], [3, -62.81], [4, -58.81], [5, -56.69], [6, -54.77],
  [7.2, -52.85], [8, -51.77], [8.64, -50.84], [10, -48.90], [10.37, -48.52], [12.44, -46.50],
  [14.93, -44.43], [15, -44.35], [17.92, -41.96], [20, -40.36], [21.5, -39.60], [25, -37.48],
  [25.8, -36.93], [30, -34.31], [35, -33.13], [40, -32.81], [50, -31.94], [60, -31.77],
  [70, -31.59], [72, -31.55], [80, -31.77], [86.4, -31.94], [90, -31.73], [100, -31.90],
  [103.68, -31.77], [124.42, -31.70], [149.3, -31.38], [150, -31.35], [179.16, -31.02],
  [200, -30.86], [215, -30.35], [250, -28.98], [258, -28.68], [300, -26.81], [400, -19.81],
];

/** @typedef {(sharpness: number) => number} SharpnessLaw hertz of a sharpness */

/** @type {Record<string, SharpnessLaw>} */
const SHARPNESS = {
  "log80-230": (s) => 80 * (230 / 80) ** s,
  "linear80-230": (s) => 80 + 150 * s,
  "mpeg65-300": (s) => 65 + 235 * s,
  "aosp": (s) => s < 0.7 ? 46 + s / 0.7 * 104 : 150 + (s - 0.7) / 0.3 * 150,
};
export const DEFAULT_LAW = "log80-230";

/**
 * The law of a name; undefined where it is not known here.
 *
 * @param {string} name
 * @returns {SharpnessLaw | undefined}
 */
export const sharpnessLaw = (name) => SHARPNESS[name];

/**
 * Seconds that an attack or a decay of 0...1 takes: 1 ms to 1 s.
 *
 * @param {number} value
 */
export const envelopeSeconds = (value) => 0.001 * 1000 ** value;

/** @param {number} seconds */
export const shortTime = (seconds) => seconds >= 0.9995 ? `${Number(seconds.toFixed(2))} s` : `${seconds < 0.00995 ? (1000 * seconds).toFixed(1) : Math.round(1000 * seconds)} ms`;

/** The intensity of a share of the full amplitude, by the law's name. */
const INTENSITY = /** @type {Record<string, (share: number) => number>} */ ({
  square: (share) => Math.sqrt(share), linear: (share) => share, sone: (share) => share ** 0.6,
});

/** @param {number[][]} points @param {number} x a value between rising places, held outside */
function between(points, x) {
  const upper = points.findIndex((one) => one[0] >= x);
  if (upper < 0) return points[points.length - 1][1];
  if (upper === 0) return points[0][1];
  const [a, b] = [points[upper - 1], points[upper]];
  return a[1] + (x - a[0]) / (b[0] - a[0]) * (b[1] - a[1]);
}

/**
 * @typedef {object} Reach what a steady tone of an actuator can follow
 * @property {[number, number][]} points sharpness, and the most intensity there
 * @property {boolean} isCurve whether intensity and sharpness move together, as those of an eccentric motor
 * @property {SharpnessLaw} law
 * @property {string} lawName
 * @property {string} actuator
 * @property {string} date
 */

/**
 * The greatest intensity at each sharpness, from a profile's ceiling; a sentence where it cannot be told.
 *
 * @param {any} profile as `calibrations/ID` gives it
 * @returns {Reach | string}
 */
export function reachOf(profile) {
  const laws = profile.laws ?? {};
  const lawName = laws.sharpness ?? DEFAULT_LAW, law = sharpnessLaw(lawName);
  const contour = laws.contour?.points ?? ((laws.contour ?? "aosp16") === "aosp16" ? AOSP16 : undefined);
  const ceiling = (profile.ceiling ?? []).map((/** @type {any} */ one) => [Math.log(one.frequency), Math.log(one.acceleration)])
    .filter((/** @type {number[]} */ one) => one.every(Number.isFinite)).sort((/** @type {number[]} */ a, /** @type {number[]} */ b) => a[0] - b[0]);
  if (!law || !contour) return "The profile's laws are not known to this page, so what the actuator reaches is not drawn.";
  if (ceiling.length < 2) return "The profile has no ceiling, so what the actuator reaches is not drawn.";
  const reference = laws.referenceLevel ?? 30, floor = laws.floorLevel ?? 10, isLevel = laws.intensity === "aosp";
  const inverse = INTENSITY[laws.intensity ?? "square"];
  if (!inverse && !isLevel) return "The profile's law of intensity is not known to this page, so what the actuator reaches is not drawn.";
  /** @type {[number, number][]} */
  const points = [];
  for (let k = 0; k <= 100; k += 1) {
    const sharpness = k / 100, frequency = law(sharpness), place = Math.log(frequency);
    // Beyond what was measured nothing is promised.
    const isKnown = place >= ceiling[0][0] - 1e-9 && place <= ceiling[ceiling.length - 1][0] + 1e-9;
    const most = isKnown ? Math.exp(between(ceiling, place)) : 0;
    const of = (/** @type {number} */ level) => 9.80665 * 10 ** ((between(contour, frequency) + level) / 20);
    let intensity = 0;
    if (isLevel) intensity = most > 0 ? (20 * Math.log10(most / 9.80665) - between(contour, frequency)) / reference : 0;
    else {
      const [weakest, full] = [of(floor), of(reference)];
      intensity = most > weakest ? inverse((most - weakest) / (full - weakest)) : 0;
    }
    points.push([sharpness, Math.min(1, Math.max(0, intensity))]);
  }
  return { points, isCurve: profile.actuator?.kind === "erm", law, lawName, actuator: profile.actuator?.id ?? "", date: profile.source?.date ?? "" };
}

/**
 * The most intensity at a sharpness.
 *
 * @param {Reach} reach
 * @param {number} sharpness
 */
export const mostAt = (reach, sharpness) => between(reach.points, sharpness);

/**
 * The region in words, for who does not see it.
 *
 * @param {Reach} reach
 */
export function reachWords(reach) {
  const at = (/** @type {number} */ s) => `${mostAt(reach, s).toFixed(2)} at sharpness ${Number(s.toFixed(2))} (${Math.round(reach.law(s))} Hz)`;
  const top = reach.points.reduce((most, one) => one[1] > most[1] ? one : most);
  const full = reach.points.filter((one) => one[1] >= top[1] - 1e-9);
  const [low, high] = [full[0][0], full[full.length - 1][0]];
  const peak = high > low
    ? `${top[1].toFixed(2)} from sharpness ${low.toFixed(2)} to ${high.toFixed(2)} (${Math.round(reach.law(low))} to ${Math.round(reach.law(high))} Hz)` : at(low);
  return reach.isCurve
    ? `${reach.actuator} is an eccentric motor: strength and frequency move together, along the line. It reaches ${[0, 0.5, 1].map(at).join(", ")}.`
    : `${reach.actuator} follows steady intensities up to ${peak}; ${[0, 0.25, 0.5, 0.75, 1].map(at).join(", ")}. What lies above is played as strong as it can be; taps may reach more.`;
}
