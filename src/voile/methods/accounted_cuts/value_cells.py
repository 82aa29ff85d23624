"""The people of a table by quasi-identifier, and how often each sensitive value occurs among them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from voile import kernels
from voile.tables.group_counts import Counts
from voile.tables.row_protocol import Histogram, Rows
from voile.tables.schema import Column


@dataclass(frozen=True, eq=False)
class ValueCells:
    """Cells of people with equal quasi-identifiers. Cell c has the values `values[starts[c]:starts[c + 1]]`, so many
    of each as `counts` says; `kinds` is the number of values of the column."""

    table: Histogram
    starts: np.ndarray
    values: np.ndarray
    counts: np.ndarray
    kinds: int

    @property
    def entries(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, int]:
        return self.starts, self.values, self.counts, self.kinds

    @property
    def owner(self) -> np.ndarray:
        """The cell of each entry."""
        return np.repeat(np.arange(len(self.starts) - 1), np.diff(self.starts))


def count_values(rows: Rows, quasi: Sequence[Column], target: Column) -> ValueCells:
    """Count the values of a sensitive column for each combination of quasi-identifiers."""
    names = [column.name for column in quasi]
    table, whole = rows.histogram(names), rows.histogram([*names, target.name])
    sizes = [max(column.size, 1) for column in quasi]
    cell, _ = kernels.distinct_rows.rank_rows([whole.codes[:, i] for i in range(len(names))], sizes)
    order = np.argsort(cell, kind="stable")
    starts = np.searchsorted(cell[order], np.arange(len(table.counts) + 1)).astype(np.int64)
    values = whole.codes[order, len(names)].astype(np.int64)
    return ValueCells(table, starts, values, whole.counts[order].astype(np.int64), target.size)


def place_counts(table: Histogram, group: np.ndarray, counts: Counts) -> ValueCells:
    """Put the published counts of each group into the first of its cells: sums over whole groups are then right."""
    assert counts.column is not None
    _, first = np.unique(group, return_index=True)
    lengths = np.zeros(len(group), dtype=np.int64)
    lengths[first] = np.diff(counts.starts)
    order = np.argsort(first[counts.owner], kind="stable")
    starts = np.concatenate([[0], np.cumsum(lengths)])
    return ValueCells(table, starts, counts.values[order], counts.counts[order], counts.column.size)
