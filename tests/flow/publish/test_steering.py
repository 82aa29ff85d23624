"""Wishes from the table to the folder: the same on every engine, stated in the dictionary, and checked from it."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import voile as vl
from voile.engines import base
from voile.errors import SpecError
from voile.flow.request.release_schema import register_schema, table_schema
from voile.tables import partition_tree

STEERING: dict[str, Any] = {
    "age": {"top": 80, "bottom": 20, "round": 5, "weight": 2},
    "zip": {"finest": 1, "coarsest": 1},
    "pay": {"round": 1000},
}
SCHEMA = vl.Schema(
    quasi=["age", "zip"],
    sensitive=["pay"],
    kinds={"zip": "categorical"},
    hierarchies={"zip": vl.prefixes(3, 1)},
    steering=STEERING,
)


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    draw = random.Random(4)
    rows = [
        (draw.randint(10, 99), draw.choice(["101", "102", "201", "202"]), draw.randint(900, 9000)) for _ in range(400)
    ]
    path = tmp_path_factory.mktemp("steering") / "people.csv"
    pl.DataFrame(rows, schema=["age", "zip", "pay"], orient="row").with_columns(
        pl.col("zip").cast(pl.String)
    ).write_csv(path)
    return path


@pytest.mark.parametrize("method", [vl.Mondrian(suppression=0.02), vl.Cluster(), vl.FullDomain()], ids=repr)
def test_every_engine_gives_the_same_release(
    method: Any, table: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = vl.publish(vl.read(table, SCHEMA), vl.KAnonymity(k=3), method, key=vl.Key(bytes(32)))
    monkeypatch.setattr(partition_tree, "LARGEST_PART", 150)
    monkeypatch.setattr(base, "CHUNK_ROWS", 60)
    there = vl.publish(vl.read(table, SCHEMA, engine=vl.Disk()), vl.KAnonymity(k=3), method, key=vl.Key(bytes(32)))
    assert there.digest == here.digest
    assert there.dictionary == here.dictionary
    here.save(tmp_path / "out")
    assert vl.verify(tmp_path / "out").holds


@pytest.fixture(scope="module")
def release(table: Path) -> Any:
    return vl.publish(vl.read(table, SCHEMA), vl.KAnonymity(k=3), key=vl.Key(bytes(32)))


def test_the_dictionary_says_how_values_are_coded(release: Any) -> None:
    age, place, pay = release.dictionary["columns"]
    assert age["coded"] == "rounded to multiples of 5; 20 stands for 20 or less; 80 stands for 80 or more"
    assert age["steering"] == {"weight": 2, "bottom": 20, "top": 80, "round": 5}
    assert place["steering"] == {"finest": 1, "coarsest": 1}
    assert "coded" not in place
    assert pay["coded"] == "rounded to multiples of 1000"
    assert {value % 1000 for value in release.tables["table"]["pay"]} == {0}


@pytest.mark.parametrize(
    ("column", "change"),
    [
        (2, {"steering": {"round": 7000}, "coded": "rounded to multiples of 7000"}),
        (2, {"coded": "rounded to multiples of 500"}),
        (2, {"steering": {"round": -1}}),
        (2, {"steering": {}}),
        (2, {"steering": {"weight": 2, "round": 1000}}),
        (1, {"steering": {"round": 5}, "coded": "rounded to multiples of 5"}),
        (1, {"steering": {"bend": 5}}),
        (1, {"steering": {"finest": 1, "coarsest": 1, "weight": 1}}),
        (0, {"coded": ""}),
        (0, {"steering": {"weight": 2, "round": 15}, "coded": "rounded to multiples of 15"}),
    ],
)
def test_a_dictionary_that_contradicts_itself_is_broken(release: Any, column: int, change: dict[str, Any]) -> None:
    document = json.loads(json.dumps(release.dictionary))
    document["columns"][column] |= change
    verdict = vl.verify(replace(release, dictionary=document))
    assert verdict.broken
    assert f"in column {column + 1}" in verdict.checks[0].detail or "not coded" in verdict.checks[0].detail


def test_other_tables_are_coded_like_the_release(release: Any, table: Path) -> None:
    again = vl.read(table, table_schema(release, {"zip": vl.prefixes(3, 1)}))
    assert again.columns["age"].steer == SCHEMA.steer("age")
    assert again.columns["zip"].steer == SCHEMA.steer("zip")
    register = vl.read(table, register_schema(release))
    assert register.columns["age"].domain.values.to_list() == list(range(20, 85, 5))
    assert vl.read(table, table_schema(release)).columns["zip"].steer == vl.Steer()


def test_all_weights_of_one_give_the_usual_release(table: Path) -> None:
    plain = vl.Schema(quasi=["age", "zip"], sensitive=["pay"])
    steered = vl.Schema(quasi=["age", "zip"], sensitive=["pay"], steering={"age": {"weight": 1}})
    for method in (vl.Mondrian(), vl.Cluster(), vl.FullDomain()):
        first, second = (
            vl.publish(vl.read(table, schema), vl.KAnonymity(k=5), method, key=vl.Key(bytes(32)))
            for schema in (plain, steered)
        )
        assert first.digest == second.digest


def test_the_sum_of_wishes_is_raised_together(table: Path) -> None:
    with pytest.raises(SpecError) as caught:
        vl.read(
            table,
            vl.Schema(
                quasi=["age", "zip"],
                kinds={"zip": "categorical"},
                steering={"age": {"coarsest": 9}, "zip": {"round": 2}},
            ),
        )
    assert len(caught.value.problems) == 2


def test_a_release_that_shows_no_values_does_not_take_coded_ones(table: Path) -> None:
    """It could not say what the protected values stand for."""
    data = vl.read(table, vl.Schema(quasi=["age", "zip"], sensitive=["pay"], steering={"pay": {"round": 1000}}))
    with pytest.raises(SpecError, match="shows only whether a value of 'pay' is protected"):
        vl.publish(data, vl.RRobustness(r=3, protect=("4000",)), vl.CappedCounts())
