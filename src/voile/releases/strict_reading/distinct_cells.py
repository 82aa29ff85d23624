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
        codes = column.to_physical().to_numpy()
        heads = np.append(np.flatnonzero(codes[1:] != codes[:-1]), len(codes) - 1) if len(codes) else codes
        occurs = np.zeros(len(column.dtype.categories), dtype=bool)
        occurs[codes[heads]] = True  # rows of one group stand together, so one of each run is enough
        return column.dtype.categories.filter(pl.Series(occurs))
    return column.drop_nulls().unique()
