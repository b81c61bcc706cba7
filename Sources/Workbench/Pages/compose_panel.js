// SPDX-License-Identifier: Apache-2.0
// Sound to haptics in the editor: a sound, a method with its sliders, what would come as a ghost on the timeline.
import { get, post, put, Refusal } from "./api.js";
import { ComposeChart } from "./compose_chart.js";
import * as composing from "./composing.js";
import { dialog, field, fill, h, say, select, toast } from "./dom.js";
import { pathOf } from "./document.js";
import { place, spanOf, tidy } from "./edits.js";
import { counted, fixed, significant, unitSign } from "./format.js";

/** @typedef {import("./timeline.js").Span} Span */
/** @typedef {{ method: string, [name: string]: number | string }} Settings */
/**
 * @typedef {object} Owner
 * @property {import("./document.js").PatternDocument} doc
 * @property {import("./timeline.js").Timeline} timeline
 * @property {() => Set<number>} picked
 * @property {(label: string, make: (entries: API.Entry[]) => API.Operation[]) => Promise<boolean | undefined>} edit
 * @property {(path: string) => void} heard a sound's file is another one
 */

const SIGNS = { added: "+", moved: "→", changed: "~", gone: "✕" };
const WORDS = { added: "added", moved: "moved", changed: "with another strength", gone: "gone" };
/** Ratios beyond this are shown by their logarithm. */
const WIDE = 50, STEPS = 1000, MOST_ROWS = 60, MOST_SEEN = 12;

/**
 * @typedef {object} Earlier what of a document the composition that its text names has put
 * @property {(entries: API.Entry[]) => number[]} of
 * @property {"none" | "known" | "another" | "lost"} state nothing was composed; it is found; the sound is another one; nothing of it is there
 * @property {number} by seconds by which the sound was moved since
 */

/** @param {composing.Change} change the tap that it is about, whatever becomes of it */
const keyOf = ({ old, now }) => old ? `old ${old.time} ${old.intensity} ${old.sharpness}` : `new ${now?.time}`;

/** @param {Settings} a @param {Settings} b */
const same = (a, b) => JSON.stringify(Object.entries(a).sort()) === JSON.stringify(Object.entries(b).sort());

