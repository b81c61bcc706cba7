# SPDX-License-Identifier: Apache-2.0
"""The joint fit by another road: scipy.optimize.least_squares, dense and with no priors on gains and delays.

`python3 joint_fit.py > ../Joint/JointFitReference.swift` makes what the tests hold JointFit against; `swift format`
then breaks the lines. `python3 joint_fit.py example` prints the worked example of docs/MEASUREMENT.md instead, and
`python3 joint_fit.py picture > ../../../docs/images/joint-fit.svg` draws it.

Both cases: samples = sum of g[k] p[k](t - d[k]). A waveform is moved by parts of a frame in its spectrum, over
ample zeros. Standard uncertainties: the inverse of J^T J, J the Jacobian in units of one frame's samples, times the error
a frame.
"""
import sys

import numpy as np
from scipy import optimize, signal


def moved(template, first, delay, count, room=1024):
    """A waveform that begins at a frame, moved by a delay, on `count` frames; and how fast it changes there."""
    length = count + 2 * room
    padded = np.zeros(length)
    padded[room + first : room + first + len(template)] = template
    turn = 2j * np.pi * np.fft.rfftfreq(length)
    bins = np.fft.rfft(padded) * np.exp(-turn * delay)
    part = slice(room, room + count)
    return np.fft.irfft(bins, length)[part], np.fft.irfft(turn * bins, length)[part]


# MARK: - The worked example

# A frame is a millisecond. One Hann-weighted period of 125 Hz through a resonator of 125 Hz, Q 1.2, twice.
F0, Q, PERIOD, ROWS, STARTS = 125.0, 1.2, 8e-3, 20, (0, 8)
COUNT, NOISE, PROBE_MISFIT = 28, 0.10, 0.01
TRUE_GAINS, TRUE_DELAYS = (0.80, 1.25), (0.40, -0.30)


def acceleration(times):
    """What the resonator does to the period, by a convolution at a thousand times the rate; 10 at its highest."""
    step = 1e-6
    t = np.arange(0, 0.08, step)
    drive = np.where(t < PERIOD, np.sin(2 * np.pi * t / PERIOD) * np.sin(np.pi * t / PERIOD) ** 2, 0)
    w = 2 * np.pi * F0
    damping = w / (2 * Q)
    ringing = np.sqrt(w * w - damping * damping)
    path = signal.fftconvolve(drive, np.exp(-damping * t) * np.sin(ringing * t) / ringing)[: len(t)] * step
    motion = drive - w / Q * np.gradient(path, step) - w * w * path
    return np.interp(times, t, 10 * motion / np.abs(motion).max(), left=0)


def example():
    template = np.round(acceleration(np.arange(ROWS) * 1e-3), 2) + 0.0
    times = np.arange(COUNT)[None, :] - np.add(STARTS, TRUE_DELAYS)[:, None]
    noise = NOISE * np.random.default_rng(7).standard_normal(COUNT)
    samples = np.round(np.array(TRUE_GAINS) @ acceleration(1e-3 * times) + noise, 2) + 0.0
    return template, samples


def columns(template, gains, delays):
    """What is predicted, and how it changes with g1, d1, g2, d2."""
    shapes = [moved(template, first, delay, COUNT) for first, delay in zip(STARTS, delays)]
    jacobian = np.array([column for g, (p, slope) in zip(gains, shapes) for column in (p, -g * slope)]).T
    return sum(g * p for g, (p, _) in zip(gains, shapes)), jacobian


def solve_example(template, samples):
    split = lambda x: (x[0::2], x[1::2])
    found = optimize.least_squares(
        lambda x: columns(template, *split(x))[0] - samples, [1, 0, 1, 0],
        jac=lambda x: columns(template, *split(x))[1], method="lm", xtol=1e-14, ftol=1e-14)
    model, jacobian = columns(template, *split(found.x))
    inverse = np.linalg.inv(jacobian.T @ jacobian)
    return found.x, model, samples - model, inverse


