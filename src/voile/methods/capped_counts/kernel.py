"""Estimates of how many cases a group may show, for the many groups that are weighed and not taken."""

from __future__ import annotations

import math

import numpy as np

from voile.kernels.compilation import kernel

FAR = 1e12  # an estimate where nobody is in danger


@kernel
def estimate_cap(chances, people, cells, scale, floor, lift):
    """Estimate the largest number of cases that a group may show, from above by less than one case in most groups.

    The two members who decide (see `count_beliefs.find_caps`) reach their bounds when all odds are multiplied by a
    certain factor; the expected number of cases is then about the largest one that may be shown. Each of the `cells`
    stands for `scale` of them. O(cells * sets).
    """
    least = FAR
    for a in range(chances.shape[1]):
        low, high = 0.0, 2.0
        for cell in cells:
            chance = chances[cell, a]
            if chance * lift <= floor:
                low = max(low, chance)
            else:
                high = min(high, chance)
        tilt = FAR
        if low > 0.0:
            tilt = min(tilt, floor / (1.0 - floor) * (1.0 - low) / low)
        if lift * high < 1.0:
            tilt = min(tilt, lift * (1.0 - high) / (1.0 - lift * high))
        if tilt >= FAR:
            continue
        if tilt <= 1.0001:
            return 0.0
        cases = 0.0
        for cell in cells:
            chance = chances[cell, a]
            cases += scale * people[cell] * chance * tilt / (1.0 - chance + chance * tilt)
        # "at least c" tells a little more than c: the mean surplus is that of a geometric tail
        least = min(least, cases - 1.0 / (tilt - 1.0))
    return least


@kernel
def weigh_cut(chances, people, rates, cells, scale, left, floor, lift, deviations):
    """Return how many times the cases that are to be expected in the fuller of two groups may be shown there: 1 or more
    if both groups can probably show their number. `left` marks the cells of the first group."""
    worst = math.inf
    for side in (True, False):
        chosen = cells[left == side]
        expected = 0.0
        for cell in chosen:
            expected += scale * people[cell] * rates[cell]
        cap = math.floor(estimate_cap(chances, people, chosen, scale, floor, lift))
        if cap < 1.0:
            return 0.0
        worst = min(worst, cap / max(expected + deviations * math.sqrt(expected), 1e-9))
        if worst < 1.0:
            return worst
    return worst


@kernel
def measure_spread(chances, people, cells, least):
    """Return, for each column set, the variance of the logarithm of the chances in a group. O(cells * sets)."""
    sets = chances.shape[1]
    mean, square, total = np.zeros(sets), np.zeros(sets), 0.0
    for cell in cells:
        total += people[cell]
        for a in range(sets):
            value = math.log(max(chances[cell, a], least))
            mean[a] += people[cell] * value
            square[a] += people[cell] * value * value
    return square / total - (mean / total) ** 2
