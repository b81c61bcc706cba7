"""Change points by another road: the stages of docs/NIGHTLY.md, "How a change is found", in NumPy and SciPy.

Written for clearness, with none of the shortcuts of the module: energy statistics by their double sums, steps by
dense covariance matrices, Huber's scale by a root finder. `python3 reference.py > ../ReferenceSeries.swift` makes
the series and the answers that the tests hold the module against; `swift format` then breaks the lines.
"""
import numpy as np
from scipy import optimize, stats

FEWEST, WINDOW, REACH = 3, 60, 60
SIGNIFICANCE, CANDIDATE, ROUGH, WEAKNESS = 1e-3, 5e-3, 1e-3, 10
MOST_OF_NIGHT = 3
C = 2.0
EXPECTED = stats.norm.cdf(C) - stats.norm.cdf(-C) - 2 * C * stats.norm.pdf(C) + 2 * C**2 * stats.norm.sf(C)


def energy(x, split):
    left, right = x[:split], x[split:]
    n, m = len(left), len(right)
    between = np.abs(left[:, None] - right[None, :]).sum()
    within = lambda part: np.abs(part[:, None] - part[None, :]).sum() / 2
    return n * m / (n + m) * (
        2 * between / (n * m) - 2 * within(left) / (n * (n - 1)) - 2 * within(right) / (m * (m - 1)))


def best_split(x, fewest):
    if len(x) < 2 * fewest:
        return None
    places = range(fewest, len(x) - fewest + 1)
    return max(places, key=lambda place: energy(x, place))


def scale(r):
    r = np.asarray(r, float)
    if (r != 0).mean() * C**2 <= EXPECTED:
        return 0.0
    f = lambda s: np.minimum((r / s) ** 2, C**2).mean() - EXPECTED
    return optimize.brentq(f, 1e-9 * np.abs(r).max(), 10 * np.abs(r).max(), xtol=1e-15, rtol=1e-14)


