// SPDX-License-Identifier: Apache-2.0
// A pattern as the server holds it: its text, its entries, and edits that are sent one after another.
import { get, post, Refusal, session } from "./api.js";
import { bare, difference, repeated, replaced } from "./edits.js";
import { link } from "./socket.js";

/** @typedef {{ splices: API.Edited["splices"], text: API.TextEdit[], isOwn: boolean, isTyped?: boolean }} Change */

/** @param {string} name a pattern's name as a part of a path */
export const pathOf = (name) => `patterns/${encodeURIComponent(name)}`;

export class PatternDocument {
  /** @param {string} name @param {{ changed: (change: Change | undefined) => void, told: (sentence: string, kind?: "good" | "bad") => void }} owner */
  constructor(name, owner) {
    this.name = name;
    this.owner = owner;
    this.version = 0;
    this.text = "";
    /** @type {API.Entry[]} */
    this.entries = [];
    this.seconds = 0;
    /** @type {API.Finding[]} */
    this.diagnostics = [];
    this.saved = true;
    this.canSave = true;
    this.canEdit = true;
    /** @type {string | undefined} */
    this.notice = undefined;
    /** @type {string | undefined} */
    this.undo = undefined;
    /** @type {string | undefined} */
    this.redo = undefined;
    /** @type {string | undefined} */
    this.broken = undefined;
    /** @type {API.Origin | undefined} */
    this.composed = undefined;
    /** @type {API.Document["conflict"]} */
    this.conflict = undefined;
    /** What is typed and not yet sent is sent before anything else is done. */
    this.flush = () => {};
    /** When something was typed last: what follows soon is one step with it. */
    this.typedAt = -Infinity;
    this.waiting = 0;
    this.newest = 0;
    this.isClosed = false;
    /** @type {Promise<unknown>} */
    this.line = Promise.resolve();
    this.leave = () => {};
  }

  async open() {
    this.#take(await get(pathOf(this.name)));
    // It may have been closed while it was asked for.
    if (this.isClosed) return;
    const topic = `patterns/${this.name}`;
    this.leave = link.watch(topic, {
      watch: () => ({ watch: topic }),
      told: (message) => {
        const { version = 0, notice } = /** @type {API.StageMessage} */ (message);
        this.newest = Math.max(this.newest, version);
        this.#tell(notice);
        // What this page did itself has been answered by then.
        this.#queue(async () => { if (this.newest > this.version) await this.#reload(); });
      },
    });
    this.owner.changed(undefined);
  }

  /** Nobody looks any more: what was asked for is still sent. */
  close() {
    this.owner = { changed: () => {}, told: () => {} };
    this.leave();
    this.leave = () => {};
    this.line.then(() => { this.isClosed = true; });
  }

