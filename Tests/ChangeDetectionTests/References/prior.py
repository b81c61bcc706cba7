# SPDX-License-Identifier: Apache-2.0
"""What NoisePriorTests expects: polygamma functions and the prior of variances, by SciPy.

Run with python3, NumPy and SciPy; it prints the numbers that stand in the tests.
"""

import numpy as np
from scipy import optimize, special

for x in (0.1, 0.5, 1.0, 2.5, 7.9, 8.0, 60.0):
    print(x, repr(float(special.digamma(x))), repr(float(special.polygamma(1, x))))


def inverse_trigamma(value):
    return optimize.brentq(lambda x: special.polygamma(1, x) - value, 1e-3, 1e6, xtol=1e-14)


def prior(deviations, freedoms):
    """Smyth (2004), section 6.2, with two sisters' weight of a usual spread of 1."""
    s, d = np.array(deviations), np.array(freedoms)
    z = np.log(s**2) - special.digamma(d / 2) + np.log(d / 2)
    squares = ((z - z.mean()) ** 2).sum()
    between = max(squares - (len(s) - 1) * special.polygamma(1, d / 2).mean(), 0)
    half = inverse_trigamma((2 * 1.0 + between) / (2 + len(s) - 1))
    return float(np.sqrt(np.exp(z.mean() + special.digamma(half) - np.log(half)))), 2 * half


for deviations, freedoms in (
    ([0.2], [9]),
    ([0.2, 0.2, 0.2, 0.2], [30, 30, 30, 30]),
    ([0.1, 0.25, 0.18, 0.3, 0.22], [4, 20, 8, 60, 100]),
    ([0.01, 1.0, 0.1], [100, 100, 100]),
):
    print(deviations, freedoms, *map(repr, prior(deviations, freedoms)))
