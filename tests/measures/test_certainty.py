"""The certainty penalty, cell by cell in fractions."""

from __future__ import annotations

import datetime
from fractions import Fraction
from typing import Any

import numpy as np
import oracle
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import voile as vl


def table(seed: int) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    return pl.DataFrame(
        {
            "age": rng.integers(20, 60, 30),
            "weight": rng.integers(500, 900, 30) / 8,
            "visit": [datetime.date(2024, 1, 1) + datetime.timedelta(int(day)) for day in rng.integers(0, 500, 30)],
            "city": rng.choice(["Bern", "Lyon", "Oslo", "Rome"], 30),
        }
    )


def penalty(frame: pl.DataFrame, release: Any) -> Fraction:
    """The mean over all cells of the table, a withheld row counting 1."""
    names = [str(entry["name"]) for entry in release.described("quasi")]
    lost = Fraction(0)
    for entry in release.described("quasi"):
        name = str(entry["name"])
        values = frame[name].unique().to_list()
        for cell in release.tables["table"][name]:
            inside = oracle.stands_for(cell, entry, values)
            ranged = entry["kind"] != "categorical"
            lost += oracle.certainty_penalty(inside, values, ranged, (min(inside), max(inside)) if ranged else None)
    lost += int(release.dictionary["withheld"]) * len(names)
    return lost / (frame.height * len(names))


@settings(max_examples=30)
@given(
    st.integers(0, 2**32),
    st.integers(2, 9),
    st.sampled_from([vl.Mondrian(), vl.FullDomain(), vl.FullDomain(suppression=0.3)]),
)
def test_against_fractions(seed: int, k: int, method: Any) -> None:
    frame = table(seed)
    data = vl.read(frame, vl.Schema(quasi=["age", "weight", "visit", "city"]))
    release = vl.publish(data, vl.KAnonymity(k=k), method)
    assert vl.measures.Certainty()(data, release).value == pytest.approx(float(penalty(frame, release)), abs=1e-9)


def test_by_hand() -> None:
    """Ages 20 to 40 in halves, one city for all: (1/2 + 0) / 2 in the one box, (1/4 + 0) / 2 in the other."""
    frame = pl.DataFrame({"age": [20, 30, 35, 40], "city": ["Bern"] * 4})
    data = vl.read(frame, vl.Schema(quasi=["age", "city"]))
    loss = vl.measures.Certainty()(data, vl.publish(data, vl.KAnonymity(k=2)))
    assert loss.parts == pytest.approx({"age": (0.5 + 0.25) / 2, "city": 0.0})
    assert loss.value == pytest.approx(0.1875)


def test_the_ends_of_the_scale() -> None:
    frame = pl.DataFrame({"age": [20, 30, 40], "city": ["Bern", "Lyon", "Oslo"]})
    data = vl.read(frame, vl.Schema(quasi=["age", "city"]))
    assert vl.measures.Certainty()(data, vl.publish(data, vl.KAnonymity(k=3))).value == 1
    twice = vl.read(pl.concat([frame, frame]), vl.Schema(quasi=["age", "city"]))
    assert vl.measures.Certainty()(twice, vl.publish(twice, vl.KAnonymity(k=2))).value == 0


def test_buckets_show_the_quasi_identifier_as_it_is() -> None:
    frame = table(0).with_columns(pl.Series("disease", list("abc") * 10))
    data = vl.read(frame, vl.Schema(quasi=["age", "city"], sensitive=["disease"]))
    assert vl.measures.Certainty()(data, vl.publish(data, vl.LDiversity(l=3), vl.Anatomy())).value == 0
