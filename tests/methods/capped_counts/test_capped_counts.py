"""Capped counts: groups that look at no value, caps that keep the promise in every world, and what is refused."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from robust_worlds import draw_table, predict_outputs, worst_excess

import voile as vl
from voile.errors import InconsistentKnowledge, PolicyError, Unsatisfiable
from voile.releases.release import Release
from voile.results import Answer

SCHEMA = vl.Schema(quasi=["sex", "age"], sensitive=["disease"])


def make_people(rows: int, seed: int) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    frame = pl.DataFrame({"sex": rng.choice(["m", "f"], rows), "age": rng.integers(20, 40, rows)})
    chance = 0.1 * np.where(frame["sex"] == "m", 1.5, 0.5) * np.where(frame["age"] > 30, 1.6, 0.4)
    return frame.with_columns(disease=np.where(rng.random(rows) < chance, "HIV", rng.choice(["flu", "cold"], rows)))


@pytest.fixture(scope="module")
def prior() -> Any:
    return vl.learn_prior(vl.read(make_people(2000, 1), SCHEMA), smoothing=1)


@pytest.fixture(scope="module")
def data() -> Any:
    return vl.read(make_people(600, 2), SCHEMA)


def ask(prior: Any, **knobs: Any) -> vl.RRobustness:
    return vl.RRobustness(r=4, protect=("HIV",), protect_as="set", prior=prior, source="elsewhere", **knobs)


@pytest.fixture(scope="module")
def release(data: Any, prior: Any) -> Release:
    return vl.publish(data, ask(prior), key=vl.Key(bytes(32)))


def test_it_is_the_default_where_values_are_named(release: Release) -> None:
    assert release.certificate.method["name"] == "capped-counts"
    assert vl.RRobustness(r=2).method == "art"


def test_everybody_is_published_in_groups_of_at_least_so_many(release: Release, data: Any) -> None:
    assert release.people == 600
    assert release.dictionary["withheld"] == 0
    assert release.groups > 5
    assert release.sizes.min() >= 20


def test_groups_and_caps_are_the_same_whatever_values_people_have(data: Any, prior: Any) -> None:
    frame = make_people(600, 2)
    shown = set()
    for seed in range(3):
        values = np.random.default_rng(seed).choice(["HIV", "flu", "cold"], 600)
        moved = vl.publish(vl.read(frame.with_columns(disease=values), SCHEMA), ask(prior), key=vl.Key(bytes(32)))
        groups = moved.tables["quasi"].group_by("group").agg(pl.struct("sex", "age").sort()).sort("group")
        shown.add(str(groups.to_dicts()))
    assert len(shown) == 1


@pytest.mark.parametrize("seeds", [range(start, start + 30) for start in (0, 30, 60)])
def test_no_world_of_a_tiny_table_lets_anybody_believe_too_much(seeds: range) -> None:
    """`bench/robust_worlds.py` runs thousands."""
    outputs = 0
    for seed in seeds:
        rng = np.random.default_rng(seed)
        table = draw_table(rng)
        excess, number = worst_excess(table, predict_outputs(table, 1, rng))
        assert excess <= 1e-9, table
        outputs += number
    assert outputs > 40


def test_the_enumeration_notices_a_cap_that_is_too_high() -> None:
    """With exact numbers shown, some world gives somebody away."""
    worst = -1.0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        table = draw_table(rng)
        worlds = predict_outputs(table, 0, rng)
        excess, _ = worst_excess(table, {world: sum(world) for world in worlds})
        worst = max(worst, excess)
    assert worst > 0.1


def test_the_claim_covers_the_algorithm_only_with_statistics_from_elsewhere(data: Any, prior: Any) -> None:
    given = vl.publish(data, ask(prior)).certificate.claims[0]
    assert "algorithm" in given["adversary"]["knows"]
    exact, fewer = given["not_covered"]
    assert "exactly how many people of this very table" in exact
    assert "other statistics than those of one of its column sets" in fewer
    for model in (replace(ask(prior), source=None), replace(ask(None), source=None)):  # learned by voile: maybe here
        claim = vl.publish(data, model).certificate.claims[0]
        assert "algorithm" not in claim["adversary"]["knows"]
        assert any("knows the algorithm" in gap for gap in claim["not_covered"])


def test_whoever_has_the_statistics_forms_the_groups_again(release: Release, prior: Any, tmp_path: Path) -> None:
    folder = release.save(tmp_path / "out")
    check = vl.verify(folder, prior=prior).checks[-1]
    assert check.answer is Answer.HOLDS
    assert "The groups follow from the statistics alone." in check.detail
    assert vl.verify(folder).checks[-1].answer is Answer.NEEDS


def test_groups_that_do_not_follow_from_the_statistics_are_not_confirmed(release: Release, prior: Any) -> None:
    """Two groups are one: every belief is within its bound, but nobody can tell why they were merged."""
    sizes = release.tables["sensitive"].filter(pl.col("disease").cast(pl.String) == "not shown")["group"].to_list()
    first, second = [group for group in range(1, release.groups + 1) if group not in sizes][:2]
    merged = pl.when(pl.col("group") == second).then(first).otherwise(pl.col("group")).alias("group")
    quasi = release.tables["quasi"].with_columns(merged).sort("group", "sex", "age")
    sensitive = release.tables["sensitive"].with_columns(merged)
    sensitive = sensitive.group_by("group", "disease").agg(pl.col("count").sum()).sort("group", "disease")
    forged = replace(release, tables={"quasi": quasi, "sensitive": sensitive.select("group", "disease", "count")})
    check = vl.verify(forged, prior=prior).checks[-1]
    assert check.answer in (Answer.NEEDS, Answer.BROKEN)
    assert check.answer is Answer.BROKEN or "only the table and the key can tell" in check.detail


def test_a_count_above_its_cap_is_broken(data: Any, prior: Any) -> None:
    ill = make_people(600, 2).with_columns(disease=pl.lit("HIV"))
    everybody = pl.concat([ill.head(599), ill.tail(1).with_columns(disease=pl.lit("flu"))])
    capped = vl.publish(vl.read(everybody, SCHEMA), ask(prior))
    shown = capped.tables["sensitive"]
    assert (shown.filter(pl.col("disease").cast(pl.String) == "not shown").height) == capped.groups
    raised = shown.with_columns(
        pl.when(pl.col("disease").cast(pl.String) == "protected values")
        .then(pl.col("count") + 1)
        .otherwise(pl.col("count") - 1)
        .alias("count")
    )
    forged = replace(capped, tables={**capped.tables, "sensitive": raised})
    assert vl.verify(forged, prior=prior).checks[-1].answer is Answer.BROKEN


def test_audit_judges_everybody_by_their_own_bound(release: Release, data: Any, prior: Any) -> None:
    (found,) = vl.audit(release, None, [vl.attacks.Prior(prior=prior)]).findings
    assert found.inside
    assert found.passed
    assert found.belief.excess is not None
    assert found.belief.excess.max() <= 1e-9


@pytest.mark.parametrize("lift", [0.99, 0, -1, float("nan")])
def test_a_lift_below_one_is_refused(lift: float) -> None:
    with pytest.raises(PolicyError, match="lift"):
        vl.RRobustness(r=2, lift=lift)


def test_every_value_protected_is_refused_with_the_ways_on(data: Any) -> None:
    with pytest.raises(PolicyError, match="every value is protected") as error:
        vl.publish(data, vl.RRobustness(r=2), vl.CappedCounts())
    assert "Art" in error.value.hint


def make_prior(rates: dict[str, float], columns: str = "sex") -> Any:
    lines = [("", "", "HIV", 0.1), ("", "", "flu", 0.9)]
    for signature, rate in rates.items():
        lines += [(columns, signature, "HIV", rate), (columns, signature, "flu", 1 - rate)]
    frame = pl.DataFrame(lines, ["columns", "signature", "value", "probability"], orient="row")
    return vl.read_prior(frame, "disease")


def test_a_strict_promise_that_the_statistics_rule_out_names_the_largest_r() -> None:
    prior = make_prior({"m": 0.4, "f": 0.4})
    data = vl.read(make_people(6, 4), SCHEMA)
    with pytest.raises(Unsatisfiable, match="largest possible r is") as error:
        vl.publish(data, vl.RRobustness(r=4, lift=1, protect=("HIV",), prior=prior))
    reach = float(error.value.best.rsplit(" ", 1)[1])
    assert 1 < reach < 2.5
    assert vl.publish(data, vl.RRobustness(r=reach, lift=1, protect=("HIV",), prior=prior)).groups >= 1


def test_certainty_of_one_set_that_another_does_not_share_is_refused(data: Any) -> None:
    lines = [("", "", "HIV", 0.1), ("", "", "flu", 0.9), ("sex", "m", "HIV", 0.0), ("sex", "m", "flu", 1.0)]
    lines += [("sex", "f", "HIV", 0.2), ("sex", "f", "flu", 0.8), ("age", "20", "HIV", 0.1), ("age", "20", "flu", 0.9)]
    frame = pl.DataFrame(lines, ["columns", "signature", "value", "probability"], orient="row")
    with pytest.raises(InconsistentKnowledge, match="probability 0 or 1"):
        vl.publish(data, vl.RRobustness(r=4, protect=("HIV",), prior=vl.read_prior(frame, "disease")))


def test_refusals_do_not_tell_which_values_occur() -> None:
    """A value of the statistics that nobody has, or that everybody has, is published like any other."""
    prior = make_prior({"m": 0.2, "f": 0.1})
    frame = make_people(100, 3)
    for value in ("HIV", "flu"):
        same = frame.with_columns(disease=pl.lit(value))
        model = vl.RRobustness(r=4, protect=("HIV",), protect_as="set", prior=prior)
        assert vl.publish(vl.read(same, SCHEMA), model).people == 100


def test_the_whole_domain_and_unknown_values_are_refused_by_the_statistics_alone(data: Any) -> None:
    prior = make_prior({"m": 0.2, "f": 0.1})
    with pytest.raises(PolicyError, match="every value"):
        vl.publish(data, vl.RRobustness(r=4, protect=("HIV", "flu"), protect_as="set", prior=prior))
    with pytest.raises(PolicyError, match="no rate for 1 of 1"):
        vl.publish(data, vl.RRobustness(r=4, protect=("gout",), protect_as="set", prior=prior))


def test_statistics_without_shares_must_cover_everybody(data: Any) -> None:
    frame = pl.DataFrame([("sex", "m", "HIV", 0.1)], ["columns", "signature", "value", "probability"], orient="row")
    with pytest.raises(InconsistentKnowledge, match="says nothing about"):
        vl.publish(data, vl.RRobustness(r=4, protect=("HIV",), prior=vl.read_prior(frame, "disease")))


def test_people_whose_bound_is_above_one_over_r_are_counted(data: Any) -> None:
    prior = make_prior({"m": 0.3, "f": 0.01})
    release = vl.publish(data, vl.RRobustness(r=4, protect=("HIV",), protect_as="set", prior=prior))
    men = make_people(600, 2).filter(pl.col("sex") == "m").height
    detail = vl.verify(release, prior=prior).checks[-1].detail
    assert f"For {men} people the bound lies above 1/4" in detail
    assert f"for {men} of them is above 1/4 already" in detail
