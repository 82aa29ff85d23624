"""Republish: publish a table repeatedly while people enter and leave it.

Everybody who was published before sits in the same group as before. The value of somebody who has left stays in the
group, as a counterfeit. New people are dealt into groups of m different values, as in Anatomy, and those who cannot be
dealt wait for a later release.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from voile import kernels
from voile.adversaries.ledger import Ledger, SeatHistory
from voile.adversaries.seating import NO_KIND, NO_SEAT, Seating, SeatValues
from voile.errors import PolicyError, Unsatisfiable
from voile.methods.append.newcomer_grouping import STEPS
from voile.methods.base import KeepsSeats, Method
from voile.methods.refusals import IgnoresValues
from voile.models.m_invariance import MInvariance
from voile.models.policy import Policy
from voile.plugins.registry import learned_field
from voile.releases.linked_tables import draw_group_numbers, show_republished
from voile.releases.release import Release
from voile.tables.microdata import PERSON
from voile.tables.row_protocol import WITHHELD, Rows, Table
from voile.tables.schema import Column, Columns
from voile.tables.secret_key import Key


@dataclass(frozen=True)
class Republish(KeepsSeats, IgnoresValues, Method):
    """Bucketization that keeps everybody's group, and with it their list of values, from release to release.

    Claim: every group lists at least m different values, and people who are published again are listed in the same
    group with the same values.
    Against: a neighbour who has all releases, and knows everybody's quasi-identifier, who is in which table, and how
    common each value is.
    Needs: one sensitive column; a column of persons in every table; and the ledger.
    Why: a group is always that of the same people with the same values, whether they are present or have left, so a
    later release repeats what the first one told.
    Source: Xiao, Tao: m-invariance (SIGMOD 2007); there a new person may take the place of one who left, which tells
    something to somebody who knows how common values are.
    """

    name: ClassVar[str] = "republish"
    produces: ClassVar[str] = "republished"

    earlier: tuple[Release | str, ...] = ()
    history: Any = learned_field()  # SeatHistory: who sits where, if there is a ledger
    columns: Any = learned_field()  # the columns of the table

    def take_seats(self, history: SeatHistory) -> Republish:
        return replace(self, history=history)

    def plan(
        self, columns: Columns, rows: Table, policy: Policy, earlier: Sequence[Release]
    ) -> tuple[Republish, Policy]:
        return replace(self, earlier=tuple(earlier), columns=columns), policy

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
        names, target = [column.name for column in columns], columns.sensitive[0]
        table = rows.histogram([*names, *([PERSON] if PERSON in rows.names else [])])
        cell = np.repeat(np.arange(len(table.counts)), table.counts)
        value = table.column(target.name).astype(np.int64)[cell]
        group = np.full(len(cell), WITHHELD)
        if self.earlier:
            group = self._seats.number[self.history.position][table.column(PERSON)]
        new_people = np.flatnonzero(group < 0)
        dealt = new_people[choose_people(value[new_people], m, rows.key, bool(self.earlier), target.name)]
        group[dealt] = group.max(initial=-1) + 1 + deal_people(value[dealt], target.size, m, rows.key)
        chosen = np.flatnonzero(group != WITHHELD)
        _, dense = np.unique(group[chosen], return_inverse=True)
        return rows.deal(table, cell[chosen], dense, np.ones(len(chosen), dtype=np.int64))

    def show(self, columns: Columns, rows: Rows) -> Release:
        target = self.columns.sensitive[0]
        return show_republished(columns, rows, target, *self._list_groups(columns, rows))

    def list_seats(self, release: Release, rows: Rows, pseudonyms: np.ndarray) -> Seating:
        columns: Columns = self.columns
        target, quasi = columns.sensitive[0], [column.name for column in columns.quasi]
        numbers, _, _ = self._list_groups(columns, rows)
        group, table = rows.count_by_group([*quasi, target.name, PERSON])
        person, number = table.column(PERSON).astype(np.int64), np.full(len(pseudonyms), NO_SEAT)
        kind, code = number.copy(), number.copy()
        sizes = [max(columns[name].size, 1) for name in quasi]
        kind[person], _ = kernels.distinct_rows.rank_rows([table.column(name) for name in quasi], sizes)
        number[person], code[person] = numbers[group], table.column(target.name)
        people, present = pseudonyms, np.ones(len(pseudonyms), dtype=bool)
        if self.earlier:  # seats of people who were there before; those who left follow
            position, seats = self.history.position, self._seats
            code = np.where(seats.number[position] >= 0, seats.code[position], code)
            leavers = np.setdiff1d(np.flatnonzero(np.isin(seats.number, numbers) & (seats.number >= 0)), position)
            absent = np.full(len(leavers), NO_KIND)
            people = np.concatenate([people, self.history.ledger.people[leavers]])
            number, code = np.append(number, seats.number[leavers]), np.append(code, seats.code[leavers])
            kind, present = np.append(kind, absent), np.append(present, absent >= 0)
        place = np.where(number >= 0, np.searchsorted(np.unique(numbers), number), NO_SEAT)
        return Seating(people, place, kind, present, {target.name: SeatValues(tuple(target.domain.labels), code)})

    @cached_property
    def _seats(self) -> EarlierSeats:
        return find_earlier_seats(self.history.ledger, self.earlier, self.columns.sensitive[0])  # type: ignore[arg-type]

    def _list_groups(self, columns: Columns, rows: Rows) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the published number of each group of the rows (from 0), and the group and the value of every seat, as
        a code of the whole table. Groups that were there before keep their number and all their values."""
        target, whole = columns.sensitive[0], self.columns.sensitive[0].domain
        code_of = {text: code for code, text in enumerate(whole.labels)}
        codes = np.array([code_of[text] for text in target.domain.labels], dtype=np.int64)
        group, table = rows.count_by_group([target.name])
        group, code = np.repeat(group, table.counts), np.repeat(codes[table.codes[:, 0]], table.counts)
        if not self.earlier:
            return draw_group_numbers(rows), group, code
        home, people = rows.count_by_group([PERSON])
        numbers = np.full(rows.groups, NO_SEAT)
        np.maximum.at(numbers, home, self._seats.number[self.history.position][people.codes[:, 0]])
        is_new, first = numbers < 0, int(self._seats.number.max(initial=-1)) + 1
        numbers[is_new] = first + rows.key.shuffle("group numbers", int(is_new.sum()))
        seats, groups = self._seats, np.flatnonzero(~is_new)
        order = groups[np.argsort(numbers[groups])]
        seated = np.flatnonzero(np.isin(seats.number, numbers[groups]) & (seats.number >= 0))
        owner = order[np.searchsorted(numbers[order], seats.number[seated])]
        fresh = is_new[group]
        return numbers, np.concatenate([group[fresh], owner]), np.concatenate([code[fresh], seats.code[seated]])


