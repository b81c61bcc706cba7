#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""workbench_mock.py [--port N] [--empty] [--runs N] [--takes N]: a workbench with made-up rigs, runs and a live run.

It answers as docs/decisions/044 says, so that the pages can be worked on and checked without a rig: the standard
library alone, WebSocket by hand. Numbers are made up, and the same each time. It prints its address with the key.
POST /mock/KIND makes what a rig cannot be asked for: gone (answers nothing any more) and back, loss, dead, end.
"""

import argparse
import array
import base64
import hashlib
import json
import math
import os
import random
import re
import secrets
import socket
import struct
import sys
import threading
import time
import zlib
from datetime import datetime, timedelta, timezone
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, unquote, urlsplit

import follow_mock
import patterns_mock

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
RATE = 48000
BASE = 64
TAKE = 3.2
GRAVITY = 9.81
CHANNELS = [
    {"name": "haptic", "kind": "drive", "side": "drive", "unit": "1", "fullScale": 1.0, "volts": 3.6, "actuator": "lra-1"},
    {"name": "z", "kind": "response", "side": "capture", "unit": "m/s2", "fullScale": 490.0},
    {"name": "audio", "kind": "sound", "side": "capture", "unit": "V", "fullScale": 2.0},
    {"name": "reference", "kind": "reference", "side": "capture", "unit": "V", "fullScale": 5.0},
]
PATTERNS = ["taps-and-clicks", "heartbeat-soft", "swell", "sharpness-sweep", "texture-gravel", "steps"]
CSP = ("default-src 'self'; frame-ancestors 'self'; base-uri 'none'; form-action 'none'; object-src 'none'")


def stamp(moment):
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


def seeded(*words):
    return random.Random(zlib.crc32(" ".join(map(str, words)).encode()))


# Signals: taps that ring, in takes that follow one another.

def sample(channel, t, delay=0.0087, gain=1.0, f0=170.0, seconds=TAKE):
    """A channel at a moment of the take."""
    if channel == 3:
        return 4.0 if 0.05 <= t < 0.052 or seconds - 0.1 <= t < seconds - 0.098 else 0.0
    noise = 0.004 * math.sin(t * 91733.1) * math.sin(t * 7717.7)
    late = t - 0.5 - (0 if channel == 0 else delay if channel == 1 else delay + 0.0011)
    if late < 0 or late > 2.2:
        return noise * (1, 6, 0.4)[channel] + (GRAVITY if channel == 1 else 0)
    number, since = divmod(late, 0.25)
    if number > 6:
        # A swell after the taps.
        since = late - 1.75
        size = max(0.0, math.sin(math.pi * min(1, since / 0.45))) * 0.6
        if channel == 0:
            return size * math.sin(2 * math.pi * f0 * since)
        return size * (46 if channel == 1 else 0.3) * gain * math.sin(2 * math.pi * f0 * since - 1.2) + noise + (GRAVITY if channel == 1 else 0)
    size = 0.35 + 0.1 * number
    if channel == 0:
        return size * math.sin(math.pi * since / 0.022) ** 2 * math.sin(2 * math.pi * f0 * since) if since < 0.022 else 0.0
    if channel == 1:
        return GRAVITY + gain * 95 * size * min(1, since / 0.006) * math.exp(-since * 59) * math.sin(2 * math.pi * f0 * since) + 6 * noise
    return size * 0.9 * math.exp(-since * 120) * math.sin(2 * math.pi * 1240 * since) + noise


def pairs_of(channel, first, last, columns, function):
    """Minima and maxima of frames by a function of the frame; single frames where there are few."""
    step = max(1, math.ceil((last - first) / columns))
    out = array.array("f")
    for start in range(first, last, step):
        if step == 1:
            value = function(channel, start)
            out.extend((value, value))
            continue
        values = [function(channel, start + step * k / 6) for k in range(6)]
        out.extend((min(values), max(values)))
    return step, out


def wave_block(header, arrays):
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-(8 + len(text)) % 8)
    return b"HW1\0" + struct.pack("<I", len(text)) + text + b"".join(one.tobytes() for one in arrays)


class LiveRun:
    """A run that plays in the time of the wall clock; events are made as their time comes."""

    def __init__(self, name, rig, plan, takes, ahead, command="run", dead_after=None, job=None):
        self.began = time.time() - ahead
        self.id = f"{datetime.fromtimestamp(self.began, timezone.utc):%Y%m%d-%H%M%S}-{name}"
        self.rig, self.plan, self.total, self.command = rig, plan, takes, command
        self.process = 4000 + name % 1000
        self.job = job
        self.state = "working"
        self.events, self.lock = [], threading.RLock()
        self.low = [array.array("f") for _ in CHANNELS]
        self.high = [array.array("f") for _ in CHANNELS]
        self.frames = 0
        self.takes = 0
        self.dead_after = dead_after
        self.folder = f"/var/lib/haprig/{self.id[:15]}-{rig}-{plan}"
        patterns = PATTERNS[:4]
        self.add(0.001, "start", schema="haprig.live/1", id=self.id, program="haprig 0.9.0", process=self.process,
                 host="bench-host", started=stamp(datetime.fromtimestamp(self.began, timezone.utc)), command=command,
                 arguments=[f"rigs/plans/{plan}.yaml", "--rig", f"rigs/{rig}.yaml"])
        self.add(0.002, "work", rig=rig, plan=plan, title=f"{plan} on {rig}", actuators=["lra-1"], patterns=patterns,
                 takes=takes, archive="/var/lib/haprig")
        self.add(0.010, "channels", rate=RATE, channels=CHANNELS)
        self.add(0.015, "notice", level="device", text="drive: 3 channels at 48 kHz, buffer of 960 frames")
        self.add(0.300, "step", title="setup checks", share=0.0)

    def add(self, t, kind, **members):
        self.events.append({"n": len(self.events), "t": round(t, 6), "kind": kind, **members})

    def now(self):
        return time.time() - self.began

    def at(self, channel, frame):
        return sample(channel, frame / RATE % TAKE)

    def advance(self):
        with self.lock:
            if self.state != "working":
                return
            now = self.now()
            whole = TAKE * self.total
            self._progress_to(min(now, whole))
            frames = int(min(now, whole) * RATE)
            for bin_ in range(len(self.low[0]), frames // BASE):
                for channel in range(len(CHANNELS)):
                    values = [self.at(channel, BASE * bin_ + BASE * k / 4) for k in range(4)]
                    self.low[channel].append(min(values))
                    self.high[channel].append(max(values))
            self.frames = frames
            if self.dead_after is not None and now > self.dead_after:
                self.state = "dead"
            elif now >= whole:
                self.finish("done", "The run passed: 4 patterns, every limit is met.", 0)

    def _progress_to(self, now):
        while self.takes < self.total and self.takes * TAKE <= now:
            if self.takes > 0:
                self._measured(self.takes - 1)
            number, start = self.takes + 1, self.takes * TAKE
            pattern = PATTERNS[self.takes % 4]
            self.add(max(start, 0.4), "take", pattern=pattern, take=1 + self.takes // 4, number=number, total=self.total,
                     frame=int(start * RATE), seconds=TAKE)
            self.takes += 1
        last = self.events[-1]["t"]
        if now - last > 0.1:
            inside = (now % TAKE) / TAKE
            self.add(now, "progress", share=round(inside, 3), overall=round(now / (TAKE * self.total), 4),
                     remaining=round(TAKE * self.total - now, 1))

    def _measured(self, index):
        end, pattern, take = (index + 1) * TAKE - 0.02, PATTERNS[index % 4], 1 + index // 4
        rng = seeded("live", index)
        self.add(end, "measured", pattern=pattern, take=take)
        for name, unit, value, spread, limit, bad in READINGS:
            drawn = value + rng.gauss(0, 1) * spread
            verdict = None
            if limit:
                verdict = "pass" if rng.random() > bad else rng.choice(["marginal", "fail", "not measured"])
            reading = {"name": name, "unit": unit, "pattern": pattern, "repeat": take, "n": 7}
            if verdict != "not measured":
                reading.update(value=drawn, uncertainty=spread * 0.6)
            else:
                reading["note"] = "no event stood out of the noise"
            if limit:
                reading.update(limit=limit, verdict=verdict)
            self.add(end, "reading", reading=reading, pattern=pattern, take=take, verdict=verdict, limit=limit or None)
        if index % 7 == 3:
            self.lose(end, rng.choice(["xrun", "dropped", "overload", "clipped"]))
        if index % 5 == 2:
            self.add(end, "notice", level="warning", text=f"{pattern}: the drive was limited for 12 frames")

    def lose(self, t, what):
        self.add(t, "loss", what=what, frame=int(t * RATE), count=3 if what == "xrun" else 128, device="capture")

    def finish(self, outcome, sentence, status):
        with self.lock:
            self.add(self.now(), "end", outcome=outcome, status=status, sentence=sentence, folder=self.folder,
                     verdicts={"rig": "pass", "timing": "pass", "feel": "not judged"})
            self.state = "ended"

    def row(self):
        self.advance()
        overall = min(1, self.now() / (TAKE * self.total))
        return {"id": self.id, "state": self.state, "command": self.command, "rig": self.rig, "plan": self.plan,
                "title": f"{self.plan} on {self.rig}", "process": self.process,
                "started": stamp(datetime.fromtimestamp(self.began, timezone.utc)), "job": self.job,
                "overall": round(overall, 4), "remaining": round(TAKE * self.total * (1 - overall), 1),
                "events": len(self.events)}

    def waves(self, first, last, columns, channels, topic=None):
        self.advance()
        with self.lock:
            first, last = max(0, first), min(last, self.frames)
            columns = max(1, min(4096, columns))
            header = {"rate": RATE, "channels": channels, "unit": [CHANNELS[one]["unit"] for one in channels]}
            if topic:
                header["topic"] = topic
            span = max(0, last - first)
            if span <= columns * 8:
                step = max(1, math.ceil(span / columns))
                arrays = [pairs_of(one, first, last, columns, self.at)[1] for one in channels]
                header.update({"from": first, "to": last, "framesPerBin": step})
                return wave_block(header, arrays)
            group = math.ceil(span / BASE / columns)
            size = group * BASE
            start, end = first // size, last // size
            arrays = []
            for one in channels:
                low, high, out = self.low[one], self.high[one], array.array("f")
                for bin_ in range(start, end):
                    piece = slice(bin_ * group, (bin_ + 1) * group)
                    out.append(min(low[piece], default=math.nan))
                    out.append(max(high[piece], default=math.nan))
                arrays.append(out)
            header.update({"from": start * size, "to": end * size, "framesPerBin": size})
            return wave_block(header, arrays)


READINGS = [
    ("latency.electrical", "s", 0.00831, 6e-8, "", 0), ("latency.transport", "s", 0.000405, 2e-6, "at most 10 ms", 0),
    ("latency.onset", "s", 0.00912, 4e-5, "at most 25 ms", 0.02), ("latency.jitter", "s", 3.1e-5, 6e-6, "at most 1 ms", 0),
    ("response.peak", "m/s2", 41.7, 0.42, "", 0), ("response.frequency", "Hz", 170.3, 0.11, "", 0),
    ("envelope.correlation", "1", 0.982, 0.003, "at least 0.9", 0.05), ("intensity.error", "dB", 0.42, 0.12, "at most 2 dB", 0.08),
    ("sharpness.error", "octave", 0.021, 0.006, "at most 0.25 octave", 0.05), ("pulseToRing", "dB", 12.1, 0.5, "", 0),
    ("harmony", "1", 87.2, 1.3, "", 0), ("xruns", "count", 0, 0, "at most 0", 0.04),
    ("noise.floor", "m/s2", 0.0135, 0.0004, "", 0),
]

# Readings without an entry are shown by their own names, as those of a newer program would be.
WORDS = {
    "latency.electrical": {"title": "electrical delay", "meaning": "how long the drive takes to the captured reference"},
    "latency.onset": {"title": "felt start", "meaning": "when an event is first felt, after it was asked for"},
    "intensity.error": {"title": "level error", "meaning": "how much stronger than asked for"},
}


class World:
    def __init__(self, empty, runs, takes):
        self.empty, self.gone = empty, False
        self.patterns = patterns_mock.Patterns(empty)
        self.key, self.cookie = secrets.token_hex(32), secrets.token_hex(32)
        self.jobs, self.beats, self.sockets = [], {}, set()
        self.stages = {}
        self.lock = threading.RLock()
        self.live = [] if empty else [
            LiveRun(1711, "bench-1", "nightly", takes, 47, command="nightly"),
            LiveRun(1204, "usb-board", "smoke", 40, 3 * TAKE + 1, dead_after=3 * TAKE),
        ]
        self.runs = [] if empty else [self.made_up_run(index) for index in range(runs)]
        # One run is real: the sample of the repository.
        folder = os.path.join(ROOT, "reports/sample")
        self.sample = next(name for name in sorted(os.listdir(folder)) if os.path.isfile(os.path.join(folder, name, "record.json")))
        with open(os.path.join(folder, self.sample, "record.json"), encoding="utf-8") as text:
            self.sample_record = json.load(text)
        if not empty:
            self.runs.append({"id": self.sample, "started": self.sample_record["header"]["date"], "rig": "simulated-lra", "plan": "smoke",
                              "actuators": ["sim-coin-1"], "outcome": "complete", "verdict": "pass", "takes": 3, "seconds": 0.5,
                              "verdicts": {"rig": "pass", "timing": "pass", "feel": None}, "note": "the sample", "hasRecordings": False})
        with open(os.path.join(ROOT, "rigs/profiles/sim-coin-1.json"), encoding="utf-8") as text:
            self.profile = json.load(text)

    @staticmethod
    def made_up_run(index):
        rng = seeded("run", index)
        started = datetime(2026, 11, 25, 2, 0, tzinfo=timezone.utc) - timedelta(hours=7 * index, seconds=rng.randrange(900))
        rig = rng.choice(["bench-1", "bench-1", "bench-2", "simulated-lra"])
        plan = rng.choice(["nightly", "nightly", "smoke", "latency-only"])
        verdict = rng.choices(["pass", "marginal", "not measured", "fail"], [80, 8, 4, 8])[0]
        status = rng.choices(["complete", "interrupted", "failed"], [96, 2, 2])[0]
        return {"id": f"{started:%Y%m%d-%H%M%S}-{rig}-{plan}", "started": stamp(started), "rig": rig, "plan": plan,
                "actuators": [{"bench-1": "lra-1", "bench-2": "vcm-2"}.get(rig, "sim-coin-1")], "outcome": status,
                "verdict": verdict, "verdicts": {"rig": "pass", "timing": verdict, "feel": rng.choice([None, "pass"])},
                "takes": rng.choice([3, 12, 24]), "seconds": rng.choice([9.6, 41.2, 133.7]),
                "note": rng.choice([None, None, None, "new mount", "after the move to room 12"]),
                "hasRecordings": index < 200}

    def bench(self):
        rows = [one.row() for one in self.live]
        working = {row["rig"]: row for row in rows if row["state"] == "working"}

        def rig(name, description, actuators, simulated=False, problem=None, state=None, **more):
            row = working.get(name)
            last = next((one for one in self.runs if one["rig"] == name), None)
            night = next((one for one in self.runs if one["rig"] == name and one["plan"] == "nightly"), None)
            return {"name": name, "file": f"rigs/{name}.yaml", "description": description, "simulated": simulated,
                    "actuators": actuators, "state": state or ("held" if row else "idle"),
                    "holder": {"process": row["process"], "live": row["id"]} if row else None,
                    "lastRun": last, "lastNight": night, "problem": problem,
                    "sensors": [{"name": "z", "kind": "acceleration", "unit": "m/s2", "fullScale": 490.0,
                                 "sensitivity": 0.00104, "uncertainty": 0.01, "date": "2025-03-14"},
                                {"name": "audio", "kind": "audio", "unit": "V"},
                                {"name": "reference", "kind": "reference", "unit": "V"}],
                    "drive": {"device": "alsa hw:CARD=U24", "rate": 48000, "channels": 3}, **more}
        profile = {"created": "2026-11-21", "ageDays": 4, "level": 30.0}
        rigs = [
            rig("bench-1", "Coin LRA on a 100 g block, accelerometer 352C33",
                [{"id": "lra-1", "type": "lra", "model": "coinZ-170", "profile": profile}],
                lastCheck={"date": "2026-11-24", "sigmas": 1.2, "drifted": False}),
            rig("simulated-lra", "A coin-type LRA as a lab would wire it, all of it simulated",
                [{"id": "sim-coin-1", "type": "lra", "model": "coinZ-170",
                  "profile": {"created": "2026-05-02", "ageDays": 207, "level": 30.0}}], simulated=True),
            rig("usb-board", "DRV2605L board over USB", [{"id": "erm-3", "type": "erm", "model": "cylinder-8", "profile": None}],
                state="missing", problem="no USB device 1209:4854 is plugged in: the rig's board is not there"),
        ]
        plans = [{"name": "smoke", "file": "rigs/plans/smoke.yaml", "patterns": PATTERNS[:3], "takes": 3, "seconds": 9.6},
                 {"name": "nightly", "file": "rigs/plans/nightly.yaml", "patterns": PATTERNS, "takes": 24, "seconds": 76.8}]
        return {"program": "haprig 0.9.0", "host": "bench-host", "time": stamp(datetime.now(timezone.utc)),
                "archive": "/var/lib/haprig", "rigs": [] if self.empty else rigs, "plans": [] if self.empty else plans,
                "patterns": [] if self.empty else [{"name": one, "file": f"rigs/patterns/{one}.ahap", "seconds": 1.9 + 0.3 * k}
                                                   for k, one in enumerate(PATTERNS)], "live": rows}

    def list_runs(self, query):
        def one(name):
            return query.get(name, [""])[0]
        rows = self.runs
        for name in ("rig", "plan"):
            wanted = [value for value in query.get(name, []) if value]
            if wanted:
                rows = [row for row in rows if row[name] in wanted]
        if one("actuator"):
            rows = [row for row in rows if one("actuator") in row["actuators"]]
        if one("verdict"):
            rows = [row for row in rows if row["verdict"] in query["verdict"]]
        if one("from"):
            rows = [row for row in rows if row["started"][:10] >= one("from")]
        if one("to"):
            rows = [row for row in rows if row["started"][:10] <= one("to")]
        if one("text"):
            rows = [row for row in rows if one("text").lower() in json.dumps(row).lower()]
        key = one("sort") or "started"
        rows = sorted(rows, key=lambda row: row.get(key) or "", reverse=one("order") != "asc")

        def facet(get):
            counts = {}
            for row in rows:
                counts[get(row)] = counts.get(get(row), 0) + 1
            return [{"value": value, "count": count} for value, count in sorted(counts.items())]
        offset, limit = int(one("offset") or 0), int(one("limit") or 50)
        return {"total": len(rows), "offset": offset, "runs": rows[offset:offset + limit],
                "facets": {"rig": facet(lambda row: row["rig"]), "plan": facet(lambda row: row["plan"]),
                           "actuator": facet(lambda row: row["actuators"][0]), "verdict": facet(lambda row: row["verdict"])}}

    @staticmethod
    def readings(run):
        found = []
        for pattern in PATTERNS[:3]:
            for take in (1, 2):
                rng = seeded(run, pattern, take)
                for name, unit, value, spread, limit, bad in READINGS:
                    shift = 3.1e-4 if name == "latency.onset" and "smoke" in run else 0
                    reading = {"name": name, "unit": unit, "pattern": pattern, "repeat": take, "n": 7,
                               "value": value + shift + rng.gauss(0, 1) * spread, "uncertainty": spread * 0.6}
                    if limit:
                        reading.update(limit=limit, verdict="pass" if rng.random() > bad else "marginal")
                    found.append(reading)
        return found

    def record(self, run):
        row = next((one for one in self.runs if one["id"] == run), None)
        if row is None or run == self.sample:
            return self.sample_record if row else None
        return {"schema": "haprig.run/1.1", "verdict": row["verdict"],
                "verdicts": {"rig": {"verdict": "pass"}, "timing": {"verdict": row["verdict"], "reason": "intensity.error of swell"},
                             "feel": {"verdict": "not judged", "reason": "no limits"}},
                "header": {"date": row["started"], "duration": row["seconds"], "folder": run, "host": "bench-host",
                           "environment": {"temperature": "23 degC", "haprig": "0.9.0", "kernel": "6.18.44"}, "files": []},
                "rig": {"name": row["rig"], "device": "alsa", "rate": 48000.0, "fullScaleVolts": 3.6},
                "actuator": {"id": row["actuators"][0], "kind": "lra", "model": "coinZ-170"}, "plan": {"name": row["plan"]},
                "run": {"calibration": "calibrated", "status": row["outcome"], "software": "haprig 0.9.0"},
                "patterns": [{"name": one, "duration": 1.5, "verdict": "pass",
                              "takes": [{"repeat": take, "patternFrame": 24000, "place": take} for take in (1, 2)]}
                             for one in PATTERNS[:3]],
                "readings": self.readings(run) + self.patterns.judged(run, PATTERNS[0])}

    @staticmethod
    def run_signal(run):
        rng = seeded("signal", run)
        delay, gain, f0 = 0.0087 + rng.uniform(0, 0.0006), rng.uniform(0.9, 1.1), rng.uniform(168.5, 171.5)
        return lambda channel, frame: sample(channel, frame / RATE, delay, gain, f0)

    def compare(self, runs):
        runs = [one.split(":")[0] for one in runs]
        rows = {one["id"]: one for one in self.runs}
        sides = [{"label": "ABCDEF"[index], "runs": [{
            "id": run, "began": rows[run]["started"], "rig": rows[run]["rig"], "plan": rows[run]["plan"],
            "actuator": rows[run]["actuators"][0], "software": "haprig 0.9.0", "verdict": rows[run]["verdict"]}]}
            for index, run in enumerate(runs)]
        pairs = []
        for index in range(1, len(runs)):
            found = []
            for left, right in zip(self.readings(runs[0]), self.readings(runs[index])):
                if left["repeat"] != 1:
                    continue
                spread = math.hypot(left["uncertainty"], right["uncertainty"]) * 1.5
                difference = right["value"] - left["value"]
                beyond = bool(spread) and abs(difference) / spread > 2.2
                found.append({
                    "reading": left["name"], "pattern": left["pattern"], "unit": left["unit"], "difference": difference,
                    "uncertainty": spread or None, "finding": "more than chance" if beyond else "within chance" if spread else "cannot be told",
                    "course": ("worse" if difference > 0 else "better") if beyond else None, "forTheWorse": beyond and difference > 0,
                    "first": {"mean": left["value"], "n": 2, "uncertainty": left["uncertainty"], "values": []},
                    "second": {"mean": right["value"], "n": 2, "uncertainty": right["uncertainty"], "values": []}})
            counts = {"compared": len(found), "beyond": sum(one["finding"] == "more than chance" for one in found),
                      "worse": sum(one["course"] == "worse" for one in found), "better": sum(one["course"] == "better" for one in found),
                      "changed": 0, "within": sum(one["finding"] == "within chance" for one in found),
                      "untold": sum(one["finding"] == "cannot be told" for one in found)}
            pairs.append({"first": "A", "second": sides[index]["label"], "notes": ["both on the same sensor calibration: its uncertainty cancels"],
                          "environment": [{"key": "temperature", "first": "23 degC", "second": "24 degC"}], "counts": counts, "readings": found})
        overlays = [{"pattern": one, "takes": [{"side": sides[k]["label"], "run": run, "take": 1, "electrical": 0.0083, "transport": 0.0004}
                                               for k, run in enumerate(runs)],
                     "residuals": [{"side": "B", "response": 0.083, "noise": 0.002}]} for one in PATTERNS[:3]]
        worse = any(pair["counts"]["worse"] for pair in pairs)
        return {"schema": "haprig.diff/1", "rate": 0.05, "worse": worse, "sides": sides, "pairs": pairs, "overlays": overlays, "absences": [],
                "sentence": " ".join(f"A and {pair['second']}: {pair['counts']['beyond']} of {pair['counts']['compared']} readings differ by "
                                     "more than chance." for pair in pairs)}

    def history(self, rig, plan, days):
        series, changes = [], []
        first = datetime(2026, 11, 24, tzinfo=timezone.utc) - timedelta(days=days - 1)
        day = lambda index: f"{first + timedelta(days=index):%Y-%m-%d}"
        for name, unit, value, spread, limit, _ in READINGS:
            for pattern in ([""] if name.startswith(("noise", "latency.el")) else PATTERNS[:2]):
                rng = seeded("history", rig, name, pattern)
                moved = name == "latency.onset"
                nights = []
                for index in range(days):
                    if rng.random() < 0.04:
                        continue
                    step = 9 * spread if moved and index > days * 0.7 else 0
                    nights.append({"day": day(index), "value": value + step + rng.gauss(0, 1) * spread, "uncertainty": spread * 0.4,
                                   "count": 6, "run": next((row["id"] for row in self.runs if row["rig"] == rig), None)})
                own = []
                if moved:
                    own.append({"actuator": "lra-1", "pattern": pattern, "reading": name, "unit": unit, "day": day(int(days * 0.7) + 1),
                                "lastDayBefore": day(int(days * 0.7)), "before": value, "after": value + 9 * spread, "effect": 9 * spread,
                                "relativeEffect": 9 * spread / value, "uncertainty": spread * 0.2, "significance": 5.7e-24,
                                "state": "confirmed", "standing": "raised", "reason": "confirmed, for the worse"})
                    changes += own
                series.append({"actuator": "lra-1", "pattern": pattern, "reading": name, "unit": unit, "nights": nights,
                               "baseline": {"level": value + (9 * spread if moved else 0), "spread": spread, "from": day(0),
                                            "to": day(days - 1), "nights": len(nights)},
                               "newest": {"state": "suspected" if name == "pulseToRing" else "steady", "nightsToConfirm": 2,
                                          "effect": spread * 4, "uncertainty": spread, "day": day(days - 1)},
                               "trend": {"perMonth": spread * 0.1, "uncertainty": spread * 0.05, "significance": 0.04, "nights": len(nights)},
                               "limit": limit or None, "verdict": "pass" if limit else None, "changes": own})
        lead = changes[0]
        return {"schema": "haprig.history/1", "rig": rig, "plan": plan, "from": day(0), "to": day(days - 1), "nights": days,
                "outcome": "regression", "sentences": [
                    f"Since {lead['day']} latency.onset of taps-and-clicks is 0.36 ms longer than before: worse, confirmed.",
                    "pulseToRing is suspected: 2 more nights would confirm it."],
                "incidents": [{"from": lead["day"], "to": lead["day"], "standing": "raised", "reason": lead["reason"], "whose": "product", "lead": lead,
                               "others": [{**one, "tie": "follows", "explained": 0.9} for one in changes[1:]]}],
                "drifts": [{"whose": "rig", "others": [], "lead": {
                    "actuator": "lra-1", "pattern": "", "reading": "latency.electrical", "unit": "s", "from": day(0), "to": day(days - 1),
                    "nights": days, "perMonth": 2.1e-5, "uncertainty": 3e-6, "significance": 1e-9, "level": 8.3e-3, "course": "worse"}}],
                "series": series, "changes": changes,
                "violations": [{"run": self.runs[0]["id"], "reading": "intensity.error", "pattern": "swell", "take": 1, "value": 2.31,
                                "uncertainty": 0.12, "limit": "at most 2 dB"}],
                "runs": [{"id": row["id"], "began": row["started"], "day": row["started"][:10], "status": row["outcome"],
                          "verdict": row["verdict"]} for row in self.runs if row["rig"] == rig and row["plan"] == plan][:days],
                "decisions": [{"kind": "accepted", "from": day(12), "reading": "response.peak", "who": "mara", "when": day(13),
                               "why": "new mount, by its data sheet"}], "notes": ["2 nights have no run."]}

    def calibrations(self):
        if self.empty:
            return {"profiles": [], "drift": [], "fleets": []}
        def row(name, model, kind, rig, created, days, check=None):
            return {"id": name, "actuator": name, "model": model, "kind": kind, "rig": rig, "created": created, "ageDays": days,
                    "level": 30.0, "certificate": True, "check": check}
        return {"profiles": [row("lra-1", "coinZ-170", "lra", "bench-1", "2026-11-21", 4, {"date": "2026-11-24", "sigmas": 1.2, "drifted": False}),
                             row("lra-2", "coinZ-170", "lra", "bench-1", "2026-11-20", 5, {"date": "2026-11-23", "sigmas": 6.8, "drifted": True}),
                             row("vcm-2", "vcm-40", "vcm", "bench-2", "2026-03-02", 268), row("sim-coin-1", "coinZ-170", "lra", "simulated-lra", "2026-05-02", 207)],
                "drift": [{"actuator": "lra-2", "date": "2026-11-23", "reading": "f0", "unit": "Hz", "before": 170.01, "after": 168.72,
                           "uncertainty": 0.19, "sigmas": 6.8, "drifted": True},
                          {"actuator": "lra-1", "date": "2026-11-24", "reading": "f0", "unit": "Hz", "before": 170.01, "after": 170.05,
                           "uncertainty": 0.033, "sigmas": 1.2, "drifted": False}],
                "fleets": [{"model": "coinZ-170", "members": ["lra-1", "lra-2", "sim-coin-1"], "goal": 1.0, "verdict": "pass",
                            "pairs": [{"a": "lra-1", "b": "lra-2", "greatest": 0.61, "rms": 0.22, "without": 2.9, "points": 21, "verdict": "pass"},
                                      {"a": "lra-1", "b": "sim-coin-1", "greatest": 0.94, "rms": 0.31, "without": 3.4, "points": 23, "verdict": "pass"},
                                      {"a": "lra-2", "b": "sim-coin-1", "greatest": 1.22, "rms": 0.41, "without": 4.0, "points": 19, "verdict": "marginal"}]}]}

    def one_profile(self, name):
        row = next((one for one in self.calibrations()["profiles"] if one["id"] == name), None)
        if row is None:
            return None
        copy = json.loads(json.dumps(self.profile))
        copy["actuator"].update(id=name, model=row["model"], kind=row["kind"], rig=row["rig"])
        rng = seeded("profile", name)
        factor = rng.uniform(0.92, 1.08)
        for point in copy.get("ceiling", []):
            point["acceleration"] *= factor
        return copy

    def start(self, request):
        kind, rig = request.get("kind"), request.get("rig")
        if kind == "measure":
            with self.lock:
                job = {"id": f"job-{len(self.jobs) + 1}", "kind": kind, "arguments": [], "started": stamp(datetime.now(timezone.utc)), "state": "running",
                       "status": None, "live": None, "run": None, "said": "", "pattern": request["pattern"]}
                self.jobs.append(job)
            run = self.runs[len(self.jobs) % max(1, len(self.runs))]["id"]
            threading.Thread(target=self.patterns.measure, args=(job, run), daemon=True).start()
            return 202, job
        held = {one.rig: one for one in self.live if one.state == "working"}
        if kind not in ("score", "verify") and rig in held:
            return 409, {"error": {"code": "rig-held", "message":
                         f"{rig} is held by process {held[rig].process}, which runs {held[rig].plan}: wait for it or stop it"}}
        with self.lock:
            number = len(self.jobs) + 1
            job = {"id": f"job-{number}", "kind": kind, "arguments": [kind, *(request.get("patterns") or [request.get("plan") or request.get("run") or ""]),
                   "--rig", f"rigs/{rig}.yaml"], "process": 5000 + number, "started": stamp(datetime.now(timezone.utc)),
                   "state": "running", "status": None, "live": None, "run": None, "said": ""}
            self.jobs.append(job)
            if kind in ("run", "calibrate", "play"):
                run = LiveRun(5000 + number, rig, request.get("plan") or kind, 6, 0, command=kind, job=job["id"])
                self.live.append(run)
                job["live"] = run.id
        threading.Thread(target=self.work, args=(job, kind), daemon=True).start()
        return 202, job

    def open_stage(self, request):
        """A rig that a page plays on: it keeps what it is told, and when."""
        rig = request.get("rig")
        held = {one["rig"] for one in self.stages.values() if one["state"] == "open"} | {one.rig for one in self.live if one.state == "working"}
        if rig in held:
            return 409, {"error": {"code": "rig-held", "message": f"{rig} is held: wait for it or stop it"}}
        followed = follow_mock.Followed(rig, request.get("actuator"), request["follow"]) if "follow" in request else None
        name = f"stage-{len(self.stages) + 1}"
        self.stages[name] = {"rig": rig, "state": "open", "told": [], "followed": followed, "follow": request.get("follow")}
        self.beats[name] = time.time() + 1.5
        threading.Thread(target=self.mind_stage, args=(name,), daemon=True).start()
        return 201, {"stage": name}

    def mind_stage(self, name):
        while time.time() - self.beats[name] < 0.5 and self.stages[name]["state"] == "open":
            time.sleep(0.02)
        self.stages[name]["state"] = "ended"

    def work(self, job, kind):
        began = time.time()
        self.beats.setdefault(job["id"], began + 1.5)
        run = next((one for one in self.live if one.id == job["live"]), None)
        while job["state"] == "running":
            time.sleep(0.05)
            if kind == "play" and time.time() - self.beats[job["id"]] > 0.5:
                job.update(state="stopped", said="haprig: the beats stopped: the drive is at zero")
            elif (run and run.state != "working") or (not run and time.time() - began > 4):
                job.update(state="done", status=0, said="done")
        if run and run.state == "working":
            run.finish("interrupted", "Interrupted: the drive is at zero, the record is kept.", 130)

    def stop_job(self, name):
        job = next((one for one in self.jobs if one["id"] == name), None)
        if job and job["state"] == "running":
            job.update(state="stopped", status=130, said="haprig: interrupted")
        return job


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    world = None
    pages = os.path.join(ROOT, "Sources/Workbench/Pages")
    codemirror = os.environ.get("HAPRIG_CODEMIRROR", "/usr/share/javascript/codemirror")

    def log_message(self, *_):
        pass

    def answer(self, status, body=b"", kind="application/json", more=(), csp=CSP):
        if not isinstance(body, bytes):
            body = json.dumps(body).encode()
        self.send_response(status)
        if status != 204:
            self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Content-Security-Policy", csp)
        self.send_header("X-Content-Type-Options", "nosniff")
        self.send_header("Referrer-Policy", "no-referrer")
        self.send_header("Cross-Origin-Resource-Policy", "same-origin")
        self.send_header("Cross-Origin-Opener-Policy", "same-origin")
        self.send_header("Cache-Control", "no-store")
        for name, value in more:
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def fail(self, status, code, message):
        self.answer(status, {"error": {"code": code, "message": message}})

    def allowed(self):
        if self.world.cookie in (self.headers.get("Cookie") or ""):
            return True
        self.fail(401, "no-key", "this needs the key of the workbench")
        return False

    def do_GET(self):
        url = urlsplit(self.path)
        path, query = unquote(url.path), parse_qs(url.query)
        if self.world.gone:
            self.close_connection = True
            return None
        if not path.startswith("/api/"):
            return self.asset(path)
        if not self.allowed():
            return None
        parts = path.removeprefix("/api/v1/").split("/")
        if parts == ["socket"]:
            return self.socket()
        try:
            if parts == ["session"]:
                return self.answer(200, {"access": "all"})
            if parts == ["words"]:
                return self.answer(200, {"readings": WORDS})
            if parts == ["inputs"]:
                return self.answer(200, {"inputs": follow_mock.INPUTS})
            if parts == ["compose", "methods"]:
                return self.answer(200, patterns_mock.METHODS)
            if parts[0] == "patterns":
                return self.world.patterns.get(self, url.path.removeprefix("/api/v1/").split("/")[1:], query)
            return self.api(parts, query)
        except patterns_mock.Refused as fault:
            return self.fail(fault.status, fault.code, str(fault))
        except (BrokenPipeError, ConnectionResetError):
            return None

    def asset(self, path):
        name = "index.html" if path == "/" else path.removeprefix("/assets/")
        file = os.path.join(self.pages, name)
        if name.startswith("codemirror/") and ".." not in name:
            # The server too takes it from Debian's libjs-codemirror, and has an empty file where that is not installed.
            file = os.path.join(self.codemirror, name.removeprefix("codemirror/"))
            if not os.path.isfile(file):
                file = os.devnull
            name = os.path.basename(name)
        kinds = {".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8",
                 ".css": "text/css; charset=utf-8", ".svg": "image/svg+xml"}
        if "/" in name or not (os.path.isfile(file) or file == os.devnull):
            return self.fail(404, "no-such-path", "there is nothing here")
        with open(file, "rb") as data:
            return self.answer(200, data.read(), kinds.get(os.path.splitext(name)[1], "text/plain"), [("X-Frame-Options", "DENY")])

    def api(self, parts, query):
        world = self.world

        def number(name, otherwise):
            return int(float(query.get(name, [otherwise])[0]))
        if parts == ["bench"]:
            return self.answer(200, world.bench())
        if parts == ["live"]:
            return self.answer(200, {"live": [one.row() for one in world.live]})
        if parts[0] == "live" and len(parts) == 3:
            run = next((one for one in world.live if one.id == parts[1]), None)
            if run is None:
                return self.fail(404, "no-such-live", "nothing of that name works here")
            run.advance()
            if parts[2] == "events":
                first = number("from", 0)
                events = run.events[first:first + number("limit", 1000)]
                return self.answer(200, {"first": first, "next": first + len(events), "events": events})
            channels = [int(one) for one in query.get("channels", ["0,1,2,3"])[0].split(",")]
            return self.answer(200, run.waves(number("from", 0), number("to", 10**12), number("columns", 1200), channels),
                               "application/octet-stream")
        if parts == ["jobs"]:
            return self.answer(200, {"jobs": world.jobs})
        if parts[0] == "jobs" and len(parts) == 2:
            job = next((one for one in world.jobs if one["id"] == parts[1]), None)
            return self.answer(200, job) if job else self.fail(404, "no-such-job", "there is no such job")
        if parts == ["runs"]:
            return self.answer(200, world.list_runs(query))
        if parts[0] == "runs":
            return self.run(parts[1], parts[2:], query, number)
        if parts == ["compare"]:
            runs = query.get("run", [])
            if query.get("baseline") and world.runs:
                runs = runs + [world.runs[-1]["id"]]
            if any(world.record(one.split(":")[0]) is None for one in runs):
                return self.fail(404, "no-such-run", "the archive has no such run")
            return self.answer(200, world.compare(runs)) if len(runs) > 1 else self.fail(400, "bad-value", "two runs are compared")
        if parts == ["history"]:
            if not world.runs:
                return self.fail(404, "no-nights", "the archive has no nights")
            return self.answer(200, world.history(query.get("rig", ["bench-1"])[0], query.get("plan", ["nightly"])[0], min(365, number("days", 90))))
        if parts == ["calibrations"]:
            return self.answer(200, world.calibrations())
        if parts[0] == "calibrations":
            profile = world.one_profile(parts[1])
            if profile is None:
                return self.fail(404, "no-such-profile", "there is no such profile")
            if len(parts) == 3:
                return self.answer(200, b"<!doctype html><title>Certificate</title><h1>Certificate</h1>", "text/html; charset=utf-8")
            return self.answer(200, profile)
        if parts == ["qr"]:
            # Squares that look like one; no reader reads them.
            size, dark = 25, seeded("qr", query.get("text", [""])[0])
            squares = "".join(f"M{x} {y}h1v1h-1z" for x in range(size) for y in range(size) if dark.random() < 0.5)
            return self.answer(200, f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="-2 -2 29 29"><path fill="#fff" d="M-2-2h29v29h-29z"/><path d="{squares}"/></svg>'.encode(),
                               "image/svg+xml")
        if parts == ["verify"]:
            return self.answer(200, {"runs": len(world.runs), "files": 8 * len(world.runs), "bytes": 10**9, "findings": [], "sound": True,
                                     "pruned": 6, "withoutHashes": []})
        return self.fail(404, "no-such-path", "there is nothing here")

    def run(self, name, rest, query, number):
        world = self.world
        record = world.record(name)
        if record is None:
            return self.fail(404, "no-such-run", f"the archive has no run '{name}'")
        if not rest:
            return self.answer(200, record)
        if rest == ["report"]:
            file = os.path.join(ROOT, "reports/sample", world.sample, "report.html")
            with open(file, "rb") as data:
                return self.answer(200, data.read(), "text/html; charset=utf-8",
                                   csp="default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; "
                                       "frame-ancestors 'self'; sandbox allow-scripts")
        if rest == ["files"]:
            return self.answer(200, {"files": [{"name": "record.json", "bytes": 812345}, {"name": "report.html", "bytes": 733637},
                                               {"name": "readings.csv", "bytes": 39071}, {"name": "inputs/plan.yaml", "bytes": 745},
                                               {"name": "inputs/patterns/swell.ahap", "bytes": 2650}]})
        if rest[0] == "files":
            return self.answer(200, b"name: smoke\npatterns: [swell.ahap]\n", "text/plain; charset=utf-8")
        if rest == ["takes"]:
            return self.answer(200, {"takes": [{"pattern": one, "take": take, "seconds": TAKE, "rate": RATE, "channels": CHANNELS}
                                               for one in PATTERNS[:3] for take in (1, 2)]})
        signal = world.run_signal(name + query.get("pattern", [""])[0] + query.get("take", ["1"])[0])
        if rest == ["waves"]:
            start = max(0, int(float(query.get("from", ["0"])[0]) * RATE))
            end = min(int(TAKE * RATE), int(float(query.get("to", [str(TAKE)])[0]) * RATE))
            channels = [int(one) for one in query.get("channels", ["0,1,2,3"])[0].split(",")]
            columns = max(1, min(4096, number("columns", 1200)))
            found = [pairs_of(one, start, max(start, end), columns, signal) for one in channels]
            return self.answer(200, wave_block({"rate": RATE, "from": start, "to": end, "framesPerBin": found[0][0],
                                                "channels": channels, "unit": [CHANNELS[one]["unit"] for one in channels]},
                                               [one[1] for one in found]), "application/octet-stream")
        if rest == ["sound"]:
            samples = array.array("h", (int(max(-1, min(1, (signal(1, frame) - GRAVITY) / 90)) * 23000) for frame in range(int(TAKE * RATE))))
            data = samples.tobytes()
            head = b"RIFF" + struct.pack("<I", 36 + len(data)) + b"WAVEfmt " + struct.pack(
                "<IHHIIHH", 16, 1, 1, RATE, 2 * RATE, 2, 16) + b"data" + struct.pack("<I", len(data))
            return self.answer(200, head + data, "audio/wav", [("X-Gain-dB", "-36.2")])
        return self.fail(404, "no-such-path", "there is nothing here")

    def do_POST(self):
        path = urlsplit(self.path).path
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        world = self.world
        if path == "/api/v1/session":
            if json.loads(body or b"{}").get("key") != world.key:
                return self.fail(401, "wrong-key", "this is not the key of the workbench")
            return self.answer(204, more=[("Set-Cookie", f"haprig-{self.server.server_port}={world.cookie}; HttpOnly; SameSite=Strict; Path=/")])
        if path.startswith("/mock/"):
            return self.mock(path.removeprefix("/mock/"))
        if not self.allowed():
            return None
        parts = path.removeprefix("/api/v1/").split("/")
        if parts == ["jobs"]:
            return self.answer(*world.start(json.loads(body)))
        if parts == ["stages"]:
            try:
                return self.answer(*world.open_stage(json.loads(body)))
            except patterns_mock.Refused as fault:
                return self.fail(fault.status, fault.code, str(fault))
        if parts[0] == "patterns":
            try:
                return world.patterns.post(self, parts[1:], json.loads(body))
            except patterns_mock.Refused as fault:
                return self.fail(fault.status, fault.code, str(fault))
        if parts[0] == "jobs" and parts[-1] == "stop":
            return self.answer(202, world.stop_job(parts[1]) or {})
        if parts[0] == "live" and parts[-1] == "stop":
            for run in world.live:
                if run.id == parts[1] and run.state == "working":
                    run.finish("interrupted", "Interrupted: the drive is at zero, the record is kept.", 130)
            return self.answer(202, {})
        if parts == ["history", "accept"]:
            return self.answer(200, {"decisions": ["20261125T230000Z-93a4c1be.json"]})
        return self.fail(404, "no-such-path", "there is nothing here")

    def do_PUT(self):
        url = urlsplit(self.path)
        data = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if not self.allowed():
            return None
        try:
            return self.world.patterns.put(self, unquote(url.path.removeprefix("/api/v1/sounds/")), "replace=1" in url.query, data)
        except patterns_mock.Refused as fault:
            return self.fail(fault.status, fault.code, str(fault))

    def mock(self, kind):
        world = self.world
        run = world.live[0] if world.live else None
        if "/" in kind:
            world.patterns.elsewhere(*unquote(kind).split("/", 1))
        if kind in ("gone", "back"):
            world.gone = kind == "gone"
            for one in list(world.sockets) if world.gone else ():
                one.shutdown(socket.SHUT_RDWR)
        elif run and kind == "loss":
            with run.lock:
                run.lose(run.now(), "xrun")
        elif run and kind == "dead":
            run.state = "dead"
        elif run and kind == "end":
            run.finish("done", "The run passed: every limit is met.", 0)
        return self.answer(204)

    # The socket, by hand.

    def socket(self):
        accept = base64.b64encode(hashlib.sha1((self.headers["Sec-WebSocket-Key"] + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").encode()).digest())
        self.wfile.write(b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: " + accept + b"\r\n\r\n")
        self.close_connection = True
        state = {"bench": None, "live": {}, "waves": {}, "out": [], "patterns": {}, "open": True}
        self.writing = threading.Lock()
        self.world.sockets.add(self.connection)
        threading.Thread(target=self.write, args=(state,), daemon=True).start()
        try:
            while state["open"]:
                message = self.read_frame()
                if message is None:
                    break
                self.heard(state, json.loads(message))
        except (OSError, ValueError):
            pass
        state["open"] = False
        self.world.sockets.discard(self.connection)

    def read_frame(self):
        head = self.rfile.read(2)
        if len(head) < 2 or head[0] & 15 == 8:
            return None
        size = head[1] & 127
        if size == 126:
            size = struct.unpack(">H", self.rfile.read(2))[0]
        mask = self.rfile.read(4)
        data = self.rfile.read(size)
        return bytes(value ^ mask[index % 4] for index, value in enumerate(data))

    def send_frame(self, data, binary=False):
        size = len(data)
        head = bytes([0x82 if binary else 0x81]) + (
            bytes([size]) if size < 126 else struct.pack(">BH", 126, size) if size < 65536 else struct.pack(">BQ", 127, size))
        # What is told of a stage goes out between what the other thread writes.
        with self.writing:
            self.connection.sendall(head + data)

    def heard(self, state, message):
        if "stage" in message:
            stage = self.world.stages.get(message["stage"])
            if stage and stage["state"] == "open":
                stage["told"].append({**message, "at": time.time()})
                if message.get("do") == "play":
                    return self.world.patterns.does(state["out"], message)
                if stage["followed"]:
                    return state["out"].append({"topic": f"stage/{message['stage']}", **stage["followed"].does(message)})
                # As late as a rig of ALSA's is.
                late = 0.006 + 0.004 * (len(stage["told"]) % 7) / 7
                did = {key: value for key, value in message.items() if key != "stage"}
                answer = {"fault": stage["fault"], "of": did} if "fault" in stage else {"did": did, "delay": late}
                self.send_frame(json.dumps({"topic": f"stage/{message['stage']}", **answer}).encode())
        elif "beat" in message:
            for job in state.get("holds", ()):
                self.world.beats[job] = time.time()
            state["out"].append({"beat": message["beat"]})
        elif "hold" in message:
            before = state.get("holds", set())
            state["holds"] = set(message["hold"] or ())
            for one in before - state["holds"]:
                if one in self.world.stages:
                    self.world.stages[one]["state"] = "ended"
            for one in state["holds"] - before:
                self.world.beats[one] = time.time()
                followed = self.world.stages.get(one, {}).get("followed")
                if followed:
                    state["out"].append({"topic": f"stage/{one}", **followed.opening()})
                    threading.Thread(target=self.follow, args=(state, one, followed), daemon=True).start()
                elif one in self.world.stages:
                    self.send_frame(json.dumps({"topic": f"stage/{one}", "state": "open"}).encode())
        elif message.get("watch") == "bench":
            state["bench"] = ""
        elif message.get("watch", "").startswith("patterns/"):
            state["patterns"][message["watch"]] = len(self.world.patterns.changes)
        elif "watch" in message:
            state["live"][message["watch"]] = {"next": int(message.get("from", 0)), "state": "working"}
        elif "waves" in message:
            state["waves"][message["waves"]] = message
        elif "leave" in message:
            if message["leave"] == "bench":
                state["bench"] = None
            stage = message["leave"].removeprefix("stage/")
            if stage in self.world.stages:
                self.world.stages[stage]["state"] = "ended"
                state.get("holds", set()).discard(stage)
            state["live"].pop(message["leave"], None)
            state["patterns"].pop(message["leave"], None)
            state["waves"].pop(message["leave"], None)

    def follow(self, state, name, followed):
        """Tells how it goes, as long as somebody holds it."""
        stage = self.world.stages[name]
        while state["open"] and stage["state"] == "open":
            state["out"] += [{"topic": f"stage/{name}", **one} for one in followed.news()]
            if followed.over:
                stage["state"] = "ended"
            time.sleep(0.1)

    def write(self, state):
        world = self.world
        try:
            while state["open"]:
                while state["out"]:
                    self.send_frame(json.dumps(state["out"].pop(0)).encode())
                for topic, seen in list(state["patterns"].items()):
                    changes = world.patterns.changes[seen:]
                    state["patterns"][topic] = seen + len(changes)
                    for own, told in changes:
                        if own == topic:
                            self.send_frame(json.dumps({"topic": topic, **told}).encode())
                if state["bench"] is not None:
                    bench = world.bench()
                    key = json.dumps({**bench, "time": "", "live": [{**row, "events": 0, "remaining": 0, "overall": round(row["overall"], 2)}
                                                                    for row in bench["live"]]})
                    if key != state["bench"]:
                        state["bench"] = key
                        self.send_frame(json.dumps({"topic": "bench", **bench}).encode())
                for topic, cursor in list(state["live"].items()):
                    run = next((one for one in world.live if f"live/{one.id}" == topic), None)
                    if run is None:
                        continue
                    run.advance()
                    events = run.events[cursor["next"]:cursor["next"] + 200]
                    if events:
                        cursor["next"] += len(events)
                        self.send_frame(json.dumps({"topic": topic, "events": events}).encode())
                    elif run.state != cursor["state"]:
                        cursor["state"] = run.state
                        self.send_frame(json.dumps({"topic": topic, "state": run.state}).encode())
                for topic, wanted in list(state["waves"].items()):
                    run = next((one for one in world.live if f"live/{one.id}" == topic), None)
                    if run is None or run.state != "working":
                        continue
                    span = int(wanted.get("seconds", 10) * RATE)
                    run.advance()
                    self.send_frame(run.waves(run.frames - span, run.frames, int(wanted.get("columns", 1200)),
                                              wanted.get("channels") or [0, 1, 2, 3], topic), True)
                time.sleep(0.05)
        except OSError:
            state["open"] = False


class Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def handle_error(self, request, client_address):
        if not isinstance(sys.exc_info()[1], (BrokenPipeError, ConnectionResetError)):
            super().handle_error(request, client_address)


def serve(port=0, empty=False, runs=3000, takes=400):
    """The server in a thread of its own, and the address with its key."""
    handler = type("Bound", (Handler,), {"world": World(empty, runs, takes)})
    server = Server(("127.0.0.1", port), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server, f"http://127.0.0.1:{server.server_port}/#key={handler.world.key}"


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, default=8037)
    parser.add_argument("--empty", action="store_true")
    parser.add_argument("--runs", type=int, default=3000)
    parser.add_argument("--takes", type=int, default=400)
    options = parser.parse_args()
    _, address = serve(options.port, options.empty, options.runs, options.takes)
    print(address, flush=True)
    try:
        threading.Event().wait()
    except KeyboardInterrupt:
        pass
