"""A group shown as a box."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
import polars as pl

from voile import kernels
from voile.releases.cells import Cells
from voile.releases.certificate import UNSIGNED
from voile.releases.dictionary import describe
from voile.releases.published_columns import cell_shares
from voile.releases.query import Query
from voile.releases.release import Words
from voile.releases.shapes.box_base import Boxed
from voile.tables.group_counts import Counts, tally
from voile.tables.row_protocol import Rows
from voile.tables.schema import Column, Columns


@dataclass(frozen=True, eq=False, repr=False)
class Generalized(Boxed):
    """Each group is shown as a box: one table, equal quasi-identifier cells make a group."""

    shape: ClassVar[str] = "generalized"
    words: ClassVar[Words] = Words(
        "one table with coarser cells",
        "People in one group look alike: someone who knows a person’s quasi-identifier finds the group, not the row.",
        (
            "COUNT queries on any of the columns, exactly where a condition takes in whole cells, else by estimate",
            "totals of every sensitive value as published, and how sensitive columns go together",
            "models learned from rows with ranges and sets in place of values",
        ),
        (
            "anything finer than the published cells: within a cell all values are taken as equally likely",
            "whether two people of one group differ in their quasi-identifier",
        ),
    )

    @property
    def people(self) -> int:
        return self.height("table")

    @property
    def group_columns(self) -> dict[str, list[str]]:
        return {"table": [str(entry["name"]) for entry in self.described("quasi")]}

    @cached_property
    def _grouping(self) -> tuple[np.ndarray, np.ndarray]:
        columns = [codes for _, codes in self._read.values()]
        sizes = [max(len(cells), 1) for cells, _ in self._read.values()]
        return kernels.distinct_rows.number_groups(columns, sizes)

    @property
    def group(self) -> np.ndarray:
        """The group of each published row."""
        return self._grouping[0]

    @cached_property
    def boxes(self) -> dict[str, np.ndarray]:
        """For each quasi-identifier column the cell of every group."""
        return {name: codes[self._grouping[1]] for name, (_, codes) in self._read.items()}

    @cached_property
    def sizes(self) -> np.ndarray:
        return np.bincount(self.group, minlength=len(self._grouping[1]))

    @cached_property
    def tallies(self) -> dict[str, Counts]:
        found = {}
        for entry in self.described("sensitive"):
            column, codes = self.sensitive_column(entry, "table")
            ones = np.ones(len(codes), dtype=np.int64)
            found[column.name] = tally(column, self.group, codes, ones, len(self.sizes))
        return found

    def answer(self, query: Query) -> float:
        """Per group the product of the shares of its cells that satisfy the conditions, times the matching rows."""
        rows, share = self._matching(query)
        return float((rows * share).sum())

    def variance(self, query: Query) -> float:
        """Everybody satisfies the conditions with the share of their cells, one apart from the other."""
        rows, share = self._matching(query)
        return float((rows * share * (1 - share)).sum())

    def _matching(self, query: Query) -> tuple[np.ndarray, np.ndarray]:
        """Per group the rows that satisfy the conditions on exact columns, and the share of its box that the others
        leave."""
        sensitive = {str(entry["name"]) for entry in self.described("sensitive")}
        exact = {str(entry["name"]) for entry in self.described("other")} | sensitive
        query.check([*self.cells, *exact])
        weight = np.ones(self.people)
        for name, condition in query.conditions.items():
            if name in exact:
                weight *= condition.matches(self.tables["table"][name])
        rows = np.bincount(self.group, weights=weight, minlength=len(self.sizes))
        share = np.ones(len(self.sizes))
        for name, condition in query.conditions.items():
            if name in self.cells:
                share *= cell_shares(self.cells[name], condition)[self.boxes[name]]
        return rows, share


def show_boxes(columns: Columns, rows: Rows, shown: Mapping[str, tuple[Cells, np.ndarray]]) -> Generalized:
    """The table of boxes: groups with equal cells become one; rows are ordered by what is published."""
    names = [column.name for column in columns.quasi]
    sizes = [max(len(shown[name][0]), 1) for name in names]
    label, first = kernels.distinct_rows.rank_rows([shown[name][1] for name in names], sizes)
    exact = [*columns.sensitive, *columns.other]
    group, table = rows.regroup(label).count_by_group([column.name for column in exact])
    group = np.repeat(group, table.counts)
    published = {}
    for column in columns.quasi:
        cells, cell = shown[column.name]
        published[column.name] = _shown_column(column, cells, cell[first][group])
    for number, column in enumerate(exact):
        published[column.name] = column.domain.decode(np.repeat(table.codes[:, number], table.counts))
    entries = [describe(column, shown[column.name][0]) for column in columns.quasi]
    entries += [describe(column, None) for column in exact]
    return Generalized({"table": pl.DataFrame(published)}, {"format": 1, "columns": entries}, UNSIGNED)


def _shown_column(column: Column, cells: Cells, cell: np.ndarray) -> pl.Series:
    """Labels; or, where no cell of the column is generalized, the values with their own type."""
    if cells.exact:
        return column.domain.decode(cells.matrix.indices[cell])
    return pl.Series(cells.labels, dtype=pl.Enum(cells.labels)).gather(cell)
