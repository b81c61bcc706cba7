#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""palette.py OUT [--browser chromium|firefox] [--program HAPRIG [--assets DIR]]: plays on the palette in a browser and says whether what is
asked for is what was played.

The page stands before workbench_mock.py, or with --program before `haprig serve` and simulated rigs in a folder of its own. First what is
played becomes a pattern without a browser (palette.mjs). Then a mouse, two fingers, keys, a made-up MIDI keyboard and a made-up game
controller play; what the page tells the server is noted on its way to the socket. Pictures are kept in OUT.
Exit code: 0, or 1 where something is not as it should be.
"""

import contextlib
import json
import os
import re
import subprocess
import time

import workbench_mock
from browser import make
from place import ROOT, Place, Served, check, look, ran

# What goes to the server; instruments that no machine of tests has, and what would be felt.
INSTRUMENTS = """
window.sent = [];
const send = WebSocket.prototype.send;
WebSocket.prototype.send = function (text) { sent.push({ ...JSON.parse(text), second: performance.now() / 1000 }); return send.call(this, text); };
window.tones = [];
const make = AudioContext.prototype.createOscillator;
AudioContext.prototype.createOscillator = function () { const tone = make.call(this); tones.push(tone); return tone; };
window.felt = [];
navigator.vibrate = (pattern) => { felt.push(pattern); return true; };
window.keyboard = { name: "Made-up keys", state: "connected", onmidimessage: null };
navigator.requestMIDIAccess = async () => ({ inputs: new Map([["1", keyboard]]), onstatechange: null });
window.play = (...data) => keyboard.onmidimessage({ data: Uint8Array.from(data) });
window.controller = null;
navigator.getGamepads = () => [controller];
window.plug = () => {
  window.controller = { id: "Made-up pad", connected: true, axes: [0, 0, 0, 0], buttons: Array.from({ length: 16 }, () => ({ pressed: false, value: 0 })),
    vibrationActuator: { playEffect: async (kind, effect) => { felt.push([kind, effect]); }, reset: async () => { felt.push("reset"); } } };
  dispatchEvent(new Event("gamepadconnected"));
};
"""


def check_modules():
    result = subprocess.run(["node", os.path.join(ROOT, ".ci/browser/palette.mjs")], capture_output=True, text=True)
    print(result.stdout.strip() or result.stderr.strip())
    check(result.returncode == 0, "record", "what is played is not what its pattern asks for")
    # The thresholds are those of the program.
    pair = r"[(\[]([\d.]+), (-[\d.]+)[)\]]"
    with open(os.path.join(ROOT, "Sources/Perception/PerceptionContour.swift"), encoding="utf-8") as text:
        program = re.findall(pair, text.read().split('name: "aosp16"')[1].split("].map")[0])
    with open(os.path.join(ROOT, "Sources/Workbench/Pages/palette_laws.js"), encoding="utf-8") as text:
        page = re.findall(pair, text.read().split("AOSP16 = [")[1].split("];")[0])
    check([tuple(map(float, one)) for one in program] == [tuple(map(float, one)) for one in page] and len(page) > 30,
          "laws", "the thresholds are not those of Sources/Perception")


class Stage:
    """The palette's page, and what it says on its socket about stages."""

    def __init__(self, place):
        self.place, self.browser = place, place.browser

    def said(self, settle=0.15):
        """What was said since the last call: messages with the second they went out."""
        time.sleep(settle)
        return [one for one in self.browser.evaluate("sent.splice(0)") if "beat" not in one]

    def beats(self, seconds):
        """How many beats go out in a time."""
        self.said()
        time.sleep(seconds)
        return self.browser.evaluate("sent.filter((one) => one.beat).length")

    def played(self, settle=0.15):
        return [one for one in self.said(settle) if "do" in one]

    def box(self, name="palette-pad"):
        return self.browser.evaluate(f"(() => {{ document.getElementById({name!r}).scrollIntoView({{ block: 'center', behavior: 'instant' }});"
                                     f" const box = document.getElementById({name!r}).getBoundingClientRect();"
                                     " return [box.left, box.top, box.width, box.height]; })()")

    def at(self, sharpness, intensity, name="palette-pad"):
        left, top, width, height = self.box(name)
        return [left + sharpness * width, top + (1 - intensity) * height]

    def text(self, selector):
        return self.browser.evaluate(f"document.querySelector({selector!r}).textContent")

    def open(self):
        """The page as it is at first."""
        self.place.go("#/bench")
        self.place.go("#/palette" + self.query, "document.querySelector('[data-key=start]:not(:disabled)')")

    def start(self):
        self.browser.evaluate("document.querySelector('[data-key=start]').click(); 1")
        self.place.wait("/^Drives/.test(document.querySelector('.palette-standing').textContent)", "stage", "it does not start")

    def is_off(self):
        return self.browser.evaluate("document.querySelector('[data-key=start]').textContent === 'Start'")


