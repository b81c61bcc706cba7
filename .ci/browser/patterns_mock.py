# SPDX-License-Identifier: Apache-2.0
"""The patterns of workbench_mock.py: documents that are edited as docs/decisions/048 says, on parsed JSON.

A text is written anew at each edit of entries, so layouts are not kept: that is for the real server to show. Patterns
are those of rigs/patterns, in memory; nothing is written. Of what an actuator does it only has an idea.
"""

import array
import copy
import hashlib
import io
import json
import math
import os
import random
import struct
import threading
import time
import wave
from urllib.parse import unquote

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
EVENT = {"intensity": "HapticIntensity", "sharpness": "HapticSharpness", "attack": "AttackTime", "decay": "DecayTime",
         "release": "ReleaseTime", "sustained": "Sustained", "volume": "AudioVolume", "pan": "AudioPan", "pitch": "AudioPitch",
         "brightness": "AudioBrightness"}
PLAIN = {"time": "Time", "duration": "EventDuration", "path": "EventWaveformPath"}
RATE = 8000


class Refused(Exception):
    def __init__(self, status, code, message):
        super().__init__(message)
        self.status, self.code = status, code


# Entries and operations.

def spans(text):
    """The entries of a text with where each begins and ends."""
    decoder = json.JSONDecoder()
    json.loads(text)
    at = text.index("[", text.index('"Pattern"')) + 1
    found = []
    while True:
        while text[at] in " \t\r\n,":
            at += 1
        if text[at] == "]":
            return found
        value, end = decoder.raw_decode(text, at)
        found.append((value, at, end))
        at = end


def shown(raw, offset=None, end=None):
    event, parameter, curve = raw.get("Event"), raw.get("Parameter"), raw.get("ParameterCurve")
    one = {"kind": "other"}
    if event is not None:
        kind = event.get("EventType", "")
        one["kind"] = {"HapticTransient": "transient", "HapticContinuous": "continuous"}.get(kind, "audio")
        one.update({key: event[name] for key, name in PLAIN.items() if name in event})
        values = {each["ParameterID"]: each["ParameterValue"] for each in event.get("EventParameters", [])}
        one.update({key: values[name] for key, name in EVENT.items() if name in values})
        if "sustained" in one:
            one["sustained"] = one["sustained"] >= 0.5
    elif parameter is not None:
        one = {"kind": "parameter", "time": parameter.get("Time", 0), "parameter": parameter.get("ParameterID"), "value": parameter.get("ParameterValue", 0)}
    elif curve is not None:
        one = {"kind": "curve", "time": curve.get("Time", 0), "parameter": curve.get("ParameterID"),
               "points": [[each["Time"], each["ParameterValue"]] for each in curve.get("ParameterCurveControlPoints", [])]}
    if offset is not None:
        one.update(offset=offset, end=end)
    return one


def change(raw, key, value):
    event = raw.get("Event")
    if event is None:
        body = raw.get("Parameter") or raw.get("ParameterCurve")
        body[{"time": "Time", "parameter": "ParameterID", "value": "ParameterValue"}[key]] = value
    elif key == "kind":
        event["EventType"] = {"transient": "HapticTransient", "continuous": "HapticContinuous",
                              "audio": "AudioCustom" if "EventWaveformPath" in event else "AudioContinuous"}[value]
    elif key in PLAIN:
        if value is None:
            event.pop(PLAIN[key], None)
        else:
            event[PLAIN[key]] = value
    else:
        values = event.setdefault("EventParameters", [])
        own = next((one for one in values if one["ParameterID"] == EVENT[key]), None)
        if value is None:
            event["EventParameters"] = [one for one in values if one is not own]
        elif own:
            own["ParameterValue"] = float(value)
        else:
            values.append({"ParameterID": EVENT[key], "ParameterValue": float(value)})


def made(entry):
    kind = entry.get("kind")
    if kind == "curve":
        return {"ParameterCurve": {"ParameterID": entry["parameter"], "Time": entry.get("time", 0), "ParameterCurveControlPoints": [
            {"Time": time, "ParameterValue": value} for time, value in entry.get("points", [])]}}
    if kind == "parameter":
        return {"Parameter": {"ParameterID": entry["parameter"], "ParameterValue": entry.get("value", 0), "Time": entry.get("time", 0)}}
    raw = {"Event": {"Time": 0, "EventType": "", "EventParameters": []}}
    for key in ("path", "time", "duration", *EVENT):
        if entry.get(key) is not None:
            change(raw, key, entry[key])
    change(raw, "kind", kind)
    return raw


