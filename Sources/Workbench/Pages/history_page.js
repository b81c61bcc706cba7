// SPDX-License-Identifier: Apache-2.0
// The nights of a plan: what changed, since when, and what somebody has accepted.
import { get, post, query } from "./api.js";
import { Chart, sharedView, zoomTools } from "./chart.js";
import { badge, code, dialog, empty, field, fill, h, put, segmented, select, toast } from "./dom.js";
import { counted, difference, moment, quantity, significant, typeset } from "./format.js";
import { pageKeys } from "./keys.js";
import { finds, plain, readingHead } from "./words.js";

const kept = { rig: "", plan: "", days: "90", text: "", only: "", mode: "charts" };

/** @param {HTMLElement} place @param {string[]} _path @param {URLSearchParams} params */
export function openHistory(place, _path, params) {
  for (const [name, value] of params) if (name in kept) Object.assign(kept, { [name]: value });
  const controller = new AbortController();
  const { signal } = controller;
  const filters = h("form", { class: "filters", "aria-label": "Which nights",
    onsubmit: (/** @type {Event} */ event) => event.preventDefault() });
  const head = h("div", { class: "page-head" }, h("h1", null, "History")), content = h("div", { class: "page" });
  put(place, head, filters, content);
  /** @type {IntersectionObserver | undefined} */
  let observer;
  const rigChoice = h("select", { onchange: () => { kept.rig = rigChoice.value; kept.plan = ""; choose(); } });
  const planChoice = h("select", { onchange: () => { kept.plan = planChoice.value; load(); } });
  const search = h("input", { type: "search", value: kept.text, placeholder: "latency", oninput: () => {
    kept.text = search.value.trim();
    showSeries();
  } });
  put(filters, field("Rig", rigChoice), field("Plan", planChoice), field("Nights", select(
    [["30", "30 days"], ["90", "90 days"], ["365", "a year"], ["3650", "all"]], kept.days, (value) => { kept.days = value; load(); })),
  field("Reading", search, "grow"), field("Only", select([["", "all series"], ["changed", "changed or suspected"], ["limited", "with a limit"]],
    kept.only, (value) => { kept.only = value; showSeries(); })),
  segmented("Shown as", [["charts", "Charts"], ["table", "Table"]], kept.mode, (value) => { kept.mode = value; showSeries(); }));

  const choose = async () => {
    const all = /** @type {API.Runs} */ (await get("runs?limit=1", signal));
    const rigs = (all.facets?.rig ?? []).map((one) => one.value);
    if (rigs.length === 0) {
      filters.hidden = true;
      fill(content, empty("There is no night yet", h("p", null, "A history begins with the second night of a plan. Run one each night: ",
        code("haprig nightly --rig rigs/bench-1.yaml --plan rigs/plans/nightly.yaml"), ", by the systemd timer of docs/NIGHTLY.md."),
      h("p", null, "What an older rig measured comes in as a table by ", code("haprig archive import"), ".")));
      return;
    }
    if (!rigs.includes(kept.rig)) kept.rig = rigs[0];
    const own = /** @type {API.Runs} */ (await get(`runs${query({ rig: kept.rig, limit: 1 })}`, signal));
    const plans = (own.facets?.plan ?? []).map((one) => one.value);
    if (!plans.includes(kept.plan)) kept.plan = plans.find((one) => one.includes("night")) ?? plans[0] ?? "";
    fill(rigChoice, rigs.map((one) => h("option", { value: one }, one)));
    fill(planChoice, plans.map((one) => h("option", { value: one }, one)));
    rigChoice.value = kept.rig;
    planChoice.value = kept.plan;
    await load();
  };
  /** @type {API.History | undefined} */
  let history;
  const seriesPlace = h("div", { class: "series-place" });
  const load = async () => {
    fill(content, h("p", { class: "note", role: "status" }, "Looking at the nights…"));
    try {
      history = /** @type {API.History} */ (await get(`history${query({ rig: kept.rig, plan: kept.plan, days: kept.days })}`, signal));
      show();
    } catch (error) {
      if (!signal.aborted) fill(content, empty("Its history cannot be told", error instanceof Error ? error.message : String(error)));
    }
  };
  const show = () => {
    const now = history;
    if (!now) return;
    fill(head, h("h1", null, "History"), badge(OUTCOMES[now.outcome] ?? "not judged", now.outcome),
    h("p", { class: "eyebrow" }, `${now.plan} on ${now.rig}: ${counted(now.nights, "night")}, ${now.from ?? ""} to ${now.to ?? ""}`));
    const open = now.incidents.filter((one) => !SETTLED.includes(one.standing)), past = now.incidents.filter((one) => SETTLED.includes(one.standing));
    const sure = open.filter((one) => isSure(one.standing)), unsure = open.filter((one) => !isSure(one.standing));
    const cards = [...sure.map((one) => incident(one, now, accept)), ...now.drifts.map((one) => drift(one, now)),
      ...unsure.map((one) => incident(one, now, accept))];
    fill(content, h("section", { class: "card", "aria-labelledby": "found-title" }, h("h2", { id: "found-title" }, "What changed"),
      now.sentences.length > 0 && h("p", null, typeset(now.sentences[0])),
      cards.length === 0 ? h("p", { class: "note" }, "No change asks for anything.")
        : h("div", { class: "changes-grid" }, cards.slice(0, MOST_CARDS)),
      cards.length > MOST_CARDS && h("p", { class: "note" }, `${counted(cards.length - MOST_CARDS, "more")}: their series head the list below.`),
      now.sentences.length > 1 && h("details", null, h("summary", null, "In words"),
        h("ul", { class: "findings" }, now.sentences.slice(1).map((one) => h("li", null, typeset(one))))),
      past.length > 0 && h("details", null, h("summary", null, `${counted(past.length, "incident")} that ${past.length === 1 ? "asks" : "ask"} for nothing`),
        past.map((one) => incident(one, now, accept, false))),
      now.violations.length > 0 && h("details", null, h("summary", null, `${counted(now.violations.length, "limit")} broken in the newest night`),
        h("ul", null, now.violations.map((one) => h("li", null, h("a", { href: `#/runs/${one.run}` }, one.run), `: ${plain(one.reading)}${
          one.pattern ? ` of ${one.pattern}` : ""} ${quantity(one.value, unitOf(now, one.reading), one.uncertainty)}, limit ${one.limit}`)))),
      now.decisions.length > 0 && h("details", null, h("summary", null, `${counted(now.decisions.length, "decision")} about baselines`),
        h("ul", null, now.decisions.map((one) => h("li", null, `${one.kind} from ${one.from}: ${[one.reading ? plain(one.reading) : "all readings", one.pattern, one.actuator]
          .filter(Boolean).join(" of ")}, by ${one.who ?? "somebody"}${one.when ? ` on ${one.when.slice(0, 10)}` : ""}: ${one.why ?? ""}`)))),
      now.notes.map((note) => h("p", { class: "note" }, typeset(note))),
      now.runs.length > 0 && h("p", { class: "note" }, "Newest nights: ", now.runs.slice().sort((a, b) => b.began.localeCompare(a.began)).slice(0, 5).flatMap((run, index) =>
        [index > 0 ? ", " : "", h("a", { href: `#/runs/${run.id}` }, moment(run.day)), " ", badge(run.imported ? "imported" : run.status === "complete" ? run.verdict : run.status)]))),
    seriesPlace);
    showSeries();
  };
  /** @param {Record<string, string>} what @param {string} words */
  const accept = (what, words) => {
    const why = h("textarea", { required: true, minlength: 3, rows: 3 });
    dialog("Accept as the new baseline", (close) => [h("p", null, words), h("form", { onsubmit: async (/** @type {Event} */ event) => {
      event.preventDefault();
      try {
        await post("history/accept", { rig: kept.rig, plan: kept.plan, ...what, why: why.value.trim() });
        close();
        toast("Accepted. It raises nothing any more, and says why.");
        load();
      } catch (error) {
        toast(error instanceof Error ? error.message : String(error), "bad");
      }
    } }, field("Why, for whoever reads the history later", why), h("div", { class: "box-foot" },
      h("button", { type: "submit", class: "primary" }, "Accept"), h("button", { type: "button", onclick: close }, "Cancel")))]);
  };
  const showSeries = () => {
    const now = history;
    if (!now) return;
    observer?.disconnect();
    const isChanged = (/** @type {API.Series} */ one) => (one.changes?.length ?? 0) > 0 || ["suspected", "off"].includes(one.newest?.state ?? "");
    const chosen = now.series.filter((one) => (!kept.text || finds(kept.text, one.reading, one.pattern, one.actuator))
      && (kept.only !== "changed" || isChanged(one)) && (kept.only !== "limited" || one.limit))
      .sort((a, b) => Number(isChanged(b)) - Number(isChanged(a)));
    const title = h("div", { class: "page-head" }, h("h2", null, `${counted(chosen.length, "series", "series")} of ${now.series.length}`));
    if (chosen.length === 0) {
      fill(seriesPlace, title, empty("No series is like that", "Clear the filter, or ask for less of it."));
      return;
    }
    if (kept.mode === "table") {
      fill(seriesPlace, title, h("div", { class: "card scroll" }, seriesTable(chosen, accept)));
      return;
    }
    const view = sharedView();
    // The charts are one stop of Tab: arrows go from one to the next, and what stands in a card follows its chart.
    let at = 0;
    const reach = (/** @type {number} */ index) => {
      for (const one of cards[index].querySelectorAll(".plot, a, button")) {
        if (one.classList.contains("plot")) one.setAttribute("tabindex", index === at ? "0" : "-1");
        else if (index === at) one.removeAttribute("tabindex");
        else one.setAttribute("tabindex", "-1");
      }
    };
    const draw = (/** @type {number} */ index) => {
      observer?.unobserve(cards[index]);
      if (cards[index].childElementCount > 0) return;
      fill(cards[index], seriesCard(chosen[index], view, from, to, isFirst, accept));
      isFirst = false;
      reach(index);
    };
    const turnTo = (/** @type {number} */ index) => {
      const before = at;
      at = index;
      draw(index);
      reach(before);
      reach(index);
    };
    const days = now.series.flatMap((one) => one.nights.map((night) => dayNumber(night.day)));
    const from = Math.min(...days) - 0.5, to = Math.max(...days) + 0.5;
    let isFirst = true;
    observer = new IntersectionObserver((entries) => {
      for (const entry of entries) {
        if (entry.isIntersecting) draw(cards.indexOf(/** @type {HTMLLIElement} */ (entry.target)));
      }
    }, { rootMargin: "300px" });
    const cards = chosen.map((_, index) => h("li", { class: "card series-card", "data-index": index }));
    fill(seriesPlace, title, h("div", { class: "tools left-tools" },
      h("p", { class: "note" }, "All charts move together: drag over a part, Ctrl and wheel, or the keys of a chart. Up and down go from chart to chart."),
      zoomTools("all series", () => [...view.charts][0])),
      h("ul", { class: "series-grid", "aria-label": "Charts: up and down go from one to the next", onfocusin: (/** @type {FocusEvent} */ event) => {
        const index = cards.findIndex((card) => card.contains(/** @type {Node} */ (event.target)));
        if (index >= 0 && index !== at) turnTo(index);
      }, onkeydown: (/** @type {KeyboardEvent} */ event) => {
        const next = /** @type {Record<string, number>} */ ({ ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: cards.length - 1 })[event.key];
        if (next === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
        event.preventDefault();
        turnTo(Math.max(0, Math.min(cards.length - 1, next)));
        cards[at].scrollIntoView({ block: "nearest" });
        /** @type {HTMLElement | null} */ (cards[at].querySelector(".plot"))?.focus({ preventScroll: true });
      } }, cards));
    for (const card of cards) observer.observe(card);
  };
  choose().catch((error) => {
    if (!signal.aborted) fill(content, empty("The archive does not answer", error.message));
  });
  pageKeys([
    { keys: "t", does: "Charts or table", act: () => {
      const other = filters.querySelector(".segmented [aria-pressed='false']");
      if (other instanceof HTMLElement) other.click();
    } },
  ]);
  return () => {
    controller.abort();
    observer?.disconnect();
  };
}

/** What a change stands for, by the words of docs/NIGHTLY.md. */
const STANDINGS = /** @type {Record<string, string>} */ ({
  raised: "worse", heldBack: "held back", rigMoved: "rig moved", unconfirmed: "unconfirmed", suspected: "suspected",
  improved: "better", recovered: "made good", accepted: "accepted",
});
const OUTCOMES = /** @type {Record<string, string>} */ ({
  regression: "fail", "outside limits": "fail", "rig moved": "marginal", unconfirmed: "marginal",
  "too few nights": "not measured", steady: "pass",
});
/** @param {string} standing */
const wordOf = (standing) => STANDINGS[standing] ?? standing;
/**
 * Whether somebody has still to say something to it.
 *
 * @param {string} standing
 */
const isOpen = (standing) => ["raised", "heldBack", "rigMoved", "unconfirmed"].includes(standing);
/**
 * The chance that there is nothing.
 *
 * @param {number | undefined} p
 */
const chance = (p) => p === undefined ? "" : p < 1e-9 ? ", p below 1e-9" : `, p ${significant(p)}`;

/** @param {string} day @returns {number} days since 1970 */
const dayNumber = (day) => Date.parse(`${day}T00:00:00Z`) / 864e5;

/** @param {{ reading: string, pattern?: string, actuator?: string }} one */
const nameOf = (one) => [plain(one.reading), one.pattern, one.actuator].filter(Boolean).join(" of ");

/** @param {API.History} history @param {string} reading */
const unitOf = (history, reading) => history.series.find((one) => one.reading === reading)?.unit ?? "1";

/** So many things that happened are shown as cards. */
const MOST_CARDS = 24;
/** What asks for nothing any more. */
const SETTLED = ["improved", "recovered", "accepted"];
/** @param {string} standing */
const isSure = (standing) => ["raised", "rigMoved", "heldBack"].includes(standing);
/**
 * Whose a change is.
 *
 * @param {string | undefined} owner
 */
const whose = (owner) => h("span", { class: "detail" }, owner === "rig" ? "The rig: look at the measurement first"
  : owner === "product" ? "The product" : "The product or the rig: the plan has no control that could tell");
/**
 * What a series is of; on which actuator only where there are several.
 *
 * @param {API.History} history
 * @param {{ reading: string, pattern?: string, actuator?: string }} one
 */
const subjectOf = (history, one) => nameOf({ ...one, actuator: history.series.every((other) => !other.actuator || other.actuator === one.actuator)
  ? undefined : one.actuator });

/**
 * The picture of the series that something happened to.
 *
 * @param {API.History} history
 * @param {{ reading: string, pattern?: string, actuator?: string }} one
 */
function picture(history, one) {
  const series = history.series.find((other) => other.reading === one.reading && other.pattern === one.pattern && other.actuator === one.actuator);
  if (!series || series.nights.length === 0) return null;
  const days = series.nights.map((night) => dayNumber(night.day));
  return seriesChart(series, sharedView(), Math.min(...days) - 0.5, Math.max(...days) + 0.5, false).element;
}

/** @param {API.HistoryDrift} one @param {API.History} history */
function drift(one, history) {
  const { lead } = one, months = (dayNumber(lead.to) - dayNumber(lead.from)) / 30.4375;
  return h("article", { class: "incident" }, h("div", { class: "card-head" }, lead.course === "better" ? badge("better", "drifts, for the better") : badge("suspected", "drifts"),
    whose(one.whose)),
  h("h3", { class: "plain" }, `${subjectOf(history, lead)} ${lead.perMonth > 0 ? "rises" : "falls"} by ${
    quantity(Math.abs(lead.perMonth), lead.unit, lead.uncertainty)} a month`),
  h("p", null, `Steadily since ${lead.from} (${counted(lead.nights, "night")}), by `, h("strong", null, difference(lead.perMonth * months, lead.unit)),
    " in all; no single night began it."),
  picture(history, lead),
  one.others.length > 0 && h("details", null, h("summary", null, `${counted(one.others.length, "more reading")} with it`),
    h("ul", null, one.others.map((other) => h("li", null, `${subjectOf(history, other)}: ${difference(other.perMonth, other.unit, other.uncertainty)} a month`)))));
}

/**
 * @param {API.Incident} one
 * @param {API.History} history
 * @param {(what: Record<string, string>, words: string) => void} accept
 * @param {boolean} [hasPicture]
 */
function incident(one, history, accept, hasPicture = true) {
  const { lead } = one, effect = lead.effect ?? lead.after - lead.before;
  const open = isOpen(one.standing), verb = ["suspected", "unconfirmed"].includes(one.standing) ? "seems to have gone" : "went";
  return h("article", { class: open ? "incident open" : "incident" }, h("div", { class: "card-head" }, badge(wordOf(one.standing)),
    whose(one.whose), h("div", { class: "actions" }, lead.runBefore && lead.runAfter && h("a", {
      class: "button", href: `#/compare${query({ run: [lead.runBefore, lead.runAfter] })}`,
    }, "Compare before and after"), open && h("button", { type: "button", class: "acts", onclick: () => accept({ incident: one.from },
      `Everything that began on ${one.from}: ${subjectOf(history, lead)}${one.others.length ? ` and ${counted(one.others.length, "other reading")}` : ""}.`) }, "Accept…"))),
  h("h3", { class: "plain" }, `${subjectOf(history, lead)} ${verb} ${effect > 0 ? "up" : "down"} by ${
    quantity(Math.abs(effect), lead.unit, lead.uncertainty)} ${one.from === one.to ? `on ${one.from}` : `from ${one.from} to ${one.to}`}`),
  h("p", null, `From ${quantity(lead.before, lead.unit)} to ${quantity(lead.after, lead.unit)}${chance(lead.significance)}. ${
    one.reason ? `${one.reason[0].toUpperCase()}${one.reason.slice(1)}.` : ""}`,
  one.nightsToConfirm ? ` ${counted(one.nightsToConfirm, "more night")} would confirm it.` : ""),
  lead.environment?.length ? h("p", { class: "note" }, `What else changed: ${lead.environment.map((change) =>
    `${change.key} ${change.good ?? "?"} → ${change.bad ?? "?"}`).join("; ")}.`) : null,
  hasPicture && picture(history, lead),
  one.others.length > 0 && h("details", null, h("summary", null, `With it: ${counted(one.others.length, "other reading")}`),
    h("ul", null, one.others.map((other) => h("li", null, `${subjectOf(history, other)}: ${difference(other.effect, other.unit ?? unitOf(history, other.reading), other.uncertainty)}${
      other.tie ? `, ${other.tie}${other.explained ? ` (${significant(100 * other.explained)} % explained)` : ""}` : ""}`)))));
}

/** @param {API.Series} one */
function stateOf(one) {
  const change = one.changes?.[one.changes.length - 1];
  const state = one.newest?.state ?? "steady";
  if (change && !["accepted", "recovered"].includes(change.standing)) {
    return badge(wordOf(change.standing), `${wordOf(change.standing)} since ${change.day}`);
  }
  if (state === "suspected" || state === "off") {
    return badge("suspected", one.newest?.nightsToConfirm ? `${state}, ${one.newest.nightsToConfirm} to confirm` : state);
  }
  return badge(state === "too few" ? "not measured" : "steady", state);
}

/**
 * @param {API.Series} one
 * @param {import("./chart.js").View} view
 * @param {number} from
 * @param {number} to
 * @param {boolean} keeps whether the view stays where it is
 */
function seriesChart(one, view, from, to, keeps) {
  const x = one.nights.map((night) => dayNumber(night.day));
  const chart = new Chart({
    name: nameOf(one), unit: one.unit, axis: "days", height: 150, view, bare: true,
    readOut: (at) => {
      const night = one.nights.reduce((best, now) => Math.abs(dayNumber(now.day) - at) < Math.abs(dayNumber(best.day) - at) ? now : best, one.nights[0]);
      return night ? `${night.day}: ${quantity(night.value, one.unit, night.uncertainty)}, ${counted(night.count ?? 1, "run or take", "runs or takes")}` : "";
    },
  });
  const level = one.baseline?.level;
  chart.show({
    lines: [{ name: "nights", colour: "intensity", x, y: one.nights.map((night) => night.value),
      spread: one.nights.map((night) => night.uncertainty ?? 0), points: true }],
    levels: level === undefined ? [] : [{ y: level, name: "baseline", colour: "muted" }],
    marks: (one.changes ?? []).map((change) => ({ x: dayNumber(change.day) - 0.5, text: wordOf(change.standing) })), from, to, keep: keeps,
  });
  return chart;
}

/**
 * @param {API.Series} one
 * @param {import("./chart.js").View} view
 * @param {number} from
 * @param {number} to
 * @param {boolean} isFirst
 * @param {(what: Record<string, string>, words: string) => void} accept
 */
function seriesCard(one, view, from, to, isFirst, accept) {
  const chart = seriesChart(one, view, from, to, !isFirst);
  const level = one.baseline?.level;
  const last = one.nights[one.nights.length - 1];
  const open = one.changes?.some((change) => isOpen(change.standing));
  return [chart.element, h("p", { class: "note series-facts" }, stateOf(one), " ",
    level === undefined ? "" : `level ${quantity(level, one.unit, one.baseline?.spread)}`,
    one.trend && one.trend.significance < 0.01 ? `; ${difference(one.trend.perMonth, one.unit, one.trend.uncertainty)} a month` : "",
    one.limit ? `; limit ${typeset(one.limit)}` : "", last?.run ? [" · ", h("a", { href: `#/runs/${last.run}` }, "newest run")] : null,
    open && [" ", h("button", { type: "button", class: "small acts", "aria-label": `Accept ${nameOf(one)}`, onclick: () =>
      accept({ reading: one.reading }, `${plain(one.reading)} as it is now, for every pattern.`) }, "Accept…")])];
}

/** @param {API.Series[]} series @param {(what: Record<string, string>, words: string) => void} accept */
function seriesTable(series, accept) {
  return h("table", null, h("thead", null, h("tr", null, ["Reading", "Pattern", "Actuator", "State", "Newest", "Level", "Per month", "Limit", "Nights", ""]
    .map((name, index) => h("th", { scope: "col", class: [4, 5, 6, 8].includes(index) ? "number" : "" }, name || h("span", { class: "hidden" }, "Actions"))))),
  h("tbody", null, series.map((one) => {
    const last = one.nights[one.nights.length - 1];
    const open = one.changes?.some((change) => isOpen(change.standing));
    return h("tr", null, readingHead(one), h("td", null, one.pattern || "the run"), h("td", null, one.actuator ?? ""),
      h("td", null, stateOf(one)), h("td", { class: "number" }, last ? quantity(last.value, one.unit, last.uncertainty) : ""),
      h("td", { class: "number" }, one.baseline ? quantity(one.baseline.level, one.unit, one.baseline.spread) : ""),
      h("td", { class: "number" }, one.trend ? difference(one.trend.perMonth, one.unit, one.trend.uncertainty) : ""),
      h("td", null, typeset(one.limit)), h("td", { class: "number" }, one.nights.length), h("td", null, open && h("button", {
        type: "button", class: "small acts", "aria-label": `Accept ${nameOf(one)}`,
        onclick: () => accept({ reading: one.reading }, `${plain(one.reading)} as it is now, for every pattern.`) }, "Accept…")));
  })));
}
