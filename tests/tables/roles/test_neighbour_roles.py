"""What a column does not say, the columns around it may: only where they agree, and never against what it says."""

from __future__ import annotations

from dataclasses import replace

import polars as pl
import pytest

import voile as vl
from voile.tables.roles.column_features import ColumnFeatures
from voile.tables.roles.neighbour_roles import suggest_roles

SECRET = ColumnFeatures("cholesterol", "numeric", "Float64", 900, 300, 9)
KNOWN = ColumnFeatures("age", "numeric", "Int64", 900, 70, 0, is_whole=True)
FLAG = ColumnFeatures("zz1", "categorical", "String", 900, 2, 0)
WHOLE = ColumnFeatures("zz2", "numeric", "Int64", 900, 30, 0, is_whole=True)
FRACTION = ColumnFeatures("zz3", "numeric", "Float64", 900, 300, 9)
TEXT = ColumnFeatures("zz4", "categorical", "String", 900, 6, 0)
DURATION = replace(WHOLE, name="duration")
WEIGHT = ColumnFeatures("zz5", "numeric", "Float64", 900, 899, 898)


@pytest.mark.parametrize(
    ("columns", "place", "role"),
    [
        ([SECRET, FLAG, SECRET], 1, "sensitive"),
        ([SECRET, FLAG, KNOWN], 1, "quasi"),
        ([KNOWN, FLAG, KNOWN], 1, "quasi"),
        ([SECRET, FLAG], 1, "unsure"),
        ([FLAG], 0, "unsure"),
        ([SECRET, WHOLE, SECRET], 1, "sensitive"),
        ([SECRET, WHOLE], 1, "unsure"),
        ([SECRET, WHOLE, KNOWN], 1, "unsure"),
        ([KNOWN, WHOLE, KNOWN], 1, "unsure"),
        ([KNOWN, FRACTION, SECRET], 1, "sensitive"),
        ([KNOWN, FRACTION], 1, "sensitive"),
        ([FRACTION], 0, "unsure"),
        ([SECRET, TEXT], 1, "unsure"),
        ([SECRET, TEXT, SECRET], 1, "unsure"),  # texts may name people
        ([KNOWN, TEXT, KNOWN], 1, "unsure"),
        ([SECRET, WEIGHT, SECRET], 1, "unsure"),
        ([SECRET, WHOLE, WHOLE, WHOLE, SECRET], 2, "sensitive"),
        ([SECRET, WHOLE, WHOLE, WHOLE, WHOLE, WHOLE, SECRET], 3, "unsure"),
        ([SECRET, KNOWN, SECRET], 1, "quasi"),
        ([DURATION, WHOLE, DURATION], 1, "unsure"),
    ],
)
def test_columns_beside_decide(columns: list[ColumnFeatures], place: int, role: str) -> None:
    assert suggest_roles(columns)[place].role == role


def test_questions_that_differ_by_a_number_are_answers() -> None:
    questions = [ColumnFeatures(f"E{n}", "numeric", "Int64", 900, 5, 0, is_whole=True) for n in range(1, 5)]
    assert {found.role for found in suggest_roles(questions)} == {"sensitive"}
    assert suggest_roles(questions)[0].why == (
        "It is one of 4 columns whose names differ by a number, as answers to a questionnaire."
    )
    assert {found.role for found in suggest_roles(questions[:3])} == {"unsure"}
    others = [replace(question, distinct=30 + place) for place, question in enumerate(questions)]
    assert {found.role for found in suggest_roles(others)} == {"unsure"}


def test_a_weight_beside_a_height_is_of_a_body() -> None:
    weight = ColumnFeatures("weight", "numeric", "Float64", 900, 300, 9)
    height = replace(weight, name="height")
    assert [found.role for found in suggest_roles([weight, height])] == ["quasi", "quasi"]
    assert suggest_roles([weight, KNOWN])[0].role == "unsure"
    assert suggest_roles([replace(weight, name="pspwght"), height])[0].role == "unsure"


def test_numbers_of_people_stay_identifiers_between_secrets() -> None:
    number = ColumnFeatures("zz6", "numeric", "Int64", 900, 900, 900, is_whole=True)
    assert suggest_roles([SECRET, number, SECRET])[1].role == "identifier"


def test_inspect_names_the_columns_that_it_went_by() -> None:
    table = pl.DataFrame(
        {
            "age": [20 + n % 50 for n in range(300)],
            "glucose": [n % 90 / 7 for n in range(300)],
            "q5": [1, 2, 3] * 100,
            "creatinine": [n % 40 / 9 for n in range(300)],
        }
    )
    column = {one.name: one for one in vl.inspect(table).columns}["q5"]
    assert column.role == "sensitive"
    assert column.confidence == "likely"
    assert column.why == "Its name says nothing; the columns beside it (glucose, creatinine) should stay secret."
