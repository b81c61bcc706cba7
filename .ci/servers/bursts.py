# SPDX-License-Identifier: Apache-2.0
"""Writes twenty seconds of noise in bursts, none like the one before: bursts.py FILE.wav"""
import random, struct, sys, wave

random.seed(0xF0110)
samples = []
while len(samples) < 20 * 48000:
    level = random.uniform(0.03, 0.2)
    samples += [int(32767 * random.uniform(-level, level)) for _ in range(random.randint(2880, 7200))]
    samples += [0] * random.randint(7200, 19200)
with wave.open(sys.argv[1], "wb") as file:
    file.setparams((2, 2, 48000, 0, "NONE", ""))
    file.writeframes(b"".join(struct.pack("<hh", sample, sample) for sample in samples))
