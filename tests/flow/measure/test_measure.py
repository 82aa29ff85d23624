"""Measuring: what is lost, against the table that the release was made from."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import voile as vl
from voile.errors import DataError
from voile.flow.measure.measure import list_measures
from voile.flow.request.release_schema import table_schema

SCHEMA = vl.Schema(quasi=["birth", "sex", "zip"], sensitive=["disease"])


@pytest.fixture(scope="module")
def data() -> Any:
    return vl.read(vl.datasets.hospital(), SCHEMA)


@pytest.fixture(scope="module")
def release(data: Any) -> Any:
    return vl.publish(data, vl.KAnonymity(k=5), key=vl.Key(bytes(32)))


def test_every_measure_runs(data: Any, release: Any) -> None:
    losses = vl.measure(data, release)
    assert [loss.measure for loss in losses.items] == [measure.name for measure in list_measures()]
    body = json.loads(json.dumps(losses.as_json()))
    assert len(body["losses"]) == len(losses.items)
    assert losses["certainty"].value > 0


def test_a_finer_release_loses_less(data: Any) -> None:
    fine, coarse = (vl.publish(data, vl.KAnonymity(k=k), key=vl.Key(bytes(32))) for k in (2, 40))
    some = [vl.measures.Certainty(), vl.measures.Discernibility()]
    for one, two in zip(vl.measure(data, fine, some).items, vl.measure(data, coarse, some).items, strict=True):
        assert one.value < two.value


def test_nothing_is_lost_where_nothing_is_changed() -> None:
    frame = pl.DataFrame({"q": ["a", "b"] * 10, "s": ["x", "y", "z", "w"] * 5})
    data = vl.read(frame, vl.Schema(quasi=["q"], sensitive=["s"]))
    release = vl.publish(data, vl.KAnonymity(k=10))
    assert vl.measure(data, release, [vl.measures.Certainty()]).items[0].value == 0


@pytest.mark.parametrize("format", ["csv", "parquet"])
@pytest.mark.parametrize("method", [vl.Mondrian(), vl.FullDomain(suppression=0.1), vl.Anatomy()], ids=repr)
def test_from_the_folder_it_is_the_same(data: Any, tmp_path: Path, format: str, method: Any) -> None:
    """A stranger who has the table reads it with what the dictionary tells, and measures the same."""
    release = vl.publish(data, vl.LDiversity(l=3), method, key=vl.Key(bytes(32)))
    loaded = vl.load(release.save(tmp_path / "out", format=format))
    vl.datasets.hospital().write_csv(tmp_path / "people.csv")
    again = vl.read(tmp_path / "people.csv", table_schema(loaded))
    for one, two in zip(vl.measure(data, release).items, vl.measure(again, loaded).items, strict=True):
        assert two.value == pytest.approx(one.value), one.measure


def test_another_table(release: Any) -> None:
    other = vl.datasets.hospital().with_columns(disease=pl.lit("plague"))
    with pytest.raises(DataError, match="values that do not occur in the table") as error:
        vl.measure(vl.read(other, SCHEMA), release, [vl.measures.QueryError()])
    assert "plague" not in str(error.value)
    with pytest.raises(DataError, match=r"lacks 1 column of the table: (ward|name)"):
        vl.measure(vl.read(vl.datasets.hospital(), vl.Schema(quasi=["name", "sex"])), release)
