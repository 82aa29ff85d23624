"""The risk of each person from survey weights: Benedetti and Franconi's, as sdcMicro computes it."""

from __future__ import annotations

import numpy as np

from voile.errors import DataError


def estimate_risk(sample: np.ndarray, population: np.ndarray) -> np.ndarray:
    """Return the expected value of 1/F for groups of `sample` people whose weights sum to `population`.

    F given f is taken as negative binomial with success chance f/F; up to three people the expectation is exact, above
    it is sdcMicro's approximation.

    >>> estimate_risk(np.array([1, 2]), np.array([17.0, 110.0])).round(5).tolist()
    [0.17708, 0.01714]
    """
    chance = np.minimum(sample / population, 1.0)
    rest = np.where(chance < 1, 1 - chance, 1.0)  # a group that is wholly in the sample is filled in below
    log = np.log(chance)
    by_size = {
        1: -chance / rest * log,
        2: chance / rest**2 * (chance * log + rest),
        3: chance / (2 * rest**3) * (rest * (3 * rest - 2) - 2 * chance**2 * log),
    }
    risk = chance / (sample - 1 + chance)
    for size, exact in by_size.items():
        risk = np.where(sample == size, exact, risk)
    # close to a whole group the exact forms cancel digits
    return np.where(chance > 1 - 1e-6, 1 / sample, np.minimum(risk, 1 / sample))


def check_weights(name: str, weights: np.ndarray) -> np.ndarray:
    """Return weights as numbers; a weight says how many people a row stands for, so it is at least 1."""
    wrong = int((~(np.isfinite(weights) & (weights >= 1))).sum())
    if wrong:
        raise DataError(
            f"{wrong:,} different weights in {name!r} are missing, not finite or below 1.",
            code="data.weight",
            hint="A weight says how many people of the population a row stands for: at least one. Clean the column.",
        )
    return weights
