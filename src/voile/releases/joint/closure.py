"""Difference closure: groups of several releases, made as small as subtracting one from another makes them.

A world gives everybody one value such that every group shows its multiset. If the people of group A are all in group B,
then B says as much as B without A does, with the difference of the multisets. Replacing B so changes no world.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import NamedTuple

People = frozenset[int]
Values = Mapping[int, int]  # how often each value occurs


class JointGroup(NamedTuple):
    """People, and the multiset of their values."""

    people: People
    values: Values


class NoWorldError(Exception):
    """No world agrees with the groups: somebody's value changed, or the groups are not of these people."""


def close_groups(groups: Iterable[JointGroup]) -> list[JointGroup]:
    """Return groups with the same worlds of which none contains another. NoWorldError where a difference is negative.
    O(pairs of overlapping groups * size)."""
    closed: dict[People, Values] = {}
    groups_of: dict[int, set[People]] = defaultdict(set)
    open_groups = [JointGroup(group.people, _without_zeros(group.values)) for group in groups if group.people]
    while open_groups:
        people, values = open_groups.pop()
        if sum(values.values()) != len(people):
            raise NoWorldError
        if people in closed:
            if closed[people] != values:
                raise NoWorldError
            continue
        outer, inner = _find_nested(people, closed, groups_of)
        for larger in outer:
            open_groups.append(_subtract(JointGroup(larger, closed.pop(larger)), JointGroup(people, values)))
            for person in larger:
                groups_of[person].discard(larger)
        if inner is not None:
            open_groups.append(_subtract(JointGroup(people, values), JointGroup(inner, closed[inner])))
            continue
        closed[people] = values
        for person in people:
            groups_of[person].add(people)
    return [JointGroup(people, values) for people, values in closed.items()]


def _find_nested(
    people: People, closed: Mapping[People, Values], groups_of: Mapping[int, set[People]]
) -> tuple[list[People], People | None]:
    """Return the closed groups that contain these people; or else one that is contained in them."""
    neighbours = {other for person in people if person in groups_of for other in groups_of[person]}
    for other in neighbours:
        if other < people:
            return [], other
    return [other for other in neighbours if people < other], None


def _subtract(larger: JointGroup, smaller: JointGroup) -> JointGroup:
    rest = {value: count - smaller.values.get(value, 0) for value, count in larger.values.items()}
    if any(count < 0 for count in rest.values()) or any(value not in rest for value in smaller.values):
        raise NoWorldError
    return JointGroup(larger.people - smaller.people, _without_zeros(rest))


def _without_zeros(values: Values) -> dict[int, int]:
    return {value: count for value, count in values.items() if count}


def find_components(groups: list[JointGroup], links: Iterable[tuple[int, int]] = ()) -> list[list[int]]:
    """Return the groups that share people, directly or through others; `links` connect two groups besides."""
    parent = list(range(len(groups)))

    def find_root(group: int) -> int:
        while parent[group] != group:
            parent[group] = parent[parent[group]]
            group = parent[group]
        return group

    owner: dict[int, int] = {}
    for number, group in enumerate(groups):
        for person in group.people:
            first = owner.setdefault(person, number)
            if first != number:
                parent[find_root(number)] = find_root(first)
    for one, other in links:
        parent[find_root(one)] = find_root(other)
    components: dict[int, list[int]] = defaultdict(list)
    for number in range(len(groups)):
        components[find_root(number)].append(number)
    return list(components.values())
