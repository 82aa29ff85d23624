"""Run the greedy step again from every member of a group: from whom does it lead to this very group?

An adversary who knows the algorithm does so. Members from whom it leads elsewhere did not start it, and belief falls on
the others. Groups that nobody's search leads to (blind ones) tell nothing beyond their counts.
"""

from __future__ import annotations

import numpy as np

from voile.adversaries.group_members import Members
from voile.methods.art.buckets import Crowd
from voile.methods.art.greedy_grouping import Hiding, Test, hides
from voile.tables.group_counts import Counts


def retraced(people: Crowd, test: Test, rule: int, members: Members, counts: Counts, place: np.ndarray) -> np.ndarray:
    """For each entry of the members the belief that this person has the group's protected value.

    `place[v, p]` is the bucket of published row p with value v, -1 if there is none. The pool of a search is the
    group itself and all rows that stayed alone.
    """
    share = _shares(people, members, counts)
    hiding = Hiding(people, test) if hides(people, test, rule) else None
    if hiding is None:
        return share
    pool = np.zeros(len(people.size), dtype=np.int64)
    single = np.flatnonzero(counts.sizes == 1)
    alone = counts.values[counts.starts[single]]
    lone = people.event[alone] < 0
    np.add.at(pool, place[alone[lone], members.rows[members.starts[single[lone]]]], 1)
    for group in np.flatnonzero(counts.sizes > 1):
        values = counts.values[counts.starts[group] : counts.starts[group + 1]]
        many = counts.counts[counts.starts[group] : counts.starts[group + 1]]
        inside = people.event[values] >= 0
        if len(values) != 2 or inside.sum() != 1 or many[inside][0] != 1:
            continue
        entries = np.arange(members.starts[group], members.starts[group + 1])
        own = place[values[~inside][0], members.rows[entries]]
        consistent = _started(hiding, pool, own, members.counts[entries], int(values[inside][0]))
        number = int(members.counts[entries][consistent].sum())
        if number:
            share[entries] = np.where(consistent, 1 / number, 0.0)
    return share


def _started(hiding: Hiding, pool: np.ndarray, own: np.ndarray, many: np.ndarray, value: int) -> np.ndarray:
    """Which entries of a group (buckets under its hiding value, rows of each) lead to it when they are the seed."""
    people = hiding.crowd
    left = pool.copy()
    np.add.at(left, own, many)
    colour = int(hiding.colour[hiding.place[own[0]]])
    answer = np.zeros(len(own), dtype=bool)
    for bucket in np.unique(own):
        left[bucket] -= 1
        wanted = np.sort(np.repeat(own, many))
        for choice in (colour, None):  # most fail among rows of the group's own value already
            found = hiding.search(left, int(bucket), value, choice)
            if not np.array_equal(np.sort(found), wanted):
                break
        else:
            answer |= people.profile[own] == people.profile[bucket]
        left[bucket] += 1
    return answer


def _shares(people: Crowd, members: Members, counts: Counts) -> np.ndarray:
    """The share of protected rows in each entry's group."""
    inside = np.where(people.event[counts.values] >= 0, counts.counts, 0)
    share = counts.summed(inside) / np.maximum(counts.sizes, 1)
    return np.repeat(share, np.diff(members.starts))
