"""A table that is prepared on disk, chunk by chunk: the same values and pseudonyms as in memory, and clear refusals."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest

import voile as vl
from voile.engines import base
from voile.errors import DataError, EngineError, SchemaError, SpecError

KEY = vl.Key(bytes(range(32)))
ALL_STEPS: dict[str, Any] = {
    "pseudonym": "id",
    "person": "id",
    "shift_dates": ["seen"],
    "ages": {"birth": "2026-01-01"},
    "safe_harbor": {"birth_age": "age", "zip": "zip", "left": "date"},
    "key": KEY,
}
SCHEMA = vl.Schema(person="id", quasi=["birth_age", "zip"], sensitive=["seen"], other=["left"])


@pytest.fixture
def visits(tmp_path: Path) -> Path:
    """Visits in European writing, of which every person has two."""
    lines = ["id;birth;seen;left;zip"]
    for n in range(120):
        person = n // 2
        lines.append(f"P{person};17.05.{1930 + person};{1 + n % 28:02}.03.2025;01.0{1 + n % 9}.2025;0{3600 + person}")
    path = tmp_path / "visits.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


def list_rows(data: vl.Microdata) -> list[tuple[Any, ...]]:
    rows = data.rows
    table = rows.histogram(list(rows.names))
    columns = [data.columns[name].domain.decode(table.codes[:, j]) for j, name in enumerate(rows.names)]
    return list(zip(*(column.to_list() for column in columns), table.counts.tolist(), strict=True))


def test_every_step_gives_the_same_in_chunks(visits: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(base, "CHUNK_ROWS", 50)
    prepared = [vl.prepare(visits, **ALL_STEPS, engine=engine) for engine in (None, vl.Disk())]
    here, there = (vl.read(one, SCHEMA) for one in prepared)
    assert list_rows(here) == list_rows(there)
    assert here.prepared == there.prepared == ("pseudonyms", "shifted dates", "ages", "safe harbor rules")
    assert prepared[0].pseudonyms is not None
    assert prepared[0].pseudonyms.equals(prepared[1].pseudonyms)
    assert prepared[0].frame.equals(prepared[1].frame)
    assert prepared[0].frame["zip"].unique().to_list() == ["000"]
    assert prepared[0].frame["left"].dtype == pl.Int32


@pytest.mark.parametrize(
    ("options", "error", "says"),
    [
        ({"shift_dates": ["seen"]}, EngineError, "drawn by its place"),
        ({"ages": {"born": "2026-01-01"}}, SchemaError, "no column 'born'"),
        ({"ages": {"birth": "1960-01-01"}}, DataError, "born after"),
        ({"ages": {"birth": "2026-01-01"}, "safe_harbor": {"zip": "date"}}, DataError, "needs dates"),
        ({"convert": {"brith": "text"}}, SchemaError, "no column 'brith'"),
        ({}, SchemaError, "no column 'birth_age'"),
    ],
)
def test_mistakes_are_named_on_disk_too(
    visits: Path, options: dict[str, Any], error: type[Exception], says: str
) -> None:
    with pytest.raises(error, match=says):
        vl.read(vl.prepare(visits, **options, engine=vl.Disk()), vl.Schema(quasi=["birth_age"], sensitive=["zip"]))


def test_a_table_is_read_where_it_was_prepared(visits: Path) -> None:
    prepared = vl.prepare(visits, safe_harbor={"zip": "zip"})
    with pytest.raises(SpecError, match="prepared on the engine 'local', not on 'disk'"):
        vl.read(prepared, vl.Schema(quasi=["zip"]), engine=vl.Disk())


def test_a_date_that_can_be_read_in_two_ways_is_a_question(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("birth,x\n01/02/1950,1\n03/04/1960,2\n")
    with pytest.raises(DataError, match="birth"):
        vl.prepare(path, ages={"birth": "2026-01-01"})
    prepared = vl.prepare(path, ages={"birth": "2026-01-01"}, convert={"birth": "day-first"})
    assert prepared.frame["birth_age"].to_list() == [75, 65]


def test_ages_and_people_without_a_number_are_the_same_on_disk(tmp_path: Path) -> None:
    path = tmp_path / "people.parquet"
    ages = [34.0, float("nan"), None, 95.0] * 30
    pl.DataFrame({"id": [float(n) for n in range(120)], "age": ages, "ill": ["flu", "gout"] * 60}).write_parquet(path)
    schema = vl.Schema(quasi=["age"], sensitive=["ill"], missing="value")
    key = vl.Key(bytes(32))
    prepared = [
        vl.prepare(path, pseudonym="id", safe_harbor={"age": "age"}, key=key, engine=engine)
        for engine in (None, vl.Disk())
    ]
    here, there = (vl.read(one, schema) for one in prepared)
    assert list_rows(here) == list_rows(there)
    assert {row[0] for row in list_rows(here)} == {34.0, None, 90.0}
    assert prepared[0].pseudonyms is not None
    assert prepared[1].pseudonyms is not None
    assert prepared[0].pseudonyms.equals(prepared[1].pseudonyms)
    assert prepared[0].pseudonyms["id"].to_list() == sorted(map(str, range(120)))
