"""A group shown as linked tables, in which some values belong to nobody."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from voile.plugins.counted_nouns import count_noun
from voile.releases.published_tables import TableLayout
from voile.releases.shape_answers import SensitiveRows
from voile.releases.shape_contract import ShapeDescription
from voile.releases.shapes.bucketized import Bucketized
from voile.releases.table_codes import known_table_codes
from voile.tables.schema import Columns


@dataclass(frozen=True, eq=False, repr=False)
class Republished(Bucketized):
    """Like `Bucketized`, with a third table: how many of a group's sensitive values are counterfeits. These keep the
    list of values as it was when the group's people were published before."""

    shape: ClassVar[str] = "republished"
    has_counterfeits: ClassVar[bool] = True
    description: ClassVar[ShapeDescription] = ShapeDescription(
        "linked tables: exact quasi-identifiers, the sensitive values of each group, and how many of these values are "
        "counterfeits that belong to nobody",
        "Someone who knows a person’s quasi-identifier finds the person’s group, but not which of the group’s values "
        "belongs to the person, whether they have this release or several.",
        (
            "exact COUNT queries on quasi-identifier columns",
            "estimates of COUNT queries on sensitive values, since the number of counterfeits is known",
        ),
        (
            "which person of a group has which value, or which values are counterfeits",
            "exact totals of sensitive values where there are counterfeits",
        ),
    )

    @property
    def layout(self) -> dict[str, TableLayout]:
        return {**super().layout, "counterfeits": TableLayout(("group", "count"))}

    @property
    def group_columns(self) -> dict[str, list[str]]:
        return {}  # the table of counterfeits belongs to the groups as well

    @cached_property
    def counterfeits(self) -> np.ndarray:
        """The number of counterfeits of each group."""
        group = np.searchsorted(self._labels[0], self.column_of("counterfeits", "group").to_numpy())
        count = self.column_of("counterfeits", "count").to_numpy()
        known = group < len(self._labels[0])
        return np.bincount(group[known], weights=count[known], minlength=len(self._labels[0])).astype(np.int64)

    def sensitive_rows(self, columns: Columns) -> SensitiveRows:
        """Each value of a group stands for as much of a person as the counterfeits leave; values that nobody in the
        table has are certainly counterfeits."""
        ((name, counts),) = self.tallies.items()
        assert counts.column is not None
        codes = known_table_codes(counts.column.domain, columns[name].domain)[counts.values]
        share = self.sizes / np.maximum(self.slots, 1)
        real = codes >= 0
        people = (counts.counts * share[counts.owner])[real]
        return SensitiveRows(counts.owner[real], codes[real].reshape(-1, 1), people)

    def faults(self) -> list[str]:
        found = []
        counts = next(iter(self.tallies.values()))
        if not np.array_equal(counts.sizes, self.sizes + self.counterfeits):
            wrong = int((counts.sizes != self.sizes + self.counterfeits).sum())
            found.append(
                f"In {count_noun(wrong, 'group')} the number of values is not the number of people and counterfeits."
            )
        for table in ("sensitive", "counterfeits"):
            if bool((self.column_of(table, "count") < 1).any()):
                found.append(f"The table {table} holds counts below 1.")
        labels = self.column_of("counterfeits", "group")
        if labels.n_unique() < len(labels) or not np.isin(labels.to_numpy(), self._labels[0]).all():
            found.append("The table of counterfeits names groups twice, or groups that do not exist.")
        return found

    @property
    def slots(self) -> np.ndarray:
        """The number of slots to which each group's values are dealt: its people and its counterfeits."""
        return np.asarray(self.sizes + self.counterfeits)
