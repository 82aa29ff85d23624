"""The posterior belief about each person, given a prior and a release."""

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
class PriorPosterior:
    """The greatest belief in a protected value over all column sets, for each entry of the members (`risk`); and for
    each group whether that is exact or an upper bound, and the column set that it comes from (`source`)."""

    risk: np.ndarray
    exact: np.ndarray
    source: np.ndarray
    sets: tuple[tuple[str, ...], ...]

    @property
    def worst(self) -> float:
        return float(self.risk.max(initial=0.0))


def protected_events(column: Column, protect: tuple[str, ...], as_set: bool) -> np.ndarray:
    """Return the event that each value of a column belongs to, -1 for values that need no protection. An empty
    `protect` protects every value; with `as_set` all protected values are one event."""
    texts = column.domain.labels
    if column.indicator and protect:
        return np.array([-1, 0])
    if not protect:
        return np.arange(len(texts))
    protected = [text in protect for text in texts]
    return np.where(protected, 0 if as_set else np.cumsum(protected) - 1, -1)


def compute_posterior(
    prior: Prior,
    members: Members,
    counts: Counts,
    events: np.ndarray,
    protect: tuple[str, ...] = (),
    *,
    as_set: bool = False,
    binary: bool = False,
    max_states: int = MAX_STATES,
) -> PriorPosterior:
    """Compute the belief about everybody under one prior. Raises InconsistentKnowledge if the prior gives every
    assignment of the values in some group probability 0.

    `events` are the events of the column's values, `protect` and `as_set` what they were made from: a protected value
    that no published row has still counts in the probability of its set.
    """
    key = (prior.digest, events.tobytes(), protect, as_set, binary, max_states)
    if key not in members.memo:
        members.memo[key] = _compute_posterior(prior, members, counts, events, protect, as_set, binary, max_states)
    posterior: PriorPosterior = members.memo[key]
    return posterior


def _compute_posterior(
    prior: Prior,
    members: Members,
    counts: Counts,
    events: np.ndarray,
    protect: tuple[str, ...],
    as_set: bool,
    binary: bool,
    max_states: int,
) -> PriorPosterior:
    assert counts.column is not None
    column, size = counts.column, counts.column.size
    if column.indicator:
        prior = prior.as_indicator(protect)
    overall_shares = counts.totals[:size] / max(int(counts.totals.sum()), 1)
    unpublished = [value for value in prior.values if as_set and value in protect and not column.indicator]
    unpublished = [value for value in unpublished if value not in column.domain.labels]
    labels = pl.Series([*column.domain.labels, *unpublished], dtype=pl.String)
    full_column = replace(column, domain=Domain(labels, "categorical"), hierarchy=None)
    shares = np.append(overall_shares, np.zeros(len(unpublished)))
    coded_prior = prior.encode(members.columns, members.codes, full_column, shares)
    # a value that only people outside the table have stands between the published values and the others
    outside = np.ones((len(coded_prior.rows), len(events) - size))
    table = np.concatenate([coded_prior.rows[:, :size], outside, coded_prior.rows[:, size:]], axis=1)
    events = np.append(events, np.zeros(len(unpublished), dtype=events.dtype))
    people = (np.ascontiguousarray(coded_prior.index), members.starts, members.rows, members.counts)
    arguments = (table, *people, counts.starts, counts.values, counts.counts, events, binary, max_states)
    ranges = _split_groups(members.starts)
    with ThreadPoolExecutor(len(ranges)) as pool:
        results = list(pool.map(lambda span: kernels.posterior.compute_group_beliefs(*arguments, *span), ranges))
    risk, status, source = (np.concatenate(pieces) for pieces in zip(*results, strict=True))
    contradicted_groups = int((status == kernels.posterior.CONTRADICTION).sum())
    if contradicted_groups:
        first_group = int(np.flatnonzero(status == kernels.posterior.CONTRADICTION)[0]) + 1
        raise InconsistentKnowledge(
            f"The prior contradicts the release: in {contradicted_groups} groups (the first is number {first_group}) "
            "it allows no assignment of the published values.",
            code="data.prior-contradicts",
            hint="Correct the statistics, or learn the prior from the table.",
        )
    return PriorPosterior(risk, status == kernels.posterior.EXACT, source, coded_prior.sets)


def _split_groups(starts: np.ndarray) -> list[tuple[int, int]]:
    """Split the groups into ranges with about equally many entries, one per processor."""
    cuts = np.searchsorted(starts, np.linspace(0, starts[-1], (os.cpu_count() or 1) + 1)[1:-1])
    edges = [0, *cuts.tolist(), len(starts) - 1]
    ranges = [(low, high) for low, high in itertools.pairwise(edges) if high > low]
    return ranges or [(0, 0)]


AnyRows = TypeVar("AnyRows", bound=Table)


def replace_by_indicator(
    columns: Columns, rows: AnyRows, target: Column, protect: tuple[str, ...]
) -> tuple[Columns, AnyRows]:
    """Replace a sensitive column of the table by "one of the protected values, or another value"."""
    is_protected = protected_events(target, protect, True) >= 0
    domain = Domain(pl.Series(INDICATOR), "categorical", declared=True)
    indicator = replace(target, domain=domain, hierarchy=None, indicator=True)
    sensitive = tuple(indicator if column.name == target.name else column for column in columns.sensitive)
    return replace(columns, sensitive=sensitive), rows.recode({target.name: is_protected.astype(np.int64)})
