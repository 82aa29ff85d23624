"""Subtraction: an adversary who keeps every release takes them together.

Two releases list 30 and 31 with {flu, HIV}, then 30, 31 and 32 with {flu, HIV, cancer}: the newcomer has cancer. The
adversary knows who sits in which group, replaces groups by their differences, and counts the worlds that are left: ways
to give everybody one value such that every group shows its values. The belief about a person is the largest share of a
value in these worlds. Where counting takes too long, what is certain in every world is the belief; such people are
listed as not computed, and the attack understates.

The ledger tells who sits where. Without it the adversary uses the people of the newest table, as far as it is certain
that they are the members of a group. The baseline is the most frequent value of the newest release.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import ClassVar

import numpy as np

from voile.adversaries.adversary import Adversary, Knowledge
from voile.adversaries.ledger import Ledger
from voile.adversaries.seating import Seating
from voile.attacks.base import Attack, Guess, Target, UsesHistory, most_frequent_share
from voile.attacks.subtraction.register_seats import seat_register
from voile.errors import DataError
from voile.plugins.number_text import parse_fraction
from voile.plugins.registry import knob, learned_field
from voile.releases.joint.closure import JointGroup, NoWorldError, close_groups, find_components
from voile.releases.joint.component import Component
from voile.releases.joint.history import History, gather_history
from voile.releases.joint.value_types import JUDGED_SHAPES, TypedReleases, type_releases
from voile.releases.release import Release
from voile.results import Belief
from voile.tables.microdata import Microdata

KNOWS = (Knowledge.MEMBERSHIP, Knowledge.QUASI, Knowledge.EARLIER)


@dataclass(frozen=True)
class Subtraction(UsesHistory, Attack):
    """Largest belief in a value, given all releases together.

    >>> Subtraction().name
    'subtraction'
    """

    name: ClassVar[str] = "subtraction"

    budget: int = knob(200_000, low=1)  # transitions of counting worlds, for each set of overlapping groups
    earlier: tuple[Release, ...] = learned_field(())
    ledger: Ledger | None = learned_field()
    table: Microdata | None = learned_field()

    def learn(self, data: Microdata | None) -> Subtraction:
        return self if data is None else replace(self, table=data)

    def attach_history(self, earlier: Sequence[Release], ledger: Ledger | None) -> Subtraction:
        return replace(self, earlier=tuple(earlier), ledger=ledger)

    def lacks(self) -> str:
        if not self.earlier:
            return "the earlier releases of the same people"
        return "" if self.ledger is not None or self.table is not None else "the ledger, or the original table"

    def applies(self, target: object) -> bool:
        return isinstance(target, Release) and target.shape in JUDGED_SHAPES and target.unit.rows == 1

    def concerns(self, data: Microdata) -> bool:
        return bool(self.earlier)

    def guesses(self, target: Target, external: Microdata | None) -> list[Guess]:
        if not isinstance(target, Release) or not target.tallies:
            return []
        releases = [*self.earlier, target]
        typed = type_releases(releases)
        try:
            seats = self._seats(releases, external)
            history = gather_history(typed, seats, [True] * len(releases))
            first_unknown = self._first_unknown(history, typed, seats)
            components = _list_components(history, first_unknown)
            cells = [belief for groups in components for belief in self._believe(groups)]
        except NoWorldError:
            raise DataError(
                "No values agree with all releases: somebody's value has changed, or they are of other people.",
                code="data.no-world",
                hint="Name releases of the same people, oldest first, with the ledger that was kept with them.",
            ) from None
        adversary = Adversary.who("collector of releases", *KNOWS)
        guesses = []
        for name, counts in target.tallies.items():
            place = typed.names.index(name)
            risk = np.array([float(cell.share(typed, place)) for cell in cells])
            people = np.array([cell.people for cell in cells], dtype=np.int64)
            unknown = int(people[[not cell.exact for cell in cells]].sum()) if cells else 0
            details: dict[str, float] = {"certain": int(people[risk > 1 - 1e-12].sum()), "not computed": unknown}
            bound = _promised(target, name)
            if bound < 1:
                details[f"above {bound}, the bound of this release by itself"] = int(people[risk > float(bound)].sum())
            belief = Belief("belief", risk, people, most_frequent_share(counts), name, details)
            guesses.append(Guess(f"Subtraction of releases, {name!r}", adversary, belief))
        return guesses

    def _seats(self, releases: Sequence[Release], external: Microdata | None) -> list[Seating]:
        if self.ledger is not None:
            self.ledger.check_beginning([release.digest for release in releases])
            return [self.ledger.seating(number) for number in range(len(releases))]
        register = self.table or external
        return [seat_register(release, register) for release in releases]

    def _first_unknown(self, history: History, typed: TypedReleases, seats: Sequence[Seating]) -> int | None:
        """Return the number from which on people are members of the newest release of whom nobody knows who they are;
        None with a ledger, which knows everybody."""
        if self.ledger is not None:
            return None
        pairs = zip(typed.releases[:-1], seats[:-1], strict=True)
        earlier = sum(int(own.count.sum()) - int((seating.group >= 0).sum()) for own, seating in pairs)
        return len(history.people) + earlier

    def _believe(self, groups: list[JointGroup]) -> list[_CellBelief]:
        """Return the beliefs about the people of a component, cell by cell."""
        part = Component(groups)
        if len(groups) == 1:
            return [_CellBelief(len(groups[0].people), tuple(part.values), part.multisets[0].tolist(), part.sizes[0])]
        counted = part.count_worlds(self.budget, by_total=False)
        if counted is None:
            low, _ = part.bound_counts()
            return [
                _CellBelief(int(size), tuple(part.values), own.tolist(), int(size), exact=False)
                for own, size in zip(low, part.sizes, strict=True)
            ]
        (weights,), (worlds,) = counted.weights, counted.worlds
        return [
            _CellBelief(int(size), tuple(part.values), own.tolist(), worlds * int(size))
            for own, size in zip(weights, part.sizes, strict=True)
        ]


def _list_components(history: History, first_unknown: int | None) -> list[list[JointGroup]]:
    """Return the closed groups that share people; without groups of people whom only an earlier release has, and of
    whom nobody knows who they are."""
    owners = len(history.people)
    limit = first_unknown if first_unknown is not None else sys.maxsize
    lone = [[group] for group in history.lone if any(not owners <= person < limit for person in group.people)]
    linked = []
    for own in history.linked:
        closed = close_groups(own.groups)
        linked += [[closed[number] for number in numbers] for numbers in find_components(closed)]
    return [*lone, *linked]


def _promised(release: Release, column: str) -> Fraction:
    """Return the smallest bound on beliefs in a column that a release claims; 1 where it claims none."""
    bounds = [
        parse_fraction(str(claim["bound"]))
        for claim in release.certificate.claims
        if claim["limits"] == "belief" and claim["column"] in (None, column)
    ]
    return min(bounds, default=Fraction(1))


@dataclass(frozen=True)
class _CellBelief:
    """What is believed about the people of a cell: the weight of each type of value, and that of all."""

    people: int
    values: tuple[int, ...]
    weights: Sequence[int]
    total: int
    exact: bool = True

    def share(self, typed: TypedReleases, place: int) -> Fraction:
        """Return the largest belief in a value of one column."""
        sums: dict[str, int] = {}
        for value, weight in zip(self.values, self.weights, strict=True):
            text = typed.texts[value][place]
            sums[text] = sums.get(text, 0) + int(weight)
        return Fraction(max(sums.values(), default=0), int(self.total))
