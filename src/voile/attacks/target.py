"""What an attack looks at: a release, or the original table for comparison."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Protocol

import numpy as np

from voile.releases.certificate import UNSIGNED, Certificate
from voile.releases.randomized_response import Channel
from voile.releases.release import Release
from voile.releases.shape_answers import KnownValueBeliefs, ValuePairs
from voile.tables.group_counts import Counts
from voile.tables.microdata import Microdata, count_people_with
from voile.tables.row_protocol import Rows
from voile.tables.schema import Columns


class Target(Protocol):
    """People in groups. Every `Release` is a target, and so is `RawTable`; group numbers start at 0."""

    @property
    def people(self) -> int:
        """The number of people."""
        ...

    @property
    def sizes(self) -> np.ndarray:
        """The number of people in each group."""
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

    def beliefs_given(self, one: str, other: str) -> KnownValueBeliefs | None:
        """Return the beliefs in `other` once a value of `one` is known, if they are sharper than the pairs imply."""
        ...

    def candidates(self, external: Microdata) -> tuple[np.ndarray, np.ndarray]:
        """Return, for rows that look alike, how many people of a register fit them, and how many rows there are."""
        ...

    def locate(self, people: Microdata) -> np.ndarray:
        """Return the group of each distinct quasi-identifier of some people; -1 if none or more than one fits."""
        ...


@dataclass(frozen=True, eq=False)
class RawTable:
    """The original table without identifiers, as a target: the risk before publishing. People with the same
    quasi-identifier are a group."""

    data: Microdata

    channel: ClassVar[Channel | None] = None
    certificate: ClassVar[Certificate] = UNSIGNED
    sampling_notes: ClassVar[Mapping[str, float]] = {}

    @property
    def people(self) -> int:
        return self.data.rows.total

    @property
    def sizes(self) -> np.ndarray:
        return self.data.rows.histogram(self._quasi).counts

    @property
    def tallies(self) -> dict[str, Counts]:
        return self.group_rows().tally_values(self.data.columns)

    @property
    def _quasi(self) -> list[str]:
        return [column.name for column in self.data.columns.quasi]

    def group_rows(self) -> Rows:
        """Return the rows, grouped by the whole quasi-identifier."""
        rows = self.data.rows.collect()
        table = rows.histogram(self._quasi)
        return rows.place(table, np.arange(len(table.counts)))

    def pairs_of_values(self, one: str, other: str) -> ValuePairs:
        group, table = self.group_rows().count_by_group([one, other])
        codes = table.codes.astype(np.int64)
        return ValuePairs(iter([(group, codes[:, 0], codes[:, 1], table.counts)]))

    def beliefs_given(self, one: str, other: str) -> None:
        """Return None: the pairs of values say everything."""

    def candidates(self, external: Microdata) -> tuple[np.ndarray, np.ndarray]:
        names, table = self._quasi, self.data.rows.histogram(self._quasi)
        texts = [np.array(self.data.columns[name].domain.labels, dtype=object)[table.column(name)] for name in names]
        return count_people_with(external, names, texts), table.counts

    def locate(self, people: Microdata) -> np.ndarray:
        names = self._quasi
        table, queries = self.data.rows.histogram(names), people.rows.histogram(names)

        def texts_of(columns: Columns, codes: np.ndarray) -> list[tuple[str, ...]]:
            texts = (np.array(columns[name].domain.labels, dtype=object) for name in names)
            return list(zip(*(column[codes[:, position]] for position, column in enumerate(texts)), strict=True))

        groups = {row: group for group, row in enumerate(texts_of(self.data.columns, table.codes))}
        return np.array([groups.get(row, -1) for row in texts_of(people.columns, queries.codes)], dtype=np.int64)


def sensitive_names(target: object) -> list[str]:
    """Return the names of the sensitive columns of a target, without looking at its rows."""
    if isinstance(target, RawTable):
        return [column.name for column in target.data.columns.sensitive]
    return [str(entry["name"]) for entry in target.described("sensitive")] if isinstance(target, Release) else []


def most_frequent_share(counts: Counts) -> float:
    """Return the share of the most frequent value in the table: how often guessing it is right without a release."""
    return float(counts.totals.max(initial=0) / max(float(counts.totals.sum()), 1e-12))
