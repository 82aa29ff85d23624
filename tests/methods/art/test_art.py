"""ART: every release withstands the adversary it names, according to an oracle that does not know how it was made."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import voile as vl
from voile.errors import PolicyError, Unsatisfiable
from voile.plugins.registry import build_plugin

SETS = [("sex",), ("age",), ("age", "sex")]


def make_people(rows: int, seed: int, common: float = 0.15) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    frame = pl.DataFrame({"sex": rng.choice(["m", "f"], rows), "age": rng.integers(20, 24, rows)})
    chance = common * np.where(frame["sex"] == "m", 1.5, 0.5) * np.where(frame["age"] > 21, 1.3, 0.7)
    other_diseases = rng.choice(["flu", "cold", "gout"], rows, p=[0.5, 0.3, 0.2])
    return frame.with_columns(
        disease=np.where(rng.random(rows) < chance, rng.choice(["HIV", "TB"], rows), other_diseases)
    )


def make_table(rows: int = 400, seed: int = 0) -> tuple[pl.DataFrame, Any]:
    frame = make_people(rows, seed)
    return frame, vl.read(frame, vl.Schema(quasi=["sex", "age"], sensitive=["disease"]))


def enumerate_worst_belief(
    frame: pl.DataFrame, release: Any, protect: list[str], support: int, as_set: bool = True
) -> float:
    """Return the greatest belief by enumerating worlds, with statistics counted again; groups of up to seven people."""
    quasi, sensitive = release.tables["quasi"], release.tables["sensitive"]
    worst = 0.0
    for group in sensitive["group"].unique():
        members = quasi.filter(pl.col("group") == group)
        values = [
            v for v, c in sensitive.filter(pl.col("group") == group).select("disease", "count").rows() for _ in range(c)
        ]
        if not set(values) & set(protect) or len(values) > 7:
            continue
        for names in SETS:
            rows = []
            for person in members.iter_rows(named=True):
                matching_people = frame
                for name in names:
                    matching_people = matching_people.filter(pl.col(name) == person[name])
                matching_people = matching_people if matching_people.height >= support else frame
                counts = {value: matching_people.filter(pl.col("disease") == value).height for value in set(values)}
                rows.append({value: count / matching_people.height for value, count in counts.items()})
            total, event_weights = 0.0, np.zeros((len(rows), len(protect)))
            for world in itertools.permutations(values):
                weight = float(np.prod([row[value] for row, value in zip(rows, world, strict=True)]))
                total += weight
                for index, value in enumerate(world):
                    if value in protect:
                        event_weights[index, 0 if as_set else protect.index(value)] += weight
            worst = max(worst, float((event_weights / total).max()))
    return worst


@pytest.mark.parametrize("mode", ["exact", "swap"])
@pytest.mark.parametrize("candidates", ["min_size", "closest"])
@pytest.mark.parametrize("r", [2, 3])
def test_no_enumerated_belief_exceeds_the_bound(mode: str, candidates: str, r: int) -> None:
    frame, data = make_table()
    model = vl.RRobustness(r=r, protect=["HIV", "TB"], protect_as="set", min_support=20)
    release = vl.publish(data, model, vl.Art(mode=mode, candidates=candidates, grouping="greedy"))
    assert enumerate_worst_belief(frame, release, ["HIV", "TB"], 20) <= 1 / r + 1e-9
    assert release.people + release.dictionary["withheld"] == 400


def test_all_values_can_be_protected() -> None:
    frame, data = make_table(120, 3)
    for grouping in ("greedy", "block"):
        model = vl.RRobustness(r=1.5, min_support=20)
        release = vl.publish(data, model, vl.Art(grouping=grouping, frequent="suppress"))
        all_values = sorted(frame["disease"].unique())
        assert enumerate_worst_belief(frame, release, all_values, 20, as_set=False) <= 1 / 1.5 + 1e-9
        assert release.people > 20


def test_the_published_algorithm_promises_the_binary_reading_only() -> None:
    _, data = make_table()
    model = vl.RRobustness(r=3, protect=["HIV", "TB"], protect_as="set")
    release = vl.publish(data, model, vl.Art(mode="paper", candidates="closest", grouping="greedy"))
    claim = release.certificate.claims[0]
    assert claim["parameters"]["reading"] == "binary"
    assert "rates" in claim["adversary"]["knows"]
    assert "prior" not in claim["adversary"]["knows"]
    assert "contrary" in claim["promise"]


def test_an_indicator_shows_only_membership_in_the_set() -> None:
    _, data = make_table()
    prior = vl.learn_prior(data)
    model = vl.RRobustness(r=3, protect=["HIV", "TB"], protect_as="set", prior=prior)
    release = vl.publish(data, model, vl.Art(publish="indicator"))
    assert set(release.tables["sensitive"]["disease"].cast(str)) <= {"protected values", "other values"}
    assert vl.verify(release, prior=prior).holds
    assert "HIV" not in str(release.dictionary)
    audit = vl.audit(release, data, [vl.attacks.Prior(prior=prior)])
    assert audit.passed
    assert any(finding.inside for finding in audit.findings)
    losses = vl.measure(data, release, [vl.measures.QueryError(queries=50), vl.measures.ClassSize()])
    assert all(np.isfinite(loss.value) for loss in losses.items), "measured on the published indicator"
    with pytest.raises(PolicyError, match="no set"):
        vl.publish(data, vl.RRobustness(r=3, protect=["HIV"]), vl.Art(publish="indicator"))


def test_blind_grouping_leaves_nothing_to_replay() -> None:
    rng = np.random.default_rng(1)
    ages, jobs = np.minimum(rng.geometric(0.06, 2000) + 18, 80), rng.choice(list("abcdef"), 2000)
    is_sick = rng.random(2000) < 0.002 * ages * (1 + 0.5 * (jobs == "a"))
    disease = np.where(is_sick, "HIV", rng.choice(["flu", "cold"], 2000))
    frame = pl.DataFrame({"sex": rng.choice(["m", "f"], 2000), "age": ages, "job": jobs, "disease": disease})
    data = vl.read(frame, vl.Schema(quasi=["sex", "age", "job"], sensitive=["disease"]))
    prior = vl.learn_prior(data, min_support=15)
    model = vl.RRobustness(r=3, protect=["HIV"], protect_as="set", prior=prior)
    for grouping, leaks in (("greedy", True), ("block", False)):
        release = vl.publish(data, model, vl.Art(grouping=grouping, publish="indicator"), key=vl.Key(bytes(32)))
        (finding,) = vl.audit(release, data, [vl.attacks.Replay(prior=prior)]).findings
        assert (finding.belief.worst > 1 / 3 + 1e-9) is leaks, grouping
        assert not finding.inside


@given(st.permutations(["HIV", "TB", "flu", "flu", "cold", "cold"]))
def test_a_blind_deal_does_not_depend_on_the_values(order: list[str]) -> None:
    """The same key makes the same groups for every permutation of the values."""
    frame = pl.DataFrame({"sex": ["m", "f"] * 3, "age": [20, 20, 21, 21, 22, 22], "disease": order})
    data = vl.read(frame, vl.Schema(quasi=["sex", "age"], sensitive=["disease"]))
    model = vl.RRobustness(r=2, protect=["HIV", "TB"], protect_as="set", min_support=100)
    release = vl.publish(data, model, vl.Art(grouping="block", publish="indicator"), key=vl.Key(bytes(32)))
    assert release.groups == 1, "one block, so all six are dealt together whatever their values"


def test_a_value_that_is_too_frequent_is_refused_suppressed_or_unprotected() -> None:
    _, data = make_table()
    with pytest.raises(Unsatisfiable, match="largest possible r"):
        vl.publish(data, vl.RRobustness(r=4, protect=["flu"]), vl.Art())
    model = vl.RRobustness(r=4, protect=["flu", "HIV"])
    suppressed_release = vl.publish(data, model, vl.Art(frequent="suppress", grouping="greedy"))
    assert suppressed_release.dictionary["withheld"] > 0
    unprotected_release = vl.publish(data, model, vl.Art(frequent="unprotect"))
    assert unprotected_release.certificate.claims[0]["parameters"]["protect"] == ["HIV"]


def test_leftovers_are_withheld_absorbed_or_an_error() -> None:
    _, data = make_table(200, 8)
    model = vl.RRobustness(r=4.5, protect=["HIV", "TB"], protect_as="set", min_support=10)
    with pytest.raises(Unsatisfiable, match="fit no group"):
        vl.publish(data, model, vl.Art(leftover="error", grouping="greedy", max_group=6))
    release_by_leftover = {
        leftover: vl.publish(data, model, vl.Art(leftover=leftover, grouping="greedy", max_group=6))
        for leftover in ("suppress", "absorb")
    }
    assert release_by_leftover["suppress"].dictionary["withheld"] > 0
    assert (
        release_by_leftover["absorb"].dictionary["withheld"] <= release_by_leftover["suppress"].dictionary["withheld"]
    )


def test_the_default_grouping_is_blind_if_that_costs_little() -> None:
    _, data = make_table(2000, 4)
    model = vl.RRobustness(r=2, protect=["HIV", "TB"], protect_as="set")
    key = vl.Key(bytes(32))
    default_release = vl.publish(data, model, vl.Art(publish="indicator"), key=key)
    blind_release = vl.publish(data, model, vl.Art(publish="indicator", grouping="block"), key=key)
    greedy_release = vl.publish(data, model, vl.Art(publish="indicator", grouping="greedy"), key=key)
    assert default_release.tables["quasi"].equals(blind_release.tables["quasi"])
    assert default_release.groups < greedy_release.groups


def test_a_policy_with_another_model_is_refused() -> None:
    _, data = make_table(60)
    with pytest.raises(PolicyError):
        vl.publish(data, vl.Policy(vl.RRobustness(r=2), vl.LDiversity(l=2)), vl.Art())
    assert build_plugin("methods", "art", {"mode": "swap"}) == vl.Art(mode="swap")
