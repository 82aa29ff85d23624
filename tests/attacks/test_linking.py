"""Linking: the people who fit a row, counted person by person."""

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


def make_people(seed: int, rows: int) -> pl.DataFrame:
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
def test_a_prosecutor_and_a_marketer_guess_among_the_rows_of_a_box(seed: int, rows: int, k: int) -> None:
    release = vl.publish(vl.read(make_people(seed, rows), SCHEMA), vl.KAnonymity(k=k))
    boxes = list(release.tables["table"].select(pl.col("age", "city").cast(pl.String)).iter_rows())
    risk = oracle.prosecutor(boxes)
    beliefs_by_title = beliefs(release)
    assert sorted(beliefs_by_title["Prosecutor"].rows) == pytest.approx(sorted(float(risk[box]) for box in boxes))
    assert beliefs_by_title["Prosecutor"].worst <= 1 / k
    assert beliefs_by_title["Prosecutor"].baseline == pytest.approx(1 / rows)
    assert beliefs_by_title["Marketer"].worst == pytest.approx(len(risk) / rows)
    assert beliefs_by_title["Marketer"].details["expected correct links"] == pytest.approx(len(risk))


@settings(max_examples=25)
@given(st.integers(0, 2**32), st.integers(2, 5), st.booleans())
def test_a_journalist_guesses_among_the_people_of_the_register_who_fit(seed: int, k: int, hierarchy: bool) -> None:
    """The register lists the people of the table and others, some with ages that nobody in the table has."""
    frame, strangers = make_people(seed, 30), make_people(seed + 1, 80).with_columns(pl.col("age") * 2 - 20)
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
        values_of_cells = (
            oracle.stands_for(box["age"], entries["age"], ages),
            oracle.stands_for(box["city"], entries["city"], cities),
        )
        fitting = sum(age in values_of_cells[0] and city in values_of_cells[1] for age, city in population.iter_rows())
        expected.append(1 / fitting)
    assert sorted(belief.rows) == pytest.approx(sorted(expected))
    assert belief.baseline == pytest.approx(1 / population.height)
    assert belief.details["people who match nobody in the external table"] == 0


def test_people_who_match_nobody_in_the_register_are_counted() -> None:
    release = vl.publish(vl.read(make_people(0, 30), SCHEMA), vl.KAnonymity(k=3))
    register = vl.read(pl.DataFrame({"age": [90], "city": ["Rome"]}), vl.Schema(quasi=["age", "city"]))
    belief = beliefs(release, register)["Journalist"]
    assert belief.details["people who match nobody in the external table"] == 30


@given(st.integers(0, 2**32))
def test_buckets_show_the_person_but_not_the_value(seed: int) -> None:
    frame = make_people(seed, 30)
    release = vl.publish(vl.read(frame, SCHEMA), vl.LDiversity(l=3), vl.Anatomy())
    beliefs_by_title = beliefs(release, vl.read(frame.select("age", "city"), vl.Schema(quasi=["age", "city"])))
    assert beliefs_by_title["Prosecutor"].worst == pytest.approx(1 / 3)
    people_by_row = Counter(frame.select("age", "city").iter_rows())
    groups = Counter(release.tables["quasi"]["group"].to_list())
    expected = [
        1 / (people_by_row[age, city] * groups[group])
        for group, age, city in release.tables["quasi"].select("group", "age", "city").iter_rows()
    ]
    assert sorted(beliefs_by_title["Journalist"].rows) == pytest.approx(sorted(expected))


@given(st.integers(0, 2**32))
def test_in_the_original_table_a_prosecutor_guesses_among_equal_rows(seed: int) -> None:
    frame = make_people(seed, 30)
    people_by_row = Counter(frame.select("age", "city").iter_rows())
    belief = beliefs(RawTable(vl.read(frame, SCHEMA)))["Prosecutor"]
    assert sorted(belief.rows) == pytest.approx(
        sorted(1 / people_by_row[row] for row in frame.select("age", "city").iter_rows())
    )
    assert belief.details["unique people"] == sum(count == 1 for count in people_by_row.values())
