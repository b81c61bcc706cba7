// SPDX-License-Identifier: Apache-2.0
// The editor of one pattern: timeline, list, numbers, source, findings, and what plays and measures it.
import { get, getWaves, query, Refusal, session } from "./api.js";
import { ComposePanel } from "./compose_panel.js";
import { dialog, empty, field, fill, h, say, segmented, select, toast } from "./dom.js";
import { pathOf, PatternDocument, placeAfter } from "./document.js";
import * as edits from "./edits.js";
import { EventList } from "./event_list.js";
import { Feel } from "./feel.js";
import { counted, fixed } from "./format.js";
import { Inspector } from "./inspector.js";
import { pageKeys } from "./keys.js";
import { link } from "./socket.js";
import { onsets } from "./pattern_model.js";
import { sourcePane } from "./source_pane.js";
import { Timeline } from "./timeline.js";

const CLIP = "haprig.clip", SNAP = "haprig.snap", TYPING = 150, NUDGED = 1000;

/** @param {string} name @param {any} otherwise */
function stored(name, otherwise) {
  try {
    return { ...otherwise, ...JSON.parse(localStorage.getItem(name) ?? "{}") };
  } catch {
    return otherwise;
  }
}

/** @param {HTMLElement} place @param {string} name */
export function openEditor(place, name) {
  const editor = new Editor(place, name);
  return () => editor.close();
}

class Editor {
  /** @param {HTMLElement} place @param {string} name */
  constructor(place, name) {
    this.place = place;
    this.name = name;
    /** @type {Set<number>} */
    this.picked = new Set();
    /** @type {number | undefined} */
    this.active = undefined;
    /** @type {{ curve: number, points: Set<number> } | undefined} */
    this.points = undefined;
    this.tool = "select";
    /** What the last key nudged, and when. */
    this.nudged = { what: "", at: -Infinity };
    this.snap = stored(SNAP, { grid: false, step: 0.01, beats: false, bpm: 120, events: true, onsets: true });
    this.follows = true;
    this.lanes = stored("haprig.lanes", { drive: true, model: true, measured: true });
    /** @type {{ name: string, entries: number[] }[]} */
    this.groups = [];
    this.isClosed = false;
    /** @type {API.AdviceOf} */
    this.advice = { advice: [], limits: [] };
    /** @type {import("./feel.js").Measured[]} */
    this.measured = [];
    /** @type {Map<string, import("./timeline.js").Trace & { version: number }>} */
    this.waves = new Map();
    /** @type {import("./source_pane.js").Pane | undefined} */
    this.source = undefined;
    this.typing = 0;
    /** Whether the pane has the document's text, with nothing typed since. */
    this.isClean = false;
    /** Where in the text somebody is. */
    this.at = 0;
    /** Whether the edit that is being done puts something in. */
    this.adds = false;
    /** @type {Set<string>} the sounds that were asked for */
    this.asked = new Set();
    /** @type {Record<string, string>} */
    this.units = {};
    this.timers = { waves: 0, advice: 0 };
    this.doc = new PatternDocument(name, {
      changed: (change) => this.#changed(change),
      told: (sentence, kind) => {
        if (kind === "bad") toast(sentence, "bad");
        else this.#notice(sentence);
      },
    });
    this.timeline = new Timeline({
      pick: (picked, active) => this.pick(picked, active),
      pickPoints: (curve, points) => this.pickPoints(curve, points),
      edit: (label, make) => { this.edit(label, make); },
      head: (time) => this.moveHead(time),
      loop: (span) => this.setLoop(span),
      hover: (text) => { this.readout.textContent = text; },
      viewed: () => {
        this.#askWaves(150);
        this.compose.viewed();
      },
      tool: () => this.tool,
      even: (time, isFree) => this.#even(time, isFree),
      snaps: () => this.snap,
    });
    this.list = new EventList({ pick: (picked, active) => this.pick(picked, active) });
    this.inspector = new Inspector({ edit: (label, make) => { this.edit(label, make); }, pickPoints: (curve, points) => this.pickPoints(curve, points, true) });
    this.readout = h("p", { class: "readout" });
    this.feel = new Feel(name, {
      head: () => this.timeline.head, loop: () => this.timeline.loop, seconds: () => this.doc.seconds,
      settled: async () => {
        this.#flush();
        await this.doc.line;
      },
      moved: (time) => this.timeline.moveHead(time, this.follows),
      rigged: () => {
        this.waves.clear();
        this.#askWaves(0);
        this.#askAdvice(0);
      },
      measured: (measured) => {
        this.measured = measured;
        this.#showMarks();
        this.#showWaves();
      },
    });
    this.compose = new ComposePanel(name, {
      doc: this.doc, timeline: this.timeline, picked: () => this.picked,
      edit: (label, make) => this.edit(label, make, false, true),
      heard: (path) => {
        this.timeline.sounds.delete(path);
        this.asked.delete(path);
        this.#showSounds();
      },
    });
    // As the library has it: the file's name as words.
    const words = (name.split("/").pop() ?? name).replaceAll(/[-_]+/g, " ");
    this.words = words.charAt(0).toUpperCase() + words.slice(1);
    this.title = h("h1", null, this.words);
    this.state = h("span", { class: "tag editor-state", role: "status" });
    this.bars = h("div", { class: "editor-bars" });
    this.notices = h("div", { class: "editor-notices", role: "log", "aria-label": "Notices" });
    this.findings = h("section", { class: "card findings-card", "aria-label": "Findings" });
    this.sourceCard = h("section", { class: "card source-card", "aria-label": "Source" }, h("div", { class: "card-head" }, h("h2", null, "Source")));
    this.groupBox = h("div", { class: "tools left-tools groups" });
    this.undoButton = this.#button("Undo", "undo", () => this.undo("undo"), "acts");
    this.redoButton = this.#button("Redo", "redo", () => this.undo("redo"), "acts");
    this.saveButton = this.#button("Save", "save", () => this.save(), "primary acts");
    this.count = h("span", { class: "note", role: "status" });
    fill(place, h("p", { class: "note", role: "status" }, `Opening ${name}.`));
    this.doc.flush = () => this.#flush();
    this.onKey = (/** @type {KeyboardEvent} */ event) => this.#key(event);
    document.addEventListener("keydown", this.onKey);
    // What is typed while the server is away would be lost with the page.
    this.onLink = () => this.source?.lock(session.looks || link.state === "lost");
    link.listeners.add(this.onLink);
    pageKeys(this.#keys());
    this.#begin();
  }

  async #begin() {
    try {
      await this.doc.open();
    } catch (error) {
      if (this.isClosed) return;
      fill(this.place, empty("This pattern cannot be opened", error instanceof Error ? error.message : String(error), h("a", { class: "button", href: "#/patterns" }, "All patterns")));
      return;
    }
    if (this.isClosed) return;
    this.source = await sourcePane({ typed: () => this.#typed(), cursor: (at) => this.#cursor(at) });
    if (this.isClosed) return;
    this.sourceCard.append(this.source.element);
    this.source.setText(this.doc.text);
    this.isClean = true;
    this.source.mark(this.doc.diagnostics);
    this.source.refresh();
    this.onLink();
  }

  close() {
    this.#flush();
    this.isClosed = true;
    clearTimeout(this.timers.waves);
    clearTimeout(this.timers.advice);
    document.removeEventListener("keydown", this.onKey);
    link.listeners.delete(this.onLink);
    this.feel.close();
    this.compose.close();
    this.timeline.close();
    this.list.close();
    this.doc.close();
  }

  /** @param {string} text @param {string} key @param {() => void} act @param {string} [more] */
  #button(text, key, act, more = "") {
    return h("button", { type: "button", class: more, "data-key": key, onclick: act }, text);
  }

  #layout() {
    const small = (/** @type {string} */ text, /** @type {string} */ key, /** @type {() => void} */ act, /** @type {string} */ title = "") =>
      h("button", { type: "button", class: "small", "data-key": key, title, onclick: act }, text);
    // What edits, for who may.
    const edit = (/** @type {string} */ text, /** @type {string} */ key, /** @type {() => void} */ act, /** @type {string} */ title = "") => {
      const button = small(text, key, act, title);
      button.classList.add("acts");
      return button;
    };
    const timeline = this.timeline;
    this.inspector.element.inert = session.looks;
    this.snapBox = h("div", { class: "tools left-tools snaps acts", role: "group", "aria-label": "Snap to" });
    fill(this.place,
      h("div", { class: "page-head" }, h("a", { class: "button", href: "#/patterns", "aria-label": "All patterns" }, "Patterns"), this.title, h("span", { class: "note" }, this.name), this.state,
        h("div", { class: "actions" }, this.undoButton, this.redoButton, this.saveButton, this.#button("Export", "export", () => this.#export()),
          this.#button("Share", "share", () => this.#share()))),
      this.bars, this.compose.bar, this.notices,
      h("div", { class: "editor-grid" },
        h("div", { class: "editor-main" },
          h("section", { class: "card editor-lines", "aria-label": "Timeline" }, this.feel.element,
            h("div", { class: "editor-tools" },
              !session.looks && segmented("Tool", [["select", "Select"], ["tap", "Tap"], ["hold", "Hold"], ["draw", "Draw"]], this.tool, (tool) => {
                this.tool = tool;
                timeline.element.dataset.tool = tool;
              }),
              h("div", { class: "tools left-tools" }, small("+", "zoom-in", () => timeline.zoom(0.5), "Zoom in (+)"), small("−", "zoom-out", () => timeline.zoom(2), "Zoom out (-)"),
                small("All", "fit", () => timeline.fit(), "Show all (0)"), this.#toggle("Follow", "follow", () => this.follows, (on) => { this.follows = on; })),
              edit("Add", "add", () => this.ask(), "c"), edit("Compose", "compose", () => this.compose.toggle(), "Of a sound (k)"),
              h("details", { class: "more-tools", open: innerWidth > 760 }, h("summary", null, "Snap and lanes"), h("div", { class: "editor-tools" }, this.snapBox,
              h("div", { class: "tools left-tools", role: "group", "aria-label": "Lanes" }, ["drive", "model", "measured"].map((lane) =>
                this.#toggle({ drive: "Drive", model: "Modelled", measured: "Measured" }[lane] ?? lane, `lane-${lane}`, () => this.lanes[lane], (on) => {
                  this.lanes[lane] = on;
                  localStorage.setItem("haprig.lanes", JSON.stringify(this.lanes));
                  this.#showWaves();
                  this.#askWaves(0);
                })))))),
            timeline.element, this.readout),
          this.compose.element,
          h("section", { class: "card", "aria-label": "Events" }, h("div", { class: "card-head" }, h("h2", null, "Events"), this.count),
            h("div", { class: "editor-tools" },
              small("Copy", "copy", () => this.copy(), "Ctrl C"), edit("Cut", "cut", () => this.cut(), "Ctrl X"), edit("Paste", "paste", () => this.paste(), "At the play head (Ctrl V)"),
              edit("Paste in place", "paste-place", () => this.paste(true), "Ctrl Shift V"), edit("Paste properties", "paste-keys", () => this.pasteProperties(), "v"),
              edit("Duplicate", "duplicate", () => this.duplicate(), "Ctrl D"), edit("Delete", "delete", () => this.remove(), "Delete"),
              edit("Reverse", "reverse", () => this.reverse(), "r"), edit("Stretch", "stretch", () => this.stretch(), "y"), edit("Repeat", "repeat", () => this.repeat(), "e"),
              edit("Quantise", "quantise", () => this.quantise(), "q"), small("Group", "group", () => this.group(), "Keeps the selection under a name")),
            this.groupBox, h("div", { class: "editor-two" }, this.list.element, this.inspector.element))),
        h("div", { class: "editor-side" }, this.sourceCard, this.findings, this.feel.list)));
    this.#showSnaps();
    timeline.fit();
  }

  /** @param {string} text @param {string} key @param {() => boolean} is @param {(on: boolean) => void} set */
  #toggle(text, key, is, set) {
    const button = h("button", { type: "button", class: "small", "data-key": key, "aria-pressed": String(is()), onclick: () => {
      set(!is());
      button.setAttribute("aria-pressed", String(is()));
    } }, text);
    return button;
  }

