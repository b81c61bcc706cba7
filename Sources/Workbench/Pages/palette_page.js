// SPDX-License-Identifier: Apache-2.0
// A pad of sharpness by intensity, to play with: on a rig, as sound, and into a pattern.
import { get, part, post } from "./api.js";
import { badge, colour, field, fill, h, onChange, say, segmented, select, toast } from "./dom.js";
import { clock, counted, moment } from "./format.js";
import { pageKeys } from "./keys.js";
import { Controller, Midi, NOTES } from "./palette_inputs.js";
import { DEFAULT_LAW, envelopeSeconds, mostAt, reachOf, reachWords, sharpnessLaw, shortTime } from "./palette_laws.js";
import { ControllerVibration, PhoneVibration, Sound } from "./palette_outputs.js";
import { Pad } from "./palette_pad.js";
import { Player } from "./palette_play.js";
import { LONGEST, patternOf, Recorder, textOf } from "./palette_record.js";
import { Stage } from "./stage.js";
import { watchBench } from "./store.js";

/**
 * What the keys 1 to 9 play, as they lie on a keypad: sharpness across, intensity up.
 *
 * @type {[string, string, number, number][]}
 */
const PRESETS = [
  ["7", "strong, dull", 0.1, 1], ["8", "strong", 0.5, 1], ["9", "strong, sharp", 0.9, 1],
  ["4", "dull", 0.1, 0.65], ["5", "middle", 0.5, 0.65], ["6", "sharp", 0.9, 0.65],
  ["1", "soft, dull", 0.1, 0.35], ["2", "soft", 0.5, 0.35], ["3", "soft, sharp", 0.9, 0.35],
];

/** @param {number} sharpness @param {number} intensity @param {(sharpness: number) => number} law */
const placeWords = (sharpness, intensity, law) => `intensity ${intensity.toFixed(2)}, sharpness ${sharpness.toFixed(2)}, ${Math.round(law(sharpness))} Hz`;

