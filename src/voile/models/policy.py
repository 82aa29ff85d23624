"""A policy: the models that a release must satisfy together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from voile.adversaries.prior import Prior
from voile.errors import PolicyError, SpecError, Unsatisfiable, option, raise_together, render
from voile.models.abilities import (
    CountsPeople,
    LearnsFromTable,
    check_fit,
    count_people,
    distinct_values_needed,
    narrow_to_column,
)
from voile.models.base import Model
from voile.models.kinds import FollowsPeople, PriorModel, ProcessModel, SizeModel, SpansReleases
from voile.models.nearby_promises import WholeTable, propose_models
from voile.plugins.descriptions import list_changes
from voile.releases.certificate import Claim
from voile.releases.release import Release
from voile.tables.group_counts import Counts, sizes_only
from voile.tables.row_protocol import Table
from voile.tables.schema import Column, Columns
from voile.tables.unit import ONE_ROW, Unit


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

    def as_json(self) -> list[dict[str, Any]]:
        """Return the models as entries of a spec: the name of each, and the parameters that differ from their
        default."""
        return [{"model": model.name, **list_changes(model)} for model in self]

    def mention(self) -> str:
        """Mention the policy in a message, in the words of the surface."""
        return " and ".join(option("model", model.name, **list_changes(model)) for model in self)

    # completing it for one publication -----------------------------------------------------------------------------
    def check(self, columns: Columns) -> None:
        """Raise every fault of the policy against these columns together."""
        problems: list[SpecError] = []
        for model in self:
            try:
                for column in model.targets(columns):
                    check_fit(model, column)
            except SpecError as error:
                problems.append(error)
        if not problems:
            problems += self._unread_guards(columns)
        raise_together(problems)

    def _unread_guards(self, columns: Columns) -> list[SpecError]:
        """Return an error for each column of guarding nodes that no model reads."""
        names = {column.name for model in self for column in model.targets(columns) if column}
        return [
            PolicyError(
                f"The schema names guarding nodes for {guard.subject.name!r}, and no model of the policy reads them.",
                code="policy.guarding",
                hint=f"Ask for {option('model', 'personalized', p=0.5, own_nodes=True)}, or leave "
                f"{option('guarding')} out.",
            )
            for guard in columns.guards
            if guard.name not in names
        ]

    def count_people(self, rows_per_person: int) -> Policy:
        """Return the policy for people with at most `rows_per_person` rows each. Raise the errors of all models that
        have no such form together."""
        models: list[Model] = []
        problems: list[SpecError] = []
        for model in self:
            try:
                models.append(count_people(model, rows_per_person))
            except SpecError as error:
                problems.append(error)
        raise_together(problems)
        return Policy(*models)

    def learn(self, columns: Columns, rows: Table) -> Policy:
        """Return the policy with what its models must learn from the table, whose rows are under a key."""
        return Policy(*(model.learn(columns, rows) if isinstance(model, LearnsFromTable) else model for model in self))

    def attach_history(self, earlier: Sequence[Release]) -> Policy:
        """Return the policy with the earlier releases of the same people attached to the models that span several."""
        if not earlier:
            return self
        return Policy(*(model.attach_history(earlier) if isinstance(model, SpansReleases) else model for model in self))

    # what kinds of promise are in it -------------------------------------------------------------------------------
    @property
    def rows_per_person(self) -> int:
        """How many rows a person may have."""
        return max((model.rows_per_person for model in self if isinstance(model, CountsPeople)), default=1)

    @property
    def monotone(self) -> bool:
        """Whether merging two groups that hold always gives a group that holds."""
        return all(model.monotone for model in self)

    @property
    def sizes_suffice(self) -> bool:
        """Whether a group holds if and only if it has `smallest()` rows."""
        return all(isinstance(model, SizeModel) and model.is_threshold for model in self)

    @property
    def rests_on_draws(self) -> bool:
        """Whether a promise rests on random draws, so that nobody may look at the values before they are made."""
        return any(isinstance(model, ProcessModel) for model in self)

    @property
    def follows_people(self) -> bool:
        """Whether a promise needs to know who is who from one release to the next."""
        return any(isinstance(model, FollowsPeople) for model in self)

    @property
    def ignores_values(self) -> bool:
        """Whether no model looks at a sensitive value."""
        return not self.value_models

    @property
    def size_models(self) -> tuple[Model, ...]:
        return tuple(model for model in self if isinstance(model, SizeModel))

    @property
    def value_models(self) -> tuple[Model, ...]:
        return tuple(model for model in self if not isinstance(model, SizeModel))

    @property
    def single_release_models(self) -> tuple[Model, ...]:
        """The models that count values of one release, and say nothing about several releases together."""
        return tuple(
            model for model in self.value_models if model.basis == "counts" and not isinstance(model, SpansReleases)
        )

    def priors(self) -> tuple[Prior, ...]:
        """Return the statistics that its adversaries are assumed to know."""
        priors = [model.statistics for model in self if isinstance(model, PriorModel)]
        return tuple(prior for prior in priors if prior is not None)

    def columns_read(self, columns: Columns) -> list[Column]:
        """Return the sensitive columns, and the columns of guarding nodes, that some model looks at."""
        names = {column.name for model in self for column in model.targets(columns) if column}
        return [column for column in columns.counted if column.name in names]

    # what it says about groups -------------------------------------------------------------------------------------
    def holds(self, columns: Columns, tallies: Mapping[str, Counts], sizes: np.ndarray) -> np.ndarray:
        """Return for each group whether it satisfies every model."""
        answer = np.ones(len(sizes), dtype=bool)
        for model in self:
            for column in model.targets(columns):
                answer &= model.holds(tallies[column.name] if column else sizes_only(sizes))
        return answer

    def smallest(self) -> int:
        """Return the size below which no group can hold."""
        return max(model.smallest() for model in self)

    def distinct_values_needed(self) -> int:
        """Return how many rows with all different values satisfy the models that such groups can satisfy."""
        return max(distinct_values_needed(model) or 1 for model in self)

    def refuses_distinct_values(self) -> list[str]:
        """Return the names of the models that no number of all different values satisfies."""
        return [model.name for model in self if distinct_values_needed(model) is None]

    def require_whole(
        self,
        columns: Columns,
        tallies: Mapping[str, Counts],
        total: int,
        judged: Sequence[Model] | None = None,
    ) -> None:
        """Raise Unsatisfiable unless the table in one group satisfies every model, or those that are `judged`: under
        monotone models no grouping can do better. The error proposes what can be promised instead."""
        for model in self if judged is None else judged:
            for column in model.targets(columns):
                counts = tallies[column.name] if column else sizes_only(np.array([total]))
                if not bool(model.holds(counts)[0]):
                    proposals = propose_models(self.models, WholeTable(columns, tallies, total))
                    alternatives = tuple(Alternative(Policy(*models), reason) for models, reason in proposals)
                    raise unreachable_error(model, column, counts, alternatives)

    def claims(self, columns: Columns) -> tuple[Claim, ...]:
        """State the promise of every model for each of its columns."""
        several = bool(columns.quasi_sets)
        return tuple(
            make_claim(model, column and column.subject, quasi, one_of_several=several)
            for quasi in columns.quasi_sets or ([column.name for column in columns.quasi],)
            for model in self
            for column in model.targets(columns)
        )


@dataclass(frozen=True)
class Alternative:
    """A policy that a table can keep instead of one that is out of reach, and the reason for it."""

    policy: Policy
    reason: str

    def as_json(self) -> dict[str, Any]:
        return {"policy": self.policy.as_json(), "text": render(self.policy.mention()), "reason": self.reason}


BEYOND_THE_SET = "an adversary who also knows quasi-identifier columns of another set"


def make_claim(
    model: Model,
    column: Column | None,
    quasi: Sequence[str] = (),
    unit: Unit = ONE_ROW,
    *,
    one_of_several: bool = False,
) -> Claim:
    """State a model's promise for one column as a certificate does, against an adversary who knows the `quasi`
    columns, which may be one of several sets; `unit` says whom it protects."""
    name = column.name if column else None
    model = narrow_to_column(model, name)
    return Claim(
        model.name,
        {key: value for key, value in model.parameters().items() if key != "column"},
        name,
        tuple(quasi),
        model.limits,
        model.bound(),
        model.adversary(),
        model.basis,
        model.promise(name or ""),
        unit,
        gaps=(*model.gaps, BEYOND_THE_SET) if one_of_several else model.gaps,
    )


def unreachable_error(
    model: Model, column: Column | None, counts: Counts, alternatives: Sequence[Alternative] = ()
) -> Unsatisfiable:
    """Build the error for a promise that fails even with everybody in one group."""
    parameters = ", ".join(f"{key} = {value}" for key, value in model.parameters().items() if value is not None)
    scope = f" for {column.subject.name!r}" if column else ""
    best = model.best(counts)
    instead = f"Within reach is {alternatives[0].policy.mention()}." if alternatives else ""
    return Unsatisfiable(
        f"{model.name} with {parameters} is out of reach{scope}, even with all rows in one group.",
        code=f"unsatisfiable.{model.name}",
        hint=f"{best} {instead}".strip(),
        best=best,
        alternatives=alternatives,
    )
