"""The questions that every shape answers about its own tables.

Models, attacks and measures ask a release, never its class. A shape overrides the answers that it can give; the
defaults here say that there is nothing to tell, or raise where the question has no meaning.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, Self

import numpy as np
import polars as pl

from voile.adversaries.group_members import Members
from voile.errors import BrokenPromise
from voile.releases.cells.cells import Cells
from voile.releases.known_rows import KnownRows
from voile.releases.partitioned_tables import PartitionedTables
from voile.releases.published_tables import PublishedTables
from voile.releases.queries.query import Condition, Query
from voile.releases.queries.query_estimates import QueryEstimates
from voile.releases.randomized_response import Channel
from voile.releases.row_matching.known_values import Allowance, BeliefsGiven
from voile.releases.shape_answers import (
    BeliefBound,
    QuasiEntries,
    RegisterMatches,
    SensitiveHome,
    SensitiveRows,
    TrainingRows,
    ValuePairs,
)
from voile.tables.group_counts import Counts
from voile.tables.microdata import Microdata
from voile.tables.schema import Columns


@dataclass(frozen=True)
class ShapeDescription:
    """A shape in words, for the report: what is published, what it hides, and what a recipient can and cannot compute
    from it."""

    contents: str
    protection: str = ""
    computable: tuple[str, ...] = ()
    not_computable: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False, repr=False)
class ShapeContract(PublishedTables):
    """What a shape tells from its tables alone: who is in one group, which sensitive values a group has, and more."""

    description: ClassVar[ShapeDescription] = ShapeDescription("tables")
    shows_boxes: ClassVar[bool] = False  # every group is a box of quasi-identifier cells: `box_cells`
    shows_members: ClassVar[bool] = False  # the quasi-identifiers of a group's people are published: `members`
    has_counterfeits: ClassVar[bool] = False  # some sensitive values may belong to nobody
    serves_several_rows: ClassVar[bool] = False  # a person may have several rows: nothing shows whose they are
    covers_domain: ClassVar[bool] = False  # boxes and values reach over the whole domain, not only what occurs

    # groups and their sensitive values -------------------------------------------------------------------------------
    @property
    def people(self) -> int:
        """The number of people in the release."""
        raise NotImplementedError  # pragma: no cover - every shape defines it

    @property
    def groups(self) -> int:
        """The number of groups."""
        if isinstance(self.tables, PartitionedTables) and self.group_columns:
            return self.tables.count(self.group_columns)[1]
        return len(self.sizes)

    @cached_property
    def sizes(self) -> np.ndarray:
        """The number of people in each group."""
        raise NotImplementedError  # pragma: no cover - every shape defines it

    @cached_property
    def tallies(self) -> dict[str, Counts]:
        """The sensitive values of each group, by column."""
        raise NotImplementedError  # pragma: no cover - every shape defines it

    @property
    def channel(self) -> Channel | None:
        """The channel that the sensitive values went through before publication; None where they are true."""
        return None

    def faults(self) -> list[str]:
        """Return what is wrong with the tables themselves, whatever is claimed about them."""
        return []

    def add_ends(self) -> Self:
        """Return the release with typed columns for the ends of ranges, where cells are labels of ranges."""
        return self

    def require_sound(self) -> None:
        """Raise BrokenPromise where the tables contradict each other, so that nothing can be concluded from them."""
        found = self.faults()
        if found:
            raise BrokenPromise(found[0], code="broken.table", hint="The folder was changed after publishing.")

    @property
    def sensitive_names(self) -> list[str]:
        """The sensitive columns, in the order in which the shape treats them."""
        return [str(entry["name"]) for entry in self.described("sensitive")]

    @property
    def sensitive_homes(self) -> dict[str, SensitiveHome]:
        """The table of each sensitive column, for a shape that has `group_columns`."""
        raise NotImplementedError(f"A {self.shape} release is not read piece by piece.")

    def value_rows(self, name: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return group, code and people of the published values of a sensitive column; row by row, in the same order
        for all columns, where rows show complete sensitive rows."""
        counts = self.tallies[name]
        return counts.owner, counts.values, counts.counts

    def sensitive_rows(self, columns: Columns) -> SensitiveRows:
        """Return the published (or expected) sensitive rows in the codes of the columns of the original table."""
        raise NotImplementedError  # pragma: no cover - every shape defines it

    def pairs_of_values(self, one: str, other: str) -> ValuePairs | None:
        """Return the pairs of values of two sensitive columns in each group; None where nothing links the columns."""
        return None

    def belief_bound(self, name: str) -> BeliefBound | None:
        """Return the largest belief in a value of a column, where it is not the largest share in `tallies`."""
        return None

    def beliefs_given(
        self, name: str, allowance: Allowance, data: Microdata | None = None, column: str | None = None
    ) -> BeliefsGiven | None:
        """Return the beliefs in a column of somebody who knows values of other columns (or of one `column`) within an
        allowance; None where nothing tells which values occur together, unless the original table does."""
        return None

    def guess_accuracy(self, name: str, data: Microdata) -> float | None:
        """Return how often the most common value that a group may have is right, where lists hide how common values
        are; else None."""
        return None

    @property
    def sampling_notes(self) -> dict[str, float]:
        """Remarks for an attack where beliefs were sampled: how many people, and the widest interval."""
        return {}

    # people and their groups -----------------------------------------------------------------------------------------
    @property
    def box_cells(self) -> dict[str, tuple[Cells, np.ndarray]]:
        """The cells of each quasi-identifier column, and the cell of every group; empty where groups are no boxes."""
        return {}

    @property
    def stated_means(self) -> dict[str, pl.Series]:
        """The mean of each group, of each column that has means; empty where no means are published."""
        return {}

    def table_cells(self, columns: Columns) -> dict[str, tuple[Cells, np.ndarray]]:
        """Return `box_cells` in the codes of the columns of the original table."""
        shown = self.box_cells
        names = [column.name for column in columns.quasi] if shown else []
        return {name: (shown[name][0].recode(columns[name].domain), shown[name][1]) for name in names}

    @property
    def members(self) -> Members:
        """Who is in each group, where the release shows the quasi-identifier as it is."""
        raise BrokenPromise(
            f"A {self.shape} release does not show who is in a group.",
            code="broken.members",
            hint="Only a release with exact quasi-identifiers can be checked against a prior.",
        )

    def exact_rows(self, columns: Columns) -> tuple[np.ndarray, np.ndarray]:
        """Return the group and the quasi-identifier of each person, in the codes of the original table's columns."""
        raise NotImplementedError(f"A {self.shape} release shows no exact quasi-identifiers.")

    def exact_texts(self) -> list[tuple[int, tuple[str, ...]]]:
        """Return the group and the quasi-identifier of each person, as text."""
        raise NotImplementedError(f"A {self.shape} release shows no exact quasi-identifiers.")

    def quasi_entries(self) -> QuasiEntries:
        """Return the different quasi-identifiers that each group shows, as cells."""
        raise NotImplementedError  # pragma: no cover - every shape defines it

    def locate(self, people: Microdata) -> np.ndarray:
        """Return the group of each distinct quasi-identifier of a table of people; -1 where none or several fit."""
        raise NotImplementedError  # pragma: no cover - every shape defines it

    def homes(self, people: Microdata) -> np.ndarray:
        """Return the same as `locate`, with different numbers for people whom several boxes fit and whom none does."""
        raise NotImplementedError(f"A {self.shape} release shows no boxes.")

    def candidates(self, external: Microdata) -> tuple[np.ndarray, np.ndarray]:
        """Return, for rows that are taken together, how many external people fit and how many rows they are."""
        raise NotImplementedError  # pragma: no cover - every shape defines it

    def match_register(self, register: Microdata) -> RegisterMatches:
        """Return the people of a register in every group that they fit."""
        raise NotImplementedError  # pragma: no cover - every shape defines it

    # estimates -------------------------------------------------------------------------------------------------------
    def answer(self, query: Query) -> float:
        """Estimate the number of people who satisfy a query."""
        raise NotImplementedError  # pragma: no cover - every shape defines it

    def query_estimates(self, columns: Columns) -> QueryEstimates:
        """Prepare estimates of many queries, asked in the codes of the columns of the original table."""
        raise NotImplementedError  # pragma: no cover - every shape defines it

    def known_rows(self) -> KnownRows:
        """Return the rows behind the release, one per person, as far as it shows them."""
        raise NotImplementedError  # pragma: no cover - every shape defines it

    def narrow_bounds(self, conditions: Mapping[str, Condition], low: int, high: int) -> tuple[int, int]:
        """Return narrower certain bounds of a count of published people, where tables that belong to no group tell."""
        return low, high

    def training_rows(self, rng: np.random.Generator) -> TrainingRows:
        """Draw a table that agrees with the release, to learn from."""
        raise NotImplementedError  # pragma: no cover - every shape defines it
