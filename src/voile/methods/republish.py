"""Republish: publish a table repeatedly while people enter and leave it.

Everybody who was published before is shown among the same values as before. People with the same list of values share
a bucket; if its values are no longer equally frequent, new people or counterfeits take the free seats. The other new
people are dealt into groups of m different values, as in Anatomy.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from voile import kernels
from voile.errors import PolicyError, Unsatisfiable
from voile.methods.base import IgnoresValues, Method
from voile.models.m_invariance import MInvariance
from voile.models.m_invariance.signatures import SIGNATURE, list_signatures
from voile.models.policy import Policy
from voile.releases.linked_tables import show_republished
from voile.releases.release import Release
from voile.tables.microdata import PERSON
from voile.tables.row_protocol import Histogram, Rows, Table
from voile.tables.schema import Columns


@dataclass(frozen=True)
class Republish(IgnoresValues, Method):
    """Bucketization that keeps everybody's list of values from release to release.

    Claim: every group lists at least m different values, and people who are published again are listed with the same
    values.
    Against: a neighbour who has all releases, and knows everybody's quasi-identifier and who is in which table.
    Needs: one sensitive column whose values do not change; a column of persons in every table; and the ledger.
    Why: a person has the same list in all releases, so comparing them strikes out no value; counterfeits keep the list
    complete.
    Source: Xiao, Tao: m-invariance (SIGMOD 2007); groups are shown as two linked tables, so members may differ.
    """

    name: ClassVar[str] = "republish"
    produces: ClassVar[str] = "republished"

    earlier: tuple[Release | str, ...] = ()

    def plan(
        self, columns: Columns, rows: Table, policy: Policy, earlier: Sequence[Release]
    ) -> tuple[Republish, Policy]:
        return replace(self, earlier=tuple(earlier)), policy

    def check(self, columns: Columns, policy: Policy) -> None:
        super().check(columns, policy)
        if len(columns.sensitive) != 1:
            raise PolicyError(
                f"republish publishes one sensitive column, the schema has {len(columns.sensitive)}.",
                code="policy.one-sensitive",
                hint="Keep one of them.",
            )
        reserved = [column.name for column in columns if column.name in ("group", "count")]
        if reserved:
            names = ", ".join(map(repr, reserved))
            raise PolicyError(
                f"republish adds columns named 'group' and 'count'; the table has {names} already.",
                code="policy.reserved",
                hint="Rename the column.",
            )

    def group(self, columns: Columns, rows: Rows, policy: Policy) -> Rows:
        m = max(model.m for model in policy if isinstance(model, MInvariance))
        names = [column.name for column in columns]
        table = rows.histogram([*names, *self._history_columns(rows)])
        dealing = _Dealing(columns, table, self._earlier_lists(columns), m, rows)
        cells, groups, opened_groups = dealing.deal()
        order = np.argsort(cells, kind="stable")  # rows must stay in rising order
        cells, groups = cells[order], groups[order]
        dealt_rows = rows.deal(table, cells, groups, np.ones(len(cells), dtype=np.int64))
        if not len(opened_groups):
            return dealt_rows
        ones = np.ones(len(opened_groups), dtype=np.int64)
        return dealt_rows.revalue(
            SIGNATURE, opened_groups[:, 0], np.zeros(len(opened_groups), dtype=np.int64), opened_groups[:, 1], ones
        )

    def show(self, columns: Columns, rows: Rows) -> Release:
        if not self.earlier:
            nobody = np.zeros(0, dtype=np.int64)
            return show_republished(columns, rows, nobody, nobody)
        target = columns.sensitive[0]
        lists, (_, signature) = self._earlier_lists(columns), rows.find_extents(SIGNATURE)
        group, present = rows.count_by_group([target.name])
        present_pairs = set(zip(group.tolist(), present.codes[:, 0].tolist(), strict=True))
        absent = [
            (seat_group, int(code))
            for seat_group, list_number in enumerate(signature.tolist())
            if list_number
            for code in lists[list_number - 1]
            if (seat_group, int(code)) not in present_pairs
        ]
        counterfeits = np.array(absent, dtype=np.int64).reshape(-1, 2)
        return show_republished(columns, rows, counterfeits[:, 0], counterfeits[:, 1])

    def _history_columns(self, rows: Rows) -> tuple[str, ...]:
        """Return the extra columns of rows whose people were published before."""
        return (PERSON, SIGNATURE) if SIGNATURE in rows.names else ()

    def _earlier_lists(self, columns: Columns) -> list[np.ndarray]:
        """Return the lists of values of earlier releases, as codes of this table's column."""
        code_of = {text: code for code, text in enumerate(columns.sensitive[0].domain.labels)}
        return [
            np.array(sorted(code_of[text] for text in values), dtype=np.int64)
            for values in list_signatures(self.earlier)
        ]


