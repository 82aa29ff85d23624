"""A published CSV read the slow way: parsed, written again, and compared byte by byte."""

from __future__ import annotations

import polars as pl


def read_and_write_again(content: bytes) -> pl.DataFrame | None:
    """Return the table of texts; None if polars would write these cells differently."""
    try:
        table = pl.read_csv(content, infer_schema=False)
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException):
        return None
    if not table.columns or len(set(table.columns)) < len(table.columns):
        return None
    written = {table.write_csv(line_terminator=end).encode() for end in ("\n", "\r\n")}
    return table if content in written else None
