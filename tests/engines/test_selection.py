"""Which engine works on a table."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest

import voile as vl
from voile.engines.memory import InMemory
from voile.engines.selection import choose_engine, engine_of_table
from voile.errors import SpecError


@pytest.fixture
def table(tmp_path: Path) -> Path:
    pl.DataFrame({"age": [30, 31]}).write_parquet(tmp_path / "people.parquet")
    return tmp_path / "people.parquet"


def test_the_size_of_a_file_decides(table: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert isinstance(choose_engine(table, {}), InMemory)
    monkeypatch.setattr("voile.engines.selection._machine_memory", lambda: 1_000)
    assert isinstance(choose_engine(table, {}), vl.Disk)
    assert isinstance(choose_engine(table.parent, {"scratch": "."}), vl.Disk)
    assert isinstance(choose_engine(table, {"memory": "2GiB"}), InMemory)
    assert isinstance(choose_engine(table, {"engine": "local"}), InMemory)
    assert isinstance(choose_engine("sqlite:///x.db", {}), InMemory)


@pytest.mark.parametrize(
    ("options", "engine"),
    [
        ({"engine": "disk", "memory": "2GiB", "scratch": "tmp"}, vl.Disk(memory="2GiB", scratch="tmp")),
        ({"engine": "disk:memory=2GiB,scratch=tmp"}, vl.Disk(memory="2GiB", scratch="tmp")),
        ({"engine": "disk:memory=2GiB", "memory": "3GiB"}, vl.Disk(memory="3GiB")),
        ({"engine": "local"}, InMemory()),
    ],
)
def test_an_engine_and_its_knobs_by_name(options: dict[str, str], engine: Any, table: Path) -> None:
    assert choose_engine(table, options) == engine


def test_a_knob_that_only_one_engine_has_chooses_it(table: Path) -> None:
    engine = choose_engine(table, {"master": "local[2]", "memory": "2GiB"})
    assert isinstance(engine, vl.Spark)
    assert (engine.master, engine.memory) == ("local[2]", "2GiB")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"engine": "dsk"}, "There is no engine 'dsk'. Use auto, disk, local"),
        ({"engine": "local", "memory": "2GiB"}, "The engine local takes no memory."),
        ({"engine": "disk", "master": "local[2]"}, "The engine disk takes no master."),
        ({"engine": "spark:scratch=x"}, "The engine spark takes no scratch."),
        ({"engine": "spark", "session": "x"}, "The engine spark takes no session."),
        ({"master": "local[2]", "scratch": "x"}, "The engine auto takes no master."),
    ],
)
def test_requests_that_cannot_be_met(options: dict[str, str], message: str, table: Path) -> None:
    with pytest.raises(SpecError) as caught:
        choose_engine(table, options)
    assert caught.value.code == "spec.engine"
    assert message in str(caught.value)


def test_a_table_of_this_process_stays_in_memory() -> None:
    assert engine_of_table(pl.DataFrame()) == InMemory()
    assert engine_of_table("people.csv") == InMemory()
