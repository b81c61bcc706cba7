// SPDX-License-Identifier: Apache-2.0
// Numbers and times as the reports write them.

/** @param {number} spread @returns {number | undefined} the decimal at which it has two digits */
function placeOf(spread) {
  if (!Number.isFinite(spread) || Math.round(spread * 1e9) <= 0) return undefined;
  const decimals = Math.min(9, 1 - Math.floor(Math.log10(spread)));
  return Math.round(spread * 10 ** decimals) >= 100 ? decimals - 1 : decimals;
}

/** @param {number} value @param {number} place */
function rounded(value, place) {
  if (place >= 0) return fixed(value, place);
  const unit = 10 ** -place;
  return fixed(Math.round(value / unit) * unit, 0);
}

/** @param {number} value @param {number} decimals */
export function fixed(value, decimals) {
  const text = value.toFixed(Math.min(20, decimals));
  return /^-0(\.0*)?$/.test(text) ? text.slice(1) : text;
}

/**
 * Four significant digits.
 *
 * @param {number} value
 */
export function significant(value) {
  if (value === 0) return "0";
  if (!Number.isFinite(value)) return "not known";
  const exponent = Math.floor(Math.log10(Math.abs(value)));
  if (exponent < -6 || exponent > 9) return value.toExponential(3).replace(/\.?0+e/, "e").replace("e+", "e");
  const text = fixed(value, Math.max(0, 3 - exponent));
  return text.includes(".") ? text.replace(/\.?0+$/, "") : text;
}

/** @param {string} unit */
export function unitSign(unit) {
  return unit === "1" || unit === "count" ? "" : unit.replaceAll("m/s2", "m/s²").replace("degC", "°C");
}

/** @param {string} unit @param {number} magnitude @returns {[number, string]} */
export function scaleOf(unit, magnitude) {
  if (unit === "s") {
    if (magnitude > 0 && magnitude < 1e-11) return [1e12, "ps"];
    if (magnitude > 0 && magnitude < 1e-8) return [1e9, "ns"];
    if (magnitude < 1e-3) return [1e6, "µs"];
    if (magnitude < 1) return [1e3, "ms"];
  }
  return [1, unitSign(unit)];
}

/**
 * A value with its uncertainty and unit: `5.20040 ± 0.00030 ms`.
 *
 * @param {number | null | undefined} value
 * @param {string} unit
 * @param {number | null} [uncertainty]
 */
export function quantity(value, unit, uncertainty) {
  if (value === undefined || value === null || !Number.isFinite(value)) return "not measured";
  const [scale, symbol] = scaleOf(unit, Math.max(Math.abs(value), uncertainty ?? 0));
  const spread = (uncertainty ?? 0) * scale;
  const place = placeOf(spread);
  const number = place === undefined ? significant(value * scale)
    : `${rounded(value * scale, place)} ± ${rounded(spread, place)}`;
  return symbol ? `${number} ${symbol}` : number;
}

/**
 * The same with its sign.
 *
 * @param {number | undefined} value
 * @param {string} unit
 * @param {number} [uncertainty]
 */
export function difference(value, unit, uncertainty) {
  const text = quantity(value, unit, uncertainty);
  return value !== undefined && value > 0 ? `+${text}` : text;
}

/** @param {number} count @param {string} word @param {string} [several] */
export const counted = (count, word, several) =>
  `${whole(count)} ${count === 1 ? word : several ?? `${word}s`}`;

/**
 * A count with thin spaces between thousands.
 *
 * @param {number} count
 */
export const whole = (count) => String(Math.round(count)).replace(/\B(?=(\d{3})+(?!\d))/g, "\u202f");

/**
 * A text of the program with the signs that a page can show and a terminal may not.
 *
 * @param {string | undefined | null} text
 */
export const typeset = (text) => (text ?? "").replace(/(\d) us\b/g, "$1 µs").replaceAll("m/s2", "m/s²").replaceAll("degC", "°C");