def kinds(messages):
    """`tap touch touch lift` as `tap touch* lift`."""
    return re.sub(r"\btouch( touch)*\b", "touch", " ".join(one["do"] for one in messages))


def near(one, sharpness, intensity, by=0.012):
    return abs(one["sharpness"] - sharpness) <= by and abs(one["intensity"] - intensity) <= by


def check_silence(stage):
    stage.said()
    stage.browser.do(("down", stage.at(0.3, 0.3)))
    time.sleep(0.3)
    stage.browser.do(("move", stage.at(0.6, 0.6)))
    stage.browser.do(("up", stage.at(0.6, 0.6)))
    stage.browser.evaluate("document.getElementById('palette-pad').focus(); 1")
    stage.browser.press("Enter")
    stage.browser.press("5")
    said = [one for one in stage.said() if "stage" in one or "hold" in one or "do" in one]
    check(not said, "silence", f"without Start it says {said}")


def check_mouse(stage):
    stage.said()
    stage.browser.tap(stage.at(0.25, 0.8))
    messages = stage.played(0.4)
    check(kinds(messages) == "tap" and near(messages[0], 0.25, 0.8), "mouse", f"a tap is {messages}")
    stage.browser.do(("down", stage.at(0.2, 0.5)))
    time.sleep(0.4)
    place = stage.at(0, 0)
    _, _, width, height = stage.box()
    began = time.monotonic()
    while (gone := time.monotonic() - began) < 1.0:
        stage.browser.do(("move", [place[0] + width * (0.2 + 0.6 * gone), place[1] - height * 0.5]))
    stage.browser.do(("move", stage.at(0.8, 0.5)), ("pause", 0.1), ("up", stage.at(0.8, 0.5)))
    messages = stage.played(0.3)
    check(kinds(messages) == "tap touch lift", "mouse", f"a swipe is {kinds(messages)}")
    touches = [one for one in messages if one["do"] == "touch"]
    check(all(one["finger"] == 1 for one in touches), "mouse", "a mouse is not the first finger")
    check(near(touches[0], 0.2, 0.5) and abs(touches[-1]["sharpness"] - 0.8) < 0.05, "mouse", f"a swipe goes from {touches[0]} to {touches[-1]}")
    check(0.08 < touches[0]["second"] - messages[0]["second"] < 0.6, "mouse", "a tap becomes continuous at another time")
    check(8 <= stage.beats(1.5) / 1.5 <= 11, "beats", "they do not come each 100 ms")
    sharpnesses = [one["sharpness"] for one in touches]
    check(sharpnesses == sorted(sharpnesses) and len(set(sharpnesses)) > 10, "mouse", f"a swipe has {len(set(sharpnesses))} places")
    seconds = [one["second"] for one in messages]
    most = max(sum(1 for one in seconds if begin <= one < begin + 1) for begin in seconds)
    check(most <= 64, "mouse", f"{most} messages in a second")
    check(stage.place.wait("/Delay from message to drive [\\d.]+ ms/.test(document.querySelector('.palette-standing').textContent)", "delay", "no delay is shown"),
          "delay", "no delay is shown")
    print(f"mouse: {len(touches)} touches of a swipe, {most} messages in a second at most. {stage.text('.palette-standing')}")


