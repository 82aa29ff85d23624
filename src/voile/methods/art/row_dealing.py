"""From groups of buckets to groups of rows: check every group exactly, then deal the rows of each bucket at random."""

from __future__ import annotations

import numpy as np

from voile import kernels
from voile.methods.art.buckets import Buckets
from voile.methods.art.greedy_grouping import AcceptanceTest, Grouping
from voile.tables.secret_key import Key


def withhold_failing(people: Buckets, test: AcceptanceTest, grouping: Grouping) -> None:
    """Check every group by the exact posterior, however it was found; withhold the protected rows of failing ones."""
    if not grouping.groups:
        return
    starts = np.concatenate([[0], np.cumsum([len(kinds) for kinds, _, _ in grouping.groups])])
    members = np.concatenate([kinds for kinds, _, _ in grouping.groups])
    counts = np.concatenate([row_counts for _, row_counts, _ in grouping.groups])
    group = np.repeat(np.arange(len(grouping.groups)), np.diff(starts))
    pairs, amounts = kernels.distinct_rows.weigh_rows(
        [group, people.value[members]], [len(grouping.groups), len(people.event)], counts
    )
    value_starts = np.searchsorted(pairs[:, 0], np.arange(len(grouping.groups) + 1))
    arguments = (
        people.rows,
        people.index,
        starts,
        members,
        counts,
        value_starts,
        pairs[:, 1].astype(np.int64),
        amounts,
    )
    risk, _, status, _ = kernels.posterior.compute_group_beliefs(
        *arguments, people.event, test.binary, test.max_states, 1 / test.r, 0.0, 0, len(grouping.groups)
    )
    worst = np.maximum.reduceat(risk, starts[:-1])
    failing = (worst > 1 / test.r + 1e-9) | (status == kernels.posterior.CONTRADICTION)
    for position in np.flatnonzero(failing):
        kinds, row_counts, times = grouping.groups[position]
        for bucket, count in zip(kinds.tolist(), (row_counts * times).tolist(), strict=True):
            if people.guarded[bucket]:
                grouping.unplaced[bucket] = grouping.unplaced.get(bucket, 0) + count
            else:
                grouping.remaining[bucket] += count
    grouping.groups = [group for group, fails in zip(grouping.groups, failing, strict=True) if not fails]


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
