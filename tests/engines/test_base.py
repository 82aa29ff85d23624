"""The contract of engines: registration, knobs, memory."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import polars as pl
import pytest

import voile as vl
from voile.engines.base import Engine, Source, parse_memory, registered_engines
from voile.engines.memory import InMemory
from voile.engines.selection import find_engines
from voile.errors import SpecError


def test_every_engine_of_the_folder_is_found() -> None:
    found = find_engines()
    assert {"local", "disk", "spark"} <= set(found)
    assert found == registered_engines()
    assert not any(inspect.isabstract(engine) for engine in found.values())


def test_fields_are_knobs_except_those_that_python_sets() -> None:
    assert vl.Disk.knobs() == ["memory", "scratch"]
    assert vl.Spark.knobs() == ["master", "memory"]
    assert InMemory.knobs() == []


def test_two_engines_may_not_share_a_name() -> None:
    with pytest.raises(SpecError, match="Two engines are named 'disk'"):

        @dataclass(frozen=True)
        class Other(InMemory):
            name: ClassVar[str] = "disk"

    assert find_engines()["disk"] is vl.Disk


def test_a_subclass_without_a_name_is_not_registered() -> None:
    @dataclass(frozen=True)
    class Quiet(vl.Disk):
        pass

    assert Quiet not in find_engines().values()


@pytest.mark.parametrize(
    ("text", "size"),
    [("4GiB", 4 << 30), ("4096 MiB", 4 << 30), ("2g", 2 << 30), ("1.5GB", 3 << 29), ("1073741824", 1 << 30)],
)
def test_memory_as_people_write_it(text: str, size: int) -> None:
    assert parse_memory(text) == size


@pytest.mark.parametrize("engine", [vl.Disk, vl.Spark])
@pytest.mark.parametrize("text", ["", "much", "4XiB", "-1GiB", "10MiB"])
def test_memory_that_makes_no_sense(text: str, engine: type[Any]) -> None:
    with pytest.raises(SpecError, match="memory"):
        engine(memory=text)


@pytest.mark.parametrize(
    ("source", "path"),
    [
        (Source("people.csv"), Path("people.csv")),
        (Source(Path("people.csv")), Path("people.csv")),
        (Source("sqlite:///people.db", query="select 1"), None),
        (Source(pl.DataFrame()), None),
    ],
)
def test_the_path_of_a_source(source: Source, path: Path | None) -> None:
    assert source.path == path


def test_more_memory_holds_more_rows() -> None:
    small, large = vl.Disk(memory="1GiB"), vl.Disk(memory="4GiB")
    assert small.row_limit(8) == large.row_limit(8) // 4 > 1_000_000
    assert small.row_limit(8) > small.row_limit(9)
    assert vl.Spark(memory="4GiB").row_limit(8) == large.row_limit(8)


def test_an_engine_must_fulfil_the_contract() -> None:
    @dataclass(frozen=True)
    class Lazy(Engine):
        pass

    with pytest.raises(TypeError, match="abstract"):
        Lazy()  # type: ignore[abstract]
