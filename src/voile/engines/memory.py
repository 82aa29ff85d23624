"""The engine for tables that fit in memory: the whole table is one chunk."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import polars as pl

from voile.engines.base import Engine, Source
from voile.errors import DataError, option
from voile.tables.part_protocol import PartsInMemory
from voile.tables.schema import Schema


@dataclass(frozen=True)
class InMemory(Engine):
    """An engine that holds everything in the memory of this process. It reads every kind of source."""

    name: ClassVar[str] = "local"
    in_memory: ClassVar[bool] = True

    def read(self, source: Source, schema: Schema) -> PartsInMemory:
        return PartsInMemory([load_frame(source, schema)], [])

    def list_parts(self, items: Sequence[Any], load: Callable[[Any], Any]) -> PartsInMemory:
        return PartsInMemory([load(item) for item in items], [])

    def row_limit(self, columns: int) -> int:
        return sys.maxsize


def load_frame(
    source: Source, schema: Schema | None, check: Callable[[Sequence[str]], None] | None = None
) -> pl.DataFrame:
    """Load the columns of a schema, or all columns, from any source. From a file nothing else is read. The names of all
    columns are checked by the schema, or by `check` instead, before the rows of a file are read."""
    from voile.io import data_frames, databases, table_files  # checking a release takes none of them

    columns = None if schema is None else schema.read_names()
    check = check or (None if schema is None else schema.check)
    if source.query is not None:
        if not isinstance(source.table, (str, Path)):
            kind = type(source.table).__name__
            raise DataError(f"A query needs the URL of a database, not a {kind}.", code="data.url")
        frame = databases.run_query(source.query, str(source.table))
    elif source.path is not None:
        scheme = databases.parse_scheme(str(source.table))
        if scheme:
            raise DataError(
                f"A table from {scheme}:// needs a query.",
                code="data.url",
                hint=f"Give one, e.g. {option('query', 'select * from patients')}.",
            )
        return table_files.read_file(source.path, columns, source.how, check).select(columns or pl.all())
    else:
        named = None if schema is None else [*schema.identifier, *schema.read_names()]
        table = data_frames.read_frame(source.table, named)
        if table is None:
            raise DataError(
                f"A table of type {type(source.table).__name__} cannot be read.",
                code="data.source",
                hint="Give a path, a polars, pandas or Arrow table, or a database URL with a query.",
            )
        frame = table
    if check is not None:
        check(frame.columns)
    return frame.select(columns or pl.all())
