#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""stage.py HAPRIG SCRATCH [COUNT]: how late a rig is driven that a page plays on.

Starts the workbench with the simulated rig and the virtual card, both at the pace of a real clock, and plays on them as
a page does: edits of a loop, taps, moves of a touch, both rigs at once. The server itself counts, from the arrival of
the page's message or request to the first frame at the device that it changes. Times are printed beside their aims and
assert nothing; what is asserted is that everything that was asked for was driven.
Exit: 0, or 1 where something was not.
"""

import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time
import urllib.request

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "browser"))
from firefox import WebSocket  # noqa: E402

SEED = 5
LOOP = {"Version": 1.0, "Pattern": [
    {"Event": {"Time": 0, "EventType": "HapticContinuous", "EventDuration": 1, "EventParameters": [
        {"ParameterID": "HapticIntensity", "ParameterValue": 0.5}, {"ParameterID": "HapticSharpness", "ParameterValue": 0.5}]}}]}


class Page:
    """A page without a browser: requests, and one socket with its beats."""

    def __init__(self, program, scratch):
        rigs = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "rigs")
        os.makedirs(f"{scratch}/patterns")
        os.makedirs(f"{scratch}/run", 0o700)
        words = [program, "serve", "--archive", f"{scratch}/archive", "--patterns", f"{scratch}/patterns"]
        self.rigs = []
        for name in ("simulated-lra", "virtual-card"):
            text = open(f"{rigs}/{name}.yaml").read()
            text = re.sub(r"^(\s+clock:) virtual", r"\1 real", text, flags=re.M)
            text = re.sub(r"^name: .*", f"name: {name}-{os.getpid()}", text, flags=re.M)
            open(f"{scratch}/{name}.yaml", "w").write(text)
            words += ["--rig", f"{scratch}/{name}.yaml"]
            self.rigs.append(f"{name}-{os.getpid()}")
        open(f"{scratch}/patterns/loop.ahap", "w").write(json.dumps(LOOP))
        self.server = subprocess.Popen(words, stdout=subprocess.PIPE, text=True, env=os.environ | {"XDG_RUNTIME_DIR": f"{scratch}/run"})
        found = re.search(r"http://127\.0\.0\.1:(\d+)/#key=(\w+)", self.server.stdout.readline())
        if not found:
            raise SystemExit("FAILED stage: the workbench did not start")
        self.port, self.key = int(found[1]), found[2]
        self.socket = WebSocket("127.0.0.1", self.port, "/api/v1/socket", f"Authorization: Bearer {self.key}\r\n")
        self.beat, self.beaten, self.heard = 0, 0.0, []

    def ask(self, path, body=None):
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}/api/v1/{path}", None if body is None else json.dumps(body).encode(),
            {"Authorization": f"Bearer {self.key}", "Content-Type": "application/json"})
        return json.load(urllib.request.urlopen(request, timeout=20))

    def say(self, **message):
        self.socket.send(json.dumps(message))

    def hold(self, stages):
        """Holds stages; nothing is driven before the first beat."""
        self.say(hold=list(stages))
        self.beat += 1
        self.say(beat=self.beat)

    def rest(self, seconds, until=lambda message: False):
        """Beats, and hears what comes; gives the first message that is waited for."""
        end = time.monotonic() + seconds
        while (now := time.monotonic()) < end:
            if now - self.beaten > 0.1:
                self.beat, self.beaten = self.beat + 1, now
                self.say(beat=self.beat)
            for text in self.socket.texts(min(end, now + 0.02)):
                message = json.loads(text)
                if "beat" not in message:
                    self.heard.append(message)
                if until(message):
                    return message
        return None


def share(values, part):
    return 1000 * sorted(values)[min(len(values) - 1, int(len(values) * part))]


def line(name, rig, delays, aim):
    print(f"{name:<14} {rig:<14} median {share(delays, 0.5):5.1f} ms, 95 % {share(delays, 0.95):5.1f}, 99 % {share(delays, 0.99):5.1f}, "
          f"largest {1000 * max(delays):5.1f} of {len(delays)}  (aim: {aim})", flush=True)


def main():
    program, scratch, count = sys.argv[1], f"{sys.argv[2]}/stage", int(sys.argv[3]) if len(sys.argv) > 3 else 100
    shutil.rmtree(scratch, ignore_errors=True)
    page, wrong = Page(program, scratch), []
    dice = random.Random(SEED)
    print(f"seed {SEED}, {count} of each, load {os.getloadavg()[0]:.1f}", flush=True)

    def delays_of(topic, kind, acts):
        """What each act that is done at a random time is told to have taken."""
        delays = []
        for number in range(count):
            acts(number)
            told = page.rest(3, lambda one: one.get("topic") == topic and one.get("did", {}).get("do") == kind and "delay" in one)
            if told is None:
                wrong.append(f"{topic}: {kind} {number} was not driven; heard {page.heard[-3:]}")
                break
            delays.append(told["delay"])
            page.rest(dice.uniform(0.02, 0.08))
        return delays

    try:
        stages = {}
        for rig in page.rigs:
            began = time.monotonic()
            stage = page.ask("stages", {"rig": rig})["stage"]
            stages[rig] = stage
            page.hold(stages.values())
            page.say(stage=stage, do="play", pattern="loop", loop=True)
            topic = f"stage/{stage}"
            told = page.rest(10, lambda one: one.get("topic") == topic and "delay" in one)
            if told is None:
                wrong.append(f"{rig} was not opened: {page.heard[-3:]}")
                continue
            print(f"{'first play':<14} {rig.rsplit('-', 1)[0]:<14} {1000 * (time.monotonic() - began):.0f} ms with the opening of the rig", flush=True)
            version = page.ask("patterns/loop")["version"]

            def edit(number):
                nonlocal version
                version = page.ask("patterns/loop/edits", {"base": version, "label": "x", "operations": [
                    {"set": 0, "key": "intensity", "value": 0.3 + 0.001 * (number % 400)}]})["version"]

            name = rig.rsplit("-", 1)[0]
            for label, kind, act, aim in [
                ("edit of a loop", "play", edit, "95 % within 100 ms"),
                ("tap", "tap", lambda number: page.say(stage=stage, do="tap", intensity=0.8, sharpness=0.5), "99 % within 20 ms"),
                ("touch", "touch", lambda number: page.say(stage=stage, do="touch", finger=1, intensity=0.5 + 0.001 * number, sharpness=0.5), "99 % within 20 ms"),
            ]:
                delays = delays_of(topic, kind, act)
                if delays:
                    line(label, name, delays, aim)
            page.say(stage=stage, do="lift", finger=1)
            page.say(stage=stage, do="stop")
        # Both at once: how far apart the first frames of both are at their devices.
        apart = []
        for _ in range(count if len(stages) == 2 and not wrong else 0):
            page.heard.clear()
            for stage in stages.values():
                page.say(stage=stage, do="tap", intensity=0.8, sharpness=0.5)
            page.rest(1, lambda _: len({one["topic"] for one in page.heard if one.get("did", {}).get("do") == "tap" and "delay" in one}) == 2)
            told = {one["topic"]: one["delay"] for one in page.heard if one.get("did", {}).get("do") == "tap" and "delay" in one}
            if len(told) < 2:
                wrong.append(f"both at once: only {list(told)} were driven")
                break
            apart.append(abs(max(told.values()) - min(told.values())))
            page.rest(dice.uniform(0.02, 0.08))
        if apart:
            line("both at once", "apart by", apart, "what their buffers differ by")
    finally:
        page.socket.close()
        page.server.send_signal(signal.SIGTERM)
        page.server.wait(20)
    for one in wrong:
        print(f"FAILED {one}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
