"""Elimination: the worst belief, compared with trying every set of values that could be ruled out."""

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
def test_belief_is_the_worst_over_all_sets_of_values(groups: np.ndarray, values: int) -> None:
    owner, value = np.nonzero(groups)
    counts = tally(COLUMN, owner, value, groups[owner, value], len(groups))
    expected = [float(oracle.elimination(row, values)) for row in groups.tolist()]
    assert compute_worst_beliefs(counts, values).tolist() == pytest.approx(expected)


@given(st.lists(st.integers(0, 6), min_size=2, max_size=6).filter(any), st.data())
def test_belief_in_one_value_is_its_share_of_the_rows_left(counts: list[int], data: Any) -> None:
    target = data.draw(st.sampled_from([value for value, count in enumerate(counts) if count]))
    ruled_out = data.draw(st.sets(st.sampled_from([value for value in range(len(counts)) if value != target])))
    rows_left = sum(count for value, count in enumerate(counts) if value not in ruled_out)
    expected = float(Fraction(counts[target], rows_left))
    assert after_ruling_out(counts, target, sorted(ruled_out)) == pytest.approx(expected)


def test_ruling_out_more_values_raises_belief() -> None:
    """(3, 2, 2, 2, 1, 1): ruling out one value leaves 3 of 9, two leave 3 of 7."""
    frame = pl.DataFrame({"age": [1] * 11, "v": list("aaabbccddef")})
    target = RawTable(vl.read(frame, vl.Schema(quasi=["age"], sensitive=["v"])))
    for values, expected in ((1, 3 / 9), (2, 3 / 7), (5, 1.0), (99, 1.0)):
        (guess,) = vl.attacks.Elimination(values=values).guesses(target, None)
        assert guess.belief.worst == pytest.approx(expected)
        assert guess.belief.baseline == pytest.approx(expected)  # one group: the table is the baseline
        assert guess.adversary.excludes == values


@pytest.mark.parametrize("values", [0, -1, 1.5])
def test_a_number_of_values_out_of_range_is_refused(values: Any) -> None:
    with pytest.raises(PolicyError):
        vl.attacks.Elimination(values=values)


def test_recursive_diversity_promises_against_it() -> None:
    """With (c, l) = (1, 3) the promise covers an adversary who rules out one value, but not one who rules out two."""
    rng = np.random.default_rng(0)
    frame = pl.DataFrame({"age": rng.integers(0, 50, 200), "v": rng.choice(list("abcdef"), 200)})
    data = vl.read(frame, vl.Schema(quasi=["age"], sensitive=["v"]))
    release = vl.publish(data, vl.LDiversity(l=3, form="recursive", c=1))
    attacks = [vl.attacks.Elimination(), vl.attacks.Elimination(values=2)]
    one_value, two_values = vl.audit(release, attacks=attacks).findings
    assert one_value.inside
    assert one_value.passed
    assert one_value.bound == Fraction(1, 2)
    assert not two_values.inside
