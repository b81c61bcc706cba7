// SPDX-License-Identifier: Apache-2.0
// The library of patterns: to look at, to open, and to begin new ones from.
import { get, post, session } from "./api.js";
import { colour, dialog, empty, field, fill, h, segmented, select, toast } from "./dom.js";
import { pathOf } from "./document.js";
import { openEditor } from "./editor_page.js";
import { ago, counted, fixed } from "./format.js";
import { pageKeys } from "./keys.js";
import { PatternModel, SHADES } from "./pattern_model.js";

/** @param {HTMLElement} place @param {string[]} path @param {URLSearchParams} params */
export function openPatterns(place, path, params) {
  return path.length > 0 ? openEditor(place, path.join("/")) : openLibrary(place, params);
}

const go = (/** @type {string} */ name) => { location.hash = `#/patterns/${encodeURIComponent(name)}`; };

const LENGTHS = /** @type {[string, string, (seconds: number) => boolean][]} */ ([["", "any length", () => true], ["short", "under 1 s", (one) => one < 1],
  ["middle", "1 to 5 s", (one) => one >= 1 && one < 5], ["long", "5 s and more", (one) => one >= 5]]);
const DENSITIES = /** @type {[string, string, (perSecond: number) => boolean][]} */ ([["", "any density", () => true], ["sparse", "under 3 events a second", (one) => one < 3],
  ["middle", "3 to 10 a second", (one) => one >= 3 && one < 10], ["dense", "10 a second and more", (one) => one >= 10]]);

