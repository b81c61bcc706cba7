// SPDX-License-Identifier: Apache-2.0
// Playing and measuring what is edited: on rigs by stages that this page's beats hold, or as sound and vibration in the browser.
import { get, getWaves, part, post, query } from "./api.js";
import { badge, field, fill, h, say, select, shout, toast, wantsStill } from "./dom.js";
import { pathOf } from "./document.js";
import { ago, counted, fixed, moment } from "./format.js";
import { Stage } from "./stage.js";
import { lastWords, watchBench } from "./store.js";
import { Vibration } from "./vibration.js";
import { restOf } from "./waves.js";
import { spanOf as extentOf } from "./scope.js";

/** @typedef {import("./timeline.js").Span} Span */
/** @typedef {import("./timeline.js").Trace} Trace */
/** @typedef {{ run: string, traces: Trace[], unit: string, verdicts: Map<number, string> }} Measured */
/**
 * @typedef {object} Owner
 * @property {() => number} head
 * @property {() => Span | undefined} loop
 * @property {() => number} seconds
 * @property {() => Promise<unknown>} settled what was edited is sent
 * @property {(time: number) => void} moved the play head
 * @property {() => void} rigged another rig was chosen
 * @property {(measured: Measured[]) => void} measured
 */

/** So long a stage is kept when nothing plays: then others may have the rig. */
const IDLE = 60_000;
const STORED = "haprig.rig", STORED_ALSO = "haprig.rigs";

