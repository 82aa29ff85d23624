"""Hierarchies: each level is coarser than the one below, and a recipe that does not fit is refused."""

from __future__ import annotations

import datetime
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from voile.errors import SchemaError
from voile.tables.domain import encode_column, infer_kind
from voile.tables.hierarchy import Hierarchy, HierarchyRecipe, by_frequency, dates, intervals, prefixes, tree

CALM = settings(max_examples=60, deadline=None, derandomize=True, database=None)


def fit(recipe: HierarchyRecipe, values: list[Any] | pl.Series, kind: str | None = None) -> Hierarchy:
    series = values if isinstance(values, pl.Series) else pl.Series(values)
    domain, codes = encode_column("c", series, kind or infer_kind(series), None)
    hierarchy = recipe.fit("c", domain, np.bincount(codes, minlength=domain.size))
    check_tree(hierarchy, domain.size)
    return hierarchy


def check_tree(hierarchy: Hierarchy, size: int) -> None:
    """Check that leaves are at the bottom, one root is at the top, and every node has one parent."""
    assert hierarchy.maps[0].tolist() == list(range(size))
    assert len(hierarchy.labels[-1]) == 1
    assert hierarchy.labels[-1] == ("*",)
    for level, (finer, coarser) in enumerate(zip(hierarchy.maps, hierarchy.maps[1:], strict=False)):
        assert len(set(zip(finer.tolist(), coarser.tolist(), strict=True))) == len(hierarchy.labels[level])
        assert len(set(hierarchy.labels[level])) == len(hierarchy.labels[level])


def level(hierarchy: Hierarchy, number: int) -> list[str]:
    return [row[number] for row in hierarchy.rows()]


# intervals ----------------------------------------------------------------------------------------------------------
def test_intervals_of_integers_show_their_ends() -> None:
    hierarchy = fit(intervals(5, 10), [17, 20, 24, 25, 39])
    assert level(hierarchy, 1) == ["[15, 19]", "[20, 24]", "[20, 24]", "[25, 29]", "[35, 39]"]
    assert level(hierarchy, 2) == ["[10, 19]", "[20, 29]", "[20, 29]", "[20, 29]", "[30, 39]"]


def test_intervals_of_negative_numbers_are_aligned_at_zero() -> None:
    assert level(fit(intervals(5), [-7, -5, -1, 0, 4]), 1) == ["[-10, -6]", "[-5, -1]", "[-5, -1]", "[0, 4]", "[0, 4]"]
    assert level(fit(intervals(0.5), [-0.75, -0.5, -0.25, 0.0]), 1) == [
        "-0.75",
        "[-0.5, -0.25]",
        "[-0.5, -0.25]",
        "0.0",
    ]


def test_intervals_of_floats_show_the_least_and_greatest_value() -> None:
    hierarchy = fit(intervals(0.1), [0.3, 0.31, 0.39, 0.4])
    assert level(hierarchy, 1) == ["[0.3, 0.39]", "[0.3, 0.39]", "[0.3, 0.39]", "0.4"]
    close = fit(intervals(1), [1234567.1, 1234567.2, 1234568.1, 1234568.2])
    assert level(close, 1) == ["[1234567.1, 1234567.2]"] * 2 + ["[1234568.1, 1234568.2]"] * 2


def test_intervals_of_small_and_large_types_do_not_overflow() -> None:
    hierarchy = fit(intervals(100, 200), pl.Series([-128, -1, 0, 1, 127], dtype=pl.Int8))
    assert level(hierarchy, 1) == ["[-200, -101]", "[-100, -1]", "[0, 99]", "[0, 99]", "[100, 199]"]
    large = fit(intervals(2), pl.Series([2**64 - 1, 2**64 - 2, 5], dtype=pl.UInt64))
    assert level(large, 1)[1:] == [f"[{2**64 - 2}, {2**64 - 1}]"] * 2


@pytest.mark.parametrize("widths", [(0,), (-1,), (10, 5), (5, 5), (float("nan"),), (float("inf"),)])
def test_interval_widths_must_be_positive_and_increasing(widths: tuple[float, ...]) -> None:
    with pytest.raises(SchemaError, match="widths of 'c' must be positive and increasing"):
        fit(intervals(*widths), [1, 2])


@pytest.mark.parametrize("widths", [(5, 7), (10, 25), (2, 4, 6), (0.1, 0.25)])
def test_interval_widths_that_do_not_nest_are_refused(widths: tuple[float, ...]) -> None:
    with pytest.raises(SchemaError, match="do not nest"):
        fit(intervals(*widths), [1, 2, 3])


