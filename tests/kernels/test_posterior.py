"""Beliefs under statistics against the enumeration of all worlds."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import oracle
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from voile.kernels import posterior as kernel
from voile.kernels import world_walk

MOST = 1_000_000
CHANCE = st.sampled_from([0, 0, 1, 2, 3, 5, 8, 13, 40]).map(lambda part: Fraction(part, 100))


@st.composite
def groups(draw: st.DrawFn, largest: int = 6, kinds: int = 4) -> tuple[list[list[Fraction]], list[int]]:
    """A few different rows of probabilities, some of them several times, and as many values, with repetitions."""
    size = draw(st.integers(1, largest))
    rows = draw(st.lists(st.lists(CHANCE, min_size=kinds, max_size=kinds), min_size=1, max_size=size))
    members = draw(st.lists(st.integers(0, len(rows) - 1), min_size=size, max_size=size))
    values = draw(st.lists(st.integers(0, kinds - 1), min_size=size, max_size=size))
    return [rows[member] for member in members], values


def collapsed(priors: list[list[Any]], values: list[int]) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Weights by class and value, class sizes, numbers of values, and the class of each member."""
    kinds, capacity = np.unique(values, return_counts=True)
    matrix = np.array([[float(p) for p in row] for row in priors])[:, kinds]
    rows, home, amounts = np.unique(matrix, axis=0, return_inverse=True, return_counts=True)
    return rows, amounts.astype(np.int64), capacity.astype(np.int64), home.reshape(-1)


def walked(weights: np.ndarray, amounts: np.ndarray, capacity: np.ndarray) -> tuple[np.ndarray, bool]:
    needed = int(np.prod(capacity + 1))
    found, possible = world_walk.compute_expected_counts(weights, amounts, capacity, np.empty(needed), np.empty(needed))
    return found, bool(possible)


def believed(
    priors: list[list[Any]], values: list[int], events: list[int], most: int = MOST
) -> tuple[list[float], int]:
    weights, amounts, capacity, home = collapsed(priors, values)
    kinds = np.array([events[value] for value in np.unique(values)])
    needed = min(int(world_walk.count_states(capacity, most)), int(world_walk.count_states(amounts, most)))
    worst, status = kernel.compute_beliefs(weights, amounts, capacity, kinds, most, np.empty(needed), np.empty(needed))
    return worst[home].tolist(), int(status)


@pytest.mark.parametrize(("capacity", "most", "states"), [([1, 2], 9, 6), ([], 9, 1), ([4, 4], 9, 10), ([9], 9, 10)])
def test_states_are_counted_up_to_a_limit(capacity: list[int], most: int, states: int) -> None:
    assert world_walk.count_states(np.array(capacity, dtype=np.int64), most) == states


@given(groups())
def test_both_walks_agree_with_the_enumeration_of_all_worlds(group: tuple[list[list[Fraction]], list[int]]) -> None:
    priors, values = group
    slow = oracle.posterior(priors, values)
    weights, amounts, capacity, home = collapsed(priors, values)
    by_bin, possible = walked(weights, amounts, capacity)
    by_class, turned_possible = walked(weights.T.copy(), capacity, amounts)
    assert possible == turned_possible == (slow is not None)
    if slow is None:
        return
    for member, beliefs in enumerate(slow):
        expected = [float(beliefs[value]) for value in sorted(beliefs)]
        for found in (by_bin, by_class.T):
            assert found[home[member]] / amounts[home[member]] == pytest.approx(expected, abs=1e-12)
    assert by_bin.sum(axis=1) == pytest.approx(amounts)  # everybody has a value
    assert by_bin.sum(axis=0) == pytest.approx(capacity)  # every value is somebody's


@given(groups(), st.lists(st.integers(-1, 2), min_size=4, max_size=4))
def test_belief_in_events_is_the_sum_over_their_values(
    group: tuple[list[list[Fraction]], list[int]], events: list[int]
) -> None:
    slow = oracle.event_beliefs(*group, events, binary=False)
    assume(any(events[value] >= 0 for value in group[1]))
    worst, status = believed(*group, events)
    assert (status == kernel.CONTRADICTION) == (slow is None)
    if slow is not None:
        assert status == kernel.EXACT
        assert worst == pytest.approx([float(belief) for belief in slow], abs=1e-12)


