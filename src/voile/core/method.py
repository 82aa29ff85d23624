"""How a table is published: who hides with whom, and how each group is shown."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from voile.core.certificate import Claim
from voile.core.plugin import Plugin
from voile.core.policy import Model, Policy
from voile.core.prior import Prior
from voile.core.release import Release
from voile.core.rows import Rows
from voile.core.schema import Columns
from voile.errors import PolicyError, raise_together


@dataclass(frozen=True)
class Method(Plugin):
    """An algorithm. What must hold is in the policy; the fields here are knobs only."""

    family: ClassVar[str] = "methods"
    produces: ClassVar[str] = "generalized"

    def check(self, columns: Columns, policy: Policy) -> None:
        """Raise PolicyError where this method cannot serve the policy."""
        raise_together(
            PolicyError(
                f"{self.name} publishes {self.produces} tables, for which {model.name} has no meaning.",
                code="policy.method",
                hint=f"Use --method {model.method} for {model.name}.",
            )
            for model in policy
            if self.produces not in model.shapes
        )

    def prepare(self, columns: Columns, rows: Rows) -> Columns:
        """What the method needs to know of the columns beyond the schema, e.g. a hierarchy for each."""
        return columns

    def promising(self, columns: Columns, rows: Rows, policy: Policy) -> Policy:
        """What of the policy this method can promise: all of it, unless the user chose a method that promises less."""
        return policy

    def informed(self, columns: Columns, rows: Rows, policy: Policy) -> Method:
        """The method with the knobs that it takes from the policy and the table."""
        return self

    def group(self, columns: Columns, rows: Rows, policy: Policy) -> Rows:
        """Put every row into a group, or withhold it."""
        raise NotImplementedError  # pragma: no cover - every method defines it

    def alter(self, columns: Columns, rows: Rows, policy: Policy) -> Rows:
        """Disturb values, for methods that do."""
        return rows

    def recode(self, columns: Columns, rows: Rows, policy: Policy) -> tuple[Columns, Rows]:
        """Show sensitive values more coarsely, for methods that do."""
        return columns, rows

    def shape(self, columns: Columns, rows: Rows) -> Release:
        """The published tables."""
        raise NotImplementedError  # pragma: no cover - every method defines it

    def retraced(self, release: Release, model: Model, prior: Prior) -> np.ndarray | None:
        """For each entry of the members the belief in a protected value of who knows the statistics and runs this
        method again; None where nothing is known about it."""
        return None

    def settle(self, policy: Policy, release: Release) -> Policy:
        """The policy as the release keeps it, where the level that was reached is part of the promise."""
        return policy

    def claims(self, columns: Columns, policy: Policy) -> tuple[Claim, ...]:
        """What the release promises: the policy, unless the method promises less."""
        return policy.claims(columns)
