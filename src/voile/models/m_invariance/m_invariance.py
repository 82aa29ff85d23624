"""m-invariance: a person who is published again is shown among the same values again.

The neighbour follows a person through the releases of a table that people enter and leave. In each release the person's
group lists at least m different values. If the lists differ, the person has one of the values that all lists share, and
soon only one remains. If the list is the same but the other people change, those who come have the values of those who
left, which tells a neighbour who knows how common the values are. So neither the list of a group nor its people ever
change: the value of somebody who left stays as a counterfeit, and the release says how many there are.
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
from voile.models.kept_seats.seat_check import count_moved_people
from voile.models.kinds import FollowsPeople
from voile.models.m_invariance.group_comparison import compare_groups
from voile.plugins.counted_nouns import count_noun, name_earlier
from voile.plugins.registry import knob
from voile.releases.release import Release
from voile.results import Answer
from voile.tables.group_counts import Counts


@dataclass(frozen=True)
class MInvariance(FollowsPeople, AcceptsDistinctValues, Model):
    """Every group has at least m rows with different values, and a person is always shown in the same group of people
    with the same values; those who left count as well.

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
            return Verification(Answer.NEEDS, evidence.name_missing(self.earlier))
        compared = compare_groups(release, earlier)
        if compared.changed:
            return Verification(
                Answer.BROKEN, f"Compared with before, the values of {count_noun(compared.changed, 'group')} changed."
            )
        if compared.invented:
            detail = (
                f"In {count_noun(compared.invented, 'new group')} there are values that belong to nobody in the table."
            )
            return Verification(Answer.BROKEN, detail)
        moved = count_moved_people(release, earlier, evidence)
        if moved:
            return Verification(Answer.BROKEN, f"{count_noun(moved, 'person', 'people')} sat with other people before.")
        if moved is None and compared.doubtful:
            return Verification(
                Answer.NEEDS,
                f"Each release lists {self.m} values, but {compared.doubtful} people either were in another group "
                "before, or are new or have changed their quasi-identifier. Needs the table (with persons) and the "
                "ledger.",
            )
        return Verification(Answer.HOLDS, f"{recount.detail} Groups agree with {name_earlier(len(earlier))}.")

    def bound(self) -> Fraction:
        return Fraction(1, self.m)

    def adversary(self) -> Adversary:
        knows = (*NEIGHBOUR, Knowledge.EARLIER, Knowledge.STATISTICS)
        return Adversary.who("neighbour with earlier releases", *knows)

    def promise(self, column: str) -> str:
        follows = f"follows people through {name_earlier(len(self.earlier))}, and " if self.earlier else ""
        return (
            f"Even an adversary who {follows}knows how common each value is can link nobody to a value of {column!r} "
            f"with probability above 1/{self.m}."
        )

    def smallest(self) -> int:
        return self.m

    def distinct_values_needed(self) -> int:
        return self.m

    def best(self, counts: Counts) -> str:
        total, top = int(counts.sizes.sum()), int(counts.totals.max(initial=0))
        largest_m = total // max(top, 1)
        return f"The most frequent value covers {top} of {total} rows; the largest possible m is {largest_m}."
