"""Read Parquet files of a release, after every byte of them was accounted for."""

from __future__ import annotations

import mmap
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from voile.io.parquet.footer import TEXT, ParquetFooter
from voile.io.parquet.pages import check_bytes

_FEW_CATEGORIES = 1 << 16


def check_file(path: Path) -> ParquetFooter:
    """Account for every byte of a file without loading it; raise ValueError if one of them tells more than cells."""
    with path.open("rb") as file:
        if path.stat().st_size == 0:
            raise ValueError("it is empty")
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content, memoryview(content) as view:
            try:
                return check_bytes(view)
            except ValueError as error:
                reason = str(error)  # while the error lives, its frames hold pieces of the view
    raise ValueError(reason)


def read_parquet(source: Path | bytes) -> pl.DataFrame:
    """Read a file whose bytes are all accounted for. A text column of few values has categories, in order."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    content = source if isinstance(source, bytes) else source.read_bytes()
    columns = check_bytes(content).columns
    names = [column.name for column in columns]
    if len(set(names)) < len(names):
        raise ValueError("two columns have the same name")
    texts = [column.name for column in columns if column.physical == TEXT]
    table = pq.ParquetFile(pa.BufferReader(content), read_dictionary=texts).read()
    return pl.DataFrame([_convert(name, table.column(name), name in texts) for name in names])


@dataclass(frozen=True)
class _Column:
    """A column that shows only Arrow's own interface. Given pyarrow's class, polars would import pyarrow.compute, and
    pyarrow would import pandas, which takes longer than reading a small release."""

    values: Any

    def __arrow_c_array__(self, requested_schema: object = None) -> Any:
        return self.values.__arrow_c_array__(requested_schema)


def _convert(name: str, column: Any, is_text: bool) -> pl.Series:
    """Return a column of polars; texts that are coded in the file stay coded."""
    if not is_text:
        return pl.Series(_Column(column.combine_chunks())).alias(name)
    coded = column.unify_dictionaries().combine_chunks()
    coded.dictionary.validate(full=True)  # UTF-8, which polars takes for granted
    texts = pl.Series(_Column(coded.dictionary)).cast(pl.String)
    if len(texts) > max(_FEW_CATEGORIES, len(coded) // 4) or coded.null_count:
        return pl.Series(name, coded.dictionary_decode(), dtype=pl.String)
    codes = pl.Series(_Column(coded.indices)).cast(pl.UInt32)
    return texts.cast(pl.Enum(texts.sort())).gather(codes).alias(name)
