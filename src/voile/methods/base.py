"""How a table is published: who hides with whom, and how each group is shown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from voile.adversaries.prior import Prior
from voile.errors import PolicyError, option, raise_together
from voile.models.base import Model
from voile.models.policy import Policy
from voile.plugins.registry import Plugin
from voile.releases.certificate import Claim
from voile.releases.release import Release
from voile.tables.group_counts import Counts
from voile.tables.row_protocol import Histogram, Rows, Table
from voile.tables.schema import Column, Columns

Settings = tuple[Mapping[str, Any], ...]


@dataclass(frozen=True)
class Method(Plugin):
    """An algorithm. What must hold is in the policy; the fields here are knobs only.

    A method defines `group` and `show`, and overrides the other four verbs where it needs to. What only some methods
    can do is a mixin below.
    """

    family: ClassVar[str] = "methods"
    produces: ClassVar[str] = "generalized"
    tried: ClassVar[Settings] = ({},)  # the settings of its knobs that a comparison tries

    def check(self, columns: Columns, policy: Policy) -> None:
        """Raise PolicyError where this method cannot serve the policy."""
        raise_together(
            PolicyError(
                f"{self.name} cannot promise {model.name}, which rests on how a release is made.",
                code="policy.method",
                hint=f"Use {option('method', model.method)} for {model.name}.",
            )
            for model in policy
            if model.basis == "process" and model.method != self.name
        )
        raise_together(
            PolicyError(
                f"{self.name} publishes {self.produces} tables, for which {model.name} has no meaning.",
                code="policy.method",
                hint=f"Use {option('method', model.method)} for {model.name}.",
            )
            for model in policy
            if self.produces not in model.shapes
        )

    def plan(self, columns: Columns, rows: Table, policy: Policy, earlier: Sequence[Release]) -> tuple[Method, Policy]:
        """Fill in the knobs that follow from the policy, the table and earlier releases of the same people; and narrow
        the policy to what this method promises, where the user chose one that promises less."""
        return self, policy

    def group(self, columns: Columns, rows: Rows, policy: Policy) -> Rows:
        """Put every row into a group, or withhold it."""
        raise NotImplementedError  # pragma: no cover - every method defines it

    def transform(self, columns: Columns, rows: Rows, policy: Policy) -> tuple[Columns, Rows]:
        """Change the values of grouped rows, or show sensitive values more coarsely, for methods that do."""
        return columns, rows

    def show(self, columns: Columns, rows: Rows) -> Release:
        """Build the published tables from grouped rows."""
        raise NotImplementedError  # pragma: no cover - every method defines it

    def claims(self, columns: Columns, policy: Policy, release: Release) -> tuple[Claim, ...]:
        """State what the release promises: the policy, unless the method promises another level."""
        return policy.claims(columns)


class CompletesHierarchies:
    """A method that needs a hierarchy for every quasi-identifier column, and builds those that the schema lacks."""

    def complete_hierarchies(self, columns: Columns, rows: Table) -> Columns:
        """Give every quasi-identifier column a hierarchy."""
        raise NotImplementedError  # pragma: no cover - every method of this kind defines it


class Partitionable:
    """A method that can publish a large table part by part, each part by itself."""

    def watched_columns(self, columns: Columns, policy: Policy) -> list[Column]:
        """The sensitive columns to look at before a large table is cut: those of models that count. A promise that
        rests on coins must not depend on a look."""
        return [] if policy.rests_on_draws else policy.columns_read(columns)

    def can_stand_alone(self, columns: Columns, policy: Policy, tallies: Mapping[str, Counts]) -> np.ndarray:
        """Whether each part of a large table could be published by itself, by its sensitive values."""
        sizes = next(iter(tallies.values())).sizes
        return policy.holds(columns, tallies, sizes)


@dataclass(frozen=True, eq=False)
class RefusedSteps:
    """Steps that a method did not take because the policy forbade what they would have shown.

    `parts[i, s]` is where cell i would be after step s within its group, or -1 where there is no such step. With
    `whole` a step is taken in all groups at once (it was refused if one part of one group fails), else group by group.
    """

    parts: np.ndarray
    whole: bool = False


NOTHING_REFUSED = RefusedSteps(np.zeros((0, 0), dtype=np.int64))


class ExplainsRefusals:
    """A method that can say what it would have shown, had the policy allowed it."""

    def refused_steps(
        self, columns: Columns, table: Histogram, group: np.ndarray, smallest: int
    ) -> RefusedSteps | None:
        """What the method would have shown instead of each group; None where it is not known. `table` are the people
        by their quasi-identifier, `group` says where each cell is, and no group has fewer than `smallest` people."""
        raise NotImplementedError  # pragma: no cover - every method of this kind defines it


class IgnoresValues(ExplainsRefusals):
    """A method that groups people without looking at sensitive values: it refuses nothing on their account."""

    def refused_steps(self, columns: Columns, table: Histogram, group: np.ndarray, smallest: int) -> RefusedSteps:
        return NOTHING_REFUSED


class Replayable:
    """A method that an adversary can run again, to weigh what else it would have published."""

    def replayed_beliefs(self, release: Release, model: Model, prior: Prior) -> np.ndarray | None:
        """For each entry of the members, the belief in a protected value of an adversary who knows the statistics and
        runs this method again; None where nothing is known about it."""
        raise NotImplementedError  # pragma: no cover - every method of this kind defines it
