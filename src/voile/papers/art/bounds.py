"""The quantities that the ART papers define, for one group or one table, each as a small function.

Throughout, `priors[t][v]` is the probability of value v for people like tuple t, and `values` is the multiset of values
(their indices) that is published for the group.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from voile import kernels
from voile.adversaries.prior_posterior import MAX_STATES
from voile.errors import InconsistentKnowledge, PolicyError
from voile.kernels import lazy_module

merging_kernel = lazy_module("voile.methods.art.kernel.merging")

SLACK, FINE = 1e-9, 1e-12  # for beliefs and for spreads

Table = Sequence[Sequence[float]]


def delta_ceil(N: int, r: float, f_max: float) -> float:  # noqa: N803 - the letter of the paper
    """Return how far the probabilities of a value may spread in a group of N (inequality 4 of the papers).

    >>> round(delta_ceil(3, 2, 0.1), 4)
    0.0474
    """
    return float(merging_kernel.spread_ceiling(N, float(r), float(f_max)))


def expected_min_size(r: float, f_max: float, delta: float) -> int | None:
    """Return the least group size that admits a spread, None if no size does.

    >>> expected_min_size(2, 0.1, 0.097)
    38
    """
    size = merging_kernel.least_size(float(r), float(f_max), float(delta))
    return None if math.isinf(size) else int(size)


def linkage_exact(priors: Table, values: Sequence[int]) -> list[list[float]]:
    """Return p(t:x) for every tuple and value by equations 1 to 3: the share of weight of the worlds in which t has x.

    >>> [round(belief, 4) for belief in linkage_exact([[0.1, 0.9], [0.003, 0.997]], [0, 1])[0]]
    [0.9736, 0.0264]
    """
    matrix, kinds, capacity = _group(priors, values)
    rows, home, amounts = np.unique(matrix[:, kinds], axis=0, return_inverse=True, return_counts=True)
    home, amounts = home.reshape(-1), amounts.astype(np.int64)
    by_bin, by_class = (int(kernels.world_walk.count_states(sizes, MAX_STATES)) for sizes in (capacity, amounts))
    needed = min(by_bin, by_class)
    if needed > MAX_STATES:
        raise PolicyError(
            f"A group of {len(matrix)} tuples has more than {MAX_STATES} states.",
            code="policy.states",
            hint="Use swap_bound, which is an upper bound.",
        )
    scratch = np.empty(needed), np.empty(needed)
    if by_bin <= by_class:
        found, possible = kernels.world_walk.compute_expected_counts(rows, amounts, capacity, *scratch)
    else:
        turned, possible = kernels.world_walk.compute_expected_counts(rows.T.copy(), capacity, amounts, *scratch)
        found = turned.T
    if not possible:
        raise _contradiction()
    result = np.zeros(matrix.shape)
    result[:, kinds] = (found / amounts.reshape(-1, 1))[home]
    return [[float(belief) for belief in row] for row in result]


def linkage_binary(f: Sequence[float]) -> list[float]:
    """Return the same if x occurs once and the adversary weighs it only against "not x": odds over the sum of odds.

    >>> [round(belief, 3) for belief in linkage_binary([0.1, 0.08, 0.09])]
    [0.374, 0.293, 0.333]
    """
    chance = np.asarray(f, dtype=np.float64)
    sure = chance >= 1
    if sure.sum() > 1 or not (chance > 0).any():
        raise _contradiction()
    if sure.any():
        return [float(one) for one in sure]
    odds = chance / (1 - chance)
    return [float(one) for one in odds / odds.sum()]


def certify_group(priors: Table, values: Sequence[int], r: float) -> dict[str, float | bool]:
    """Return whether a group meets the papers' condition for each of its values, its greatest belief, and whether that
    stays within 1/r. The condition does not imply the belief.
    """
    exact = float(np.max(linkage_exact(priors, values)))
    return {
        "delta_condition": delta_condition(priors, values, r),
        "exact_max": exact,
        "r_robust": bool(exact <= 1 / r + SLACK),
    }


def delta_condition(priors: Table, values: Sequence[int], r: float) -> bool:
    """Return the papers' test of a group: every value occurs once, and its probabilities spread within the ceiling."""
    matrix, kinds, capacity = _group(priors, values)
    size = len(matrix)
    if size < r or (capacity > 1).any():
        return False
    top, bottom = matrix[:, kinds].max(axis=0), matrix[:, kinds].min(axis=0)
    return all(high - low <= delta_ceil(size, r, high) + FINE for high, low in zip(top, bottom, strict=True))


