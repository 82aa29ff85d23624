"""Greedy grouping: each protected row searches for rows to hide among.

Groups are tight, but an adversary who knows the algorithm may replay it and find out around whom a group was formed
(docs/limits.md).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from voile.kernels import lazy_module
from voile.methods.art.buckets import Buckets

hiding_kernel = lazy_module("voile.methods.art.kernel.hiding")
merging_kernel = lazy_module("voile.methods.art.kernel.merging")

SHORTLIST, LONGER, SAMPLE, TRIES = 200, 3000, 4000, 40
_SIDES: tuple[Literal["left"], Literal["right"]] = ("left", "right")
Search = Callable[[np.ndarray, int], np.ndarray]
Group = tuple[np.ndarray, np.ndarray, int]  # buckets, rows of each, number of such groups


@dataclass
class Grouping:
    """The groups; the rows of each bucket that remain; and how many protected rows of each bucket could not be
    placed."""

    remaining: np.ndarray
    groups: list[Group] = field(default_factory=list)
    unplaced: dict[int, int] = field(default_factory=dict)


@dataclass(frozen=True)
class AcceptanceTest:
    """The conditions under which a group is accepted: belief is at most 1/r, or `lift` times what the prior alone
    says, whichever is more."""

    r: float
    mode: int
    binary: bool
    largest: int
    max_states: int
    lift: float = 0.0

    def passes(self, buckets: Buckets, members: np.ndarray) -> bool:
        return bool(
            merging_kernel.accept_group(
                buckets.rows,
                buckets.chance,
                buckets.index,
                buckets.value,
                buckets.event,
                members,
                self.r,
                self.mode,
                self.binary,
                self.max_states,
            )
        )


def seeks_one_value(buckets: Buckets, test: AcceptanceTest, rule: int) -> bool:
    """Return whether seeds hide among rows of one value: only if some rows need no protection themselves."""
    return test.mode == merging_kernel.WALK and rule == merging_kernel.FEWEST and bool((~buckets.guarded).any())


def group_greedily(buckets: Buckets, test: AcceptanceTest, rule: int, absorb: bool) -> Grouping:
    """Find a group for every protected row. Equal rows whose groups are equal are served together, so the cost depends
    on the number of buckets, not of people."""
    if seeks_one_value(buckets, test, rule):
        search, order = _search_by_hiding(buckets, test)
    else:
        search, order = _search_by_merging(buckets, test, rule)
    grouping = Grouping(buckets.size.copy())
    remaining = grouping.remaining
    for seed in order:
        while remaining[seed] > 0:
            members = search(remaining, int(seed))
            if not len(members):
                grouping.unplaced[int(seed)] = int(remaining[seed])
                remaining[seed] = 0
                break
            kinds, row_counts = np.unique(members, return_counts=True)
            times = int((remaining[kinds] // row_counts).min())
            remaining[kinds] -= times * row_counts
            grouping.groups.append((kinds, row_counts, times))
    if absorb:
        _absorb_unplaced(buckets, test, grouping)
    return grouping


class HidingSearch:
    """The search for a group among rows of one unprotected value, for which belief has a closed form."""

    def __init__(self, buckets: Buckets, test: AcceptanceTest) -> None:
        is_guarded = buckets.guarded
        self.buckets, self.test = buckets, test
        # in the binary reading there is one hiding value, "not in the event"
        self.values = np.array([0]) if test.binary else np.unique(buckets.value[~is_guarded])
        colour = np.zeros(len(buckets.value), dtype=np.int64)
        if not test.binary:
            colour = np.searchsorted(self.values, buckets.value).clip(0, len(self.values) - 1)
        colour_rank = np.where(is_guarded, len(self.values), colour)
        self.order = np.argsort(colour_rank, kind="stable")  # the buckets of a hiding value are neighbours
        self.place = np.argsort(self.order)
        edges = [np.searchsorted(colour_rank[self.order], np.arange(len(self.values)), side=side) for side in _SIDES]
        self.first, self.last = edges
        self.index, self.colour = np.ascontiguousarray(buckets.index[:, self.order]), colour[self.order]
        self.tables: dict[int, tuple[np.ndarray, np.ndarray, np.ndarray]] = {}

    def table(self, value: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the probabilities of a protected value and of the hiding values, and the odds of each bucket."""
        if value not in self.tables:
            buckets = self.buckets
            above = buckets.chance[buckets.event[value]] if self.test.binary else buckets.rows[:, value].copy()
            below = np.ascontiguousarray(
                (1 - above).reshape(-1, 1) if self.test.binary else buckets.rows[:, self.values]
            )
            self.tables[value] = (above, below, hiding_kernel.compute_odds(above, below, self.index, self.colour))
        return self.tables[value]

    def search(self, left: np.ndarray, seed: int, value: int, colour: int | None = None) -> np.ndarray:
        """Return the group of a seed with a protected value, among all hiding values or one of them (its number)."""
        above, below, chance = self.table(value)
        first, last = self.first, self.last
        if colour is not None:
            first, last = first[colour : colour + 1], last[colour : colour + 1]
            below = np.ascontiguousarray(below[:, colour : colour + 1])
        seed_arguments = (int(self.place[seed]), self.test.r, self.test.largest)
        arguments = (chance, above, below, self.index, first, last, left[self.order], *seed_arguments)
        members = hiding_kernel.hide_seed(*arguments, SHORTLIST)
        if not len(members):
            members = hiding_kernel.hide_seed(*arguments, LONGER)
        return np.asarray(self.order[members])


