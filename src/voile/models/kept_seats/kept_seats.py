"""Kept seats: what was published stays as it was, and newcomers form groups of their own.

The neighbour keeps every release, and knows who came and left when. If a group is shown again with one person more, the
difference is that person's value; if it is shown again with another person in a leaver's place, both have the same
value, which tells somebody who knows how common values are. Neither can happen if the groups of the earlier releases
are shown exactly as they were, leavers included, and whatever is new is a group that keeps the promise by itself.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise
from typing import ClassVar

from voile.adversaries.adversary import Adversary, Knowledge
from voile.errors import PolicyError
from voile.models.abilities import WrapsRequirement
from voile.models.base import Model, Verification
from voile.models.evidence import Evidence
from voile.models.kept_seats.added_groups import find_added_groups
from voile.models.kept_seats.seat_check import count_moved_people
from voile.models.kinds import SpansReleases, counts_sizes
from voile.models.l_diversity import LDiversity
from voile.models.t_closeness import TCloseness
from voile.plugins.counted_nouns import count_noun, name_earlier
from voile.plugins.registry import knob
from voile.releases.release import Release
from voile.results import Answer
from voile.tables.group_counts import Counts
from voile.tables.schema import Column, Columns

WAITING = ("fewest", "blind")
WHO_KNOWS_WHO_WAITS = (
    "an adversary who knows the algorithm and who had to wait for a later release: how many wait depends on values"
)


@dataclass(frozen=True)
class KeptSeats(SpansReleases, WrapsRequirement, Model):
    """The groups of the earlier releases, which the certificate names by digest, are shown as they were; and the
    requirement holds in every group that was added, as it does in every group of this release.

    `waiting` says how newcomers wait who cannot be grouped yet: "fewest" of them, which depends on their values, or
    "blind", by their number alone.

    >>> KeptSeats(LDiversity(l=3)).bound()
    Fraction(1, 3)
    """

    name: ClassVar[str] = "kept-seats"
    method: ClassVar[str] = "append"
    shapes: ClassVar[tuple[str, ...]] = ("generalized", "bucketized")

    requirement: Model = field(default_factory=lambda: LDiversity(l=2))
    earlier: tuple[Release | str, ...] = ()
    waiting: str = knob("fewest", choices=WAITING)
    column: str | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if not can_keep_seats(self.requirement):
            raise PolicyError(
                f"kept-seats cannot promise {self.requirement.name}: it does not depend on each group alone.",
                code="policy.requirement",
                hint="Require e.g. k-anonymity or l-diversity.",
            )

    @property
    def monotone(self) -> bool:  # type: ignore[override]
        return self.requirement.monotone

    @property
    def gaps(self) -> tuple[str, ...]:  # type: ignore[override]
        looks_at_values = self.waiting == "fewest" and not counts_sizes(self.requirement)
        return (*self.requirement.gaps, *((WHO_KNOWS_WHO_WAITS,) if looks_at_values else ()))

    def verify(self, release: Release, counts: Counts, evidence: Evidence) -> Verification:
        recount = self.requirement.verify(release, counts, evidence)
        if recount.answer is not Answer.HOLDS:
            return Verification(recount.answer, recount.detail)
        if release.certificate.method.get("waiting", self.waiting) != self.waiting:
            return Verification(Answer.BROKEN, "The method lets newcomers wait in another way than the claim says.")
        if not self.earlier:
            return recount
        earlier = evidence.releases(self.earlier)
        if earlier is None:
            return Verification(Answer.NEEDS, evidence.name_missing(self.earlier))
        series = [*earlier, release]
        for number, (before, after) in enumerate(pairwise(series), 1):
            name = "this release" if after is release else f"earlier release {number + 1}"
            added = find_added_groups(after, before, number)
            if added.changes:
                changes = count_noun(added.changes, "row or group", "rows or groups")
                detail = f"Compared with earlier release {number}, {name} lacks or changes {changes}."
                return Verification(Answer.BROKEN, detail)
            failing = int((~self.requirement.holds(added.count(counts.column))).sum())
            if failing:
                share = f"{failing} of {len(added.sizes)}"
                detail = f"Groups that {name} adds and that do not satisfy it by themselves: {share}."
                return Verification(Answer.BROKEN, detail)
        moved = count_moved_people(release, earlier, evidence)
        if moved:
            return Verification(Answer.BROKEN, f"{count_noun(moved, 'person', 'people')} sat with other people before.")
        word = "agrees with the ledger" if moved == 0 else "is the publisher's word"
        return Verification(
            Answer.HOLDS,
            f"The groups of {name_earlier(len(earlier))} are as they were, and this one adds "
            f"{count_noun(len(added.sizes), 'group')}. That only people who had no seat before are in new groups "
            f"{word}.",
        )

    def adversary(self) -> Adversary:
        base = self.requirement.adversary()
        knows = base.knows | {Knowledge.EARLIER, Knowledge.STATISTICS}
        return Adversary(f"{base.name} who keeps every release", knows, base.excludes)

    def promise(self, column: str) -> str:
        waiting = (
            "Newcomers wait by their number alone."
            if self.waiting == "blind" or counts_sizes(self.requirement)
            else "How many newcomers wait for a later release depends on their values."
        )
        releases = f"this release and {name_earlier(len(self.earlier))}" if self.earlier else "every release"
        return (
            f"Even for an adversary who keeps {releases}, and knows who came, left or returned when and how common "
            f"each value is: {self.requirement.promise(column)} This is about the row that each person was first "
            f"published with. {waiting}"
        )

    def targets(self, columns: Columns) -> list[Column | None]:
        return self.requirement.targets(columns) if self.column is None else super().targets(columns)


def can_keep_seats(model: Model) -> bool:
    """Return whether a model looks at each group alone: then copies of groups tell nothing that the first did not.
    t-closeness compares groups with the table, which changes from release to release."""
    return model.basis == "counts" and not isinstance(model, (SpansReleases, TCloseness))