def check_fingers(stage):
    stage.said()
    first, second = stage.at(0.2, 0.3), stage.at(0.8, 0.9)
    stage.browser.fingers({0: first})
    stage.browser.fingers({0: first, 1: second})
    time.sleep(0.35)
    for k in range(30):
        first, second = stage.at(0.2 + 0.01 * k, 0.3), stage.at(0.8, 0.9 - 0.02 * k)
        stage.browser.fingers({0: first, 1: second})
    time.sleep(0.1)
    stage.browser.fingers({1: second})
    time.sleep(0.1)
    stage.browser.fingers({})
    messages = stage.played(0.3)
    taps = [one for one in messages if one["do"] == "tap"]
    check(len(taps) == 2 and near(taps[0], 0.2, 0.3) and near(taps[1], 0.8, 0.9), "fingers", f"two taps are {taps}")
    for finger, place in ((1, (0.49, 0.3)), (2, (0.8, 0.32))):
        own = [one for one in messages if one.get("finger") == finger]
        check(kinds(own) == "touch lift", "fingers", f"finger {finger} is {kinds(own)}")
        moved = [one for one in own if one["do"] == "touch"]
        check(bool(moved) and near(moved[-1], *place, by=0.02), "fingers", f"finger {finger} ends at {moved[-1:]}")
    seconds = [one["second"] for one in messages]
    most = max(sum(1 for one in seconds if begin <= one < begin + 1) for begin in seconds)
    check(most <= 70, "fingers", f"{most} messages in a second")
    check(stage.browser.evaluate("scrollY === scrollY && getComputedStyle(document.getElementById('palette-pad')).touchAction === 'none'"),
          "fingers", "a finger on the pad scrolls")
    print(f"fingers: two at once, {len(messages)} messages, {most} in a second at most")


def check_keys(stage):
    browser = stage.browser
    stage.open()
    browser.evaluate("document.getElementById('palette-pad').focus(); document.getElementById('say').replaceChildren(); 1")
    time.sleep(0.6)
    browser.evaluate("document.getElementById('say').replaceChildren(); 1")
    before = browser.evaluate("scrollY")
    for _ in range(5):
        stage.browser.press("ArrowRight")
    stage.browser.press("ArrowUp", held=["Shift"])
    time.sleep(0.9)
    words = browser.evaluate("[...document.getElementById('say').children].map((one) => one.textContent)")
    check(len(words) == 1 and words[0].startswith("intensity 0.70, sharpness 0.55, 143 Hz"), "keys", f"six steps are told as {words}")
    check(browser.evaluate("scrollY") == before, "keys", "arrows on the pad scroll")
    stage.start()
    browser.evaluate("document.getElementById('palette-pad').focus(); 1")
    stage.said()
    stage.browser.press("Enter")
    messages = stage.played(0.3)
    check(kinds(messages) == "tap" and near(messages[0], 0.55, 0.7), "keys", f"Enter is {messages}")
    stage.browser.do(("down", " "))
    time.sleep(0.3)
    stage.browser.do(("down", " "))
    stage.browser.press("ArrowLeft", held=["Shift"])
    time.sleep(0.1)
    stage.browser.do(("up", " "))
    messages = stage.played(0.3)
    check(kinds(messages) == "tap touch lift", "keys", f"a held space is {kinds(messages)}")
    touches = [one for one in messages if one["do"] == "touch"]
    check(bool(touches) and near(touches[-1], 0.45, 0.7), "keys", f"an arrow while space is held is {touches[-1:]}")
    browser.press("9")
    messages = stage.played(0.3)
    check(kinds(messages) == "tap" and near(messages[0], 0.9, 1), "keys", f"9 is {messages}")
    # The envelope by keys: attack at 0.5 is the root of 1 ms and 1 s.
    browser.evaluate("document.getElementById('palette-envelope').focus(); 1")
    for _ in range(5):
        stage.browser.press("ArrowRight", held=["Shift"])
    check("attack 32 ms" in browser.evaluate("document.querySelectorAll('.pad-readout')[1].textContent"), "keys", "the attack is not told")
    browser.evaluate("[...document.querySelectorAll('.segmented button')].find((one) => one.textContent === 'Hold').click(); document.getElementById('palette-pad').focus(); 1")
    stage.said()
    stage.browser.do(("down", " "))
    time.sleep(0.1)
    stage.browser.do(("up", " "))
    messages = stage.played(0.3)
    check(kinds(messages) == "touch lift" and messages[0].get("attack") == 0.5 and "decay" not in messages[0], "keys", f"an attack is {messages}")
    browser.evaluate("[...document.querySelectorAll('.segmented button')].find((one) => one.textContent === 'Tap').click(); document.getElementById('palette-pad').focus(); 1")
    stage.browser.do(("down", " "))
    time.sleep(0.3)
    stage.browser.do(("up", " "))
    messages = stage.played(0.3)
    check(kinds(messages) == "tap", "keys", f"in the mode of taps a held space is {kinds(messages)}")
    stage.browser.press("Escape")
    check(stage.is_off(), "keys", "Esc does not stop it")
    messages = stage.said()
    check([one for one in messages if one.get("do") == "stop"] != [], "keys", f"Esc says {messages}")
    print("keys: cursor, tap, held space, presets, envelope, modes, Esc")