export class Feel {
  /** @param {string} name @param {Owner} owner */
  constructor(name, owner) {
    this.name = name;
    this.owner = owner;
    this.rig = localStorage.getItem(STORED) ?? "";
    /** @type {Set<string>} more rigs that play along */
    this.also = new Set(JSON.parse(localStorage.getItem(STORED_ALSO) ?? "[]"));
    /** @type {[string, string][]} every rig with its words */
    this.all = [];
    this.isLooping = false;
    this.isPlaying = false;
    this.octaves = 2;
    this.of = "drive";
    /** @type {Map<string, Stage>} by rig */
    this.stages = new Map();
    this.vibration = new Vibration(name);
    /** @type {number | undefined} the number of the play, where the rig counts them */
    this.playing = undefined;
    /** @type {Map<string, number>} by rig: ms from the wish to the first drive */
    this.delays = new Map();
    /** @type {Set<string>} the choices whose actuator has a model */
    this.modelled = new Set();
    /** @type {Span} */
    this.span = { from: 0, to: 0 };
    this.since = 0;
    this.clicked = 0;
    this.timer = 0;
    this.idle = 0;
    /** @type {API.Measurement[]} */
    this.measurements = [];
    /** @type {Map<string, Measured>} */
    this.loaded = new Map();
    /** @type {string[]} */
    this.shown = [];
    this.sound = h("audio", { preload: "none" });
    this.play = h("button", { type: "button", class: "primary", "data-key": "play", onclick: () => this.toggle() }, "Play");
    this.loop = h("button", { type: "button", "aria-pressed": "false", "data-key": "loop", onclick: () => this.setLooping(!this.isLooping) }, "Loop");
    this.measureButton = h("button", { type: "button", class: "acts", "data-key": "measure", onclick: () => this.measure() }, "Measure");
    this.rigs = select([["", "none: as sound"]], "", (value) => this.#choose(value), { "data-key": "rig" });
    this.others = h("details", { class: "feel-others", hidden: true });
    this.how = h("span", { class: "feel-sound" });
    this.words = h("span", { class: "note feel-words", role: "status" });
    this.holding = h("button", { type: "button", class: "stop small", hidden: true, onclick: () => this.release("Let go of the rig.") }, "Let go");
    this.element = h("div", { class: "feel", role: "group", "aria-label": "Play and measure" }, this.play, this.loop,
      field("On", this.rigs, "inline"), this.others, this.how, this.measureButton, this.holding, this.words, this.sound);
    this.list = h("section", { class: "card", "aria-label": "Measurements" });
    this.closes = [watchBench((bench) => this.#rigs(bench))];
    const onHidden = () => { if (document.hidden) this.release("Stopped: a page that is hidden drives nothing."); };
    document.addEventListener("visibilitychange", onHidden);
    const onEscape = (/** @type {KeyboardEvent} */ event) => {
      if (event.key !== "Escape" || !this.isPlaying) return;
      event.preventDefault();
      event.stopImmediatePropagation();
      this.stop();
      shout("Stopped.");
    };
    addEventListener("keydown", onEscape, true);
    this.closes.push(() => document.removeEventListener("visibilitychange", onHidden), () => removeEventListener("keydown", onEscape, true));
    this.isClosed = false;
    this.#showHow();
    this.#showList();
    this.refresh();
  }

  close() {
    this.isClosed = true;
    this.release();
    this.vibration.close();
    this.closes.forEach((close) => close());
  }

  get query() {
    const [rig, actuator] = this.rig.split("|");
    return { rig, actuator };
  }

  // Which rig.

  /** @param {API.Bench} bench */
  #rigs(bench) {
    const all = bench.rigs.flatMap((rig) => rig.actuators.map((one) => /** @type {[string, string]} */ ([`${rig.name}|${one.id}`, rig.actuators.length > 1 ? `${rig.name}, ${one.id}` : rig.name])));
    this.modelled = new Set(bench.rigs.flatMap((rig) => rig.actuators.filter((one) => one.profile).map((one) => `${rig.name}|${one.id}`)));
    if (this.rig && !all.some(([value]) => value === this.rig)) this.#choose("");
    const now = JSON.stringify(all);
    if (this.rigs.dataset.all === now) return;
    this.rigs.dataset.all = now;
    this.all = all;
    fill(this.rigs, h("option", { value: "" }, "none: as sound"), all.map(([value, text]) => h("option", { value }, text)));
    this.rigs.value = this.rig;
    this.#showHow();
    this.owner.rigged();
  }

  /** Whether the chosen actuator has a model that can be asked. */
  get hasModel() { return this.modelled.has(this.rig); }

  /** @param {string} value */
  #choose(value) {
    this.release();
    this.rig = value;
    localStorage.setItem(STORED, value);
    this.rigs.value = value;
    this.#showHow();
    this.owner.rigged();
  }

  /** The rigs that play: the one that is measured first. */
  get chosen() {
    return this.rig ? [this.rig, ...[...this.also].filter((one) => one !== this.rig && this.all.some(([value]) => value === one))] : [];
  }

  /** @param {string} value */
  #words(value) { return this.all.find(([one]) => one === value)?.[1] ?? value.split("|")[0]; }

  #showOthers() {
    const others = this.rig ? this.all.filter(([value]) => value !== this.rig) : [], count = this.chosen.length - 1;
    this.others.hidden = others.length === 0;
    fill(this.others, h("summary", null, count > 0 ? `and ${counted(count, "more rig")}` : "and on"), others.map(([value, text]) => h("label", { class: "field inline" }, h("input", {
      type: "checkbox", checked: this.also.has(value), "data-key": `also-${value.split("|")[0]}`, onchange: (/** @type {Event} */ event) => {
        this.release();
        if (/** @type {HTMLInputElement} */ (event.target).checked) this.also.add(value);
        else this.also.delete(value);
        localStorage.setItem(STORED_ALSO, JSON.stringify([...this.also]));
        this.#showOthers();
      },
    }), h("span", null, text))));
  }

