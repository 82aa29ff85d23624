"""The earth mover's distance, by linear programming over all flows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.optimize import linprog


def earth_mover(p: Sequence[float], q: Sequence[float], ground: np.ndarray) -> float:
    """The least work to turn p into q, by linear programming over all flows."""
    m = len(p)
    leaving = np.kron(np.eye(m), np.ones(m))
    arriving = np.kron(np.ones(m), np.eye(m))
    found = linprog(
        np.asarray(ground, dtype=float).ravel(),
        A_eq=np.vstack([leaving, arriving])[:-1],
        b_eq=np.concatenate([np.asarray(p, dtype=float), np.asarray(q, dtype=float)])[:-1],
        bounds=(0, None),
        method="highs",
    )
    assert found.status == 0, found.message
    return float(found.fun)


def ground_equal(m: int) -> np.ndarray:
    return 1.0 - np.eye(m)


def ground_ordered(m: int) -> np.ndarray:
    place = np.arange(m)
    return np.abs(place[:, None] - place[None, :]) / max(m - 1, 1)


def ground_hierarchical(paths: Sequence[Sequence[str]]) -> np.ndarray:
    """Two leaves are level(lowest common ancestor) / height apart. `paths[i]` lists leaf i's labels, leaf first."""
    height = len(paths[0]) - 1

    def apart(one: Sequence[str], other: Sequence[str]) -> float:
        level = next(level for level in range(height + 1) if one[level:] == other[level:])
        return level / height

    return np.array([[apart(one, other) for other in paths] for one in paths])
