"""Label differential privacy: your sensitive value hardly changes what is published.

Someone from differential privacy asks one number: by which factor e^epsilon can the probability of any output change
if one person's record changes? Here the record is the sensitive value (the label): two tables are neighbours if they
differ in one person's sensitive value. Who is in the table, and everybody's quasi-identifier, are public and not
protected by this promise. Nothing is assumed about what an adversary knows or believes; the bound holds for every
prior, and for an adversary who has all other values.

Perturbed generalization keeps it: one person of each group of at least k is drawn, and the value was redrawn from the
public list of |U| values with probability 1 - p. Then e^epsilon = 1 + p |U| / (k (1 - p)). If the groups were cut by
the perturbed values, drawing does not help and k = 1 (local differential privacy). Over T releases with fixed regions,
in which nobody is drawn twice, e^epsilon = 1 + p |U| T / (N (1 - p)), where N people of each region are in all of them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from decimal import Context, Decimal
from fractions import Fraction
from typing import ClassVar

import numpy as np

from voile.adversaries.adversary import Adversary, Knowledge
from voile.errors import PolicyError
from voile.models.anti_corruption.anti_corruption import CORRUPTER, read_process
from voile.models.anti_corruption.privacy_arithmetic import P_STEPS, group_size
from voile.models.base import Verification
from voile.models.evidence import Evidence
from voile.models.kinds import ProcessModel, SpansReleases
from voile.plugins.counted_nouns import count_noun, name_earlier
from voile.plugins.registry import knob
from voile.releases.randomized_response import Channel, exact_fraction
from voile.releases.release import Release
from voile.releases.shapes.box_tiling import tiles
from voile.results import Answer
from voile.tables.group_counts import Counts
from voile.tables.schema import Column

STEPS = 10**6  # epsilon is stated with six decimals, rounded up
LARGEST = 50  # beyond it nothing is promised that could be checked
EXACT = Context(prec=80)


@dataclass(frozen=True)
class LabelDifferentialPrivacy(SpansReleases, ProcessModel):
    """Changing one person's sensitive value changes the probability of any output by a factor of at most e^epsilon.

    `releases` is for how many releases of the same people epsilon must last, this one included. The rest is filled in
    when a release follows others: which these are, and how many people of each region are in all of them.

    >>> LabelDifferentialPrivacy(epsilon=1.5).bound()
    Fraction(3, 2)
    """

    name: ClassVar[str] = "label-differential-privacy"
    method: ClassVar[str] = "perturbed-generalization"
    shapes: ClassVar[tuple[str, ...]] = ("sampled",)
    gaps: ClassVar[tuple[str, ...]] = ("an adversary who wants to know who is in the table, or a quasi-identifier",)

    epsilon: float = knob(above=0, high=LARGEST)
    releases: int = knob(1, low=1)
    stayers: int | None = knob(None, low=1)
    earlier: tuple[Release | str, ...] = field(default=(), repr=False)
    column: str | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.stayers is not None and not self.earlier:
            raise PolicyError(
                f"{self.name}: stayers is counted when a release follows others.",
                code="policy.parameter",
                hint="Leave it out.",
            )

    def holds(self, counts: Counts) -> np.ndarray:
        """Accept every group: counts of perturbed values show nothing. `verify` looks at boxes, sizes and p."""
        return np.ones(counts.groups, dtype=bool)

    @property
    def limits(self) -> str:
        return "privacy loss"

    def bound(self) -> Fraction:
        return exact_fraction(self.epsilon)

    def adversary(self) -> Adversary:
        return replace(CORRUPTER, knows=CORRUPTER.knows | {Knowledge.EARLIER}) if self.earlier else CORRUPTER

    def share(self, k: int, blind: bool) -> Fraction | None:
        """Return the largest probability with which a person's perturbed value is published in all releases together;
        None where there are too few people in all of them."""
        if not self.earlier and self.releases == 1:
            return Fraction(1, k if blind else 1)
        if not self.earlier:
            return Fraction(self.releases, k) if blind and k > self.releases else None
        number = len(self.earlier) + 1
        return Fraction(number, self.stayers) if self.stayers is not None and self.stayers > number else None

    def meets(self, channel: Channel, share: Fraction | None) -> bool:
        """Decide whether a channel keeps the promise: e^epsilon is taken from below, to many digits."""
        ratio = channel.largest_ratio(share) if share is not None else None
        return ratio is not None and ratio <= exponential_below(self.epsilon)

    def largest_p(self, share: Fraction, size: int) -> Fraction:
        """Return the largest p that keeps the promise, rounded down to nine decimals.

        >>> float(LabelDifferentialPrivacy(epsilon=1.52).largest_p(Fraction(1, 6), 50))
        0.300046838
        """
        odds = (exponential_below(self.epsilon) - 1) / share
        return Fraction(math.floor(odds / (size + odds) * P_STEPS), P_STEPS)

    def promise(self, column: str) -> str:
        number = len(self.earlier) + 1
        span = f" This release and {name_earlier(number - 1)} are one output." if self.earlier else ""
        if not self.earlier and self.releases > 1:
            span = (
                f" This holds for up to {self.releases} releases together, if nobody is drawn twice in fixed regions."
            )
        return (
            f"Label differential privacy with epsilon = {self.epsilon:g}: changing one person's value of {column!r} "
            f"changes the probability of any output by a factor of at most e^{self.epsilon:g}. Who is in the table, "
            f"and everybody's quasi-identifier, are taken as public.{span}"
        )

    def check(self, column: Column | None) -> None:
        assert column is not None
        if not column.domain.declared:
            raise PolicyError(
                f"{self.name}: the values of {column.name!r} were taken from the table, which reveals them.",
                code="policy.domain",
                hint="Declare the values that the column may have, whether or not they occur.",
            )
        if column.size < 2:
            raise PolicyError(
                f"{self.name}: {column.name!r} has {count_noun(column.size, 'value')}, and hiding one takes another.",
                code="policy.domain",
                hint="Declare the values that the column may have.",
            )

    def verify(self, release: Release, counts: Counts, evidence: Evidence) -> Verification:
        """Check what can be seen: boxes, sizes, the arithmetic, and whether earlier releases have the same regions."""
        channel, process = release.channel, read_process(release.certificate.method)
        assert channel is not None, "only sampled releases have this claim checked"
        if process is None or exact_fraction(process[1]) != exact_fraction(channel.keep):
            return Verification(
                Answer.BROKEN, "The certificate and the dictionary disagree on how values are perturbed."
            )
        k, blind = group_size(process[0]), process[2]
        boxes = [(entry, *release.box_cells[str(entry["name"])]) for entry in release.described("quasi")]
        if not tiles(boxes):
            return Verification(Answer.BROKEN, "The boxes do not tile the space: some overlap or leave a gap.")
        smallest = int(release.sizes.min()) if len(release.sizes) else 0
        if smallest < (self.stayers or 1 if self.earlier else k):
            return Verification(
                Answer.BROKEN, f"A group has {count_noun(smallest, 'person', 'people')}, too few for what is claimed."
            )
        if not self.meets(channel, self.share(k, blind)):
            return Verification(Answer.BROKEN, f"p = {process[1]:g} is too large for epsilon = {self.epsilon:g}.")
        if self.earlier:
            earlier = evidence.releases(self.earlier)
            if earlier is None:
                return Verification(Answer.NEEDS, evidence.name_missing(self.earlier))
            fault = find_difference(release, earlier)
            fault = fault or self._find_ledger_fault(release, evidence)
            if fault:
                return Verification(Answer.BROKEN, fault)
        needs = "the ledger, the table and the key" if self.earlier else "the table and the key"
        summary = f"Boxes, sizes and arithmetic fit (p = {process[1]:g}, k = {k}, {channel.size} values)"
        return Verification(Answer.NEEDS, f"{summary}; checking the random draws needs {needs}.")

    def _find_ledger_fault(self, release: Release, evidence: Evidence) -> str:
        """Say what the publisher's ledger, if it is at hand, tells otherwise; empty if nothing."""
        ledger = evidence.ledger
        if ledger is None:
            return ""
        digests = [other if isinstance(other, str) else other.digest for other in self.earlier]
        ledger.check_beginning(digests)
        if ledger.releases[len(digests) : len(digests) + 1] != [release.digest]:
            return ""  # the release is being published
        seatings = [ledger.seating(number) for number in range(len(digests) + 1)]
        if (np.sum([seating.group >= 0 for seating in seatings], axis=0) > 1).any():
            return "The ledger says that somebody was drawn twice."
        present = np.logical_and.reduce([seating.present for seating in seatings])
        region = np.stack([seating.kind for seating in seatings])
        stays = present & (region == region[0]).all(axis=0)
        fewest = int(np.bincount(region[0][stays], minlength=release.groups).min())
        return (
            ""
            if fewest == self.stayers
            else f"By the ledger {count_noun(fewest, 'person', 'people')} of a region stayed, not {self.stayers}."
        )


