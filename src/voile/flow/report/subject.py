"""What a report is about: a release, and what was found out about it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from voile.errors import VoileError
from voile.flow.report.decision import UNDECIDED, Decision
from voile.releases.release import Release
from voile.results import Audit, Losses, Verdict
from voile.tables.unit import Unit


@dataclass(frozen=True, eq=False, repr=False)
class Subject:
    """A release with the answers of verify, audit and measure (None where nothing was audited or measured), and who
    decided on it."""

    release: Release
    audit: Audit | None
    losses: Losses | None
    verdict: Verdict
    decision: Decision = UNDECIDED

    @property
    def answer(self) -> str:
        """The verdict in one word: holds, broken, or needs more than the published tables."""
        if self.verdict.broken or not self.verdict.checks:
            return "broken"
        return "holds" if self.verdict.holds else "needs"

    @cached_property
    def group_sizes(self) -> np.ndarray | None:
        """The number of rows in each group; None if the tables of a broken release do not tell."""
        try:
            return np.asarray(self.release.sizes)
        except (VoileError, KeyError):
            return None

    @property
    def rows(self) -> int | None:
        """The number of rows in the groups; None if the tables of a broken release do not tell."""
        try:
            return self.release.people
        except (VoileError, KeyError):
            return None

    @property
    def unit(self) -> Unit:
        """Whom the release protects, as far as verifying it could tell."""
        return self.verdict.unit
