#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""authoring.py OUT [--browser chromium|firefox] [--program HAPRIG [--assets DIR]]: a scripted person makes and changes patterns in the
workbench's editor.

Before the mock server of workbench_mock.py, or with --program before `haprig serve` and simulated rigs in a folder of its own. With the
keyboard alone: Heartbeats from nothing, a curve, sharpness pasted alone, one event moved and nothing else, random edits undone to identical
bytes. Then by pointer, fingers and in the source, what comes from elsewhere, playing and measuring, what is exported (of
the program), and the time that a frame's script takes with ten thousand events (the mock's, in Chromium). Pictures are kept in OUT.
Exit code: 0, or 1 where something is not as it should be.
"""

import array
import base64
import contextlib
import json
import math
import os
import random
import re
import struct
import time
import urllib.parse
import wave

import place
import workbench_mock
from browser import make
from place import Place, Served, check, ran

# Apple's Heartbeats: two beats, each a tap with a hold behind it, and a softer answer.
BEATS = [(0.013, 0.8, 0.4), (0.220, 1.0, 0.4), (1.255, 0.8, 0.4), (1.474, 1.0, 0.4)]


class Person(Place):
    """Somebody before the editor."""

    def keys(self, *keys, held=()):
        self.browser.press(*keys, held=held)
        time.sleep(0.02)

    def write(self, text):
        self.keys(*text)

    def ask(self, path):
        return self.browser.evaluate(f"fetch('/api/v1/{path}').then((one) => one.json())")

    def document(self):
        return self.ask(f"patterns/{urllib.parse.quote(self.pattern, safe='')}")

    def entries(self):
        return [{key: value for key, value in one.items() if key not in ("offset", "end")} for one in self.document()["entries"]]

    def until(self, holds, text, seconds=6.0):
        """Waits until the document is so."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if holds(self.entries()):
                return True
            time.sleep(0.05)
        check(False, self.pattern, f"{text}: {self.entries()}")
        return False

    def undo(self, text, most):
        """Undoes until the text is as it was, one step after another; gives how many."""
        for count in range(most):
            now = self.document()
            if now["text"] == text:
                return count
            self.keys("z", held=["Control"])
            end = time.monotonic() + 5
            while self.document()["version"] == now["version"] and time.monotonic() < end:
                time.sleep(0.01)
        check(self.document()["text"] == text, self.pattern, f"{most} steps of undo do not bring it back")
        return most

    def edit(self, name):
        self.pattern = name
        self.go(f"#/patterns/{urllib.parse.quote(name, safe='')}", "document.querySelector('.source .CodeMirror, .source-text') && document.querySelector('.timeline')")
        time.sleep(0.3)

    def drag(self, *places, held=()):
        with self.browser.held(*held):
            self.browser.drag(*places)
        time.sleep(0.1)

    def click(self, at, held=(), count=1):
        with self.browser.held(*held):
            self.browser.tap(at, count)
        time.sleep(0.08)

    def press_button(self, key):
        self.browser.evaluate(f"document.querySelector('[data-key=\"{key}\"]').click(); 1")

    def time_at(self, at):
        """The moment that the timeline tells of a place under the mouse."""
        self.browser.do(("move", [at[0], at[1] + 5]), ("move", at))
        self.browser.settle()
        return float(self.browser.evaluate("document.querySelector('.readout').textContent").split(" s")[0])

    def picked(self):
        return self.browser.evaluate("[...document.querySelectorAll('.event-row[aria-selected=true]')].map((one) => Number(one.dataset.entry))")

    def spot(self, time_, level, row=0):
        """Where a moment and a level of the first row are on the screen, with all shown."""
        box = self.browser.evaluate("(() => { const box = document.querySelector('.timeline').getBoundingClientRect(); return [box.left + 1, box.top + 1, box.width - 2]; })()")
        seconds = max(0.1, self.document()["seconds"])
        margin = max(0.005, seconds * 0.04)
        begin = -min(margin, (seconds + 2 * margin) * 0.05)
        scale = box[2] / (seconds + 2 * margin)
        return [box[0] + (time_ - begin) * scale, box[1] + 26 + 132 - 4 - level * (132 - 22)]


def new(person, name):
    """A pattern of nothing, by keys."""
    person.own = name
    person.go("#/patterns", "document.querySelector('main h1') && !document.querySelector('.page-head .primary').disabled")
    person.keys("n")
    person.wait("document.querySelector('dialog form')", "new", "n does not ask for a new pattern")
    person.write(name)
    person.keys("Tab", "Tab", "Enter")
    person.wait("document.querySelector('[data-key=From-nothing]').getAttribute('aria-pressed') === 'true'", "new", "there is no way to begin from nothing")
    person.keys("Tab", "Tab", "Tab", "Enter")
    person.pattern = name
    person.wait("location.hash.startsWith('#/patterns/') && document.querySelector('.source .CodeMirror, .source-text')", name, "it was not made")


def heartbeats(person):
    name = f"heartbeats-{int(time.time()) % 100000}"
    new(person, name)
    for place, (when, intensity, sharpness) in enumerate(BEATS):
        person.keys("t")
        person.until(lambda all_: len(all_) == place + 1, "t puts no tap")
        person.wait("document.querySelector('[data-key=field-time]')", name, "the tap is not picked")
        person.keys("i", "Enter", "Tab")
        person.write(str(when))
        person.keys("Tab")
        person.write(str(intensity))
        person.keys("Tab")
        person.write(str(sharpness))
        person.keys("Enter")
        person.until(lambda all_: any((one["time"], one.get("intensity"), one.get("sharpness")) == (when, intensity, sharpness) for one in all_), "the numbers are not those that were typed")
        person.keys("Escape")
    # A hold behind each tap: copies of the taps made to last.
    for when, _, _ in BEATS[:1]:
        person.keys("h")
        person.until(lambda all_: any(one["kind"] == "continuous" for one in all_), "h puts no hold")
        person.keys("i", "Enter", "Tab")
        person.write(str(when))
        person.keys("Tab")
        person.write("0.13")
        person.keys("Enter", "Escape")
    person.until(lambda all_: any(one.get("duration") == 0.13 for one in all_), "the hold has not its length")
    # Twice: the hold is repeated 1.242 s later.
    person.keys("e")
    person.wait("document.querySelector('dialog form')", name, "e does not ask how often")
    person.keys("Tab")
    person.write("1.242")
    person.keys("Enter")
    person.until(lambda all_: sorted(one["time"] for one in all_ if one["kind"] == "continuous") == [0.013, 1.255], "the hold is not repeated")
    taps = [(one["time"], one["intensity"], one["sharpness"]) for one in person.entries() if one["kind"] == "transient"]
    check(sorted(taps) == sorted(BEATS), name, f"the taps are {taps}")
    person.keys("s", held=["Control"])
    person.wait("document.querySelector('.editor-state').textContent === 'saved'", name, "Ctrl S does not save")
    check(person.document()["saved"], name, "it is not saved on the server")
    print("heartbeats: made from nothing and saved, by keys alone")


def curve(person):
    person.keys("c")
    person.wait("document.querySelector('dialog select')", "curve", "c does not ask for a curve")
    person.keys(*["Tab"] * 7, "Enter")
    person.until(lambda all_: any(one["kind"] == "curve" for one in all_), "no curve is added")
    person.keys("i")
    person.wait("document.querySelector('.points')", "curve", "its points are not shown")
    person.keys("0", ".", ".", ".", "p")
    person.until(lambda all_: any(len(one.get("points", [])) == 3 for one in all_), "p adds no point")
    person.wait("document.querySelector('[data-key=point-2-value]')", "curve", "the new point has no fields")
    # The value of the second point, by the fields.
    person.browser.evaluate("document.querySelector('[data-key=point-1-value]').focus(); document.querySelector('[data-key=point-1-value]').select(); 1")
    person.write("0.25")
    person.keys("Enter")
    person.until(lambda all_: any(one.get("points", [[0, 0]] * 3)[1][1] == 0.25 for one in all_ if one["kind"] == "curve"), "the point has not its value")
    person.keys("Escape")
    before = [one for one in person.entries() if one["kind"] == "curve"]
    # All down by a tenth, and half of it.
    person.browser.evaluate("document.querySelector('[data-key=curve-by]').focus(); document.querySelector('[data-key=curve-by]').select(); 1")
    person.write("-0.1")
    person.keys("Tab", " ")
    person.until(lambda all_: [round(point[1], 3) for one in all_ if one["kind"] == "curve" for point in one["points"]] == [round(max(0, point[1] - 0.1), 3) for point in before[0]["points"]], "the curve is not shifted")
    person.keys("Escape")
    print("curve: added, a point put and set, shifted whole, by keys")


