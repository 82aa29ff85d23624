"""Read: a table at the border becomes integer codes with domains."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from voile.engines.memory import build_rows
from voile.engines.spark import Spark
from voile.errors import DataError, SpecError, option, raise_together
from voile.flow.read.chunked_reading import Engine, is_spark, read_at
from voile.flow.read.column_coding import column_of, missing_cells, nothing_left
from voile.io import data_frames, databases, table_files
from voile.tables.domain import encode_column
from voile.tables.microdata import PERSON, Microdata
from voile.tables.schema import Column, Columns, Schema


def read(
    source: Any,
    schema: Schema,
    *,
    query: str | None = None,
    delimiter: str | None = None,
    encoding: str = "utf8",
    null_values: Sequence[str] = (),
    engine: Engine | None = None,
) -> Microdata:
    """Read a table of people: a path, a polars, pandas, Arrow or Spark table, or a database URL with a `query`.

    `engine` says where the rows lie: in memory, or, for tables that are larger, on disk (`Disk()`) or on a cluster
    (`Spark()`); a Spark table stays where it is.

    >>> import polars as pl
    >>> frame = pl.DataFrame({"age": [31, 34, 31], "disease": ["flu", "HIV", "flu"]})
    >>> read(frame, Schema(quasi=["age"], sensitive=["disease"]))
    Microdata(3 rows; 1 quasi, 1 sensitive, 0 other)
    """
    if engine is not None or is_spark(source):
        return read_at(engine or Spark.of(source), source, schema, query, delimiter, encoding, null_values)
    # identifiers and columns without a role end here
    frame = load_frame(source, schema, query, delimiter=delimiter, encoding=encoding, null_values=null_values)
    if frame.height == 0:
        raise DataError("The table has no rows.", code="data.no-rows", hint="Check the file or the query.")
    frame, dropped = _without_missing(frame, schema)
    columns, codes = [], []
    problems: list[SpecError] = []
    for name in schema.names():
        try:
            column, code = column_of(name, frame[name], schema)
        except SpecError as error:
            problems.append(error)
            continue
        columns.append(column)
        codes.append(code)
    raise_together(problems)
    sizes = [column.size for column in columns]
    rows = build_rows(schema.names(), codes, sizes)
    by_role = {role: tuple(c for c in columns if c.role == role) for role in ("quasi", "sensitive", "other")}
    if schema.person is None:
        return Microdata(Columns(**by_role), rows, dropped)
    person, code = _persons(frame[schema.person])
    linked = build_rows([*schema.names(), PERSON], [*codes, code], [*sizes, person.size])
    return Microdata(Columns(**by_role), rows, dropped, linked, person)


def _persons(values: pl.Series) -> tuple[Column, np.ndarray]:
    """Who is who, as text: the column is compared from table to table, and never published."""
    unknown = values.null_count()
    texts = values.cast(pl.String)
    twice = len(texts) - texts.n_unique()
    if unknown or twice:
        raise DataError(
            f"The column of persons has {unknown} missing cells and {twice} repeated ones.",
            code="data.person",
            hint="Every row needs a person of its own: one row is one person.",
        )
    domain, codes = encode_column(PERSON, texts, "categorical", None)
    return Column(PERSON, "identifier", domain), codes


def load_frame(
    source: Any,
    schema: Schema | None,
    query: str | None = None,
    *,
    delimiter: str | None = None,
    encoding: str = "utf8",
    null_values: Sequence[str] = (),
) -> pl.DataFrame:
    """The columns of a schema from any source, or all columns. From a file nothing else is read."""
    wanted = None if schema is None else schema.read_names()
    is_text = isinstance(source, (str, Path))
    if query is not None:
        if not is_text:
            raise DataError(f"A query needs the URL of a database, not a {type(source).__name__}.", code="data.url")
        frame = databases.run_query(query, str(source))
    elif is_text and databases.parse_scheme(str(source)):
        raise DataError(
            f"A table from {databases.parse_scheme(str(source))}:// needs a query.",
            code="data.url",
            hint=f"Give one, e.g. {option('query', 'select * from patients')}.",
        )
    elif is_text:
        path = Path(source)
        if schema is not None:
            schema.check(table_files.read_column_names(path, delimiter, encoding))
        return table_files.read_file(path, wanted, delimiter, encoding, null_values).select(wanted or pl.all())
    else:
        found = data_frames.read_frame(source, None if schema is None else [*schema.identifier, *schema.read_names()])
        if found is None:
            raise DataError(
                f"A table of type {type(source).__name__} cannot be read.",
                code="data.source",
                hint="Give a path, a polars, pandas or Arrow table, or a database URL with a query.",
            )
        frame = found
    if schema is not None:
        schema.check(frame.columns)
    return frame.select(wanted or pl.all())


def _without_missing(frame: pl.DataFrame, schema: Schema) -> tuple[pl.DataFrame, int]:
    """The rows that are kept, and how many are not."""
    floats = [name for name in frame.columns if frame[name].dtype.is_float()]
    frame = frame.with_columns(pl.col(floats).fill_nan(None)) if floats else frame
    if not missing_cells({name: frame[name].null_count() for name in (*schema.quasi, *schema.sensitive)}, schema):
        return frame, 0
    kept = frame.drop_nulls(subset=[*schema.quasi, *schema.sensitive])
    if kept.height == 0:
        raise nothing_left()
    return kept, frame.height - kept.height
