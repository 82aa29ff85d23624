"""Choose which passing group each failing group imitates, so that belief stays at most 1/l even if the procedure is
known.

Groups were made without looking at sensitive values. Those in which some protected value covers more than 1/l cannot be
published; each takes over the protected values of another group that passes. An adversary who knows this sees a group
and asks how likely it is to be an imitator. If the groups to imitate are drawn evenly, groups near 1/l are imitated too
often. So each is drawn in proportion to its slack, the room that its values leave below 1/l; true shares then average
to at most 1/l.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from voile.tables.group_counts import Counts
from voile.tables.secret_key import Key

SLACK = 1e-9
LADDER = (1, 16, 64, 256, 1024, 4096)  # take at least this many groups of similar size together
DENSE = 50_000_000


@dataclass(frozen=True, eq=False)
class GroupShares:
    """How often each protected value occurs in each group, as entries (owner, value, count)."""

    sizes: np.ndarray
    owner: np.ndarray
    value: np.ndarray
    count: np.ndarray
    domain: int
    l: int  # noqa: E741 - the letter of the literature

    @property
    def share(self) -> np.ndarray:
        return np.asarray(self.count / self.sizes[self.owner])

    @property
    def passes(self) -> np.ndarray:
        """Whether each group passes: no protected value covers more than 1/l of it."""
        good = np.ones(len(self.sizes), dtype=bool)
        good[self.owner[self.count * self.l > self.sizes[self.owner]]] = False
        return good

    def compute_rate(self) -> float:
        """Return the largest share of a protected value, averaged over groups."""
        sums = np.bincount(self.value, weights=self.share, minlength=self.domain)
        return float(sums.max(initial=0.0) / max(len(self.sizes), 1))


@dataclass(frozen=True, eq=False)
class ImitationPool:
    """Groups of similar size: those that imitate, size by size, and the groups that they may imitate, with weights."""

    groups: list[np.ndarray]
    models: list[np.ndarray]
    weights: list[np.ndarray]


def count_shares(counts: Counts, protected: np.ndarray, l: int) -> GroupShares:  # noqa: E741 - the letter of the literature
    """Count the protected values of each group."""
    inside = protected[counts.values]
    entries = counts.owner[inside], counts.values[inside], counts.counts[inside]
    return GroupShares(counts.sizes, *entries, len(protected), l)


def sample_evenly(shares: GroupShares, key: Key, purpose: str) -> tuple[np.ndarray, np.ndarray]:
    """Draw pairs (imitating group, imitated group) as published: every group that passes is equally likely."""
    passes = shares.passes
    failing, models = np.flatnonzero(~passes), np.flatnonzero(passes)
    return failing, models[(key.stream(purpose, len(failing)) % np.uint64(max(len(models), 1))).astype(np.int64)]


def sample_by_slack(shares: GroupShares, key: Key, purpose: str) -> tuple[np.ndarray, np.ndarray] | None:
    """Draw pairs (imitating group, imitated group) soundly: by slack, among groups of similar size.

    Groups of one size are taken together; if that leaves too few to imitate, at least 16 groups of neighbouring sizes,
    then 64, and so on. Return None if not even all groups together keep everybody's rate at 1/l.
    """
    for least in LADDER:
        pools = _make_pools(shares, _bin_sizes(shares.sizes, least))
        if pools is not None:
            break
    else:
        pools = _make_pools(shares, np.zeros(len(shares.sizes), dtype=np.int64))
    if pools is None:
        return None
    groups, models = [np.zeros(0, dtype=np.int64)], [np.zeros(0, dtype=np.int64)]
    coins = key.stream(purpose, len(shares.sizes)) / 2.0**64  # one per group, so that the pools do not matter
    for pool in pools:
        for group, model, weight in zip(pool.groups, pool.models, pool.weights, strict=True):
            ends = np.cumsum(weight)
            position = np.searchsorted(ends, coins[group] * ends[-1], side="right")
            groups.append(group)
            models.append(model[np.minimum(position, len(model) - 1)])
    return np.concatenate(groups), np.concatenate(models)


def _bin_sizes(sizes: np.ndarray, least: int) -> np.ndarray:
    """Return the bin of each group: neighbouring sizes together until a bin has `least` groups, by sizes alone."""
    kinds, size_rank, often = np.unique(sizes, return_inverse=True, return_counts=True)
    label, current, bin_groups = np.zeros(len(kinds), dtype=np.int64), 0, 0
    for position, groups in enumerate(often):
        if bin_groups >= least:
            current, bin_groups = current + 1, 0
        label[position] = current
        bin_groups += int(groups)
    if bin_groups < least and current:
        label[label == current] = current - 1
    return np.asarray(label[size_rank])


def _make_pools(shares: GroupShares, bins: np.ndarray) -> list[ImitationPool] | None:
    """Return the pool of each bin that has imitating groups; None if one of them cannot keep the rate."""
    passes = shares.passes
    pools = []
    for groups, entries in _split_by_bin(shares, bins, np.unique(bins[~passes])):
        pool = _make_pool(shares, groups[~passes[groups]], groups[passes[groups]], entries)
        if pool is None:
            return None
        pools.append(pool)
    return pools


def _split_by_bin(
    shares: GroupShares, bins: np.ndarray, bin_numbers: np.ndarray
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield the groups and the entries of each wanted bin."""
    groups, entries = np.argsort(bins, kind="stable"), np.argsort(bins[shares.owner], kind="stable")
    group_bins, entry_bins = bins[groups], bins[shares.owner[entries]]
    for bin_number in bin_numbers:
        low, high = np.searchsorted(group_bins, [bin_number, bin_number + 1])
        first, last = np.searchsorted(entry_bins, [bin_number, bin_number + 1])
        yield groups[low:high], entries[first:last]


