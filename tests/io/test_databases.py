"""Queries of SQLite, DuckDB and PostgreSQL; no error shows data or a password."""

from __future__ import annotations

import contextlib
import os
import shutil
import socket
import sqlite3
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest
from sample_files import FRAME, SCHEMA

import voile as vl
from voile.errors import DataError, EngineError, VoileError


@pytest.fixture
def sqlite(tmp_path: Path) -> str:
    path = tmp_path / "people #1.db"
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.execute("create table people (age integer, zip text, disease text, note)")
        connection.executemany("insert into people values (?, ?, ?, ?)", [(*row, "n") for row in FRAME.rows()])
        connection.execute("insert into people values ('CANARY', '1', 'flu', null)")
        connection.commit()
    return f"sqlite:///{path}"


@pytest.fixture
def duck(tmp_path: Path) -> str:
    path = tmp_path / "people.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute("create table people (age integer, zip varchar, disease varchar)")
        connection.executemany("insert into people values (?, ?, ?)", FRAME.rows())
    return f"duckdb:///{path}"


def test_sqlite(sqlite: str) -> None:
    statement = "select age, zip, disease from people where typeof(age) = 'integer'"
    data = vl.read(sqlite, SCHEMA, query=statement)
    assert data.rows.total == 3
    assert data.columns["zip"].domain.labels[0] == "01234"
    with pytest.raises(DataError, match="no rows"):
        vl.read(sqlite, SCHEMA, query=statement + " and age > 100")


def test_duckdb(duck: str) -> None:
    assert vl.read(duck, SCHEMA, query="select * from people").rows.total == 3
    with pytest.raises(DataError, match="no rows"):
        vl.read(duck, SCHEMA, query="select * from people where age > 100")


@pytest.mark.parametrize("statement", ["select nothing from nowhere", "drop table people", "selec", "", ";;"])
@pytest.mark.parametrize("engine", ["sqlite", "duck"])
def test_bad_statements(engine: str, statement: str, request: pytest.FixtureRequest) -> None:
    url = request.getfixturevalue(engine)
    with pytest.raises(DataError) as error:
        vl.read(url, SCHEMA, query=statement)
    assert error.value.code in ("data.query", "data.no-rows")
    assert "people" not in error.value.message


def test_a_column_of_several_types_says_no_cell(sqlite: str) -> None:
    with pytest.raises(VoileError) as error:
        vl.read(sqlite, vl.Schema(quasi=["age"], kinds={"age": "numeric"}), query="select age from people")
    assert "CANARY" not in str(error.value)


def test_urls_that_lead_nowhere(tmp_path: Path) -> None:
    for url in (f"sqlite:///{tmp_path}/none.db", f"duckdb:///{tmp_path}/none.duckdb"):
        with pytest.raises(DataError, match="There is no database"):
            vl.read(url, SCHEMA, query="select 1")
    with pytest.raises(DataError, match="scheme 'oracle' is not known"):
        vl.read("oracle://scott:tiger@host/db", SCHEMA, query="select 1")
    with pytest.raises(DataError, match="needs the URL of a database") as error:
        vl.read("scott:tiger@host", SCHEMA, query="select 1")
    assert "tiger" not in str(error.value)
    with pytest.raises(DataError, match="needs the URL of a database, not a DataFrame"):
        vl.read(FRAME, SCHEMA, query="select 1")


@pytest.mark.parametrize("url", ["postgresql://scott:tiger@host/db", "postgresql://scott:tiger@host", "sqlite:///a.db"])
def test_a_url_needs_a_query(url: str) -> None:
    with pytest.raises(DataError, match="needs a query") as error:
        vl.read(url, SCHEMA)
    assert "tiger" not in str(error.value)
    assert "host" not in str(error.value)


def test_a_database_that_nobody_serves() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with pytest.raises(DataError, match="The postgresql query failed") as error:
        vl.read(f"postgresql://scott:tiger@127.0.0.1:{port}/db", SCHEMA, query="select 1")
    assert "tiger" not in str(error.value)
    assert "scott" not in str(error.value)


def test_a_missing_driver_names_the_extra(monkeypatch: pytest.MonkeyPatch, duck: str) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "duckdb", None)
    with pytest.raises(EngineError, match="needs the package 'duckdb'") as error:
        vl.read(duck, SCHEMA, query="select 1")
    assert error.value.hint == "Install voile[database]."


@pytest.fixture(scope="module")
def postgres(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server of our own on a free port; as root it is run by the postgres user, who may."""
    if not shutil.which("initdb") or not shutil.which("pg_ctl"):
        pytest.skip("there is no PostgreSQL server on this machine")
    folder = tmp_path_factory.mktemp("pg")
    other: dict[str, Any] = {}
    if os.geteuid() == 0:
        try:
            shutil.chown(folder, "postgres")
        except LookupError:
            pytest.skip("a PostgreSQL server does not run as root, and there is no postgres user")
        other = {"user": "postgres", "group": "postgres", "extra_groups": []}
        for parent in folder.parents:
            if not parent.stat().st_mode & 1:
                parent.chmod(parent.stat().st_mode | 1)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]

    def run(*command: str) -> None:
        subprocess.run(command, check=True, capture_output=True, cwd=folder, timeout=60, **other)

    run("initdb", "-D", f"{folder}/data", "-U", "scott", "-A", "trust", "--no-sync", "-E", "UTF8")
    options = f"-p {port} -k {folder} -c listen_addresses=127.0.0.1 -c fsync=off"
    subprocess.run(
        ["pg_ctl", "-D", f"{folder}/data", "-o", options, "-l", f"{folder}/log", "-w", "start"],
        check=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd=folder,
        timeout=60,
        **other,
    )
    yield f"postgresql://scott:tiger@127.0.0.1:{port}/postgres"
    run("pg_ctl", "-D", f"{folder}/data", "-m", "immediate", "stop")


def test_postgresql(postgres: str) -> None:
    rows = "select * from (values (30, '01234', 'flu', date '2025-01-02'), (41, '13001', 'HIV', null)) t(age, zip, "
    statement = rows + "disease, day)"
    schema = vl.Schema(quasi=["age", "zip", "day"], sensitive=["disease"], missing="value")
    data = vl.read(postgres, schema, query=statement)
    assert data.rows.total == 2
    assert data.columns["zip"].domain.labels == ["01234", "13001"]
    assert data.columns["day"].domain.labels == ["2025-01-02", "(missing)"]
    with pytest.raises(DataError, match="The postgresql query failed") as error:
        vl.read(postgres, schema, query="select nothing from nowhere where x = 'CANARY'")
    assert not any(part in str(error.value) for part in ("tiger", "nowhere", "CANARY"))
    with pytest.raises(DataError, match="The postgresql query failed") as error:
        vl.read(postgres, schema, query="select cast(disease as integer) as age from (values ('CANARY')) t(disease)")
    assert "CANARY" not in str(error.value)
