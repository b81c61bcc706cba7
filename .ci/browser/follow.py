#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""follow.py OUT [--browser chromium|firefox] [--program HAPRIG [--assets DIR]]: lets a sound drive an actuator from the workbench's page.

The page stands before workbench_mock.py, or with --program before `haprig serve`, simulated rigs and a sound beside their patterns. What the
page tells the server is noted on its way to the socket: what is set by keys and pointer, that nothing is driven that is not held, and what is
said of its end. Pictures are kept in OUT.
Exit code: 0, or 1 where something is not as it should be.
"""

import contextlib
import os
import re
import time
import wave

import workbench_mock
from authoring import knocks
from browser import make
from place import Place, Served, check, look, ran

# What goes to the server.
NOTED = """
window.sent = [];
const send = WebSocket.prototype.send;
WebSocket.prototype.send = function (text) { sent.push({ ...JSON.parse(text), second: performance.now() / 1000 }); return send.call(this, text); };
"""
STANDING = "document.querySelector('.follow-standing').textContent"


class Follower:
    """The page, and what it says on its socket."""

    def __init__(self, place, query, sound):
        self.place, self.browser, self.query, self.sound = place, place.browser, query, sound

    def open(self):
        self.place.go("#/bench")
        self.place.go("#/follow" + self.query, "document.querySelector('[data-key=start]:not(:disabled)') && document.querySelectorAll('[data-key=input] option').length > 1")

    def choose(self, key, value):
        self.browser.evaluate(f"(() => {{ const box = document.querySelector('[data-key=\"{key}\"]'); box.value = {value!r}; box.dispatchEvent(new Event('change')); return 1; }})()")

    def start(self, sound=None):
        self.choose("input", f"sound:{sound or self.sound}")
        self.press("start")
        return self.place.wait(f"/^(Drives|Listens)/.test({STANDING})", "follow", f"it does not start: {self.browser.evaluate(STANDING)}", 15)

    def press(self, key):
        self.browser.evaluate(f"document.querySelector('[data-key=\"{key}\"]').click(); 1")

    def focus(self, key):
        self.browser.evaluate(f"document.querySelector('[data-key=\"{key}\"]').focus(); 1")

    def said(self, settle=0.2):
        """What was said since the last call, without the beats."""
        time.sleep(settle)
        return [one for one in self.browser.evaluate("sent.splice(0)") if "beat" not in one]

    def commands(self, settle=0.2):
        return [{key: value for key, value in one.items() if key not in ("stage", "second")} for one in self.said(settle) if "do" in one]

    def beats(self, seconds):
        self.said()
        time.sleep(seconds)
        return self.browser.evaluate("sent.filter((one) => one.beat).length")

    def is_off(self):
        return self.browser.evaluate("document.querySelector('[data-key=start]').textContent === 'Start'")

    def meter(self, name):
        return self.browser.evaluate(f"Number(document.querySelector('[role=meter][aria-label=\"{name}\"]').getAttribute('aria-valuenow'))")


def check_way(follower):
    """By keys to the page; what can be chosen; nothing is said of a stage before Start."""
    browser, place = follower.browser, follower.place
    place.go("#/bench")
    place.press("g", "f")
    place.wait("location.hash === '#/follow' && document.querySelector('[data-key=start]')", "way", "g f does not lead there")
    place.press("?")
    place.wait("document.querySelector('dialog.keys')", "way", "no keys are listed")
    keys = browser.evaluate("document.querySelector('dialog.keys').textContent")
    check(all(one in keys for one in ("Follow", "Bypass", "Method bands", "Stops: the drive is at zero")), "way", "the keys of the page are not listed")
    place.press("Escape")
    follower.open()
    inputs = browser.evaluate("[...document.querySelectorAll('[data-key=input] option')].map((one) => one.value)")
    check(inputs[0] == "" and f"sound:{follower.sound}" in inputs, "way", f"there are the inputs {inputs}")
    follower.said()
    for key in ("1", "2", "b", "b", "r", "r"):
        place.press(key)
    follower.choose("gate", "-50")
    follower.choose("gate", "-60")
    place.press("1")
    said = [one for one in follower.said() if "stage" in one or "hold" in one or "do" in one]
    check(not said, "silence", f"without Start it says {said}")
    check("drive" in browser.evaluate("document.querySelector('.page').textContent") and "closed, hidden or cut off" in browser.evaluate("document.querySelector('.page').textContent"), "way", "it does not say who holds the drive")
    print(f"way: by g f, {len(inputs)} inputs, silent before Start")


def check_going(follower, world):
    """It starts, tells how it goes, and takes what is set."""
    browser, place = follower.browser, follower.place
    follower.said()
    if not follower.start():
        return
    said = follower.said(0)
    check(any(one.get("hold") for one in said), "start", f"it holds nothing: {said}")
    check(6 <= follower.beats(1) <= 13, "start", "it does not beat ten times a second")
    if world:
        order = list(world.stages.values())[-1]["follow"]
        check(order == {"sound": follower.sound, "method": "envelope", "gate": -60}, "start", f"asked for is {order}")
    place.wait("document.querySelector('[role=meter][aria-label=Sound]').getAttribute('aria-valuenow') > -79", "levels", "no level is shown")
    levels, pictures = set(), set()
    for _ in range(8):
        levels.add((follower.meter("Sound"), follower.meter("Intensity")))
        pictures.add(browser.evaluate("document.querySelector('.follow-canvas').toDataURL()"))
        time.sleep(0.15)
    check(len(levels) > 3 and len(pictures) > 3, "levels", f"they stand still: {levels}")
    check(browser.evaluate("/gate (open|closed)/.test(document.querySelector('.follow-gate').textContent)"), "levels", "the gate is not told")
    place.wait("[...document.querySelectorAll('.follow-delays tbody tr')].length > 1", "latency", "no latency is measured", 14)
    time.sleep(1.2 if world else 4.5)
    rows = browser.evaluate("Object.fromEntries([...document.querySelectorAll('.follow-delays tbody tr')].map((one) => [one.cells[0].textContent, [...one.cells].slice(1).map((cell) => cell.textContent)]))")
    check("Sound to motion" in rows and all(re.search(r"[\d.]+ ± [\d.]+ [mµ]s|no rise", cell) for row in rows.values() for cell in row[:2]), "latency", f"told is {rows}")
    check(re.fullmatch(r"[\d.]+ ms", rows.get("Sound to drive", [""] * 4)[2]) is not None, "latency", f"what is stated is not beside it: {rows}")
    place.wait("/states 3\\.7 ms typically, 5 ms at most/.test(document.querySelector('.follow-delays').textContent)", "latency", "what the method states is not told")
    browser.screenshot(os.path.join(place.out, "follow-going.png"))
    follower.commands()
    # What is set, by keys and boxes.
    follower.press("rides")
    check(follower.commands() == [{"do": "gain", "dB": 0}], "gain", "it is not held where it rode")
    follower.focus("gain-slider")
    place.press("ArrowRight", "ArrowRight")
    check(follower.commands()[-1:] == [{"do": "gain", "dB": 1}], "gain", "keys do not move the gain")
    follower.press("rides")
    check(follower.commands() == [{"do": "gain", "dB": None}] and browser.evaluate("document.querySelector('[data-key=gain]').disabled"), "gain", "it does not ride again")
    follower.choose("gate", "-35")
    check(follower.commands() == [{"do": "gate", "dB": -35}], "gate", "it is not told")
    check(abs(float(browser.evaluate("document.querySelector('.follow-mark').style.left").rstrip("%")) - 56.25) < 0.1, "gate", "its mark stands elsewhere")
    browser.evaluate("(() => { const box = document.querySelector('[data-key=gate]'); box.value = '7'; box.dispatchEvent(new Event('change')); return 1; })()")
    check(follower.commands() == [], "gate", "one that cannot be is told")
    follower.choose("gate", "-60")
    browser.evaluate("document.activeElement.blur(); 1")
    follower.commands()
    # A slider that is dragged: not faster than it is heard, and the last as it was left.
    browser.evaluate("(() => { let k = 0; const box = document.querySelector('[data-key=band-2-slider]'); const go = () => { k += 1; box.value = String(-40 + k / 2);"
                     " box.dispatchEvent(new Event('input')); if (k < 100) setTimeout(go, 8); else window.isDragged = true; }; go(); return 1; })()")
    place.wait("window.isDragged", "bands", "100 moves of a slider have no end")
    dragged = follower.commands(0.4)
    check(3 < len(dragged) < 30 and dragged[-1] == {"do": "bands", "dB": [0, 0, 10, 0]}, "bands", f"{len(dragged)} commands, the last {dragged[-1:]}")
    follower.press("flat")
    check(follower.commands() == [{"do": "bands", "dB": [0, 0, 0, 0]}], "bands", "they are not flat")
    place.press("b")
    check(follower.commands() == [{"do": "bypass", "on": True}], "bypass", "b does not bypass it")
    place.wait(f"/drives nothing/.test({STANDING})", "bypass", "it is not told")
    place.press("b")
    check(follower.commands() == [{"do": "bypass", "on": False}], "bypass", "b does not end it")
    place.press("2")
    check(follower.commands() == [{"do": "method", "method": "bands"}], "method", "2 does not change it")
    place.wait("document.querySelector('[data-key=\"Method-bands\"]').getAttribute('aria-pressed') === 'true'", "method", "it is not shown")
    follower.choose("delay", "12")
    check(follower.commands() == [], "sound", "a delay is told of a sound that is not passed on")
    follower.press("sound")
    check(follower.commands() == [{"do": "sound", "delay": 0.012}], "sound", "it is not passed on")
    follower.press("sound")
    check(follower.commands() == [{"do": "sound", "delay": None}], "sound", "it is passed on still")
    if not world:
        check("bad-words" not in browser.evaluate("document.querySelector('.follow-standing').innerHTML"), "commands", f"one was refused: {browser.evaluate(STANDING)}")
    print(f"going: levels, gate, {', '.join(f'{name.lower()} {row[0]}' for name, row in rows.items())}; {len(dragged)} commands of 100 moves of a slider")


def check_stops(follower, world):
    """Whatever takes the page away takes the drive."""
    browser, place = follower.browser, follower.place
    ways = {
        "Esc, in a field": lambda: (follower.focus("gate"), place.press("Escape")),
        "Stop": lambda: follower.press("start"),
        "s": lambda: place.press("s"),
        "another page": lambda: place.go("#/bench"),
        "a page that is hidden": lambda: browser.evaluate("Object.defineProperty(document, 'hidden', { value: true, configurable: true }); document.dispatchEvent(new Event('visibilitychange')); delete document.hidden; 1"),
    }
    for name, leave in ways.items():
        if not browser.evaluate("location.hash.startsWith('#/follow')"):
            follower.open()
        if follower.is_off():
            browser.evaluate("document.activeElement.blur(); 1")
            place.wait("!document.querySelector('[data-key=start]').disabled", name, "the rig is not free again", 10)
            if not follower.start():
                return
        browser.evaluate("document.activeElement.blur(); 1")
        follower.said(0)
        leave()
        said = follower.said(0.3)
        check(any(one.get("do") == "stop" for one in said) and any("hold" in one and one["hold"] is None for one in said), name, f"it says {said}")
        if name != "another page":
            check(follower.is_off(), name, "it goes on")
        check(follower.beats(0.4) <= 1, name, "it goes on beating")
    if world:
        check(all(one["state"] == "ended" for one in world.stages.values()), "stops", "a stage goes on")
    # What is set while it opens, and what cannot be asked for then, is told as soon as it is open.
    follower.choose("band-0", "-6")
    follower.choose("input", f"sound:{follower.sound}")
    follower.said()
    browser.evaluate("document.activeElement.blur(); document.querySelector('[data-key=start]').click(); document.querySelector('[data-key=\"Method-onsets\"]').click(); 1")
    place.wait(f"/^Drives/.test({STANDING})", "opening", "it does not start", 10)
    told = follower.commands(0.5)
    check(sorted(one["do"] for one in told) == ["bands", "method"] and {"do": "bands", "dB": [-6, 0, 0, 0]} in told and {"do": "method", "method": "onsets"} in told, "opening", f"told is {told}")
    place.press("Escape")
    follower.choose("band-0", "0")
    place.press("1")
    print(f"stops: {', '.join(ways)}")


def check_ends(follower, world, short):
    """How it ended is told, and why."""
    browser, place = follower.browser, follower.place
    follower.open()
    follower.start(short)
    place.wait(f"/^The sound is over, after \\d/.test({STANDING})", "end", f"the end of a sound is not told: {browser.evaluate(STANDING)}", 20)
    check(follower.is_off(), "end", "it goes on")
    if world:
        follower.choose("input", "pcm:hw:CARD=Loose")
        follower.press("start")
        place.wait(f"/CARD=Loose is gone: the drive is at zero/.test({STANDING}) && document.querySelector('.follow-standing .bad-words')", "end", "why it ended is not told")
        # With sound, aligned.
        follower.press("align")
        follower.start()
        place.wait("/the sound is 10\\.2 ms later now/.test(document.querySelector('.follow-delays').textContent)", "align", "what was aligned is not told")
        check(browser.evaluate("[document.querySelector('[data-key=sound]').checked, document.querySelector('[data-key=delay]').value]") == [True, "10.2"], "align", "the delay is not shown where it is set")
        check(list(world.stages.values())[-1]["follow"].get("align") is True, "align", "it was not asked for")
        follower.press("start")
        follower.press("align")
        # A rig that another page holds, a command that is refused, a link that breaks.
        rig = follower.query.removeprefix("?rig=")
        _, held = world.open_stage({"rig": rig})
        follower.press("start")
        place.wait(f"/is held/.test({STANDING})", "held", "a held rig is not told")
        world.stages[held["stage"]]["state"] = "ended"
        place.complaints(expected=["409"])
        follower.start()
        follower.said()
        place.mock("gone")
        place.wait(f"/The link broke/.test({STANDING})", "cut", "a broken link is not told")
        place.mock("back")
        place.wait("document.getElementById('link').textContent === 'connected'", "cut", "it does not come back", 12)
        said = follower.said(0.5)
        check(follower.is_off() and not [one for one in said if "hold" in one], "cut", f"after a break it goes on: {said}")
    print(f"ends: {browser.evaluate(STANDING)}")


def everything(place, world, out, sounds):
    browser, place.out = place.browser, out
    place.complaints(expected=["401"])
    rigs = browser.evaluate("fetch('/api/v1/bench').then((one) => one.json()).then((one) => one.rigs.filter((rig) => rig.state === 'idle').map((rig) => rig.name))")
    follower = Follower(place, f"?rig={next(one for one in rigs if 'simulated' in one)}", sounds[0])
    place.size(1280, 900)
    check_way(follower)
    check_going(follower, world)
    check_stops(follower, world)
    check_ends(follower, world, sounds[1])
    for complaint in place.complaints():
        check(False, "follow", complaint)
    look(place, "follow", "#/follow" + follower.query, "document.querySelectorAll('[data-key=input] option').length > 1", out)
    # As it goes, on a phone.
    follower.start()
    time.sleep(3)
    for dark in (False, True):
        place.size(360, 2200, dark)
        browser.settle()
        time.sleep(0.3)
        over = browser.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        check(over <= 0, "phone", f"as it goes it scrolls sideways by {over} px")
        browser.screenshot(os.path.join(out, f"follow-360-{'dark' if dark else 'light'}.png"))
    browser.press("Escape")


def main(options):
    with contextlib.ExitStack() as all_:
        world, sounds = None, ("game.wav", "sounds/short.wav")
        if options.program:
            served = all_.enter_context(Served.with_rigs(options.program, options.assets))
            address, sounds = served.address, ("game.wav", "short.wav")
            for name, times in zip(sounds, (30, 1)):
                path = served.path(f"rigs/patterns/{name}")
                knocks(path, [(0.1 + 0.31 * k + 0.05 * (k * k % 7), 0.4 + 0.1 * (k % 5)) for k in range(6)], 2.17, 48000)
                with wave.open(path) as file:
                    form, samples = file.getparams(), file.readframes(file.getnframes())
                with wave.open(path, "wb") as file:
                    file.setparams(form)
                    file.writeframes(times * samples)
        else:
            server, address = workbench_mock.serve(runs=5)
            world = server.RequestHandlerClass.world
        browser = all_.enter_context(make(options.browser, width=1280, height=900))
        browser.before(NOTED)
        everything(Place(browser, address), world, options.out, sounds)


if __name__ == "__main__":
    ran(main)
