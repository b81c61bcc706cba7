# SPDX-License-Identifier: Apache-2.0
"""Slopes on the temperature by statsmodels' RLM: the peer of TemperatureEffect.

    python3 temperature.py > temperature.json        (statsmodels 0.14, numpy)

Writes for each case the nights, what is put in, and coefficient and standard error (cov H1) of the temperature beside
levels between steps and a drift; the lag-one correlations of residuals and of the temperature that the other columns
leave; and nothing of the correction for them, which TemperatureEffect makes itself.
"""
import json
import sys

import numpy as np
import statsmodels.api as sm


def lag(x):
    return float(np.sum(x[:-1] * x[1:]) / np.sum(x * x))


def case(seed, count, steps, outliers, phi):
    rng = np.random.default_rng(seed)
    days = np.cumsum(rng.integers(1, 3, count))
    celsius = 22 + 4 * np.sin(2 * np.pi * days / 365) + rng.normal(0, 1, count)
    noise = np.zeros(count)
    for i in range(count):
        noise[i] = (phi * noise[i - 1] if i else 0) + rng.normal(0, 0.3)
    value = 175 - 0.175 * (celsius - 22) + 0.002 * days + noise
    for step in steps:
        value[step:] += 3
    value[rng.choice(count, outliers, replace=False)] += 20
    segments = np.searchsorted(steps, np.arange(count), side="right") if steps else np.zeros(count, int)
    columns = [(segments == s).astype(float) for s in sorted(set(segments))]
    columns.append((days - days.mean()) / 100)
    warmth = celsius - celsius.mean()
    design = np.column_stack(columns + [warmth])
    fit = sm.RLM(value, design, M=sm.robust.norms.HuberT(1.345)).fit(
        cov="H1", maxiter=500, tol=1e-12, conv="coefs")
    others = np.column_stack(columns)
    rest = warmth - others @ np.linalg.lstsq(others, warmth, rcond=None)[0]
    return {
        "days": days.tolist(), "celsius": celsius.tolist(), "values": value.tolist(), "steps": steps,
        "slope": float(fit.params[-1]), "error": float(fit.bse[-1]),
        "residuals": lag(np.asarray(fit.resid)), "temperatures": lag(rest),
    }


json.dump([
    case(1, 60, [], 0, 0.0), case(2, 120, [50], 5, 0.0), case(3, 365, [100, 250], 20, 0.5),
    case(4, 40, [], 3, 0.8),
], sys.stdout, indent=1)
