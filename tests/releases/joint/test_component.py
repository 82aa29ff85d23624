"""Difference closure, bounds and counted worlds, against the enumeration of every world."""

from __future__ import annotations

import random
from collections import Counter
from fractions import Fraction

import pytest
from release_sequences.joint_sequences import _worlds

from voile.releases.joint.closure import JointGroup, NoWorldError, close_groups, find_components
from voile.releases.joint.component import Component


def draw_groups(rng: random.Random) -> list[JointGroup]:
    """Draw two or three partitions of some people, and show the values of each part."""
    people = list(range(rng.randint(4, 7)))
    value = {person: rng.randrange(3) for person in people}
    groups = []
    for _ in range(rng.randint(2, 3)):
        inside = [person for person in people if rng.random() < 0.85]
        home = {person: rng.randrange(2) for person in inside}
        for part in range(2):
            members = frozenset(person for person in inside if home[person] == part)
            if members:
                groups.append(JointGroup(members, Counter(value[person] for person in members)))
    return groups


def list_worlds(groups: list[JointGroup]) -> set[tuple[tuple[int, str], ...]]:
    texts = [(group.people, Counter({str(value): n for value, n in group.values.items()})) for group in groups]
    return {tuple(sorted(world.items())) for world in _worlds(texts)}


@pytest.mark.parametrize("seed", range(60))
def test_closure_changes_no_world_and_counts_and_bounds_are_true(seed: int) -> None:
    groups = draw_groups(random.Random(seed))
    closed = close_groups(groups)
    worlds = list_worlds(groups)
    assert list_worlds(closed) == worlds
    assert not any(one.people < other.people for one in closed for other in closed)
    for numbers in find_components(closed):
        part = Component([closed[number] for number in numbers])
        low, high = part.bound_counts()
        own = list_worlds(list(part.groups))
        for by_total in (False, True):
            counted = part.count_worlds(10**6, by_total=by_total)
            assert counted is not None
            assert sum(counted.worlds) == len(own)
            for place, (_, people) in enumerate(part.cells):
                for position, value in enumerate(part.values):
                    often = [sum(dict(world)[p] == str(value) for p in people) for world in own]
                    assert low[place, position] <= min(often) <= max(often) <= high[place, position]
                    assert sum(weights[place][position] for weights in counted.weights) == sum(often)
        totals = Counter(tuple(sorted(value for _, value in world)) for world in own)
        by_total_counts = part.count_worlds(10**6)
        assert by_total_counts is not None
        assert sorted(by_total_counts.worlds) == sorted(totals.values())
        assert part.tells_totals <= (len(totals) == 1)


def test_a_component_beyond_the_budget_is_not_counted() -> None:
    part = Component([JointGroup(frozenset("AB"), {0: 1, 1: 1}), JointGroup(frozenset("AC"), {0: 1, 1: 1})])  # type: ignore[arg-type]
    assert part.count_worlds(1) is None
    counted = part.count_worlds(100)
    assert counted is not None
    assert [Fraction(max(own[0]), n) for own, n in zip(counted.weights, counted.worlds, strict=True)] == [1, 1]


def test_contradictions_have_no_world() -> None:
    a, ab, bc = frozenset({1}), frozenset({1, 2}), frozenset({2, 3})
    for groups in (
        [JointGroup(ab, {0: 1, 1: 1}), JointGroup(a, {2: 1})],
        [JointGroup(ab, {0: 2}), JointGroup(ab, {1: 2})],
        [JointGroup(ab, {0: 1})],
    ):
        with pytest.raises(NoWorldError):
            close_groups(groups)
    crossing = Component([JointGroup(ab, {0: 2}), JointGroup(bc, {1: 2})])
    with pytest.raises(NoWorldError):
        crossing.bound_counts()
    with pytest.raises(NoWorldError):
        crossing.count_worlds(1000)
