"""How often each sensitive value occurs in each group. A count-based model looks at nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property

import numpy as np

from voile import kernels
from voile.tables.schema import Column


@dataclass(frozen=True, eq=False)
class Counts:
    """Group sizes and, for one sensitive column, the counts of the values that occur, group after group.

    The values of group g are `values[starts[g]:starts[g+1]]` in rising code order, their counts beside them.
    Without a sensitive column only `sizes` is meaningful. If a release publishes no counts, `counts` are expected
    values, and `remarks` say for how many people they are an estimate.
    """

    sizes: np.ndarray
    starts: np.ndarray
    values: np.ndarray
    counts: np.ndarray
    totals: np.ndarray
    column: Column | None = None
    remarks: Mapping[str, float] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"Counts({self.groups} groups)"

    @property
    def groups(self) -> int:
        return len(self.sizes)

    @cached_property
    def owner(self) -> np.ndarray:
        """The group of each entry."""
        return np.repeat(np.arange(self.groups), np.diff(self.starts))

    def largest(self) -> np.ndarray:
        """The count of the most frequent value of each group."""
        return _reduce(np.maximum, self.counts, self.starts)

    def distinct(self) -> np.ndarray:
        """The number of different values in each group."""
        return np.diff(self.starts)

    def summed(self, entries: np.ndarray) -> np.ndarray:
        """Return the sum over each group of numbers given one per entry."""
        return _reduce(np.add, entries, self.starts)


def _reduce(operation: np.ufunc, entries: np.ndarray, starts: np.ndarray) -> np.ndarray:
    """Reduce the entries of each group to one number; an empty group gets 0."""
    filled = np.diff(starts) > 0
    result = np.zeros(len(filled), dtype=entries.dtype)
    if filled.any():
        result[filled] = operation.reduceat(entries, starts[:-1][filled])
    return result


def at_most(left: np.ndarray, ratio: Fraction, right: np.ndarray) -> np.ndarray:
    """Test left <= ratio * right in integers, so that nothing is rounded and nothing overflows."""
    widest = max(int(left.max(initial=1)) * ratio.denominator, int(right.max(initial=1)) * ratio.numerator)
    if widest < 1 << 62:
        return left * ratio.denominator <= right * ratio.numerator
    return (left.astype(object) * ratio.denominator <= right.astype(object) * ratio.numerator).astype(bool)


def sizes_only(sizes: np.ndarray) -> Counts:
    """Return counts for a model that looks at sizes alone."""
    empty = np.zeros(0, dtype=np.int64)
    return Counts(sizes, np.zeros(len(sizes) + 1, dtype=np.int64), empty, empty, empty)


def tally(
    column: Column,
    group: np.ndarray,
    value: np.ndarray,
    weight: np.ndarray,
    groups: int,
    totals: np.ndarray | None = None,
) -> Counts:
    """Count (group, value, weight) triples. `totals` is the whole table's histogram, by default the sum of the groups.

    Takes group after group if they are in order; else uses a dense matrix if it is not much larger than the triples, or
    sorts: O(n + groups * values) or O(n log n).
    """
    size, packed_keys = column.size, kernels.packed_keys
    key = group.astype(np.int64) * size + value
    values = counts = starts = np.zeros(0, dtype=np.int64)
    if packed_keys.is_dense(len(key), groups * size):
        values, counts, starts = packed_keys.sum_by_block(key, weight, size, groups)
    if not len(starts):
        keys, counts = packed_keys.sum_by_key(key, weight, groups * size)
        owner, values = keys // size, keys % size
        starts = np.append(0, np.cumsum(np.bincount(owner, minlength=groups)))
    sizes = _reduce(np.add, counts, starts)
    if totals is None:
        totals = np.bincount(values, weights=counts, minlength=size).astype(np.int64)
    return Counts(sizes, starts, values, counts, totals, column)
