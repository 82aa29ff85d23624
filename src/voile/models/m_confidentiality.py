"""m-confidentiality: belief stays at most 1/m even if the adversary knows how the release was made.

A release that is no coarser than its policy demands gives itself away: the adversary asks which tables would have led
to it and rules out the rest. m-confidentiality bounds the belief that remains. It cannot be seen in a table, because it
rests on what the method did not look at and on its random draws. So `verify` checks what can be seen, and whoever has
the table and the key publishes again and compares.

There are two readings. Under `mechanism` the adversary knows the method and how common each value is over groups of
one kind, and belief in anybody's true value is at most 1/m. Under `published` the promise is about the published
values only: no value covers more than 1/m of a group, and no group was made by looking at values. An adversary who
knows that some values were changed may then believe more than 1/m.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import ClassVar

import numpy as np

from voile.adversaries.adversary import Adversary, Knowledge
from voile.models.abilities import ProtectsValues
from voile.models.base import Verification
from voile.models.evidence import Evidence
from voile.models.k_anonymity import NEIGHBOUR
from voile.models.kinds import ProcessModel
from voile.plugins.registry import knob
from voile.releases.release import Release
from voile.results import Answer
from voile.tables.group_counts import Counts, at_most


@dataclass(frozen=True)
class MConfidentiality(ProtectsValues, ProcessModel):
    """Belief in a value (or in a protected value) is at most 1/m, even if the method is known.

    >>> MConfidentiality(m=4).bound()
    Fraction(1, 4)
    """

    name: ClassVar[str] = "m-confidentiality"
    method: ClassVar[str] = "mask"
    shapes: ClassVar[tuple[str, ...]] = ("generalized",)

    m: int = knob(low=2)
    protect: tuple[str, ...] = ()
    reading: str = knob("mechanism", choices=("mechanism", "published"))
    column: str | None = None

    def holds(self, counts: Counts) -> np.ndarray:
        """Check what can be seen: no protected value covers more than 1/m of a group."""
        assert counts.column is not None
        is_protected = np.asarray(self.protected_sets(counts.column).any(axis=0))
        entries = np.where(is_protected[counts.values], counts.counts, 0)
        largest = replace(counts, counts=entries).largest()
        return at_most(largest, self.bound(), counts.sizes)

    def verify(self, release: Release, counts: Counts, evidence: Evidence) -> Verification:
        recount = super().verify(release, counts, evidence)
        if recount.answer is Answer.BROKEN:
            return recount
        method = release.certificate.method
        if method.get("name") != self.method or (method.get("sampling") != "slack" and self.reading == "mechanism"):
            reading = f"reading {self.reading}"
            return Verification(
                Answer.BROKEN, f"The method that the certificate names does not promise it ({reading})."
            )
        if self.reading == "published":
            detail = f"Recounted in {counts.groups} groups. The promise is about published values only."
            return Verification(Answer.HOLDS, detail)
        return recount

    def bound(self) -> Fraction:
        return Fraction(1, self.m)

    def adversary(self) -> Adversary:
        if self.reading == "published":
            return Adversary.who("neighbour", *NEIGHBOUR)
        return Adversary.who("insider of the method", *NEIGHBOUR, Knowledge.STATISTICS, Knowledge.ALGORITHM)

    def promise(self, column: str) -> str:
        values = f"{self.describe_protected()} of {column!r}"
        if self.reading == "published":
            return (
                f"No published group shows {values} for more than 1/{self.m} of its rows, and no group was formed by "
                "looking at these values. Some values were changed, and belief in the true values is not bounded."
            )
        return (
            "Even an adversary who knows the method, and how common each value is, can link nobody to "
            f"{values} with probability above 1/{self.m}."
        )

    def smallest(self) -> int:
        return 1 if self.protect else self.m

    def best(self, counts: Counts) -> str:
        total, top = int(counts.sizes.sum()), int(counts.totals.max(initial=0))
        return (
            f"The most frequent value covers {top} of {total} rows; the largest possible m is {total // max(top, 1)}."
        )
