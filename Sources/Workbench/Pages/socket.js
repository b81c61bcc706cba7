// SPDX-License-Identifier: Apache-2.0
// The one socket of a page: topics that are asked for again after a break, beats, and waves.
import { decodeWaves, get } from "./api.js";

/** @typedef {{ watch: () => Record<string, unknown>, told: (message: API.Message) => void }} Topic */
/** @typedef {{ spec: Record<string, unknown>, told: (waves: API.Waves) => void }} WaveTopic */

const BACK_OFF = [250, 500, 1000, 2000, 4000, 8000];

class Link {
  /** @type {WebSocket | undefined} */
  socket = undefined;
  /** @type {"connecting" | "open" | "lost"} */
  state = "connecting";
  /** When something was last heard, by the page's clock. */
  heard = performance.now();
  lostAt = 0;
  retryAt = 0;
  tries = 0;
  beat = 0;
  /** @type {Set<string>} the jobs whose drive this page holds */
  held = new Set();
  /** @type {Map<string, Set<Topic>>} */
  topics = new Map();
  /** @type {Map<string, Set<WaveTopic>>} */
  waveTopics = new Map();
  /** @type {Set<() => void>} */
  listeners = new Set();
  #timer = 0;
  #beats = 0;

  open() {
    clearTimeout(this.#timer);
    if (this.socket && this.socket.readyState <= WebSocket.OPEN) return;
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    const socket = new WebSocket(`${scheme}://${location.host}/api/v1/socket`);
    socket.binaryType = "arraybuffer";
    this.socket = socket;
    socket.onopen = () => {
      this.tries = 0;
      this.heard = performance.now();
      this.#set("open");
      for (const name of this.topics.keys()) this.#watch(name);
      for (const name of this.waveTopics.keys()) this.#waves(name);
      if (this.held.size) this.#hold();
      this.#pace();
    };
    socket.onmessage = (event) => {
      this.heard = performance.now();
      if (typeof event.data === "string") this.#text(JSON.parse(event.data));
      else this.#binary(event.data);
    };
    socket.onclose = () => { if (this.socket === socket) this.#lost(); };
  }

  #lost() {
    this.socket = undefined;
    clearInterval(this.#beats);
    if (this.state !== "lost") this.lostAt = Date.now();
    const base = BACK_OFF[Math.min(this.tries, BACK_OFF.length - 1)];
    const wait = base * (0.8 + 0.4 * Math.random());
    this.tries += 1;
    this.retryAt = Date.now() + wait;
    this.#set("lost");
    this.#timer = window.setTimeout(() => this.open(), wait);
    // A server that was started anew does not know this page's cookie: an answer of 401 asks for the key.
    if (this.tries === 2 || this.tries % 5 === 0) get("live").catch(() => {});
  }

  /** Tries again without waiting. */
  now() {
    if (this.state === "lost") this.open();
  }

  /** @param {Link["state"]} state */
  #set(state) {
    this.state = state;
    this.listeners.forEach((tell) => tell());
  }

  #pace() {
    clearInterval(this.#beats);
    this.#beats = window.setInterval(() => {
      this.send({ beat: this.beat += 1 });
      // A link that says nothing for 4 s is dead, whatever it says of itself.
      if (performance.now() - this.heard > 4000 && this.socket) this.socket.close();
    }, this.held.size ? 100 : 1000);
  }

  /** @param {unknown} message */
  send(message) {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(message));
  }

  /**
   * Holds a drive: beats each 100 ms until it is let go.
   *
   * @param {string} job
   */
  hold(job) {
    this.held.add(job);
    this.#hold();
    // Before anything else is said: nothing is driven before the first beat.
    this.send({ beat: this.beat += 1 });
    if (this.socket) this.#pace();
  }

  /** @param {string} job whose drive stops at once */
  letGo(job) {
    if (!this.held.delete(job)) return;
    this.#hold();
    if (this.socket) this.#pace();
  }

  #hold() { this.send({ hold: this.held.size ? [...this.held] : null }); }

  /** @param {API.Message | null} message */
  #text(message) {
    if (message?.topic) this.topics.get(message.topic)?.forEach((topic) => topic.told(message));
    else if (message?.error) console.info("the socket said", message.error);
  }

  /** @param {ArrayBuffer} buffer */
  #binary(buffer) {
    const waves = decodeWaves(buffer);
    this.waveTopics.get(waves.header.topic ?? "")?.forEach((topic) => topic.told(waves));
  }

  /** @param {string} name */
  #watch(name) {
    const first = [...this.topics.get(name) ?? []][0];
    if (first) this.send(first.watch());
  }

  /** @param {string} name */
  #waves(name) {
    const specs = [...this.waveTopics.get(name) ?? []].map((topic) => topic.spec);
    // Of several the last, which is that of the page that was opened last.
    if (specs.length) this.send({ waves: name, ...specs[specs.length - 1] });
  }

  /**
   * Watches a topic until the returned function is called.
   *
   * @param {string} name
   * @param {Topic} topic
   */
  watch(name, topic) {
    const all = this.topics.get(name) ?? new Set();
    all.add(topic);
    this.topics.set(name, all);
    this.send(topic.watch());
    return () => {
      all.delete(topic);
      if (all.size === 0) {
        this.topics.delete(name);
        this.send({ leave: name });
        if (this.waveTopics.has(name)) this.#waves(name);
      }
    };
  }

  /**
   * Asks for the newest waves of a topic until the returned function is called.
   *
   * @param {string} name
   * @param {WaveTopic} topic
   */
  waves(name, topic) {
    const all = this.waveTopics.get(name) ?? new Set();
    all.add(topic);
    this.waveTopics.set(name, all);
    this.#waves(name);
    return () => {
      all.delete(topic);
      if (all.size > 0) return;
      this.waveTopics.delete(name);
      this.send({ leave: name });
      if (this.topics.has(name)) this.#watch(name);
    };
  }
}

export const link = new Link();
addEventListener("online", () => link.now());
document.addEventListener("visibilitychange", () => { if (!document.hidden) link.now(); });
