"""Where a search for better clusters stands, and who looked at what since something changed."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from voile.kernels.compilation import kernel


class Search(NamedTuple):
    """Where a search stands. `position` holds the pass, the next person or cluster (clusters are counted after the
    people), the number of changes in this pass, and that of all changes. `changed` tells at which change each cluster
    became what it is, `checked` after which change each person last looked for something to gain. A proposal sends
    `movers[i]` to cluster `targets[i]`, for the first `length[0]` entries. The rest is scratch space."""

    position: np.ndarray
    changed: np.ndarray
    checked: np.ndarray
    movers: np.ndarray
    targets: np.ndarray
    length: np.ndarray
    low: np.ndarray
    high: np.ndarray
    level: np.ndarray


def start_search(people: int, columns: int) -> Search:
    """Return a search that has not begun."""
    return Search(
        np.zeros(4, dtype=np.int64),
        np.zeros(people + 2, dtype=np.int64),
        np.full(people, -1, dtype=np.int64),
        np.zeros(people, dtype=np.int64),
        np.zeros(people, dtype=np.int64),
        np.zeros(1, dtype=np.int64),
        np.zeros((2, columns)),
        np.zeros((2, columns)),
        np.zeros((2, columns), dtype=np.int64),
    )


@kernel
def note_change(search, one, other):
    """Note that two clusters have changed."""
    search.position[2] += 1
    search.position[3] += 1
    search.changed[one] = search.changed[other] = search.position[3]


@kernel
def last_check(people, search, person):
    """Return after which change a person last looked at other clusters; -1 if their own has changed since."""
    checked = search.checked[person]
    return checked if search.changed[people.cluster[person]] <= checked else -1
