"""m-confidentiality: belief stays at most 1/m even if the adversary knows how the release was made.

A release that is no coarser than its policy demands gives itself away: the adversary asks which tables would have led
to it and rules out the rest. m-confidentiality bounds the belief that remains. It cannot be seen in a table, because it
rests on what the method did not look at and on its random draws. So `verify` checks what can be seen, and whoever has
the table and the key publishes again and compares.

There are two readings. Under `mechanism` the adversary knows the method, takes people's values as independent, and may
know the rate of each protected value in every group, as long as it is at most `highest_rate`; belief in anybody's true
value is at most 1/m. Under `published` the promise is about the published values only: no value covers more than 1/m of
a group, and no group was made by looking at values. An adversary who knows that some values were changed may then
believe more than 1/m.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import ClassVar

import numpy as np

from voile.adversaries.adversary import Adversary, Knowledge
from voile.errors import PolicyError
from voile.models.abilities import ProtectsValues
from voile.models.base import Verification
from voile.models.evidence import Evidence
from voile.models.k_anonymity import NEIGHBOUR
from voile.models.kinds import ProcessModel
from voile.plugins.counted_nouns import count_noun
from voile.plugins.registry import knob
from voile.releases.dictionary import ALTERED_VALUE
from voile.releases.release import Release
from voile.results import Answer
from voile.tables.group_counts import Counts, at_most
from voile.tables.schema import Column

SOUND_SAMPLINGS = ("monotone", "slack")


@dataclass(frozen=True)
class MConfidentiality(ProtectsValues, ProcessModel):
    """Belief in a protected value is at most 1/m, even if the method is known.

    `highest_rate` bounds the rate of each protected value that the adversary may assume; by default it is the largest
    that can be covered. `other_rates` are public rates of all values that are not protected; without them, the
    adversary is taken to know nothing about these rates but what the release shows.

    >>> MConfidentiality(m=4).bound()
    Fraction(1, 4)
    """

    name: ClassVar[str] = "m-confidentiality"
    method: ClassVar[str] = "mask"
    shapes: ClassVar[tuple[str, ...]] = ("generalized",)

    m: int = knob(low=2)
    protect: tuple[str, ...] = ()
    reading: str = knob("mechanism", choices=("mechanism", "published"))
    highest_rate: float | None = knob(None, above=0, high=0.5)
    other_rates: Mapping[str, float] = field(default_factory=dict)
    column: str | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        rates = self.other_rates.values() if isinstance(self.other_rates, Mapping) else [0]
        if not all(isinstance(rate, (int, float)) and 0 < rate < float("inf") for rate in rates):
            raise PolicyError(
                "m-confidentiality: other_rates must give each value a number above 0.",
                code="policy.parameter",
                hint="Leave out values that nobody has.",
            )

    def largest_rate(self, l: int) -> Fraction:  # noqa: E741 - the letter of the literature
        """Return the largest rate that all protected values may have at once: 1/l for one value. Beside them, the other
        values must be at least l - 1 times as common as each of them."""
        return Fraction(1, l - 1 + max(len(self.protect), 1))

    def rate_bound(self, l: int) -> Fraction:  # noqa: E741
        """Return the rate up to which each protected value is covered, exactly as it was declared."""
        largest = self.largest_rate(l)
        if self.highest_rate is None or self.highest_rate >= float(largest):  # 1/3 may have been written as 0.333...
            return largest
        return Fraction(str(self.highest_rate))

    def channel_rate(self, l: int) -> Fraction:  # noqa: E741
        """Return the largest rate of a protected value among the people who have it or an unprotected value."""
        rate = self.rate_bound(l)
        return rate / (1 - rate * (max(len(self.protect), 1) - 1))

    def named_rates(self, column: Column) -> np.ndarray:
        """Return rates that the claim covers, for a check on tiny tables: the highest and half of it. What is not known
        about several unprotected values cannot be said in rates: then there are none."""
        others = [label for label in column.domain.labels if label not in self.protect]
        if len(others) > 1 and not self.other_rates:
            return np.zeros((0, column.size))
        shares = self.other_rates or dict.fromkeys(others, 1.0)
        rows = []
        for rate in (float(self.rate_bound(self.m)), float(self.rate_bound(self.m)) / 2):
            rest = (1 - rate * len(self.protect)) / sum(shares.values())
            rows.append([rate if label in self.protect else rest * shares[label] for label in column.domain.labels])
        return np.array(rows)

    def fractions_of_others(self) -> dict[str, Fraction]:
        """Return the declared rates of the unprotected values exactly as they are written."""
        return {label: Fraction(str(rate)) for label, rate in self.other_rates.items()}

    def check_named_values(self, column: Column | None) -> None:
        super().check_named_values(column)
        assert column is not None
        others = {label for label in column.domain.labels if label not in self.protect}
        if self.other_rates and set(self.other_rates) != others:
            without, unknown = len(others - set(self.other_rates)), len(set(self.other_rates) - others)
            raise PolicyError(
                f"{self.name}: other_rates must name every unprotected value of {column.name!r}, and no other: "
                f"{without} of {len(others)} are not named, and {unknown} of {len(self.other_rates)} names are not "
                "among them.",
                code="policy.rates",
                hint="Check their spelling, or declare the column's domain.",
            )

    def holds(self, counts: Counts) -> np.ndarray:
        """Check what can be seen: no protected value covers more than 1/m of a group."""
        assert counts.column is not None
        is_protected = np.asarray(self.protected_sets(counts.column).any(axis=0))
        entries = np.where(is_protected[counts.values], counts.counts, 0)
        largest = replace(counts, counts=entries).largest()
        return at_most(largest, self.bound(), counts.sizes)

    def verify(self, release: Release, counts: Counts, evidence: Evidence) -> Verification:
        recount = super().verify(release, counts, evidence)
        fault = "" if recount.answer is Answer.BROKEN else self._find_fault(release, counts)
        if fault:
            return Verification(Answer.BROKEN, fault)
        if recount.answer is not Answer.BROKEN and self.reading == "published":
            detail = f"Recounted in {count_noun(counts.groups, 'group')}. The promise is about published values only."
            return Verification(Answer.HOLDS, detail)
        return recount

    def _find_fault(self, release: Release, counts: Counts) -> str:
        """Say why the release cannot keep the promise, by what it says of itself; empty if nothing is wrong."""
        method, sound = release.certificate.method, self.reading == "mechanism"
        level = method.get("l") or self.m
        if method.get("name") != self.method or (sound and method.get("sampling") not in SOUND_SAMPLINGS):
            return f"The method that the certificate names does not promise it (reading {self.reading})."
        if not self.protect:
            return "No method can promise it for all values at once."
        if not isinstance(level, int) or level < self.m:
            return f"Shares were kept at 1/{level}, which is too much for m = {self.m}."
        if sound and self.highest_rate is not None and self.highest_rate > float(self.largest_rate(level)):
            return f"A rate of {self.highest_rate:g} cannot be covered, at most {self.largest_rate(level)}."
        entries = {entry["name"]: entry for entry in release.dictionary["columns"]}
        if counts.column is not None and entries[counts.column.name]["cell"] != ALTERED_VALUE:
            return "The dictionary does not say that values may have been changed."
        return ""

    def bound(self) -> Fraction:
        return Fraction(1, self.m)

    def adversary(self) -> Adversary:
        if self.reading == "published":
            return Adversary.who("neighbour", *NEIGHBOUR)
        rates = (Knowledge.STATISTICS,) if self.other_rates else ()  # otherwise those of some values are not known
        return Adversary.who("insider of the method", *NEIGHBOUR, *rates, Knowledge.ALGORITHM)

    def promise(self, column: str) -> str:
        values = f"{self.describe_protected()} of {column!r}"
        if self.reading == "published":
            return (
                f"No published group shows {values} for more than 1/{self.m} of its rows, and no group was formed by "
                "looking at these values. Some values were changed, and belief in the true values is not bounded."
            )
        others = (
            "at the declared rates in every group"
            if self.other_rates
            else "at the same rates in every group, of which nothing else is known"
        )
        rate = self.highest_rate if self.highest_rate is not None else self.largest_rate(self.m)
        return (
            f"Even an adversary who knows the groups, the method and the whole release can link nobody to {values} "
            f"with probability above 1/{self.m}, judging by this column. The adversary takes people's values as "
            f"independent. The rate of a protected value is the same for all people of a group and at most {rate}; it "
            "may be known or not, and differ from group to group. The values that are not protected occur "
            f"{others}. Not covered: an adversary who knows exactly how many people have a protected value, and "
            "groups in which it is more common than that."
        )

    def best(self, counts: Counts) -> str:
        total, top = int(counts.sizes.sum()), int(counts.totals.max(initial=0))
        return (
            f"The most frequent value covers {top} of {total} rows; the largest possible m is {total // max(top, 1)}."
        )
