"""r-robustness: an adversary who knows the statistics links nobody to a protected value with probability above 1/r.

The adversary knows who is in which group and, for every set of quasi-identifier columns, how likely each value is for
such people: "men get lung cancer with probability 0.1, women with probability 0.003". If a man and a woman form a group
with one case of lung cancer, the adversary is almost sure whose it is. r-robustness bounds this conclusion for each set
of columns.

No release can keep belief below what the statistics alone say. So the bound of a person is 1/r, or `lift` times the
chance that the statistics give them, whichever is more; for everybody whose chance is at most 1/(lift * r) it is 1/r.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import ClassVar

import numpy as np

from voile.adversaries.adversary import Adversary, Knowledge
from voile.adversaries.prior import SUPPORT, Prior
from voile.adversaries.prior_learning import learn_statistics, read_prior
from voile.adversaries.prior_posterior import compute_posterior, protected_events
from voile.errors import PolicyError, option, parameter
from voile.models.abilities import LearnsFromTable, ProtectsValues
from voile.models.base import Verification
from voile.models.evidence import Evidence
from voile.models.kinds import PriorModel
from voile.plugins.counted_nouns import count_noun
from voile.plugins.registry import knob
from voile.releases.release import Release
from voile.results import Answer
from voile.tables.group_counts import Counts
from voile.tables.row_protocol import Table
from voile.tables.schema import Column, Columns

DIGEST = "sha256:"
MOST_COLUMNS = 12  # more columns than this have too many subsets to tabulate
SLACK = 1e-9
TABLE, ELSEWHERE = "table", "elsewhere"
BOUND_ABOVE, PRIOR_ABOVE = "people_bound_above", "people_prior_above"  # people whose bound, or chance, is above 1/r


def statistician(reading: str) -> Adversary:
    """Return the adversary who knows the statistics. The two readings are two adversaries: neither knows everything
    that the other knows."""
    rates = Knowledge.PRIOR if reading == "full" else Knowledge.RATES
    return Adversary.who("statistician", Knowledge.MEMBERSHIP, Knowledge.QUASI, rates)


@dataclass(frozen=True)
class RRobustness(ProtectsValues, LearnsFromTable, PriorModel):
    """Belief in a protected value is at most 1/r for an adversary who knows the statistics of every group of people, or
    at most `lift` times what the statistics alone say, whichever is more.

    `protect` is "all" or a list of values; with `protect_as="set"` the promise is about "one of these values", not
    about each of them. In the `full` reading the adversary knows the probability of every value; in the `binary`
    reading they only weigh a protected value against its contrary. `prior` holds the statistics or names a file of
    them. Without it they are learned from the table: every signature of up to `max_columns` columns that `min_support`
    people share. `source` says where given statistics come from: "elsewhere", or "table" if they were learned from this
    very table, which the claim must then admit; by default statistics that voile has learned count as the table's.

    >>> RRobustness(r=4).bound()
    Fraction(1, 4)
    """

    name: ClassVar[str] = "r-robustness"
    shapes: ClassVar[tuple[str, ...]] = ("bucketized",)
    monotone: ClassVar[bool] = False
    findings: ClassVar[tuple[str, ...]] = ("worst_belief",)
    gaps: ClassVar[tuple[str, ...]] = (
        "an adversary who knows exactly how many people of this very table have a protected value, in groups of people",
        "an adversary who knows other statistics than those of one of its column sets, even if they are fewer",
    )

    r: float = knob(above=1)
    lift: float = knob(1.5, low=1)
    protect: tuple[str, ...] | str = "all"
    protect_as: str = knob("values", choices=("values", "set"))
    reading: str = knob("full", choices=("full", "binary"))
    prior: Prior | str | None = None
    min_support: int = knob(SUPPORT, low=1)
    max_columns: int | None = knob(None, low=1, high=1000)
    source: str | None = knob(None, choices=(TABLE, ELSEWHERE))
    column: str | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        values = (self.protect,) if isinstance(self.protect, str) else tuple(self.protect)
        if any(isinstance(value, (list, tuple)) for value in values):
            raise PolicyError(
                f"{self.name}: protect lists values, not lists of values.",
                code="policy.protect",
                hint="For several protected sets, name all their values in one list with "
                f"{parameter('protect_as', 'set')}; with {option('method', 'capped-counts')} belief in each of "
                "the sets then stays within its own bound too.",
            )
        if not any(values) or not all(isinstance(value, str) for value in values):
            raise PolicyError(
                f"{self.name}: protect names no value.",
                code="policy.protect",
                hint='Write "all" or a list of texts, e.g. ["HIV", "hepatitis"].',
            )
        object.__setattr__(self, "protect", "all" if values == ("all",) else values)

    @property
    def method(self) -> str:  # type: ignore[override]
        """Counts of named values can be capped; where every value is protected, only ART serves."""
        return "capped-counts" if self.protected_values else "art"

    @property
    def is_from_elsewhere(self) -> bool:
        """Whether the statistics tell nothing about the values of this very table."""
        given = isinstance(self.prior, Prior) and not self.prior.salt
        return self.source == ELSEWHERE or (self.source is None and given)

    @property
    def protected_values(self) -> tuple[str, ...]:
        """The values that the request names; none means that every value is protected."""
        return () if isinstance(self.protect, str) else self.protect

    def protected_sets(self, column: Column) -> np.ndarray:
        events = self.events(column)
        return np.asarray(np.arange(int(events.max(initial=-1)) + 1).reshape(-1, 1) == events)

    def events(self, column: Column) -> np.ndarray:
        """Return the event of each value of the column, -1 for values that need no protection."""
        return protected_events(column, self.protected_values, self.protect_as == "set")

    def holds(self, counts: Counts) -> np.ndarray:
        """Counts alone refute nothing: how much may be believed of somebody depends on the statistics."""
        return np.ones(counts.groups, dtype=bool)

    def belief_bound(self, chances: np.ndarray) -> np.ndarray:
        """Return how much may be believed of people of whom the statistics alone say this much.

        >>> RRobustness(r=4).belief_bound(np.array([0.1, 0.2])).round(3).tolist()
        [0.25, 0.3]
        """
        return np.minimum(np.maximum(float(self.bound()), self.lift * np.asarray(chances)), 1.0)

    def verify(self, release: Release, counts: Counts, evidence: Evidence) -> Verification:
        recount = super().verify(release, counts, evidence)
        if recount.answer is Answer.BROKEN:
            return recount
        if self.source is None:
            return Verification(Answer.BROKEN, "It does not say where the statistics come from.")
        prior = evidence.prior(self._digest)
        if prior is None:
            remark = "The prior at hand is a different one. " if evidence.priors else ""
            request = f"Needs the prior {self._digest[:19]}..., the publisher's statistics."
            return Verification(Answer.NEEDS, remark + request)
        assert counts.column is not None
        events, binary = self.events(counts.column), self.reading == "binary"
        beliefs = compute_posterior(
            prior,
            release.members,
            counts,
            events,
            self.protected_values,
            as_set=self.protect_as == "set",
            binary=binary,
            allowed=self.allowed,
        )
        detail = f"The greatest belief over {count_noun(len(beliefs.sets), 'column set')} is {beliefs.worst:.4f}"
        detail += (
            "." if beliefs.exact.all() else f" (an upper bound in {count_noun(int((~beliefs.exact).sum()), 'group')})."
        )
        counted = self._count_exceptions(beliefs.peak, release.members.counts)
        exceptions = describe_exceptions(self.bound(), self.lift, counted)
        detail += f" {exceptions}" if exceptions else ""
        answer = Answer.HOLDS if float(beliefs.excess.max(initial=0.0)) <= SLACK else Answer.BROKEN
        return Verification(answer, detail, {"worst_belief": round(beliefs.worst, 6)}, counted=counted)

    @property
    def allowed(self) -> tuple[float, float]:
        """A belief may reach the first number, or the second times what the statistics alone say."""
        return float(self.bound()), float(self.lift)

    def _count_exceptions(self, peak: np.ndarray, people: np.ndarray) -> dict[str, int]:
        """Count the people whose own bound lies above 1/r, and those whose chance does already; `peak` is what the
        statistics alone say about them."""
        above, already = (int(people[peak * factor > float(self.bound()) + SLACK].sum()) for factor in (self.lift, 1.0))
        return {BOUND_ABOVE: above, PRIOR_ABOVE: already}

    @property
    def _digest(self) -> str:
        return self.prior.digest if isinstance(self.prior, Prior) else str(self.prior)

    def learn(self, columns: Columns, rows: Table) -> RRobustness:
        target = self.targets(columns)[0]
        assert target is not None
        if isinstance(self.prior, Prior):
            prior = self.prior
        elif self.prior is None:
            if len(columns.quasi) > MOST_COLUMNS and self.max_columns is None:
                raise PolicyError(
                    f"{self.name}: {len(columns.quasi)} quasi-identifier columns have too many subsets for a prior.",
                    code="policy.prior",
                    hint=f"Limit how many columns the adversary combines, e.g. {parameter('max_columns', 3)}.",
                )
            salt = rows.key.stream(f"prior of {target.name}", 2).tobytes().hex()
            limits = {"min_support": self.min_support, "max_columns": self.max_columns}
            prior = learn_statistics(columns, rows, target, salt=salt, **limits)  # type: ignore[arg-type]
            return replace(self, prior=prior, source=TABLE)
        elif self.prior.startswith(DIGEST):
            raise PolicyError(
                f"{self.name}: a digest names a prior but does not contain it.",
                code="policy.prior",
                hint="Pass the prior itself or its file.",
            )
        else:
            prior = read_prior(self.prior, target.name)
        self._check_statistics(prior, columns, rows)
        return replace(self, prior=prior, source=self.source or (TABLE if prior.salt else ELSEWHERE))

    def bound(self) -> Fraction:
        return 1 / Fraction(str(self.r))

    def adversary(self) -> Adversary:
        return statistician(self.reading)

    def promise(self, column: str) -> str:
        restriction = " and weighs a value only against its contrary" if self.reading == "binary" else ""
        return (
            f"An adversary who knows one of the distributions of the prior{restriction} can link nobody to "
            f"{self.describe_protected()} of {column!r} with probability above {self.bound()}, or above {self.lift:g} "
            "times the probability that the prior alone gives, whichever is more."
        )

    def smallest(self) -> int:
        # a group without a protected value may have any size; a group with one needs r rows
        return 1 if self.protected_values else math.ceil(self.r - 1e-9)

    def check_named_values(self, column: Column | None) -> None:
        """Protected values must exist. Where statistics are given, these and a declared domain say which values there
        are; whether anybody has them must not be seen from a refusal."""
        assert column is not None
        if self.prior is None or column.domain.declared:
            super().check_named_values(column)
        values = set(self.protected_values)
        looks = self.prior is None or column.domain.declared
        if looks and values and self.protect_as == "set" and set(column.domain.labels) <= values:
            raise self._whole_domain_error(column.name)

    def _whole_domain_error(self, name: str) -> PolicyError:
        return PolicyError(
            f"{self.name}: the protected set contains every value of {name!r}, so everybody is in it.",
            code="policy.protect",
            hint=f"Protect fewer values, or each value by itself ({parameter('protect_as', 'values')}).",
        )

    def _check_statistics(self, prior: Prior, columns: Columns, rows: Table) -> None:
        """Raise what is wrong with given statistics. Nothing here looks at a value of the table."""
        prior.check(columns)
        prior.require_coverage(columns, rows)
        unknown = len(set(self.protected_values) - set(prior.values))
        if unknown:
            raise PolicyError(
                f"{self.name}: the prior gives no rate for {unknown} of "
                f"{count_noun(len(self.protected_values), 'protected value')}.",
                code="policy.protect",
                hint="Check their spelling, or add their rates.",
            )
        if self.protected_values and self.protect_as == "set" and set(prior.values) <= set(self.protected_values):
            listed = [prior.marginal, *(statistics.rows for statistics in prior.sets)]
            if all(rows is None or (rows.sum(axis=-1) > 1 - SLACK).all() for rows in listed):
                raise self._whole_domain_error(prior.column)

    def best(self, counts: Counts) -> str:
        total, top = int(counts.sizes.sum()), int(counts.totals.max(initial=0))
        reach = f"the largest possible r is {total / max(top, 1):.4g}."
        return f"The most frequent value covers {top} of {total} rows; {reach}"


def describe_exceptions(bound: Fraction | str, lift: float, counted: Mapping[str, int]) -> str:
    """Say in a sentence how many people have a bound above 1/r; nothing if nobody has, or nobody counted.

    >>> describe_exceptions("1/5", 1.5, {BOUND_ABOVE: 20, PRIOR_ABOVE: 4})[:42]
    'For 20 people the bound lies above 1/5: it'
    """
    if not counted.get(BOUND_ABOVE):
        return ""
    return (
        f"For {counted[BOUND_ABOVE]} people the bound lies above {bound}: it is {lift:g} times what the statistics "
        f"alone say, which for {counted[PRIOR_ABOVE]} of them is above {bound} already."
    )


def describe_own_exceptions(release: Release) -> str:
    """Say the same of a release in the words of its claim, as its publisher counted."""
    claims = [claim for claim in release.certificate.claims if claim["model"] == RRobustness.name]
    if not claims:
        return ""
    return describe_exceptions(str(claims[0]["bound"]), float(claims[0]["parameters"]["lift"]), release.counted)
