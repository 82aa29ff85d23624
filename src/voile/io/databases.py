"""The result of a database query as a polars frame. Errors never show the query's data or a password."""

from __future__ import annotations

import contextlib
import re
from pathlib import Path
from typing import cast
from urllib.parse import quote

import polars as pl

from voile.errors import DataError, EngineError
from voile.io.library_border import library_border

SCHEMES = ("sqlite", "duckdb", "postgresql", "postgres")


def parse_scheme(text: str) -> str:
    """Return the scheme of a URL, or nothing. No other part of a URL is ever shown: it may hold a password.

    >>> parse_scheme("postgresql://me:secret@host/people"), parse_scheme("people.csv")
    ('postgresql', '')
    """
    match = re.match(r"([A-Za-z][A-Za-z0-9+.-]*)://", text)
    return match.group(1).lower() if match else ""


def run_query(statement: str, url: str) -> pl.DataFrame:
    """Run a query and return its rows. SQLite and DuckDB are opened by file, PostgreSQL by URL through ADBC."""
    scheme = parse_scheme(url)
    if scheme not in SCHEMES:
        raise DataError(
            f"The database scheme {scheme!r} is not known." if scheme else "A query needs the URL of a database.",
            code="data.url",
            hint="Use sqlite:///file.db, duckdb:///file.duckdb or postgresql://...",
        )
    # a driver's message may quote the query's data or a password: it is not passed on
    fault = DataError(
        f"The {scheme} query failed.",
        code="data.query",
        hint="Run the statement in the database's own client to see why. Columns must hold values of one type each.",
    )
    with library_border(fault):
        try:
            if scheme == "sqlite":
                return _query_sqlite(_find_file(url), statement)
            if scheme == "duckdb":
                return _query_duckdb(_find_file(url), statement)
            return pl.read_database_uri(statement, url, engine="adbc")
        except ImportError as error:
            raise EngineError(
                f"Reading from {scheme} needs the package {error.name or 'adbc'!r}.",
                code="engine.extra",
                hint="Install voile[database].",
            ) from None


def _find_file(url: str) -> Path:
    """Return the file of a URL: `sqlite:///a.db` is relative, `sqlite:////a.db` absolute."""
    path = Path(url.split("://", 1)[1].removeprefix("/"))
    if not path.is_file():
        raise DataError(f"There is no database {path.name!r}.", code="data.no-file", hint="Check the path.")
    return path


def _query_sqlite(path: Path, statement: str) -> pl.DataFrame:
    import sqlite3

    with contextlib.closing(sqlite3.connect(f"file:{quote(str(path))}?mode=ro", uri=True)) as connection:
        return pl.read_database(statement, connection, infer_schema_length=None)


def _query_duckdb(path: Path, statement: str) -> pl.DataFrame:
    import duckdb

    with duckdb.connect(str(path), read_only=True) as connection:
        return cast(pl.DataFrame, connection.sql(statement).pl())
