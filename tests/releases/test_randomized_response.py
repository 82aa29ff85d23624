"""The channel: its coins are fair, exact and keyed, and it can be undone in the large."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare

from voile.releases.randomized_response import Channel, exact_fraction
from voile.tables.secret_key import Key

KEY = Key(bytes(range(32)))


@pytest.mark.parametrize("keep", [0.0, 0.3, 0.85])
def test_every_transition_has_its_frequency(keep: float) -> None:
    rows, size = 400_000, 5
    channel = Channel(keep, size)
    codes = np.arange(rows) % size
    moved = channel.perturb(codes, KEY, "chi")
    for a in range(size):
        seen = np.bincount(moved[codes == a], minlength=size)
        expected = np.array([float(channel.transition(a == b)) for b in range(size)]) * seen.sum()
        assert chisquare(seen, expected).pvalue > 1e-4


def test_neighbours_and_purposes_are_independent() -> None:
    size, rows = 4, 200_000
    moved = Channel(0.0, size).perturb(np.zeros(rows, dtype=np.int64), KEY, "one")
    other = Channel(0.0, size).perturb(np.zeros(rows, dtype=np.int64), KEY, "two")
    for pairs in (moved[:-1] * size + moved[1:], moved * size + other):
        assert chisquare(np.bincount(pairs, minlength=size * size)).pvalue > 1e-4


def test_the_same_key_throws_the_same_coins() -> None:
    codes = np.arange(1000) % 7
    first, again = (Channel(0.4, 7).perturb(codes, KEY, "x") for _ in range(2))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, Channel(0.4, 7).perturb(codes, Key(bytes(32)), "x"))


def test_the_ends() -> None:
    codes = np.arange(1000) % 7
    assert np.array_equal(Channel(1.0, 7).perturb(codes, KEY, "x"), codes)
    drawn = Channel(0.0, 7).perturb(codes, KEY, "x")
    assert np.array_equal(drawn, Channel(0.0, 7).perturb(np.zeros(1000, dtype=np.int64), KEY, "x"))


def test_a_value_is_kept_with_no_more_than_p() -> None:
    """floor(p 2^64) of the 2^64 coins keep it."""
    for p in (0.1, 1 / 3, 0.368452407):
        assert Fraction(exact_fraction(p) * (1 << 64) // 1, 1 << 64) <= exact_fraction(p)


@pytest.mark.parametrize("limit", [1, 2, 3, 50, 2**63 + 1, 2**64 - 1])
def test_numbers_below_a_limit(limit: int) -> None:
    drawn = KEY.draw_below("limit", np.full(2000, limit, dtype=np.uint64), 2000)
    assert all(int(one) < limit for one in drawn)
    if limit > 3:
        assert np.median(drawn.astype(float)) == pytest.approx(limit / 2, rel=0.1)


def test_coins_beyond_the_last_round_are_thrown_again() -> None:
    """With a limit of 2^63 + 1 nearly half of the coins must be; taken modulo, small numbers would come twice."""
    limit = 2**63 + 1
    coins = KEY.stream("again", 4000)
    drawn = KEY.draw_below("again", limit, 4000)
    late = np.array([int(coin) >= limit for coin in coins])
    assert 1500 < late.sum() < 2500
    assert np.array_equal(drawn[~late], coins[~late])
    assert (drawn[late].astype(float) < limit / 4).mean() < 0.3


@given(
    st.lists(st.integers(0, 500), min_size=2, max_size=6).filter(sum),
    st.integers(1, 20),
    st.data(),
)
def test_undoing_finds_what_was_there(before: list[int], percent: int, data: st.DataObject) -> None:
    """Expected counts go back exactly; any counts stay a distribution of the same people."""
    keep = percent / 20
    sizes = data.draw(st.lists(st.integers(1, 9), min_size=len(before), max_size=len(before)))
    shares = np.array(sizes) / sum(sizes)
    channel = Channel(keep, sum(sizes))
    seen = keep * np.array(before) + (1 - keep) * shares * sum(before)
    assert channel.undo(seen, shares) == pytest.approx(np.array(before, dtype=float), abs=1e-6)
    found = channel.undo(np.array(before), shares)
    assert found.min() >= 0
    assert found.sum() == pytest.approx(sum(before))


def test_nothing_can_be_undone_where_nothing_is_kept() -> None:
    assert Channel(0.0, 4).undo(np.array([10.0, 0.0]), np.array([0.25, 0.75])).tolist() == [2.5, 7.5]
