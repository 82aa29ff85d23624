"""Greedy grouping: each protected row looks for rows to hide among. Close groups, but whoever knows the algorithm may
re-run it and find out whose search a group was (docs/limits.md)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from voile import kernels
from voile.methods.art.crowd import Crowd

SHORTLIST, LONGER, SAMPLE, TRIES = 200, 3000, 4000, 40
Search = Callable[[np.ndarray, int], np.ndarray]


@dataclass
class Grouping:
    """Groups as (buckets, rows of each, how many such groups), and the protected rows that found none."""

    left: np.ndarray
    made: list[tuple[np.ndarray, np.ndarray, int]] = field(default_factory=list)
    stuck: dict[int, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Test:
    """When a group is accepted."""

    r: float
    mode: int
    binary: bool
    largest: int
    max_states: int

    def passes(self, crowd: Crowd, members: np.ndarray) -> bool:
        return bool(
            kernels.merge.accepted(
                crowd.rows,
                crowd.chance,
                crowd.index,
                crowd.value,
                crowd.event,
                members,
                self.r,
                self.mode,
                self.binary,
                self.max_states,
            )
        )


def greedy(crowd: Crowd, test: Test, rule: int, absorb: bool) -> Grouping:
    """Serve every protected row. Equal rows that find equal company are served together, so the cost depends on the
    number of buckets, not of people."""
    open_rows = (crowd.event < 0).any() and bool((~crowd.guarded).any())
    hides = test.mode == kernels.merge.WALK and rule == kernels.merge.FEWEST and open_rows
    search, order = _hiding(crowd, test) if hides else _merging(crowd, test, rule)
    grouping = Grouping(crowd.size.copy())
    left = grouping.left
    for seed in order:
        while left[seed] > 0:
            found = search(left, int(seed))
            if not len(found):
                grouping.stuck[int(seed)] = int(left[seed])
                left[seed] = 0
                break
            kinds, many = np.unique(found, return_counts=True)
            times = int((left[kinds] // many).min())
            left[kinds] -= times * many
            grouping.made.append((kinds, many, times))
    if absorb:
        _absorb(crowd, test, grouping)
    return grouping


def _hiding(crowd: Crowd, test: Test) -> tuple[Search, np.ndarray]:
    """Among rows of one unprotected value, where belief has a closed form. Whoever is easiest to hide goes first: they
    need few, and not those that the others need."""
    guarded = crowd.guarded
    if test.binary:
        open_values, colour = np.array([0]), np.zeros(len(crowd.value), dtype=np.int64)
        # one hiding value "not in the event"; its buckets must be neighbours, which unprotected ones need not be
        order = np.argsort(guarded, kind="stable")
    else:
        open_values = np.unique(crowd.value[~guarded])
        colour = np.searchsorted(open_values, crowd.value).clip(0, len(open_values) - 1)
        order = np.argsort(np.where(guarded, len(crowd.event), crowd.value), kind="stable")
    place = np.argsort(order)
    ranked = np.where(guarded, len(open_values), colour)[order]
    first, last = (np.searchsorted(ranked, np.arange(len(open_values)), side=side) for side in ("left", "right"))
    index, colour = np.ascontiguousarray(crowd.index[:, order]), colour[order]
    tables: dict[int, tuple[np.ndarray, np.ndarray, np.ndarray]] = {}

    def table(value: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        if value not in tables:
            above = crowd.chance[crowd.event[value]] if test.binary else crowd.rows[:, value].copy()
            below = (1 - above).reshape(-1, 1) if test.binary else np.ascontiguousarray(crowd.rows[:, open_values])
            tables[value] = (above, below, kernels.hide.odds(above, below, index, colour))
        return tables[value]

    def search(left: np.ndarray, seed: int) -> np.ndarray:
        above, below, chance = table(int(crowd.value[seed]))
        given = (chance, above, below, index, first, last, left[order], int(place[seed]), test.r, test.largest)
        found = kernels.hide.hidden(*given, SHORTLIST)
        if not len(found):
            found = kernels.hide.hidden(*given, LONGER)
        return np.asarray(order[found])

    seeds = np.flatnonzero(guarded)
    likeliest = crowd.chance.max(axis=0)[crowd.index]
    odds = likeliest / np.maximum(1 - likeliest, 1e-9)
    # a column set in which protected people stand out is the one that company is scarce in
    scarcity = (odds[:, guarded] @ crowd.size[guarded]) / np.maximum(odds[:, ~guarded] @ crowd.size[~guarded], 1e-12)
    hardness = scarcity**2 @ odds[:, seeds]
    return search, seeds[np.argsort(hardness, kind="stable")]


def _merging(crowd: Crowd, test: Test, rule: int) -> tuple[Search, np.ndarray]:
    """Row by row until the test passes: the published algorithm, and the way where every value is protected."""

    def search(left: np.ndarray, seed: int) -> np.ndarray:
        return np.asarray(
            kernels.merge.grown(
                crowd.rows,
                crowd.chance,
                crowd.index,
                crowd.value,
                crowd.event,
                left,
                seed,
                test.r,
                test.mode,
                rule,
                test.binary,
                test.largest,
                test.max_states,
                SAMPLE,
            )
        )

    seeds = np.flatnonzero(crowd.guarded)
    often = np.bincount(crowd.value, weights=crowd.size, minlength=len(crowd.event))
    return search, seeds[np.lexsort((seeds, crowd.value[seeds], -often[crowd.value[seeds]]))]


def _absorb(crowd: Crowd, test: Test, grouping: Grouping) -> None:
    """Try once to add each stuck row to a group that still passes with it; the most similar groups come first."""
    for seed in list(grouping.stuck):
        leaders = np.array([kinds[crowd.guarded[kinds]][0] for kinds, _, _ in grouping.made], dtype=np.int64)
        away = (crowd.index[:, leaders] != crowd.index[:, [seed]]).sum(axis=0)
        for number in np.argsort(away, kind="stable")[:TRIES]:
            kinds, many, times = grouping.made[number]
            if not times or not grouping.stuck[seed]:
                continue
            members = np.append(np.repeat(kinds, many), seed)
            if test.passes(crowd, members):
                moved = min(times, grouping.stuck[seed])
                grouping.made[number] = (kinds, many, times - moved)
                grouping.made.append((*np.unique(members, return_counts=True), moved))
                grouping.stuck[seed] -= moved
    grouping.made = [one for one in grouping.made if one[2]]
    grouping.stuck = {seed: count for seed, count in grouping.stuck.items() if count}
