"""Beliefs under statistics, compared with the enumeration of all worlds."""

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

MAX_STATES = 1_000_000
CHANCE = st.sampled_from([0, 0, 1, 2, 3, 5, 8, 13, 40]).map(lambda part: Fraction(part, 100))


@st.composite
def groups(draw: st.DrawFn, largest: int = 6, kinds: int = 4) -> tuple[list[list[Fraction]], list[int]]:
    """Rows of probabilities, one per member, some of them equal; and one value per member, with repetitions."""
    size = draw(st.integers(1, largest))
    rows = draw(st.lists(st.lists(CHANCE, min_size=kinds, max_size=kinds), min_size=1, max_size=size))
    members = draw(st.lists(st.integers(0, len(rows) - 1), min_size=size, max_size=size))
    values = draw(st.lists(st.integers(0, kinds - 1), min_size=size, max_size=size))
    return [rows[member] for member in members], values


def collapse_members(
    priors: list[list[Any]], values: list[int]
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Weights by class and value, class sizes, numbers of values, and the class of each member."""
    kinds, capacity = np.unique(values, return_counts=True)
    matrix = np.array([[float(p) for p in row] for row in priors])[:, kinds]
    rows, class_of_member, amounts = np.unique(matrix, axis=0, return_inverse=True, return_counts=True)
    return rows, amounts.astype(np.int64), capacity.astype(np.int64), class_of_member.reshape(-1)


def walk_worlds(weights: np.ndarray, amounts: np.ndarray, capacity: np.ndarray) -> tuple[np.ndarray, bool]:
    states = int(np.prod(capacity + 1))
    expected_counts, is_possible = world_walk.compute_expected_counts(
        weights, amounts, capacity, np.empty(states), np.empty(states)
    )
    return expected_counts, bool(is_possible)


def compute_beliefs(
    priors: list[list[Any]], values: list[int], events: list[int], max_states: int = MAX_STATES
) -> tuple[list[float], int]:
    weights, amounts, capacity, class_of_member = collapse_members(priors, values)
    kinds = np.array([events[value] for value in np.unique(values)])
    states = min(int(world_walk.count_states(capacity, max_states)), int(world_walk.count_states(amounts, max_states)))
    beliefs, status = kernel.compute_beliefs(
        weights, amounts, capacity, kinds, max_states, np.empty(states), np.empty(states)
    )
    return beliefs[class_of_member].tolist(), int(status)


@pytest.mark.parametrize(("capacity", "limit", "states"), [([1, 2], 9, 6), ([], 9, 1), ([4, 4], 9, 10), ([9], 9, 10)])
def test_states_are_counted_up_to_a_limit(capacity: list[int], limit: int, states: int) -> None:
    assert world_walk.count_states(np.array(capacity, dtype=np.int64), limit) == states


@given(groups())
def test_both_walks_agree_with_the_enumeration_of_all_worlds(group: tuple[list[list[Fraction]], list[int]]) -> None:
    priors, values = group
    expected_beliefs = oracle.posterior(priors, values)
    weights, amounts, capacity, class_of_member = collapse_members(priors, values)
    by_bin, is_possible = walk_worlds(weights, amounts, capacity)
    by_class, is_possible_by_class = walk_worlds(weights.T.copy(), capacity, amounts)
    assert is_possible == is_possible_by_class == (expected_beliefs is not None)
    if expected_beliefs is None:
        return
    for member, beliefs in enumerate(expected_beliefs):
        expected = [float(beliefs[value]) for value in sorted(beliefs)]
        for counts in (by_bin, by_class.T):
            assert counts[class_of_member[member]] / amounts[class_of_member[member]] == pytest.approx(
                expected, abs=1e-12
            )
    assert by_bin.sum(axis=1) == pytest.approx(amounts)  # everybody has a value
    assert by_bin.sum(axis=0) == pytest.approx(capacity)  # every value is somebody's


@given(groups(), st.lists(st.integers(-1, 2), min_size=4, max_size=4))
def test_belief_in_events_is_the_sum_over_their_values(
    group: tuple[list[list[Fraction]], list[int]], events: list[int]
) -> None:
    expected = oracle.event_beliefs(*group, events, binary=False)
    assume(any(events[value] >= 0 for value in group[1]))
    beliefs, status = compute_beliefs(*group, events)
    assert (status == kernel.CONTRADICTION) == (expected is None)
    if expected is not None:
        assert status == kernel.EXACT
        assert beliefs == pytest.approx([float(belief) for belief in expected], abs=1e-12)


@given(groups(largest=7))
@example(([[Fraction(1, 10), Fraction(1, 5)], [Fraction(0), Fraction(1, 2)]], [0, 1]))
@example(([[Fraction(1, 10), Fraction(0)], [Fraction(1, 5), Fraction(1, 2)]], [0, 1]))
def test_the_swap_bound_is_never_below_belief(group: tuple[list[list[Fraction]], list[int]]) -> None:
    priors, values = group
    expected_beliefs = oracle.posterior(priors, values)
    assume(expected_beliefs is not None)
    assert expected_beliefs is not None
    weights, amounts, capacity, class_of_member = collapse_members(priors, values)
    for index, value in enumerate(np.unique(values).tolist()):
        bound = world_walk.bound_by_swaps(weights, amounts, capacity, index)
        assert (bound <= 1).all()
        for member, beliefs in enumerate(expected_beliefs):
            assert float(beliefs[value]) <= bound[class_of_member[member]] + 1e-12


@given(groups(), st.lists(st.integers(-1, 1), min_size=4, max_size=4))
def test_above_the_budget_an_upper_bound_answers_and_says_so(
    group: tuple[list[list[Fraction]], list[int]], events: list[int]
) -> None:
    expected = oracle.event_beliefs(*group, events, binary=False)
    assume(expected is not None and len({tuple(row) for row in group[0]}) > 1)
    assert expected is not None
    bounds, status = compute_beliefs(*group, events, max_states=1)
    _, amounts, _, _ = collapse_members(*group)
    assert status == (kernel.BOUNDED if len(amounts) > 1 else kernel.EXACT)
    assert all(float(belief) <= bound + 1e-12 for belief, bound in zip(expected, bounds, strict=True))


def test_the_swap_bound_is_attained_by_the_worst_family() -> None:
    n, r, f = 10, 2, 0.2
    c = math.sqrt((r - 1) / (n - 1))
    priors = [[f, c * f]] + [[c * f, f]] * (n - 1)
    values = [0] + [1] * (n - 1)
    weights, amounts, capacity, class_of_member = collapse_members(priors, values)
    assert world_walk.bound_by_swaps(weights, amounts, capacity, 0)[class_of_member[0]] == pytest.approx(1 / r)
    expected_counts, _ = walk_worlds(weights, amounts, capacity)
    assert expected_counts[class_of_member[0], 0] == pytest.approx(1 / r)


@given(st.lists(st.integers(0, 99), min_size=2, max_size=8), st.integers(1, 3))
def test_the_binary_reading_has_the_odds_form(chances: list[int], protected_count: int) -> None:
    assume(protected_count < len(chances))
    f = [Fraction(chance, 100) for chance in chances]
    expected = oracle.against(f, protected_count)
    priors = [[share, 1 - share] for share in f]
    beliefs, status = compute_beliefs(priors, [0] * protected_count + [1] * (len(f) - protected_count), [0, -1])
    assert (status == kernel.CONTRADICTION) == (expected is None)
    if expected is not None:
        assert beliefs == pytest.approx([float(belief) for belief in expected], abs=1e-12)
        if protected_count == 1:
            odds = [share / (1 - share) for share in f]
            assert expected == [ratio / sum(odds) for ratio in odds]


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
    beliefs, status = compute_beliefs(priors, values, [0, 1, 2])
    assert status == kernel.CONTRADICTION
    assert np.isfinite(beliefs).all()


@given(
    groups(largest=6),
    st.lists(st.integers(-150, 0), min_size=6, max_size=6),
    st.lists(st.integers(-150, 0), min_size=4),
)
def test_scale_does_not_matter(
    group: tuple[list[list[Fraction]], list[int]], by_member: list[int], by_value: list[int]
) -> None:
    """Scaling rows and columns down to 1e-300 shrinks all worlds by the same factor, so no belief changes."""
    priors, values = group
    expected_beliefs = oracle.posterior(priors, values)
    scaled_priors = [
        [float(p) * 10.0 ** by_member[t] * 10.0 ** by_value[v] for v, p in enumerate(row)]
        for t, row in enumerate(priors)
    ]
    weights, amounts, capacity, class_of_member = collapse_members(scaled_priors, values)
    for is_transposed in (False, True):
        arguments = (weights.T.copy(), capacity, amounts) if is_transposed else (weights, amounts, capacity)
        expected_counts, is_possible = walk_worlds(*arguments)
        assert is_possible == (expected_beliefs is not None)
        if expected_beliefs is not None:
            shares = (expected_counts.T if is_transposed else expected_counts) / amounts.reshape(-1, 1)
            for member, beliefs in enumerate(expected_beliefs):
                expected = [float(beliefs[value]) for value in sorted(beliefs)]
                assert shares[class_of_member[member]] == pytest.approx(expected, abs=1e-9)


def test_a_world_of_tiny_weight_is_still_a_world() -> None:
    priors = [[1.0, 1e-300, 1e-300], [1.0, 1e-300, 3e-300], [1.0, 1e-300, 1e-300]]
    beliefs, status = compute_beliefs(priors, [0, 1, 2], [-1, -1, 0])
    assert status == kernel.EXACT
    assert beliefs == pytest.approx([0.2, 0.6, 0.2])


@pytest.mark.parametrize(("people", "spread"), [(30, 6), (200, 3), (500, 12)])
def test_large_groups_do_not_underflow(people: int, spread: int) -> None:
    """Two classes and two bins have a closed form for the expected number of the first class in the first bin."""
    half, odds = people // 2, 10.0**spread
    weights = np.array([[odds, 1.0], [1.0, 1.0]]) * 1e-9
    amounts, capacity = np.array([half, people - half]), np.array([half, people - half])
    expected_counts, is_possible = walk_worlds(weights, amounts, capacity)
    chances = [
        math.comb(half, k) * math.comb(people - half, half - k) * Fraction(10) ** (int(spread) * k)
        for k in range(half + 1)
    ]
    expected = sum(k * chance for k, chance in enumerate(chances)) / sum(chances)
    assert is_possible
    assert expected_counts[0, 0] == pytest.approx(float(expected), rel=1e-9)


def compute_group_beliefs(
    sets: list[list[list[list[Fraction]]]], values_of_groups: list[list[int]], events: list[int], binary: bool
) -> tuple[list[list[float]], list[int], list[int]]:
    """`sets[a][g][t]` is the row of member t of group g under column set a; each member is a separate entry."""
    starts = np.concatenate([[0], np.cumsum([len(values) for values in values_of_groups])]).astype(np.int64)
    rows_of_sets = [[tuple(map(float, row)) for group in groups_ for row in group] for groups_ in sets]
    rows = sorted({row for rows_of_set in rows_of_sets for row in rows_of_set})
    index = np.array([[rows.index(row) for row in rows_of_set] for rows_of_set in rows_of_sets])
    value_counts = [np.unique(values, return_counts=True) for values in values_of_groups]
    value_starts = np.concatenate([[0], np.cumsum([len(kinds) for kinds, _ in value_counts])]).astype(np.int64)
    risk, _, status, source = kernel.compute_group_beliefs(
        np.array(rows),
        index,
        starts,
        np.arange(starts[-1]),
        np.ones(starts[-1], dtype=np.int64),
        value_starts,
        np.concatenate([kinds for kinds, _ in value_counts]),
        np.concatenate([counts for _, counts in value_counts]).astype(np.int64),
        np.array(events),
        binary,
        MAX_STATES,
        kernel.EVERYWHERE,
        1.0,
        0.0,
        0,
        len(values_of_groups),
    )
    return [risk[low:high].tolist() for low, high in pairwise(starts.tolist())], status.tolist(), source.tolist()


@given(st.data(), st.booleans())
def test_the_greatest_belief_over_all_column_sets_is_reported(data: st.DataObject, binary: bool) -> None:
    first_set = data.draw(st.lists(groups(largest=4), min_size=1, max_size=3))
    values_of_groups = [values for _, values in first_set]
    row = st.lists(CHANCE, min_size=4, max_size=4)
    second_set = [[data.draw(row) for _ in values] for values in values_of_groups]
    sets = [[priors for priors, _ in first_set], second_set]
    events = data.draw(st.lists(st.integers(-1, 1), min_size=4, max_size=4))
    risk, status, source = compute_group_beliefs(sets, values_of_groups, events, binary)
    for group, values in enumerate(values_of_groups):
        beliefs_of_sets = [oracle.event_beliefs(set_beliefs[group], values, events, binary) for set_beliefs in sets]
        if None in beliefs_of_sets:
            assert status[group] == kernel.CONTRADICTION
            continue
        assert status[group] == kernel.EXACT
        expected = [
            float(max(pair))
            for pair in zip(*[set_beliefs for set_beliefs in beliefs_of_sets if set_beliefs is not None], strict=True)
        ]
        assert risk[group] == pytest.approx(expected, abs=1e-12)
        assert max(beliefs_of_sets[source[group]] or [0]) == pytest.approx(max(expected), abs=1e-12)


def test_an_entry_of_three_people_counts_as_three_members() -> None:
    """One entry of three people is three members."""
    rows = np.array([[0.1, 0.9], [0.3, 0.7]])
    two = np.array([0, 1])
    counts = np.array([3, 1])
    risk, excess, status, _ = kernel.compute_group_beliefs(
        rows, np.array([[0, 1]]), np.array([0, 2]), two, counts, np.array([0, 2]), two, np.array([1, 3]),
        np.array([0, -1]), False, MAX_STATES, kernel.EVERYWHERE, 0.2, 1.5, 0, 1,
    )  # fmt: skip
    expected = oracle.posterior([[0.1, 0.9]] * 3 + [[0.3, 0.7]], [0, 1, 1, 1])
    assert expected is not None
    assert status.tolist() == [kernel.EXACT]
    assert risk == pytest.approx([expected[0][0], expected[3][0]])
    assert excess == pytest.approx([risk[0] - 0.2, risk[1] - 0.45])
