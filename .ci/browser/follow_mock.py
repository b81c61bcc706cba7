# SPDX-License-Identifier: Apache-2.0
"""Following of workbench_mock.py: a stage that a sound drives, as docs/FOLLOW.md says. The sound and what is measured are made up."""

import math
import random
import time

from patterns_mock import Refused

INPUTS = [
    {"kind": "pcm", "name": "hw:CARD=Loopback,DEV=1", "description": "Loopback, Loopback PCM"},
    {"kind": "pcm", "name": "pipewire", "description": "PipeWire Sound Server"},
    {"kind": "pcm", "name": "hw:CARD=Loose", "description": "A plug that falls out"},
    {"kind": "sound", "name": "game.wav", "description": ""},
    {"kind": "sound", "name": "sounds/short.wav", "description": ""},
]
STATED = {"envelope": (0.0037, 0.005), "bands": (0.0039, 0.02), "onsets": (0.0063, 0.01)}
# What is said of a command that is not as it should be, as the program has it.
RANGES = {"gain": (-60, 60), "gate": (-120, 0), "bands": (-40, 20), "sound": (0, 0.5)}
# Windows come sooner than the 4 s of a rig.
WINDOW = 0.8


class Followed:
    """What a stage follows: takes commands, and tells how it goes."""

    def __init__(self, rig, actuator, order):
        unknown = set(order) - {"pcm", "sound", "method", "gain", "gate", "align"}
        if unknown or ("pcm" in order and "sound" in order):
            raise Refused(400, "bad-value", f"what is followed has no '{min(unknown or {'sound'})}'")
        kind = next((one for one in ("pcm", "sound") if one in order), None)
        if kind and not any((one["kind"], one["name"]) == (kind, order[kind]) for one in INPUTS):
            raise Refused(404, "no-input", f"the machine lists no input '{order[kind]}'")
        self.rig, self.actuator, self.input = rig, actuator or "lra-1", order.get(kind, "the rig's own capture")
        self.method, self.gain, self.gate = order.get("method", "envelope"), order.get("gain"), order.get("gate", -60)
        self.aligns, self.aligned, self.bypassed, self.bands, self.sound = order.get("align", False), False, False, [0, 0, 0, 0], None
        self.rng, self.ridden, self.began, self.told, self.windows = random.Random(5), 0.0, time.time(), 0, 0
        self.over = False
        self.stated

    @property
    def stated(self):
        if self.method not in STATED:
            raise Refused(400, "bad-value", f"'method' takes {', '.join(STATED)}")
        return dict(zip(("typical", "longest"), STATED[self.method]))

    def opening(self):
        return {"state": "open", "rig": self.rig, "actuator": self.actuator, "rate": 48000, "input": self.input, "method": self.method, "stated": self.stated, "lead": 0.0053}

    def does(self, command):
        """The answer to a command."""
        what, did = command.get("do"), {key: value for key, value in command.items() if key != "stage"}
        values = {"gain": [command.get("dB")], "gate": [command.get("dB")], "bands": command.get("dB"), "sound": [command.get("delay")]}.get(what, [])
        low, high = RANGES.get(what, (0, 0))
        if not all((value is None and what in ("gain", "sound")) or (isinstance(value, (int, float)) and low <= value <= high) for value in values) or (what == "bands" and len(values) != 4):
            return {"fault": f"'{what}' goes from {low} to {high}", "of": did}
        if what == "method":
            self.method = command["method"]
        elif what in ("gain", "gate", "bands"):
            setattr(self, what, command["dB"])
        elif what == "bypass":
            self.bypassed = command["on"]
        elif what == "sound":
            self.sound = command["delay"]
        elif what == "stop":
            self.over = True
        else:
            return {"fault": f"column 8: is '{what}'", "of": did}
        return {"did": did}

    def news(self):
        """What has happened since the last call, which comes every 0.1 s."""
        since, found = time.time() - self.began, []
        # Hits on a hum, and a rest in which the gate closes.
        at = since % 4
        heard = None if at > 3.8 else -78.0 if at > 3 else -34 + 24 * math.exp(-(at % 0.5) * 8) + self.rng.uniform(-1, 1)
        is_open = heard is not None and heard >= self.gate
        if is_open:
            self.ridden += min(0.3, max(-0.3, -23 - heard - self.ridden))
        gain = self.ridden if self.gain is None else self.gain
        felt = min(1, 10 ** ((heard + gain + 10) / 40)) if is_open and not self.bypassed else 0
        found.append({"level": {"heard": heard and round(heard, 3), "gain": round(gain, 3), "open": is_open, "intensity": round(felt, 3), "sharpness": round(0.5 + 0.3 * math.sin(since), 3)}})
        if since >= WINDOW * (self.windows + 1):
            self.windows += 1

            def near(seconds):
                return {"seconds": round(seconds + self.rng.gauss(0, 6e-5), 6), "uncertainty": 0.0001, "correlation": round(0.9 + 0.05 * self.rng.random(), 3)}
            late = self.stated["typical"]
            left = 0.0102 - (self.sound or 0)
            window = {"at": 4.0 * self.windows, "buffers": 0.001333, "heardToDrive": near(late + 0.0013), "driveToMotion": near(0.0106), "heardToMotion": near(late + 0.0119), "soundToMotion": near(left)}
            # The second has too few rises for the drive.
            if self.windows == 2:
                del window["heardToDrive"]
            found.append({"latency": window, "stated": self.stated})
            if self.aligns and self.windows == 2:
                self.sound, self.aligned = 0.0102, True
                found.append({"aligned": {"before": {"seconds": 0.0102, "uncertainty": 0.00008}, "delay": 0.0102}})
        if "short" in self.input and since > 2:
            self.over = True
            found.append({"state": "ended", "seconds": 2.0, "latency": {}})
        if "Loose" in self.input and since > 1:
            self.over = True
            found.append({"state": "ended", "said": f"{self.input} is gone: the drive is at zero"})
        return found
