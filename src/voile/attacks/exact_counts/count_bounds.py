"""How many cases each kind of people can have, if sums over classes of them are known exactly or within limits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

ROUNDS = 100  # bounds are sound whenever the search for tighter ones stops
OUTSIDE = -1


@dataclass(frozen=True, eq=False)
class Partition:
    """Classes of entries, and between which numbers the cases of each class lie. An entry of class OUTSIDE is in none.

    An entry stands for people who are alike: in one group, with one quasi-identifier.
    """

    classes: np.ndarray
    fewest: np.ndarray
    most: np.ndarray

    def sum_over(self, numbers: np.ndarray) -> np.ndarray:
        """Return the sum over the entries of each class."""
        inside = self.classes != OUTSIDE
        sums = np.bincount(self.classes[inside], weights=numbers[inside], minlength=len(self.fewest))
        return np.rint(sums).astype(np.int64)

    def spread(self, numbers: np.ndarray, otherwise: float) -> np.ndarray:
        """Return the number of its class for each entry."""
        return np.where(self.classes != OUTSIDE, np.append(numbers, otherwise)[self.classes], otherwise)


def subtract_groups(partition: Partition, groups: Partition) -> Partition:
    """Remove the groups that lie within one class and whose cases are known: the class has that many fewer."""
    lowest = np.full(len(groups.fewest), len(partition.fewest), dtype=np.int64)
    highest = np.full(len(groups.fewest), OUTSIDE, dtype=np.int64)
    is_grouped = groups.classes != OUTSIDE
    np.minimum.at(lowest, groups.classes[is_grouped], partition.classes[is_grouped])
    np.maximum.at(highest, groups.classes[is_grouped], partition.classes[is_grouped])
    removed = (lowest == highest) & (lowest != OUTSIDE) & (groups.fewest == groups.most)
    cases = np.zeros(len(partition.fewest), dtype=np.int64)
    np.add.at(cases, lowest[removed], groups.fewest[removed])
    is_removed = is_grouped & np.append(removed, False)[groups.classes]
    classes = np.where(is_removed, OUTSIDE, partition.classes)
    return Partition(classes, partition.fewest - cases, partition.most - cases)


def bound_cases(people: np.ndarray, partitions: Sequence[Partition]) -> tuple[np.ndarray, np.ndarray] | None:
    """Return the fewest and the most cases that each entry can have; None if no numbers fit.

    Each sum bounds each of its terms by what the others leave, again and again. That is sound, and may miss what
    follows only from several sums together. O(entries * partitions) per round.
    """
    low, high = np.zeros(len(people), dtype=np.int64), people.astype(np.int64).copy()
    for _ in range(ROUNDS):
        before = int((high - low).sum())
        for partition in partitions:
            inside = np.flatnonzero(partition.classes != OUTSIDE)
            classes = partition.classes[inside]
            sum_low, sum_high = partition.sum_over(low)[classes], partition.sum_over(high)[classes]
            new_high = np.minimum(high[inside], partition.most[classes] - (sum_low - low[inside]))
            low[inside] = np.maximum(low[inside], partition.fewest[classes] - (sum_high - high[inside]))
            high[inside] = new_high
            if (low > high).any():
                return None
        if int((high - low).sum()) == before:
            break
    return low, high


def remaining_rates(partition: Partition, people: np.ndarray, low: np.ndarray, is_open: np.ndarray) -> np.ndarray:
    """Return for each open entry the mean of all open people of its class: the cases that are left after those of the
    other entries (`low`), by the people that are left. 0 for the others, and where a class is known within limits
    only."""
    cases = partition.fewest - partition.sum_over(np.where(is_open, 0, low))
    rates = cases / np.maximum(partition.sum_over(np.where(is_open, people, 0)), 1)
    rates = np.where(partition.fewest == partition.most, rates, 0.0)
    return np.asarray(np.where(is_open, partition.spread(rates, 0.0), 0.0))