/** @param {HTMLElement} place @param {string[]} _ @param {URLSearchParams} params */
export function openPalette(place, _, params) {
  const controller = new AbortController();
  const { signal } = controller;
  const player = new Player();
  /** @type {import("./palette_laws.js").Reach | undefined} */
  let reach;
  let law = /** @type {(sharpness: number) => number} */ (sharpnessLaw(DEFAULT_LAW));
  const sound = new Sound(() => law);

  // The pad.
  const readout = h("p", { class: "pad-readout" });
  const reachText = h("p", { class: "note", id: "palette-reach" }, "No actuator is chosen: the whole pad is drawn.");
  let telling = 0;
  const showPlace = (/** @type {number} */ sharpness, /** @type {number} */ intensity, /** @type {boolean} */ byKey) => {
    const words = placeWords(sharpness, intensity, law);
    const most = reach && !reach.isCurve ? mostAt(reach, sharpness) : 1, isBeyond = intensity > most + 0.005;
    const beyond = isBeyond ? `beyond the reach of ${reach?.actuator}: ${most.toFixed(2)} here` : "";
    fill(readout, h("span", { class: "number" }, words), isBeyond && [" ", badge("marginal", beyond)]);
    if (sharpnessField.value !== sharpness.toFixed(2)) sharpnessField.value = sharpness.toFixed(2);
    if (intensityField.value !== intensity.toFixed(2)) intensityField.value = intensity.toFixed(2);
    if (!byKey) return;
    // Not each step is told: what it came to is, once the keys rest.
    clearTimeout(telling);
    telling = window.setTimeout(() => say(beyond ? `${words}, ${beyond}` : words), 500);
  };
  const number = (/** @type {"x" | "y"} */ axis) => h("input", {
    type: "number", min: 0, max: 1, step: 0.01, onchange: (/** @type {Event} */ event) => {
      const value = Number(/** @type {HTMLInputElement} */ (event.target).value);
      pad.place(axis === "x" ? value : pad.cursor.x, axis === "y" ? value : pad.cursor.y);
    },
  });
  const sharpnessField = number("x"), intensityField = number("y");
  const tapHere = () => {
    player.down("tap", pad.cursor.x, pad.cursor.y, "tap");
    player.up("tap");
  };
  const pad = new Pad({
    id: "palette-pad", label: "Pad of sharpness across and intensity up", keys: "palette-keys palette-reach", up: "Intensity", across: "Sharpness, and the frequency that it asks for",
    cursor: { x: 0.5, y: 0.6 }, under: (context, width, height) => drawReach(context, width, height, reach),
    down: (source, x, y, at) => player.asOf(at, () => player.down(source, x, y)), move: (source, x, y, at) => player.asOf(at, () => player.move(source, x, y)),
    lifted: (source, at) => player.asOf(at, () => player.up(source)),
    tap: tapHere, cursorMoved: showPlace,
  });
  const hundredths = /** @type {[number, string][]} */ ([0, 0.25, 0.5, 0.75, 1].map((one) => [one, String(one)]));
  const showLabels = () => pad.label(hundredths.map(([one, text]) => [one, [text, `${Math.round(law(one))} Hz`]]), hundredths);
  player.shown = (kind, finger) => pad.show(kind, finger.number, finger.sharpness, finger.intensity);

  // The envelope of what is held.
  const envelopeWords = h("p", { class: "pad-readout" });
  const showEnvelope = (/** @type {number} */ attack, /** @type {number} */ decay, /** @type {boolean} */ byKey) => {
    player.attack = Math.round(100 * attack) / 100;
    player.decay = Math.round(100 * decay) / 100;
    const words = `${player.attack ? `attack ${shortTime(envelopeSeconds(player.attack))}` : "no attack"}, ${
      player.decay ? `decay ${shortTime(envelopeSeconds(player.decay))}` : "no decay: it stays while it is held"}`;
    fill(envelopeWords, words);
    if (!byKey) return;
    clearTimeout(telling);
    telling = window.setTimeout(() => say(words), 500);
  };
  const envelope = new Pad({
    id: "palette-envelope", label: "Pad of attack across and decay up", keys: "palette-envelope-keys", up: "Decay", across: "Attack",
    cursor: { x: 0, y: 0 }, under: (context, width, height) => drawEnvelope(context, width, height, player), cursorMoved: showEnvelope,
  });
  const times = /** @type {[number, string][]} */ ([[0, "none"], ...[1 / 3, 2 / 3, 1].map((one) => [one, shortTime(envelopeSeconds(one))])]);
  envelope.label(times.map(([one, text]) => [one, [text]]), times);

  // The rig.
  /** @type {API.Bench | undefined} */
  let bench;
  let rigName = params.get("rig") ?? "", actuatorName = params.get("actuator") ?? "";
  const startButton = h("button", { type: "button", class: "primary big", "data-key": "start", onclick: () => toggleStage() }, "Start");
  const choices = h("div", { class: "palette-choices" }), standing = h("p", { class: "palette-standing" });
  const stage = new Stage(() => showStage());
  const rig = () => bench?.rigs.find((one) => one.name === rigName);
  let shownState = "";
  const showStage = () => {
    const isOn = stage.state !== "off", delay = stage.delay;
    if (isOn) player.outputs.add(stage);
    else player.outputs.delete(stage);
    startButton.textContent = isOn ? "Stop" : "Start";
    startButton.className = `${isOn ? "stop" : "primary"} big`;
    startButton.disabled = !isOn && rig()?.state !== "idle";
    const word = stage.state === "open" ? `Drives ${stage.rig} as you play. ` : stage.state === "starting" ? `Opens ${stage.rig}…`
      : stage.words || (rig()?.state === "held" ? `${rigName} is held by other work: Start waits for it.` : rig()?.state === "missing" ? `${rigName} is not found.` : rigName ? "Not started: no rig is driven." : "No rig: what is played is heard or recorded, and drives nothing.");
    fill(standing, h("span", { class: stage.state === "off" && stage.words ? "bad-words" : "" }, word), delay && h("span", { class: "number" },
      `Delay from message to drive ${(1000 * delay.median).toFixed(1)} ms in the median, ${(1000 * delay.worst).toFixed(1)} ms at worst of the last ${delay.count}.`));
    if (shownState !== stage.state) {
      if (stage.state === "open") say(`Drives ${stage.rig} as you play.`);
      else if (stage.state === "off" && shownState) say(stage.words || "Stopped: no rig is driven.");
      shownState = stage.state;
      choices.querySelectorAll("select").forEach((one) => { one.disabled = isOn; });
    }
  };
  const toggleStage = () => {
    if (stage.state !== "off") endStage("");
    else if (rig()) stage.start(rigName, actuatorName || undefined);
  };
  const endStage = (/** @type {string} */ words) => {
    letGo();
    stage.end(words);
  };
  const letGo = () => {
    player.liftAll();
    pad.forget();
    envelope.forget();
  };

  /** @type {Map<string, import("./palette_laws.js").Reach | string>} */
  const reaches = new Map();
  let reachOfNow = "";
  const showReach = async () => {
    const actuator = rig()?.actuators.find((one) => one.id === actuatorName);
    const now = actuator ? `${actuator.id} ${actuator.profile?.created ?? ""}` : "";
    if (reachOfNow === now) return;
    reachOfNow = now;
    let words = "No actuator is chosen: the whole pad is drawn.";
    reach = undefined;
    law = /** @type {(sharpness: number) => number} */ (sharpnessLaw(DEFAULT_LAW));
    if (actuator && !actuator.profile) words = `${actuator.id} has no profile, so what it reaches is not known: the whole pad is drawn.`;
    else if (actuator) {
      try {
        if (!reaches.has(now)) reaches.set(now, reachOf(await get(`calibrations/${part(actuator.id)}`, signal)));
        const found = reaches.get(now);
        if (reachOfNow !== now || signal.aborted) return;
        if (typeof found === "object") {
          reach = found;
          law = found.law;
          words = reachWords(found);
        } else words = found ?? "";
      } catch (error) {
        words = error instanceof Error ? error.message : String(error);
      }
    }
    if (signal.aborted) return;
    fill(reachText, reach && [h("span", { class: "reach-swatch", "aria-hidden": "true" }), "Reached, by the profile ", reach.date ? `of ${moment(reach.date)}: ` : "as it is: "], words);
    fill(reachTable, reach && h("details", null, h("summary", null, "Reach as a table"), reachRows(reach)));
    showLabels();
    showPlace(pad.cursor.x, pad.cursor.y, false);
    pad.draw();
  };
  const reachTable = h("div");
  const showChoices = onChange((/** @type {API.Rig[]} */ rigs) => {
    const one = rigs.find((two) => two.name === rigName);
    fill(choices, rigs.length > 0 && field("Rig", select(rigs.map((two) => [two.name, two.state === "idle" ? two.name : `${two.name} (${two.state === "held" ? "held" : "not found"})`]), rigName, (value) => {
      rigName = value;
      actuatorName = "";
      chooseRig();
    }, { "data-key": "rig" })), (one?.actuators.length ?? 0) > 1 && field("Actuator", select((one?.actuators ?? []).map((two) => [two.id, two.id]), actuatorName, (value) => {
      actuatorName = value;
      chooseRig();
    }, { "data-key": "actuator" })));
    choices.querySelectorAll("select").forEach((two) => { two.disabled = stage.state !== "off"; });
  });
  const chooseRig = () => {
    const rigs = bench?.rigs ?? [];
    if (!rigs.some((one) => one.name === rigName)) rigName = (rigs.find((one) => one.state === "idle") ?? rigs[0])?.name ?? "";
    const actuators = rig()?.actuators ?? [];
    if (!actuators.some((one) => one.id === actuatorName)) actuatorName = actuators[0]?.id ?? "";
    showChoices(rigs.map(({ name, state, actuators: all }) => /** @type {any} */ ({ name, state, actuators: all.map(({ id, profile }) => ({ id, profile })) })));
    showReach();
    showStage();
  };

  // Recording.
  /** @type {Recorder | undefined} */
  let recorder;
  let began = 0, ticking = 0;
  const recordButton = h("button", { type: "button", "aria-pressed": "false", "data-key": "record", onclick: () => toggleRecord() }, "Record");
  const recordWords = h("p", { class: "note" }, "What is played becomes a pattern; time begins with the first touch.");
  const recordPlace = h("div", { class: "fields" });
  const toggleRecord = () => {
    if (recorder) {
      player.remove(recorder);
      const played = recorder;
      recorder = undefined;
      clearInterval(ticking);
      recordButton.textContent = "Record";
      recordButton.setAttribute("aria-pressed", "false");
      if (played.isEmpty) {
        fill(recordWords, "Nothing was played.");
        say("Nothing was played.");
      } else showRecorded(played);
      return;
    }
    let last = 0;
    recorder = new Recorder(() => (last = Math.max(last, (player.at || performance.now()) / 1000)));
    began = performance.now();
    player.outputs.add(recorder);
    recordButton.textContent = "Stop recording";
    recordButton.setAttribute("aria-pressed", "true");
    fill(recordPlace);
    say("Records.");
    const tick = () => {
      const seconds = (performance.now() - began) / 1000;
      fill(recordWords, h("span", { class: "number" }, `Records: ${clock(seconds)}, ${counted(recorder?.taps.length ?? 0, "tap")}, ${counted(recorder?.holds.length ?? 0, "vibration")}`));
      if (seconds > LONGEST) toggleRecord();
    };
    tick();
    ticking = window.setInterval(tick, 200);
  };
  const showRecorded = (/** @type {Recorder} */ recorded) => {
    const played = recorded.finish(), pattern = patternOf(played);
    const seconds = Math.max(...played.taps.map((one) => one.time), ...played.holds.map((one) => one.end));
    const what = `${counted(played.taps.length, "tap")} and ${counted(played.holds.length, "vibration")} in ${seconds.toFixed(1)} s`;
    const words = [`Recorded ${what}.`];
    if (pattern.points) words.push(`${counted(pattern.points, "point")} of curves stand for ${counted(pattern.samples, "place")} of fingers.`);
    if (pattern.overlap) {
      words.push(`Some sounded together for ${pattern.overlap.toFixed(1)} s. A pattern's curves act on all that sounds, so these are ${counted(pattern.pieces, "piece")} below common curves.`);
    }
    if (played.holds.length) words.push(`At most ${pattern.difference.intensity.toFixed(3)} of intensity and ${pattern.difference.sharpness.toFixed(3)} of sharpness from what was played.`);
    fill(recordWords, words.join(" "));
    say(words[0]);
    const date = new Date().toISOString().replace(/[-:]/g, "").replace("T", "-").slice(0, 15);
    const name = h("input", { type: "text", value: `palette-${date}`, required: true, pattern: "[A-Za-z0-9][A-Za-z0-9._\\-]*(/[A-Za-z0-9][A-Za-z0-9._\\-]*)*", maxlength: 120, spellcheck: "false", autocomplete: "off" });
    const save = h("button", { type: "submit", class: "primary" }, "Save and edit");
    fill(recordPlace, h("form", {
      class: "palette-save", onsubmit: async (/** @type {Event} */ event) => {
        event.preventDefault();
        save.disabled = true;
        try {
          const made = await post("patterns", { name: name.value, text: textOf(pattern.entries, `Played on the palette: ${what}.`) });
          if (!signal.aborted) location.hash = `#/patterns/${encodeURIComponent(made?.name ?? name.value)}`;
        } catch (error) {
          save.disabled = false;
          toast(error instanceof Error ? error.message : String(error), "bad");
        }
      },
    }, field("Name of the pattern", name), h("div", { class: "box-foot" }, save, h("button", {
      type: "button", onclick: () => {
        fill(recordPlace);
        fill(recordWords, "Discarded.");
        recordButton.focus();
      },
    }, "Discard"))));
  };

  // What can be heard and felt without a rig.
  const check = (/** @type {string} */ label, /** @type {string} */ detail, /** @type {(isOn: boolean) => void} */ changed) => h("label", { class: "palette-check" },
    h("input", { type: "checkbox", onchange: (/** @type {Event} */ event) => changed(/** @type {HTMLInputElement} */ (event.target).checked) }),
    h("span", null, label, h("span", { class: "detail" }, detail)));
  /** @param {import("./palette_play.js").Output} output @param {boolean} isOn */
  const use = (output, isOn) => {
    if (isOn) player.outputs.add(output);
    else player.remove(output);
  };
  const phone = new PhoneVibration(), motors = new ControllerVibration();
  const outputs = h("div", { class: "fields" },
    check("Sound", "Sound of the asked-for, unmeasured", async (isOn) => {
      if (isOn) await sound.open();
      use(sound, isOn && !signal.aborted);
      if (!isOn) sound.close();
    }),
    field("Octaves above what is felt", select(["0", "1", "2", "3"].map((one) => [one, one]), "2", (value) => { sound.octaves = Number(value); })),
    PhoneVibration.isOffered && check("This device's vibration", "Not measured: on and off alone, where it has a motor", (isOn) => use(phone, isOn)));
  const controllerPlace = h("div", { class: "fields" });
  /** @type {Controller | undefined} */
  let pads;
  const showControllerOf = onChange((/** @type {{ id: string, hasMotors: boolean }} */ { id, hasMotors }) => fill(controllerPlace,
    h("p", { class: "note" }, id ? `Game controller: ${id}. A stick moves the cursor, the right trigger is intensity, the first button taps.`
      : "A game controller is found when one of its buttons is pressed."),
    hasMotors && check("The controller's motors", "Not measured", (isOn) => use(motors, isOn))));
  const showController = () => showControllerOf({ id: pads?.pad?.id ?? "", hasMotors: ControllerVibration.actuators.length > 0 });
  pads = new Controller(player, () => pad.cursor, (x, y) => pad.place(x, y), showController);
  const midiWords = h("p", { class: "note" });
  const midi = new Midi(player, (words) => { if (!signal.aborted) fill(midiWords, words); });
  const midiPlace = Midi.isOffered ? h("div", { class: "fields" }, h("div", null, h("button", { type: "button", "data-key": "midi", onclick: () => midi.open() }, "Use a MIDI keyboard")), midiWords)
    : h("p", { class: "note" }, "This browser has no MIDI.");
  fill(midiWords, `Notes ${NOTES[0]} to ${NOTES[1]} are sharpness, velocity is intensity, the wheel moves the sharpness of what is held.`);

  const playPreset = (/** @type {number} */ sharpness, /** @type {number} */ intensity) => {
    pad.place(sharpness, intensity, true);
    tapHere();
  };

  fill(place, h("div", { class: "page-head" }, h("h1", null, "Palette"), h("div", { class: "actions palette-start" }, choices, startButton)), standing,
      h("div", { class: "palette" },
        h("section", { class: "card", "aria-labelledby": "palette-title" }, h("div", { class: "card-head" }, h("h2", { id: "palette-title" }, "Sharpness by intensity"),
          h("div", { class: "tools" }, segmented("What a finger does", [["both", "Tap or hold"], ["tap", "Tap"], ["hold", "Hold"]], player.mode, (value) => {
            letGo();
            player.mode = /** @type {import("./palette_play.js").Mode} */ (value);
          }))),
        pad.element, readout,
        h("p", { class: "hidden", id: "palette-keys" }, "Arrows move the cursor, with Shift ten times as far. Enter taps. Space taps, and goes on while it is held. 1 to 9 play presets."),
        reachText, reachTable),
        h("div", { class: "palette-side" },
          h("section", { class: "card", "aria-labelledby": "palette-record" }, h("div", { class: "card-head" }, h("h2", { id: "palette-record" }, "Record"), h("div", { class: "actions" }, recordButton)), recordWords, recordPlace),
          h("section", { class: "card", "aria-labelledby": "palette-presets" }, h("h2", { id: "palette-presets" }, "Presets and cursor"),
            h("div", { class: "preset-grid" }, PRESETS.map(([key, name, s, i]) => h("button", {
              type: "button", "data-key": `preset-${key}`, "aria-label": `Tap ${name}: intensity ${i}, sharpness ${s}`, onclick: () => playPreset(s, i),
            }, h("kbd", { "aria-hidden": "true" }, key), h("span", null, name)))),
            h("div", { class: "cursor-row" }, field("Sharpness, 0 to 1", sharpnessField), field("Intensity, 0 to 1", intensityField), h("button", { type: "button", onclick: tapHere }, "Tap"))),
          h("section", { class: "card", "aria-labelledby": "envelope-title" }, h("h2", { id: "envelope-title" }, "Attack and decay of what is held"), envelope.element, envelopeWords,
            h("p", { class: "hidden", id: "palette-envelope-keys" }, "Arrows move the cursor, with Shift ten times as far.")),
          h("section", { class: "card", "aria-labelledby": "outputs-title" }, h("h2", { id: "outputs-title" }, "Without a rig"), outputs, controllerPlace, midiPlace))));
  showLabels();
  showPlace(pad.cursor.x, pad.cursor.y, false);
  showEnvelope(0, 0, false);
  showController();
  showStage();

  const stopBench = watchBench((now) => {
    bench = now;
    chooseRig();
  });
  // Whatever takes the page from the one who plays takes the drive from the rig.
  const away = (/** @type {string} */ words) => {
    letGo();
    if (stage.state !== "off") endStage(words);
  };
  const options = { signal };
  addEventListener("blur", () => away("Stopped: the window lost the focus. Start again to go on."), options);
  document.addEventListener("visibilitychange", () => { if (document.hidden) away("Stopped: a page that is hidden drives nothing."); }, options);
  addEventListener("pagehide", () => away(""), options);
  // A key that is kept down repeats; that is one tap, and one start.
  let isRepeated = false;
  addEventListener("keydown", (event) => { isRepeated = event.repeat; }, { signal, capture: true });
  const once = (/** @type {() => void} */ act) => () => { if (!isRepeated) act(); };
  pageKeys([
    { keys: "← → ↑ ↓", does: "On a pad: the cursor moves, with Shift ten times as far" },
    { keys: "Enter", does: "On the pad: a tap" }, { keys: "Space", does: "On the pad: a tap, and on while it is held" },
    ...[...PRESETS].sort((a, b) => a[0].localeCompare(b[0])).map(([key, name, s, i]) => ({ keys: key, does: `Tap ${name}`, act: once(() => playPreset(s, i)) })),
    { keys: "s", does: "Start or stop driving the rig", act: once(() => { if (!startButton.disabled) toggleStage(); }) },
    { keys: "r", does: "Record, or stop recording", act: once(toggleRecord) }, { keys: "p", does: "To the pad", act: () => pad.focus() },
    { keys: "Esc", does: "Stop driving the rig", act: () => away("") },
  ]);
  return () => {
    away("");
    controller.abort();
    clearTimeout(telling);
    clearInterval(ticking);
    stopBench();
    pads?.close();
    midi.close();
    sound.close();
    pad.close();
    envelope.close();
    stage.close();
  };
}