def errors(template, x, model, rest):
    """The error a frame around each tap, as JointFit has it."""
    spectrum = lambda values: np.abs(np.fft.rfft(values, COUNT)) ** 2
    left, whole = spectrum(rest), spectrum(model)
    concentration = max(1, (left @ whole) / whole.sum() / left.sum() * len(left))
    around, over = [], []
    for first, delay in zip(STARTS, x[1::2]):
        weight = moved(template, first, delay, COUNT)[0] ** 2
        around.append(weight @ model**2 / weight.sum())
        over.append(max(0, weight @ rest**2 / weight.sum() - NOISE**2))
    around, over = np.array(around), np.array(over)
    share = concentration * max(np.median(over / around), PROBE_MISFIT**2)
    return NOISE**2 + np.maximum(share * around, concentration * over), around, over, concentration, share


# MARK: - The crowded pattern

RATE, CROWD_F0, CROWD_Q, TAPS, CROWD_NOISE = 6_000.0, 170.0, 9.0, 30, 0.02
PRIOR = (0.01, 0.05)
# Stated larger than it is, so that it is the whole error a frame: nothing is left over beyond it.
STATED = 0.03


class Noise:
    """splitmix64 and Box-Muller, as Tests/SignalAnalysisTests/Support/Noise.swift."""

    def __init__(self, seed):
        self.state = seed

    def uniform(self, low=0.0, high=1.0):
        mask = (1 << 64) - 1
        self.state = (self.state + 0x9E3779B97F4A7C15) & mask
        z = self.state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & mask
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & mask
        return low + ((z ^ (z >> 31)) >> 11) * 2.0**-53 * (high - low)

    def gaussian(self):
        return np.sqrt(-2 * np.log(1 - self.uniform())) * np.cos(2 * np.pi * self.uniform())


def resonance(frequency, ln_f0, ln_q):
    r = frequency * RATE / (CROWD_F0 * np.exp(ln_f0))
    return -r * r / (1 - r * r + 1j * r / (CROWD_Q * np.exp(ln_q)))


def crowd():
    """Thirty taps 10 to 30 ms apart, of 80 to 230 Hz; each has another gain, six come at another time."""
    random = Noise(19)
    radius = np.exp(-np.pi * CROWD_F0 / (CROWD_Q * RATE))
    angle = 2 * np.pi * CROWD_F0 / RATE * np.sqrt(1 - 0.25 / CROWD_Q**2)
    firsts, templates, gains, delays = [], [], [], []
    first = 100
    for index in range(TAPS):
        frequency = random.uniform(80, 230)
        n = np.arange(60)
        drive = np.zeros(1_400)
        drive[:60] = np.sin(2 * np.pi * frequency * n / RATE) * np.sin(np.pi * n / 60) ** 2
        firsts.append(first)
        templates.append(
            signal.lfilter([1, -2, 1], [1, -2 * radius * np.cos(angle), radius**2], drive))
        gains.append(10 ** (random.uniform(-4, 4) / 20))
        delays.append(random.uniform(-6, 6) if index % 5 == 2 else 0.0)
        first += int(random.uniform(0.010, 0.030) * RATE)
    count = first + 1_500
    clean = predicted(firsts, templates, count, gains, delays, 0.004, -0.03)
    return firsts, templates, clean + CROWD_NOISE * np.array([random.gaussian() for _ in range(count)])


def spectra(firsts, templates, count, room=1024):
    length = count + 2 * room
    padded = np.zeros((len(firsts), length))
    for row, first, template in zip(padded, firsts, templates):
        row[room + first : room + first + len(template)] = template
    return np.fft.rfft(padded), np.fft.rfftfreq(length), slice(room, room + count), length


def predicted(firsts, templates, count, gains, delays, ln_f0, ln_q):
    bins, f, part, length = spectra(firsts, templates, count)
    turned = bins * np.exp(-2j * np.pi * np.multiply.outer(delays, f))
    factor = np.ones(len(f), complex)
    factor[1:] = resonance(f[1:], ln_f0, ln_q) / resonance(f[1:], 0, 0)
    return np.fft.irfft(factor * (np.array(gains) @ turned), length)[part]


