"""Belief after elimination in exact fractions, for releases of a few dozen people.

An adversary who knows the people and their quasi-identifiers, and who knows that a publisher coarsens no more than the
policy demands, eliminates the tables that could have been published as they are. This module lists the tables one by
one; `elimination` counts those of large releases.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from voile.attacks.minimality.assignments import Kind, PublishedGroup, bound_fillings, list_placements, list_tables
from voile.errors import DataError

Requirement = Callable[[Mapping[Kind, Sequence[Any]]], bool]
"""Whether a table, given as the values of each kind of people, may be published as it is."""

Worlds = dict[tuple[tuple[Kind, tuple[Any, ...]], ...], int]  # tables as (kind, values) pairs, each with its weight


@dataclass(frozen=True)
class ExactPosterior:
    """Belief by (kind of people, value), and `naive`: the same if no table is eliminated.

    `belief` is None where no table explains the release. `kept` and `total` count the tables by weight: those that
    remain, and all.
    """

    belief: Mapping[tuple[Kind, Any], Fraction] | None
    naive: Mapping[tuple[Kind, Any], Fraction]
    kept: int
    total: int


def compute_credibility(
    external: Mapping[Kind, int], groups: Sequence[PublishedGroup], could_show: Requirement
) -> ExactPosterior:
    """Compute belief in every value for every kind of people, after eliminating the tables that `could_show` admits.

    Every assignment of a group's values to its people is equally likely.

    >>> groups = [PublishedGroup({"q1": 2, "q2": 2}, "YYNN"), PublishedGroup({"q2": 2}, "NN")]
    >>> diverse = lambda table: all(2 * values.count("Y") <= len(values) for values in table.values())
    >>> compute_credibility({"q1": 2, "q2": 4}, groups, diverse).belief["q1", "Y"]
    Fraction(1, 1)
    """
    _check_cover(external, groups)
    return _count_worlds(external, [(1, groups)], could_show)


def compute_overlapping(
    external: Mapping[Kind, int],
    fitting: Mapping[Any, Sequence[Kind]],
    values: Mapping[Any, Sequence[Any]],
    could_show: Requirement,
    max_worlds: int,
) -> ExactPosterior | None:
    """As `compute_credibility`, where it is only known which kinds of people fit which group: every way to place the
    people is a world too. None if there are more than `max_worlds` worlds, or none."""
    sizes = {group: len(group_values) for group, group_values in values.items()}
    placements, worlds = [], 0
    for weight, inside in list_placements(list(fitting), dict(external), fitting, sizes):
        groups = [PublishedGroup(inside[group], values[group]) for group in fitting]
        worlds += math.prod(bound_fillings(group) for group in groups)
        if worlds > max_worlds:
            return None
        placements.append((weight, groups))
    return _count_worlds(external, placements, could_show) if placements else None


def _count_worlds(
    external: Mapping[Kind, int], placements: Sequence[tuple[int, Sequence[PublishedGroup]]], could_show: Requirement
) -> ExactPosterior:
    worlds: Worlds = {}
    for ways, groups in placements:
        for weight, table in list_tables(groups):
            key = tuple(sorted(((kind, table[kind]) for kind in table), key=repr))
            worlds[key] = worlds.get(key, 0) + ways * weight
    remaining = {key: weight for key, weight in worlds.items() if not could_show(dict(key))}
    naive = _average_shares(external, worlds)
    assert naive is not None
    belief = _average_shares(external, remaining)
    return ExactPosterior(belief, naive, sum(remaining.values()), sum(worlds.values()))


def _average_shares(external: Mapping[Kind, int], worlds: Worlds) -> dict[tuple[Kind, Any], Fraction] | None:
    """Return the share of each value among each kind of people, on average over the worlds; None if there are none."""
    total = sum(worlds.values())
    if not total:
        return None
    sums: Counter[tuple[Kind, Any]] = Counter()
    all_values = {value for key in worlds for _, values in key for value in values}
    for key, weight in worlds.items():
        for kind, values in key:
            for value, count in Counter(values).items():
                sums[kind, value] += weight * count
    return {
        (kind, value): Fraction(sums[kind, value], total * people)
        for kind, people in external.items()
        if people
        for value in all_values
    }


def _check_cover(external: Mapping[Kind, int], groups: Sequence[PublishedGroup]) -> None:
    """Check that the people in the groups are those of the external table."""
    inside: Counter[Kind] = Counter()
    for group in groups:
        inside.update(dict(group.inside))
        if sum(group.inside.values()) != len(group.values):
            raise DataError(
                f"A group shows {len(group.values)} values for {sum(group.inside.values())} people.",
                code="data.external-cover",
                hint="Every person in a group has exactly one of its values.",
            )
    wrong = sum(inside[kind] != external.get(kind, 0) for kind in {*inside, *external})
    if wrong:
        raise DataError(
            f"The external table and the release disagree on the number of people of {wrong} kinds.",
            code="data.external-cover",
            hint="The external table must list everybody who is in the release.",
        )
