"""(k, e)-anonymity: different numbers that are far enough apart, of any sign; a missing value is not a number."""

from __future__ import annotations

from typing import Any

import numpy as np
import oracle
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import voile as vl
from voile.errors import PolicyError, Unsatisfiable
from voile.tables.group_counts import tally

NUMBERS = [-40, -7, -6, 0, 3, 90]
COLUMN = vl.read(pl.DataFrame({"v": NUMBERS}), vl.Schema(quasi=["v"])).columns["v"]
WITH_MISSING = vl.read(pl.DataFrame({"v": [*NUMBERS, None]}), vl.Schema(quasi=["v"], missing="value")).columns["v"]


def check_groups(model: Any, groups: np.ndarray, column: Any = COLUMN) -> list[bool]:
    owner, value = np.nonzero(groups)
    return model.holds(tally(column, owner, value, groups[owner, value], len(groups))).tolist()


@settings(max_examples=80)
@given(
    st.lists(st.lists(st.integers(0, 2), min_size=6, max_size=6).filter(any), min_size=1, max_size=5).map(np.array),
    st.integers(2, 5),
    st.sampled_from([0, 1, 1.5, 33, 96, 97, 130]),
)
def test_groups_agree_with_sets_of_numbers(groups: np.ndarray, k: int, e: float) -> None:
    expected = [
        oracle.k_e_anonymous([NUMBERS[v] for v, count in enumerate(row) if count], k, e) for row in groups.tolist()
    ]
    assert check_groups(vl.KE(k=k, e=e), groups) == expected


@pytest.mark.parametrize("numbers", [[100, 101], [-101, -100]])
def test_the_last_group_is_judged_by_its_own_numbers(numbers: list[int]) -> None:
    """Two salaries 1 apart do not span 5, although each is 100 from zero."""
    column = vl.read(pl.DataFrame({"v": numbers}), vl.Schema(quasi=["v"])).columns["v"]
    assert check_groups(vl.KE(k=2, e=5), np.array([[1, 1], [2, 2]]), column) == [False, False]
    assert check_groups(vl.KE(k=2, e=1), np.array([[1, 1], [2, 2]]), column) == [True, True]


def test_a_missing_value_is_not_a_number() -> None:
    groups = np.array([[1, 0, 0, 0, 0, 0, 1], [1, 0, 0, 1, 0, 0, 4], [0, 0, 0, 0, 0, 0, 3]])
    assert check_groups(vl.KE(k=2, e=1), groups, WITH_MISSING) == [False, True, False]


def test_a_column_without_numbers_is_out_of_reach() -> None:
    frame = pl.DataFrame({"age": [1, 2, 3], "salary": pl.Series([None] * 3, dtype=pl.Float64)})
    data = vl.read(frame, vl.Schema(quasi=["age"], sensitive=["salary"], missing="value"))
    with pytest.raises(Unsatisfiable):
        vl.publish(data, vl.KE(k=2, e=1))


@pytest.mark.parametrize("knobs", [{"k": 1, "e": 5}, {"k": 2, "e": -1}, {"k": 2}])
def test_parameters_out_of_range_are_refused(knobs: dict[str, Any]) -> None:
    with pytest.raises((PolicyError, TypeError)):
        vl.KE(**knobs)


def test_a_column_of_categories_is_refused() -> None:
    frame = pl.DataFrame({"age": [1, 2], "disease": ["a", "b"]})
    data = vl.read(frame, vl.Schema(quasi=["age"], sensitive=["disease"]))
    with pytest.raises(PolicyError, match="numbers"):
        vl.publish(data, vl.KE(k=2, e=1))


def test_published_groups_span_e() -> None:
    rng = np.random.default_rng(4)
    frame = pl.DataFrame({"age": rng.integers(20, 60, 200), "salary": rng.integers(1000, 9000, 200)})
    data = vl.read(frame, vl.Schema(quasi=["age"], sensitive=["salary"]))
    release = vl.publish(data, vl.KE(k=3, e=4000))
    assert release.groups > 3
    for _, group in release.tables["table"].group_by("age"):
        assert oracle.k_e_anonymous(group["salary"].to_list(), 3, 4000)
    with pytest.raises(Unsatisfiable, match="range"):
        vl.publish(data, vl.KE(k=3, e=9000))
