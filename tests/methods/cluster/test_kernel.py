"""The compiled steps of clustering against costs computed from the members alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from voile.methods.cluster import kernel

TREE = [np.arange(6), np.array([0, 0, 1, 1, 2, 2]), np.array([0, 0, 0, 0, 1, 1]), np.zeros(6, dtype=np.int64)]
POSITIONS = np.array([0.0, 0.1, 0.4, 0.5, 1.0])
COLUMNS: list[tuple[str, np.ndarray, object]] = [
    ("range", POSITIONS, None),
    ("set", np.arange(4), None),
    ("tree", np.arange(6), TREE),
]


def cluster_cost(members: Sequence[int], columns: Sequence[tuple[str, np.ndarray, object]], codes: np.ndarray) -> float:
    """Return the cost of one cluster. A column is a range with the position of each code, a set with the number of
    values, or a tree with the node of each code on every level."""
    total = 0.0
    for number, (kind, positions, tree) in enumerate(columns):
        own = [int(codes[member, number]) for member in members]
        if kind == "range":
            total += max(positions[code] for code in own) - min(positions[code] for code in own)
        elif kind == "set":
            total += (len(set(own)) - 1) / max(len(positions) - 1, 1)
        else:
            assert isinstance(tree, list)
            level = next(level for level in tree if len({level[code] for code in own}) == 1)
            below = sum(node == level[own[0]] for node in level)
            total += (below - 1) / max(len(positions) - 1, 1)
    return total


def make_people(seed: int, people: int, clusters: int) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    codes = np.column_stack([rng.integers(0, size, people) for size in (5, 4, 6)])
    frame = kernel.Frame(
        np.array([kernel.RANGE, kernel.SET, kernel.TREE]),
        np.array([1.0, 1 / 3, 1 / 5]),
        np.array([0, 0, 0]),
        np.array([5, 4, 6]),
        np.concatenate(TREE),
        np.concatenate([np.bincount(level)[level] for level in TREE]),
        4,
    )
    points = np.column_stack([POSITIONS[codes[:, 0]], np.zeros(people), np.zeros(people)])
    return frame, kernel.gather_people(frame, points, codes, clusters)


def check_costs(people: Any) -> None:
    for cluster, size in enumerate(people.size):
        members = np.flatnonzero(people.cluster == cluster).tolist()
        assert len(members) == size
        if members:
            assert people.cost[cluster] == pytest.approx(cluster_cost(members, COLUMNS, people.codes))


@pytest.mark.parametrize("seed", range(20))
def test_costs_follow_the_members(seed: int) -> None:
    frame, people = make_people(seed, 30, 6)
    clusters = kernel.grow_all(frame, people, 5)
    kernel.place_free(frame, people, clusters)
    check_costs(people)
    search = kernel.start_search(30, 3)
    before = float((people.cost * people.size).sum())
    for _ in range(100):
        arguments = (frame, people, search, clusters, 5, 5, np.zeros(30, dtype=np.int64))
        groups, members = kernel.next_change(*arguments, False)
        if not groups.size:
            break
        kernel.make_change(frame, people, search)
        check_costs(people)
        for group in range(groups.max() + 1):
            changed = set(members[groups == group].tolist())
            cluster = people.cluster[next(iter(changed))]
            assert changed == set(np.flatnonzero(people.cluster == cluster).tolist())
    assert (people.cluster >= 0).all()
    assert (people.size[people.size > 0] >= 5).all()
    assert float((people.cost * people.size).sum()) <= before + 1e-9


@pytest.mark.parametrize("seed", range(20))
def test_what_one_person_changes(seed: int) -> None:
    frame, people = make_people(seed, 12, 3)
    kernel.place_free(frame, people, kernel.grow_all(frame, people, 4))
    rng = np.random.default_rng(seed)
    low, high, level = np.zeros(3), np.zeros(3), np.zeros(3, dtype=np.int64)
    from voile.methods.cluster.kernel import clusters as steps

    for person in rng.permutation(12)[:6].tolist():
        home = people.cluster[person]
        others = [member for member in np.flatnonzero(people.cluster == home).tolist() if member != person]
        stranger = next(member for member in range(12) if people.cluster[member] != home)
        rest = steps.cost_without(frame, people, home, person, low, high, level)
        assert rest == pytest.approx(cluster_cost(others, COLUMNS, people.codes))
        exchanged = steps.cost_exchanged(frame, people, home, person, stranger, low, high, level)
        assert exchanged == pytest.approx(cluster_cost([*others, stranger], COLUMNS, people.codes))
        joined = steps.cost_with(frame, people, home, stranger, np.inf)
        assert joined == pytest.approx(cluster_cost([*others, person, stranger], COLUMNS, people.codes))


def test_members_can_be_freed_and_merged() -> None:
    frame, people = make_people(1, 15, 4)
    clusters = kernel.grow_all(frame, people, 5)
    search = kernel.start_search(15, 3)
    kernel.free_members(frame, people, search, 0)
    assert sorted(people.free[: people.free_count[0]].tolist()) == np.flatnonzero(people.cluster < 0).tolist()
    target = kernel.merge_cheapest(frame, people, search, clusters, 1)
    assert target >= 0
    assert people.size[1] == 0
    check_costs(people)


@pytest.mark.parametrize("seed", range(10))
def test_no_move_gains_in_the_end(seed: int) -> None:
    """People look again only at clusters that changed since, so nothing may be overlooked for good."""
    frame, people = make_people(seed, 40, 15)
    clusters = kernel.grow_all(frame, people, 3)
    kernel.place_free(frame, people, clusters)
    search = kernel.start_search(40, 3)
    kernel.improve_by_size(frame, people, search, clusters, 3, 1000, np.zeros(40, dtype=np.int64))
    members = [np.flatnonzero(people.cluster == cluster).tolist() for cluster in range(clusters)]

    def total(groups: Sequence[Sequence[int]]) -> float:
        return sum(len(group) * cluster_cost(group, COLUMNS, people.codes) for group in groups if group)

    for home in members:
        for person in home if len(home) > 3 else []:
            rest = [member for member in home if member != person]
            for other in members:
                if other and other is not home:
                    assert total([rest, [*other, person]]) >= total([home, other]) - 1e-8
