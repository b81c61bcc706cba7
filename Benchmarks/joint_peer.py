# SPDX-License-Identifier: Apache-2.0
"""What JointFitBenchmark does, with NumPy and SciPy: the peers it is timed beside.

Usage: joint_peer.py FILE, float64: the number of taps, of frames of a waveform, of frames of the recording; f0 in
cycles a frame, Q, the noise; where each waveform begins, the waveforms, the recording. Prints the least processor time in
ms of Gauss-Newton with a banded solve and of least_squares with a sparse Jacobian, then gains and delays of the first.

Both begin from gains of 1 and no delay, adjust ln f0 and ln Q of all waveforms, and end with standard uncertainties.
Neither looks for events at other delays first, as JointFit does.
"""

import sys
import time

import numpy as np
from scipy import fft, linalg, optimize, sparse

data = np.fromfile(sys.argv[1])
taps, length, count = data[:3].astype(int)
f0, q, noise = data[3:6]
firsts = data[6 : 6 + taps].astype(int)
waveforms = data[6 + taps :][: taps * length].reshape(taps, length)
samples = data[6 + taps + taps * length :]
ROOM, PRIOR = 24, np.array([0.01, 0.05])
SPAN = length + 2 * ROOM
POINTS = fft.next_fast_len(SPAN + ROOM, real=True)
BINS = fft.rfft(np.pad(waveforms, ((0, 0), (ROOM, 0))), POINTS)
FREQUENCIES = np.arange(POINTS // 2 + 1) / POINTS
# The recording in zeros, so that waveforms that begin before it or end after it have a place.
MARGIN = 2 * SPAN
WHOLE = fft.next_fast_len(count + 2 * MARGIN, real=True)
WHOLE_FREQUENCIES = np.arange(WHOLE // 2 + 1) / WHOLE


def response(f, shift):
    r = f[1:] / (f0 * np.exp(shift[0]))
    return np.r_[1, -r * r / (1 - r * r + 1j * r / (q * np.exp(shift[1])))]


def drawn(gains, delays, shift):
    """All waveforms where they stand, their slopes, where they begin, and what they predict."""
    factor = response(FREQUENCIES, shift) / response(FREQUENCIES, (0, 0))
    whole = np.rint(delays)
    bins = factor * BINS * np.exp(-2j * np.pi * np.outer(delays - whole, FREQUENCIES))
    shapes = fft.irfft(bins, POINTS)[:, :SPAN]
    slopes = fft.irfft(2j * np.pi * FREQUENCIES * bins, POINTS)[:, :SPAN]
    begins = firsts - ROOM + whole.astype(int) + MARGIN
    model = np.zeros(WHOLE)
    for begin, gain, shape in zip(begins, gains, shapes):
        model[begin : begin + SPAN] += gain * shape
    return shapes, slopes, begins, model


def shared(model, shift):
    """How the whole prediction changes with ln f0 and ln Q."""
    bins, here, step = fft.rfft(model), response(WHOLE_FREQUENCIES, shift), 1e-4
    return np.array([
        fft.irfft(bins * (response(WHOLE_FREQUENCIES, shift + d) - response(WHOLE_FREQUENCIES, shift - d))
                  / (2 * step * here), WHOLE)[MARGIN : MARGIN + count]
        for d in step * np.eye(2)])


def normal(shapes, slopes, gains, begins):
    """The normal matrix's lower band, by dense products over blocks of frames."""
    parts = np.stack([shapes, -gains[:, None] * slopes], axis=1)
    order, block = np.argsort(begins, kind="stable"), 512
    width = 0
    for place, one in enumerate(order):
        last = np.searchsorted(begins[order], begins[one] + SPAN)
        width = max(width, last - place)
    band = np.zeros((2 * width, 2 * taps))
    places = begins[order]
    for start in range(places[0], places[-1] + SPAN, block):
        low = np.searchsorted(places, start - SPAN, side="right")
        high = np.searchsorted(places, start + block)
        if low >= high:
            continue
        columns = np.zeros((high - low, 2, block))
        for row, one in enumerate(order[low:high]):
            a, b = max(start, begins[one]), min(start + block, begins[one] + SPAN)
            columns[row, :, a - start : b - start] = parts[one][:, a - begins[one] : b - begins[one]]
        flat = columns.reshape(-1, block)
        products = flat @ flat.T
        for lag in range(min(len(products), len(band))):
            diagonal = np.diagonal(products, -lag)
            band[lag, 2 * low : 2 * low + len(diagonal)] += diagonal
    return band, order


def projected(shapes, slopes, gains, begins, values, order):
    padded = np.pad(values, (MARGIN, WHOLE - MARGIN - count))
    out = np.empty((taps, 2))
    for row, one in enumerate(order):
        stretch = padded[begins[one] : begins[one] + SPAN]
        out[row] = shapes[one] @ stretch, -gains[one] * (slopes[one] @ stretch)
    return out.ravel()


def banded():
    gains, delays, shift = np.ones(taps), np.zeros(taps), np.zeros(2)
    energy, period = np.inf, 1 / f0
    while True:
        shapes, slopes, begins, model = drawn(gains, delays, shift)
        rest = samples - model[MARGIN : MARGIN + count]
        before, energy = energy, rest @ rest
        band, order = normal(shapes, slopes, gains, begins)
        columns = shared(model, shift)
        right = np.array([projected(shapes, slopes, gains, begins, v, order) for v in (rest, *columns)])
        variance = max(noise**2, energy / (count - 2 * taps))
        factor = linalg.cholesky_banded(band, lower=True, overwrite_ab=True)
        answers = linalg.cho_solve_banded((factor, True), right.T)
        small = columns @ columns.T - right[1:] @ answers[:, 1:] + np.diag(variance / PRIOR**2)
        force = columns @ rest - right[1:] @ answers[:, 0] - shift * variance / PRIOR**2
        move = np.linalg.solve(small, force)
        if before - energy < 1e-5 * energy:
            break
        step = (answers[:, 0] - answers[:, 1:] @ move).reshape(-1, 2)
        gains[order] += step[:, 0]
        delays[order] += np.clip(step[:, 1], -0.12 * period, 0.12 * period)
        shift = shift + move
    inverse = linalg.cho_solve_banded((factor, True), np.eye(2 * taps))
    inverse += answers[:, 1:] @ np.linalg.inv(small) @ answers[:, 1:].T
    return gains, delays, np.sqrt(variance * np.diag(inverse))


def sparse_jacobian():
    rows = np.arange(SPAN)

    def rest(x):
        model = drawn(x[:taps], x[taps:-2], x[-2:])[3]
        return np.r_[model[MARGIN : MARGIN + count] - samples, noise * x[-2:] / PRIOR]

    def jacobian(x):
        shapes, slopes, begins, model = drawn(x[:taps], x[taps:-2], x[-2:])
        places = (begins[:, None] + rows - MARGIN).ravel()
        inside = (places >= 0) & (places < count)
        columns = np.repeat(np.arange(taps), SPAN)[inside]
        values = np.r_[shapes.ravel()[inside], -(x[:taps, None] * slopes).ravel()[inside]]
        own = sparse.csr_matrix(
            (values, (np.r_[places[inside], places[inside]], np.r_[columns, columns + taps])),
            shape=(count + 2, 2 * taps))
        both = np.vstack([shared(model, x[-2:]).T, np.diag(noise / PRIOR)])
        return sparse.hstack([own, sparse.csr_matrix(both)], format="csr")

    start = np.r_[np.ones(taps), np.zeros(taps + 2)]
    found = optimize.least_squares(
        rest, start, jac=jacobian, method="trf", tr_solver="lsmr", x_scale="jac", ftol=1e-5)
    normal_matrix = (found.jac.T @ found.jac).toarray()
    return found.x[:taps], found.x[taps:-2], noise * np.sqrt(np.diag(np.linalg.inv(normal_matrix)))


def least(solve, rounds):
    best = np.inf
    for _ in range(rounds):
        began = time.process_time()
        answer = solve()
        best = min(best, time.process_time() - began)
    return 1e3 * best, answer


ours, (gains, delays, _) = least(banded, 5)
theirs, other = least(sparse_jacobian, 1)
print(f"{ours:.3f} {theirs:.3f}")
print(" ".join(f"{v:.9g}" for v in np.r_[gains, delays]))
print(" ".join(f"{v:.9g}" for v in np.r_[other[0], other[1]]))
