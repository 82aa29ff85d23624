"""The tree of groups of capped counts: chosen from quasi-identifiers and statistics alone, never from a value.

So the choice may be as clever as it likes: whatever it prefers, the groups tell nothing about anybody's value. A group
is cut where people who differ in their chances part, and only if both halves can probably show their number of cases.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from voile.kernels import lazy_module

kernel = lazy_module("voile.methods.capped_counts.kernel")

SAMPLE = 16_384  # a larger group is weighed by a sample of its cells
SETS = 10  # cuts along the chances of so many column sets, those that differ most
SHARES = (0.5, 0.25, 0.75, 0.1, 0.9)  # cuts are tried at these shares of a group, and where they part chances best
LEAST_CHANCE = 3e-3  # smaller chances are alike
ROOM = 1.6  # more room than this does not make a cut better
CUTS = 200  # so many cuts of a group are weighed, the most telling first


@dataclass(frozen=True, eq=False)
class Cells:
    """People with the same quasi-identifier, and what the statistics say of them: `chances[c, a]` is the chance of
    cell c under column set a, `rates[c]` the best estimate of it; `ordered[j]` says whether column j has an order."""

    codes: np.ndarray
    people: np.ndarray
    ordered: tuple[bool, ...]
    chances: np.ndarray
    rates: np.ndarray


@dataclass(frozen=True)
class Limits:
    """What a group must allow: belief up to max(floor, lift * chance), at least `smallest` people, and as many cases
    as are expected there and `deviations` standard deviations more."""

    floor: float
    lift: float
    smallest: int
    deviations: float


def group_cells(cells: Cells, limits: Limits) -> np.ndarray:
    """Return the group of each cell. O(cells * column sets * cuts) per level of the tree."""
    groups = np.zeros(len(cells.people), dtype=np.int64)
    open_groups, found = [np.arange(len(cells.people))], 0
    while open_groups:
        members = open_groups.pop()
        left = _find_cut(cells, members, limits)
        if left is None:
            groups[members] = found
            found += 1
        else:
            open_groups += [members[~left], members[left]]
    return groups


def _find_cut(cells: Cells, members: np.ndarray, limits: Limits) -> np.ndarray | None:
    """Return which members of a group are in the first half of its best cut; None if no cut leaves enough room."""
    people = int(cells.people[members].sum())
    if people < 2 * limits.smallest:
        return None
    cuts = sorted(_list_cuts(cells, members, limits.smallest), key=lambda cut: -cut[0])[:CUTS]
    step = -(-len(members) // SAMPLE)
    best, chosen = 0.0, None
    for gain, left in cuts:
        room = kernel.weigh_cut(
            cells.chances,
            cells.people,
            cells.rates,
            members[::step],
            float(step),
            left[::step],
            limits.floor,
            limits.lift,
            limits.deviations,
        )
        worth = (gain + 1e-6) * (min(room, ROOM) - 1) ** 2 if room >= 1 else -1.0
        if worth > best or (worth == best and chosen is None):
            best, chosen = worth, left
    return chosen


def _list_cuts(cells: Cells, members: np.ndarray, smallest: int) -> Iterator[tuple[float, np.ndarray]]:
    """Yield cuts of a group and how far each parts the rates: along its columns, and along what is known of people."""
    people, rates = cells.people[members], cells.rates[members]
    for column, is_ordered in enumerate(cells.ordered):
        _, rank = np.unique(cells.codes[members, column], return_inverse=True)
        if not is_ordered:
            mean = np.bincount(rank, people * rates) / np.bincount(rank, people)
            order = np.argsort(mean, kind="stable")
            place = np.empty(len(order), dtype=np.int64)
            place[order] = np.arange(len(order))
            rank = place[rank]
        yield from _cut_along(rank, people, rates, smallest)
    step = -(-len(members) // SAMPLE)
    spread = kernel.measure_spread(cells.chances, cells.people, members[::step], LEAST_CHANCE)
    chances = cells.chances[members]
    for values in (chances.max(axis=1), rates, *(chances[:, a] for a in np.argsort(-spread, kind="stable")[:SETS])):
        yield from _cut_along(np.unique(values, return_inverse=True)[1], people, rates, smallest)


def _cut_along(
    rank: np.ndarray, people: np.ndarray, rates: np.ndarray, smallest: int
) -> Iterator[tuple[float, np.ndarray]]:
    """Yield cuts between ranks: where the rates part best, and at some shares of the people."""
    below = np.cumsum(np.bincount(rank, people))[:-1]
    total = people.sum()
    fitting = np.flatnonzero((below >= smallest) & (total - below >= smallest))
    if not len(fitting):
        return
    cases = np.cumsum(np.bincount(rank, people * rates))
    on_left, all_cases = cases[:-1][fitting], cases[-1]
    below = below[fitting]
    gains = on_left**2 / below + (all_cases - on_left) ** 2 / (total - below) - all_cases**2 / total
    chosen = {int(np.argmax(gains)), *(int(np.argmin(np.abs(below - share * total))) for share in SHARES)}
    for position in sorted(chosen):
        yield float(gains[position]), rank <= fitting[position]
