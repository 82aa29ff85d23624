"""A group shown as two linked tables, some of its values being nobody's."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from voile.core.query import Query
from voile.core.shapes.bucketized import Bucketized


@dataclass(frozen=True, eq=False, repr=False)
class Republished(Bucketized):
    """As bucketized, with a third table: how many of a group's sensitive values are counterfeits, which keep the list
    of values as it was when the group's people were shown before."""

    shape: ClassVar[str] = "republished"

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

    def faults(self) -> list[str]:
        found = []
        counts = next(iter(self.tallies.values()))
        if not np.array_equal(counts.sizes, self.sizes + self.counterfeits):
            wrong = int((counts.sizes != self.sizes + self.counterfeits).sum())
            found.append(f"{wrong} groups have values for another number of people and counterfeits.")
        for table in ("sensitive", "counterfeits"):
            if bool((self.column_of(table, "count") < 1).any()):
                found.append(f"The table {table} holds counts below 1.")
        labels = self.column_of("counterfeits", "group")
        if labels.n_unique() < len(labels) or not np.isin(labels.to_numpy(), self._labels[0]).all():
            found.append("The table of counterfeits names groups twice, or groups that are not there.")
        return found

    def answer(self, query: Query) -> float:
        """As bucketized, each group's values being spread over its people and its counterfeits alike."""
        name = str(self.described("sensitive")[0]["name"])
        quasi = self.tables["quasi"]
        query.check([*(column for column in quasi.columns if column != "group"), name])
        if name not in query.conditions:
            return super().answer(query)
        weight = np.ones(self.people)
        for column, condition in query.conditions.items():
            if column != name:
                weight *= condition.matches(quasi[column])
        matching = np.bincount(self.group, weights=weight, minlength=len(self.sizes))
        table = self.tables["sensitive"]
        chosen = query.conditions[name].matches(table[name]) * table["count"].to_numpy()
        group = np.searchsorted(self._labels[0], table["group"].to_numpy())
        values = np.bincount(group, weights=chosen, minlength=len(self.sizes))
        return float((matching / np.maximum(self.sizes + self.counterfeits, 1) * values).sum())
