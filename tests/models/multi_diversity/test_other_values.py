"""Multi-diversity against somebody who knows other values: all worlds of small tables, requests, folders and data."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import polars as pl
import pytest
from secret_worlds.known_values import excess_given, rows_of_groups, try_random_table

import voile as vl
from voile.errors import PolicyError
from voile.results import Answer

KEY = vl.Key(bytes(32))


def linked_table(rows: int = 60) -> pl.DataFrame:
    """A job that says something about the salary, and a disease that does not."""
    rng = np.random.default_rng(5)
    job = rng.permutation(np.resize(list("abcd"), rows))
    salary = np.where(rng.random(rows) < 0.4, job, rng.permutation(np.resize(list("abcd"), rows)))
    return pl.DataFrame({"age": range(rows), "job": job, "salary": salary, "ill": rng.permutation(["x", "y"] * 30)})


def read(*names: str) -> Any:
    return vl.read(linked_table().select("age", *names), vl.Schema(quasi=["age"], sensitive=list(names)))


LEVELS = {"job": 2, "salary": 2}
COLLEAGUE = vl.MultiDiversity(LEVELS, knowing=1, excluding=1, slack=0.05)


@pytest.mark.parametrize("first", range(0, 120, 30))
def test_no_belief_in_any_world_is_above_the_claim(first: int) -> None:
    """The long form is bench/several_secrets.py."""
    trials = [trial for seed in range(first, first + 30) if (trial := try_random_table(seed)) is not None]
    assert len(trials) >= 8
    for trial in trials:
        assert trial.excess <= Fraction(1, 10**9)
        assert trial.attacks_pass
        assert set(trial.answers) == {"holds"}


def test_without_the_claim_the_same_beliefs_are_above_it() -> None:
    """Groups that are diverse by themselves tell more to somebody who knows a value; the claim is not for free."""
    frame = linked_table().head(20)
    data = vl.read(frame.drop("ill"), vl.Schema(quasi=["age"], sensitive=["job", "salary"]))
    plain: Any = vl.publish(data, vl.MultiDiversity(LEVELS), vl.Decompose(primary="job"), key=KEY)
    bounded: Any = vl.publish(data, COLLEAGUE, vl.Decompose(primary="job"), key=KEY)
    joint = list(frame.select("job", "salary").iter_rows())
    arguments = (joint, 0, 1, 1, Fraction(1, 2), Fraction(1, 20))
    assert excess_given(rows_of_groups(plain, joint), *arguments) > 0
    assert excess_given(rows_of_groups(bounded, joint), *arguments) <= Fraction(1, 10**9)
    assert 1 < bounded.groups < plain.groups


def test_the_claim_covers_chain_and_exclusion_attacks() -> None:
    data = read("job", "salary")
    release = vl.publish(data, COLLEAGUE, key=KEY)
    findings = [item for item in vl.audit(release, data).findings if item.attack in ("chain", "exclusion")]
    assert len(findings) == 4
    assert all(item.inside and item.passed for item in findings)
    claim = release.certificate.claims[0]
    assert claim["adversary"]["knows"][-2:] == ["other_value", "other_exclusion"]
    assert claim["bound"] == "1/2"
    assert not any("sensitive column" in gap for gap in claim["not_covered"])
    plain = vl.publish(data, vl.MultiDiversity(LEVELS), key=KEY)
    assert sum("sensitive column" in gap for gap in plain.certificate.claims[0]["not_covered"]) == 2
    assert "other_value" not in plain.certificate.claims[0]["adversary"]["knows"]


def test_a_release_of_unbounded_groups_does_not_bear_out_the_claim() -> None:
    """A forged claim over honest tables: the words are right, the numbers of the groups are not."""
    data = read("job", "salary")
    plain = vl.publish(data, vl.MultiDiversity(LEVELS), vl.Decompose(primary="job"), key=KEY)
    honest = vl.publish(data, COLLEAGUE, vl.Decompose(primary="job"), key=KEY)
    forged = replace(plain, certificate=replace(plain.certificate, claims=honest.certificate.claims))
    verdict = vl.verify(forged)
    assert verdict.broken
    assert any("tell more to somebody who knows other values" in check.detail for check in verdict.checks)


def test_the_attacks_find_what_the_forged_claim_hides() -> None:
    data = read("job", "salary")
    plain = vl.publish(data, vl.MultiDiversity(LEVELS), vl.Decompose(primary="job"), key=KEY)
    honest = vl.publish(data, COLLEAGUE, vl.Decompose(primary="job"), key=KEY)
    forged = replace(plain, certificate=replace(plain.certificate, claims=honest.certificate.claims))
    findings = vl.audit(forged, None, [vl.attacks.Chain(), vl.attacks.Exclusion()]).findings
    assert any(not item.passed for item in findings if item.attack == "chain")


def test_without_a_joint_table_only_the_table_tells() -> None:
    data = read("job", "salary")
    release = vl.publish(data, COLLEAGUE, vl.Decompose(publish_joint=False), key=KEY)
    answers = {check.answer for check in vl.verify(release).checks}
    assert answers == {Answer.HOLDS, Answer.NEEDS}
    assert vl.verify(release, data=data).holds
    plain = vl.publish(data, vl.MultiDiversity(LEVELS), vl.Decompose(primary="job", publish_joint=False), key=KEY)
    forged = replace(plain, certificate=replace(plain.certificate, claims=release.certificate.claims))
    assert vl.verify(forged, data=data).broken


def test_three_columns_and_two_known_values() -> None:
    data = read("job", "salary", "ill")
    model = vl.MultiDiversity({"job": 2, "salary": 2, "ill": 1}, knowing=2, excluding=1, slack=0.2)
    release = vl.publish(data, model, key=KEY)
    assert vl.verify(release).holds
    assert "up to 2 other sensitive columns" in release.certificate.claims[0]["promise"]


@pytest.mark.parametrize(
    ("knobs", "complaint"),
    [
        ({"knowing": -1}, "at least 0"),
        ({"excluding": -1}, "at least 0"),
        ({"knowing": 1, "slack": -0.1}, "at least 0"),
        ({"knowing": 1, "slack": 1.5}, "at most 1"),
        ({"slack": 0.1}, "slack is about"),
        ({"knowing": 1, "reached": {"job": "1/2"}}, "no level reached"),
    ],
    ids=repr,
)
def test_bad_knowledge_is_refused(knobs: Any, complaint: str) -> None:
    with pytest.raises(PolicyError, match=complaint):
        vl.MultiDiversity(**knobs)


@pytest.mark.parametrize(
    ("model", "complaint"),
    [
        (vl.MultiDiversity(knowing=2), "there is 1 other sensitive column"),
        (vl.MultiDiversity(excluding=4), "leaves no value"),
    ],
    ids=repr,
)
def test_more_than_there_is_to_know_is_refused(model: Any, complaint: str) -> None:
    with pytest.raises(PolicyError, match=complaint):
        vl.publish(read("job", "salary"), model)


def test_one_column_leaves_nothing_to_know() -> None:
    with pytest.raises(PolicyError, match="0 other sensitive columns"):
        vl.publish(read("job"), vl.MultiDiversity(knowing=1))
    with pytest.raises(PolicyError, match="leaves no value"):
        vl.publish(read("job"), vl.MultiDiversity(excluding=1))


def test_too_many_sets_are_refused() -> None:
    frame = pl.DataFrame({"q": range(300), "a": range(300), "b": range(300)})
    data = vl.read(frame, vl.Schema(quasi=["q"], sensitive=["a", "b"]))
    with pytest.raises(PolicyError, match="sets"):
        vl.publish(data, vl.MultiDiversity(excluding=2))


@pytest.mark.parametrize(
    "method", [vl.Mondrian(), vl.Decompose(on_fail="lower"), vl.Decompose(noise="paper")], ids=repr
)
def test_methods_that_cannot_keep_it_refuse(method: Any) -> None:
    with pytest.raises(PolicyError):
        vl.publish(read("job", "salary"), COLLEAGUE, method)


def test_lists_alone_bear_out_no_level_below_the_one_asked_for() -> None:
    """Three quarters share a value of a column about which nothing is asked: nothing is promised either."""
    frame = pl.DataFrame({"q": range(40), "job": list("abcd") * 10, "class": ["low"] * 30 + ["high"] * 10})
    data = vl.read(frame, vl.Schema(quasi=["q"], sensitive=["job", "class"]))
    asked = vl.MultiDiversity({"job": 4, "class": 1})
    release = vl.publish(data, asked, vl.Decompose(publish_joint=False), key=KEY)
    claim = next(claim for claim in release.certificate.claims if claim["column"] == "class")
    assert claim["bound"] == "1"
    assert claim["promise"].startswith("Nothing is promised")
    assert vl.verify(release, data=data).holds
    forged_model = vl.MultiDiversity({"class": 1}, reached={"class": "1/2"})
    forged = {
        **claim,
        "parameters": forged_model.parameters(),
        "bound": "1/2",
        "promise": forged_model.promise("class"),
    }
    claims = tuple(forged if item is claim else item for item in release.certificate.claims)
    assert vl.verify(replace(release, certificate=replace(release.certificate, claims=claims))).broken


def test_with_the_table_guesses_are_compared_with_the_bound() -> None:
    """Lists of two values, where one of them is right for 30 of 40 people: 1/2 is false, and the table shows it."""
    frame = pl.DataFrame({"q": range(40), "job": list("abcd") * 10, "class": ["low"] * 30 + ["high"] * 10})
    data = vl.read(frame, vl.Schema(quasi=["q"], sensitive=["job", "class"]))
    release: Any = vl.publish(
        data, vl.MultiDiversity({"job": 4, "class": 1}), vl.Decompose(publish_joint=False), key=KEY
    )
    assert release.guess_accuracy("class", data) == pytest.approx(0.75)
    forged_model = vl.MultiDiversity({"class": 2})
    claims = [
        {**claim, "parameters": forged_model.parameters(), "bound": "1/2", "promise": forged_model.promise("class")}
        if claim["column"] == "class"
        else claim
        for claim in release.certificate.claims
    ]
    method = {**release.certificate.method, "l": {"job": 4, "class": 2}}
    forged = replace(release, certificate=replace(release.certificate, claims=tuple(claims), method=method))
    assert vl.verify(forged).holds  # a stranger sees lists of two values
    assert vl.verify(forged, data=data).broken


def test_titles_name_only_what_matters() -> None:
    release = vl.publish(read("job", "salary"), vl.MultiDiversity(LEVELS), key=KEY)
    text = str(vl.verify(release))
    assert "None" not in text
    assert "knowing" not in text
    assert "knowing=1" in str(vl.verify(vl.publish(read("job", "salary"), COLLEAGUE, key=KEY)))


def test_a_model_reads_as_it_was_written() -> None:
    assert repr(COLLEAGUE) == "MultiDiversity({'job': 2, 'salary': 2}, knowing=1, excluding=1, slack=0.05)"
    assert repr(vl.MultiDiversity(knowing=1, slack=0)) == "MultiDiversity({}, knowing=1, slack=0)"
