"""Which column sets are weighed in which groups, where all of them would take too many steps.

A walk weighs one column set in one group (`voile.kernels.world_walk`). What it takes is known before it is done.
"""

from __future__ import annotations

import numpy as np

from voile.adversaries.group_members import Members
from voile.adversaries.prior import CodedPrior
from voile.kernels.compilation import kernel
from voile.kernels.posterior import EVERYWHERE
from voile.kernels.world_walk import count_states
from voile.tables.group_counts import Counts


def choose_walks(
    coded_prior: CodedPrior, index: np.ndarray, members: Members, counts: Counts, max_states: int, most_steps: int
) -> tuple[np.ndarray, np.ndarray]:
    """Choose which column sets are weighed in which groups (sets x groups; none chosen means all), the cheapest first.
    Where some are left out, one more column set stands for the shares in the whole table."""
    groups = (members.starts, members.counts, counts.starts, counts.counts)
    if _bound_walk_steps(len(index), *groups, max_states) <= most_steps:
        return index, EVERYWHERE
    people = (index, members.starts, members.rows, members.counts)
    steps = _count_walk_steps(len(coded_prior.rows), *people, counts.starts, counts.counts, max_states)
    rising = np.sort(steps, axis=None)
    affordable = int(np.searchsorted(np.cumsum(rising.astype(np.float64)), most_steps, side="right"))
    if affordable == len(rising):
        return index, EVERYWHERE
    weighed = np.concatenate([steps < rising[affordable], np.ones((1, steps.shape[1]), dtype=bool)])
    whole_table = np.full((1, index.shape[1]), coded_prior.overall)
    return np.concatenate([index, whole_table]), weighed


def _bound_walk_steps(
    sets: int, starts: np.ndarray, counts: np.ndarray, value_starts: np.ndarray, value_counts: np.ndarray, most: int
) -> float:
    """Return more steps than all walks take together, whatever people the column sets tell apart. O(entries)."""
    entries, bins = np.diff(starts), np.diff(value_starts)
    owner, value_owner = np.repeat(np.arange(len(entries)), entries), np.repeat(np.arange(len(bins)), bins)
    by_class = np.bincount(owner, np.log2(counts + 1.0), len(entries))
    by_bin = np.bincount(value_owner, np.log2(value_counts + 1.0), len(bins))
    states = np.minimum(2.0 ** np.minimum(np.minimum(by_class, by_bin), 60.0), most + 1.0)
    return float(sets * (2 * states * np.maximum(entries, bins) + (entries * bins + 1.0) ** 2).sum())


@kernel
def _count_walk_steps(
    row_count: int,
    index: np.ndarray,
    starts: np.ndarray,
    members: np.ndarray,
    counts: np.ndarray,
    value_starts: np.ndarray,
    value_counts: np.ndarray,
    max_states: int,
) -> np.ndarray:
    """Return how many steps the walk of each column set through each group takes (sets x groups), as
    `compute_group_beliefs` goes in the full reading: states * bins, forward and back. O(sets * entries)."""
    groups = starts.size - 1
    steps = np.zeros((index.shape[0], groups), np.int64)
    place, last_stamp = np.zeros(row_count, np.int64), np.full(row_count, -1, np.int64)
    stamp = 0
    for g in range(groups):
        begin, end = value_starts[g], value_starts[g + 1]
        size, bins = starts[g + 1] - starts[g], end - begin
        by_bin = count_states(value_counts[begin:end], max_states)
        amounts = np.empty(size, np.int64)
        for a in range(index.shape[0]):
            stamp += 1
            classes = 0
            for e in range(starts[g], starts[g + 1]):
                row = index[a, members[e]]
                if last_stamp[row] != stamp:
                    last_stamp[row], place[row] = stamp, classes
                    amounts[classes] = 0
                    classes += 1
                amounts[place[row]] += counts[e]
            if classes == 1:
                steps[a, g] = bins
                continue
            by_class = count_states(amounts[:classes], max_states)
            if min(by_bin, by_class) > max_states:  # bounded by exchanges
                steps[a, g] = bins * bins * classes * classes
            elif by_bin <= by_class:
                steps[a, g] = 2 * by_bin * bins
            else:
                steps[a, g] = 2 * by_class * classes
            steps[a, g] += classes * bins + size
    return steps
