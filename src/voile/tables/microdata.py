"""A table of people once it is read: columns with domains, and rows of codes."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from voile.errors import DataError, EngineError, option
from voile.io.conversions.column_readings import ReadingRecord
from voile.result_tables import write_html
from voile.tables.domain import Domain
from voile.tables.row_protocol import PersonTable, Table
from voile.tables.schema import Columns
from voile.tables.secret_key import Key
from voile.tables.unit import ONE_ROW, Unit
from voile.tables.value_variants import Variants

PERSON = "#person"  # the column of linked rows that says whose row it is; no published column has this name
PUBLIC_KEY = Key(bytes(32))  # draws the rows that serve to measure; a publication draws its own


class WeightedRows(NamedTuple):
    """Rows with a survey weight: the column that holds it, and the weight that each of its codes stands for (0 where it
    is missing)."""

    rows: Table
    name: str
    weights: np.ndarray

    def __repr__(self) -> str:
        return f"WeightedRows({self.rows.total} rows)"

    @property
    def total(self) -> float:
        """The sum of all weights: how many people the rows stand for."""
        table = self.rows.histogram([self.name])
        return float(self.weights[table.codes[:, 0].astype(np.int64)] @ table.counts)


@dataclass(frozen=True, eq=False)
class Microdata:
    """What `read` returns and `publish` takes. `dropped` counts rows left out for missing values; `unit` says how many
    rows a person may contribute, and `people` are all rows with whose they are, where the schema names a column of
    persons. `withheld_weight` are the rows with a survey weight that is measured with and not published; `missing` says
    whether missing cells are refused, dropped, or values of their own. `reading` tells how the text of a file was
    converted, `variants` lists categories that differ only in case and blanks, and `prepared` names what was done to
    the table before it was read, which certificates state."""

    columns: Columns
    table: Table | None
    dropped: int = 0
    unit: Unit = ONE_ROW
    people: PersonTable | None = None
    withheld_weight: WeightedRows | None = None
    missing: str = "error"
    reading: ReadingRecord = field(default_factory=ReadingRecord)
    variants: tuple[Variants, ...] = ()
    prepared: tuple[str, ...] = ()

    def __repr__(self) -> str:
        roles = ", ".join(f"{len(getattr(self.columns, role))} {role}" for role in ("quasi", "sensitive", "other"))
        size = f"{self.people.total} rows of {self.people.people} people" if self.people else f"{self.rows.total} rows"
        return f"Microdata({size}; {roles})"

    def _repr_html_(self) -> str:
        columns = [
            {"column": column.name, "role": role, "kind": column.kind, "different values": column.size}
            for role in ("quasi", "sensitive", "other")
            for column in getattr(self.columns, role)
        ]
        return write_html(repr(self), columns)

    @cached_property
    def rows(self) -> Table:
        """The rows to look at and to measure with. Of somebody with more rows than the unit allows, some are drawn with
        a public key."""
        return self.draw(PUBLIC_KEY)

    @property
    def weighted_rows(self) -> WeightedRows | None:
        """The rows with their survey weight, if the table has one."""
        column = self.columns.weight
        if column is None:
            return self.withheld_weight
        return WeightedRows(self.rows, column.name, weigh_codes(column.domain))

    def draw(self, key: Key) -> Table:
        """Return the rows to publish: of each person at most as many as the unit allows, drawn with the key."""
        if self.people is not None:
            return self.people.draw(self.unit.rows, key)
        assert self.table is not None
        return self.table

    def with_all_rows(self) -> Microdata:
        """Return the table with all rows of everybody: which of them are published is secret."""
        return self if self.people is None else self.with_rows(self.people.draw(self.people.total, PUBLIC_KEY))

    def with_linked_rows(self) -> Microdata | None:
        """Return the table with all rows and one column more, which numbers the people. None where no column tells
        whose the rows are, or where they are not in the memory of this process."""
        if self.people is None:
            return None
        try:
            return self.with_rows(self.people.draw_linked(self.people.total, PUBLIC_KEY))
        except EngineError:
            return None

    def count_left_out(self) -> int:
        """Count the rows that are not published because their people have too many."""
        return self.people.count_rows_over(self.unit.rows) if self.people is not None else 0

    def with_rows(self, rows: Table, columns: Columns | None = None) -> Microdata:
        """Return the table with other rows, which no longer tell whose they are, nor a weight that is withheld."""
        return replace(self, table=rows, columns=columns or self.columns, people=None, withheld_weight=None)


def weigh_codes(domain: Domain) -> np.ndarray:
    """Return the weight that each code of a survey weight stands for, 0 for a missing one."""
    return np.append(domain.numeric_values.astype(np.float64), [0.0] * domain.missing)


def require_people(data: Microdata) -> PersonTable:
    """Return the rows with whose they are; DataError where no column tells."""
    if data.people is None:
        raise DataError(
            "The table has no column that identifies each person.",
            code="data.person",
            hint=f"Name one, e.g. {option('person', 'patient')}; it is never published.",
        )
    return data.people


def count_people_with(external: Microdata, names: list[str], texts: list[np.ndarray]) -> np.ndarray:
    """Count the people of an external table who have exactly these quasi-identifier values."""
    table = external.rows.histogram(names)
    labels = [np.array(external.columns[name].domain.labels, dtype=object)[table.column(name)] for name in names]
    counts = dict(zip(zip(*labels, strict=True), table.counts.tolist(), strict=True))
    return np.array([counts.get(row, 0) for row in zip(*texts, strict=True)], dtype=np.int64)
