// SPDX-License-Identifier: Apache-2.0
// What people ask of a fleet: the dialogs of the orders, and what is said of what came of them.
import { post } from "./api.js";
import { benchNow } from "./store.js";
import { dialog, field, fill, h, select, toast } from "./dom.js";
import { counted, duration } from "./format.js";

const BY = "haprig.fleet.by";
/** How many jobs one request may name. */
const JOBS = 200;

/**
 * Sends an order; what is refused is said.
 *
 * @param {string} order
 * @param {unknown} body
 * @returns {Promise<any>} nothing where it was refused
 */
async function send(order, body) {
  try {
    return await post(`fleet/${order}`, body);
  } catch (error) {
    toast(error instanceof Error ? error.message : String(error), "bad");
    return undefined;
  }
}

/** Who asks, as the book is to know it: kept for the next order. */
function whoField() {
  const input = h("input", {
    type: "text", required: true, maxlength: 64, pattern: "[A-Za-z0-9_.\\-]+", autocomplete: "off", spellcheck: "false", "data-key": "by", title: "Letters, digits, '-', '_' and '.'",
    value: localStorage.getItem(BY) ?? benchNow()?.fleet?.by ?? "",
  });
  return { input, element: field("Who asks", input), name: () => {
    const by = input.value.trim();
    if (by !== benchNow()?.fleet?.by) localStorage.setItem(BY, by);
    else localStorage.removeItem(BY);
    return { by };
  } };
}

/**
 * A dialog with one order.
 *
 * @param {string} title @param {string} verb @param {import("./dom.js").Child[]} content
 * @param {() => Promise<string | undefined>} act says what was done; nothing where it was refused
 * @param {string} [kind] of the button
 * @param {string} [other] what the other button says
 */
function orderDialog(title, verb, content, act, kind = "primary", other = "Cancel") {
  dialog(title, (close) => {
    const go = h("button", { type: "submit", class: kind, "data-key": "go" }, verb);
    return [h("form", { onsubmit: async (/** @type {Event} */ event) => {
      event.preventDefault();
      go.disabled = true;
      const words = await act();
      go.disabled = false;
      if (!words) return;
      // What is said stands on the page, and not in a dialog that goes.
      close();
      toast(words);
    } }, ...content, h("div", { class: "box-foot" }, go, h("button", { type: "button", onclick: close }, other)))];
  });
}

/** @param {API.FleetPlan} plan when it is done, and what */
function about(plan) {
  const times = plan.at.length === 0 ? "done when somebody asks"
    : `done by itself at ${plan.at.join(", ")} UTC${plan.days.length === 7 ? "" : ` on ${plan.days.join(", ")}`}`;
  return `${plan.do}${plan.file ? ` ${plan.file}` : ""}: ${times}; ${duration(plan.limit)} at most.`;
}

/**
 * Orders a plan.
 *
 * @param {API.FleetFile} file
 * @param {API.FleetState} state
 * @param {{ rig?: string, model?: string }} on
 * @param {(title: string, jobs: string[]) => void} done
 */
export function runDialog(file, state, on, done) {
  let plan = file.plans.find((one) => one.rigs.includes(on.rig ?? ""))?.name ?? file.plans[0]?.name ?? "";
  let choice = on.rig ? `rig:${on.rig}` : on.model ? `model:${on.model}` : "plan";
  const place = h("div"), words = h("p", { class: "note" }), who = whoField();
  const models = [...new Set(state.rigs.flatMap((rig) => rig.model ? [rig.model] : []))].sort();
  const chosen = () => file.plans.find((one) => one.name === plan);
  const show = () => {
    const now = chosen();
    const list = h("select", { "data-key": "on", onchange: () => { choice = list.value; } },
      h("option", { value: "plan" }, `the plan's own: ${counted(now?.rigs.length ?? 0, "rig")}`),
      models.length > 0 && h("optgroup", { label: "All of a model" }, models.map((one) => h("option", { value: `model:${one}` }, `${one}: ${counted(state.rigs.filter((rig) => rig.model === one).length, "rig")}`))),
      h("optgroup", { label: "One rig" }, state.rigs.map((rig) => h("option", { value: `rig:${rig.rig}` }, rig.state === "free" ? rig.rig : `${rig.rig} (${rig.state})`))));
    list.value = choice;
    fill(place, field("On", list));
    words.textContent = now ? about(now) : "";
  };
  show();
  orderDialog("Run a plan", "Run", [
    field("Plan", select(file.plans.map((one) => [one.name, one.name]), plan, (value) => {
      plan = value;
      show();
    }, { "data-key": "plan" })), words, place, who.element,
    h("p", { class: "note" }, "A job for each rig, due now; it waits for its rig where that is in use."),
  ], async () => {
    const [kind, name] = [choice.slice(0, choice.indexOf(":")), choice.slice(choice.indexOf(":") + 1)];
    const answer = await send("run", { plan, ...kind === "rig" && { rig: name }, ...kind === "model" && { model: name }, ...who.name() });
    if (!answer) return undefined;
    const { jobs } = /** @type {{ jobs: string[] }} */ (answer);
    done(`${plan} on ${choice === "plan" ? counted(jobs.length, "rig") : name}`, jobs);
    return `Ordered: ${counted(jobs.length, "job")} of ${plan}.`;
  });
}