def check_lift(stage):
    """What is held is lifted when the page is left, in each way."""
    browser = stage.browser
    # Focus that goes elsewhere, a hidden page, a page that goes away, another page of the workbench.
    ways = [("blur", "dispatchEvent(new Event('blur')); 1"),
            ("hidden", "Object.defineProperty(document, 'hidden', { value: true, configurable: true }); document.dispatchEvent(new Event('visibilitychange')); delete document.hidden; 1"),
            ("pagehide", "dispatchEvent(new Event('pagehide')); 1"), ("another page", "location.hash = '#/calibrations'; 1")]
    for name, act in ways:
        stage.open()
        stage.start()
        stage.said()
        stage.browser.do(("down", stage.at(0.4, 0.6)))
        stage.place.wait("sent.some((one) => one.do === 'touch')", name, "what is held long does not go on")
        browser.evaluate(act)
        time.sleep(0.1)
        stage.browser.do(("move", [stage.browser.evaluate("innerWidth / 3"), 400]))
        stage.browser.do(("up", [stage.browser.evaluate("innerWidth / 3"), 400]))
        messages = stage.played(0.4)
        check(kinds(messages) == "tap touch lift stop", name, f"what was held is {kinds(messages)}")
        if name != "another page":
            check(stage.is_off(), name, "the stage goes on")
        # The rig is free again.
        time.sleep(0.3)
    print(f"lift: {', '.join(name for name, _ in ways)}")


def check_refusal(stage, world):
    """A rig that is held is told, and a link that breaks ends the stage for good."""
    browser = stage.browser
    stage.open()
    rig = stage.query.removeprefix("?rig=")
    _, held = world.open_stage({"rig": rig})
    browser.evaluate("document.querySelector('[data-key=start]').click(); 1")
    stage.place.wait("/is held/.test(document.querySelector('.palette-standing').textContent)", "refusal", "a held rig is not told")
    check(stage.is_off(), "refusal", "it goes on without a stage")
    world.stages[held["stage"]]["state"] = "ended"
    stage.place.complaints(expected=["409"])
    stage.start()
    list(world.stages.values())[-1]["fault"] = "too much was asked at once: ask for less"
    stage.browser.press("5")
    stage.place.wait("/too much was asked at once/.test(document.querySelector('.toast')?.textContent)", "fault", "a fault of the stage is not told")
    stage.said()
    stage.place.mock("gone")
    stage.place.wait("/The link broke/.test(document.querySelector('.palette-standing').textContent)", "cut", "a broken link is not told")
    stage.place.mock("back")
    stage.place.wait("document.getElementById('link').textContent === 'connected'", "cut", "it does not come back", 12)
    said = stage.said(0.5)
    check(stage.is_off() and not [one for one in said if "hold" in one], "cut", f"after a break the stage goes on: {said}")
    print("refusal: a held rig, a fault, a cut link")


