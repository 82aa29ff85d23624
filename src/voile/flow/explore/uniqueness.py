"""Count who stands out: people whose values on some columns nobody else has, or few others have.

Only sizes of groups are needed, so rows become keys and keys are counted: in a dense array where the columns have few
combinations of values, in hash tables elsewhere. O(n).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from voile.kernels.distinct_rows import rank_rows
from voile.kernels.key_groups import number_keys, sum_keys

FEW = 5  # a group of fewer people is small
TOGETHER = 3  # at most as many columns are combined
VISITS = 60_000_000  # rows to count, over all combinations


@dataclass(frozen=True)
class Uniqueness:
    """How many people stand out on some columns: `alone` people share their values with nobody, `few` people are in
    groups of fewer than `FEW`."""

    columns: tuple[str, ...]
    people: int
    alone: int
    few: int

    @property
    def share(self) -> float:
        return self.alone / self.people


@dataclass(frozen=True, eq=False)
class CodedRows:
    """Rows of codes by column, and how many people each row stands for (None: one each)."""

    sizes: Mapping[str, int]
    columns: Mapping[str, np.ndarray]
    weights: np.ndarray | None = None

    def __repr__(self) -> str:
        return f"CodedRows({self.total} rows, {len(self.columns)} columns)"

    def __len__(self) -> int:
        return len(next(iter(self.columns.values())))

    @cached_property
    def total(self) -> int:
        return len(self) if self.weights is None else int(self.weights.sum())

    def count_combinations(self, names: Sequence[str]) -> int:
        """Return how many combinations of values the columns could have."""
        return math.prod(max(self.sizes[name], 1) for name in names)

    def number_groups(self, names: Sequence[str]) -> tuple[np.ndarray, int]:
        """Return the group of each row (rows equal on these columns), and the number of groups."""
        key, _ = self._make_keys(names)
        group, first = number_keys(key)
        if self.count_combinations(names) >= 1 << 63 and not self._check_groups(names, first, group):
            group, first = rank_rows([self.columns[name] for name in names], [self.sizes[name] for name in names])
        return group, len(first)

    def _check_groups(self, names: Sequence[str], first: np.ndarray, group: np.ndarray) -> bool:
        """Whether the rows of each group are equal, as groups by hash are unless two hashes collide."""
        example = first[group]
        others = np.flatnonzero(example != np.arange(len(group)))
        return all(
            np.array_equal(column[others], column[example[others]]) for column in map(self.columns.__getitem__, names)
        )

    def _make_keys(self, names: Sequence[str], without: str | None = None) -> tuple[np.ndarray, int]:
        """Return a key per row, equal where the rows are equal on the columns, and the number of possible keys (0: the
        keys are 64-bit hashes)."""
        names = [name for name in names if name != without]
        width = self.count_combinations(names)
        if width >= 1 << 63:
            return self._hashes(tuple(names)), 0
        dtype: Any = np.int32 if width < 1 << 31 else np.int64
        key: np.ndarray = np.zeros(len(self), dtype=dtype)
        for name in names:
            key *= dtype(max(self.sizes[name], 1))
            key += self.columns[name].astype(dtype, copy=False)
        return key, width

    def _hashes(self, names: tuple[str, ...]) -> np.ndarray:
        """Return a 64-bit hash per row: the sum of a random number per value. The hash of all columns is kept, so that
        columns are taken out of it rather than added up again."""
        if len(names) < len(self.sizes) // 2:
            return np.asarray(np.sum([self._scatter(name) for name in names], axis=0, dtype=np.uint64))
        left_out = [name for name in self.sizes if name not in names]
        key = self._all_hashes
        for name in left_out:
            key = key - self._scatter(name)
        return key

    @cached_property
    def _all_hashes(self) -> np.ndarray:
        key = np.zeros(len(self), dtype=np.uint64)
        for name in self.sizes:
            key += self._scatter(name)
        return key

    def _scatter(self, name: str) -> np.ndarray:
        seed = [list(self.sizes).index(name), self.sizes[name]]
        numbers = np.random.default_rng(seed).integers(0, 1 << 64, max(self.sizes[name], 1), dtype=np.uint64)
        return np.asarray(numbers[self.columns[name]])

    def group_sizes(self, names: Sequence[str], without: str | None = None) -> np.ndarray:
        """Return how many people each group has, in no order. If the columns have more than 2**63 combinations, two
        groups of n are counted as one with a chance below n**2 / 2**65."""
        key, width = self._make_keys(names, without)
        if width and width <= 4 * len(self) + 1_000_000:
            counts = np.bincount(key, weights=self.weights, minlength=1)
            return counts[counts > 0].astype(np.int64)
        return sum_keys(key, self.weights)

    def mark_alone(self, names: Sequence[str]) -> np.ndarray:
        """Return whether each row stands for one person who shares the values of these columns with nobody."""
        key, width = self._make_keys(names)
        if not width or width > 4 * len(self) + 1_000_000:
            key, _ = number_keys(key)
        return np.asarray(np.bincount(key, weights=self.weights)[key] == 1)

    def measure(self, names: Sequence[str], without: str | None = None) -> Uniqueness:
        """Count the people who stand out on some columns, `without` one of them."""
        alone, few = count_small(self.group_sizes(names, without))
        return Uniqueness(tuple(name for name in names if name != without), self.total, alone, few)


def count_small(sizes: np.ndarray) -> tuple[int, int]:
    """Return how many people are alone in their group, and how many are in groups of fewer than `FEW`."""
    of_size = [int(np.count_nonzero(sizes == size)) for size in range(1, FEW)]
    return of_size[0], sum(size * groups for size, groups in enumerate(of_size, start=1))


def count_combinations(rows: CodedRows, names: Sequence[str]) -> tuple[list[Uniqueness], int]:
    """Count who stands out on every set of up to three columns, and return how many sets there are. On wide or long
    tables only the most telling are counted."""
    sets = [columns for size in range(1, TOGETHER + 1) for columns in itertools.combinations(names, size)]
    affordable = max(VISITS // max(len(rows), 1), len(names))
    if len(sets) > affordable:  # every single column, then the sets with the most possible combinations of values
        chosen = sorted(sets, key=lambda columns: (len(columns) > 1, -rows.count_combinations(columns)))[:affordable]
    else:
        chosen = sets
    return [rows.measure(columns) for columns in chosen], len(sets)


def share_out(combinations: Sequence[Uniqueness], names: Sequence[str]) -> dict[str, float]:
    """Return the share of the uniqueness that each column causes: how many more people a set of up to three columns
    singles out than the set without the column, on average over the sets that were counted, as a part of the whole.

    >>> alone = [(("a",), 1), (("b",), 0), (("a", "b"), 3)]
    >>> share_out([Uniqueness(names, 9, count, 0) for names, count in alone], ["a", "b"])
    {'a': 0.6666666666666666, 'b': 0.3333333333333333}
    """
    alone = {item.columns: item.alone for item in combinations} | {(): 0}
    rises: dict[str, list[int]] = {name: [] for name in names}
    for columns, count in alone.items():
        for name in columns:
            rest = tuple(other for other in columns if other != name)
            if rest in alone:
                rises[name].append(count - alone[rest])
    means = {name: sum(rise) / len(rise) if rise else 0.0 for name, rise in rises.items()}
    total = sum(means.values())
    return {name: mean / total if total else 0.0 for name, mean in means.items()}
