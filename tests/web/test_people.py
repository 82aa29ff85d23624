"""A table of visits on the page: who is who, how many rows per person, and what is published of whom."""

from __future__ import annotations

import re
import tomllib
from html import unescape
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import voile as vl

ROLES = {"birth": "quasi", "sex": "quasi", "disease": "sensitive"}


@pytest.fixture(scope="module", autouse=True)
def visits(folder: Path) -> Path:
    """150 visits of 60 people, up to three each."""
    people = [n % 60 for n in range(150)]
    frame = pl.DataFrame(
        {
            "patient_id": [f"P{person}" for person in people],
            "birth": [1930 + person for person in people],
            "sex": ["FM"[person % 2] for person in people],
            "disease": [("flu", "cold", "asthma")[n % 3] for n in range(150)],
        }
    )
    frame.write_csv(folder / "visits.csv")
    return folder / "visits.csv"


def load(visitor: Any) -> str:
    return text(visitor.post("/", {"how": "path", "path": "visits.csv"}))


def text(page: str) -> str:
    """The words of a page."""
    return re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]+>", "", page)))


def spec(visitor: Any) -> dict[str, Any]:
    return tomllib.loads(visitor.client.get("/publish/spec.toml").text)["schema"]


def test_a_repeated_column_is_said_and_suggested(visitor: Any) -> None:
    words = load(visitor)
    assert "60 different patient_id in 150 rows, up to 3 rows each." in words
    assert "it may tell people apart" in words
    assert "60 of 60 people" in words
    page = visitor.client.get("/mark").text
    assert re.search(r'<option value="0" selected>patient_id</option>', page)


def test_a_person_column_and_rows_per_person_travel_to_the_release(visitor: Any, folder: Path) -> None:
    load(visitor)
    page = text(visitor.mark(ROLES, person="0", rows_per_person="2"))
    assert "150 rows of 60 people, up to 3 rows each. With at most 2 rows per person, 30 rows are left out." in page
    assert "60 of 60 people" in page
    assert spec(visitor) | {"missing": ""} == {
        "identifier": ["patient_id"],
        "quasi": ["birth", "sex"],
        "sensitive": ["disease"],
        "person": "patient_id",
        "rows_per_person": 2,
        "missing": "",
    }
    words = text(visitor.post("/promise", {"models.k-anonymity.on": "on", "models.k-anonymity.k": "5"}))
    assert "largest possible k is 60" in words
    words = text(visitor.post("/publish", {"where": "folder", "name": "of-visits", "format": "csv"}))
    assert "120 rows of at least 60 people in" in words
    assert "30 rows left out because their people have more than 2 rows." in words
    assert "Every person has at most 2 rows" in words
    assert "Not covered: an adversary who knows how many rows a person has" in words
    release = vl.load(folder / "of-visits")
    assert release.unit.rows == 2
    assert min(release.sizes) >= 10
    words = text(visitor.post("/receive", {"how": "path", "path": "of-visits"}))
    assert "it holds: 120 rows of at least 60 people." in words
    assert "How many rows" in words


def test_the_choices_are_compared_and_one_is_taken(visitor: Any) -> None:
    load(visitor)
    page = visitor.mark(ROLES, person="0")
    assert "Compare the choices" in page
    page = visitor.post("/people")
    rows = re.findall(
        r'(\d+)(?: <span[^>]*>CHOSEN</span>|</button></form>)</th>\s*<td class="n">(\d+)</td><td class="n">(\d+)</td>',
        page,
    )
    assert rows == [("1", "60", "90"), ("2", "120", "30"), ("3", "150", "0")]
    page = visitor.post("/people/choose", {"rows_per_person": "3"})
    assert spec(visitor)["rows_per_person"] == 3
    assert "no row is left out" in text(page)
    assert "What each number of rows per person costs" in page  # it need not be computed again
    visitor.mark({**ROLES, "sex": "other"}, person="0")
    assert "What each number" not in visitor.client.get("/mark").text


def test_repeated_identifiers_without_a_word_are_refused_in_the_words_of_the_form(visitor: Any) -> None:
    load(visitor)
    roles = {**ROLES, "patient_id": "identifier"}
    words = text(visitor.mark(roles))
    assert "150 rows share 60 values of the identifier 'patient_id'" in words
    assert "Column that tells people apart: patient_id" in words
    assert "If values of an identifier repeat: every row is a person of its own" in words
    words = text(visitor.mark(roles, rows_are="people"))
    assert "The risk with these roles" in words
    assert spec(visitor)["rows_are"] == "people"
    assert "of 150 rows" in words


def test_a_column_that_may_be_people_and_has_another_role_gives_advice(visitor: Any) -> None:
    load(visitor)
    words = text(visitor.mark(ROLES))
    assert "If 'patient_id' tells people apart, a promise about rows is none about people" in words


@pytest.mark.parametrize(
    ("roles", "form", "said"),
    [
        ({"patient_id": "quasi"}, {"person": "0"}, "is listed twice (quasi and person)"),
        ({}, {"person": "0", "rows_per_person": "0"}, "would publish nobody"),
        ({}, {"person": "0", "rows_per_person": "two"}, "“Rows per person, at most” must be a whole number"),
        ({}, {"person": "0", "rows_per_person": "9" * 5_000}, "must be a whole number"),
        ({}, {"rows_per_person": "2"}, "needs a column that identifies people"),
        ({}, {"person": "0", "rows_are": "people"}, "and also names a column that identifies people"),
        ({}, {"person": "77"}, "a promise about rows is none about people"),  # no such column
    ],
)
def test_what_does_not_fit_is_said(visitor: Any, roles: dict[str, str], form: dict[str, str], said: str) -> None:
    load(visitor)
    assert said in text(visitor.mark({**ROLES, **roles}, **form))


def test_choices_need_a_column_of_persons(visitor: Any) -> None:
    load(visitor)
    visitor.mark(ROLES)
    assert "How many rows per person?" not in visitor.post("/people")
    assert "rows_per_person" not in spec(visitor)
    visitor.post("/people/choose", {"rows_per_person": "2"})
    assert "rows_per_person" not in spec(visitor)
