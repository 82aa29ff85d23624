"""What only some models can do, as mixins; and functions that give the usual answer for all other models."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Protocol, Self, runtime_checkable

import numpy as np

from voile.errors import PolicyError, option
from voile.models.base import Model
from voile.plugins.registry import learned_field
from voile.tables.group_counts import Counts
from voile.tables.row_protocol import Table
from voile.tables.schema import Column, Columns


class LearnsFromTable:
    """A model that must learn something from the table before it is published, e.g. an adversary's statistics."""

    def learn(self, columns: Columns, rows: Table) -> Model:
        """Return the model with what it learns from the rows, which are under a key."""
        raise NotImplementedError  # pragma: no cover - every model of this kind defines it


class HasColumnParameters:
    """A model with parameters of its own for each sensitive column."""

    def for_column(self, column: str | None) -> Model:
        """Return the model as it applies to one column."""
        raise NotImplementedError  # pragma: no cover - every model of this kind defines it


class NamesValues:
    """A model whose request names values, which must exist. A release need not show all of them, so `check`, which also
    runs when a release is verified, does not look."""

    def check_named_values(self, column: Column | None) -> None:
        """Raise PolicyError if the request names values that the column does not have."""
        raise NotImplementedError  # pragma: no cover - every model of this kind defines it


class ProtectsSets:
    """A model that bounds the belief in certain sets of values only."""

    def protected_sets(self, column: Column) -> np.ndarray:
        """Return the sets that `holds` looks at and whose belief is bounded: one row per set, true where a value is in
        it. Values that no set tells apart are alike to the model."""
        raise NotImplementedError  # pragma: no cover - every model of this kind defines it


class ProtectsValues(NamesValues, ProtectsSets):
    """A model that protects the values it names one by one; naming none protects every value."""

    @property
    def protected_values(self) -> tuple[str, ...]:
        """The values that the request names: by default those of the field `protect`."""
        values: tuple[str, ...] = self.protect  # type: ignore[attr-defined]
        return values

    @property
    def limits(self) -> str:
        return "protected belief" if self.protected_values else "belief"

    def protected_sets(self, column: Column) -> np.ndarray:
        singletons = single_values(column)
        is_named = [text in self.protected_values for text in column.domain.labels]
        return singletons[is_named] if self.protected_values else singletons

    def check_named_values(self, column: Column | None) -> None:
        assert column is not None
        repeated = len(self.protected_values) - len(set(self.protected_values))
        if repeated:
            raise PolicyError(
                f"{getattr(self, 'name', '')}: {repeated} of {len(self.protected_values)} protected values are named "
                "more than once.",
                code="policy.protect",
                hint="Name each value once.",
            )
        unknown_values = [value for value in self.protected_values if value not in column.domain.labels]
        if unknown_values:
            name = getattr(self, "name", "")
            raise PolicyError(
                f"{name}: {len(unknown_values)} of {len(self.protected_values)} protected values do not occur in "
                f"{column.name!r}.",
                code="policy.protect",
                hint="Check their spelling, or declare the column's domain.",
            )

    def describe_protected(self) -> str:
        """Name what is protected in the words of a promise: "a value", or "any of 3 protected values"."""
        number = len(self.protected_values)
        if number <= 1:
            return "the protected value" if number else "a value"
        return f"any of {number} protected values"


@dataclass(frozen=True)
class CountsPeople:
    """A model whose promise about people follows from one about rows, even if a person has several of them.

    If nobody has more than b rows, a row of a group of n is a given person's with probability at most b/n, and the
    belief that a person has a value in any row is at most b times the value's largest share of a group. So the model
    counts rows with its number multiplied by b (`rows_per_person`): 5-anonymity of people with at most 3 rows each
    needs groups of 15 rows.
    """

    rows_per_person: int = learned_field(1)

    def count_people(self, rows_per_person: int) -> Self:
        """Return the model for people with at most `rows_per_person` rows; PolicyError if it has no such form."""
        return replace(self, rows_per_person=rows_per_person)


class AcceptsDistinctValues:
    """A model that holds in any group of enough rows whose values are all different."""

    def distinct_values_needed(self) -> int | None:
        """Return how many rows with all different values make a group that holds; None if no number does."""
        raise NotImplementedError  # pragma: no cover - every model of this kind defines it