export class ComposePanel {
  /** @param {string} name of the pattern @param {Owner} owner */
  constructor(name, owner) {
    this.name = name;
    this.owner = owner;
    /** @type {API.ComposeMethods | undefined} */
    this.table = undefined;
    this.sound = "";
    /** @type {Settings} */
    this.settings = { method: "envelope" };
    /** @type {{ sound: string, settings: Settings, answer: API.Composition, made: API.Entry[], parts: API.Origin["Parts"] } | undefined} what the ghost shows */
    this.preview = undefined;
    /** @type {Map<string, API.Composition>} compositions that this page has seen, by what they are of */
    this.seen = new Map();
    this.isAsking = false;
    this.isWanted = false;
    this.isOpen = false;
    this.isClosed = false;
    this.hasChanged = false;
    this.checked = "";
    /** Whether nothing that is there counts as somebody's own, where what was composed is not found. */
    this.isFromScratch = false;
    /** @type {Set<string>} changes of taps that are not to be done */
    this.unticked = new Set();
    /** @type {{ changes: composing.Change[], earlier: Earlier, isLater: boolean }} */
    this.told = { changes: [], earlier: { of: () => [], state: "none", by: 0 }, isLater: false };
    this.rows = MOST_ROWS;
    /** @type {{ key: string, earlier: Earlier } | undefined} */
    this.found = undefined;
    this.bar = h("div", { class: "editor-bars compose-bar" });
    this.element = h("section", { class: "card compose", "aria-label": "Compose", hidden: true });
    this.files = h("input", { type: "file", accept: "audio/*,video/*,.caf,.flac,.opus,.w64", "data-key": "compose-file", "aria-label": "A sound file", onchange: () => {
      const [file] = this.files.files ?? [];
      this.files.value = "";
      if (file) this.receive(file, this.owner.timeline.head);
    } });
    this.sounds = h("div");
    this.how = h("div", { class: "compose-how" });
    this.sliders = h("div", { class: "compose-sliders" });
    this.words = h("p", { class: "note compose-words", role: "status" });
    this.chart = new ComposeChart(owner.timeline);
    this.count = h("summary", { "data-key": "compose-changes" });
    this.about = h("div", { class: "compose-earlier" });
    this.taps = h("div");
    this.list = h("details", { class: "compose-changes", hidden: true, ontoggle: () => this.#showTaps() }, this.count, this.taps);
    const button = (/** @type {string} */ text, /** @type {string} */ key, /** @type {() => void} */ act, more = "") => h("button", { type: "button", class: more, "data-key": key, onclick: act }, text);
    this.applyButton = button("Apply", "compose-apply", () => this.apply(), "primary");
    this.partButton = button("Only this part", "compose-part", () => this.applyPart());
    this.beatsButton = button("Taps on beats", "compose-beats", () => this.askBeats());
    fill(this.element, h("div", { class: "card-head" }, h("h2", null, "Compose"), h("button", { type: "button", class: "quiet", "aria-label": "Close Compose", "data-key": "compose-close", onclick: () => this.toggle(false) }, "✕")),
      h("div", { class: "compose-sound" }, this.sounds, field("Another file, or drop one on the timeline", this.files)),
      this.how, this.chart.element, this.sliders, this.words, this.about,
      h("div", { class: "tools left-tools" }, this.applyButton, this.partButton, this.beatsButton), this.list);
    this.onFocus = () => { if (!document.hidden) this.check(true); };
    addEventListener("focus", this.onFocus);
    const line = owner.timeline.element;
    line.addEventListener("dragover", (event) => {
      if (![...event.dataTransfer?.types ?? []].includes("Files")) return;
      event.preventDefault();
      line.classList.add("takes");
    });
    line.addEventListener("dragleave", () => line.classList.remove("takes"));
    line.addEventListener("drop", (event) => {
      line.classList.remove("takes");
      const [file] = event.dataTransfer?.files ?? [];
      if (!file) return;
      event.preventDefault();
      const time = owner.timeline.time(event.clientX - line.getBoundingClientRect().left - line.clientLeft);
      this.receive(file, Math.max(0, tidy(time, 3)));
    });
  }

  close() {
    this.isClosed = true;
    removeEventListener("focus", this.onFocus);
    this.chart.close();
  }

  /** The timeline looks elsewhere. */
  viewed() { this.chart.draw(); }

  /** @param {boolean} [on] */
  async toggle(on = !this.isOpen) {
    this.isOpen = on;
    this.element.hidden = !on;
    if (!on) {
      this.#ghost();
      this.owner.timeline.element.focus();
      return;
    }
    try {
      this.table ??= /** @type {API.ComposeMethods} */ (await get("compose/methods"));
    } catch (error) {
      this.words.textContent = error instanceof Error ? error.message : String(error);
      return;
    }
    const origin = this.owner.doc.composed;
    if (!this.sound && origin?.Sound) this.#take(origin);
    this.#show();
    this.ask();
    const first = this.element.querySelector(this.sound ? "[data-key=compose-method]" : "[data-key=compose-file]");
    if (first instanceof HTMLElement) first.focus();
  }

  /** @param {API.Origin} origin */
  #take(origin) {
    this.sound = origin.Sound ?? "";
    if (origin.Settings) this.settings = /** @type {Settings} */ ({ ...origin.Settings });
  }

  /** The document is another: sounds come and go, and what was composed of what. */
  changed() {
    const { doc } = this.owner;
    const paths = this.#paths();
    if (this.sound && !paths.includes(this.sound)) {
      this.sound = paths[0] ?? "";
      this.preview = undefined;
    }
    if (this.isOpen) {
      this.#showSounds();
      this.#ghost();
      this.ask();
    }
    const now = JSON.stringify(doc.composed ?? null);
    if (now !== this.checked) {
      this.checked = now;
      this.check(false);
    }
  }

  /** @returns {string[]} */
  #paths() {
    const { doc } = this.owner;
    return [...new Set([...doc.entries.flatMap((one) => (one.kind === "audio" && one.path) || []), ...doc.composed?.Sound ? [doc.composed.Sound] : []])];
  }

