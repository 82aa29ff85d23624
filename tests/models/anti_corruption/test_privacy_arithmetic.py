"""The arithmetic from p to a promise: exact, never rounded down, and true."""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
import oracle
import pytest
from hypothesis import given
from hypothesis import strategies as st

from voile.models.anti_corruption.privacy_arithmetic import Terms, group_size, peak

settings = st.fixed_dictionaries(
    {
        "k": st.integers(1, 12),
        "size": st.integers(2, 60),
        "part": st.integers(0, 20),
        "blind": st.booleans(),
        "tight": st.booleans(),
    }
)


def terms(drawn: dict[str, int]) -> Terms:
    """Terms with a skew between 1/|U| and 1."""
    least = Fraction(1, drawn["size"])
    skew = least + (1 - least) * drawn["part"] / 20
    return Terms(drawn["k"], drawn["size"], skew, bool(drawn["blind"]), bool(drawn["tight"]))


def reached(w: np.ndarray, p: float, terms: Terms) -> np.ndarray:
    """The growth at prior w of the published value, the whole group corrupted and without it."""
    u = (1 - p) / terms.size
    return p * w * (1 - w) / (p * w + (terms.k if terms.blind else 1) * u)


@given(settings, st.integers(0, 99))
def test_growth_covers_every_prior(drawn: dict[str, int], percent: int) -> None:
    given, p = terms(drawn), percent / 100
    w = np.linspace(0, float(given.skew), 400)
    certified = float(given.growth(p))
    assert reached(w, p, given).max() <= certified + 1e-12
    if given.tight or not given.blind:
        assert certified - reached(w, p, given).max() < 1e-3  # and no more than it must


@given(settings, st.integers(0, 99), st.integers(0, 19))
def test_belief_covers_every_prior(drawn: dict[str, int], percent: int, twentieths: int) -> None:
    given, p, rho1 = terms(drawn), percent / 100, twentieths / 20
    u = (1 - p) / given.size
    certified = float(given.belief(p, rho1))
    for prior in np.linspace(0, rho1, 9):
        w = np.linspace(0, min(prior, float(given.skew)), 30)
        c = (given.k if given.blind else 1) * u
        with np.errstate(invalid="ignore"):
            after = prior + np.where(p * w > 0, p * w * (1 - prior) / (p * w + c), 0)
        assert after.max() <= certified + 1e-12


@given(settings, st.integers(0, 98), st.integers(1, 19))
def test_both_bounds_rise_with_p(drawn: dict[str, int], percent: int, twentieths: int) -> None:
    given = terms(drawn)
    low, high = Fraction(percent, 100), Fraction(percent + 1, 100)
    assert given.exact_belief(low, Fraction(twentieths, 20)) <= given.exact_belief(high, Fraction(twentieths, 20))
    assert given.growth(low) <= given.growth(high)


@given(settings, st.integers(1, 18), st.integers(1, 19))
def test_the_largest_p_is_the_largest(drawn: dict[str, int], first: int, second: int) -> None:
    given = terms(drawn)
    rho1, rho2 = sorted((first / 20, (second if second != first else first + 1) / 20))
    for targets in ({"rho1": rho1, "rho2": rho2}, {"growth": first / 20}):
        p = given.largest_p(**targets)
        assert given.meets(p, **targets)
        assert p == 1 or not given.meets(p + Fraction(1, 10**9), **targets)
    both = given.largest_p(rho1=rho1, rho2=rho2, growth=first / 20)
    assert both == min(given.largest_p(rho1=rho1, rho2=rho2), given.largest_p(growth=first / 20))


@given(settings, st.integers(0, 99))
def test_tight_bounds_are_no_weaker_promise(drawn: dict[str, int], percent: int) -> None:
    tight, paper = terms({**drawn, "tight": True}), terms({**drawn, "tight": False})
    p = percent / 100
    assert tight.growth(p) <= paper.growth(p)
    for rho1 in (0.05, 0.2, 0.9):
        assert tight.belief(p, rho1) <= paper.belief(p, rho1)


def test_shown_numbers_are_rounded_up() -> None:
    given = Terms(10, 50, 0.1)
    assert given.belief(0.3, 0.2) >= given.exact_belief(0.3, 0.2)
    assert given.belief(0.3, 0.2) - given.exact_belief(0.3, 0.2) < Fraction(1, 10**6)
    grown = given.growth(0.3)
    assert given.grows_within(0.3, grown)
    assert not given.grows_within(0.3, grown - Fraction(1, 10**6))


def test_nothing_is_promised_of_kept_values() -> None:
    given = Terms(6, 50, 0.1)
    assert given.growth(1) == 1
    assert given.belief(1, 0.2) == 1
    assert given.growth(0) == 0
    assert given.belief(0, 0.2) == Fraction(1, 5)


def test_closed_form_of_the_largest_p() -> None:
    assert float(Terms(6, 50, 0.1).largest_p(growth=0.2)) == pytest.approx(12 / 47, abs=1e-9)
    assert peak(0.3, 50) == pytest.approx(0.174341, abs=1e-6)
    assert [group_size(s) for s in (1, 0.5, 0.3, 1 / 6, 0.1)] == [1, 2, 4, 6, 10]


def value_aware_growth(p: Fraction) -> Fraction:
    """Four people with two values, split in two halves only if both halves become pure: the most that belief in a value
    of the first person grows, with all others known, over what may be published."""
    best = Fraction(0)
    for others in itertools.product((0, 1), repeat=3):
        seen: dict[tuple[object, ...], dict[int, Fraction]] = {}
        for x in (0, 1):
            for moved in itertools.product((0, 1), repeat=4):
                weight = Fraction(1, 2)
                for a, b in zip((x, *others), moved, strict=True):
                    weight *= oracle.kept_or_redrawn(p, 2, a, b)
                pure = moved[0] == moved[1] and moved[2] == moved[3]
                groups = ((0, 1), (2, 3)) if pure else ((0, 1, 2, 3),)
                for drawn in itertools.product(*groups):
                    told = (pure, *(moved[who] for who in drawn))
                    chance = weight
                    for group in groups:
                        chance /= len(group)
                    share = seen.setdefault(told, {0: Fraction(0), 1: Fraction(0)})
                    share[x] += chance
        for share in seen.values():
            total = share[0] + share[1]
            best = max(best, max(share.values()) / total - Fraction(1, 2))
    return best


def test_grouping_by_value_needs_its_own_bound() -> None:
    """Section 9.4 and S6: what a blind grouping would promise is broken by one that looks; h = 1 covers it."""
    p = Fraction(1, 2)
    true = value_aware_growth(p)
    assert true == Fraction(1, 4)
    assert float(Terms(2, 2, 0.5).growth(p)) == pytest.approx(0.1786, abs=1e-4)
    assert Terms(2, 2, 0.5).growth(p) < true < Terms(2, 2, 0.5, blind=False).growth(p)
