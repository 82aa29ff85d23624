"""Ruling out values: the most telling set against all sets."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import oracle
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from voile.attacks.exclusion import kernel as kernel

PAIRS = st.dictionaries(st.tuples(st.integers(0, 4), st.integers(0, 3)), st.integers(1, 6), min_size=1, max_size=14)


@settings(max_examples=150)
@given(st.lists(PAIRS, min_size=1, max_size=3), st.integers(1, 4))
def test_the_most_telling_set(groups: list[dict[tuple[int, int], int]], number: int) -> None:
    entries = [(a, b, w) for pairs in groups for (a, b), w in sorted(pairs.items())]
    starts = np.cumsum([0, *(len(pairs) for pairs in groups)])
    value, guessed, weight = (np.array(column) for column in zip(*entries, strict=True))
    found = kernel.find_largest_shares(starts, value, guessed, weight.astype(np.float64), 5, 4, number)
    slow = [oracle.after_exclusion({k: Fraction(w) for k, w in pairs.items()}, number) for pairs in groups]
    assert found == pytest.approx([float(one) for one in slow], abs=1e-12)
