"""Multi-diversity: several sensitive columns, with a bound on belief for each.

A table has a diagnosis and a treatment. The neighbour finds your group and reads which diagnoses and which treatments
occur in it. If each column is l-diverse by itself, the neighbour counts the listed values; but a list of four salaries
can still mean probability 1/2, because an adversary with the complete sensitive rows (which are often published,
without names, for their own sake) asks which of them can be yours. Those rows must fit all lists of your group and, one
to one, everybody else's lists too. This model bounds the belief of an adversary who does that arithmetic completely:
all ways to match rows and people that fit the tables are equally likely, and no value of a column with l may be yours
with probability above 1/l.

A colleague knows more: your diagnosis, or two diagnoses that are not yours. No release can keep such an adversary below
what the joint rows tell everybody (if there is one policeman, his salary is public to those who know that he is the
policeman). So the promise against the colleague is relative: belief is at most 1/l, or the share of the value among the
joint rows that agree with what is known, plus a slack.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np

from voile.adversaries.adversary import Adversary, Knowledge
from voile.errors import PolicyError, parameter
from voile.models.abilities import AcceptsDistinctValues, HasColumnParameters
from voile.models.base import Model, Verification
from voile.models.evidence import Evidence
from voile.models.k_anonymity import NEIGHBOUR
from voile.models.multi_diversity.column_numbers import numbers_by_column
from voile.models.multi_diversity.other_values import check_knowledge, promise_given, verify_given
from voile.plugins.counted_nouns import count_noun
from voile.plugins.number_text import parse_fraction
from voile.plugins.registry import knob
from voile.releases.release import Release
from voile.releases.row_matching.known_values import Allowance
from voile.results import Answer
from voile.tables.group_counts import Counts, at_most
from voile.tables.schema import Column, Columns, suggest_name

SLACK = 1e-9
LEVEL_STEPS = 10_000
USUAL_SLACK = 0.1
OWN_KNOBS = ("knowing", "excluding", "slack")  # stated in a certificate only where somebody knows other values


@dataclass(frozen=True)
class MultiDiversity(HasColumnParameters, AcceptsDistinctValues, Model):
    """Belief in any value of a sensitive column is at most 1/l, with an l for each column; l = 1 promises nothing.

    `otherwise` is the l of the columns that are not named. `reached` is filled in when a release is published: the
    largest belief in each column, computed from the tables and rounded up.

    With `knowing` and `excluding` the promise holds against somebody who knows a person's values in up to so many other
    sensitive columns, and up to so many values of one further column that the person does not have. Then belief is at
    most 1/l, or `slack` (by default 0.1) above the share of the value among the joint rows that are left.

    >>> MultiDiversity({"diagnosis": 4, "treatment": 2}).for_column("treatment").bound()
    Fraction(1, 2)
    """

    name: ClassVar[str] = "multi-diversity"
    method: ClassVar[str] = "decompose"
    catch_all: ClassVar[str] = "l"

    l: Mapping[str, int] = field(default_factory=dict)  # noqa: E741 - the letter of the literature
    otherwise: int = knob(2, low=1)
    reached: Mapping[str, str] = field(default_factory=dict)
    knowing: int = knob(0, low=0)
    excluding: int = knob(0, low=0)
    slack: float | None = knob(None, low=0, high=1)

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "l", numbers_by_column("multi-diversity", "l", self.l))
        if self.slack is not None and not self.knows_other_values:
            raise PolicyError(
                "multi-diversity: slack is about somebody who knows other values of a person.",
                code="policy.parameter",
                hint=f"Add {parameter('knowing', 1)} or {parameter('excluding', 1)}, or leave slack out.",
            )
        if self.knows_other_values and self.slack is None:
            object.__setattr__(self, "slack", USUAL_SLACK)
        is_malformed = not isinstance(self.reached, Mapping)
        try:
            is_malformed = is_malformed or any(
                not 0 < parse_fraction(str(level)) <= 1 for level in self.reached.values()
            )
        except (ValueError, ArithmeticError):
            is_malformed = True
        if is_malformed:
            raise PolicyError("multi-diversity: reached must give each column a fraction.", code="policy.parameter")
        if self.knows_other_values and self.reached:
            raise PolicyError(
                "multi-diversity: no level reached is stated against somebody who knows other values.",
                code="policy.parameter",
            )

    def __repr__(self) -> str:
        arguments = [repr(dict(self.l))] + [f"otherwise={self.otherwise}"] * (self.otherwise != 2)
        arguments += [f"reached={dict(self.reached)}"] * bool(self.reached)
        arguments += [f"{name}={getattr(self, name)}" for name in ("knowing", "excluding") if getattr(self, name)]
        arguments += [f"slack={self.slack}"] * (self.slack not in (None, USUAL_SLACK))
        return f"MultiDiversity({', '.join(arguments)})"

    def parameters(self) -> dict[str, Any]:
        named = super().parameters()
        return named if self.knows_other_values else {key: named[key] for key in named if key not in OWN_KNOBS}

    @property
    def knows_other_values(self) -> bool:
        """Whether the promise is against somebody who knows something about a person's other sensitive values."""
        return self.knowing > 0 or self.excluding > 0

    @property
    def shapes(self) -> tuple[str, ...]:  # type: ignore[override]
        """Only Decompose keeps columns apart, so that knowing one of them need not reveal another."""
        return ("decomposed",) if self.knows_other_values else ("generalized", "bucketized", "decomposed")

    @property
    def gaps(self) -> tuple[str, ...]:  # type: ignore[override]
        knowledge = {Knowledge.OTHER_VALUE: self.knowing, Knowledge.OTHER_EXCLUSION: self.excluding}
        return tuple(f"an adversary who knows {item.value}" for item, number in knowledge.items() if not number)

    def allowance(self, column: str) -> Allowance:
        """Return what somebody who knows other values may believe about a column."""
        return Allowance(self.knowing, self.excluding, 1 / self.level(column), float(self.slack or 0))

    def level(self, column: str) -> int:
        """Return the l of a column."""
        return int(self.l.get(column, self.otherwise))

    def for_column(self, column: str | None) -> MultiDiversity:
        if column is None:
            return self
        reached = {name: level for name, level in self.reached.items() if name == column}
        return replace(self, l={column: self.level(column)}, otherwise=2, reached=reached)

    def with_reached_levels(self, release: Release) -> MultiDiversity:
        """Return the model with the level that a release reaches in each column. Without a joint table the lists of a
        secondary column hide how common its values are, so that no level below the one asked for is stated."""
        if self.knows_other_values:
            return self
        levels = {}
        for name in release.sensitive_names:
            belief = release.belief_bound(name)
            assert belief is not None, "only releases that list values state a level"
            largest_belief, requested_bound = belief.largest, Fraction(1, self.level(name))
            if _hides_shares(release, name) and largest_belief <= requested_bound + SLACK:
                continue
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
        name = counts.column.name
        if name not in self.reached and not (self.knows_other_values or _hides_shares(release, name)):
            return Verification(Answer.BROKEN, "It does not state the level that was reached.")
        largest_belief, bound = belief.largest, self.for_column(name).bound()
        answer = Answer.HOLDS if largest_belief <= bound + SLACK else Answer.BROKEN
        if belief.counted is None:
            detail = f"Counted in {count_noun(release.groups, 'group')}: belief is at most {largest_belief:.4f}."
        else:
            detail = f"Belief is at most {largest_belief:.4f} in {count_noun(release.groups, 'group')}; "
            detail += "all matchings of rows and people were counted"
            if belief.counted < release.groups:
                rest = release.groups - belief.counted
                detail += f" for {count_noun(belief.counted, 'group')}, and bounded from above for {rest}"
            detail += "."
        verification = Verification(answer, detail)
        if answer is Answer.HOLDS and _hides_shares(release, name):
            verification = self._verify_shares(release, name, bound, verification, evidence)
        if verification.answer is Answer.HOLDS and self.knows_other_values and self.level(name) > 1:
            return verify_given(self.allowance(name), release, name, evidence)
        return verification

    def _verify_shares(
        self, release: Release, name: str, bound: Fraction, listed: Verification, evidence: Evidence
    ) -> Verification:
        """Lists say how many values there are, not how common they are: only the table does."""
        if bound < Fraction(1, self.level(name)):
            return Verification(Answer.BROKEN, "Lists alone bear out no level below the one that was asked for.")
        accuracy = release.guess_accuracy(name, evidence.data) if evidence.data is not None else None
        if accuracy is None or bound == 1:
            return listed
        answer = Answer.HOLDS if accuracy <= bound + SLACK else Answer.BROKEN
        guess = f"Guessing the most common listed value is right for a share of {accuracy:.4f} of the people."
        return Verification(answer, f"{listed.detail} {guess}")

    def bound(self) -> Fraction:
        levels = {name: Fraction(1, number) for name, number in self.l.items()}
        levels |= {name: parse_fraction(str(level)) for name, level in self.reached.items()}
        return max(levels.values(), default=Fraction(1, self.otherwise))

    def adversary(self) -> Adversary:
        if not self.knows_other_values:
            return Adversary.who("neighbour", *NEIGHBOUR)
        knowledge = [Knowledge.OTHER_VALUE] * bool(self.knowing) + [Knowledge.OTHER_EXCLUSION] * bool(self.excluding)
        return Adversary.who("colleague", *NEIGHBOUR, *knowledge, excludes=self.excluding)

    def promise(self, column: str) -> str:
        model = self.for_column(column or None)
        bound, requested_level = model.bound(), model.level(column) if column else 1
        if bound == 1:
            return f"Nothing is promised about {column!r}; its values are listed."
        if self.knows_other_values:
            return promise_given(self.allowance(column), column, bound)
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
        check_knowledge(self.name, self.knowing, self.excluding, columns)
        return super().targets(columns)

    def best(self, counts: Counts) -> str:
        assert counts.column is not None
        total, top = int(counts.sizes.sum()), int(counts.totals.max(initial=0))
        return (
            f"The most frequent value of {counts.column.name!r} covers {top} of {total} rows; the largest possible l "
            f"is {total // max(top, 1)}."
        )


def _hides_shares(release: Release, name: str) -> bool:
    """Whether a release lists the values of a column but not how common they are."""
    belief = release.belief_bound(name)
    return belief is not None and belief.counted is None and name != release.sensitive_names[0]
