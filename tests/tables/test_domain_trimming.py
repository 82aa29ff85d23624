"""Withheld rows leave no trace: not in the tables, not in the dictionary, not in the certificate."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import polars as pl
import pytest

import voile as vl
from voile.tables.domain_trimming import find_used_codes, trim_columns


@pytest.fixture
def frame() -> pl.DataFrame:
    """Forty people of two towns, and one person whose values nobody else has."""
    many = pl.DataFrame(
        {
            "age": [30 + i % 4 for i in range(40)],
            "city": ["Arden" if i % 2 else "Bourne" for i in range(40)],
            "disease": ["flu" if i % 3 else "cough" for i in range(40)],
        }
    )
    return pl.concat([many, pl.DataFrame({"age": [97531], "city": ["Zennor"], "disease": ["kuru"]})])


def test_values_of_withheld_rows_are_published_nowhere(frame: pl.DataFrame, tmp_path) -> None:
    data = vl.read(frame, vl.Schema(quasi=["age", "city"], sensitive=["disease"]))
    release = vl.publish(data, vl.KAnonymity(k=3), vl.FullDomain(suppression=0.05))
    assert release.dictionary["withheld"] == 1
    folder = release.save(tmp_path / "out", format="csv")
    text = "".join(path.read_text() for path in folder.iterdir())
    for trace in ("97531", "Zennor", "kuru"):
        assert trace not in text
    assert vl.verify(folder).holds


def test_a_declared_domain_is_public_and_stays(frame: pl.DataFrame) -> None:
    cities = ["Arden", "Bourne", "Zennor", "Yarrow"]
    schema = vl.Schema(quasi=["age", "city"], sensitive=["disease"], domains={"city": cities})
    release = vl.publish(vl.read(frame, schema), vl.KAnonymity(k=3), vl.FullDomain(suppression=0.05))
    listed = next(entry for entry in release.dictionary["columns"] if entry["name"] == "city")["domain"]["values"]
    assert listed == cities


def test_nothing_changes_if_nothing_was_withheld(frame: pl.DataFrame) -> None:
    data = vl.read(frame, vl.Schema(quasi=["age", "city"], sensitive=["disease"]))
    columns, code_maps = trim_columns(data.columns, find_used_codes(data.columns, data.rows))
    assert columns.quasi == data.columns.quasi
    assert code_maps == {}


def test_hierarchies_keep_their_levels_over_fewer_leaves(frame: pl.DataFrame) -> None:
    nested = {"south": ["Arden", "Bourne"], "north": ["Zennor"]}
    schema = vl.Schema(quasi=["age", "city"], sensitive=["disease"], hierarchies={"city": nested})
    data = vl.read(frame, schema)
    table = data.rows.histogram(["age", "city"])
    withheld = table.column("city") == 2
    rows: Any = data.rows
    published = rows.place(table, np.where(withheld, -1, 0))
    columns, code_maps = trim_columns(data.columns, find_used_codes(data.columns, published))
    rows = published.recode(code_maps)
    hierarchy = columns["city"].hierarchy
    assert hierarchy is not None
    assert hierarchy.height == data.columns["city"].hierarchy.height
    assert hierarchy.rows() == [["Arden", "south", "*"], ["Bourne", "south", "*"]]
    assert rows.histogram(["city"]).codes[:, 0].tolist() == [0, 1]
    assert json.dumps(columns["age"].domain.as_json()) == '{"min": 30, "max": 33, "missing": false}'


def test_closeness_is_measured_on_the_published_values() -> None:
    """The ordered distance counts steps of the published order; a withheld value is not a step."""
    rng = np.random.default_rng(3)
    frame = pl.DataFrame({"q": ["a", "b"] * 50 + ["c"], "pay": [*rng.integers(1, 9, 100).tolist(), 1000]})
    data = vl.read(frame, vl.Schema(quasi=["q"], sensitive=["pay"]))
    policy = vl.Policy(vl.KAnonymity(k=2), vl.TCloseness(t=0.3, distance="ordered"))
    release = vl.publish(data, policy, vl.FullDomain(suppression=0.05))
    assert vl.verify(release).holds
