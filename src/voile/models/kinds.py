"""The kinds of promise that differ from a predicate on the values of each group."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from voile.adversaries.prior import Prior
from voile.models.base import Model, Verification
from voile.models.evidence import Evidence
from voile.releases.release import Release
from voile.results import Answer
from voile.tables.group_counts import Counts
from voile.tables.schema import Column, Columns


@dataclass(frozen=True)
class SizeModel(Model):
    """A promise about the sizes of groups only. A group holds if and only if it has at least `smallest()` rows, unless
    a subclass says otherwise in `holds`."""

    @property
    def limits(self) -> str:
        return "identity"

    def holds(self, counts: Counts) -> np.ndarray:
        return np.asarray(counts.sizes >= self.smallest())

    def targets(self, columns: Columns) -> list[Column | None]:
        return [None]

    @property
    def is_threshold(self) -> bool:
        """Whether the number of rows alone decides: no subclass has changed `holds`."""
        return type(self).holds is SizeModel.holds


@dataclass(frozen=True)
class PriorModel(Model):
    """A promise that rests on the statistics an adversary is assumed to know. A subclass keeps them in its field
    `prior`, which may also be a file or a digest that names them."""

    basis: ClassVar[str] = "prior"

    @property
    def statistics(self) -> Prior | None:
        """The prior itself, if the field holds more than its name."""
        prior = getattr(self, "prior", None)
        return prior if isinstance(prior, Prior) else None


@dataclass(frozen=True)
class ProcessModel(Model):
    """A promise that rests on how the release was made, and on random draws that nobody sees in it.

    `verify` checks what can be seen. Whoever has the table and the key can publish again and compare.
    """

    basis: ClassVar[str] = "process"

    def verify(self, release: Release, counts: Counts, evidence: Evidence) -> Verification:
        recount = super().verify(release, counts, evidence)
        if recount.answer is Answer.BROKEN:
            return recount
        return Verification(
            Answer.NEEDS, "Everything visible fits. Checking the random draws needs the table and the key."
        )


class SpansReleases:
    """A promise about this release together with the earlier ones of the same people, which its field `earlier` names
    (in a certificate by digest)."""

    def attach_history(self: Any, earlier: Sequence[Release]) -> Any:
        """Return the model with the earlier releases."""
        return replace(self, earlier=tuple(earlier))


class FollowsPeople(SpansReleases):
    """A promise across releases that also needs to know who is who from one release to the next: the ledger."""


def counts_sizes(model: Model) -> bool:
    """Return whether a model looks at the sizes of groups only, by itself or through the model that it requires."""
    return isinstance(model, SizeModel) or isinstance(getattr(model, "requirement", None), SizeModel)


def reads_column(model: Model, name: str) -> bool:
    """Return whether a model looks at the values of this sensitive column."""
    return not counts_sizes(model) and getattr(model, "column", None) in (None, name)
