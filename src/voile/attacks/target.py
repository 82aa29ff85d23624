"""What an attack looks at: a release, or the original table for comparison."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar, Protocol

import numpy as np

from voile.attacks.people_in_groups import FewestPeople, KnownPeople, PeopleInGroups, count_person_rows
from voile.releases.certificate import UNSIGNED, Certificate
from voile.releases.randomized_response import Channel
from voile.releases.release import Release
from voile.releases.shape_answers import ValuePairs
from voile.tables.group_counts import Counts
from voile.tables.microdata import Microdata, count_people_with
from voile.tables.row_protocol import Rows, Table
from voile.tables.schema import Columns
from voile.tables.unit import Unit


class Target(Protocol):
    """People in groups. Every `Release` is a target, and so is `RawTable`; group numbers start at 0.

    Groups are counted in rows. `find_people` tells how many people that makes.
    """

    @property
    def people(self) -> int:
        """The number of rows: of people, where each has one."""
        ...

    @property
    def unit(self) -> Unit:
        """How many rows a person may have."""
        ...

    @property
    def sizes(self) -> np.ndarray:
        """The number of rows in each group."""
        ...

    @property
    def tallies(self) -> Mapping[str, Counts]:
        """For each sensitive column, the counts of its values in every group."""
        ...

    @property
    def channel(self) -> Channel | None:
        """The channel that the sensitive values went through; None where they are true."""
        ...

    @property
    def certificate(self) -> Certificate:
        """What is claimed about the people."""
        ...

    @property
    def sampling_notes(self) -> Mapping[str, float]:
        """Remarks where beliefs were sampled: how many people, and the widest interval."""
        ...

    def pairs_of_values(self, one: str, other: str) -> ValuePairs | None:
        """Return the pairs of values of two sensitive columns in each group; None where nothing links the columns."""
        ...

    def candidates(self, external: Microdata) -> tuple[np.ndarray, np.ndarray]:
        """Return, for rows that look alike, how many people of a register fit them, and how many rows there are."""
        ...

    def locate(self, people: Microdata) -> np.ndarray:
        """Return the group of each distinct quasi-identifier of some people; -1 if none or more than one fits."""
        ...


@dataclass(frozen=True, eq=False)
class RawTable:
    """The original table without identifiers, as a target: the risk before publishing. Rows with the same
    quasi-identifier are a group. Where a column tells whose they are, these are all rows of everybody."""

    data: Microdata

    channel: ClassVar[Channel | None] = None
    certificate: ClassVar[Certificate] = UNSIGNED
    sampling_notes: ClassVar[Mapping[str, float]] = {}

    @cached_property
    def _linked(self) -> Microdata | None:
        return self.data.with_linked_rows()

    @property
    def rows(self) -> Table:
        """All rows; without those that are too many for the unit if they are not in memory."""
        return (self._linked or self.data).rows

    @cached_property
    def known_people(self) -> KnownPeople | None:
        """Who has how many rows in each group; None where nobody tells."""
        return count_person_rows(self.group_rows(), len(self.sizes)) if self._linked is not None else None

    @property
    def people(self) -> int:
        return self.rows.total

    @property
    def unit(self) -> Unit:
        return self.data.unit

    @property
    def sizes(self) -> np.ndarray:
        return self.rows.histogram(self._quasi).counts

    @property
    def tallies(self) -> dict[str, Counts]:
        return self.group_rows().tally_values(replace(self.data.columns, guards=()))  # nobody else knows the wishes

    @property
    def _quasi(self) -> list[str]:
        return [column.name for column in self.data.columns.quasi]

    def group_rows(self) -> Rows:
        """Return the rows, grouped by the whole quasi-identifier."""
        rows = self.rows.collect()
        table = rows.histogram(self._quasi)
        return rows.place(table, np.arange(len(table.counts)))

    def pairs_of_values(self, one: str, other: str) -> ValuePairs:
        group, table = self.group_rows().count_by_group([one, other])
        codes = table.codes.astype(np.int64)
        return ValuePairs(iter([(group, codes[:, 0], codes[:, 1], table.counts)]))

    def candidates(self, external: Microdata) -> tuple[np.ndarray, np.ndarray]:
        names, table = self._quasi, self.rows.histogram(self._quasi)
        texts = [np.array(self.data.columns[name].domain.labels, dtype=object)[table.column(name)] for name in names]
        return count_people_with(external, names, texts), table.counts

    def locate(self, people: Microdata) -> np.ndarray:
        names = self._quasi
        table, queries = self.rows.histogram(names), people.rows.histogram(names)

        def texts_of(columns: Columns, codes: np.ndarray) -> list[tuple[str, ...]]:
            texts = (np.array(columns[name].domain.labels, dtype=object) for name in names)
            return list(zip(*(column[codes[:, position]] for position, column in enumerate(texts)), strict=True))

        groups = {row: group for group, row in enumerate(texts_of(self.data.columns, table.codes))}
        return np.array([groups.get(row, -1) for row in texts_of(people.columns, queries.codes)], dtype=np.int64)


def find_people(target: Target) -> PeopleInGroups:
    """Return the people of each group: exactly, where a table tells whose its rows are, else as many as there must
    be."""
    known = target.known_people if isinstance(target, RawTable) else None
    return FewestPeople(target.sizes, target.unit.rows) if known is None else known


def sensitive_names(target: object) -> list[str]:
    """Return the names of the sensitive columns of a target, without looking at its rows."""
    if isinstance(target, RawTable):
        return [column.name for column in target.data.columns.sensitive]
    return [str(entry["name"]) for entry in target.described("sensitive")] if isinstance(target, Release) else []


def most_frequent_share(counts: Counts) -> float:
    """Return the share of the most frequent value in the table: how often guessing it is right without a release."""
    return float(counts.totals.max(initial=0) / max(float(counts.totals.sum()), 1e-12))
