import { empty, put } from "./dom.js";
/** @param {HTMLElement} place */
export function openCompare(place) {
  put(place, empty("Compare"));
  return () => {};
}
