"""Advice: the ordered distance for numbers, a limit for values that few people reach, categories for codes."""

from __future__ import annotations

import polars as pl

import voile as vl
from voile.flow.explore.improvements import suggest_improvements
from voile.flow.explore.inspect import inspect
from voile.tables.microdata import Microdata

TABLE = pl.DataFrame(
    {
        "age": [30, 31, 32] * 10,
        "industry": [4, 47, 12, 4, 47] * 6,
        "income": [*range(29), 9_876_543],
        "disease": ["flu", "cold", "gout"] * 10,
    }
)


def read(*sensitive: str, kinds: dict[str, str] | None = None, **domains: list[int]) -> Microdata:
    schema = vl.Schema(quasi=["age"], sensitive=[*sensitive], kinds=kinds or {}, domains=domains)
    return vl.read(TABLE, schema)


def test_the_ordered_distance_is_proposed_for_numbers_alone() -> None:
    (about_income, _) = suggest_improvements(read("income"), vl.TCloseness(t=0.2))
    assert "distance='ordered'" in about_income
    assert suggest_improvements(read("disease"), vl.TCloseness(t=0.2)) == []
    assert len(suggest_improvements(read("income"), vl.TCloseness(t=0.2, distance="ordered"))) == 1


def test_values_that_few_people_reach_are_mentioned_without_naming_them() -> None:
    (sentence,) = suggest_improvements(read("income"), vl.KAnonymity(k=3))
    assert "Fewer than 5 people" in sentence
    assert "9876543" not in sentence.replace("_", "").replace(",", "")
    assert suggest_improvements(read("income", kinds={"income": "categorical"}), vl.KAnonymity(k=3)) == []
    assert (
        suggest_improvements(read("income", income=[*range(30), 9_876_543]), vl.KAnonymity(k=3)) == []
    )  # a declared domain is public


def test_whole_numbers_with_the_name_of_a_category_are_asked_about() -> None:
    schema = vl.Schema(quasi=["age", "industry"], sensitive=["disease"])
    told = inspect(TABLE).advice(schema)
    assert [sentence for sentence in told if "'industry'" in sentence and "categor" in sentence]
    assert not [sentence for sentence in told if "'age'" in sentence]
    data = vl.read(TABLE, schema)
    (asked,) = suggest_improvements(data, vl.KAnonymity(k=3))
    assert "kinds={'industry': 'categorical'}" in asked
    assert suggest_improvements(data, vl.KAnonymity(k=3), ["industry"]) == []
