"""One connected component of groups: its cells, bounds on their values, and exact beliefs.

A cell is a set of people who share their group in all releases, so nothing tells them apart. Beliefs are those of an
adversary who takes all worlds with the same totals of the component as equally likely: that is what knowing the rates
of the values, whatever they are, leaves.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import factorial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from voile.kernels import lazy_module
from voile.releases.joint.closure import JointGroup, NoWorldError

if TYPE_CHECKING:
    from scipy import sparse
else:
    sparse = lazy_module("scipy.sparse")

ROUNDS = 50  # of tightening bounds
DENSE = 500  # cells of a component up to which equations are solved by dense matrices


class WorldCounts(NamedTuple):
    """For each possible total: the weight of each cell and value (how often the value occurs there, summed over worlds)
    and the number of worlds; and the transitions that counting them took."""

    weights: list[list[np.ndarray]]
    worlds: list[int]
    used: int


@dataclass(frozen=True, eq=False)
class Component:
    """Groups that share people."""

    groups: Sequence[JointGroup]

    def __repr__(self) -> str:
        return f"Component({len(self.groups)} groups, {len(self.cells)} cells)"

    @cached_property
    def values(self) -> list[int]:
        """The values that some group has, rising."""
        return sorted({value for group in self.groups for value in group.values})

    @cached_property
    def multisets(self) -> np.ndarray:
        """How often each value occurs in each group."""
        return np.array(
            [[group.values.get(value, 0) for value in self.values] for group in self.groups], dtype=np.int64
        )

    @cached_property
    def cells(self) -> list[tuple[tuple[int, ...], list[int]]]:
        """The cells: their groups, and their people."""
        groups_of: dict[int, list[int]] = defaultdict(list)
        for number, group in enumerate(self.groups):
            for person in group.people:
                groups_of[person].append(number)
        people_of: dict[tuple[int, ...], list[int]] = defaultdict(list)
        for person, numbers in groups_of.items():
            people_of[tuple(numbers)].append(person)
        return sorted((numbers, sorted(people)) for numbers, people in people_of.items())

    @cached_property
    def sizes(self) -> np.ndarray:
        """The number of people of each cell."""
        return np.array([len(people) for _, people in self.cells], dtype=np.int64)

    @cached_property
    def incidence(self) -> sparse.csr_matrix:
        """Which cell lies in which group: groups x cells."""
        pairs = [(group, cell) for cell, (groups, _) in enumerate(self.cells) for group in groups]
        row, column = np.array(pairs, dtype=np.int64).T
        shape = (len(self.groups), len(self.cells))
        return sparse.csr_matrix((np.ones(len(pairs)), (row, column)), shape=shape)

    @cached_property
    def tells_totals(self) -> bool:
        """Whether the groups tell how often each value occurs in the component: the vector of ones is a combination of
        them."""
        if len(self.groups) == 1:
            return True
        ones = np.ones(len(self.cells))
        if self.incidence.shape[1] <= DENSE:
            solution = np.linalg.lstsq(self.incidence.toarray().T, ones, rcond=None)[0]
        else:
            solution = sparse.linalg.lsqr(self.incidence.T, ones, atol=1e-12, btol=1e-12)[0]
        return bool(np.abs(self.incidence.T @ solution - 1).max() < 1e-7)

    def twin_classes(self) -> list[list[int]]:
        """Return the values (as positions in `values`) that occur equally often in every group. Exchanging two of them
        turns worlds into worlds."""
        _, number = np.unique(self.multisets, axis=1, return_inverse=True)
        number = np.asarray(number).ravel()
        return [np.flatnonzero(number == own).tolist() for own in range(int(number.max(initial=-1)) + 1)]

    def bound_counts(self) -> tuple[np.ndarray, np.ndarray]:
        """Return how often each value occurs at least and at most in each cell, in any world: Fréchet bounds, tightened
        until nothing changes."""
        pairs = self.incidence.tocsc()
        group, starts = pairs.indices, pairs.indptr[:-1]
        cell = np.repeat(np.arange(len(self.cells)), np.diff(pairs.indptr))
        shown, sizes = self.multisets[group], self.sizes[:, None]
        high = np.minimum(np.minimum.reduceat(shown, starts, axis=0), sizes)
        low = np.zeros_like(high)
        for _ in range(ROUNDS):
            before = low.copy(), high.copy()
            others_high = (self.incidence @ high)[group] - high[cell]
            others_low = (self.incidence @ low)[group] - low[cell]
            low = np.maximum(low, np.maximum.reduceat(shown - others_high, starts, axis=0).astype(np.int64))
            high = np.minimum(high, np.minimum.reduceat(shown - others_low, starts, axis=0).astype(np.int64))
            low = np.maximum(low, sizes - (high.sum(axis=1, keepdims=True) - high))
            high = np.minimum(high, sizes - (low.sum(axis=1, keepdims=True) - low))
            if (low > high).any():
                raise NoWorldError
            if np.array_equal(before[0], low) and np.array_equal(before[1], high):
                break
        return low, high

    def count_worlds(self, budget: int, *, by_total: bool = True) -> WorldCounts | None:
        """Count worlds by a transfer over cells, for each possible total of the component; None beyond the budget.
        Without `by_total` worlds of all totals are counted together."""
        transfer = _Transfer(self, by_total and not self.tells_totals, budget)
        return transfer.run()


class _Transfer:
    """The transfer: cells one after the other, in an order that closes groups early. The state is what remains of the
    multisets of the open groups, and the total so far where it matters."""

    def __init__(self, component: Component, by_total: bool, budget: int) -> None:
        self.part, self.by_total, self.budget, self.used = component, by_total, budget, 0
        self.order = _order_cells(component)
        self.last = {group: place for place, cell in enumerate(self.order) for group in component.cells[cell][0]}

    def run(self) -> WorldCounts | None:
        width = len(self.part.values)
        start = ((), (0,) * width if self.by_total else ())
        layers: list[dict] = [{start: 1}]  # type: ignore[type-arg]
        moves = []
        for place, cell in enumerate(self.order):
            layer, own_moves = self._step(place, cell, layers[-1])
            if self.used > self.budget:
                return None
            layers.append(layer)
            moves.append(own_moves)
        if not layers[-1]:
            raise NoWorldError
        sums, totals = [], []
        for end, weight in layers[-1].items():
            own, back = [np.zeros(0)] * len(self.order), {end: 1}
            for place in range(len(self.order) - 1, -1, -1):
                before: dict = defaultdict(int)  # type: ignore[type-arg]
                counted = [0] * width
                for state, after, taken, ways in moves[place]:
                    rest = back.get(after)
                    if rest:
                        before[state] += ways * rest
                        weighed = layers[place][state] * ways * rest
                        for number, take in enumerate(taken):
                            counted[number] += weighed * take
                own[self.order[place]] = np.array(counted, dtype=object)
                back = before
            sums.append(own)
            totals.append(weight)
        return WorldCounts(sums, totals, self.used)

    def _step(self, place: int, cell: int, layer: dict) -> tuple[dict, list]:  # type: ignore[type-arg]
        groups, people = self.part.cells[cell]
        closing = [group for group in groups if self.last[group] == place]
        after: dict = defaultdict(int)  # type: ignore[type-arg]
        moves: list = []  # type: ignore[type-arg]
        size, arrangements = len(people), factorial(len(people))
        for state, weight in layer.items():
            remaining = dict(state[0])
            for group in groups:
                if group not in remaining:
                    remaining[group] = tuple(self.part.multisets[group].tolist())
            caps = [min(own) for own in zip(*(remaining[group] for group in groups), strict=True)]
            options = [remaining[closing[0]]] if closing else _split(size, caps)
            for taken in options:
                self.used += 1
                if self.used > self.budget:
                    return {}, []
                if sum(taken) != size or any(take > cap for take, cap in zip(taken, caps, strict=True)):
                    continue
                left = {
                    group: tuple(a - b for a, b in zip(own, taken, strict=True)) if group in groups else own
                    for group, own in remaining.items()
                }
                if any(any(left.pop(group)) for group in closing):
                    continue
                ways = arrangements
                for take in taken:
                    ways //= factorial(take)
                total = tuple(a + b for a, b in zip(state[1], taken, strict=True)) if self.by_total else ()
                key = (tuple(sorted(left.items())), total)
                after[key] += weight * ways
                moves.append((state, key, taken, ways))
        return after, moves


def _order_cells(component: Component) -> list[int]:
    """Return an order of the cells in which few groups are open at a time."""
    waiting, opened = set(range(len(component.cells))), set[int]()
    unfinished: dict[int, int] = defaultdict(int)
    for groups, _ in component.cells:
        for group in groups:
            unfinished[group] += 1
    order = []
    reachable: set[int] = set()
    cells_of = defaultdict(list)
    for cell, (groups, _) in enumerate(component.cells):
        for group in groups:
            cells_of[group].append(cell)
    while waiting:
        candidates = reachable or waiting

        def cost(cell: int) -> tuple[int, int, int]:
            groups = component.cells[cell][0]
            return (sum(g not in opened for g in groups), -sum(unfinished[g] == 1 for g in groups), cell)

        chosen = min(candidates, key=cost)
        order.append(chosen)
        waiting.discard(chosen)
        reachable.discard(chosen)
        for group in component.cells[chosen][0]:
            unfinished[group] -= 1
            if group not in opened:
                opened.add(group)
                reachable.update(cell for cell in cells_of[group] if cell in waiting)
    return order


def _split(size: int, caps: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Yield all ways to take `size` things of several kinds, of each at most so many."""
    if not caps:
        if size == 0:
            yield ()
        return
    others = sum(caps[1:])
    for take in range(max(size - others, 0), min(size, caps[0]) + 1):
        for rest in _split(size - take, caps[1:]):
            yield (take, *rest)
