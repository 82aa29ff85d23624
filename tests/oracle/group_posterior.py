"""An adversary's belief after seeing a group, by going through all worlds."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Any


def posterior(priors: Sequence[Sequence[Any]], values: Sequence[int]) -> list[dict[int, Any]] | None:
    """p(t:x) by enumeration of all worlds, one dict per member; None if no world has any weight.

    Copies of a value are told apart, which multiplies every world by the same number.
    """
    total: Any = 0
    weight: list[dict[int, Any]] = [dict.fromkeys(values, 0) for _ in values]
    for world in itertools.permutations(values):
        product = math.prod(row[value] for row, value in zip(priors, world, strict=True))
        total += product
        for member, value in enumerate(world):
            weight[member][value] += product
    if not total:
        return None
    return [{value: part / total for value, part in one.items()} for one in weight]


def against(chances: Sequence[Any], inside: int) -> list[Any] | None:
    """Belief in an event that `inside` members satisfy, weighed against its contrary: enumeration of who they are."""
    total: Any = 0
    weight: list[Any] = [0 for _ in chances]
    for chosen in itertools.combinations(range(len(chances)), inside):
        product = math.prod(f if member in chosen else 1 - f for member, f in enumerate(chances))
        total += product
        for member in chosen:
            weight[member] += product
    return [part / total for part in weight] if total else None


def event_beliefs(
    priors: Sequence[Sequence[Any]], values: Sequence[int], events: Sequence[int], binary: bool
) -> list[Any] | None:
    """Each member's greatest belief in an event that occurs in the group; None if no world has any weight."""
    present = sorted({events[value] for value in values if events[value] >= 0})
    worst: list[Any] = [0 for _ in values]
    for event in present:
        if binary:
            chances = [min(sum(p for p, e in zip(row, events, strict=True) if e == event), 1) for row in priors]
            found = against(chances, sum(events[value] == event for value in values))
        else:
            full = posterior(priors, values)
            found = full and [sum(p for value, p in one.items() if events[value] == event) for one in full]
        if found is None:
            return None
        worst = [max(pair) for pair in zip(worst, found, strict=True)]
    return worst
