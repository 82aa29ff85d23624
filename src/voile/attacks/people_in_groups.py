"""The people of each group, where a person may have several rows: at least so many, or exactly who they are."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np

from voile.results import Belief
from voile.tables.microdata import PERSON
from voile.tables.row_protocol import Rows


class PeopleInGroups(Protocol):
    """The people of each group. They turn a belief about the rows of a group into one about people."""

    @property
    def candidates(self) -> np.ndarray:
        """The people in each group. Where nobody tells whose the rows are, there are at least as many; the number need
        not be whole."""
        ...

    def count(self, groups: np.ndarray) -> int:
        """Count the people who have a row in a group that is marked. Where nobody tells, it is the sum of the fewest
        people of each group, so that the pieces of a release can be added."""
        ...

    def believe(
        self, limits: str, risk: np.ndarray, baseline: float, column: str | None = None, *, of_row: bool = True
    ) -> Belief:
        """Return the belief about people, given a probability for each group. It is that of one row, and a person with
        m rows has m chances; or, if it is not `of_row`, that of everybody in the group."""
        ...


@dataclass(frozen=True, eq=False)
class FewestPeople:
    """Groups of rows of which a person has at most b (`rows_per_person`). A group of n rows has at least n/b people,
    and a row of it is a given person's with probability at most b/n.

    >>> FewestPeople(np.array([10, 11]), 5).believe("identity", np.array([1 / 10, 1 / 11]), 0.0).people.tolist()
    [2, 3]
    """

    rows: np.ndarray
    rows_per_person: int = 1

    @property
    def candidates(self) -> np.ndarray:
        return np.asarray(self.rows / self.rows_per_person)

    def count(self, groups: np.ndarray) -> int:
        return int((-(-self.rows[groups] // self.rows_per_person)).sum())

    def believe(
        self, limits: str, risk: np.ndarray, baseline: float, column: str | None = None, *, of_row: bool = True
    ) -> Belief:
        limit = self.rows_per_person
        if limit == 1:
            return Belief(limits, risk, self.rows, baseline, column)
        risk = np.minimum(risk * limit, 1.0) if of_row else risk
        people = -(-self.rows // limit)
        return Belief(limits, risk, people, baseline, column, row_counts=self.rows, rows_per_person=limit)


@dataclass(frozen=True, eq=False)
class KnownPeople:
    """Groups of rows and whose they are: person i has `rows[j]` rows in `group[j]`, for j from `starts[i]` to
    `starts[i + 1]`."""

    groups: int
    starts: np.ndarray
    group: np.ndarray
    rows: np.ndarray

    def __repr__(self) -> str:
        return f"KnownPeople({self.people} people in {self.groups} groups)"

    @property
    def people(self) -> int:
        return len(self.starts) - 1

    @property
    def candidates(self) -> np.ndarray:
        return np.bincount(self.group, minlength=self.groups)

    @cached_property
    def owner(self) -> np.ndarray:
        """The person of each entry."""
        return np.repeat(np.arange(self.people), np.diff(self.starts))

    def count(self, groups: np.ndarray) -> int:
        return len(np.unique(self.owner[groups[self.group]]))

    def believe(
        self, limits: str, risk: np.ndarray, baseline: float, column: str | None = None, *, of_row: bool = True
    ) -> Belief:
        """A person is as exposed as in the worst of their groups."""
        own = risk[self.group]
        own = np.minimum(own * self.rows, 1.0) if of_row else own
        worst = np.maximum.reduceat(own, self.starts[:-1]) if self.people else np.zeros(0)
        return Belief(limits, worst, np.ones(self.people, dtype=np.int64), baseline, column)

    def select(self, chosen: np.ndarray) -> KnownPeople:
        """Return the people who are marked."""
        entries = chosen[self.owner]
        starts = np.append(0, np.cumsum(np.diff(self.starts)[chosen]))
        return KnownPeople(self.groups, starts, self.group[entries], self.rows[entries])


def count_person_rows(grouped: Rows, groups: int) -> KnownPeople:
    """Count the rows that each person has in each group, given linked rows that are grouped. O(n log n)."""
    group, table = grouped.count_by_group([PERSON])
    person = table.column(PERSON).astype(np.int64)
    order = np.lexsort((group, person))
    people = int(person.max(initial=-1)) + 1
    starts = np.searchsorted(person[order], np.arange(people + 1))
    return KnownPeople(groups, starts, group[order], table.counts[order])