def check_frames(stage):
    """What the script of a frame takes of the processor while two fingers move."""
    stage.open()
    stage.start()
    stage.browser.fingers({0: stage.at(0.2, 0.3), 1: stage.at(0.8, 0.9)})
    stage.browser.evaluate("""(() => {
      const pad = document.getElementById("palette-pad"), box = pad.getBoundingClientRect(), end = performance.now() + 4000;
      const step = () => {
        const t = performance.now() / 300;
        for (const [id, shift] of [[2, 0], [3, 2]]) pad.dispatchEvent(new PointerEvent("pointermove", { pointerId: id, bubbles: true,
          clientX: box.left + box.width * (0.5 + 0.4 * Math.sin(t + shift)), clientY: box.top + box.height * (0.5 + 0.4 * Math.cos(t + shift)) }));
        if (performance.now() < end) requestAnimationFrame(step);
      };
      requestAnimationFrame(step);
      return 1;
    })()""")
    used = sorted(stage.browser.processor_times(3))
    late = used[int(len(used) * 0.99)] if used else 0
    print(f"frames: {len(used)} in 3 s, script {used[len(used) // 2] if used else 0:.2f} ms of the processor in the median, {late:.2f} ms at the 99th")
    check(len(used) > 30 and late < 6, "frames", f"the script of a frame takes {late:.1f} ms of the processor, {len(used)} frames")
    stage.browser.fingers({})
    stage.browser.press("Escape")


def check_instruments(stage):
    browser = stage.browser
    stage.open()
    browser.evaluate("document.querySelector('[data-key=midi]').click(); plug(); 1")
    stage.place.wait("/Made-up keys/.test(document.querySelector('.page').textContent) && /Made-up pad/.test(document.querySelector('.page').textContent)",
                     "instruments", "they are not shown")
    boxes = browser.evaluate("[...document.querySelectorAll('.palette-check')].map((one) => [one.textContent, one.querySelector('input').checked])")
    check(len(boxes) == 3 and not any(checked for _, checked in boxes), "outputs", f"at first they are {boxes}")
    check(all("nmeasured" in text or "Not measured" in text for text, _ in boxes), "outputs", f"they do not say that nothing is measured: {boxes}")
    browser.evaluate("play(0x90, 60, 100); play(0x80, 60, 0); 1")
    check(browser.evaluate("felt.length") == 0, "outputs", "something is felt that was not switched on")
    browser.evaluate("document.querySelectorAll('.palette-check input').forEach((one) => one.click()); 1")
    time.sleep(0.2)
    stage.start()
    stage.said()
    browser.evaluate("play(0x90, 60, 127); 1")
    time.sleep(0.3)
    browser.evaluate("play(0xb0, 1, 127); 1")
    time.sleep(0.1)
    browser.evaluate("play(0x90, 60, 0); 1")
    messages = stage.played(0.3)
    check(kinds(messages) == "tap touch lift" and near(messages[0], 0.5, 1), "MIDI", f"a note is {messages}")
    check(messages[-2:-1] != [] and near(messages[-2], 1, 1), "MIDI", f"the wheel is {messages[-2:-1]}")
    tones = browser.evaluate("tones.map((one) => one.frequency.value)")
    # A tap and what follows it, two octaves above 136 Hz.
    check(len(tones) >= 2 and abs(tones[0] - 4 * 135.65) < 0.1, "sound", f"its tones are {tones} Hz")
    felt = browser.evaluate("felt")
    check(any(isinstance(one, (int, float)) and one > 0 for one in felt) and any(one == "reset" for one in felt)
          and any(isinstance(one, list) and one[0] == "dual-rumble" for one in felt), "outputs", f"felt is {felt[:8]}")
    browser.evaluate("controller.buttons[7] = { pressed: true, value: 0.6 }; controller.axes = [1, 0, 0, 0]; 1")
    time.sleep(0.4)
    browser.evaluate("controller.buttons[7] = { pressed: false, value: 0 }; controller.axes = [0.05, 0, 0, 0]; controller.buttons[0] = { pressed: true, value: 1 }; 1")
    time.sleep(0.1)
    messages = stage.played(0.3)
    check(kinds(messages) == "touch lift tap", "controller", f"trigger and button are {kinds(messages)}")
    touches = [one for one in messages if one["do"] == "touch"]
    check(bool(touches) and touches[0]["intensity"] == 0.6 and touches[-1]["sharpness"] > touches[0]["sharpness"], "controller", f"it is {touches[:1]} to {touches[-1:]}")
    stage.browser.press("Escape")
    time.sleep(0.2)
    print("instruments: MIDI keyboard, game controller, vibration, sound")


