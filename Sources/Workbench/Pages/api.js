// SPDX-License-Identifier: Apache-2.0
// The API: JSON, waves and the key.

export class Refusal extends Error {
  /** @param {number} status @param {string} code @param {string} message */
  constructor(status, code, message) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

const BASE = "/api/v1/";
/** @type {() => void} */
let keyless = () => {};
/**
 * What is to be done when the server does not know this page.
 *
 * @param {() => void} act
 */
export function onKeyless(act) {
  keyless = act;
}

/**
 * Asks the server; what it refuses is thrown with its sentence.
 *
 * @param {string} path
 * @param {RequestInit} [options]
 */
async function ask(path, options) {
  let answer;
  try {
    answer = await fetch(BASE + path, { credentials: "same-origin", cache: "no-store", ...options });
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    throw new Refusal(0, "unreachable", "The workbench does not answer. Is `haprig serve` still running?");
  }
  if (answer.ok) return answer;
  let words = `The workbench answered ${answer.status} to ${path.split("?")[0]}.`, name = "";
  try {
    const failure = /** @type {API.Failure} */ (await answer.json());
    words = failure.error.message;
    name = failure.error.code;
  } catch { /* What is no JSON has no sentence. */ }
  if (answer.status === 401 && path !== "session") keyless();
  throw new Refusal(answer.status, name, words);
}

/**
 * @template T
 * @param {string} path
 * @param {AbortSignal} [signal]
 * @returns {Promise<T>}
 */
export async function get(path, signal) {
  return (await ask(path, { signal })).json();
}

/** @param {string} path @param {AbortSignal} [signal] */
export const getRaw = (path, signal) => ask(path, { signal });

/**
 * @param {string} path
 * @param {unknown} [body]
 * @param {boolean} [keepalive] whether it is sent even where the page goes away
 * @returns {Promise<any>}
 */
export async function post(path, body, keepalive = false) {
  const answer = await ask(path, {
    method: "POST", keepalive, headers: { "Content-Type": "application/json" }, body: JSON.stringify(body ?? {}),
  });
  const text = await answer.text();
  return text ? JSON.parse(text) : undefined;
}

/** @param {string} path @param {Blob} body a file, as it is */
export async function put(path, body) {
  return (await ask(path, { method: "PUT", headers: { "Content-Type": "application/octet-stream" }, body })).json();
}

/** @param {string} path @param {AbortSignal} [signal] @returns {Promise<API.Waves>} */
export async function getWaves(path, signal) {
  return decodeWaves(await (await ask(path, { signal })).arrayBuffer());
}

/**
 * `HW1\0`, the header's length, the header, pairs of float32.
 *
 * @param {ArrayBuffer} buffer
 * @returns {API.Waves}
 */
export function decodeWaves(buffer) {
  const view = new DataView(buffer);
  if (buffer.byteLength < 8 || view.getUint32(0, false) !== 0x48573100) throw new Error("these are no waves");
  const length = view.getUint32(4, true);
  const header = /** @type {API.WaveHeader} */ (JSON.parse(
    new TextDecoder().decode(new Uint8Array(buffer, 8, length))));
  const start = 8 + length;
  const floats = Math.floor((buffer.byteLength - start) / 4);
  const count = Math.max(1, header.channels.length);
  const bins = Math.floor(floats / 2 / count);
  const all = start % 4 === 0 ? new Float32Array(buffer, start, floats)
    : new Float32Array(buffer.slice(start, start + 4 * floats));
  return {
    header, bins,
    data: header.channels.map((_, index) => all.subarray(2 * bins * index, 2 * bins * (index + 1))),
  };
}

/**
 * A query without what is empty.
 *
 * @param {Record<string, string | number | undefined | null | string[]>} members
 */
export function query(members) {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(members)) {
    if (Array.isArray(value)) for (const one of value) search.append(name, one);
    else if (value !== undefined && value !== null && value !== "") search.set(name, String(value));
  }
  const text = search.toString();
  return text ? `?${text}` : "";
}

/** @param {string} name a part of a path */
export const part = (name) => name.split("/").map(encodeURIComponent).join("/");

/**
 * The record of a run. That of an imported one has a form of its own, and is told as one without patterns.
 *
 * @param {string} id
 * @param {AbortSignal} [signal]
 * @returns {Promise<API.RunRecord>}
 */
export async function getRecord(id, signal) {
  const record = /** @type {API.RunRecord | API.ImportedRecord} */ (await get(`runs/${part(id)}`, signal));
  if ("header" in record) return record;
  const { schema, imported, date, folder, environment, rig, plan, actuator, software, readings } = record;
  return {
    schema, imported, verdict: "imported", header: { date, folder, environment }, rig: { name: rig }, plan: { name: plan },
    actuator: { id: actuator }, run: { software }, readings,
  };
}

/** What this page's key allows: everything, or to look. */
export const session = { looks: false };

/** Asks what this page's key allows. */
export async function askSession() {
  session.looks = /** @type {API.Session} */ (await get("session")).access === "look";
  document.body.classList.toggle("looking", session.looks);
}

/** Takes the key out of the address and gives it to the server for a cookie. */
export async function openSession() {
  const match = location.hash.match(/^#key=([^&]+)/);
  if (!match) return;
  history.replaceState(null, "", `${location.pathname}#/bench`);
  await post("session", { key: decodeURIComponent(match[1]) });
}