@dataclass(frozen=True, eq=False)
class EarlierSeats:
    """For everybody in the ledger, and at the end for nobody: the published number of their group (from 0), NO_SEAT if
    they never had one, and the value of their seat as a code of the table."""

    number: np.ndarray
    code: np.ndarray


def find_earlier_seats(ledger: Ledger, earlier: Sequence[Release], target: Column) -> EarlierSeats:
    """Find the last seat of everybody in the ledger. Groups keep their numbers from release to release."""
    number, code = np.full((2, len(ledger.people) + 1), NO_SEAT)
    code_of = {text: position for position, text in enumerate(target.domain.labels)}
    release_of, group_of = ledger.last_seats(len(earlier))
    for position, release in enumerate(earlier):
        people = np.flatnonzero(release_of == position)
        values = ledger.seating(position).values[target.name]
        codes = np.array([code_of.get(text, NO_SEAT) for text in values.labels], dtype=np.int64)
        number[people] = release.group_numbers[group_of[people]] - 1  # type: ignore[attr-defined]
        code[people] = codes[values.codes[people]]
    return EarlierSeats(number, code)


def choose_people(value: np.ndarray, m: int, key: Key, may_wait: bool, column: str) -> np.ndarray:
    """Return the new people who can be dealt into groups of m different values: all of them, or as many as possible in
    random order, so that nobody waits for having a certain value. In a first release nobody may wait."""
    if _fits(value, m):
        return np.arange(len(value))
    if not may_wait:
        total, largest = len(value), int(np.bincount(value).max())
        best = f"Of {total} new people {largest} share one value; the largest possible m is {total // largest}."
        raise Unsatisfiable(
            f"m = {m} is out of reach for {column!r}.", code="unsatisfiable.m-invariance", hint=best, best=best
        )
    order, step = key.shuffle("republish waiting", len(value)), max(len(value) // STEPS, 1)
    numbers = range(len(value) - step, m - 1, -step)
    number = next((number for number in numbers if _fits(value[order[:number]], m)), 0)
    return np.sort(order[:number])


def _fits(value: np.ndarray, m: int) -> bool:
    return int(np.bincount(value, minlength=1).max()) * m <= len(value)


def deal_people(value: np.ndarray, size: int, m: int, key: Key) -> np.ndarray:
    """Return the group of each person: people are dealt at random into groups of at least m different values."""
    total = len(value)
    if not total:
        return np.zeros(0, dtype=np.int64)
    order = np.lexsort((key.stream("republish order", total), value))
    counts = np.bincount(value, minlength=size)
    picks, remaining = kernels.dealing.pick_largest_l(counts, m, key.stream("republish ties", total // m))
    starts, spare = np.concatenate([[0], np.cumsum(counts)]), key.stream("republish leftovers", int(remaining.sum()))
    group = np.empty(total, dtype=np.int64)
    group[order] = kernels.dealing.seat_rows(starts, picks, remaining, key.stream("republish deal", total), spare)
    return group
