"""Block grouping: cut blocks by the prior and the numbers of people alone, then deal the rows inside them at random.

Nothing depends on who has which value, so replaying the algorithm reveals nothing: all assignments that agree with the
release were equally likely to lead to it. People whose prior alone is near 1/r cannot be helped by any group; they are
withheld whatever their value. Groups that fail the test are withheld as a whole; or nobody is withheld, and a group
that fails is united with others until they pass together (which of them did depends on values).
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from voile import kernels
from voile.methods.art.buckets import Buckets
from voile.methods.art.greedy_grouping import AcceptanceTest, Grouping
from voile.tables.secret_key import Key

MARGIN = 0.85  # of 1/r: a prior above it leaves no room for the chances of the deal
TOGETHER = 20  # protected rows per group, if belief is cheap to compute: many smooth the chances of the deal
EXPECTED = 40.0  # the least number of protected rows that a block should hold, by the statistics


def group_by_blocks(buckets: Buckets, test: AcceptanceTest, key: Key, together: int) -> Grouping:
    """Cut blocks, deal the rows of each into groups, and test the groups. If every value is protected, deal by
    largest-l."""
    grouping = Grouping(buckets.size.copy())
    hopeless = find_hopeless(buckets, test.r)
    _withhold(grouping, hopeless, buckets.size)
    for _, dealt_groups in deal_blocks(buckets, ~hopeless, test, key, together):
        for members in dealt_groups:
            kinds, row_counts = np.unique(members, return_counts=True)
            grouping.remaining[kinds] -= row_counts
            if test.passes(buckets, members):
                grouping.groups.append((kinds, row_counts, 1))
            else:
                spread = np.zeros(len(buckets.size), dtype=np.int64)
                spread[kinds] = row_counts
                _withhold(grouping, spread > 0, spread, already_removed=True)
    # if every value is protected, the deal may leave rows over, and such a row alone would show its value
    _withhold(grouping, buckets.guarded & (grouping.remaining > 0), grouping.remaining.copy())
    return grouping


def deal_blocks(
    buckets: Buckets, is_eligible: np.ndarray, test: AcceptanceTest, key: Key, together: int
) -> Iterator[tuple[np.ndarray, list[np.ndarray]]]:
    """Cut the eligible buckets into blocks; yield the buckets of each block, and the groups that its rows are dealt
    into. A block without a protected row has none."""
    block = cut_blocks(buckets, is_eligible, test)
    for block_number in range(int(block.max(initial=-1)) + 1):
        inside = np.flatnonzero(block == block_number)
        if (buckets.event >= 0).all():
            yield inside, _deal_all_different(buckets, inside, test.r, key, block_number)
        else:
            yield inside, _deal_evenly(buckets, inside, key, block_number, together)


def find_hopeless(buckets: Buckets, r: float) -> np.ndarray:
    """Return the buckets of people whose prior alone is near 1/r, so that no group can help them. If every value is
    protected, nobody is left out."""
    if (buckets.event >= 0).all():
        return np.zeros(len(buckets.size), dtype=bool)
    return np.asarray(buckets.chance[:, buckets.index].max(axis=(0, 1)) > MARGIN / r)


def _withhold(
    grouping: Grouping, is_withheld: np.ndarray, row_counts: np.ndarray, already_removed: bool = False
) -> None:
    """Withhold `row_counts` rows of some buckets, which may be removed from the remaining rows already."""
    for bucket in np.flatnonzero(is_withheld):
        grouping.unplaced[int(bucket)] = grouping.unplaced.get(int(bucket), 0) + int(row_counts[bucket])
        if not already_removed:
            grouping.remaining[bucket] -= row_counts[bucket]


def _deal_evenly(buckets: Buckets, inside: np.ndarray, key: Key, block_number: int, together: int) -> list[np.ndarray]:
    """Deal all rows of a block into as many groups as its protected rows suffice for, without looking at profiles.

    The other rows are dealt value by value, so that a group has few different values: belief is then cheap to compute,
    and a reader learns more about who has which value.
    """
    rows = np.repeat(inside, buckets.size[inside])
    rows = rows[key.shuffle(f"art block {block_number}", len(rows))]
    event = buckets.event[buckets.value[rows]]
    protected_rows, other_rows = rows[event >= 0], rows[event < 0]
    if not len(protected_rows):
        return []  # no protected rows in this block
    # each group gets about `together` rows of the most frequent event
    largest = int(np.bincount(event[event >= 0]).max())
    groups = max(largest // together, 1)
    order = np.argsort(event[event >= 0], kind="stable")
    parts = np.array_split(other_rows[np.argsort(buckets.value[other_rows], kind="stable")], groups)
    return [np.concatenate([protected_rows[order][g::groups], parts[g]]) for g in range(groups)]


def _deal_all_different(
    buckets: Buckets, inside: np.ndarray, r: float, key: Key, block_number: int
) -> list[np.ndarray]:
    """Deal groups of ceil(r) rows with different values, as Anatomy does."""
    group_size = int(np.ceil(r - 1e-9))
    sizes = np.bincount(buckets.value[inside], weights=buckets.size[inside], minlength=len(buckets.event)).astype(
        np.int64
    )
    total = int(sizes.sum())
    picks, remaining = kernels.dealing.pick_largest_l(
        sizes, group_size, key.stream(f"art ties {block_number}", max(total // group_size, 1))
    )
    starts = np.concatenate([[0], np.cumsum(sizes)])
    spare = key.stream(f"art leftovers {block_number}", max(int(remaining.sum()), 1))
    group = kernels.dealing.seat_rows(
        starts, picks, remaining, key.stream(f"art deal {block_number}", max(total, 1)), spare
    )
    cells, groups = kernels.dealing.hand_out_groups(buckets.value[inside], buckets.size[inside], starts, group)
    order = np.argsort(groups, kind="stable")
    edges = np.searchsorted(groups[order], np.arange(len(picks) + 1))
    return [inside[cells[order[edges[g] : edges[g + 1]]]] for g in range(len(picks))]


def cut_blocks(buckets: Buckets, is_eligible: np.ndarray, test: AcceptanceTest) -> np.ndarray:
    """Return the block of each eligible bucket, -1 for the others. A block is halved along the statistic that varies
    most, as long as the statistics themselves promise that belief stays within bounds in both halves. Looks at
    profiles, never at values; if every value is protected, all buckets are one block."""
    if (buckets.event >= 0).all():
        return np.where(is_eligible, 0, -1)
    profiles, profile_of = np.unique(buckets.profile[is_eligible], return_inverse=True)
    people = np.bincount(profile_of, weights=buckets.size[is_eligible])
    _, first = np.unique(profile_of, return_index=True)
    chance = buckets.chance.max(axis=0)[buckets.index[:, np.flatnonzero(is_eligible)[first]]].T  # profile x set
    home = np.zeros(len(profiles), dtype=np.int64)
    queue, block_count = [np.arange(len(profiles))], 0
    while queue:
        part = queue.pop()
        halves = _halve(chance[part], people[part])
        if halves is not None and all(_stays_within(chance[part[half]], people[part[half]], test) for half in halves):
            queue += [part[halves[1]], part[halves[0]]]
        else:
            home[part] = block_count
            block_count += 1
    block = np.full(len(buckets.size), -1, dtype=np.int64)
    block[is_eligible] = home[profile_of]
    return block


def _halve(chance: np.ndarray, people: np.ndarray) -> tuple[np.ndarray, np.ndarray] | None:
    """Return the two halves of a block, with about equally many expected cases; None if it is too small."""
    expected_cases = people * chance.mean(axis=1)
    if expected_cases.sum() < 2 * EXPECTED or len(people) < 2:
        return None
    odds = np.log(np.maximum(chance, 1e-4))
    middle = np.average(odds, axis=0, weights=people)
    widest = int(np.average((odds - middle) ** 2, axis=0, weights=people).argmax())
    order = np.argsort(odds[:, widest], kind="stable")
    cut = int(np.searchsorted(np.cumsum(expected_cases[order]), expected_cases.sum() / 2))
    cut = min(max(cut, 1), len(order) - 1)
    return order[:cut], order[cut:]


def _stays_within(chance: np.ndarray, people: np.ndarray, test: AcceptanceTest) -> bool:
    """Return whether belief would stay below the margin if as many rows were protected as the most alarming column set
    says."""
    sums = (chance * people.reshape(-1, 1)).sum(axis=0)
    scale = sums.max() / np.maximum(sums, 1e-12)
    odds = chance / np.maximum(1 - chance, 1e-12) * scale
    return bool((odds / (1 + odds) <= MARGIN * np.maximum(1 / test.r, test.lift * chance)).all())