  #showSnaps() {
    const keep = () => localStorage.setItem(SNAP, JSON.stringify(this.snap));
    const box = (/** @type {string} */ key, /** @type {string} */ text) => h("label", { class: "field inline" }, h("input", {
      type: "checkbox", checked: this.snap[key], "data-key": `snap-${key}`, onchange: (/** @type {Event} */ event) => {
        this.snap[key] = /** @type {HTMLInputElement} */ (event.target).checked;
        keep();
      },
    }), h("span", null, text));
    const number = (/** @type {string} */ key, /** @type {string} */ label, /** @type {number} */ low, /** @type {number} */ high) => h("input", {
      type: "number", class: "short", min: low, max: high, step: "any", value: String(this.snap[key]), "aria-label": label, "data-key": `snap-${key}`,
      onchange: (/** @type {Event} */ event) => {
        const input = /** @type {HTMLInputElement} */ (event.target);
        if (!input.checkValidity() || input.value === "") {
          input.reportValidity();
          return;
        }
        this.snap[key] = Number(input.value);
        keep();
      },
    });
    if (this.snapBox) fill(this.snapBox, h("span", { class: "note" }, "Snap to"), box("grid", "grid of"), number("step", "Grid in seconds, 0.001 to 10", 0.001, 10), h("span", { class: "note" }, "s"),
      box("beats", "beats at"), number("bpm", "Beats a minute, 20 to 400", 20, 400), box("events", "events"), box("onsets", "onsets of sounds"), h("span", { class: "note" }, "(off with Alt)"));
  }

  // State.

  get entries() { return this.doc.entries; }

  /** @param {import("./document.js").Change | undefined} change */
  #changed(change) {
    if (this.isClosed) return;
    if (!change) {
      this.groups = this.#loadGroups();
      this.#layout();
    } else if (change.splices.length > 0) {
      /** @param {Iterable<number>} all */
      const after = (all) => [...all].flatMap((index) => placeAfter(change.splices, index) ?? []);
      this.picked = new Set(after(this.picked));
      this.active = this.active === undefined ? undefined : placeAfter(change.splices, this.active);
      const curve = this.points && placeAfter(change.splices, this.points.curve);
      this.points = this.points && curve !== undefined ? { curve, points: new Set([...this.points.points].filter((k) => this.entries[curve]?.points?.[k])) } : undefined;
      this.groups = this.groups.map((one) => ({ ...one, entries: after(one.entries) }));
      this.#keepGroups();
      // What was put in is picked.
      const added = change.splices.flatMap(({ at, remove, entries }) => change.isOwn && entries.length > remove && !change.isTyped && remove === 0 ? entries.map((_, k) => at + k) : []);
      if (added.length > 0 && this.adds) {
        this.picked = new Set(added);
        this.active = added[0];
        this.points = undefined;
      }
    }
    this.adds = false;
    this.picked = new Set([...this.picked].filter((index) => this.entries[index]));
    if (this.active !== undefined && !this.entries[this.active]) this.active = undefined;
    const wasWhole = this.timeline.isWhole;
    this.timeline.show(this.entries);
    // Where all was seen, all is.
    if (!change || (wasWhole && !this.timeline.isWhole)) this.timeline.fit();
    this.#showSounds();
    this.#showState();
    this.compose.changed();
    if (change && this.source) {
      const pane = this.source;
      if (change.isTyped || change.text.length === 0) this.isClean = pane.text() === this.doc.text;
      else if (this.isClean) pane.apply(change.text);
      else {
        if (pane.text() !== this.doc.text) this.#notice("The text was changed elsewhere while you typed: it is shown as it is now.");
        pane.setText(this.doc.text);
        this.isClean = true;
      }
      pane.mark(this.doc.diagnostics);
      if (change.isTyped && pane.hasFocus()) this.#cursor(this.at);
    }
    this.#showPicked();
    this.#askWaves(80);
    this.#askAdvice(350);
    if (change) this.feel.changed();
  }

  #showState() {
    const { doc } = this;
    document.title = `${doc.saved ? "" : "• "}${this.words} – haprig`;
    this.state.textContent = doc.broken ? "cannot be read" : doc.saved ? "saved" : "not saved";
    this.state.className = `tag editor-state ${doc.broken ? "broken" : doc.saved ? "" : "unsaved"}`;
    this.undoButton.disabled = !doc.undo;
    this.redoButton.disabled = !doc.redo;
    this.undoButton.title = doc.undo ? `Undo: ${doc.undo} (Ctrl Z)` : "Nothing to undo";
    this.redoButton.title = doc.redo ? `Redo: ${doc.redo} (Ctrl Shift Z)` : "Nothing to redo";
    this.saveButton.disabled = doc.saved || Boolean(doc.conflict);
    this.saveButton.title = "Ctrl S";
    fill(this.bars, doc.conflict && h("div", { class: "alert editor-bar", role: "alert" },
      h("span", null, `The file was changed by another program (${counted(doc.conflict.theirs.changed, "line")}) where you changed it too (${counted(doc.conflict.mine.changed, "line")}). Nothing is saved until you choose; undo brings the other back.`),
      this.#button("Keep mine", "mine", () => this.doc.resolve("mine"), "acts"), this.#button("Take theirs", "theirs", () => this.doc.resolve("theirs"), "acts")),
    doc.broken && h("div", { class: "alert editor-bar", role: "alert" }, h("span", null, `The text is no pattern now: ${doc.broken} The timeline shows the last that was one; only the text can be edited.`)),
    !doc.canEdit && h("div", { class: "alert editor-bar" }, h("span", null, "This file is not written in UTF-8: it is shown and cannot be edited.")),
    !doc.canSave && !session.looks && h("div", { class: "alert editor-bar" }, h("span", null, "The folder of this pattern cannot be written: what you edit is kept as a draft and can be exported, but not saved.")));
    this.place.classList.toggle("is-broken", Boolean(doc.broken));
  }

  /** @param {string} sentence */
  #notice(sentence) {
    if (this.isClosed || this.notices.lastElementChild?.firstElementChild?.textContent === sentence) return;
    const line = h("p", { class: "notice" }, h("span", null, sentence), h("button", { type: "button", class: "quiet small", "aria-label": "Dismiss this notice", onclick: () => line.remove() }, "✕"));
    this.notices.append(line);
    while (this.notices.childElementCount > 3) this.notices.firstElementChild?.remove();
  }

  // Picking.

  /** @param {Set<number>} picked @param {number | undefined} active */
  pick(picked, active) {
    this.picked = new Set(picked);
    this.active = active;
    this.points = undefined;
    if (active !== undefined && this.entries[active]) this.timeline.reveal(this.entries[active].time ?? 0);
    this.#showPicked();
    this.#revealSource();
  }

  /** @param {number} curve @param {Set<number>} points @param {boolean} [isQuiet] whether the fields stay as they are */
  pickPoints(curve, points, isQuiet = false) {
    this.points = { curve, points };
    this.picked = new Set([curve]);
    this.active = curve;
    if (isQuiet) {
      Object.assign(this.timeline, { points: this.points, picked: this.picked });
      this.timeline.redraw(2);
      return;
    }
    this.#showPicked();
    this.#revealSource();
  }

  #showPicked() {
    const { timeline } = this;
    timeline.picked = this.picked;
    timeline.points = this.points;
    timeline.redraw(2);
    const notes = new Map(this.advice.limits.map((one) => [one.entry, "beyond the actuator"]));
    for (const one of [...this.advice.advice, ...this.doc.diagnostics]) if (one.entry !== undefined) notes.set(one.entry, one.severity);
    this.list.show(timeline.model, this.picked, this.active, notes);
    this.inspector.show(this.entries, this.picked, this.points);
    this.count.textContent = `${counted(timeline.model.order.length, "entry", "entries")}${this.picked.size ? `, ${counted(this.picked.size, "picked", "picked")}` : ""}`;
    this.#showGroups();
    this.#showFindings();
    this.#showMarks();
  }

  #revealSource() {
    const entry = this.active === undefined ? undefined : this.entries[this.active];
    if (entry?.offset !== undefined && this.source && !this.source.hasFocus() && this.isClean) this.source.reveal(entry.offset, entry.end ?? entry.offset + 1);
  }

  /** @param {number} at a place in the text */
  #cursor(at) {
    this.at = at;
    const index = this.entries.findIndex((one) => one.offset !== undefined && one.offset <= at && (one.end ?? 0) >= at);
    if (index < 0 || (this.picked.size === 1 && this.picked.has(index)) || !this.isClean) return;
    this.picked = new Set([index]);
    this.active = index;
    this.points = undefined;
    this.timeline.reveal(this.entries[index].time ?? 0);
    this.#showPicked();
    const entry = this.entries[index];
    this.source?.reveal(entry.offset ?? 0, entry.end ?? 0);
  }

  // Typing.

  #typed() {
    this.isClean = false;
    // What is typed on meanwhile does not put it off: what is lost with a browser is younger than that.
    this.typing ||= window.setTimeout(() => this.#flush(), TYPING);
  }

  #flush() {
    if (!this.typing) return;
    clearTimeout(this.typing);
    this.typing = 0;
    const { source } = this;
    if (source) this.doc.typed(() => source.text());
  }

  // Doing.

  /**
   * @param {string} label
   * @param {(entries: API.Entry[], picked: number[]) => API.Operation[]} make
   * @param {boolean} [continues]
   * @param {boolean} [isQuiet] whether what is picked stays so
   */
  async edit(label, make, continues, isQuiet = false) {
    if (this.doc.broken || !this.doc.canEdit) {
      toast(this.doc.canEdit ? "The text is no pattern now: mend it first." : "This file cannot be edited.", "bad");
      return false;
    }
    const done = await this.doc.edit(label, (entries) => {
      const operations = make(entries, [...this.picked]);
      this.adds = !isQuiet && operations.some((one) => one.insert !== undefined || one.copy !== undefined);
      return operations;
    }, continues);
    if (done) say(`${label}.`);
    return done;
  }

  /**
   * A small edit by a key; the same again, soon, of the same events is one step with it.
   *
   * @param {string} label @param {(entries: API.Entry[], picked: number[]) => API.Operation[]} make
   */
  nudge(label, make) {
    const now = performance.now(), what = JSON.stringify([label, [...this.picked], [...this.points?.points ?? []]]);
    const continues = this.nudged.what === what && now - this.nudged.at < NUDGED;
    this.nudged = { what, at: now };
    return this.edit(label, make, continues);
  }

  /** @param {"undo" | "redo"} what */
  async undo(what) {
    const label = await this.doc.step(what);
    say(label ? `${what === "undo" ? "Undone" : "Done again"}: ${label}.` : `Nothing to ${what}.`);
  }

  async save() {
    if (await this.doc.save()) say("Saved.");
  }

  saveAs() {
    document.querySelectorAll("dialog").forEach((box) => box.close());
    dialog("Save as", (close) => {
      const name = h("input", { type: "text", required: true, pattern: "[^\\/.][^\\\\]*", maxlength: 120, value: `${this.name}-2`, spellcheck: "false" });
      return [h("form", { onsubmit: async (/** @type {Event} */ event) => {
        event.preventDefault();
        close();
        const as = name.value.trim().replace(/\.ahap$/, "");
        if (await this.doc.save(as)) location.hash = `#/patterns/${encodeURIComponent(as)}`;
      } }, field("Name, with its folder", name), h("div", { class: "box-foot" }, h("button", { type: "submit", class: "primary" }, "Save")))];
    });
  }

  /** @param {number} time */
  moveHead(time) {
    this.timeline.moveHead(edits.tidy(Math.max(0, time)), true);
    this.readout.textContent = `Play head at ${fixed(this.timeline.head, 3)} s`;
    if (this.feel.isPlaying) this.feel.begin();
  }

  /** @param {import("./timeline.js").Span | undefined} span */
  setLoop(span) {
    this.timeline.loop = span;
    this.timeline.redraw(2);
    this.feel.setLooping(Boolean(span));
    say(span ? `Loop from ${fixed(span.from, 3)} to ${fixed(span.to, 3)} s.` : "No loop.");
  }

  /** @param {number} time @param {boolean} isFree */
  #even(time, isFree) {
    if (isFree) return time;
    const steps = [...this.snap.grid ? [this.snap.step] : [], ...this.snap.beats ? [15 / this.snap.bpm] : []];
    let best = time, off = Infinity;
    for (const step of steps) {
      const near = Math.round(time / step) * step;
      if (Math.abs(near - time) < off) [best, off] = [near, Math.abs(near - time)];
    }
    return best;
  }

  /** The step of keys and quantising: a quarter of a beat, or the grid. */
  get step() { return this.snap.beats ? 15 / this.snap.bpm : this.snap.grid ? this.snap.step : 0.01; }

  /** @param {"transient" | "continuous"} kind */
  put(kind) {
    const time = this.timeline.head;
    return this.edit(kind === "transient" ? "put a tap" : "put a hold", (entries) => edits.place(entries, {
      kind, time, ...kind === "continuous" && { duration: 0.1 }, intensity: 0.7, sharpness: 0.5,
    }));
  }

  /** What is put in, at the play head. */
  ask() {
    const kinds = /** @type {[string, string][]} */ ([["curve", "Curve"], ["parameter", "Step"], ["transient", "Tap"], ["continuous", "Hold"], ["tone", "Tone"], ["audio", "Sound file"]]);
    let kind = "curve";
    const paths = [...new Set(this.entries.flatMap((one) => one.path ?? []))];
    dialog("Add", (close) => {
      const parameter = select(/** @type {[string, string][]} */ (Object.entries(edits.PARAMETERS).map(([id, one]) => [id, one.name])), "HapticIntensityControl", () => {});
      const path = h("input", { type: "text", list: "sound-paths", spellcheck: "false", placeholder: "sounds/click.wav", value: paths[0] ?? "" });
      const more = h("div", { class: "fields" }), show = () => fill(more, kind === "curve" || kind === "parameter" ? field("Parameter", parameter) : kind === "audio" ? field("File, from the folder of the pattern", path) : null,
        h("p", { class: "note" }, kind === "curve" ? "Over the loop, else over what is picked, else over the whole pattern." : `At the play head, ${fixed(this.timeline.head, 3)} s.`));
      show();
      return [h("form", { onsubmit: (/** @type {Event} */ event) => {
        event.preventDefault();
        close();
        const time = this.timeline.head, id = parameter.value;
        if (kind === "curve") this.addCurve(id);
        else if (kind === "parameter") this.edit("put a step", (entries) => edits.place(entries, { kind: "parameter", time, parameter: id, value: edits.PARAMETERS[id].neutral }));
        else if (kind === "transient" || kind === "continuous") this.put(kind);
        else this.edit(kind === "tone" ? "put a tone" : "put a sound", (entries) => edits.place(entries, { kind: "audio", time, volume: 0.8, ...kind === "tone" ? { duration: 0.2 } : { path: path.value.trim() } }));
        this.list.element.focus();
      } }, segmented("What", kinds, kind, (value) => { kind = value; show(); }), more, h("datalist", { id: "sound-paths" }, paths.map((one) => h("option", { value: one }))),
      h("div", { class: "box-foot" }, h("button", { type: "submit", class: "primary" }, "Add")))];
    });
  }

  /** @param {string} parameter */
  addCurve(parameter) {
    const span = this.timeline.loop ?? (this.picked.size ? edits.spanOf(this.entries, this.picked) : { from: 0, to: this.doc.seconds });
    const length = span.to - span.from > 0.02 ? span.to - span.from : 0.5, { neutral } = edits.PARAMETERS[parameter];
    if (!this.timeline.wanted.includes(parameter)) this.timeline.wanted.push(parameter);
    return this.edit("add a curve", (entries) => edits.place(entries, { kind: "curve", parameter, time: edits.tidy(span.from), points: [[0, neutral], [edits.tidy(length), neutral]] }));
  }

  copy() {
    if (this.picked.size === 0) {
      say("Nothing is picked.");
      return false;
    }
    localStorage.setItem(CLIP, JSON.stringify(edits.clipOf(this.entries, this.picked, this.name)));
    toast(`${counted(this.picked.size, "event")} copied.`);
    return true;
  }

  cut() { if (this.copy()) this.remove(); }

  /** @returns {import("./edits.js").Clip | undefined} */
  get clip() {
    const clip = stored(CLIP, {});
    if (!Array.isArray(clip.entries) || clip.entries.length === 0) {
      toast("Nothing was copied yet.", "bad");
      return undefined;
    }
    return clip;
  }

  /** @param {boolean} [inPlace] */
  paste(inPlace = false) {
    const clip = this.clip, at = inPlace ? undefined : this.timeline.head;
    if (clip) this.edit("paste", (entries) => edits.paste(entries, clip, at));
  }

  pasteProperties() {
    const clip = this.clip;
    if (!clip) return;
    const keys = Object.keys({ ...edits.FIELDS, ...edits.FLAGS }).filter((key) => clip.entries.some((one) => edits.has(one, key)));
    dialog("Paste properties", (close) => {
      const boxes = keys.map((key) => h("input", { type: "checkbox", name: key, checked: key === "sharpness" && keys.includes("sharpness") }));
      return [h("form", { onsubmit: (/** @type {Event} */ event) => {
        event.preventDefault();
        const chosen = boxes.filter((box) => box.checked).map((box) => box.name);
        close();
        this.edit(`paste ${chosen.join(", ")}`, (entries, picked) => edits.pasteKeys(entries, picked, clip, chosen));
      } }, h("p", { class: "note" }, `Of ${counted(clip.entries.length, "copied event")}, onto ${counted(this.picked.size, "picked one")}; of several each onto the one of its turn.`),
      h("div", { class: "fields" }, boxes.map((box) => h("label", { class: "field inline" }, box, h("span", null, edits.FIELDS[box.name]?.name ?? edits.FLAGS[box.name][0])))),
      h("div", { class: "box-foot" }, h("button", { type: "submit", class: "primary" }, "Paste")))];
    });
  }

  duplicate() {
    this.edit("duplicate", (entries, picked) => edits.repeat(entries, picked, edits.period(entries, picked)));
  }

  remove() {
    const points = this.points;
    if (points && points.points.size > 0) this.edit("take out points", (entries) => edits.removePoints(entries, points.curve, points.points));
    else {
      const at = this.active === undefined ? undefined : this.timeline.model.rank.get(this.active);
      this.edit("delete", edits.remove).then((done) => {
        // The next one is there to go on with.
        const { order } = this.timeline.model;
        if (done && at !== undefined && order.length > 0) this.pick(new Set([order[Math.min(at, order.length - 1)]]), order[Math.min(at, order.length - 1)]);
      });
    }
  }

  reverse() { this.edit("reverse", edits.reverse); }

  /** @param {string} title @param {[string, string, number, number, number][]} numbers key, label, low, high, value @param {(values: Record<string, number>) => void} act */
  #ask(title, numbers, act) {
    dialog(title, (close) => {
      const inputs = numbers.map(([key, label, low, high, value]) => [key, label, h("input", { type: "number", step: "any", min: low, max: high, value: String(value), required: true })]);
      return [h("form", { onsubmit: (/** @type {Event} */ event) => {
        event.preventDefault();
        close();
        act(Object.fromEntries(inputs.map(([key, , input]) => [key, Number(/** @type {HTMLInputElement} */ (input).value)])));
      } }, inputs.map(([, label, input]) => field(String(label), /** @type {HTMLInputElement} */ (input))),
      h("div", { class: "box-foot" }, h("button", { type: "submit", class: "primary" }, title)))];
    });
  }

  stretch() {
    this.#ask("Stretch", [["percent", "To how many per cent (1 to 10000)", 1, 10000, 100]], ({ percent }) =>
      this.edit("stretch", (entries, picked) => edits.stretch(entries, picked, percent / 100)));
  }

  repeat() {
    this.#ask("Repeat", [["times", "How many times (1 to 200)", 1, 200, 1], ["by", "Each later by, in seconds", 0.001, 1000, edits.period(this.entries, this.picked)]], ({ times, by }) =>
      this.edit("repeat", (entries, picked) => edits.repeat(entries, picked, by, Math.round(times))));
  }

  quantise() {
    this.#ask("Quantise", [["step", "Starts to multiples of, in seconds", 0.001, 10, edits.tidy(this.step)]], ({ step }) =>
      this.edit("quantise", (entries, picked) => edits.quantise(entries, picked, step)));
  }

  // Groups: selections with a name, in this browser.

  /** @param {number} index */
  #signature(index) {
    const one = this.entries[index];
    return `${one.kind} ${one.time} ${one.parameter ?? ""} ${one.path ?? ""}`;
  }

  #loadGroups() {
    /** @type {{ name: string, entries: string[] }[]} */
    const kept = stored(`haprig.groups.${this.name}`, { groups: [] }).groups;
    const places = new Map(this.entries.map((_, index) => [this.#signature(index), index]));
    return kept.map((one) => ({ name: one.name, entries: one.entries.flatMap((signature) => places.get(signature) ?? []) })).filter((one) => one.entries.length > 0);
  }

  #keepGroups() {
    localStorage.setItem(`haprig.groups.${this.name}`, JSON.stringify({ groups: this.groups.map((one) => ({ name: one.name, entries: one.entries.map((index) => this.#signature(index)) })) }));
  }

  group() {
    if (this.picked.size === 0) {
      say("Nothing is picked.");
      return;
    }
    dialog("Group", (close) => {
      const name = h("input", { type: "text", required: true, maxlength: 60, value: `Group ${this.groups.length + 1}` });
      return [h("form", { onsubmit: (/** @type {Event} */ event) => {
        event.preventDefault();
        this.groups = [...this.groups.filter((one) => one.name !== name.value), { name: name.value, entries: [...this.picked] }];
        this.#keepGroups();
        close();
        this.#showGroups();
      } }, field(`Name of these ${counted(this.picked.size, "event")}`, name), h("div", { class: "box-foot" }, h("button", { type: "submit", class: "primary" }, "Keep")))];
    });
  }

  #showGroups() {
    const now = JSON.stringify(this.groups.map((one) => [one.name, one.entries.length]));
    if (this.groupBox.dataset.now === now) return;
    this.groupBox.dataset.now = now;
    fill(this.groupBox, this.groups.map((one) => h("span", { class: "group" },
      h("button", { type: "button", class: "small", "data-key": `group-${one.name}`, onclick: () => this.pick(new Set(one.entries), one.entries[0]) }, `${one.name} (${one.entries.length})`),
      h("button", { type: "button", class: "small quiet", "aria-label": `Forget ${one.name}`, onclick: () => {
        this.groups = this.groups.filter((other) => other.name !== one.name);
        this.#keepGroups();
        this.#showGroups();
      } }, "✕"))));
  }

  // Findings and marks.

  /** @param {number} wait */
  #askAdvice(wait) {
    clearTimeout(this.timers.advice);
    this.timers.advice = window.setTimeout(async () => {
      const version = this.doc.version;
      try {
        // Of what cannot be played there is none.
        if (this.doc.broken || this.doc.diagnostics.some((one) => one.severity === "error")) throw new Refusal(422, "pattern", "");
        const advice = /** @type {API.AdviceOf} */ (await get(`${pathOf(this.name)}/advice${query(this.feel.query)}`));
        if (this.isClosed || version !== this.doc.version) return;
        this.advice = advice;
        this.timeline.gamut = advice.gamut ?? undefined;
      } catch (error) {
        if (error instanceof Refusal && error.status !== 0) this.advice = { advice: [], limits: [] };
      }
      if (!this.isClosed && version > 0) this.#showPicked();
    }, wait);
  }

  #showMarks() {
    const marks = new Map(), verdicts = new Map();
    for (const one of this.advice.limits) marks.set(one.entry, { sign: "▲", colour: "fail" });
    for (const one of [...this.advice.advice, ...this.doc.diagnostics]) {
      if (one.entry !== undefined) marks.set(one.entry, one.severity === "error" ? { sign: "✕", colour: "fail" } : { sign: one.severity === "note" ? "○" : "!", colour: "marginal" });
    }
    const { events } = this.timeline.model;
    for (const [event, verdict] of this.measured[0]?.verdicts ?? []) {
      const signs = /** @type {Record<string, string>} */ ({ pass: "✓", marginal: "!", fail: "✕" });
      if (events[event] !== undefined) verdicts.set(events[event], { sign: signs[verdict] ?? "?", colour: verdict === "not measured" ? "missing" : verdict });
    }
    Object.assign(this.timeline, { marks, verdicts });
    this.timeline.redraw(1);
  }

  #showFindings() {
    const limits = this.advice.limits.map((one) => ({ severity: /** @type {"warning"} */ ("warning"), message: one.message, entry: one.entry, code: "actuator" }));
    const all = [...this.doc.diagnostics, ...this.advice.advice, .../** @type {API.Finding[]} */ (limits)];
    const now = JSON.stringify([this.doc.version, all.length, all.slice(0, 60)]);
    if (this.findings.dataset.now === now) return;
    this.findings.dataset.now = now;
    fill(this.findings, h("div", { class: "card-head" }, h("h2", null, "Findings"), h("span", { class: "note" }, all.length === 0 ? "none" : counted(all.length, "finding"))),
      all.length > 0 && h("ul", { class: "finding-list" }, all.slice(0, 60).map((one, k) => h("li", { class: one.severity },
        h("span", { class: `finding-sign ${one.severity}`, "aria-hidden": "true" }, one.severity === "error" ? "✕" : one.severity === "warning" ? "!" : "i"),
        h("span", null, h("span", { class: "hidden" }, `${one.severity}: `), one.message, " ", h("span", { class: "note" }, [one.code, one.line && `line ${one.line}`].filter(Boolean).join(", "))),
        h("span", { class: "finding-tools" },
          one.entry !== undefined && h("button", { type: "button", class: "small", "data-key": `see-${k}`, "aria-label": `Show: ${one.message}`, onclick: () => {
            this.pick(new Set([one.entry ?? 0]), one.entry);
            if (one.offset !== undefined) this.source?.reveal(one.offset, one.offset + 1);
          } }, "Show"),
          one.entry === undefined && one.offset !== undefined && h("button", { type: "button", class: "small", "data-key": `see-${k}`, "aria-label": `Show in the text: ${one.message}`, onclick: () => this.source?.focus(one.offset ?? 0) }, "Show"),
          (one.fixes ?? []).map((fix) => h("button", { type: "button", class: "small", "data-key": `fix-${k}-${fix.label}`, onclick: () => this.doc.editText(`fix: ${fix.label}`, fix.edits) }, fix.label)))))),
      all.length > 60 && h("p", { class: "note" }, `The first 60 of ${all.length}.`));
  }

  // Waves and sounds.

  /** @param {number} wait */
  #askWaves(wait) {
    clearTimeout(this.timers.waves);
    this.timers.waves = window.setTimeout(() => this.#loadWaves(), wait);
  }

  async #loadWaves() {
    const { timeline, doc } = this, { from, to } = timeline.view, span = to - from, version = doc.version;
    if (this.isClosed || version === 0 || doc.broken) return;
    const begin = Math.max(0, from - span / 2), end = Math.min(timeline.most, to + span / 2), columns = Math.min(4096, Math.ceil(2 * timeline.width));
    await Promise.all(["drive", "model"].filter((lane) => this.lanes[lane] && (lane !== "model" || this.feel.hasModel)).map(async (lane) => {
      const known = this.waves.get(lane);
      // What is there is fine enough, and reaches beyond what is seen.
      if (known?.version === version && known.from <= Math.max(0, from) + 1e-9 && known.from + known.pairs.length / 2 * known.step >= Math.min(to, timeline.most) - 1e-3 && known.step <= 1.5 * (end - begin) / columns + 1e-6) return;
      try {
        const waves = await getWaves(`${pathOf(this.name)}/waves${query({ lane, ...this.feel.query, from: begin, to: end, columns })}`);
        const { rate, framesPerBin } = waves.header;
        this.waves.set(lane, { pairs: waves.data[0], from: waves.header.from / rate, step: framesPerBin / rate, colour: lane === "drive" ? "drive" : "intensity", version });
        this.units = { ...this.units, [lane]: waves.header.unit?.[0] ?? "1" };
      } catch { /* The lane says that it is not known. */ }
    }));
    if (!this.isClosed) this.#showWaves();
  }

  #showWaves() {
    const { timeline } = this;
    /** @type {import("./timeline.js").Wave[]} */
    const waves = [];
    const range = (/** @type {import("./timeline.js").Trace[]} */ traces) => {
      let most = 0;
      for (const { pairs, rest = 0 } of traces) for (const value of pairs) if (Math.abs(value - rest) > most) most = Math.abs(value - rest);
      return most || 1;
    };
    const add = (/** @type {string} */ id, /** @type {string} */ name, /** @type {import("./timeline.js").Trace[]} */ traces, /** @type {string} */ unit, /** @type {number} */ least = 0) =>
      waves.push({ id, name, colour: "drive", unit, traces, range: Math.max(least, range(traces)) });
    const own = (/** @type {string} */ lane) => [this.waves.get(lane)].flatMap((one) => one ?? []);
    if (this.lanes.drive) add("drive", "Drive", own("drive"), this.units.drive ?? "1", 1);
    if (this.lanes.model && this.feel.hasModel) add("model", "Modelled response", own("model"), this.units.model ?? "m/s2");
    if (this.lanes.measured && this.measured.length > 0) add("measured", "Measured response", this.measured.flatMap((one) => one.traces), this.measured[0].unit);
    // The same numbers are as high in both.
    const pair = waves.filter((one) => one.id !== "drive" && one.unit === waves[waves.length - 1].unit), most = Math.max(...pair.map((one) => one.range ?? 1));
    pair.forEach((one) => { one.range = most; });
    timeline.waves = waves;
    timeline.layout();
  }

  #showSounds() {
    this.entries.forEach(async (entry, index) => {
      if (entry.kind !== "audio" || !entry.path || this.asked.has(entry.path)) return;
      this.asked.add(entry.path);
      try {
        const waves = await getWaves(`${pathOf(this.name)}/audio${query({ entry: index, columns: 2000 })}`), step = waves.header.framesPerBin / waves.header.rate;
        if (this.isClosed || waves.bins === 0) return;
        const wasWhole = this.timeline.isWhole;
        this.timeline.sounds.set(entry.path, { pairs: waves.data[0], step, onsets: onsets(waves.data[0], step) });
        this.compose.ask();
        if (wasWhole && !this.timeline.isWhole) this.timeline.fit();
        this.timeline.redraw(3);
      } catch { /* A sound that cannot be read is shown by its name; the linter says why. */ }
    });
  }

  // Sharing.

  #export() {
    const file = this.name.split("/").pop();
    const one = (/** @type {string} */ as, /** @type {string} */ ending, /** @type {string} */ title, /** @type {string} */ words) => h("li", null,
      h("a", { class: "button", href: `/api/v1/${pathOf(this.name)}/export${query({ as })}`, download: `${file}${ending}` }, title), h("span", { class: "note" }, words));
    this.#flush();
    dialog("Export", () => [h("ul", { class: "exports" },
      one("ahap", ".ahap", "AHAP", "The file as it is here, saved or not."),
      one("apple", ".ahap", "For Apple's devices", "What CoreHaptics would read otherwise than it is written is written so that it does not."),
      one("haptic", ".haptic", ".haptic clip", "For engines that play Lofelt's and Meta's clips; sounds stay behind."),
      one("wav", ".wav", "WAV", "The drive as sound."),
      h("li", null, this.#button("Save as", "save-as", () => this.saveAs()), h("span", { class: "note" }, "The same under another name.")),
      h("li", null, this.#button("Link", "link", async () => {
        try {
          const { fragment } = /** @type {{ fragment: string }} */ (await get(`${pathOf(this.name)}/export?as=link`));
          const address = `${location.origin}/#${fragment.replace(/^#/, "")}`;
          document.querySelectorAll("dialog").forEach((box) => box.close());
          this.#showAddress("A link that holds the pattern", address, "Whoever opens it with a workbench of their own gets the pattern as a new one. The text is in the link itself.");
        } catch (error) {
          toast(error instanceof Error ? error.message : String(error), "bad");
        }
      }), h("span", { class: "note" }, "Holds the pattern itself; for small ones.")))]);
  }

  #share() {
    this.#showAddress("This page elsewhere", location.href, "Another desk or phone that can reach this workbench and has its key shows the same document, and plays it there.");
  }

  /** @param {string} title @param {string} address @param {string} words */
  #showAddress(title, address, words) {
    dialog(title, () => [h("p", { class: "note" }, words), address.length <= 1200 && h("img", { class: "qr", alt: "The address as a QR code", src: `/api/v1/qr${query({ text: address })}` }),
      field("Address", h("textarea", { readonly: true, rows: 3, class: "address" }, address)),
      h("div", { class: "box-foot" }, h("button", { type: "button", onclick: () => navigator.clipboard?.writeText(address).then(() => toast("Copied."), () => toast("The browser did not allow it: copy it from the field.", "bad")) }, "Copy"))]);
  }

  // Keys.

  /** @returns {import("./keys.js").Key[]} */
  #keys() {
    const { timeline } = this, each = (/** @type {string} */ key, /** @type {number} */ by) => () => {
      this.nudge(`${by > 0 ? "more" : "less"} ${key === "intensity" ? "intensity" : key}`, (entries, picked) => ["intensity", "sharpness"].includes(key)
        ? [...edits.shift(entries, picked, key, by), ...key === "intensity" ? [...edits.shift(entries, picked, "volume", by), ...edits.shift(entries, picked, "value", by)] : edits.shift(entries, picked, "brightness", by)] : []);
    };
    return [
      { keys: "Space", does: "Play or stop; with Shift only what is picked" }, { keys: "↑ ↓", does: "To the event before or after; with Shift picks it too, with Ctrl goes there alone" },
      { keys: "Ctrl Space", does: "Picks or leaves the event" }, { keys: "ArrowLeft ArrowRight", does: "Earlier or later by a step (10 ms, the grid, a quarter of a beat); with Shift by 1 ms" },
      { keys: "[", does: "Shorter by a step", changes: true, act: () => { this.nudge("shorter", (entries, picked) => edits.resize(entries, picked, "end", -this.step)); } },
      { keys: "]", does: "Longer by a step", changes: true, act: () => { this.nudge("longer", (entries, picked) => edits.resize(entries, picked, "end", this.step)); } },
      { keys: "{", does: "Begins earlier, ends where it did", changes: true, act: () => { this.nudge("begin earlier", (entries, picked) => edits.resize(entries, picked, "start", -this.step)); } },
      { keys: "}", does: "Begins later, ends where it did", changes: true, act: () => { this.nudge("begin later", (entries, picked) => edits.resize(entries, picked, "start", this.step)); } },
      { keys: "w", does: "More intensity, volume or value", changes: true, act: each("intensity", 0.05) }, { keys: "s", does: "Less intensity, volume or value", changes: true, act: each("intensity", -0.05) },
      { keys: "d", does: "More sharpness or brightness", changes: true, act: each("sharpness", 0.05) }, { keys: "a", does: "Less sharpness or brightness", changes: true, act: each("sharpness", -0.05) },
      { keys: "Enter", does: "To the numbers of the event; Esc comes back" },
      { keys: "t", does: "A tap at the play head", changes: true, act: () => { this.put("transient"); } }, { keys: "h", does: "A hold at the play head", changes: true, act: () => { this.put("continuous"); } },
      { keys: "k", does: "Composes of a sound; again: closes that", changes: true, act: () => { this.compose.toggle(); } },
      { keys: "c", does: "Adds a curve, a step, an event or a sound", changes: true, act: () => this.ask() },
      { keys: "p", does: "A point of the picked curve at the play head", changes: true, act: () => this.#pointAtHead() },
      { keys: ",", does: "Play head back by a step", act: () => this.moveHead(timeline.head - this.step) }, { keys: ".", does: "Play head on by a step", act: () => this.moveHead(timeline.head + this.step) },
      { keys: "j", does: "Play head to the picked event", act: () => this.moveHead(edits.spanOf(this.entries, this.picked).from) },
      { keys: "l", does: "Loops what is picked; again: no loop", act: () => this.setLoop(timeline.loop || this.picked.size === 0 ? undefined : edits.spanOf(this.entries, this.picked)) },
      { keys: "Del", does: "Deletes what is picked", changes: true },
      { keys: "Ctrl C", does: "Copies; X cuts, V pastes at the play head, with Shift in place; D duplicates; A picks all" },
      { keys: "v", does: "Pastes chosen properties alone", changes: true, act: () => this.pasteProperties() },
      { keys: "r", does: "Reverses what is picked", changes: true, act: () => this.reverse() }, { keys: "y", does: "Stretches it", changes: true, act: () => this.stretch() },
      { keys: "e", does: "Repeats it", changes: true, act: () => this.repeat() }, { keys: "q", does: "Quantises its starts", changes: true, act: () => this.quantise() },
      { keys: "Ctrl Z", does: "Undoes; with Shift does again", changes: true }, { keys: "Ctrl S", does: "Saves", changes: true },
      { keys: "+", does: "Zooms in", act: () => { timeline.zoom(0.6, this.#middle()); } }, { keys: "-", does: "Zooms out", act: () => { timeline.zoom(1 / 0.6, this.#middle()); } },
      { keys: "0", does: "Shows all", act: () => timeline.fit() }, { keys: "<", does: "Looks earlier", act: () => { timeline.pan(-0.3); } }, { keys: ">", does: "Looks later", act: () => { timeline.pan(0.3); } },
      { keys: "f", does: "Follows the play head, or not", act: () => this.#press("follow") }, { keys: "m", does: "Measures", changes: true, act: () => { this.feel.measure(); } },
      { keys: "o", does: "To the source", act: () => this.source?.focus(this.active === undefined ? 0 : this.entries[this.active]?.offset ?? 0) },
      { keys: "i", does: "To the list of events", act: () => this.list.element.focus() },
    ];
  }

  /** The moment that stays while keys zoom: what is picked, else the head. */
  #middle() {
    const { view, head } = this.timeline, at = this.active === undefined ? head : this.entries[this.active]?.time ?? head;
    return at >= view.from && at <= view.to ? at : (view.from + view.to) / 2;
  }

  /** @param {string} key */
  #find(key) {
    const found = this.place.querySelector(`[data-key="${key}"]`);
    return found instanceof HTMLElement ? found : undefined;
  }

  /** @param {string} key */
  #press(key) { this.#find(key)?.click(); }

  #pointAtHead() {
    const curve = this.active;
    if (curve === undefined || this.entries[curve]?.kind !== "curve") {
      say("No curve is picked.");
      return;
    }
    const entry = this.entries[curve], points = entry.points ?? [], at = this.timeline.head - (entry.time ?? 0);
    // On the line that is there.
    const k = points.findIndex(([time]) => time >= at), [a, b] = [points[k - 1], points[k]];
    const value = k < 0 ? points[points.length - 1]?.[1] ?? 1 : k === 0 ? b[1] : a[1] + (b[0] > a[0] ? (at - a[0]) / (b[0] - a[0]) : 0) * (b[1] - a[1]);
    this.edit("add a point", (entries) => edits.addPoint(entries, curve, this.timeline.head, value));
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const target = event.target instanceof HTMLElement ? event.target : document.body, isOpen = document.querySelector("dialog[open]");
    const isField = target.isContentEditable || target.matches("textarea, select, input:not([type=checkbox])"), isSource = Boolean(target.closest(".source"));
    const ctrl = event.ctrlKey || event.metaKey, key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const done = (/** @type {() => unknown} */ act) => {
      event.preventDefault();
      act();
    };
    if (event.defaultPrevented || isOpen) return;
    if (ctrl && !event.altKey) {
      if (key === "s") done(() => event.shiftKey ? this.saveAs() : this.save());
      else if ((key === "z" || key === "y") && (!isField || isSource || target.matches("[type=range]"))) {
        event.stopPropagation();
        done(() => this.undo(key === "y" || event.shiftKey ? "redo" : "undo"));
      } else if (isField) return;
      else if (key === "c" && !String(getSelection())) done(() => this.copy());
      else if (key === "x") done(() => this.cut());
      else if (key === "v") done(() => this.paste(event.shiftKey));
      else if (key === "d") done(() => this.duplicate());
      else if (key === "a") done(() => this.pick(new Set(this.timeline.model.order), this.active ?? this.timeline.model.order[0]));
      else if (key === " ") done(() => {
        if (this.active === undefined) return;
        const next = new Set(this.picked);
        if (next.has(this.active)) next.delete(this.active);
        else next.add(this.active);
        this.pick(next, this.active);
      });
      else if (key === "ArrowUp" || key === "ArrowDown") done(() => this.list.step(key === "ArrowUp" ? -1 : 1, "only"));
      return;
    }
    if (event.key === "Escape") {
      if (this.timeline.hands.cancel()) event.preventDefault();
      else if (isSource || target.closest(".inspector")) done(() => {
        target.blur();
        this.list.element.focus();
      });
      else if (!isField && this.picked.size > 0) done(() => this.pick(new Set(), undefined));
      return;
    }
    if (isField || event.altKey) return;
    const isButton = target.matches("button, a, summary, input");
    const isHere = target === document.body || target.closest(".event-list, .timeline, main") !== null;
    if (!isHere) return;
    if (key === " " && !isButton) {
      done(() => event.shiftKey && this.picked.size ? this.feel.begin({ ...edits.spanOf(this.entries, this.picked), to: edits.spanOf(this.entries, this.picked).to + 0.05 }) : this.feel.toggle());
    } else if (key === "ArrowUp" || key === "ArrowDown") done(() => this.list.step(key === "ArrowUp" ? -1 : 1, event.shiftKey ? "extend" : "one"));
    else if (key === "PageUp" || key === "PageDown") done(() => this.list.step(key === "PageUp" ? -10 : 10, "one"));
    else if ((key === "Home" || key === "End") && target.closest(".event-list, .timeline")) done(() => this.list.step(key === "Home" ? -1e9 : 1e9, "one"));
    else if ((key === "ArrowLeft" || key === "ArrowRight") && !target.closest(".scroll")) {
      const by = (event.shiftKey ? 0.001 : this.step) * (key === "ArrowLeft" ? -1 : 1), points = this.points;
      if (points && points.points.size > 0) done(() => this.nudge("move points", (entries) => edits.movePoints(entries, points.curve, points.points, by, 0)));
      else if (this.picked.size) done(() => this.nudge("move", (entries, picked) => edits.move(entries, picked, by)));
      else done(() => this.timeline.pan(by > 0 ? 0.1 : -0.1));
    } else if ((key === "Delete" || key === "Backspace")) done(() => this.remove());
    else if (key === "Enter" && target.closest(".event-list, .timeline")) done(() => this.inspector.focus());
  }
}
