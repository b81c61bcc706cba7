// SPDX-License-Identifier: Apache-2.0
// What the events of a live run add up to. Fed in order from event 0; what is told twice is taken once.

/** @typedef {{ pattern: string, take: number, number: number, total: number, frame: number, seconds: number, t: number,
 *   ended: boolean, era: number }} TakeSeen */
/** @typedef {{ t: number, kind: string, text: string, level: string }} LogLine */
/** @typedef {{ t: number, what: string, frame?: number, count: number, device: string, era: number }} Loss */
/** @typedef {{ t: number, reading: API.Reading, pattern: string, take?: number, event?: number, verdict?: string,
 *   limit?: string }} ReadingSeen */

const VERDICTS = ["pass", "marginal", "not measured", "fail"];

export class RunModel {
  /** @param {string} id */
  constructor(id) {
    this.id = id;
    /** The number of the next event. */
    this.next = 0;
    /** @type {API.Event | undefined} */
    this.start = undefined;
    /** @type {API.Event | undefined} */
    this.work = undefined;
    /** @type {API.Channel[]} */
    this.channels = [];
    this.rate = 0;
    /** How many times channels were told: each time frames count from 0 again. */
    this.era = 0;
    /** @type {TakeSeen[]} */
    this.takes = [];
    /** @type {{ title: string, level?: number | string, number: number, total: number, frame?: number, t: number }[]} */
    this.segments = [];
    this.stage = "";
    this.share = 0;
    this.overall = 0;
    /** @type {number | undefined} */
    this.remaining = undefined;
    /** When the time left was told, by the page's clock. */
    this.remainingAt = 0;
    /** @type {ReadingSeen[]} */
    this.readings = [];
    /** @type {Record<string, number>} */
    this.verdicts = { pass: 0, marginal: 0, "not measured": 0, fail: 0 };
    /** @type {Loss[]} */
    this.losses = [];
    /** @type {Record<string, number>} */
    this.lost = { xrun: 0, dropped: 0, overload: 0, clipped: 0 };
    /** @type {LogLine[]} */
    this.log = [];
    /** @type {API.Event | undefined} */
    this.end = undefined;
    /** @type {"working" | "ended" | "dead"} */
    this.state = "working";
    this.t = 0;
    /** What a person is asked to do at the terminal, as long as nothing else has come. */
    this.asked = "";
    /** When the newest event came, by the page's clock. */
    this.at = performance.now();
  }

  /**
   * Takes events; `false` where some are missing before them.
   *
   * @param {API.Event[]} events
   */
  take(events) {
    for (const event of events) {
      if (event.n < this.next) continue;
      if (event.n > this.next) return false;
      this.next = event.n + 1;
      this.t = event.t;
      this.#apply(event);
    }
    if (events.length) this.at = performance.now();
    return true;
  }

