# SPDX-License-Identifier: Apache-2.0
"""Reference numbers of MeanDifferenceTests: SciPy, of pairs of samples that are drawn from a seed.

    pip install numpy scipy
    python3 welch.py > welch.json

For each pair scipy.stats.ttest_ind(second, first, equal_var=False): the difference, its standard uncertainty, the degrees of
freedom of Welch and Satterthwaite, and p, which is that of the module where both samples have as many values; of others
the degrees of freedom are bounded by (n - 1)(1 + n / N), and p is that of scipy.stats.t. Of all p together
scipy.stats.false_discovery_control(p, method="bh").
"""
import json
import numpy as np
from scipy import stats

random = np.random.default_rng(46)
pairs = []
for count in [(2, 2), (3, 3), (5, 5), (2, 9), (9, 3), (12, 30), (4, 4), (6, 6), (3, 20), (100, 80)]:
    for shift in [0.0, 0.5, 3.0]:
        wide = float(random.uniform(0.1, 4))
        first = [round(float(x), 9) for x in random.normal(10, 1, count[0])]
        second = [round(float(x), 9) for x in random.normal(10 + shift, wide, count[1])]
        found = stats.ttest_ind(second, first, equal_var=False)
        value = float(np.mean(second) - np.mean(first))
        few, many = min(count), max(count)
        freedom = min(found.df, (few - 1) * (1 + few / many))
        chance = found.pvalue if few == many else 2 * stats.t.sf(abs(found.statistic), freedom)
        pairs.append({
            "first": first, "second": second, "difference": value,
            "uncertainty": float(value / found.statistic), "freedom": float(freedom), "chance": float(chance)})
rates = stats.false_discovery_control([pair["chance"] for pair in pairs], method="bh")
for pair, rate in zip(pairs, rates):
    pair["rate"] = float(rate)
print("[\n" + ",\n".join(json.dumps(pair) for pair in pairs) + "\n]")