/** @param {import("./palette_laws.js").Reach} reach */
const reachRows = (reach) => h("div", { class: "scroll" }, h("table", { class: "narrow" }, h("caption", null, "The most intensity that is reached, of a steady tone"),
  h("thead", null, h("tr", null, ["Sharpness", "Frequency", "Intensity"].map((name) => h("th", { scope: "col", class: "number" }, name)))),
  h("tbody", null, Array.from({ length: 11 }, (_, k) => k / 10).map((s) => h("tr", null, h("td", { class: "number" }, s.toFixed(1)),
    h("td", { class: "number" }, `${Math.round(reach.law(s))} Hz`), h("td", { class: "number" }, mostAt(reach, s).toFixed(2)))))));

/**
 * What the actuator reaches is plain, what it does not is hatched.
 *
 * @param {CanvasRenderingContext2D} context
 * @param {number} width
 * @param {number} height
 * @param {import("./palette_laws.js").Reach | undefined} reach
 */
function drawReach(context, width, height, reach) {
  if (!reach) return;
  const line = () => {
    context.beginPath();
    for (const [s, i] of reach.points) context.lineTo(s * width, (1 - i) * height);
  };
  if (!reach.isCurve) {
    context.save();
    line();
    context.lineTo(width, 0);
    context.lineTo(0, 0);
    context.closePath();
    context.clip();
    context.fillStyle = colour("raised");
    context.fillRect(0, 0, width, height);
    context.strokeStyle = colour("rule");
    context.lineWidth = 1;
    context.beginPath();
    for (let x = -height; x < width; x += 9) {
      context.moveTo(x, height);
      context.lineTo(x + height, 0);
    }
    context.stroke();
    context.restore();
  }
  line();
  context.strokeStyle = colour("response");
  context.lineWidth = 2;
  context.stroke();
}

/**
 * The envelope as it is: 2 s of what is held.
 *
 * @param {CanvasRenderingContext2D} context
 * @param {number} width
 * @param {number} height
 * @param {Player} player
 */
function drawEnvelope(context, width, height, player) {
  const rise = player.attack ? envelopeSeconds(player.attack) : 0, fall = player.decay ? envelopeSeconds(player.decay) : Infinity;
  context.fillStyle = colour("event");
  context.beginPath();
  context.moveTo(0, height);
  for (let x = 0; x <= width; x += 1) {
    const time = 2 * x / width, value = time < rise ? time / rise : Math.max(0, 1 - (time - rise) / fall);
    context.lineTo(x, height - value * height * 0.9);
  }
  context.lineTo(width, height);
  context.fill();
}
