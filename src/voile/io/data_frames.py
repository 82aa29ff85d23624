"""Tables that another library holds (polars, pandas, Arrow) as polars frames. Errors never show a cell."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import polars as pl

from voile.errors import DataError
from voile.io.library_border import LIBRARY_FAULTS, library_border


def read_frame(table: Any, columns: Sequence[str] | None = None) -> pl.DataFrame | None:
    """Convert a polars, pandas or Arrow table; return None for any other object."""
    if isinstance(table, pl.DataFrame):
        return table
    library = type(table).__module__.split(".")[0]
    # a library that cannot convert a cell quotes the cell in its message
    fault = DataError(
        f"The {library} table cannot be read.",
        code="data.convert",
        hint="Give columns of one type each, with different names, and convert types that few programs know to text.",
    )
    with library_border(fault):
        if isinstance(table, pl.LazyFrame):
            names = table.collect_schema().names()
            return table.select([name for name in names if columns is None or name in columns]).collect()
        if library == "pandas" and hasattr(table, "columns"):
            return _read_pandas(table, columns)
        if library == "pyarrow":
            frame = pl.from_arrow(table)
            return frame if isinstance(frame, pl.DataFrame) else None
    return None


def _read_pandas(table: Any, columns: Sequence[str] | None) -> pl.DataFrame:
    """Convert columns, ignoring the index, which is a label and not data. An ordered categorical keeps its order."""
    names = [str(name) for name in table.columns]
    repeated = sorted({name for name in names if names.count(name) > 1})
    if repeated:
        raise DataError(
            f"The table has {len(repeated)} column names twice: {', '.join(map(repr, repeated))}.",
            code="data.header",
            hint="Rename the columns.",
        )
    converted = {}
    for position, name in enumerate(names):
        if columns is not None and name not in columns:
            continue
        series = table.iloc[:, position].reset_index(drop=True)
        try:
            values = pl.from_pandas(series)
        except LIBRARY_FAULTS:
            values = None
        if values is None:
            raise DataError(
                f"Column {name!r} of the pandas table holds values of several types.",
                code="data.convert",
                hint="Convert it to one type, e.g. with astype(str).",
            )
        listed = getattr(series.dtype, "categories", None)
        if listed is not None and getattr(series.dtype, "ordered", False) and all(isinstance(x, str) for x in listed):
            values = values.cast(pl.Enum(list(listed)))
        converted[name] = values
    return pl.DataFrame(converted)
