"""Counts on a column that was recoded before publication: what cannot be told apart is not answered."""

from __future__ import annotations

import polars as pl
import pytest

import voile as vl
from voile.errors import SchemaError
from voile.releases.release import Release

AGES = [30, 31, 32, 33, 34, 91, 95, 97, 99, 101] * 3


@pytest.fixture(scope="module")
def release() -> Release:
    people = pl.DataFrame({"age": AGES, "disease": list("abcde") * 6})
    schema = vl.Schema(quasi=["age"], sensitive=["disease"], steering={"age": vl.Steer(bottom=31, top=90)})
    return vl.publish(vl.read(people, schema), vl.KAnonymity(k=3))


@pytest.mark.parametrize(
    "condition",
    ["age >= 95", "age > 90", "age = 90", "age <= 90", "age between 40 and 95", "age < 31", "age >= 31", "age <= 20"],
)
def test_values_that_became_one_are_not_told_apart(release: Release, condition: str) -> None:
    for ask in (release.count, release.query):
        with pytest.raises(SchemaError, match="cannot be told apart"):
            ask(f"select count(*) from t where {condition}")


@pytest.mark.parametrize("condition", ["age >= 90", "age < 90", "age between 32 and 80", "age <= 31", "age > 31"])
def test_bounds_hold_the_truth_where_the_coding_does_not_matter(release: Release, condition: str) -> None:
    truth = pl.DataFrame({"age": AGES}).sql(f"select count(*) from self where {condition}").item()
    answer = release.count(condition)
    assert answer.at_least is not None
    assert answer.at_least <= truth <= (answer.at_most or 0)
    assert "as recoded: 'age'" in answer.note


def test_means_say_that_values_were_recoded(release: Release) -> None:
    assert "as recoded: 'age'" in " ".join(release.query("select avg(age) from t").notes)