def solve_crowd(firsts, templates, samples):
    """Gains, delays, ln f0, ln Q and the inverse of their normal matrix."""
    bins, f, part, length = spectra(firsts, templates, len(samples))
    turn = 2j * np.pi * f
    factor = lambda *q: np.r_[1, resonance(f[1:], *q) / resonance(f[1:], 0, 0)]
    back = lambda b: np.fft.irfft(b, length)[..., part]

    def rest(x):
        gains, delays, q = x[:TAPS], x[TAPS:-2], x[-2:]
        model = back(factor(*q) * (gains @ (bins * np.exp(-np.outer(delays, turn)))))
        # The resonance is held to the probe's, in units of the samples.
        return np.r_[model - samples, STATED * q / PRIOR]

    def jacobian(x):
        gains, delays, q = x[:TAPS], x[TAPS:-2], x[-2:]
        shapes = factor(*q) * bins * np.exp(-np.outer(delays, turn))
        step = 1e-5
        slopes = [
            back((factor(*(q + d)) - factor(*(q - d))) / (2 * step) * (gains @ (shapes / factor(*q))))
            for d in step * np.eye(2)]
        top = np.vstack([back(shapes), -gains[:, None] * back(turn * shapes), slopes]).T
        return np.vstack([top, np.eye(2, 2 * TAPS + 2, 2 * TAPS) * STATED / np.array(PRIOR)[:, None]])

    start = np.r_[np.ones(TAPS), np.zeros(TAPS + 2)]
    found = optimize.least_squares(rest, start, jac=jacobian, x_scale="jac", xtol=1e-12, ftol=1e-12)
    j = jacobian(found.x)
    return found.x, np.linalg.inv(j.T @ j)


# MARK: - What is printed


def print_example():
    template, samples = example()
    x, model, rest, inverse = solve_example(template, samples)
    shown = lambda values, digits=4: "  ".join(f"{v:9.{digits}f}" for v in values)
    # How the waveform changes, by differences of its neighbours, as a reader finds it from the table.
    weights = [-1 / 280, 4 / 105, -1 / 5, 4 / 5, 0, -4 / 5, 1 / 5, -4 / 105, 1 / 280]
    slope = np.round(np.convolve(template, weights)[4 : 4 + ROWS], 2) + 0.0
    print("| n | p | p' | m |")
    for n in range(COUNT):
        p = f"{template[n]:.2f} | {slope[n]:.2f}" if n < ROWS else " | "
        print(f"| {n} | {p} | {samples[n]:.2f} |")
    by_hand = np.zeros((COUNT, 4))
    for place, first in enumerate(STARTS):
        by_hand[first : first + ROWS, 2 * place : 2 * place + 2] = np.array([template, -slope]).T
    now = np.array([1.0, 0, 1, 0])
    for number in range(5):
        predicted_now, j = columns(template, now[0::2], now[1::2])
        left = samples - predicted_now
        print("round", number, "at", shown(now), "left over, rms", shown([np.sqrt(np.mean(left**2))]))
        if number == 0:
            j = by_hand
            print("normal matrix\n", (j.T @ j).round(1), "\nright side", shown(j.T @ left, 1))
        now = now + np.linalg.solve(j.T @ j, j.T @ left)
    print("SciPy", shown(x, 5), "\nleft over", rest.round(2))
    error, around, over, concentration, share = errors(template, x, model, rest)
    print("inverse, diagonal", shown(np.diag(inverse), 6))
    print("response around", around, "left over beyond the noise", over, "concentration", concentration)
    print("share", share, "error a frame", error)
    print("standard uncertainties", shown(np.sqrt(np.diag(inverse) * np.repeat(error, 2)), 5))


