import { empty, put } from "./dom.js";
/** @param {HTMLElement} place */
export function openHistory(place) {
  put(place, empty("History"));
  return () => {};
}
