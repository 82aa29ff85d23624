"""The arithmetic from p to a promise is exact, never rounds down, and covers every prior."""

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


def make_terms(parameters: dict[str, int]) -> Terms:
    """Terms with a skew between 1/|U| and 1."""
    lowest_skew = Fraction(1, parameters["size"])
    skew = lowest_skew + (1 - lowest_skew) * parameters["part"] / 20
    return Terms(parameters["k"], parameters["size"], skew, bool(parameters["blind"]), bool(parameters["tight"]))


def growth_at(w: np.ndarray, p: float, terms: Terms) -> np.ndarray:
    """Return the growth at prior w of the published value, if everybody else is corrupted and none of them has it."""
    u = (1 - p) / terms.size
    return p * w * (1 - w) / (p * w + (terms.k if terms.blind else 1) * u)


@given(settings, st.integers(0, 99))
def test_growth_covers_every_prior(parameters: dict[str, int], percent: int) -> None:
    terms, p = make_terms(parameters), percent / 100
    w = np.linspace(0, float(terms.skew), 400)
    certified = float(terms.growth(p))
    assert growth_at(w, p, terms).max() <= certified + 1e-12
    if terms.tight or not terms.blind:
        assert certified - growth_at(w, p, terms).max() < 1e-3  # and hardly more than needed


@given(settings, st.integers(0, 99), st.integers(0, 19))
def test_belief_covers_every_prior(parameters: dict[str, int], percent: int, twentieths: int) -> None:
    terms, p, rho1 = make_terms(parameters), percent / 100, twentieths / 20
    u = (1 - p) / terms.size
    certified = float(terms.belief(p, rho1))
    for prior in np.linspace(0, rho1, 9):
        w = np.linspace(0, min(prior, float(terms.skew)), 30)
        c = (terms.k if terms.blind else 1) * u
        with np.errstate(invalid="ignore"):
            after = prior + np.where(p * w > 0, p * w * (1 - prior) / (p * w + c), 0)
        assert after.max() <= certified + 1e-12


@given(settings, st.integers(0, 98), st.integers(1, 19))
def test_both_bounds_rise_with_p(parameters: dict[str, int], percent: int, twentieths: int) -> None:
    terms = make_terms(parameters)
    low, high = Fraction(percent, 100), Fraction(percent + 1, 100)
    assert terms.exact_belief(low, Fraction(twentieths, 20)) <= terms.exact_belief(high, Fraction(twentieths, 20))
    assert terms.growth(low) <= terms.growth(high)


@given(settings, st.integers(1, 18), st.integers(1, 19))
def test_the_largest_p_is_the_largest(parameters: dict[str, int], first: int, second: int) -> None:
    terms = make_terms(parameters)
    rho1, rho2 = sorted((first / 20, (second if second != first else first + 1) / 20))
    for targets in ({"rho1": rho1, "rho2": rho2}, {"growth": first / 20}):
        p = terms.largest_p(**targets)
        assert terms.meets(p, **targets)
        assert p == 1 or not terms.meets(p + Fraction(1, 10**9), **targets)
    p_for_both = terms.largest_p(rho1=rho1, rho2=rho2, growth=first / 20)
    assert p_for_both == min(terms.largest_p(rho1=rho1, rho2=rho2), terms.largest_p(growth=first / 20))


@given(settings, st.integers(0, 99))
def test_tight_bounds_are_no_weaker_promise(parameters: dict[str, int], percent: int) -> None:
    tight, paper = make_terms({**parameters, "tight": True}), make_terms({**parameters, "tight": False})
    p = percent / 100
    assert tight.growth(p) <= paper.growth(p)
    for rho1 in (0.05, 0.2, 0.9):
        assert tight.belief(p, rho1) <= paper.belief(p, rho1)


def test_certified_numbers_are_rounded_up() -> None:
    terms = Terms(10, 50, 0.1)
    assert terms.belief(0.3, 0.2) >= terms.exact_belief(0.3, 0.2)
    assert terms.belief(0.3, 0.2) - terms.exact_belief(0.3, 0.2) < Fraction(1, 10**6)
    certified_growth = terms.growth(0.3)
    assert terms.grows_within(0.3, certified_growth)
    assert not terms.grows_within(0.3, certified_growth - Fraction(1, 10**6))


def test_nothing_is_promised_if_every_value_is_kept() -> None:
    terms = Terms(6, 50, 0.1)
    assert terms.growth(1) == 1
    assert terms.belief(1, 0.2) == 1
    assert terms.growth(0) == 0
    assert terms.belief(0, 0.2) == Fraction(1, 5)


def test_the_largest_p_has_its_closed_form() -> None:
    assert float(Terms(6, 50, 0.1).largest_p(growth=0.2)) == pytest.approx(12 / 47, abs=1e-9)
    assert peak(0.3, 50) == pytest.approx(0.174341, abs=1e-6)
    assert [group_size(s) for s in (1, 0.5, 0.3, 1 / 6, 0.1)] == [1, 2, 4, 6, 10]


def value_aware_growth(p: Fraction) -> Fraction:
    """Return the largest growth of belief in a value of the first of four people, over all possible releases, if the
    other three are known. There are two values, and the group is split in half only if both halves become pure."""
    largest_growth = Fraction(0)
    for other_values in itertools.product((0, 1), repeat=3):
        weights_by_release: dict[tuple[object, ...], dict[int, Fraction]] = {}
        for x in (0, 1):
            for perturbed in itertools.product((0, 1), repeat=4):
                weight = Fraction(1, 2)
                for a, b in zip((x, *other_values), perturbed, strict=True):
                    weight *= oracle.kept_or_redrawn(p, 2, a, b)
                is_pure = perturbed[0] == perturbed[1] and perturbed[2] == perturbed[3]
                groups = ((0, 1), (2, 3)) if is_pure else ((0, 1, 2, 3),)
                for sampled_people in itertools.product(*groups):
                    published_row = (is_pure, *(perturbed[person] for person in sampled_people))
                    chance = weight
                    for group in groups:
                        chance /= len(group)
                    share = weights_by_release.setdefault(published_row, {0: Fraction(0), 1: Fraction(0)})
                    share[x] += chance
        for share in weights_by_release.values():
            total = share[0] + share[1]
            largest_growth = max(largest_growth, max(share.values()) / total - Fraction(1, 2))
    return largest_growth


def test_grouping_by_value_needs_its_own_bound() -> None:
    """Section 9.4 and S6: a grouping that looks at values breaks the bound of a blind one; h = 1 covers it."""
    p = Fraction(1, 2)
    actual_growth = value_aware_growth(p)
    assert actual_growth == Fraction(1, 4)
    assert float(Terms(2, 2, 0.5).growth(p)) == pytest.approx(0.1786, abs=1e-4)
    assert Terms(2, 2, 0.5).growth(p) < actual_growth < Terms(2, 2, 0.5, blind=False).growth(p)
