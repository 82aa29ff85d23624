"""The fixed channel of each group size: what a group publishes in place of a count that reveals too much.

A count of a protected value passes if it is at most 1/l of the group, and is then published as it is. A count that
fails becomes one that passes, by probabilities that depend on the size of the group, on l and on a declared rate, and
on nothing else. At that rate, a count j of a group of n has the chance P(j) of a binomial distribution. A failing count
takes up P(j)(j/n - 1/l) of belief; a passing count i has room for P(i)(1/l - i/n). Failing counts are spread over
passing ones such that no room is exceeded, so belief in the value is at most 1/l after any published count.

- `monotone`: failing counts in rising order fill the room of passing counts from the top: the fewest changes.
- `slack`: every failing count becomes a passing one in proportion to its room.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import accumulate

import numpy as np

from voile.methods.mask.exact_choice import choose
from voile.tables.secret_key import Key

SAMPLINGS = ("monotone", "slack")


@dataclass(frozen=True)
class SizeChannel:
    """The channels of all group sizes for one protected value: `rate` is at most 1/l."""

    l: int  # noqa: E741 - the letter of the literature
    rate: Fraction
    sampling: str

    def publish_counts(self, sizes: np.ndarray, counts: np.ndarray, key: Key, purpose: str) -> np.ndarray:
        """Return the counts that groups of these sizes publish in place of their counts of a protected value."""
        published = counts.copy()
        failing = np.flatnonzero(counts * self.l > sizes)
        kinds, kind = np.unique(np.stack([sizes[failing], counts[failing]], axis=1), axis=0, return_inverse=True)
        order = np.argsort(kind.ravel(), kind="stable")
        starts = np.searchsorted(kind.ravel()[order], np.arange(len(kinds) + 1))
        for number, (size, count) in enumerate(kinds.tolist()):
            alike = order[starts[number] : starts[number + 1]]
            first, ends = self.spread(size, count)
            chosen = choose(ends, len(alike), key, f"{purpose}, {count} of {size}")
            published[failing[alike]] = first - chosen
        return published

    def spread(self, size: int, count: int) -> tuple[int, list[int]]:
        """Return what a failing count becomes: the largest passing count that it may become, and the cumulative integer
        weights of that count and those below it, one by one."""
        room, excess = _room_and_excess(size, self.l, self.rate)
        position = count - size // self.l - 1
        low, high = 0, room[-1]
        if self.sampling == "monotone":
            low, high = excess[position - 1] if position else 0, excess[position]
        first, last = bisect_right(room, low), bisect_left(room, high)
        return size // self.l - first, [min(end, high) - low for end in room[first : last + 1]]


@lru_cache(maxsize=256)
def _room_and_excess(size: int, l: int, rate: Fraction) -> tuple[Sequence[int], Sequence[int]]:  # noqa: E741
    """Return the cumulative room of passing counts from the largest down, and the cumulative excess of failing counts
    from the smallest up, in units that make both integers. O(size) operations on numbers of O(size) digits."""
    yes, no = rate.numerator, rate.denominator - rate.numerator
    weights = [no**size]
    for count in range(size):
        weights.append(weights[-1] * (size - count) * yes // ((count + 1) * no))
    most = size // l
    room = accumulate(weights[count] * (size - l * count) for count in range(most, -1, -1))
    excess = accumulate(weights[count] * (l * count - size) for count in range(most + 1, size + 1))
    return list(room), list(excess)