def applied(entries, operations):
    """The raw entries after a batch; every index is of those before."""
    now, before, gone, points = copy.deepcopy(entries), {}, set(), {}

    def raw(number, index):
        if not isinstance(index, int) or not 0 <= index < len(now):
            raise Refused(422, "bad-operation", f"operation {number}: there is no entry {index}")
        return now[index]

    def curve(number, index):
        own = raw(number, index).get("ParameterCurve")
        if own is None:
            raise Refused(422, "bad-operation", f"operation {number}: entry {index} is no curve")
        return own["ParameterCurveControlPoints"], points.setdefault(index, ({}, set()))
    for number, one in enumerate(operations):
        if "metadata" in one:
            continue
        if "copy" in one:
            new = copy.deepcopy(entries[one["copy"]])
            for key, value in one.get("set", {}).items():
                change(new, key, value)
            before.setdefault(one["to"], []).append(new)
        elif "set" in one:
            try:
                change(raw(number, one["set"]), one["key"], one["value"])
            except (KeyError, TypeError):
                raise Refused(422, "bad-operation", f"operation {number}: an entry of this kind has no {one.get('key')}") from None
        elif "insert" in one:
            before.setdefault(one["insert"], []).append(made(one["entry"]))
        elif "remove" in one:
            for index in one["remove"]:
                raw(number, index)
                gone.add(index)
        elif "point" in one:
            own = curve(number, one["point"])[0][one["at"]]
            own.update({name: one[key] for key, name in (("time", "Time"), ("value", "ParameterValue")) if key in one})
        elif "addPoint" in one:
            curve(number, one["addPoint"])[1][0].setdefault(one["at"], []).append({"Time": one["time"], "ParameterValue": one["value"]})
        elif "removePoint" in one:
            curve(number, one["removePoint"])[1][1].update(one["at"])
        else:
            raise Refused(422, "bad-operation", f"operation {number} is not known")
    for index, (added, removed) in points.items():
        own = now[index]["ParameterCurve"]
        old = own["ParameterCurveControlPoints"]
        own["ParameterCurveControlPoints"] = [point for k in range(len(old) + 1) for point in
                                              added.get(k, []) + ([old[k]] if k < len(old) and k not in removed else [])]
    return [entry for index in range(len(now) + 1) for entry in
            before.get(index, []) + ([now[index]] if index < len(now) and index not in gone else [])]


def parted(before, after):
    """How much two sequences have in common at their beginning and at their end."""
    most, head, tail = min(len(before), len(after)), 0, 0
    if isinstance(before, str):
        head = len(os.path.commonprefix([before, after]))
        tail = min(most - head, len(os.path.commonprefix([before[::-1], after[::-1]])))
        return head, tail
    while head < most and before[head] == after[head]:
        head += 1
    while tail < most - head and before[-1 - tail] == after[-1 - tail]:
        tail += 1
    return head, tail


