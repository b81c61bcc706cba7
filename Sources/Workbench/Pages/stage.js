// SPDX-License-Identifier: Apache-2.0
// A stage: a rig that stays open while this page plays on it, and is silent as soon as the page's beats are missing.
import { post } from "./api.js";
import { toast } from "./dom.js";
import { duration } from "./format.js";
import { link } from "./socket.js";
import { heldDrive } from "./store.js";

/** The server takes 100 messages a second; beats and what must not wait have their place beside these. */
const MOST_TOUCHES = 60;
/** Of all that is sent, so that a lift is never one too many. */
const MOST_MESSAGES = 80;
const DELAYS = 50;

/** @typedef {import("./timeline.js").Span} Span */

/** @param {number} value */
const short = (value) => Math.round(value * 10000) / 10000;

export class Stage {
  /** @type {"off" | "starting" | "open"} */
  state = "off";
  /** Why it is off, where it was not asked for. */
  words = "";
  rig = "";
  /** @type {number[]} seconds from a message's arrival to the first sample driven, the newest last */
  delays = [];
  #id = "";
  #turn = 0;
  /**
   * Touches that are to be told with the next picture.
   *
   * @type {Map<number, Record<string, unknown>>}
   */
  #waiting = new Map();
  /** @type {Set<number>} */
  #down = new Set();
  #frame = 0;
  #flushed = 0;
  #faultAt = -Infinity;
  /**
   * When the messages of the last second went out.
   *
   * @type {number[]}
   */
  #sent = [];
  /** @type {Promise<void>} */
  #settled = Promise.resolve();
  #settle = () => {};
  #changed;
  #heard;

  /**
   * @param {() => void} changed told when state or delays are others
   * @param {(message: API.StageMessage) => void} [heard] told what the rig says
   */
  constructor(changed, heard = () => {}) {
    this.#changed = changed;
    this.#heard = heard;
    link.listeners.add(this.#linkChanged);
  }

  #linkChanged = () => {
    if (link.state === "lost" && this.state !== "off") this.#gone("The link broke: the drive has stopped itself.");
  };

