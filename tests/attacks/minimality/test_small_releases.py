"""On small releases the attack finds what publishing every possible table again would tell, exactly."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl
import pytest
from minimality_worlds import METHODS, attack, exhaust_beliefs, largest_difference, random_release

import voile as vl
from voile.attacks.minimality import linked_groups
from voile.attacks.minimality.candidates import find_candidates
from voile.attacks.minimality.posterior import BOUNDED, ESTIMATED, EXACT, compute_beliefs

PER_METHOD = 13  # every requirement may come up
WITHHELD = (111, 339, 343, 963, 1483, 1487)  # small releases with withheld rows, too many worlds to list


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
        if case.method in (vl.Mondrian(), vl.FullDomain()):  # what was refused tells the same, without running it again
            assert largest_difference(case, truth, 0) < 1e-9, seed
        compared += 1


@pytest.mark.parametrize("seed", [169, 237, 253, 269, 389, 429, 573, 681])
def test_full_domain_over_incomparable_vectors(seed: int) -> None:
    """Tables in which some world is eliminated, because a vector that loses less would have held in it."""
    case = random_release(seed)
    assert case is not None
    assert case.method == vl.FullDomain()
    truth = exhaust_beliefs(case)
    for replays in (5000, 0):
        beliefs, _ = attack(case, replays)
        assert beliefs.belief.max() > beliefs.naive.max() + 1e-9
        assert largest_difference(case, truth, replays) < 1e-9


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


@pytest.mark.parametrize("splits", [False, True])
def test_drawn_worlds_estimate_the_truth(splits: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Withheld rows and linked groups beyond every list: the truth lies in the interval, or nothing is said."""
    monkeypatch.setattr(linked_groups, "_list_linked", lambda linked, max_worlds: None)
    if splits:
        monkeypatch.setattr(linked_groups, "draw_whole_worlds", lambda linked, random, most_work: None)
    estimated = 0
    for seed in (*WITHHELD, *range(0, 80, 4), *range(1, 81, 4)):
        if (case := random_release(seed)) is None:
            continue
        beliefs, found = attack(case, 0)
        if not beliefs.count(ESTIMATED):
            assert seed not in WITHHELD
            continue
        truth = exhaust_beliefs(case)
        worst = max(abs(truth[kind][value] - found[kind].get(value, 0.0)) for kind in found for value in case.values)
        assert worst <= 2 * float(beliefs.error.max()), seed  # 95 % for each person by themselves
        estimated += 1
    assert estimated > len(WITHHELD)


def publish_people(method: Any, rows: int = 120, model: Any = None) -> tuple[Any, Any]:
    frame = pl.DataFrame({"age": [20, 21, 22, 23] * (rows // 4), "s": ["x", "y", "x", "z", "y", "x"] * (rows // 6)})
    data = vl.read(frame, vl.Schema(quasi=["age"], sensitive=["s"]))
    return vl.publish(data, model or vl.LDiversity(l=2), method), data


def test_the_details_count_everybody_once() -> None:
    for method in (vl.Mondrian(), vl.FullDomain(), vl.FullDomain(suppression=0.1), vl.Mondrian(recoding="hierarchy")):
        release, data = publish_people(method)
        details = vl.attacks.Minimality().guesses(release, data)[0].belief.details
        kinds = ("risk is exact", "is bounded", "is an estimate", "open to minimality", "to gain", "no table explains")
        assert sum(number for name, number in details.items() if name.endswith(kinds)) == release.people


def test_a_method_that_does_not_explain_itself_is_open_to_minimality() -> None:
    """Beyond a few worlds nothing is known about labels of hierarchies: certainty cannot be excluded."""
    release, data = publish_people(vl.Mondrian(recoding="hierarchy"))
    details = vl.attacks.Minimality().guesses(release, data)[0].belief.details
    assert details["people whose risk is not known, open to minimality"] == 120
    assert details["highest risk that cannot be excluded"] == 1
    assert details["people who may be above 1/2"] == 120
    assert details["people above 1/2"] == 0


def test_a_claim_that_covers_the_algorithm_leaves_nothing_to_gain(monkeypatch: pytest.MonkeyPatch) -> None:
    release, data = publish_people(vl.Mondrian())
    monkeypatch.setattr("voile.methods.mondrian.mondrian.Mondrian.covers_algorithm", lambda self, policy: True)
    belief = vl.attacks.Minimality().guesses(release, data)[0].belief
    assert belief.details["people whom the claim covers, with nothing to gain"] == 120
    assert belief.details["people who may be above 1/2"] == 0
    assert belief.worst == vl.attacks.Homogeneity().guesses(release, None)[0].belief.worst


def test_earlier_releases_leave_the_risk_unknown() -> None:
    """Whether the join with them holds tells something, too."""
    _, data = publish_people(vl.Mondrian())
    frame = pl.DataFrame({"age": [60, 61, 62, 63] * 30, "s": ["x", "y", "x", "z", "y", "x"] * 20})
    others = vl.read(frame, vl.Schema(quasi=["age"], sensitive=["s"]))
    earlier = vl.publish(others, vl.LDiversity(l=2), vl.Mondrian())
    release = vl.publish(data, vl.Sequential(vl.LDiversity(l=2)), vl.Mondrian(), after=[earlier])
    details = vl.attacks.Minimality().guesses(release, data)[0].belief.details
    assert (
        details["people whose risk is not known, open to minimality"] + details["people whose risk is bounded"] == 120
    )


def test_what_cannot_be_solved_is_bounded_by_counting() -> None:
    """Two people who share a quasi-identifier cannot both have a value that their group shows once."""
    compared = 0
    for seed in range(0, 400, len(METHODS)):
        if (case := random_release(seed)) is None or len(set(case.quasi)) > 3:
            continue
        candidates = find_candidates(case.release, case.register, case.policy, False)
        assert candidates.steps is not None
        unsolved = replace(candidates, steps=replace(candidates.steps, complete=False))
        beliefs = compute_beliefs(unsolved, case.policy, "s", 10**5)
        assert beliefs.count(EXACT) == 0
        chosen = beliefs.basis == BOUNDED
        assert (beliefs.highest_risk(np.eye(beliefs.belief.shape[1], dtype=bool))[~chosen] == 1).all()
        if chosen.any():
            _, exact = attack(case, 5000)
            truth = np.array([list(by_value.values()) for by_value in exact.values()])
            assert (beliefs.lowest <= truth + 1e-9)[chosen].all()
            assert (truth <= beliefs.highest + 1e-9)[chosen].all()
            compared += 1
    assert compared >= 3
