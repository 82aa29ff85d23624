"""Tables from files, frames and databases to polars. Errors name the file, the line and the column, never a cell."""

from __future__ import annotations

import contextlib
import re
import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast
from urllib.parse import quote

import polars as pl

from voile.errors import DataError, EngineError, VoileError
from voile.io import csv_files

FILE_KINDS = {
    ".csv": "csv",
    ".tsv": "csv",
    ".txt": "csv",
    ".data": "csv",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".arrow": "ipc",
    ".arrows": "ipc",
    ".ipc": "ipc",
    ".feather": "ipc",
}
DATABASES = ("sqlite", "duckdb", "postgresql", "postgres")


def read_file(
    path: Path,
    columns: Sequence[str] | None = None,
    delimiter: str | None = None,
    encoding: str = "utf8",
    null_values: Sequence[str] = (),
) -> pl.DataFrame:
    """A CSV, Parquet or Arrow file. `columns` limits what is read; the others never enter memory."""
    if _file_kind(path) == "csv":
        return csv_files.read(path, columns, delimiter, encoding, null_values)
    try:
        scan = _scanned(path)
        names = scan.collect_schema().names()
        wanted = [name for name in names if columns is None or name in columns]
        return scan.select(wanted).collect() if wanted else pl.DataFrame()
    except (pl.exceptions.PolarsError, OSError):
        raise broken(path) from None


def lazily(
    path: Path,
    columns: Sequence[str],
    delimiter: str | None = None,
    encoding: str = "utf8",
    null_values: Sequence[str] = (),
) -> tuple[pl.LazyFrame, bool]:
    """Columns of a file, read when they are asked for, and whether they are all text: of a CSV they are."""
    if _file_kind(path) == "csv":
        return csv_files.lazily(path, columns, delimiter, encoding, null_values), True
    try:
        return _scanned(path).select(columns), False
    except (pl.exceptions.PolarsError, OSError):
        raise broken(path) from None


def names_of(path: Path, delimiter: str | None = None, encoding: str = "utf8") -> list[str]:
    """The column names of a file."""
    if _file_kind(path) == "csv":
        return csv_files.names_of(path, delimiter, encoding)
    try:
        return _scanned(path).collect_schema().names()
    except (pl.exceptions.PolarsError, OSError):
        raise broken(path) from None


def _file_kind(path: Path) -> str:
    """csv, parquet or ipc; an error where there is no such file."""
    if not path.is_file():
        what = "is a folder, not a file" if path.is_dir() else "does not exist"
        raise DataError(f"The file {path.name!r} {what}.", code="data.no-file", hint="Check the path.")
    kind = FILE_KINDS.get(path.suffix.lower())
    if kind is None:
        raise DataError(
            f"{path.name!r} has no known ending.",
            code="data.format",
            hint="Known are " + ", ".join(sorted(FILE_KINDS)) + ".",
        )
    if path.stat().st_size == 0:
        raise DataError(f"{path.name!r} is empty.", code="data.empty", hint="Give a file with a header and rows.")
    return kind


def _scanned(path: Path) -> pl.LazyFrame:
    if FILE_KINDS[path.suffix.lower()] == "parquet":
        return pl.scan_parquet(path, glob=False, hive_partitioning=False)
    with path.open("rb") as handle:
        marked = handle.read(6) == b"ARROW1"  # the stream form has no such mark
    if not marked:
        with path.open("rb") as handle:
            return pl.read_ipc_stream(handle).lazy()
    return pl.scan_ipc(path, glob=False, hive_partitioning=False)


def broken(path: Path) -> DataError:
    kind = "Parquet" if FILE_KINDS[path.suffix.lower()] == "parquet" else "Arrow"
    return DataError(f"{path.name!r} is not a whole {kind} file.", code="data.corrupt", hint="Write or fetch it again.")