def find_difference(release: Release, earlier: tuple[Release, ...]) -> str:
    """Say what a release and earlier ones do not share although they must: regions, p, and the list of values; empty if
    they do."""
    quasi = [str(entry["name"]) for entry in release.described("quasi")]
    for number, other in enumerate(earlier, 1):
        if not other.perturbs or other.channel != release.channel:
            return f"Earlier release {number} perturbs values in another way."
        if other.described("sensitive")[0]["domain"] != release.described("sensitive")[0]["domain"]:
            return f"Earlier release {number} draws from another list of values."
        if not all(other.column_of("table", name).equals(release.column_of("table", name)) for name in quasi):
            return f"Earlier release {number} has other regions."
    return ""


def exponential_below(epsilon: float) -> Fraction:
    """Return a number just below e^epsilon.

    >>> float(exponential_below(1.0))
    2.718281828459045
    """
    value = EXACT.exp(EXACT.create_decimal(Decimal(str(epsilon))))
    return Fraction(EXACT.next_minus(value))


def state_epsilon(channel: Channel, share: Fraction) -> float | None:
    """Return the least epsilon of six decimals that a channel keeps; None where it keeps none.

    >>> state_epsilon(Channel(0.3, 50), Fraction(1, 6)), state_epsilon(Channel(0.3, 50), Fraction(1))
    (1.519826, 3.110336)
    """
    ratio = channel.largest_ratio(share)
    if ratio is None or ratio > exponential_below(LARGEST):
        return None
    step = math.floor(math.log(ratio) * STEPS) - 1
    while ratio > exponential_below(step / STEPS):
        step += 1
    return max(step, 1) / STEPS


def certified_model(channel: Channel, k: int, blind: bool) -> LabelDifferentialPrivacy | None:
    """Return the strongest promise that one release through a channel keeps; None where it keeps none."""
    epsilon = state_epsilon(channel, Fraction(1, k if blind else 1))
    return None if epsilon is None else LabelDifferentialPrivacy(epsilon)
