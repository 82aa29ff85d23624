"""What analysts lose: a measure compares a release with the table that it was made from."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from voile import kernels
from voile.core.cells import Cells
from voile.core.domain import Domain
from voile.core.microdata import Microdata
from voile.core.plugin import Plugin
from voile.core.release import Release
from voile.core.results import Loss
from voile.core.rows import Histogram
from voile.core.shapes.bucketized import Bucketized
from voile.core.shapes.decomposed import Decomposed
from voile.core.shapes.generalized import Generalized
from voile.core.shapes.republished import Republished
from voile.core.shapes.sampled import Sampled
from voile.core.together import expected_rows
from voile.errors import DataError


@dataclass(frozen=True)
class Measure(Plugin):
    """One call: data and release in, a loss out. Lower is better."""

    family: ClassVar[str] = "measures"
    across: ClassVar[bool] = False  # releases of every shape can be compared by it

    def __call__(self, data: Microdata, release: Release) -> Loss:
        raise NotImplementedError  # pragma: no cover - every measure defines it


@dataclass(frozen=True, eq=False)
class View:
    """A release in the codes of the table it was made from."""

    data: Microdata
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
        return self.data.rows.histogram([*self.names, *(column.name for column in self.data.columns.sensitive)])

    @property
    def total(self) -> int:
        return self.data.rows.total

    @property
    def withheld(self) -> int:
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
        rows, people = kernels.distinct.weighted([self.release.group, *codes], sizes, ones)
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
        position = {leaf: code for code, leaf in enumerate(self.data.columns[name].domain.texts)}
        moved = np.array([position.get(leaf, -1) for leaf in counts.column.domain.texts], dtype=np.int64)[counts.values]
        share = release.sizes / np.maximum(release.sizes + release.counterfeits, 1)
        real = moved >= 0
        people = (counts.counts * share[counts.owner])[real]
        return counts.owner[real], moved[real].reshape(-1, 1), people

    def seen(self, name: str) -> np.ndarray:
        """Which values of a column occur in the table."""
        column = self.data.columns[name]
        counts = np.bincount(self.original.column(name), minlength=column.size)
        return counts > 0


def align(published: Domain, original: Domain) -> np.ndarray:
    """The original code of each published value."""
    position = {leaf: code for code, leaf in enumerate(original.texts)}
    codes = np.array([position.get(leaf, -1) for leaf in published.texts], dtype=np.int64)
    if (codes < 0).any():
        raise DataError(
            f"The release holds {int((codes < 0).sum())} values that do not occur in the table.",
            code="data.other-table",
            hint="Measure a release against the table that it was made from.",
        )
    return codes
