"""Bounds that enough people reach: chosen by a rule, stated to the reader, and recounted by verify."""

from __future__ import annotations

import itertools
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import voile as vl
from voile.errors import DataError, PolicyError, SchemaError
from voile.flow.read.tail_bounds import choose_bounds
from voile.tables.microdata import Microdata


def read(**wishes: object) -> Microdata:
    rng = np.random.default_rng(5)
    income = [*np.exp(rng.normal(10, 1, 397)).astype(int).tolist(), 9_876_543, 8_765_432, 3]
    frame = pl.DataFrame({"age": rng.integers(20, 60, 400), "income": income})
    steering = {"income": vl.Steer(**wishes)} if wishes else {}  # type: ignore[arg-type]
    return vl.read(frame, vl.Schema(quasi=["age"], sensitive=["income"], steering=steering))


def test_the_ends_are_shared_and_stated(tmp_path: Path) -> None:
    release = vl.publish(read(tails=5), vl.KAnonymity(k=5))
    shown = release.tables["table"]["income"]
    entry = release.dictionary["columns"][1]
    top, bottom = entry["steering"]["top"], entry["steering"]["bottom"]
    assert (shown.min(), shown.max()) == (bottom, top)
    assert min((shown == top).sum(), (shown == bottom).sum()) >= 5
    assert top % 1000 == 0
    assert top < 8_765_432
    assert entry["coded"].endswith("at least 5 people share the least value, and as many the greatest")
    release.save(tmp_path / "out")
    assert not vl.verify(tmp_path / "out").broken
    again = vl.publish(read(tails=5, top=top, bottom=bottom), vl.KAnonymity(k=5))
    assert again.dictionary["columns"][1]["steering"] == entry["steering"]


def test_engines_choose_the_same_bounds(tmp_path: Path) -> None:
    rng, file = np.random.default_rng(7), tmp_path / "people.parquet"
    frame = pl.DataFrame({"age": rng.integers(20, 60, 900), "cost": rng.integers(0, 900, 900)})
    frame.write_parquet(file, row_group_size=100)
    schema = vl.Schema(quasi=["age"], sensitive=["cost"], steering={"cost": vl.Steer(tails=40)})
    one, other = (
        vl.publish(vl.read(str(file), schema, engine=engine), vl.KAnonymity(k=5), key=vl.Key(bytes(32)))
        for engine in (None, vl.Disk())
    )
    assert one.digest == other.digest
    assert one.dictionary["columns"][1]["steering"].keys() == {"bottom", "top", "tails"}


def test_verify_counts_the_people_at_the_ends() -> None:
    release = vl.publish(read(tails=5), vl.KAnonymity(k=5))
    age, income = release.dictionary["columns"]
    coded = income["coded"].replace("at least 5", "at least 300")
    forged = {**income, "steering": {**income["steering"], "tails": 300}, "coded": coded}
    checks = vl.verify(replace(release, dictionary={**release.dictionary, "columns": [age, forged]})).checks
    assert any("Fewer people than stated share" in check.detail for check in checks), checks


@pytest.mark.parametrize(
    ("values", "ends"),
    [
        ([1, 2, 3] * 5, (None, None)),  # shared already
        (list(range(1990, 2021)), (1992, 2018)),  # years: rounding to two digits would join the ends
        ([0] * 9 + [7, 123, 456_789], (None, 7)),
        ([x / 8 for x in range(100)], (0.26, 12.0)),
        ([-5.5] * 3 + [1e9] * 3, (None, None)),
    ],
)
def test_bounds_are_round_and_inside(values: list[float], ends: tuple[float | None, float | None]) -> None:
    table = pl.DataFrame({"value": values}).group_by("value").agg(count=pl.len().cast(pl.Int64))
    steer = choose_bounds("x", table, vl.Steer(tails=3))
    assert (steer.bottom, steer.top) == ends
    clipped = pl.Series(values).clip(steer.bottom, steer.top)
    assert min((clipped == clipped.min()).sum(), (clipped == clipped.max()).sum()) >= 3


def test_what_cannot_be_bounded_is_refused() -> None:
    with pytest.raises(SchemaError, match="whole number from 3 up"):
        vl.Steer(tails=2)
    with pytest.raises(SchemaError, match="it is not sensitive"):
        vl.Schema(quasi=["age"], steering={"age": vl.Steer(tails=5)})
    with pytest.raises(DataError, match="Fewer than 5 people reach the top"):
        read(tails=5, top=9_000_000)
    with pytest.raises(DataError, match="cannot have 300 people each"):
        read(tails=300)
    first = vl.publish(read(tails=5), vl.KAnonymity(k=5))
    with pytest.raises(PolicyError, match="differ from release to release"):
        vl.publish(read(tails=5), vl.KAnonymity(k=5), after=[first])
    with pytest.raises(PolicyError, match="who knows how they were chosen"):
        vl.publish(read(tails=5), vl.LDiversity(l=2), vl.AccountedCuts())
    visits = pl.DataFrame({"who": [1, 1, *range(2, 30)], "age": [30] * 30, "cost": range(30)})
    schema = vl.Schema(quasi=["age"], sensitive=["cost"], person="who", steering={"cost": vl.Steer(tails=3)})
    with pytest.raises(DataError, match="30 rows of 29 people"):
        vl.read(visits, schema)


def test_what_lies_beyond_a_bound_does_not_show() -> None:
    """All tables of six people with five values: the ends are shared, and another greatest value changes nothing."""
    values = [0, 3, 10, 40, 101]
    shown: dict[tuple[int, ...], tuple[float | None, list[float]]] = {}
    for table in itertools.combinations_with_replacement(values, 6):
        counted = pl.DataFrame({"value": table}).group_by("value").agg(count=pl.len().cast(pl.Int64))
        steer = choose_bounds("x", counted, vl.Steer(tails=3))
        clipped = pl.Series(table).clip(steer.bottom, steer.top).to_list()
        assert min(clipped.count(min(clipped)), clipped.count(max(clipped))) >= 3
        shown[table] = steer.top, clipped
    for table, (top, clipped) in shown.items():
        for greatest in values:
            other = (*table[:-1], greatest)
            if top is not None and greatest > top and other[-1] >= other[-2] and other.count(greatest) < 3:
                assert shown[other] == (top, clipped), (table, other)
