"""A yardstick beside the trials: a synthetic table that another tool made under differential privacy.

It is measured by the same marginals as every trial and listed apart from them. Its epsilon is the word of whoever made
it: voile does not check such tables, and no claim of voile speaks of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from voile.errors import DataError, SpecError
from voile.flow.compare.synthesizer import check_synthesizer, synthesize
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
    """A synthetic table of the same columns, or its file, with the epsilon that its maker states.

    With `python`, an interpreter in whose environment dpmm is installed, `table` is "mst" or "aim": the synthesizer
    that makes the table when it is needed, with delta 1e-5.
    """

    table: pl.DataFrame | str | Path
    epsilon: float
    title: str = "synthetic table"
    python: str | Path | None = None

    def __post_init__(self) -> None:
        if isinstance(self.epsilon, bool) or not isinstance(self.epsilon, (int, float)) or not self.epsilon > 0:
            raise SpecError(
                f"The epsilon of {self.title!r} must be a number above 0.",
                code="spec.epsilon",
                hint="State the epsilon with which the table was made.",
            )
        if self.python is not None:
            check_synthesizer(str(self.table), self.epsilon, self.python)


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
    columns, bins = list_columns(data), choose_bins(data)
    if yardstick.python is not None:
        codes = synthesize(data, columns, str(yardstick.table), yardstick.epsilon, yardstick.python)
    else:
        codes = _read_codes(yardstick.table, columns)
    rows = len(codes[columns[0].name])
    actual, found = count_marginals(data, bins), _count_synthetic(codes, bins, rows)
    scale = data.rows.total / rows  # it may have more rows than the original table, or fewer
    expected = {names: counts * scale for names, counts in found.items()}
    loss = Marginals().compare_marginals(actual, expected, bins.names)
    return YardstickResult(yardstick.title, float(yardstick.epsilon), rows, loss.value, loss.parts)


def _read_codes(source: pl.DataFrame | str | Path, columns: Sequence[Column]) -> dict[str, np.ndarray]:
    """Return the codes of a synthetic table that was made elsewhere."""
    table = source if isinstance(source, pl.DataFrame) else read_file(Path(source))
    missing = [column.name for column in columns if column.name not in table.columns]
    if missing or not table.height:
        raise DataError(
            f"The synthetic table lacks {', '.join(map(repr, missing)) or 'rows'}.",
            code="data.synthetic",
            hint="Make it from the quasi-identifier and sensitive columns of the table that is compared.",
        )
    return {column.name: _encode(column, table[column.name]) for column in columns}


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
