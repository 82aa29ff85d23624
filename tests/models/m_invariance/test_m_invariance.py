"""m-invariance: the promise for one release. tests/methods/test_republish.py follows people through several."""

from __future__ import annotations

from fractions import Fraction

import polars as pl
import pytest

import voile as vl
from voile.errors import DataError
from voile.models.m_invariance.group_comparison import list_groups
from voile.results import Answer
from voile.tables.microdata import require_people

FRAME = pl.DataFrame(
    {
        "patient": [f"p{number}" for number in range(9)],
        "age": [20 + number for number in range(9)],
        "disease": ["acne", "flu", "gout"] * 3,
    }
)
SCHEMA = vl.Schema(person="patient", quasi=["age"], sensitive=["disease"])


def test_the_bound_is_one_in_m() -> None:
    assert vl.MInvariance(m=4).bound() == Fraction(1, 4)


def test_a_release_lists_m_different_values_per_group() -> None:
    release = vl.publish(vl.read(FRAME, SCHEMA), vl.MInvariance(m=3), ledger=vl.Ledger())
    assert {group.values for group in list_groups(release).values()} == {("acne", "flu", "gout")}
    assert vl.verify(release).holds
    assert [check.answer for check in vl.verify(release).checks] == [Answer.HOLDS] * 2


def test_a_value_twice_in_a_group_is_refused() -> None:
    table = pl.DataFrame({"group": [1, 1, 1], "disease": ["flu", "flu", "gout"]})
    data = vl.read(table, vl.Schema(quasi=["group"], sensitive=["disease"]))
    release = vl.publish(data, vl.KAnonymity(k=2))
    assert vl.MInvariance(m=2).holds(release.tallies["disease"]).tolist() == [False]


def test_a_table_without_a_person_column_is_refused() -> None:
    data = vl.read(FRAME, vl.Schema(quasi=["age"], sensitive=["disease"]))
    with pytest.raises(DataError) as error:
        require_people(data)
    assert error.value.code == "data.person"