def _search_by_hiding(buckets: Buckets, test: AcceptanceTest) -> tuple[Search, np.ndarray]:
    """Serve the rows that are easiest to hide first: they need few others, and not those that the hard ones need."""
    hiding, is_guarded = HidingSearch(buckets, test), buckets.guarded
    seeds = np.flatnonzero(is_guarded)
    likeliest = buckets.chance.max(axis=0)[buckets.index]
    odds = likeliest / np.maximum(1 - likeliest, 1e-9)
    # rows to hide among are scarce under a column set in which protected people stand out
    scarcity = (odds[:, is_guarded] @ buckets.size[is_guarded]) / np.maximum(
        odds[:, ~is_guarded] @ buckets.size[~is_guarded], 1e-12
    )
    hardness = scarcity**2 @ odds[:, seeds]
    order = seeds[np.argsort(hardness, kind="stable")]
    return (lambda left, seed: hiding.search(left, seed, int(buckets.value[seed]))), order


def _search_by_merging(buckets: Buckets, test: AcceptanceTest, rule: int) -> tuple[Search, np.ndarray]:
    """Add row by row until the test passes: the published algorithm, also used if every value is protected."""

    def search(left: np.ndarray, seed: int) -> np.ndarray:
        return np.asarray(
            merging_kernel.grow_group(
                buckets.rows,
                buckets.chance,
                buckets.index,
                buckets.value,
                buckets.event,
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

    seeds = np.flatnonzero(buckets.guarded)
    frequency = np.bincount(buckets.value, weights=buckets.size, minlength=len(buckets.event))
    return search, seeds[np.lexsort((seeds, buckets.value[seeds], -frequency[buckets.value[seeds]]))]


def _absorb_unplaced(buckets: Buckets, test: AcceptanceTest, grouping: Grouping) -> None:
    """Try once to add each unplaced row to a group that still passes with it, the most similar groups first."""
    for seed in list(grouping.unplaced):
        leaders = np.array([kinds[buckets.guarded[kinds]][0] for kinds, _, _ in grouping.groups], dtype=np.int64)
        away = (buckets.index[:, leaders] != buckets.index[:, [seed]]).sum(axis=0)
        for position in np.argsort(away, kind="stable")[:TRIES]:
            kinds, row_counts, times = grouping.groups[position]
            if not times or not grouping.unplaced[seed]:
                continue
            members = np.append(np.repeat(kinds, row_counts), seed)
            if test.passes(buckets, members):
                moved_groups = min(times, grouping.unplaced[seed])
                grouping.groups[position] = (kinds, row_counts, times - moved_groups)
                grouping.groups.append((*np.unique(members, return_counts=True), moved_groups))
                grouping.unplaced[seed] -= moved_groups
    grouping.groups = [group for group in grouping.groups if group[2]]
    grouping.unplaced = {seed: count for seed, count in grouping.unplaced.items() if count}
