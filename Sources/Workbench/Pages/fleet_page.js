// SPDX-License-Identifier: Apache-2.0
// A fleet: what each rig does, what waits for it, how its last job came out, who has what; and the orders of people.
import { get, query, Refusal } from "./api.js";
import { badge, code, empty, field, fill, h, onChange, put, say, segmented, select } from "./dom.js";
import { cancelDialog, drainDialog, releaseRig, reserveDialog, runDialog, undrainMachine } from "./fleet_orders.js";
import { ago, counted, duration, moment, remaining } from "./format.js";
import { pageKeys } from "./keys.js";
import { benchNow, refreshBench, runWord } from "./store.js";

/** How often the fleet is asked for, and how long it is before a run is looked for again that was not found, in milliseconds. */
const PACE = 3000, AGAIN = 60000;
/** How many jobs of the queue are shown before somebody asks for all, and how many then. */
const FEW = 6, MOST = 500;
/** How many names one request may have. */
const NAMES = 50;

// What was known last stays known from one visit of the page to the next.
/** @type {API.FleetState | undefined} */
let state;
/** When it came, by the page's clock. */
let cameAt = 0;
/** @type {API.FleetFile | undefined} */
let file;
/** @type {Map<string, { run?: API.RunRow, at: number }>} the run of a job, as far as the archive of this workbench has it */
const runs = new Map();
/** @type {{ title: string, jobs: string[], ended: Map<string, API.FleetJob | null> } | undefined} what was ordered here last, and what came of it */
let followed;

/** The database's time, in seconds since 1970. */
const now = () => (state?.now ?? 0) + (performance.now() - cameAt) / 1000;
/** @param {number} seconds */
const iso = (seconds) => new Date(1000 * seconds).toISOString();

/** @param {number} seconds a length of time that is counted as one looks */
const span = (seconds) => seconds < 10 ? `${Math.max(0, Math.round(seconds))} s` : duration(seconds);

/** @type {Record<string, (seconds: number) => string>} what is told of a moment, as it moves on */
const TOLD = {
  ago: (at) => ago(iso(at), 1000 * now()),
  since: (at) => `for ${span(now() - at)}`,
  left: (at) => remaining(at - now()),
  late: (at) => `${span(now() - at)} late`,
  due: (at) => at > now() ? `in ${span(at - now())}` : `since ${span(now() - at)}`,
};
/** @param {keyof TOLD} kind @param {number} at in seconds since 1970 */
const time = (kind, at) => h("time", { datetime: iso(at), "data-told": kind, "data-at": at, title: `${moment(iso(at))} UTC` }, TOLD[kind](at));

/** @param {API.FleetJob} job the word and the text of what came of one that is over */
function outcome(job) {
  if (job.state === "cancelled") return ["stopped", "cancelled"];
  if (job.code === 0) return ["pass", "pass"];
  if (job.code === 1) return ["fail", "fail"];
  if (job.code === 75) return ["not measured", "not done, rig held"];
  return ["fault", job.code === undefined ? "fault" : `fault (${job.code})`];
}

/** @param {API.FleetJob} job what came of it, with its run where the archive has that */
function ending(job) {
  const run = runs.get(job.job)?.run, [word, text] = outcome(job);
  return [run && run.outcome === "complete" ? badge(runWord(run)) : badge(word, text), " ",
    run ? h("a", { href: `#/runs/${run.id}`, "data-key": `run-${job.job}` }, job.plan) : job.plan, " ",
    job.ended !== undefined && time("ago", job.ended),
    job.said && job.code !== 0 && h("span", { class: "detail" }, job.said)];
}

/** @param {API.FleetJob} job one that the engine works on, in words */
const going = (job) => job.state === "cancelled" ? [job.plan, ", is being stopped"]
  : job.began === undefined ? [job.plan, ", begins"] : [job.plan, " ", time("since", job.began)];