  /** @param {string} rig @param {string} [actuator] @param {Record<string, unknown>} [follow] the sound that it is to follow */
  async start(rig, actuator, follow) {
    if (this.state !== "off") return;
    if (heldDrive()) {
      this.#gone(`This page already drives ${heldDrive()?.rig}: stop that first.`);
      return;
    }
    const turn = this.#turn += 1;
    this.state = "starting";
    this.#settled = new Promise((done) => { this.#settle = done; });
    this.rig = rig;
    this.words = "";
    this.delays = [];
    this.#changed();
    try {
      const { stage } = await post("stages", { rig, ...actuator && { actuator }, ...follow && { follow } });
      // Whoever has left or stopped meanwhile wants none: without beats it ends by itself.
      if (turn !== this.#turn) return;
      this.#id = stage;
      // It is told to whoever holds it, and not watched by name.
      link.topics.set(`stage/${stage}`, new Set([{ watch: () => ({ hold: [...link.held] }), told: (message) => this.#told(message) }]));
      link.hold(stage);
      // A server that says nothing has opened it all the same when it took the request.
      setTimeout(() => { if (turn === this.#turn && this.state === "starting") this.#open(); }, 2000);
    } catch (error) {
      if (turn === this.#turn) this.#gone(error instanceof Error ? error.message : String(error));
    }
  }

  #open() {
    if (this.state !== "starting") return;
    this.state = "open";
    this.#settle();
    this.#changed();
  }

  /** Waits until it is open, or is known not to be. */
  settled() { return this.state === "starting" ? this.#settled : Promise.resolve(); }

  /** @param {any} message */
  #told(message) {
    if (message.state === "open") this.#open();
    else if (message.state === "ended" || message.state === "dead") {
      this.#gone(message.said || (typeof message.seconds === "number" ? `The sound is over, after ${duration(message.seconds)}.` : "The stage has ended."));
      return;
    }
    // Of many a second one is enough to know.
    this.#heard(message);
    if (message.fault && performance.now() - this.#faultAt > 3000) {
      this.#faultAt = performance.now();
      toast(`${this.rig}: ${message.fault}`, "bad");
    }
    if (typeof message.delay === "number") {
      this.#open();
      this.delays.push(message.delay);
      if (this.delays.length > DELAYS) this.delays.shift();
      this.#changed();
    }
  }

  /** @param {string} words */
  #gone(words) {
    this.#turn += 1;
    if (this.#id) {
      link.topics.delete(`stage/${this.#id}`);
      link.letGo(this.#id);
    }
    cancelAnimationFrame(this.#frame);
    this.#frame = 0;
    this.#id = "";
    this.#waiting.clear();
    this.#down.clear();
    this.state = "off";
    this.words = words;
    this.#settle();
    this.#changed();
  }

  /**
   * Lets go of the rig: every finger is lifted, and no beat follows.
   *
   * @param {string} [words]
   */
  end(words = "") {
    if (this.state === "off") return;
    if (this.#id) {
      for (const finger of [...this.#down]) this.lift(finger);
      this.stop();
    }
    this.#gone(words);
  }

  close() {
    this.end();
    link.listeners.delete(this.#linkChanged);
  }

  /** Median and worst of the newest delays, in seconds. */
  get delay() {
    const sorted = [...this.delays].sort((a, b) => a - b);
    return sorted.length ? { median: sorted[sorted.length >> 1], worst: sorted[sorted.length - 1], count: sorted.length } : undefined;
  }

  /** @param {Record<string, unknown>} message @param {boolean} [must] */
  #send(message, must = false) {
    if (this.state !== "open") return false;
    const now = performance.now();
    while (this.#sent.length && now - this.#sent[0] > 1000) this.#sent.shift();
    if (!must && this.#sent.length >= MOST_MESSAGES) return false;
    this.#sent.push(now);
    link.send({ stage: this.#id, ...message });
    return true;
  }

  /**
   * Plays a part of a pattern in the place of what plays; each edit of one that loops is sent on by the server.
   *
   * @param {string} pattern @param {Span} span @param {boolean} loop
   */
  play(pattern, span, loop) {
    // One that is being opened plays it when it is.
    if (this.#id) link.send({ stage: this.#id, do: "play", pattern, from: span.from, to: span.to, loop });
  }

  /** @param {Record<string, unknown>} command of what follows a sound */
  tell(command) { this.#send(command, true); }

  stop() {
    if (this.#id) link.send({ stage: this.#id, do: "stop" });
  }

  /** @param {number} intensity @param {number} sharpness */
  tap(intensity, sharpness) {
    this.#send({ do: "tap", intensity: short(intensity), sharpness: short(sharpness) });
  }

  /** @param {number} finger @param {number} intensity @param {number} sharpness @param {number} [attack] @param {number} [decay] */
  touch(finger, intensity, sharpness, attack, decay) {
    if (this.state !== "open") return;
    const message = {
      do: "touch", finger, intensity: short(intensity), sharpness: short(sharpness),
      ...attack === undefined ? {} : { attack: short(attack) }, ...decay === undefined ? {} : { decay: short(decay) },
    };
    // What begins does not wait for a picture.
    if (!this.#down.has(finger) && this.#send(message)) {
      this.#down.add(finger);
      return;
    }
    this.#waiting.set(finger, message);
    this.#frame ||= requestAnimationFrame(this.#flush);
  }

  /** One message a picture, of the fingers that moved in turn. */
  #flush = () => {
    this.#frame = 0;
    const now = performance.now(), next = this.#waiting.entries().next().value;
    if (!next) return;
    if (now - this.#flushed > 1000 / MOST_TOUCHES - 2 && this.#send(next[1])) {
      this.#flushed = now;
      this.#waiting.delete(next[0]);
      this.#down.add(next[0]);
    }
    if (this.#waiting.size) this.#frame = requestAnimationFrame(this.#flush);
  };

  /** @param {number} finger */
  lift(finger) {
    // Where it was at last, before it goes.
    const last = this.#waiting.get(finger);
    this.#waiting.delete(finger);
    if (last && this.#down.has(finger)) this.#send(last);
    if (this.#down.delete(finger)) this.#send({ do: "lift", finger }, true);
  }
}
