"""Groups of equal keys compared with counted values: many equal keys, none, one part and many."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from voile.kernels import key_groups

RNG = np.random.default_rng(3)
KEYS = {
    "none": np.zeros(0, np.uint64),
    "one": np.array([7], np.uint64),
    "all equal": np.full(3_000, (1 << 64) - 1, np.uint64),
    "few": RNG.integers(0, 20, 5_000).astype(np.uint64),
    "signed and spread": RNG.integers(0, 1 << 62, 5_000),
    "hashes": RNG.choice(RNG.integers(0, 1 << 64, 3_000, dtype=np.uint64), 5_000),
    "same low bits": RNG.integers(0, 1 << 20, 5_000).astype(np.uint64) << np.uint64(40),
}


@pytest.mark.parametrize("name", KEYS)
@pytest.mark.parametrize("small", [0, 1 << 30], ids=["hash tables", "sort"])
def test_equal_keys_are_one_group(name: str, small: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(key_groups, "SMALL", small)
    key = KEYS[name]
    expected = Counter(key.tolist())
    group, first = key_groups.number_keys(key)
    assert np.array_equal(key[first][group], key)
    assert len(first) == len(expected)
    assert sorted(key_groups.sum_keys(key).tolist()) == sorted(expected.values())
    weights = np.arange(len(key)) + 1
    sums: Counter[int] = Counter()
    for value, weight in zip(key.tolist(), weights.tolist(), strict=True):
        sums[value] += weight
    assert sorted(key_groups.sum_keys(key, weights).tolist()) == sorted(sums.values())
