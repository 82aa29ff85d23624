"""A table of people once it is read: columns with domains, and rows of codes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from voile.tables.row_protocol import Rows, Table
from voile.tables.schema import Column, Columns

PERSON = "#person"  # the column of linked rows that says whose row it is; no published column can have this name


@dataclass(frozen=True, eq=False)
class Microdata:
    """The table that `read` returns and `publish` takes. `dropped` counts the rows left out for missing values.

    If the schema names a person column, `linked` holds the same rows with that column (`person`) as the last one. It is
    used to follow people from one release to the next and never enters a release.
    """

    columns: Columns
    rows: Table
    dropped: int = 0
    linked: Rows | None = None
    person: Column | None = None

    def __repr__(self) -> str:
        roles = ", ".join(f"{len(getattr(self.columns, role))} {role}" for role in ("quasi", "sensitive", "other"))
        return f"Microdata({self.rows.total} rows; {roles})"


def count_people_with(external: Microdata, names: list[str], texts: list[np.ndarray]) -> np.ndarray:
    """Count the people of an external table who have exactly these quasi-identifier values."""
    table = external.rows.histogram(names)
    labels = [np.array(external.columns[name].domain.labels, dtype=object)[table.column(name)] for name in names]
    counts = dict(zip(zip(*labels, strict=True), table.counts.tolist(), strict=True))
    return np.array([counts.get(row, 0) for row in zip(*texts, strict=True)], dtype=np.int64)
