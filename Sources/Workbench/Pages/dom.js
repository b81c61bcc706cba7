// SPDX-License-Identifier: Apache-2.0
// Elements without a template language: text is always text, and no style stands in the markup.

/** @typedef {Node | string | number | null | undefined | false} Child */

/**
 * Makes an element. `on…` members are listeners, `true` and `false` set and leave out an attribute.
 *
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} tag
 * @param {Record<string, any> | null} [attributes]
 * @param {...(Child | Child[])} children
 * @returns {HTMLElementTagNameMap[K]}
 */
export function h(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "value" || name === "checked" || name === "selected") Object.assign(element, { [name]: value });
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  put(element, ...children);
  return element;
}

/**
 * Adds children to an element.
 *
 * @param {Element} parent
 * @param {...(Child | Child[])} children
 */
export function put(parent, ...children) {
  for (const child of children.flat()) {
    if (child === null || child === undefined || child === false) continue;
    parent.append(child instanceof Node ? child : String(child));
  }
}

/**
 * Puts other children into an element; the focus stays on what has the same `data-key`.
 *
 * @param {Element} parent
 * @param {...(Child | Child[])} children
 */
export function fill(parent, ...children) {
  const focused = document.activeElement;
  const key = focused instanceof HTMLElement && parent.contains(focused)
    ? focused.dataset.key ?? (focused.id && `#${focused.id}`) : undefined;
  parent.replaceChildren();
  put(parent, ...children);
  if (!key) return;
  const again = key.startsWith("#")
    ? document.getElementById(key.slice(1))
    : [...parent.querySelectorAll("[data-key]")].find(
      (one) => one instanceof HTMLElement && one.dataset.key === key);
  if (again instanceof HTMLElement) again.focus({ preventScroll: true });
}

/**
 * Calls something only when what it shows has changed.
 *
 * @template T
 * @param {(value: T) => void} show
 * @returns {(value: T) => void}
 */
export function onChange(show) {
  /** @type {string | undefined} */
  let shown;
  return (value) => {
    const now = JSON.stringify(value);
    if (now === shown) return;
    shown = now;
    show(value);
  };
}

const SIGNS = /** @type {Record<string, string>} */ ({
  pass: "✓", marginal: "!", "not measured": "?", fail: "✕", "not judged": "–", interrupted: "◼", imported: "↧",
  done: "✓", failed: "✕", stopped: "◼", running: "▶", working: "▶", dead: "✕", ended: "✓", idle: "○", held: "●",
  missing: "✕", worse: "✕", "held back": "!", "rig moved": "!", better: "✓", "made good": "✓", accepted: "✓",
  suspected: "!", unconfirmed: "!", steady: "✓", drifted: "✕", aborted: "✕", error: "✕", complete: "✓", lost: "✕", fault: "✕",
  free: "○", waiting: "…", reserved: "●", drained: "◼", overdue: "!",
});
const CLASSES = /** @type {Record<string, string>} */ ({
  pass: "pass", marginal: "marginal", "not measured": "missing", fail: "fail", "not judged": "unjudged",
  interrupted: "missing", imported: "unjudged", done: "pass", failed: "fail", stopped: "missing",
  running: "active", working: "active", dead: "fail", ended: "pass", idle: "pass", held: "active", missing: "fail",
  worse: "fail", "held back": "marginal", "rig moved": "marginal", better: "pass", "made good": "pass",
  accepted: "unjudged", suspected: "marginal", unconfirmed: "marginal", steady: "pass", drifted: "fail", aborted: "fail", error: "fail",
  complete: "pass", lost: "fail", fault: "fail", free: "pass", waiting: "missing", reserved: "marginal", drained: "marginal", overdue: "fail",
});

/**
 * A verdict or a state: a word with a sign, never colour alone.
 *
 * @param {string | undefined | null} word
 * @param {string} [shown] another text for it
 * @param {string} [more] further classes
 */
export function badge(word, shown, more = "") {
  const known = word ?? "not judged";
  return h("span", { class: `badge ${CLASSES[known] ?? "unjudged"} ${more}` },
    h("span", { class: "sign", "aria-hidden": "true" }, SIGNS[known] ?? "–"), shown ?? known);
}

/**
 * A list of facts: pairs of a name and what it is; those without a value are left out.
 *
 * @param {[string, Child | Child[]][]} pairs
 * @param {string} [name] its class
 */
export function facts(pairs, name = "facts") {
  return h("dl", { class: name }, pairs.filter(([, value]) =>
    value !== null && value !== undefined && value !== false && value !== "").map(([term, value]) =>
    h("div", null, h("dt", null, term), h("dd", null, value))));
}

