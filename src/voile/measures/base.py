"""What analysts lose: a measure compares a release with the table that it was made from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from voile import kernels
from voile.errors import DataError
from voile.plugins.registry import Plugin
from voile.releases.cells import Cells
from voile.releases.release import Release
from voile.releases.shapes.bucketized import Bucketized
from voile.releases.shapes.decomposed import Decomposed
from voile.releases.shapes.expected_rows import expected_rows
from voile.releases.shapes.generalized import Generalized
from voile.releases.shapes.republished import Republished
from voile.releases.shapes.sampled import Sampled
from voile.results import Loss
from voile.tables.domain import Domain
from voile.tables.microdata import Microdata
from voile.tables.part_protocol import Over
from voile.tables.row_protocol import Histogram
from voile.tables.schema import Columns


@dataclass(frozen=True)
class Measure(Plugin):
    """One call: data and release in, a loss out. Lower is better."""

    family: ClassVar[str] = "measures"
    across: ClassVar[bool] = False  # releases of every shape can be compared by it

    def __call__(self, data: Microdata, release: Release) -> Loss:
        raise NotImplementedError  # pragma: no cover - every measure defines it


@dataclass(frozen=True, eq=False)
class Outline:
    """What is known of a table without its rows: how many they are, and which values occur in each column."""

    columns: Columns
    total: int
    seen: Mapping[str, np.ndarray]

    def __repr__(self) -> str:
        return f"Outline({self.total} rows, {len(self.seen)} columns)"


def outline(data: Microdata) -> Outline:
    """A table without its rows."""
    seen = {}
    for column in (*data.columns.quasi, *data.columns.sensitive):
        seen[column.name] = np.zeros(column.size, dtype=bool)
        seen[column.name][data.rows.histogram([column.name]).codes[:, 0]] = True
    return Outline(data.columns, data.rows.total, seen)


@dataclass(frozen=True)
class ByGroup(Measure):
    """A measure that looks at one group at a time: it is computed of pieces of a release, and then of what was found in
    them. A release in memory is one piece."""

    def __call__(self, data: Microdata, release: Release) -> Loss:
        return self.over(data, release, lambda work, *more: [work(release, *more)])

    def over(self, data: Microdata, release: Release, over: Over) -> Loss:
        """The loss of a release that `over` brings piece by piece; its own tables are not looked at."""
        table = outline(data)
        return self.whole(table, release, over(found_in, self, table))

    def piece(self, view: View) -> Any:
        """What is found in one piece."""
        raise NotImplementedError  # pragma: no cover - every measure of this kind defines it

    def whole(self, table: Outline, release: Release, found: Sequence[Any]) -> Loss:
        """The loss, from what was found in the pieces."""
        raise NotImplementedError  # pragma: no cover - every measure of this kind defines it


def found_in(piece: Release, measure: ByGroup, table: Outline) -> Any:
    """What a measure finds in one piece."""
    return measure.piece(View(table, piece))


def mean_costs(table: Outline, found: Sequence[tuple[int, Mapping[str, float]]]) -> dict[str, float]:
    """For each quasi-identifier column the mean cost of a cell, from the people and the costs of every piece; in a row
    that is withheld each cell costs 1."""
    withheld = max(table.total - sum(people for people, _ in found), 0)
    names = [column.name for column in table.columns.quasi]
    return {name: (sum(costs[name] for _, costs in found) + withheld) / table.total for name in names}


@dataclass(frozen=True, eq=False)
class View:
    """A release, or a piece of one, in the codes of the table that it was made from."""

    data: Microdata | Outline
    release: Release

    def __post_init__(self) -> None:
        published = {str(entry["name"]) for entry in self.release.dictionary["columns"]}
        lost = [column.name for column in self.data.columns if column.name not in published]
        if lost:
            raise DataError(
                f"The release lacks {len(lost)} columns of the table: {', '.join(lost)}.",
                code="data.other-table",
                hint="Measure a release against the table that it was made from, read with the same schema.",
            )

    @property
    def names(self) -> list[str]:
        return [column.name for column in self.data.columns.quasi]

    @cached_property
    def original(self) -> Histogram:
        """Distinct rows of the table, quasi-identifier and sensitive columns."""
        assert isinstance(self.data, Microdata), "an outline has no rows"
        return self.data.rows.histogram([*self.names, *(column.name for column in self.data.columns.sensitive)])

    @property
    def total(self) -> int:
        return self.data.total if isinstance(self.data, Outline) else self.data.rows.total

    @property
    def withheld(self) -> int:
        """How many people a whole release leaves out."""
        return max(self.total - self.release.people, 0)

    @cached_property
    def cells(self) -> dict[str, tuple[Cells, np.ndarray]]:
        """For a release of boxes: the cells of each column, and the cell of each group."""
        if not isinstance(self.release, (Generalized, Sampled)):
            return {}
        release = self.release
        return {
            name: (release.cells[name].onto(self.data.columns[name].domain), release.boxes[name]) for name in self.names
        }

    @cached_property
    def quasi(self) -> tuple[np.ndarray, np.ndarray]:
        """For a release with exact quasi-identifiers: the group and the quasi-identifier codes of each row."""
        assert isinstance(self.release, (Bucketized, Decomposed))
        table = self.release.tables["quasi"]
        columns = []
        for entry in self.release.described("quasi"):
            column, codes = self.release.sensitive_column(entry, "quasi")
            columns.append(align(column.domain, self.data.columns[column.name].domain)[codes])
        assert table.height == len(self.release.group)
        return self.release.group, np.stack(columns, axis=1)

    @cached_property
    def sensitive(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The published sensitive rows: group, codes of all sensitive columns, and how many people; of a decomposed
        release those that are expected."""
        names = [column.name for column in self.data.columns.sensitive]
        if isinstance(self.release, Republished):
            return self._without_counterfeits(self.release, names[0])
        if isinstance(self.release, Decomposed):
            group, shown, chance = expected_rows(self.release)
            places = self.release.names
            codes = [self.recoded(name)[shown[:, places.index(name)]] for name in names]
            return group, np.stack(codes, axis=1), chance
        table = "sensitive" if isinstance(self.release, Bucketized) else "table"
        codes = []
        for entry in self.release.described("sensitive"):
            column, code = self.release.sensitive_column(entry, table)
            codes.append(align(column.domain, self.data.columns[column.name].domain)[code])
        if isinstance(self.release, Bucketized):
            counts = self.release.tallies[names[0]]
            moved = align(counts.column.domain, self.data.columns[names[0]].domain) if counts.column else None
            assert moved is not None
            return counts.owner, moved[counts.values].reshape(-1, 1), counts.counts
        if isinstance(self.release, Sampled):  # as published: who asks must undo the channel
            return np.arange(self.release.groups), codes[0].reshape(-1, 1), self.release.sizes
        assert isinstance(self.release, Generalized)
        sizes = [self.release.groups, *(column.size for column in self.data.columns.sensitive)]
        ones = np.ones(self.release.people, dtype=np.int64)
        rows, people = kernels.distinct_rows.weigh_rows([self.release.group, *codes], sizes, ones)
        return rows[:, 0].astype(np.int64), rows[:, 1:], people

    def recoded(self, name: str) -> np.ndarray:
        """For a decomposed release: the table's code of each published code of a sensitive column."""
        assert isinstance(self.release, Decomposed)
        return align(self.release.listings[name].column.domain, self.data.columns[name].domain)

    def _without_counterfeits(self, release: Republished, name: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Each value of a group stands for as much of a person as the counterfeits leave; values that nobody in the
        table has are surely counterfeits."""
        counts = release.tallies[name]
        assert counts.column is not None
        position = {leaf: code for code, leaf in enumerate(self.data.columns[name].domain.labels)}
        moved = np.array([position.get(leaf, -1) for leaf in counts.column.domain.labels], dtype=np.int64)[
            counts.values
        ]
        share = release.sizes / np.maximum(release.sizes + release.counterfeits, 1)
        real = moved >= 0
        people = (counts.counts * share[counts.owner])[real]
        return counts.owner[real], moved[real].reshape(-1, 1), people

    def seen(self, name: str) -> np.ndarray:
        """Which values of a column occur in the table."""
        table = self.data if isinstance(self.data, Outline) else outline(self.data)
        return table.seen[name]


def align(published: Domain, original: Domain) -> np.ndarray:
    """The original code of each published value."""
    position = {leaf: code for code, leaf in enumerate(original.labels)}
    codes = np.array([position.get(leaf, -1) for leaf in published.labels], dtype=np.int64)
    if (codes < 0).any():
        raise DataError(
            f"The release holds {int((codes < 0).sum())} values that do not occur in the table.",
            code="data.other-table",
            hint="Measure a release against the table that it was made from.",
        )
    return codes