/** Rows of a list, each kept as the element that it is for as long as it shows the same: what has the focus, and what is pressed, stays. */
class Rows {
  /** @param {string} name @param {string} [more] a further class */
  constructor(name, more = "") {
    this.element = h("ul", { class: `fleet-rows ${more}`, "aria-label": name });
    /** @type {Map<string, { shown: string, row: HTMLLIElement }>} */
    this.made = new Map();
    this.at = "";
    this.element.addEventListener("keydown", (event) => this.#key(event));
    this.element.addEventListener("focusin", (event) => {
      const row = event.target instanceof Element ? event.target.closest("li") : undefined;
      if (row instanceof HTMLElement) this.#stop(row.dataset.name ?? "");
    });
  }

  /**
   * @template Item
   * @param {[string, Item][]} items
   * @param {(item: Item) => import("./dom.js").Child[]} make
   * @param {(item: Item) => unknown} basis all that a row is made of
   */
  show(items, make, basis) {
    /** @type {Map<string, { shown: string, row: HTMLLIElement }>} */
    const made = new Map();
    for (const [name, item] of items) {
      const shown = JSON.stringify(basis(item)), entry = this.made.get(name) ?? { shown: "", row: h("li", { "data-name": name, "data-key": `row-${name}`, tabindex: "-1" }) };
      if (entry.shown !== shown) fill(entry.row, ...make(item));
      entry.shown = shown;
      made.set(name, entry);
    }
    const had = this.element.contains(document.activeElement) ? this.#place(this.at) : -1;
    for (const [name, entry] of this.made) if (!made.has(name)) entry.row.remove();
    this.made = made;
    let next = this.element.firstElementChild;
    for (const { row } of made.values()) {
      if (row === next) next = next.nextElementSibling;
      else this.element.insertBefore(row, next);
    }
    const names = [...made.keys()];
    this.#stop(made.has(this.at) ? this.at : names[Math.max(0, Math.min(had, names.length - 1))] ?? "");
    // What had the focus is gone: its neighbour has it now.
    if (had >= 0 && !this.element.contains(document.activeElement)) this.made.get(this.at)?.row.focus({ preventScroll: true });
  }

  /** @param {string} name */
  #place(name) {
    return [...this.made.keys()].indexOf(name);
  }

  /** One row, with its buttons, is a stop of Tab. */
  #stop(/** @type {string} */ name) {
    this.at = name;
    for (const [one, { row }] of this.made) {
      const isHere = one === name;
      if (row.tabIndex !== (isHere ? 0 : -1)) row.tabIndex = isHere ? 0 : -1;
      row.querySelectorAll("button, a").forEach((each) => { /** @type {HTMLElement} */ (each).tabIndex = isHere ? 0 : -1; });
    }
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const names = [...this.made.keys()], place = this.#place(this.at);
    const steps = /** @type {Record<string, number>} */ ({ ArrowDown: place + 1, ArrowUp: place - 1, Home: 0, End: names.length - 1 });
    if (event.key === "Enter" && event.target instanceof HTMLLIElement) {
      event.preventDefault();
      event.target.querySelector("button")?.click();
    }
    if (!(event.key in steps)) return;
    event.preventDefault();
    const name = names[Math.max(0, Math.min(names.length - 1, steps[event.key]))];
    this.#stop(name);
    const row = this.made.get(name)?.row;
    row?.focus({ preventScroll: true });
    row?.scrollIntoView({ block: "nearest" });
  }
}

