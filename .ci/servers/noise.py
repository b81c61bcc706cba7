#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A second of stereo noise, and where it is in a recording.

    noise.py make FORMAT                    the noise on standard output
    noise.py find FORMAT PLAYED RECORDED    a sentence; exit 1 where a frame is missing or altered

FORMAT is S16_LE or FLOAT_LE. Each channel is looked for by itself: a loop may delay one of them.
"""
import array
import random
import sys

CODES = {"S16_LE": "h", "FLOAT_LE": "f"}


def make(code):
    """No sample is 0, and each is a 16-bit number, exact in both formats."""
    generator = random.Random(4)
    whole = [generator.choice((-1, 1)) * generator.randint(1, 32767) for _ in range(96000)]
    return array.array(code, whole if code == "h" else [sample / 32768 for sample in whole])


def read(code, path):
    with open(path, "rb") as file:
        data = file.read()
    samples = array.array(code)
    samples.frombytes(data[: len(data) // (2 * samples.itemsize) * 2 * samples.itemsize])
    return [samples[channel::2] for channel in range(2)]


def find(played, recorded):
    """The place of the first run of 32 played samples, and how many agree from there on."""
    size = played.itemsize
    key, hay = played[:32].tobytes(), recorded.tobytes()
    place = hay.find(key)
    while place >= 0 and place % size:
        place = hay.find(key, place + 1)
    if place < 0:
        return -1, 0
    place //= size
    agreeing = 0
    for sample, other in zip(played, recorded[place:]):
        if sample != other:
            break
        agreeing += 1
    return place, agreeing


if sys.argv[1] == "make":
    sys.stdout.buffer.write(make(CODES[sys.argv[2]]).tobytes())
    sys.exit(0)
code = CODES[sys.argv[2]]
results = [find(p, r) for p, r in zip(read(code, sys.argv[3]), read(code, sys.argv[4]))]
size = 48000
for channel, (place, agreeing) in enumerate(results, 1):
    if place < 0:
        print(f"channel {channel}: the recording has none of it")
    elif agreeing < size:
        print(f"channel {channel}: {agreeing} of {size} frames in order, from frame {place} on")
if any(agreeing < size for _, agreeing in results):
    sys.exit(1)
print(f"{size} frames in order and unaltered on both channels, the second "
      f"{results[1][0] - results[0][0]} frames after the first")
