"""The types of sensitive values: values that the requirement treats alike are one type.

Elimination distinguishes types only, which keeps the states few. Within a type, belief is shared out as the group shows
the values.
"""

from __future__ import annotations

from typing import cast

import numpy as np

from voile import kernels
from voile.models.abilities import protected_sets
from voile.models.kinds import reads_column
from voile.models.policy import Policy
from voile.releases.release import Release
from voile.tables.group_counts import tally
from voile.tables.schema import Column, Columns


class ValueTypes:
    """The types of one release under one requirement, numbered; `name` is the column that beliefs are about.

    Group g has the types `code[starts[g]:starts[g + 1]]`, each `count` times.
    """

    def __init__(self, release: Release, policy: Policy, name: str) -> None:
        self.release, self.policy = release, policy
        self.columns = sensitive_columns(release)
        self.reads = policy.columns_read(self.columns)
        classes = [self._classify(cast(Column, release.tallies[column.name].column)) for column in self.reads]
        value_rows = [release.value_rows(column.name) for column in self.reads]
        group, weight = value_rows[0][0], value_rows[0][2]
        class_codes = [value_classes[code] for value_classes, (_, code, _) in zip(classes, value_rows, strict=True)]
        sizes = [release.groups, *(int(value_classes.max(initial=0)) + 1 for value_classes in classes)]
        rows, self.count = kernels.distinct_rows.weigh_rows([group, *class_codes], sizes, weight)
        kinds, code = np.unique(rows[:, 1:], axis=0, return_inverse=True)
        self.code = code.ravel()
        self.starts = np.searchsorted(rows[:, 0].astype(np.int64), np.arange(release.groups + 1))
        # one value per class, to judge with
        self.examples = [
            np.array([int(np.flatnonzero(value_classes == code)[0]) for code in kinds[:, position]], dtype=np.int64)
            for position, value_classes in enumerate(classes)
        ]
        position_of_name = [column.name for column in self.reads].index(name)
        self.value_class, self.type_class = classes[position_of_name], kinds[:, position_of_name].astype(np.int64)

    def _classify(self, column: Column) -> np.ndarray:
        """Return the class of each value of a column: values are alike if every model puts them into the same sets."""
        sets = [protected_sets(model, column) for model in self.policy if reads_column(model, column.name)]
        _, value_classes = np.unique(np.concatenate(sets), axis=1, return_inverse=True)
        return np.asarray(value_classes.ravel())

    def of_group(self, group: int) -> tuple[np.ndarray, np.ndarray]:
        """Return the types in a group, and the count of each."""
        inside = slice(self.starts[group], self.starts[group + 1])
        return self.code[inside], self.count[inside]

    def share_of_values(self) -> np.ndarray:
        """Return the chance of each type if every value is equally likely; there must be one column."""
        sizes = np.bincount(self.value_class)[self.type_class].astype(np.float64)
        return np.asarray(sizes / sizes.sum())

    def judge(self, case: np.ndarray, kind: np.ndarray, weight: np.ndarray, cases: int) -> np.ndarray:
        """Say which of many groups satisfy the requirement; a group without people is never shown."""
        tallies, sizes = {}, np.bincount(case, weights=weight, minlength=cases).astype(np.int64)
        for column, example in zip(self.reads, self.examples, strict=True):
            totals = self.release.tallies[column.name].totals
            tallies[column.name] = tally(column, case, example[kind], weight, cases, totals)
        return np.asarray(self.policy.holds(self.columns, tallies, sizes) | (sizes == 0))

    def spread_over_values(self, group: int, expected: np.ndarray, shares: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Turn people by entry and type into belief by entry and value, and the people of each entry who are present.
        `shares` are those of the values in the group; values of one type divide its people in proportion."""
        types, _ = self.of_group(group)
        present = expected.sum(axis=1)
        by_type = expected / np.maximum(present, 1e-300)[:, None]
        by_class = np.zeros((len(expected), int(self.value_class.max(initial=0)) + 1))
        np.add.at(by_class.T, self.type_class[types], by_type.T)
        of_class = np.bincount(self.value_class, weights=shares, minlength=by_class.shape[1])
        within = shares / np.maximum(of_class[self.value_class], 1e-300)
        return by_class[:, self.value_class] * within, present


def sensitive_columns(release: Release) -> Columns:
    """Return the sensitive columns of a release, as a requirement reads them."""
    return Columns((), tuple(counts.column for counts in release.tallies.values() if counts.column), ())
