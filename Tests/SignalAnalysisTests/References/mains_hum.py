# SPDX-License-Identifier: Apache-2.0
"""Hum in a take by two other ways than the product's; prints the numbers that MainsHumTests compares with."""
import numpy as np

RATE, COUNT = 8000, 25600
START, END = slice(0, 2320), slice(21600, 25600)
n = np.arange(COUNT)
w = 2 * np.pi * n / RATE
x = np.float32(9.8 + 0.3 * np.sin(49.93 * w + 0.4) + 0.09 * np.sin(149.79 * w - 1.1)
               + 0.02 * np.sin(0.7 * n.astype(float) ** 2)).astype(float)


def fit(frames, frequency):
    t = n[frames] / RATE
    columns = [f(2 * np.pi * k * frequency * t) for k in range(1, 9) for f in (np.sin, np.cos)]
    matrix = np.array(columns + [np.ones_like(t)]).T
    found, *_ = np.linalg.lstsq(matrix, x[frames], rcond=None)
    return np.hypot(found[0:16:2], found[1:16:2]), np.sum((x[frames] - matrix @ found) ** 2)


both = np.r_[START, END]
grid = np.linspace(49.9, 49.96, 121)
frequency = grid[np.argmin([fit(both, f)[1] for f in grid])]
width = grid[1] - grid[0]
for _ in range(30):
    tried = [frequency - width, frequency, frequency + width]
    frequency = tried[int(np.argmin([fit(both, f)[1] for f in tried]))]
    width /= 2
amplitudes, _ = fit(START, frequency)
print("least squares: %.8f Hz, %.7f and %.7f m/s2" % (frequency, amplitudes[0], amplitudes[2]))

window = np.hanning(COUNT)
size = 1 << 18
spectrum = np.abs(np.fft.rfft((x - x.mean()) * window, size))
band = (np.fft.rfftfreq(size, 1 / RATE) > 40) & (np.fft.rfftfreq(size, 1 / RATE) < 70)
peak = np.flatnonzero(band)[np.argmax(spectrum[band])]
a, b, c = np.log(spectrum[peak - 1:peak + 2])
offset = (a - c) / (a - 2 * b + c) / 2
height = np.exp(b - (a - c) * offset / 4)
print("transform: %.6f Hz, %.6f m/s2" % ((peak + offset) * RATE / size, 2 * height / window.sum()))

# The worked example of docs/MEASUREMENT.md: each end by itself, both by one frequency, what may be left.


def lines(frames, f):
    t = n[frames] / RATE
    columns = [g(2 * np.pi * k * f * t) for k in range(1, 9) for g in (np.sin, np.cos)]
    matrix = np.array(columns + [np.ones_like(t)]).T
    found, *_ = np.linalg.lstsq(matrix, x[frames], rcond=None)
    freedom = len(t) - matrix.shape[1]
    sigma = np.sqrt(np.sum((x[frames] - matrix @ found) ** 2) / freedom)
    return found[0:16:2] + 1j * found[1:16:2], sigma * np.sqrt(2 / len(t))


def alone(frames):
    """The frequency by what both lines turn between the halves of a stretch, weighted by (k A)^2."""
    f, middle = frequency, (frames.start + frames.stop) // 2
    for _ in range(12):
        a, _ = lines(slice(frames.start, middle), f)
        b, _ = lines(slice(middle, frames.stop), f)
        z = b * a.conj()
        weights = np.array([k * k * abs(z[k - 1]) for k in (1, 3)])
        turns = np.array([np.angle(z[k - 1]) / k for k in (1, 3)])
        f += np.sum(weights * turns) / np.sum(weights) / (np.pi * (frames.stop - frames.start) / RATE)
    return f


first, last = alone(START), alone(END)
seconds = (21600 + 1999.5 - 1159.5) / RATE
p = 2 * np.pi * seconds * np.hypot(first - frequency, last - frequency) / np.sqrt(8)
print("start %.5f Hz, end %.5f Hz, both %.5f Hz, T %.4f s, p %.5f" % (first, last, frequency, seconds, p))
(one, u1), (two, u2) = lines(START, frequency), lines(END, frequency)
for k in (1, 3):
    a, b = one[k - 1], two[k - 1]
    left = np.sqrt(abs(b - a) ** 2 + (k * p * max(abs(a), abs(b))) ** 2 + u1 ** 2 + u2 ** 2)
    print(k, "start %.5f at %.4f, end %.5f at %.4f, differ %.5f, walk %.5f, u %.5f %.5f, left %.5f" % (
        abs(a), np.angle(a), abs(b), np.angle(b), abs(b - a), k * p * max(abs(a), abs(b)), u1, u2, left))
