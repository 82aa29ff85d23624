"""Sequential releases: earlier releases are not forgotten.

The neighbour has this release and the earlier ones of the same people. A person who fits one group of each release has
a value that all of these groups show, so groups that are well mixed by themselves may leave a single value when
combined. Here a requirement must hold not only in every group of this release, but also in every group of its join with
the earlier ones.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import ClassVar

import numpy as np

from voile.adversaries.adversary import Adversary, Knowledge
from voile.errors import PolicyError
from voile.models.abilities import (
    AcceptsDistinctValues,
    NamesValues,
    ProtectsSets,
    check_fit,
    distinct_values_needed,
    protected_sets,
)
from voile.models.base import Model, Verification
from voile.models.evidence import Evidence
from voile.models.kinds import SizeModel, SpansReleases
from voile.models.l_diversity import LDiversity
from voile.releases.release import Release
from voile.releases.release_join import count_join
from voile.results import Answer
from voile.tables.group_counts import Counts
from voile.tables.schema import Column


@dataclass(frozen=True)
class Sequential(SpansReleases, NamesValues, ProtectsSets, AcceptsDistinctValues, Model):
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
        if isinstance(self.requirement, SizeModel) or self.requirement.basis != "counts":
            raise PolicyError(
                f"sequential cannot check {self.requirement.name} on a join, because it does not count values.",
                code="policy.requirement",
                hint="Require e.g. l-diversity.",
            )

    def holds(self, counts: Counts) -> np.ndarray:
        return self.requirement.holds(counts)

    def verify(self, release: Release, counts: Counts, evidence: Evidence) -> Verification:
        recount = self.requirement.verify(release, counts, evidence)
        if recount.answer is not Answer.HOLDS:
            return Verification(recount.answer, recount.detail)
        earlier = evidence.releases(self.earlier)
        if earlier is None:
            return Verification(Answer.NEEDS, f"Needs the {len(self.earlier)} earlier releases that it names.")
        assert counts.column is not None
        join = count_join(release, earlier, counts.column.name)
        failing_groups, scope = int((~self.requirement.holds(join)).sum()), f"{join.groups} groups of the join"
        if failing_groups:
            detail = f"{failing_groups} of {scope} with {len(earlier)} earlier releases do not satisfy it."
            return Verification(Answer.BROKEN, detail)
        return Verification(Answer.HOLDS, f"Recounted in {scope} with {len(earlier)} earlier releases.")

    def protected_sets(self, column: Column) -> np.ndarray:
        return protected_sets(self.requirement, column)

    def bound(self) -> Fraction:
        return self.requirement.bound()

    @property
    def limits(self) -> str:
        return self.requirement.limits

    def adversary(self) -> Adversary:
        base = self.requirement.adversary()
        return Adversary(f"{base.name} with earlier releases", base.knows | {Knowledge.EARLIER}, base.excludes)

    def promise(self, column: str) -> str:
        return f"Even combined with {len(self.earlier)} earlier releases: {self.requirement.promise(column)}"

    def check(self, column: Column | None) -> None:
        self.requirement.check(column)

    def check_named_values(self, column: Column | None) -> None:
        check_fit(self.requirement, column)

    def smallest(self) -> int:
        return self.requirement.smallest()

    def distinct_values_needed(self) -> int | None:
        return distinct_values_needed(self.requirement)

    def best(self, counts: Counts) -> str:
        return self.requirement.best(counts)
