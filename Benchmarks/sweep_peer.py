# SPDX-License-Identifier: Apache-2.0
"""What SweepBenchmark does, step by step, with NumPy and SciPy: the peer it is timed beside.

Usage: sweep_peer.py FILE, float32 input samples followed by as many output samples, 48 kHz, a
synchronized sweep of 2 s over 20 to 1,000 Hz. Prints the least processor time of 40 rounds in ms, then f0 and Q.
"""

import sys
import time

import numpy as np
from scipy import fft, optimize

RATE, LOW, HIGH = 48_000.0, 20.0, 1_000.0
START, STOP = LOW / 1.3, HIGH * 1.15
GROWTH = round(START * 2 / np.log(STOP / START)) / START
samples = np.fromfile(sys.argv[1], dtype=np.float32)
drive, response = samples[: len(samples) // 2], samples[len(samples) // 2 :]


def model(p, f):
    r = f / np.exp(p[1])
    q = np.exp(p[2])
    return np.exp(p[3]) / q * np.exp(-2e-3j * np.pi * f * p[0]) * -r * r / (1 - r * r + 1j * r / q)


def window(count, rise, fall):
    w = np.ones(count)
    w[:rise] = 0.5 - 0.5 * np.cos(np.pi * (np.arange(rise) + 0.5) / rise)
    w[count - fall :] = (0.5 - 0.5 * np.cos(np.pi * (np.arange(fall) + 0.5) / fall))[::-1]
    return w


def analyse():
    n = fft.next_fast_len(len(drive), real=True)
    x, y = fft.rfft(drive.astype(float), n), fft.rfft(response - np.mean(response), n)
    f = np.arange(np.searchsorted(np.arange(len(x)) * RATE / n, STOP)) * RATE / n
    x, y = x[: len(f)], y[: len(f)]
    rise, fall = (f - START) / (LOW - START), (STOP - f) / (STOP - HIGH)
    share = 0.5 - 0.5 * np.cos(np.pi * np.clip(np.minimum(rise, fall), 0, 1))
    power = np.abs(x) ** 2
    quotient = share * np.conj(x) * y / (power + 1e-6 * np.median(power[share == 1]))
    # A rate just above twice the band is enough for the impulse response.
    reduced = fft.next_fast_len(2 * (len(f) + 2), real=True)
    rate = RATE / n * reduced

    def gated(impulse, at, before, after):
        place = (at - before + np.arange(before + after)) % reduced
        w = window(before + after, before // 3, (before + after) // 6)
        g = np.arange((before + after) // 2 + 1) * rate / (before + after)
        band = (g >= LOW) & (g <= HIGH)
        turn = np.exp(-2j * np.pi * g[band] * (at - before) / rate)
        return g[band], fft.rfft(w * impulse[place])[band] * turn

    h = fft.irfft(quotient, reduced)
    edges = fft.irfft(share, reduced)
    peak = int(np.argmax(np.abs(h)))
    before, after = int(0.2 * GROWTH * np.log(2) * rate), int(0.4 * rate)

    def noise(impulse):
        free = np.roll(impulse, -peak - after)[: int(reduced - after - GROWTH * np.log(6) * rate)]
        p = np.abs(fft.rfft(np.hanning(len(free)) * free)) ** 2
        return np.convolve(p, np.ones(31) / 31, "same")

    harmonics = [
        gated(h, peak - int(GROWTH * np.log(k) * rate), before // k, before) for k in range(2, 6)
    ]
    g, seen = gated(h, peak, before, after)
    band = gated(edges, 0, before, after)[1]
    measured = seen / band
    weights = lambda p: 1 / np.sqrt(np.interp(g, np.linspace(0, rate / 2, len(p)), p))
    w = weights(noise(h))
    top = np.argmax(np.abs(measured))
    found = [1e3 * peak / rate, np.log(g[top]), np.log(8), np.log(np.abs(measured[top]))]
    # The fit, and twice again with what band and gate do to its model taken off.
    for _ in range(3):

        def rest(p):
            error = w * (measured - model(p, g))
            return np.concatenate([error.real, error.imag])

        found = optimize.least_squares(rest, found, method="lm").x
        known = np.zeros(len(f), complex)
        known[1:] = share[1:] * model(found, f[1:])
        impulse = h - fft.irfft(known, reduced)
        w = weights(noise(impulse))
        measured = gated(impulse, peak, before, after)[1] / band + model(found, g)
    return found, harmonics


best = float("inf")
for _ in range(40):
    began = time.process_time()
    answer, _ = analyse()
    best = min(best, time.process_time() - began)
print(f"{1e3 * best:.4f} {np.exp(answer[1]):.3f} Hz, Q {np.exp(answer[2]):.3f}")