def sharpness_alone(person):
    person.browser.evaluate("document.querySelector('.event-list').focus(); 1")
    person.keys("Home")
    soft, first = person.entries(), person.picked()[0]
    person.keys("d", "d")
    person.until(lambda all_: all_ != soft and abs(all_[first]["sharpness"] - soft[first]["sharpness"] - 0.1) < 1e-9, "d does not sharpen")
    before = person.entries()
    person.keys("c", held=["Control"])
    person.keys("End")
    person.keys("ArrowUp", "ArrowUp", "ArrowUp", held=["Shift"])
    person.keys("v")
    person.wait("document.querySelector('dialog input[name=sharpness]:checked')", "paste", "sharpness is not offered")
    person.keys("Enter")
    person.until(lambda all_: all_ != before, "nothing is pasted")
    after = person.entries()
    changed = [{key for key in {*a, *b} if a.get(key) != b.get(key)} for a, b in zip(before, after)]
    check(set().union(*changed) == {"sharpness"}, "paste", f"it changed {changed}")
    check(all(b["sharpness"] == before[first]["sharpness"] for a, b in zip(before, after) if a != b), "paste", "it is another sharpness")
    print(f"paste: sharpness alone, onto {sum(map(bool, changed))} events")


def one_moved(person):
    person.keys("Escape")
    person.browser.evaluate("document.querySelector('.event-list').focus(); 1")
    person.keys("Home", "ArrowDown")
    whole, before, index = person.document(), person.entries(), person.picked()[0]
    text = whole["text"]
    person.keys("ArrowRight", "ArrowRight", "ArrowRight")
    person.until(lambda all_: abs(all_[index]["time"] - before[index]["time"] - 0.03) < 1e-9, "it is not 30 ms later")
    after = person.entries()
    check(all(a == b for k, (a, b) in enumerate(zip(before, after)) if k != index), "move", "others moved too")
    # In the text, too, nothing else is another.
    now, entry = person.document()["text"], whole["entries"][index]
    head = len(os.path.commonprefix([text, now]))
    tail = len(os.path.commonprefix([text[head:][::-1], now[head:][::-1]]))
    check(entry["offset"] <= head and len(text) - tail <= entry["end"], "move", f"the text changed from {head} to {len(text) - tail}, the entry is {entry['offset']} to {entry['end']}")
    check(person.undo(text, 3) == 1, "move", "one key, pressed again and again, is not one step")
    person.keys("z", held=("Control", "Shift"))
    person.until(lambda all_: all_ != before, "redo does nothing")
    person.keys("z", held=["Control"])
    person.until(lambda all_: all_ == before, "undo after redo does not bring it back")
    print("move: one event by keys and nothing else; undone to identical bytes, done again")


def corpus(person):
    """Every pattern of the library, opened and saved: the same bytes, in the page too."""
    rows = person.ask("patterns")["patterns"]
    for row in rows[:60]:
        person.edit(row["name"])
        before = person.document()
        if before.get("broken"):
            continue
        shown = person.browser.evaluate("(() => { const box = document.querySelector('.CodeMirror'); return box ? box.CodeMirror.getValue() : document.querySelector('.source-text').value; })()")
        check(shown == before["text"], row["name"], "the source pane has another text")
        person.keys("s", held=["Control"])
        after = person.document()
        check((after["text"], after.get("undo")) == (before["text"], before.get("undo")), row["name"], "opened and saved it is another")
        count = person.browser.evaluate("document.querySelector('.event-row') ? Number(document.querySelector('.event-row').getAttribute('aria-setsize')) : 0")
        check(count == len(before["entries"]), row["name"], f"{count} of {len(before['entries'])} entries are listed")
    print(f"corpus: {len(rows[:60])} patterns opened and saved unchanged")


def random_keys(person, count=int(os.environ.get("HAPRIG_KEYS", "80"))):
    """Edits whose seed is told; the undo of all of them."""
    seed = int(os.environ.get("HAPRIG_SEED", time.time() % 1e6))
    rng = random.Random(seed)
    text = person.document()["text"]
    version = person.document()["version"]
    for _ in range(count):
        key = rng.choice(["ArrowDown", "ArrowUp", "ArrowRight", "ArrowLeft", "w", "s", "d", "a", "[", "]", "t", "h", "r", "Delete", "dup", "extend", "."])
        if key == "dup":
            person.keys("d", held=["Control"])
        elif key == "extend":
            person.keys("ArrowDown", held=["Shift"])
        else:
            person.keys(key)
    # Until all of them are done.
    last, since = version, time.monotonic()
    while time.monotonic() - since < 1:
        time.sleep(0.1)
        if person.document()["version"] != last:
            last, since = person.document()["version"], time.monotonic()
    edits = last - version
    steps = person.undo(text, edits)
    check(edits > count / 4, "random", f"only {edits} edits of {count} keys (seed {seed})")
    print(f"random: {edits} edits by {count} keys, undone in {steps} steps to identical bytes (seed {seed})")


def pointer(person):
    person.edit(person.pattern)
    person.keys("0")
    before = person.entries()
    tap = next(k for k, one in enumerate(before) if one["kind"] == "transient" and one["time"] == 0.22)
    # A tap by its head, later; snapping off.
    start, end = person.spot(0.22, before[tap]["intensity"]), person.spot(0.5, before[tap]["intensity"])
    person.drag(start, end, held=["Alt"])
    person.until(lambda all_: abs(all_[tap]["time"] - 0.5) < 0.02, "it is not dragged")
    check(person.picked() == [tap], "pointer", f"picked is {person.picked()}")
    person.keys("z", held=["Control"])
    person.until(lambda all_: all_ == before, "a drag is more than one step of undo")
    # Its level, by dragging up or down.
    person.drag(person.spot(0.22, 1), person.spot(0.222, 0.5))
    person.until(lambda all_: abs(all_[tap]["intensity"] - 0.5) < 0.03 and all_[tap]["time"] == 0.22, "its intensity is not dragged, or its time is")
    person.keys("z", held=["Control"])
    person.until(lambda all_: all_ == before, "undo")
    # The tap under the hold that begins with it: a second click goes to what lies below.
    hold = next(k for k, one in enumerate(before) if one["kind"] == "continuous" and one["time"] == 0.013)
    at = person.spot(0.018, 0.3)
    person.click(at)
    first = person.picked()
    person.click(at, held=["Alt"])
    second = person.picked()
    check(len(first) == len(second) == 1 and first != second, "pointer", f"Alt does not go to what lies below: {first}, {second}")
    person.click(person.spot(0.08, 0.3))
    check(person.picked() == [hold], "pointer", f"a click on the hold picks {person.picked()}")
    # Its end.
    length = before[hold]["duration"]
    person.drag(person.spot(0.013 + length, 0.3), person.spot(0.3, 0.3), held=["Alt"])
    person.until(lambda all_: abs(all_[hold]["duration"] - 0.287) < 0.02 and all_[hold]["time"] == 0.013, "its end is not dragged")
    person.keys("z", held=["Control"])
    person.until(lambda all_: all_ == before, "undo")
    # A band around the second beat.
    person.drag(person.spot(1.1, 0.99), person.spot(1.6, 0.05))
    check({before[k]["time"] for k in person.picked() if before[k]["kind"] != "curve"} == {1.255, 1.474}, "pointer", f"the band picks {person.picked()}")
    # A tap by a double click, on a beat.
    person.press_button("snap-beats")
    person.click(person.spot(0.752, 0.6), count=2)
    person.until(lambda all_: any(one["time"] == 0.75 and abs(one["intensity"] - 0.6) < 0.03 for one in all_), "a double click puts no tap on the beat")
    person.press_button("snap-beats")
    person.keys("z", held=["Control"])
    person.until(lambda all_: all_ == before, "undo")
    # Pressed twice and dragged: no double click puts another tap where it is let go.
    start, end = person.spot(0.22, 0.9), person.spot(0.5, 0.9)
    with person.browser.held("Alt"):
        person.browser.do(("move", start), ("down", start), ("up", start), ("down", start), ("move", end), ("up", end))
    person.until(lambda all_: abs(all_[tap]["time"] - 0.5) < 0.02, "a second press does not drag")
    check(len(person.entries()) == len(before), "pointer", "a press and a drag are a double click too")
    person.keys("z", held=["Control"])
    person.until(lambda all_: all_ == before, "a press and a drag are more than one step of undo")
    # The wheel zooms about the mouse, with Shift it pans.
    at, middle = person.spot(0.2, 0.5), person.spot(0.5, 0.5)
    was = person.time_at(at)
    person.browser.wheel(middle, 0, -400)
    person.until(lambda _: 0 < was + 0.02 < person.time_at(at) < 0.5, "the wheel does not zoom")
    zoomed = person.time_at(at)
    with person.browser.held("Shift"):
        person.browser.wheel(middle, 0, 200)
    person.until(lambda _: person.time_at(at) > zoomed + 0.02, "with Shift the wheel does not pan")
    person.keys("0")
    print("pointer: drags in time and level, ends, what lies below, a band, a tap on a beat")


