"""The texts of a published CSV, parsed: every cell must be a value of the type that its dictionary states."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import polars as pl

from voile.errors import DataError
from voile.releases.cells.column_types import parse_type
from voile.releases.cells.end_columns import end_names
from voile.releases.published_tables import PublishedTables
from voile.releases.strict_reading.dictionary_faults import VALUE_CELLS
from voile.tables.value_text import parse_values

_PLAIN_FLOAT = r"^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$"


def parse_tables(release: PublishedTables, texts: Mapping[str, pl.DataFrame]) -> dict[str, pl.DataFrame]:
    """Return tables of texts with the types that the dictionary of a release states. Labels become categories."""
    entries = release.dictionary["columns"]
    stated = {str(entry["name"]): parse_type(entry["type"]) for entry in entries if entry["shown"] in VALUE_CELLS}
    stated |= {name: parse_type(entry["type"]) for entry in entries for name in end_names(entry)}
    stated |= dict.fromkeys(release.mean_names, pl.Float64())
    labels = [str(entry["name"]) for entry in entries if entry["shown"] not in VALUE_CELLS]
    tables = {}
    for table, content in texts.items():
        numbered = [name for name, dtype in content.schema.items() if dtype == pl.Enum and name not in labels]
        content = content.with_columns(pl.col(numbered).cast(pl.String))
        columns = release.layout.get(table)
        added = columns.added if columns is not None else ()
        types = {name: pl.Int64() if name in added else stated.get(name) for name in content.columns}
        tables[table] = content.with_columns(
            *(
                _parse_column(table, content[name], dtype)
                for name, dtype in types.items()
                if dtype is not None and dtype != pl.String
            ),
            *(_number_labels(content[name]) for name in labels if name in content.columns and name not in added),
        )
    return tables


def _number_labels(texts: pl.Series) -> pl.Series:
    """Return a column of labels with categories, which all later steps look up instead of the texts."""
    if texts.null_count() or isinstance(texts.dtype, pl.Enum):
        return texts
    is_new = texts.ne_missing(texts.shift())  # rows of one group often stand together
    heads = texts.filter(is_new)
    runs = pl.Series(np.cumsum(is_new.to_numpy(), dtype=np.uint32) - np.uint32(1))
    return heads.cast(pl.Enum(heads.unique().sort())).gather(runs).alias(texts.name)


def restore_zones(tables: Mapping[str, pl.DataFrame], dictionary: Mapping[str, Any]) -> dict[str, pl.DataFrame]:
    """Return tables of Parquet files, which hold moments without a zone of their own, in the zones that the dictionary
    states."""
    stated = {str(entry["name"]): parse_type(entry["type"]) for entry in dictionary["columns"]}
    stated |= {name: parse_type(entry["type"]) for entry in dictionary["columns"] for name in end_names(entry)}
    zones = {name: dtype.time_zone for name, dtype in stated.items() if isinstance(dtype, pl.Datetime)}
    return {
        table: content.with_columns(
            pl.col(name).dt.convert_time_zone(zone)
            for name, zone in zones.items()
            if zone is not None and isinstance(kind := content.schema.get(name), pl.Datetime) and kind.time_zone
        )
        for table, content in tables.items()
    }


def _parse_column(table: str, texts: pl.Series, dtype: pl.DataType) -> pl.Series:
    """Parse a column. A text that is no value, and two texts for one value, are faults: whoever reads the file would
    see more than is counted."""
    values = parse_values(texts, dtype)
    unreadable = values.null_count() - texts.null_count()
    if unreadable or not _is_plainly_written(texts, values):
        count = f"{unreadable} cells" if unreadable else "cells"
        wording = "do not write a value in the one way in which voile writes it"
        reason = "are no values of the type that the dictionary states" if unreadable else wording
        raise DataError(
            f"{texts.name!r} of {table!r} has {count} that {reason}.",
            code="data.tables",
            hint="Fetch the release again.",
        )
    return values.alias(texts.name)


def _is_plainly_written(texts: pl.Series, values: pl.Series) -> bool:
    """Whether numbers have no sign and no zeros that nobody needs, and dates are written as 2025-12-31."""
    if values.dtype.is_float():
        return bool(texts.drop_nulls().str.contains(_PLAIN_FLOAT).all()) and values.n_unique() == texts.n_unique()
    if values.dtype.is_integer():  # any other way to write a number is longer, so the lengths in all tell
        return int(texts.str.len_bytes().sum()) == _count_digits(values.drop_nulls().to_numpy())
    if values.dtype == pl.Date:
        return bool((values.cast(pl.String) == texts).drop_nulls().all())
    return values.n_unique() == texts.n_unique()  # times and truth values: no value has two texts


def _count_digits(numbers: np.ndarray) -> int:
    """Count the characters of whole numbers that are written as short as possible."""
    if not len(numbers):
        return 0
    least, greatest, many = int(numbers.min()), int(numbers.max()), len(numbers)
    count = many + (int(np.count_nonzero(numbers < 0)) if least < 0 else 0)
    for digits in range(1, len(str(max(greatest, -least)))):
        power = 10**digits
        count += many if least >= power else int(np.count_nonzero(numbers >= power)) if greatest >= power else 0
        count += int(np.count_nonzero(numbers <= -power)) if least <= -power else 0
    return count
