"""`voile people`: the table that helps to choose how many rows per person to publish."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from calling import Voile

ROLES = ("--quasi", "age,sex", "--sensitive", "disease", "--model", "k-anonymity:k=5")


@pytest.fixture
def visits(voile: Voile) -> Path:
    people = [n % 60 for n in range(150)]
    frame = pl.DataFrame(
        {
            "patient_id": people,
            "age": [20 + person for person in people],
            "sex": ["FM"[person % 2] for person in people],
            "disease": [("flu", "cold", "asthma")[n % 3] for n in range(150)],
        }
    )
    frame.write_csv(voile.folder / "visits.csv")
    return voile.folder / "visits.csv"


def test_each_choice_has_a_line(voile: Voile, visits: Path) -> None:
    answer = voile("people", visits, "--person", "patient_id", *ROLES)
    assert answer.code == 0, answer.err
    lines = answer.out.splitlines()
    assert lines[0] == "150 rows of 60 people, at most 3 each"
    assert [line.split()[:3] for line in lines[2:]] == [["1", "60", "90"], ["2", "120", "30"], ["3", "150", "0"]]


def test_choices_and_json(voile: Voile, visits: Path) -> None:
    answer = voile("people", visits, "--person", "patient_id", *ROLES, "--choices", "2", "--json")
    assert answer.json["people"] == 60
    assert [(trial["rows_per_person"], trial["left_out"]) for trial in answer.json["trials"]] == [(2, 30)]


def test_without_a_column_of_persons_the_hint_names_the_flag(voile: Voile, visits: Path) -> None:
    answer = voile("people", visits, *ROLES)
    assert answer.code == 3
    assert "--person" in answer.err


def test_one_number_of_rows_per_person_cannot_be_asked_for(voile: Voile, visits: Path) -> None:
    answer = voile("people", visits, "--person", "patient_id", *ROLES, "--rows-per-person", "2")
    assert answer.code == 2
    assert "--rows-per-person has no effect here" in answer.err
    assert "--choices" in answer.err
