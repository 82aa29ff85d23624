"""Republish: publish a table again and again while people enter and leave it.

Everybody who was published before is shown among the same values as before. People with one list of values share a
bucket; where its values are no longer equally frequent, new people take the free places, or counterfeits do. The other
new people are dealt into groups of m different values, as in Anatomy.
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
from voile.models.m_invariance.signatures import SIGNATURE, signatures
from voile.models.policy import Policy
from voile.releases.linked_tables import show_republished
from voile.releases.release import Release
from voile.tables.microdata import PERSON
from voile.tables.row_protocol import Histogram, Rows, Table
from voile.tables.schema import Columns


@dataclass(frozen=True)
class Republish(IgnoresValues, Method):
    """Bucketization that keeps everybody's list of values from release to release.

    Claim: every group lists at least m different values, and whoever is published again is listed with the same ones.
    Against: a neighbour who has all releases, and knows everybody's quasi-identifier and who is in which table.
    Needs: one sensitive column whose values do not change; a column of persons in every table, and the ledger.
    Why: with one list in all releases nothing can be struck out by comparing them; counterfeits keep the list complete.
    Source: Xiao, Tao: m-invariance (SIGMOD 2007); groups are shown as two linked tables, so nobody need be similar.
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
        taken = [column.name for column in columns if column.name in ("group", "count")]
        if taken:
            listed = ", ".join(map(repr, taken))
            raise PolicyError(
                f"republish adds columns named 'group' and 'count'; the table has {listed} already.",
                code="policy.reserved",
                hint="Rename the column.",
            )

    def group(self, columns: Columns, rows: Rows, policy: Policy) -> Rows:
        m = max(model.m for model in policy if isinstance(model, MInvariance))
        names = [column.name for column in columns]
        table = rows.histogram([*names, *self._linked(rows)])
        dealing = _Dealing(columns, table, self._lists(columns), m, rows)
        cells, groups, opened = dealing.dealt()
        order = np.argsort(cells, kind="stable")  # rows stay in rising order
        cells, groups = cells[order], groups[order]
        dealt = rows.deal(table, cells, groups, np.ones(len(cells), dtype=np.int64))
        if not len(opened):
            return dealt
        ones = np.ones(len(opened), dtype=np.int64)
        return dealt.revalue(SIGNATURE, opened[:, 0], np.zeros(len(opened), dtype=np.int64), opened[:, 1], ones)

    def show(self, columns: Columns, rows: Rows) -> Release:
        if not self.earlier:
            nobody = np.zeros(0, dtype=np.int64)
            return show_republished(columns, rows, nobody, nobody)
        target = columns.sensitive[0]
        lists, (_, signature) = self._lists(columns), rows.find_extents(SIGNATURE)
        group, present = rows.count_by_group([target.name])
        known = set(zip(group.tolist(), present.codes[:, 0].tolist(), strict=True))
        absent = [
            (place, int(code))
            for place, number in enumerate(signature.tolist())
            if number
            for code in lists[number - 1]
            if (place, int(code)) not in known
        ]
        added = np.array(absent, dtype=np.int64).reshape(-1, 2)
        return show_republished(columns, rows, added[:, 0], added[:, 1])

    def _linked(self, rows: Rows) -> tuple[str, ...]:
        """The columns of rows that are followed, beside those of the table."""
        return (PERSON, SIGNATURE) if SIGNATURE in rows.names else ()

    def _lists(self, columns: Columns) -> list[np.ndarray]:
        """The earlier lists of values, as codes of this table's column."""
        place = {text: code for code, text in enumerate(columns.sensitive[0].domain.labels)}
        return [np.array(sorted(place[text] for text in seat), dtype=np.int64) for seat in signatures(self.earlier)]


