"""Whom the statistics give away in a release: figure 1(c), and the deviations of figure 1(d)."""

from __future__ import annotations

from typing import Any

import numpy as np

from voile import kernels
from voile.adversaries.prior import INDICATOR, Prior
from voile.adversaries.prior_posterior import HIDDEN, SHOWN, make_indicator, protected_events
from voile.adversaries.signatures import match_signatures
from voile.papers.art.bounds import SLACK, average_delta
from voile.papers.art.contenders import PROTECTED, SENSITIVE, Outcome, mark_protected
from voile.tables.microdata import Microdata

ROUNDS = 60  # of scaling, in groups that are estimated


def judge_fully(data: Microdata, prior: Prior, outcome: Outcome, r: int, most: int) -> dict[str, float]:
    """Return which shares of the protected people are linked to the set with probability above 1/r, by equations 1 to
    3: for certain, by an estimate where a group has more than `most` states, and at most, by a sound bound; and the
    share in groups of which some column set says that they are impossible."""
    members, counts = outcome.members, outcome.counts
    assert counts.column is not None
    events = protected_events(counts.column, PROTECTED, True)
    coded = prior.encode(members.columns, members.codes, counts.column, counts.totals / counts.totals.sum())
    index = np.ascontiguousarray(coded.index)
    groups = (members.starts, members.rows, members.counts, counts.starts, counts.values, counts.counts)
    risk, _, status, _ = kernels.posterior.compute_group_beliefs(
        coded.rows, index, *groups, events, False, most, kernels.posterior.EVERYWHERE, 1.0, 0.0, 0, counts.groups
    )
    bounded, contradicted = (
        np.repeat(status == kind, np.diff(members.starts))
        for kind in (kernels.posterior.BOUNDED, kernels.posterior.CONTRADICTION)
    )
    above = risk > 1 / r + SLACK
    estimated = np.zeros(len(risk), dtype=bool)
    for group in np.flatnonzero(np.add.reduceat(bounded & above, members.starts[:-1]) > 0):
        entries = slice(members.starts[group], members.starts[group + 1])
        estimated[entries] = estimate_group(coded.rows, index, outcome, int(group), events) > 1 / r + SLACK
    certain, likely, possible = above & ~bounded, (above & ~bounded) | (estimated & bounded), above
    total = float(outcome.guarded.sum()) + outcome.withheld
    names = ("certain", "problematic", "possible", "contradicted")
    shares = [float(outcome.guarded[chosen].sum()) / total for chosen in (certain, likely, possible, contradicted)]
    return dict(zip(names, shares, strict=True))


def estimate_group(rows: np.ndarray, index: np.ndarray, outcome: Outcome, group: int, events: np.ndarray) -> np.ndarray:
    """Estimate the greatest belief in the set for each entry of one group: scale people and values in turn until every
    person has one value and every value its number of people."""
    members, counts = outcome.members, outcome.counts
    entries = slice(members.starts[group], members.starts[group + 1])
    listed = slice(counts.starts[group], counts.starts[group + 1])
    values, capacity = counts.values[listed], counts.counts[listed].astype(np.float64)
    inside = events[values] >= 0
    greatest = np.zeros(members.starts[group + 1] - members.starts[group])
    for prior_rows in index:
        kinds, home = np.unique(prior_rows[members.rows[entries]], return_inverse=True)
        amounts = np.bincount(home.reshape(-1), weights=members.counts[entries])
        shares = scale_weights(rows[kinds][:, values], amounts, capacity)
        greatest = np.maximum(greatest, shares[:, inside].sum(axis=1)[home.reshape(-1)])
    return greatest


def scale_weights(weights: np.ndarray, amounts: np.ndarray, capacity: np.ndarray) -> np.ndarray:
    """Scale weights (classes x values) until each class sums to 1 and each value to its capacity (Sinkhorn).

    >>> scale_weights(np.array([[0.1, 0.9], [0.003, 0.997]]), np.ones(2), np.ones(2)).round(3).tolist()
    [[0.859, 0.141], [0.141, 0.859]]
    """
    scaled = weights.copy()
    for _ in range(ROUNDS):
        column = amounts @ scaled
        scaled *= np.divide(capacity, column, out=np.zeros_like(column), where=column > 0)
        row = scaled.sum(axis=1, keepdims=True)
        scaled = np.divide(scaled, row, out=np.zeros_like(scaled), where=row > 0)
    return scaled