/** @param {HTMLElement} place @param {string[]} _ @param {URLSearchParams} params */
export function openFleet(place, _, params) {
  const controller = new AbortController(), { signal } = controller;
  let fault = "", isAsking = false, isOld = false, timer = 0, rigsOfFile = "";
  let wanted = params.get("text") ?? "", which = params.get("state") ?? "", isAll = false;
  let grouping = sessionStorage.getItem("haprig.fleet.group") ?? "machine";

  // The parts of the page, in their order.
  const eyebrow = h("p", { class: "eyebrow" }, "Asking for the fleet…"), alerts = h("div", { class: "fleet-alerts" }), order = h("div"), notice = h("div", { class: "fleet-notice" });
  const runButton = h("button", { type: "button", class: "primary acts", "data-key": "run", onclick: () => startRun() }, "Run…");
  const queueTitle = h("h2", { id: "fleet-queue" }, "Queue"), queueTools = h("div", { class: "actions" }), queueNote = h("p", { class: "note" }), queue = new Rows("Jobs that are not over", "fleet-jobs");
  const queueCard = h("section", { class: "card", "aria-labelledby": "fleet-queue" }, h("div", { class: "card-head" }, queueTitle, queueTools), queue.element, queueNote);
  const stateField = h("div", { class: "fleet-state" }), rigsNote = h("p", { class: "note" }), groups = h("div", { class: "fleet-groups" });
  const search = h("input", {
    type: "search", value: wanted, "data-key": "filter", oninput: () => {
      wanted = search.value;
      show();
    },
  });
  const filters = h("div", { class: "filters" }, field("Rig, machine, model, plan or person", search, "grow"), stateField,
    segmented("Groups", [["machine", "Machines"], ["model", "Models"]], grouping, (value) => {
      grouping = value;
      sessionStorage.setItem("haprig.fleet.group", value);
      show();
    }));
  const body = h("div", { class: "fleet", hidden: true }, order, notice, queueCard, filters, rigsNote, groups);
  put(place, h("div", { class: "page-head" }, h("h1", null, "Fleet"), eyebrow, h("div", { class: "actions" }, runButton)), alerts, body);

  // Asking.
  const ask = async () => {
    // What is being answered may be older than the order that asks here.
    isOld = isAsking;
    if (document.hidden || isAsking || signal.aborted) return;
    clearTimeout(timer);
    isAsking = true;
    const began = performance.now();
    try {
      const told = /** @type {API.FleetState} */ (await get("fleet", signal)), rigs = JSON.stringify(told.rigs.map((rig) => [rig.rig, rig.machine]));
      // The file is asked for again on the next visit, or when its rigs are others.
      if (rigs !== rigsOfFile) file = /** @type {API.FleetFile} */ (await get("fleet/file", signal));
      rigsOfFile = rigs;
      state = told;
      cameAt = performance.now();
      fault = "";
    } catch (error) {
      if (signal.aborted) return;
      fault = error instanceof Error ? error.message : String(error);
      if (error instanceof Refusal && error.code === "archive") fault = `The fleet's database: ${fault}`;
    }
    isAsking = false;
    show();
    // A fleet that takes long to be told is asked for less often.
    timer = window.setTimeout(ask, isOld ? 0 : fault ? PACE : Math.max(PACE, 5 * (performance.now() - began)));
    if (!fault) askRuns();
  };
  let isLooking = false;
  const askRuns = async () => {
    const jobs = [...state?.rigs.flatMap((rig) => rig.last ?? []) ?? [], ...[...followed?.ended.values() ?? []].flatMap((one) => one ?? [])];
    // A run of this hour may still come into the archive.
    const isDue = (/** @type {API.FleetJob} */ job) => {
      const known = runs.get(job.job);
      return !known || (!known.run && performance.now() - known.at > AGAIN && now() - (job.ended ?? 0) < 3600);
    };
    const names = [...new Set(jobs.filter(isDue).map((job) => job.job))];
    if (isLooking || names.length === 0) return;
    isLooking = true;
    try {
      for (let first = 0; first < names.length; first += NAMES) {
        const some = names.slice(first, first + NAMES);
        const found = /** @type {API.Runs} */ (await get(`runs${query({ job: some, limit: 500 })}`, signal));
        for (const name of some) {
          const own = found.runs.filter((run) => run.job === name);
          // Of two complete runs of a job the earlier counts, and comes later in the list.
          runs.set(name, { run: own.filter((run) => run.outcome === "complete").pop() ?? own[0], at: performance.now() });
        }
      }
    } catch { /* What came of a job is told by the job, too. */ }
    isLooking = false;
    if (!signal.aborted) show();
  };

  // Orders.
  const done = () => { ask(); };
  /** @param {{ rig?: string, model?: string }} [on] */
  const startRun = (on = {}) => {
    if (state && file) runDialog(file, state, on, (title, jobs) => {
      followed = { title, jobs, ended: new Map() };
      ask();
    });
  };
  const cancelButton = (/** @type {API.FleetJob} */ job) => h("button", {
    type: "button", class: "small acts", "data-key": `cancel-${job.job}`, disabled: job.state === "cancelled", "aria-label": `Cancel ${job.job}`, onclick: () => cancelDialog([job], done),
  }, "Cancel…");

  // What is shown.
  /** @param {API.FleetRig} rig */
  const words = (rig) => [rig.rig, rig.machine, rig.model ?? "", rig.state, rig.running?.plan ?? "", rig.last?.plan ?? "", rig.reserved?.who ?? "", rig.reserved?.why ?? ""].join(" ").toLowerCase();
  /** @param {API.FleetRig} rig */
  const isWanted = (rig) => words(rig).includes(wanted.trim().toLowerCase()) && (which === "" || kinds(rig).includes(which));
  /** @param {API.FleetRig} rig */
  const kinds = (rig) => [rig.state, rig.reserved && "reserved", rig.overdue && "overdue", rig.last && rig.last.state !== "cancelled" && rig.last.code !== 0 && "not passed"];

  /** @param {API.FleetRig} rig */
  const rigRow = (rig) => [
    h("div", { class: "fleet-name" }, h("strong", null, rig.rig), h("span", { class: "detail" }, grouping === "machine" ? rig.model ?? "" : rig.machine)),
    h("div", { class: "fleet-now" }, badge(rig.state), " ", rig.running && h("span", null, going(rig.running)),
      rig.waiting > 0 && h("span", null, rig.running ? ", " : "", `${counted(rig.waiting, "job waits", "jobs wait")}`),
      rig.reserved && h("span", { class: "detail" }, `${rig.state === "reserved" ? "" : "reserved: "}${rig.reserved.who}, ${rig.reserved.why}, `, time("left", rig.reserved.until), ` (until ${moment(iso(rig.reserved.until)).slice(0, 16)})`),
      rig.overdue && h("span", { class: "bad-words" }, " overdue")),
    h("div", { class: "fleet-last" }, rig.last ? ending(rig.last) : h("span", { class: "note" }, "no job yet")),
    h("div", { class: "fleet-do" },
      h("button", { type: "button", class: "small acts", "data-key": `run-on-${rig.rig}`, "aria-label": `Run a plan on ${rig.rig}`, onclick: () => startRun({ rig: rig.rig }) }, "Run…"),
      rig.reserved ? h("button", { type: "button", class: "small acts", "data-key": `hold-${rig.rig}`, "aria-label": `Release ${rig.rig}`, onclick: () => releaseRig(rig, done) }, "Release")
        : h("button", { type: "button", class: "small acts", "data-key": `hold-${rig.rig}`, "aria-label": `Reserve ${rig.rig}`, onclick: () => reserveDialog(rig.rig, done) }, "Reserve…"),
      rig.running && cancelButton(rig.running)),
  ];

  /** @param {API.FleetJob} job */
  const jobRow = (job) => [
    h("div", { class: "fleet-name" }, h("strong", null, job.plan), h("span", { class: "detail" }, `on ${job.rig}`)),
    h("div", { class: "fleet-now" }, job.state === "waiting" ? [badge("waiting"), " ", time("due", job.due)] : [badge("running"), " ", job.state === "cancelled" ? "is being stopped" : job.began === undefined ? "begins" : time("since", job.began)],
      job.attempts > 1 && `, try ${job.attempts}`, job.said && h("span", { class: "detail" }, job.said)),
    h("div", { class: "fleet-last" }, h("code", null, job.job)),
    h("div", { class: "fleet-do" }, cancelButton(job)),
  ];

  const showQueue = () => {
    const all = state?.open ?? [], text = wanted.trim().toLowerCase();
    const matching = text ? all.filter((job) => `${job.job} ${job.plan} ${job.rig}`.toLowerCase().includes(text)) : all;
    const shown = matching.slice(0, isAll || matching.length <= FEW + 2 ? MOST : FEW), waiting = all.filter((job) => job.state === "waiting").length;
    queueTitle.textContent = `Queue: ${counted(all.length - waiting, "job runs", "jobs run")}, ${counted(waiting, "waits", "wait")}`;
    queue.show(shown.map((job) => [job.job, job]), jobRow, (job) => job);
    queueNote.textContent = all.length === 0 ? "Nothing runs, and nothing waits." : matching.length === 0 ? "No job has what is looked for." : matching.length > MOST && isAll ? `The first ${counted(MOST, "job")} of ${matching.length}.` : "";
    queueNote.hidden = queueNote.textContent === "";
    showTools({ more: matching.length > FEW + 2, count: matching.length, isAll, isNarrowed: text !== "" });
  };
  const showTools = onChange((/** @type {{ more: boolean, count: number, isAll: boolean, isNarrowed: boolean }} */ now_) => {
    fill(queueTools, now_.more && h("button", { type: "button", class: "small", "data-key": "all", "aria-expanded": String(now_.isAll), onclick: () => {
      isAll = !isAll;
      show();
    } }, now_.isAll ? "Show the first" : `Show all ${now_.count}`),
    now_.count > 1 && h("button", { type: "button", class: "small acts", "data-key": "cancel-all", onclick: () => {
      const text = wanted.trim().toLowerCase();
      cancelDialog((state?.open ?? []).filter((job) => job.state !== "cancelled" && `${job.job} ${job.plan} ${job.rig}`.toLowerCase().includes(text)), done);
    } }, now_.isNarrowed ? `Cancel these ${now_.count}…` : `Cancel all ${now_.count}…`));
  });

  /** @type {Map<string, { section: HTMLElement, head: HTMLElement, shown: string, rows: Rows }>} */
  const made = new Map();
  const showRigs = () => {
    const rigs = state?.rigs ?? [], chosen = rigs.filter(isWanted);
    /** @type {Map<string, API.FleetRig[]>} */
    const grouped = new Map();
    // A machine without a rig can be drained all the same.
    if (grouping === "machine") for (const { name } of file?.machines ?? []) if (wanted === "" && which === "") grouped.set(`machine ${name}`, []);
    for (const rig of chosen) {
      const name = grouping === "machine" ? `machine ${rig.machine}` : `model ${rig.model ?? ""}`;
      grouped.set(name, [...grouped.get(name) ?? [], rig]);
    }
    for (const [name, group] of made) {
      if (grouped.has(name)) continue;
      group.section.remove();
      made.delete(name);
    }
    let next = groups.firstElementChild;
    for (const [key, members] of grouped) {
      const name = key.slice(key.indexOf(" ") + 1), title = name || "No model";
      let group = made.get(key);
      if (!group) {
        const head = h("div", { class: "card-head" }), rows = new Rows(`Rigs of ${title}`);
        group = { section: h("section", { class: "card fleet-group", "aria-label": title }, head, rows.element), head, shown: "", rows };
        made.set(key, group);
      }
      const drained = grouping === "machine" ? state?.drained.find((one) => one.machine === name) : undefined;
      const shown = JSON.stringify([members.length, drained]);
      if (group.shown !== shown) fill(group.head, h("h2", null, title), h("span", { class: "note" }, counted(members.length, "rig")), drained && [badge("drained"), h("span", { class: "note" }, `${drained.who}: ${drained.why}`)],
        h("div", { class: "actions" }, grouping === "machine" ? drained
          ? h("button", { type: "button", class: "small acts", "data-key": `drain-${name}`, "aria-label": `Give ${name} jobs again`, onclick: () => undrainMachine(name, done) }, "Undrain")
          : h("button", { type: "button", class: "small acts", "data-key": `drain-${name}`, "aria-label": `Drain ${name}`, onclick: () => drainDialog(name, done) }, "Drain…")
          : name && h("button", { type: "button", class: "small acts", "data-key": `run-model-${name}`, "aria-label": `Run a plan on all ${name}`, onclick: () => startRun({ model: name }) }, "Run…")));
      group.shown = shown;
      if (group.section === next) next = next.nextElementSibling;
      else groups.insertBefore(group.section, next);
      group.rows.show(members.map((rig) => [rig.rig, rig]), rigRow, (rig) => [rig, grouping, rig.last && runs.get(rig.last.job)?.run]);
    }
    rigsNote.textContent = rigs.length === 0 ? "The fleet's file has no rig." : chosen.length === 0 ? "No rig has what is looked for." : chosen.length < rigs.length ? `${chosen.length} of ${counted(rigs.length, "rig")}` : "";
    rigsNote.hidden = rigsNote.textContent === "";
  };

  const showStates = onChange((/** @type {Record<string, number>} */ counts) => {
    const text = (/** @type {string} */ word) => `${word} (${counts[word] ?? 0})`;
    fill(stateField, field("State", select([["", "all"], ...["running", "waiting", "free", "reserved", "drained", "overdue", "not passed"].map((one) => /** @type {[string, string]} */ ([one, text(one)]))], which, (value) => {
      which = value;
      show();
    }, { "data-key": "state" })));
  });

  // What a person is to see first: what is overdue, and who keeps what from jobs.
  const showNotice = onChange((/** @type {{ late: { job: API.FleetJob }[], held: API.FleetRig[], drained: API.FleetState["drained"] }} */ { late, held, drained }) => {
    const list = (/** @type {string} */ name, /** @type {string} */ word, /** @type {Node[]} */ items) => items.length > 0 && h("section", { class: `card fleet-${word}`, "aria-label": name }, h("div", { class: "card-head" }, h("h2", null, name), badge(word, String(items.length))), h("ul", { class: "fleet-list" }, items.slice(0, 12)), items.length > 12 && h("p", { class: "note" }, `and ${items.length - 12} more`));
    fill(notice, list("Overdue", "overdue", late.map(({ job }) => h("li", null, h("strong", null, job.rig), ` ${job.plan}, `, time("late", job.due)))),
      list("Reserved", "reserved", held.map((rig) => h("li", null, h("strong", null, rig.rig), ` ${rig.reserved?.who}: ${rig.reserved?.why}, `, time("left", rig.reserved?.until ?? 0)))),
      list("Drained", "drained", drained.map((one) => h("li", null, h("strong", null, one.machine), ` ${one.who}: ${one.why}`))));
    notice.hidden = notice.childElementCount === 0;
  });

  const showOrder = () => {
    if (!followed || !state) return;
    for (const id of followed.jobs) {
      const open = state.open.find((job) => job.job === id), last = state.rigs.find((rig) => rig.last?.job === id)?.last;
      // One that is over, and of which a later one of its rig is over already, is told by its rig's history alone.
      if (!open && !followed.ended.has(id)) followed.ended.set(id, last ?? null);
    }
    const jobs = followed.jobs, open = state.open.filter((job) => jobs.includes(job.job));
    showFollowed({
      title: followed.title, count: jobs.length, running: open.filter((job) => job.state !== "waiting").length, waiting: open.filter((job) => job.state === "waiting").length,
      ended: [...followed.ended.values()].map((job) => job && { job, run: runs.get(job.job)?.run }),
    });
  };
  let wasOver = false;
  const showFollowed = onChange((/** @type {{ title: string, count: number, running: number, waiting: number, ended: ({ job: API.FleetJob, run?: API.RunRow } | null)[] }} */ { title, count, running, waiting, ended }) => {
    const tally = new Map(/** @type {[string, { word: string, count: number }][]} */ ([]));
    for (const one of ended) {
      const [word, text] = one ? outcome(one.job) : ["not judged", "over"];
      tally.set(text, { word, count: (tally.get(text)?.count ?? 0) + 1 });
    }
    const isOver = ended.length === count, other = ended.flatMap((one) => one && one.job.code !== 0 ? [one.job] : []);
    fill(order, h("section", { class: "card", "aria-labelledby": "fleet-order" }, h("div", { class: "card-head" }, h("h2", { id: "fleet-order" }, `Ordered: ${title}`),
      h("div", { class: "actions" }, h("button", { type: "button", class: "small", "data-key": "forget", onclick: () => {
        followed = undefined;
        fill(order);
      } }, "Dismiss"))),
    h("div", { class: "progress" }, h("progress", { max: count, value: ended.length, "aria-label": `Jobs of ${title} that are over` }),
      running > 0 && badge("running", counted(running, "runs", "run")), waiting > 0 && badge("waiting", counted(waiting, "waits", "wait")),
      [...tally].map(([text, { word, count: many }]) => badge(word, `${many} ${text}`))),
    other.length > 0 && h("ul", { class: "fleet-list" }, other.slice(0, 12).map((job) => h("li", null, h("strong", null, job.rig), " ", ending(job))))));
    if (isOver && !wasOver) say(`${title}: all is over.`);
    wasOver = isOver;
  });

  const show = () => {
    if (signal.aborted) return;
    runButton.disabled = !state || !file || file.plans.length === 0;
    body.hidden = !state;
    showAlerts({ fault, isKnown: Boolean(state), hasClerk: state?.hasClerk !== false });
    place.classList.toggle("old", fault !== "");
    if (!state) {
      if (fault) fill(eyebrow);
      return;
    }
    fill(eyebrow, `${file?.name ?? ""}: ${counted(state.rigs.length, "rig")} on ${counted(file?.machines.length ?? 0, "machine")}. Times are UTC.`);
    /** @type {Record<string, number>} */
    const counts = {};
    for (const rig of state.rigs) for (const kind of new Set(kinds(rig))) if (kind) counts[kind] = (counts[kind] ?? 0) + 1;
    showStates(counts);
    const late = state.rigs.flatMap((rig) => state?.open.filter((job) => job.job === rig.overdue) ?? []);
    showNotice({ late: late.map((job) => ({ job })), held: state.rigs.filter((rig) => rig.reserved), drained: state.drained });
    showOrder();
    showQueue();
    showRigs();
  };
  const age = h("span", { class: "number" });
  const showAlerts = onChange((/** @type {{ fault: string, isKnown: boolean, hasClerk: boolean }} */ now_) => {
    fill(alerts, now_.fault && (now_.isKnown ? h("p", { class: "stale-words", role: "alert" }, `${sentence(now_.fault)} What is shown is `, age, " old.")
      : empty("The fleet's book cannot be read", sentence(now_.fault), "It is asked again every few seconds.", h("p", null, "How a fleet begins: docs/FLEET.md; its file is checked by ", code(`haprig fleet check ${benchNow()?.fleet?.file ?? "fleet.yaml"}`), "."))),
    !now_.fault && !now_.hasClerk && h("p", { class: "asked" }, "No master is at work: jobs wait until one is."));
  });
  const sentence = (/** @type {string} */ text) => `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? "" : "."}`;

  const tick = () => {
    age.textContent = span((performance.now() - cameAt) / 1000);
    // What is old does not go on.
    if (fault || !state) return;
    place.querySelectorAll("time[data-told]").forEach((one) => {
      const { told, at } = /** @type {HTMLElement} */ (one).dataset, text = TOLD[told ?? ""]?.(Number(at)) ?? "";
      if (one.textContent !== text) one.textContent = text;
    });
  };
  const ticking = setInterval(tick, 1000);

  const begin = async () => {
    let bench = benchNow();
    try {
      bench ??= await refreshBench();
    } catch (error) {
      fault = error instanceof Error ? error.message : String(error);
    }
    if (signal.aborted) return;
    if (bench && !bench.fleet) {
      runButton.disabled = true;
      fill(eyebrow);
      fill(alerts, empty("No fleet is known here", h("p", null, "Start the workbench with ", code("haprig serve --fleet fleet.yaml"), ", or in a folder where a ", code("fleet.yaml"), " lies."),
        "What stands in it, and how a fleet begins, is told in docs/FLEET.md."));
      return;
    }
    show();
    ask();
  };
  document.addEventListener("visibilitychange", () => { if (!document.hidden) ask(); }, { signal });
  pageKeys([
    { keys: "r", does: "Run a plan", changes: true, act: () => { if (!runButton.disabled) startRun(); } },
    { keys: "m", does: "Rigs by machine, or by model", act: () => {
      const other = grouping === "machine" ? "model" : "machine";
      filters.querySelectorAll(".segmented button").forEach((one) => { if (one instanceof HTMLElement && one.dataset.key === `Groups-${other}`) one.click(); });
    } },
    { keys: "ArrowUp ArrowDown", does: "From rig to rig, and from job to job; Tab goes to their buttons" },
    { keys: "Enter", does: "On a rig: run a plan on it; on a job: cancel it", changes: true },
  ]);
  begin();
  return () => {
    controller.abort();
    clearTimeout(timer);
    clearInterval(ticking);
  };
}
