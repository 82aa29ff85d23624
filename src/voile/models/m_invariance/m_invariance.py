"""m-invariance: whoever is published again is shown among the same values again.

The neighbour follows a person through the releases of a table that people enter and leave. In each release the person's
group lists at least m different values; if the lists differ, the person has one of the values that all of them share,
and soon only one is left. So the list (the signature) of a person's group never changes. Where the people who left
would be missed, counterfeit values take their place, and it is published how many.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import ClassVar

import numpy as np

from voile.adversaries.adversary import Adversary, Knowledge
from voile.models.base import Model
from voile.models.evidence import Evidence
from voile.models.k_anonymity import NEIGHBOUR
from voile.models.m_invariance.signatures import broken_signatures
from voile.plugins.registry import knob
from voile.releases.release import Release
from voile.results import Answer
from voile.tables.group_counts import Counts


@dataclass(frozen=True)
class MInvariance(Model):
    """Every group has at least m rows with different values, the same values whenever a person is published.

    >>> MInvariance(m=3).bound()
    Fraction(1, 3)
    """

    name: ClassVar[str] = "m-invariance"
    method: ClassVar[str] = "republish"
    shapes: ClassVar[tuple[str, ...]] = ("republished",)
    follows: ClassVar[bool] = True
    monotone: ClassVar[bool] = False

    m: int = knob(low=2)
    earlier: tuple[Release | str, ...] = ()
    column: str | None = None

    def holds(self, counts: Counts) -> np.ndarray:
        """m-uniqueness: at least m values, each once."""
        return np.asarray((counts.largest() <= 1) & (counts.sizes >= self.m))

    def judge(self, release: Release, counts: Counts, evidence: Evidence) -> tuple[Answer, str]:
        answer, detail = super().judge(release, counts, evidence)
        if answer is Answer.BROKEN or not self.earlier:
            return answer, detail
        found = evidence.releases(self.earlier)
        if found is None:
            return Answer.NEEDS, f"Needs the {len(self.earlier)} earlier releases that it names."
        certain, unclear = broken_signatures(release, found, evidence)
        if certain:
            return Answer.BROKEN, f"{certain} people were shown among other values before."
        if unclear:
            return (
                Answer.NEEDS,
                f"Each release lists {self.m} values, but {unclear} people were shown among other values before, or "
                "are other people with the same quasi-identifier. Needs the table (with persons) and the ledger.",
            )
        return Answer.HOLDS, f"{detail} Signatures agree with {len(found)} earlier releases."

    def following(self, earlier: Sequence[Release]) -> MInvariance:
        return replace(self, earlier=tuple(earlier))

    def bound(self) -> Fraction:
        return Fraction(1, self.m)

    def adversary(self) -> Adversary:
        return Adversary.who("neighbour with earlier releases", *NEIGHBOUR, Knowledge.EARLIER)

    def promise(self, column: str) -> str:
        return (
            f"Even who follows a person through {len(self.earlier)} earlier releases links nobody to a value of "
            f"{column!r} with probability above 1/{self.m}."
        )

    def smallest(self) -> int:
        return self.m

    def all_different(self) -> int:
        return self.m

    def best(self, counts: Counts) -> str:
        total, top = int(counts.sizes.sum()), int(counts.totals.max(initial=0))
        best = total // max(top, 1)
        return f"The most frequent value covers {top} of {total} rows; the largest possible m is {best}."
