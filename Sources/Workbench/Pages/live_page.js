// SPDX-License-Identifier: Apache-2.0
// A run while it works: what it does, what it sends and what comes back, and whatever it has found so far.
import { get, getWaves, query } from "./api.js";
import { badge, code, colour, empty, field, fill, h, put, say, select, shout } from "./dom.js";
import { clock, counted, fixed, moment, quantity, remaining, typeset, whole } from "./format.js";
import { pageKeys } from "./keys.js";
import { lossWords, RunModel } from "./run_model.js";
import { Scope, spanOf, timed } from "./scope.js";
import { Meters, Spectrum } from "./spectrum.js";
import { link } from "./socket.js";
import { refreshBench, stopWork, watchBench } from "./store.js";
import { channelColours, channelName, firstChannels, restOf } from "./waves.js";
import { readingHead } from "./words.js";

/** @param {HTMLElement} place @param {string[]} path */
export function openLive(place, path) {
  return path[0] ? openRun(place, path[0]) : openList(place);
}

/** @param {HTMLElement} place */
function openList(place) {
  const list = h("div");
  put(place, h("div", { class: "page-head" }, h("h1", null, "Live")), list);
  pageKeys([]);
  let shown = "", before = 0;
  const stop = watchBench((bench) => {
    const working = bench.live.filter((row) => row.state === "working");
    const key = JSON.stringify(bench.live.map((row) => [row.id, row.state, row.title]));
    // The only one that works is what one wants to see, also where it begins while one looks.
    if (working.length === 1 && before === 0) {
      location.replace(`#/live/${working[0].id}`);
      return;
    }
    before = working.length;
    if (key === shown) return;
    shown = key;
    fill(list, bench.live.length === 0
      ? empty("Nothing works now", h("p", null, "Start something on the ", h("a", { href: "#/bench" }, "bench"),
        ", or at a terminal: ", code("haprig run rigs/plans/smoke.yaml --rig rigs/simulated-lra.yaml"),
        ". It is shown here whoever starts it, also the nightly timer."),
      h("p", null, "What has been run is among the ", h("a", { href: "#/runs" }, "runs"), "."))
      : h("ul", { class: "cards" }, bench.live.map((row) => h("li", { class: "card" },
        h("a", { href: `#/live/${row.id}`, "data-key": row.id }, row.title ?? row.command), " ", badge(row.state),
        h("span", { class: "detail" }, [row.rig, row.command, `process ${row.process}`, `since ${moment(row.started)}`]
          .filter(Boolean).join(", "))))));
  });
  refreshBench().catch((error) => fill(list, empty("The workbench does not answer", error.message)));
  return stop;
}