/** @param {HTMLElement} place @param {URLSearchParams} params */
function openLibrary(place, params) {
  const controller = new AbortController(), asked = { text: "", length: "", density: "", sort: "name" };
  /** @type {API.Library} */
  let library = { patterns: [], templates: [], canWrite: false };
  const list = h("ul", { class: "pattern-cards" }), words = h("span", { class: "note", role: "status" });
  /**
   * Previews that are to be drawn, one after another.
   *
   * @type {[API.PatternRow, HTMLCanvasElement][]}
   */
  const queue = [];
  /** @type {Map<string, API.Entry[]>} */
  const known = new Map();
  let isDrawing = false;
  const draw = async () => {
    if (isDrawing) return;
    isDrawing = true;
    for (let next = queue.shift(); next && !controller.signal.aborted; next = queue.shift()) {
      const [row, canvas] = next;
      try {
        const entries = known.get(row.name) ?? (/** @type {API.Document} */ (await get(pathOf(row.name), controller.signal))).entries;
        known.set(row.name, entries);
        preview(canvas, entries);
      } catch { /* Without a picture it is opened all the same. */ }
    }
    isDrawing = false;
  };
  const ask = (/** @type {API.PatternRow} */ row, /** @type {HTMLCanvasElement} */ canvas) => {
    if (canvas.dataset.asked) return;
    canvas.dataset.asked = "1";
    queue.push([row, canvas]);
    draw();
  };
  const seen = new IntersectionObserver((entries) => entries.forEach((one) => {
    // What is long is drawn when somebody points at it.
    const row = library.patterns.find((pattern) => one.target instanceof HTMLElement && pattern.name === one.target.dataset.name);
    const canvas = one.target.querySelector("canvas");
    if (one.isIntersecting && row && canvas && row.events <= 2000) ask(row, canvas);
  }), { rootMargin: "120px" });
  const show = () => {
    const text = asked.text.toLowerCase();
    const fits = (/** @type {any[]} */ all, /** @type {string} */ value) => all.find(([one]) => one === value)[2];
    const rows = library.patterns.filter((one) => `${one.name} ${one.title} ${one.about}`.toLowerCase().includes(text) && fits(LENGTHS, asked.length)(one.seconds) && fits(DENSITIES, asked.density)(one.perSecond));
    rows.sort((a, b) => asked.sort === "seconds" ? a.seconds - b.seconds : asked.sort === "density" ? a.perSecond - b.perSecond : asked.sort === "changed" ? String(b.changed ?? "").localeCompare(String(a.changed ?? "")) : a.name.localeCompare(b.name));
    words.textContent = library.patterns.length === 0 ? "" : rows.length === library.patterns.length ? counted(rows.length, "pattern") : `${rows.length} of ${counted(library.patterns.length, "pattern")}`;
    seen.disconnect();
    fill(list, rows.slice(0, 500).map((row) => {
      const canvas = h("canvas", { class: "preview", "aria-hidden": "true", width: 560, height: 88 });
      const about = sentences(row.about);
      const card = h("li", { class: "card pattern-card", "data-name": row.name },
        h("a", { href: `#/patterns/${encodeURIComponent(row.name)}`, class: "pattern-open", "data-key": `open-${row.name}` }, canvas, h("span", { class: "pattern-title" }, row.title)),
        h("p", { class: "sentence" }, about || "It does not say what it shows."),
        h("p", { class: "note" }, `${row.name} · ${fixed(row.seconds, 2)} s · ${counted(row.events, "event")}${row.seconds > 0 ? `, ${fixed(row.perSecond, 1)} a second` : ""}`,
          row.changed && ` · ${ago(row.changed)}`, row.edited && h("span", { class: "tag unsaved" }, "a draft is not saved")));
      for (const name of ["pointerenter", "focusin"]) card.addEventListener(name, () => ask(row, canvas));
      seen.observe(card);
      return card;
    }), rows.length === 0 && library.patterns.length > 0 && h("li", null, empty("No pattern is like that", "Fewer words, another length or density.")));
  };
  const load = async () => {
    const found = /** @type {API.Library} */ (await get("patterns", controller.signal));
    // What is not known of a file is left out: of one that is broken its length, of one without notes what it shows.
    const whole = (/** @type {API.PatternRow} */ one) => ({ ...one, about: one.about ?? "", seconds: one.seconds ?? 0, perSecond: one.perSecond ?? 0 });
    library = { ...found, patterns: found.patterns.map(whole), templates: found.templates.map(whole) };
    if (!library.patterns.length) {
      fill(list, h("li", null, empty("There are no patterns yet", h("p", null, "Begin one from a template, from a text, or from a .haptic clip."),
        library.canWrite && h("button", { type: "button", class: "primary acts", onclick: () => begin(library) }, "New pattern"))));
    } else show();
    add.disabled = !library.canWrite;
    if (!library.canWrite) add.title = "The folder of the patterns cannot be written";
    const link = params.get("link");
    if (link && !session.looks) begin(library, textOf(link));
  };
  const add = h("button", { type: "button", class: "primary acts", title: "n", onclick: () => begin(library) }, "New pattern");
  fill(place, h("div", { class: "page-head" }, h("h1", null, "Patterns"), words, h("div", { class: "actions" }, add)),
    h("form", { class: "filters", role: "search", onsubmit: (/** @type {Event} */ event) => event.preventDefault() },
      field("Search", h("input", { type: "search", placeholder: "name or what it shows", oninput: (/** @type {Event} */ event) => {
        asked.text = /** @type {HTMLInputElement} */ (event.target).value.trim();
        show();
      } }), "grow"),
      field("Length", select(LENGTHS.map(([value, text]) => [value, text]), "", (value) => { asked.length = value; show(); })),
      field("Density", select(DENSITIES.map(([value, text]) => [value, text]), "", (value) => { asked.density = value; show(); })),
      field("Sorted by", select([["name", "name"], ["seconds", "length"], ["density", "density"], ["changed", "last change"]], "name", (value) => { asked.sort = value; show(); }))),
    list);
  pageKeys([{ keys: "n", does: "A new pattern", changes: true, act: () => { if (!add.disabled) begin(library); } }]);
  const repaint = () => list.querySelectorAll("canvas").forEach((canvas) => {
    const entries = known.get(canvas.closest("li")?.dataset.name ?? "");
    if (entries) preview(canvas, entries);
  });
  document.addEventListener("colours", repaint);
  load().catch((error) => {
    if (!controller.signal.aborted) fill(list, h("li", null, empty("The patterns cannot be listed", error.message)));
  });
  return () => {
    controller.abort();
    seen.disconnect();
    document.removeEventListener("colours", repaint);
  };
}

/** @param {string} text the first two sentences of a text */
const sentences = (text) => (text.match(/[^.!?]+[.!?]*/g) ?? []).slice(0, 2).join("").trim();

/** @param {string} link the pattern's text in base64 for addresses */
function textOf(link) {
  try {
    const bytes = Uint8Array.from(atob(link.replaceAll("-", "+").replaceAll("_", "/")), (one) => one.charCodeAt(0));
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    toast("This link holds no pattern: a part of it may be missing.", "bad");
    return undefined;
  }
}

/**
 * A new pattern: from a template, another pattern, a text, or a file.
 *
 * @param {API.Library} library
 * @param {string} [text] that came with a link
 */
