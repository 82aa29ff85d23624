"""Who may be in which group: the people of a register, group by group, and the steps that the method refused."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import cast

import numpy as np

from voile.attacks.minimality.value_types import sensitive_columns
from voile.errors import DataError, VoileError
from voile.methods.base import CompletesHierarchies, Method, covers_algorithm
from voile.methods.refusals import ExplainsRefusals, RefusedSteps
from voile.models.policy import Policy
from voile.plugins.registry import build_plugin
from voile.releases.release import Release
from voile.tables.microdata import Microdata
from voile.tables.row_protocol import WITHHELD, Histogram


@dataclass(frozen=True, eq=False)
class Candidates:
    """The people who may be in each group: `count[i]` people of kind `kind[i]` may be in group `group[i]`.

    A kind is one quasi-identifier; a kind that fits several groups has several entries. `steps` are what the method
    refused, in the order of the entries; None where it is only known that the original table was refused. After the
    entries come the people of the register whom the release withholds, `withheld[i]` of one kind. The people are
    `covered` if the claim holds against an adversary who knows the method: then what it refused tells nothing more.
    """

    release: Release
    kind: np.ndarray
    group: np.ndarray
    count: np.ndarray
    steps: RefusedSteps | None = None
    withheld: np.ndarray = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    covered: bool = False

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
    if policy is None or not policy.value_models:
        nothing = RefusedSteps(np.zeros((len(candidates.kind), 0), dtype=np.int64), complete=True)
        return replace(candidates, steps=nothing)
    method = find_method(release)
    if method is not None and covers_algorithm(method, policy):
        nothing = RefusedSteps(np.zeros((len(candidates.kind), 0), dtype=np.int64), complete=True)
        return replace(candidates, steps=nothing, covered=True)
    return candidates if original else _ask_method(candidates, external, table, policy)


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


def _ask_method(candidates: Candidates, external: Microdata, table: Histogram, policy: Policy) -> Candidates:
    """Ask the method what it refused. Where it cannot say, or where it is not known who is in which group, and who is
    withheld, the steps stay unknown."""
    release, method = candidates.release, find_method(candidates.release)
    if not isinstance(method, ExplainsRefusals):
        return candidates
    columns, entries = external.columns, len(candidates.kind)
    if isinstance(method, CompletesHierarchies):
        columns = method.complete_hierarchies(columns, external.rows)
    withheld, known = _find_withheld(candidates, table), candidates.exact
    if known and int(table.counts[withheld].sum()) != int(release.dictionary["withheld"]):
        known = False
    if not known:  # only a method that never refuses anything can be asked
        steps = method.refused_steps(columns, _subset(table, withheld[:0]), candidates.group[:0], policy.smallest())
        return replace(candidates, steps=_for_entries(steps, entries)) if _is_empty(steps) else candidates
    cells = np.concatenate([candidates.kind, withheld])
    group = np.concatenate([candidates.group, np.full(len(withheld), WITHHELD)])
    steps = method.refused_steps(columns, _subset(table, cells), group, policy.smallest())
    if len(withheld) and not _can_replay_withholding(release, policy):
        return candidates
    steps = _for_entries(steps, entries) if _is_empty(steps) else steps
    return replace(candidates, steps=steps, withheld=table.counts[withheld].astype(np.int64))


def _find_withheld(candidates: Candidates, table: Histogram) -> np.ndarray:
    """Return the kinds of people who are in no group."""
    return np.setdiff1d(np.arange(len(table.counts)), candidates.kind)


def _can_replay_withholding(release: Release, policy: Policy) -> bool:
    """Return whether a step can be judged by itself where rows are withheld: no model compares a group with the whole
    table, of which they are no longer a part, and one column is read."""
    columns = sensitive_columns(release)
    if len(policy.columns_read(columns)) > 1:
        return False
    untouchable = np.array([_Untouchable()] * max(column.size for column in columns.sensitive), dtype=object)
    tallies = {name: replace(counts, totals=untouchable) for name, counts in release.tallies.items()}
    try:
        policy.holds(columns, tallies, release.sizes)
    except TypeError:
        return False
    return True


class _Untouchable:
    """Stands for the totals of the whole table, to find out who looks at them: it has no operation."""


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
