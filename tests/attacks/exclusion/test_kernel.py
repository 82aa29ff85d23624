"""Ruling out values: the most telling set, compared with trying all sets."""

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
def test_the_most_telling_set_is_found_among_all_sets(
    groups: list[dict[tuple[int, int], int]], excluded_count: int
) -> None:
    entries = [(a, b, w) for pairs in groups for (a, b), w in sorted(pairs.items())]
    starts = np.cumsum([0, *(len(pairs) for pairs in groups)])
    value, guessed_value, weight = (np.array(column) for column in zip(*entries, strict=True))
    shares = kernel.find_largest_shares(starts, value, guessed_value, weight.astype(np.float64), 5, 4, excluded_count)
    expected = [oracle.after_exclusion({k: Fraction(w) for k, w in pairs.items()}, excluded_count) for pairs in groups]
    assert shares == pytest.approx([float(share) for share in expected], abs=1e-12)
