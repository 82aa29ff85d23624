"""Multi-diversity: several sensitive columns, with a bound on belief for each.

A table has a diagnosis and a treatment. The neighbour finds your group and reads which diagnoses and which treatments
occur in it. If each column is l-diverse by itself, the neighbour counts the listed values; but a list of four salaries
can still mean probability 1/2, because an adversary with the complete sensitive rows (which are often published,
without names, for their own sake) asks which of them can be yours. Those rows must fit all lists of your group and, one
to one, everybody else's lists too. This model bounds the belief of an adversary who does that arithmetic completely:
all ways to match rows and people that fit the tables are equally likely, and no value of a column with l may be yours
with probability above 1/l.
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
from voile.models.abilities import AcceptsDistinctValues, HasColumnParameters
from voile.models.base import Model, Verification
from voile.models.evidence import Evidence
from voile.models.k_anonymity import NEIGHBOUR
from voile.plugins.number_text import parse_fraction
from voile.plugins.registry import knob
from voile.releases.release import Release
from voile.results import Answer
from voile.tables.group_counts import Counts, at_most
from voile.tables.schema import Column, Columns, suggest_name

SLACK = 1e-9
LEVEL_STEPS = 10_000


@dataclass(frozen=True)
class MultiDiversity(HasColumnParameters, AcceptsDistinctValues, Model):
    """Belief in any value of a sensitive column is at most 1/l, with an l for each column; l = 1 promises nothing.

    `otherwise` is the l of the columns that are not named. `reached` is filled in when a release is published: the
    largest belief in each column, computed from the tables and rounded up.

    >>> MultiDiversity({"diagnosis": 4, "treatment": 2}).for_column("treatment").bound()
    Fraction(1, 2)
    """

    name: ClassVar[str] = "multi-diversity"
    method: ClassVar[str] = "decompose"
    shapes: ClassVar[tuple[str, ...]] = ("generalized", "bucketized", "decomposed")
    catch_all: ClassVar[str] = "l"

    l: Mapping[str, int] = field(default_factory=dict)  # noqa: E741 - the letter of the literature
    otherwise: int = knob(2, low=1)
    reached: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "l", numbers_by_column("multi-diversity", "l", self.l))
        is_malformed = not isinstance(self.reached, Mapping)
        try:
            is_malformed = is_malformed or any(
                not 0 < parse_fraction(str(level)) <= 1 for level in self.reached.values()
            )
        except (ValueError, ArithmeticError):
            is_malformed = True
        if is_malformed:
            raise PolicyError("multi-diversity: reached must give each column a fraction.", code="policy.parameter")

    def __repr__(self) -> str:
        arguments = [repr(dict(self.l))] + [f"otherwise={self.otherwise}"] * (self.otherwise != 2)
        return f"MultiDiversity({', '.join(arguments + [f'reached={dict(self.reached)}'] * bool(self.reached))})"

    def level(self, column: str) -> int:
        """Return the l of a column."""
        return int(self.l.get(column, self.otherwise))

    def for_column(self, column: str | None) -> MultiDiversity:
        if column is None:
            return self
        reached = {name: level for name, level in self.reached.items() if name == column}
        return replace(self, l={column: self.level(column)}, otherwise=2, reached=reached)

    def with_reached_levels(self, release: Release) -> MultiDiversity:
        """Return the model with the level that a release reaches in each column."""
        levels = {}
        for name in release.sensitive_names:
            belief = release.belief_bound(name)
            assert belief is not None, "only releases that list values state a level"
            largest_belief, requested_bound = belief.largest, Fraction(1, self.level(name))
            level = Fraction(math.ceil((largest_belief - SLACK) * LEVEL_STEPS), LEVEL_STEPS)
            ceiling = requested_bound if largest_belief <= requested_bound + SLACK else Fraction(1)
            levels[name] = str(max(min(level, ceiling), Fraction(1, LEVEL_STEPS)))
        return replace(self, reached=levels)

    def holds(self, counts: Counts) -> np.ndarray:
        bound = self.for_column(counts.column.name if counts.column else None).bound()
        if counts.counts.dtype.kind == "f":
            return np.asarray(counts.largest() <= (float(bound) + SLACK) * counts.sizes)
        return at_most(counts.largest(), bound, counts.sizes)

    def verify(self, release: Release, counts: Counts, evidence: Evidence) -> Verification:
        assert counts.column is not None
        belief = release.belief_bound(counts.column.name)
        if belief is None:
            return super().verify(release, counts, evidence)
        if counts.column.name not in self.reached:
            return Verification(Answer.BROKEN, "It does not state the level that was reached.")
        largest_belief, bound = belief.largest, self.for_column(counts.column.name).bound()
        answer = Answer.HOLDS if largest_belief <= bound + SLACK else Answer.BROKEN
        if belief.counted is None:
            return Verification(answer, f"Counted in {release.groups} groups: belief is at most {largest_belief:.4f}.")
        coverage = "all matchings of rows and people were counted"
        if belief.counted < release.groups:
            coverage += f" for {belief.counted} groups, and bounded from above for {release.groups - belief.counted}"
        return Verification(answer, f"Belief is at most {largest_belief:.4f} in {release.groups} groups; {coverage}.")

    def bound(self) -> Fraction:
        levels = {name: Fraction(1, number) for name, number in self.l.items()}
        levels |= {name: parse_fraction(str(level)) for name, level in self.reached.items()}
        return max(levels.values(), default=Fraction(1, self.otherwise))

    def adversary(self) -> Adversary:
        return Adversary.who("neighbour", *NEIGHBOUR)

    def promise(self, column: str) -> str:
        model = self.for_column(column or None)
        bound, requested_level = model.bound(), model.level(column) if column else 1
        if bound == 1:
            return f"Nothing is promised about {column!r}; its values are listed."
        text = f"Nobody can be linked to a value of {column!r} with probability above {bound}"
        remark = f" (1/{requested_level} was requested)" if bound > Fraction(1, requested_level) else ""
        return (
            f"{text}{remark}, if all ways to match sensitive rows with people that fit the tables are equally likely."
        )

    def smallest(self) -> int:
        return math.ceil(1 / self.bound())

    def distinct_values_needed(self) -> int:
        return max([*self.l.values(), 1 if self.l else self.otherwise])

    def targets(self, columns: Columns) -> list[Column | None]:
        sensitive_names = [column.name for column in columns.sensitive]
        unknown_names = [name for name in self.l if name not in sensitive_names]
        if unknown_names:
            raise PolicyError(
                f"{self.name} names {unknown_names[0]!r}, which is not a sensitive column.",
                code="policy.column",
                hint=suggest_name(unknown_names[0], sensitive_names),
            )
        return super().targets(columns)

    def best(self, counts: Counts) -> str:
        assert counts.column is not None
        total, top = int(counts.sizes.sum()), int(counts.totals.max(initial=0))
        return (
            f"The most frequent value of {counts.column.name!r} covers {top} of {total} rows; the largest possible l "
            f"is {total // max(top, 1)}."
        )


def numbers_by_column(owner: str, parameter_name: str, numbers: object) -> dict[str, int]:
    """Check that a parameter gives each column it names a whole number of at least 1, or raise PolicyError."""
    is_valid = isinstance(numbers, Mapping) and all(
        isinstance(name, str) and type(number) is int and number >= 1 for name, number in numbers.items()
    )
    if not is_valid:
        raise PolicyError(
            f"{owner}: {parameter_name} must give each column a whole number of at least 1.",
            code="policy.parameter",
            hint=f"E.g. {parameter(parameter_name, {'diagnosis': 4, 'treatment': 2})}.",
        )
    assert isinstance(numbers, Mapping)
    return dict(numbers)
