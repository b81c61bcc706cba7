// SPDX-License-Identifier: Apache-2.0
// Keys of the whole workbench; pages add their own while they are open.
import { session } from "./api.js";
import { dialog, h } from "./dom.js";

/**
 * @typedef {{ keys: string, does: string, act?: () => void, changes?: boolean }} Key
 *   `changes`: it changes or starts something, and is none for who may only look
 */

/** @type {Key[]} */
const everywhere = [];
/** @type {Key[]} */
let own = [];
let pending = "";
let pendingAt = 0;

/** @param {Key[]} keys */
export function addKeys(keys) {
  everywhere.push(...keys);
}

/**
 * The keys of the page that is open now.
 *
 * @param {Key[]} keys
 */
export function pageKeys(keys) {
  own = keys.filter((one) => !(one.changes && session.looks));
}

/** @param {EventTarget | null} target */
function isTyping(target) {
  return target instanceof HTMLElement
    && (target.isContentEditable || target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement
      || (target instanceof HTMLInputElement && !["checkbox", "radio", "button", "range"].includes(target.type)));
}

addEventListener("keydown", (event) => {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "Escape") {
    pending = "";
    const target = event.target;
    if (isTyping(target) && target instanceof HTMLElement && !target.closest("dialog")) target.blur();
    else find("Esc")?.act?.();
    return;
  }
  if (isTyping(event.target) || document.querySelector("dialog[open]")) return;
  if (event.key.length !== 1 && !event.key.startsWith("Arrow")) return;
  const now = performance.now();
  const together = pending && now - pendingAt < 1200 ? `${pending} ${event.key}` : event.key;
  pending = "";
  const key = find(together) ?? find(event.key);
  if (key?.act) {
    event.preventDefault();
    key.act();
  } else if ([...own, ...everywhere].some((one) => one.keys.startsWith(`${event.key} `))) {
    pending = event.key;
    pendingAt = now;
  }
});

/** @param {string} keys */
const find = (keys) => [...own, ...everywhere].find((one) => one.keys === keys);

/** Shows the keys. */
export function showKeys() {
  if (document.querySelector("dialog.keys")) return;
  const list = (/** @type {Key[]} */ keys) => h("dl", { class: "key-list" }, keys.map((key) =>
    h("div", null, h("dt", null, key.keys.split(" ").map((one) => h("kbd", null, one.replace("ArrowLeft", "←").replace("ArrowRight", "→")))), h("dd", null, key.does))));
  dialog("Keys", () => [
    own.length > 0 && h("h3", null, "This page"), own.length > 0 && list(own), h("h3", null, "Everywhere"),
    list(everywhere)], "keys");
}
