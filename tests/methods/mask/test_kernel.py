"""Exchanging values within groups: the goals are met, and no row more than needed is changed."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from voile.methods.mask import kernel as kernel

change_values: Any = kernel.change_values  # a compiled function, whose arguments mypy cannot count


@given(st.integers(0, 2**32))
def test_goals_are_met(seed: int) -> None:
    rng = np.random.default_rng(seed)
    domain, groups = 6, 8
    protected = np.array([True, True, True, False, False, False])
    now = rng.integers(0, 4, (groups, domain))
    now[:, 0] += 1
    sizes = now.sum(axis=1)
    goal = np.minimum(rng.integers(0, 3, (groups, 3)), 2)
    goal[goal.sum(axis=1) > sizes] = 0
    starts, values, counts = [0], [], []
    goals, goal_values, goal_counts = [0], [], []
    for group in range(groups):
        inside = np.flatnonzero(now[group])
        values += inside.tolist()
        counts += now[group, inside].tolist()
        starts.append(len(values))
        wanted = np.flatnonzero(goal[group])
        goal_values += wanted.tolist()
        goal_counts += goal[group, wanted].tolist()
        goals.append(len(goal_values))
    arrays = [np.array(part, dtype=np.int64) for part in (starts, values, counts, goals, goal_values, goal_counts)]
    coins = rng.integers(0, 2**63, groups, dtype=np.uint64)
    moves, stuck = change_values(*arrays, sizes, protected, now.sum(axis=0), coins)
    assert stuck == 0
    after = now.copy()
    for group, old, new in moves.tolist():
        assert old != new
        after[group, old] -= 1
        after[group, new] += 1
    assert (after >= 0).all()
    assert np.array_equal(after[:, :3], goal)
    assert np.array_equal(after.sum(axis=1), sizes)
    least = np.maximum(np.maximum(now[:, :3] - goal, 0).sum(axis=1), np.maximum(goal - now[:, :3], 0).sum(axis=1))
    assert Counter(moves[:, 0].tolist()) == {g: int(many) for g, many in enumerate(least) if many}
    again, _ = change_values(*arrays, sizes, protected, now.sum(axis=0), coins)
    assert np.array_equal(again, moves)


def test_where_all_values_are_protected_caps_are_kept() -> None:
    """Five rows of one value, two wanted of each of two others at most: the fifth takes any value with room."""
    given_ = [np.array(part, dtype=np.int64) for part in ([0, 1], [0], [5], [0, 2], [1, 2], [2, 2])]
    protected, marginal = np.ones(4, dtype=bool), np.array([9, 9, 9, 9])
    moves, stuck = change_values(*given_, np.array([2]), protected, marginal, np.array([7], dtype=np.uint64))
    assert stuck == 0
    after = Counter(moves[:, 2].tolist())
    assert (after[1], after[2]) == (2, 2)
    assert len(moves) == 4 or after[3] == 1  # the fifth may keep its value: it has room as well
    none = np.array([0, 9, 9, 0])
    _, stuck = change_values(*given_, np.array([2]), protected, none, np.array([7], dtype=np.uint64))
    assert stuck == 1