@given(groups(largest=7))
@example(([[Fraction(1, 10), Fraction(1, 5)], [Fraction(0), Fraction(1, 2)]], [0, 1]))
@example(([[Fraction(1, 10), Fraction(0)], [Fraction(1, 5), Fraction(1, 2)]], [0, 1]))
def test_the_swap_bound_is_never_below_belief(group: tuple[list[list[Fraction]], list[int]]) -> None:
    priors, values = group
    slow = oracle.posterior(priors, values)
    assume(slow is not None)
    assert slow is not None
    weights, amounts, capacity, home = collapsed(priors, values)
    for place, value in enumerate(np.unique(values).tolist()):
        bound = world_walk.bound_by_swaps(weights, amounts, capacity, place)
        assert (bound <= 1).all()
        for member, beliefs in enumerate(slow):
            assert float(beliefs[value]) <= bound[home[member]] + 1e-12


@given(groups(), st.lists(st.integers(-1, 1), min_size=4, max_size=4))
def test_above_the_budget_an_upper_bound_answers_and_says_so(
    group: tuple[list[list[Fraction]], list[int]], events: list[int]
) -> None:
    slow = oracle.event_beliefs(*group, events, binary=False)
    assume(slow is not None and len({tuple(row) for row in group[0]}) > 1)
    assert slow is not None
    worst, status = believed(*group, events, most=1)
    _, amounts, _, _ = collapsed(*group)
    assert status == (kernel.BOUNDED if len(amounts) > 1 else kernel.EXACT)
    assert all(float(belief) <= bound + 1e-12 for belief, bound in zip(slow, worst, strict=True))


def test_the_swap_bound_is_attained_by_the_worst_family() -> None:
    n, r, f = 10, 2, 0.2
    c = math.sqrt((r - 1) / (n - 1))
    priors = [[f, c * f]] + [[c * f, f]] * (n - 1)
    values = [0] + [1] * (n - 1)
    weights, amounts, capacity, home = collapsed(priors, values)
    assert world_walk.bound_by_swaps(weights, amounts, capacity, 0)[home[0]] == pytest.approx(1 / r)
    found, _ = walked(weights, amounts, capacity)
    assert found[home[0], 0] == pytest.approx(1 / r)


@given(st.lists(st.integers(0, 99), min_size=2, max_size=8), st.integers(1, 3))
def test_the_binary_reading_has_the_odds_form(chances: list[int], inside: int) -> None:
    assume(inside < len(chances))
    f = [Fraction(chance, 100) for chance in chances]
    slow = oracle.against(f, inside)
    priors = [[one, 1 - one] for one in f]
    worst, status = believed(priors, [0] * inside + [1] * (len(f) - inside), [0, -1])
    assert (status == kernel.CONTRADICTION) == (slow is None)
    if slow is not None:
        assert worst == pytest.approx([float(belief) for belief in slow], abs=1e-12)
        if inside == 1:
            odds = [one / (1 - one) for one in f]
            assert slow == [one / sum(odds) for one in odds]


@pytest.mark.parametrize(
    ("priors", "values"),
    [
        ([[0.0, 0.5], [0.0, 0.5]], [0, 1]),  # nobody can have value 0
        ([[0.5, 0.0], [0.5, 0.0]], [0, 1]),
        ([[0.5, 0.0, 0.0], [0.5, 0.0, 0.0], [0.1, 0.2, 0.3]], [0, 1, 2]),  # two must share one value
        ([[0.0], [0.0]], [0, 0]),
    ],
)
def test_a_contradiction_is_flagged_and_never_nan(priors: list[list[float]], values: list[int]) -> None:
    worst, status = believed(priors, values, [0, 1, 2])
    assert status == kernel.CONTRADICTION
    assert np.isfinite(worst).all()


@given(
    groups(largest=6),
    st.lists(st.integers(-150, 0), min_size=6, max_size=6),
    st.lists(st.integers(-150, 0), min_size=4),
)
def test_scale_does_not_matter(
    group: tuple[list[list[Fraction]], list[int]], by_member: list[int], by_value: list[int]
) -> None:
    """Rows and columns of probabilities down to 1e-300 leave every belief as it is: worlds all shrink alike."""
    priors, values = group
    slow = oracle.posterior(priors, values)
    tiny = [
        [float(p) * 10.0 ** by_member[t] * 10.0 ** by_value[v] for v, p in enumerate(row)]
        for t, row in enumerate(priors)
    ]
    weights, amounts, capacity, home = collapsed(tiny, values)
    for turned in (False, True):
        given_ = (weights.T.copy(), capacity, amounts) if turned else (weights, amounts, capacity)
        found, possible = walked(*given_)
        assert possible == (slow is not None)
        if slow is not None:
            shares = (found.T if turned else found) / amounts.reshape(-1, 1)
            for member, beliefs in enumerate(slow):
                expected = [float(beliefs[value]) for value in sorted(beliefs)]
                assert shares[home[member]] == pytest.approx(expected, abs=1e-9)


