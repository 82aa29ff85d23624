"""The four readings of l-diversity against exact twins, and what is said when l is out of reach."""

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


def counted(groups: np.ndarray) -> Counts:
    owner, value = np.nonzero(groups)
    return tally(COLUMN, owner, value, groups[owner, value], len(groups))


@settings(max_examples=80)
@given(GROUPS, st.integers(2, 7))
def test_frequency_distinct_and_entropy(groups: np.ndarray, l: int) -> None:  # noqa: E741
    counts = counted(groups)
    for form, twin in (
        ("frequency", oracle.frequency_diverse),
        ("distinct", oracle.distinct_diverse),
        ("entropy", oracle.entropy_diverse),
    ):
        assert vl.LDiversity(l=l, form=form).holds(counts).tolist() == [twin(row, l) for row in groups.tolist()], form


@settings(max_examples=80)
@given(GROUPS, st.integers(2, 5), st.sampled_from([0.1, 0.3, 0.5, 1, 1.7, 3]))
def test_recursive(groups: np.ndarray, l: int, c: float) -> None:  # noqa: E741
    exact = Fraction(str(c))
    expected = [oracle.recursive_diverse(row, exact, l) for row in groups.tolist()]
    assert vl.LDiversity(l=l, form="recursive", c=c).holds(counted(groups)).tolist() == expected
    assert [check_recursive(row, c, l) for row in groups] == expected


@settings(max_examples=60)
@given(GROUPS, st.integers(2, 4), st.sampled_from([0.5, 1, 2]))
def test_recursive_bounds_who_rules_out_values(groups: np.ndarray, l: int, c: float) -> None:  # noqa: E741
    """The promise itself: who can rule out l-2 values believes no value above c/(c+1)."""
    model = vl.LDiversity(l=l, form="recursive", c=c)
    assert model.adversary().excludes == l - 2
    for row, held in zip(groups.tolist(), model.holds(counted(groups)), strict=True):
        if held:
            assert oracle.elimination(row, l - 2) <= model.bound()


def test_entropy_of_exactly_l_equal_values_holds() -> None:
    """log is rounded, the promise is not: l values, equally frequent, are l-diverse for every l."""
    for l in range(2, 7):  # noqa: E741
        row = np.array([[3] * l + [0] * (VALUES - l)])
        assert vl.LDiversity(l=l, form="entropy").holds(counted(row)).all()
        assert not vl.LDiversity(l=l + 1, form="entropy").holds(counted(row)).any()


def test_by_hand() -> None:
    """(3, 2, 2, 2, 1, 1): five different values and more, but the first covers 3 of 11 rows."""
    row = counted(np.array([[3, 2, 2, 2, 1, 1]]))
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
def test_knobs_out_of_range(knobs: dict[str, Any]) -> None:
    with pytest.raises(PolicyError):
        vl.LDiversity(**knobs)


def test_bounds() -> None:
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
    """A table that agrees on the sensitive value cannot be published, by any method; the largest l is named."""
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


def test_every_sensitive_column_is_kept_unless_one_is_named() -> None:
    frame = pl.DataFrame({"age": range(8), "a": list("xyxyxyxy"), "b": list("pppppppq")})
    data = vl.read(frame, vl.Schema(quasi=["age"], sensitive=["a", "b"]))
    with pytest.raises(Unsatisfiable, match="'b'"):
        vl.publish(data, vl.LDiversity(l=2))
    release = vl.publish(data, vl.LDiversity(l=2, column="a"))
    assert [claim["column"] for claim in release.certificate.claims] == ["a"]
    both = vl.publish(data, vl.Policy(vl.LDiversity(l=2, column="a"), vl.LDiversity(l=2, form="distinct", column="b")))
    assert [claim["column"] for claim in both.certificate.claims] == ["a", "b"]
    assert vl.verify(both).holds


def test_a_column_that_is_not_sensitive_is_refused() -> None:
    with pytest.raises(PolicyError) as caught:
        vl.publish(table(["flu", "HIV"]), vl.LDiversity(l=2, column="diseases"))
    assert "Did you mean 'disease'?" in str(caught.value)
    bare = vl.read(pl.DataFrame({"age": [1, 2]}), vl.Schema(quasi=["age"]))
    with pytest.raises(PolicyError, match="sensitive column"):
        vl.publish(bare, vl.LDiversity(l=2))