def from_object(table: Any, columns: Sequence[str] | None = None) -> pl.DataFrame | None:
    """A polars frame from polars, pandas or Arrow; None if it is none of these."""
    if isinstance(table, pl.DataFrame):
        return table
    library = type(table).__module__.split(".")[0]
    try:
        if isinstance(table, pl.LazyFrame):
            names = table.collect_schema().names()
            return table.select([name for name in names if columns is None or name in columns]).collect()
        if library == "pandas" and hasattr(table, "columns"):
            return _from_pandas(table, columns)
        if library == "pyarrow":
            found = pl.from_arrow(table)
            return found if isinstance(found, pl.DataFrame) else None
    except VoileError:
        raise
    except Exception as error:
        # what a library says of a cell that it cannot convert quotes the cell
        raise DataError(
            f"The {library} table cannot be read ({type(error).__name__}).",
            code="data.convert",
            hint="Give columns of one type each, with different names.",
        ) from None
    return None


def _from_pandas(table: Any, columns: Sequence[str] | None) -> pl.DataFrame:
    """The index is a label, not data: rows are taken by position. An ordered categorical keeps its order."""
    names = [str(name) for name in table.columns]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise DataError(
            f"The table has {len(twice)} column names twice: {', '.join(map(repr, twice))}.",
            code="data.header",
            hint="Rename the columns.",
        )
    found = {}
    for place, name in enumerate(names):
        if columns is not None and name not in columns:
            continue
        series = table.iloc[:, place].reset_index(drop=True)
        try:
            values = pl.from_pandas(series)
        except Exception:
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
        found[name] = values
    return pl.DataFrame(found)


def scheme_of(text: str) -> str:
    """The scheme of a database URL, or nothing. Only this part of a URL is ever shown: the rest may hold a password."""
    match = re.match(r"([A-Za-z][A-Za-z0-9+.-]*)://", text)
    return match.group(1).lower() if match else ""


def query(statement: str, url: str) -> pl.DataFrame:
    """The result of a database query. SQLite and DuckDB by file, PostgreSQL by URL through ADBC."""
    scheme = scheme_of(url)
    if scheme not in DATABASES:
        raise DataError(
            f"The database scheme {scheme!r} is not known." if scheme else "A query needs the URL of a database.",
            code="data.url",
            hint="Use sqlite:///file.db, duckdb:///file.duckdb or postgresql://...",
        )
    try:
        if scheme == "sqlite":
            return _sqlite(_database_file(url), statement)
        if scheme == "duckdb":
            return _duckdb(_database_file(url), statement)
        return pl.read_database_uri(statement, url, engine="adbc")
    except ImportError as error:
        raise EngineError(
            f"Reading from {scheme} needs the package {error.name or 'adbc'!r}.",
            code="engine.extra",
            hint="Install voile[database].",
        ) from None
    except VoileError:
        raise
    except Exception as error:
        # a driver's message may quote the query's data or a password: only its kind is passed on
        raise DataError(
            f"The {scheme} query failed ({type(error).__name__}).",
            code="data.query",
            hint="Run the statement in the database's own client to see why.",
        ) from None


def _database_file(url: str) -> Path:
    """`sqlite:///a.db` is relative, `sqlite:////a.db` absolute."""
    path = Path(url.split("://", 1)[1].removeprefix("/"))
    if not path.is_file():
        raise DataError(f"There is no database {path.name!r}.", code="data.no-file", hint="Check the path.")
    return path


def _sqlite(path: Path, statement: str) -> pl.DataFrame:
    with contextlib.closing(sqlite3.connect(f"file:{quote(str(path))}?mode=ro", uri=True)) as connection:
        return pl.read_database(statement, connection, infer_schema_length=None)


def _duckdb(path: Path, statement: str) -> pl.DataFrame:
    import duckdb

    with duckdb.connect(str(path), read_only=True) as connection:
        return cast(pl.DataFrame, connection.sql(statement).pl())