@given(st.lists(st.integers(-(2**40), 2**40), min_size=1, max_size=30), st.integers(1, 1000), st.integers(2, 5))
@CALM
def test_intervals_of_any_integers_form_a_tree(values: list[int], width: int, ratio: int) -> None:
    fit(intervals(width, width * ratio, width * ratio * 2), values)
    fit(intervals(), values)


@given(st.lists(st.floats(-1e300, 1e300), min_size=1, max_size=30), st.floats(1e-3, 1e3))
@CALM
def test_intervals_of_any_floats_form_a_tree(values: list[float], width: float) -> None:
    fit(intervals(width, width * 2, width * 6), values)
    fit(intervals(), values)
    fit(HierarchyRecipe("auto"), values)


def test_interval_widths_are_chosen_from_the_range() -> None:
    hierarchy = fit(intervals(), list(range(17, 91)))
    assert hierarchy.height == 5
    assert fit(intervals(), [5]).height == 1
    assert fit(intervals(), [5e-324, 1e-323]).height == 1
    assert fit(intervals(), [-1.7e308, 1.7e308]).height >= 1


# prefixes, dates, frequency, auto -----------------------------------------------------------------------------------
def test_prefixes_replace_cut_characters_by_stars() -> None:
    hierarchy = fit(prefixes(5, 3, 1), ["12345", "12399", "13000", "99"])
    assert level(hierarchy, 1) == ["123**", "123**", "130**", "99"]
    assert level(hierarchy, 2) == ["1****", "1****", "1****", "9*"]
    assert fit(prefixes(), ["abc", "abd", "acd", "x"]).height == 3
    assert fit(prefixes(9), ["ab", "cd"]).height == 1


@pytest.mark.parametrize("lengths", [(0,), (1, 3), (3, 3), (2.5,), (-1,)])
def test_prefix_lengths_must_be_whole_and_decreasing(lengths: tuple[Any, ...]) -> None:
    with pytest.raises(SchemaError, match="prefix lengths of 'c' must be whole, positive and decreasing"):
        fit(prefixes(*lengths), ["abc"])


@given(st.sets(st.text(st.sampled_from("ab1*é "), max_size=5), min_size=1, max_size=12))
@CALM
def test_prefixes_of_any_codes_form_a_tree(values: set[str]) -> None:
    fit(prefixes(3, 2, 1), sorted(values))
    fit(prefixes(), sorted(values))


def test_dates_are_shown_by_day_month_year_and_decade() -> None:
    days = [datetime.date(*day) for day in ((12, 5, 1), (1999, 12, 31), (2000, 1, 1), (2000, 1, 2), (2000, 3, 1))]
    hierarchy = fit(dates(), [*days, datetime.date(2001, 1, 1)])
    assert hierarchy.rows()[0] == ["0012-05-01", "0012-05", "0012", "0010s", "*"]
    assert hierarchy.rows()[3] == ["2000-01-02", "2000-01", "2000", "2000s", "*"]
    moments = [datetime.datetime(2000, 1, 1, 5), datetime.datetime(2000, 1, 1, 6), datetime.datetime(2000, 1, 2)]
    assert level(fit(dates(), moments), 1) == ["2000-01-01", "2000-01-01", "2000-01-02"]


def test_a_recipe_for_another_kind_is_refused() -> None:
    with pytest.raises(SchemaError, match="'c' is categorical; intervals are for numbers"):
        fit(intervals(5), ["a"])
    with pytest.raises(SchemaError, match="'c' is numeric; dates"):
        fit(dates(), [1])
    with pytest.raises(SchemaError, match="there is no hierarchy recipe 'magic'"):
        fit(HierarchyRecipe("magic"), [1])


def test_frequency_groups_have_even_weights() -> None:
    values = ["a"] * 9 + ["b"] * 5 + ["c"] * 4 + ["d"] * 3 + ["e"] * 2 + ["f"]
    hierarchy = fit(by_frequency(2), values)
    assert hierarchy.height == 3
    weights = {"a": 9, "b": 5, "c": 4, "d": 3, "e": 2, "f": 1}
    nodes: dict[str, int] = {}
    for leaf, node, *_ in hierarchy.rows():
        nodes[node] = nodes.get(node, 0) + weights[leaf]
    assert sorted(nodes.values()) == [7, 8, 9]
    with pytest.raises(SchemaError, match="fan-out of 'c'"):
        fit(by_frequency(1), values)
    with pytest.raises(SchemaError, match="fan-out of 'c'"):
        fit(HierarchyRecipe("frequency", (2.5,)), values)


