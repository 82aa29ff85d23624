"""Counts by group, dense or sorted, and comparisons without rounding."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import polars as pl
import pytest

from voile.tables.domain import Domain
from voile.tables.group_counts import at_most, sizes_only, tally
from voile.tables.schema import Column


def column(size: int) -> Column:
    return Column("s", "sensitive", Domain(pl.Series(range(size)), "numeric"))


@pytest.mark.parametrize("size", [3, 40_000_000])
def test_tally_agrees_with_a_loop(size: int) -> None:
    """Three values are counted in a dense matrix, forty million by sorting."""
    rng = np.random.default_rng(1)
    group, value, weight = rng.integers(0, 5, 200), rng.integers(0, 3, 200), rng.integers(1, 4, 200)
    domain = Column("s", "sensitive", Domain(pl.Series(range(3)), "numeric"))
    wide = Column("s", "sensitive", _Wide(domain.domain, size)) if size > 3 else domain
    counts = tally(wide, group, value, weight, 6, np.zeros(3, np.int64))
    for g in range(6):
        inside = slice(counts.starts[g], counts.starts[g + 1])
        expected = {v: int(weight[(group == g) & (value == v)].sum()) for v in range(3)}
        counted = dict(zip(counts.values[inside].tolist(), counts.counts[inside].tolist(), strict=True))
        assert counted == {v: c for v, c in expected.items() if c}
    assert counts.sizes.tolist() == [int(weight[group == g].sum()) for g in range(6)]
    assert counts.largest()[5] == 0  # an empty group


class _Wide(Domain):
    """A domain that claims to be larger than it is."""

    def __init__(self, domain: Domain, size: int) -> None:
        super().__init__(domain.values, domain.kind)
        object.__setattr__(self, "_size", size)

    @property
    def size(self) -> int:
        return int(self.__dict__["_size"])


def test_totals_default_to_the_sum_of_the_groups() -> None:
    counts = tally(column(3), np.array([0, 1]), np.array([2, 2]), np.array([4, 5]), 2)
    assert counts.totals.tolist() == [0, 0, 9]


def test_counts_of_sizes_alone_have_no_values() -> None:
    counts = sizes_only(np.array([3, 4]))
    assert counts.groups == 2
    assert counts.distinct().tolist() == [0, 0]


def test_at_most_neither_rounds_nor_overflows() -> None:
    huge = np.array([1 << 61, (1 << 61) + 1])
    right = np.array([3 << 60, 3 << 60])
    assert at_most(huge, Fraction(2, 3), right).tolist() == [True, False]
    assert at_most(np.array([1, 2]), Fraction("0.1"), np.array([10, 10])).tolist() == [True, False]
