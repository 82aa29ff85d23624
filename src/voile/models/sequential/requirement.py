"""What a model requires of the values that several releases show."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from voile.errors import DataError
from voile.models.abilities import protected_sets
from voile.models.alpha_k import AlphaK
from voile.models.base import Model
from voile.models.l_diversity import LDiversity
from voile.models.personalized import Personalized
from voile.releases.joint.closure import JointGroup
from voile.releases.joint.value_types import TypedReleases
from voile.tables.domain import Domain
from voile.tables.group_counts import Counts
from voile.tables.schema import Column


@dataclass(frozen=True, eq=False)
class Requirement:
    """What must hold in every cell: the model, the column that it reads, and the code in that column of each type of
    value."""

    model: Model
    column: Column
    codes: np.ndarray

    @property
    def bounds_shares(self) -> bool:
        """Whether the model bounds the shares of certain sets of values (and asks for a smallest size), and nothing
        else."""
        frequency = isinstance(self.model, LDiversity) and self.model.form == "frequency"
        return frequency or isinstance(self.model, (AlphaK, Personalized))

    def holds(self, groups: Sequence[JointGroup]) -> np.ndarray:
        """Return for each group whether the model holds there."""
        entries: Counter[tuple[int, int]] = Counter()
        for number, group in enumerate(groups):
            for kind, count in group.values.items():
                entries[number, int(self.codes[kind])] += count
        rows = np.array(sorted((*pair, count) for pair, count in entries.items()), dtype=np.int64).reshape(-1, 3)
        sizes = np.bincount(rows[:, 0], rows[:, 2], len(groups)).astype(np.int64)
        starts = np.searchsorted(rows[:, 0], np.arange(len(groups) + 1))
        totals = np.bincount(rows[:, 1], rows[:, 2], self.column.size).astype(np.int64)
        return self.model.holds(Counts(sizes, starts, rows[:, 1], rows[:, 2], totals, self.column))

    def event_sets(self, values: Sequence[int]) -> np.ndarray:
        """Return the sets whose belief is bounded over some types of values: sets x values."""
        sets = protected_sets(self.model, self.column)[:, self.codes[list(values)]]
        return np.unique(sets[sets.any(axis=1)], axis=0)


def make_requirement(model: Model, column: Column, typed: TypedReleases) -> Requirement:
    """Return what a model requires of the types of values that several releases show. `column` is that of the newest
    release, and gets the values that only others have."""
    place = typed.names.index(column.name)
    texts = [own[place] for own in typed.texts]
    missing = sorted(set(texts) - set(column.domain.labels))
    if not missing:
        code_of = {text: code for code, text in enumerate(column.domain.labels)}
        return Requirement(model, column, np.array([code_of[text] for text in texts], dtype=np.int64))
    if column.hierarchy is not None and isinstance(model, Personalized):
        raise DataError(
            f"{len(missing)} values of {column.name!r} are in other releases only, and nothing says which guarded "
            "nodes they lie below.",
            code="data.after-values",
            hint="Declare the domain of the column, so that every release lists the same values.",
        )
    if column.domain.uses_intervals:
        with suppress(ValueError):
            numbers = np.array([float(text) for text in texts])
            values, codes = np.unique(numbers, return_inverse=True)
            wider = replace(column, domain=Domain(pl.Series(values), column.kind), hierarchy=None)
            return Requirement(model, wider, np.asarray(codes, dtype=np.int64))
    labels = [*column.domain.labels, *missing]
    code_of = {text: code for code, text in enumerate(labels)}
    wider = replace(column, domain=Domain(pl.Series(labels, dtype=pl.String), "categorical"), hierarchy=None)
    return Requirement(model, wider, np.array([code_of[text] for text in texts], dtype=np.int64))
