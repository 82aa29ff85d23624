"""Fast counts of worlds, compared with listing them."""

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
    """Draw a random group: values in rising order of frequency, their counts, and sizes of parts."""
    size = int(rng.integers(2, 9))
    values = Counter(rng.integers(0, rng.integers(2, 5), size).tolist())
    order = sorted(values, key=lambda value: (values[value], value))
    sizes = []
    while sum(sizes) < size:
        sizes.append(int(rng.integers(1, size - sum(sizes) + 1)))
    counts = np.array([values[value] for value in order[:-1]], dtype=np.int64)
    return order, counts, values[order[-1]], np.array(sizes), np.array([values[value] for value in order])


def build_table(
    sizes: np.ndarray, counts: np.ndarray, last_count: int, may_be_shown: Any
) -> tuple[np.ndarray, np.ndarray]:
    """Return the table of states that may be shown, one row per size of a part, and the row of each part."""
    digits, distinct_sizes = kernel.list_states(counts), np.unique(sizes)
    lines = np.zeros((len(distinct_sizes), len(digits)), dtype=bool)
    for line, size in enumerate(distinct_sizes):
        for state, row in enumerate(digits):
            rows_left = size - row.sum()
            lines[line, state] = 0 <= rows_left <= last_count and may_be_shown([*row, rows_left])
    return lines, np.searchsorted(distinct_sizes, sizes)


def no_majority(counts: list[int]) -> bool:
    return 2 * max(counts) <= sum(counts)


@given(st.integers(0, 2**32))
def test_convolution_enumeration_and_sampling_agree_with_listing(seed: int) -> None:
    """All three give the probabilities that listing the fillings gives."""
    order, counts, last_count, sizes, all_counts = random_group(np.random.default_rng(seed))
    allowed_states, row = build_table(sizes, counts, last_count, no_majority)
    total_weight, shown_weight, expected = 0, 0, np.zeros((len(sizes), len(order)))
    values = Counter({value: int(count) for value, count in zip(order, all_counts, strict=True)})
    for weight, parts in list_fillings(sizes.tolist(), values):
        counts_of_parts = [[part.count(value) for value in order] for part in parts]
        total_weight += weight
        if all(no_majority(part_counts) for part_counts in counts_of_parts):
            shown_weight += weight
            expected += weight * np.array(counts_of_parts)
    chance, people = kernel.convolve_parts(sizes, row, allowed_states, counts, last_count)
    assert chance == pytest.approx(shown_weight / total_weight, abs=1e-12)
    assert people == pytest.approx(expected / total_weight, abs=1e-12)
    parts, parts_per_step, rows = np.arange(len(sizes)).reshape(-1, 1), np.array([len(sizes)]), row.reshape(1, -1)
    worlds, weights, by_set = kernel.enumerate_worlds(
        sizes, parts, parts_per_step, rows, allowed_states, counts, last_count, True, 10**6
    )
    assert worlds == len(list(list_fillings(sizes.tolist(), values)))
    assert weights == pytest.approx([1 - shown_weight / total_weight, shown_weight / total_weight], abs=1e-12)
    assert by_set[1] == pytest.approx(expected / total_weight, abs=1e-12)
    hits, mean_counts = kernel.sample_worlds(
        sizes, parts, parts_per_step, rows, allowed_states, counts, last_count, True, 4000, 1
    )
    assert hits.sum() == 4000
    assert hits[1] / 4000 == pytest.approx(shown_weight / total_weight, abs=0.06)
    assert mean_counts.sum(axis=0) == pytest.approx(np.outer(sizes, all_counts) / sizes.sum(), abs=0.3)


@given(st.integers(0, 2**32))
def test_worlds_are_weighed_by_the_set_of_steps_that_they_allow(seed: int) -> None:
    """Two random steps, over atoms of one or more people."""
    rng = np.random.default_rng(seed)
    order, counts, last_count, atoms, all_counts = random_group(rng)
    parts = np.stack([np.unique(rng.integers(0, 2, len(atoms)), return_inverse=True)[1] for _ in range(2)], axis=1)
    parts_per_step = parts.max(axis=0) + 1
    sizes = [np.bincount(parts[:, step], weights=atoms).astype(np.int64) for step in range(2)]
    allowed_states, _ = build_table(np.concatenate(sizes), counts, last_count, no_majority)
    distinct_sizes = np.unique(np.concatenate(sizes))
    row = np.zeros((2, int(parts_per_step.max())), dtype=np.int64)
    for step in range(2):
        row[step, : parts_per_step[step]] = np.searchsorted(distinct_sizes, sizes[step])
    values = Counter({value: int(count) for value, count in zip(order, all_counts, strict=True)})
    weights = np.zeros(4)
    for weight, filled_atoms in list_fillings(atoms.tolist(), values):
        mask = 0
        for step in range(2):
            merged_parts = [Counter[int]() for _ in range(parts_per_step[step])]
            for atom, part in enumerate(filled_atoms):
                merged_parts[parts[atom, step]].update(part)
            mask |= all(no_majority(list(merged_part.values())) for merged_part in merged_parts) << step
        weights[mask] += weight
    worlds, by_set, _ = kernel.enumerate_worlds(
        atoms, parts, parts_per_step, row, allowed_states, counts, last_count, True, 10**6
    )
    assert worlds > 0
    assert by_set == pytest.approx(weights / weights.sum(), abs=1e-12)
    _, weights_without_steps, _ = kernel.enumerate_worlds(
        atoms, parts, parts_per_step, row, allowed_states, counts, last_count, False, 10**6
    )
    assert weights_without_steps[0] == pytest.approx(by_set[0], abs=1e-12)


def test_too_many_worlds_are_not_listed() -> None:
    atoms, parts = np.ones(12, dtype=np.int64), np.arange(12).reshape(-1, 1)
    counts, last_count = np.array([6]), 6
    allowed_states, row = np.ones((1, 7), dtype=bool), np.zeros((1, 12), dtype=np.int64)
    worlds, _, _ = kernel.enumerate_worlds(
        atoms, parts, np.array([12]), row, allowed_states, counts, last_count, False, 100
    )
    assert worlds == -1


def test_large_groups_do_not_overflow() -> None:
    sizes = np.full(10, 2000)
    counts = np.array([2000])
    allowed_states = np.array([2 * np.arange(2001) <= 2000])
    chance, people = kernel.convolve_parts(sizes, np.zeros(10, dtype=np.int64), allowed_states, counts, 18_000)
    assert chance == pytest.approx(1.0)
    assert people[:, 0] == pytest.approx(np.full(10, 200.0))
