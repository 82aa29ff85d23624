"""From groups of buckets to groups of rows: check every group exactly, then deal the rows of each bucket at random."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from voile import kernels
from voile.methods.art.buckets import Buckets
from voile.methods.art.greedy_grouping import AcceptanceTest, Group, Grouping
from voile.models.r_robustness import SLACK
from voile.tables.secret_key import Key


def withhold_failing(people: Buckets, test: AcceptanceTest, grouping: Grouping) -> None:
    """Check every group by the exact posterior, however it was found; withhold the protected rows of failing ones."""
    failing = find_failing(people, test, grouping.groups)
    for position in np.flatnonzero(failing):
        kinds, row_counts, times = grouping.groups[position]
        for bucket, count in zip(kinds.tolist(), (row_counts * times).tolist(), strict=True):
            if people.guarded[bucket]:
                grouping.unplaced[bucket] = grouping.unplaced.get(bucket, 0) + count
            else:
                grouping.remaining[bucket] += count
    grouping.groups = [group for group, fails in zip(grouping.groups, failing, strict=True) if not fails]


def find_failing(people: Buckets, test: AcceptanceTest, groups: Sequence[Group]) -> np.ndarray:
    """Return which groups let somebody believe too much, by the exact posterior: the one that verify computes."""
    if not groups:
        return np.zeros(0, dtype=bool)
    starts = np.concatenate([[0], np.cumsum([len(kinds) for kinds, _, _ in groups])])
    members = np.concatenate([kinds for kinds, _, _ in groups])
    counts = np.concatenate([row_counts for _, row_counts, _ in groups])
    group, values = np.repeat(np.arange(len(groups)), np.diff(starts)), people.value[members]
    allowed = (1 / test.r, test.lift)
    if people.indicator:
        cases = np.bincount(group, np.where(people.event[values] >= 0, counts, 0), len(groups)).astype(np.int64)
        is_exact = np.ones(len(groups), dtype=bool)
        _, excess, is_contradicted, _ = kernels.count_beliefs.believe_counts(
            people.chance[0], people.index, starts, members, counts, cases, is_exact, *allowed, 0, len(groups)
        )
    else:
        pairs, amounts = kernels.distinct_rows.weigh_rows([group, values], [len(groups), len(people.event)], counts)
        value_starts = np.searchsorted(pairs[:, 0], np.arange(len(groups) + 1))
        shown = (value_starts, pairs[:, 1].astype(np.int64), amounts, people.event)
        _, excess, status, _ = kernels.posterior.compute_group_beliefs(
            people.rows,
            people.index,
            starts,
            members,
            counts,
            *shown,
            test.binary,
            test.max_states,
            kernels.posterior.EVERYWHERE,
            *allowed,
            0,
            len(groups),
        )
        is_contradicted = status == kernels.posterior.CONTRADICTION
    return np.asarray((np.maximum.reduceat(excess, starts[:-1]) > SLACK) | is_contradicted)


def deal_rows(people: Buckets, grouping: Grouping, key: Key) -> tuple[np.ndarray, np.ndarray]:
    """Return the cell and the group of every published row; the rows of a bucket go to its groups at random."""
    entries = grouping.groups
    kinds = np.concatenate([entry[0] for entry in entries]) if entries else np.zeros(0, dtype=np.int64)
    row_counts = np.concatenate([entry[1] for entry in entries]) if entries else np.zeros(0, dtype=np.int64)
    times = np.array([entry[2] for entry in entries], dtype=np.int64)
    owner = np.repeat(np.arange(len(entries)), [len(entry[0]) for entry in entries])
    first = np.concatenate([[0], np.cumsum(times)])
    rows = row_counts * times[owner]
    within = np.arange(int(rows.sum())) - np.repeat(np.cumsum(rows) - rows, rows)
    slot = np.repeat(kinds, rows)
    group = np.repeat(first[owner], rows) + within // np.maximum(np.repeat(row_counts, rows), 1)
    single = np.repeat(np.arange(len(people.size)), grouping.remaining)
    withheld = np.repeat(np.array(list(grouping.unplaced), dtype=np.int64), list(grouping.unplaced.values()))
    slots = np.concatenate([slot, single, withheld])
    groups = np.concatenate([group, int(first[-1]) + np.arange(len(single)), np.full(len(withheld), -1)])
    order = np.lexsort((key.stream("art deal", len(slots)), slots))
    starts = np.concatenate([[0], np.cumsum(people.size)])
    assert people.table is not None
    cells, seats = kernels.dealing.hand_out_groups(people.bucket, people.table.counts, starts, groups[order])
    return cells[seats >= 0], seats[seats >= 0]
