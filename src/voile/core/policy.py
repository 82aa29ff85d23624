"""What must hold: a conjunction of models."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np

from voile.core.adversary import Adversary
from voile.core.certificate import Claim
from voile.core.counts import Counts, sizes_only
from voile.core.evidence import Evidence
from voile.core.plugin import Plugin
from voile.core.prior import Prior
from voile.core.release import Release
from voile.core.results import Answer
from voile.core.rows import Table
from voile.core.schema import Column, Columns, nearest
from voile.errors import PolicyError, SpecError, Unsatisfiable, raise_together


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
                    hint=nearest(named, known),
                )
            return [columns[named]]
        if not columns.sensitive:
            raise PolicyError(
                f"{self.name} needs a sensitive column.",
                code="policy.no-sensitive",
                hint="Name one, e.g. sensitive=['disease'].",
            )
        return list(columns.sensitive)


class Policy:
    """The models that a release must satisfy together.

    >>> import voile as vl
    >>> vl.Policy(vl.KAnonymity(k=5), vl.LDiversity(l=3))
    Policy(KAnonymity(k=5), LDiversity(l=3))
    """

    def __init__(self, *models: Model) -> None:
        if not models:
            raise PolicyError(
                "A policy needs at least one model.", code="policy.empty", hint="E.g. Policy(KAnonymity(k=5))."
            )
        for model in models:
            if not isinstance(model, Model):
                raise PolicyError(f"{type(model).__name__} is not a model.", code="policy.family")
        self.models = models

    def __repr__(self) -> str:
        return f"Policy({', '.join(map(repr, self.models))})"

    def __iter__(self) -> Iterator[Model]:
        return iter(self.models)

    def check(self, columns: Columns) -> None:
        """All faults of the policy against these columns, raised together."""
        problems: list[SpecError] = []
        for model in self:
            try:
                for column in model.targets(columns):
                    model.check(column)
                    model.check_values(column)
            except SpecError as error:
                problems.append(error)
        raise_together(problems)

    def informed(self, columns: Columns, rows: Table) -> Policy:
        """The same policy, its models having learned from the table what they must."""
        return Policy(*(model.informed(columns, rows) for model in self))

    def following(self, earlier: Sequence[Release]) -> Policy:
        """The same policy, its models having been told of earlier releases of the same people."""
        return Policy(*(model.following(earlier) for model in self)) if earlier else self

    @property
    def follows(self) -> bool:
        return any(model.follows for model in self)

    def priors(self) -> tuple[Prior, ...]:
        """The statistics that its adversaries are taken to know."""
        known = [getattr(model, "prior", None) for model in self]
        return tuple(prior for prior in known if isinstance(prior, Prior))

    def holds(self, columns: Columns, tallies: Mapping[str, Counts], sizes: np.ndarray) -> np.ndarray:
        """Which groups satisfy every model."""
        answer = np.ones(len(sizes), dtype=bool)
        for model in self:
            for column in model.targets(columns):
                answer &= model.holds(tallies[column.name] if column else sizes_only(sizes))
        return answer

    def reads(self, columns: Columns) -> list[Column]:
        """The sensitive columns that some model looks at."""
        seen = {column.name for model in self for column in model.targets(columns) if column}
        return [column for column in columns.sensitive if column.name in seen]

    def smallest(self) -> int:
        return max(model.smallest() for model in self)

    @property
    def threshold(self) -> bool:
        return all(model.threshold for model in self)

    @property
    def monotone(self) -> bool:
        return all(model.monotone for model in self)

    def claims(self, columns: Columns) -> tuple[Claim, ...]:
        quasi = [column.name for column in columns.quasi]
        return tuple(claim(model, column, quasi) for model in self for column in model.targets(columns))

    def require_whole(self, columns: Columns, tallies: Mapping[str, Counts], total: int) -> None:
        """The table in one group must satisfy every model, else no grouping under monotone models can."""
        for model in self:
            for column in model.targets(columns):
                counts = tallies[column.name] if column else sizes_only(np.array([total]))
                if not bool(model.holds(counts)[0]):
                    raise unreachable(model, column, counts)


def claim(model: Model, column: Column | None, quasi: Sequence[str] = ()) -> Claim:
    """A model's promise for one column, against who knows the `quasi` columns, as the certificate states it."""
    name = column.name if column else None
    model = model.of(name)
    return Claim(
        model.name,
        {key: value for key, value in model.parameters().items() if key != "column"},
        name,
        tuple(quasi),
        model.limited(),
        model.bound(),
        model.adversary(),
        model.basis,
        model.promise(name or ""),
    )


def require_values(model: Model, column: Column | None, named: Sequence[str]) -> None:
    """Raise PolicyError where a request names values that the column does not have."""
    assert column is not None
    unknown = [value for value in named if value not in column.domain.texts]
    if unknown:
        raise PolicyError(
            f"{model.name}: {len(unknown)} of {len(named)} protected values do not occur in {column.name!r}.",
            code="policy.protect",
            hint="Check their spelling, or declare the column's domain.",
        )


def unreachable(model: Model, column: Column | None, counts: Counts) -> Unsatisfiable:
    """The error for a promise that even one single group of everybody does not keep."""
    parameters = ", ".join(f"{key} = {value}" for key, value in model.parameters().items() if value is not None)
    where = f" for {column.name!r}" if column else ""
    best = model.best(counts)
    return Unsatisfiable(
        f"{model.name} with {parameters} is out of reach{where}, even with all rows in one group.",
        code=f"unsatisfiable.{model.name}",
        hint=best,
        best=best,
    )
