"""On small releases the attack finds what publishing every possible table again would tell, exactly."""

from __future__ import annotations

import math

import polars as pl
import pytest
from minimality_worlds import METHODS, attack, exhaust_beliefs, largest_difference, random_release

import voile as vl

PER_METHOD = 15


@pytest.mark.parametrize("method", range(len(METHODS)), ids=lambda number: repr(METHODS[number]))
def test_belief_equals_that_of_publishing_every_world_again(method: int) -> None:
    compared, raised, seed = 0, 0, method
    while compared < PER_METHOD:
        case = random_release(seed)
        seed += len(METHODS)
        if case is None:
            continue
        truth = exhaust_beliefs(case)
        assert largest_difference(case, truth, 5000) < 1e-9, seed
        if case.method == vl.Mondrian():  # its cuts, replayed from the root, tell the same without running it again
            assert largest_difference(case, truth, 0) < 1e-9, seed
        compared += 1
        beliefs, _ = attack(case, 5000)
        raised += bool((beliefs.belief.max(axis=1) > beliefs.naive.max(axis=1) + 1e-9).any())
    assert raised  # the worlds that are eliminated matter


def test_a_cut_refused_in_a_larger_box_makes_people_certain() -> None:
    """Found by enumeration: of all tables that give this release, one remains for some people, though each group alone
    leaves them at 1/2."""
    sharper = 0
    for seed in range(0, 400, len(METHODS)):  # Mondrian
        case = random_release(seed)
        if case is None:
            continue
        beliefs, _ = attack(case, 0)
        sharper += bool((beliefs.belief > 1 - 1e-9).any() and beliefs.naive.max() < 1 - 1e-9)
        assert beliefs.exact == case.release.people
    assert sharper


def test_beyond_the_budget_full_domain_is_not_called_exact() -> None:
    case = next(case for seed in range(1, 400, len(METHODS)) if (case := random_release(seed)) is not None)
    beliefs, _ = attack(case, 0)
    assert beliefs.exact == 0
    assert beliefs.partial == case.release.people
    assert largest_difference(case, {}, 0) == math.inf


def test_the_details_count_everybody_once() -> None:
    frame = pl.DataFrame({"age": [20, 21, 22, 23] * 30, "s": ["x", "y", "x", "z", "y", "x"] * 20})
    data = vl.read(frame, vl.Schema(quasi=["age"], sensitive=["s"]))
    for method in (vl.Mondrian(), vl.FullDomain(), vl.Mondrian(recoding="hierarchy")):
        release = vl.publish(data, vl.LDiversity(l=2), method)
        details = vl.attacks.Minimality().guesses(release, data)[0].belief.details
        kinds = (
            "risk is exact",
            "risk is an estimate",
            "too large to answer",
            "part of the refusals",
            "no table explains",
        )
        assert sum(number for name, number in details.items() if name.endswith(kinds)) == 120
