"""What must hold: a conjunction of models."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from voile.adversaries.prior import Prior
from voile.errors import PolicyError, SpecError, Unsatisfiable, option, raise_together
from voile.models.base import Model
from voile.releases.certificate import Claim
from voile.releases.release import Release
from voile.tables.group_counts import Counts, sizes_only
from voile.tables.row_protocol import Table
from voile.tables.schema import Column, Columns


class Policy:
    """The models that a release must satisfy together.

    >>> import voile as vl
    >>> vl.Policy(vl.KAnonymity(k=5), vl.LDiversity(l=3))
    Policy(KAnonymity(k=5), LDiversity(l=3))
    """

    def __init__(self, *models: Model) -> None:
        if not models:
            raise PolicyError(
                "A policy needs at least one model.",
                code="policy.empty",
                hint=f"E.g. {option('model', 'k-anonymity', k=5)}.",
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
