"""ART's blocks without withholding, by hand, on a few people who all differ: every deal, and what is believed.

Written apart from the product: one block, one protected value, one column set. A world says who is a case.
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Sequence

Group = tuple[tuple[int, ...], int]  # people, and how many of them are cases
Output = tuple[Group, ...] | None  # None is a refusal


def believe_group(chances: Sequence[float], group: Sequence[int], cases: int) -> dict[int, float]:
    """What the number of cases of a group tells about its members, over all ways to choose them."""
    total, inside = 0.0, dict.fromkeys(group, 0.0)
    for chosen in itertools.combinations(group, cases):
        weight = 1.0
        for person in group:
            weight *= chances[person] if person in chosen else 1 - chances[person]
        total += weight
        for person in chosen:
            inside[person] += weight
    return {person: weight / total for person, weight in inside.items()}


def bound(chance: float, r: float, lift: float) -> float:
    return max(1 / r, lift * chance)


def deal(chances: Sequence[float], world: Sequence[int], order: Sequence[int], r: float, lift: float) -> Output:
    """What is published if the people are dealt in this order."""
    cases, others = ([p for p in order if world[p] == value] for value in (1, 0))
    if not cases:
        return tuple(((person,), 0) for person in sorted(order))
    groups, start = [], 0
    for number in range(len(cases)):
        size = len(others) // len(cases) + (number < len(others) % len(cases))
        groups.append([cases[number], *others[start : start + size]])
        start += size

    def passes(group: Sequence[int]) -> bool:
        beliefs = believe_group(chances, group, sum(world[p] for p in group))
        return all(belief <= bound(chances[p], r, lift) + 1e-9 for p, belief in beliefs.items())

    united: list[list[int]] = []
    pending: list[int] = []
    for group in groups:
        pending = [*pending, *group]
        if passes(pending):
            united.append(pending)
            pending = []
    while pending:
        if not united:
            return None
        pending = [*united.pop(), *pending]
        if passes(pending):
            united.append(pending)
            pending = []
    return tuple(sorted((tuple(sorted(group)), sum(world[p] for p in group)) for group in united))


def believe_outputs(chances: Sequence[float], r: float, lift: float) -> dict[Output, list[float]]:
    """What somebody believes of each person who knows the algorithm and sees the output, over all worlds and deals."""
    people, weights = range(len(chances)), defaultdict(lambda: [0.0] * (len(chances) + 1))
    for world in itertools.product([0, 1], repeat=len(chances)):
        weight = 1.0
        for person in people:
            weight *= chances[person] if world[person] else 1 - chances[person]
        for order in itertools.permutations(people):
            found = weights[deal(chances, world, order, r, lift)]
            found[-1] += weight
            for person in people:
                found[person] += weight * world[person]
    return {output: [inside / found[-1] for inside in found[:-1]] for output, found in weights.items()}