  /**
   * One thing after another.
   *
   * @template T
   * @param {() => Promise<T>} act
   * @returns {Promise<T | undefined>}
   */
  #queue(act) {
    this.waiting += 1;
    const done = this.line.then(async () => {
      if (this.isClosed) return undefined;
      try {
        return await act();
      } catch (error) {
        this.owner.told(error instanceof Error ? error.message : String(error), "bad");
        if (error instanceof Refusal && error.status === 409) await this.#reload().catch(() => {});
        return undefined;
      } finally {
        this.waiting -= 1;
      }
    });
    this.line = done.catch(() => {});
    return done;
  }

  /** @param {API.Document} document */
  #take(document) {
    this.version = document.version;
    this.newest = Math.max(this.newest, document.version);
    this.text = document.text;
    // A text that is no pattern has no entries: the last that there were stay.
    if (!document.broken || this.entries.length === 0) this.entries = document.entries;
    this.canSave = document.canSave ?? true;
    this.canEdit = document.canEdit ?? true;
    this.#state(document);
    this.conflict = document.conflict;
    this.#tell(document.notice);
  }

  /** @param {string | undefined} notice that is told once */
  #tell(notice) {
    if (notice && notice !== this.notice) this.owner.told(notice);
    this.notice = notice;
  }

  /** @param {API.Document | API.Edited} answer */
  #state(answer) {
    this.seconds = answer.seconds;
    this.diagnostics = answer.diagnostics ?? [];
    this.saved = answer.saved;
    this.undo = answer.undo || undefined;
    this.redo = answer.redo || undefined;
    this.broken = answer.broken || undefined;
    // One that is the same stays the same object.
    if (JSON.stringify(this.composed) !== JSON.stringify(answer.composed)) this.composed = answer.composed ?? undefined;
  }

  async #reload() {
    const before = this.entries, text = this.text;
    this.#take(await get(pathOf(this.name)));
    if (this.isClosed) return;
    const edit = difference(text, this.text);
    this.owner.changed({ splices: spliceOf(before, this.entries), text: edit ? [edit] : [], isOwn: false });
  }

  /**
   * What the server did to the document.
   *
   * @param {API.Edited} answer
   * @param {boolean} isTyped
   */
  #edited(answer, isTyped) {
    const edits = answer.text ?? [], splices = answer.splices ?? [];
    shiftOffsets(this.entries, edits);
    this.text = replaced(this.text, edits);
    const before = this.entries, entries = [...before];
    for (const { at, remove, entries: now } of splices) spliceLong(entries, at, remove, now);
    this.entries = entries;
    this.version = answer.version;
    this.newest = Math.max(this.newest, answer.version);
    this.#state(answer);
    // A text that was no pattern and is one again tells all its entries: what of them is new is found here.
    const isAll = splices.length === 1 && splices[0].at === 0 && splices[0].remove === before.length && before.length > 1;
    this.owner.changed({ splices: isAll ? spliceOf(before, entries) : splices, text: edits, isOwn: true, isTyped });
  }

  /**
   * What changes the document, in its turn; who may only look sends nothing.
   *
   * @template T
   * @param {() => Promise<T>} act
   * @returns {Promise<T | undefined>}
   */
  #change(act) {
    if (!session.looks) return this.#queue(act);
    this.owner.told("This address is for looking only: nothing is changed.", "bad");
    return Promise.resolve(undefined);
  }

  /**
   * Edits: the operations are made when all that was asked before is done.
   *
   * @param {string} label
   * @param {(entries: API.Entry[]) => API.Operation[]} make
   * @param {boolean} [continues] whether it is more of the edit before, and one step with it
   * @returns {Promise<boolean | undefined>} whether anything was done
   */
  edit(label, make, continues = false) {
    this.flush();
    return this.#change(async () => {
      const operations = make(this.entries);
      return operations.length > 0 && this.#send(label, operations, false, continues);
    });
  }

  /** @param {string} label @param {API.TextEdit[]} edits of the text as it is now */
  editText(label, edits) {
    const before = this.text;
    return this.#change(async () => {
      if (this.text === before) return this.#send(label, [{ text: edits }], false);
      this.owner.told("The text has changed meanwhile: nothing was done.", "bad");
      return false;
    });
  }

  /**
   * The text as somebody typed it.
   *
   * @param {() => string} now
   */
  typed(now) {
    return this.#change(async () => {
      const edit = difference(this.text, now()), at = performance.now(), continues = at - this.typedAt < 1000;
      this.typedAt = at;
      return edit !== undefined && this.#send("typing", [{ text: [edit] }], true, continues);
    });
  }

  /** @param {string} label @param {API.Operation[]} operations @param {boolean} isTyped @param {boolean} [continues] @returns {Promise<boolean>} */
  async #send(label, operations, isTyped, continues = false) {
    const before = this.entries, text = this.text;
    for (let tries = 0; ; tries += 1) {
      try {
        this.#edited(await post(`${pathOf(this.name)}/edits`, { base: this.version, label, operations, ...continues && { continues } }), isTyped);
        return true;
      } catch (error) {
        if (!(error instanceof Refusal) || error.status !== 409 || error.code !== "stale" || tries > 4) throw error;
        // Somebody else was quicker: their state first, then the same batch where it still means the same.
        await this.#reload();
        const again = isTyped || operations[0].text ? repeatedText(operations, text, this.text) : repeated(operations, before, this.entries);
        if (!again) {
          this.owner.told("Somebody else changed the same at the same time: yours was not done.", "bad");
          return false;
        }
        operations = again;
      }
    }
  }

  /** @param {"undo" | "redo"} what */
  step(what) {
    this.flush();
    return this.#change(async () => {
      const label = this[what];
      if (!label) return undefined;
      this.#edited(await post(`${pathOf(this.name)}/${what}`, { base: this.version }), false);
      return label;
    });
  }

  /** @param {string} [as] another name */
  save(as) {
    this.flush();
    return this.#change(async () => {
      const answer = await post(`${pathOf(this.name)}/save`, { base: this.version, ...as && { as } });
      if (!as) {
        this.version = Math.max(this.version, answer.version ?? 0);
        this.saved = answer.saved;
        this.owner.changed({ splices: [], text: [], isOwn: true });
      }
      return true;
    });
  }

  /** @param {"mine" | "theirs"} take */
  resolve(take) {
    return this.#change(async () => {
      const answer = await post(`${pathOf(this.name)}/resolve`, { take });
      this.conflict = undefined;
      this.#edited(answer, false);
      return true;
    });
  }
}

