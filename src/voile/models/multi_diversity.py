"""Multi-diversity: several sensitive columns, and for each a bound on what can be believed.

A table has a diagnosis and a treatment. The neighbour finds your group and reads which diagnoses and which treatments
occur in it. With l-diversity of each column alone they count listed values, but a list of four salaries can still mean
probability 1/2: who has the complete sensitive rows (which are often published, without names, for their own sake) asks
which of them can be yours. Rows must fit all lists of your group and, one to one, everybody else's too. This model
bounds the belief of who does that arithmetic completely: all ways to match rows and people that fit the tables are
equally likely, and no value of a column with l may be yours with probability above 1/l.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import ClassVar

import numpy as np

from voile.adversaries.adversary import Adversary
from voile.errors import PolicyError, parameter
from voile.models.base import Model
from voile.models.evidence import Evidence
from voile.models.k_anonymity import NEIGHBOUR
from voile.plugins.registry import knob
from voile.releases.release import Release
from voile.releases.shapes.decomposed import Decomposed
from voile.results import Answer
from voile.tables.group_counts import Counts, at_most
from voile.tables.schema import Column, Columns, suggest_name

SLACK = 1e-9
DIGITS = 10_000


@dataclass(frozen=True)
class MultiDiversity(Model):
    """Belief in any value of a sensitive column is at most 1/l, with an l for each column; 1 promises nothing.

    `otherwise` is the l of columns that are not named. `reached` is filled in when a release is published: the largest
    belief in each column, computed from the tables, in digits rounded up.

    >>> MultiDiversity({"diagnosis": 4, "treatment": 2}).of("treatment").bound()
    Fraction(1, 2)
    """

    name: ClassVar[str] = "multi-diversity"
    method: ClassVar[str] = "decompose"
    shapes: ClassVar[tuple[str, ...]] = ("generalized", "bucketized", "decomposed")
    gathers: ClassVar[str] = "l"

    l: Mapping[str, int] = field(default_factory=dict)  # noqa: E741 - the letter of the literature
    otherwise: int = knob(2, low=1)
    reached: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "l", numbers_by_column("multi-diversity", "l", self.l))
        wrong = not isinstance(self.reached, Mapping)
        try:
            wrong = wrong or any(not 0 < Fraction(str(level)) <= 1 for level in self.reached.values())
        except (ValueError, ArithmeticError):
            wrong = True
        if wrong:
            raise PolicyError("multi-diversity: reached must give fractions by column.", code="policy.parameter")

    def __repr__(self) -> str:
        shown = [repr(dict(self.l))] + [f"otherwise={self.otherwise}"] * (self.otherwise != 2)
        return f"MultiDiversity({', '.join(shown + [f'reached={dict(self.reached)}'] * bool(self.reached))})"

    def number(self, column: str) -> int:
        """The l of a column."""
        return int(self.l.get(column, self.otherwise))

    def of(self, column: str | None) -> MultiDiversity:
        if column is None:
            return self
        reached = {name: level for name, level in self.reached.items() if name == column}
        return replace(self, l={column: self.number(column)}, otherwise=2, reached=reached)

    def reaching(self, release: Release) -> MultiDiversity:
        """The same, with the level that a release reaches in each column."""
        assert isinstance(release, Decomposed)
        levels = {}
        for name in release.names:
            worst, asked = release.worst(name), Fraction(1, self.number(name))
            level = Fraction(math.ceil((worst - SLACK) * DIGITS), DIGITS)
            kept = worst <= asked + SLACK
            levels[name] = str(max(min(level, asked if kept else Fraction(1)), Fraction(1, DIGITS)))
        return replace(self, reached=levels)

    def holds(self, counts: Counts) -> np.ndarray:
        bound = self.of(counts.column.name if counts.column else None).bound()
        if counts.counts.dtype.kind == "f":
            return np.asarray(counts.largest() <= (float(bound) + SLACK) * counts.sizes)
        return at_most(counts.largest(), bound, counts.sizes)

    def judge(self, release: Release, counts: Counts, evidence: Evidence) -> tuple[Answer, str]:
        if not isinstance(release, Decomposed):
            return super().judge(release, counts, evidence)
        assert counts.column is not None
        name, bound = counts.column.name, self.of(counts.column.name).bound()
        worst = release.worst(name)
        answer = Answer.HOLDS if worst <= bound + SLACK else Answer.BROKEN
        if name == release.names[0] or release.linkage is None:
            return answer, f"Counted in {release.groups} groups: belief is at most {worst:.4f}."
        sure = int(release.certain.sum())
        how = "all matchings of rows and people counted"
        if sure < release.groups:
            how += f" for {sure} groups, bounded from above for {release.groups - sure}"
        return answer, f"Belief is at most {worst:.4f} in {release.groups} groups; {how}."

    def bound(self) -> Fraction:
        levels = {name: Fraction(1, number) for name, number in self.l.items()}
        levels |= {name: Fraction(str(level)) for name, level in self.reached.items()}
        return max(levels.values(), default=Fraction(1, self.otherwise))

    def adversary(self) -> Adversary:
        return Adversary.who("neighbour", *NEIGHBOUR)

    def promise(self, column: str) -> str:
        own = self.of(column or None)
        bound, asked = own.bound(), own.number(column) if column else 1
        if bound == 1:
            return f"Nothing is promised about {column!r}; its values are listed."
        text = f"Nobody can be linked to a value of {column!r} with probability above {bound}"
        more = f" (asked for was 1/{asked})" if bound > Fraction(1, asked) else ""
        return f"{text}{more}, all ways to match sensitive rows and people that fit the tables being equally likely."

    def smallest(self) -> int:
        return math.ceil(1 / self.bound())

    def all_different(self) -> int:
        return max([*self.l.values(), 1 if self.l else self.otherwise])

    def targets(self, columns: Columns) -> list[Column | None]:
        known = [column.name for column in columns.sensitive]
        lost = [name for name in self.l if name not in known]
        if lost:
            raise PolicyError(
                f"{self.name} speaks of {lost[0]!r}, which is no sensitive column.",
                code="policy.column",
                hint=suggest_name(lost[0], known),
            )
        return super().targets(columns)

    def best(self, counts: Counts) -> str:
        assert counts.column is not None
        total, top = int(counts.sizes.sum()), int(counts.totals.max(initial=0))
        return (
            f"The most frequent value of {counts.column.name!r} covers {top} of {total} rows; the largest possible l "
            f"is {total // max(top, 1)}."
        )


def numbers_by_column(owner: str, what: str, given: object) -> dict[str, int]:
    """A whole number from 1 up for each named column, or PolicyError."""
    fine = isinstance(given, Mapping) and all(
        isinstance(name, str) and type(number) is int and number >= 1 for name, number in given.items()
    )
    if not fine:
        raise PolicyError(
            f"{owner}: {what} must give a whole number, at least 1, for each column.",
            code="policy.parameter",
            hint=f"E.g. {parameter(what, {'diagnosis': 4, 'treatment': 2})}.",
        )
    assert isinstance(given, Mapping)
    return dict(given)
