// SPDX-License-Identifier: Apache-2.0
// What readings are called for people, by their names in plans and records.
import { get } from "./api.js";
import { h } from "./dom.js";

/** @type {Record<string, { title: string, meaning: string }>} */
let words = {};

export async function askWords() {
  words = /** @type {API.Words} */ (await get("words")).readings;
}

/** @param {string} name @returns {[before: string, kind: string]} */
const parted = (name) => name.startsWith("control.") ? ["control: ", name.slice(8)] : ["", name];

/**
 * The plain name of a reading; of one that this program does not know its own.
 *
 * @param {string} name
 */
export function plain(name) {
  const [before, kind] = parted(name);
  return before + (words[kind]?.title ?? kind);
}

/**
 * The head of a reading's row, with its own name and its meaning where the pointer rests on it.
 *
 * @param {{ reading: string, channel?: string }} one
 */
export function readingHead({ reading, channel }) {
  const meaning = words[parted(reading)[1]]?.meaning;
  return h("th", { scope: "row", title: meaning ? `${reading}: ${meaning}` : reading }, plain(reading), channel && h("span", { class: "unit" }, ` ${channel}`));
}

/**
 * Whether a search finds what a row is about: both names of its reading are looked in.
 *
 * @param {string} text what is searched
 * @param {string} reading
 * @param {...(string | undefined)} others
 */
export const finds = (text, reading, ...others) => [reading, plain(reading), ...others].join(" ").toLowerCase().includes(text.toLowerCase());
