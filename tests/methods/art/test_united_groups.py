"""Block grouping that withholds nobody, against a twin by hand that goes through every deal."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest
from oracle.art import united_blocks
from robust_requests import random_request, recount_worst

import voile as vl
from voile.errors import DataError, PolicyError, SpecError, Unsatisfiable
from voile.testing import exhaust
from voile.testing.tiny_table import TinyTable

MERGING = vl.Art(grouping="block", leftover="merge")
HEAD = ["columns", "signature", "value", "probability"]


def write_prior(chances: list[float]) -> Any:
    rows = [("", "", "hiv", 0.2), ("", "", "none", 0.8)]
    for person, chance in enumerate(chances):
        rows += [("a", f"p{person}", "hiv", chance), ("a", f"p{person}", "none", 1 - chance)]
    return vl.read_prior(pl.DataFrame(rows, HEAD, orient="row"), "s")


def publish(chances: list[float], world: list[int], r: float, lift: float, seed: int) -> Any:
    values = ["hiv" if value else "none" for value in world]
    frame = pl.DataFrame({"a": [f"p{person}" for person in range(len(world))], "s": values})
    data = vl.read(frame, vl.Schema(quasi=["a"], sensitive=["s"], domains={"s": ["hiv", "none"]}))
    model = vl.RRobustness(r=r, lift=lift, protect=("hiv",), prior=write_prior(chances))
    return vl.publish(data, model, MERGING, key=vl.Key(np.random.default_rng(seed).bytes(32)))


def read_groups(release: Any) -> united_blocks.Output:
    people: dict[int, list[int]] = {}
    for group, text in release.tables["quasi"].select("group", pl.col("a").cast(pl.String)).iter_rows():
        people.setdefault(group, []).append(int(text[1:]))
    shown = release.tables["sensitive"].filter(pl.col("s").cast(pl.String) == "hiv")
    cases = dict(shown.select("group", "count").iter_rows())
    return tuple(sorted((tuple(sorted(members)), cases.get(group, 0)) for group, members in people.items()))


@pytest.mark.parametrize("seed", range(12))
def test_it_publishes_what_the_twin_publishes_and_replay_believes_what_it_believes(seed: int) -> None:
    rng = np.random.default_rng(seed)
    people = int(rng.integers(3, 6))
    chances = np.round(np.maximum(rng.random(people) ** 2 * rng.choice([0.3, 0.6]), 0.01), 2).tolist()
    r, lift = float(rng.choice([1.5, 2, 3])), float(rng.choice([1.0, 1.5, 2.0]))
    outputs = united_blocks.believe_outputs(chances, r, lift)
    for number in range(4):
        world = (rng.random(people) < 0.4).astype(int).tolist()
        try:
            release = publish(chances, world, r, lift, number)
        except Unsatisfiable:
            assert None in outputs
            continue
        groups = read_groups(release)
        assert groups is not None
        assert groups in outputs
        assert release.people == people
        assert release.dictionary["withheld"] == 0
        for members, cases in groups:  # what is claimed: the groups alone give nobody away
            for person, belief in united_blocks.believe_group(chances, members, cases).items():
                assert belief <= united_blocks.bound(chances[person], r, lift) + 1e-9
        (finding,) = vl.audit(release, attacks=[vl.attacks.Replay(prior=write_prior(chances))]).findings
        assert finding.belief.details["people with an upper bound only"] == 0
        assert finding.belief.risk.max() == pytest.approx(max(outputs[groups]))


def test_somebody_who_knows_the_algorithm_may_be_certain_and_the_claim_says_so() -> None:
    """Only worlds in which the unlikely person is a case lead to one group of four with three cases."""
    outputs = united_blocks.believe_outputs([0.83, 0.87, 0.01, 0.78], 3, 2)
    assert max(max(beliefs) for output, beliefs in outputs.items() if output is not None) == pytest.approx(1.0)
    chances = [0.3, 0.3, 0.1]
    table = TinyTable(tuple((f"p{person}",) for person in range(3)), ("none", "hiv"))
    model = vl.RRobustness(r=2, lift=1, protect=("hiv",), prior=write_prior(chances))
    found = exhaust(MERGING, model, table=table, keys=40)
    assert found.belief > found.bound + 0.2  # a refusal tells
    claim = publish([0.3, 0.3, 0.2, 0.1], [0, 1, 0, 0], 2, 1.5, 0).certificate.claims[0]
    assert "algorithm" not in claim["adversary"]["knows"]
    assert any("knows the algorithm" in adversary for adversary in claim["not_covered"])
    assert "missing" not in claim["promise"]


def test_a_refusal_names_an_r_that_is_within_reach() -> None:
    chances, world = [0.3, 0.3, 0.2, 0.1], [1, 1, 0, 0]
    with pytest.raises(Unsatisfiable, match=r"r = [\d.]+ is within reach") as error:
        publish(chances, world, 4, 1, 0)
    reach = float(error.value.best.split("= ")[1].split(" ")[0])
    assert publish(chances, world, reach, 1, 0).people == 4


@pytest.mark.parametrize(
    "knobs", [{"grouping": "auto"}, {"mode": "paper"}, {"frequent": "suppress"}, {"max_group": 9}], ids=str
)
def test_knobs_that_ask_for_something_else_are_refused(knobs: dict[str, Any]) -> None:
    frame = pl.DataFrame({"a": ["x", "y"] * 4, "s": ["hiv", "none", "none", "none"] * 2})
    data = vl.read(frame, vl.Schema(quasi=["a"], sensitive=["s"]))
    with pytest.raises(PolicyError, match=next(iter(knobs))):
        vl.publish(
            data, vl.RRobustness(r=2, protect=("hiv",)), vl.Art(**{"grouping": "block", **knobs}, leftover="merge")
        )


def test_a_protected_value_that_nobody_has_needs_a_declared_domain_or_an_indicator() -> None:
    """The statistics may name it; a release that shows values must list it (this ended in BrokenPromise)."""
    rates = {"hiv": 0.1, "hep": 0.2, "none": 0.7}
    prior = vl.read_prior(pl.DataFrame([("", "", v, p) for v, p in rates.items()], HEAD, orient="row"), "s")
    model = vl.RRobustness(r=3, protect=("hiv", "hep"), protect_as="set", prior=prior)
    frame = pl.DataFrame({"a": ["x", "y"] * 10, "s": ["hiv", *["none"] * 9] * 2})
    schema = vl.Schema(quasi=["a"], sensitive=["s"])
    with pytest.raises(PolicyError, match="declare the column's domain"):
        vl.publish(vl.read(frame, schema), model, MERGING)
    declared = vl.Schema(quasi=["a"], sensitive=["s"], domains={"s": list(rates)})
    assert vl.publish(vl.read(frame, declared), model, MERGING).people == 20
    shown = vl.Art(grouping="block", leftover="merge", publish="indicator")
    assert vl.publish(vl.read(frame, schema), model, shown).people == 20


def make_large_release(r: float) -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(1)
    ages, jobs = np.minimum(rng.geometric(0.06, 2000) + 18, 80), rng.choice(list("abcdef"), 2000)
    is_sick = rng.random(2000) < 0.002 * ages * (1 + 0.5 * (jobs == "a"))
    disease = np.where(is_sick, "HIV", rng.choice(["flu", "cold"], 2000))
    frame = pl.DataFrame({"sex": rng.choice(["m", "f"], 2000), "age": ages, "job": jobs, "disease": disease})
    data = vl.read(frame, vl.Schema(quasi=["sex", "age", "job"], sensitive=["disease"]))
    prior = vl.learn_prior(data, min_support=15)
    model = vl.RRobustness(r=r, protect=["HIV"], protect_as="set", prior=prior)
    return vl.publish(data, model, MERGING, key=vl.Key(bytes(32))), data, prior


def test_large_releases_are_replayed_exactly_where_no_group_was_united() -> None:
    release, data, prior = make_large_release(3)
    (finding,) = vl.audit(release, data, [vl.attacks.Replay(prior=prior)]).findings
    details = finding.belief.details
    united = details["people in groups that were united, or may have been"]
    assert 0 < united < 2000
    assert details["people with an upper bound only"] == united
    assert finding.belief.worst == 1.0
    assert vl.verify(release, prior=prior).holds


def test_random_requests_are_published_right_or_refused() -> None:
    published, recounted = 0, 0
    for seed in range(60):
        request = random_request(seed)
        as_set = request.model.protect_as == "set"
        method = vl.Art(grouping="block", leftover="merge", publish="indicator" if as_set and seed % 2 else "exact")
        try:
            release = vl.publish(request.data, request.model, method, key=request.key)
        except (Unsatisfiable, SpecError, DataError):  # and no BrokenPromise, which is none of these
            continue
        published += 1
        assert release.people == request.frame.height
        worst = recount_worst(request, release)
        if worst is not None:
            recounted += 1
            found = release.certificate.claims[0]["found"]["worst_belief"]
            assert found == pytest.approx(worst, abs=2e-6), seed
    assert published > 15
    assert recounted > 5
