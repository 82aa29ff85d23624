"""What a model is: a promise about every group, as a predicate on counts."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np

from voile.adversaries.adversary import Adversary
from voile.errors import PolicyError, option
from voile.models.evidence import Evidence
from voile.plugins.registry import Plugin
from voile.releases.release import Release
from voile.results import Answer
from voile.tables.group_counts import Counts
from voile.tables.row_protocol import Table
from voile.tables.schema import Column, Columns, suggest_name


@dataclasses.dataclass(frozen=True)
class Model(Plugin):
    """What is promised about every group, as a predicate on counts.

    `limits` says what `bound()` bounds: "identity" (which row is yours), "belief" (which value is yours), "protected
    belief" (the same, for some values only), "gain" (how much belief in any values may grow) or "distance" (how far a
    group may differ from the table otherwise). `monotone` means that merging two groups that hold gives one that holds;
    `threshold` that a group holds if and only if it has `smallest()` rows; `follows` that it needs to know who is who
    from one release to the next.
    """

    family: ClassVar[str] = "models"
    limits: ClassVar[str] = "belief"
    monotone: ClassVar[bool] = True
    reads_values: ClassVar[bool] = True
    threshold: ClassVar[bool] = False
    follows: ClassVar[bool] = False
    basis: ClassVar[str] = "counts"
    method: ClassVar[str] = "mondrian"
    shapes: ClassVar[tuple[str, ...]] = ("generalized", "bucketized")

    def holds(self, counts: Counts) -> np.ndarray:
        """One answer a group."""
        raise NotImplementedError  # pragma: no cover - every model defines it

    def judge(self, release: Release, counts: Counts, evidence: Evidence) -> tuple[Answer, str]:
        """Whether a release keeps the promise, as far as the basis and the evidence tell; and what was looked at."""
        held = self.holds(counts)
        failing = int((~held).sum())
        if failing or not len(held):
            return Answer.BROKEN, f"{failing} of {len(held)} groups do not satisfy it."
        return Answer.HOLDS, f"Recounted in {len(held)} groups."

    def found(self, release: Release, counts: Counts, evidence: Evidence) -> Mapping[str, Any]:
        """What the certificate states beyond the bound, e.g. the greatest belief that was found."""
        return {}

    def informed(self, columns: Columns, rows: Table) -> Model:
        """The model with what it must learn from the table first, e.g. an adversary's statistics."""
        return self

    def of(self, column: str | None) -> Model:
        """The model as it speaks of one column, where columns have parameters of their own."""
        return self

    def bound(self) -> Fraction:
        """The most that the adversary may reach."""
        raise NotImplementedError  # pragma: no cover - every model defines it

    def adversary(self) -> Adversary:
        """Whom the promise holds against."""
        raise NotImplementedError  # pragma: no cover - every model defines it

    def limited(self) -> str:
        """What `bound()` bounds, where it depends on the parameters."""
        return self.limits

    def promise(self, column: str) -> str:
        """The promise in plain words."""
        raise NotImplementedError  # pragma: no cover - every model defines it

    def guarded(self, column: Column) -> np.ndarray:
        """The sets of values that `holds` looks at and whose belief is bounded: one row a set, true where a value is in
        it. Values that no set tells apart are alike to the model."""
        return np.eye(column.size, dtype=bool)

    def following(self, earlier: Sequence[Release]) -> Model:
        """The model with the earlier releases of the same people, where it speaks of several."""
        return self

    def smallest(self) -> int:
        """No group below this size can hold: a fast necessary test."""
        return 1

    def all_different(self) -> int | None:
        """How many rows with all different values make a group that holds; None if no number does."""
        return None

    def best(self, counts: Counts) -> str:
        """What the whole table in one group could reach, for the error when even that fails."""
        return ""

    def check(self, column: Column | None) -> None:
        """Raise PolicyError where the model does not fit a column, e.g. a numeric model on categories."""

    def check_values(self, column: Column | None) -> None:
        """Raise PolicyError where the request names values that the column does not have."""

    def targets(self, columns: Columns) -> list[Column | None]:
        """The sensitive columns it speaks of: the named one, or each; none for a model of sizes."""
        if not self.reads_values:
            return [None]
        named = getattr(self, "column", None)
        if named is not None:
            known = [column.name for column in columns.sensitive]
            if named not in known:
                raise PolicyError(
                    f"{self.name} speaks of {named!r}, which is no sensitive column.",
                    code="policy.column",
                    hint=suggest_name(named, known),
                )
            return [columns[named]]
        if not columns.sensitive:
            raise PolicyError(
                f"{self.name} needs a sensitive column.",
                code="policy.no-sensitive",
                hint=f"Name one, e.g. {option('sensitive', ['disease'])}.",
            )
        return list(columns.sensitive)


def require_values(model: Model, column: Column | None, named: Sequence[str]) -> None:
    """Raise PolicyError where a request names values that the column does not have."""
    assert column is not None
    unknown = [value for value in named if value not in column.domain.labels]
    if unknown:
        raise PolicyError(
            f"{model.name}: {len(unknown)} of {len(named)} protected values do not occur in {column.name!r}.",
            code="policy.protect",
            hint="Check their spelling, or declare the column's domain.",
        )
