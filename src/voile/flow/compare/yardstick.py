"""A yardstick beside the trials: a synthetic table that was made elsewhere under differential privacy.

It is measured by the same marginals as every trial and listed apart from them. Its epsilon is the word of whoever made
it: voile neither makes such tables nor checks them, and no claim of voile speaks of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from voile.errors import DataError, SpecError
from voile.io.table_files import read_file
from voile.measures.expected_marginals import Bins, MarginalCounts, choose_bins, count_marginals, list_columns
from voile.measures.marginals import Marginals
from voile.tables.microdata import Microdata
from voile.tables.schema import Column
from voile.tables.value_text import MISSING, format_value

NOTE = (
    "Synthetic tables were made elsewhere. Their epsilon is what their maker states; it bounds what one person's row "
    "changes, which is another promise than those above, and voile does not check it."
)


@dataclass(frozen=True, eq=False)
class Yardstick:
    """A synthetic table of the same columns, or its file, with the epsilon that its maker states."""

    table: pl.DataFrame | str | Path
    epsilon: float
    title: str = "synthetic table"

    def __post_init__(self) -> None:
        if isinstance(self.epsilon, bool) or not isinstance(self.epsilon, (int, float)) or not self.epsilon > 0:
            raise SpecError(
                f"The epsilon of {self.title!r} must be a number above 0.",
                code="spec.epsilon",
                hint="State the epsilon with which the table was made.",
            )


@dataclass(frozen=True)
class YardstickResult:
    """What analysts lose with a synthetic table, in all and by column; rows of it that have a value which the original
    table does not have count as lost."""

    title: str
    epsilon: float
    rows: int
    loss: float
    parts: Mapping[str, float] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def measure_yardstick(data: Microdata, yardstick: Yardstick) -> YardstickResult:
    """Measure a synthetic table against the original one."""
    table = yardstick.table if isinstance(yardstick.table, pl.DataFrame) else read_file(Path(yardstick.table))
    columns = list_columns(data)
    missing = [column.name for column in columns if column.name not in table.columns]
    if missing or not table.height:
        raise DataError(
            f"The synthetic table lacks {', '.join(map(repr, missing)) or 'rows'}.",
            code="data.synthetic",
            hint="Make it from the quasi-identifier and sensitive columns of the table that is compared.",
        )
    bins = choose_bins(data)
    codes = {column.name: _encode(column, table[column.name]) for column in columns}
    actual, found = count_marginals(data, bins), _count_synthetic(codes, bins, table.height)
    scale = data.rows.total / table.height  # it may have more rows than the original table, or fewer
    expected = {names: counts * scale for names, counts in found.items()}
    loss = Marginals().compare_marginals(actual, expected, bins.names)
    return YardstickResult(yardstick.title, float(yardstick.epsilon), table.height, loss.value, loss.parts)


def _encode(column: Column, values: pl.Series) -> np.ndarray:
    """Return the code of each value: of numbers and dates the nearest one from below, -1 for an unknown category."""
    domain = column.domain
    if domain.uses_intervals:
        typed = values.cast(domain.values.dtype, strict=False)
        place = domain.values.to_physical().search_sorted(typed.to_physical().fill_null(strategy="zero"), side="right")
        codes = np.clip(place.to_numpy().astype(np.int64) - 1, 0, len(domain.values) - 1)
        gap = len(domain.values) if domain.missing else -1
        return np.where(typed.is_null().to_numpy(), gap, codes)
    position = {text: code for code, text in enumerate(domain.labels)}
    texts = [MISSING if value is None else format_value(value) for value in values.to_list()]
    return np.array([position.get(text, -1) for text in texts], dtype=np.int64)


def _count_synthetic(codes: Mapping[str, np.ndarray], bins: Bins, rows: int) -> MarginalCounts:
    counts: MarginalCounts = {}
    for names in bins.list_marginals():
        shape, flat, known = [bins.sizes[name] for name in names], np.zeros(rows, np.int64), np.ones(rows, dtype=bool)
        for name in names:
            known &= codes[name] >= 0
            flat = flat * bins.sizes[name] + bins.places[name][np.maximum(codes[name], 0)]
        counts[names] = np.bincount(flat[known], minlength=int(np.prod(shape))).reshape(shape).astype(np.float64)
    return counts