class _Dealing:
    """Who goes where: people by value, those with a list and the new ones, in random order."""

    def __init__(self, columns: Columns, table: Histogram, lists: list[np.ndarray], m: int, rows: Rows) -> None:
        self.target, self.lists, self.m, self.key = columns.sensitive[0], lists, m, rows.key
        value = table.column(self.target.name).astype(np.int64)
        known = SIGNATURE in table.names
        signature = table.column(SIGNATURE).astype(np.int64) if known else np.zeros(len(value), dtype=np.int64)
        person = np.repeat(np.arange(len(value)), table.counts)
        order = np.lexsort((self.key.stream("republish order", len(person)), value[person], signature[person]))
        self.person, self.value, self.signature = person[order], value[person][order], signature[person][order]
        self.group = np.full(len(person), -1)
        self.new = [np.flatnonzero((self.signature == 0) & (self.value == code)) for code in range(self.target.size)]
        self.left = np.array([len(some) for some in self.new], dtype=np.int64)  # new people who have no group yet
        self.groups = 0
        self.opened: list[tuple[int, int]] = []

    def dealt(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The cell and the group of everybody, and the (group, list) of groups that new people opened."""
        for number in range(1, len(self.lists) + 1):
            self._again(number)
        self._join_lists()
        self._fresh()
        return self.person, self.group, np.array(self.opened, dtype=np.int64).reshape(-1, 2)

    def _take(self, code: int) -> int:
        """One new person with a value."""
        self.left[code] -= 1
        return int(self.new[code][self.left[code]])

    def _eligible(self, left: np.ndarray) -> bool:
        return bool(left.max(initial=0) * self.m <= left.sum())

    def _again(self, number: int) -> None:
        """The people of one list: as many groups as its most frequent value needs; new people take free places while
        the other new ones can still be grouped among themselves."""
        mine = np.flatnonzero(self.signature == number)
        if not len(mine):
            return
        by_value = [mine[self.value[mine] == code] for code in self.lists[number - 1]]
        height = max(len(some) for some in by_value)
        for code, some in zip(self.lists[number - 1], by_value, strict=True):
            seats = self.groups + self.key.shuffle(f"republish seats {number} {code}", height)
            self.group[some] = seats[: len(some)]
            for seat in seats[len(some) :]:
                after = self.left.copy()
                after[code] -= 1
                if after[code] >= 0 and (self._eligible(after) or not self._eligible(self.left)):
                    self.group[self._take(int(code))] = seat
        self.groups += height

    def _join_lists(self) -> None:
        """While the new people cannot be grouped among themselves, one with the most frequent value joins a list that
        has it, in a group of counterfeits."""
        coins = self.key.stream("republish lists", int(self.left.sum()))
        while not self._eligible(self.left):
            code = int(self.left.argmax())
            fitting = [number for number, values in enumerate(self.lists, 1) if code in values]
            if not fitting:
                total, most = int(self.left.sum()), int(self.left.max())
                best = f"Of {total} new people {most} share one value; the largest possible m is {total // most}."
                raise Unsatisfiable(
                    f"m = {self.m} is out of reach for {self.target.name!r}.",
                    code="unsatisfiable.m-invariance",
                    hint=best,
                    best=best,
                )
            chosen = fitting[int(coins[len(self.opened)] % np.uint64(len(fitting)))]
            self.group[self._take(code)] = self.groups
            self.opened.append((self.groups, chosen))
            self.groups += 1

    def _fresh(self) -> None:
        """The other new people: groups of m different values."""
        total = int(self.left.sum())
        if not total:
            return
        coins = self.key.stream("republish ties", total // self.m)
        picks, remaining = kernels.dealing.pick_largest_l(self.left, self.m, coins)
        starts = np.concatenate([[0], np.cumsum(self.left)])
        spare = self.key.stream("republish leftovers", int(remaining.sum()))
        seats = kernels.dealing.seat_rows(starts, picks, remaining, self.key.stream("republish deal", total), spare)
        for code, some in enumerate(self.new):
            waiting = some[: self.left[code]]
            self.group[waiting] = self.groups + seats[starts[code] : starts[code + 1]]
        self.groups += len(picks)