def test_frequency_groups_of_many_values_stay_fast() -> None:
    hierarchy = fit(by_frequency(), [f"v{number}" for number in range(20_000)])
    assert hierarchy.height >= 8


def test_auto_chooses_a_recipe_by_kind() -> None:
    auto = HierarchyRecipe("auto")
    assert level(fit(auto, list(range(100))), 1)[0] == "[0, 9]"
    days = [datetime.date(2025, 1, 1), datetime.date(2025, 1, 5), datetime.date(2025, 2, 1)]
    assert level(fit(auto, days), 1) == ["2025-01", "2025-01", "2025-02"]
    assert level(fit(auto, ["A10", "A11", "B10", "B20"]), 1)[0] == "A1*"
    assert fit(auto, ["x", "yy", "z"]).height == 1


# trees and rows -----------------------------------------------------------------------------------------------------
def test_nested_dicts_give_the_levels() -> None:
    nested = {"Europe": {"South": ["IT", "ES"], "West": ["FR"]}, "Asia": ["JP"], "Nobody": ["XX"]}
    hierarchy = fit(tree(nested), ["FR", "IT", "JP", "ES"])
    assert hierarchy.rows() == [
        ["ES", "South", "Europe", "*"],
        ["FR", "West", "Europe", "*"],
        ["IT", "South", "Europe", "*"],
        ["JP", "Asia", "Asia", "*"],
    ]
    assert fit(tree({"odd": [1, 3], "even": (2,)}), [1, 2, 3]).rows()[0] == ["1", "odd", "*"]
    assert fit(tree({"y": {True}, "n": [False]}), [True, False]).rows()[1] == ["true", "*"]


@pytest.mark.parametrize(
    ("nested", "message"),
    [
        ({"a": "x"}, "innermost values are lists"),
        ({"a": None}, "innermost values are lists"),
        ({}, "is empty"),
        ({"a": ["x"], "b": ["x", "y"]}, "lists a leaf twice"),
        ({"a": ["x"]}, r"lacks 1 of 2 values \(2 rows\)"),
        ({"a": {"m": ["x"]}, "b": {"m": ["y"]}}, "two parents"),
    ],
)
def test_nested_dicts_that_are_not_a_tree_are_refused(nested: dict[str, Any], message: str) -> None:
    with pytest.raises(SchemaError, match=message):
        fit(tree(nested), ["x", "y", "y"])


def test_missing_values_have_a_branch_of_their_own() -> None:
    for recipe in (tree({"A": ["a", "b"], "C": ["c"]}), by_frequency(2), prefixes(1)):
        hierarchy = fit(recipe, ["a", "b", "c", None])
        assert all(row[-2] == "(missing)" or hierarchy.height == 1 for row in hierarchy.rows()[-1:])
    assert fit(intervals(5), [1, 2, 7, None]).rows()[-1] == ["(missing)", "(missing)", "*"]
    with pytest.raises(SchemaError, match=r"uses the label '\(missing\)'"):
        fit(tree({"(missing)": ["a"], "C": ["c"]}), ["a", "c", None])
    assert fit(tree({"(missing)": ["a", "b"], "C": ["c"]}), ["a", "b", "c"]).height == 2


def test_repeated_levels_are_dropped() -> None:
    rows = [["a", "a", "A", "*", "*"], ["b", "b", "B", "*", "*"], ["c", "c", "B", "*", "*"]]
    assert fit(HierarchyRecipe("rows", content=rows), ["a", "b", "c"]).rows() == [
        ["a", "A", "*"],
        ["b", "B", "*"],
        ["c", "B", "*"],
    ]


def test_a_single_value_or_none_has_only_the_root_above() -> None:
    assert fit(HierarchyRecipe("auto"), ["a"]).rows() == [["a", "*"]]
    assert fit(HierarchyRecipe("auto"), pl.Series([None, None], dtype=pl.Int64)).rows() == [["(missing)", "*"]]


def test_recipes_are_written_as_in_a_spec() -> None:
    assert intervals(5, 10).text() == "intervals:5,10"
    assert intervals(0.5, 1234567).text() == "intervals:0.5,1234567"
    assert dates().text() == "dates"
    assert by_frequency().text() == "frequency:3"
    assert tree({"SECRET": ["x"]}).text() == "tree"
    assert HierarchyRecipe("rows", content=[], source="zip.csv").text() == "zip.csv"


def test_reprs_show_no_value() -> None:
    assert repr(fit(by_frequency(), ["SECRET", "b"])) == "Hierarchy(height 1, 2 leaves)"
    assert "SECRET" not in repr(tree({"SECRET": ["SECRET"]}))
