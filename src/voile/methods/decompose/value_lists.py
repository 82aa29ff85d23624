"""The values that groups list: all values of their classes, or their own values and some noise."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from voile import kernels
from voile.kernels import lazy_module
from voile.methods.decompose.strata import Strata

kernel = lazy_module("voile.methods.decompose.kernel")

DENSE = 1 << 22


@dataclass(frozen=True, eq=False)
class GroupSlots:
    """The people as slots, sorted by group and primary value: the group of each slot, and its kind of sensitive row."""

    groups: int
    group: np.ndarray
    kind: np.ndarray
    strata: Strata
    sizes: tuple[int, ...]

    def __repr__(self) -> str:
        return f"GroupSlots({self.groups} groups)"

    @property
    def cuts(self) -> np.ndarray:
        """Where each group starts among the slots, and the end."""
        return np.searchsorted(self.group, np.arange(self.groups + 1))

    @property
    def primary(self) -> np.ndarray:
        return np.asarray(self.strata.codes[self.kind, 0])


def count_kinds(
    codes: Sequence[np.ndarray], sizes: Sequence[int], counts: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the kind of each row (equal codes are one kind), the kinds (rising), and how many people each has.
    O(rows) if few kinds are possible."""
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
    keys = np.flatnonzero(people)
    rank = np.cumsum(people > 0) - 1
    types = np.stack(np.unravel_index(keys, sizes), axis=1).astype(np.int64)
    return rank[key], types, people[keys]


def list_classes(slots: GroupSlots, column: int, joint: bool) -> tuple[np.ndarray, np.ndarray]:
    """Return all values of each group's class in a column: where each group starts, and the values.

    With a joint table, only values that some row of the group's stratum has together with one of the group's primary
    values: any other value could be refuted, so nothing is lost by omitting it.
    """
    strata = slots.strata
    if joint:
        owner_rank, starts, values = _distinct_values(
            strata.stratum * slots.sizes[0] + strata.codes[:, 0], strata.codes[:, column]
        )
    else:
        owner_rank, starts, values = _distinct_values(strata.stratum, strata.codes[:, column])
        first_slots = slots.cuts[:-1]
        one_per_group = np.arange(slots.groups + 1)
        return kernel.unite_values(  # type: ignore[no-any-return]
            one_per_group, owner_rank[slots.kind[first_slots]], starts, values, slots.sizes[column]
        )
    return kernel.unite_values(slots.cuts, owner_rank[slots.kind], starts, values, slots.sizes[column])  # type: ignore[no-any-return]


def list_with_noise(slots: GroupSlots, column: int, length: int, joint: bool) -> tuple[np.ndarray, np.ndarray]:
    """Return each group's own values and, up to `length`, the most frequent others: where each group starts, and the
    values.

    With a joint table, only values that some row has together with one of the group's primary values (the paper's rule,
    which is necessary but not sufficient).
    """
    strata, size = slots.strata, slots.sizes[column]
    row_values = strata.codes[:, column]
    begins, list_values = kernel.unite_values(slots.cuts, slots.kind, np.arange(len(row_values) + 1), row_values, size)
    people = np.bincount(row_values, weights=strata.counts, minlength=size)
    order = np.lexsort((np.arange(size), -people))
    order = order[people[order] > 0]
    key = strata.codes[:, 0] if joint else np.zeros(len(row_values), dtype=np.int64)
    owner_rank, starts, values = _distinct_values(key, row_values)
    return kernel.pad_lists(  # type: ignore[no-any-return]
        begins, list_values, length, slots.cuts, owner_rank[slots.kind], starts, values, order, size
    )


def _distinct_values(owner: np.ndarray, value: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the rank of each owner, and the distinct values of each rank: where they start, and the values, rising."""
    _, rank = np.unique(owner, return_inverse=True)
    width = int(value.max(initial=0)) + 1
    pairs = np.unique(rank * width + value)
    return rank, np.searchsorted(pairs // width, np.arange(int(rank.max(initial=-1)) + 2)), pairs % width
