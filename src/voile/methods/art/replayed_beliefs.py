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
    people: Buckets, test: AcceptanceTest, rule: int, members: Members, counts: Counts, bucket_of: np.ndarray
) -> np.ndarray:
    """Return, for each entry of the members, the belief that this person has the group's protected value.

    `bucket_of[v, p]` is the bucket of published row p with value v, -1 if there is none. A search may choose among the
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
    np.add.at(pool, bucket_of[alone[lone], members.rows[members.starts[single[lone]]]], 1)
    for group in np.flatnonzero(counts.sizes > 1):
        values = counts.values[counts.starts[group] : counts.starts[group + 1]]
        value_counts = counts.counts[counts.starts[group] : counts.starts[group + 1]]
        inside = people.event[values] >= 0
        if len(values) != 2 or inside.sum() != 1 or value_counts[inside][0] != 1:
            continue
        entries = np.arange(members.starts[group], members.starts[group + 1])
        hiding_buckets = bucket_of[values[~inside][0], members.rows[entries]]
        consistent = _find_starters(hiding, pool, hiding_buckets, members.counts[entries], int(values[inside][0]))
        starters = int(members.counts[entries][consistent].sum())
        if starters:
            share[entries] = np.where(consistent, 1 / starters, 0.0)
    return share


def _find_starters(
    hiding: HidingSearch, pool: np.ndarray, hiding_buckets: np.ndarray, row_counts: np.ndarray, value: int
) -> np.ndarray:
    """Return which entries of a group (buckets under its hiding value, rows of each) lead to it as the seed."""
    people = hiding.buckets
    left = pool.copy()
    np.add.at(left, hiding_buckets, row_counts)
    colour = int(hiding.colour[hiding.place[hiding_buckets[0]]])
    answer = np.zeros(len(hiding_buckets), dtype=bool)
    for bucket in np.unique(hiding_buckets):
        left[bucket] -= 1
        group_members = np.sort(np.repeat(hiding_buckets, row_counts))
        for choice in (colour, None):  # most fail already among rows of the group's own value
            members = hiding.search(left, int(bucket), value, choice)
            if not np.array_equal(np.sort(members), group_members):
                break
        else:
            answer |= people.profile[hiding_buckets] == people.profile[bucket]
        left[bucket] += 1
    return answer


def _protected_shares(people: Buckets, members: Members, counts: Counts) -> np.ndarray:
    """Return the share of protected rows in each entry's group."""
    inside = np.where(people.event[counts.values] >= 0, counts.counts, 0)
    share = counts.summed(inside) / np.maximum(counts.sizes, 1)
    return np.repeat(share, np.diff(members.starts))
