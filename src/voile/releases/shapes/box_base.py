"""The base of the shapes that show every group as a box of quasi-identifier cells."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
import polars as pl

from voile import kernels
from voile.errors import SchemaError
from voile.kernels import lazy_module
from voile.releases.cells.cell_draws import draw_values
from voile.releases.cells.cell_parsing import read_column
from voile.releases.cells.cells import Cells
from voile.releases.cells.end_columns import describe_ends, end_names, find_end_faults, insert_ends
from voile.releases.completions.tight_columns import is_shown_by_level, lists_what_occurs, may_have_grown
from voile.releases.known_rows import KnownColumn
from voile.releases.partitioned_tables import PartitionedTables
from voile.releases.queries.cell_weights import weigh_cells
from voile.releases.queries.query import Query
from voile.releases.queries.query_estimates import BoxEstimates
from voile.releases.release import Release
from voile.releases.shape_answers import QuasiEntries, RegisterMatches
from voile.tables.microdata import Microdata
from voile.tables.row_protocol import Histogram
from voile.tables.schema import Columns

sparse = lazy_module("scipy.sparse")

PAIRS = 100_000_000  # pairs of a register's quasi-identifier and a box


@dataclass(frozen=True, eq=False, repr=False)
class BoxShape(Release):
    """A release with one table whose quasi-identifier cells are boxes. A shape says which box each group has."""

    shows_boxes: ClassVar[bool] = True
    generalizes: ClassVar[bool] = True

    @cached_property
    def row_cells(self) -> dict[str, tuple[Cells, np.ndarray]]:
        """The cells of each quasi-identifier column, and the cell of every published row."""
        return {
            str(entry["name"]): read_column(entry, self.column_of("table", str(entry["name"])))
            for entry in self.described("quasi")
        }

    @cached_property
    def cells(self) -> dict[str, Cells]:
        """The values that the published cells of each quasi-identifier column stand for."""
        return {name: cells for name, (cells, _) in self.row_cells.items()}

    def add_ends(self) -> Self:
        entries, tables = describe_ends(self.dictionary["columns"]), self.drop_ends()
        if not any(map(end_names, entries)):
            return self
        if isinstance(tables, PartitionedTables):
            parts, empty = tables.parts, tables.empty
            tables = PartitionedTables(parts.map_lazily(add_part_ends, entries), add_part_ends(empty, 0, entries))
        else:
            tables = {"table": insert_ends(tables["table"], entries, self.row_cells)}
        release = replace(self, tables=tables, dictionary={**self.dictionary, "columns": entries})
        release.__dict__.update({name: self.__dict__[name] for name in ("row_cells",) if name in self.__dict__})
        return release

    def faults(self) -> list[str]:
        table = self.tables["table"]
        return [
            fault
            for entry in self.described("quasi")
            if end_names(entry)
            for fault in find_end_faults(entry, table, *self.row_cells[str(entry["name"])])
        ]

    @cached_property
    def boxes(self) -> dict[str, np.ndarray]:
        """For each quasi-identifier column the cell of every group."""
        raise NotImplementedError  # pragma: no cover - every shape defines it

    @property
    def box_cells(self) -> dict[str, tuple[Cells, np.ndarray]]:
        return {name: (cells, self.boxes[name]) for name, cells in self.cells.items()}

    def quasi_entries(self) -> QuasiEntries:
        """Return one entry per group: its box."""
        return QuasiEntries(self.box_cells, np.arange(self.groups))

    def _match_boxes(self, people: Microdata) -> tuple[list[Any], Histogram]:
        """Return the boxes of all groups in the codes of a table of people, and its distinct quasi-identifiers."""
        known = [column.name for column in people.columns]
        names = [name for name in self.cells if name != self.weight_name or name in known]  # no register has a weight
        boxes = [self.cells[name].recode(people.columns[name].domain).matrix[self.boxes[name]] for name in names]
        return boxes, people.rows.histogram(names)

    def locate(self, people: Microdata) -> np.ndarray:
        return np.asarray(np.maximum(self.homes(people), kernels.box_matching.NONE))

    def homes(self, people: Microdata) -> np.ndarray:
        boxes, table = self._match_boxes(people)
        return kernels.box_matching.find_owners(boxes, table.codes)

    def candidates(self, external: Microdata) -> tuple[np.ndarray, np.ndarray]:
        boxes, table = self._match_boxes(external)
        return kernels.box_matching.count_fitting(boxes, table.codes, table.counts), self.sizes

    def match_register(self, register: Microdata) -> RegisterMatches:
        boxes, table = self._match_boxes(register)
        single = [
            sparse.identity(register.columns[name].domain.size, format="csr")[table.codes[:, number].astype(np.int64)]
            for number, name in enumerate(table.names)
        ]
        kind, group = kernels.box_matching.find_overlaps(single, [box.tocsr() for box in boxes], PAIRS)
        order = np.lexsort((kind, group))
        kind, group = kind[order], group[order]
        return RegisterMatches(kind, group, table.counts[kind].astype(np.int64))

    def query_estimates(self, columns: Columns) -> BoxEstimates:
        cells, rows = self.table_cells(columns), self.sensitive_rows(columns)
        weights = None if self.shown_weight is None else weigh_cells(self.cells[self.shown_weight])
        return BoxEstimates(columns, self.groups, self.channel, cells, rows, weights)

    def group_weights(self, query: Query) -> np.ndarray:
        """Return what a row of each group counts in a query: its survey weight as far as the box tells it, or 1."""
        name = self.shown_weight
        if not query.weighted or name is None:
            return np.ones(())
        return np.asarray(weigh_cells(self.cells[name], query.conditions.get(name))[self.boxes[name]])

    def check_query(self, query: Query, others: Sequence[str]) -> None:
        """Raise SchemaError for a condition on a column that there is not, or of which no cell names a value."""
        query.check([*self.cells, *others])
        for name in query.conditions:
            cells = self.cells.get(name)
            if cells is not None and cells.whole.any() and not len(cells.domain.values):
                raise SchemaError(
                    f"The release shows no value of {name!r}.",
                    code="schema.suppressed",
                    hint="Ask about other columns.",
                )

    def known_boxes(self) -> list[KnownColumn]:
        """Return what is known of the quasi-identifier columns, row by row of the published table."""
        grown = may_have_grown(self.certificate.method)
        entries = {str(entry["name"]): entry for entry in self.described("quasi")}
        return [
            KnownColumn(entries[name], cells, cell, cells.domain.size > 0 and self.lists_values(entries[name]), grown)
            for name, (cells, cell) in self.row_cells.items()
        ]

    def lists_values(self, entry: Mapping[str, Any]) -> bool:
        """Whether every value that a cell of a column lists (of a range: both ends) occurs in its box."""
        # where sets of columns are cut by themselves, a box of all columns need not hold every value of its cells
        tight = lists_what_occurs(self.certificate.method) and "quasi_sets" not in self.dictionary
        return tight and not is_shown_by_level(entry)

    def draw_quasi(self, rng: np.random.Generator) -> pl.DataFrame:
        """Draw a quasi-identifier for each published row from its box."""
        return pl.DataFrame(
            {name: draw_values(cells, np.asarray(cell), rng) for name, (cells, cell) in self.row_cells.items()}
        )


def add_part_ends(
    tables: Mapping[str, pl.DataFrame], number: int, entries: Sequence[Mapping[str, Any]]
) -> dict[str, pl.DataFrame]:
    """Return the table of a part with the ends of its ranges."""
    return {name: insert_ends(table, entries) for name, table in tables.items()}
