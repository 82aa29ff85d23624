"""Published columns read back: what their cells stand for, from the tables and the dictionary alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import polars as pl

from voile.errors import DataError, SchemaError
from voile.releases.cell_parsing import read_ranges, read_sets
from voile.releases.cells import Cells
from voile.releases.query import Condition
from voile.tables.domain import Domain, encode_column
from voile.tables.value_text import parse_values


def dtype_of(name: str) -> pl.DataType:
    """A polars type from its name in the dictionary."""
    if name == "Date":
        return pl.Date()
    if name.startswith("Datetime"):
        return pl.Datetime("us")
    whole = (pl.Int8, pl.Int16, pl.Int32, pl.Int64, pl.UInt8, pl.UInt16, pl.UInt32, pl.UInt64)
    kinds: tuple[type[pl.DataType], ...] = (pl.Boolean, pl.String, pl.Time, pl.Float32, pl.Float64, *whole)
    known = {str(kind): kind() for kind in kinds}
    return known.get(name, pl.String())


def published_domain(entry: Mapping[str, Any], values: pl.Series) -> tuple[Domain, np.ndarray]:
    """The domain of an exactly published column, listed in the dictionary or read off the column."""
    listed = entry["domain"].get("values")
    dtype = dtype_of(str(entry["type"]))
    if values.dtype == pl.String and dtype != pl.String:
        values = parse_values(values, dtype)
    if listed is not None and dtype in (pl.Date, pl.Datetime, pl.Time):
        listed = parse_values(pl.Series(listed, dtype=pl.String), dtype).to_list()
    try:
        return encode_column(str(entry["name"]), values, str(entry["kind"]), listed)
    except SchemaError as error:
        raise DataError(
            error.message, code="data.dictionary", hint="The folder was changed after publishing."
        ) from None


def read_column(entry: Mapping[str, Any], values: pl.Series) -> tuple[Cells, np.ndarray]:
    """A published quasi-identifier column: its cells, and the cell of each row."""
    name, kind = str(entry["name"]), str(entry["kind"])
    if entry["shown"] == "exact":
        domain, codes = published_domain(entry, values)
        return exact_cells(domain), codes
    written, codes = label_codes(values)
    names = entry.get("names", {})
    if kind in ("numeric", "date"):
        return read_ranges(written, dtype_of(str(entry["type"])), kind, entry["domain"], names, name), codes
    listed = entry["domain"]["values"]
    dtype = dtype_of(str(entry["type"]))
    if dtype in (pl.Date, pl.Datetime, pl.Time):
        listed = parse_values(pl.Series(listed, dtype=pl.String), dtype).to_list()
    domain = Domain(pl.Series(listed), kind, bool(entry["domain"]["missing"]), True)
    return read_sets(written, domain, names, name), codes


def exact_cells(domain: Domain) -> Cells:
    """Return one cell for each value of a domain, in the order of the codes."""
    every, labels = np.arange(domain.size), pl.Series(domain.labels, dtype=pl.String)
    if domain.uses_intervals:
        missing = (every == domain.size - 1) & domain.missing
        return Cells(domain, labels, np.where(missing, 0, every), np.where(missing, -1, every), missing)
    return Cells(domain, labels, starts=np.arange(domain.size + 1), members=every)


def label_codes(values: pl.Series) -> tuple[list[str], np.ndarray]:
    """The labels of a column and the number of each row's label."""
    if isinstance(values.dtype, pl.Enum) and not values.null_count():
        return values.dtype.categories.to_list(), values.to_physical().to_numpy()
    labels = values.cast(pl.String).fill_null("").unique().sort()
    codes = values.cast(pl.String).fill_null("").cast(pl.Enum(labels)).to_physical().to_numpy()
    return labels.to_list(), codes


def cell_shares(cells: Cells, condition: Condition) -> np.ndarray:
    """The share of each cell that satisfies a condition, its values taken as equally likely."""
    if not cells.domain.uses_intervals:
        return cells.shares(condition.matches(cells.domain.values, cells.domain.missing))
    assert cells.low is not None and cells.high is not None and cells.missing is not None
    points = cells.domain.numeric_values
    if not len(points):
        return np.zeros(len(cells))
    step = 0 if cells.domain.values.dtype.is_float() else 1
    low, high = points[np.clip(cells.low, 0, None)], points[np.clip(cells.high, 0, None)]
    inside, width = condition.overlap(low, high, cells.domain.values.dtype, step)
    none = cells.high < cells.low
    share = np.where(width > 0, inside / np.where(width > 0, width, 1), 0.0)
    # a cell that may also be a missing value: taken as one more value
    share = np.where(cells.missing & ~none, share * width / (width + 1), share)
    return np.where(none, 0.0, share)
