"""A group shown as two linked tables."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
import polars as pl

from voile.adversaries.group_members import Members, gather_members
from voile.plugins.counted_nouns import count_noun
from voile.releases.cells.cells import Cells
from voile.releases.known_rows import KnownColumn, KnownRows, explain_rows
from voile.releases.published_tables import TableLayout
from voile.releases.queries.query import Query
from voile.releases.queries.query_estimates import BucketEstimates
from voile.releases.shape_answers import SensitiveHome, SensitiveRows, TrainingRows
from voile.releases.shape_contract import ShapeDescription
from voile.releases.shapes.linked_base import LinkedShape, find_labels, sorted_labels
from voile.releases.table_codes import table_codes
from voile.tables.group_counts import Counts, tally
from voile.tables.schema import Columns


@dataclass(frozen=True, eq=False, repr=False)
class Bucketized(LinkedShape):
    """Each group is shown as two linked tables: the exact quasi-identifiers, and the counts of the sensitive values."""

    shape: ClassVar[str] = "bucketized"
    shows_members: ClassVar[bool] = True
    description: ClassVar[ShapeDescription] = ShapeDescription(
        "two linked tables: exact quasi-identifiers in one, the sensitive values of each group in the other",
        "Someone who knows a person’s quasi-identifier finds the person’s group, but not which of the group’s "
        "sensitive values belongs to the person. It does not hide who is in the table and who is not.",
        (
            "exact COUNT queries on quasi-identifier columns, and exact totals of every sensitive value",
            "estimates of COUNT queries on both, by spreading each group’s values evenly over its people",
        ),
        (
            "which person of a group has which value",
            "exact relations between quasi-identifiers and sensitive values: every group weakens them",
        ),
    )

    @property
    def layout(self) -> dict[str, TableLayout]:
        return {**super().layout, "sensitive": TableLayout(("group", "count"), self.column_names("sensitive"))}

    @property
    def group_columns(self) -> dict[str, list[str]]:
        return {"quasi": ["group"], "sensitive": ["group"]}

    def renumber_tables(self, people: int) -> dict[str, pl.DataFrame]:
        return {name: table.with_columns(pl.col("group") + people) for name, table in self.tables.items()}

    @cached_property
    def _labels(self) -> tuple[np.ndarray, np.ndarray]:
        """The group numbers in rising order, and the group of each row of the quasi table."""
        quasi = self.column_of("quasi", "group").to_numpy()
        labels = sorted_labels(quasi, self.column_of("sensitive", "group").to_numpy())
        return labels, find_labels(labels, quasi)

    @property
    def group_numbers(self) -> np.ndarray:
        """The published number of each group, rising."""
        return self._labels[0]

    @property
    def group(self) -> np.ndarray:
        """The group of each row of the quasi table."""
        return self._labels[1]

    @cached_property
    def sizes(self) -> np.ndarray:
        return np.bincount(self.group, minlength=len(self._labels[0]))

    @cached_property
    def tallies(self) -> dict[str, Counts]:
        entry = self.described("sensitive")[0]
        column, codes = self.published_column(entry, "sensitive")
        group = find_labels(self._labels[0], self.column_of("sensitive", "group").to_numpy())
        counts = self.column_of("sensitive", "count").to_numpy()
        return {column.name: tally(column, group, codes, counts, len(self._labels[0]))}

    @cached_property
    def members(self) -> Members:
        """Who is in each group: the quasi-identifier is published as it is."""
        columns, codes = zip(*self.exact_columns, strict=True)
        ones = np.ones(self.people, dtype=np.int64)
        return gather_members(columns, codes, self.group, ones, len(self._labels[0]))

    @property
    def sensitive_homes(self) -> dict[str, SensitiveHome]:
        return dict.fromkeys(self.sensitive_names, SensitiveHome("sensitive", "count"))

    def sensitive_rows(self, columns: Columns) -> SensitiveRows:
        ((name, counts),) = self.tallies.items()
        assert counts.column is not None
        recoded = table_codes(counts.column.domain, columns[name].domain)
        return SensitiveRows(counts.owner, recoded[counts.values].reshape(-1, 1), counts.counts)

    def known_rows(self) -> KnownRows:
        """The values of each group are dealt to its people, and to seats that belong to nobody."""
        self.require_sound()
        ((_, counts),) = self.tallies.items()
        assert counts.column is not None
        empty = np.repeat(np.arange(self.groups), self.slots - self.sizes)
        group = np.concatenate([self.group, empty])
        labels = pl.repeat("", self.groups, dtype=pl.String, eager=True)
        cells = Cells(counts.column.domain, labels, starts=counts.starts, members=counts.values)
        dealt = np.repeat(counts.values, counts.counts)
        columns = [
            *self.known_exact(len(empty)),
            KnownColumn(self.described("sensitive")[0], cells, group, dealt=dealt),
        ]
        return KnownRows(group, tuple(columns), len(empty), explain_rows(columns, len(empty)))

    def query_estimates(self, columns: Columns) -> BucketEstimates:
        return BucketEstimates(columns, self.groups, self.exact_rows(columns), self.sensitive_rows(columns))

    def training_rows(self, rng: np.random.Generator) -> TrainingRows:
        """Deal the values of each group to its people at random; with counterfeits among them everybody draws one."""
        counts = next(iter(self.tallies.values()))
        if counts.counts.sum() != self.people:
            return super().training_rows(rng)
        assert counts.column is not None
        order = np.lexsort((rng.random(len(self.group)), self.group))
        values = np.empty(len(order), dtype=np.int64)
        values[order] = np.repeat(counts.values, counts.counts)  # people in the order of groups, as the values are
        return self.exact_training(values, counts.column)

    def faults(self) -> list[str]:
        found = []
        counts = next(iter(self.tallies.values()))
        if not np.array_equal(counts.sizes, self.sizes):
            wrong = int((counts.sizes != self.sizes).sum())
            found.append(f"The two tables have different numbers of people in {count_noun(wrong, 'group')}.")
        if bool((self.column_of("sensitive", "count") < 1).any()):
            found.append("The sensitive table holds counts below 1.")
        return found

    def answer(self, query: Query) -> float:
        """Sum, over groups, the share of matching people times the number of matching sensitive values."""
        matching, values, slots = self._matching(query)
        return float((matching * values / np.maximum(slots, 1)).sum())

    @property
    def slots(self) -> np.ndarray:
        """The number of slots to which each group's values are dealt: its people."""
        return self.sizes

    def _matching(self, query: Query) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return, for each group, the people and the values that satisfy the conditions, and the number of slots."""
        name = str(self.described("sensitive")[0]["name"])
        quasi = self.tables["quasi"]
        query.check([*(column for column in quasi.columns if column != "group"), name])
        weight = np.ones(self.people)
        for column, condition in query.conditions.items():
            if column != name:
                weight *= condition.matches(quasi[column])
        matching = np.bincount(self.group, weights=weight, minlength=len(self.sizes))
        if name not in query.conditions:
            return matching, self.slots, self.slots  # everybody has some value
        table = self.tables["sensitive"]
        chosen = query.conditions[name].matches(table[name]) * table["count"].to_numpy()
        group = find_labels(self._labels[0], table["group"].to_numpy())
        return matching, np.bincount(group, weights=chosen, minlength=len(self.sizes)), self.slots