def judge_binary(data: Microdata, prior: Prior, outcome: Outcome, r: int) -> float:
    """Return the share of protected people above 1/r if the adversary weighs the set only against its contrary. It is
    exact in groups of any size."""
    members, counts = outcome.members, outcome.counts
    assert counts.column is not None
    chance, index = _look_up_chances(data, prior, members.codes)
    inside = protected_events(counts.column, PROTECTED, True) >= 0
    cases = counts.summed(np.where(inside[counts.values], counts.counts, 0)).astype(np.int64)
    exact = np.ones(counts.groups, dtype=bool)
    if counts.column.indicator and counts.column.size > HIDDEN:
        exact = counts.summed(np.where(counts.values == HIDDEN, counts.counts, 0)) == 0
    groups = (members.starts, members.rows, members.counts)
    risk, _, _, _ = kernels.count_beliefs.believe_counts(
        chance, index, *groups, cases, exact, 1.0, 0.0, 0, counts.groups
    )
    total = float(outcome.guarded.sum()) + outcome.withheld
    return float(outcome.guarded[risk > 1 / r + SLACK].sum()) / total


def judge_statistics(data: Microdata, prior: Prior, r: int) -> float:
    """Return the share of protected people of whom the statistics alone say more than 1/r, without any release."""
    names = [column.name for column in data.columns.quasi]
    table = data.rows.histogram([*names, SENSITIVE])
    chance, index = _look_up_chances(data, prior, table.codes[:, :-1])
    cases = np.where(mark_protected(data)[table.codes[:, -1]], table.counts, 0)
    return float(cases[chance[index].max(axis=0) > 1 / r + SLACK].sum() / cases.sum())


def _look_up_chances(data: Microdata, prior: Prior, codes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the distinct chances of the protected set, and which of them each person has under each column set."""
    indicator = make_indicator(data.columns[SENSITIVE], INDICATOR)
    coded = prior.as_indicator(PROTECTED).encode(data.columns.quasi, codes, indicator, np.zeros(2))
    chance, place = np.unique(np.minimum(coded.rows[:, SHOWN], 1.0), return_inverse=True)
    return chance, np.ascontiguousarray(place.reshape(-1)[coded.index])


def measure_deviations(data: Microdata, prior: Prior, outcome: Outcome, r: int) -> dict[str, Any]:
    """Return the average deviation of the set's probability: over all groups, over those that hold a case, and the
    ceiling that Theorem 1 sets for the latter. Column sets count if half of the people have a known signature there."""
    members, counts = outcome.members, outcome.counts
    column = data.columns[SENSITIVE]
    values = data.rows.histogram([SENSITIVE])
    usual = np.bincount(values.codes[:, 0], values.counts, column.size) / values.total
    known = prior.encode(members.columns, members.codes, column, usual)
    chance = np.minimum(known.rows[:, mark_protected(data)].sum(axis=1), 1.0)
    held = np.add.reduceat(outcome.guarded, members.starts[:-1]) > 0
    every, some, limits = {}, {}, {}
    for statistics, index in zip(prior.sets, known.index, strict=True):
        listed = match_signatures(statistics.names, statistics.signatures, members.columns, members.codes) >= 0
        if np.average(listed[members.rows], weights=members.counts) < 0.5:
            continue
        f = chance[index[members.rows]]
        top, low = np.maximum.reduceat(f, members.starts[:-1]), np.minimum.reduceat(f, members.starts[:-1])
        place = ", ".join(statistics.names)
        every[place], some[place] = top - low, (top - low)[held]
        limits[place] = compute_ceilings(counts.sizes[held], r, top[held])
    if not every or not held.any():
        return {"delta": None, "delta_with_case": None, "ceiling": None}
    return dict(zip(("delta", "delta_with_case", "ceiling"), map(average_delta, (every, some, limits)), strict=True))


def compute_ceilings(sizes: np.ndarray, r: float, top: np.ndarray) -> np.ndarray:
    """Return the ceiling of Theorem 1 for many groups; 0 where it is not defined."""
    inner = (top > 0) & (top < 1) & (sizes >= r)
    f = np.where(inner, top, 0.5)
    return np.where(inner, (sizes - r) * f / (f * (r - 1) / (1 - f) + sizes - 1), 0.0)
