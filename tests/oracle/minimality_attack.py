"""The minimality attack, by going through every order of the values."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any

Shown = tuple[Sequence[Any], Sequence[Any]]  # the kind of each person of a group, and its values


def orders(groups: Sequence[Shown]) -> Iterable[list[tuple[Any, Any]]]:
    """Every way to hand out the values, person by person: (kind, value) of everybody."""
    for dealt in itertools.product(*(itertools.permutations(values) for _, values in groups)):
        yield [
            pair for (kinds, _), values in zip(groups, dealt, strict=True) for pair in zip(kinds, values, strict=True)
        ]


def minimality(
    groups: Sequence[Shown], could_show: Callable[[Mapping[Any, Sequence[Any]]], bool]
) -> dict[tuple[Any, Any], Fraction] | None:
    """Belief by (kind, value): the share among all orders of the values that could not have been shown as they are."""
    hits: Counter[tuple[Any, Any]] = Counter()
    kept = 0
    for people in orders(groups):
        table: dict[Any, list[Any]] = {}
        for kind, value in people:
            table.setdefault(kind, []).append(value)
        if could_show(table):
            continue
        kept += 1
        hits.update(people)
    many = Counter(kind for kinds, _ in groups for kind in kinds)
    every = {value for _, values in groups for value in values}
    if not kept:
        return None
    return {(kind, value): Fraction(hits[kind, value], kept * many[kind]) for kind in many for value in every}
