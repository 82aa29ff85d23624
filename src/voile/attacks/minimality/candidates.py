"""Who may be in which group: the people of a register, group by group, and the steps that the method refused."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import cast

import numpy as np

from voile.errors import DataError, VoileError
from voile.methods.base import CompletesHierarchies, ExplainsRefusals, Method, RefusedSteps
from voile.models.policy import Policy
from voile.plugins.registry import build_plugin
from voile.releases.release import Release
from voile.tables.microdata import Microdata
from voile.tables.row_protocol import Histogram


@dataclass(frozen=True, eq=False)
class Candidates:
    """The people who may be in each group: `count[i]` people of kind `kind[i]` may be in group `group[i]`.

    A kind is one quasi-identifier; a kind that fits several groups has several entries. `steps` are what the method
    refused, in the order of the entries; None where it is only known that the original table was refused.
    """

    release: Release
    kind: np.ndarray
    group: np.ndarray
    count: np.ndarray
    steps: RefusedSteps | None = None

    @property
    def fitting(self) -> np.ndarray:
        """How many people of the register fit each group."""
        return np.bincount(self.group, weights=self.count, minlength=self.release.groups).astype(np.int64)

    @property
    def exact(self) -> bool:
        """Whether it is known exactly who is in each group."""
        return bool((self.fitting == self.release.sizes).all()) and len(np.unique(self.kind)) == len(self.kind)


def find_candidates(release: Release, external: Microdata, policy: Policy | None, original: bool) -> Candidates:
    """Place the people of a register in the groups of a release, and ask the method what it refused.

    With `original` the method is not asked. Raises DataError if the register lacks people.
    """
    names = [str(entry["name"]) for entry in release.described("quasi")]
    table = external.rows.histogram(names)
    candidates = Candidates(release, *release.match_register(external))
    _check_cover(candidates)
    return replace(candidates, steps=_refused_steps(candidates, external, table, policy, original))


def _check_cover(candidates: Candidates) -> None:
    release, fitting = candidates.release, candidates.fitting
    short = fitting < release.sizes
    if short.any():
        missing = int((release.sizes - fitting)[short].sum())
        raise DataError(
            f"The external table does not cover the release: in {int(short.sum())} of {release.groups} groups it lacks "
            f"{missing} people.",
            code="data.external-cover",
            hint="Give a register that lists everybody who is in the release.",
        )


def _refused_steps(
    candidates: Candidates, external: Microdata, table: Histogram, policy: Policy | None, original: bool
) -> RefusedSteps | None:
    """Ask the method what it refused, one row per entry; return None if it does not say."""
    kind, group = candidates.kind, candidates.group
    if policy is None or not policy.value_models:
        return RefusedSteps(np.zeros((len(kind), 0), dtype=np.int64), complete=True)
    method = find_method(candidates.release)
    if original or not isinstance(method, ExplainsRefusals):
        return None
    if not candidates.exact:
        # without knowing who is where, only a method that never refuses anything can be asked
        steps = method.refused_steps(external.columns, _subset(table, kind[:0]), group[:0], policy.smallest())
        return _for_entries(steps, len(kind)) if _is_empty(steps) else None
    columns = external.columns
    if isinstance(method, CompletesHierarchies):
        columns = method.complete_hierarchies(columns, external.rows)
    steps = method.refused_steps(columns, _subset(table, kind), group, policy.smallest())
    return _for_entries(steps, len(kind)) if _is_empty(steps) else steps


def _is_empty(steps: RefusedSteps | None) -> bool:
    return steps is not None and steps.parts.shape[1] == 0 and not steps.whole and not steps.spanning


def _for_entries(steps: RefusedSteps | None, entries: int) -> RefusedSteps | None:
    return steps and replace(steps, parts=np.zeros((entries, 0), dtype=np.int64))


def _subset(table: Histogram, positions: np.ndarray) -> Histogram:
    return Histogram(table.names, table.codes[positions], table.counts[positions])


def find_method(release: Release) -> Method | None:
    """Return the method that the certificate names, if it is registered here."""
    knobs = dict(release.certificate.method)
    try:
        return cast(Method, build_plugin("methods", str(knobs.pop("name", "")), knobs))
    except VoileError:
        return None
