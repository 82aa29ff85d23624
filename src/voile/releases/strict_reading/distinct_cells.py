"""The distinct cells of published columns, each collected once however many checks look at them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import polars as pl

Tables = Mapping[str, pl.DataFrame]


@dataclass(frozen=True)
class DistinctCells:
    """The tables of a release, or of a piece of one, and the distinct cells of their columns."""

    tables: Tables
    _known: dict[tuple[str, str], pl.Series] = field(default_factory=dict)

    def collect(self, table: str, name: str) -> pl.Series:
        """Return the cells of a column that differ, without missing ones."""
        if (table, name) not in self._known:
            self._known[table, name] = _collect_distinct(self.tables[table][name])
        return self._known[table, name]


def _collect_distinct(column: pl.Series) -> pl.Series:
    if isinstance(column.dtype, pl.Enum) and not column.null_count():
        occurrences = np.bincount(column.to_physical().to_numpy(), minlength=len(column.dtype.categories))
        return column.dtype.categories.filter(pl.Series(occurrences > 0))
    return column.drop_nulls().unique()
