"""Columns that show only whether a value is protected: what a reader expects where a group shows a lower bound.

"Other values" stands for many values and "not shown" for no value at all, so neither is something to believe in. What
such a column tells about a person is how likely they have one of the protected values.
"""

from __future__ import annotations

import numpy as np

from voile.adversaries.prior_posterior import HIDDEN, SHOWN
from voile.kernels import lazy_module
from voile.releases.release import Release
from voile.tables.group_counts import Counts

stats = lazy_module("scipy.stats")

ROUNDS = 100  # of the estimate of the share of cases


def shows_indicator(counts: Counts) -> bool:
    """Return whether a column shows only whether values are protected."""
    return counts.column is not None and counts.column.indicator


def has_indicator(release: Release) -> bool:
    """Return whether a column of a release shows only whether values are protected; does not look at tables."""
    return any(entry.get("indicator") for entry in release.described("sensitive"))


def expect_cases(counts: Counts) -> np.ndarray:
    """Return how many people of each group have a protected value: the number that is shown; or what somebody without
    statistics expects who learns that there are at least so many, everybody being alike.

    The share of cases of the whole table is the one under which groups that show a bound and groups that show a number
    are likeliest (by rounds of expectation and maximization).
    """
    cases = counts.summed(np.where(counts.values == SHOWN, counts.counts, 0)).astype(np.float64)
    is_capped = find_capped(counts)
    if not is_capped.any():
        return cases
    sizes, least = counts.sizes[is_capped], cases[is_capped]
    total = max(int(counts.sizes.sum()), 1)
    share = (cases.sum() + 0.5) / (total + 1)
    for _ in range(ROUNDS):
        cases[is_capped] = expect_above(sizes, least, share)
        share = min(cases.sum() / total, 1 - 1e-12)
    return cases


def estimate_share(counts: Counts) -> float:
    """Return the share of people with a protected value in the whole table, as `expect_cases` sees it."""
    return float(expect_cases(counts).sum() / max(counts.sizes.sum(), 1))


def expect_above(sizes: np.ndarray, least: np.ndarray, share: float) -> np.ndarray:
    """Return how many of so many people are expected to be cases if each is with probability `share`, and at least so
    many of them are: the mean of a binomial number above a limit."""
    above = np.exp(stats.binom.logsf(least - 2, sizes - 1, share) - stats.binom.logsf(least - 1, sizes, share))
    return np.asarray(np.clip(sizes * share * above, least, sizes))


def find_capped(counts: Counts) -> np.ndarray:
    """Return which groups show only that they have at least so many cases."""
    return np.asarray(counts.summed(np.where(counts.values == HIDDEN, counts.counts, 0)) > 0)


def expect_counts(counts: Counts) -> Counts:
    """Return the counts of a column; where it shows only whether values are protected, the expected numbers of other
    and of protected values, and a remark for how many people they are an estimate."""
    if not shows_indicator(counts):
        return counts
    cases = expect_cases(counts)
    pairs = np.stack([counts.sizes - cases, cases], axis=1)  # in the order of the labels
    return Counts(
        counts.sizes,
        2 * np.arange(counts.groups + 1),
        np.tile([1 - SHOWN, SHOWN], counts.groups),
        pairs.reshape(-1),
        pairs.sum(axis=0),
        counts.column,
        {**counts.remarks, **describe_estimates(counts)},
    )


def describe_estimates(counts: Counts) -> dict[str, float]:
    """Say how many people are in groups that show a lower bound only; nothing if there are none."""
    people = int(counts.sizes[find_capped(counts)].sum())
    return {"people in groups that show a lower bound (their numbers are estimates)": people} if people else {}


def name_protected(values: int) -> str:
    """Name the event that a column shows, of so many protected values.

    >>> name_protected(1), name_protected(3)
    ('the protected value', 'one of 3 protected values')
    """
    return "the protected value" if values == 1 else f"one of {values} protected values"