function begin(library, text) {
  let from = text === undefined ? "template" : "text";
  const name = h("input", { type: "text", required: true, pattern: "[^\\/.][^\\\\]*", maxlength: 120, autocomplete: "off", spellcheck: "false", placeholder: "heartbeat, or feedback/heartbeat" });
  const area = h("textarea", { rows: 8, class: "address", spellcheck: "false", "aria-label": "AHAP text" }, text ?? "");
  const file = h("input", { type: "file", accept: ".ahap,.haptic,.json", "aria-label": "File" });
  const template = select([.../** @type {[string, string][]} */ (library.templates.map((one) => [one.name, `${one.title}${one.about ? `: ${sentences(one.about)}` : ""}`])),
    .../** @type {[string, string][]} */ (library.patterns.map((one) => [one.name, `${one.title} (${one.name})`]))], library.templates[0]?.name ?? library.patterns[0]?.name ?? "", () => {});
  const source = h("div", { class: "fields" });
  const show = () => fill(source, from === "nothing" ? h("p", { class: "note" }, "A pattern without events.") : from === "template" ? field("Template, or a pattern to change", template) : from === "text" ? field("AHAP text", area) : field("An .ahap file or a .haptic clip", file));
  file.addEventListener("change", () => {
    if (!name.value && file.files?.[0]) name.value = file.files[0].name.replace(/\.[^.]*$/, "");
  });
  dialog("New pattern", (close) => {
    show();
    return [h("form", { onsubmit: async (/** @type {Event} */ event) => {
      event.preventDefault();
      /** @type {Record<string, string>} */
      const body = { name: name.value.trim().replace(/\.ahap$/, "") };
      if (from === "template") body.from = template.value;
      else if (from === "text") body.text = area.value;
      else if (from === "file") {
        const chosen = file.files?.[0];
        if (!chosen) {
          toast("Choose a file first.", "bad");
          return;
        }
        body[chosen.name.endsWith(".haptic") ? "clip" : "text"] = await chosen.text();
      }
      try {
        const made = await post("patterns", body);
        close();
        go(made.name ?? body.name);
      } catch (error) {
        toast(error instanceof Error ? error.message : String(error), "bad");
      }
    } }, field("Name, with its folder", name),
    segmented("From", [["template", "Template"], ["nothing", "Nothing"], ["text", "Text"], ["file", "File"]], from, (value) => { from = value; show(); }), source,
    h("div", { class: "box-foot" }, h("button", { type: "submit", class: "primary" }, "Make it")))];
  });
}

/** @param {HTMLCanvasElement} canvas @param {API.Entry[]} entries a small picture of a pattern */
function preview(canvas, entries) {
  const c = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d")), { width, height } = canvas;
  const model = new PatternModel(entries), scale = (width - 8) / Math.max(0.2, model.seconds), base = height - 10;
  c.clearRect(0, 0, width, height);
  c.fillStyle = colour("zero");
  c.fillRect(0, base, width, 1);
  const { haptic, audio } = model;
  for (let k = 0; k < haptic.count; k += 1) {
    c.fillStyle = colour(haptic.shade[k] > SHADES / 2 ? "sharpness" : "intensity");
    const high = haptic.level[k] * (base - 6);
    c.globalAlpha = haptic.isTap[k] ? 1 : 0.5;
    c.fillRect(4 + haptic.start[k] * scale - 1, base - high, Math.max(haptic.isTap[k] ? 3 : 2, (haptic.end[k] - haptic.start[k]) * scale), high);
  }
  c.globalAlpha = 1;
  c.fillStyle = colour("sound");
  for (let k = 0; k < audio.count; k += 1) c.fillRect(4 + audio.start[k] * scale, base + 3, Math.max(4, (audio.end[k] - audio.start[k]) * scale), 4);
  c.lineWidth = 2;
  for (const [id, { curves }] of model.controls) {
    c.strokeStyle = colour(id.startsWith("Audio") ? "sound" : id.includes("Sharpness") ? "sharpness" : "ink");
    for (const index of curves) {
      const entry = entries[index], isMultiplied = /Intensity|Volume/.test(id);
      c.beginPath();
      for (const [time, value] of entry.points ?? []) c.lineTo(4 + ((entry.time ?? 0) + time) * scale, base - (isMultiplied ? value : (value + 1) / 2) * (base - 6));
      c.stroke();
    }
  }
}
