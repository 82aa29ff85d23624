"""Which group a group that shows too much should imitate, so that even who knows this learns no more than 1/l.

Groups were made without looking at sensitive values. Those in which some protected value covers more than 1/l cannot be
published; each takes the protected values of another one that passes. An adversary who knows this sees a group and asks
how likely it is one of the imitators. If imitations are drawn evenly, groups near 1/l are imitated too often. So each
is drawn in proportion to its slack, the room that its values leave below 1/l; true shares then average to at most 1/l.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from voile.tables.group_counts import Counts
from voile.tables.secret_key import Key

SLACK = 1e-9
LADDER = (1, 16, 64, 256, 1024, 4096)  # so many groups of similar size, at least, are taken together
DENSE = 50_000_000


@dataclass(frozen=True, eq=False)
class Shares:
    """How often each protected value occurs in each group: (owner, value, count), and which groups pass."""

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
        """Groups in which no protected value covers more than 1/l."""
        good = np.ones(len(self.sizes), dtype=bool)
        good[self.owner[self.count * self.l > self.sizes[self.owner]]] = False
        return good

    def rate(self) -> float:
        """The largest share of a protected value, averaged over groups."""
        sums = np.bincount(self.value, weights=self.share, minlength=self.domain)
        return float(sums.max(initial=0.0) / max(len(self.sizes), 1))


@dataclass(frozen=True, eq=False)
class Pool:
    """Groups of similar size: those that imitate, size by size, and whom they may imitate, with what weight."""

    groups: list[np.ndarray]
    models: list[np.ndarray]
    weights: list[np.ndarray]


def shares_of(counts: Counts, protected: np.ndarray, l: int) -> Shares:  # noqa: E741 - the letter of the literature
    inside = protected[counts.values]
    entries = counts.owner[inside], counts.values[inside], counts.counts[inside]
    return Shares(counts.sizes, *entries, len(protected), l)


def evenly(shares: Shares, key: Key, purpose: str) -> tuple[np.ndarray, np.ndarray]:
    """The published way: (imitating group, imitated group), every group that passes being as likely as another."""
    passes = shares.passes
    failing, models = np.flatnonzero(~passes), np.flatnonzero(passes)
    return failing, models[(key.stream(purpose, len(failing)) % np.uint64(max(len(models), 1))).astype(np.int64)]


def by_slack(shares: Shares, key: Key, purpose: str) -> tuple[np.ndarray, np.ndarray] | None:
    """The sound way: (imitating group, imitated group), drawn by slack among groups of similar size.

    Groups of one size are taken together; if that leaves too few to imitate, at least 16 groups of neighbouring sizes,
    then 64, and so on. None where not even all together keep everybody's rate at 1/l.
    """
    for least in LADDER:
        pools = _pools(shares, _bins(shares.sizes, least))
        if pools is not None:
            break
    else:
        pools = _pools(shares, np.zeros(len(shares.sizes), dtype=np.int64))
    if pools is None:
        return None
    groups, models = [np.zeros(0, dtype=np.int64)], [np.zeros(0, dtype=np.int64)]
    coins = key.stream(purpose, len(shares.sizes)) / 2.0**64  # one for each group, so that pools do not matter
    for pool in pools:
        for group, model, weight in zip(pool.groups, pool.models, pool.weights, strict=True):
            ends = np.cumsum(weight)
            place = np.searchsorted(ends, coins[group] * ends[-1], side="right")
            groups.append(group)
            models.append(model[np.minimum(place, len(model) - 1)])
    return np.concatenate(groups), np.concatenate(models)


def _bins(sizes: np.ndarray, least: int) -> np.ndarray:
    """The bin of each group: neighbouring sizes together until a bin has `least` groups. Decided by sizes alone."""
    kinds, place, often = np.unique(sizes, return_inverse=True, return_counts=True)
    label, current, filled = np.zeros(len(kinds), dtype=np.int64), 0, 0
    for number, groups in enumerate(often):
        if filled >= least:
            current, filled = current + 1, 0
        label[number] = current
        filled += int(groups)
    if filled < least and current:
        label[label == current] = current - 1
    return np.asarray(label[place])


def _pools(shares: Shares, bins: np.ndarray) -> list[Pool] | None:
    """What each bin with imitating groups may do; None where one of them cannot keep the rate."""
    passes = shares.passes
    found = []
    for some, entries in _split(shares, bins, np.unique(bins[~passes])):
        pool = _pool(shares, some[~passes[some]], some[passes[some]], entries)
        if pool is None:
            return None
        found.append(pool)
    return found


def _split(shares: Shares, bins: np.ndarray, wanted: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """The groups and the entries of some bins."""
    groups, entries = np.argsort(bins, kind="stable"), np.argsort(bins[shares.owner], kind="stable")
    group_bins, entry_bins = bins[groups], bins[shares.owner[entries]]
    for chosen in wanted:
        low, high = np.searchsorted(group_bins, [chosen, chosen + 1])
        first, last = np.searchsorted(entry_bins, [chosen, chosen + 1])
        yield groups[low:high], entries[first:last]


def _pool(shares: Shares, failing: np.ndarray, models: np.ndarray, entries: np.ndarray) -> Pool | None:
    """One bin: weights by slack, then the exact check of what an adversary believes of every group that is imitated."""
    if not len(models):
        return None
    bound = 1 / shares.l
    owner, value, share = shares.owner[entries], shares.value[entries], shares.share[entries]
    local = np.full(len(shares.sizes), -1)
    local[models] = np.arange(len(models))
    mine = local[owner] >= 0
    their, at = value[mine], local[owner[mine]]
    excess = np.bincount(value[~mine], weights=share[~mine], minlength=shares.domain) / len(failing) - bound
    weight = np.full(len(models), bound / max(float(excess.max()), SLACK))
    above = excess[their] > 0
    room = np.maximum(bound - share[mine][above], 0)
    np.minimum.at(weight, at[above], room / excess[their[above]])
    if excess.max() <= 0:
        weight[:] = 1.0
    pool = Pool([], [], [])
    kinds = np.unique(shares.sizes[failing])
    eligible = np.ones((len(models), len(kinds)), dtype=bool)
    rates = np.zeros((len(kinds), shares.domain))
    for number, size in enumerate(kinds):
        # a group can be imitated if its shares are whole numbers of people here
        uneven = (shares.count[entries][mine] * size) % shares.sizes[owner[mine]] != 0
        eligible[at[uneven], number] = False
        chosen, those = eligible[:, number], failing[shares.sizes[failing] == size]
        total = float(weight[chosen].sum())
        if total <= 0:
            return None
        inside = np.isin(owner[~mine], those)
        sums = np.bincount(value[~mine][inside], weights=share[~mine][inside], minlength=shares.domain)
        rates[number] = (sums - len(those) * bound) / total
        pool.groups.append(those)
        pool.models.append(models[chosen])
        pool.weights.append(weight[chosen])
    return pool if _kept(weight, eligible, rates, at, their, share[mine], bound) else None


def _kept(
    weight: np.ndarray,
    eligible: np.ndarray,
    rates: np.ndarray,
    at: np.ndarray,
    value: np.ndarray,
    share: np.ndarray,
    bound: float,
) -> bool:
    """Whether belief stays at the bound for every imitated group and value: section 7.3 with all numbers of this table.

    A group with share q shown is itself, or one of the imitators, whose true shares exceed the bound by what `rates`
    sums up; with weight w the belief is at most the bound if and only if w * rate <= bound - q.
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
