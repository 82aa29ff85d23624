"""Exchanging values within groups: the goals are met, and no more rows are changed than needed."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from voile.methods.mask import kernel as kernel

change_values: Any = kernel.change_values  # a compiled function, whose arguments mypy cannot count


@given(st.integers(0, 2**32))
def test_goals_are_met_with_the_fewest_changes(seed: int) -> None:
    rng = np.random.default_rng(seed)
    domain, groups = 6, 8
    protected = np.array([True, True, True, False, False, False])
    counts_before = rng.integers(0, 4, (groups, domain))
    counts_before[:, 0] += 1
    sizes = counts_before.sum(axis=1)
    goal = np.minimum(rng.integers(0, 3, (groups, 3)), 2)
    goal[goal.sum(axis=1) > sizes] = 0
    starts, values, counts = [0], [], []
    goals, goal_values, goal_counts = [0], [], []
    for group in range(groups):
        values_inside = np.flatnonzero(counts_before[group])
        values += values_inside.tolist()
        counts += counts_before[group, values_inside].tolist()
        starts.append(len(values))
        goal_codes = np.flatnonzero(goal[group])
        goal_values += goal_codes.tolist()
        goal_counts += goal[group, goal_codes].tolist()
        goals.append(len(goal_values))
    arrays = [np.array(part, dtype=np.int64) for part in (starts, values, counts, goals, goal_values, goal_counts)]
    coins = rng.integers(0, 2**63, groups, dtype=np.uint64)
    moves = change_values(*arrays, protected, counts_before.sum(axis=0), coins)
    counts_after = counts_before.copy()
    for group, old, new in moves.tolist():
        assert old != new
        counts_after[group, old] -= 1
        counts_after[group, new] += 1
    assert (counts_after >= 0).all()
    assert np.array_equal(counts_after[:, :3], goal)
    assert np.array_equal(counts_after.sum(axis=1), sizes)
    least_changes = np.maximum(
        np.maximum(counts_before[:, :3] - goal, 0).sum(axis=1), np.maximum(goal - counts_before[:, :3], 0).sum(axis=1)
    )
    assert Counter(moves[:, 0].tolist()) == {g: int(changes) for g, changes in enumerate(least_changes) if changes}
    repeated_moves = change_values(*arrays, protected, counts_before.sum(axis=0), coins)
    assert np.array_equal(repeated_moves, moves)
