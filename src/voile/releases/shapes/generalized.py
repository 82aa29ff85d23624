"""A group shown as a box."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import polars as pl

from voile import kernels
from voile.releases.cells.cell_parsing import exact_cells
from voile.releases.cells.cells import Cells
from voile.releases.cells.group_means import (
    average_groups,
    compute_means,
    describe_means,
    find_mean_faults,
    mean_name,
)
from voile.releases.certificate import FORMAT, UNSIGNED
from voile.releases.dictionary import describe
from voile.releases.known_rows import KnownColumn, KnownRows, explain_rows
from voile.releases.published_tables import TableLayout
from voile.releases.queries.query import Query, cell_shares
from voile.releases.randomized_response import Channel
from voile.releases.shape_answers import SensitiveHome, SensitiveRows, TrainingRows, ValuePairs
from voile.releases.shape_contract import ShapeDescription
from voile.releases.shapes.box_base import BoxShape
from voile.releases.table_codes import table_codes
from voile.tables.group_counts import Counts, tally
from voile.tables.row_protocol import Rows
from voile.tables.schema import Column, Columns


@dataclass(frozen=True, eq=False, repr=False)
class Generalized(BoxShape):
    """Each group is shown as a box: one table, in which rows with equal quasi-identifier cells are a group."""

    shape: ClassVar[str] = "generalized"
    serves_several_rows: ClassVar[bool] = True
    description: ClassVar[ShapeDescription] = ShapeDescription(
        "one table whose quasi-identifier cells are ranges or sets of values",
        "The people of a group look alike. Someone who knows a person’s quasi-identifier finds the group, but not the "
        "row.",
        (
            "COUNT queries on any columns: exact if every condition covers whole cells, estimated otherwise",
            "totals of every sensitive value as published, and how sensitive columns occur together",
            "models trained on rows with ranges and sets in place of exact values",
        ),
        (
            "anything finer than the published cells: all values within a cell are taken as equally likely",
            "whether two people of the same group differ in their quasi-identifiers",
        ),
    )

    @property
    def layout(self) -> dict[str, TableLayout]:
        described = self.column_names("quasi", "sensitive", "other")
        return {"table": TableLayout((), described, ends=self.end_names, means=self.mean_names)}

    @property
    def people(self) -> int:
        return self.height("table")

    @property
    def group_columns(self) -> dict[str, list[str]]:
        return {"table": [str(entry["name"]) for entry in self.described("quasi")]}

    @cached_property
    def _grouping(self) -> tuple[np.ndarray, np.ndarray]:
        columns = [codes for _, codes in self.row_cells.values()]
        sizes = [max(len(cells), 1) for cells, _ in self.row_cells.values()]
        group, first = kernels.distinct_rows.number_groups(columns, sizes)
        order = np.argsort(first)  # as the table lists them: a ledger names groups by their numbers
        rank = np.empty(len(order), dtype=np.int64)
        rank[order] = np.arange(len(order))
        return rank[group], first[order]

    @property
    def group(self) -> np.ndarray:
        """The group of each published row."""
        return self._grouping[0]

    @cached_property
    def boxes(self) -> dict[str, np.ndarray]:
        """For each quasi-identifier column the cell of every group."""
        return {name: codes[self._grouping[1]] for name, (_, codes) in self.row_cells.items()}

    @cached_property
    def sizes(self) -> np.ndarray:
        return np.bincount(self.group, minlength=len(self._grouping[1]))

    @cached_property
    def tallies(self) -> dict[str, Counts]:
        found = {}
        for column, codes in self._sensitive_columns():
            ones = np.ones(len(codes), dtype=np.int64)
            found[column.name] = tally(column, self.group, codes, ones, len(self.sizes))
        return found

    def _sensitive_columns(self) -> list[tuple[Column, np.ndarray]]:
        return [self.published_column(entry, "table") for entry in self.described("sensitive")]

    def _sensitive_column(self, name: str) -> tuple[Column, np.ndarray]:
        entry = next(entry for entry in self.described("sensitive") if entry["name"] == name)
        return self.published_column(entry, "table")

    @property
    def sensitive_homes(self) -> dict[str, SensitiveHome]:
        return dict.fromkeys(self.sensitive_names, SensitiveHome("table"))

    def value_rows(self, name: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        codes = self._sensitive_column(name)[1]
        return self.group, codes.astype(np.int64), np.ones(len(codes), dtype=np.int64)

    def sensitive_rows(self, columns: Columns) -> SensitiveRows:
        """Return the different sensitive rows of each group."""
        codes = [
            table_codes(column.domain, columns[column.name].domain)[code] for column, code in self._sensitive_columns()
        ]
        sizes = [self.groups, *(column.size for column in columns.sensitive)]
        ones = np.ones(self.people, dtype=np.int64)
        rows, people = kernels.distinct_rows.weigh_rows([self.group, *codes], sizes, ones)
        return SensitiveRows(rows[:, 0].astype(np.int64), rows[:, 1:], people)

    def pairs_of_values(self, one: str, other: str) -> ValuePairs:
        """Return the pairs exactly: every row shows both values."""
        (first, a), (second, b) = self._sensitive_column(one), self._sensitive_column(other)
        key = (self.group.astype(np.int64) * first.size + a) * second.size + b
        pairs, people = np.unique(key, return_counts=True)
        group, rest = np.divmod(pairs, first.size * second.size)
        return ValuePairs(iter([(group, *np.divmod(rest, second.size), people)]))

    @property
    def stated_means(self) -> dict[str, pl.Series]:
        """The published mean of each group, of each column that has means."""
        named = {str(entry["name"]): mean_name(entry) for entry in self.described("quasi")}
        row = np.zeros(self.groups, dtype=np.int64)
        row[self.group] = np.arange(len(self.group))
        return {name: self.column_of("table", mean).gather(row) for name, mean in named.items() if mean is not None}

    def faults(self) -> list[str]:
        return [*super().faults(), *(fault for entry in self.described("quasi") for fault in self._mean_faults(entry))]

    def _mean_faults(self, entry: Mapping[str, Any]) -> list[str]:
        name, mean = str(entry["name"]), mean_name(entry)
        if mean is None:
            return []
        cells, tight = self.cells[name], self.lists_values(entry)
        column = self.column_of("table", mean)
        return find_mean_faults(entry, column, cells, self.boxes[name], self.group, self.sizes, tight)

    def known_rows(self) -> KnownRows:
        columns = self.known_boxes()
        for entry in (*self.described("sensitive"), *self.described("other")):
            column, codes = self.published_column(entry, "table")
            columns.append(KnownColumn(entry, exact_cells(column.domain), codes))
        return KnownRows(self.group, tuple(columns), assumptions=explain_rows(columns))

    def training_rows(self, rng: np.random.Generator) -> TrainingRows:
        column, values = self._sensitive_column(next(iter(self.tallies)))
        weight, channel = np.ones(len(values)), Channel(1.0, column.size)
        return TrainingRows(self.draw_quasi(rng), values, weight, channel)

    def answer(self, query: Query) -> float:
        """Sum, over groups, the product of the shares of the cells that satisfy the conditions, times matching rows."""
        rows, share = self._matching(query)
        return float((rows * share * self.group_weights(query)).sum())

    def _matching(self, query: Query) -> tuple[np.ndarray, np.ndarray]:
        """Return, for each group, the rows that satisfy the conditions on exact columns, and the share of its box that
        satisfies the others."""
        sensitive = {str(entry["name"]) for entry in self.described("sensitive")}
        exact = {str(entry["name"]) for entry in self.described("other")} | sensitive
        self.check_query(query, [*exact])
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
    """Return the table of boxes: groups with equal cells are merged, and rows are ordered by what is published."""
    names = [column.name for column in columns.quasi]
    sizes = [max(len(shown[name][0]), 1) for name in names]
    label, first = kernels.distinct_rows.rank_rows([shown[name][1] for name in names], sizes)
    exact = [*columns.sensitive, *columns.other]
    group, table = rows.regroup(label).count_by_group([column.name for column in exact])
    group = np.repeat(group, table.counts)
    entries = [describe(column, shown[column.name][0]) for column in columns.quasi]
    entries = describe_means([*entries, *(describe(column, None) for column in exact)])
    published = {}
    for column, entry in zip(columns.quasi, entries, strict=False):
        cells, cell = shown[column.name]
        published[column.name] = _shown_column(column, cells, cell[first][group])
        name = mean_name(entry)
        if name is not None:
            means = average_groups(column, rows.regroup(label))
            published[name] = compute_means(entry, cells, cell[first], means).gather(group)
    for number, column in enumerate(exact):
        published[column.name] = column.domain.decode(np.repeat(table.codes[:, number], table.counts))
    return Generalized({"table": pl.DataFrame(published)}, {"format": FORMAT, "columns": entries}, UNSIGNED)


def _shown_column(column: Column, cells: Cells, cell: np.ndarray) -> pl.Series:
    """Return labels or, if no cell of the column is generalized, the values with their own type."""
    if cells.exact:
        return column.domain.decode(cells.lists[1][cell])
    return pl.Series(cells.labels, dtype=pl.Enum(cells.labels)).gather(cell)
