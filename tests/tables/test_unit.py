"""The unit of privacy: what it says, and what it refuses to read."""

from __future__ import annotations

from typing import Any

import pytest

from voile.tables.unit import BASES, ONE_ROW, Unit


@pytest.mark.parametrize("basis", BASES)
def test_a_unit_survives_its_document(basis: str) -> None:
    assert Unit.parse(Unit(1, basis).as_json()) == Unit(1, basis)
    assert Unit.parse(Unit(7, "person column").as_json()) == Unit(7, "person column")


@pytest.mark.parametrize(
    "document",
    [
        None,
        "person",
        [],
        {},
        {"of": "person", "rows": 1},
        {"of": "household", "rows": 1, "basis": "assumed"},
        {"of": "person", "rows": 1, "basis": "assumed", "more": 1},
        {"of": "person", "rows": 0, "basis": "assumed"},
        {"of": "person", "rows": -2, "basis": "person column"},
        {"of": "person", "rows": True, "basis": "assumed"},
        {"of": "person", "rows": 1.0, "basis": "assumed"},
        {"of": "person", "rows": "1", "basis": "assumed"},
        {"of": "person", "rows": 1, "basis": "hope"},
        {"of": "person", "rows": 1, "basis": None},
        {"of": "person", "rows": 1, "basis": ["assumed"]},
        {"of": "person", "rows": 2, "basis": "assumed"},
        {"of": "person", "rows": 2, "basis": "identifier"},
        {"of": "person", "rows": 2, "basis": "declared"},
    ],
)
def test_a_document_that_states_no_unit(document: Any) -> None:
    with pytest.raises(ValueError, match=r"unit|whose"):
        Unit.parse(document)


@pytest.mark.parametrize(("rows", "limit", "people"), [(1, 1, 1), (10, 5, 2), (11, 5, 3), (903, 5, 181), (0, 3, 0)])
def test_rows_have_at_least_so_many_people(rows: int, limit: int, people: int) -> None:
    assert Unit(limit, "person column").fewest_people(rows) == people


def test_people_are_counted_only_where_somebody_looked() -> None:
    assert Unit(1, "person column").count(20) == "20 people"
    assert Unit(1, "identifier").count(20) == "20 people"
    assert Unit(1, "declared").count(20) == "20 rows"
    assert ONE_ROW.count(20) == "20 rows"
    assert Unit(3, "person column").count(20) == "20 rows of at least 7 people"


def test_several_rows_leave_an_adversary_uncovered() -> None:
    assert ONE_ROW.not_covered() == ()
    (adversary,) = Unit(2, "person column").not_covered()
    assert "agree" in adversary


def test_every_basis_says_something_of_its_own() -> None:
    sentences = {Unit(1, basis).describe() for basis in BASES} | {Unit(2, "person column").describe()}
    assert len(sentences) == 5
    assert "at most 2 rows" in Unit(2, "person column").describe()
