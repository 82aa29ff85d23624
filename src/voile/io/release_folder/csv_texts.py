"""A published CSV as a table of texts: a file that is not written the one way in which voile writes it is refused, so
that quotes, blanks or line ends cannot carry what no cell shows."""

from __future__ import annotations

from pathlib import Path

import polars as pl


def read_csv_texts(source: Path | bytes) -> pl.DataFrame:
    """Read every cell as text, and missing cells as null; ValueError if writing them gives another file."""
    content = source.read_bytes() if isinstance(source, Path) else source
    table = pl.read_csv(content, infer_schema=False)
    if not table.columns or len(set(table.columns)) < len(table.columns):
        raise ValueError("its columns have no names, or the same name")
    ends = "\r\n" if b"\r\n" in content.partition(b"\n")[0] + b"\n" else "\n"
    if table.write_csv(line_terminator=ends).encode() != content:
        raise ValueError("its cells are not written as voile writes them")
    return table
