"""What analysts lose: a measure compares a release with the table that it was made from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from voile.errors import DataError
from voile.plugins.registry import Plugin
from voile.releases.cells import Cells
from voile.releases.queries.query_estimates import QueryEstimates
from voile.releases.release import Release
from voile.releases.shape_answers import SensitiveRows
from voile.results import Loss
from voile.tables.microdata import Microdata
from voile.tables.part_protocol import Over
from voile.tables.row_protocol import Histogram
from voile.tables.schema import Columns


@dataclass(frozen=True)
class Measure(Plugin):
    """One call: data and release in, a loss out. Lower is better."""

    family: ClassVar[str] = "measures"
    across: ClassVar[bool] = False  # releases of every shape can be compared by it

    def __call__(self, data: Microdata, release: Release) -> Loss:
        raise NotImplementedError  # pragma: no cover - every measure defines it


@dataclass(frozen=True, eq=False)
class Outline:
    """What is known of a table without its rows: how many they are, and which values occur in each column."""

    columns: Columns
    total: int
    seen: Mapping[str, np.ndarray]

    def __repr__(self) -> str:
        return f"Outline({self.total} rows, {len(self.seen)} columns)"


def outline_table(data: Microdata) -> Outline:
    """A table without its rows."""
    seen = {}
    for column in (*data.columns.quasi, *data.columns.sensitive):
        seen[column.name] = np.zeros(column.size, dtype=bool)
        seen[column.name][data.rows.histogram([column.name]).codes[:, 0]] = True
    return Outline(data.columns, data.rows.total, seen)


@dataclass(frozen=True)
class ByGroup(Measure):
    """A measure that looks at one group at a time: it is computed of pieces of a release, and then of what was found in
    them. A release in memory is one piece."""

    def __call__(self, data: Microdata, release: Release) -> Loss:
        return self.measure_pieces(data, release, lambda work, *more: [work(release, *more)])

    def measure_pieces(self, data: Microdata, release: Release, over: Over) -> Loss:
        """The loss of a release that `over` brings piece by piece; its own tables are not looked at."""
        table = outline_table(data)
        return self.combine(table, release, over(summarize_piece, self, table))

    def summarize(self, view: View) -> Any:
        """What is found in one piece."""
        raise NotImplementedError  # pragma: no cover - every measure of this kind defines it

    def combine(self, table: Outline, release: Release, found: Sequence[Any]) -> Loss:
        """The loss, from what was found in the pieces."""
        raise NotImplementedError  # pragma: no cover - every measure of this kind defines it


def summarize_piece(piece: Release, measure: ByGroup, table: Outline) -> Any:
    """What a measure finds in one piece."""
    return measure.summarize(View(table, piece))


def mean_costs(table: Outline, found: Sequence[tuple[int, Mapping[str, float]]]) -> dict[str, float]:
    """For each quasi-identifier column the mean cost of a cell, from the people and the costs of every piece; in a row
    that is withheld each cell costs 1."""
    withheld = max(table.total - sum(people for people, _ in found), 0)
    names = [column.name for column in table.columns.quasi]
    return {name: (sum(costs[name] for _, costs in found) + withheld) / table.total for name in names}


@dataclass(frozen=True, eq=False)
class View:
    """A release, or a piece of one, in the codes of the table that it was made from."""

    data: Microdata | Outline
    release: Release

    def __post_init__(self) -> None:
        published = {str(entry["name"]) for entry in self.release.dictionary["columns"]}
        lost = [column.name for column in self.data.columns if column.name not in published]
        if lost:
            raise DataError(
                f"The release lacks {len(lost)} columns of the table: {', '.join(lost)}.",
                code="data.other-table",
                hint="Measure a release against the table that it was made from, read with the same schema.",
            )

    @property
    def names(self) -> list[str]:
        return [column.name for column in self.data.columns.quasi]

    @cached_property
    def original(self) -> Histogram:
        """Distinct rows of the table, quasi-identifier and sensitive columns."""
        assert isinstance(self.data, Microdata), "an outline has no rows"
        return self.data.rows.histogram([*self.names, *(column.name for column in self.data.columns.sensitive)])

    @property
    def total(self) -> int:
        return self.data.total if isinstance(self.data, Outline) else self.data.rows.total

    @property
    def withheld(self) -> int:
        """How many people a whole release leaves out."""
        return max(self.total - self.release.people, 0)

    @cached_property
    def cells(self) -> dict[str, tuple[Cells, np.ndarray]]:
        """For a release of boxes: the cells of each column, and the cell of each group; else empty."""
        return self.release.table_cells(self.data.columns)

    @cached_property
    def quasi(self) -> tuple[np.ndarray, np.ndarray]:
        """For a release with exact quasi-identifiers: the group and the quasi-identifier codes of each row."""
        return self.release.exact_rows(self.data.columns)

    @cached_property
    def sensitive(self) -> SensitiveRows:
        """The published sensitive rows: group, codes of all sensitive columns, and number of people; for a decomposed
        release the expected ones."""
        return self.release.sensitive_rows(self.data.columns)

    @property
    def estimates(self) -> QueryEstimates:
        """Estimates of many COUNT queries at once."""
        return self.release.query_estimates(self.data.columns)

    def seen(self, name: str) -> np.ndarray:
        """Which values of a column occur in the table."""
        table = self.data if isinstance(self.data, Outline) else outline_table(self.data)
        return table.seen[name]
