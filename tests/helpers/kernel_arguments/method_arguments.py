"""Arguments of the kernels of methods, from random numbers and a size."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from voile.methods.cluster import kernel as cluster
from voile.methods.injector.kernel import groups, matchings, rules

Rng = np.random.Generator
Arguments = tuple[Any, ...]
VALUES = 5


def draw_people(rng: Rng, n: int) -> tuple[Any, Any, int]:
    """Return a range, a set and a tree, people half of whom are in clusters, and the number of clusters."""
    people, levels = n + 6, [np.arange(8), np.arange(8) // 2, np.zeros(8, np.int64)]
    leaves = np.concatenate([np.bincount(level)[level] for level in levels])
    kinds = np.array([cluster.RANGE, cluster.SET, cluster.TREE])
    sizes, offset = np.array([9, VALUES, 8]), np.zeros(3, np.int64)
    frame = cluster.Frame(kinds, 1 / sizes, offset, sizes, np.concatenate(levels), leaves, VALUES)
    codes = rng.integers(0, sizes, (people, 3))
    state = cluster.gather_people(frame, codes / sizes, codes, people // 3 + 2)
    clusters = people // 6
    for number in range(clusters):
        cluster.start_cluster.interpret(frame, state, number)
        cluster.grow_cluster.interpret(frame, state, number, 3)
    return frame, state, clusters


def draw_unclustered(rng: Rng, n: int) -> Arguments:
    frame, people, _ = draw_people(rng, n)
    return frame, cluster.gather_people(frame, people.points, people.codes, len(people.codes) // 3 + 2), 3


def draw_started(rng: Rng, n: int) -> Arguments:
    frame, people, clusters = draw_people(rng, n)
    cluster.start_cluster.interpret(frame, people, clusters)
    return frame, people, clusters, 3


def draw_values(rng: Rng, n: int) -> Arguments:
    frame, people, clusters = draw_people(rng, n)
    value = rng.integers(0, VALUES, len(people.codes))
    return frame, people, clusters - 1, value, np.zeros(VALUES, np.int64), np.zeros(VALUES)


def draw_free(rng: Rng, n: int) -> Arguments:
    _, people, clusters = draw_people(rng, n)
    return people, clusters - 1, np.arange(min(people.free_count[0], 3))


def draw_search(rng: Rng, n: int) -> Arguments:
    frame, people, clusters = draw_people(rng, n)
    return frame, people, cluster.start_search(*people.codes.shape), clusters


def draw_members(rng: Rng, n: int) -> Arguments:
    *state, clusters = draw_search(rng, n)
    return *state, clusters - 1


def draw_everybody(rng: Rng, n: int) -> Arguments:
    frame, people, search, clusters = draw_search(rng, n)
    cluster.place_free.interpret(frame, people, clusters)
    return frame, people, search, clusters, 3, 2, rng.integers(0, 2, len(people.codes))


def draw_change(rng: Rng, n: int) -> Arguments:
    """Return a search before its first change, or with one that was proposed and accepted."""
    arguments = draw_everybody(rng, n)
    is_proposed = n % 2 and cluster.next_change.interpret(*arguments, False)[0].size > 0
    return *arguments, bool(is_proposed)


def draw_piles(rng: Rng, n: int) -> tuple[np.ndarray, ...]:
    """Return the home, value and people of piles, and which values are allowed at each home."""
    allowed = rng.random((4, VALUES)) < 0.8
    home, value = np.tile(np.arange(4), VALUES), np.repeat(np.arange(VALUES), 4)
    return home, value, rng.integers(0, n // 9 + 2, home.size) * allowed[home, value], allowed


def draw_gathering(rng: Rng, n: int) -> Arguments:
    home, value, left, allowed = draw_piles(rng, n)
    bits = (allowed[home] << np.arange(VALUES)).sum(axis=1).astype(np.uint64).reshape(-1, 1)
    order = np.argsort(-np.bincount(value, left, VALUES), kind="stable")
    starts = np.arange(0, home.size + 1, 4)
    return home, value, left, starts, rng.permutation(home.size), order, allowed, bits, 3, 5


def draw_joining(rng: Rng, n: int) -> Arguments:
    home, value, left, starts, seeds, order, allowed, bits, l, max_size = draw_gathering(rng, n)  # noqa: E741
    gathering = home, value, left, starts, seeds, order, allowed, bits, l, max_size
    members, sizes = groups.gather_groups.interpret(*gathering)
    members, sizes = np.append(members, [[0, 4, 8, -1, -1]], axis=0), np.append(sizes, 3)
    left = left + rng.integers(0, 3, left.size)
    return home, value, left, seeds, allowed, 2, members, sizes, rng.integers(0, 1 << 62, left.size, np.uint64)


def draw_groups(rng: Rng, n: int) -> Arguments:
    _, _, _, allowed = draw_piles(rng, n)
    values = np.concatenate([rng.permutation(VALUES)[:4] for _ in range(n)])
    return np.arange(0, 4 * n + 1, 4), rng.integers(0, 4, 4 * n), values, allowed


def draw_rules(rng: Rng, n: int) -> Arguments:
    items, values, weights, needed = (
        rng.integers(0, 4, n),
        rng.integers(0, 70, n),
        rng.integers(1, 3, n),
        rng.integers(1, n, 70),
    )
    people_with, order = np.bincount(items, weights, 4).astype(np.int64), np.argsort(items, kind="stable")
    ranks, bits = np.argsort(needed, kind="stable"), np.zeros((4, 2), np.uint64)
    return order, items, values, weights, people_with, np.array([0, 1, 0, 2]), needed, ranks, bits


METHOD_MAKERS: dict[Any, Callable[[Rng, int], Arguments]] = {
    cluster.start_cluster: draw_people,
    cluster.take_free: lambda rng, n: (*draw_people(rng, n), 0),
    cluster.grow_cluster: draw_started,
    cluster.grow_all: draw_unclustered,
    cluster.place_free: draw_people,
    cluster.nearest_by_value: draw_values,
    cluster.list_extended: draw_free,
    cluster.propose_places: draw_search,
    cluster.free_members: draw_members,
    cluster.next_change: draw_change,
    cluster.improve_by_size: draw_everybody,
    groups.gather_groups: draw_gathering,
    groups.join_groups: draw_joining,
    matchings.count_kept_by_group: draw_groups,
    rules._mark_excluded: draw_rules,
}
