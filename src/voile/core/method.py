"""How a table is published: who hides with whom, and how each group is shown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from voile.core.certificate import Claim
from voile.core.counts import Counts
from voile.core.plugin import Plugin
from voile.core.policy import Model, Policy
from voile.core.prior import Prior
from voile.core.release import Release
from voile.core.rows import Histogram, Rows, Table
from voile.core.schema import Column, Columns
from voile.errors import PolicyError, raise_together

Settings = tuple[Mapping[str, Any], ...]


@dataclass(frozen=True, eq=False)
class Refused:
    """Steps that a method did not take because the policy forbade what they would have shown.

    `parts[i, s]` is where cell i would be after step s within its group, or -1 where there is no such step. With
    `whole` a step is taken in all groups at once (it was refused if one part of one group fails), else group by group.
    """

    parts: np.ndarray
    whole: bool = False


NOTHING_REFUSED = Refused(np.zeros((0, 0), dtype=np.int64))


@dataclass(frozen=True)
class Method(Plugin):
    """An algorithm. What must hold is in the policy; the fields here are knobs only."""

    family: ClassVar[str] = "methods"
    produces: ClassVar[str] = "generalized"
    tried: ClassVar[Settings] = ({},)  # settings of the knobs that a comparison tries
    forgets: ClassVar[bool] = False  # altering may leave values that nobody has; the release must not mention them
    whole: ClassVar[bool] = False  # one decision for all people: a large table is not published part by part

    def check(self, columns: Columns, policy: Policy) -> None:
        """Raise PolicyError where this method cannot serve the policy."""
        raise_together(
            PolicyError(
                f"{self.name} cannot promise {model.name}, which rests on how a release is made.",
                code="policy.method",
                hint=f"Use --method {model.method} for {model.name}.",
            )
            for model in policy
            if model.basis == "process" and model.method != self.name
        )
        raise_together(
            PolicyError(
                f"{self.name} publishes {self.produces} tables, for which {model.name} has no meaning.",
                code="policy.method",
                hint=f"Use --method {model.method} for {model.name}.",
            )
            for model in policy
            if self.produces not in model.shapes
        )

    def following(self, earlier: Sequence[Release]) -> Method:
        """The method with the earlier releases of the same people, where it minds them."""
        return self

    def heeds(self, columns: Columns, policy: Policy) -> list[Column]:
        """The sensitive columns to look at before a large table is divided: those of models that count. What rests on
        coins must not depend on a look."""
        blind = any(model.basis == "process" for model in policy)
        return [] if blind else policy.reads(columns)

    def fits(self, columns: Columns, policy: Policy, tallies: Mapping[str, Counts]) -> np.ndarray:
        """Which parts of a large table could be published by themselves, by their sensitive values."""
        sizes = next(iter(tallies.values())).sizes
        return policy.holds(columns, tallies, sizes)

    def prepare(self, columns: Columns, rows: Table) -> Columns:
        """What the method needs to know of the columns beyond the schema, e.g. a hierarchy for each."""
        return columns

    def promising(self, columns: Columns, rows: Table, policy: Policy) -> Policy:
        """What of the policy this method can promise: all of it, unless the user chose a method that promises less."""
        return policy

    def informed(self, columns: Columns, rows: Table, policy: Policy) -> Method:
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

    def refused(self, columns: Columns, table: Histogram, group: np.ndarray, smallest: int) -> Refused | None:
        """What the method would have shown instead of each group, had the policy allowed it; None where it is not
        known. `table` are the people by their quasi-identifier, `group` says where each cell is, and no group has fewer
        than `smallest` people. A method that never looks at sensitive values refuses nothing on their account.
        """
        return None

    def claims(self, columns: Columns, policy: Policy) -> tuple[Claim, ...]:
        """What the release promises: the policy, unless the method promises less."""
        return policy.claims(columns)
