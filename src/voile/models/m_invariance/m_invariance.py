"""m-invariance: a person who is published again is shown among the same values again.

The neighbour follows a person through the releases of a table that people enter and leave. In each release the person's
group lists at least m different values. If the lists differ, the person has one of the values that all lists share, and
soon only one remains. So the list (the signature) of a person's group never changes. Where people who left the table
would be missing from a list, counterfeit values take their place, and the release says how many.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from voile.adversaries.adversary import Adversary, Knowledge
from voile.models.abilities import AcceptsDistinctValues
from voile.models.base import Model, Verification
from voile.models.evidence import Evidence
from voile.models.k_anonymity import NEIGHBOUR
from voile.models.kinds import FollowsPeople
from voile.models.m_invariance.signatures import count_changed_signatures
from voile.plugins.registry import knob
from voile.releases.release import Release
from voile.results import Answer
from voile.tables.group_counts import Counts


@dataclass(frozen=True)
class MInvariance(FollowsPeople, AcceptsDistinctValues, Model):
    """Every group has at least m rows with different values, and a person is always shown among the same values.

    >>> MInvariance(m=3).bound()
    Fraction(1, 3)
    """

    name: ClassVar[str] = "m-invariance"
    method: ClassVar[str] = "republish"
    shapes: ClassVar[tuple[str, ...]] = ("republished",)
    monotone: ClassVar[bool] = False

    m: int = knob(low=2)
    earlier: tuple[Release | str, ...] = ()
    column: str | None = None

    def holds(self, counts: Counts) -> np.ndarray:
        """Check m-uniqueness: a group has at least m values, each once."""
        return np.asarray((counts.largest() <= 1) & (counts.sizes >= self.m))

    def verify(self, release: Release, counts: Counts, evidence: Evidence) -> Verification:
        recount = super().verify(release, counts, evidence)
        if recount.answer is Answer.BROKEN or not self.earlier:
            return recount
        earlier = evidence.releases(self.earlier)
        if earlier is None:
            return Verification(Answer.NEEDS, f"Needs the {len(self.earlier)} earlier releases that it names.")
        certain_changes, possible_changes = count_changed_signatures(release, earlier, evidence)
        if certain_changes:
            return Verification(Answer.BROKEN, f"{certain_changes} people were shown among other values before.")
        if possible_changes:
            return Verification(
                Answer.NEEDS,
                f"Each release lists {self.m} values, but {possible_changes} people were either shown among other "
                "values before or are different people with the same quasi-identifier. Needs the table (with persons) "
                "and the ledger.",
            )
        return Verification(Answer.HOLDS, f"{recount.detail} Signatures agree with {len(earlier)} earlier releases.")

    def bound(self) -> Fraction:
        return Fraction(1, self.m)

    def adversary(self) -> Adversary:
        return Adversary.who("neighbour with earlier releases", *NEIGHBOUR, Knowledge.EARLIER)

    def promise(self, column: str) -> str:
        return (
            f"Even an adversary who follows people through {len(self.earlier)} earlier releases can link nobody to a "
            f"value of {column!r} with probability above 1/{self.m}."
        )

    def smallest(self) -> int:
        return self.m

    def distinct_values_needed(self) -> int:
        return self.m

    def best(self, counts: Counts) -> str:
        total, top = int(counts.sizes.sum()), int(counts.totals.max(initial=0))
        largest_m = total // max(top, 1)
        return f"The most frequent value covers {top} of {total} rows; the largest possible m is {largest_m}."
