"""Random perfect matchings: every chance against all assignments, the bound above it, the estimate near it."""

from __future__ import annotations

import numpy as np
import oracle
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from voile.releases.row_matching import kernel as kernel


@st.composite
def instances(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    classes, types = draw(st.integers(1, 4)), draw(st.integers(1, 4))
    total = draw(st.integers(max(classes, types), 7))
    numbers = []
    for parts in (classes, types):
        extra = draw(st.lists(st.integers(0, parts - 1), min_size=total - parts, max_size=total - parts))
        numbers.append(1 + np.bincount(np.array(extra, dtype=np.int64), minlength=parts))
    cells = draw(st.lists(st.sampled_from([True, True, False]), min_size=classes * types, max_size=classes * types))
    return np.array(cells).reshape(classes, types), numbers[0], numbers[1]


@settings(max_examples=150)
@given(instances())
def test_chances_by_counting(instance: tuple[np.ndarray, np.ndarray, np.ndarray]) -> None:
    allowed, slots, rows = instance
    slow = oracle.matching_chances(allowed.tolist(), slots.tolist(), rows.tolist())
    usable, mine, theirs = kernel.matchable(allowed, slots, rows)
    if slow is None:
        assert kernel.flow(allowed, slots, rows) is None
        assert not usable.any()
        return
    true = np.array(slow, dtype=np.float64)
    assert np.array_equal(usable, true > 0)  # a pair is in some perfect matching, or it is not
    assert (kernel.bounds(allowed, slots, rows) >= true - 1e-12).all()
    for part in np.unique(mine):
        c, t = np.flatnonzero(mine == part), np.flatnonzero(theirs == part)
        inner = np.ix_(c, t)
        found = kernel.marginals(usable[inner], slots[c], rows[t])
        assert found == pytest.approx(true[inner], abs=1e-12)
        assert (kernel.bounds(usable[inner], slots[c], rows[t]) >= true[inner] - 1e-12).all()


@settings(max_examples=15)
@given(instances())
def test_estimates_come_near(instance: tuple[np.ndarray, np.ndarray, np.ndarray]) -> None:
    allowed, slots, rows = instance
    slow = oracle.matching_chances(allowed.tolist(), slots.tolist(), rows.tolist())
    assume(slow is not None)
    walks = kernel.sampled(allowed, slots, rows)
    assert walks.shape == (kernel.CHAINS, *allowed.shape)
    assert walks.mean(axis=0) == pytest.approx(np.array(slow, dtype=np.float64), abs=0.08)
    assert np.array_equal(walks, kernel.sampled(allowed, slots, rows))


def test_many_equal_slots_in_closed_form() -> None:
    """Slots that take two types get what the single-minded ones leave over."""
    allowed = np.array([[True, True], [True, False]])
    slots, rows = np.array([3000, 1000]), np.array([2500, 1500])
    usable, mine, _ = kernel.matchable(allowed, slots, rows)
    assert np.array_equal(usable, allowed)
    assert mine[0] == mine[1]
    found = kernel.marginals(usable, slots, rows)
    assert found == pytest.approx(np.array([[0.5, 0.5], [1.0, 0.0]]), abs=1e-9)


def test_unlikely_totals_do_not_underflow() -> None:
    """One rare type among thousands of slots: plain counting would multiply powers of two until nothing is left."""
    allowed = np.array([[True, True, True], [False, True, True]])
    slots, rows = np.array([400, 600]), np.array([3, 17, 980])
    found = kernel.marginals(allowed, slots, rows)
    assert found is not None
    assert slots @ found == pytest.approx(rows)
    assert found.sum(axis=1) == pytest.approx([1, 1])
    assert found[0, 0] == pytest.approx(3 / 400)


def test_beyond_the_budget_there_is_no_exact_answer() -> None:
    rng = np.random.default_rng(0)
    allowed = rng.random((40, 12)) < 0.7
    assert kernel.marginals(allowed, np.full(40, 30), np.full(12, 100)) is None


def test_a_bound_says_something_about_large_parts() -> None:
    """Everybody takes everything: the bound is the share itself."""
    allowed, slots, rows = np.ones((5, 3), dtype=bool), np.full(5, 60), np.array([150, 100, 50])
    assert kernel.bounds(allowed, slots, rows) == pytest.approx(np.tile([1 / 2, 1 / 3, 1 / 6], (5, 1)))