class Document:
    def __init__(self, name, text):
        self.name, self.text, self.saved, self.version = name, text, text, 1
        self.past, self.future, self.conflict, self.notice, self.theirs = [], [], None, None, None
        self.broken, self.spans = None, []
        self.lock = threading.RLock()
        self.read()

    def read(self):
        try:
            self.spans = spans(self.text)
            self.broken = None
        except (ValueError, IndexError) as fault:
            self.broken = f"the text is no pattern: {fault}"
        self.entries = [shown(*one) for one in self.spans]

    def seconds(self):
        return max([one.get("time", 0) + max([one.get("duration", 0)] + [point[0] for point in one.get("points", [])]) for one in self.entries] or [0])

    def findings(self):
        if self.broken:
            return [{"code": "AHAP002", "severity": "error", "message": self.broken, "line": 1, "column": 1, "offset": 0, "fixes": []}]
        found = []
        for index, one in enumerate(self.entries):
            for key, name in EVENT.items():
                value = one.get(key)
                low = -1 if key in ("pan", "pitch") else 0
                if not isinstance(value, (int, float)) or isinstance(value, bool) or low <= value <= 1:
                    continue
                at = self.text.index('"ParameterValue"', self.text.index(name, one["offset"]))
                start = self.text.index(":", at) + 1
                start += len(self.text[start:]) - len(self.text[start:].lstrip())
                end = start
                while self.text[end] in "-+.eE0123456789":
                    end += 1
                found.append({"code": "AHAP035", "severity": "warning", "message": f"{name} {value} is beyond {low} to 1", "offset": start,
                              "line": self.text.count("\n", 0, start) + 1, "column": start - self.text.rfind("\n", 0, start), "entry": index,
                              "fixes": [{"label": f"Write {max(low, min(1, value))}", "edits": [{"from": start, "to": end, "insert": str(max(low, min(1, value)))}]}]})
        return found

    def told(self):
        one = {"name": self.name, "version": self.version, "text": self.text, "entries": [] if self.broken else self.entries, **self.state()}
        if self.conflict:
            one["conflict"] = self.conflict
        return one

    def state(self):
        one = {"seconds": self.seconds(), "diagnostics": self.findings(), "saved": self.text == self.saved, "version": self.version}
        for key, value in (("undo", self.past and self.past[-1][0]), ("redo", self.future and self.future[-1][0]), ("broken", self.broken), ("notice", self.notice),
                           ("composed", not self.broken and json.loads(self.text).get("Metadata", {}).get("Composed"))):
            if value:
                one[key] = value
        return one

    def become(self, text):
        """The text becomes another; gives what changed."""
        before, entries = self.text, self.entries
        self.text = text
        self.version += 1
        self.read()
        head, tail = parted(before, text)
        bare = [[{key: value for key, value in one.items() if key not in ("offset", "end")} for one in each] for each in (entries, self.entries)]
        first, last = parted(*bare)
        return {"text": [{"from": head, "to": len(before) - tail, "insert": text[head:len(text) - tail]}] if before != text else [],
                "splices": [{"at": first, "remove": len(entries) - last - first, "entries": self.entries[first:len(self.entries) - last]}]
                if first < max(len(entries), len(self.entries)) else []}

    def current(self, base):
        if base != self.version:
            raise Refused(409, "stale", f"the document is at version {self.version}")

    def edit(self, body):
        self.current(body["base"])
        operations = body["operations"]
        if "text" in operations[0]:
            text = self.text
            for one in sorted(operations[0]["text"], key=lambda one: -one["from"]):
                text = text[:one["from"]] + one["insert"] + text[one["to"]:]
        else:
            if self.broken:
                raise Refused(422, "broken", "the text is no pattern: only its text can be edited")
            root = json.loads(self.text)
            root["Pattern"] = applied([one[0] for one in self.spans], operations)
            for one in operations:
                if "metadata" in one and one["value"] is not None:
                    root.setdefault("Metadata", {})[one["metadata"]] = one["value"]
                elif "metadata" in one:
                    root.get("Metadata", {}).pop(one["metadata"], None)
            text = json.dumps(root, indent=2) + "\n"
        # What goes on with the step before is one with it.
        if not (body.get("continues") and not self.future and self.past and self.past[-1][0] == body["label"]):
            self.past.append((body["label"], self.text))
        self.future = []
        return {**self.become(text), **self.state()}

    def step(self, base, source, target):
        self.current(base)
        if not source:
            raise Refused(409, "nothing", "there is nothing to undo")
        label, text = source.pop()
        target.append((label, self.text))
        return {**self.become(text), **self.state()}


# Signals: enough to be looked at and heard.

def envelope(entries, at):
    level = 0.0
    for one in entries:
        since = at - one.get("time", 0)
        if one["kind"] == "transient" and 0 <= since < 0.022:
            level += one.get("intensity", 0.75) * (1 + math.cos(math.pi * since / 0.022)) / 2
        elif one["kind"] == "continuous" and 0 <= since < one.get("duration", 0):
            level += one.get("intensity", 0.6)
    for one in entries:
        if one["kind"] == "curve" and one["parameter"] == "HapticIntensityControl" and one["points"]:
            since, last = at - one["time"], one["points"][0]
            for point in one["points"]:
                if since < point[0]:
                    part = (since - last[0]) / (point[0] - last[0]) if point[0] > last[0] > -1 else 0
                    level *= max(0, last[1] + max(0, part) * (point[1] - last[1]))
                    break
                last = point
            else:
                level *= last[1]
    return min(1.0, level)


def wave_block(header, pairs):
    text = json.dumps(header).encode()
    text += b" " * (-(8 + len(text)) % 8)
    return b"HW1\0" + struct.pack("<I", len(text)) + text + array.array("f", pairs).tobytes()