def by_touch(person, *paths):
    """Fingers that move: each along places."""
    for step in range(len(paths[0])):
        person.browser.fingers({number: path[step] for number, path in enumerate(paths)})
    person.browser.fingers({})
    time.sleep(0.1)


def lines_and_handles(person):
    """Envelopes, curves and loops by pointer."""
    browser = person.browser
    person.keys("0")
    before = person.entries()
    hold = next(k for k, one in enumerate(before) if one["kind"] == "continuous" and one["time"] == 0.013)
    bend = next(k for k, one in enumerate(before) if one["kind"] == "curve")
    person.click(person.spot(0.08, 0.3))
    check(person.picked() == [hold], "handles", f"picked is {person.picked()}")
    # The release's handle stands a millisecond behind the end, on the ground; 0.1 s is two thirds of the way to 1 s.
    end = 0.013 + before[hold]["duration"]
    person.drag(person.spot(end + 0.001, 0), person.spot(end + 0.1, 0))
    person.until(lambda all_: abs(all_[hold].get("release", 0) - 0.667) < 0.02, "the release's handle does nothing")
    level = before[hold]["intensity"]
    person.drag(person.spot(0.014, level), person.spot(0.013 + 0.0316, level))
    person.until(lambda all_: abs(all_[hold].get("attack", 0) - 0.5) < 0.05, "the attack's handle does nothing")
    person.keys("z", "z", held=["Control"])
    person.until(lambda all_: all_ == before, "undo")
    # A point of the curve, its row being the second.
    top = 26 + 132 + 14 + 4

    def place(when, value):
        x, y = person.spot(when, 0)
        return [x, y - (26 + 132 - 4) + top + 72 - 4 - value * (72 - 22)]
    points, begin = before[bend]["points"], before[bend]["time"]
    person.drag(place(begin + points[1][0], points[1][1]), place(begin + points[1][0] - 0.2, 0.8), held=["Alt"])
    person.until(lambda all_: abs(all_[bend]["points"][1][1] - 0.8) < 0.05 and abs(all_[bend]["points"][1][0] - points[1][0] + 0.2) < 0.02, "a point is not dragged")
    person.keys("ArrowRight")
    person.until(lambda all_: abs(all_[bend]["points"][1][0] - points[1][0] + 0.19) < 0.02, "keys do not move a picked point")
    person.keys("Delete")
    person.until(lambda all_: len(all_[bend]["points"]) == len(points) - 1, "a picked point is not taken out")
    person.keys("z", "z", "z", held=["Control"])
    person.until(lambda all_: all_ == before, "undo")
    # Drawn over it by hand.
    browser.evaluate("document.querySelector('[data-key=Tool-draw]').click(); 1")
    line = [place(begin + 0.2 + 0.4 * k / 40, 0.5 + 0.4 * (-1 if k > 20 else 1)) for k in range(41)]
    person.drag(*line)
    person.until(lambda all_: 3 < len(all_[bend]["points"]) <= 16 + len(points) and max(value for _, value in all_[bend]["points"][1:-1]) > 0.8, "a drawn line is not in the curve")
    browser.evaluate("document.querySelector('[data-key=Tool-select]').click(); 1")
    person.keys("z", held=["Control"])
    person.until(lambda all_: all_ == before, "undo")
    # A loop on the ruler; a click there ends it and sets the head.
    x, y = person.spot(0.2, 0)
    ruler = y - (26 + 132 - 4) + 10
    person.drag([x, ruler], [person.spot(0.6, 0)[0], ruler])
    person.wait("document.querySelector('[data-key=loop]').getAttribute('aria-pressed') === 'true'", "loop", "the ruler makes no loop")
    person.keys("l")
    person.wait("document.querySelector('[data-key=loop]').getAttribute('aria-pressed') === 'false'", "loop", "l does not end it")
    # A group is there after a reload, too.
    person.click(person.spot(0.08, 0.3))
    person.press_button("group")
    person.wait("document.querySelector('dialog input[type=text]')", "group", "its name is not asked for")
    person.keys("Enter")
    person.go("#/patterns", "document.querySelectorAll('.pattern-card').length > 0")
    person.edit(name := person.own)
    person.press_button("group-Group 1")
    check(person.picked() == [hold], name, f"the group is {person.picked()}")
    # Two fingers zoom, three do not drag, one drags.
    person.keys("0")
    a, b, edge = person.spot(0.6, 0.5), person.spot(0.8, 0.5), person.spot(0.2, 0.5)
    was = person.time_at(edge)
    by_touch(person, [[a[0] - 10 * k, a[1]] for k in range(6)], [[b[0] + 10 * k, b[1]] for k in range(6)])
    check(person.time_at(edge) > was + 0.05, "touch", f"two fingers apart do not zoom: {was} is {person.time_at(edge)}")
    person.keys("0")
    by_touch(person, *([[place_[0] + 10 * k, place_[1]] for k in range(6)] for place_ in (a, b, person.spot(0.22, 0.9))))
    check(person.entries() == before, "touch", "some fingers changed something")
    person.keys("0")
    tap = next(k for k, one in enumerate(before) if one["kind"] == "transient" and one["time"] == 0.22)
    a, b = person.spot(0.22, 0.9), person.spot(0.42, 0.9)
    by_touch(person, [[a[0] + (b[0] - a[0]) * k / 8, a[1]] for k in range(9)])
    person.until(lambda all_: abs(all_[tap]["time"] - 0.42) < 0.03, "a finger does not drag")
    person.keys("z", held=["Control"])
    person.until(lambda all_: all_ == before, "undo")
    print("lines and handles: envelope, points, a drawn curve, a loop, a group, fingers")


