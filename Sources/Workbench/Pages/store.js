// SPDX-License-Identifier: Apache-2.0
// What several pages share: the bench as it is now, runs that are picked to be compared, work that is started.
import { get, post, Refusal } from "./api.js";
import { shout, toast } from "./dom.js";
import { link } from "./socket.js";

/** @type {API.Bench | undefined} */
let bench;
/** When the bench was told, by the page's clock. */
let toldAt = 0;
/** @type {Set<(bench: API.Bench) => void>} */
const listeners = new Set();

/** @param {API.Bench} now */
function keep(now) {
  bench = now;
  toldAt = performance.now();
  listeners.forEach((tell) => tell(now));
}

export const benchNow = () => bench;
export const benchAge = () => (performance.now() - toldAt) / 1000;

/** Asks for the bench now. */
export async function refreshBench() {
  const now = /** @type {API.Bench} */ (await get("bench"));
  keep(now);
  return now;
}

/**
 * Tells the bench whenever it changes, at once where it is known.
 *
 * @param {(bench: API.Bench) => void} tell
 * @returns {() => void}
 */
export function watchBench(tell) {
  if (listeners.size === 0) {
    stop = link.watch("bench", {
      watch: () => ({ watch: "bench" }),
      told: (message) => {
        const { topic: _, ...rest } = /** @type {any} */ (message);
        if (rest.rigs) keep(rest);
      },
    });
  }
  listeners.add(tell);
  if (bench) tell(bench);
  return () => {
    listeners.delete(tell);
    if (listeners.size === 0) stop();
  };
}
let stop = () => {};

const PICKED = "haprig.compare";
/**
 * The runs that are picked to be compared.
 *
 * @returns {string[]}
 */
export function picked() {
  try {
    return JSON.parse(sessionStorage.getItem(PICKED) ?? "[]");
  } catch {
    return [];
  }
}

/** @param {string} run @returns {string[]} */
export function togglePicked(run) {
  const now = picked();
  const next = now.includes(run) ? now.filter((one) => one !== run) : [...now, run].slice(-6);
  sessionStorage.setItem(PICKED, JSON.stringify(next));
  document.dispatchEvent(new Event("picked"));
  return next;
}

/**
 * The drive that this page holds.
 *
 * @type {{ job: string, rig: string, title: string, since: number } | undefined}
 */
let holding;
export const heldDrive = () => holding;

/**
 * Starts work; a sentence says why it cannot be.
 *
 * @param {API.JobRequest} request
 * @returns {Promise<API.Job | undefined>}
 */
export async function start(request) {
  try {
    const answer = await post("jobs", request);
    const job = /** @type {API.Job} */ (answer.job ?? answer);
    if (request.kind === "play") {
      holding = {
        job: job.id, rig: request.rig ?? "", title: (request.patterns ?? []).join(", "), since: performance.now(),
      };
      link.hold(job.id);
      document.dispatchEvent(new Event("held"));
      follow(job.id);
    }
    document.dispatchEvent(new Event("jobs"));
    return job;
  } catch (error) {
    toast(error instanceof Error ? error.message : String(error), "bad");
    return undefined;
  }
}

/**
 * Lets go of the drive that this page holds.
 *
 * @param {string} [why]
 */
export async function letGo(why) {
  const drive = holding;
  if (!drive) return;
  // Without beats the drive is at zero within half a second, whatever the server still hears.
  link.letGo(drive.job);
  holding = undefined;
  document.dispatchEvent(new Event("held"));
  if (why) shout(why);
  await post(`jobs/${encodeURIComponent(drive.job)}/stop`, {}, true).catch(() => {});
}

/** @param {string} id */
async function follow(id) {
  while (holding?.job === id) {
    await new Promise((done) => setTimeout(done, 500));
    try {
      const job = /** @type {API.Job} */ (await get(`jobs/${encodeURIComponent(id)}`));
      if (job.state === "running" || holding?.job !== id) continue;
      link.letGo(id);
      holding = undefined;
      document.dispatchEvent(new Event("held"));
      if (job.state === "failed") toast(lastWords(job) || "The play failed.", "bad");
      else toast("Played to its end.");
    } catch (error) {
      if (error instanceof Refusal && error.status === 404) return letGo();
    }
  }
  return undefined;
}
link.listeners.add(() => {
  if (link.state === "lost") letGo("The link broke: the drive has stopped itself.");
});
document.addEventListener("visibilitychange", () => {
  if (document.hidden) letGo("The drive was stopped: a page that is hidden holds none.");
});
addEventListener("pagehide", () => { letGo(); });

/**
 * Waits for the end of a job.
 *
 * @param {API.Job} job
 * @param {AbortSignal} signal
 * @returns {Promise<API.Job>}
 */
export async function endOf(job, signal) {
  while (job.state === "running") {
    await new Promise((done) => setTimeout(done, 400));
    job = await get(`jobs/${encodeURIComponent(job.id)}`, signal);
  }
  return job;
}

/**
 * The live run of a job as soon as it is there; nothing where the job has ended before.
 *
 * @param {API.Job} job
 * @returns {Promise<string | undefined>}
 */
export async function liveOf(job) {
  for (let tries = 0; tries < 25; tries += 1) {
    if (job.live) return job.live;
    if (job.state !== "running") break;
    await new Promise((done) => setTimeout(done, 200));
    try {
      job = await get(`jobs/${encodeURIComponent(job.id)}`);
    } catch {
      break;
    }
  }
  if (job.state === "failed") toast(lastWords(job) || "It failed.", "bad");
  return job.live ?? undefined;
}

/** @param {API.Job} job */
export function lastWords(job) {
  const said = Array.isArray(job.said) ? job.said.join("\n") : job.said ?? "";
  return said.trim().split("\n").slice(-1)[0] ?? "";
}

/**
 * Stops a live run or a job.
 *
 * @param {string} path
 */
export async function stopWork(path) {
  try {
    await post(`${path}/stop`);
    toast("Asked to stop: the drive goes to zero, what was recorded is kept.");
  } catch (error) {
    toast(error instanceof Error ? error.message : String(error), "bad");
  }
}

/**
 * The word for a run: its verdict, or how it ended where it did not come to its end.
 *
 * @param {API.RunRow} row
 */
export const runWord = (row) => row.verdict && (row.outcome === "complete" || !row.outcome) ? row.verdict : row.outcome;
