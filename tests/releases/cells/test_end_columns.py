"""The ends of ranges: typed, named apart from other columns, the same on every engine, and left out on request."""

from __future__ import annotations

import datetime
from pathlib import Path

import polars as pl
import pytest

import voile as vl
from voile.engines.memory import InMemory
from voile.releases.cells.end_columns import describe_ends
from voile.releases.release import Release

KEY = vl.Key(bytes(32))


def people(rows: int = 60) -> pl.DataFrame:
    """People with a whole number, a real number, a date, a moment in a zone, and gaps."""
    numbers = range(rows)
    moments = [datetime.datetime(2020, 1, 1, tzinfo=datetime.UTC) + datetime.timedelta(hours=7 * n) for n in numbers]
    return pl.DataFrame(
        {
            "age": [20 + n % 37 if n % 11 else None for n in numbers],
            "height": [1.5 + n % 13 / 8 for n in numbers],
            "born": [datetime.date(1950, 1, 1) + datetime.timedelta(days=97 * n) for n in numbers],
            "seen": pl.Series(moments).dt.convert_time_zone("Europe/Berlin"),
            "city": ["Bern", "Lyon", "Rome"] * (rows // 3),
            "age_LOW": ["x", "y"] * (rows // 2),
            "disease": ["flu", "asthma", "cold", "gout"] * (rows // 4),
        }
    )


def publish(**options: object) -> Release:
    schema = vl.Schema(
        quasi=["age", "height", "born", "seen", "city"], sensitive=["disease"], other=["age_LOW"], missing="value"
    )
    return vl.publish(vl.read(people(), schema, **options), vl.KAnonymity(k=5), vl.Mondrian(), key=KEY)  # type: ignore[arg-type]


def test_ends_have_the_type_of_the_column_and_say_what_the_label_says() -> None:
    table = publish().tables["table"]
    kinds = {"age__low": pl.Int64, "height_high": pl.Float64, "born_low": pl.Date, "seen_low": pl.Datetime}
    assert {name: table.schema[name] for name in kinds} == kinds
    assert table["seen_low"].dtype.time_zone == "Europe/Berlin"  # type: ignore[attr-defined]
    assert table.columns[:3] == ["age", "age__low", "age__high"]
    assert "city_low" not in table.columns
    for label, low, high in table.select("age", "age__low", "age__high").rows():
        plain = label.removeprefix("{").removesuffix("|(missing)}")
        if plain in ("*", "(missing)"):
            assert (low, high) == (None, None)
        else:
            assert plain == (f"[{low}, {high}]" if low < high else f"{low}")


@pytest.mark.parametrize("format", ["csv", "parquet"])
def test_ends_survive_the_folder_and_can_be_left_out(format: str, tmp_path: Path) -> None:
    release = publish()
    release.save(tmp_path / "with", format=format)
    release.save(tmp_path / "without", format=format, ends=False)
    loaded, bare = vl.load(tmp_path / "with"), vl.load(tmp_path / "without")
    assert loaded.tables["table"].cast(pl.String).equals(release.tables["table"].cast(pl.String))
    assert not bare.end_names
    assert set(loaded.tables["table"].columns) - set(bare.tables["table"].columns) == set(release.end_names)
    assert loaded.digest == bare.digest == release.digest
    assert vl.verify(tmp_path / "with").holds
    assert vl.verify(tmp_path / "without").holds


def test_every_engine_writes_the_same_ends(tmp_path: Path) -> None:
    people().select("age", "height", "born", "disease").drop_nulls().write_parquet(tmp_path / "people.parquet")
    schema = vl.Schema(quasi=["age", "height", "born"], sensitive=["disease"])
    tables = [
        vl.publish(vl.read(tmp_path / "people.parquet", schema, engine=engine), vl.KAnonymity(k=5), key=KEY)
        .tables["table"]
        .cast(pl.String)
        for engine in (InMemory(), vl.Disk())
    ]
    assert tables[0].equals(tables[1])
    assert "born_high" in tables[0].columns


def test_an_exact_or_hidden_column_has_no_ends() -> None:
    frame = people().select("age", "city", "disease").drop_nulls()
    schema = vl.Schema(quasi=["age", "city"], sensitive=["disease"])
    hidden = vl.publish(vl.read(frame, schema), vl.KAnonymity(k=40), vl.FullDomain(), key=KEY)
    exact = vl.publish(vl.read(pl.concat([frame, frame]), schema), vl.KAnonymity(k=2), vl.Mondrian(), key=KEY)
    assert not hidden.end_names
    assert not exact.end_names


def test_names_of_ends_differ_from_all_others_even_in_small_letters() -> None:
    entry = {"role": "quasi", "shown": "generalized", "kind": "numeric"}
    names = ["a", "A_low", "a_", "b"]
    ends = [item["ends"] for item in describe_ends([{**entry, "name": name} for name in names])]
    assert [item["low"] for item in ends] == ["a__low", "A_low_low", "a___low", "b_low"]