def imported(person, out):
    """A .haptic clip becomes a pattern."""
    person.go("#/patterns", "document.querySelector('main h1') && !document.querySelector('.page-head .primary').disabled")
    person.keys("n")
    person.wait("document.querySelector('dialog form')", "import", "no dialog")
    person.browser.evaluate("document.querySelector('[data-key=From-file]').click(); 1")
    person.browser.choose("dialog input[type=file]", os.path.join(place.ROOT, "Fuzzers/Seeds/clip-emphasis.haptic"))
    name = f"clip-{int(time.time()) % 100000}"
    person.browser.evaluate(f"document.querySelector('dialog input[type=text]').value = '{name}'; document.querySelector('dialog button[type=submit]').click(); 1")
    person.wait(f"location.hash === '#/patterns/{name}' && document.querySelectorAll('.event-row').length > 0", "import", "the clip does not become a pattern")
    person.go("#/patterns", "document.querySelectorAll('.pattern-card').length > 0")
    person.press("/")
    person.write("clip")
    person.wait("document.querySelectorAll('.pattern-card').length < 4 && document.querySelectorAll('.pattern-card').length > 0", "library", "the search does nothing")
    person.keys("Escape")
    print("library: a clip imported, found by its name")


def source(person):
    before = person.entries()
    person.browser.evaluate("document.querySelector('.event-list').focus(); 1")
    person.keys("Home", "ArrowDown")
    index = person.picked()[0]
    person.keys("o")
    person.wait("document.activeElement.matches('.source textarea')", "source", "o does not go to the text")
    person.keys("Home")
    person.keys("ArrowDown")
    check(person.picked() == [index], "source", f"the text at the event picks {person.picked()}")
    # What is typed is no pattern for a while: the timeline stays, the bar says so.
    person.keys("x", "y")
    person.wait("document.querySelector('.editor-bar[role=alert]')", "source", "a broken text is not told")
    check(len(person.browser.evaluate("[...document.querySelectorAll('.event-row')].map((one) => 1)")) > 3, "source", "a broken text empties the timeline")
    person.keys("Backspace", "Backspace")
    person.wait("!document.querySelector('.editor-bar[role=alert]')", "source", "a mended text is not taken")
    person.until(lambda all_: all_ == before, "mended it is another")
    # Undo, there too, is the document's.
    text = person.document()["text"]
    person.keys("x", "y")
    person.wait("document.querySelector('.editor-bar[role=alert]')", "source", "a broken text is not told")
    check(0 < person.undo(text, 2), "source", "what was typed is not undone where it was typed")
    person.wait("!document.querySelector('.editor-bar[role=alert]')", "source", "a text that was undone is not taken")
    person.keys("Escape")
    print("source: follows and leads, broken for a while, mended")


def findings(person):
    person.browser.evaluate("document.querySelector('.event-list').focus(); 1")
    text = person.document()["text"]
    entry = next(k for k, one in enumerate(person.entries()) if one["kind"] == "transient")
    wrong = {**person.document()["entries"][entry]}
    at = text.index("ParameterValue", wrong["offset"])
    value = text.index(":", at) + 1
    end = min(text.index(sign, value) for sign in "}," if sign in text[value:])
    body = json.dumps({"base": person.document()["version"], "label": "wrong", "operations": [{"text": [{"from": value, "to": end, "insert": " 1.7 "}]}]})
    person.browser.evaluate(f"fetch('/api/v1/patterns/{urllib.parse.quote(person.pattern, safe='')}/edits', {{ method: 'POST', headers: {{ 'Content-Type': 'application/json' }}, body: {json.dumps(body)} }}).then((one) => one.status)")
    person.wait("document.querySelector('.finding-list .warning [data-key^=fix]')", "findings", "a value beyond its range is not found, or has no fix")
    person.browser.evaluate("document.querySelector('.finding-list .warning [data-key^=fix]').click(); 1")
    person.wait("!document.querySelector('.finding-list .warning [data-key^=fix]')", "findings", "the fix does not mend it")
    person.keys("z", "z", held=["Control"])
    person.until(lambda _: person.document()["text"] == text, "undo")
    print("findings: shown, mended by their fix")


def elsewhere(person, served):
    """What other pages and programs do."""
    name, late = urllib.parse.quote(person.pattern, safe=""), {"kind": "transient", "time": 3.5, "intensity": 0.4, "sharpness": 0.4}

    def other(kind):
        if not served:
            return person.mock(f"{kind}/{name}")
        path, now = served.path(f"rigs/patterns/{person.pattern}.ahap"), json.loads(served.ask(f"patterns/{name}")[1])
        operation = {"insert": len(now["entries"]), "entry": late}
        if kind == "conflict":
            # What they write there stood otherwise here, and was not saved.
            at = now["text"].index("3.5")
            operation = {"text": [{"from": at, "to": at + 3, "insert": "3.25"}]}
        if kind != "disk":
            served.ask(f"patterns/{name}/edits", json.dumps({"base": now["version"], "label": "elsewhere", "operations": [operation]}).encode())
        if kind != "edit":
            with open(path, encoding="utf-8") as text:
                theirs = text.read()
            with open(path, "w", encoding="utf-8") as text:
                text.write(theirs.replace("3.5", "3.75", 1) if kind == "conflict" else theirs + "\n")
        return None
    count = len(person.entries())
    other("edit")
    person.wait(f"document.querySelector('.event-row').getAttribute('aria-setsize') === '{count + 1}'", "elsewhere", "an edit of another page is not shown")
    # Stale: this page's next edit is of the state before, asked for before it is told.
    person.browser.evaluate("document.querySelector('.event-list').focus(); 1")
    person.keys("Home")
    other("edit")
    person.keys("w")
    person.until(lambda all_: len(all_) == count + 2, "the other edit is lost")
    person.keys("s", held=["Control"])
    person.wait("document.querySelector('.editor-state').textContent === 'saved'", "elsewhere", "what two have edited is not saved")
    other("disk")
    person.wait("/Changed on disk/.test(document.querySelector('.editor-notices').textContent)", "elsewhere", "a change on disk is not told")
    other("conflict")
    person.wait("document.querySelector('[data-key=theirs]')", "elsewhere", "a conflict is not asked about")
    person.browser.screenshot(os.path.join(person.out, "authoring-conflict.png"))
    check(person.browser.evaluate("document.querySelector('[data-key=save]').disabled"), "elsewhere", "it can be saved with a conflict")
    person.press_button("mine")
    person.wait("!document.querySelector('[data-key=theirs]')", "elsewhere", "a conflict cannot be answered")
    person.complaints()
    print("elsewhere: an edit, a stale batch, the disk, a conflict")


def playing(person, out):
    browser = person.browser
    browser.evaluate("document.querySelector('.event-list').focus(); 1")
    person.keys(" ")
    person.wait("document.querySelector('[data-key=play]').textContent === 'Stop'", "play", "Space does not play")
    time.sleep(0.4)
    person.keys(" ")
    person.wait("document.querySelector('[data-key=play]').textContent === 'Play'", "play", "Space does not stop")
    rig = browser.evaluate("(() => { const box = document.querySelector('[data-key=rig]'), all = [...box.options].filter((each) => each.value), one = all.find((each) => !each.value.startsWith('bench-1|')) ?? all[0]; if (!one) return ''; box.value = one.value; box.dispatchEvent(new Event('change')); return one.value; })()")
    if not rig:
        print("play: no rig")
        return
    person.wait("document.querySelector('[data-key=hear-model]')", "play", "the modelled response cannot be heard")
    browser.evaluate("document.querySelector('.event-list').focus(); 1")
    person.keys(" ")
    person.wait("/ms after/.test(document.querySelector('.feel-words').textContent)", "play", "it does not say how long it took")
    delay = browser.evaluate("document.querySelector('.feel-words').textContent")
    person.keys("Escape")
    person.wait("document.querySelector('[data-key=play]').textContent === 'Play'", "play", "Esc does not stop it", 1)
    person.keys("m")
    person.wait("document.querySelectorAll('.measured li').length > 0", "play", "nothing is measured", 60)
    person.keys("m")
    person.wait("document.querySelectorAll('.measured li').length > 1 && document.querySelector('[data-key=changed]')", "play", "what an edit changed cannot be asked", 60)
    check("run=" in browser.evaluate("document.querySelector('[data-key=changed]').getAttribute('href')"), "play", "the link compares nothing")
    time.sleep(0.6)
    browser.screenshot(os.path.join(out, "authoring-measured.png"))
    for key in ("export", "share"):
        person.press_button(key)
        person.wait("document.querySelector('dialog[open]')", key, "no dialog")
        time.sleep(0.3)
        browser.screenshot(os.path.join(out, f"authoring-{key}.png"))
        person.keys("Escape")
    print(f"play: as sound, on {rig} ({delay}), measured twice, exports, the address as a code")


