// SPDX-License-Identifier: Apache-2.0
// A sound drives an actuator while it sounds: which one, how, how loud, and how much later the motion is.
import { get } from "./api.js";
import { badge, field, fill, h, onChange, say, segmented, select, shout } from "./dom.js";
import { counted, fixed, quantity } from "./format.js";
import { FollowStrip, QUIETEST } from "./follow_strip.js";
import { pageKeys } from "./keys.js";
import { link } from "./socket.js";
import { Stage } from "./stage.js";
import { watchBench } from "./store.js";

/** @type {[string, string, string][]} */
const METHODS = [
  ["envelope", "Envelope", "Level as intensity, its place in the spectrum as sharpness."],
  ["bands", "Bands", "Four bands, each gated and compressed by itself."],
  ["onsets", "Onsets", "Taps alone, where the sound rises."],
];
/** @type {[string, string][]} */
const BANDS = [["Bass", "up to 350 Hz"], ["Low vowels", "350 Hz to 1.4 kHz"], ["High vowels", "1.4 to 2.8 kHz"], ["Fricatives", "above 2.8 kHz"]];
/** @type {[keyof API.FollowWindow, string, string][]} */
const DELAYS = [
  ["heardToDrive", "Sound to drive", "The method and the buffers between."],
  ["driveToMotion", "Drive to motion", "Converters, the actuator's rise, the way to the sensor."],
  ["heardToMotion", "Sound to motion", "All of it."],
  ["soundToMotion", "Touch after sound", "At the rig's own microphone."],
];
/** What is moved by hand is told at most so often, in milliseconds. */
const PACE = 60;

/** @param {{ value: number, uncertainty: number }[]} all @returns {{ value: number, uncertainty: number } | undefined} the mean, each by how sure it is, as the record has it */
function meanOf(all) {
  if (all.length === 0) return undefined;
  const weights = all.map((one) => 1 / Math.max(2e-6, one.uncertainty) ** 2), sum = weights.reduce((a, b) => a + b, 0);
  const value = all.reduce((a, one, k) => a + one.value * weights[k], 0) / sum, scatter = all.reduce((a, one, k) => a + weights[k] * (one.value - value) ** 2, 0);
  return { value, uncertainty: Math.sqrt((all.length > 1 ? Math.max(1, scatter / (all.length - 1)) : 1) / sum) };
}

