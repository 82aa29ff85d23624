"""The ordered distance against linear programming over all flows."""

from __future__ import annotations

import numpy as np
import oracle
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from voile.models.t_closeness import kernel as kernel


def measured(groups: np.ndarray, table: np.ndarray) -> np.ndarray:
    """The kernel on a dense matrix groups x values of counts."""
    owner, values = np.nonzero(groups)
    starts = np.searchsorted(owner, np.arange(len(groups) + 1))
    share = groups[owner, values] / groups.sum(axis=1)[owner]
    return np.asarray(kernel.ordered(starts, values, share, table / table.sum()))


@settings(max_examples=25)
@given(st.integers(1, 12), st.integers(1, 6), st.integers(0, 2**32))
def test_ordered(m: int, groups: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    counts = np.stack([rng.multinomial(rng.integers(1, 20), rng.dirichlet(np.ones(m))) for _ in range(groups)])
    table = counts.sum(axis=0) + rng.integers(0, 3, m)
    for found, one in zip(measured(counts, table), counts, strict=True):
        expected = oracle.earth_mover(one / one.sum(), table / table.sum(), oracle.ground_ordered(m))
        assert found == pytest.approx(expected, abs=1e-9)


def test_one_value_and_no_group() -> None:
    assert measured(np.array([[3]]), np.array([9])).tolist() == [0.0]
    nothing = kernel.ordered(np.zeros(1, np.int64), np.zeros(0, np.int64), np.zeros(0), np.array([0.5, 0.5]))
    assert len(nothing) == 0


def test_many_values() -> None:
    """The two ends of 100,000 ordered values are 1 apart."""
    counts = np.zeros((2, 100_000), dtype=np.int64)
    counts[0, 0] = counts[1, -1] = 1
    table = np.zeros(100_000)
    table[-1] = 1
    assert measured(counts, table) == pytest.approx([1.0, 0.0])
