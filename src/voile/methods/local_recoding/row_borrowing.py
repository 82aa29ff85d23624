"""Generalize failing groups row by row: rows move up the hierarchies together with rows that other groups can spare.

Everybody starts in a group of exactly equal quasi-identifiers. Of a group that fails the policy, rows move up one level
of one column, together with rows of other groups below the new box, until all these groups pass. A group that gives
rows must pass with what it keeps, or give everything. Ties are broken by the order of the codes, so the same table
always gives the same groups.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from voile.methods.local_recoding.group_judge import GroupJudge
from voile.tables.schema import Column


@dataclass(frozen=True, eq=False)
class Loan:
    """Rows that groups give to a box: `counts[i]` rows of type `types[i]` of group `groups[i]`, and what that costs."""

    levels: np.ndarray
    groups: np.ndarray
    types: np.ndarray
    counts: np.ndarray
    cost: float


class RowBorrowing:
    """The groups of a table while they are formed.

    `cells[i]` is the quasi-identifier of cell i, and `people[i, t]` how many of its people have type t. Group g has box
    `levels[g]` above the codes `corner[g]`, and `members[g]` are its rows by cell and type.
    """

    def __init__(self, quasi: Sequence[Column], cells: np.ndarray, people: np.ndarray, judge: GroupJudge) -> None:
        self.judge, self.cells, self.people = judge, cells.astype(np.int64), people
        self.maps = [column.hierarchy.maps for column in quasi if column.hierarchy is not None]
        self.heights = np.array([len(maps) - 1 for maps in self.maps])
        self.shares, self.total = np.maximum(people.sum(axis=0), 1), int(people.sum())
        number = len(cells)
        self.levels = np.zeros((number, len(self.maps)), dtype=np.int64)
        self.corner, self.counts, self.sizes = self.cells.copy(), people.copy(), people.sum(axis=1)
        self.members: list[dict[int, np.ndarray]] = [{cell: people[cell].copy()} for cell in range(number)]
        self.passes = judge.holds(people, people > 0)

    def form_groups(self) -> list[dict[int, np.ndarray]]:
        """Return the groups: by cell, how many people of each type are in it. A group that fails at the top of all
        hierarchies stays as it is: then no release of this kind passes."""
        while True:
            failing = np.flatnonzero(~self.passes & (self.sizes > 0) & (self.sizes < self.total))
            if not len(failing):
                return [members for members, size in zip(self.members, self.sizes, strict=True) if size]
            order = np.lexsort((failing, self._cost(self.levels[failing])))
            self._raise_group(int(failing[order[0]]))

    def _cost(self, levels: np.ndarray) -> np.ndarray:
        return np.asarray((levels / np.maximum(self.heights, 1)).sum(axis=-1))

    def _raise_group(self, group: int) -> None:
        """Let the box of a failing group, or a box one level above it, take the rows that make all groups pass, where
        that costs least; if none can, move the whole group up."""
        boxes = [self.levels[group].copy()]
        for column in range(len(self.heights)):
            if self.levels[group, column] < self.heights[column]:
                boxes.append(self.levels[group] + (np.arange(len(self.heights)) == column))
        loans = [loan for levels in boxes if (loan := self._find_loan(group, levels)) is not None]
        if loans:
            self._grant(group, min(loans, key=lambda loan: loan.cost))
            return
        levels = min(boxes[1:], key=lambda levels: float(self._cost(levels))) if len(boxes) > 1 else boxes[0]
        everything = np.array([group]) if len(boxes) > 1 else np.flatnonzero(self.sizes > 0)
        owner, kind = np.nonzero(self.counts[everything])
        self._grant(group, Loan(levels, everything[owner], kind, self.counts[everything][owner, kind], 0.0))

    def _below(self, levels: np.ndarray, corner: np.ndarray) -> np.ndarray:
        """Return the groups that lie in a box."""
        inside = np.flatnonzero(self.sizes > 0)
        for column, maps in enumerate(self.maps):
            nodes = maps[levels[column]]
            below = self.levels[inside, column] <= levels[column]
            inside = inside[below & (nodes[self.corner[inside, column]] == nodes[corner[column]])]
        return inside

    def _fitting_types(self, levels: np.ndarray, corner: np.ndarray) -> np.ndarray | None:
        """Mark the types of everybody who fits a box, where the policy must know; None otherwise."""
        if not self.judge.reads_guards:
            return None
        inside = np.ones(len(self.cells), dtype=bool)
        for column, maps in enumerate(self.maps):
            nodes = maps[levels[column]]
            inside &= nodes[self.cells[:, column]] == nodes[corner[column]]
        return np.asarray((self.people[inside] > 0).any(axis=0))

    def _find_loan(self, group: int, levels: np.ndarray) -> Loan | None:
        """Return the rows that a box must take, from a failing group and others below it, so that all of them pass;
        None if all rows there are not enough."""
        corner = self.corner[group]
        below = self._below(levels, corner)
        is_at_box = (self.levels[below] == levels).all(axis=1)
        donors, at_box = below[~is_at_box], below[is_at_box]
        if not (below != group).any():
            return None
        start, stock = self.counts[at_box].sum(axis=0), self.counts[donors]
        fitting = self._fitting_types(levels, corner)
        if self.judge.policy.monotone and not self._passes(start + stock.sum(axis=0), fitting):
            return None
        ledger = _Ledger(self, group, donors, start, fitting, self._cost(levels) - self._cost(self.levels[donors]))
        if not ledger.borrow():
            return None
        ledger.give_back()
        owner, kind = np.nonzero(ledger.taken)
        amounts = ledger.taken[owner, kind]
        return Loan(levels, donors[owner], kind, amounts, float((ledger.distance[owner] * amounts).sum()))

    def _passes(self, counts: np.ndarray, fitting: np.ndarray | None) -> bool:
        return bool(self.judge.holds(counts[None, :], None if fitting is None else fitting[None, :])[0])

    def _grant(self, group: int, loan: Loan) -> None:
        """Move rows into a box, with the rows that are there; groups of the same box become one."""
        corner, members = self.corner[group].copy(), dict[int, np.ndarray]()
        at_box = self._below(loan.levels, corner)
        at_box = at_box[(self.levels[at_box] == loan.levels).all(axis=1)]
        for donor, kind, amount in zip(loan.groups.tolist(), loan.types.tolist(), loan.counts.tolist(), strict=True):
            _add_members(members, self._take_rows(donor, kind, amount))
        for other in at_box.tolist():
            _add_members(members, self.members[other])
            self.members[other], self.counts[other] = {}, 0
        changed = {group, *loan.groups.tolist(), *at_box.tolist()}
        self.sizes[list(changed)] = self.counts[list(changed)].sum(axis=1)
        slot = self._find_slot()
        self.members[slot], self.levels[slot], self.corner[slot] = members, loan.levels, corner
        self.counts[slot] = np.sum(list(members.values()), axis=0)
        self.sizes[slot] = self.counts[slot].sum()
        for number in {*changed, slot}:
            fitting = self._fitting_types(self.levels[number], self.corner[number])
            self.passes[number] = self._passes(self.counts[number], fitting)

    def _find_slot(self) -> int:
        """Return a group that nobody is in, a new one if there is none."""
        empty = np.flatnonzero(self.sizes == 0)
        if not len(empty):
            empty = np.array([len(self.sizes)])
            self.levels, self.corner, self.counts = (
                np.concatenate([table, np.zeros_like(table)]) for table in (self.levels, self.corner, self.counts)
            )
            self.sizes = np.concatenate([self.sizes, np.zeros_like(self.sizes)])
            self.passes = np.concatenate([self.passes, np.ones_like(self.passes)])
            self.members += [{} for _ in self.members]
        return int(empty[0])

    def _take_rows(self, group: int, kind: int, amount: int) -> dict[int, np.ndarray]:
        """Take rows of a type out of a group, cell after cell."""
        taken: dict[int, np.ndarray] = {}
        for cell in sorted(self.members[group]):
            given = min(amount, int(self.members[group][cell][kind]))
            if given:
                taken[cell] = np.where(np.arange(self.people.shape[1]) == kind, given, 0)
                self.members[group][cell][kind] -= given
                self.counts[group, kind] -= given
                amount -= given
        return taken

    def all_pass(self) -> bool:
        """Whether all groups pass as they are shown: in the smallest box of nodes that has all their people. Groups
        that show the same box become one."""
        shown: dict[tuple[int, ...], np.ndarray] = {}
        fitting: dict[tuple[int, ...], np.ndarray | None] = {}
        for members, counts in zip(self.members, self.counts, strict=True):
            if counts.any():
                codes = self.cells[[cell for cell, types in members.items() if types.any()]]
                levels = self._smallest_box(codes)
                nodes = [maps[level][code] for maps, level, code in zip(self.maps, levels, codes[0], strict=True)]
                box = (*levels.tolist(), *map(int, nodes))
                shown[box] = shown[box] + counts if box in shown else counts
                fitting[box] = self._fitting_types(levels, codes[0])
        return all(self._passes(counts, fitting[box]) for box, counts in shown.items())

    def _smallest_box(self, codes: np.ndarray) -> np.ndarray:
        """Return the lowest levels at which some quasi-identifiers are alike."""
        levels = np.zeros(len(self.maps), dtype=np.int64)
        for column, maps in enumerate(self.maps):
            while len(np.unique(maps[levels[column]][codes[:, column]])) > 1:
                levels[column] += 1
        return levels


class _Ledger:
    """What the groups below a box give to it, one row after the other."""

    def __init__(
        self,
        search: RowBorrowing,
        group: int,
        donors: np.ndarray,
        start: np.ndarray,
        fitting: np.ndarray | None,
        distance: np.ndarray,
    ) -> None:
        self.search, self.total, self.stock, self.fitting = search, start.copy(), search.counts[donors], fitting
        self.taken, self.distance, self.must_pass = np.zeros_like(self.stock), distance, donors == group
        self.wishes: np.ndarray | None = None
        if fitting is not None:
            boxes = [search._fitting_types(search.levels[donor], search.corner[donor]) for donor in donors]
            self.wishes = np.array(boxes, dtype=bool).reshape(self.stock.shape)
        self.healthy = search.judge.holds(self.stock, self.wishes)  # whether a donor passes with what it has
        self.spares = np.zeros(self.stock.shape, dtype=bool)  # whether it passes without one row of a type
        self._refresh(np.arange(len(donors)))

    def _refresh(self, donors: np.ndarray) -> None:
        """Judge donors again, and whether they can spare a row of each type."""
        owner, kind = np.nonzero(self.stock[donors])
        without = self.stock[donors][owner]
        without[np.arange(len(owner)), kind] -= 1
        wishes = None if self.wishes is None else self.wishes[donors][owner]
        self.spares[donors] = False
        self.spares[donors[owner], kind] = self.search.judge.holds(without, wishes)

    def borrow(self) -> bool:
        """Take rows until the box, the failing group and all groups that gave something pass; False if there is nothing
        left to take. Each time, the row is taken after which the fewest of them fail: what a failing group has too
        much of first, then what the box lacks most."""
        while True:
            broken = (self.taken.any(axis=1) | self.must_pass) & ~self.healthy
            if not broken.any() and self.search._passes(self.total, self.fitting):
                return True
            owner, kind = np.nonzero(self.stock)
            if not len(owner):
                return False
            kinds = np.unique(kind)
            tried = self.total[None, :] + (np.arange(len(self.total)) == kinds[:, None])
            fitting = None if self.fitting is None else np.broadcast_to(self.fitting, tried.shape)
            fails = np.ones(len(self.total), dtype=bool)
            fails[kinds] = ~self.search.judge.holds(tried, fitting)
            breaks = ~self.spares[owner, kind] & ~broken[owner]
            mends = self.spares[owner, kind] & broken[owner]
            share = (self.total[kind] + 1) / self.search.shares[kind]
            bad = fails[kind].astype(np.int64) + breaks - mends
            excess = self.stock / self.search.shares
            is_most = excess[owner, kind] >= excess.max(axis=1)[owner]
            turn = np.where(broken[owner], np.where(is_most, 0, 2), 1)
            best = np.lexsort((kind, owner, self.distance[owner], share, turn, bad))[0]
            self._move(int(owner[best]), int(kind[best]), 1)

    def give_back(self) -> None:
        """Return every row without which all groups still pass."""
        for donor, kind in zip(*np.nonzero(self.taken), strict=True):
            for _ in range(int(self.taken[donor, kind])):
                self._move(int(donor), int(kind), -1)
                if not (self.healthy[donor] and self.search._passes(self.total, self.fitting)):
                    self._move(int(donor), int(kind), 1)
                    break

    def _move(self, donor: int, kind: int, amount: int) -> None:
        self.total[kind] += amount
        self.stock[donor, kind] -= amount
        self.taken[donor, kind] += amount
        wishes = None if self.wishes is None else self.wishes[donor : donor + 1]
        self.healthy[donor] = self.search.judge.holds(self.stock[donor : donor + 1], wishes)[0]
        self._refresh(np.array([donor]))


def _add_members(members: dict[int, np.ndarray], others: dict[int, np.ndarray]) -> None:
    for cell, types in others.items():
        members[cell] = members[cell] + types if cell in members else types.copy()
