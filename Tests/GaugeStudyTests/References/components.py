#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Reference numbers of GaugeStudyTests: NumPy, SciPy and statsmodels.

    pip install numpy scipy statsmodels pandas
    python3 components.py

1. A balanced study (3 actuators x 2 rigs x 2 days x 2 mounts x 2 repeats): anova_lm's table, and components by expected
   mean squares that are written out by hand.
2. The same with a mount and some repeats missing: sequential sums of squares by anova_lm; the coefficients of the expected
   mean squares by Hartley's synthesis with dense projections; and REML by MixedLM, for a comparison of size.
3. Montgomery's thermal impedance data ("Design and Analysis of Experiments", the gauge example with 10 parts, 3
   inspectors, 3 repeats): components by the published formulas.
"""
import itertools
import numpy as np
import pandas as pd
import statsmodels.formula.api as smf
from scipy import stats
from statsmodels.stats.anova import anova_lm

MASK = (1 << 64) - 1


class SplitMix:
    """As Tests/Support/SeededRandom, so that the tests make the same values."""

    def __init__(self, seed):
        self.state, self.spare = seed, None

    def next(self):
        self.state = (self.state + 0x9E3779B97F4A7C15) & MASK
        z = self.state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
        return z ^ (z >> 31)

    def uniform(self):
        return (self.next() >> 11) * 2.0**-53

    def gaussian(self):
        if self.spare is not None:
            value, self.spare = self.spare, None
            return value
        radius = np.sqrt(-2 * np.log(1 - self.uniform()))
        angle = 2 * np.pi * self.uniform()
        self.spare = radius * np.sin(angle)
        return radius * np.cos(angle)


def study(seed=1, sizes=(3, 2, 2, 2, 2), deviations=(5, 2, 1, 1.5, 0.7, 2, 1)):
    """Values in the order of their factors; deviations of a, r, ar, d, ad, m, e."""
    random = SplitMix(seed)
    a_n, r_n, d_n, m_n, e_n = sizes
    sa, sr, sar, sd, sad, sm, se = deviations
    a = [sa * random.gaussian() for _ in range(a_n)]
    r = [sr * random.gaussian() for _ in range(r_n)]
    ar = {(i, j): sar * random.gaussian() for i in range(a_n) for j in range(r_n)}
    d = {(j, k): sd * random.gaussian() for j in range(r_n) for k in range(d_n)}
    ad = {(i, j, k): sad * random.gaussian()
          for i in range(a_n) for j in range(r_n) for k in range(d_n)}
    rows = []
    for i, j, k, m in itertools.product(range(a_n), range(r_n), range(d_n), range(m_n)):
        mount = sm * random.gaussian()
        for e in range(e_n):
            value = 100 + a[i] + r[j] + ar[i, j] + d[j, k] + ad[i, j, k] + mount
            rows.append((i, j, k, m, e, value + se * random.gaussian()))
    return pd.DataFrame(rows, columns=["a", "r", "d", "m", "e", "y"])


LABELS = {
    "a": ["a"], "r": ["r"], "ar": ["a", "r"], "d": ["r", "d"], "ad": ["a", "r", "d"],
    "m": ["a", "r", "d", "m"],
}


def dense(data):
    """Sequential sums of squares and Hartley's coefficients with plain projections: another way than the program's."""
    y = data.y.to_numpy()
    n = len(y)
    indicator = {
        name: pd.get_dummies(data[keys].astype(str).agg("/".join, axis=1)).to_numpy(float)
        for name, keys in LABELS.items()
    }

    def projector(x):
        return x @ np.linalg.pinv(x)

    x = np.ones((n, 1))
    before = projector(x)
    table, coefficients = [], []
    for name in LABELS:
        x = np.hstack([x, indicator[name]])
        after = projector(x)
        q = after - before
        df = int(round(np.trace(q)))
        table.append((name, df, y @ q @ y))
        coefficients.append([np.trace(z.T @ q @ z) / df for z in indicator.values()] + [1])
        before = after
    q = np.eye(n) - before
    df = int(round(np.trace(q)))
    table.append(("e", df, y @ q @ y))
    coefficients.append([0] * len(LABELS) + [1])
    squares = np.array([ss / df for _, df, ss in table])
    return table, np.array(coefficients), np.linalg.solve(np.array(coefficients), squares)


def show(title, data):
    table, coefficients, components = dense(data)
    print(f"\n{title}: {len(data)} values")
    for (name, df, ss), row, component in zip(table, coefficients, components):
        print(f"  {name:3} df {df:2} SS {ss!r} variance {component!r}  E[MS]: "
              + " ".join(f"{value:.6f}" for value in row))
    return table, components


if __name__ == "__main__":
    np.set_printoptions(precision=17)
    whole = study()
    table, components = show("balanced", whole)
    model = smf.ols("y ~ C(a) + C(r) + C(a):C(r) + C(r):C(d) + C(a):C(r):C(d)"
                    " + C(a):C(r):C(d):C(m)", whole).fit()
    print(anova_lm(model).iloc[:, :2])
    print("anova_lm puts the terms in the order of their factors; of a balanced study it is of no matter")
    ms = {name: ss / df for name, df, ss in table}
    by_hand = {
        "m": (ms["m"] - ms["e"]) / 2, "ad": (ms["ad"] - ms["m"]) / 4,
        "d": (ms["d"] - ms["ad"]) / 12, "ar": (ms["ar"] - ms["ad"]) / 8,
        "r": (ms["r"] - ms["ar"] - ms["d"] + ms["ad"]) / 24, "a": (ms["a"] - ms["ar"]) / 16,
    }
    print("by hand:", {key: float(value) for key, value in by_hand.items()})
    f = ms["a"] / ms["ar"]
    print("F of a:", f, "p:", stats.f.sf(f, 2, 2))

    gone = (whole.a == 1) & (whole.r == 0) & (whole.d == 1) & (whole.m == 1)
    gone |= (whole.a == 2) & (whole.r == 1) & (whole.e == 1)
    gaps = whole[~gone]
    show("with gaps", gaps)
    mixed = smf.mixedlm(
        "y ~ 1", gaps.assign(one=1), groups="one",
        vc_formula={name: "0 + C(" + " + '/' + ".join(f"{key}.astype(str)" for key in keys) + ")"
                    for name, keys in LABELS.items()}).fit(reml=True)
    print("REML, variances by name:", dict(zip(sorted(LABELS), mixed.vcomp)), "e", mixed.scale)

    impedance = np.array([
        [[37, 38, 37], [41, 41, 40], [41, 42, 41]], [[42, 41, 43], [42, 42, 42], [43, 42, 43]],
        [[30, 31, 31], [31, 31, 31], [29, 30, 28]], [[42, 43, 42], [43, 43, 43], [42, 42, 42]],
        [[28, 30, 29], [29, 30, 29], [31, 29, 29]], [[42, 42, 43], [45, 45, 45], [44, 46, 45]],
        [[25, 26, 27], [28, 28, 30], [29, 27, 27]], [[40, 40, 40], [43, 42, 42], [43, 43, 41]],
        [[25, 25, 25], [27, 29, 28], [26, 26, 26]], [[35, 34, 34], [35, 35, 34], [35, 34, 35]],
    ], float)
    grand, p, o, n = impedance.mean(), 10, 3, 3
    ssp = o * n * ((impedance.mean((1, 2)) - grand) ** 2).sum()
    sso = p * n * ((impedance.mean((0, 2)) - grand) ** 2).sum()
    cell = n * ((impedance.mean(2) - grand) ** 2).sum()
    sse = ((impedance - impedance.mean(2, keepdims=True)) ** 2).sum()
    msp, mso, mspo, mse = ssp / 9, sso / 2, (cell - ssp - sso) / 18, sse / 60
    print("\nthermal impedance: MS", msp, mso, mspo, mse)
    print("  part", (msp - mspo) / 9, "inspector", (mso - mspo) / 30, "p x i", (mspo - mse) / 3,
          "repeat", mse, "F of p x i", mspo / mse, "p", stats.f.sf(mspo / mse, 18, 60))
    print("  F part", msp / mspo, "p", stats.f.sf(msp / mspo, 9, 18))
    # Modified large sample (Graybill and Wang, 1980) for the gauge: a sum of mean squares with weights above 0.
    parts = [(mso / (p * n), 2), ((p - 1) * mspo / (p * n), 18), ((n - 1) * mse / n, 60)]
    gauge = sum(part for part, _ in parts)
    low = gauge - np.sqrt(sum(((1 - df / stats.chi2.ppf(0.975, df)) * part) ** 2 for part, df in parts))
    high = gauge + np.sqrt(sum(((df / stats.chi2.ppf(0.025, df) - 1) * part) ** 2 for part, df in parts))
    print("  gauge", gauge, "modified large sample 95 %:", low, high)
    print("  repeat, exact 95 %:", sse / stats.chi2.ppf(0.975, 60), sse / stats.chi2.ppf(0.025, 60))