def _make_pool(
    shares: GroupShares, failing: np.ndarray, models: np.ndarray, entries: np.ndarray
) -> ImitationPool | None:
    """Return the pool of one bin, weighted by slack; None if the exact belief about some imitated group exceeds 1/l."""
    if not len(models):
        return None
    bound = 1 / shares.l
    owner, value, share = shares.owner[entries], shares.value[entries], shares.share[entries]
    local = np.full(len(shares.sizes), -1)
    local[models] = np.arange(len(models))
    passing = local[owner] >= 0  # the entries of groups that may be imitated
    passing_value, at = value[passing], local[owner[passing]]
    excess = np.bincount(value[~passing], weights=share[~passing], minlength=shares.domain) / len(failing) - bound
    weight = np.full(len(models), bound / max(float(excess.max()), SLACK))
    above = excess[passing_value] > 0
    room = np.maximum(bound - share[passing][above], 0)
    np.minimum.at(weight, at[above], room / excess[passing_value[above]])
    if excess.max() <= 0:
        weight[:] = 1.0
    pool = ImitationPool([], [], [])
    kinds = np.unique(shares.sizes[failing])
    eligible = np.ones((len(models), len(kinds)), dtype=bool)
    rates = np.zeros((len(kinds), shares.domain))
    for position, size in enumerate(kinds):
        # a group can be imitated if its shares are whole numbers of people here
        uneven = (shares.count[entries][passing] * size) % shares.sizes[owner[passing]] != 0
        eligible[at[uneven], position] = False
        is_model, imitators = eligible[:, position], failing[shares.sizes[failing] == size]
        total = float(weight[is_model].sum())
        if total <= 0:
            return None
        inside = np.isin(owner[~passing], imitators)
        sums = np.bincount(value[~passing][inside], weights=share[~passing][inside], minlength=shares.domain)
        rates[position] = (sums - len(imitators) * bound) / total
        pool.groups.append(imitators)
        pool.models.append(models[is_model])
        pool.weights.append(weight[is_model])
    return pool if _keeps_bound(weight, eligible, rates, at, passing_value, share[passing], bound) else None


def _keeps_bound(
    weight: np.ndarray,
    eligible: np.ndarray,
    rates: np.ndarray,
    at: np.ndarray,
    value: np.ndarray,
    share: np.ndarray,
    bound: float,
) -> bool:
    """Return whether belief stays at the bound for every imitated group and value: section 7.3 with all numbers of this
    table.

    A group that shows share q is either itself or one of its imitators, whose true shares exceed the bound by the total
    in `rates`; with weight w the belief is at most the bound if and only if w * rate <= bound - q.
    """
    if eligible.shape[0] * rates.shape[1] > DENSE and eligible.shape[1] > 1:
        return False
    if eligible.shape[1] == 1:
        rate = np.where(eligible[at, 0], rates[0, value], 0)
        highest = np.where(eligible[:, 0], rates[0].max(), 0)
    else:
        table = eligible.astype(np.float64) @ rates
        rate, highest = table[at, value], table.max(axis=1)
    fine = weight[at] * rate <= bound - share + SLACK
    return bool(fine.all()) and bool((weight * highest <= bound + SLACK).all())
