"""Replay the greedy step from every member of a group: which members does it lead from to exactly this group?

An adversary who knows the algorithm does so. Members from whom it leads elsewhere did not start the group, and belief
falls on the others. Groups to which nobody's search leads (those of blocks) reveal nothing beyond their counts.
"""

from __future__ import annotations

import numpy as np

from voile.adversaries.group_members import Members
from voile.methods.art.buckets import Buckets
from voile.methods.art.greedy_grouping import AcceptanceTest, HidingSearch, seeks_one_value
from voile.tables.group_counts import Counts


def replay_beliefs(
    people: Buckets, test: AcceptanceTest, rule: int, members: Members, counts: Counts, place: np.ndarray
) -> np.ndarray:
    """Return, for each entry of the members, the belief that this person has the group's protected value.

    `place[v, p]` is the bucket of published row p with value v, -1 if there is none. A search may choose among the
    group itself and all rows that stayed alone.
    """
    share = _protected_shares(people, members, counts)
    hiding = HidingSearch(people, test) if seeks_one_value(people, test, rule) else None
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
        consistent = _find_starters(hiding, pool, own, members.counts[entries], int(values[inside][0]))
        number = int(members.counts[entries][consistent].sum())
        if number:
            share[entries] = np.where(consistent, 1 / number, 0.0)
    return share


def _find_starters(hiding: HidingSearch, pool: np.ndarray, own: np.ndarray, many: np.ndarray, value: int) -> np.ndarray:
    """Return which entries of a group (buckets under its hiding value, rows of each) lead to it as the seed."""
    people = hiding.buckets
    left = pool.copy()
    np.add.at(left, own, many)
    colour = int(hiding.colour[hiding.place[own[0]]])
    answer = np.zeros(len(own), dtype=bool)
    for bucket in np.unique(own):
        left[bucket] -= 1
        wanted = np.sort(np.repeat(own, many))
        for choice in (colour, None):  # most fail already among rows of the group's own value
            found = hiding.search(left, int(bucket), value, choice)
            if not np.array_equal(np.sort(found), wanted):
                break
        else:
            answer |= people.profile[own] == people.profile[bucket]
        left[bucket] += 1
    return answer


def _protected_shares(people: Buckets, members: Members, counts: Counts) -> np.ndarray:
    """Return the share of protected rows in each entry's group."""
    inside = np.where(people.event[counts.values] >= 0, counts.counts, 0)
    share = counts.summed(inside) / np.maximum(counts.sizes, 1)
    return np.repeat(share, np.diff(members.starts))
