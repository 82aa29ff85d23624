"""Estimate how many people are alone in a population from the sizes of the groups in a sample of it.

All four take the sample as drawn without regard to the columns, and see group sizes only. They differ in what they
assume about the groups that the sample did not reach; none of it can be checked in the sample.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy import optimize, special, stats

STEPS = 3  # halvings of the sample from which growth is extrapolated


def estimate_zayatz(sizes: np.ndarray, population: int) -> float:
    """Estimate by Zayatz (1991): the population's groups have the sizes of the sample's groups."""
    sample = int(sizes.sum())
    fraction = sample / population
    size, groups = np.unique(sizes, return_counts=True)
    alone = float(groups[size == 1].sum())
    # of the groups that would show one person in the sample, which share has only one
    seen_once = float((groups * stats.hypergeom.pmf(1, population, size, sample)).sum())
    return alone * (alone * fraction / seen_once) / fraction if alone else 0.0


def estimate_pitman(sizes: np.ndarray, population: int) -> float:
    """Estimate by Pitman's model (Hoshino 2001): groups grow as in the Ewens-Pitman sampling formula, whose two
    parameters maximize the likelihood of the sample. Uniques then grow as a power of the number of people."""
    sample, groups = int(sizes.sum()), len(sizes)
    size, count = np.unique(sizes, return_counts=True)

    def negative_log_likelihood(parameters: np.ndarray) -> float:
        theta, alpha = np.exp(parameters[0]), special.expit(parameters[1])
        opened = (groups - 1) * np.log(alpha) + _log_ratio(theta / alpha + 1, groups - 1)
        grown = (count * _log_ratio(1 - alpha, size - 1)).sum()
        return float(_log_ratio(theta + 1, sample - 1) - opened - grown)

    found = _minimize(negative_log_likelihood, [(start, slope) for start in (0, 4, 8) for slope in (-2, 0, 2)])
    theta, alpha = np.exp(found[0]), special.expit(found[1])
    alone = _log_ratio(theta + alpha, population - 1) - _log_ratio(theta + 1, population - 1)
    return float(population * np.exp(alone))


def estimate_slide_negative_binomial(sizes: np.ndarray, population: int) -> float:
    """Estimate by the slide negative binomial model (Chen and McNulty 1998): the size of a population group, minus one,
    is negative binomial; the parameters maximize the likelihood of the sizes that the sample shows."""
    fraction = int(sizes.sum()) / population
    size, count = np.unique(sizes, return_counts=True)
    if fraction == 1:
        return float(count[size == 1].sum())

    def log_chance(shape: float, chance: float, seen: np.ndarray) -> np.ndarray:
        """The chance that so many people of a group are in the sample: its first person may be or not."""
        thinned = chance / (chance + fraction * (1 - chance))
        rest = np.log(stats.nbinom.pmf(np.stack([seen - 1, seen]), shape, thinned) + 1e-300)
        return np.asarray(np.logaddexp(np.log(fraction) + rest[0], np.log1p(-fraction) + rest[1]))

    def negative_log_likelihood(parameters: np.ndarray) -> float:
        shape, chance = np.exp(parameters[0]), special.expit(parameters[1])
        unseen = np.exp(log_chance(shape, chance, np.zeros(1)))[0]
        return float(-(count * (log_chance(shape, chance, size) - np.log1p(-min(unseen, 1 - 1e-12)))).sum())

    found = _minimize(negative_log_likelihood, [(shape, odds) for shape in (-4, -1, 1) for odds in (-6, -2, 2)])
    shape, chance = np.exp(found[0]), special.expit(found[1])
    unseen = float(np.exp(log_chance(shape, chance, np.zeros(1)))[0])
    return float(len(sizes) / (1 - min(unseen, 1 - 1e-12)) * chance**shape)


def estimate_by_growth(sizes: np.ndarray, population: int) -> float:
    """Estimate by how the share of people who are alone falls as the sample grows.

    What smaller samples would show is known exactly (rarefaction). The log-odds of the share over the logarithm of the
    sample's size is nearly a line; it is drawn through the sample and its last halvings, and prolonged.
    """
    sample = int(sizes.sum())
    size, count = np.unique(sizes, return_counts=True)
    points = sorted({max(sample >> step, 1) for step in range(STEPS + 1)})
    alone = np.array([(count * stats.hypergeom.pmf(1, sample, size, point)).sum() for point in points])
    share = np.clip(alone / points, 1e-12, 1 - 1e-12)
    if not (sizes == 1).any() or len(points) < 2 or share[-1] > 1 - 1e-9:
        return float(population * alone[-1] / points[-1])
    slope, _start = np.polyfit(np.log(points), special.logit(share), 1)
    return float(population * special.expit(min(slope, 0.0) * np.log(population / sample) + special.logit(share[-1])))


def _log_ratio(start: np.ndarray | float, steps: np.ndarray | int) -> np.ndarray:
    """The logarithm of start (start + 1) ... (start + steps - 1)."""
    return np.asarray(special.gammaln(np.add(start, steps)) - special.gammaln(start))


def _minimize(function: Callable[[np.ndarray], float], starts: list[tuple[float, float]]) -> np.ndarray:
    """Return the best of the minima that a simplex search finds from some starts: the same for the same sample."""
    bounds = [(-30.0, 30.0), (-30.0, 30.0)]
    found = [optimize.minimize(function, start, method="Nelder-Mead", bounds=bounds) for start in starts]
    return np.asarray(min(found, key=lambda result: result.fun).x)
