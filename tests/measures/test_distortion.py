"""Distortion: how far up its hierarchy every cell was moved, one cell at a time."""

from __future__ import annotations

from typing import Any

import numpy as np
import oracle
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import voile as vl
from voile.measures.distortion import distortion

TREE = {"north": {"sea": ["Oslo", "Kiel"], "land": ["Ulm"]}, "south": {"hills": ["Bern", "Como"], "coast": ["Nice"]}}
SCHEMA = vl.Schema(quasi=["age", "city"], hierarchies={"age": vl.intervals(5, 10), "city": TREE})


def levels_up(cell: set[Any], hierarchy: Any) -> int:
    """The lowest level at which the values of a cell have one name."""
    paths = [row for row in hierarchy.rows() if row[0] in {str(value) for value in cell}]
    return next(level for level in range(hierarchy.height + 1) if len({row[level] for row in paths}) == 1)


@settings(max_examples=25)
@given(
    st.integers(0, 2**32),
    st.integers(2, 8),
    st.sampled_from(
        [vl.Mondrian(), vl.Mondrian(recoding="hierarchy"), vl.FullDomain(), vl.FullDomain(suppression=0.2)]
    ),
)
def test_cell_by_cell(seed: int, k: int, method: Any) -> None:
    rng = np.random.default_rng(seed)
    cities = ["Oslo", "Kiel", "Ulm", "Bern", "Como", "Nice"]
    frame = pl.DataFrame({"age": rng.integers(20, 45, 40), "city": np.append(cities, rng.choice(cities, 34))})
    data = vl.read(frame, SCHEMA)
    release = vl.publish(data, vl.KAnonymity(k=k), method)
    lost = 2.0 * int(release.dictionary["withheld"])
    for entry in release.described("quasi"):
        hierarchy = data.columns[str(entry["name"])].hierarchy
        assert hierarchy is not None
        values = frame[str(entry["name"])].unique().to_list()
        for cell in release.tables["table"][str(entry["name"])]:
            lost += levels_up(oracle.stands_for(cell, entry, values), hierarchy) / hierarchy.height
    assert vl.measures.Distortion()(data, release).value == pytest.approx(lost / 80, abs=1e-9)


def test_by_hand() -> None:
    """Two people at one of two levels, two untouched: (1/2 + 1/2 + 0 + 0) / 4."""
    frame = pl.DataFrame({"city": ["Oslo", "Kiel", "Bern", "Bern"]})
    tree = {"north": ["Oslo", "Kiel"], "south": ["Bern"]}
    data = vl.read(frame, vl.Schema(quasi=["city"], hierarchies={"city": tree}))
    release = vl.publish(data, vl.KAnonymity(k=2), vl.Mondrian(recoding="hierarchy"))
    assert sorted(release.tables["table"]["city"].cast(pl.String)) == ["Bern", "Bern", "north", "north"]
    assert vl.measures.Distortion()(data, release).value == pytest.approx(0.25)


def test_without_a_hierarchy_it_is_the_certainty_penalty() -> None:
    frame = pl.DataFrame({"age": [20, 30, 35, 40]})
    data = vl.read(frame, vl.Schema(quasi=["age"]))
    release = vl.publish(data, vl.KAnonymity(k=2))
    assert vl.measures.Distortion()(data, release).value == vl.measures.Certainty()(data, release).value


def test_the_papers_cells() -> None:
    assert distortion([1, 0], [2, 1]) == 0.25
    assert distortion([2, 1], [2, 1]) == 1
