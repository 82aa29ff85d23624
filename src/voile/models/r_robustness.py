"""r-robustness: nobody is linked to a protected value with probability above 1/r, even by who knows the statistics.

The adversary knows who is in which group and, for every set of quasi-identifier columns, how likely each value is for
people like them: "men get lung cancer with probability 0.1, women 0.003". In a group of a man and a woman with one case
of lung cancer between them, they are almost sure. r-robustness bounds what they can conclude, for each set of columns.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np

from voile.adversaries.adversary import Adversary, Knowledge
from voile.adversaries.prior import SUPPORT, Prior
from voile.adversaries.prior_learning import learn, read_prior
from voile.adversaries.prior_posterior import Linkage, events_of, linkage
from voile.errors import PolicyError, parameter
from voile.models.base import Model, require_values
from voile.models.evidence import Evidence
from voile.plugins.registry import knob
from voile.releases.release import Release
from voile.results import Answer
from voile.tables.group_counts import Counts, at_most
from voile.tables.row_protocol import Table
from voile.tables.schema import Column, Columns

DIGEST = "sha256:"
MOST_COLUMNS = 12  # all sets of more columns than this are too many to tabulate


def statistician(reading: str) -> Adversary:
    """Who knows the statistics. The two readings are different people: neither knows all that the other knows."""
    told = Knowledge.PRIOR if reading == "full" else Knowledge.RATES
    return Adversary.who("statistician", Knowledge.MEMBERSHIP, Knowledge.QUASI, Knowledge.STATISTICS, told)


@dataclass(frozen=True)
class RRobustness(Model):
    """Belief in a protected value is at most 1/r for an adversary with the statistics of every group of people.

    `protect` is "all" values, or a list of them; with `protect_as="set"` the promise is about "one of these", not about
    each alone. In the `full` reading the adversary knows the probability of every value; in the `binary` one they only
    weigh the protected value against its contrary. `prior` holds the statistics, or the path of a file of them; without
    it they are learned from the table: every signature of up to `max_columns` columns that `min_support` people share.

    >>> RRobustness(r=4).bound()
    Fraction(1, 4)
    """

    name: ClassVar[str] = "r-robustness"
    basis: ClassVar[str] = "prior"
    method: ClassVar[str] = "art"
    shapes: ClassVar[tuple[str, ...]] = ("bucketized",)
    monotone: ClassVar[bool] = False

    r: float = knob(above=1)
    protect: tuple[str, ...] | str = "all"
    protect_as: str = knob("values", choices=("values", "set"))
    reading: str = knob("full", choices=("full", "binary"))
    prior: Prior | str | None = None
    min_support: int = knob(SUPPORT, low=1)
    max_columns: int | None = knob(None, low=1)
    column: str | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        named = (self.protect,) if isinstance(self.protect, str) else tuple(self.protect)
        if not any(named) or not all(isinstance(value, str) for value in named):
            raise PolicyError(
                f"{self.name}: protect names no value.",
                code="policy.protect",
                hint='Give "all", or a list of values as text, e.g. ["HIV", "hepatitis"].',
            )
        object.__setattr__(self, "protect", "all" if named == ("all",) else named)

    @property
    def named(self) -> tuple[str, ...]:
        """The protected values; empty means all."""
        return () if isinstance(self.protect, str) else self.protect

    def guarded(self, column: Column) -> np.ndarray:
        events = self.events(column)
        return np.asarray(np.arange(int(events.max(initial=-1)) + 1).reshape(-1, 1) == events)

    def events(self, column: Column) -> np.ndarray:
        """The event of each value of the column, -1 for values that need no protection."""
        return events_of(column, self.named, self.protect_as == "set")

    def holds(self, counts: Counts) -> np.ndarray:
        """What counts alone tell: the members' beliefs in an event sum to its count, so somebody reaches its share."""
        assert counts.column is not None
        event = self.events(counts.column)[counts.values]
        most = np.zeros(counts.groups, dtype=np.int64)
        for number in np.unique(event[event >= 0]):
            inside = np.where(event == number, counts.counts, 0)
            most = np.maximum(most, counts.summed(inside))
        return at_most(most, self.bound(), counts.sizes)

    def judge(self, release: Release, counts: Counts, evidence: Evidence) -> tuple[Answer, str]:
        answer, detail = super().judge(release, counts, evidence)
        if answer is Answer.BROKEN:
            return answer, detail
        prior = evidence.prior(self._digest)
        if prior is None:
            other = "The prior at hand is another one. " if evidence.priors else ""
            return (
                Answer.NEEDS,
                f"{other}Needs the prior {self._digest[:19]}..., the publisher's statistics.",
            )
        found = self._linked(release, counts, prior)
        worst = f"The greatest belief over {len(found.sets)} column sets is {found.worst:.4f}"
        worst += "." if found.exact.all() else f" (an upper bound in {int((~found.exact).sum())} groups)."
        if found.worst > float(self.bound()) + 1e-9:
            return Answer.BROKEN, worst
        return Answer.HOLDS, worst

    def found(self, release: Release, counts: Counts, evidence: Evidence) -> Mapping[str, Any]:
        prior = evidence.prior(self._digest)
        return {} if prior is None else {"worst_belief": round(self._linked(release, counts, prior).worst, 6)}

    def _linked(self, release: Release, counts: Counts, prior: Prior) -> Linkage:
        assert counts.column is not None
        events = self.events(counts.column)
        return linkage(prior, release.members, counts, events, self.named, binary=self.reading == "binary")

    @property
    def _digest(self) -> str:
        return self.prior.digest if isinstance(self.prior, Prior) else str(self.prior)

    def informed(self, columns: Columns, rows: Table) -> RRobustness:
        target = self.targets(columns)[0]
        assert target is not None
        if isinstance(self.prior, Prior):
            prior = self.prior
        elif self.prior is None:
            if len(columns.quasi) > MOST_COLUMNS and self.max_columns is None:
                raise PolicyError(
                    f"{self.name}: {len(columns.quasi)} quasi-identifier columns have too many subsets for a prior.",
                    code="policy.prior",
                    hint=f"Say how many columns the adversary combines, e.g. {parameter('max_columns', 3)}.",
                )
            salt = rows.key.stream(f"prior of {target.name}", 2).tobytes().hex()
            limits = {"min_support": self.min_support, "max_columns": self.max_columns}
            return replace(self, prior=learn(columns, rows, target, salt=salt, **limits))  # type: ignore[arg-type]
        elif self.prior.startswith(DIGEST):
            raise PolicyError(
                f"{self.name}: a digest names a prior, it does not contain one.",
                code="policy.prior",
                hint="Give the prior itself, or its file.",
            )
        else:
            prior = read_prior(self.prior, target.name)
        prior.check(columns)
        prior.admits(columns, rows)
        return replace(self, prior=prior)

    def bound(self) -> Fraction:
        return 1 / Fraction(str(self.r))

    def limited(self) -> str:
        return "protected belief" if self.named else "belief"

    def adversary(self) -> Adversary:
        return statistician(self.reading)

    def promise(self, column: str) -> str:
        which = "a value" if not self.named else f"one of {len(self.named)} protected values"
        weighs = " and weighs a value only against its contrary" if self.reading == "binary" else ""
        return (
            f"Nobody can be linked to {which} of {column!r} with probability above {self.bound()} by an adversary who "
            f"knows one of the distributions of the prior{weighs}, and draws nothing from how the groups were chosen."
        )

    def smallest(self) -> int:
        # a group without a protected value may be of any size; with one it needs r rows
        return 1 if self.named else math.ceil(self.r - 1e-9)

    def check_values(self, column: Column | None) -> None:
        require_values(self, column, self.named)
        assert column is not None
        if self.named and self.protect_as == "set" and set(column.domain.labels) <= set(self.named):
            raise PolicyError(
                f"{self.name}: the protected set holds every value of {column.name!r}, so everybody is in it.",
                code="policy.protect",
                hint=f"Protect fewer values, or each value alone ({parameter('protect_as', 'values')}).",
            )

    def best(self, counts: Counts) -> str:
        total, top = int(counts.sizes.sum()), int(counts.totals.max(initial=0))
        reach = f"the largest possible r is {total / max(top, 1):.4g}."
        return f"The most frequent value covers {top} of {total} rows; {reach}"
