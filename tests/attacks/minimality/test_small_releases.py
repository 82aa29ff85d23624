"""On small releases the attack finds what publishing every possible table again would tell, exactly."""

from __future__ import annotations

import math
from dataclasses import replace

import polars as pl
import pytest
from minimality_worlds import METHODS, attack, exhaust_beliefs, largest_difference, random_release

import voile as vl
from voile.attacks.minimality.candidates import find_candidates
from voile.attacks.minimality.posterior import compute_beliefs

PER_METHOD = 15


@pytest.mark.parametrize("method", range(len(METHODS)), ids=lambda number: repr(METHODS[number]))
def test_belief_equals_that_of_publishing_every_world_again(method: int) -> None:
    compared, seed = 0, method
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


@pytest.mark.parametrize("seed", [173, 345, 381, 389])
def test_full_domain_over_incomparable_vectors(seed: int) -> None:
    """Tables in which some world is eliminated, because a vector that loses less would have held in it."""
    case = random_release(seed)
    assert case is not None
    assert case.method == vl.FullDomain()
    beliefs, _ = attack(case, 5000)
    assert beliefs.belief.max() > beliefs.naive.max() + 1e-9
    assert largest_difference(case, exhaust_beliefs(case), 5000) < 1e-9


def test_a_cut_refused_in_a_larger_box_tells_more_than_those_of_the_groups() -> None:
    """The cuts of the groups alone understate: some releases need the cuts that were refused on the way to them."""
    sharper = 0
    for seed in range(0, 400, len(METHODS)):
        if (case := random_release(seed)) is not None:
            candidates = find_candidates(case.release, case.register, case.policy, False)
            assert candidates.steps is not None
            last = replace(candidates, steps=replace(candidates.steps, spanning=()))
            all_cuts, last_cuts = (compute_beliefs(people, case.policy, "s", 10**5) for people in (candidates, last))
            sharper += bool((all_cuts.belief.max(axis=1) > last_cuts.belief.max(axis=1) + 1e-9).any())
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
