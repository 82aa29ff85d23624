"""Append: publish quarter after quarter, so that keeping every release tells nothing that one of them does not.

Everything that was published stays as it was: the groups of the last release are copied, with the seats of people who
have left. People who have no seat yet are grouped among themselves, by another method, and those who cannot be grouped
wait for a later release. People who return have their old seat, and so do people whose values have changed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np
import polars as pl

from voile.adversaries.ledger import SeatHistory
from voile.adversaries.seating import Seating
from voile.errors import DataError, PolicyError, option, parameter, raise_together
from voile.methods.append.newcomer_grouping import Newcomers, choose_newcomers, group_newcomers, label_people
from voile.methods.append.release_stacking import stack_releases
from voile.methods.append.seat_listing import join_seats, list_copied_seats, list_new_seats
from voile.methods.base import CompletesHierarchies, CoversAlgorithm, KeepsSeats, Method, Settings, covers_algorithm
from voile.methods.cluster.cluster import Cluster
from voile.methods.mondrian.mondrian import Mondrian
from voile.models.kept_seats.added_groups import find_added_groups
from voile.models.kept_seats.kept_seats import WAITING, KeptSeats, can_keep_seats
from voile.models.policy import Policy
from voile.plugins.registry import knob, learned_field
from voile.releases.certificate import Claim
from voile.releases.release import Release
from voile.tables.domain import Domain
from voile.tables.domain_trimming import find_used_codes, trim_columns
from voile.tables.microdata import PERSON
from voile.tables.row_protocol import Rows, Table
from voile.tables.schema import Column, Columns

SHAPES = ("generalized", "bucketized")
FEW = 5_000  # so many newcomers are clustered by default: it takes longer than cutting them


@dataclass(frozen=True)
class Append(CompletesHierarchies, CoversAlgorithm, KeepsSeats, Method):
    """Copies of all groups that were published before, and new groups of newcomers.

    Claim: every group satisfies every model of the policy, also for an adversary who has this release and the earlier
    ones, and knows who came and left when and how common each value is.
    Against: the adversaries that the models name, with all earlier releases; except one who knows the algorithm, unless
    the policy is about sizes only.
    Needs: a column of persons, one row per person, and the ledger. Models that look at each group alone.
    Why: a copy tells nothing new, and the new groups hold only people who were in none of the earlier ones.
    Source: ours.

    `grouping` makes the first release: a method that shows boxes (mondrian), or linked tables (anatomy). `newcomers` is
    the method that groups people who come later. By default it is `grouping`; or clusters, which lose less where people
    are few, if `grouping` is mondrian and at most 5,000 people are new.
    `waiting="fewest"` lets as few newcomers wait as possible; with "blind" only their number decides, and the
    publication is refused if they cannot be grouped. In both cases fewer than `batch` newcomers wait.
    """

    name: ClassVar[str] = "append"
    tried: ClassVar[Settings] = ()  # it is about later releases: the first one is that of its grouping
    tried_later: ClassVar[Settings] = ({}, {"grouping": "anatomy"})

    grouping: Method = field(default_factory=Mondrian)
    newcomers: Method | None = None
    waiting: str = knob("fewest", choices=WAITING)
    batch: int = knob(1, low=1)
    history: Any = learned_field()  # SeatHistory: who sits where, if there is a ledger
    earlier: Any = learned_field()  # the earlier releases
    columns: Any = learned_field()  # the columns of the table

    @property
    def produces(self) -> str:  # type: ignore[override]
        return self.grouping.produces

    def complete_hierarchies(self, columns: Columns, rows: Table) -> Columns:
        for method in self._groupers().values():
            columns = (
                method.complete_hierarchies(columns, rows) if isinstance(method, CompletesHierarchies) else columns
            )
        return columns

    def check(self, columns: Columns, policy: Policy) -> None:
        problems = []
        for name, method in self._groupers().items():
            if method.produces not in SHAPES or method.transforms_rows or isinstance(method, KeepsSeats):
                problems.append(
                    PolicyError(
                        f"append cannot group people with {method.name}.",
                        code="policy.method",
                        hint=f"Use {parameter(name, 'mondrian')} or {parameter(name, 'anatomy')}.",
                    )
                )
        if not problems and len({method.produces for method in self._groupers().values()}) > 1:
            problems.append(
                PolicyError(
                    "append cannot put boxes and linked tables into one release: grouping and newcomers differ in "
                    "what they show.",
                    code="policy.method",
                    hint="Leave newcomers out, or choose a method that shows what grouping shows.",
                )
            )
        unserved = [model.name for model in self._require(policy) if not can_keep_seats(model)]
        if unserved:
            problems.append(
                PolicyError(
                    f"append cannot promise {', '.join(unserved)}: it does not depend on each group alone.",
                    code="policy.method",
                    hint=f"Ask for e.g. {option('model', 'l-diversity', l=3)}.",
                )
            )
        raise_together(problems)
        super().check(columns, policy)
        for method in self._groupers().values():
            method.check(columns, self._require(policy))

    def take_seats(self, history: SeatHistory) -> Append:
        return replace(self, history=history)

    def plan(self, columns: Columns, rows: Table, policy: Policy, earlier: Sequence[Release]) -> tuple[Append, Policy]:
        for number, release in enumerate(earlier, 1):
            if release.shape != self.produces:
                raise PolicyError(
                    f"append copies the groups of earlier releases. Release {number} is {release.shape}, and "
                    f"{self.grouping.name} makes {self.produces} ones.",
                    code="policy.after-shape",
                    hint="Group newcomers with the method that made the first release.",
                )
        for number, (before, after) in enumerate(pairwise(earlier), 1):
            if find_added_groups(after, before, number).changes:
                raise DataError(
                    f"Earlier release {number + 1} does not show the groups of release {number} as they were.",
                    code="data.append",
                    hint="append continues releases that append made; name them oldest first. To start a new series, "
                    "publish people who were in none of them.",
                )
        planned = replace(self, earlier=tuple(earlier), columns=columns)
        return planned._choose_grouper(policy) if earlier else planned, policy

    def _choose_grouper(self, policy: Policy) -> Append:
        """Choose how newcomers are grouped, where the user does not say. Only how many they are decides."""
        if self.newcomers is not None:
            return self
        few = int((self._find_seats() < 0).sum()) <= FEW
        if isinstance(self.grouping, Mondrian) and few and self._require(policy).monotone:
            return replace(self, newcomers=Cluster(recoding=self.grouping.recoding))
        return replace(self, newcomers=self.grouping)

    def _groupers(self) -> dict[str, Method]:
        """Return the methods that group people, by the name of their knob."""
        return {"grouping": self.grouping, **({"newcomers": self.newcomers} if self.newcomers is not None else {})}

    @property
    def _grouper(self) -> Method:
        """The method that groups the people who are new in this release."""
        return self.newcomers if self.earlier and self.newcomers is not None else self.grouping

    def group(self, columns: Columns, rows: Rows, policy: Policy) -> Rows:
        requirements = self._require(policy)
        if PERSON not in rows.names:
            return self.grouping.group(columns, rows, requirements)
        last_seat = self._find_seats()
        newcomers = Newcomers.of(columns, rows, last_seat < 0)
        if self.earlier:
            newcomers = choose_newcomers(self._grouper, newcomers, requirements, self.waiting, self.batch)
        people, groups = np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
        if len(newcomers):
            people, groups = group_newcomers(self._grouper, newcomers, requirements)
        labels = label_people(len(last_seat), people, groups + last_seat.max(initial=-1) + 1)
        labels = np.where(last_seat >= 0, last_seat, labels)
        table = rows.histogram([PERSON])
        _, dense = np.unique(np.append(labels[table.codes[:, 0]], -1), return_inverse=True)
        return rows.place(table, dense[:-1] - 1)

    def show(self, columns: Columns, rows: Rows) -> Release:
        if PERSON not in rows.names:
            return self.grouping.show(columns, rows)
        fresh = self.show_newcomers(columns, rows)
        if not self.earlier:
            assert fresh is not None, "the first release is refused if nobody can be grouped"
            return _without_people(fresh)
        last: Release = self.earlier[-1]
        release = stack_releases(last, _without_people(fresh), columns) if fresh is not None else last
        dictionary = {key: value for key, value in release.dictionary.items() if key != "absent"}
        absent = len(self.history.ledger.people[self._seated]) - int((self._find_seats() >= 0).sum())
        return replace(release, dictionary={**dictionary, **({"absent": absent} if absent else {})})

    def claims(self, columns: Columns, policy: Policy, release: Release) -> tuple[Claim, ...]:
        """State the policy for this release, and for this one with the earlier ones."""
        if not self.earlier:
            return policy.claims(columns)
        spanning = [
            KeptSeats(model, self.earlier, self.waiting, getattr(model, "column", None))
            for model in policy
            if not isinstance(model, KeptSeats)
        ]
        return Policy(*policy, *spanning).claims(columns)

    def covers_algorithm(self, policy: Policy) -> bool:
        requirements = self._require(policy)  # who waits then depends on the number of newcomers alone
        groupers = self._groupers().values()
        return requirements.ignores_values and all(covers_algorithm(method, requirements) for method in groupers)

    def list_seats(self, release: Release, rows: Rows, pseudonyms: np.ndarray) -> Seating:
        fresh, is_new = self.show_newcomers(self.columns, rows), self._find_seats() < 0
        new = list_new_seats(release, fresh, rows, self.columns.sensitive, pseudonyms, is_new)
        if not self.earlier:
            return new
        seating, position = self.history.ledger.seating(len(self.earlier) - 1), self.history.position
        return join_seats(list_copied_seats(release, self.earlier[-1], seating, position[position >= 0]), new)

    def show_newcomers(self, columns: Columns, rows: Rows) -> Release | None:
        """Show the groups of newcomers, with a column more that tells who is in which row; None if nobody is new."""
        group, table = rows.count_by_group([PERSON])
        person = table.codes[:, 0].astype(np.int64)
        is_new = self._find_seats()[person] < 0
        if not is_new.any():
            return None
        _, dense = np.unique(group[is_new], return_inverse=True)
        labels = label_people(len(self.history.position), person[is_new], dense)
        everybody, in_use = rows.histogram([PERSON]), find_used_codes(columns.quasi, rows)
        rows = rows.place(everybody, labels[everybody.codes[:, 0]])
        used = find_used_codes(columns, rows)
        for name, codes in in_use.items() if self.earlier and self.earlier[-1].shows_boxes else ():
            # a cell is `*` if it holds every value that the release may mention
            mentioned = set(self.earlier[-1].box_cells[name][0].domain.labels)
            again = [code for code in codes.tolist() if columns[name].domain.labels[code] in mentioned]
            used[name] = np.union1d(used[name], np.array(again, dtype=np.int64))
        trimmed, code_maps = trim_columns(columns, used)
        numbers = Domain(pl.Series(np.arange(len(self.history.position))), "numeric")
        told = replace(trimmed, other=(*trimmed.other, Column(PERSON, "other", numbers)))
        return self._grouper.show(told, rows.recode(code_maps) if code_maps else rows)

    def _find_seats(self) -> np.ndarray:
        """Return by number of each person of the table their group in the last release, -1 for newcomers."""
        position: np.ndarray = self.history.position
        if not self.earlier:
            return np.full(len(position), -1)
        seats = np.append(self.history.ledger.seating(len(self.earlier) - 1).group, -1)
        return np.asarray(seats[position], dtype=np.int64)

    @property
    def _seated(self) -> np.ndarray:
        """Which people of the ledger have a seat in the last release."""
        return np.asarray(self.history.ledger.seating(len(self.earlier) - 1).group >= 0)

    def _require(self, policy: Policy) -> Policy:
        """Return the models that every group must satisfy."""
        return Policy(*(model.requirement if isinstance(model, KeptSeats) else model for model in policy))


def _without_people(release: Release) -> Release:
    """Remove the column that tells who is in which row."""
    tables = {name: table.drop(PERSON, strict=False) for name, table in release.tables.items()}
    entries = [entry for entry in release.dictionary["columns"] if entry["name"] != PERSON]
    return replace(release, tables=tables, dictionary={**release.dictionary, "columns": entries})