/** @param {API.Entry[]} entries @param {number} at @param {number} remove @param {API.Entry[]} now */
function spliceLong(entries, at, remove, now) {
  // Tens of thousands are too many for the arguments of one call.
  if (now.length < 10000) entries.splice(at, remove, ...now);
  else {
    const tail = entries.splice(at).slice(remove);
    for (const one of now) entries.push(one);
    for (const one of tail) entries.push(one);
  }
}

/**
 * What is not told anew stands elsewhere in the text.
 *
 * @param {API.Entry[]} entries
 * @param {API.TextEdit[]} edits
 */
function shiftOffsets(entries, edits) {
  const sorted = [...edits].sort((a, b) => a.from - b.from);
  let next = 0, by = 0;
  for (const entry of entries) {
    if (entry.offset === undefined) continue;
    while (next < sorted.length && sorted[next].to <= entry.offset) {
      by += sorted[next].insert.length - (sorted[next].to - sorted[next].from);
      next += 1;
    }
    entry.offset += by;
    if (entry.end !== undefined) entry.end += by;
  }
}

/** @param {API.Entry[]} before @param {API.Entry[]} after @returns {API.Edited["splices"]} */
function spliceOf(before, after) {
  const same = (/** @type {API.Entry} */ a, /** @type {API.Entry} */ b) => JSON.stringify(bare(a)) === JSON.stringify(bare(b));
  const most = Math.min(before.length, after.length);
  let head = 0, tail = 0;
  while (head < most && same(before[head], after[head])) head += 1;
  while (tail < most - head && same(before[before.length - 1 - tail], after[after.length - 1 - tail])) tail += 1;
  return before.length === after.length && head === most ? []
    : [{ at: head, remove: before.length - head - tail, entries: after.slice(head, after.length - tail) }];
}

/** @param {API.Operation[]} operations @param {string} before @param {string} after @returns {API.Operation[] | undefined} */
function repeatedText(operations, before, after) {
  const other = difference(before, after);
  if (!other) return operations;
  const by = other.insert.length - (other.to - other.from);
  const edits = operations[0].text ?? [];
  if (edits.some((one) => one.from < other.to && one.to > other.from)) return undefined;
  return [{ text: edits.map((one) => one.from >= other.to ? { ...one, from: one.from + by, to: one.to + by } : one) }];
}

/**
 * Where entries stand after a change; what was taken out is nowhere.
 *
 * @param {API.Edited["splices"]} splices
 * @param {number} index
 * @returns {number | undefined}
 */
export function placeAfter(splices, index) {
  for (const { at, remove, entries } of splices) {
    if (index >= at + remove) index += entries.length - remove;
    else if (index >= at && entries.length !== remove) return undefined;
  }
  return index;
}
