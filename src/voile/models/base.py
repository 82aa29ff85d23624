"""The contract of a model: a promise about every group, as a predicate on counts."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np

from voile.adversaries.adversary import Adversary
from voile.errors import PolicyError, option
from voile.models.evidence import Evidence
from voile.plugins.counted_nouns import count_noun
from voile.plugins.registry import Plugin
from voile.releases.release import Release
from voile.results import Answer
from voile.tables.group_counts import Counts
from voile.tables.schema import Column, Columns, suggest_name


@dataclasses.dataclass(frozen=True)
class Verification:
    """Whether a release keeps one promise: the answer, what was examined, and what a certificate states beyond the
    bound (`found`, e.g. the greatest belief that anybody reaches). With `by_republishing`, publishing again with the
    table and the key would decide. `counted` are numbers of people."""

    answer: Answer
    detail: str
    found: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    by_republishing: bool = False
    counted: Mapping[str, int] = dataclasses.field(default_factory=dict)


@dataclasses.dataclass(frozen=True)
class Model(Plugin):
    """A promise about every group, as a predicate on counts.

    A model defines `holds`, `bound`, `adversary` and `promise`, and overrides the other five verbs where it needs to.
    Promises of another kind (about sizes only, resting on a prior or on random draws, spanning several releases) start
    from a class in `kinds`; what only some models can do is a mixin in `abilities`.

    `basis` says what the promise rests on: "counts", "prior" or "process". `monotone` means that merging two groups
    that hold gives a group that holds. `shapes` are the shapes of release for which the promise has a meaning, and
    `method` is the method to use if the user names none. `findings` names the probabilities that a certificate states
    beyond the bound, and `gaps` adversaries against whom the promise does not hold although a reader might think so.
    """

    family: ClassVar[str] = "models"
    monotone: ClassVar[bool] = True
    basis: ClassVar[str] = "counts"
    method: ClassVar[str] = "mondrian"
    shapes: ClassVar[tuple[str, ...]] = ("generalized", "bucketized")
    findings: ClassVar[tuple[str, ...]] = ()
    gaps: ClassVar[tuple[str, ...]] = ()

    @property
    def limits(self) -> str:
        """What `bound()` bounds: "identity" (which row is yours), "belief" (which value is yours), "protected belief"
        (the same, for some values only), "gain" (how much belief in any values may grow), "privacy loss" (the epsilon
        of differential privacy) or "distance" (how far a group may differ from the table otherwise)."""
        return "belief"

    def holds(self, counts: Counts) -> np.ndarray:
        """Return for each group whether the promise holds there."""
        raise NotImplementedError  # pragma: no cover - every model defines it

    def bound(self) -> Fraction:
        """Return the highest level that the adversary may reach."""
        raise NotImplementedError  # pragma: no cover - every model defines it

    def adversary(self) -> Adversary:
        """Return the adversary against whom the promise holds."""
        raise NotImplementedError  # pragma: no cover - every model defines it

    def promise(self, column: str) -> str:
        """State the promise in plain words, as the certificate, the report and the page show it."""
        raise NotImplementedError  # pragma: no cover - every model defines it

    def check(self, column: Column | None) -> None:
        """Raise PolicyError if the model does not fit a column, e.g. a numeric model on categories."""

    def smallest(self) -> int:
        """Return the size below which no group can hold: a fast necessary test."""
        return 1

    def targets(self, columns: Columns) -> list[Column | None]:
        """List the sensitive columns that the model is about: the one it names, or all of them. A model of sizes is
        about no column, which is written None."""
        column_name = getattr(self, "column", None)
        if column_name is not None:
            sensitive_names = [column.name for column in columns.sensitive]
            if column_name not in sensitive_names:
                raise PolicyError(
                    f"{self.name} names {column_name!r}, which is not a sensitive column.",
                    code="policy.column",
                    hint=suggest_name(column_name, sensitive_names),
                )
            return [columns[column_name]]
        if not columns.sensitive:
            raise PolicyError(
                f"{self.name} needs a sensitive column.",
                code="policy.no-sensitive",
                hint=f"Name one, e.g. {option('sensitive', ['disease'])}.",
            )
        return list(columns.sensitive)

    def best(self, counts: Counts) -> str:
        """Say what the whole table in one group could reach, for the error when even that fails."""
        return ""

    def verify(self, release: Release, counts: Counts, evidence: Evidence) -> Verification:
        """Say whether a release keeps the promise, as far as the basis and the evidence tell."""
        verdicts = self.holds(counts)
        failing_groups = int((~verdicts).sum())
        if failing_groups or not len(verdicts):
            return Verification(
                Answer.BROKEN, f"{failing_groups} of {count_noun(len(verdicts), 'group')} do not satisfy it."
            )
        return Verification(Answer.HOLDS, f"Recounted in {count_noun(len(verdicts), 'group')}.")


class GivesAdvice:
    """A model that says where another form of it would suit a column better."""

    def advise(self, column: Column) -> str:
        """Say what would suit a column better than this model as it is; nothing if it suits."""
        raise NotImplementedError  # pragma: no cover - every model that gives advice defines it
