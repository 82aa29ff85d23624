"""Which group to imitate: the belief of an adversary who knows the sampling, computed independently of it."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from voile.methods.mask import imitation_sampling
from voile.methods.mask.imitation_sampling import GroupShares
from voile.papers.minimality.mask_formulas import mechanism_aware_credibility
from voile.tables.secret_key import Key


def make_shares(groups: list[list[int]], l: int, domain: int = 3) -> GroupShares:  # noqa: E741
    """Make shares from groups that list how often protected values 0, 1, ... occur, and then the number of others."""
    owner, value, count = [], [], []
    for group, counts in enumerate(groups):
        for code, occurrences in enumerate(counts[:-1]):
            if occurrences:
                owner.append(group)
                value.append(code)
                count.append(occurrences)
    sizes = np.array([sum(counts) for counts in groups])
    owners, values, counts = (np.array(part, dtype=np.int64) for part in (owner, value, count))
    return GroupShares(sizes, owners, values, counts, domain, l)


def beliefs_by_state(
    groups: list[list[int]], l_bound: int, pools: list[imitation_sampling.ImitationPool]
) -> dict[object, Fraction]:
    """Return, for every published state (bin and shares), the highest expected true share of a protected value."""
    fails = [any(occurrences * l_bound > sum(counts) for occurrences in counts[:-1]) for counts in groups]
    bin_of_group = {
        int(group): index for index, pool in enumerate(pools) for members in pool.groups for group in members
    }
    bin_of_group |= {
        int(model): index for index, pool in enumerate(pools) for members in pool.models for model in members
    }
    weight: Counter[object] = Counter()
    true_shares: Counter[object] = Counter()

    def add(state: tuple[object, ...], counts: list[int], chance: float) -> None:
        weight[state] += chance
        for code, occurrences in enumerate(counts[:-1]):
            true_shares[state, code] += chance * occurrences / sum(counts)

    for index, counts in enumerate(groups):
        if not fails[index] and index in bin_of_group:
            add(
                (bin_of_group[index], *(Fraction(occurrences, sum(counts)) for occurrences in counts[:-1])), counts, 1.0
            )
    for bin_index, pool in enumerate(pools):
        for members, models, weights in zip(pool.groups, pool.models, pool.weights, strict=True):
            for group in members:
                for model, chance in zip(models, weights / weights.sum(), strict=True):
                    model_counts = groups[model]
                    add(
                        (bin_index, *(Fraction(occurrences, sum(model_counts)) for occurrences in model_counts[:-1])),
                        groups[group],
                        chance,
                    )
    width = len(groups[0]) - 1
    return {state: max(true_shares[state, code] for code in range(width)) / weight[state] for state in weight}


@given(st.integers(0, 2**32), st.integers(2, 3), st.integers(1, 3))
def test_belief_stays_at_the_bound_for_every_published_state(seed: int, l: int, width: int) -> None:  # noqa: E741
    rng = np.random.default_rng(seed)
    rates = np.append(np.full(width, 0.12), 1 - 0.12 * width)
    groups = [rng.multinomial(rng.integers(2, 6), rates).tolist() for _ in range(rng.integers(10, 120))]
    given_shares = make_shares(groups, l, width)
    for bins in (
        imitation_sampling._bin_sizes(given_shares.sizes, 1),
        imitation_sampling._bin_sizes(given_shares.sizes, 16),
    ):
        pools = imitation_sampling._make_pools(given_shares, bins)
        if pools is not None:
            for belief in beliefs_by_state(groups, l, pools).values():
                assert belief <= 1 / l + 1e-9


def test_most_tables_have_pools() -> None:
    """The property above must not hold only because there are no pools."""
    has_pools = []
    for seed in range(30):
        rng = np.random.default_rng(seed)
        groups = [rng.multinomial(rng.integers(2, 6), [0.12, 0.12, 0.76]).tolist() for _ in range(60)]
        given_shares = make_shares(groups, 2 + seed % 2, 2)
        bins = imitation_sampling._bin_sizes(given_shares.sizes, 16)
        has_pools.append(imitation_sampling._make_pools(given_shares, bins) is not None)
    assert sum(has_pools) >= 25


def test_the_published_sampling_exceeds_the_bound() -> None:
    """Groups of two, theta 0.4, l = 2, in their expected numbers: 0.58 by even sampling, 1/2 by slack."""
    groups = [[0, 2]] * 36 + [[1, 1]] * 48 + [[2, 0]] * 16
    pools = imitation_sampling._make_pools(make_shares(groups, 2, 1), np.zeros(100, dtype=np.int64))
    assert pools is not None
    belief = beliefs_by_state(groups, 2, pools)
    assert belief[0, Fraction(1, 2)] == pytest.approx(0.5)
    assert belief[0, Fraction(0)] == pytest.approx(dict(mechanism_aware_credibility(0.4, 2, 2, "slack"))[0.0])
    even_pools = [
        imitation_sampling.ImitationPool(pool.groups, pool.models, [np.ones(len(w)) for w in pool.weights])
        for pool in pools
    ]
    assert max(beliefs_by_state(groups, 2, even_pools).values()) == pytest.approx(0.58)


@pytest.mark.parametrize("theta", [0.1, 0.3, 0.45, 0.5])
@pytest.mark.parametrize(("size", "l"), [(2, 2), (4, 2), (6, 3), (10, 5)])
def test_slack_sampling_keeps_the_bound_if_the_base_rate_does(theta: float, size: int, l: int) -> None:  # noqa: E741
    largest_belief = max(belief for _, belief in mechanism_aware_credibility(theta, size, l, "slack"))
    assert (largest_belief <= 1 / l + 1e-9) == (theta <= 1 / l + 1e-12)


def test_a_base_rate_above_the_bound_cannot_be_hidden() -> None:
    key = Key(bytes(32))
    assert imitation_sampling.sample_by_slack(make_shares([[2, 0]] * 6 + [[0, 2]] * 4, 2, 1), key, "x") is None
    assert imitation_sampling.sample_by_slack(make_shares([[2, 0]] * 4 + [[0, 2]] * 6, 2, 1), key, "x") is not None
    assert make_shares([[2, 0]] * 6 + [[0, 2]] * 4, 2, 1).compute_rate() == pytest.approx(0.6)


def test_only_groups_whose_shares_fit_the_size_are_imitated() -> None:
    """A group of three cannot show a half; among groups of four it may only imitate those without the value."""
    groups = [[3, 0]] + [[2, 2]] * 30 + [[0, 4]] * 30
    pools = imitation_sampling._make_pools(make_shares(groups, 2, 1), np.zeros(61, dtype=np.int64))
    assert pools is not None
    assert set(pools[0].models[0].tolist()) == set(range(31, 61))


def test_bins_are_decided_by_sizes_alone() -> None:
    sizes = np.array([2, 2, 2, 3, 5, 5, 9])
    assert imitation_sampling._bin_sizes(sizes, 1).tolist() == [0, 0, 0, 1, 2, 2, 3]
    assert imitation_sampling._bin_sizes(sizes, 3).tolist() == [0, 0, 0, 1, 1, 1, 1]
    assert imitation_sampling._bin_sizes(sizes, 100).tolist() == [0] * 7


def test_even_sampling_takes_any_group_that_passes() -> None:
    failing, models = imitation_sampling.sample_evenly(
        make_shares([[2, 0]] * 50 + [[1, 1]] * 2 + [[0, 2]] * 2, 2, 1), Key(bytes(32)), "x"
    )
    assert failing.tolist() == list(range(50))
    assert set(models.tolist()) == {50, 51, 52, 53}