class SurvivesCuts:
    """A model that a method may serve which only cuts groups that hold, even where it is not monotone: such a method
    keeps the promise, and may merely stop at a cut that fails although finer ones would hold."""


@runtime_checkable
class BoundsByRate(Protocol):
    """A model that allows some people a higher belief than others, because they had a higher rate to begin with."""

    def belief_bound(self, rates: np.ndarray) -> np.ndarray:
        """Return the highest belief that the adversary may reach about people who had the value with these rates."""


@runtime_checkable
class NamesRates(Protocol):
    """A model whose claim is meant for adversaries who take people as alike, with certain rates of the values."""

    def named_rates(self, column: Column) -> np.ndarray:
        """Return such rates, one row per distribution over the values of the column."""


def belief_bounds(model: Model, rates: np.ndarray) -> np.ndarray:
    """Return the highest belief that may be reached about people with these rates: `bound()`, unless the model says
    otherwise."""
    bounds = model.belief_bound(rates) if isinstance(model, BoundsByRate) else float(model.bound())
    return np.broadcast_to(np.asarray(bounds, dtype=np.float64), rates.shape)


def single_values(column: Column) -> np.ndarray:
    """Return the sets that contain one value each."""
    return np.eye(column.size, dtype=bool)


def protected_sets(model: Model, column: Column) -> np.ndarray:
    """Return the sets of values whose belief a model bounds: each value by itself, unless the model says otherwise."""
    return model.protected_sets(column) if isinstance(model, ProtectsSets) else single_values(column)


def count_people(model: Model, rows_per_person: int) -> Model:
    """Return the model for people with at most `rows_per_person` rows each; PolicyError if it needs one row per
    person."""
    if rows_per_person == 1:
        return model
    if not isinstance(model, CountsPeople):
        raise needs_one_row(model.name, "it has no rule that makes a promise about rows one about people")
    return model.count_people(rows_per_person)


def in_any_row(model: CountsPeople) -> str:
    """Continue a promise that nobody can be linked to a value, where a person may have several rows."""
    return ", in any of their rows," if model.rows_per_person > 1 else ""


def each_with_rows(model: CountsPeople) -> str:
    """Continue a sentence about the rows of a table, where a person may have several."""
    return f", and a person has up to {model.rows_per_person} of them" if model.rows_per_person > 1 else ""


def needs_one_row(name: str, reason: str) -> PolicyError:
    """Build the error for a model or a method that works only where every person has one row."""
    return PolicyError(
        f"{name} needs one row per person: {reason}.",
        code="policy.rows-per-person",
        hint=f"Publish one row per person ({option('rows_per_person', 1)}). With several, use k-anonymity, frequency "
        "l-diversity or alpha-k-anonymity, and a method that generalizes, such as mondrian.",
    )


def distinct_values_needed(model: Model) -> int | None:
    """Return how many rows with all different values make a group that holds; None if no number does."""
    return model.distinct_values_needed() if isinstance(model, AcceptsDistinctValues) else None


def narrow_to_column(model: Model, column: str | None) -> Model:
    """Return the model as it applies to one column."""
    return model.for_column(column) if isinstance(model, HasColumnParameters) else model


def check_fit(model: Model, column: Column | None) -> None:
    """Raise PolicyError if a model does not fit a column, or names values that the column does not have."""
    model.check(column)
    if isinstance(model, NamesValues):
        model.check_named_values(column)


class WrapsRequirement(NamesValues, ProtectsSets, AcceptsDistinctValues):
    """A model that promises what another one does, its `requirement`, under further circumstances."""

    requirement: Model

    def holds(self, counts: Counts) -> np.ndarray:
        return self.requirement.holds(counts)

    def bound(self) -> Fraction:
        return self.requirement.bound()

    @property
    def limits(self) -> str:
        return self.requirement.limits

    def check(self, column: Column | None) -> None:
        self.requirement.check(column)

    def check_named_values(self, column: Column | None) -> None:
        check_fit(self.requirement, column)

    def protected_sets(self, column: Column) -> np.ndarray:
        return protected_sets(self.requirement, column)

    def smallest(self) -> int:
        return self.requirement.smallest()

    def distinct_values_needed(self) -> int | None:
        return distinct_values_needed(self.requirement)

    def best(self, counts: Counts) -> str:
        return self.requirement.best(counts)