/** @param {HTMLElement} place @param {string[]} _ @param {URLSearchParams} params */
export function openFollow(place, _, params) {
  const controller = new AbortController(), { signal } = controller;
  /** @type {API.Bench | undefined} */
  let bench;
  /** @type {API.FollowInput[]} */
  let inputs = [];
  let rigName = params.get("rig") ?? "", actuatorName = params.get("actuator") ?? "", input = "", method = METHODS[0][0];
  /** What is wished for; of the gain nothing lets it ride. */
  const wish = { rides: true, gain: 0, gate: -60, bands: [0, 0, 0, 0], isBypassed: false, isHeard: false, delay: 0, aligns: false };
  const rig = () => bench?.rigs.find((one) => one.name === rigName);

  // The stage.
  const stage = new Stage(() => showStage(), (message) => told(/** @type {API.FollowMessage} */ (message)));
  const startButton = h("button", { type: "button", class: "primary big", "data-key": "start", onclick: () => toggle() }, "Start");
  const standing = h("p", { class: "follow-standing" }), choices = h("div", { class: "follow-choices" });
  /** @type {API.FollowMessage | undefined} what it said when it was open */
  let opening;
  let shownState = "", fault = "";
  /** What it was opened with. */
  let began = { method, gain: /** @type {number | null} */ (null), gate: wish.gate };
  const wished = () => ({ method, gain: wish.rides ? null : wish.gain, gate: wish.gate });
  const toggle = () => {
    if (stage.state !== "off") stage.end("Stopped: the drive is at zero.");
    else if (rig()) {
      const [kind, name] = [input.slice(0, input.indexOf(":")), input.slice(input.indexOf(":") + 1)];
      opening = undefined;
      fault = "";
      forget();
      strip.clear();
      aligned = undefined;
      began = wished();
      stage.start(rigName, actuatorName || undefined, {
        ...kind === "pcm" && { pcm: name }, ...kind === "sound" && { sound: name }, method, ...!wish.rides && { gain: wish.gain }, gate: wish.gate, ...wish.aligns && { align: true },
      });
    }
  };
  /** Whether it ended otherwise than it was to. */
  const isFault = () => !/^(Stopped|The sound is over|$)/.test(stage.words);
  const showStage = () => {
    const isOn = stage.state !== "off";
    startButton.textContent = isOn ? "Stop" : "Start";
    startButton.className = `${isOn ? "stop" : "primary"} big`;
    startButton.disabled = !isOn && rig()?.state !== "idle";
    const name = inputs.find((one) => keyOf(one) === input)?.name ?? opening?.input ?? "the rig's own capture";
    const words = stage.state === "open" ? `${wish.isBypassed ? "Listens to" : "Drives"} ${stage.rig}${opening?.actuator ? ` (${opening.actuator})` : ""} ${wish.isBypassed ? "and drives nothing:" : "with"} ${name}.`
      : stage.state === "starting" ? `Opens ${stage.rig}…` : stage.words || (rig()?.state === "held" ? `${rigName} is held by other work: Start waits for it.`
        : rig()?.state === "missing" ? `${rigName} is not found.` : rigName ? "Not started: nothing is driven." : "No rig: there is nothing to drive.");
    fill(standing, h("span", { class: stage.state === "off" && isFault() ? "bad-words" : "" }, words), fault && h("span", { class: "bad-words" }, ` ${fault}`));
    if (shownState === stage.state) return;
    if (stage.state === "open") {
      say(words);
      settle();
    } else if (stage.state === "off" && shownState) (isFault() ? shout : say)(stage.words || "Stopped: nothing is driven.");
    shownState = stage.state;
    place.querySelectorAll("[data-when=off]").forEach((one) => { /** @type {HTMLInputElement} */ (one).disabled = isOn; });
    place.classList.toggle("is-following", stage.state === "open");
    if (!isOn) showLevel(undefined);
    // An input may have come or gone meanwhile.
    if (!isOn && link.state === "open") askInputs();
    showDelays();
  };
  /** What cannot be asked for when it is opened, or was set while it was. */
  const settle = () => {
    const now = wished();
    if (now.method !== began.method) tell({ do: "method", method });
    if (now.gain !== began.gain) tell({ do: "gain", dB: now.gain });
    if (now.gate !== began.gate) tell({ do: "gate", dB: now.gate });
    if (wish.bands.some((one) => one !== 0)) tell({ do: "bands", dB: wish.bands });
    if (wish.isBypassed) tell({ do: "bypass", on: true });
    if (wish.isHeard && !wish.aligns) tell({ do: "sound", delay: wish.delay });
  };

  // What is told: the newest of a kind, and not faster than it is heard.
  /** @type {Map<string, Record<string, unknown>>} */
  const waiting = new Map();
  let pacing = 0;
  /** @param {{ do: string } & Record<string, unknown>} command */
  const tell = (command) => {
    if (stage.state !== "open") return;
    waiting.set(command.do, command);
    if (pacing) return;
    const flush = () => {
      pacing = 0;
      if (waiting.size === 0) return;
      for (const one of waiting.values()) stage.tell(one);
      waiting.clear();
      pacing = window.setTimeout(flush, PACE);
    };
    flush();
  };

  /** @param {API.FollowMessage} message */
  const told = (message) => {
    if (message.state === "open") {
      opening = message;
      showStage();
      showDelays();
    }
    if (message.level) showLevel(message.level);
    if (message.fault) {
      fault = message.fault;
      showStage();
    } else if (message.did && fault) {
      fault = "";
      showStage();
    }
    if (message.did?.do === "method") forget();
    if (message.latency) {
      stated = message.stated ?? stated;
      newest = message.latency;
      count += 1;
      for (const [key] of DELAYS) {
        const one = /** @type {API.FollowDelay | undefined} */ (newest[key]);
        if (one && Number.isFinite(one.seconds) && typeof one.uncertainty === "number") windows.set(key, [...windows.get(key) ?? [], { value: one.seconds, uncertainty: one.uncertainty }]);
      }
      showDelays();
    }
    if (message.aligned) {
      aligned = message.aligned;
      windows.delete("soundToMotion");
      if (aligned.delay !== undefined) {
        wish.isHeard = true;
        wish.delay = aligned.delay;
        soundBox.checked = true;
        delay.set(1000 * aligned.delay);
      }
      say("The sound was delayed to come with the touch.");
      showDelays();
    }
  };

  // Meters.
  const strip = new FollowStrip();
  const meter = (/** @type {string} */ name, /** @type {string} */ hue, /** @type {number} */ low, /** @type {number} */ high, /** @type {string} */ unit) => {
    const bar = h("div", { class: "meter-bar" }), mark = h("div", { class: "follow-mark", hidden: true }), text = h("span", { class: "meter-text number" }, "–");
    bar.style.background = `var(--${hue})`;
    const box = h("div", { class: "meter-box", role: "meter", "aria-label": name, "aria-valuemin": low, "aria-valuemax": high, "aria-valuenow": low }, bar, mark);
    const share = (/** @type {number} */ value) => Math.min(1, Math.max(0, (value - low) / (high - low)));
    return {
      element: h("div", { class: "meter" }, h("span", { class: "meter-name" }, name), box, text),
      /** @param {number | undefined} value @param {string} [words] */
      show(value, words) {
        bar.style.transform = `scaleX(${value === undefined ? 0 : share(value)})`;
        text.textContent = words ?? (value === undefined ? "–" : `${fixed(value, unit ? 1 : 2)}${unit && ` ${unit}`}`);
        box.setAttribute("aria-valuenow", String(value === undefined ? low : Math.round(100 * Math.min(high, Math.max(low, value))) / 100));
        box.setAttribute("aria-valuetext", text.textContent);
      },
      /** @param {number} value */
      mark(value) {
        mark.hidden = false;
        mark.style.left = `${100 * share(value)}%`;
      },
    };
  };
  const heard = meter("Sound", "sound", QUIETEST, 0, "dB"), gain = meter("Gain in force", "drive", -60, 60, "dB"), intensity = meter("Intensity", "intensity", 0, 1, ""), sharpness = meter("Sharpness", "sharpness", 0, 1, "");
  const gateWords = h("p", { class: "note follow-gate" });
  let wasOpen = /** @type {boolean | undefined} */ (undefined);
  /** @param {API.FollowLevel | undefined} level */
  const showLevel = (level) => {
    heard.show(level ? level.heard ?? QUIETEST : undefined, level?.heard === null ? "silent" : undefined);
    gain.show(level?.gain, level && `${level.gain > 0 ? "+" : ""}${fixed(level.gain, 1)} dB`);
    intensity.show(level?.intensity);
    sharpness.show(level?.sharpness, level && level.intensity <= 0 ? "–" : undefined);
    if (level) strip.add({ at: performance.now() / 1000, heard: level.heard ?? QUIETEST, isOpen: level.open, intensity: level.intensity, sharpness: level.sharpness });
    if (wasOpen === level?.open && gateWords.firstChild) return;
    wasOpen = level?.open;
    fill(gateWords, level === undefined ? "Nothing is heard." : level.open ? badge("pass", "gate open") : badge("not judged", "gate closed"), level && (level.open ? "" : " What is quieter than the gate is silence, and teaches the gain nothing."));
  };

  // What is set while it goes.
  /**
   * @param {string} name @param {string} key @param {string} unit @param {[number, number, number]} range low, high, step
   * @param {number} value @param {(value: number) => void} changed
   */
  const slider = (name, key, unit, [low, high, step], value, changed) => {
    const label = `${name} in ${unit}, ${low} to ${high}`;
    const range = h("input", { type: "range", min: low, max: high, step, value: String(value), "data-key": `${key}-slider`, "aria-label": label });
    const number = h("input", { type: "number", class: "short", min: low, max: high, step: "any", value: String(value), "data-key": key, "aria-label": label });
    const set = (/** @type {number} */ now) => {
      range.value = number.value = String(Math.round(10 * now) / 10);
      range.setAttribute("aria-valuetext", `${number.value} ${unit}`);
    };
    set(value);
    range.addEventListener("input", () => {
      set(Number(range.value));
      number.setCustomValidity("");
      changed(Number(range.value));
    });
    number.addEventListener("change", () => {
      const now = Number(number.value), isBad = number.value.trim() === "" || !(now >= low && now <= high);
      number.setCustomValidity(isBad ? `${name} is from ${low} to ${high} ${unit}.` : "");
      if (isBad) {
        number.reportValidity();
        return;
      }
      set(now);
      changed(now);
    });
    return {
      element: h("div", { class: "follow-slider", role: "group", "aria-label": name }, h("span", { class: "follow-name" }, name, h("span", { class: "note" }, ` ${low} to ${high} ${unit}`)), range, number),
      set,
      /** @param {boolean} isOff */
      disable(isOff) { range.disabled = number.disabled = isOff; },
    };
  };
  const tick = (/** @type {string} */ text, /** @type {string} */ key, /** @type {boolean} */ isOn, /** @type {(isOn: boolean) => void} */ changed) => {
    const box = h("input", { type: "checkbox", checked: isOn, "data-key": key, onchange: () => changed(box.checked) });
    return { box, element: h("label", { class: "field inline" }, box, h("span", null, text)) };
  };
  const gainSlider = slider("Gain", "gain", "dB", [-60, 60, 0.5], wish.gain, (dB) => {
    wish.gain = dB;
    tell({ do: "gain", dB });
  });
  gainSlider.disable(wish.rides);
  const rides = tick("rides towards -23 LUFS", "rides", wish.rides, (isOn) => {
    wish.rides = isOn;
    gainSlider.disable(isOn);
    tell({ do: "gain", dB: isOn ? null : wish.gain });
  });
  const gate = slider("Gate", "gate", "dB", [-120, 0, 1], wish.gate, (dB) => {
    wish.gate = dB;
    heard.mark(dB);
    strip.gate = dB;
    strip.draw();
    tell({ do: "gate", dB });
  });
  const bands = BANDS.map(([name, span], k) => slider(`${name}, ${span}`, `band-${k}`, "dB", [-40, 20, 0.5], 0, (dB) => {
    wish.bands[k] = dB;
    tell({ do: "bands", dB: [...wish.bands] });
  }));
  const flat = h("button", { type: "button", class: "small", "data-key": "flat", onclick: () => {
    wish.bands.fill(0);
    bands.forEach((one) => one.set(0));
    tell({ do: "bands", dB: [...wish.bands] });
  } }, "All at 0 dB");
  const bypass = h("button", { type: "button", "aria-pressed": "false", "data-key": "bypass", onclick: () => setBypass(!wish.isBypassed) }, "Bypass");
  const setBypass = (/** @type {boolean} */ on) => {
    wish.isBypassed = on;
    bypass.setAttribute("aria-pressed", String(on));
    tell({ do: "bypass", on });
    showStage();
  };
  const delay = slider("Delay of the sound", "delay", "ms", [0, 500, 0.1], 0, (ms) => {
    wish.delay = ms / 1000;
    if (wish.isHeard) tell({ do: "sound", delay: wish.delay });
  });
  const sound = tick("Pass the sound on to the rig's loudspeaker", "sound", wish.isHeard, (isOn) => {
    wish.isHeard = isOn;
    tell({ do: "sound", delay: isOn ? wish.delay : null });
  });
  const soundBox = sound.box;
  const align = tick("Align: measure the touch after the sound, and delay the sound by that", "align", wish.aligns, (isOn) => { wish.aligns = isOn; });
  align.box.dataset.when = "off";
  const methodWords = h("p", { class: "note" });
  const setMethod = (/** @type {string} */ now) => {
    method = now;
    methods.querySelectorAll("button").forEach((one) => one.setAttribute("aria-pressed", String(one.dataset.key === `Method-${now}`)));
    methodWords.textContent = METHODS.find(([one]) => one === now)?.[2] ?? "";
    tell({ do: "method", method: now });
  };
  const methods = segmented("Method", METHODS.map(([one, name]) => [one, name]), method, setMethod);

  // Latency.
  /** @type {Map<string, { value: number, uncertainty: number }[]>} */
  const windows = new Map();
  /** @type {API.FollowWindow | undefined} */
  let newest;
  /** @type {{ typical: number, longest: number } | undefined} */
  let stated;
  /** @type {API.FollowAligned | undefined} */
  let aligned;
  let count = 0;
  const forget = () => {
    windows.clear();
    newest = stated = undefined;
    count = 0;
    showDelays();
  };
  const delays = h("div", { class: "follow-delays" });
  const showDelays = () => {
    const late = stated ?? (count === 0 ? opening?.stated : undefined), ms = (/** @type {{ value: number, uncertainty: number } | undefined} */ one) => one ? quantity(one.value, "s", one.uncertainty) : "–";
    fill(delays, late && h("p", { class: "note" }, `The method states ${quantity(late.typical, "s")} typically, ${quantity(late.longest, "s")} at most${newest && newest.buffers > 0 ? `; buffers hold ${quantity(newest.buffers, "s")} beside that` : ""}.${
      opening?.lead ? ` The drive is rendered ${quantity(opening.lead, "s")} ahead of its card.` : ""}`),
    newest ? h("div", { class: "scroll" }, h("table", { class: "narrow" }, h("caption", null, `Latency, of ${counted(count, "window")} of 4 s`),
      h("thead", null, h("tr", null, ["Delay", "Newest", "Mean", "Stated", "Correlation"].map((name, k) => h("th", { scope: "col", class: k ? "number" : "" }, name)))),
      h("tbody", null, DELAYS.flatMap(([key, name, about]) => {
        const all = windows.get(key) ?? [], now = /** @type {API.FollowDelay | undefined} */ (newest?.[key]);
        if (all.length === 0) return [];
        return [h("tr", null, h("th", { scope: "row", title: about }, name),
          h("td", { class: "number" }, now && typeof now.uncertainty === "number" ? ms({ value: now.seconds, uncertainty: now.uncertainty }) : "no rise"),
          h("td", { class: "number" }, ms(meanOf(all))), h("td", { class: "number" }, key === "heardToDrive" && late ? quantity(late.typical + (newest?.buffers ?? 0), "s") : ""),
          h("td", { class: "number" }, now ? fixed(now.correlation, 2) : ""))];
      })))) : h("p", { class: "note" }, stage.state === "open" ? "Measured every 4 s, where the sound rises: nothing yet." : "Measured while it goes: rises of the sound, of the drive and of the motion are held against each other."),
    aligned?.before && h("p", { class: "note" }, `The touch came ${quantity(aligned.before.seconds, "s", aligned.before.uncertainty)} after its sound${aligned.delay === undefined ? "" : `: the sound is ${quantity(aligned.delay, "s")} later now`}. ${
      aligned.after ? `Then ${quantity(aligned.after.seconds, "s", aligned.after.uncertainty)} were left.` : "What is left is the row Touch after sound."}`));
  };

  // What is chosen.
  /** @param {API.FollowInput} one */
  const keyOf = (one) => `${one.kind}:${one.name}`;
  const showChoices = onChange((/** @type {{ rigs: API.Rig[], inputs: API.FollowInput[] }} */ { rigs, inputs: all }) => {
    const actuators = rigs.find((one) => one.name === rigName)?.actuators ?? [];
    const group = (/** @type {string} */ label, /** @type {string} */ kind) => {
      const own = all.filter((one) => one.kind === kind);
      return own.length > 0 && h("optgroup", { label }, own.map((one) => h("option", { value: keyOf(one), selected: keyOf(one) === input }, one.description ? `${one.name} – ${one.description.split("\n")[0]}` : one.name)));
    };
    const list = h("select", { "data-key": "input", "data-when": "off", onchange: () => {
      input = list.value;
      showStage();
    } }, h("option", { value: "" }, "the rig's own capture"), group("Inputs of this machine", "pcm"), group("Sounds of the patterns", "sound"));
    list.value = input;
    fill(choices, rigs.length > 0 && field("Rig", select(rigs.map((one) => [one.name, one.state === "idle" ? one.name : `${one.name} (${one.state === "held" ? "held" : "not found"})`]), rigName, (value) => {
      rigName = value;
      actuatorName = "";
      choose();
    }, { "data-key": "rig", "data-when": "off" })), actuators.length > 1 && field("Actuator", select(actuators.map((one) => [one.id, one.id]), actuatorName, (value) => {
      actuatorName = value;
      choose();
    }, { "data-key": "actuator", "data-when": "off" })), field("Sound", list));
    choices.querySelectorAll("select").forEach((one) => { one.disabled = stage.state !== "off"; });
  });
  const choose = () => {
    const rigs = bench?.rigs ?? [];
    if (!rigs.some((one) => one.name === rigName)) rigName = (rigs.find((one) => one.state === "idle") ?? rigs[0])?.name ?? "";
    const actuators = rig()?.actuators ?? [];
    if (!actuators.some((one) => one.id === actuatorName)) actuatorName = actuators[0]?.id ?? "";
    showChoices({ rigs: rigs.map(({ name, state, actuators: all }) => /** @type {any} */ ({ name, state, actuators: all.map(({ id }) => ({ id })) })), inputs });
    showStage();
  };
  const askInputs = async () => {
    try {
      inputs = /** @type {{ inputs: API.FollowInput[] }} */ (await get("inputs", signal)).inputs;
    } catch { /* The rig's own capture is there all the same. */ }
    if (signal.aborted) return;
    if (input && !inputs.some((one) => keyOf(one) === input)) input = "";
    choose();
  };

  fill(place, h("div", { class: "page-head" }, h("h1", null, "Follow"), h("div", { class: "actions follow-start" }, choices, startButton)), standing,
    h("p", { class: "note" }, "This page holds the drive: it is at zero within half a second when the page is closed, hidden or cut off, and at once with Stop or Esc."),
    h("div", { class: "follow" },
      h("div", { class: "follow-main" },
        h("section", { class: "card", "aria-labelledby": "follow-goes" }, h("div", { class: "card-head" }, h("h2", { id: "follow-goes" }, "As it goes"), h("div", { class: "actions" }, bypass)),
          h("div", { class: "meters" }, heard.element, gain.element, intensity.element, sharpness.element), gateWords, strip.element),
        h("section", { class: "card", "aria-labelledby": "follow-latency" }, h("h2", { id: "follow-latency" }, "Latency"), delays)),
      h("div", { class: "follow-side" },
        h("section", { class: "card", "aria-labelledby": "follow-method" }, h("h2", { id: "follow-method" }, "Method"), methods, methodWords),
        h("section", { class: "card", "aria-labelledby": "follow-level" }, h("h2", { id: "follow-level" }, "Level"), gainSlider.element, rides.element, gate.element),
        h("section", { class: "card", "aria-labelledby": "follow-bands" }, h("div", { class: "card-head" }, h("h2", { id: "follow-bands" }, "Bands"), h("div", { class: "actions" }, flat)), bands.map((one) => one.element)),
        h("section", { class: "card", "aria-labelledby": "follow-sound" }, h("h2", { id: "follow-sound" }, "With sound"), sound.element, delay.element, align.element,
          h("p", { class: "note" }, "Align is set before Start; it takes a rig with a loudspeaker, a microphone and an accelerometer.")))));
  heard.mark(wish.gate);
  strip.gate = wish.gate;
  methodWords.textContent = METHODS[0][2];
  showLevel(undefined);
  showStage();
  askInputs();

  const stopBench = watchBench((now) => {
    bench = now;
    choose();
  });
  const options = { signal };
  document.addEventListener("visibilitychange", () => { if (document.hidden) stage.end("Stopped: a page that is hidden drives nothing."); }, options);
  addEventListener("pagehide", () => stage.end(), options);
  // Whatever has the focus, Esc stops it first.
  addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || stage.state === "off") return;
    event.preventDefault();
    event.stopImmediatePropagation();
    stage.end("Stopped: the drive is at zero.");
  }, { signal, capture: true });
  let isRepeated = false;
  addEventListener("keydown", (event) => { isRepeated = event.repeat; }, { signal, capture: true });
  pageKeys([
    { keys: "s", does: "Start or stop", act: () => { if (!startButton.disabled && !isRepeated) toggle(); } },
    ...METHODS.map(([name, , about], k) => ({ keys: String(k + 1), does: `Method ${name}: ${about.toLowerCase().replace(/\.$/, "")}`, act: () => setMethod(name) })),
    { keys: "b", does: "Bypass, or no longer", act: () => setBypass(!wish.isBypassed) },
    { keys: "r", does: "Lets the gain ride, or holds it", act: () => rides.box.click() },
    { keys: "Esc", does: "Stops: the drive is at zero" },
  ]);
  return () => {
    stage.close();
    controller.abort();
    clearTimeout(pacing);
    stopBench();
    strip.close();
  };
}