  #showHow() {
    this.#showOthers();
    this.measureButton.disabled = !this.rig;
    this.measureButton.title = this.rig ? "Plays, records and scores it (m)" : "Choose a rig first";
    fill(this.how, this.rig ? [] : [
      field("Hear", select([["drive", "the drive"]], this.of, (value) => { this.of = value; }, { "data-key": "hear" }), "inline"),
      field("Up", select([["0", "as it is"], ["1", "1 octave"], ["2", "2 octaves"], ["3", "3 octaves"]], String(this.octaves), (value) => { this.octaves = Number(value); }, { "data-key": "octaves" }), "inline"),
    ], this.vibration.element, this.hasModel && h("button", { type: "button", "data-key": "hear-model", title: "The modelled response, as sound in this browser", onclick: () => this.begin(undefined, "model") }, "Hear model"));
  }

  // Playing.

  toggle() {
    if (this.isPlaying) this.stop();
    else this.begin();
  }

  /** @param {boolean} loops */
  setLooping(loops) {
    this.isLooping = loops;
    this.loop.setAttribute("aria-pressed", String(loops));
    if (this.isPlaying) this.begin();
  }

  /**
   * Plays from the head to the end, the loop, or a part.
   *
   * @param {Span} [span]
   * @param {"drive" | "model"} [heard] as sound, whatever rig is chosen
   */
  async begin(span, heard) {
    this.clicked = performance.now();
    const end = Math.max(this.owner.seconds(), 0.05), loop = this.isLooping ? this.owner.loop() ?? { from: 0, to: end } : undefined;
    const head = this.owner.head();
    this.span = span ?? loop ?? { from: head < end - 0.005 ? head : 0, to: end };
    await this.owner.settled();
    this.vibration.begin(end);
    try {
      if (this.rig && !heard) await this.#onRigs();
      else await this.#asSound(heard ?? this.of);
    } catch (error) {
      this.stop();
      toast(error instanceof Error ? error.message : String(error), "bad");
    }
  }

  async #onRigs() {
    const chosen = this.chosen;
    await Promise.all(chosen.filter((one) => !this.stages.has(one)).map((one) => this.#open(one)));
    // Several begin together; one that is alone plays as soon as it is open.
    if (chosen.length > 1) await Promise.all([...this.stages.values()].map((stage) => stage.settled()));
    if (this.isClosed) return;
    clearTimeout(this.idle);
    this.delays.clear();
    for (const one of chosen) this.stages.get(one)?.play(this.name, this.span, this.isLooping);
    this.#running(this.stages.size > 0);
  }

  /** @param {string} rig with its actuator */
  async #open(rig) {
    const [name, actuator] = rig.split("|");
    const stage = new Stage(() => {
      if (stage.state === "off") this.#ended(rig, stage.words);
    }, (message) => this.#told(rig, message));
    this.stages.set(rig, stage);
    this.words.textContent = "Opening the rig.";
    this.holding.hidden = false;
    await stage.start(name, actuator);
  }

  /** @param {string} rig @param {API.StageMessage} message */
  #told(rig, message) {
    // The first rig says where the pattern is.
    const isFirst = rig === this.chosen[0], what = message.did?.do;
    if (what === "play" && message.delay !== undefined) {
      this.delays.set(rig, Math.round(message.delay * 1000));
      const each = [...this.delays].map(([one, ms]) => this.chosen.length > 1 ? `${this.#words(one)} ${ms} ms` : `${ms} ms`);
      this.words.textContent = `First drive ${each.join(", ")} after it was asked.`;
    }
    if (!isFirst) return;
    if (message.fault) {
      if (message.of?.do === "play") this.#running(false);
    } else if (message.head !== undefined) this.since = performance.now() - 1000 * (message.head - this.span.from);
    else if (what === "play") {
      this.playing = message.did?.id;
      if (message.delay !== undefined) this.since = performance.now();
    } else if (what === "stop" || (message.ended !== undefined && (message.ended === null || this.playing === undefined || message.ended === this.playing))) this.#running(false);
  }

  /** @param {string} rig @param {string} said */
  #ended(rig, said) {
    const stage = this.stages.get(rig);
    if (!stage) return;
    this.stages.delete(rig);
    stage.close();
    if (said) {
      this.words.textContent = this.chosen.length > 1 ? `${this.#words(rig)}: ${said}` : said;
      shout(this.words.textContent);
    }
    if (this.stages.size > 0) return;
    this.holding.hidden = true;
    this.#running(false);
  }

  /**
   * Lets go of the rigs: each drive is at zero at once.
   *
   * @param {string} [why]
   */
  release(why) {
    clearTimeout(this.idle);
    if (this.isPlaying) this.stop();
    for (const stage of [...this.stages.values()]) stage.end();
    if (why) {
      this.words.textContent = why;
      shout(why);
    }
  }

  /** @param {string} of */
  async #asSound(of) {
    // A sound of a rig's own actuator where one is chosen.
    this.sound.src = `/api/v1/${pathOf(this.name)}/sound${query({ of, octaves: this.octaves, ...this.query })}`;
    this.sound.currentTime = 0;
    await this.sound.play();
    this.sound.currentTime = this.span.from;
    this.words.textContent = `${of === "model" ? "The modelled response" : "The drive"} as sound${this.octaves ? `, ${this.octaves} ${this.octaves > 1 ? "octaves" : "octave"} up` : ""}.`;
    this.#running(true);
  }

  stop() {
    for (const stage of this.stages.values()) stage.stop();
    this.#running(false);
  }

  /** @param {boolean} runs */
  #running(runs) {
    cancelAnimationFrame(this.timer);
    this.isPlaying = runs;
    this.play.textContent = runs ? "Stop" : "Play";
    this.play.classList.toggle("stop", runs);
    this.play.classList.toggle("primary", !runs);
    if (!runs) {
      this.sound.pause();
      clearTimeout(this.idle);
      this.vibration.rest();
      if (this.stages.size > 0) this.idle = window.setTimeout(() => this.release("Let go of the rig: nothing was played for a minute."), IDLE);
      return;
    }
    this.since = performance.now();
    const isSound = !this.sound.paused, length = Math.max(0.02, this.span.to - this.span.from);
    let told = -Infinity;
    const tick = () => {
      if (!this.isPlaying) return;
      let at = isSound ? this.sound.currentTime : this.span.from + (performance.now() - this.since) / 1000;
      if (at >= this.span.to || (isSound && this.sound.ended)) {
        if (!this.isLooping) {
          this.owner.moved(this.span.from);
          // A rig says itself when it has come to the end.
          if (isSound) this.#running(false);
          else if (at < this.span.to + 1) this.timer = requestAnimationFrame(tick);
          else this.#running(false);
          return;
        }
        if (isSound) {
          this.sound.currentTime = at = this.span.from;
          if (this.sound.paused || this.sound.ended) this.sound.play().catch(() => {});
        } else at = this.span.from + (at - this.span.from) % length;
      }
      // Who wants little motion sees the head four times a second.
      if (!wantsStill() || performance.now() - told > 250) {
        told = performance.now();
        this.owner.moved(at);
      }
      this.vibration.at(at, this.span.to);
      this.timer = requestAnimationFrame(tick);
    };
    this.timer = requestAnimationFrame(tick);
  }

  /** The document has changed: a rig that loops gets it from the server, a sound that loops is asked for anew. */
  changed() {
    this.vibration.changed();
    if (!this.isPlaying || this.sound.paused || !this.isLooping) return;
    const at = this.sound.currentTime;
    this.begin().then(() => { this.sound.currentTime = at; });
  }

  // Measuring.

  async measure() {
    if (!this.rig) return;
    this.release();
    await this.owner.settled();
    /** @type {API.Job} */
    let job;
    try {
      const answer = await post("jobs", { kind: "measure", ...this.query, pattern: this.name });
      job = answer.job ?? answer;
    } catch (error) {
      toast(error instanceof Error ? error.message : String(error), "bad");
      return;
    }
    document.dispatchEvent(new Event("jobs"));
    this.words.textContent = "Measuring.";
    say("Measuring.");
    this.measureButton.disabled = true;
    let now = job;
    while (now.state === "running" && !this.isClosed) {
      await new Promise((done) => setTimeout(done, 150));
      now = await get(`jobs/${encodeURIComponent(job.id)}`).catch(() => now);
    }
    if (this.isClosed) return;
    this.measureButton.disabled = false;
    if (now.state !== "done" && !now.run) {
      this.words.textContent = "";
      toast(lastWords(now) || "The measurement failed.", "bad");
      return;
    }
    this.words.textContent = "Measured.";
    await this.refresh(now.run ?? undefined);
  }

  /** @param {string} [run] that is to be shown */
  async refresh(run) {
    try {
      this.measurements = /** @type {{ measurements: API.Measurement[] }} */ (await get(`${pathOf(this.name)}/measurements`)).measurements;
    } catch { /* It stays as it was. */ }
    if (this.isClosed) return;
    const newest = run ?? (this.shown.length === 0 ? this.measurements[0]?.run : undefined);
    if (newest) await this.#toggle(newest, true);
    this.#showList();
  }

  /** @param {string} run @param {boolean} isShown */
  async #toggle(run, isShown) {
    this.shown = this.shown.filter((one) => one !== run);
    if (isShown) {
      this.shown = [run, ...this.shown].slice(0, 2);
      if (!this.loaded.has(run)) {
        try {
          this.loaded.set(run, await this.#load(run));
        } catch (error) {
          toast(error instanceof Error ? error.message : String(error), "bad");
        }
      }
    }
    if (this.isClosed) return;
    this.#showList();
    this.owner.measured(this.shown.flatMap((one) => this.loaded.get(one) ?? []).map((one, k) => ({
      ...one, traces: one.traces.map((trace) => ({ ...trace, colour: k === 0 ? "response" : "sound", isOne: this.shown.length < 2 })),
    })));
  }

  /** @param {string} run @returns {Promise<Measured>} */
  async #load(run) {
    const [record, { takes }] = await Promise.all([/** @type {Promise<API.RunRecord>} */ (get(`runs/${part(run)}`)),
      /** @type {Promise<{ takes: API.Take[] }>} */ (get(`runs/${part(run)}/takes`))]);
    const take = takes[0], channel = take?.channels.findIndex((one) => one.kind === "response") ?? -1;
    /** @type {Map<number, string>} */
    const verdicts = new Map();
    const order = ["pass", "not measured", "marginal", "fail"], pattern = take?.pattern ?? record.patterns?.[0]?.name;
    for (const one of record.readings) {
      if (one.event === undefined || !one.verdict || (pattern && one.pattern !== pattern)) continue;
      if (order.indexOf(one.verdict) > order.indexOf(verdicts.get(one.event) ?? "")) verdicts.set(one.event, one.verdict);
    }
    if (channel < 0) return { run, traces: [], unit: "", verdicts };
    const frame = record.patterns?.find((one) => one.name === take.pattern)?.takes.find((one) => one.repeat === take.take)?.patternFrame;
    // Where the pattern begins in the take, by the delay that the card itself has.
    const begins = (take.patternStart ?? (frame ?? 0) / take.rate) + (record.readings.find((one) => one.name === "latency.electrical")?.value ?? 0);
    const waves = await getWaves(`runs/${part(run)}/waves${query({ pattern: take.pattern, take: take.take, columns: 4096, channels: channel })}`);
    /** @type {[number, number, number]} */
    const extent = [0, 0, 0];
    extentOf(waves.data[0], extent);
    return { run, unit: take.channels[channel].unit, verdicts, traces: [{
      pairs: waves.data[0], from: waves.header.from / waves.header.rate - begins, step: waves.header.framesPerBin / waves.header.rate,
      colour: "response", rest: restOf(...extent),
    }] };
  }

  #showList() {
    const all = this.measurements, newest = all[0]?.run, before = all[1]?.run;
    const pair = this.shown.length === 2 ? [...this.shown].sort((a, b) => all.findIndex((one) => one.run === b) - all.findIndex((one) => one.run === a)) : before && newest ? [before, newest] : [];
    fill(this.list, h("div", { class: "card-head" }, h("h2", null, "Measurements"),
      pair.length === 2 && h("a", { class: "button", "data-key": "changed", href: `#/compare${query({ run: pair })}` }, this.shown.length === 2 ? "Compare these two" : "What did this edit change")),
    all.length === 0 ? h("p", { class: "note" }, "None yet. Measure plays, records and scores the pattern on the chosen rig; each measurement keeps the text that it was made with.")
      : h("ul", { class: "measured" }, all.slice(0, 30).map((one) => h("li", null, h("label", { class: "field inline" },
        h("input", {
          type: "checkbox", checked: this.shown.includes(one.run), "data-key": `show-${one.run}`, "aria-label": `Show ${one.run} on the timeline`,
          onchange: (/** @type {Event} */ event) => this.#toggle(one.run, /** @type {HTMLInputElement} */ (event.target).checked),
        }), this.shown.includes(one.run) && swatch(this.shown.indexOf(one.run))),
      badge(one.outcome), h("a", { href: `#/runs/${part(one.run)}` }, moment(one.started)), h("span", { class: "note" }, ago(one.started), one.textIs === "now" ? ", of this text" : ", of another text"),
      this.loaded.has(one.run) && h("span", { class: "note" }, verdictsOf(this.loaded.get(one.run)?.verdicts))))));
  }
}

/** @param {number} place */
function swatch(place) {
  const line = h("span", { class: "swatch", "aria-hidden": "true" });
  line.style.color = `var(--${place === 0 ? "response" : "sound"})`;
  return line;
}

/** @param {Map<number, string> | undefined} verdicts */
function verdictsOf(verdicts) {
  if (!verdicts?.size) return "";
  const counts = new Map();
  for (const word of verdicts.values()) counts.set(word, (counts.get(word) ?? 0) + 1);
  return `events: ${[...counts].map(([word, count]) => `${fixed(count, 0)} ${word}`).join(", ")}`;
}