def check_record(stage, out):
    browser = stage.browser
    stage.open()
    # Played without a rig: a record needs none.
    browser.evaluate("document.querySelector('[data-key=record]').click(); 1")
    stage.browser.tap(stage.at(0.3, 0.9))
    time.sleep(0.4)
    browser.evaluate("[...document.querySelectorAll('.segmented button')].find((one) => one.textContent === 'Hold').click(); 1")
    place, (_, _, width, height) = stage.at(0, 0), stage.box()
    stage.browser.do(("down", [place[0] + 0.2 * width, place[1] - 0.25 * height]))
    began = time.monotonic()
    while (gone := time.monotonic() - began) < 0.8:
        stage.browser.do(("move", [place[0] + width * (0.2 + 0.75 * gone), place[1] - height * (0.25 + 0.75 * gone)]))
    stage.browser.do(("move", end := [place[0] + width * 0.8, place[1] - height * 0.85]), ("pause", 0.1), ("up", end))
    time.sleep(0.1)
    browser.screenshot(os.path.join(out, "palette-recording.png"))
    browser.evaluate("document.querySelector('[data-key=record]').click(); 1")
    stage.place.wait("document.querySelector('.palette-save')", "record", "nothing is offered to be saved")
    words = stage.text("[aria-labelledby=palette-record]")
    browser.screenshot(os.path.join(out, "palette-recorded.png"))
    check("1 tap and 1 vibration" in words, "record", f"it says '{words}'")
    name = f"palette-test-{int(time.time())}"
    browser.evaluate(f"(() => {{ const input = document.querySelector('.palette-save input'); input.value = {name!r}; document.querySelector('.palette-save').requestSubmit(); return 1; }})()")
    stage.place.wait(f"location.hash === '#/patterns/{name}'", "record", "the editor is not opened")
    text = browser.evaluate(f"fetch('/api/v1/patterns/{name}').then((one) => one.json()).then((one) => one.text)")
    pattern = json.loads(text)["Pattern"]
    events = [one["Event"] for one in pattern if "Event" in one]
    curves = {}
    for one in pattern:
        if "ParameterCurve" in one:
            curves.setdefault(one["ParameterCurve"]["ParameterID"], []).append(one["ParameterCurve"]["ParameterCurveControlPoints"])
    check([one["EventType"] for one in events] == ["HapticTransient", "HapticContinuous"], "record", f"its events are {events}")
    values = {one["ParameterID"]: one["ParameterValue"] for one in events[0]["EventParameters"]}
    check(events[0]["Time"] == 0 and abs(values["HapticIntensity"] - 0.9) < 0.012 and abs(values["HapticSharpness"] - 0.3) < 0.012, "record", f"its tap is {events[0]}")
    held = {one["ParameterID"]: one["ParameterValue"] for one in events[1]["EventParameters"]}
    check(0.6 < events[1]["EventDuration"] < 1.5 and events[1]["Time"] > 0.3, "record", f"its vibration is {events[1]}")
    for parameter, base, last in (("HapticIntensityControl", lambda value: value * held["HapticIntensity"], 0.85), ("HapticSharpnessControl", lambda value: value + held["HapticSharpness"], 0.8)):
        # A hand of a test that shares its processor is not quite even.
        points = [point for one in curves[parameter] for point in one]
        check(all(2 <= len(one) <= 16 for one in curves[parameter]), "record", f"{parameter} has curves of {[len(one) for one in curves[parameter]]} points")
        check(all(a["ParameterValue"] <= b["ParameterValue"] + 1e-9 for a, b in zip(points, points[1:])), "record", f"{parameter} of a swipe falls")
        check(abs(base(points[-1]["ParameterValue"]) - last) < 0.03, "record", f"{parameter} ends at {base(points[-1]['ParameterValue'])}")
    print(f"record: {words.strip()[-170:]}; {len(text)} bytes")


