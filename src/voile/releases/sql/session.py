"""Completions as tables of an in-memory DuckDB that can read no file, reach no network and change no setting."""

from __future__ import annotations

import warnings
from typing import Any

import polars as pl

from voile.errors import EngineError, SpecError
from voile.releases.completions.completions import Completions

CATEGORIES = 1_000  # up to this many texts, a column is stored by their numbers


class Session:
    """A DuckDB with one table per draw, and the answers to queries on each of them."""

    def __init__(self, draws: Completions) -> None:
        self.connection = _connect()
        self.draws = len(draws)
        names = [column.name for column in draws.rows.columns]
        if len({name.casefold() for name in names}) < len(names):
            raise EngineError(
                "The release has columns whose names differ in capital letters only, which SQL takes as one.",
                code="engine.columns",
                hint="Draw the completions and rename a column.",
            )
        texts = dict[str, str]()
        for number, table in enumerate(draws):
            if not number:
                texts = self._create_types(table, draws)
            self._create_table(number, table, texts)
        self.connection.execute("set lock_configuration = true")

    def __repr__(self) -> str:
        return f"Session({self.draws} draws)"

    def _create_types(self, table: pl.DataFrame, draws: Completions) -> dict[str, str]:
        """Create a type for each column of few texts, which DuckDB then compares as numbers."""
        found = {}
        for number, (name, dtype) in enumerate(table.schema.items()):
            domain = draws.cut[number].domain
            if dtype == pl.String and 0 < len(domain.values) <= CATEGORIES:
                texts = domain.values.cast(pl.String).to_list()
                self.connection.execute(f"create type text_{number} as enum ({', '.join(map(_quote_text, texts))})")
                found[name] = f"text_{number}"
        return found

    def _create_table(self, number: int, table: pl.DataFrame, texts: dict[str, str]) -> None:
        columns = [
            f"{quote_name(name)}::{texts[name]} as {quote_name(name)}" if name in texts else quote_name(name)
            for name in table.columns
        ]
        self.connection.register("incoming", table.to_arrow())
        self.connection.execute("create schema if not exists drawn")
        self.connection.execute(f"create table drawn.d{number} as select {', '.join(columns)} from incoming")
        self.connection.unregister("incoming")

    def ask(self, text: str, table: str) -> tuple[list[str], list[list[tuple[Any, ...]]]]:
        """Run a query on every draw, which it knows by the name of its table; return names of columns, and rows."""
        names, found = list[str](), list[list[tuple[Any, ...]]]()
        for number in range(self.draws):
            self.connection.execute(
                f"create or replace temporary view {quote_name(table)} as select * from drawn.d{number}"
            )
            try:
                cursor = self.connection.execute(text)
            except Exception as error:  # DuckDB's message may quote a value
                raise SpecError(
                    f"DuckDB cannot answer the query ({type(error).__name__}).",
                    code="spec.query",
                    hint="Compare columns with values of their own type, and name columns under GROUP BY.",
                ) from None
            names = [column[0] for column in cursor.description]
            found.append(cursor.fetchall())
        return names, found


def _connect() -> Any:
    try:
        import duckdb
    except ModuleNotFoundError:
        raise EngineError(
            "SQL needs duckdb, which is not installed.", code="engine.extra", hint="Run: pip install duckdb."
        ) from None
    settings: dict[str, Any] = {"enable_external_access": "false", "python_enable_replacements": "false"}
    settings |= {"autoload_known_extensions": "false", "autoinstall_known_extensions": "false"}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return duckdb.connect(":memory:", config=settings)


def quote_name(name: str) -> str:
    """Write a name for SQL.

    >>> quote_name('a "b"')
    '"a ""b""\"'
    """
    return '"' + name.replace('"', '""') + '"'


def _quote_text(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
