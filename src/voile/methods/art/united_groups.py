"""Block grouping that withholds nobody: a group that fails is united with others until they pass together.

Who is in a block and how its rows are dealt looks at nobody's value. Which groups pass does: so somebody who knows the
algorithm may infer something from a group that was united, or from a refusal.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

import numpy as np

from voile.methods.art.block_grouping import deal_blocks
from voile.methods.art.buckets import Buckets
from voile.methods.art.greedy_grouping import AcceptanceTest, Grouping
from voile.methods.art.row_dealing import find_failing
from voile.tables.secret_key import Key


def group_without_withholding(buckets: Buckets, test: AcceptanceTest, key: Key, together: int) -> Grouping | None:
    """Deal the rows of all blocks into groups, and unite those that fail; None if not even the whole table passes.

    A block without a protected row is a group in this, too; where nobody needs it, its rows stay alone.
    """
    everybody, dealt = np.ones(len(buckets.size), dtype=bool), []
    for inside, groups in deal_blocks(buckets, everybody, test, key, together):
        placed = np.bincount(np.concatenate([inside[:0], *groups]), minlength=len(buckets.size))
        rest = np.repeat(inside, (buckets.size - placed)[inside])
        dealt += [*groups, rest] if len(rest) else groups
    united = unite_failing(dealt, lambda members: passes_exactly(buckets, test, members))
    if united is None:
        return None
    grouping = Grouping(buckets.size.copy())
    for members in united:
        if buckets.guarded[members].any():
            kinds, row_counts = np.unique(members, return_counts=True)
            grouping.remaining[kinds] -= row_counts
            grouping.groups.append((kinds, row_counts, 1))
    return grouping


def unite_failing(groups: Iterable[np.ndarray], passes: Callable[[np.ndarray], bool]) -> list[np.ndarray] | None:
    """Unite each group that fails with those after it until they pass together, and the last ones with those before
    them; None if all of them together fail.

    >>> groups = [np.array([1, 1]), np.array([0, 0]), np.array([0, 0]), np.array([1])]
    >>> [group.tolist() for group in unite_failing(groups, lambda group: group.mean() <= 0.5)]
    [[1, 1, 0, 0], [0, 0, 1]]
    """
    united: list[np.ndarray] = []
    pending: np.ndarray | None = None
    for members in groups:
        pending = members if pending is None else np.concatenate([pending, members])
        if passes(pending):
            united.append(pending)
            pending = None
    while pending is not None and united:
        pending = np.concatenate([united.pop(), pending])
        if passes(pending):
            return [*united, pending]
    return united if pending is None else None


def passes_exactly(buckets: Buckets, test: AcceptanceTest, members: np.ndarray) -> bool:
    """Return whether a group keeps belief within its bounds, by the posterior that verify computes."""
    kinds, row_counts = np.unique(members, return_counts=True)
    return not find_failing(buckets, test, [(kinds, row_counts, 1)])[0]


def find_largest_r(buckets: Buckets, test: AcceptanceTest) -> float:
    """Return the largest r for which the whole table as one group passes, 1 if none does."""
    everybody = np.repeat(np.arange(len(buckets.size)), buckets.size)
    low, high = 1.0, test.r
    while high - low > 1e-3:
        middle = 0.5 * (low + high)
        fits = passes_exactly(buckets, replace(test, r=middle), everybody)
        low, high = (middle, high) if fits else (low, middle)
    return low
