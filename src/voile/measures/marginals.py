"""Total variation of marginals: the share of people whom a recipient counts under another value.

For every column, and for every pair of columns, the numbers of people by value are compared with those that a recipient
expects from the release. Half the sum of the differences is the share of people who are counted elsewhere, or nowhere
because they are withheld. The mean over all columns and pairs goes along with what learners and regressions lose, which
the error of random COUNT queries hardly does (decision 37).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from voile.measures.base import ByGroup, View, outline_table
from voile.measures.expected_marginals import (
    Bins,
    MarginalCounts,
    choose_bins,
    count_marginals,
    expect_marginals,
    undo_channel,
)
from voile.measures.release_view import Outline
from voile.releases.release import Release
from voile.results import Loss
from voile.tables.microdata import Microdata
from voile.tables.part_protocol import Over


@dataclass(frozen=True)
class Marginals(ByGroup):
    """Mean share of people who are counted under another value, over all columns and pairs of columns; and the mean for
    each column."""

    name: ClassVar[str] = "marginals"
    across: ClassVar[bool] = True

    def measure_pieces(self, data: Microdata, release: Release, over: Over) -> Loss:
        bins = choose_bins(data)
        pieces: Sequence[MarginalCounts] = over(expect_piece, outline_table(data), bins)
        sums = {names: np.sum([piece[names] for piece in pieces], axis=0) for names in bins.list_marginals()}
        sensitive = [column.name for column in data.columns.sensitive]
        expected = undo_channel(sums, bins, release.channel, sensitive)
        return self.compare_marginals(count_marginals(data, bins), expected, bins.names)

    def compare_marginals(self, actual: MarginalCounts, expected: MarginalCounts, columns: Sequence[str]) -> Loss:
        """Return the loss of a table whose marginals are expected in place of the actual ones."""
        distance = {names: total_variation(actual[names], expected[names]) for names in actual}
        parts = {
            name: float(np.mean([value for names, value in distance.items() if name in names])) for name in columns
        }
        note = f"{len(distance)} columns and pairs; 0 to 1"
        mean = float(np.mean(list(distance.values())))
        return Loss(self.name, "Distance of marginals (1 and 2 columns)", mean, parts, note)


def expect_piece(piece: Release, table: Outline, bins: Bins) -> MarginalCounts:
    """Return the expected marginals of one piece of a release."""
    return expect_marginals(View(table, piece), bins)


def total_variation(actual: np.ndarray, expected: np.ndarray) -> float:
    """Return the share of people who are counted elsewhere, or nowhere.

    >>> total_variation(np.array([3, 1]), np.array([1, 3])), total_variation(np.array([3, 1]), np.array([3, 0]))
    (0.5, 0.25)
    """
    total = max(float(actual.sum()), 1e-300)
    beside = abs(total - float(expected.sum()))
    return float(np.abs(actual - expected).sum() + beside) / 2 / total
