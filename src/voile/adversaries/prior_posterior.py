"""The posterior belief about each person, given a prior and a release."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np
import polars as pl

from voile import kernels
from voile.adversaries.group_members import Members
from voile.adversaries.prior import CAPPED, INDICATOR, CodedPrior, Prior
from voile.adversaries.walk_choice import choose_walks
from voile.errors import InconsistentKnowledge
from voile.tables.domain import Domain
from voile.tables.group_counts import Counts
from voile.tables.row_protocol import Table
from voile.tables.schema import Column, Columns

MAX_STATES = 2_000_000
SHOWN = INDICATOR.index("protected values")
HIDDEN = CAPPED.index("not shown")
ANYTHING = (1.0, 0.0)  # whatever is believed is allowed


@dataclass(frozen=True, eq=False)
class PriorPosterior:
    """The greatest belief in a protected value over all column sets, for each entry of the members (`risk`), how far a
    belief exceeds what is allowed (`excess`) and what the prior alone says (`peak`); and for each group whether that is
    exact or an upper bound, and the column set that it comes from (`source`; their number stands for the shares in the
    whole table). `left_out` says of each group how many
    column sets were not weighed, because that takes more steps than were allowed."""

    risk: np.ndarray
    excess: np.ndarray
    peak: np.ndarray
    exact: np.ndarray
    source: np.ndarray
    sets: tuple[tuple[str, ...], ...]
    left_out: np.ndarray

    @property
    def worst(self) -> float:
        return float(self.risk.max(initial=0.0))


def protected_events(column: Column, protect: tuple[str, ...], as_set: bool) -> np.ndarray:
    """Return the event that each value of a column belongs to, -1 for values that need no protection. An empty
    `protect` protects every value; with `as_set` all protected values are one event."""
    texts = column.domain.labels
    if column.indicator and protect:
        return np.where(np.arange(len(texts)) == SHOWN, 0, -1)
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
    allowed: tuple[float, float] = ANYTHING,
    most_steps: int | None = None,
) -> PriorPosterior:
    """Compute the belief about everybody under one prior. Raises InconsistentKnowledge if the prior gives every
    assignment of the values in some group probability 0. `allowed` is a number and a factor: a belief may reach the
    number, or the factor times what the prior alone says, whichever is more. With `most_steps`, only the walks (of one
    column set through one group) with the fewest steps are done, as many as take no more together; in a group where one
    is left out, the adversary also weighs the shares in the whole table, so that there is a belief about everybody.

    `events` are the events of the column's values, `protect` and `as_set` what they were made from: a protected value
    that no published row has still counts in the probability of its set.
    """
    # the prior itself, not its digest, which takes longer than some of these beliefs
    key = (prior, events.tobytes(), protect, as_set, binary, max_states, allowed, most_steps)
    if key not in members.memo:
        members.memo[key] = _compute_posterior(
            prior, members, counts, events, protect, as_set, binary, max_states, allowed, most_steps
        )
    posterior: PriorPosterior = members.memo[key]
    return posterior


def encode_people(prior: Prior, members: Members, target: Column, overall_shares: np.ndarray) -> CodedPrior:
    """Return a prior in the codes of the members; the last answer is remembered."""
    question = (prior, tuple(target.domain.labels), overall_shares.tobytes())
    if members.memo.get("coded prior", (None,))[0] != question:
        members.memo["coded prior"] = question, prior.encode(members.columns, members.codes, target, overall_shares)
    coded_prior: CodedPrior = members.memo["coded prior"][1]
    return coded_prior


def _compute_posterior(
    prior: Prior,
    members: Members,
    counts: Counts,
    events: np.ndarray,
    protect: tuple[str, ...],
    as_set: bool,
    binary: bool,
    max_states: int,
    allowed: tuple[float, float],
    most_steps: int | None,
) -> PriorPosterior:
    assert counts.column is not None
    column, size = counts.column, counts.column.size
    if column.indicator:
        return _compute_from_counts(prior.as_indicator(protect), members, counts, allowed)
    overall_shares = counts.totals[:size] / max(int(counts.totals.sum()), 1)
    unpublished = [value for value in prior.values if as_set and value in protect]
    unpublished = [value for value in unpublished if value not in column.domain.labels]
    labels = pl.Series([*column.domain.labels, *unpublished], dtype=pl.String)
    full_column = replace(column, domain=Domain(labels, "categorical"), hierarchy=None)
    shares = np.append(overall_shares, np.zeros(len(unpublished)))
    coded_prior = encode_people(prior, members, full_column, shares)
    # a value that only people outside the table have stands between the published values and the others
    outside = np.ones((len(coded_prior.rows), len(events) - size))
    table = np.concatenate([coded_prior.rows[:, :size], outside, coded_prior.rows[:, size:]], axis=1)
    events = np.append(events, np.zeros(len(unpublished), dtype=events.dtype))
    index, weighed = np.ascontiguousarray(coded_prior.index), kernels.posterior.EVERYWHERE
    if most_steps is not None:
        index, weighed = choose_walks(coded_prior, index, members, counts, max_states, most_steps)
    people = (index, members.starts, members.rows, members.counts)
    published = (counts.starts, counts.values, counts.counts)
    arguments = (table, *people, *published, events, binary, max_states, weighed, *allowed)
    risk, excess, status, source = _compute_in_threads(
        kernels.posterior.compute_group_beliefs, arguments, members.starts
    )
    _require_possible(status == kernels.posterior.CONTRADICTION)
    event_chances = [table[:, events == event].sum(axis=1) for event in range(int(events.max(initial=-1)) + 1)]
    peak = _find_peak(np.max(event_chances, axis=0), coded_prior, members) if event_chances else np.zeros(len(risk))
    left_out = (~weighed).sum(axis=0) if len(weighed) else np.zeros(counts.groups, dtype=np.int64)
    return PriorPosterior(risk, excess, peak, status == kernels.posterior.EXACT, source, coded_prior.sets, left_out)


def _compute_from_counts(
    prior: Prior, members: Members, counts: Counts, allowed: tuple[float, float]
) -> PriorPosterior:
    """Compute the beliefs where each group shows how many protected values it has, or that it has at least so many."""
    assert counts.column is not None
    shares = counts.totals / max(int(counts.totals.sum()), 1)
    coded_prior = prior.encode(members.columns, members.codes, counts.column, shares)
    chance = np.minimum(coded_prior.rows[:, SHOWN], 1.0)
    cases = counts.summed(np.where(counts.values == SHOWN, counts.counts, 0))
    exact = counts.summed(np.where(counts.values == HIDDEN, counts.counts, 0)) == 0
    people = (np.ascontiguousarray(coded_prior.index), members.starts, members.rows, members.counts)
    risk, excess, contradicted, source = _compute_in_threads(
        kernels.count_beliefs.believe_counts, (chance, *people, cases, exact, *allowed), members.starts
    )
    _require_possible(contradicted)
    peak = _find_peak(chance, coded_prior, members)
    exactly, nothing = np.ones(counts.groups, dtype=bool), np.zeros(counts.groups, dtype=np.int64)
    return PriorPosterior(risk, excess, peak, exactly, source, coded_prior.sets, nothing)


def _compute_in_threads(
    kernel: Callable[..., tuple[np.ndarray, ...]], arguments: tuple[object, ...], starts: np.ndarray
) -> tuple[np.ndarray, ...]:
    """Run a kernel on ranges of groups, one per processor, and join its answers."""
    ranges = _split_groups(starts)
    with ThreadPoolExecutor(len(ranges)) as pool:
        results = list(pool.map(lambda span: kernel(*arguments, *span), ranges))
    return tuple(np.concatenate(pieces) for pieces in zip(*results, strict=True))


def _require_possible(contradicted: np.ndarray) -> None:
    """Raise InconsistentKnowledge if the prior rules out what some groups show."""
    if contradicted.any():
        raise InconsistentKnowledge(
            f"The prior contradicts the release: in {int(contradicted.sum())} groups (the first is number "
            f"{int(np.flatnonzero(contradicted)[0]) + 1}) it allows no assignment of the published values.",
            code="data.prior-contradicts",
            hint="Correct the statistics, or learn the prior from the table.",
        )


def _find_peak(chance: np.ndarray, coded_prior: CodedPrior, members: Members) -> np.ndarray:
    """Return, for each entry of the members, the greatest probability of an event that the prior alone gives."""
    return np.asarray(np.minimum(chance, 1.0)[coded_prior.index].max(axis=0)[members.rows])


def _split_groups(starts: np.ndarray) -> list[tuple[int, int]]:
    """Split the groups into ranges with about equally many entries, one per processor."""
    cuts = np.searchsorted(starts, np.linspace(0, starts[-1], (os.cpu_count() or 1) + 1)[1:-1])
    edges = [0, *cuts.tolist(), len(starts) - 1]
    ranges = [(low, high) for low, high in itertools.pairwise(edges) if high > low]
    return ranges or [(0, 0)]


AnyRows = TypeVar("AnyRows", bound=Table)


def make_indicator(target: Column, labels: tuple[str, ...]) -> Column:
    """Return the column that says of a sensitive value only whether it is protected, with these labels."""
    domain = Domain(pl.Series(labels), "categorical", declared=True)
    return replace(target, domain=domain, hierarchy=None, indicator=True)


def replace_by_indicator(
    columns: Columns, rows: AnyRows, target: Column, protect: tuple[str, ...], labels: tuple[str, ...] = INDICATOR
) -> tuple[Columns, AnyRows]:
    """Replace a sensitive column of the table by "one of the protected values, or another value". With the `labels`
    CAPPED, values may also be hidden later."""
    is_protected = protected_events(target, protect, True) >= 0
    indicator = make_indicator(target, labels)
    sensitive = tuple(indicator if column.name == target.name else column for column in columns.sensitive)
    return replace(columns, sensitive=sensitive), rows.recode({target.name: is_protected.astype(np.int64)})
