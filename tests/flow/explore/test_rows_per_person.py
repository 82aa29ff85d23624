"""The choice of how many rows per person to publish: the table of the choices is counted again by hand."""

from __future__ import annotations

from collections import Counter

import polars as pl
import pytest

import voile as vl
from voile.errors import DataError, PolicyError, SpecError
from voile.flow.explore.rows_per_person import list_choices
from voile.tables.microdata import Microdata

PEOPLE = [n % 60 for n in range(180)] + [0] * 9  # everybody has three rows, the first has twelve
FRAME = pl.DataFrame(
    {
        "patient": PEOPLE,
        "age": [20 + person for person in PEOPLE],
        "disease": [("flu", "cold", "asthma", "angina")[n % 4] for n in range(len(PEOPLE))],
    }
)
SCHEMA = vl.Schema(quasi=["age"], sensitive=["disease"], person="patient")


def read_visits() -> Microdata:
    return vl.read(FRAME, SCHEMA)


def test_each_choice_counts_rows_groups_and_loss() -> None:
    comparison = vl.compare_rows_per_person(read_visits(), vl.KAnonymity(k=5))
    assert (comparison.people, comparison.rows, comparison.most) == (60, 189, 12)
    assert [trial.rows_per_person for trial in comparison.trials] == [1, 2, 3, 5, 8, 12]
    counts = Counter(PEOPLE)
    for trial in comparison.trials:
        limit = trial.rows_per_person
        assert trial.rows == sum(min(count, limit) for count in counts.values())
        assert trial.left_out == sum(max(count - limit, 0) for count in counts.values())
        assert trial.withheld == 0
        assert trial.groups is not None
        assert trial.groups * 5 * limit <= trial.rows
    assert [trial.loss for trial in comparison.trials] == sorted(trial.loss or 0 for trial in comparison.trials)
    assert comparison.trials[-1].loss > comparison.trials[0].loss  # type: ignore[operator]


def test_a_choice_out_of_reach_says_what_is_within_reach() -> None:
    comparison = vl.compare_rows_per_person(read_visits(), vl.KAnonymity(k=40), choices=[1, 12])
    within, beyond = comparison.trials
    assert within.groups == 1
    assert (beyond.groups, beyond.loss) == (None, None)
    assert beyond.best.endswith("the largest possible k is 15.")
    assert "out of reach" in str(comparison)
    assert comparison.as_json()["trials"][1]["best"] == beyond.best


def test_a_model_without_a_form_for_several_rows_has_one_choice() -> None:
    comparison = vl.compare_rows_per_person(read_visits(), vl.TCloseness(t=0.5), choices=[1, 2])
    assert comparison.trials[0].loss is not None
    assert "one row per person" in comparison.trials[1].fault


def test_a_wrong_request_is_refused_whatever_the_choice() -> None:
    with pytest.raises(PolicyError):
        vl.compare_rows_per_person(read_visits(), vl.LDiversity(l=2, column="age"), choices=[2])
    with pytest.raises(SpecError, match="publish nobody"):
        vl.compare_rows_per_person(read_visits(), vl.KAnonymity(k=5), choices=[0])
    with pytest.raises(DataError) as caught:
        vl.compare_rows_per_person(vl.read(FRAME, vl.Schema(quasi=["age"])), vl.KAnonymity(k=5))
    assert caught.value.code == "data.person"


def test_the_same_key_gives_the_same_table() -> None:
    key = vl.Key(bytes(32))
    first, again = (vl.compare_rows_per_person(read_visits(), vl.KAnonymity(k=3), key=key) for _ in range(2))
    assert first == again


@pytest.mark.parametrize(("most", "choices"), [(1, [1]), (2, [1, 2]), (4, [1, 2, 3, 4]), (9, [1, 2, 3, 5, 8, 9])])
def test_the_choices_end_with_the_most_rows_of_anybody(most: int, choices: list[int]) -> None:
    assert list_choices(most) == choices