/**
 * Ends jobs, once that is confirmed.
 *
 * @param {API.FleetJob[]} jobs
 * @param {() => void} done
 */
export function cancelDialog(jobs, done) {
  if (jobs.length === 0) return;
  const who = whoField(), running = jobs.filter((job) => job.state !== "waiting").length;
  const words = running === 0 ? "What waits is over at once." : "What runs is stopped as by Ctrl-C: the drive goes to zero, and what was recorded is kept.";
  orderDialog(jobs.length === 1 ? "Cancel a job" : `Cancel ${counted(jobs.length, "job")}`, jobs.length === 1 ? "End it" : `End all ${jobs.length}`, [
    h("ul", { class: "fleet-list" }, jobs.slice(0, 8).map((job) => h("li", null, h("strong", null, job.plan), ` on ${job.rig}, `, job.state === "waiting" ? "waits" : "runs", h("span", { class: "detail" }, job.job)))),
    jobs.length > 8 && h("p", { class: "note" }, `and ${jobs.length - 8} more`), h("p", null, words), who.element,
  ], async () => {
    let count = 0;
    for (let first = 0; first < jobs.length; first += JOBS) {
      const answer = await send("cancel", { jobs: jobs.slice(first, first + JOBS).map((job) => job.job), ...who.name() });
      if (!answer) return undefined;
      count += /** @type {{ jobs: { cancelled: boolean }[] }} */ (answer).jobs.filter((one) => one.cancelled).length;
    }
    done();
    return `Cancelled: ${counted(count, "job")}${count === jobs.length ? "" : "; the rest was over already"}.`;
  }, "stop", "Let it go on");
}

/** @param {string} rig @param {() => void} done */
export function reserveDialog(rig, done) {
  const who = whoField();
  const number = h("input", { type: "number", class: "short", min: "0.1", max: "1000", step: "any", value: "2", required: true, "data-key": "for", "aria-label": "For how long" });
  const unit = select([["min", "minutes"], ["h", "hours"], ["d", "days"]], "h", () => {}, { "data-key": "unit", "aria-label": "Unit of time" });
  const why = h("input", { type: "text", required: true, maxlength: 200, autocomplete: "off", "data-key": "why" });
  orderDialog(`Reserve ${rig}`, "Reserve", [
    h("div", { class: "field" }, h("span", null, "For how long"), h("div", { class: "fleet-length" }, number, unit)), field("Why, for those who wait", why), who.element,
    h("p", { class: "note" }, "Jobs wait meanwhile, or are given up where their plan says so. One that runs ends first."),
  ], async () => {
    const answer = await send("reserve", { rig, for: `${number.value} ${unit.value}`, why: why.value.trim(), ...who.name() });
    if (!answer) return undefined;
    const { after } = /** @type {{ after?: string }} */ (answer);
    done();
    return after ? `${rig} is reserved; ${after} has it still, and ends first.` : `${rig} is yours for ${number.value} ${unit.value}.`;
  });
}

/** @param {API.FleetRig} rig @param {() => void} done */
export async function releaseRig(rig, done) {
  const release = async () => {
    if (!await send("release", { rig: rig.rig })) return undefined;
    done();
    return `${rig.rig} is free.`;
  };
  const own = localStorage.getItem(BY) ?? benchNow()?.fleet?.by;
  if (!rig.reserved || rig.reserved.who === own) {
    const words = await release();
    if (words) toast(words);
  } else orderDialog(`Release ${rig.rig}`, "Release it", [h("p", null, `${rig.reserved.who} has it: ${rig.reserved.why}. Jobs may begin on it at once.`)], release, "stop", "Leave it");
}

/** @param {string} machine @param {() => void} done */
export function drainDialog(machine, done) {
  const who = whoField(), why = h("input", { type: "text", required: true, maxlength: 200, autocomplete: "off", "data-key": "why" });
  orderDialog(`Drain ${machine}`, "Drain", [
    h("p", null, "It gets no new jobs; those that run end as they would."), field("Why, for those who wonder", why), who.element,
  ], async () => {
    const answer = await send("drain", { machine, why: why.value.trim(), ...who.name() });
    if (!answer) return undefined;
    done();
    return `${machine}: ${/** @type {{ isNew: boolean }} */ (answer).isNew ? "drained" : "was drained already"}.`;
  });
}

/** @param {string} machine @param {() => void} done */
export async function undrainMachine(machine, done) {
  if (!await send("undrain", { machine })) return;
  toast(`${machine}: gets jobs again.`);
  done();
}
