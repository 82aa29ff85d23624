"""Which group to imitate: what an adversary who knows the sampling believes, computed independently of it."""

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


def shares(groups: list[list[int]], l: int, domain: int = 3) -> GroupShares:  # noqa: E741
    """Make shares from groups that list how often protected values 0, 1, ... occur, and then the number of others."""
    owner, value, count = [], [], []
    for number, counts in enumerate(groups):
        for code, many in enumerate(counts[:-1]):
            if many:
                owner.append(number)
                value.append(code)
                count.append(many)
    sizes = np.array([sum(counts) for counts in groups])
    owners, values, counts = (np.array(part, dtype=np.int64) for part in (owner, value, count))
    return GroupShares(sizes, owners, values, counts, domain, l)


def believed(
    groups: list[list[int]], least: int, pools: list[imitation_sampling.ImitationPool]
) -> dict[object, Fraction]:
    """Return, for every published state (bin and shares), the highest expected true share of a protected value."""
    fails = [any(many * least > sum(counts) for many in counts[:-1]) for counts in groups]
    homes = {int(group): number for number, pool in enumerate(pools) for some in pool.groups for group in some}
    homes |= {int(model): number for number, pool in enumerate(pools) for some in pool.models for model in some}
    weight: Counter[object] = Counter()
    true: Counter[object] = Counter()

    def add(state: tuple[object, ...], counts: list[int], chance: float) -> None:
        weight[state] += chance
        for code, many in enumerate(counts[:-1]):
            true[state, code] += chance * many / sum(counts)

    for number, counts in enumerate(groups):
        if not fails[number] and number in homes:
            add((homes[number], *(Fraction(many, sum(counts)) for many in counts[:-1])), counts, 1.0)
    for home, pool in enumerate(pools):
        for some, models, weights in zip(pool.groups, pool.models, pool.weights, strict=True):
            for group in some:
                for model, chance in zip(models, weights / weights.sum(), strict=True):
                    shown = groups[model]
                    add((home, *(Fraction(many, sum(shown)) for many in shown[:-1])), groups[group], chance)
    width = len(groups[0]) - 1
    return {state: max(true[state, code] for code in range(width)) / weight[state] for state in weight}


@given(st.integers(0, 2**32), st.integers(2, 3), st.integers(1, 3))
def test_belief_stays_at_the_bound_for_every_published_state(seed: int, l: int, width: int) -> None:  # noqa: E741
    rng = np.random.default_rng(seed)
    rates = np.append(np.full(width, 0.12), 1 - 0.12 * width)
    groups = [rng.multinomial(rng.integers(2, 6), rates).tolist() for _ in range(rng.integers(10, 120))]
    given_shares = shares(groups, l, width)
    for bins in (
        imitation_sampling._bin_sizes(given_shares.sizes, 1),
        imitation_sampling._bin_sizes(given_shares.sizes, 16),
    ):
        pools = imitation_sampling._make_pools(given_shares, bins)
        if pools is not None:
            for belief in believed(groups, l, pools).values():
                assert belief <= 1 / l + 1e-9


def test_few_bins_are_refused() -> None:
    """The property above must not hold only because no bin can be served."""
    served = []
    for seed in range(30):
        rng = np.random.default_rng(seed)
        groups = [rng.multinomial(rng.integers(2, 6), [0.12, 0.12, 0.76]).tolist() for _ in range(60)]
        given_shares = shares(groups, 2 + seed % 2, 2)
        bins = imitation_sampling._bin_sizes(given_shares.sizes, 16)
        served.append(imitation_sampling._make_pools(given_shares, bins) is not None)
    assert sum(served) >= 25


def test_the_published_sampling_exceeds_the_bound() -> None:
    """Groups of two, theta 0.4, l = 2, in their expected numbers: 0.58 by even sampling, 1/2 by slack."""
    groups = [[0, 2]] * 36 + [[1, 1]] * 48 + [[2, 0]] * 16
    found = imitation_sampling._make_pools(shares(groups, 2, 1), np.zeros(100, dtype=np.int64))
    assert found is not None
    belief = believed(groups, 2, found)
    assert belief[0, Fraction(1, 2)] == pytest.approx(0.5)
    assert belief[0, Fraction(0)] == pytest.approx(dict(mechanism_aware_credibility(0.4, 2, 2, "slack"))[0.0])
    even = [
        imitation_sampling.ImitationPool(pool.groups, pool.models, [np.ones(len(w)) for w in pool.weights])
        for pool in found
    ]
    assert max(believed(groups, 2, even).values()) == pytest.approx(0.58)


@pytest.mark.parametrize("theta", [0.1, 0.3, 0.45, 0.5])
@pytest.mark.parametrize(("size", "l"), [(2, 2), (4, 2), (6, 3), (10, 5)])
def test_slack_keeps_belief_at_the_bound_up_to_a_base_rate_of_the_bound(theta: float, size: int, l: int) -> None:  # noqa: E741
    worst = max(belief for _, belief in mechanism_aware_credibility(theta, size, l, "slack"))
    assert (worst <= 1 / l + 1e-9) == (theta <= 1 / l + 1e-12)


def test_a_base_rate_above_the_bound_cannot_be_hidden() -> None:
    key = Key(bytes(32))
    assert imitation_sampling.sample_by_slack(shares([[2, 0]] * 6 + [[0, 2]] * 4, 2, 1), key, "x") is None
    assert imitation_sampling.sample_by_slack(shares([[2, 0]] * 4 + [[0, 2]] * 6, 2, 1), key, "x") is not None
    assert shares([[2, 0]] * 6 + [[0, 2]] * 4, 2, 1).compute_rate() == pytest.approx(0.6)


def test_only_groups_whose_shares_are_whole_numbers_here_are_imitated() -> None:
    """A group of three cannot show a half; among groups of four it may only imitate those without the value."""
    groups = [[3, 0]] + [[2, 2]] * 30 + [[0, 4]] * 30
    found = imitation_sampling._make_pools(shares(groups, 2, 1), np.zeros(61, dtype=np.int64))
    assert found is not None
    assert set(found[0].models[0].tolist()) == set(range(31, 61))


def test_bins_are_decided_by_sizes_alone() -> None:
    sizes = np.array([2, 2, 2, 3, 5, 5, 9])
    assert imitation_sampling._bin_sizes(sizes, 1).tolist() == [0, 0, 0, 1, 2, 2, 3]
    assert imitation_sampling._bin_sizes(sizes, 3).tolist() == [0, 0, 0, 1, 1, 1, 1]
    assert imitation_sampling._bin_sizes(sizes, 100).tolist() == [0] * 7


def test_even_sampling_takes_any_group_that_passes() -> None:
    failing, models = imitation_sampling.sample_evenly(
        shares([[2, 0]] * 50 + [[1, 1]] * 2 + [[0, 2]] * 2, 2, 1), Key(bytes(32)), "x"
    )
    assert failing.tolist() == list(range(50))
    assert set(models.tolist()) == {50, 51, 52, 53}
