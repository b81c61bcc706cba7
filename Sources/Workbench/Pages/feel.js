// Playing and measuring what is edited: on a rig by a stage that this page's beats hold, or as sound in the browser.
import { get, getWaves, part, post, query, Refusal } from "./api.js";
import { badge, field, fill, h, say, select, shout, toast, wantsStill } from "./dom.js";
import { pathOf } from "./document.js";
import { ago, fixed, moment } from "./format.js";
import { link } from "./socket.js";
import { lastWords, watchBench } from "./store.js";
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
const STORED = "haprig.rig";

export class Feel {
  /** @param {string} name @param {Owner} owner */
  constructor(name, owner) {
    this.name = name;
    this.owner = owner;
    this.rig = localStorage.getItem(STORED) ?? "";
    this.isLooping = false;
    this.isPlaying = false;
    this.octaves = 2;
    this.of = "drive";
    /** @type {string | undefined} */
    this.stage = undefined;
    this.leave = () => {};
    /** @type {number | undefined} the number of the play, where the rig counts them */
    this.playing = undefined;
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
    this.measureButton = h("button", { type: "button", "data-key": "measure", onclick: () => this.measure() }, "Measure");
    this.rigs = select([["", "none: as sound"]], "", (value) => this.#choose(value), { "data-key": "rig" });
    this.how = h("span", { class: "feel-sound" });
    this.words = h("span", { class: "note feel-words", role: "status" });
    this.holding = h("button", { type: "button", class: "stop small", hidden: true, onclick: () => this.release("Let go of the rig.") }, "Let go");
    this.element = h("div", { class: "feel", role: "group", "aria-label": "Play and measure" }, this.play, this.loop,
      field("On", this.rigs, "inline"), this.how, this.measureButton, this.holding, this.words, this.sound);
    this.list = h("section", { class: "card", "aria-label": "Measurements" });
    this.closes = [watchBench((bench) => this.#rigs(bench))];
    const onLink = () => { if (link.state === "lost" && this.stage) this.#ended("The link broke: the drive has stopped itself."); };
    link.listeners.add(onLink);
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
    this.closes.push(() => link.listeners.delete(onLink), () => document.removeEventListener("visibilitychange", onHidden), () => removeEventListener("keydown", onEscape, true));
    this.isClosed = false;
    this.#showHow();
    this.#showList();
    this.refresh();
  }

  close() {
    this.isClosed = true;
    this.release();
    this.closes.forEach((close) => close());
  }

  get query() {
    const [rig, actuator] = this.rig.split("|");
    return { rig, actuator };
  }

  // Which rig.

  /** @param {API.Bench} bench */
  #rigs(bench) {
    const all = bench.rigs.flatMap((rig) => rig.actuators.map((one) => [`${rig.name}|${one.id}`, rig.actuators.length > 1 ? `${rig.name}, ${one.id}` : rig.name]));
    this.modelled = new Set(bench.rigs.flatMap((rig) => rig.actuators.filter((one) => one.profile).map((one) => `${rig.name}|${one.id}`)));
    if (this.rig && !all.some(([value]) => value === this.rig)) this.#choose("");
    const now = JSON.stringify(all);
    if (this.rigs.dataset.all === now) return;
    this.rigs.dataset.all = now;
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

  #showHow() {
    this.measureButton.disabled = !this.rig;
    this.measureButton.title = this.rig ? "Plays, records and scores it (m)" : "Choose a rig first";
    fill(this.how, this.rig ? [] : [
      field("Hear", select([["drive", "the drive"]], this.of, (value) => { this.of = value; }, { "data-key": "hear" }), "inline"),
      field("Up", select([["0", "as it is"], ["1", "1 octave"], ["2", "2 octaves"], ["3", "3 octaves"]], String(this.octaves), (value) => { this.octaves = Number(value); }, { "data-key": "octaves" }), "inline"),
    ], this.hasModel && h("button", { type: "button", "data-key": "hear-model", title: "The modelled response, as sound in this browser", onclick: () => this.begin(undefined, "model") }, "Hear model"));
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
    try {
      if (this.rig && !heard) await this.#onRig();
      else await this.#asSound(heard ?? this.of);
    } catch (error) {
      this.stop();
      toast(error instanceof Error ? error.message : String(error), "bad");
    }
  }

  async #onRig() {
    if (!this.stage) {
      this.words.textContent = "Opening the rig.";
      const { stage } = await post("stages", this.query);
      if (this.isClosed) return;
      this.stage = stage;
      link.hold(stage);
      const topic = `stage/${stage}`;
      // After a break the hold is told again; the stage has ended by then, which is told too.
      this.leave = link.watch(topic, { watch: () => ({ hold: stage }), told: (message) => this.#told(/** @type {any} */ (message)) });
      this.holding.hidden = false;
    }
    clearTimeout(this.idle);
    link.send({ stage: this.stage, do: "play", pattern: this.name, from: this.span.from, to: this.span.to, loop: this.isLooping });
    this.#running(true);
  }

  /** @param {API.StageMessage} message */
  #told(message) {
    if (message.state === "ended") {
      this.#ended(message.said ?? "The rig was let go.");
      return;
    }
    if (message.fault) {
      toast(message.fault, "bad");
      if (message.of?.do === "play") this.#running(false);
      return;
    }
    const what = message.did?.do;
    if (message.head !== undefined) this.since = performance.now() - 1000 * (message.head - this.span.from);
    else if (what === "play" && message.delay !== undefined) this.since = performance.now();
    if (what === "play") {
      this.playing = message.did?.id;
      if (message.delay !== undefined) this.words.textContent = `First drive ${Math.round(message.delay * 1000)} ms after it was asked.`;
    } else if (what === "stop" || (message.ended !== undefined && (message.ended === null || this.playing === undefined || message.ended === this.playing))) this.#running(false);
  }

  /** @param {string} said */
  #ended(said) {
    this.leave();
    this.leave = () => {};
    if (link.held === this.stage) link.hold(undefined);
    this.stage = undefined;
    this.holding.hidden = true;
    this.#running(false);
    this.words.textContent = said;
    shout(said);
  }

  /**
   * Lets go of the rig: without beats its drive is at zero within half a second.
   *
   * @param {string} [why]
   */
  release(why) {
    clearTimeout(this.idle);
    if (this.isPlaying) this.stop();
    if (!this.stage) return;
    link.send({ stage: this.stage, do: "stop" });
    this.#ended(why ?? "");
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
    if (this.stage) link.send({ stage: this.stage, do: "stop" });
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
      if (this.stage) this.idle = window.setTimeout(() => this.release("Let go of the rig: nothing was played for a minute."), IDLE);
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
      this.timer = requestAnimationFrame(tick);
    };
    this.timer = requestAnimationFrame(tick);
  }

  /** The document has changed: a rig that loops gets it from the server, a sound that loops is asked for anew. */
  changed() {
    if (!this.isPlaying || this.sound.paused || !this.isLooping) return;
    const at = this.sound.currentTime;
    this.begin().then(() => { this.sound.currentTime = at; });
  }

  // Measuring.

  async measure() {
    if (!this.rig) return;
    const wasHeld = Boolean(this.stage);
    this.release();
    await this.owner.settled();
    const job = await this.#order(wasHeld ? 10 : 0);
    if (!job) return;
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

  /** @param {number} tries more: a rig that was just let go is free a moment later @returns {Promise<API.Job | undefined>} */
  async #order(tries) {
    try {
      const answer = await post("jobs", { kind: "measure", ...this.query, pattern: this.name });
      document.dispatchEvent(new Event("jobs"));
      return answer.job ?? answer;
    } catch (error) {
      if (!(error instanceof Refusal) || error.status !== 409 || tries === 0 || this.isClosed) {
        toast(error instanceof Error ? error.message : String(error), "bad");
        return undefined;
      }
    }
    await new Promise((done) => setTimeout(done, 200));
    return this.#order(tries - 1);
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
