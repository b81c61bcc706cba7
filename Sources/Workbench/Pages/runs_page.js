import { empty, put } from "./dom.js";
/** @param {HTMLElement} place */
export function openRuns(place) {
  put(place, empty("Runs"));
  return () => {};
}