def waves(document, query):
    def number(name, otherwise):
        return float(query.get(name, [otherwise])[0])
    lane, columns = query.get("lane", ["drive"])[0], int(number("columns", 1000))
    start, end = int(number("from", 0) * RATE), int(number("to", document.seconds() + 0.2) * RATE)
    step, pairs = max(1, math.ceil(max(1, end - start) / columns)), []
    # A long pattern is drawn from a few of its events.
    entries = document.entries if len(document.entries) < 200 else document.entries[::len(document.entries) // 60]
    for frame in range(start, end, step):
        late = 0.004 if lane == "model" else 0
        top = max(envelope(entries, max(0, (frame + step * k / 3) / RATE - late)) for k in range(3))
        pairs.extend((-top, top) if lane in ("drive", "model") else (top, top))
    return wave_block({"rate": RATE, "from": start, "to": start + step * (len(pairs) // 2), "framesPerBin": step, "channels": [0],
                       "unit": ["m/s2" if lane == "model" else "1"]}, [34 * value for value in pairs] if lane == "model" else pairs)


def knock(query):
    columns, seconds = int(query.get("columns", ["400"])[0]), 0.6
    step, pairs = max(1, math.ceil(seconds * RATE / columns)), []
    for frame in range(0, int(seconds * RATE), step):
        at = frame / RATE
        size = sum(math.exp(-(at - begin) * 14) for begin in (0.02, 0.31) if at >= begin) * 0.7
        pairs.extend((-size, size))
    return wave_block({"rate": RATE, "from": 0, "to": step * (len(pairs) // 2), "framesPerBin": step, "channels": [0], "unit": ["1"]}, pairs)


METHODS = {"methods": [{"method": method, "about": about, "parameters": [
    {"name": name, "unit": unit, "low": low, "high": high, "standard": standard, "about": f"{name}, as the mock has it"} for name, unit, low, high, standard in rows]}
    for method, about, rows in (("envelope", "a hold under taps", (("threshold", "dB", 0.05, 20, 4), ("spacing", "s", 0.02, 1, 0.1), ("release", "s", 0.005, 2, 0.1), ("tapHeadroom", "dB", 0, 30, 14))),
                                ("onsets", "taps alone", (("threshold", "dB", 0.05, 20, 0.75), ("spacing", "s", 0.02, 1, 0.03))))],
    "presets": [{"name": "game", "settings": {"method": "envelope", "release": 0.15}}, {"name": "ui", "settings": {"method": "onsets", "spacing": 0.05}}]}


def samples_of(name, data):
    try:
        with wave.open(io.BytesIO(data)) as file:
            return file.getframerate(), array.array("h", file.readframes(file.getnframes()))[::file.getnchannels()]
    except (wave.Error, EOFError):
        raise Refused(422, "sound", f"the sound '{name}' cannot be used: this is no sound") from None


def composition(name, data, settings):
    """Taps where a WAV of 16 bits gets louder, more of them with a lower threshold; a hold with a curve below."""
    table = next((one for one in METHODS["methods"] if one["method"] == settings.get("method")), None)
    if table is None:
        raise Refused(422, "settings", "the settings: method is none of envelope, onsets")
    rate, samples = samples_of(name, data)
    step, seconds = rate // 200, len(samples) / rate
    levels = [20 * math.log10(max(33, max(map(abs, samples[k:k + step]))) / 32768) for k in range(0, len(samples), step)]
    rise = [max(0, level - max(levels[max(0, k - 2):k] or [level])) for k, level in enumerate(levels)]
    standard = {one["name"]: one["standard"] for one in table["parameters"]}
    least = 4 * settings.get("threshold", standard["threshold"])
    onsets = [k for k in range(len(rise)) if levels[k] > -40 and rise[k] > 3 and rise[k] == max(rise[max(0, k - 10):k + 10])]
    taps, spacing = [], settings.get("spacing", standard["spacing"])
    for k in onsets:
        if rise[k] > least and (not taps or k - taps[-1] >= 200 * spacing - 1):
            taps.append(k)
    silent = max(levels or [-96]) < -59
    entries = [] if silent else [{"kind": "transient", "time": round(k / 200, 5), "intensity": round(min(1, 10 ** (levels[k] / 40)), 4), "sharpness": 0.5} for k in taps]
    if settings["method"] == "envelope" and not silent:
        entries.insert(0, {"kind": "continuous", "time": 0, "duration": round(seconds, 5), "intensity": 1, "sharpness": 0})
        count = 14
        points = [[round(seconds * k / count, 5), round(10 ** (levels[min(len(levels) - 1, len(levels) * k // count)] / 40) * (1 + settings.get("release", 0.1)) / 3, 4)] for k in range(count + 1)]
        entries.append({"kind": "curve", "time": 0, "parameter": "HapticIntensityControl", "points": points + [[round(seconds + 0.001, 5), 1]]})
    beats = [round(k / 200, 4) for k in onsets]
    answer = {"entries": entries, "composed": {"Sound": name, "Digest": hashlib.sha256(data).hexdigest(), "Settings": settings}, "onsets": beats, "seconds": seconds, "faults": 0,
              "trace": {"step": 0.005, "level": levels, "rise": rise, **({"intensity": [round(10 ** (level / 40), 3) for level in levels], "sharpness": [0.5] * len(levels)}
                                                                if settings["method"] == "envelope" and not silent else {"intensity": [], "sharpness": []})}}
    if len(beats) > 3:
        answer["beats"] = {"bpm": round(60 * (len(beats) - 1) / (beats[-1] - beats[0]), 2), "times": beats}
    return answer if silent else {**answer, "loudness": round(max(levels) - 12, 1)}


def sound_waves(name, data, query):
    rate, samples = samples_of(name, data)
    step, pairs = max(1, math.ceil(len(samples) / int(query.get("columns", ["400"])[0]))), []
    for k in range(0, len(samples), step):
        pairs.extend((min(samples[k:k + step]) / 32768, max(samples[k:k + step]) / 32768))
    return wave_block({"rate": rate, "from": 0, "to": step * (len(pairs) // 2), "framesPerBin": step, "channels": [0], "unit": ["1"]}, pairs)


def sound(document, query):
    octave = int(query.get("octaves", ["0"])[0])
    samples = array.array("h", (int(24000 * envelope(document.entries, frame / RATE) * math.sin(2 * math.pi * 170 * 2 ** octave * frame / RATE))
                                for frame in range(int((document.seconds() + 0.1) * RATE))))
    data = samples.tobytes()
    return b"RIFF" + struct.pack("<I", 36 + len(data)) + b"WAVEfmt " + struct.pack("<IHHIIHH", 16, 1, 1, RATE, 2 * RATE, 2, 16) + b"data" + struct.pack("<I", len(data)) + data


class Patterns:
    """The library, and what plays."""

    def __init__(self, empty):
        self.documents, self.measured, self.stages, self.sounds = {}, {}, {}, {}
        self.changes, self.lock = [], threading.RLock()
        folder = os.path.join(ROOT, "rigs/patterns")
        for parent, _, names in sorted(os.walk(folder)):
            for name in sorted(names):
                if name.endswith(".ahap") and not empty:
                    path = os.path.join(parent, name)
                    with open(path, encoding="utf-8", newline="") as file:
                        key = os.path.relpath(path, folder).removesuffix(".ahap")
                        self.documents[key] = Document(key, file.read())
        if not empty:
            self.documents["mock/ten-thousand"] = Document("mock/ten-thousand", many(10000))
        self.templates = {"empty": '{\n  "Version": 1.0,\n  "Metadata": { "Description": "Nothing yet." },\n  "Pattern": []\n}\n',
                          "one-tap": json.dumps({"Version": 1.0, "Metadata": {"Description": "One tap of medium strength. A beginning for rhythms."},
                                                 "Pattern": [made({"kind": "transient", "time": 0, "intensity": 0.7, "sharpness": 0.5})]}, indent=2) + "\n"}

    def row(self, name, document):
        metadata = {}
        try:
            metadata = json.loads(document.text).get("Metadata", {})
        except ValueError:
            pass
        seconds, events = document.seconds(), sum(one["kind"] in ("transient", "continuous", "audio") for one in document.entries)
        # What is not known is left out, as the real one does.
        known = {"about": metadata.get("Description"), "perSecond": events / seconds if seconds else None}
        return {"name": name, "title": name.split("/")[-1].replace("-", " ").capitalize(),
                **{key: value for key, value in known.items() if value is not None}, "seconds": seconds, "events": events,
                "edited": document.text != document.saved, "changed": "2026-11-25T20:00:00Z"}

    def get(self, handler, parts, query):
        if not parts:
            return handler.answer(200, {"patterns": [self.row(*one) for one in self.documents.items()], "canWrite": True,
                                        "templates": [self.row(name, Document(name, text)) for name, text in self.templates.items()]})
        document = self.documents.get(unquote(parts[0]))
        if document is None:
            raise Refused(404, "no-such-pattern", f"there is no pattern '{unquote(parts[0])}'")
        if len(parts) == 1:
            return handler.answer(200, document.told())
        what = parts[1]
        if what == "waves":
            return handler.answer(200, waves(document, query), "application/octet-stream")
        if what == "audio":
            own = self.sounds.get(self.beside(document, document.entries[int(query["entry"][0])].get("path", "")))
            return handler.answer(200, sound_waves("", own, query) if own else knock(query), "application/octet-stream")
        if what == "sound":
            return handler.answer(200, sound(document, query), "audio/wav")
        if what == "measurements":
            return handler.answer(200, {"measurements": [{"run": run, "started": started, "textIs": "now" if text == document.text else "other", "outcome": "pass"}
                                                         for run, started, text in self.measured.get(document.name, [])]})
        if what == "advice":
            strong = [index for index, one in enumerate(document.entries) if one.get("intensity", 0) > 0.9 and one.get("sharpness", 0) > 0.7]
            taps = [index for index, one in enumerate(document.entries) if one["kind"] == "transient"]
            weak = [taps[0]] if len(taps) in range(3, 13) and document.entries[taps[0]].get("intensity", 0.75) < 0.8 * document.entries[taps[1]].get("intensity", 0.75) else []
            return handler.answer(200, {"advice": [{"code": "AHAP101", "severity": "note", "message": "the first tap of a row is weaker than the second", "entry": index, "fixes": []}
                                                   for index in weak],
                                        "limits": [{"entry": index, "kind": "level", "message": "the actuator reaches 0.82 of this intensity at this sharpness"} for index in strong[:50]] if query.get("rig") else [],
                                        "gamut": {"sharpness": [0, 0.5, 1], "intensity": [0.7, 1, 0.8]} if query.get("rig") else None})
        if what == "export":
            kind = query.get("as", ["ahap"])[0]
            if kind == "link":
                import base64
                return handler.answer(200, {"fragment": "/patterns?link=" + base64.urlsafe_b64encode(document.text.encode()).decode().rstrip("=")})
            return handler.answer(200, document.text.encode(), "application/octet-stream",
                                  [("Content-Disposition", f'attachment; filename="{document.name.split("/")[-1]}.{kind}"')])
        raise Refused(404, "no-such-path", "there is nothing here")

    def post(self, handler, parts, body):
        if not parts:
            name = body["name"]
            if name in self.documents:
                raise Refused(409, "exists", f"there is a pattern '{name}' already")
            text = body.get("text") or (self.templates.get(body.get("from")) or self.documents[body["from"]].text if body.get("from") else None)
            if text is None and "clip" not in body:
                text = '{\n  "Version": 1.0,\n  "Pattern": []\n}\n'
            if text is None:
                clip = json.loads(body["clip"])
                points = clip["signals"]["continuous"]["envelopes"]["amplitude"]
                text = json.dumps({"Version": 1.0, "Pattern": [made({"kind": "continuous", "time": 0, "duration": points[-1]["time"] or 0.1, "intensity": 1})]}, indent=2) + "\n"
            self.documents[name] = Document(name, text)
            return handler.answer(201, {"name": name})
        document = self.documents.get(unquote(parts[0]))
        if document is None:
            raise Refused(404, "no-such-pattern", f"there is no pattern '{unquote(parts[0])}'")
        with document.lock:
            if parts[1] == "compose":
                data = self.sounds.get(self.beside(document, body["sound"]))
                if data is None:
                    raise Refused(404, "no-sound", f"there is no sound '{body['sound']}' in the pattern's folder")
                return handler.answer(200, composition(body["sound"], data, body["settings"]))
            if parts[1] == "edits":
                answer = document.edit(body)
            elif parts[1] in ("undo", "redo"):
                answer = document.step(body["base"], *((document.past, document.future) if parts[1] == "undo" else (document.future, document.past)))
            elif parts[1] == "save":
                if document.conflict:
                    raise Refused(409, "conflict", "the file was changed by another program: say whose text is kept")
                document.current(body["base"])
                if body.get("as"):
                    self.documents[body["as"]] = Document(body["as"], document.text)
                else:
                    document.saved = document.text
                return handler.answer(200, {"version": document.version, "saved": True})
            elif parts[1] == "resolve":
                text = document.text if body["take"] == "mine" else document.theirs
                document.saved, document.conflict = document.theirs, None
                document.past.append((f"{body['take']} kept", document.text))
                answer = {**document.become(text), **document.state()}
            else:
                raise Refused(404, "no-such-path", "there is nothing here")
        self.tell(document)
        return handler.answer(200, answer)

    @staticmethod
    def beside(document, path):
        """A sound's name from the folder of all patterns."""
        return "/".join([*document.name.split("/")[:-1], path])

    def put(self, handler, name, replaces, data):
        if not name.endswith((".wav", ".flac", ".mp3")):
            raise Refused(415, "no-sound", f"'{name}' has no ending of a sound: known are flac, mp3, wav")
        is_there = name in self.sounds
        if is_there and not replaces:
            raise Refused(409, "exists", f"there is a sound '{name}' already")
        self.sounds[name] = data
        return handler.answer(200 if is_there else 201, {"sound": name, "bytes": len(data)})

    def tell(self, document, notice=None):
        with self.lock:
            self.changes.append((f"patterns/{document.name}", {"version": document.version, **({"notice": notice} if notice else {})}))

    def elsewhere(self, kind, name):
        """What another program or person does to a document: edit, disk, conflict, broken."""
        document = self.documents[name]
        with document.lock:
            if kind == "conflict":
                document.theirs = document.text.replace("haprig", "theirs") + " "
                document.conflict = {"mine": {"changed": 3}, "theirs": {"changed": 1}}
                document.version += 1
                return self.tell(document, "The file was changed by another program.")
            root = json.loads(document.text)
            root["Pattern"].append(made({"kind": "transient", "time": 3.5, "intensity": 0.4, "sharpness": 0.4}))
            document.past.append(("changed on disk", document.text))
            document.become(json.dumps(root, indent=2) + "\n")
            if kind == "disk":
                document.saved = document.text
        return self.tell(document, "Changed on disk by another program." if kind == "disk" else None)

    # Stages: what a page plays on.

    def does(self, out, message):
        name, what = message["stage"], message["do"]
        did = {"do": what} if isinstance(what, str) else what
        if did["do"] == "play":
            self.plays = getattr(self, "plays", 0) + 1
            did["id"] = self.plays
        did = {**did, **{key: value for key, value in message.items() if key not in ("stage", "do")}}
        out.append({"topic": f"stage/{name}", "did": did, "delay": 0.021})
        if did["do"] == "play":
            out.append({"topic": f"stage/{name}", "head": did.get("from", 0)})
        if did["do"] == "play" and not did.get("loop"):
            document = self.documents[did["pattern"]]
            length = (did.get("to") or document.seconds()) - (did.get("from") or 0)
            threading.Timer(length, lambda: out.append({"topic": f"stage/{name}", "ended": did["id"]})).start()

    def judged(self, run, pattern):
        """Verdicts of the events of a measurement."""
        own = any(run == one[0] for each in self.measured.values() for one in each)
        return [{"name": "intensity.error", "pattern": pattern, "repeat": 1, "event": k, "n": 1, "unit": "dB", "value": 0.4 * k, "limit": "at most 1.5 dB",
                 "verdict": ("pass", "pass", "marginal", "pass", "fail")[k % 5]} for k in range(8)] if own else []

    def measure(self, job, run):
        time.sleep(1.2)
        document = self.documents[job["pattern"]]
        self.measured.setdefault(document.name, []).insert(0, (run, time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()), document.text))
        job.update(state="done", status=0, run=run, said="done")


def many(count):
    rng, at, pattern = random.Random(7), 0.0, []
    for index in range(count):
        at += rng.uniform(0.01, 0.05)
        pattern.append(made({"kind": "transient" if index % 3 else "continuous", "time": round(at, 3), "intensity": round(rng.random(), 2), "sharpness": round(rng.random(), 2),
                             **({} if index % 3 else {"duration": round(rng.uniform(0.02, 0.3), 3)})}))
    return json.dumps({"Version": 1.0, "Metadata": {"Description": "Ten thousand events, for the time that a picture takes."}, "Pattern": pattern}, indent=1) + "\n"
