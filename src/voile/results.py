"""What verify, audit and measure return."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from fractions import Fraction
from typing import Any

from voile.adversaries.adversary import Adversary
from voile.adversaries.belief import Belief
from voile.errors import BrokenPromise
from voile.result_tables import ResultTable
from voile.tables.unit import ONE_ROW, Unit

__all__ = ["Answer", "Audit", "Belief", "Checked", "Finding", "Loss", "Losses", "Verdict"]


class Answer(Enum):
    """`verify` never answers beyond the basis of a claim."""

    HOLDS = "holds"
    BROKEN = "broken"
    NEEDS = "needs"


@dataclass(frozen=True)
class Checked:
    """One claim (or a file, or the tables as such) and what checking it gave; `counted` are numbers of people."""

    what: str
    answer: Answer
    detail: str = ""
    counted: Mapping[str, int] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        told = {"what": self.what, "answer": self.answer.value, "detail": self.detail}
        return {**told, **({"counted": dict(self.counted)} if self.counted else {})}


@dataclass(frozen=True, repr=False)
class Verdict(ResultTable):
    """The answers of `verify`, what the folder holds beside the release, and whom the release protects."""

    checks: tuple[Checked, ...]
    notes: tuple[str, ...] = ()
    people: int = 0
    groups: int = 0
    unit: Unit = ONE_ROW
    signature: str | None = None  # whether a folder is signed, and by whom; None for a release without a folder

    @property
    def holds(self) -> bool:
        return all(check.answer is Answer.HOLDS for check in self.checks)

    @property
    def broken(self) -> bool:
        return any(check.answer is Answer.BROKEN for check in self.checks)

    @property
    def counted(self) -> dict[str, int]:
        """The numbers of people that the checks counted."""
        return {name: number for check in self.checks for name, number in check.counted.items()}

    def or_raise(self) -> Verdict:
        """Raise BrokenPromise if anything is broken."""
        wrong = [check for check in self.checks if check.answer is Answer.BROKEN]
        if wrong:
            listed = " ".join(f"{check.what}: {check.detail}" for check in wrong)
            raise BrokenPromise(
                f"The release does not keep its claims. {listed}",
                code="broken.claim",
                hint="Do not use or pass on this release.",
            )
        return self

    def __repr__(self) -> str:
        answer = "broken" if self.broken else "holds" if self.holds else "needs more than the published tables"
        return f"Verdict({answer}; {len(self.checks)} checks)"

    def __str__(self) -> str:
        return "\n".join(f"{check.answer.name:7}{check.what}. {check.detail}".rstrip() for check in self.checks)

    def _list_rows(self) -> list[dict[str, Any]]:
        return [{"answer": check.answer.value, "what": check.what, "detail": check.detail} for check in self.checks]

    def as_json(self) -> dict[str, Any]:
        return {
            "holds": self.holds,
            "checks": [check.as_json() for check in self.checks],
            "notes": list(self.notes),
            "unit": self.unit.as_json(),
            "signature": self.signature,
        }


@dataclass(frozen=True, eq=False, repr=False)
class Finding(ResultTable):
    """An attack against a release, judged by the claims whose adversary covers it."""

    attack: str
    title: str
    adversary: Adversary
    belief: Belief
    bound: Fraction | None
    claim: str = ""
    before: Belief | None = None  # the same attack on the original table without identifiers
    by: tuple[str, ...] = ()  # the presets that asked for it

    def __repr__(self) -> str:
        bound = f"bound {self.bound}" if self.inside else "outside the promise"
        return f"Finding({self.title}: worst {self.belief.worst:.4g}, {bound})"

    def _list_rows(self) -> list[dict[str, Any]]:
        return [
            {
                "attack": self.title,
                "result": ("passed" if self.passed else "BROKEN") if self.inside else "outside the promise",
                "worst": self.belief.worst,
                "mean": self.belief.mean,
                "bound": self._write_bound(),
                "worst before": self.before.worst if self.before else None,
                "guessing": self.belief.baseline,
            }
        ]

    def _write_bound(self) -> str | None:
        own = " or their own" if self.belief.excess is not None else ""  # where everybody has a bound
        return f"{self.bound}{own}" if self.inside else None

    @property
    def inside(self) -> bool:
        """Whether some claim promises something against this attack."""
        return self.bound is not None

    @property
    def passed(self) -> bool:
        return self.bound is None or self.belief.above(self.bound) == 0

    def as_json(self) -> dict[str, Any]:
        belief = self.belief
        return {
            "attack": self.attack,
            "title": self.title,
            "adversary": self.adversary.as_json(),
            "presets": list(self.by),
            "limits": belief.limits,
            "column": belief.column,
            "worst": belief.worst,
            "mean": belief.mean,
            "baseline": belief.baseline,
            "people": belief.count_people(),
            **({} if belief.exact else {"people_at_least": True}),
            "worst_before": self.before.worst if self.before else None,
            "mean_before": self.before.mean if self.before else None,
            "bound": str(self.bound) if self.bound is not None else None,
            "claim": self.claim,
            "above_bound": belief.above(self.bound) if self.bound is not None else None,
            "inside_the_promise": self.inside,
            "passed": self.passed,
            "details": dict(belief.details),
            "at_risk": [list(level) for level in belief.levels()],
        }


@dataclass(frozen=True, eq=False, repr=False)
class Audit(ResultTable):
    """All findings. Those inside the promise must pass; the others show where the promise ends."""

    findings: tuple[Finding, ...]
    notes: tuple[str, ...] = ()  # requested attacks that do not apply, and what attacks left out

    def __repr__(self) -> str:
        inside = [finding for finding in self.findings if finding.inside]
        kept = sum(finding.passed for finding in inside)
        outside = len(self.findings) - len(inside)
        return f"Audit({kept} of {len(inside)} attacks inside the promise withstood, {outside} shown outside it)"

    def _list_rows(self) -> list[dict[str, Any]]:
        ordered = sorted(self.findings, key=lambda finding: not finding.inside)
        return [row for finding in ordered for row in finding._list_rows()]

    @property
    def passed(self) -> bool:
        return all(finding.passed for finding in self.findings)

    def or_raise(self) -> Audit:
        wrong = [finding for finding in self.findings if not finding.passed]
        if wrong:
            listed = "; ".join(f"{item.title} reaches {item.belief.worst:.4f}, promised {item.bound}" for item in wrong)
            raise BrokenPromise(
                f"An attack inside the promise succeeds: {listed}.",
                code="broken.audit",
                hint="Do not publish this release.",
            )
        return self

    def as_json(self) -> dict[str, Any]:
        told = [finding.as_json() for finding in self.findings]
        return {"passed": self.passed, "findings": told, "notes": list(self.notes)}


@dataclass(frozen=True, repr=False)
class Loss(ResultTable):
    """One measure of what analysts lose: a headline number, where lower is better, and its parts."""

    measure: str
    title: str
    value: float
    parts: Mapping[str, float] = field(default_factory=dict)
    note: str = ""

    def __repr__(self) -> str:
        return f"Loss({self.title}: {self.value:.4g})"

    def _list_rows(self) -> list[dict[str, Any]]:
        return [{"part": name, "loss": float(value)} for name, value in self.parts.items()]

    def as_json(self) -> dict[str, Any]:
        return {
            "measure": self.measure,
            "title": self.title,
            "value": self.value,
            "parts": dict(self.parts),
            "note": self.note,
        }


@dataclass(frozen=True, repr=False)
class Losses(ResultTable):
    """All measures of one release."""

    items: tuple[Loss, ...]

    def __repr__(self) -> str:
        return f"Losses({', '.join(f'{item.measure} {item.value:.4g}' for item in self.items)})"

    def _write_caption(self) -> str:
        return "What analysts lose; lower is better"

    def _list_rows(self) -> list[dict[str, Any]]:
        return [{"measure": item.title, "loss": float(item.value), "note": item.note} for item in self.items]

    def __getitem__(self, measure: str) -> Loss:
        return next(item for item in self.items if item.measure == measure)

    def as_json(self) -> dict[str, Any]:
        return {"losses": [item.as_json() for item in self.items]}
