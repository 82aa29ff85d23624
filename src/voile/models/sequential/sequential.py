"""Sequential releases: earlier releases are not forgotten.

The neighbour has this release and the earlier ones of the same people, and takes them together: everybody has one
value, and every group of every release shows the values of its people. Groups that are well mixed by themselves may
leave a single value when they are subtracted from each other. Here a requirement must hold for what is believed given
all releases, also for an adversary who knows how common the values are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from voile.adversaries.adversary import Adversary, Knowledge
from voile.adversaries.seating import Seating
from voile.errors import PolicyError
from voile.models.abilities import WrapsRequirement
from voile.models.base import Model, Verification
from voile.models.evidence import Evidence
from voile.models.kinds import SizeModel, SpansReleases
from voile.models.l_diversity import LDiversity
from voile.models.sequential.folder_judgement import judge_folders
from voile.models.sequential.joint_judgement import JointVerdict, judge_history
from voile.models.sequential.requirement import Requirement, make_requirement
from voile.plugins.counted_nouns import name_earlier
from voile.releases.joint.closure import NoWorldError
from voile.releases.joint.history import gather_history
from voile.releases.joint.value_types import TypedReleases, type_releases
from voile.releases.release import Release
from voile.results import Answer
from voile.tables.group_counts import Counts
from voile.tables.schema import Column, Columns

KEEP_SEATS = ("append", "republish")  # methods whose groups are copies of earlier ones where they show the same


@dataclass(frozen=True)
class Sequential(SpansReleases, WrapsRequirement, Model):
    """The requirement holds for what is believed given this release and the earlier ones, which the certificate names
    by digest. With `known_rates` (the default) it also holds for adversaries who know how common the values are.

    >>> Sequential(LDiversity(l=3)).bound()
    Fraction(1, 3)
    """

    name: ClassVar[str] = "sequential"
    shapes: ClassVar[tuple[str, ...]] = ("generalized", "bucketized", "republished")

    requirement: Model = field(default_factory=lambda: LDiversity(l=2))
    earlier: tuple[Release | str, ...] = ()
    column: str | None = None
    known_rates: bool = True

    def __post_init__(self) -> None:
        super().__post_init__()
        if isinstance(self.requirement, SizeModel) or self.requirement.basis != "counts":
            raise PolicyError(
                f"sequential cannot judge {self.requirement.name} in several releases, because it does not count "
                "values.",
                code="policy.requirement",
                hint="Require e.g. l-diversity.",
            )

    @property
    def gaps(self) -> tuple[str, ...]:  # type: ignore[override]
        """The adversaries who are not covered."""
        rates = () if self.known_rates else ("an adversary who knows how common the values are",)
        return (*self.requirement.gaps, *(rates if self.earlier else ()))

    def verify(self, release: Release, counts: Counts, evidence: Evidence) -> Verification:
        recount = self.requirement.verify(release, counts, evidence)
        if recount.answer is not Answer.HOLDS or not self.earlier:
            return Verification(recount.answer, recount.detail)
        if any(isinstance(one, str) and not one.startswith("sha256:") for one in self.earlier):
            return Verification(Answer.BROKEN, "It names earlier releases by something that is no digest.")
        earlier = evidence.releases(self.earlier)
        if earlier is None:
            return Verification(Answer.NEEDS, evidence.name_missing(self.earlier))
        assert counts.column is not None
        every = [*earlier, release]
        typed = type_releases(every)
        requirement = make_requirement(self.requirement, counts.column, typed)
        scope = f"together with {name_earlier(len(earlier))}"
        seatings = evidence.seatings([one.digest for one in every])
        if seatings is not None:
            verdict = judge_seats(every, typed, seatings, requirement, known_rates=self.known_rates)
            return _describe(verdict, f"{scope}, by who sits where", undecided=_TOO_LARGE)
        verdict = judge_folders(every, typed, requirement, known_rates=self.known_rates)
        return _describe(
            verdict, f"{scope}, whoever sits where", undecided="Needs the ledger: it tells who sits where."
        )

    def targets(self, columns: Columns) -> list[Column | None]:
        return self.requirement.targets(columns) if self.column is None else super().targets(columns)

    def adversary(self) -> Adversary:
        base = self.requirement.adversary()
        return Adversary(f"{base.name} with earlier releases", base.knows | {Knowledge.EARLIER}, base.excludes)

    def promise(self, column: str) -> str:
        if not self.earlier:
            return self.requirement.promise(column)
        rates = ", and also for an adversary who knows how common the values are" if self.known_rates else ""
        return f"Taken together with {name_earlier(len(self.earlier))}{rates}: {self.requirement.promise(column)}"


_TOO_LARGE = "Nobody can decide it within the budget of the test, so it must not be relied on."


def judge_seats(
    releases: Sequence[Release],
    typed: TypedReleases,
    seatings: Sequence[Seating],
    requirement: Requirement,
    *,
    known_rates: bool = True,
) -> JointVerdict:
    """Judge releases together, given who sits where in each."""
    try:
        return judge_history(
            gather_history(typed, seatings, find_copies(releases)), requirement, known_rates=known_rates
        )
    except NoWorldError:
        return JointVerdict(Answer.BROKEN, reason="No values agree with all releases: somebody's value has changed.")


def find_copies(releases: Sequence[Release]) -> list[bool]:
    """Return for each release whether groups that show the same as earlier ones are known to be the same groups: only a
    method that keeps seats says so. Two releases may be equal by chance, although people were seated anew."""
    return [str(release.certificate.method.get("name")) in KEEP_SEATS for release in releases]


def _describe(verdict: JointVerdict, scope: str, *, undecided: str) -> Verification:
    decided = ", ".join(f"{number} by {route}" for route, number in verdict.routes.items() if number)
    if verdict.answer is Answer.HOLDS:
        return Verification(Answer.HOLDS, f"Judged {scope} ({decided}).")
    if verdict.answer is Answer.BROKEN:
        return Verification(Answer.BROKEN, f"Judged {scope}: {verdict.reason}")
    return Verification(Answer.NEEDS, f"Judged {scope}: {verdict.reason} {undecided}")