/**
 * A page or part of one that has nothing to show, and says what to do.
 *
 * @param {string} title
 * @param {...Child} words
 */
export function empty(title, ...words) {
  return h("div", { class: "empty" }, h("h2", null, title), words.map((word) =>
    word instanceof Node ? word : h("p", null, word)));
}

/** @param {string} text a command as one would type it */
export const code = (text) => h("code", null, text.split(" ").flatMap((word, index) =>
  [index > 0 ? " " : "", h("span", { class: "whole" }, word)]));

/** @param {string} text what a screen reader says when it has time */
export function say(text) {
  speak("say", text);
}

/** @param {string} text what a screen reader says at once */
export function shout(text) {
  speak("shout", text);
}

/** @param {string} place @param {string} text */
function speak(place, text) {
  const region = document.getElementById(place);
  if (!region) return;
  // The same words again are told again: as an element of its own.
  region.append(h("p", null, text));
  while (region.childElementCount > 4) region.firstElementChild?.remove();
}

/**
 * A labelled control.
 *
 * @param {string} label
 * @param {HTMLElement} control
 * @param {string} [more]
 */
export function field(label, control, more = "") {
  return h("label", { class: `field ${more}` }, h("span", null, label), control);
}

/**
 * A choice among values.
 *
 * @param {[string, string][]} options value and text
 * @param {string} value
 * @param {(value: string) => void} changed
 * @param {Record<string, any>} [attributes]
 */
export function select(options, value, changed, attributes = {}) {
  const element = h("select", attributes, options.map(([one, text]) =>
    h("option", { value: one, selected: one === value }, text)));
  element.value = value;
  element.addEventListener("change", () => changed(element.value));
  return element;
}

/**
 * Several buttons of which one is pressed.
 *
 * @param {string} name
 * @param {[string, string][]} options
 * @param {string} value
 * @param {(value: string) => void} changed
 */
export function segmented(name, options, value, changed) {
  const group = h("div", { class: "segmented", role: "group", "aria-label": name });
  for (const [one, text] of options) {
    group.append(h("button", {
      type: "button", "aria-pressed": String(one === value), "data-key": `${name}-${one}`,
      onclick: () => {
        for (const button of group.children) button.setAttribute("aria-pressed", "false");
        group.querySelector(`[data-key="${name}-${one}"]`)?.setAttribute("aria-pressed", "true");
        changed(one);
      },
    }, text));
  }
  return group;
}

/**
 * Opens a dialog that goes away when it is closed; Esc closes it, the focus returns.
 *
 * @param {string} title
 * @param {(close: () => void) => Child[]} content
 * @param {string} [more]
 */
export function dialog(title, content, more = "") {
  const before = document.activeElement;
  const box = h("dialog", { class: `box ${more}`, "aria-labelledby": "dialog-title" });
  const close = () => box.close();
  put(box, h("div", { class: "box-head" }, h("h2", { id: "dialog-title" }, title),
    h("button", { type: "button", class: "quiet", "aria-label": "Close", onclick: close }, "✕")), content(close));
  box.addEventListener("close", () => {
    box.remove();
    if (before instanceof HTMLElement && before.isConnected) before.focus({ preventScroll: true });
  });
  box.addEventListener("click", (event) => { if (event.target === box) close(); });
  document.body.append(box);
  box.showModal();
  // What is asked comes before what closes it.
  const first = [...box.querySelectorAll("button, input, select, textarea, a")].find((one) => !one.closest(".box-head"));
  if (first instanceof HTMLElement) first.focus();
  return box;
}

/**
 * Says in a few words, for some seconds, what came of a click.
 *
 * @param {string} text
 * @param {"good" | "bad"} [kind]
 */
export function toast(text, kind = "good") {
  document.querySelectorAll(".toast").forEach((one) => one.remove());
  const box = h("div", { class: `toast ${kind}` }, h("span", null, text),
    h("button", { type: "button", class: "quiet", "aria-label": "Dismiss", onclick: () => box.remove() }, "✕"));
  (document.querySelector("dialog[open]") ?? document.body).append(box);
  (kind === "bad" ? shout : say)(text);
  setTimeout(() => box.remove(), kind === "bad" ? 12000 : 5000);
}

const colours = new Map();
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
  colours.clear();
  document.dispatchEvent(new Event("colours"));
});

/** @param {string} name a colour of the palette, for canvases */
export function colour(name) {
  let value = colours.get(name);
  if (!value) {
    value = getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim() || "#888";
    colours.set(name, value);
  }
  return /** @type {string} */ (value);
}

const still = matchMedia("(prefers-reduced-motion: reduce)");
export const wantsStill = () => still.matches;
