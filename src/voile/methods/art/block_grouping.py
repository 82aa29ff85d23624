"""Blind grouping: blocks are cut by the prior and the numbers of people alone, and rows are dealt inside them by coins.

Nothing depends on who has which value, so re-running the algorithm tells nothing: all assignments that agree with the
release were equally likely to lead to it. People whose prior alone is near 1/r cannot be helped by any group; they are
withheld whatever their value. Groups that fail the test are withheld whole.
"""

from __future__ import annotations

import numpy as np

from voile import kernels
from voile.methods.art.buckets import Crowd
from voile.methods.art.greedy_grouping import Grouping, Test
from voile.tables.secret_key import Key

MARGIN = 0.85  # of 1/r: a prior above it leaves no room for the chances of the deal
TOGETHER = 20  # protected rows in a group, where belief is cheap to compute: many smooth the chances of the deal
EXPECTED = 40.0  # protected rows that a block should hold at least, by the statistics


def blind(crowd: Crowd, test: Test, key: Key, together: int) -> Grouping:
    """Blocks, a deal inside each, and the test. Where every value is protected, groups are dealt by largest-l."""
    grouping = Grouping(crowd.size.copy())
    alone = crowd.chance[:, crowd.index].max(axis=(0, 1))
    every = bool((crowd.event >= 0).all())
    for_ever = np.zeros(len(alone), dtype=bool) if every else alone > MARGIN / test.r
    _withhold(grouping, crowd, for_ever, crowd.size)
    block = _blocks(crowd, ~for_ever, test.r) if not every else np.zeros(len(crowd.size), dtype=np.int64)
    for number in range(int(block.max(initial=-1)) + 1):
        inside = np.flatnonzero((block == number) & ~for_ever)
        deal = _all_different if every else _evenly
        for members in deal(crowd, inside, test.r, key, number, together):
            kinds, many = np.unique(members, return_counts=True)
            grouping.left[kinds] -= many
            if test.passes(crowd, members):
                grouping.made.append((kinds, many, 1))
            else:
                spread = np.zeros(len(crowd.size), dtype=np.int64)
                spread[kinds] = many
                _withhold(grouping, crowd, spread > 0, spread, taken=True)
    return grouping


def _withhold(grouping: Grouping, crowd: Crowd, which: np.ndarray, many: np.ndarray, taken: bool = False) -> None:
    for bucket in np.flatnonzero(which):
        grouping.stuck[int(bucket)] = grouping.stuck.get(int(bucket), 0) + int(many[bucket])
        if not taken:
            grouping.left[bucket] -= many[bucket]


def _evenly(crowd: Crowd, inside: np.ndarray, r: float, key: Key, number: int, together: int) -> list[np.ndarray]:
    """All rows of a block over about as many groups as its protected rows make; nobody's profile is looked at.

    The other rows are dealt value by value, so that a group has few of them: belief is then cheap to compute, and a
    reader learns more of who has which.
    """
    rows = np.repeat(inside, crowd.size[inside])
    rows = rows[key.shuffle(f"art block {number}", len(rows))]
    event = crowd.event[crowd.value[rows]]
    protected, others = rows[event >= 0], rows[event < 0]
    if not len(protected):
        return []  # nobody here has anything to hide
    # the most frequent event decides: each group gets about `together` of it
    most = int(np.bincount(event[event >= 0]).max())
    groups = max(most // together, 1)
    order = np.argsort(event[event >= 0], kind="stable")
    parts = np.array_split(others[np.argsort(crowd.value[others], kind="stable")], groups)
    return [np.concatenate([protected[order][g::groups], parts[g]]) for g in range(groups)]


def _all_different(
    crowd: Crowd, inside: np.ndarray, r: float, key: Key, number: int, together: int
) -> list[np.ndarray]:
    """Groups of ceil(r) rows with different values, as Anatomy deals them."""
    wanted = int(np.ceil(r - 1e-9))
    sizes = np.bincount(crowd.value[inside], weights=crowd.size[inside], minlength=len(crowd.event)).astype(np.int64)
    total = int(sizes.sum())
    picks, remaining = kernels.dealing.pick_largest_l(
        sizes, wanted, key.stream(f"art ties {number}", max(total // wanted, 1))
    )
    starts = np.concatenate([[0], np.cumsum(sizes)])
    spare = key.stream(f"art leftovers {number}", max(int(remaining.sum()), 1))
    group = kernels.dealing.seat_rows(starts, picks, remaining, key.stream(f"art deal {number}", max(total, 1)), spare)
    cells, groups = kernels.dealing.hand_out_groups(crowd.value[inside], crowd.size[inside], starts, group)
    order = np.argsort(groups, kind="stable")
    edges = np.searchsorted(groups[order], np.arange(len(picks) + 1))
    return [inside[cells[order[edges[g] : edges[g + 1]]]] for g in range(len(picks))]


def _blocks(crowd: Crowd, kept: np.ndarray, r: float) -> np.ndarray:
    """The block of each bucket. A block is halved along the statistic that varies most, as long as the statistics
    themselves promise that belief stays within bounds in both halves. Looks at profiles, never at values."""
    profiles, place = np.unique(crowd.profile[kept], return_inverse=True)
    people = np.bincount(place, weights=crowd.size[kept])
    _, first = np.unique(place, return_index=True)
    chance = crowd.chance.max(axis=0)[crowd.index[:, np.flatnonzero(kept)[first]]].T  # profile x set
    home = np.zeros(len(profiles), dtype=np.int64)
    queue, number = [np.arange(len(profiles))], 0
    while queue:
        part = queue.pop()
        halves = _halved(chance[part], people[part])
        if halves is not None and all(_promising(chance[part[half]], people[part[half]], r) for half in halves):
            queue += [part[halves[1]], part[halves[0]]]
        else:
            home[part] = number
            number += 1
    block = np.full(len(crowd.size), -1, dtype=np.int64)
    block[kept] = home[place]
    return block


def _halved(chance: np.ndarray, people: np.ndarray) -> tuple[np.ndarray, np.ndarray] | None:
    expected = people * chance.mean(axis=1)
    if expected.sum() < 2 * EXPECTED or len(people) < 2:
        return None
    odds = np.log(np.maximum(chance, 1e-4))
    middle = np.average(odds, axis=0, weights=people)
    widest = int(np.average((odds - middle) ** 2, axis=0, weights=people).argmax())
    order = np.argsort(odds[:, widest], kind="stable")
    cut = int(np.searchsorted(np.cumsum(expected[order]), expected.sum() / 2))
    cut = min(max(cut, 1), len(order) - 1)
    return order[:cut], order[cut:]


def _promising(chance: np.ndarray, people: np.ndarray, r: float) -> bool:
    """What belief would be if as many rows were protected as the most alarming column set says."""
    sums = (chance * people.reshape(-1, 1)).sum(axis=0)
    scale = sums.max() / np.maximum(sums, 1e-12)
    odds = chance / (1 - chance) * scale
    return bool((odds / (1 + odds)).max() <= MARGIN / r)