def exported(person):
    """What the links of the dialog give is what they say."""
    text = person.document()["text"]
    person.press_button("export")
    person.wait("document.querySelector('dialog .exports')", "export", "no dialog")
    found = person.browser.evaluate("""
(async () => Promise.all([...document.querySelectorAll("dialog .exports a")].map(async (one) => {
  const answer = await fetch(one.href), bytes = new Uint8Array(await answer.arrayBuffer());
  return [one.href.split("as=")[1], answer.status, one.download, answer.headers.get("Content-Disposition"), btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""))];
})))()""")
    person.keys("Escape")
    files, short = {kind: base64.b64decode(data) for kind, *_, data in found}, person.pattern.split("/")[-1]
    check(sorted(files) == ["ahap", "apple", "haptic", "wav"], "export", f"there are {sorted(files)}")
    for kind, status, name, kept, _ in found:
        wanted = f"{short}.{kind.replace('apple', 'ahap')}"
        check((status, name) == (200, wanted) and wanted in (kept or ""), "export", f"{kind} is answered {status}, as {name}, {kept}")
    check(files["ahap"] == text.encode(), "export", "the AHAP is another text")
    own, apple, clip = json.loads(text), json.loads(files["apple"]), json.loads(files["haptic"])
    kinds = [[one["Event"]["EventType"] for one in each["Pattern"] if "Event" in one] for each in (own, apple)]
    check(bool(kinds[0]) and set(kinds[0]) <= set(kinds[1]), "export", f"for Apple's devices it has {kinds[1]} of {kinds[0]}")
    points = clip["signals"]["continuous"]["envelopes"]["amplitude"]
    times = [one["time"] for one in points]
    check(len(points) > 1 and times == sorted(times) and all(0 <= one["amplitude"] <= 1 for one in points), "export", f"the clip's amplitude is {points[:5]}")
    wav = files["wav"]
    check(wav[:4] + wav[8:16] == b"RIFFWAVEfmt " and struct.unpack_from("<I", wav, 4)[0] + 8 == len(wav), "export", f"the WAV begins with {wav[:16]}")
    _, channels, rate, each, _, bits = struct.unpack_from("<HHIIHH", wav, 20)
    data = wav.index(b"data", 36)
    seconds, size = struct.unpack_from("<I", wav, data + 4)[0] / each, struct.unpack_from("<I", wav, data + 4)[0]
    check(channels == 1 and each == rate * bits // 8 and len(wav) - data - 8 in (size, size + 1) and any(wav[data + 8:]), "export",
          f"the WAV has {channels} channels of {bits} bits at {rate} Hz, {size} bytes of {len(wav)}")
    check(abs(seconds - person.document()["seconds"]) < 0.5, "export", f"the WAV has {seconds:.3f} s of a pattern of {person.document()['seconds']:.3f} s")
    print(f"export: {', '.join(f'{kind} {len(data)} bytes' for kind, data in files.items())}, each of the form that it says")


def link(person):
    """A link holds the pattern, and opens as a new one."""
    own = json.loads(person.document()["text"])
    person.press_button("export")
    person.press_button("link")
    person.wait("document.querySelector('dialog textarea.address')", "link", "there is no link")
    fragment = person.browser.evaluate("document.querySelector('dialog textarea.address').value").partition("#")[2]
    person.keys("Escape")
    person.go(f"#{fragment}", "document.querySelector('dialog textarea')")
    check(json.loads(person.browser.evaluate("document.querySelector('dialog textarea').value")) == own, "link", "the link holds another pattern")
    name = f"linked-{int(time.time()) % 100000}"
    person.write(name)
    person.keys("Enter")
    person.wait(f"location.hash === '#/patterns/{name}' && document.querySelectorAll('.event-row').length > 0", "link", "it does not open as a new pattern")
    person.pattern = name
    check(json.loads(person.document()["text"]) == own, "link", "what it opens as is another pattern")
    print(f"link: {len(fragment)} letters, opens as a new pattern")


def frames(person, name, out):
    """What the script of a frame takes with ten thousand events, while it is panned, zoomed and dragged."""
    browser = person.browser
    person.size(1280, 900)
    person.edit(name)
    time.sleep(1.5)
    browser.screenshot(os.path.join(out, "authoring-ten-thousand.png"))
    found = {}
    for what in ("pan", "zoom", "drag"):
        browser.evaluate("""
(() => {
  const line = document.querySelector(".timeline"), box = line.getBoundingClientRect();
  let k = 0;
  const wheel = (more) => line.dispatchEvent(new WheelEvent("wheel", { bubbles: true, cancelable: true, clientX: box.left + box.width * 0.4, clientY: box.top + 80, ...more }));
  wheel({ deltaY: 1e4 });
  clearInterval(window.shaking);
  const what = "%s";
  if (what === "drag") {
    line.focus();
    line.dispatchEvent(new KeyboardEvent("keydown", { bubbles: true, key: "a", ctrlKey: true }));
    line.dispatchEvent(new PointerEvent("pointerdown", { bubbles: true, pointerId: 7, button: 0, clientX: box.left + 100, clientY: box.top + 140 }));
  }
  if (what === "pan") for (let j = 0; j < 4; j += 1) wheel({ deltaY: -200 });
  window.shaking = setInterval(() => {
    k += 1;
    if (what === "pan") wheel({ deltaX: k %% 120 < 60 ? 30 : -30 });
    else if (what === "zoom") wheel({ deltaY: k %% 120 < 60 ? -60 : 60 });
    else line.dispatchEvent(new PointerEvent("pointermove", { bubbles: true, pointerId: 7, clientX: box.left + 100 + k %% 300, clientY: box.top + 140 }));
  }, 14);
  return 1;
})()""" % what)
        times = sorted(browser.processor_times(6))
        found[what] = times
        check(len(times) > 40, "frames", f"only {len(times)} frames while it is to {what}")
        if times:
            print(f"frames: {what}: {times[len(times) // 2]:.2f} ms of the processor in the median, {times[int(len(times) * 0.99)]:.2f} ms at the 99th of {len(times)}, {times[-1]:.2f} ms at most")
    browser.evaluate("clearInterval(window.shaking); document.querySelector('.timeline').dispatchEvent(new PointerEvent('pointercancel', { bubbles: true, pointerId: 7 })); 1")
    late = max(times[int(len(times) * 0.99)] for times in found.values())
    check(late < 6, "frames", f"the script of a frame takes {late:.1f} ms of the processor")