def everything(place, world, out):
    browser = place.browser
    place.complaints(expected=["401"])
    stage = Stage(place)
    # Nobody else is to be on the rig: the simulated one.
    rigs = browser.evaluate("fetch('/api/v1/bench').then((one) => one.json()).then((one) => one.rigs.filter((rig) => rig.state === 'idle').map((rig) => rig.name))")
    stage.query = f"?rig={next(one for one in rigs if 'simulated' in one)}"
    place.size(1280, 900)
    place.go("#/palette" + stage.query, "document.querySelector('[data-key=start]:not(:disabled)')")
    place.wait("document.querySelector('.reach-swatch')", "reach", "what the actuator reaches is not told")
    print("reach: " + stage.text("#palette-reach"))
    check_silence(stage)
    stage.start()
    check_mouse(stage)
    check_fingers(stage)
    browser.do(("down", stage.at(0.5, 0.5)), *(("move", stage.at(0.5 + 0.012 * k, 0.5 + 0.01 * k)) for k in range(25)))
    browser.screenshot(os.path.join(out, "palette-playing.png"))
    browser.do(("up", stage.at(0.8, 0.75)))
    check_keys(stage)
    check_lift(stage)
    if world:
        check_refusal(stage, world)
    if hasattr(browser, "processor_times"):
        check_frames(stage)
    check_instruments(stage)
    check_record(stage, out)
    for complaint in place.complaints():
        check(False, "palette", complaint)
    browser.media(still=True)
    place.go("#/palette" + stage.query, "document.querySelector('.reach-swatch')")
    browser.tap(stage.at(0.2, 0.2))
    time.sleep(0.8)
    frames = browser.evaluate("new Promise((done) => { let count = 0; const paint = CanvasRenderingContext2D.prototype.clearRect;"
                              " CanvasRenderingContext2D.prototype.clearRect = function (...all) { count += 1; return paint.apply(this, all); };"
                              " setTimeout(() => { CanvasRenderingContext2D.prototype.clearRect = paint; done(count); }, 500); })")
    check(frames < 3, "motion", f"{frames} pictures in half a second of rest where little motion is wanted")
    browser.media()
    look(place, "palette", "#/palette" + stage.query, "document.querySelector('.reach-swatch')", out)
    for dark in (False, True):
        place.size(360, 2600, dark)
        browser.settle()
        time.sleep(0.2)
        browser.screenshot(os.path.join(out, f"palette-360-whole-{'dark' if dark else 'light'}.png"))


def main(options):
    with contextlib.ExitStack() as all_:
        world = None
        if options.program:
            address = all_.enter_context(Served.with_rigs(options.program, options.assets)).address
        else:
            check_modules()
            server, address = workbench_mock.serve(runs=40)
            world = server.RequestHandlerClass.world
        browser = all_.enter_context(make(options.browser, width=1280, height=900))
        browser.before(INSTRUMENTS)
        everything(Place(browser, address), world, options.out)


if __name__ == "__main__":
    ran(main)
