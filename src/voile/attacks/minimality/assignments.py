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


def list_tables(published: Sequence[PublishedGroup]) -> Iterator[tuple[int, Table]]:
    """Every table that the groups may have come from, with the number of assignments that lead to it. A table may come
    more than once."""
    if not published:
        yield 1, {}
        return
    first, rest = published[0], published[1:]
    for weight, parts in list_fillings(list(first.inside.values()), Counter(first.values)):
        here = dict(zip(first.inside, parts, strict=True))
        for more, table in list_tables(rest):
            merged = dict(table)
            for kind, values in here.items():
                merged[kind] = tuple(sorted((*merged.get(kind, ()), *values), key=repr))
            yield weight * more, merged


def list_fillings(sizes: Sequence[int], values: Counter[Any]) -> Iterator[tuple[int, list[tuple[Any, ...]]]]:
    """Every way to split a multiset of values into parts of these sizes, with the number of assignments it stands for.

    >>> [(weight, parts) for weight, parts in list_fillings([1, 2], Counter("aab"))]
    [(2, [('a',), ('a', 'b')]), (1, [('b',), ('a', 'a')])]
    """
    if not sizes:
        if not values.total():
            yield 1, []
        return
    for part in _list_subsets(sizes[0], sorted(values.items(), key=repr)):
        rest = values - Counter(dict(part))
        ways = _count_orders(Counter(dict(part)))
        listed = tuple(value for value, count in part for _ in range(count))
        for weight, others in list_fillings(sizes[1:], rest):
            yield ways * weight, [listed, *others]


def bound_fillings(group: PublishedGroup) -> int:
    """An upper bound on the fillings of a group: the orders of its values, or the multisets kind by kind."""
    counts = Counter(group.values)
    by_kind = math.prod(math.comb(size + len(counts) - 1, size) for size in group.inside.values())
    return min(_count_orders(counts), by_kind)


def list_placements(
    groups: Sequence[Any],
    people: Mapping[Kind, int],
    fitting: Mapping[Any, Sequence[Kind]],
    sizes: Mapping[Any, int],
) -> Iterator[tuple[int, dict[Any, dict[Kind, int]]]]:
    """Every way to fill the groups with people who fit them, with the number of ways to choose the people for it."""
    if not groups:
        if not any(people.values()):
            yield 1, {}
        return
    group, rest = groups[0], groups[1:]
    for subset in _list_subsets(sizes[group], [(kind, people[kind]) for kind in fitting[group]]):
        chosen = dict(subset)
        remaining = {kind: count - chosen.get(kind, 0) for kind, count in people.items()}
        ways = math.prod(math.comb(people[kind], count) for kind, count in chosen.items())
        for weight, inside in list_placements(rest, remaining, fitting, sizes):
            yield ways * weight, {group: chosen, **inside}


def _list_subsets(size: int, items: Sequence[tuple[Any, int]]) -> Iterator[list[tuple[Any, int]]]:
    """The multisets of one size that a multiset contains."""
    if not items:
        if size == 0:
            yield []
        return
    (item, count), rest = items[0], items[1:]
    for times in range(min(count, size), -1, -1):
        for more in _list_subsets(size - times, rest):
            yield [(item, times), *more] if times else more


def _count_orders(counts: Counter[Any]) -> int:
    """In how many orders a multiset can be written."""
    return math.factorial(counts.total()) // math.prod(math.factorial(count) for count in counts.values())