def plain(options):
    """Without CodeMirror the text is a plain field with the numbers of its lines."""
    workbench_mock.Handler.codemirror = os.devnull
    _, address = workbench_mock.serve(runs=5)
    with make(options.browser) as browser:
        person = Person(browser, address)
        person.size(1280, 900)
        person.complaints(expected=["401"])
        person.edit("heartbeat-soft")
        check(browser.evaluate("document.querySelector('.source-numbers').textContent.startsWith('1\\n2\\n3')"), "plain", "the lines have no numbers")
        browser.evaluate("(() => { const box = document.querySelector('.source-text'); box.focus(); box.setSelectionRange(0, 0); return 1; })()")
        text = person.document()["text"]
        at = text.index("0.55")
        browser.evaluate(f"document.querySelector('.source-text').setSelectionRange({at}, {at + 4}); 1")
        person.write("0.35")
        person.until(lambda all_: all_[2].get("intensity") == 0.35, "what is typed is not taken")
        person.wait("document.querySelector('.event-row[aria-selected=true]')?.textContent.includes('0.35')", "plain", "the timeline does not follow the text")
        person.keys("Escape")
        person.keys("w")
        person.until(lambda all_: all_[2].get("intensity") == 0.4, "w does nothing")
        person.wait(f"document.querySelector('.source-text').value === {json.dumps(person.document()['text'])}", "plain", "the field has another text")
        browser.screenshot(os.path.join(options.out, "authoring-plain.png"))
        for complaint in person.complaints():
            check(False, "plain", complaint)
    print("plain: without CodeMirror the text leads and follows too")


def dialogs(person, out):
    """On a small screen each dialog fits, has its names and its contrast."""
    browser = person.browser

    def see(name):
        person.wait("document.querySelector('dialog[open]')", name, "no dialog")
        time.sleep(0.2)
        wide = browser.evaluate("(() => { const box = document.querySelector('dialog'), edge = box.getBoundingClientRect().right; return Math.max(box.scrollWidth - box.clientWidth, edge - innerWidth,"
                                " ...[...box.querySelectorAll('*')].map((one) => one.closest('option, datalist') ? 0 : one.getBoundingClientRect().right - edge)); })()")
        check(wide <= 0, name, f"its dialog is {wide} px too wide at 360")
        for dark in (False, True):
            person.size(360, 780, dark)
            contrast = browser.evaluate(place.CONTRAST)
            check(not contrast["bad"], name, f"contrast {contrast['bad']}")
        place.check_names(browser, name, whole=False)
        browser.screenshot(os.path.join(out, f"authoring-{name}-360.png"))
        person.keys("Escape")
        person.wait("!document.querySelector('dialog')", name, "Esc does not close it")
    person.size(360, 780)
    person.edit(person.own)
    browser.evaluate("document.querySelector('.event-list').focus(); 1")
    person.keys("Home")
    person.keys("c", held=["Control"])
    for key in ("add", "stretch", "repeat", "quantise", "group", "paste-keys", "export", "share"):
        person.press_button(key)
        see(key)
    person.keys("?")
    see("keys")
    person.go("#/patterns", "document.querySelector('.pattern-card, .empty') && !document.querySelector('.page-head .primary').disabled")
    person.keys("n")
    see("new")
    person.size(1280, 900)
    print("dialogs: each fits a small screen")