/**
 * A length of time for people: `12.3 s`, `4 min 05 s`, `2 h 10 min`.
 *
 * @param {number | null | undefined} seconds
 */
export function duration(seconds) {
  if (seconds === undefined || seconds === null || !Number.isFinite(seconds)) return "not known";
  if (seconds < 10) return `${fixed(Math.max(0, seconds), 1)} s`;
  if (seconds < 59.5) return `${Math.round(seconds)} s`;
  const minutes = Math.floor(Math.round(seconds) / 60);
  if (minutes < 60) return `${minutes} min ${String(Math.round(seconds) % 60).padStart(2, "0")} s`;
  if (minutes < 60 * 48) return `${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, "0")} min`;
  return `${Math.floor(minutes / 1440)} days`;
}

/**
 * Time left, which moves and must not be longer than it is known.
 *
 * @param {number | null | undefined} seconds
 */
export function remaining(seconds) {
  if (seconds === undefined || seconds === null) return "time left not known";
  return `${seconds < 10 ? `${Math.max(0, Math.ceil(seconds))} s` : duration(seconds)} left`;
}

/**
 * Time in a run: `0:12.3`.
 *
 * @param {number} seconds
 * @param {number} [decimals]
 */
export function clock(seconds, decimals = 1) {
  const sign = seconds < 0 ? "-" : "";
  const total = Math.abs(seconds);
  const minutes = Math.floor(total / 60);
  const rest = fixed(total - 60 * minutes, decimals).padStart(decimals ? 3 + decimals : 2, "0");
  return `${sign}${minutes}:${rest}`;
}

/**
 * A moment in UTC, as the archive counts days.
 *
 * @param {string | undefined | null} text
 */
export function moment(text) {
  if (!text) return "not known";
  const match = text.match(/^(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d)(:\d\d)?)?/);
  return match ? `${match[1]}${match[2] ? ` ${match[2]}${match[3] ?? ""}` : ""}` : text;
}

/**
 * How long ago.
 *
 * @param {string | undefined | null} text
 * @param {number} [now]
 */
export function ago(text, now = Date.now()) {
  const then = text ? Date.parse(text) : NaN;
  if (!Number.isFinite(then)) return "";
  const seconds = (now - then) / 1000;
  if (seconds < 45) return "just now";
  if (seconds < 3600) return `${Math.max(1, Math.round(seconds / 60))} min ago`;
  if (seconds < 36 * 3600) return `${Math.round(seconds / 3600)} h ago`;
  return `${counted(Math.round(seconds / 86400), "day")} ago`;
}

/** @param {number | undefined} days */
export const age = (days) => days === undefined ? "age not known"
  : days < 1 ? "less than a day old" : `${counted(Math.floor(days), "day")} old`;

/** @param {number | undefined} count */
export function bytes(count) {
  if (count === undefined) return "";
  if (count < 1000) return counted(count, "byte");
  let value = count;
  for (const unit of ["kB", "MB", "GB"]) {
    value /= 1000;
    if (value < 999.5 || unit === "GB") return `${value < 9.95 ? fixed(value, 1) : Math.round(value)} ${unit}`;
  }
  return "";
}

/** @param {number | undefined} rate */
export const hertz = (rate) => rate === undefined ? "" : rate >= 1000 ? `${significant(rate / 1000)} kHz`
  : `${significant(rate)} Hz`;

/**
 * The next of 1, 2, 5 times a power of ten that is not below.
 *
 * @param {number} value
 */
export function nice(value) {
  if (!(value > 0)) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  for (const step of [1, 2, 5, 10]) if (step * power >= value * (1 - 1e-9)) return step * power;
  return 10 * power;
}

/**
 * Round places of an axis.
 *
 * @param {number} from
 * @param {number} to
 * @param {number} most
 */
export function ticks(from, to, most) {
  const step = nice((to - from) / Math.max(1, most));
  const places = [];
  for (let k = Math.ceil(from / step - 1e-9); k * step <= to + 1e-9 * step; k += 1) places.push(k * step);
  const decimals = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  return { places, decimals, step };
}
