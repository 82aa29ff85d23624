"""A table of people after the border: columns with domains, and rows of codes."""

from __future__ import annotations

from dataclasses import dataclass

from voile.core.rows import Rows
from voile.core.schema import Columns


@dataclass(frozen=True, eq=False)
class Microdata:
    """What `read` returns and `publish` takes. `dropped` counts rows left out for missing values."""

    columns: Columns
    rows: Rows
    dropped: int = 0

    def __repr__(self) -> str:
        roles = ", ".join(f"{len(getattr(self.columns, role))} {role}" for role in ("quasi", "sensitive", "other"))
        return f"Microdata({self.rows.total} rows; {roles})"