def test_a_world_of_tiny_weight_is_still_a_world() -> None:
    priors = [[1.0, 1e-300, 1e-300], [1.0, 1e-300, 3e-300], [1.0, 1e-300, 1e-300]]
    worst, status = believed(priors, [0, 1, 2], [-1, -1, 0])
    assert status == kernel.EXACT
    assert worst == pytest.approx([0.2, 0.6, 0.2])


@pytest.mark.parametrize(("many", "spread"), [(30, 6), (200, 3), (500, 12)])
def test_large_groups_do_not_underflow(many: int, spread: int) -> None:
    """Two classes and two bins have a closed form: the number of the first class in the first bin."""
    half, odds = many // 2, 10.0**spread
    weights = np.array([[odds, 1.0], [1.0, 1.0]]) * 1e-9
    amounts, capacity = np.array([half, many - half]), np.array([half, many - half])
    found, possible = walked(weights, amounts, capacity)
    chances = [
        math.comb(half, k) * math.comb(many - half, half - k) * Fraction(10) ** (int(spread) * k)
        for k in range(half + 1)
    ]
    expected = sum(k * chance for k, chance in enumerate(chances)) / sum(chances)
    assert possible
    assert found[0, 0] == pytest.approx(float(expected), rel=1e-9)


def linked(
    sets: list[list[list[list[Fraction]]]], valued: list[list[int]], events: list[int], binary: bool
) -> tuple[list[list[float]], list[int], list[int]]:
    """`sets[a][g][t]` is the row of member t of group g under column set a; every member is an entry of its own."""
    starts = np.concatenate([[0], np.cumsum([len(values) for values in valued])]).astype(np.int64)
    flat = [[tuple(map(float, row)) for group in groups_ for row in group] for groups_ in sets]
    rows = sorted({row for one in flat for row in one})
    index = np.array([[rows.index(row) for row in one] for one in flat])
    tallied = [np.unique(values, return_counts=True) for values in valued]
    value_starts = np.concatenate([[0], np.cumsum([len(kinds) for kinds, _ in tallied])]).astype(np.int64)
    risk, status, source = kernel.compute_group_beliefs(
        np.array(rows),
        index,
        starts,
        np.arange(starts[-1]),
        np.ones(starts[-1], dtype=np.int64),
        value_starts,
        np.concatenate([kinds for kinds, _ in tallied]),
        np.concatenate([many for _, many in tallied]).astype(np.int64),
        np.array(events),
        binary,
        MOST,
        0,
        len(valued),
    )
    return [risk[low:high].tolist() for low, high in pairwise(starts.tolist())], status.tolist(), source.tolist()


@given(st.data(), st.booleans())
def test_linked_takes_the_greatest_belief_over_all_column_sets(data: st.DataObject, binary: bool) -> None:
    first = data.draw(st.lists(groups(largest=4), min_size=1, max_size=3))
    valued = [values for _, values in first]
    row = st.lists(CHANCE, min_size=4, max_size=4)
    second = [[data.draw(row) for _ in values] for values in valued]
    sets = [[priors for priors, _ in first], second]
    events = data.draw(st.lists(st.integers(-1, 1), min_size=4, max_size=4))
    risk, status, source = linked(sets, valued, events, binary)
    for number, values in enumerate(valued):
        slow = [oracle.event_beliefs(one[number], values, events, binary) for one in sets]
        if None in slow:
            assert status[number] == kernel.CONTRADICTION
            continue
        assert status[number] == kernel.EXACT
        expected = [float(max(pair)) for pair in zip(*[one for one in slow if one is not None], strict=True)]
        assert risk[number] == pytest.approx(expected, abs=1e-12)
        assert max(slow[source[number]] or [0]) == pytest.approx(max(expected), abs=1e-12)


def test_linked_counts_people_alike_together() -> None:
    """One entry of three people is three members."""
    rows = np.array([[0.1, 0.9], [0.3, 0.7]])
    one = np.array([0, 1])
    counts = np.array([3, 1])
    risk, status, _ = kernel.compute_group_beliefs(
        rows, np.array([[0, 1]]), np.array([0, 2]), one, counts, np.array([0, 2]), one, np.array([1, 3]),
        np.array([0, -1]), False, MOST, 0, 1,
    )  # fmt: skip
    slow = oracle.posterior([[0.1, 0.9]] * 3 + [[0.3, 0.7]], [0, 1, 1, 1])
    assert slow is not None
    assert status.tolist() == [kernel.EXACT]
    assert risk == pytest.approx([slow[0][0], slow[3][0]])
