"""The values that an item set rules out, compared with counting its people."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from voile.methods.injector.kernel import rules as kernel


@given(st.integers(0, 2**32), st.integers(1, 30), st.sampled_from([1, 3, 64, 65, 130]))
def test_a_value_is_excluded_if_enough_people_rarely_have_it(seed: int, rows: int, width: int) -> None:
    rng = np.random.default_rng(seed)
    items = np.unique(rng.integers(0, 6, rows), return_inverse=True)[1]
    values, weights = rng.integers(0, width, rows), rng.integers(1, 4, rows)
    needed, tolerated = rng.integers(0, 12, width), rng.integers(0, 3, items.max() + 1)
    is_excluded = kernel.unpack_bits(kernel.find_excluded_values(items, values, weights, needed, tolerated), width)
    assert is_excluded.shape == (items.max() + 1, width)
    for item in range(items.max() + 1):
        people = [int(v) for i, v, w in zip(items, values, weights, strict=True) if i == item for _ in range(w)]
        for value in range(width):
            expected = len(people) >= needed[value] and people.count(value) <= tolerated[item]
            assert is_excluded[item, value] == expected


@pytest.mark.parametrize("width", [1, 63, 64, 65, 200])
def test_bits_are_unpacked_and_numbered_as_they_were_packed(width: int) -> None:
    flags = np.random.default_rng(width).random((7, width)) < 0.5
    bits = kernel.pack_bits(flags)
    assert bits.shape == (7, -(-width // 64))
    assert np.array_equal(kernel.unpack_bits(bits, width), flags)
    patterns, pattern_of_row = kernel.number_patterns(np.concatenate([bits, bits]))
    assert len(patterns) == len(np.unique(flags, axis=0))
    assert np.array_equal(patterns[pattern_of_row], np.concatenate([bits, bits]))