def knocks(path, times, seconds=4.0, rate=16000):
    """A WAV of knocks over soft noise."""
    samples, rng = array.array("h"), random.Random(1)
    for frame in range(int(seconds * rate)):
        at = frame / rate
        value = rng.uniform(-0.01, 0.01) * min(1, at / 0.2)
        for time_, level in times:
            if 0 <= at - time_ < 0.2:
                value += level * math.exp(-(at - time_) * 60) * math.sin(2 * math.pi * 600 * (at - time_))
        samples.append(int(32000 * max(-1, min(1, value))))
    with wave.open(path, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(rate)
        file.writeframes(samples.tobytes())


# What the panel's chart shows, as a picture and as words.
CHART = "document.querySelector('.compose-plot canvas').toDataURL()"


def chart(person):
    """Level, rise and what came of them, in time with the timeline."""
    browser, words = person.browser, "document.querySelector('.compose-plot').getAttribute('aria-label')"
    person.wait(f"/7 taps/.test({words})", "chart", f"it says {browser.evaluate(words)}")
    told = browser.evaluate(words)
    check(all(re.search(one, told) for one in (r"Level up to -?\d+\.\d dB", r"rise up to \d+\.\d dB over a threshold of 4 dB", r"\d+ onsets", r"intensity up to [01]\.\d\d")), "chart", f"it says '{told}'")
    edges = browser.evaluate("['.timeline', '.compose-plot'].map((one) => document.querySelector(one).getBoundingClientRect()).map((box) => [box.left, box.width])")
    check(edges[0] == edges[1], "chart", f"it does not lie below the timeline: {edges}")
    legend = browser.evaluate("[...document.querySelectorAll('.compose-chart .legend span')].map((one) => one.textContent)")
    check({"level", "rise", "threshold", "onsets", "intensity", "sharpness"} <= set(legend), "chart", f"named are {legend}")
    # A knock at 0.25 s, by the mouse: it is loud, and rises.
    browser.evaluate("document.querySelector('.compose-plot').scrollIntoView({ block: 'center' }); 1")
    found = {}
    for when in (0.252, 0.2):
        box = browser.evaluate("(() => { const box = document.querySelector('.compose-plot').getBoundingClientRect(); return [box.left + 1, box.top + 20, box.width - 2]; })()")
        seconds = 4.0
        browser.do(("move", [box[0] + (when + 0.04 * seconds) * box[2] / (1.08 * seconds), box[1]]))
        browser.settle()
        found[when] = browser.evaluate("document.querySelector('.compose-chart .readout').textContent")
    read = {when: [float(one) for one in re.findall(r"(?:level|rise) (-?[\d.]+)", text)] for when, text in found.items()}
    check(all(len(one) == 2 for one in read.values()) and read[0.252][0] > read[0.2][0] + 15 and read[0.2][1] < 3, "chart", f"at a knock and before it reads {found}")
    browser.do(("move", [5, 5]))
    browser.settle()
    whole = browser.evaluate(CHART)
    browser.evaluate("document.querySelector('[data-key=zoom-in]').click(); 1")
    browser.settle()
    person.wait(f"{CHART} !== {json.dumps(whole)}", "chart", "it does not zoom with the timeline")
    browser.evaluate("document.querySelector('[data-key=fit]').click(); 1")
    browser.settle()
    person.wait(f"{CHART} === {json.dumps(whole)}", "chart", "all of it is another picture")


def moved_apart(person, applied):
    """The sound is moved apart from its taps; then nothing of what was composed is left as it was."""
    browser, about, text = person.browser, "document.querySelector('.compose').textContent", person.document()["text"]

    def edit(*operations):
        body = json.dumps({"base": person.document()["version"], "label": "by hand", "operations": operations})
        browser.evaluate(f"fetch('/api/v1/patterns/{urllib.parse.quote(person.pattern, safe='')}/edits', {{ method: 'POST', headers: {{ 'Content-Type': 'application/json' }}, body: {json.dumps(body)} }}).then((one) => one.status)")

    def taps(all_):
        return [one for one in all_ if one["kind"] == "transient"]
    edit({"set": next(k for k, one in enumerate(applied) if one["kind"] == "audio"), "key": "time", "value": 0.4})
    person.wait(f"/begins 0.400 s after what was composed of it/.test({about})", "moved apart", "it is not said that the sound was moved")
    person.wait("/7 taps moved/.test(document.querySelector('.compose-changes summary').textContent)", "moved apart", "its taps are not found")
    person.press_button("compose-apply")
    person.until(lambda all_: [round(one["time"] - 0.4, 4) for one in taps(all_)] == [round(one["time"], 4) for one in taps(applied)], "the taps do not come to where the sound is")
    person.wait(f"!/moved apart/.test({about})", "moved apart", "it is still said")
    person.undo(text, 3)
    # Each tap another one, no hold, no curve.
    edit(*({"set": k, "key": "sharpness", "value": round(0.123 + 0.01 * k, 3)} for k, one in enumerate(applied) if one["kind"] == "transient"),
         {"remove": [k for k, one in enumerate(applied) if one["kind"] in ("continuous", "curve")]})
    person.wait(f"/Nothing of what was composed/.test({about}) && document.querySelector('[data-key=compose-scratch]')", "lost", "it is not said that nothing is as it was composed")
    before = person.document()["text"]
    person.press_button("compose-apply")
    person.until(lambda all_: len(taps(all_)) == 14, "it is not put beside what is there")
    person.undo(before, 2)
    person.wait("document.querySelector('[data-key=compose-scratch]')", "lost", "it is not asked again")
    person.press_button("compose-scratch")
    person.wait("/gone/.test(document.querySelector('.compose-changes summary').textContent) || /with another strength/.test(document.querySelector('.compose-changes summary').textContent)", "lost", "what goes is not told")
    person.press_button("compose-apply")
    person.until(lambda all_: taps(all_) == taps(applied), "it is not composed from scratch")
    browser.evaluate("document.querySelector('.event-list').focus(); 1")
    person.undo(text, 4)
    person.until(lambda all_: all_ == applied, "undo")
    print("compose: found again where the sound was moved, beside or from scratch where nothing of it is left")


def composing(person, served, out):
    """A sound is sent, composed, a part of it again, and again as another one; all of it undone."""
    browser, own, name = person.browser, getattr(person, "own", None), f"composed-{int(time.time()) % 100000}"
    sound, even = os.path.join(out, f"{name}.wav"), [(0.25 + 0.5 * k, 0.7 if k % 2 else 0.5) for k in range(7)]
    words = "document.querySelector('.compose-words').textContent"
    knocks(sound, even)
    new(person, name)
    person.own, text = own, person.document()["text"]
    person.keys("k")
    person.wait("document.querySelector('.compose:not([hidden]) [data-key=compose-method]') && document.querySelector('[data-key=compose-apply]').disabled", "compose", "k does not open it, or there is something to apply")
    browser.choose("[data-key=compose-file]", sound)
    person.until(lambda all_: [one.get("path") for one in all_] == [f"{name}.wav"], "the sound is not put into the pattern")
    person.wait(f"/^7 taps/.test({words})", "compose", "the sound is not composed at once")
    person.wait("/120.0 beats a minute/.test(document.querySelector('.compose-words').textContent)", "compose", "its beat is not found")
    check([one["kind"] for one in person.entries()] == ["audio"], "compose", "a preview has changed the pattern")
    time.sleep(0.3)
    browser.screenshot(os.path.join(out, "authoring-compose.png"))
    chart(person)
    # A slider by keys: each step is shown at once.
    before, drawn = browser.evaluate(words), browser.evaluate(CHART)
    browser.evaluate("document.querySelector('[data-key=compose-spacing-slider]').focus(); 1")
    person.keys("End")
    person.wait(f"{words} !== {json.dumps(before)}", "compose", "a slider changes nothing")
    check(browser.evaluate("document.querySelector('[data-key=compose-spacing]').value") == "1", "compose", "the number beside the slider is another")
    person.wait(f"{CHART} !== {json.dumps(drawn)}", "compose", "the chart does not follow a slider")
    # By the button as it was.
    browser.evaluate("document.querySelector('[data-key=compose-spacing-reset]').click(); 1")
    person.wait(f"{words} === {json.dumps(before)}", "compose", "the way back does not lead there")
    person.press_button("compose-apply")
    person.until(lambda all_: sum(one["kind"] == "transient" for one in all_) == 7, "it is not applied")
    composed = person.document()["composed"]
    check((composed["Sound"], composed["Settings"]["method"], len(composed["Digest"])) == (f"{name}.wav", "envelope", 64), "compose", f"the text says {composed}")
    check('"Composed"' in person.document()["text"] and person.document()["undo"] == "compose", "compose", "it is no step of its own")
    applied = person.entries()
    # Once more it changes nothing.
    person.press_button("compose-apply")
    time.sleep(0.6)
    check(person.entries() == applied, "compose", "applied twice it is there twice")
    moved_apart(person, applied)
    # Somebody's own tap, late, and a part composed otherwise, early.
    late = max((k for k, one in enumerate(applied) if one["kind"] == "transient"), key=lambda k: applied[k]["time"])
    browser.evaluate("document.querySelector('.event-list').focus(); 1")
    person.keys("End")
    for _ in range(len(applied)):
        if person.picked() == [late]:
            break
        person.keys("ArrowUp")
    person.keys("d", "d")
    person.until(lambda all_: abs(all_[late]["sharpness"] - applied[late]["sharpness"] - 0.1) < 1e-6, "the last tap is not sharper")
    edited = person.entries()
    person.keys("Escape", "0")

    def at(when):
        box = browser.evaluate("(() => { const box = document.querySelector('.timeline').getBoundingClientRect(); return [box.left + 1, box.top + 1, box.width - 2]; })()")
        seconds = max(4.0, person.document()["seconds"])
        return [box[0] + (when + 0.04 * seconds) * box[2] / (1.08 * seconds), box[1] + 10]
    browser.evaluate("document.querySelector('.timeline').scrollIntoView({ block: 'center' }); 1")
    person.drag(at(0.9), at(2.1))
    person.wait("document.querySelector('[data-key=loop]').getAttribute('aria-pressed') === 'true'", "compose", "no loop")
    browser.evaluate("(() => { const box = document.querySelector('[data-key=compose-tapHeadroom]'); box.value = 3; box.dispatchEvent(new Event('change')); return 1; })()")
    time.sleep(0.5)
    browser.evaluate("(() => { const box = document.querySelector('[data-key=compose-method]'); box.value = 'onsets'; box.dispatchEvent(new Event('change')); return 1; })()")
    person.wait(f"/ 0 holds/.test({words})", "compose", "another method is not shown")
    person.press_button("compose-part")
    person.until(lambda all_: all_ != edited, "the part is not composed")
    after = person.entries()

    def elsewhere(all_):
        return [one for one in all_ if one["kind"] == "transient" and not 0.85 < one["time"] < 2.15]
    check(elsewhere(after) == elsewhere(edited), "compose", "a part has changed taps elsewhere")
    check(not any(one["kind"] == "continuous" and one["time"] < 2.05 and one["time"] + one["duration"] > 0.95 for one in after), "compose", f"holds are left in a part without: {after}")
    check(any(one["kind"] == "continuous" and one["time"] < 0.9 for one in after) and any(one["kind"] == "continuous" and one["time"] > 2.05 for one in after), "compose", "holds elsewhere are gone")
    check(len(person.document()["composed"].get("Parts", [])) == 1, "compose", "the part is not in the text")
    person.complaints()
    person.keys("l")
    # The sound becomes another: one knock gone, one late, one more.
    knocks(sound, [one for k, one in enumerate(even) if k not in (0, 5)] + [(even[5][0] + 0.03, 0.7), (3.6, 0.6)])
    browser.choose("[data-key=compose-file]", sound)
    person.wait("document.querySelector('[data-key=sound-replace]')", "compose", "a sound is replaced without a question")
    person.press_button("sound-replace")
    person.wait("document.querySelector('[data-key=compose-anew]')", "compose", "it is not said that the sound has changed")
    for complaint in person.complaints(expected=["409"]):
        check(False, "compose", complaint)
    person.press_button("compose-anew")
    person.wait("/added/.test(document.querySelector('.compose-changes summary')?.textContent) && /gone/.test(document.querySelector('.compose-changes summary').textContent)", "compose", "what changes is not listed")
    time.sleep(0.3)
    browser.screenshot(os.path.join(out, "authoring-compose-anew.png"))
    listed = browser.evaluate("[...document.querySelectorAll('.compose-list li')].map((one) => one.textContent)")
    check(all(any(re.search(words_, one) for one in listed) for words_ in ("0.2[45].* gone", "3.(6|59).* added", "moved from 2.7")), "compose", f"listed is {listed}")
    # Two rows are unticked, by keys: the tap that would go stays as it is, the one that would come does not.
    before, text_before = person.entries(), person.document()["text"]
    for words_ in ("gone", "moved from 2.7"):
        browser.evaluate(f"[...document.querySelectorAll('.compose-list li')].find((one) => /{words_}/.test(one.textContent)).querySelector('input').focus(); 1")
        person.keys(" ")
    person.wait("/2 changes left out/.test(document.querySelector('.compose-changes summary').textContent)", "compose", "what is unticked is not counted")
    browser.screenshot(os.path.join(out, "authoring-compose-unticked.png"))
    person.press_button("compose-apply")
    person.until(lambda all_: any(one["kind"] == "transient" and abs(one["time"] - 3.6) < 0.02 for one in all_), "the new sound is not composed")
    taps = [[one for one in all_ if one["kind"] == "transient"] for all_ in (before, person.entries())]
    for time_ in (0.25, 2.75):
        own = [[one for one in each if abs(one["time"] - time_) < 0.02] for each in taps]
        check(len(own[0]) == 1 and own[0] == own[1], "compose", f"unticked at {time_} s: {own[0]} is {own[1]}")
    check(not any(abs(one["time"] - 2.78) < 0.01 for one in taps[1]), "compose", "a tap that was unticked has come")
    check(person.undo(text_before, 3) == 1, "compose", "what was ticked is not one step")
    # Ticked again, all of it is done.
    person.wait("document.querySelector('[data-key=compose-anew]')", "compose", "undone it is not said that the sound has changed")
    person.press_button("compose-anew")
    person.wait("document.querySelector('.compose-list') && !/left out/.test(document.querySelector('.compose-changes summary').textContent)", "compose", "what was unticked once is unticked again")
    person.press_button("change-none")
    person.wait("/no tap/.test(document.querySelector('.compose-changes summary').textContent)", "compose", "they are not all unticked")
    person.press_button("change-all")
    person.press_button("compose-apply")
    person.until(lambda all_: any(one["kind"] == "transient" and abs(one["time"] - 2.78) < 0.02 for one in all_), "ticked again it is not composed")
    person.wait("!document.querySelector('[data-key=compose-anew]')", "compose", "it is still said that the sound has changed")
    # Taps on every second beat.
    count = sum(one["kind"] == "transient" for one in person.entries())
    person.press_button("compose-beats")
    person.wait("document.querySelector('dialog [data-key=beats-every]') || document.querySelector('.toast.bad')", "compose", "taps on beats are not asked about")
    if browser.evaluate("Boolean(document.querySelector('dialog [data-key=beats-every]'))"):
        person.keys("Enter")
        person.wait("/put;/.test(document.querySelector('.toast')?.textContent)", "compose", "taps on beats are not told")
        check(sum(one["kind"] == "transient" for one in person.entries()) >= count, "compose", "taps on beats take some out")
    # A small screen, names, contrast.
    for dark in (False, True):
        person.size(360, 780, dark)
        time.sleep(0.2)
        wide = browser.evaluate("(() => { const box = document.querySelector('.compose'), edge = box.getBoundingClientRect().right; return Math.max(document.documentElement.scrollWidth - innerWidth, edge - innerWidth, ...[...box.querySelectorAll('*')].map((one) => one.closest('option') ? 0 : one.getBoundingClientRect().right - edge)); })()")
        check(wide <= 0, "compose", f"it is {wide} px too wide at 360")
        contrast = browser.evaluate(place.CONTRAST)
        check(not contrast["bad"], "compose", f"contrast {contrast['bad']}")
    place.check_names(browser, "compose", whole=False)
    browser.evaluate("document.querySelector('.compose').scrollIntoView(); 1")
    browser.screenshot(os.path.join(out, "authoring-compose-360.png"))
    person.size(1280, 900)
    browser.evaluate("document.querySelector('.event-list').focus(); 1")
    steps = person.undo(text, 30)
    # What is no sound is told in a sentence.
    browser.evaluate("""
(() => {
  const line = document.querySelector(".timeline"), box = line.getBoundingClientRect(), dataTransfer = new DataTransfer();
  dataTransfer.items.add(new File(["These are words and no sound at all."], "%s-words.wav"));
  for (const kind of ["dragover", "drop"]) line.dispatchEvent(new DragEvent(kind, { bubbles: true, cancelable: true, dataTransfer, clientX: box.left + box.width / 2, clientY: box.top + 60 }));
  return 1;
})()""" % name)
    person.until(lambda all_: len(all_) == 1 and all_[0].get("path") == f"{name}-words.wav" and all_[0]["time"] > 0.1, "what is dropped is not put where it was dropped")
    person.wait("/cannot be used/.test(document.querySelector('.compose-words.alert')?.textContent)", "compose", "what is no sound is not told")
    browser.evaluate("document.querySelector('.event-list').focus(); 1")
    person.undo(text, 3)
    person.complaints(expected=["422"])
    person.keys("k")
    person.wait("document.querySelector('.compose[hidden]')", "compose", "k does not close it")
    print(f"compose: a sound sent, composed, a part again, anew of another sound; undone in {steps} steps to identical bytes")


def looks(person, out):
    for name, path, ready in (("patterns", "#/patterns", "document.querySelector('.pattern-card, .empty')"),
                              ("editor", f"#/patterns/{urllib.parse.quote(person.pattern, safe='')}", "document.querySelector('.source .CodeMirror, .source-text')")):
        place.look(person, name, path, ready, out)


def only_looks(options, served, pattern):
    """Whoever may only look changes nothing by any key, is told so, and sends nothing that would be refused."""
    with make(options.browser) as browser:
        visitor = Person(browser, served.looking)
        visitor.size(1280, 900)
        visitor.edit(pattern)
        before = visitor.document()
        browser.evaluate("document.querySelector('.event-list').focus(); 1")
        visitor.keys(*"thcpvryeqwsdakm[]{}")
        check(not browser.evaluate("Boolean(document.querySelector('dialog[open], .toast, .compose:not([hidden])'))"), "look only", "a key that changes something does something")
        for key, held in (("Home", ()), ("ArrowRight", ()), ("Delete", ()), *((one, ["Control"]) for one in "xdzs")):
            visitor.keys(key, held=held)
        visitor.wait("/for looking only/.test(document.querySelector('.toast')?.textContent)", "look only", "nobody says why nothing is deleted")
        after = visitor.document()
        check(all(before[key] == after[key] for key in ("text", "version", "saved")), "look only", "the pattern has changed")
        visitor.keys("?")
        words = browser.evaluate("document.querySelector('dialog.keys').textContent")
        check("Zooms in" in words and "Deletes" not in words and "Reverses" not in words, "look only", f"the list of keys is {words}")
        visitor.keys("Escape")
        for complaint in visitor.complaints():
            check(False, "look only", complaint)
    print("look only: no key changes anything or sends what is refused")


def everything(person, served):
    browser, out = person.browser, person.out
    person.size(1280, 900)
    person.complaints(expected=["401"])
    heartbeats(person)
    curve(person)
    sharpness_alone(person)
    one_moved(person)
    random_keys(person)
    browser.screenshot(os.path.join(out, "authoring-heartbeats.png"))
    pointer(person)
    lines_and_handles(person)
    source(person)
    findings(person)
    for complaint in person.complaints():
        check(False, "authoring", complaint)
    elsewhere(person, served)
    playing(person, out)
    if served:
        exported(person)
    composing(person, served, out)
    person.edit(person.own)
    looks(person, out)
    dialogs(person, out)
    person.edit(person.own)
    link(person)
    corpus(person)
    imported(person, out)
    for complaint in person.complaints():
        check(False, "authoring", complaint)
    if not served and hasattr(browser, "processor_times"):
        frames(person, "mock/ten-thousand", out)


def main(options):
    with contextlib.ExitStack() as all_:
        if options.program:
            served = all_.enter_context(Served.with_rigs(options.program, options.assets))
            address = served.address
        else:
            served, (_, address) = None, workbench_mock.serve(runs=40)
        person = Person(all_.enter_context(make(options.browser)), address)
        person.out = options.out
        everything(person, served)
        if served:
            only_looks(options, served, person.own)
    if not options.program:
        plain(options)


if __name__ == "__main__":
    ran(main)
