"""Groups of a stratum, merged until none of them tells too much.

In a stratum a row fits all slots of its primary value equally well, so what a group tells is a sum over its slots: the
shares of their buckets less what is allowed. Groups that are above a limit take in others that are below.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from voile.kernels import lazy_module
from voile.methods.decompose.strata import Strata
from voile.releases.row_matching.known_values import Conditions

sparse = lazy_module("scipy.sparse")

kernel = lazy_module("voile.methods.decompose.kernel")

ROUNDING = 1e-10
FINE_ROUNDING = 1e-13  # for conditions, which few rows of a group may decide
CELLS = 4_000_000  # groups x limits that are held at once before those that nobody exceeds are dropped


def merge_stratum(
    strata: Strata,
    stratum: int,
    buckets: np.ndarray,
    sizes: np.ndarray,
    group: np.ndarray,
    levels: Sequence[int],
    conditions: Sequence[Conditions],
) -> tuple[np.ndarray, int]:
    """Return the group of each row (sorted by bucket) once groups are merged, and how many groups there are.

    `buckets` are the primary values of the stratum and `sizes` their rows; `levels` are the l of the secondary columns.
    """
    starts, groups = np.concatenate([[0], np.cumsum(sizes)]), int(group.max(initial=-1)) + 1
    excess = _exceeded(_share_excess(strata, stratum, buckets, sizes, levels), starts, group, groups, ROUNDING)
    for condition in conditions:
        shares = _condition_excess(strata, stratum, buckets, sizes, condition)
        excess = np.concatenate([excess, _exceeded(shares, starts, group, groups, FINE_ROUNDING)], axis=1)
    if not excess.shape[1]:
        return group, groups
    label = _merge_best(excess)
    return label[group], int(label.max()) + 1


def _merge_best(excess: np.ndarray) -> np.ndarray:
    """Return the new label of each group, such that no group is above a limit and as many as possible remain.

    Where most groups are above many limits at once, single partners repair little. So groups are also bundled first,
    two, three, five ... at a time, as long as this could leave more of them; groups that were formed one after the
    other go to different bundles.
    """
    groups, width = excess.shape[0], 1
    best = np.zeros(groups, dtype=np.int64)
    while groups // width > best.max() + 1:
        bundle = np.arange(groups) % (groups // width)
        sums = np.zeros((groups // width, excess.shape[1]))
        np.add.at(sums, bundle, excess)
        label = kernel.merge_groups(sums, FINE_ROUNDING)[bundle]
        best = label if label.max() > best.max() else best
        width += 1 + width // 3
    return best


def _exceeded(shares: np.ndarray, starts: np.ndarray, group: np.ndarray, groups: int, rounding: float) -> np.ndarray:
    """Return how far each group is above the limits that some group exceeds; sums of the others stay below them."""
    shares = shares[:, (shares > rounding).any(axis=0)]
    step = max(1, CELLS // max(groups, 1))
    parts = [np.zeros((groups, 0))]
    for low in range(0, shares.shape[1], step):
        excess = kernel.compute_excess(starts, group, np.ascontiguousarray(shares[:, low : low + step]), groups)
        parts.append(excess[:, (excess > rounding).any(axis=0)])
    return np.concatenate(parts, axis=1)


def _share_excess(
    strata: Strata, stratum: int, buckets: np.ndarray, sizes: np.ndarray, levels: Sequence[int]
) -> np.ndarray:
    """Return, for each bucket of a stratum, the share of every secondary value that has an l, less 1/l."""
    inside = strata.stratum == stratum
    codes, counts = strata.codes[inside], strata.counts[inside]
    bucket = np.searchsorted(buckets, codes[:, 0])
    parts = [np.zeros((len(buckets), 0))]
    for position, level in enumerate(levels, 1):
        if level > 1:
            values, column = np.unique(codes[:, position], return_inverse=True)
            table = np.zeros((len(buckets), len(values)))
            np.add.at(table, (bucket, column), counts)
            parts.append(table / sizes[:, None] - 1 / level)
    return np.concatenate(parts, axis=1)


def _condition_excess(
    strata: Strata, stratum: int, buckets: np.ndarray, sizes: np.ndarray, condition: Conditions
) -> np.ndarray:
    """Return, for each bucket of a stratum, how far one row lies above each condition."""
    inside = np.flatnonzero(strata.stratum == stratum)
    bucket = np.searchsorted(buckets, strata.codes[inside, 0])
    shape = (len(buckets), len(strata.counts))
    chances = sparse.csr_matrix((strata.counts[inside] / sizes[bucket], (bucket, inside)), shape=shape)
    return condition.excess(chances)
