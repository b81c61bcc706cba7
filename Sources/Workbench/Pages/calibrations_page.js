import { empty, put } from "./dom.js";
/** @param {HTMLElement} place */
export function openCalibrations(place) {
  put(place, empty("Calibrations"));
  return () => {};
}
