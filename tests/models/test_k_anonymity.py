"""k-anonymity: sizes, limits of k, and the error if the table is too small."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import oracle
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import voile as vl
from voile.errors import PolicyError, Unsatisfiable
from voile.tables.group_counts import sizes_only


@given(st.lists(st.integers(1, 20), max_size=20), st.integers(2, 15))
def test_every_group_needs_k_rows(sizes: list[int], k: int) -> None:
    verdicts = vl.KAnonymity(k=k).holds(sizes_only(np.array(sizes, dtype=np.int64)))
    assert verdicts.tolist() == [oracle.k_anonymous([size], k) for size in sizes]


@pytest.mark.parametrize("k", [1, 0, -3, 2.5, "5", True, None, float("nan")])
def test_k_out_of_range_is_refused(k: Any) -> None:
    with pytest.raises(PolicyError) as caught:
        vl.KAnonymity(k=k)
    assert caught.value.code == "policy.parameter"


def test_the_promise_states_one_in_k_and_the_number_of_others() -> None:
    model = vl.KAnonymity(k=4)
    assert model.bound() == Fraction(1, 4)
    assert model.limits == "identity"
    assert "1/4" in model.promise("")
    assert "3 others" in model.promise("")


def test_k_above_the_number_of_rows_names_the_largest_k() -> None:
    data = vl.read(pl.DataFrame({"age": [1, 2, 3], "city": ["a", "b", "c"]}), vl.Schema(quasi=["age", "city"]))
    for method in (vl.Mondrian(), vl.FullDomain()):
        with pytest.raises(Unsatisfiable) as caught:
            vl.publish(data, vl.KAnonymity(k=4), method)
        assert "largest possible k is 3" in str(caught.value)
        assert caught.value.exit_code == 4
    assert vl.publish(data, vl.KAnonymity(k=3)).groups == 1


def test_no_sensitive_column_is_needed() -> None:
    data = vl.read(pl.DataFrame({"age": list(range(20))}), vl.Schema(quasi=["age"]))
    release = vl.publish(data, vl.KAnonymity(k=5))
    assert release.groups == 4
    assert vl.verify(release).holds