  /** @param {API.Event} event */
  #apply(event) {
    if (event.kind !== "progress") this.asked = "";
    switch (event.kind) {
      case "start": this.start = event; break;
      case "work":
        this.work = event;
        this.#say(event, "note", event.title ?? event.plan ?? "work");
        break;
      case "channels":
        this.channels = event.channels ?? [];
        this.era += 1;
        this.rate = event.rate ?? 0;
        break;
      case "take":
        this.#endTake();
        this.takes.push({
          pattern: event.pattern ?? "", take: event.take ?? 1, number: event.number ?? this.takes.length + 1,
          total: event.total ?? 0, frame: event.frame ?? 0, seconds: event.seconds ?? 0, t: event.t, ended: false, era: this.era,
        });
        this.stage = "playing and recording";
        this.share = 0;
        this.#say(event, "take", `${event.pattern}, take ${event.take}: take ${event.number} of ${event.total}`);
        break;
      case "segment":
        this.segments.push({
          title: event.title ?? "", level: event.level, number: event.number ?? this.segments.length + 1,
          total: event.total ?? 0, frame: event.frame, t: event.t,
        });
        this.stage = event.title ?? "segment";
        this.share = 0;
        this.#left(event.remaining);
        this.#say(event, "take", `${event.title}${event.level === undefined ? "" : ` at ${volts(event.level)}`}: ${
          event.number} of ${event.total}`);
        break;
      case "progress":
        if (event.share !== undefined) this.share = event.share;
        if (event.overall !== undefined) this.overall = event.overall;
        this.#left(event.remaining);
        break;
      case "measured": {
        // A take is measured while the next one plays.
        const last = this.current;
        const isLast = event.segment !== undefined || (last?.pattern === event.pattern && last?.take === event.take);
        if (isLast) {
          this.#endTake();
          this.stage = "measured";
        }
        break;
      }
      case "reading": this.#read(event); break;
      case "again":
        this.#say(event, "again", `Again, segment ${event.segment}: ${event.reason}`);
        break;
      case "loss": this.#lose(event); break;
      case "notice":
        this.#say(event, event.level === undefined ? "note" : String(event.level), event.text ?? "");
        break;
      case "step":
        this.stage = event.title ?? "";
        if (event.share !== undefined) this.share = event.share;
        if (this.log[this.log.length - 1]?.text !== event.title) this.#say(event, "step", event.title ?? "");
        break;
      case "ask":
        this.asked = event.text ?? event.title ?? "Something is asked at the terminal.";
        this.#say(event, "ask", this.asked);
        break;
      case "idle":
        this.stage = "between two pieces of work";
        this.#left(undefined);
        break;
      case "end":
        this.#endTake();
        this.end = event;
        this.state = "ended";
        this.stage = event.outcome ?? "done";
        if (event.outcome === "done") this.overall = 1;
        this.#left(undefined);
        this.#say(event, event.outcome === "done" ? "done" : "warning", this.ending);
        break;
    }
  }

  #endTake() {
    const last = this.takes[this.takes.length - 1];
    if (last) last.ended = true;
  }

  /** @param {number | null | undefined} seconds */
  #left(seconds) {
    this.remaining = seconds ?? undefined;
    this.remainingAt = performance.now();
  }

  /** @param {API.Event} event */
  #read(event) {
    const reading = event.reading;
    if (!reading) return;
    const verdict = event.verdict ?? reading.verdict;
    this.readings.push({
      t: event.t, reading, pattern: event.pattern ?? reading.pattern ?? "", take: event.take ?? reading.repeat,
      event: event.event ?? reading.event, verdict, limit: event.limit ?? reading.limit,
    });
    if (verdict && VERDICTS.includes(verdict)) this.verdicts[verdict] += 1;
  }

  /** @param {API.Event} event */
  #lose(event) {
    const what = event.what ?? "loss", count = event.count ?? 1;
    this.losses.push({ t: event.t, what, frame: event.frame, count, device: event.device ?? "", era: this.era });
    this.lost[what] = (this.lost[what] ?? 0) + count;
    this.#say(event, "loss", lossWords(what, count, event.device, event.frame));
  }

  /** @param {API.Event} event @param {string} level @param {string} text */
  #say(event, level, text) {
    this.log.push({ t: event.t, kind: event.kind, level, text });
  }

  get title() {
    return this.work?.title ?? this.work?.plan ?? this.start?.command ?? this.id;
  }

  /** How it ended, in a sentence. */
  get ending() {
    const { outcome, sentence, verdicts, status } = this.end ?? {};
    if (sentence) return sentence;
    const words = outcome === "done" ? "Done" : outcome === "interrupted" ? "Interrupted: the drive is at zero" : "Failed";
    return `${words}${verdicts?.run ? `: ${verdicts.run}` : outcome === "failed" && status ? ` with exit code ${status}` : ""}.`;
  }

  get current() {
    return this.takes[this.takes.length - 1];
  }

  /** The time left now: what was told less what has gone by since. */
  get left() {
    return this.remaining === undefined ? undefined
      : Math.max(0, this.remaining - (performance.now() - this.remainingAt) / 1000);
  }

  /** The worst verdict so far. */
  get worst() {
    return this.verdicts.fail ? "fail" : this.verdicts["not measured"] ? "not measured"
      : this.verdicts.marginal ? "marginal" : this.verdicts.pass ? "pass" : undefined;
  }
}

/** @param {number | string} level */
const volts = (level) => typeof level === "number" ? `${Number(level.toPrecision(4))} V` : level;

const LOSSES = /** @type {Record<string, string>} */ ({
  xrun: "xrun", dropped: "frames dropped", overload: "overload", clipped: "frames clipped",
});

/** @param {string} what @param {number} count @param {string | undefined} device @param {number} [frame] */
export function lossWords(what, count, device, frame) {
  return `${count} ${LOSSES[what] ?? what}${count === 1 || what === "dropped" || what === "clipped" ? "" : "s"}${
    device ? ` at ${device}` : ""}${frame === undefined ? "" : `, frame ${frame}`}`;
}
