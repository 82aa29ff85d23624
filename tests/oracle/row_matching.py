"""The beliefs that a decomposed release allows, by going through all assignments of rows."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any


def matching_chances(
    allowed: Sequence[Sequence[bool]], slots: Sequence[int], rows: Sequence[int]
) -> list[list[Fraction]] | None:
    """The chance that a slot of each class holds a row of each type, by going through all assignments of types to
    slots; None where there is no perfect matching. An assignment stands for as many matchings as any other."""
    owner = [c for c, number in enumerate(slots) for _ in range(number)]
    held = [t for t, number in enumerate(rows) for _ in range(number)]
    worlds = {
        world
        for world in set(itertools.permutations(held))
        if all(allowed[c][t] for c, t in zip(owner, world, strict=True))
    }
    if not worlds:
        return None
    seen = [[0] * len(rows) for _ in slots]
    for world in worlds:
        for c, t in zip(owner, world, strict=True):
            seen[c][t] += 1
    return [[Fraction(number, len(worlds) * slots[c]) for number in line] for c, line in enumerate(seen)]


def after_exclusion(pairs: Mapping[tuple[int, int], Fraction], number: int) -> Fraction:
    """The largest share of any second value once up to `number` first values are struck, over all sets of them."""
    firsts, best = sorted({a for a, _ in pairs}), Fraction(0)
    for size in range(min(number, len(firsts) - 1) + 1):
        for struck in itertools.combinations(firsts, size):
            left = {pair: weight for pair, weight in pairs.items() if pair[0] not in struck}
            for z in {b for _, b in left}:
                top = sum((weight for (_, b), weight in left.items() if b == z), Fraction(0))
                best = max(best, top / sum(left.values(), Fraction(0)))
    return best


def decomposed_belief(release: Any) -> dict[str, dict[int, dict[Any, Fraction]]]:
    """For each column and group the belief in each value, from the published tables alone: all ways to give the joint
    rows of every primary value to its slots, one by one."""
    primary, *others = [name.removeprefix("sensitive_") for name in release.tables if name.startswith("sensitive_")]
    listed: dict[str, dict[int, list[Any]]] = {}
    for name in (primary, *others):
        for group, value in release.tables[f"sensitive_{name}"].iter_rows():
            listed.setdefault(name, {}).setdefault(group, []).append(value)
    found: dict[str, dict[int, dict[Any, Fraction]]] = {name: {} for name in (primary, *others)}
    sizes = Counter(release.tables["quasi"]["group"].to_list())
    for group, values in listed[primary].items():
        assert len(values) == sizes[group]
        found[primary][group] = {value: Fraction(values.count(value), len(values)) for value in values}
    if "joint" not in release.tables:
        for name in others:
            for group, values in listed[name].items():
                found[name][group] = {value: Fraction(1, len(values)) for value in values}
        return found
    rows = list(release.tables["joint"].select(primary, *others).iter_rows())
    for one in sorted({row[0] for row in rows}, key=str):
        mine = [row[1:] for row in rows if row[0] == one]
        slots = [group for group, values in listed[primary].items() for value in values if value == one]
        assert len(mine) == len(slots)
        worlds = [
            world
            for world in set(itertools.permutations(mine))
            if all(
                value in listed[name][group]
                for group, row in zip(slots, world, strict=True)
                for name, value in zip(others, row, strict=True)
            )
        ]
        assert worlds, "the tables do not belong together"
        for world in worlds:
            for group, row in zip(slots, world, strict=True):
                for name, value in zip(others, row, strict=True):
                    inside = found[name].setdefault(group, {})
                    inside[value] = inside.get(value, Fraction(0)) + Fraction(1, len(worlds) * sizes[group])
    return found
