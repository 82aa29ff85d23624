"""Elimination: every set of values that could be ruled out, one after another."""

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
from voile.attacks.base import RawTable
from voile.attacks.elimination import after_ruling_out, compute_worst_beliefs
from voile.errors import PolicyError
from voile.tables.group_counts import tally

COLUMN = vl.read(pl.DataFrame({"v": list("abcdef")}), vl.Schema(quasi=["v"])).columns["v"]


@settings(max_examples=80)
@given(
    st.lists(st.lists(st.integers(0, 6), min_size=6, max_size=6).filter(any), min_size=1, max_size=5).map(np.array),
    st.integers(1, 6),
)
def test_the_worst_case_over_all_sets(groups: np.ndarray, values: int) -> None:
    owner, value = np.nonzero(groups)
    counts = tally(COLUMN, owner, value, groups[owner, value], len(groups))
    expected = [float(oracle.elimination(row, values)) for row in groups.tolist()]
    assert compute_worst_beliefs(counts, values).tolist() == pytest.approx(expected)


@given(st.lists(st.integers(0, 6), min_size=2, max_size=6).filter(any), st.data())
def test_one_target(counts: list[int], data: Any) -> None:
    target = data.draw(st.sampled_from([value for value, count in enumerate(counts) if count]))
    struck = data.draw(st.sets(st.sampled_from([value for value in range(len(counts)) if value != target])))
    left = sum(count for value, count in enumerate(counts) if value not in struck)
    assert after_ruling_out(counts, target, sorted(struck)) == pytest.approx(float(Fraction(counts[target], left)))


def test_by_hand() -> None:
    """(3, 2, 2, 2, 1, 1): ruling out one value leaves 3 of 9, two leave 3 of 7."""
    frame = pl.DataFrame({"age": [1] * 11, "v": list("aaabbccddef")})
    target = RawTable(vl.read(frame, vl.Schema(quasi=["age"], sensitive=["v"])))
    for values, expected in ((1, 3 / 9), (2, 3 / 7), (5, 1.0), (99, 1.0)):
        (guess,) = vl.attacks.Elimination(values=values).guesses(target, None)
        assert guess.belief.worst == pytest.approx(expected)
        assert guess.belief.baseline == pytest.approx(expected)  # one group: the table is the baseline
        assert guess.adversary.excludes == values


@pytest.mark.parametrize("values", [0, -1, 1.5])
def test_knobs_out_of_range(values: Any) -> None:
    with pytest.raises(PolicyError):
        vl.attacks.Elimination(values=values)


def test_recursive_diversity_promises_against_it() -> None:
    """(1, 3): who rules out one value is inside the promise, who rules out two is not."""
    rng = np.random.default_rng(0)
    frame = pl.DataFrame({"age": rng.integers(0, 50, 200), "v": rng.choice(list("abcdef"), 200)})
    data = vl.read(frame, vl.Schema(quasi=["age"], sensitive=["v"]))
    release = vl.publish(data, vl.LDiversity(l=3, form="recursive", c=1))
    one, two = vl.audit(release, attacks=[vl.attacks.Elimination(), vl.attacks.Elimination(values=2)]).findings
    assert one.inside
    assert one.passed
    assert one.bound == Fraction(1, 2)
    assert not two.inside