def running_median(x, width):
    starts = np.clip(np.arange(len(x)) - width // 2, 0, len(x) - width)
    return np.array([np.median(x[s:s + width]) for s in starts])


def without_lone(x, quantum):
    width = 5
    while True:
        middle = running_median(x, width)
        if width > 7:
            ends = np.r_[:width // 2, len(x) - width // 2:len(x)]
            middle[ends] = running_median(x, 7)[ends]
        rest = x - middle
        bound = 4 * max(scale(rest), quantum / 2)
        for _ in range(2):
            bound = 4 * max(scale(rest[np.abs(rest) <= bound]), quantum / 2)
        keep = np.abs(rest) <= bound
        share = 1 - keep.mean()
        wanted = 9 if share > 0.07 else 7 if share > 0.035 else 5
        if wanted <= width:
            shares = {side: ((side * rest > bound).sum() + 1) / (len(x) + 2) for side in (1, -1)}
            return np.flatnonzero(keep), shares
        width += 2


def weekly(x):
    if len(x) < 28:
        return np.zeros(7)
    rest = x - running_median(x, 7)
    days = np.arange(len(x)) % 7
    medians = np.array([np.median(rest[days == d]) for d in range(7)])
    offsets = medians - medians.mean()
    s = scale(rest - medians[days])
    strength = sum((days == d).sum() * offsets[d] ** 2 for d in range(7))
    return offsets if strength > 30 * np.pi / 2 * s**2 else np.zeros(7)


def covariance(nights, phi):
    lag = np.abs(np.subtract.outer(nights, nights))
    return (phi**lag if phi > 0 else np.eye(len(nights))) / (1 - phi**2)


def fit(y, columns, nights, phi):
    """Generalized least squares: coefficients, their covariance, squares left over."""
    design = np.column_stack(columns)
    inverse = np.linalg.inv(covariance(nights, phi))
    spread = np.linalg.inv(design.T @ inverse @ design)
    b = spread @ design.T @ inverse @ y
    rest = y - design @ b
    return b, spread, rest @ inverse @ rest


def added(r, nights, phi):
    """What each night but the first adds to what the one before tells of it, as innovations."""
    ratio = phi ** np.abs(np.diff(nights))
    return (r[1:] - ratio * r[:-1]) * np.sqrt((1 - phi**2) / (1 - ratio**2))


class Noise:
    def __init__(self, phi, innovation, freedom):
        self.phi, self.innovation, self.freedom = phi, innovation, freedom


def cautious(y, quantum):
    s = scale(np.diff(y))
    return Noise(0.5, max(s, quantum / 2) * np.sqrt(0.75), max(len(y) - 2, 1))


def fitted(y, nights, segments, quantum):
    r = np.concatenate([y[a:b] - y[a:b].mean() for a, b in segments])
    clipped = np.clip(r, -2.5 * scale(r), 2.5 * scale(r))
    next_ones = np.diff(nights[:len(y)]) == 1
    raw = ((clipped[1:] * clipped[:-1])[next_ones].mean() / (clipped**2).sum() * (len(y) - 1)
           if clipped.any() and next_ones.any() else 0)
    raw += (1 + 4 * raw) * len(segments) / len(y)
    phi = min(max((len(y) * raw + 40 * 0.5) / (len(y) + 40), 0), 0.9)
    e = np.concatenate([added(r[a:b], nights[a:b], phi) for a, b in segments])
    freedom = max(len(e) - len(segments), 1)
    return Noise(phi, max(scale(e) * np.sqrt(len(e) / freedom), quantum / 2), freedom)


class Segmentation:
    def __init__(self, all_nights, nights, noise, youth, shares=None):
        self.all, self.nights, self.y = all_nights, nights, all_nights[nights]
        self.noise, self.fewest, self.youth, self.shares = noise, FEWEST, youth, shares

    def near(self, split, a, b):
        return max(a, split - REACH), min(b, split + REACH)

    def levels(self, split, a, b):
        x = (np.arange(a, b) >= split).astype(float)
        coefficients, spread, _ = fit(self.y[a:b], [1 - x, x], self.nights[a:b], self.noise.phi)
        return coefficients, np.array([-1, 1]) @ spread @ np.array([-1, 1])

    def step(self, split, a, b):
        (before, after), variance = self.levels(split, a, b)
        return after - before, variance

    def scatter(self, split, a, b):
        def innovations(low, high):
            return added(self.y[low:high] - self.y[low:high].mean(), self.nights[low:high], self.noise.phi)
        sides = innovations(max(a, split - 30), split), innovations(split, min(b, split + 30))
        both = np.concatenate(sides)
        variances = [self.noise.innovation**2]
        if len(both) > 12:
            variances.append((0.9 * scale(both)) ** 2 * len(both) / (len(both) - 2))
        for side in sides:
            if len(side) > 1:
                own = (side**2).sum() if len(side) < 12 else scale(side) ** 2 * len(side)
                variances.append((5 * self.noise.innovation**2 + own) / (5 + len(side)))
        return np.sqrt(max(variances))

    def bounded(self, split, a, b, scatter):
        """The step over its deviation, the shorter side seen from the level of the longer, by bounded innovations."""
        y, nights, phi = self.y[a:b], self.nights[a:b], self.noise.phi
        levels, _ = self.levels(split, a, b)
        middle = split - a
        if b - split <= split - a:
            longer, y, nights, level = slice(0, middle), y[middle - 1:], nights[middle - 1:], levels[0]
        else:
            longer, y, nights, level = slice(middle, None), y[middle::-1], nights[middle::-1], levels[1]
        own = np.linalg.inv(covariance(self.nights[a:b][longer], phi)).sum()
        x = np.ones(len(y))
        x[0] = 0
        share = added(x, nights, phi)
        bound = MOST_OF_NIGHT * self.noise.innovation
        size = share @ np.clip(added(y - level, nights, phi), -bound, bound) / (share @ share)
        return size / (scatter * np.sqrt(1 / (share @ share) + 1 / own))

    def outliers(self, split, a, b, levels):
        """The chance that the nights of a level are where they are by being outliers, the larger of both levels."""
        first = 0 if a == 0 else self.nights[a]
        end = len(self.all) if b == len(self.y) else self.nights[b]
        middle, rises = levels.mean(), 1 if levels[1] > levels[0] else -1
        chances = [0]
        for side, values in ((-rises, self.all[first:self.nights[split]]), (rises, self.all[self.nights[split]:end])):
            if len(values) <= 30:
                seen = ((values > middle) == (side > 0)).sum()
                chances.append(stats.binom.sf(seen - 1, len(values), self.shares[side]))
        return max(chances)

    def chance(self, split, a, b):
        low, high = self.near(split, a, b)
        levels, variance = self.levels(split, low, high)
        scatter = self.scatter(split, low, high)
        t = abs(levels[1] - levels[0]) / (scatter * np.sqrt(variance))
        t = min(t, abs(self.bounded(split, low, high, scatter)))
        side = min(split - a, b - split, 25)
        chance = 2 * stats.t.sf(t, self.noise.freedom) * max(1, side**2 / self.youth**2)
        if self.shares:
            chance = max(chance, self.outliers(split, a, b, levels))
        return min(1, chance)

    def settled(self, split, a, b):
        low, high = self.near(split, a, b)
        places = range(max(split - 5, low + self.fewest), min(split + 5, high - self.fewest) + 1)
        def score(place):
            size, variance = self.step(place, low, high)
            return size**2 / variance
        return max(places, key=score, default=split)

    def divide(self, a, b, significance):
        place = best_split(self.y[a:b], self.fewest)
        if place is None:
            return []
        split = self.settled(a + place, a, b)
        if self.chance(split, a, b) > significance:
            return []
        return self.divide(a, split, significance) + [split] + self.divide(split, b, significance)

    def weak(self, significance):
        n, start, found = len(self.y), 0, set()
        while start < n:
            end = min(start + WINDOW, n)
            inside = self.divide(start, end, WEAKNESS * significance)
            found |= set(inside)
            if end == n:
                break
            start = max(inside[-1] if inside else 0, start + WINDOW // 2)
        found |= set(self.divide(max(0, n - WINDOW), n, WEAKNESS * significance))
        return sorted(found)

    def too_little(self, split, a, b):
        low, high = self.near(split, a, b)
        before, after = np.median(self.y[low:split]), np.median(self.y[split:high])
        if abs(after - before) < 0.01 * abs(before):
            return True
        y, ones, t = self.y[low:high], np.ones(high - low), np.arange(low, high)
        fit_here = lambda *columns: fit(y, columns, self.nights[low:high], self.noise.phi)[2]
        x = (t >= split).astype(float)
        level, step = fit_here(ones), fit_here(ones, x)
        line, both = fit_here(ones, t - t.mean()), fit_here(ones, t - t.mean(), x)
        return line - both < (9 if line < step else 4) * self.noise.innovation**2

    def merged(self, points, significance):
        points = list(points)
        while True:
            edges = [0] + points + [len(self.y)]
            around = [(edges[k], edges[k + 2]) for k in range(len(points))]
            chances = [self.chance(p, *r) for p, r in zip(points, around)]
            crowded = [k for k in range(1, len(points)) if points[k] - points[k - 1] < self.fewest]
            if crowded:
                k = crowded[0]
                del points[k if chances[k] > chances[k - 1] else k - 1]
                continue
            failing = [k for k in range(len(points))
                       if chances[k] > significance or self.too_little(points[k], *around[k])]
            if failing:
                del points[max(failing, key=lambda k: chances[k])]
                continue
            for k, p in enumerate(points):
                place = self.settled(p, *around[k])
                if place != p and self.chance(place, *around[k]) < chances[k]:
                    points[k] = place
                    break
            else:
                return list(zip(points, chances))


def examine(values, significance):
    gaps = np.diff(np.sort(values))
    gaps = gaps[gaps > 1e-12 * np.abs(values).max()]
    quantum = gaps.min() if len(gaps) else 0
    x = values - weekly(values)[np.arange(len(values)) % 7]
    kept, shares = without_lone(x, quantum)
    y = x[kept]
    rough = Segmentation(x, kept, cautious(y, quantum), np.inf)
    points = [p for p, _ in rough.merged(rough.weak(ROUGH), ROUGH)]
    history = y[:-10] if len(y) >= 40 else y
    edges = [0] + [p for p in points if p <= len(history) - 2] + [len(history)]
    segments = []
    for a, b in zip(edges, edges[1:]):
        parts = max(1, (b - a) // REACH)
        segments += [(a + (b - a) * k // parts, a + (b - a) * (k + 1) // parts) for k in range(parts)]
    noise = fitted(history, kept, segments, quantum)
    final = Segmentation(x, kept, noise, 5, shares)
    return [(int(kept[p]), c) for p, c in final.merged(final.weak(significance), significance)], noise


def series():
    rng = np.random.default_rng(20140)

    def ar(n, phi):
        e = rng.normal(size=n)
        x = [e[0]]
        for k in range(1, n):
            x.append(phi * x[-1] + np.sqrt(1 - phi**2) * e[k])
        return np.array(x)

    steps = lambda n, *at: sum(size * (np.arange(n) >= place) for place, size in at)
    yield "one step", ar(120, 0) + steps(120, (70, 2.5))
    yield "up and down", ar(150, 0) + steps(150, (40, 3), (90, -4), (120, 2.5))
    soiled = ar(140, 0) + steps(140, (60, -3))
    soiled[rng.choice(140, 6, replace=False)] += 10
    yield "outliers", soiled
    yield "correlated", ar(180, 0.5) + steps(180, (100, 3.5))
    yield "weekends", ar(140, 0) + 3 * (np.arange(140) % 7 < 2) + steps(140, (80, 2.5))
    yield "drift", ar(150, 0) + 0.05 * np.arange(150)
    yield "nothing", ar(160, 0.3)
    yield "fresh", ar(64, 0) + steps(64, (59, 4))
    soiled = ar(170, 0.4) + steps(170, (110, 3))
    soiled[rng.choice(165, 15, replace=False)] -= 8
    yield "many outliers", soiled


print('''import Testing

/// Series and their change points as an independent implementation finds them.
///
/// Made by References/reference.py (NumPy, SciPy); day 0 is the first night.
enum ReferenceSeries {
  struct Case: Sendable, CustomTestStringConvertible {
    let name: String
    let values: [Double]
    let points: [(index: Int, chance: Double)]
    let correlation: Double
    let innovation: Double
    /// The energy statistic of the whole series: where it is highest, and how high.
    let split: Int
    let energy: Double
    var testDescription: String { name }
  }

  static let all: [Case] = [''')
for name, z in series():
    values = np.round(10 * (1 + 0.02 * z), 4)
    points, noise = examine(values, SIGNIFICANCE)
    split = best_split(values, FEWEST)
    print(f'''    Case(
      name: "{name}",
      values: [
        {", ".join(f"{v:.4f}" for v in values)},
      ],
      points: [{", ".join(f"({p}, {c:.12e})" for p, c in points)}],
      correlation: {noise.phi:.12f}, innovation: {noise.innovation:.12f},
      split: {split}, energy: {energy(values, split):.12f}),''')
print("  ]\n}")
