"""Write tables as Parquet: cells, and nothing that a reader might take for more. No statistics, no notes, no schema of
a library, no stored value that no row has."""

from __future__ import annotations

import inspect
from collections.abc import Iterable
from contextlib import ExitStack
from pathlib import Path
from typing import IO, Any

import numpy as np
import polars as pl

_LARGEST_DICTIONARY = 1 << 29  # bytes; a column that is coded stays coded to its end
_LARGEST_PAGE = 1 << 24  # bytes
ROW_GROUP = 1 << 18  # rows of a table that lies in memory


def write_parquet(target: Path | IO[bytes], pieces: Iterable[pl.DataFrame]) -> None:
    """Write the pieces of a table to a file, one row group each. Categories become text."""
    import pyarrow.parquet as pq

    writer = None
    with ExitStack() as opened:
        for piece in pieces:
            table = _to_arrow(piece, writer.schema if writer is not None else None)
            if writer is None:
                coded = [name for name, kind in piece.schema.items() if not (kind.is_float() or kind == pl.Boolean)]
                writer = opened.enter_context(pq.ParquetWriter(
                    target, table.schema, compression="zstd", compression_level=1, use_dictionary=coded,
                    dictionary_pagesize_limit=_LARGEST_DICTIONARY, write_statistics=False, store_schema=False,
                    data_page_size=_LARGEST_PAGE, **_page_rows(),
                ))  # fmt: skip
            writer.write_table(table, row_group_size=max(table.num_rows, 1))


def _page_rows() -> dict[str, int]:
    """How many rows a page may have: a row group, so that whoever verifies has few headers to read. Older versions of
    pyarrow have no choice, and write more pages."""
    import pyarrow.parquet as pq

    known = inspect.signature(pq.ParquetWriter.__init__).parameters
    return {"max_rows_per_page": 4 * ROW_GROUP} if "max_rows_per_page" in known else {}


def split_rows(table: pl.DataFrame) -> Iterable[pl.DataFrame]:
    """Yield a table in pieces that make good row groups; a table without rows is one piece."""
    return table.iter_slices(ROW_GROUP) if table.height else [table]


def _to_arrow(table: pl.DataFrame, schema: Any) -> Any:
    """Convert a piece. Categories stay coded, so that no text is written out for every row; those that no row of the
    piece has are left out."""
    import pyarrow as pa

    columns = []
    for name in table.columns:
        values = table[name]
        if isinstance(values.dtype, pl.Enum) and not values.null_count():
            columns.append(_encode_categories(values))
        else:
            columns.append(with_text_labels(values.to_frame())[name].to_arrow())
    if schema is None:
        return pa.table(columns, names=table.columns)
    return pa.table([_cast_like(one, field.type) for one, field in zip(columns, schema, strict=True)], schema=schema)


def _encode_categories(values: pl.Series) -> Any:
    import pyarrow as pa

    categories: pl.Series = values.dtype.categories  # type: ignore[attr-defined]
    codes = values.to_physical().to_numpy()
    is_used = np.bincount(codes, minlength=len(categories)) > 0
    codes = (np.cumsum(is_used, dtype=np.int32) - 1)[codes]
    # by way of polars: pyarrow would import pandas to look at a list
    texts = categories.filter(pl.Series(is_used)).to_arrow().cast(pa.string())
    return pa.DictionaryArray.from_arrays(pl.Series(codes).to_arrow(), texts)


def _cast_like(values: Any, kind: Any) -> Any:
    """Convert a column to its type in the first piece: text may be coded in either of them."""
    import pyarrow as pa

    if values.type == kind:
        return values
    if pa.types.is_dictionary(kind):
        coded = values.cast(kind.value_type).dictionary_encode()
        return pa.DictionaryArray.from_arrays(coded.indices.cast(kind.index_type), coded.dictionary)
    return values.dictionary_decode().cast(kind) if pa.types.is_dictionary(values.type) else values.cast(kind)


def with_text_labels(table: pl.DataFrame) -> pl.DataFrame:
    """Return the table with text instead of categories, which differ from piece to piece."""
    named = [name for name, kind in table.schema.items() if kind in (pl.Enum, pl.Categorical)]
    return table.with_columns(pl.col(named).cast(pl.String)) if named else table
