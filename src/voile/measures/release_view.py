"""A release in the codes of the table that it was made from, as measures compare the two."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from voile.errors import DataError
from voile.plugins.counted_nouns import count_noun
from voile.releases.cells.cells import Cells
from voile.releases.queries.query_estimates import QueryEstimates
from voile.releases.release import Release
from voile.releases.release_pieces import lies_in_pieces
from voile.releases.shape_answers import SensitiveRows
from voile.tables.microdata import Microdata
from voile.tables.row_protocol import Histogram
from voile.tables.schema import Columns


@dataclass(frozen=True, eq=False)
class Outline:
    """A table without its rows: how many there are, and which values occur in each column."""

    columns: Columns
    total: int
    seen: Mapping[str, np.ndarray]

    def __repr__(self) -> str:
        return f"Outline({self.total} rows, {len(self.seen)} columns)"


def outline_table(data: Microdata) -> Outline:
    """Return a table without its rows."""
    seen = {}
    for column in (*data.columns.quasi, *data.columns.sensitive):
        seen[column.name] = np.zeros(column.size, dtype=bool)
        seen[column.name][data.rows.histogram([column.name]).codes[:, 0]] = True
    return Outline(data.columns, data.rows.total, seen)


@dataclass(frozen=True, eq=False)
class View:
    """A release, or a piece of one, in the codes of the table that it was made from."""

    data: Microdata | Outline
    release: Release

    def __post_init__(self) -> None:
        published = {str(entry["name"]) for entry in self.release.dictionary["columns"]}
        missing = [column.name for column in self.data.columns if column.name not in published]
        if missing:
            raise DataError(
                f"The release lacks {count_noun(len(missing), 'column')} of the table: {', '.join(missing)}.",
                code="data.other-table",
                hint="Measure a release against the table that it was made from, read with the same schema.",
            )

    @property
    def names(self) -> list[str]:
        return [column.name for column in self.data.columns.quasi]

    @cached_property
    def original(self) -> Histogram:
        """The distinct rows of the table, quasi-identifier and sensitive columns."""
        assert isinstance(self.data, Microdata), "an outline has no rows"
        return self.data.rows.histogram([*self.names, *(column.name for column in self.data.columns.sensitive)])

    @property
    def total(self) -> int:
        return self.data.total if isinstance(self.data, Outline) else self.data.rows.total

    @property
    def withheld(self) -> int:
        """The number of people whom a whole release leaves out."""
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
        """Return which values of a column occur in the table."""
        table = self.data if isinstance(self.data, Outline) else outline_table(self.data)
        return table.seen[name]


def count_stars(release: Release) -> dict[str, int]:
    """Count the rows that show `*` in each quasi-identifier column: a reader learns nothing about it there. Empty where
    a release shows quasi-identifiers as they are, or lies in pieces."""
    cells = {} if lies_in_pieces(release) else release.box_cells
    return {name: int(release.sizes[shown.whole[cell]].sum()) for name, (shown, cell) in cells.items()}
