"""The four readings of l-diversity compared with exact twins, and the errors if l is out of reach."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import oracle
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import voile as vl
from voile.adversaries.adversary import Knowledge
from voile.errors import PolicyError, Unsatisfiable
from voile.models.l_diversity import check_recursive
from voile.tables.group_counts import Counts, tally

VALUES = 6
COLUMN = vl.read(pl.DataFrame({"v": list("abcdef")}), vl.Schema(quasi=["v"])).columns["v"]
GROUPS = st.lists(
    st.lists(st.integers(0, 7), min_size=VALUES, max_size=VALUES).filter(any), min_size=1, max_size=6
).map(np.array)


def count_groups(groups: np.ndarray) -> Counts:
    owner, value = np.nonzero(groups)
    return tally(COLUMN, owner, value, groups[owner, value], len(groups))


@settings(max_examples=80)
@given(GROUPS, st.integers(2, 7))
def test_frequency_distinct_and_entropy_agree_with_their_twins(groups: np.ndarray, l: int) -> None:  # noqa: E741
    counts = count_groups(groups)
    for form, twin in (
        ("frequency", oracle.frequency_diverse),
        ("distinct", oracle.distinct_diverse),
        ("entropy", oracle.entropy_diverse),
    ):
        assert vl.LDiversity(l=l, form=form).holds(counts).tolist() == [twin(row, l) for row in groups.tolist()], form


@settings(max_examples=80)
@given(GROUPS, st.integers(2, 5), st.sampled_from([0.1, 0.3, 0.5, 1, 1.7, 3]))
def test_the_recursive_form_agrees_with_fractions(groups: np.ndarray, l: int, c: float) -> None:  # noqa: E741
    exact = Fraction(str(c))
    expected = [oracle.recursive_diverse(row, exact, l) for row in groups.tolist()]
    assert vl.LDiversity(l=l, form="recursive", c=c).holds(count_groups(groups)).tolist() == expected
    assert [check_recursive(row, c, l) for row in groups] == expected


@settings(max_examples=60)
@given(GROUPS, st.integers(2, 4), st.sampled_from([0.5, 1, 2]))
def test_the_recursive_form_bounds_an_adversary_who_rules_out_values(groups: np.ndarray, l: int, c: float) -> None:  # noqa: E741
    """The promise itself: an adversary who can rule out l-2 values believes no value above c/(c+1)."""
    model = vl.LDiversity(l=l, form="recursive", c=c)
    assert model.adversary().excludes == l - 2
    for row, group_holds in zip(groups.tolist(), model.holds(count_groups(groups)), strict=True):
        if group_holds:
            assert oracle.elimination(row, l - 2) <= model.bound()


def test_entropy_of_exactly_l_equal_values_holds() -> None:
    """The logarithm is rounded, but the promise is not: l equally frequent values are l-diverse for every l."""
    for l in range(2, 7):  # noqa: E741
        row = np.array([[3] * l + [0] * (VALUES - l)])
        assert vl.LDiversity(l=l, form="entropy").holds(count_groups(row)).all()
        assert not vl.LDiversity(l=l + 1, form="entropy").holds(count_groups(row)).any()


def test_four_readings_of_one_group_by_hand() -> None:
    """(3, 2, 2, 2, 1, 1) has six different values, but the first covers 3 of 11 rows."""
    row = count_groups(np.array([[3, 2, 2, 2, 1, 1]]))
    assert vl.LDiversity(l=3).holds(row).all()
    assert not vl.LDiversity(l=4).holds(row).any()
    assert vl.LDiversity(l=6, form="distinct").holds(row).all()
    assert vl.LDiversity(l=5, form="entropy").holds(row).all()
    assert not vl.LDiversity(l=6, form="entropy").holds(row).any()
    assert vl.LDiversity(l=3, form="recursive", c=0.5).holds(row).all()  # 3 <= (2 + 2 + 1 + 1) / 2
    assert not vl.LDiversity(l=4, form="recursive", c=0.5).holds(row).any()  # 3 > (2 + 1 + 1) / 2


@pytest.mark.parametrize(
    "knobs",
    [
        {"l": 1},
        {"l": 0},
        {"l": 2.0},
        {"l": 3, "form": "probabilistic"},
        {"l": 3, "form": "recursive"},
        {"l": 3, "c": 2.0},
        {"l": 3, "form": "recursive", "c": 0},
        {"l": 3, "form": "recursive", "c": -1.5},
        {"l": 3, "form": "recursive", "c": float("inf")},
        {"l": 3, "form": "recursive", "c": float("nan")},
        {"l": 3, "column": 5},
    ],
)
def test_parameters_out_of_range_are_refused(knobs: dict[str, Any]) -> None:
    with pytest.raises(PolicyError):
        vl.LDiversity(**knobs)


def test_only_the_frequency_and_recursive_forms_bound_belief() -> None:
    assert vl.LDiversity(l=4).bound() == Fraction(1, 4)
    assert vl.LDiversity(l=4, form="distinct").bound() == 1
    assert vl.LDiversity(l=4, form="entropy").bound() == 1
    assert vl.LDiversity(l=4, form="recursive", c=0.5).bound() == Fraction(1, 3)
    assert Knowledge.EXCLUSION not in vl.LDiversity(l=4).adversary().knows


def table(values: list[str]) -> Any:
    frame = pl.DataFrame({"age": range(len(values)), "disease": values})
    return vl.read(frame, vl.Schema(quasi=["age"], sensitive=["disease"]))


@pytest.mark.parametrize("method", [vl.Mondrian(), vl.FullDomain(), vl.Anatomy()], ids=lambda method: method.name)
@pytest.mark.parametrize("form", ["frequency", "distinct", "entropy"])
def test_one_sensitive_value_is_out_of_reach(method: Any, form: str) -> None:
    """No method can publish a table with one sensitive value, and the error names the largest l."""
    with pytest.raises(Unsatisfiable) as caught:
        vl.publish(table(["flu"] * 8), vl.LDiversity(l=2, form=form), method)
    assert any(text in str(caught.value) for text in ("largest possible l is 1", "allows at most l = 1"))
    assert "flu" not in str(caught.value)


def test_l_out_of_reach_names_the_largest_l() -> None:
    data = table(["flu"] * 3 + ["HIV", "asthma", "cold", "gout", "ulcer", "croup", "acne"])  # 10 rows, 3 of one value
    for method in (vl.Mondrian(), vl.FullDomain(), vl.Anatomy()):
        with pytest.raises(Unsatisfiable) as caught:
            vl.publish(data, vl.LDiversity(l=4), method)
        assert "largest possible l is 3" in str(caught.value)
        assert vl.verify(vl.publish(data, vl.LDiversity(l=3), method)).holds


def test_every_sensitive_column_is_protected_unless_one_is_named() -> None:
    frame = pl.DataFrame({"age": range(8), "a": list("xyxyxyxy"), "b": list("pppppppq")})
    data = vl.read(frame, vl.Schema(quasi=["age"], sensitive=["a", "b"]))
    with pytest.raises(Unsatisfiable, match="'b'"):
        vl.publish(data, vl.LDiversity(l=2))
    release = vl.publish(data, vl.LDiversity(l=2, column="a"))
    assert [claim["column"] for claim in release.certificate.claims] == ["a"]
    both_columns = vl.publish(
        data, vl.Policy(vl.LDiversity(l=2, column="a"), vl.LDiversity(l=2, form="distinct", column="b"))
    )
    assert [claim["column"] for claim in both_columns.certificate.claims] == ["a", "b"]
    assert vl.verify(both_columns).holds


def test_a_column_that_is_not_sensitive_is_refused() -> None:
    with pytest.raises(PolicyError) as caught:
        vl.publish(table(["flu", "HIV"]), vl.LDiversity(l=2, column="diseases"))
    assert "Did you mean 'disease'?" in str(caught.value)
    data_without_sensitive = vl.read(pl.DataFrame({"age": [1, 2]}), vl.Schema(quasi=["age"]))
    with pytest.raises(PolicyError, match="sensitive column"):
        vl.publish(data_without_sensitive, vl.LDiversity(l=2))
