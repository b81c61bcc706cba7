# SPDX-License-Identifier: Apache-2.0
"""What published just noticeable differences leave open of the indices, by Monte Carlo.

The formulas are those of docs/MEASUREMENT.md, written anew. The logarithm of each difference is drawn from a rectangle as
wide as that of its published range, about its value, 400,000 times. Prints the deviations that HarmonyTests and JustNoticeableTests compare with.
"""
import numpy as np

rng = np.random.default_rng(40)
n = 400_000
TABLE = {  # value, least and most that is published
    "level": (2.2, 1.6, 3.0),
    "frequency": (0.18, 0.13, 0.38),
    "offset": (24e-3, 24e-3, 54e-3),
    "release": (57e-3, 24e-3, 90e-3),
}


def draw(name):
    value, low, high = TABLE[name]
    return value * (high / low) ** (rng.random(n) - 0.5)


D = {name: draw(name) for name in TABLE}
FIXED = {name: row[0] for name, row in TABLE.items()}


def points(part, values, d):
    values = np.asarray(values, float)
    if part == "envelope":
        return 100 * max(0, values[0]) ** 2
    if part == "outside":
        return 100 / (1 + 10 ** (values[0] / 10))
    total = 0
    for v in values:
        size = {
            "sync": d["offset"] / 2 if v > 0 else d["offset"], "intensity": d["level"],
            "sharpness": np.log2(1 + d["frequency"]), "decay": d["release"],
        }[part]
        total = total + (v / size) ** 2 / len(values)
    return np.maximum(1, 100 * 2.0**-total)


WEIGHTS = dict(sync=3, intensity=2, sharpness=2, decay=1, envelope=1, outside=1)


def harmony(parts, d):
    logs = sum(WEIGHTS[p] * np.log(points(p, v, d)) for p, v in parts.items())
    return np.exp(logs / sum(WEIGHTS[p] for p in parts))


def consistency(level, ratio, d):
    return np.sqrt((level / d["level"]) ** 2 + (np.log(ratio) / np.log(1 + d["frequency"])) ** 2)


def show(name, function):
    drawn = function(D)
    print(f"{name:34s} {float(np.asarray(function(FIXED))):8.3f}  deviation {drawn.std():7.4f}")


EXAMPLES = {
    "the document's example": dict(
        sync=[-4e-3], intensity=[1.1, -0.6], decay=[20e-3], envelope=[0.93], outside=[-14]),
    "larger errors": dict(
        sync=[9e-3], intensity=[3.0, -1.5, 0.4], sharpness=[0.15, -0.05], decay=[40e-3],
        envelope=[0.8], outside=[-8]),
}
for name, parts in EXAMPLES.items():
    show(name, lambda d: harmony(parts, d))
    for part in parts:
        if part not in ("envelope", "outside"):
            show("  " + part, lambda d: points(part, parts[part], d))
for level, ratio in [(1.1, 1.0), (0.0, 1.09), (1.5, 1.2), (4.0, 1.05)]:
    show(f"J of {level} dB and {ratio}", lambda d: consistency(level, ratio, d))
show("level index of -6 dB", lambda d: -6 / d["level"])
