"""Every way to assign a group's values to its people, and people to the groups that they fit, in whole numbers."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

Kind = Any  # whatever names the people with one quasi-identifier
Table = dict[Kind, tuple[Any, ...]]


@dataclass(frozen=True)
class PublishedGroup:
    """One published group: how many people of each kind are in it, and the values it shows."""

    inside: Mapping[Kind, int]
    values: Sequence[Any]


def list_tables(groups: Sequence[PublishedGroup]) -> Iterator[tuple[int, Table]]:
    """Yield every table that the groups may have come from, with the number of assignments that lead to it. A table may
    be yielded more than once."""
    if not groups:
        yield 1, {}
        return
    first, other_groups = groups[0], groups[1:]
    for weight, parts in list_fillings(list(first.inside.values()), Counter(first.values)):
        filling = dict(zip(first.inside, parts, strict=True))
        for more, table in list_tables(other_groups):
            combined = dict(table)
            for kind, values in filling.items():
                combined[kind] = tuple(sorted((*combined.get(kind, ()), *values), key=repr))
            yield weight * more, combined


def list_fillings(sizes: Sequence[int], values: Counter[Any]) -> Iterator[tuple[int, list[tuple[Any, ...]]]]:
    """Yield every way to split a multiset of values into parts of these sizes, and how many assignments it stands for.

    >>> [(weight, parts) for weight, parts in list_fillings([1, 2], Counter("aab"))]
    [(2, [('a',), ('a', 'b')]), (1, [('b',), ('a', 'a')])]
    """
    if not sizes:
        if not values.total():
            yield 1, []
        return
    for part in _list_subsets(sizes[0], sorted(values.items(), key=repr)):
        remaining = values - Counter(dict(part))
        ways = count_orders(Counter(dict(part)))
        part_values = tuple(value for value, count in part for _ in range(count))
        for weight, other_parts in list_fillings(sizes[1:], remaining):
            yield ways * weight, [part_values, *other_parts]


def bound_fillings(group: PublishedGroup) -> int:
    """Return an upper bound on the fillings of a group: the orders of its values, or the multisets kind by kind."""
    counts = Counter(group.values)
    by_kind = math.prod(math.comb(size + len(counts) - 1, size) for size in group.inside.values())
    return min(count_orders(counts), by_kind)


def list_placements(
    groups: Sequence[Any],
    people: Mapping[Kind, int],
    fitting: Mapping[Any, Sequence[Kind]],
    sizes: Mapping[Any, int],
) -> Iterator[tuple[int, dict[Any, dict[Kind, int]]]]:
    """Yield every way to fill the groups with people who fit them, with the number of ways to choose those people."""
    if not groups:
        if not any(people.values()):
            yield 1, {}
        return
    group, other_groups = groups[0], groups[1:]
    for subset in _list_subsets(sizes[group], [(kind, people[kind]) for kind in fitting[group]]):
        members = dict(subset)
        remaining = {kind: count - members.get(kind, 0) for kind, count in people.items()}
        ways = math.prod(math.comb(people[kind], count) for kind, count in members.items())
        for weight, inside in list_placements(other_groups, remaining, fitting, sizes):
            yield ways * weight, {group: members, **inside}


def _list_subsets(size: int, items: Sequence[tuple[Any, int]]) -> Iterator[list[tuple[Any, int]]]:
    """Yield the multisets of one size that a multiset contains."""
    if not items:
        if size == 0:
            yield []
        return
    (item, count), other_items = items[0], items[1:]
    for times in range(min(count, size), -1, -1):
        for more in _list_subsets(size - times, other_items):
            yield [(item, times), *more] if times else more


def count_orders(counts: Counter[Any]) -> int:
    """Return the number of orders in which a multiset can be written."""
    return math.factorial(counts.total()) // math.prod(math.factorial(count) for count in counts.values())
