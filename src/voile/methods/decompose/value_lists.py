"""The values that groups list: all of their classes, or their own and some noise."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from voile import kernels
from voile.kernels import lazy_kernel
from voile.methods.decompose.strata import Strata

kernel = lazy_kernel("voile.methods.decompose.kernel")

DENSE = 1 << 22


@dataclass(frozen=True, eq=False)
class Lists:
    """Who is in which group: for each slot, sorted by group and primary value, the group and the kind of row."""

    groups: int
    group: np.ndarray
    kind: np.ndarray
    strata: Strata
    sizes: tuple[int, ...]

    def __repr__(self) -> str:
        return f"Lists({self.groups} groups)"

    @property
    def cuts(self) -> np.ndarray:
        """Where each group starts among the slots."""
        return np.searchsorted(self.group, np.arange(self.groups + 1))

    @property
    def primary(self) -> np.ndarray:
        return np.asarray(self.strata.codes[self.kind, 0])


def dense_types(
    codes: Sequence[np.ndarray], sizes: Sequence[int], counts: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The type of each row, the types (rising), and how many people each has. O(rows) where few types are possible."""
    widest = int(np.prod([float(size) for size in sizes]))
    if widest > DENSE:
        kind, first = kernels.distinct_rows.rank_rows(codes, sizes)
        types = np.stack([column[first] for column in codes], axis=1).astype(np.int64)
        return kind, types, np.bincount(kind, weights=counts, minlength=len(first)).astype(np.int64)
    key = np.zeros(len(counts), dtype=np.int64)
    for column, size in zip(codes, sizes, strict=True):
        key *= size
        key += column
    people = np.bincount(key, weights=counts, minlength=widest).astype(np.int64)
    found = np.flatnonzero(people)
    rank = np.cumsum(people > 0) - 1
    types = np.stack(np.unravel_index(found, sizes), axis=1).astype(np.int64)
    return rank[key], types, people[found]


def class_lists(lists: Lists, column: int, joint: bool) -> tuple[np.ndarray, np.ndarray]:
    """For each group all values of its class in a column: where each group starts, and the values.

    With a joint table only those that some row of the group's stratum has together with one of the group's primary
    values: any other could be refuted, and nothing is lost by leaving it out.
    """
    strata = lists.strata
    if joint:
        place, starts, values = _values_of(
            strata.stratum * lists.sizes[0] + strata.codes[:, 0], strata.codes[:, column]
        )
    else:
        place, starts, values = _values_of(strata.stratum, strata.codes[:, column])
        one_each = lists.cuts[:-1]
        slots = np.arange(lists.groups + 1)
        return kernel.unite_values(  # type: ignore[no-any-return]
            slots, place[lists.kind[one_each]], starts, values, lists.sizes[column]
        )
    return kernel.unite_values(lists.cuts, place[lists.kind], starts, values, lists.sizes[column])  # type: ignore[no-any-return]


def listed_with_noise(lists: Lists, column: int, wanted: int, joint: bool) -> tuple[np.ndarray, np.ndarray]:
    """For each group its own values and, up to `wanted`, the most frequent others; with a joint table only such as some
    row has together with one of the group's primary values (the paper's rule, which is necessary and not
    sufficient)."""
    strata, size = lists.strata, lists.sizes[column]
    own = strata.codes[:, column]
    begins, listed = kernel.unite_values(lists.cuts, lists.kind, np.arange(len(own) + 1), own, size)
    people = np.bincount(own, weights=strata.counts, minlength=size)
    order = np.lexsort((np.arange(size), -people))
    order = order[people[order] > 0]
    key = strata.codes[:, 0] if joint else np.zeros(len(own), dtype=np.int64)
    place, starts, values = _values_of(key, own)
    return kernel.pad_lists(  # type: ignore[no-any-return]
        begins, listed, wanted, lists.cuts, place[lists.kind], starts, values, order, size
    )


def _values_of(owner: np.ndarray, value: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The rank of each owner, and the different values of each: where they start, and the values, rising."""
    _, rank = np.unique(owner, return_inverse=True)
    width = int(value.max(initial=0)) + 1
    found = np.unique(rank * width + value)
    return rank, np.searchsorted(found // width, np.arange(int(rank.max(initial=-1)) + 2)), found % width
