"""r-robustness: the requests it accepts, and the answers of verify with and without the prior."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import voile as vl
from voile.adversaries.prior import Prior, Statistics
from voile.errors import PolicyError, SpecError
from voile.results import Answer


@pytest.fixture
def data() -> Any:
    rng = np.random.default_rng(2)
    frame = pl.DataFrame({"sex": rng.choice(["m", "f"], 300), "age": rng.integers(20, 26, 300)})
    chance = np.where(frame["sex"] == "m", 0.2, 0.05)
    diseases = np.where(rng.random(300) < chance, "HIV", rng.choice(["flu", "cold"], 300))
    return vl.read(frame.with_columns(disease=diseases), vl.Schema(quasi=["sex", "age"], sensitive=["disease"]))


def test_the_bound_is_one_over_r_and_parameters_out_of_range_are_refused() -> None:
    model = vl.RRobustness(r=2.5, protect=["HIV"], protect_as="set")
    assert model.bound() == Fraction(2, 5)
    assert model.limits == "protected belief"
    assert vl.RRobustness(r=2).limits == "belief"
    assert vl.RRobustness(r=2, protect=("all",)) == vl.RRobustness(r=2)
    for parameters in ({"r": 1}, {"r": 0.5}, {"r": float("nan")}, {"r": 2, "protect": ()}, {"r": 2, "reading": "both"}):
        with pytest.raises(PolicyError):
            vl.RRobustness(**parameters)


def test_several_sets_are_asked_for_as_one(data: Any) -> None:
    """Belief in a part of a set is a share of the belief in the set, so one promise covers all of them."""
    with pytest.raises(PolicyError, match="several protected sets"):
        vl.RRobustness(r=2, protect=[["HIV"], ["flu"]])  # type: ignore[arg-type, list-item]
    sets = [vl.RRobustness(r=2, protect=(value,), protect_as="set") for value in ("HIV", "flu")]
    for method in (None, vl.Art()):
        with pytest.raises(PolicyError, match="several protected sets"):
            vl.publish(data, vl.Policy(*sets), method)


def test_the_publisher_learns_how_many_people_have_a_larger_bound(data: Any) -> None:
    prior = vl.learn_prior(data, min_support=10, smoothing=1)
    model = vl.RRobustness(r=6, protect=["HIV"], prior=prior)
    release = vl.publish(data, model)
    (check,) = [check for check in vl.verify(release, prior=prior).checks if check.counted]
    assert release.counted == check.counted
    assert release.counted["people_bound_above"] > release.counted["people_prior_above"] > 0
    assert check.as_json()["counted"] == release.counted
    headline = vl.report(release).as_json()["headline"]["exceptions"]
    assert headline["people_bound_above"] == release.counted["people_bound_above"]
    assert "bound lies above 1/6" in headline["words"]
    assert headline["words"] in vl.report(release).html
    assert "people_bound_above" not in str(release.certificate.as_json())


def test_values_and_columns_that_cannot_be_protected_are_refused(data: Any) -> None:
    with pytest.raises(SpecError, match="do not occur"):
        vl.publish(data, vl.RRobustness(r=2, protect=["gout"]))
    with pytest.raises(SpecError, match="every value"):
        vl.publish(data, vl.RRobustness(r=2, protect=["HIV", "flu", "cold"], protect_as="set"))
    wide_schema = vl.Schema(quasi=[f"q{n}" for n in range(13)], sensitive=["s"])
    frame = pl.DataFrame({**{f"q{n}": [0, 1] * 4 for n in range(13)}, "s": list("abababab")})
    with pytest.raises(PolicyError, match="max_columns"):
        vl.publish(vl.read(frame, wide_schema), vl.RRobustness(r=2))


def test_verify_needs_the_prior_and_then_recomputes(data: Any, tmp_path: Path) -> None:
    prior = vl.learn_prior(data)
    release = vl.publish(data, vl.RRobustness(r=2, protect=["HIV"], prior=prior))
    folder = release.save(tmp_path / "out")
    assert [check.answer for check in vl.verify(folder).checks][-1] is Answer.NEEDS
    assert not vl.verify(folder).broken
    assert vl.verify(folder, prior=prior).holds
    other_check = vl.verify(folder, prior=vl.learn_prior(data)).checks[-1]
    assert other_check.answer is Answer.NEEDS, "the salt makes it another prior"
    assert "different one" in other_check.detail
    claim = release.certificate.claims[0]
    assert claim["basis"] == "prior"
    assert claim["parameters"]["prior"] == prior.digest
    assert claim["found"]["worst_belief"] <= 0.5 + 1e-9


def test_a_forged_bound_is_broken_once_the_prior_is_known(data: Any) -> None:
    from dataclasses import replace

    prior = vl.learn_prior(data, min_support=10)
    honest_release = vl.publish(data, vl.RRobustness(r=2, protect=["HIV"], prior=prior), vl.Art(grouping="greedy"))
    claim = dict(honest_release.certificate.claims[0])
    claim["parameters"] = {**claim["parameters"], "r": 6.0}
    claim["bound"], claim["found"] = "1/6", {"worst_belief": 0.1}
    model = vl.RRobustness(r=6, protect=["HIV"], prior=prior)
    claim["promise"] = model.promise("disease")
    forged_release = replace(honest_release, certificate=replace(honest_release.certificate, claims=(claim,)))
    assert vl.verify(forged_release, prior=prior).broken


def test_a_forged_worst_belief_is_broken(data: Any) -> None:
    from dataclasses import replace

    prior = vl.learn_prior(data)
    release = vl.publish(data, vl.RRobustness(r=2, protect=["HIV"], prior=prior))
    claim = {**release.certificate.claims[0], "found": {"worst_belief": 0.0001}}
    forged_release = replace(release, certificate=replace(release.certificate, claims=(claim,)))
    assert vl.verify(forged_release, prior=prior).broken


def believe_in_worlds(chances: list[float], cases: int) -> list[float]:
    """Return what is believed of each person of a group with at least so many cases, from a list of all worlds."""
    beliefs, total = [0.0] * len(chances), 0.0
    for world in itertools.product((0, 1), repeat=len(chances)):
        if sum(world) >= cases:
            weight = math.prod(chance if case else 1 - chance for chance, case in zip(chances, world, strict=True))
            total += weight
            beliefs = [belief + weight * case for belief, case in zip(beliefs, world, strict=True)]
    return [belief / total for belief in beliefs]


def test_whoever_knows_fewer_statistics_may_believe_more_and_the_certificate_says_so() -> None:
    """Two miners and three clerks have two cases or more. Whoever knows how often miners are ill learns little; whoever
    only knows that one in twenty people is ill believes more than 2/5 of everybody."""
    chances, jobs = {"miner": 0.9, "clerk": 0.005}, ["miner"] * 2 + ["clerk"] * 3
    statistics = Statistics(("job",), (("miner",), ("clerk",)), np.array([[p, 1 - p] for p in chances.values()]))
    prior = Prior("illness", ("silicosis", "none"), (statistics,))
    table = pl.DataFrame({"job": jobs, "illness": ["silicosis"] * 2 + ["none"] * 3})
    data = vl.read(table, vl.Schema(quasi=["job"], sensitive=["illness"], rows_are="people"))
    model = vl.RRobustness(r=5, protect=["silicosis"], prior=prior)
    release = vl.publish(data, model, vl.CappedCounts(min_group=5))
    assert vl.verify(release, prior=prior).holds
    counts = dict(release.tables["sensitive"].select("illness", "count").iter_rows())
    assert counts == {"not shown": 3, "protected values": 2}

    covered = [chances[job] for job in jobs]
    bounds = model.belief_bound(np.array(covered))
    assert all(belief <= bound for belief, bound in zip(believe_in_worlds(covered, 2), bounds, strict=True))
    uncovered = believe_in_worlds([0.05] * 5, 2)
    assert uncovered == pytest.approx([0.4105] * 5, abs=1e-4)
    assert min(uncovered) > model.belief_bound(np.array([0.05]))[0] == 0.2
    gap = "an adversary who knows other statistics than those of one of its column sets, even if they are fewer"
    assert gap in release.certificate.claims[0]["not_covered"]
    assert f"Not covered: {gap}." in vl.verify(release, prior=prior).notes