class _Dealing:
    """The assignment of people to groups: people with a list from earlier releases, and new people, in random order.

    People are sorted by list and value: `cell` is the cell of each person, `value` their value, `signature` the number
    of their list (0 for new people), `group` their group, -1 until they have one.
    """

    def __init__(self, columns: Columns, table: Histogram, lists: list[np.ndarray], m: int, rows: Rows) -> None:
        self.target, self.lists, self.m, self.key = columns.sensitive[0], lists, m, rows.key
        value = table.column(self.target.name).astype(np.int64)
        has_history = SIGNATURE in table.names
        signature = table.column(SIGNATURE).astype(np.int64) if has_history else np.zeros(len(value), dtype=np.int64)
        person = np.repeat(np.arange(len(value)), table.counts)
        order = np.lexsort((self.key.stream("republish order", len(person)), value[person], signature[person]))
        self.cell, self.value, self.signature = person[order], value[person][order], signature[person][order]
        self.group = np.full(len(person), -1)
        self.new = [np.flatnonzero((self.signature == 0) & (self.value == code)) for code in range(self.target.size)]
        self.waiting = np.array([len(people) for people in self.new], dtype=np.int64)  # new people without a group
        self.groups = 0
        self.opened: list[tuple[int, int]] = []

    def deal(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the cell and the group of everybody, and (group, list) of the groups that new people opened."""
        for list_number in range(1, len(self.lists) + 1):
            self._seat_list(list_number)
        self._join_lists()
        self._seat_new_people()
        return self.cell, self.group, np.array(self.opened, dtype=np.int64).reshape(-1, 2)

    def _take_new_person(self, code: int) -> int:
        """Return a new person with a value, who waits no longer."""
        self.waiting[code] -= 1
        return int(self.new[code][self.waiting[code]])

    def _can_be_grouped(self, waiting: np.ndarray) -> bool:
        """Return whether this many new people of each value can be grouped among themselves."""
        return bool(waiting.max(initial=0) * self.m <= waiting.sum())

    def _seat_list(self, list_number: int) -> None:
        """Seat the people of one list in as many groups as its most frequent value needs. New people take free seats
        as long as the other new people can still be grouped among themselves."""
        members = np.flatnonzero(self.signature == list_number)
        if not len(members):
            return
        by_value = [members[self.value[members] == code] for code in self.lists[list_number - 1]]
        height = max(len(people) for people in by_value)
        for code, people in zip(self.lists[list_number - 1], by_value, strict=True):
            seats = self.groups + self.key.shuffle(f"republish seats {list_number} {code}", height)
            self.group[people] = seats[: len(people)]
            for seat in seats[len(people) :]:
                after = self.waiting.copy()
                after[code] -= 1
                if after[code] >= 0 and (self._can_be_grouped(after) or not self._can_be_grouped(self.waiting)):
                    self.group[self._take_new_person(int(code))] = seat
        self.groups += height

    def _join_lists(self) -> None:
        """Let new people with the most frequent value join a list that has it, each in a group of counterfeits, until
        the others can be grouped among themselves."""
        coins = self.key.stream("republish lists", int(self.waiting.sum()))
        while not self._can_be_grouped(self.waiting):
            code = int(self.waiting.argmax())
            fitting = [list_number for list_number, values in enumerate(self.lists, 1) if code in values]
            if not fitting:
                total, largest = int(self.waiting.sum()), int(self.waiting.max())
                best = f"Of {total} new people {largest} share one value; the largest possible m is {total // largest}."
                raise Unsatisfiable(
                    f"m = {self.m} is out of reach for {self.target.name!r}.",
                    code="unsatisfiable.m-invariance",
                    hint=best,
                    best=best,
                )
            list_picked = fitting[int(coins[len(self.opened)] % np.uint64(len(fitting)))]
            self.group[self._take_new_person(code)] = self.groups
            self.opened.append((self.groups, list_picked))
            self.groups += 1

    def _seat_new_people(self) -> None:
        """Seat the other new people in groups of m different values."""
        total = int(self.waiting.sum())
        if not total:
            return
        coins = self.key.stream("republish ties", total // self.m)
        picks, remaining = kernels.dealing.pick_largest_l(self.waiting, self.m, coins)
        starts = np.concatenate([[0], np.cumsum(self.waiting)])
        spare = self.key.stream("republish leftovers", int(remaining.sum()))
        seats = kernels.dealing.seat_rows(starts, picks, remaining, self.key.stream("republish deal", total), spare)
        for code, people in enumerate(self.new):
            self.group[people[: self.waiting[code]]] = self.groups + seats[starts[code] : starts[code + 1]]
        self.groups += len(picks)
