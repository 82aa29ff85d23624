"""Linking: who fits a row, counted person by person."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import oracle
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import voile as vl
from voile.attacks.base import RawTable

SCHEMA = vl.Schema(quasi=["age", "city"], sensitive=["disease"])
CITIES = ["Bern", "Lyon", "Oslo", "Rome"]


def crowd(seed: int, rows: int) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    return pl.DataFrame(
        {
            "age": rng.integers(20, 40, rows),
            "city": rng.choice(CITIES, rows, p=[0.4, 0.3, 0.2, 0.1]),
            "disease": rng.permutation(np.resize(["flu", "HIV", "acne"], rows)),
        }
    )


def beliefs(target: Any, external: Any = None) -> dict[str, Any]:
    return {guess.title: guess.belief for guess in vl.attacks.Linking().guesses(target, external)}


@settings(max_examples=25)
@given(st.integers(0, 2**32), st.sampled_from([4, 25, 60]), st.integers(2, 4))
def test_prosecutor_and_marketer(seed: int, rows: int, k: int) -> None:
    release = vl.publish(vl.read(crowd(seed, rows), SCHEMA), vl.KAnonymity(k=k))
    boxes = list(release.tables["table"].select(pl.col("age", "city").cast(pl.String)).iter_rows())
    risk = oracle.prosecutor(boxes)
    found = beliefs(release)
    assert sorted(found["Prosecutor"].rows) == pytest.approx(sorted(float(risk[box]) for box in boxes))
    assert found["Prosecutor"].worst <= 1 / k
    assert found["Prosecutor"].baseline == pytest.approx(1 / rows)
    assert found["Marketer"].worst == pytest.approx(len(risk) / rows)
    assert found["Marketer"].details["expected correct links"] == pytest.approx(len(risk))


@settings(max_examples=25)
@given(st.integers(0, 2**32), st.integers(2, 5), st.booleans())
def test_journalist(seed: int, k: int, hierarchy: bool) -> None:
    """The register holds the table's people and others, also with ages that nobody in the table has."""
    frame, strangers = crowd(seed, 30), crowd(seed + 1, 80).with_columns(pl.col("age") * 2 - 20)
    population = pl.concat([frame, strangers]).select("age", "city")
    schema = vl.Schema(quasi=["age", "city"], sensitive=["disease"], hierarchies={"age": vl.intervals(5, 10)})
    method = vl.FullDomain() if hierarchy else vl.Mondrian()
    release = vl.publish(vl.read(frame, schema), vl.KAnonymity(k=k), method)
    external = vl.read(population, vl.Schema(quasi=["age", "city"]))
    belief = beliefs(release, external)["Journalist"]
    entries = {str(entry["name"]): entry for entry in release.described("quasi")}
    ages, cities = population["age"].unique().to_list(), population["city"].unique().to_list()
    expected = []
    for box in release.tables["table"].iter_rows(named=True):
        inside = (
            oracle.stands_for(box["age"], entries["age"], ages),
            oracle.stands_for(box["city"], entries["city"], cities),
        )
        fitting = sum(age in inside[0] and city in inside[1] for age, city in population.iter_rows())
        expected.append(1 / fitting)
    assert sorted(belief.rows) == pytest.approx(sorted(expected))
    assert belief.baseline == pytest.approx(1 / population.height)
    assert belief.details["people who match nobody in the external table"] == 0


def test_a_register_without_the_people() -> None:
    release = vl.publish(vl.read(crowd(0, 30), SCHEMA), vl.KAnonymity(k=3))
    nobody = vl.read(pl.DataFrame({"age": [90], "city": ["Rome"]}), vl.Schema(quasi=["age", "city"]))
    belief = beliefs(release, nobody)["Journalist"]
    assert belief.details["people who match nobody in the external table"] == 30


@given(st.integers(0, 2**32))
def test_buckets_show_the_person_but_not_the_value(seed: int) -> None:
    frame = crowd(seed, 30)
    release = vl.publish(vl.read(frame, SCHEMA), vl.LDiversity(l=3), vl.Anatomy())
    found = beliefs(release, vl.read(frame.select("age", "city"), vl.Schema(quasi=["age", "city"])))
    assert found["Prosecutor"].worst == pytest.approx(1 / 3)
    alike = Counter(frame.select("age", "city").iter_rows())
    groups = Counter(release.tables["quasi"]["group"].to_list())
    expected = [
        1 / (alike[age, city] * groups[number])
        for number, age, city in release.tables["quasi"].select("group", "age", "city").iter_rows()
    ]
    assert sorted(found["Journalist"].rows) == pytest.approx(sorted(expected))


@given(st.integers(0, 2**32))
def test_the_table_as_it_was(seed: int) -> None:
    frame = crowd(seed, 30)
    alike = Counter(frame.select("age", "city").iter_rows())
    belief = beliefs(RawTable(vl.read(frame, SCHEMA)))["Prosecutor"]
    assert sorted(belief.rows) == pytest.approx(
        sorted(1 / alike[row] for row in frame.select("age", "city").iter_rows())
    )
    assert belief.details["unique people"] == sum(number == 1 for number in alike.values())
