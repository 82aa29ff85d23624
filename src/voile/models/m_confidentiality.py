"""m-confidentiality: belief stays at 1/m even for who knows how the release was made.

A release that is no coarser than its policy demands gives itself away: the adversary asks which tables would have
forced it and strikes out the rest. m-confidentiality bounds the belief that is left. It cannot be seen in a table, for
it rests on what the method did not look at and on its coins; so `verify` checks what can be seen, and who has the
table and the key makes the release again.

There are two readings. Under `mechanism` the adversary knows the method and how common each value is over groups of
one kind, and belief in anybody's true value is at most 1/m. Under `published` the promise is about the published
values only: no value covers more than 1/m of a group, and no group was made by looking at values. Who knows that some
values were changed may then believe more than 1/m.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from voile.adversaries.adversary import Adversary, Knowledge
from voile.models.base import Model, require_values
from voile.models.evidence import Evidence
from voile.models.k_anonymity import NEIGHBOUR
from voile.plugins.registry import knob
from voile.releases.release import Release
from voile.results import Answer
from voile.tables.group_counts import Counts
from voile.tables.schema import Column


@dataclass(frozen=True)
class MConfidentiality(Model):
    """Belief in a value (or in a protected one) is at most 1/m, the method being known.

    >>> MConfidentiality(m=4).bound()
    Fraction(1, 4)
    """

    name: ClassVar[str] = "m-confidentiality"
    basis: ClassVar[str] = "process"
    method: ClassVar[str] = "mask"
    shapes: ClassVar[tuple[str, ...]] = ("generalized",)

    m: int = knob(low=2)
    protect: tuple[str, ...] = ()
    reading: str = knob("mechanism", choices=("mechanism", "published"))
    column: str | None = None

    def holds(self, counts: Counts) -> np.ndarray:
        """What can be seen: no protected value covers more than 1/m of a group."""
        assert counts.column is not None
        protected = np.asarray(self.guarded(counts.column).any(axis=0))
        entries = np.where(protected[counts.values], counts.counts, 0)
        largest = Counts(counts.sizes, counts.starts, counts.values, entries, counts.totals).largest()
        return np.asarray(largest * self.m <= counts.sizes)

    def judge(self, release: Release, counts: Counts, evidence: Evidence) -> tuple[Answer, str]:
        answer, detail = super().judge(release, counts, evidence)
        if answer is Answer.BROKEN:
            return answer, detail
        made = release.certificate.method
        if made.get("name") != self.method or (made.get("sampling") != "slack" and self.reading == "mechanism"):
            return Answer.BROKEN, f"The method that the certificate names does not promise it (reading {self.reading})."
        if self.reading == "published":
            return answer, f"{detail} The promise is about published values only."
        return Answer.NEEDS, "What can be seen fits; the coins cannot be seen. Needs key and data."

    def guarded(self, column: Column) -> np.ndarray:
        every = super().guarded(column)
        return every[[text in self.protect for text in column.domain.labels]] if self.protect else every

    def bound(self) -> Fraction:
        return Fraction(1, self.m)

    def limited(self) -> str:
        return "protected belief" if self.protect else "belief"

    def adversary(self) -> Adversary:
        if self.reading == "published":
            return Adversary.who("neighbour", *NEIGHBOUR)
        return Adversary.who("insider of the method", *NEIGHBOUR, Knowledge.STATISTICS, Knowledge.ALGORITHM)

    def promise(self, column: str) -> str:
        which = f"one of {len(self.protect)} protected values" if self.protect else "a value"
        if self.reading == "published":
            return (
                f"No published group shows {which} of {column!r} for more than 1/{self.m} of its rows, and no group "
                "was made by looking at them. Some values were changed; belief in true values is not bounded."
            )
        return (
            f"Even who knows the method, and how common each value is, links nobody to {which} of {column!r} with "
            f"probability above 1/{self.m}."
        )

    def check_values(self, column: Column | None) -> None:
        require_values(self, column, self.protect)

    def smallest(self) -> int:
        return 1 if self.protect else self.m

    def best(self, counts: Counts) -> str:
        total, top = int(counts.sizes.sum()), int(counts.totals.max(initial=0))
        return (
            f"The most frequent value covers {top} of {total} rows; the largest possible m is {total // max(top, 1)}."
        )
