"""Belief under statistics: what a prior and a release together tell about each person."""

from __future__ import annotations

import itertools
import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np
import polars as pl

from voile import kernels
from voile.adversaries.group_members import Members
from voile.adversaries.prior import INDICATOR, Prior
from voile.errors import InconsistentKnowledge
from voile.tables.domain import Domain
from voile.tables.group_counts import Counts
from voile.tables.row_protocol import Table
from voile.tables.schema import Column, Columns

MAX_STATES = 2_000_000


@dataclass(frozen=True, eq=False)
class Linkage:
    """For each entry of the members the greatest belief in a protected value, over all column sets; for each group
    whether that is exact, and the column set it comes from."""

    risk: np.ndarray
    exact: np.ndarray
    source: np.ndarray
    sets: tuple[tuple[str, ...], ...]

    @property
    def worst(self) -> float:
        return float(self.risk.max(initial=0.0))


def events_of(column: Column, protect: tuple[str, ...], as_set: bool) -> np.ndarray:
    """The event of each value of a column, -1 for values that need no protection; no `protect` means every value."""
    texts = column.domain.labels
    if tuple(texts) == INDICATOR and protect:
        return np.array([-1, 0])
    if not protect:
        return np.arange(len(texts))
    guarded = [text in protect for text in texts]
    return np.where(guarded, 0 if as_set else np.cumsum(guarded) - 1, -1)


def linkage(
    prior: Prior,
    members: Members,
    counts: Counts,
    events: np.ndarray,
    protect: tuple[str, ...] = (),
    *,
    binary: bool = False,
    max_states: int = MAX_STATES,
) -> Linkage:
    """Everybody's belief under one prior; raises InconsistentKnowledge where no assignment of values has any weight."""
    key = (prior.digest, events.tobytes(), binary, max_states)
    if key not in members.memo:
        members.memo[key] = _linkage(prior, members, counts, events, protect, binary, max_states)
    found: Linkage = members.memo[key]
    return found


def _linkage(
    prior: Prior,
    members: Members,
    counts: Counts,
    events: np.ndarray,
    protect: tuple[str, ...],
    binary: bool,
    max_states: int,
) -> Linkage:
    assert counts.column is not None
    if tuple(counts.column.domain.labels) == INDICATOR:
        prior = prior.collapsed(protect)
    usual = counts.totals / max(int(counts.totals.sum()), 1)
    known = prior.known(members.columns, members.codes, counts.column, usual)
    table = known.rows
    if len(events) > table.shape[1]:
        table = np.concatenate([table, np.ones((len(table), len(events) - table.shape[1]))], axis=1)
    people = (np.ascontiguousarray(known.index), members.starts, members.rows, members.counts)
    given = (table, *people, counts.starts, counts.values, counts.counts, events, binary, max_states)
    parts = _parts(members.starts)
    with ThreadPoolExecutor(len(parts)) as pool:
        done = list(pool.map(lambda part: kernels.posterior.compute_group_beliefs(*given, *part), parts))
    risk, status, source = (np.concatenate(pieces) for pieces in zip(*done, strict=True))
    contradicted = int((status == kernels.posterior.CONTRADICTION).sum())
    if contradicted:
        number = int(np.flatnonzero(status == kernels.posterior.CONTRADICTION)[0]) + 1
        raise InconsistentKnowledge(
            f"The prior contradicts the release: in {contradicted} groups (the first is number {number}) no assignment "
            "of the published values is possible.",
            code="data.prior-contradicts",
            hint="Correct the statistics, or learn the prior from the table.",
        )
    return Linkage(risk, status == kernels.posterior.EXACT, source, known.sets)


def _parts(starts: np.ndarray) -> list[tuple[int, int]]:
    """Ranges of groups with about as many entries each, one a processor."""
    cuts = np.searchsorted(starts, np.linspace(0, starts[-1], (os.cpu_count() or 1) + 1)[1:-1])
    edges = [0, *cuts.tolist(), len(starts) - 1]
    parts = [(low, high) for low, high in itertools.pairwise(edges) if high > low]
    return parts or [(0, 0)]


AnyRows = TypeVar("AnyRows", bound=Table)


def indicated(columns: Columns, rows: AnyRows, target: Column, protect: tuple[str, ...]) -> tuple[Columns, AnyRows]:
    """The table with a sensitive column replaced by "one of the protected values, or another one"."""
    inside = events_of(target, protect, True) >= 0
    domain = Domain(pl.Series(INDICATOR), "categorical", declared=True)
    shown = replace(target, domain=domain, hierarchy=None)
    sensitive = tuple(shown if column.name == target.name else column for column in columns.sensitive)
    return replace(columns, sensitive=sensitive), rows.recode({target.name: inside.astype(np.int64)})
