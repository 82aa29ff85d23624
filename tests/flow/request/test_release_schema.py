"""Schemas from a release: its table, a register and corrupted people can be read with them."""

from __future__ import annotations

import datetime
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import voile as vl
from voile.errors import DataError
from voile.flow.request.release_schema import corrupted_schema, register_schema, table_schema


def publish(frame: pl.DataFrame, **schema: Any) -> Any:
    data = vl.read(frame, vl.Schema(**schema))
    return vl.publish(data, vl.KAnonymity(k=2), key=vl.Key(bytes(32)))


def test_the_table_of_a_release(tmp_path: Path) -> None:
    frame = pl.DataFrame(
        {
            "size": ["S", "L", "M", "S"] * 4,
            "age": [20, 30, None, 40] * 4,
            "code": ["007", "8", "9", "10"] * 4,
            "disease": ["flu", "HIV", "flu", "gout"] * 4,
            "ward": ["a", "b", "a", "b"] * 4,
        }
    )
    release = publish(
        frame,
        quasi=["size", "age", "code"],
        sensitive=["disease"],
        other=["ward"],
        kinds={"size": "ordered"},
        domains={"size": ["S", "M", "L", "XL"], "disease": ["flu", "HIV", "gout", "plague"]},
        missing="value",
    )
    loaded = vl.load(release.save(tmp_path / "out", format="csv"))
    schema = table_schema(loaded, {"age": "intervals:10", "unknown": "auto"})
    assert (schema.quasi, schema.sensitive, schema.other) == (("size", "age", "code"), ("disease",), ("ward",))
    assert schema.missing == "value"
    assert schema.kinds == {
        "size": "ordered",
        "age": "numeric",
        "code": "categorical",
        "disease": "categorical",
        "ward": "categorical",
    }
    assert list(schema.domains["size"]) == ["S", "M", "L", "XL"]
    assert list(schema.hierarchies) == ["age"]
    frame.write_csv(tmp_path / "t.csv")
    again = vl.read(tmp_path / "t.csv", schema)
    assert again.columns["disease"].domain.labels == ["flu", "HIV", "gout", "plague"]
    assert all(loss.value >= 0 for loss in vl.measure(again, loaded).items)
    other = frame.with_columns(disease=pl.lit("SECRET"))
    with pytest.raises(DataError, match="outside its declared domain") as error:
        vl.read(other, schema)
    assert "SECRET" not in str(error.value)


def test_dates_in_a_declared_domain_come_back(tmp_path: Path) -> None:
    days = [datetime.date(2025, 1, n) for n in (1, 2, 3, 4)]
    frame = pl.DataFrame({"d": days * 4, "e": days * 4})
    release = publish(frame, quasi=["d", "e"], domains={"d": days, "e": days}, kinds={"e": "ordered"})
    loaded = vl.load(release.save(tmp_path / "out"))
    again = vl.read(frame, table_schema(loaded))
    assert [column.domain.values.to_list() for column in again.columns] == [days, days]


def test_the_schema_of_a_register() -> None:
    release = publish(pl.DataFrame({"a": [1, 2] * 4, "s": ["x", "y"] * 4}), quasi=["a"], sensitive=["s"])
    schema = register_schema(release)
    assert (schema.quasi, schema.sensitive, schema.missing) == (("a",), (), "drop")


def test_a_table_with_values_that_were_withheld_can_be_read_again() -> None:
    frame = pl.DataFrame({"q": ["a", "b"] * 20 + ["c"], "s": ["x", "y", "z", "w"] * 10 + ["v"]})
    data = vl.read(frame, vl.Schema(quasi=["q"], sensitive=["s"]))
    release = vl.publish(data, vl.KAnonymity(k=5), vl.FullDomain(suppression=0.1))
    assert release.people == 40
    again = vl.read(frame, table_schema(release))
    assert again.rows.total == 41
    assert all(loss.value >= 0 for loss in vl.measure(again, release).items)


def test_the_schema_of_corrupted_people() -> None:
    frame = pl.DataFrame({"a": [1, 2] * 4, "s": ["x", "y"] * 4})
    schema = corrupted_schema(publish(frame, quasi=["a"], sensitive=["s"]))
    assert (schema.quasi, schema.sensitive, schema.missing) == (("a",), ("s",), "value")
    absent = vl.read(frame.with_columns(s=pl.lit(None, dtype=pl.String)), schema)
    assert absent.rows.total == 8, "people who are not in the release are kept"
