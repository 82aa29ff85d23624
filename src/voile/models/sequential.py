"""Sequential releases: what was published before is not forgotten.

The neighbour has this release and the earlier ones of the same people. Whoever fits a group of each has a value that
all of them show, so groups that are well mixed one by one may leave a single value together. Here a requirement must
hold not only in every group of this release but in every group of its join with the earlier ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import ClassVar

import numpy as np

from voile.adversaries.adversary import Adversary, Knowledge
from voile.errors import PolicyError
from voile.models.base import Model
from voile.models.evidence import Evidence
from voile.models.l_diversity import LDiversity
from voile.releases.release import Release
from voile.releases.release_join import joined
from voile.results import Answer
from voile.tables.group_counts import Counts
from voile.tables.schema import Column


@dataclass(frozen=True)
class Sequential(Model):
    """The requirement holds in the join of this release with the earlier ones, which the certificate names by digest.

    >>> Sequential(LDiversity(l=3)).bound()
    Fraction(1, 3)
    """

    name: ClassVar[str] = "sequential"

    requirement: Model = field(default_factory=lambda: LDiversity(l=2))
    earlier: tuple[Release | str, ...] = ()
    column: str | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.requirement.reads_values or self.requirement.basis != "counts":
            raise PolicyError(
                f"sequential cannot judge {self.requirement.name} on a join: it does not count values.",
                code="policy.requirement",
                hint="Require e.g. l-diversity.",
            )

    def holds(self, counts: Counts) -> np.ndarray:
        return self.requirement.holds(counts)

    def judge(self, release: Release, counts: Counts, evidence: Evidence) -> tuple[Answer, str]:
        answer, detail = self.requirement.judge(release, counts, evidence)
        if answer is not Answer.HOLDS:
            return answer, detail
        found = evidence.releases(self.earlier)
        if found is None:
            return Answer.NEEDS, f"Needs the {len(self.earlier)} earlier releases that it names."
        assert counts.column is not None
        together = joined(release, found, counts.column.name)
        failing = int((~self.requirement.holds(together)).sum())
        if failing:
            which = f"jointly with {len(found)} earlier releases"
            return Answer.BROKEN, f"{failing} of {together.groups} groups do not satisfy it {which}."
        return Answer.HOLDS, f"Recounted in {together.groups} groups of the join with {len(found)} earlier releases."

    def following(self, earlier: Sequence[Release]) -> Sequential:
        return replace(self, earlier=tuple(earlier))

    def guarded(self, column: Column) -> np.ndarray:
        return self.requirement.guarded(column)

    def bound(self) -> Fraction:
        return self.requirement.bound()

    def limited(self) -> str:
        return self.requirement.limited()

    def adversary(self) -> Adversary:
        other = self.requirement.adversary()
        return Adversary(f"{other.name} with earlier releases", other.knows | {Knowledge.EARLIER}, other.excludes)

    def promise(self, column: str) -> str:
        return f"In the join with {len(self.earlier)} earlier releases: {self.requirement.promise(column)}"

    def check(self, column: Column | None) -> None:
        self.requirement.check(column)

    def check_values(self, column: Column | None) -> None:
        self.requirement.check_values(column)

    def smallest(self) -> int:
        return self.requirement.smallest()

    def all_different(self) -> int | None:
        return self.requirement.all_different()

    def best(self, counts: Counts) -> str:
        return self.requirement.best(counts)
