"""Wishes for a column: what they may be, and what is said if they are not."""

from __future__ import annotations

import datetime
from typing import Any

import polars as pl
import pytest

import voile as vl
from voile.errors import SchemaError
from voile.tables.steering.steer import parse_steer

FRAME = pl.DataFrame({"age": [31, 34, 31, 52], "job": ["a", "b", "a", "c"], "pay": [1.5, 2.5, 3.5, 4.5]})


@pytest.mark.parametrize(
    ("wishes", "words"),
    [
        ({"weight": -1}, "A weight must be a number from 0 up"),
        ({"weight": float("nan")}, "A weight must be a number from 0 up"),
        ({"weight": "much"}, "A weight must be a number from 0 up"),
        ({"finest": 2, "coarsest": 1}, "The finest level (2) is coarser than the coarsest one (1)"),
        ({"finest": 0.5}, "The finest level must be a whole number"),
        ({"coarsest": -1}, "The coarsest level must be 0 or more"),
        ({"by_rank": "perhaps"}, "by_rank must be true or false"),
        ({"top": 18, "bottom": 90}, "The top lies below the bottom"),
        ({"top": "1990-01-01", "bottom": 5}, "The top and the bottom must be of one kind"),
        ({"top": [1]}, "The top and the bottom must be numbers or dates"),
        ({"round": 0}, "The base of rounding must be a number above 0"),
        ({"round": 5, "top": 88}, "the top and the bottom must be multiples of its base"),
        ({"round": "week"}, "The base of rounding must be a number above 0, or year or month for dates"),
        ({"round": "year", "top": "1990-01-01"}, "the top and the bottom must be years"),
        ({"round": "month", "top": "1990-01-31"}, "the top and the bottom must be first days of a month"),
        ({"wight": 2}, "cannot be steered by 'wight'"),
        ("weight=2", "must be a table"),
    ],
)
def test_wishes_that_make_no_sense_are_refused(wishes: Any, words: str) -> None:
    with pytest.raises(SchemaError) as caught:
        vl.Schema(quasi=["age"], steering={"age": wishes})
    assert caught.value.code == "schema.steering"
    assert words in caught.value.message
    assert "'age'" in caught.value.message


@pytest.mark.parametrize(
    ("steering", "words"),
    [
        ({"agee": {"weight": 2}}, "steering names 'agee'"),
        ({"pay": {"weight": 2}}, "'pay' is not coarsened"),
        ({"age": {"weight": 0}, "job": {"weight": 0}}, "Every quasi-identifier column has the weight 0"),
    ],
)
def test_wishes_that_fit_no_column_are_refused(steering: Any, words: str) -> None:
    with pytest.raises(SchemaError, match=words):
        vl.Schema(quasi=["age", "job"], sensitive=["pay"], steering=steering)


@pytest.mark.parametrize(
    ("steering", "words"),
    [
        ({"job": {"round": 5}}, "only numbers can be rounded"),
        ({"job": {"by_rank": True}}, "only the loss of numbers and dates"),
        ({"job": {"top": "b"}}, "its top is no such value"),
        ({"age": {"top": "1990-01-01"}}, "its top is no such value"),
        ({"age": {"round": 0.5}}, "holds whole numbers"),
        ({"age": {"coarsest": 9}}, "The coarsest level of 'age' is 9, and its hierarchy has the levels 0 to 1"),
        ({"age": {"finest": 4}}, "The finest level of 'age' is 4"),
    ],
)
def test_wishes_that_the_table_cannot_follow_are_refused(steering: Any, words: str) -> None:
    with pytest.raises(SchemaError) as caught:
        vl.read(FRAME, vl.Schema(quasi=["age", "job"], sensitive=["pay"], steering=steering))
    assert words in caught.value.message


def test_wishes_may_be_text_and_dates() -> None:
    assert parse_steer("a", {"weight": "1/2", "coarsest": "2", "by_rank": "true"}) == vl.Steer(0.5, 0, 2, True)
    assert parse_steer("a", {"top": "1990-01-01"}).as_json() == {"top": "1990-01-01"}
    assert vl.Steer(bottom=datetime.date(1920, 1, 1)).as_json() == {"bottom": "1920-01-01"}
    with pytest.raises(SchemaError, match="Did you mean 'weight'"):
        parse_steer("a", {"wight": 2})
