"""Greedy grouping: each protected row looks for rows to hide among. Close groups, but whoever knows the algorithm may
re-run it and find out whose search a group was (docs/limits.md)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from voile.kernels import lazy_kernel
from voile.methods.art.buckets import Crowd

hiding_kernel = lazy_kernel("voile.methods.art.kernel.hiding")
merging_kernel = lazy_kernel("voile.methods.art.kernel.merging")

SHORTLIST, LONGER, SAMPLE, TRIES = 200, 3000, 4000, 40
_SIDES: tuple[Literal["left"], Literal["right"]] = ("left", "right")
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
            merging_kernel.accepted(
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


def hides(crowd: Crowd, test: Test, rule: int) -> bool:
    """Whether seeds look for company of one value: only where some rows need no protection themselves."""
    return test.mode == merging_kernel.WALK and rule == merging_kernel.FEWEST and bool((~crowd.guarded).any())


def greedy(crowd: Crowd, test: Test, rule: int, absorb: bool) -> Grouping:
    """Serve every protected row. Equal rows that find equal company are served together, so the cost depends on the
    number of buckets, not of people."""
    search, order = _hiding(crowd, test) if hides(crowd, test, rule) else _merging(crowd, test, rule)
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


class Hiding:
    """The search among rows of one unprotected value, where belief has a closed form."""

    def __init__(self, crowd: Crowd, test: Test) -> None:
        guarded = crowd.guarded
        self.crowd, self.test = crowd, test
        # in the binary reading there is one hiding value, "not in the event"
        self.values = np.array([0]) if test.binary else np.unique(crowd.value[~guarded])
        colour = np.zeros(len(crowd.value), dtype=np.int64)
        if not test.binary:
            colour = np.searchsorted(self.values, crowd.value).clip(0, len(self.values) - 1)
        ranked = np.where(guarded, len(self.values), colour)
        self.order = np.argsort(ranked, kind="stable")  # the buckets of a hiding value are neighbours
        self.place = np.argsort(self.order)
        edges = [np.searchsorted(ranked[self.order], np.arange(len(self.values)), side=side) for side in _SIDES]
        self.first, self.last = edges
        self.index, self.colour = np.ascontiguousarray(crowd.index[:, self.order]), colour[self.order]
        self.tables: dict[int, tuple[np.ndarray, np.ndarray, np.ndarray]] = {}

    def table(self, value: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Probabilities of a protected value and of the hiding ones, and the odds of each bucket."""
        if value not in self.tables:
            crowd = self.crowd
            above = crowd.chance[crowd.event[value]] if self.test.binary else crowd.rows[:, value].copy()
            below = np.ascontiguousarray((1 - above).reshape(-1, 1) if self.test.binary else crowd.rows[:, self.values])
            self.tables[value] = (above, below, hiding_kernel.odds(above, below, self.index, self.colour))
        return self.tables[value]

    def search(self, left: np.ndarray, seed: int, value: int, colour: int | None = None) -> np.ndarray:
        """The group of a seed that has a value, among all hiding values or one of them (its number)."""
        above, below, chance = self.table(value)
        first, last = self.first, self.last
        if colour is not None:
            first, last = first[colour : colour + 1], last[colour : colour + 1]
            below = np.ascontiguousarray(below[:, colour : colour + 1])
        own = (int(self.place[seed]), self.test.r, self.test.largest)
        given = (chance, above, below, self.index, first, last, left[self.order], *own)
        found = hiding_kernel.hidden(*given, SHORTLIST)
        if not len(found):
            found = hiding_kernel.hidden(*given, LONGER)
        return np.asarray(self.order[found])


def _hiding(crowd: Crowd, test: Test) -> tuple[Search, np.ndarray]:
    """Whoever is easiest to hide goes first: they need few, and not those that the others need."""
    hiding, guarded = Hiding(crowd, test), crowd.guarded
    seeds = np.flatnonzero(guarded)
    likeliest = crowd.chance.max(axis=0)[crowd.index]
    odds = likeliest / np.maximum(1 - likeliest, 1e-9)
    # a column set in which protected people stand out is the one that company is scarce in
    scarcity = (odds[:, guarded] @ crowd.size[guarded]) / np.maximum(odds[:, ~guarded] @ crowd.size[~guarded], 1e-12)
    hardness = scarcity**2 @ odds[:, seeds]
    order = seeds[np.argsort(hardness, kind="stable")]
    return (lambda left, seed: hiding.search(left, seed, int(crowd.value[seed]))), order


def _merging(crowd: Crowd, test: Test, rule: int) -> tuple[Search, np.ndarray]:
    """Row by row until the test passes: the published algorithm, and the way where every value is protected."""

    def search(left: np.ndarray, seed: int) -> np.ndarray:
        return np.asarray(
            merging_kernel.grown(
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
