"""Which values an item set rules out, against counting its people."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from voile.methods.injector.kernel import rules as kernel


@given(st.integers(0, 2**32), st.integers(1, 30), st.sampled_from([1, 3, 64, 65, 130]))
def test_ruled_out(seed: int, number: int, width: int) -> None:
    rng = np.random.default_rng(seed)
    items = np.unique(rng.integers(0, 6, number), return_inverse=True)[1]
    values, weights = rng.integers(0, width, number), rng.integers(1, 4, number)
    needed, tolerated = rng.integers(0, 12, width), rng.integers(0, 3, items.max() + 1)
    found = kernel.unpack_bits(kernel.find_excluded_values(items, values, weights, needed, tolerated), width)
    assert found.shape == (items.max() + 1, width)
    for item in range(items.max() + 1):
        people = [int(v) for i, v, w in zip(items, values, weights, strict=True) if i == item for _ in range(w)]
        for value in range(width):
            told = len(people) >= needed[value] and people.count(value) <= tolerated[item]
            assert found[item, value] == told


@pytest.mark.parametrize("width", [1, 63, 64, 65, 200])
def test_bits_and_back(width: int) -> None:
    flags = np.random.default_rng(width).random((7, width)) < 0.5
    bits = kernel.pack_bits(flags)
    assert bits.shape == (7, -(-width // 64))
    assert np.array_equal(kernel.unpack_bits(bits, width), flags)
    found, which = kernel.number_patterns(np.concatenate([bits, bits]))
    assert len(found) == len(np.unique(flags, axis=0))
    assert np.array_equal(found[which], np.concatenate([bits, bits]))
