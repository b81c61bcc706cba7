# SPDX-License-Identifier: Apache-2.0
"""What DetectionPeersBenchmark does, by others: Otava's e-divisive, PELT and CUSUM on the same
simulated years.

Usage: detection_peer.py FILE, float64: the nights of a year, the alarms a year that each is tuned
to; how many years to tune by, and these; how many noises, then of each: how many quiet years, and
these; how many sets of steps, then of each: the patience, how many years, and of each the first
night of its step and the year.

Prints of each peer one line a noise, separated by tabs: name, its setting, the noise's number, the
alarms of the quiet years, then of each set of steps the nights until each was told, 0 where it was
not; or name, `missing` and what is to be installed.

Every evening from the fifth each sees the nights so far. What it tells is an alarm if it lies more
than three nights from every alarm before, and a step is told by what lies within five nights of it,
as in NightlyTrial.
"""

import sys

import numpy as np

# Older nights cost time and tell little.
REACH = 150
FIRST = 5


def pelt():
    """Killick and others (2012), by ruptures: squares are a linear kernel; three nights a level."""
    import ruptures

    def places(values, setting):
        if len(values) < 2 * 3:
            return []
        # The penalty is in variances of a night, by what neighbours differ.
        scale = 1.4826 * np.median(np.abs(np.diff(values))) / np.sqrt(2) or 1.0
        search = ruptures.KernelCPD(kernel="linear", min_size=3).fit(values / scale)
        return search.predict(pen=setting)[:-1]

    return evenings(places), (6.0, 30.0)


def otava():
    """Fleming and others (2023), by Apache Otava, as it comes but for the chance by noise."""
    from otava.analysis import compute_change_points

    def places(values, setting):
        if len(values) < 4:
            return []
        points, _ = compute_change_points(list(values), max_pvalue=10**-setting)
        return [int(point.index) for point in points]

    return evenings(places), (2.0, 6.0)


def evenings(places):
    """A rule that is asked anew every evening: (evening, places)."""

    def told(values, setting, first, last):
        for evening in range(max(first, FIRST), last + 1):
            start = max(0, evening - REACH)
            yield evening, [start + place for place in places(values[start:evening], setting)]

    return told


def cusum():
    """The self-starting tabular CUSUM of Hawkins (1987) with k = 0.5: Montgomery, Introduction to
    Statistical Quality Control, chapter 9.

    A night is held against mean and deviation of all nights since the last alarm, as a normal
    score. The place is where the sum left zero; from there it starts anew.
    """
    from scipy import stats

    def told(values, setting, first, last):
        alarms, start = [], 0
        while start < last:
            part = values[start:last]
            count = np.arange(1, len(part) + 1)
            mean = np.cumsum(part) / count
            about = np.cumsum((part - part[0]) ** 2)
            squares = np.maximum(about - count * (mean - part[0]) ** 2, 0)
            up = down = 0.0
            rose = fell = 0
            found = None
            if len(part) > 3:
                # Night n by the n - 1 before it, from the fourth on.
                n = count[3:]
                deviation = np.sqrt(squares[2:-1] / (n - 2)) + 1e-12
                t = (part[3:] - mean[2:-1]) / deviation * np.sqrt((n - 1) / n)
                scores = stats.norm.ppf(np.clip(stats.t.cdf(t, n - 2), 1e-12, 1 - 1e-12))
                for index, score in enumerate(scores, 3):
                    up, down = up + score - 0.5, down - score - 0.5
                    if up <= 0:
                        up, rose = 0.0, index + 1
                    if down <= 0:
                        down, fell = 0.0, index + 1
                    if max(up, down) > setting:
                        found = index, rose if up > setting else fell
                        break
            if found is None:
                break
            alarms.append((start + found[0] + 1, start + found[1]))
            start += max(found[1], 3)
        for evening in range(max(first, FIRST), last + 1):
            yield evening, [place for when, place in alarms if when <= evening]

    return told, (3.0, 15.0)


def alarms(told, years, setting):
    count = 0
    for year in years:
        known = []
        for _, places in told(year, setting, FIRST, len(year)):
            for place in places:
                if all(abs(place - other) > 3 for other in known):
                    known.append(place)
        count += len(known)
    return count


def delay(told, year, first, patience, setting):
    for evening, places in told(year, setting, first + 1, first + patience):
        if any(abs(place - first) <= 5 for place in places):
            return evening - first
    return 0


def tuned(told, bounds, years, wanted):
    low, high = bounds
    for _ in range(6):
        middle = 0.5 * (low + high)
        if alarms(told, years, middle) > wanted * len(years):
            low = middle
        else:
            high = middle
    return high


def main():
    data = np.fromfile(sys.argv[1])
    place = 0

    def take(count):
        nonlocal place
        place += count
        return data[place - count : place]

    nights, wanted = int(take(1)[0]), take(1)[0]

    def years():
        return [take(nights) for _ in range(int(take(1)[0]))]

    tuning = years()
    noises = []
    for _ in range(int(take(1)[0])):
        quiet = years()
        sets = []
        for _ in range(int(take(1)[0])):
            patience, count = (int(value) for value in take(2))
            sets.append((patience, [(int(take(1)[0]), take(nights)) for _ in range(count)]))
        noises.append((quiet, sets))

    for name, peer, package in (
        ("Otava, e-divisive", otava, "apache-otava"),
        ("PELT, ruptures", pelt, "ruptures"),
        ("CUSUM, self-starting", cusum, "scipy"),
    ):
        try:
            told, bounds = peer()
        except ImportError:
            print(name, "missing", package, sep="\t", flush=True)
            continue
        setting = tuned(told, bounds, tuning, wanted)
        for number, (quiet, sets) in enumerate(noises):
            delays = [
                " ".join(str(delay(told, *reversed(step), patience, setting)) for step in steps)
                for patience, steps in sets
            ]
            row = name, f"{setting:.3g}", number, alarms(told, quiet, setting), *delays
            print(*row, sep="\t", flush=True)


main()