def swap_bound(priors: Table, values: Sequence[int], value: int) -> list[float]:
    """Return, for each tuple, an upper bound on p(t:value), sound in the full reading."""
    matrix, kinds, capacity = _group(priors, values)
    if value not in kinds:
        return [0.0] * len(matrix)
    weights = np.ascontiguousarray(matrix[:, kinds])
    place = int(np.searchsorted(kinds, value))
    found = kernels.world_walk.bound_by_swaps(weights, np.ones(len(matrix), dtype=np.int64), capacity, place)
    return [float(bound) for bound in found]


def ratio_limit(N: int, r: float) -> float:  # noqa: N803
    """Return the corrected condition: the largest ratio of probabilities, value by value, that makes a group r-robust.

    >>> ratio_limit(10, 2)
    3.0
    """
    return math.sqrt((N - 1) / (r - 1))


def omega_estimate(priors: Table, values: Sequence[int]) -> list[list[float]]:
    """Return the approximation of Li and others: one normalisation by column, one by row. It may understate the belief;
    never certify with it."""
    matrix, kinds, capacity = _group(priors, values)
    held = matrix[:, kinds]
    column = held.sum(axis=0)
    shares = np.divide(held * capacity, column, out=np.zeros_like(held), where=column > 0)
    row = shares.sum(axis=1, keepdims=True)
    if not (row > 0).all():
        raise _contradiction()
    result = np.zeros(matrix.shape)
    result[:, kinds] = shares / row
    return [[float(one) for one in line] for line in result]


def m_uniqueness_eligible(counts: Mapping[str, int], r: float, n: int | None = None) -> bool:
    """Return whether groups of r rows in which no value repeats can exist: the most frequent value times r fits in."""
    return max(counts.values()) * r <= (sum(counts.values()) if n is None else n)


def m_uniqueness_max_r(counts: Mapping[str, int], n: int | None = None) -> float:
    """Return the largest r for which such groups can exist.

    >>> m_uniqueness_max_r({"a": 5, "b": 3, "c": 2})
    2.0
    """
    return (sum(counts.values()) if n is None else n) / max(counts.values())


def closeness(L: Mapping[str, Sequence[float]], Lp: Mapping[str, Sequence[float]]) -> float:  # noqa: N803
    """Return D(L, L'): how much the spread grows when L' joins L, summed over the column sets."""
    return float(sum(_spread([*held, *Lp[names]]) - _spread(held) for names, held in L.items()))


def average_delta(groups: Mapping[str, Sequence[float] | np.ndarray]) -> float:
    """Return the mean over column sets of the mean spread of their groups."""
    return float(np.mean([np.mean(spreads) for spreads in groups.values()]))


def _spread(chances: Sequence[float]) -> float:
    return max(chances) - min(chances)


def _group(priors: Table, values: Sequence[int]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the matrix of probabilities, the values that occur, and how often each does."""
    matrix = np.asarray(priors, dtype=np.float64)
    kinds, capacity = np.unique(np.asarray(values, dtype=np.int64), return_counts=True)
    if matrix.ndim != 2 or len(matrix) != len(values):
        raise PolicyError(
            f"A group needs as many values as tuples, not {len(values)} for {len(matrix)}.", code="policy.group"
        )
    return matrix, kinds, capacity.astype(np.int64)


def _contradiction() -> InconsistentKnowledge:
    return InconsistentKnowledge(
        "The prior contradicts the group: no assignment of its values is possible.",
        code="data.prior-contradicts",
        hint="Correct the statistics.",
    )
