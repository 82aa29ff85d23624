"""Counting worlds fast, compared with listing them."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from voile.attacks.minimality import kernel
from voile.attacks.minimality.assignments import list_fillings


def random_group(rng: np.random.Generator) -> tuple[list[int], np.ndarray, int, np.ndarray, np.ndarray]:
    """A random group: values in rising order of frequency, their counts, and sizes of parts."""
    size = int(rng.integers(2, 9))
    values = Counter(rng.integers(0, rng.integers(2, 5), size).tolist())
    order = sorted(values, key=lambda value: (values[value], value))
    sizes = []
    while sum(sizes) < size:
        sizes.append(int(rng.integers(1, size - sum(sizes) + 1)))
    counts = np.array([values[value] for value in order[:-1]], dtype=np.int64)
    return order, counts, values[order[-1]], np.array(sizes), np.array([values[value] for value in order])


def build_table(sizes: np.ndarray, counts: np.ndarray, last: int, fine: Any) -> tuple[np.ndarray, np.ndarray]:
    """The table of the states that may be shown, one row per size, and the row of each part."""
    digits, kinds = kernel.list_states(counts), np.unique(sizes)
    lines = np.zeros((len(kinds), len(digits)), dtype=bool)
    for line, size in enumerate(kinds):
        for state, row in enumerate(digits):
            rest = size - row.sum()
            lines[line, state] = 0 <= rest <= last and fine([*row, rest])
    return lines, np.searchsorted(kinds, sizes)


def no_majority(counts: list[int]) -> bool:
    return 2 * max(counts) <= sum(counts)


@given(st.integers(0, 2**32))
def test_one_partition(seed: int) -> None:
    """Convolution, enumeration and sampling give what listing the fillings gives."""
    order, counts, last, sizes, full = random_group(np.random.default_rng(seed))
    fine, row = build_table(sizes, counts, last, no_majority)
    total, shown, expected = 0, 0, np.zeros((len(sizes), len(order)))
    values = Counter({value: int(count) for value, count in zip(order, full, strict=True)})
    for weight, parts in list_fillings(sizes.tolist(), values):
        inside = [[part.count(value) for value in order] for part in parts]
        total += weight
        if all(no_majority(counted) for counted in inside):
            shown += weight
            expected += weight * np.array(inside)
    chance, people = kernel.convolve_parts(sizes, row, fine, counts, last)
    assert chance == pytest.approx(shown / total, abs=1e-12)
    assert people == pytest.approx(expected / total, abs=1e-12)
    parts, number, rows = np.arange(len(sizes)).reshape(-1, 1), np.array([len(sizes)]), row.reshape(1, -1)
    worlds, weights, by_set = kernel.enumerate_worlds(sizes, parts, number, rows, fine, counts, last, True, 10**6)
    assert worlds == len(list(list_fillings(sizes.tolist(), values)))
    assert weights == pytest.approx([1 - shown / total, shown / total], abs=1e-12)
    assert by_set[1] == pytest.approx(expected / total, abs=1e-12)
    hits, drawn = kernel.sample_worlds(sizes, parts, number, rows, fine, counts, last, True, 4000, 1)
    assert hits.sum() == 4000
    assert hits[1] / 4000 == pytest.approx(shown / total, abs=0.06)
    assert drawn.sum(axis=0) == pytest.approx(np.outer(sizes, full) / sizes.sum(), abs=0.3)


@given(st.integers(0, 2**32))
def test_several_steps_at_once(seed: int) -> None:
    """Worlds by the set of steps that they allow, with atoms of one to three people."""
    rng = np.random.default_rng(seed)
    order, counts, last, atoms, full = random_group(rng)
    parts = np.stack([np.unique(rng.integers(0, 2, len(atoms)), return_inverse=True)[1] for _ in range(2)], axis=1)
    number = parts.max(axis=0) + 1
    sizes = [np.bincount(parts[:, step], weights=atoms).astype(np.int64) for step in range(2)]
    fine, _ = build_table(np.concatenate(sizes), counts, last, no_majority)
    kinds = np.unique(np.concatenate(sizes))
    row = np.zeros((2, int(number.max())), dtype=np.int64)
    for step in range(2):
        row[step, : number[step]] = np.searchsorted(kinds, sizes[step])
    values = Counter({value: int(count) for value, count in zip(order, full, strict=True)})
    weights = np.zeros(4)
    for weight, filled in list_fillings(atoms.tolist(), values):
        mask = 0
        for step in range(2):
            merged = [Counter[int]() for _ in range(number[step])]
            for atom, part in enumerate(filled):
                merged[parts[atom, step]].update(part)
            mask |= all(no_majority(list(some.values())) for some in merged) << step
        weights[mask] += weight
    found, by_set, _ = kernel.enumerate_worlds(atoms, parts, number, row, fine, counts, last, True, 10**6)
    assert found > 0
    assert by_set == pytest.approx(weights / weights.sum(), abs=1e-12)
    _, none, _ = kernel.enumerate_worlds(atoms, parts, number, row, fine, counts, last, False, 10**6)
    assert none[0] == pytest.approx(by_set[0], abs=1e-12)


def test_too_many_worlds_are_not_listed() -> None:
    atoms, parts = np.ones(12, dtype=np.int64), np.arange(12).reshape(-1, 1)
    counts, last = np.array([6]), 6
    fine, row = np.ones((1, 7), dtype=bool), np.zeros((1, 12), dtype=np.int64)
    found, _, _ = kernel.enumerate_worlds(atoms, parts, np.array([12]), row, fine, counts, last, False, 100)
    assert found == -1


def test_large_groups_do_not_overflow() -> None:
    sizes = np.full(10, 2000)
    counts = np.array([2000])
    fine = np.array([2 * np.arange(2001) <= 2000])
    chance, people = kernel.convolve_parts(sizes, np.zeros(10, dtype=np.int64), fine, counts, 18_000)
    assert chance == pytest.approx(1.0)
    assert people[:, 0] == pytest.approx(np.full(10, 200.0))