  /** @param {string} sound the time of its event, which is that of its beginning */
  #offset(sound) {
    return this.owner.doc.entries.find((one) => one.kind === "audio" && one.path === sound)?.time ?? 0;
  }

  // Asking.

  /** @param {string} sound @param {Settings} settings @returns {Promise<API.Composition>} */
  async #composition(sound, settings) {
    for (let tries = 0; ; tries += 1) {
      try {
        const answer = /** @type {API.Composition} */ (await post(`${pathOf(this.name)}/compose`, { sound, settings }));
        const key = JSON.stringify([sound, answer.composed.Digest, Object.entries(settings).sort()]);
        this.seen.delete(key);
        this.seen.set(key, answer);
        // The one that is in the document may be asked for when its sound is another already.
        const kept = this.#known();
        for (const old of this.seen.keys()) if (this.seen.size > MOST_SEEN && old !== kept) this.seen.delete(old);
        return answer;
      } catch (error) {
        if (!(error instanceof Refusal) || error.status !== 503 || tries > 20) throw error;
        await new Promise((done) => { setTimeout(done, 200); });
      }
    }
  }

  #known() {
    const origin = this.owner.doc.composed;
    return origin?.Settings ? JSON.stringify([origin.Sound, origin.Digest, Object.entries(origin.Settings).sort()]) : "";
  }

  /**
   * What a sound and settings give, its parts too, at the times of the pattern.
   *
   * @param {API.Composition} answer
   * @param {string} sound
   * @param {API.Origin["Parts"]} parts
   * @param {number} [offset] when the sound begins
   */
  async #made(answer, sound, parts, offset = this.#offset(sound)) {
    let made = composing.shifted(answer.entries, offset);
    for (const one of parts ?? []) {
      const other = await this.#composition(sound, /** @type {Settings} */ (one.Settings));
      made = composing.exchanged(made, composing.part(made, composing.shifted(other.entries, offset), { from: one.From + offset, to: one.To + offset }));
    }
    return made;
  }

  /** The newest wish is asked for when the one before is answered. */
  async ask() {
    this.isWanted = true;
    if (this.isAsking || !this.isOpen) return;
    this.isAsking = true;
    while (this.isWanted && this.isOpen && !this.isClosed) {
      this.isWanted = false;
      const { sound, settings } = this, origin = this.owner.doc.composed;
      if (!sound) {
        this.preview = undefined;
        this.#tell("No sound yet: choose a file, or drop one on the timeline.");
        continue;
      }
      try {
        const answer = await this.#composition(sound, settings);
        // What has its own settings in the document keeps them as long as those of the whole stay.
        const parts = origin?.Sound === sound && origin.Settings && same(settings, /** @type {Settings} */ (origin.Settings)) ? origin.Parts : undefined;
        const made = await this.#made(answer, sound, parts);
        if (this.isClosed) return;
        this.preview = { sound, settings, answer, made, parts };
        const known = this.owner.timeline.sounds.get(sound);
        if (known && known.heard !== answer.composed.Digest) {
          Object.assign(known, { onsets: answer.onsets, beats: answer.beats?.times ?? [], heard: answer.composed.Digest });
          this.owner.timeline.redraw(1);
        }
        this.#tell(this.#sentence(answer));
      } catch (error) {
        this.preview = undefined;
        this.#tell(error instanceof Error ? error.message : String(error), true);
      }
    }
    this.isAsking = false;
  }

  /** @param {API.Composition} answer */
  #sentence(answer) {
    const count = (/** @type {string} */ kind) => answer.entries.filter((one) => one.kind === kind).length;
    const sound = `${fixed(answer.seconds, 2)} s of sound${answer.loudness === undefined ? "" : ` at ${fixed(answer.loudness, 1)} LUFS`}, ${answer.beats ? `${fixed(answer.beats.bpm, 1)} beats a minute` : "no beat"}`;
    if (answer.entries.length === 0) return `${sound}. Nothing comes of it: ${answer.loudness === undefined ? "it is silence" : "lower the gate or the threshold"}.`;
    return `${counted(count("transient"), "tap")}, ${counted(count("continuous"), "hold")} and ${counted(count("curve"), "curve")} of ${sound}.${answer.faults ? ` ${counted(answer.faults, "sample")} were no number and count as silence.` : ""}`;
  }

  /** @param {string} text @param {boolean} [isBad] */
  #tell(text, isBad = false) {
    if (this.words.textContent !== text) this.words.textContent = text;
    this.words.classList.toggle("alert", isBad);
    this.#ghost();
  }

  // Which entries an earlier composition has put.

  /** @param {string | undefined} digest of the sound now, where it is known @returns {Promise<Earlier>} */
  async #earlier(digest) {
    const { doc } = this.owner, origin = doc.composed;
    if (!origin?.Sound || !origin.Settings) return { of: () => [], state: "none", by: 0 };
    const sound = origin.Sound, offset = this.#offset(sound);
    const key = digest && JSON.stringify([doc.version, digest, offset]);
    if (key && this.found?.key === key) return this.found.earlier;
    const after = (/** @type {API.Entry[]} */ entries) => entries.flatMap((one, index) => composing.isComposable(one) && (one.time ?? 0) >= offset ? [index] : []);
    /** @type {Earlier} */
    let earlier = { of: after, state: "another", by: 0 };
    try {
      const ask = () => this.#composition(sound, /** @type {Settings} */ (origin.Settings));
      let own = origin.Digest ? this.seen.get(this.#known()) : await ask(), now = digest;
      if (!own && (!now || now === origin.Digest)) {
        own = await ask();
        now = own.composed.Digest;
        if (origin.Digest && now !== origin.Digest) own = undefined;
      }
      // Parts of a sound that is gone cannot be made again.
      if (own && (!origin.Parts?.length || !now || now === own.composed.Digest)) {
        // Sound and taps may have been moved apart.
        const begin = composing.beginning(doc.entries, await this.#made(own, sound, origin.Parts, 0), offset);
        const made = await this.#made(own, sound, origin.Parts, begin ?? offset);
        earlier = begin === undefined ? { of: (entries) => this.isFromScratch ? after(entries) : [], state: "lost", by: 0 }
          : { of: (entries) => composing.equal(entries, made), state: "known", by: tidy(offset - begin) };
      }
    } catch { /* A sound that is gone cannot say what it has given. */ }
    if (key) this.found = { key, earlier };
    return earlier;
  }

  /** The sound's digest as the newest preview has it. */
  get #digest() {
    const { preview } = this;
    return preview?.sound === this.owner.doc.composed?.Sound ? preview?.answer.composed.Digest : undefined;
  }

  /** @param {boolean} isAgain whether it was looked at before, and its file may be another now */
  async check(isAgain) {
    const origin = this.owner.doc.composed;
    if (!origin?.Sound || !origin.Settings || !origin.Digest) {
      this.#showLink(false);
      return;
    }
    try {
      const answer = await this.#composition(origin.Sound, /** @type {Settings} */ (origin.Settings));
      if (this.isClosed || this.owner.doc.composed !== origin) return;
      const hasChanged = answer.composed.Digest !== origin.Digest;
      if (isAgain && hasChanged !== this.hasChanged) {
        this.owner.heard(origin.Sound);
        this.ask();
      }
      this.#showLink(hasChanged);
    } catch { /* The panel says so when it is open. */ }
  }

  /** @param {boolean} hasChanged */
  #showLink(hasChanged) {
    const { composed } = this.owner.doc;
    if (hasChanged === this.hasChanged && Boolean(this.bar.firstElementChild) === hasChanged) return;
    this.hasChanged = hasChanged;
    fill(this.bar, hasChanged && h("div", { class: "alert editor-bar", role: "alert" },
      h("span", null, `The sound has changed since this was composed of it: ${composed?.Sound}. Composed anew it is shown, and what changes is listed before anything does.`),
      h("button", { type: "button", "data-key": "compose-anew", onclick: () => this.anew() }, "Compose anew")));
  }

  anew() {
    const origin = this.owner.doc.composed;
    if (!origin) return;
    this.#take(origin);
    this.unticked.clear();
    this.list.open = true;
    this.toggle(true);
  }

  // Doing.

  async apply() {
    const { preview } = this;
    if (!preview) return;
    const { answer, made, parts } = preview, earlier = await this.#earlier(this.#digest), left = this.#left;
    /** @type {API.Origin} */
    const composed = { ...answer.composed, ...parts?.length && { Parts: parts } };
    const done = await this.owner.edit("compose", (entries) => [
      ...composing.operations(entries, composing.without(entries, composing.whole(entries, made, earlier.of(entries)), left)), { metadata: "Composed", value: composed }]);
    if (!done) return;
    this.unticked.clear();
    this.isFromScratch = false;
    toast(`Composed: ${this.#sentence(answer)}${left.length ? ` ${counted(left.length, "change")} left out.` : ""}`);
  }

  /** @returns {Span | undefined} the loop, else what is picked */
  get span() {
    const { timeline, doc } = this.owner, picked = this.owner.picked();
    const span = timeline.loop ?? (picked.size > 0 ? spanOf(doc.entries, picked) : undefined);
    return span && span.to - span.from >= 0.005 ? { from: tidy(span.from, 5), to: tidy(span.to, 5) } : undefined;
  }

  async applyPart() {
    const { preview, span } = this;
    if (!preview) return;
    if (!span) {
      toast("No part is chosen: drag a loop on the ruler, or pick events that span one.", "bad");
      return;
    }
    const { answer, sound, settings } = preview, origin = this.owner.doc.composed, offset = this.#offset(sound);
    const own = { From: tidy(span.from - offset, 5), To: tidy(span.to - offset, 5), Settings: settings };
    const isOf = origin?.Sound === sound && origin.Settings;
    // What lay in a part is that part's now.
    const parts = [...(isOf ? origin.Parts ?? [] : []).filter((one) => one.From < own.From || one.To > own.To), own];
    const all = composing.shifted(answer.entries, offset);
    const done = await this.owner.edit("compose a part", (entries) => [...composing.operations(entries, composing.part(entries, all, span)),
      { metadata: "Composed", value: { ...isOf ? origin : answer.composed, Parts: parts } }]);
    if (done) toast(`Composed from ${fixed(span.from, 3)} to ${fixed(span.to, 3)} s; all else is as it was.`);
  }

  askBeats() {
    const beats = this.preview?.answer.beats;
    if (!beats) {
      toast(this.preview ? "No beat was found in this sound." : "Choose a sound first.", "bad");
      return;
    }
    const { timeline } = this.owner, offset = this.#offset(this.sound), loop = timeline.loop;
    const times = beats.times.map((time) => tidy(time + offset, 4)).filter((time) => !loop || (time >= loop.from && time < loop.to));
    const number = (/** @type {string} */ key, /** @type {number} */ low, /** @type {number} */ high, /** @type {number | "any"} */ step, /** @type {number} */ value) =>
      h("input", { type: "number", min: low, max: high, step, value: String(value), required: true, "data-key": key });
    const every = number("beats-every", 1, 64, 1, 1), first = number("beats-first", 1, 64, 1, 1), intensity = number("beats-intensity", 0, 1, "any", 0.8), sharpness = number("beats-sharpness", 0, 1, "any", 0.5);
    dialog("Taps on beats", (close) => [h("form", { onsubmit: async (/** @type {Event} */ event) => {
      event.preventDefault();
      close();
      const how = { every: Number(every.value), first: Number(first.value), intensity: Number(intensity.value), sharpness: Number(sharpness.value) };
      let count = 0;
      await this.owner.edit("put taps on beats", (entries) => {
        const operations = composing.tapsOnBeats(entries, times, how);
        count = operations.length;
        return operations;
      });
      toast(`${counted(count, "tap")} put; where there is one already none was.`);
    } }, h("p", { class: "note" }, `${counted(times.length, "beat")} at ${fixed(beats.bpm, 1)} a minute${loop ? ", in the loop" : ""}.`),
    field("On every so many beats (1 to 64)", every), field("Beginning with beat (1 to 64)", first), field("Intensity (0 to 1)", intensity), field("Sharpness (0 to 1)", sharpness),
    h("div", { class: "box-foot" }, h("button", { type: "submit", class: "primary" }, "Put")))]);
  }

  // A sound from elsewhere.

  /** @param {File} file @param {number} time of the pattern, where it is to begin */
  async receive(file, time) {
    const folder = this.name.split("/").slice(0, -1), short = file.name.replaceAll(/[\u0000-\u001f\u007f\\/]/g, "-").replace(/^\.+/, "").slice(-120);
    const name = [...folder, short].join("/");
    this.words.textContent = `Sending ${short}.`;
    const send = async (/** @type {boolean} */ replaces) => {
      try {
        await put(`sounds/${encodeURIComponent(name)}${replaces ? "?replace=1" : ""}`, file);
        if (replaces) this.owner.heard(short);
        await this.#use(short, time);
      } catch (error) {
        if (!(error instanceof Refusal) || error.status !== 409 || replaces) {
          toast(error instanceof Error ? error.message : String(error), "bad");
          this.words.textContent = "";
          return;
        }
        dialog("There is such a sound", (close) => [h("p", null, `There is a sound ${short} in the folder of the pattern already.`), h("div", { class: "box-foot" },
          h("button", { type: "button", "data-key": "sound-keep", onclick: () => { close(); this.#use(short, time); } }, "Use the one that is there"),
          h("button", { type: "button", "data-key": "sound-replace", onclick: () => { close(); send(true); } }, "Replace it"))]);
      }
    };
    await send(false);
  }

  /** @param {string} path @param {number} time */
  async #use(path, time) {
    const { doc } = this.owner;
    if (!doc.entries.some((one) => one.kind === "audio" && one.path === path)) {
      // As it is: without fades.
      const done = await this.owner.edit("put a sound", (entries) => place(entries, { kind: "audio", time, path, envelope: false }));
      if (!done) return;
    }
    this.sound = path;
    this.preview = undefined;
    say(`${path} is in the pattern.`);
    if (this.isOpen) {
      this.#showSounds();
      this.ask();
      this.check(true);
    } else this.toggle(true);
  }

  // Showing.

  #show() {
    this.#showSounds();
    this.#showHow();
    this.#showSliders();
    this.#ghost();
  }

  #showSounds() {
    const paths = this.#paths();
    if (!this.sound) this.sound = paths[0] ?? "";
    fill(this.sounds, field("Sound", select(paths.length ? paths.map((one) => [one, one]) : [["", "none yet"]], this.sound, (value) => {
      this.sound = value;
      this.preview = undefined;
      this.ask();
    }, { "data-key": "compose-sound" })));
  }

  #showHow() {
    const { table } = this;
    if (!table) return;
    const preset = table.presets.find((one) => same(/** @type {Settings} */ (one.settings), this.settings))?.name ?? "";
    const about = table.methods.find((one) => one.method === this.settings.method)?.about ?? "";
    fill(this.how,
      field("Method", select(table.methods.map((one) => [one.method, one.method]), this.settings.method, (method) => this.#set({ method }), { "data-key": "compose-method" })),
      field("Preset", select([["", "none"], .../** @type {[string, string][]} */ (table.presets.map((one) => [one.name, one.name]))], preset, (value) => {
        const known = table.presets.find((one) => one.name === value);
        this.#set(known ? /** @type {Settings} */ ({ ...known.settings }) : { method: this.settings.method });
      }, { "data-key": "compose-preset" })),
      h("p", { class: "note" }, `${about.charAt(0).toUpperCase()}${about.slice(1)}.`));
  }

  /** @param {Settings} settings */
  #set(settings) {
    this.settings = settings;
    this.#showHow();
    this.#showSliders();
    this.ask();
  }

  #showSliders() {
    const method = this.table?.methods.find((one) => one.method === this.settings.method);
    fill(this.sliders, (method?.parameters ?? []).map((one) => this.#slider(one)));
  }

  /** @param {API.ComposeParameter} parameter */
  #slider({ name, unit, low, high, standard, about }) {
    const isWide = low > 0 && high / low > WIDE, sign = unitSign(unit), words = `${significant(low)} to ${significant(high)}${sign ? ` ${sign}` : ""}`;
    const title = name.replaceAll(/([A-Z])/g, (letter) => ` ${letter.toLowerCase()}`).replace(/^./, (letter) => letter.toUpperCase());
    const toPlace = (/** @type {number} */ value) => STEPS * (isWide ? Math.log(value / low) / Math.log(high / low) : (value - low) / (high - low));
    const toValue = (/** @type {number} */ at) => Number((isWide ? low * (high / low) ** (at / STEPS) : low + (high - low) * at / STEPS).toPrecision(3));
    const value = () => Number(this.settings[name] ?? standard);
    const range = h("input", { type: "range", min: 0, max: STEPS, step: 1, value: String(Math.round(toPlace(value()))), "data-key": `compose-${name}-slider`, "aria-label": `${title}, ${words}` });
    const number = h("input", { type: "number", class: "short", min: low, max: high, step: "any", value: String(value()), "data-key": `compose-${name}`, "aria-label": `${title} in ${sign || "numbers"}, ${words}` });
    const reset = h("button", { type: "button", class: "small quiet", "data-key": `compose-${name}-reset`, "aria-label": `${title} back to ${significant(standard)}${sign ? ` ${sign}` : ""}`, title: `Back to ${significant(standard)} ${sign}` }, "↺");
    const show = () => {
      range.setAttribute("aria-valuetext", `${significant(value())} ${sign}`);
      reset.disabled = value() === standard;
    };
    const set = (/** @type {number} */ wish) => {
      const next = { ...this.settings };
      if (wish === standard) delete next[name];
      else next[name] = wish;
      this.settings = next;
      show();
      this.#showHow();
      this.ask();
    };
    range.addEventListener("input", () => {
      const wish = Math.min(high, Math.max(low, toValue(Number(range.value))));
      number.value = String(wish);
      number.setCustomValidity("");
      set(wish);
    });
    number.addEventListener("change", () => {
      const wish = Number(number.value);
      const isBad = number.value.trim() === "" || !Number.isFinite(wish) || wish < low || wish > high;
      number.setCustomValidity(isBad ? `${title} is from ${words}.` : "");
      if (isBad) {
        number.reportValidity();
        return;
      }
      range.value = String(Math.round(toPlace(wish)));
      set(wish);
    });
    reset.addEventListener("click", () => {
      range.value = String(Math.round(toPlace(standard)));
      number.value = String(standard);
      number.setCustomValidity("");
      set(standard);
    });
    show();
    return h("div", { class: "compose-slider", role: "group", "aria-label": title }, h("span", { class: "compose-name", title: about }, title, h("span", { class: "note" }, ` ${words}`)),
      range, number, reset, h("span", { class: "note compose-about" }, about));
  }

  /** What would come, on the timeline, in the chart and as a list. */
  async #ghost() {
    const { timeline, doc } = this.owner, preview = this.isOpen ? this.preview : undefined;
    this.applyButton.disabled = this.partButton.disabled = this.beatsButton.disabled = !this.preview;
    if (!preview) {
      if (timeline.preview) timeline.showPreview(undefined);
      this.chart.show(undefined);
      this.told.changes = [];
      this.list.hidden = true;
      fill(this.about);
      return;
    }
    const version = doc.version, earlier = await this.#earlier(this.#digest);
    if (this.preview !== preview || !this.isOpen || doc.version !== version) return;
    const old = earlier.of(doc.entries).map((index) => doc.entries[index]);
    this.told = { changes: doc.composed ? composing.changes(old, preview.made, earlier.by) : [], earlier, isLater: Boolean(doc.composed) };
    this.#showPreview();
    this.#showChart(preview);
    this.#showAbout();
    this.#showTaps();
  }

  /** Changes of taps that are not to be done. */
  get #left() { return this.told.changes.filter((one) => this.unticked.has(keyOf(one))); }

  #showPreview() {
    const { preview } = this;
    if (!preview) return;
    const left = this.#left, away = new Set(left.map((one) => one.now));
    this.owner.timeline.showPreview({
      entries: left.length ? preview.made.filter((one) => !away.has(one)) : preview.made,
      signs: this.told.changes.filter((one) => !left.includes(one)).map((one) => ({ time: one.time, sign: SIGNS[one.what], colour: one.what === "gone" ? "fail" : one.what === "added" ? "pass" : "marginal" })),
    });
  }

  /** @param {NonNullable<ComposePanel["preview"]>} preview */
  #showChart({ sound, settings, answer, made }) {
    const parameters = this.table?.methods.find((one) => one.method === settings.method)?.parameters ?? [];
    const value = (/** @type {string} */ name) => {
      const known = parameters.find((one) => one.name === name);
      return known && Number(settings[name] ?? known.standard);
    };
    const headroom = value("headroom"), gate = value("gate");
    // `pitch` holds its gate against a spectrum.
    const full = answer.loudness === undefined || headroom === undefined || settings.method === "pitch" ? undefined : answer.loudness + headroom;
    this.chart.show({
      answer, offset: this.#offset(sound), taps: made.filter((one) => one.kind === "transient"), wave: this.owner.timeline.sounds.get(sound),
      threshold: value("threshold"), full, gate: full === undefined || gate === undefined ? undefined : full + gate,
    });
  }

  /** What has to be known of an earlier composition before anything is applied. */
  #showAbout() {
    const { earlier: { state, by } } = this.told, key = `${state} ${by}`;
    if (this.about.dataset.key === key && this.about.firstElementChild) return;
    this.about.dataset.key = key;
    const scratch = () => h("label", { class: "field inline" }, h("input", { type: "checkbox", checked: this.isFromScratch, "data-key": "compose-scratch", onchange: (/** @type {Event} */ event) => {
      this.isFromScratch = /** @type {HTMLInputElement} */ (event.target).checked;
      this.#ghost();
    } }), h("span", null, "Compose from scratch: all taps, holds and their curves from the beginning of the sound on go"));
    fill(this.about,
      state === "another" && h("p", { class: "note" }, "The sound is another one than this was composed of, so what was put in by hand cannot be told from what was composed: all taps, holds and their curves from the beginning of the sound on are replaced, but for taps that are unticked below. Only this part leaves the others."),
      state === "lost" && [h("p", { class: "note" }, "Nothing of what was composed of this sound is here as it was put: it was changed or taken out, all of it. What is here stays, and Apply puts the composition beside it, unless it is composed from scratch."), scratch()],
      state === "known" && by !== 0 && h("p", { class: "note" }, `The sound begins ${fixed(Math.abs(by), 3)} s ${by > 0 ? "after" : "before"} what was composed of it: they were moved apart. Apply brings the composition to where the sound is.`));
  }

  #showTaps() {
    const { changes, isLater } = this.told, left = this.#left;
    this.list.hidden = !isLater || (changes.length === 0 && !this.preview);
    const counts = /** @type {("added" | "moved" | "changed" | "gone")[]} */ (["added", "moved", "changed", "gone"]).flatMap((what) => {
      const count = changes.filter((one) => one.what === what && !left.includes(one)).length;
      return count ? [`${counted(count, "tap")} ${WORDS[what]}`] : [];
    });
    const text = changes.length === 0 ? "The taps are those that are there"
      : `What Apply changes: ${[...counts.length ? counts : ["no tap"], ...left.length ? [`${counted(left.length, "change")} left out`] : []].join(", ")}`;
    if (this.count.textContent !== text) this.count.textContent = text;
    if (!this.list.open || this.list.hidden) return;
    const shown = changes.slice(0, this.rows), key = JSON.stringify([shown.map(keyOf), shown.map((one) => [one.what, one.time]), changes.length]);
    if (this.taps.dataset.key === key) return;
    this.taps.dataset.key = key;
    const all = (/** @type {string} */ text_, /** @type {string} */ name, /** @type {boolean} */ on) => h("button", { type: "button", class: "small", "data-key": name, onclick: () => {
      for (const one of this.told.changes) this.#tick(one, on);
      this.taps.querySelectorAll("input").forEach((box) => { box.checked = on; });
      this.#ticked();
    } }, text_);
    fill(this.taps, changes.length > 0 && [h("div", { class: "tools left-tools" }, h("span", { class: "note" }, "A tap whose row is unticked stays as it is."), all("Tick all", "change-all", true), all("Untick all", "change-none", false)),
      h("ul", { class: "compose-list" }, shown.map((one) => {
        const words = one.before === undefined ? WORDS[one.what] : `moved from ${fixed(one.before, 3)} s`, at = `${SIGNS[one.what]} ${fixed(one.time, 3)} s`, name = keyOf(one).replaceAll(" ", "-");
        return h("li", null, h("input", { type: "checkbox", checked: !this.unticked.has(keyOf(one)), "data-key": `tick-${name}`, "aria-label": `${fixed(one.time, 3)} s ${words}`, onchange: (/** @type {Event} */ event) => {
          this.#tick(one, /** @type {HTMLInputElement} */ (event.target).checked);
          this.#ticked();
        } }), h("button", { type: "button", class: "small", "data-key": `change-${name}`, onclick: () => this.owner.timeline.reveal(one.time) }, at), h("span", null, ` ${words}`));
      }))],
    changes.length > this.rows && h("button", { type: "button", class: "small", "data-key": "change-more", onclick: () => {
      this.rows += MOST_ROWS;
      this.#showTaps();
    } }, `More: ${this.rows} of ${changes.length} are listed`));
  }

  /** @param {composing.Change} change @param {boolean} on */
  #tick(change, on) {
    if (on) this.unticked.delete(keyOf(change));
    else this.unticked.add(keyOf(change));
  }

  #ticked() {
    this.#showPreview();
    this.#showTaps();
  }
}