def picture():
    """The two responses, what was recorded, and what is left over, as SVG."""
    template, samples = example()
    x, model, rest, _ = solve_example(template, samples)
    fine = 8
    curve = lambda k: x[2 * k] * np.fft.irfft(
        np.pad(np.fft.rfft(np.pad(moved(template, STARTS[k], x[2 * k + 1], 64)[0], (32, 32))), (0, 64 * (fine - 1))),
        128 * fine)[32 * fine : (32 + COUNT) * fine - fine + 1] * fine
    left, top, width, scale = 40, 20, 20, 7
    across = lambda n: left + width * n
    line = lambda values, step, zero, colour, more="": (
        '<polyline fill="none" stroke-width="2" stroke="' + colour + '" ' + more + ' points="'
        + " ".join(f"{across(n * step):.1f},{zero - scale * v:.1f}" for n, v in enumerate(values)) + '"/>')
    zero, below = top + 16 * scale, top + 38 * scale
    parts = [curve(0), curve(1)]
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{across(COUNT)}" height="{below + 60}" '
           'font-family="sans-serif" font-size="13">', '<rect width="100%" height="100%" fill="white"/>']
    for level in (zero, below):
        out.append(f'<line x1="{left}" y1="{level}" x2="{across(COUNT - 1)}" y2="{level}" stroke="#bbb"/>')
    for n in range(0, COUNT, 4):
        out.append(f'<text x="{across(n)}" y="{below + 35}" text-anchor="middle">{n}</text>')
    for value in (-10, 0, 10):
        out.append(f'<text x="{left - 6}" y="{zero - scale * value + 4}" text-anchor="end">{value}</text>')
    out += [line(parts[0], 1 / fine, zero, "#0072b2"), line(parts[1], 1 / fine, zero, "#d55e00"),
            line(parts[0] + parts[1], 1 / fine, zero, "#999", 'stroke-dasharray="4 3"'),
            line(rest, 1, below, "#444")]
    out += [f'<circle cx="{across(n)}" cy="{zero - scale * v:.1f}" r="3"/>' for n, v in enumerate(samples)]
    for x_at, y_at, colour, text in (
        (across(4), top, "#0072b2", "first tap"), (across(17), top, "#d55e00", "second tap"),
        (across(16), zero + 12 * scale, "black", "dots: recorded, dashes: both"),
        (across(0), below - 12, "#444", "left over, m/s2"), (across(26), below + 55, "black", "ms")):
        out.append(f'<text x="{x_at}" y="{y_at}" fill="{colour}">{text}</text>')
    print("\n".join(out + ["</svg>"]))


def listed(values, digits):
    return "[" + ", ".join(f"{v:.{digits}f}" for v in values) + "]"


def print_reference():
    template, samples = example()
    x, model, rest, inverse = solve_example(template, samples)
    spread = np.sqrt(np.diag(inverse) * np.repeat(errors(template, x, model, rest)[0], 2))
    firsts, templates, crowded = crowd()
    found, crowd_inverse = solve_crowd(firsts, templates, crowded)
    crowd_spread = STATED * np.sqrt(np.diag(crowd_inverse))
    print(f'''/// What scipy.optimize.least_squares finds in the cases of JointFitReferenceTests.
///
/// Made by References/joint_fit.py.
enum JointFitReference {{
  /// The worked example of docs/MEASUREMENT.md: a tap's response, and what was recorded, a value each millisecond.
  enum Example {{
    static let template = {listed(template, 2)}
    static let samples = {listed(samples, 2)}
    /// Gain, delay of the first tap, gain, delay of the second.
    static let values = {listed(x, 6)}
    static let uncertainties = {listed(spread, 6)}
  }}

  /// Thirty taps 10 to 30 ms apart, and the resonance that they share.
  enum Crowd {{
    static let firsts = {list(map(int, firsts))}
    static let gains = {listed(found[:TAPS], 7)}
    static let gainUncertainties = {listed(crowd_spread[:TAPS], 7)}
    static let delays = {listed(found[TAPS:-2], 6)}
    static let delayUncertainties = {listed(crowd_spread[TAPS:-2], 6)}
    static let resonance = (lnF0: {found[-2]:.7f}, lnQ: {found[-1]:.6f})
    static let energy = {np.sum(crowded**2):.6f}
  }}
}}''')


{"example": print_example, "picture": picture}.get(" ".join(sys.argv[1:]), print_reference)()
