"""The ordered distance, compared with linear programming over all flows."""

from __future__ import annotations

import numpy as np
import oracle
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from voile.models.t_closeness import kernel as kernel


def measure_distances(groups: np.ndarray, table: np.ndarray) -> np.ndarray:
    """Call the kernel with a dense matrix of counts, groups by values."""
    owner, values = np.nonzero(groups)
    starts = np.searchsorted(owner, np.arange(len(groups) + 1))
    share = groups[owner, values] / groups.sum(axis=1)[owner]
    return np.asarray(kernel.ordered_distances(starts, values, share, table / table.sum()))


@settings(max_examples=25)
@given(st.integers(1, 12), st.integers(1, 6), st.integers(0, 2**32))
def test_the_ordered_distance_is_the_cheapest_flow(m: int, groups: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    counts = np.stack([rng.multinomial(rng.integers(1, 20), rng.dirichlet(np.ones(m))) for _ in range(groups)])
    table = counts.sum(axis=0) + rng.integers(0, 3, m)
    for distance, group in zip(measure_distances(counts, table), counts, strict=True):
        expected = oracle.earth_mover(group / group.sum(), table / table.sum(), oracle.ground_ordered(m))
        assert distance == pytest.approx(expected, abs=1e-9)


def test_one_value_has_distance_zero_and_no_group_has_none() -> None:
    assert measure_distances(np.array([[3]]), np.array([9])).tolist() == [0.0]
    no_distances = kernel.ordered_distances(
        np.zeros(1, np.int64), np.zeros(0, np.int64), np.zeros(0), np.array([0.5, 0.5])
    )
    assert len(no_distances) == 0


def test_the_ends_of_many_ordered_values_are_one_apart() -> None:
    """The two ends of 100,000 ordered values are 1 apart."""
    counts = np.zeros((2, 100_000), dtype=np.int64)
    counts[0, 0] = counts[1, -1] = 1
    table = np.zeros(100_000)
    table[-1] = 1
    assert measure_distances(counts, table) == pytest.approx([1.0, 0.0])