/** @param {HTMLElement} place @param {string} id */
function openRun(place, id) {
  const model = new RunModel(id);
  const topic = `live/${id}`;
  const controller = new AbortController();

  // Head.
  const title = h("h1", null, "Live run"), state = h("span"), about = h("p", { class: "eyebrow" }, id);
  const stopButton = h("button", {
    type: "button", class: "stop big acts", onclick: () => stopWork(topic), disabled: true,
  }, "Stop");
  const bar = h("progress", { max: 1, value: 0, "aria-label": "Progress of the work" });
  const share = h("progress", { max: 1, value: 0, class: "thin", "aria-label": "Progress of the take" });
  const stage = h("p", { class: "stage" }), left = h("span", { class: "number left" });
  const old = h("p", { class: "stale-words", hidden: true });
  const ask = h("p", { class: "asked", role: "status", hidden: true });
  const head = h("section", { class: "card live-head", "aria-label": "Progress" },
    h("div", { class: "progress" }, bar, left), h("div", { class: "progress" }, share, stage), ask, old);

  // Waves.
  const scope = new Scope(() => {});
  const meters = new Meters(), spectrum = new Spectrum();
  const overview = h("canvas", { class: "overview-canvas" });
  const slider = h("div", {
    class: "overview", tabindex: "0", role: "slider", "aria-label": "Part of the run that is shown",
    "aria-valuemin": 0, "aria-valuemax": 0, "aria-valuenow": 0,
  }, overview);
  const followButton = h("button", { type: "button", "aria-pressed": "true", onclick: () => follow(true) }, "Follow");
  const spans = /** @type {[string, string][]} */ ([0.1, 0.5, 1, 2, 5, 10, 30, 60].map((seconds) =>
    [String(seconds), `${seconds} s`]));
  const spanChoice = select(spans, "10", (value) => zoomTo(Number(value)), { "data-key": "span" });
  const rangeChoice = select([["auto", "Fit"], ["full", "Full scale"]], "auto", (value) => {
    scope.full = value === "full";
    scope.fit();
  });
  const channelChoice = h("div", { class: "channels", role: "group", "aria-label": "Channels that are shown" });
  const spectrumChoice = h("select", { onchange: () => pollSpectrum() });
  const waves = h("section", { class: "card waves", "aria-labelledby": "waves-title" },
    h("div", { class: "card-head" }, h("h2", { id: "waves-title" }, "Waves"),
      h("div", { class: "tools" }, followButton, field("Time", spanChoice, "inline"), field("Range", rangeChoice, "inline"))),
    channelChoice, scope.element, slider, h("p", { class: "note legend", id: "waves-note" }, "No samples yet."));
  const levels = h("section", { class: "card levels", "aria-labelledby": "levels-title" },
    h("h2", { id: "levels-title" }, "Levels"), meters.element);
  const tones = h("section", { class: "card tones", "aria-labelledby": "spectrum-title" },
    h("div", { class: "card-head" }, h("h2", { id: "spectrum-title" }, "Spectrum"),
      field("Channel", spectrumChoice, "inline")), spectrum.element);
  const losses = h("section", { class: "card losses", "aria-labelledby": "losses-title" });
  const readings = h("section", { class: "card readings", "aria-labelledby": "readings-title" });
  const log = h("section", { class: "card log", "aria-labelledby": "log-title" });
  put(place, h("div", { class: "page-head" }, title, state, h("div", { class: "actions" }, stopButton), about), head,
    h("div", { class: "live-grid" }, waves, h("div", { class: "live-side" }, levels, tones, losses)),
    h("div", { class: "live-foot" }, readings, log));
  const note = /** @type {HTMLElement} */ (waves.querySelector("#waves-note"));

  /** @type {(() => void) | undefined} */
  let stopWaves;
  const askWaves = () => {
    if (model.channels.length === 0 || model.state !== "working") return;
    stopWaves?.();
    const columns = Math.max(200, Math.min(4096, scope.width));
    scope.buffer.clear(scope.seconds * scope.rate / columns);
    stopWaves = link.waves(topic, {
      spec: {
        columns, seconds: scope.seconds,
        channels: list,
      },
      told: (block) => timed(() => scope.add(block)),
    });
  };
  let asked = false, era = 0;
  /**
   * The channels that are shown, by their places.
   *
   * @type {number[]}
   */
  let list = [];
  const showChannels = () => {
    const all = channelColours(model.channels), colours = list.map((index) => all[index]);
    const shown = list.map((index) => ({ ...model.channels[index], name: channelName(model.channels[index], model.channels) }));
    scope.show(shown, model.rate, colours);
    meters.show(shown, colours);
    askWaves();
    if (!scope.follows) askStill();
  };
  const channelButtons = () => model.channels.map((channel, index) => {
    const swatch = h("i", { class: "swatch", "aria-hidden": "true" });
    swatch.style.color = `var(--${channelColours(model.channels)[index]})`;
    const button = h("button", { type: "button", class: "small", "aria-pressed": String(list.includes(index)), onclick: () => {
      const next = list.includes(index) ? list.filter((one) => one !== index) : [...list, index].sort((a, b) => a - b);
      if (next.length === 0) return;
      list = next;
      button.setAttribute("aria-pressed", String(list.includes(index)));
      showChannels();
    } }, swatch, channelName(channel, model.channels));
    return button;
  });
  const channelsKnown = () => {
    if (era === model.era || model.channels.length === 0) return;
    era = model.era;
    asked = true;
    whole_ = undefined;
    list = firstChannels(model.channels);
    fill(channelChoice, channelButtons());
    const best = Math.max(0, model.channels.findIndex((channel) => channel.kind === "response"));
    fill(spectrumChoice, model.channels.map((channel, index) => h("option", { value: String(index) }, channelName(channel, model.channels))));
    spectrumChoice.value = String(best);
    showChannels();
    overviewAsk = spectrumAt = 0;
    if (model.state !== "working") follow(false);
  };

  // The window by hand.
  const length = () => Math.max(scope.buffer.head, scope.edge, overviewTo) / scope.rate;
  /** @param {boolean} now */
  const follow = (now) => {
    if (!now && scope.follows) scope.from = Math.max(0, scope.window.from / scope.rate);
    scope.follows = now && model.state === "working";
    followButton.setAttribute("aria-pressed", String(scope.follows));
    if (!scope.follows) askStill();
  };
  /** @param {number} seconds */
  const zoomTo = (seconds) => {
    const middle = scope.from + scope.seconds / 2;
    scope.seconds = seconds;
    spanChoice.value = String(seconds);
    if (scope.follows) askWaves();
    else moveTo(middle - seconds / 2);
  };
  /** @param {number} step */
  const zoom = (step) => {
    const index = spans.findIndex(([value]) => Number(value) >= scope.seconds);
    zoomTo(Number(spans[Math.max(0, Math.min(spans.length - 1, index + step))][0]));
  };
  /** @param {number} seconds */
  const moveTo = (seconds) => {
    const most = Math.max(0, length() - scope.seconds);
    if (scope.follows) follow(false);
    scope.from = Math.max(0, Math.min(most, seconds));
    askStill();
  };
  /** @param {number} share */
  const moveBy = (share) => moveTo((scope.follows ? scope.window.from / scope.rate : scope.from) + share * scope.seconds);
  /** @type {AbortController | undefined} */
  let stillAsk;
  /** @param {number} from in seconds @param {AbortSignal} signal */
  const stillOf = (from, signal) => getWaves(`${topic}/waves${query({
    from: Math.max(0, Math.floor(from * scope.rate)), to: Math.ceil((from + scope.seconds) * scope.rate),
    columns: Math.min(4096, Math.max(200, scope.width)), channels: list.join(","),
  })}`, signal);
  const askStill = async () => {
    stillAsk?.abort();
    const own = stillAsk = new AbortController();
    try {
      scope.still = await stillOf(scope.from, own.signal);
      scope.fit();
    } catch (error) {
      if (!own.signal.aborted) note.textContent = error instanceof Error ? error.message : String(error);
    }
  };

  // The overview of the whole run.
  /** @type {[number, number, number]} */
  const span = [0, 0, 0];
  let overviewTo = 0;
  /** @type {API.Waves | undefined} */
  let whole_ = undefined;
  const askOverview = async () => {
    if (model.channels.length === 0) return;
    try {
      const wide = Math.min(2048, Math.max(200, Math.floor(slider.clientWidth)));
      const best = Math.max(0, model.channels.findIndex((channel) => channel.kind === "response"));
      whole_ = await getWaves(`${topic}/waves${query({ from: 0, columns: wide, channels: String(best) })}`,
        controller.signal);
      overviewTo = whole_.header.to;
      drawOverview();
    } catch { /* The next try, or the words of the link, say so. */ }
  };
  const drawOverview = () => {
    const ratio = Math.min(2, devicePixelRatio || 1), box = slider.getBoundingClientRect();
    const wide = Math.floor(box.width * ratio), high = Math.floor(box.height * ratio);
    if (wide < 20) return;
    if (overview.width !== wide) overview.width = wide;
    if (overview.height !== high) overview.height = high;
    const context = /** @type {CanvasRenderingContext2D} */ (overview.getContext("2d"));
    context.clearRect(0, 0, wide, high);
    const frames = Math.max(length() * scope.rate, 1);
    const x = (/** @type {number} */ frame) => frame / frames * wide;
    const best = Math.max(0, model.channels.findIndex((channel) => channel.kind === "response"));
    if (whole_ && whole_.data.length) {
      const pairs = whole_.data[0];
      spanOf(pairs, span);
      const rest = restOf(...span), peak = Math.max(1e-9, span[1] - rest, rest - span[0]);
      context.fillStyle = colour(channelColours(model.channels)[best] ?? "response");
      context.beginPath();
      const step = Math.max(1, x(whole_.header.framesPerBin));
      for (let k = 0; k < whole_.bins; k += 1) {
        if (pairs[2 * k] !== pairs[2 * k]) continue;
        const top = high / 2 - (pairs[2 * k + 1] - rest) / peak * high * 0.45;
        const low = high / 2 - (pairs[2 * k] - rest) / peak * high * 0.45;
        context.rect(x(whole_.header.from + k * whole_.header.framesPerBin), top, step, Math.max(1, low - top));
      }
      context.fill();
    }
    context.fillStyle = colour("fail");
    for (const loss of model.losses) if (loss.frame !== undefined && loss.era === era) context.fillRect(x(loss.frame) - ratio, 0, 2 * ratio, high);
    const { from, to } = scope.window;
    context.fillStyle = colour("link");
    context.globalAlpha = 0.16;
    context.fillRect(x(from), 0, Math.max(3 * ratio, x(to) - x(from)), high);
    context.globalAlpha = 1;
    context.strokeStyle = colour("link");
    context.lineWidth = 1.5 * ratio;
    context.strokeRect(x(from) + ratio, ratio, Math.max(3 * ratio, x(to) - x(from)) - 2 * ratio, high - 2 * ratio);
    slider.setAttribute("aria-valuemax", fixed(length(), 1));
    slider.setAttribute("aria-valuenow", fixed(Math.max(0, from / scope.rate), 1));
    slider.setAttribute("aria-valuetext", scope.follows ? "follows the newest samples"
      : `from ${clock(from / scope.rate)} to ${clock(to / scope.rate)} of ${clock(length())}`);
  };
  slider.addEventListener("pointerdown", (event) => {
    slider.setPointerCapture(event.pointerId);
    const move = (/** @type {PointerEvent} */ now) => {
      const box = slider.getBoundingClientRect();
      moveTo((now.clientX - box.left) / box.width * length() - scope.seconds / 2);
      drawOverview();
    };
    move(event);
    slider.addEventListener("pointermove", move);
    slider.addEventListener("pointerup", () => slider.removeEventListener("pointermove", move), { once: true });
  });
  const arrows = (/** @type {KeyboardEvent} */ event) => {
    /** @type {Record<string, () => void>} */
    const acts = {
      ArrowLeft: () => moveBy(-0.25), ArrowRight: () => moveBy(0.25), PageUp: () => moveBy(-1), PageDown: () => moveBy(1),
      Home: () => moveTo(0), End: () => follow(true), "+": () => zoom(-1), "=": () => zoom(-1), "-": () => zoom(1),
    };
    const act = acts[event.key];
    if (!act || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    act();
    drawOverview();
  };
  scope.element.addEventListener("pointerdown", (event) => {
    if (event.button !== 0 || event.pointerType === "touch") return;
    const start = event.clientX, from = Math.max(0, scope.window.from / scope.rate);
    scope.element.setPointerCapture(event.pointerId);
    const move = (/** @type {PointerEvent} */ now) => {
      if (scope.follows && Math.abs(now.clientX - start) < 6) return;
      moveTo(from - (now.clientX - start) / scope.element.clientWidth * scope.seconds);
    };
    scope.element.addEventListener("pointermove", move);
    scope.element.addEventListener("pointerup", () => scope.element.removeEventListener("pointermove", move), { once: true });
  });
  scope.element.addEventListener("wheel", (event) => {
    if (!event.ctrlKey) return;
    event.preventDefault();
    zoom(event.deltaY > 0 ? 1 : -1);
  }, { passive: false });
  slider.addEventListener("keydown", arrows);
  scope.element.addEventListener("keydown", arrows);

  // The spectrum: single samples of the newest frames, twice a second.
  let polling = false, polled = "";
  const pollSpectrum = async () => {
    if (polling || model.channels.length === 0 || document.hidden) return;
    const index = Number(spectrumChoice.value) || 0, channel = model.channels[index];
    const size = 4096;
    // The last bin may reach beyond what is known.
    const known = (scope.buffer.heads[list.indexOf(index)] ?? Math.min(...scope.buffer.heads)) * scope.buffer.framesPerBin;
    const head = Math.floor(scope.follows ? Math.min(known, scope.buffer.head) : Math.min(scope.window.to, overviewTo));
    const key = `${head} ${index}`;
    if (!(head >= 2 * size) || !channel || key === polled) return;
    polling = true;
    polled = key;
    try {
      const parts = await Promise.all([2, 1].map((k) => getWaves(`${topic}/waves${query({
        from: head - k * size, to: head - (k - 1) * size, columns: size, channels: String(index),
      })}`, controller.signal)));
      if (parts.some((one) => one.header.framesPerBin !== 1)) {
        spectrum.words.textContent = "Single samples are kept for the newest 20 s alone.";
        return;
      }
      const samples = new Float32Array(2 * size);
      parts.forEach((one, k) => {
        for (let i = 0; i < size; i += 1) {
          const value = one.data[0][2 * i];
          samples[k * size + i] = Number.isFinite(value) ? value : 0;
        }
      });
      timed(() => spectrum.show(samples, parts[0].header.rate, channel.unit, channelName(channel, model.channels)));
      spectrum.canvas.setAttribute("aria-label", spectrum.described);
    } catch { /* Told by the link. */ } finally {
      polling = false;
    }
  };

  // Everything that is words.
  const isOld = () => model.state === "working" && (link.state !== "open" || performance.now() - link.heard > 3000);
  let readingCount = -1, logCount = -1, lossCount = -1, takeCount = 0, shownState = "", stageTold = "", toldVerdicts = "";
  let onlyPattern = "", onlyVerdict = "";
  const showWords = () => {
    const stale = isOld();
    const quiet = model.state === "working" && !stale && scope.buffer.at > 0 ? (performance.now() - scope.buffer.at) / 1000 : 0;
    place.classList.toggle("old", stale || model.state === "dead");
    scope.live = !stale && model.state === "working" && quiet < 1;
    old.hidden = !(stale || model.state === "dead" || quiet > 3);
    old.textContent = model.state === "dead"
      ? `The process died ${model.end ? "after its end" : "without an end"}: this is what it left, of ${clock(model.t)} of its time.`
      : stale ? `Old: the link is gone since ${Math.round((performance.now() - link.heard) / 1000)} s. Shown is what was then; the run itself goes on.`
        : `No new samples for ${Math.round(quiet)} s.`;
    ask.hidden = !model.asked;
    if (model.asked) fillOnce(ask, [`Asked at the terminal: ${model.asked}`]);
    const key = `${model.state} ${model.title} ${model.end?.outcome}`;
    if (key !== shownState) {
      shownState = key;
      title.textContent = model.title;
      document.title = `${model.title} – haprig`;
      fill(state, badge(model.state === "ended" ? model.end?.outcome ?? "ended" : model.state),
        Object.entries(model.end?.verdicts ?? {}).filter(([name]) => name !== "run").map(([name, verdict]) =>
          [" ", badge(verdict, `${name} ${verdict}`)]).flat());
      stopButton.disabled = model.state !== "working";
      stopButton.hidden = model.state !== "working";
    }
    fillOnce(about, [[model.work?.rig, model.work?.plan, model.start?.command && `haprig ${model.start.command}`,
      model.start?.process && `process ${model.start.process}`, model.start?.host,
      model.start?.started && `since ${moment(model.start.started)} UTC`].filter(Boolean).join(" · ") || id]);
    bar.value = model.overall;
    share.value = model.end ? model.overall : model.share;
    const take = model.current, segment = model.segments[model.segments.length - 1];
    left.textContent = model.state === "ended" ? (model.end?.outcome ?? "done") === "done" ? "finished" : model.end?.outcome ?? "" : model.state === "dead" ? "died"
      : model.overall === 0 && model.left === undefined ? "time left not known"
          : `${Math.round(100 * model.overall)} %, ${remaining(model.left)}`;
    const words = model.end ? model.ending
      : take ? `${take.pattern}, take ${take.take} (${take.number} of ${take.total}): ${model.stage}`
        : segment ? `${segment.title} (${segment.number} of ${segment.total})` : model.stage || "starting";
    // A link that is made anew between press and release cannot be clicked.
    const run = model.end?.folder?.replace(/\/+$/, "").split("/").pop();
    if (`${words} ${run}` !== stageTold) fill(stage, words, ...run ? [" ", h("a", { href: `#/runs/${run}` }, "Open the run")] : []);
    stageTold = `${words} ${run}`;
    const end = scope.buffer.head || overviewTo;
    note.textContent = model.channels.length === 0 ? "No samples yet: the work has not told its channels."
      : `${whole(end)} frames at ${model.rate / 1000} kHz, ${clock(end / scope.rate)}. ${
        model.state !== "working" ? "No more will come." : scope.follows ? "Follows the newest." : "Stands still: F follows."}`;
  };
  const showLosses = () => {
    const before = lossCount;
    lossCount = model.losses.length;
    takeCount = model.takes.length;
    const { lost } = model;
    fill(losses, h("h2", { id: "losses-title" }, "Losses"), h("dl", { class: "counters" },
      [["xrun", "xruns"], ["dropped", "frames dropped"], ["overload", "overloads"], ["clipped", "frames clipped"]]
        .map(([what, words]) => h("div", { class: lost[what] ? "counter bad" : "counter" },
          h("dt", null, words), h("dd", null, whole(lost[what] ?? 0))))),
    model.losses.length === 0 ? h("p", { class: "note" }, "None so far.")
      : h("ol", { class: "loss-list", reversed: true }, model.losses.slice(-6).reverse().map((loss) => h("li", null,
        h("button", {
          type: "button", class: "textual", "data-key": `loss-${loss.t}`, disabled: loss.frame === undefined || loss.era !== era,
          onclick: () => { moveTo((loss.frame ?? 0) / scope.rate - scope.seconds / 2); drawOverview(); },
        }, clock(loss.t)), " ", lossWords(loss.what, loss.count, loss.device, loss.frame)))));
    scope.marks = [
      ...model.takes.filter((take) => take.era === era).map((take) => ({ frame: take.frame, text: `${take.pattern} ${take.take}`, kind: /** @type {"take"} */ ("take") })),
      ...model.losses.filter((loss) => loss.frame !== undefined && loss.era === era).map((loss) =>
        ({ frame: loss.frame ?? 0, text: loss.what, kind: /** @type {"loss"} */ ("loss") })),
    ];
    if (before >= 0 && model.losses.length > before && loaded) {
      const last = model.losses[model.losses.length - 1];
      shout(`Loss: ${lossWords(last.what, last.count, last.device)}`);
      losses.classList.remove("flash");
      void losses.offsetWidth;
      losses.classList.add("flash");
    }
  };
  const readingTable = h("tbody"), verdictLine = h("p", { class: "tally" });
  const patternChoice = h("select", { onchange: () => { onlyPattern = patternChoice.value; readingCount = -1; } });
  const verdictChoice = select([["", "all"], ["judged", "judged"], ["fail", "fail"], ["marginal", "marginal"],
    ["not measured", "not measured"], ["pass", "pass"]], "", (value) => {
    onlyVerdict = value;
    readingCount = -1;
  });
  put(readings, h("div", { class: "card-head" }, h("h2", { id: "readings-title" }, "Readings"),
    h("div", { class: "tools" }, field("Pattern", patternChoice, "inline"), field("Verdict", verdictChoice, "inline"))),
  verdictLine, h("div", { class: "scroll tall", tabindex: "0", role: "region", "aria-label": "Readings, the newest first" },
    h("table", null, h("thead", null, h("tr", null, ["Reading", "Verdict", "Value", "Limit", "Pattern", "Take", "Event"]
      .map((name) => h("th", { scope: "col", class: ["Value", "Take", "Event"].includes(name) ? "number" : "" }, name)))), readingTable)));
  fill(patternChoice, h("option", { value: "" }, "all"));
  const showReadings = () => {
    const isNew = readingCount < 0 ? model.readings.length : model.readings.length - readingCount;
    const anew = readingCount < 0;
    readingCount = model.readings.length;
    fill(verdictLine, ["pass", "marginal", "not measured", "fail"].map((word) =>
      h("span", null, badge(word), " ", h("b", null, whole(model.verdicts[word])))),
    h("span", null, `${counted(model.readings.length, "reading")}`));
    const patterns = [...new Set(model.readings.map((one) => one.pattern))].filter(Boolean);
    if (patternChoice.options.length !== patterns.length + 1) {
      fill(patternChoice, h("option", { value: "" }, "all"), patterns.map((one) => h("option", { value: one }, one)));
      patternChoice.value = onlyPattern;
    }
    const chosen = (anew ? model.readings : model.readings.slice(-isNew)).filter((one) =>
      (!onlyPattern || one.pattern === onlyPattern)
      && (!onlyVerdict || (onlyVerdict === "judged" ? one.verdict : one.verdict === onlyVerdict)));
    if (anew) readingTable.replaceChildren();
    readingTable.prepend(...chosen.slice(-200).reverse().map((one) => h("tr", null,
      readingHead({ reading: one.reading.name, channel: one.reading.channel }),
      h("td", null, one.verdict ? badge(one.verdict) : ""),
      h("td", { class: "number" }, quantity(one.reading.value, one.reading.unit, one.reading.uncertainty)),
      h("td", null, typeset(one.limit)), h("td", null, one.pattern || "the run"), h("td", { class: "number" }, one.take ?? ""),
      h("td", { class: "number" }, one.event ?? ""))));
    while (readingTable.childElementCount > 200) readingTable.lastElementChild?.remove();
    const told = JSON.stringify(model.verdicts);
    if (loaded && told !== toldVerdicts && performance.now() - saidAt > 4000) {
      saidAt = performance.now();
      say(`${model.verdicts.pass} pass, ${model.verdicts.marginal} marginal, ${model.verdicts["not measured"]} not measured, ${
        model.verdicts.fail} fail`);
      toldVerdicts = told;
    }
  };
  let saidAt = 0, loaded = false;
  const logList = h("ol", { class: "log-list" });
  put(log, h("h2", { id: "log-title" }, "Log"),
    h("div", { class: "scroll tall", tabindex: "0", role: "region", "aria-label": "Log, the newest first" }, logList));
  const showLog = () => {
    const isNew = model.log.length - Math.max(0, logCount);
    const rows = model.log.slice(logCount < 0 ? -400 : -Math.min(400, isNew)).reverse().map((line) =>
      h("li", { class: `log-${line.level}` }, h("time", { class: "number" }, clock(line.t)),
        h("span", { class: "log-level" }, line.level), h("span", null, typeset(line.text))));
    if (logCount < 0) logList.replaceChildren(...rows);
    else logList.prepend(...rows);
    while (logList.childElementCount > 400) logList.lastElementChild?.remove();
    logCount = model.log.length;
  };

  // Waves move in each frame; words, readings, log and overview take turns, so that no frame has all of them.
  let turn = 0, turnAt = 0, spectrumAt = 0, overviewAsk = 0;
  scope.others.push(() => {
    const now = performance.now();
    meters.draw(scope.buffer, now, isOld() ? "old" : model.state === "working" ? "" : model.state);
    spectrum.draw();
    if (now - turnAt > 33) {
      turnAt = now;
      turn = (turn + 1) % 4;
      if (turn === 0) showWords();
      else if (turn === 1 && readingCount !== model.readings.length) showReadings();
      else if (turn === 2 && logCount !== model.log.length) showLog();
      else if (turn === 3) drawOverview();
    }
    // What is lost is told in the frame in which it is known.
    if (lossCount !== model.losses.length || takeCount !== model.takes.length) showLosses();
    if (now - spectrumAt > 500) {
      spectrumAt = now;
      pollSpectrum();
    }
    if (now - overviewAsk > 2000 && !isOld() && model.state === "working") {
      overviewAsk = now;
      askOverview();
      // A window that reached beyond what there was is filled as it comes.
      if (!scope.follows && scope.still && scope.still.header.to < Math.min(scope.window.to, scope.buffer.head) - 1) askStill();
    }
  });

  const stop = link.watch(topic, {
    watch: () => ({ watch: topic, from: model.next }),
    told: (message) => {
      if (message.events) {
        const events = message.events;
        const goes = timed(() => model.take(events));
        channelsKnown();
        // Numbers that are missing are asked for again.
        if (!goes) link.send({ watch: topic, from: model.next });
        // Until all from the start is there nothing is called out as new.
        if (!loaded && goes && message.events.length < 200) setTimeout(() => { loaded = true; }, 200);
        if (model.end) finish();
      }
      if (message.state === "dead" && model.state === "working") {
        model.state = "dead";
        shout("The process of this run is dead.");
        finish();
      } else if (message.state === "ended" && model.state === "working") {
        model.state = "ended";
        finish();
      }
      if (/** @type {any} */ (message).error?.code === "not-found") gone();
    },
  });
  let finished = false;
  const finish = () => {
    if (finished) return;
    finished = true;
    if (model.end) say(model.ending);
    stopWaves?.();
    stopWaves = undefined;
    rest().catch(() => {});
    tellWords();
  };
  /**
   * Of ended work what is shown is asked for, also where a page was opened too late to get the last as it came. Where
   * nobody has it any more, what came stays.
   */
  const rest = async () => {
    const before = whole_;
    whole_ = undefined;
    await askOverview();
    whole_ ??= before;
    const edge = Math.max(scope.buffer.head, overviewTo), from = Math.max(0, edge / scope.rate - scope.seconds);
    const waves = await stillOf(from, controller.signal);
    if (!scope.follows) return;
    scope.edge = edge;
    scope.from = from;
    scope.still = waves;
    scope.follows = false;
    followButton.setAttribute("aria-pressed", "false");
    scope.fit();
  };
  /** What measures no patterns says in words what it found: those of its job. */
  const tellWords = async () => {
    if (model.readings.length > 0 || !model.start?.process) return;
    for (let tries = 0; tries < 20 && !controller.signal.aborted; tries += 1) {
      const { jobs } = /** @type {{ jobs: API.Job[] }} */ (await get("jobs", controller.signal).catch(() => ({ jobs: [] })));
      const job = jobs.find((one) => one.process === model.start?.process);
      if (!job) return;
      const said = (Array.isArray(job.said) ? job.said.join("\n") : job.said ?? "").trim();
      if (job.state !== "running") {
        if (said) fill(readings, h("h2", { id: "readings-title" }, "What it said"), h("div", { class: "scroll" }, h("pre", { class: "said" }, said)));
        return;
      }
      await new Promise((done) => setTimeout(done, 250));
    }
  };
  const gone = async () => {
    if (model.next > 0) return;
    // The last part of its name is its process: what that said is known as long as its job is.
    const { jobs } = /** @type {{ jobs: API.Job[] }} */ (await get("jobs", controller.signal).catch(() => ({ jobs: [] })));
    const said = jobs.find((one) => one.process === Number(id.split("-").pop()) && one.state !== "running")?.said;
    if (controller.signal.aborted) return;
    fill(place, h("div", { class: "page-head" }, h("h1", null, "Live")), said && h("section", { class: "card readings", "aria-label": "What it said" },
      h("div", { class: "scroll" }, h("pre", { class: "said" }, Array.isArray(said) ? said.join("\n") : said))), empty("This run is not live any more", h("p", null, "Its live folder was removed when it ended. Look for it among the ",
      h("a", { href: "#/runs" }, "runs"), ", or see what works on the ", h("a", { href: "#/bench" }, "bench"), ".")));
  };
  // Whether it is known at all is told by HTTP, with a sentence.
  get(`live/${encodeURIComponent(id)}/events?from=0&limit=1`, controller.signal).catch((error) => {
    if (error.status === 404 || error.status === 400) gone();
  });
  pageKeys([
    { keys: "f", does: "Follow the newest samples, or stand still", act: () => follow(!scope.follows) },
    { keys: "ArrowLeft", does: "Back by a quarter of what is shown", act: () => moveBy(-0.25) },
    { keys: "ArrowRight", does: "Forth by a quarter", act: () => moveBy(0.25) },
    { keys: "+", does: "Show less time", act: () => zoom(-1) },
    { keys: "-", does: "Show more time", act: () => zoom(1) },
    { keys: "0", does: "Fit the ranges anew", act: () => scope.fit() },
    { keys: "x", does: "Stop the work", changes: true, act: () => { if (model.state === "working") stopWork(topic); } },
  ]);
  const resized = new ResizeObserver(() => { if (asked && scope.follows) askWaves(); });
  resized.observe(scope.element);
  return () => {
    controller.abort();
    stillAsk?.abort();
    stop();
    stopWaves?.();
    scope.close();
    spectrum.close();
    resized.disconnect();
    place.classList.remove("old");
  };
}

/** @param {HTMLElement} element @param {string[]} words */
function fillOnce(element, words) {
  const text = words.join("");
  if (element.textContent !== text) element.textContent = text;
}
