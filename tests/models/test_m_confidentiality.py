"""m-confidentiality: everything visible is checked; checking the random draws needs the table and the key."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import polars as pl
import pytest

import voile as vl
from voile.errors import PolicyError
from voile.models.evidence import Evidence
from voile.results import Answer

SCHEMA = vl.Schema(quasi=["birth", "sex", "zip"], sensitive=["disease"])
KEY = vl.Key(bytes(range(32)))
PROTECTED = ("HIV infection", "Asthma")


@pytest.fixture(scope="module")
def data() -> Any:
    return vl.read(vl.datasets.hospital(), SCHEMA)


@pytest.fixture(scope="module")
def release(data: Any) -> Any:
    rare = data.columns["disease"].domain.labels[0]
    return vl.publish(data, vl.MConfidentiality(m=3, protect=(rare,)), vl.Mask(k=4), key=KEY)


def last_check(verdict: Any) -> Any:
    return verdict.checks[-1]


def test_a_recipient_is_told_that_the_table_and_the_key_are_missing(release: Any) -> None:
    check = last_check(vl.verify(release))
    assert check.answer is Answer.NEEDS
    assert "needs the table and the key" in check.detail


def test_the_publisher_verifies_by_publishing_again(data: Any, release: Any) -> None:
    assert last_check(vl.verify(release, data=data, key=KEY)).answer is Answer.HOLDS
    assert last_check(vl.verify(release, data=data, key=vl.Key(bytes(32)))).answer is Answer.BROKEN
    smaller_table = vl.read(vl.datasets.hospital().head(300), SCHEMA)
    assert last_check(vl.verify(release, data=smaller_table, key=KEY)).answer is Answer.BROKEN


def test_a_protected_value_that_covers_a_group_breaks_the_claim(release: Any) -> None:
    """Anybody can see this, without the table and the key."""
    protected_value = release.certificate.claims[0]["parameters"]["protect"][0]
    table = release.tables["table"].with_columns(pl.lit(protected_value).alias("disease"))
    assert last_check(vl.verify(replace(release, tables={"table": table}))).answer is Answer.BROKEN


def test_only_a_method_that_promises_it_may_claim_it(release: Any) -> None:
    named = release.certificate.method
    for method in ({"name": "mondrian"}, {**named, "sampling": "paper"}, {**named, "l": 2}):
        forged_release = replace(release, certificate=replace(release.certificate, method=method))
        assert last_check(vl.verify(forged_release)).answer is Answer.BROKEN


def test_the_published_algorithm_promises_less_and_says_so(data: Any) -> None:
    release = vl.publish(data, vl.MConfidentiality(m=2, protect=PROTECTED), vl.Mask(sampling="paper", k=6))
    claim = release.certificate.claims[0]
    assert claim["parameters"]["reading"] == "published"
    assert "true values is not bounded" in claim["promise"]
    assert "algorithm" not in claim["adversary"]["knows"]
    assert vl.verify(release).holds


def test_both_readings_have_the_same_bound_and_the_mechanism_is_known() -> None:
    model = vl.MConfidentiality(m=4)
    assert model.bound() == vl.MConfidentiality(m=4, reading="published").bound()
    assert vl.Knowledge.ALGORITHM in model.adversary().knows


def test_protected_values_must_exist(data: Any) -> None:
    with pytest.raises(PolicyError, match="1 protected values do not occur"):
        vl.publish(data, vl.MConfidentiality(m=2, protect=("no such disease",)))


def test_a_claim_that_cannot_be_kept_is_broken(release: Any) -> None:
    """A rate that is not covered, all values at once, or a dictionary that calls changed values people's own."""
    (claim,) = release.certificate.claims
    for knobs in ({"highest_rate": 0.4}, {"protect": []}):
        forged_claim = {**claim, "parameters": {**claim["parameters"], **knobs}}
        forged = replace(release, certificate=replace(release.certificate, claims=(forged_claim,)))
        assert not vl.verify(forged).holds
        assert any(check.answer is Answer.BROKEN for check in vl.verify(forged).checks)
    model = vl.MConfidentiality(**claim["parameters"])
    counts = release.tallies["disease"]
    columns = [{**entry, "cell": "the person's own value"} for entry in release.dictionary["columns"]]
    for changed, wrong in (
        (release, replace(model, highest_rate=0.4)),
        (release, replace(model, protect=())),
        (replace(release, dictionary={**release.dictionary, "columns": columns}), model),
    ):
        assert model.verify(release, counts, Evidence()).answer is Answer.NEEDS
        assert wrong.verify(changed, counts, Evidence()).answer is Answer.BROKEN


def test_the_promise_names_its_adversary(data: Any) -> None:
    """The rate that is covered, what is assumed of the other values, and what is not covered."""
    model = vl.MConfidentiality(m=3, protect=PROTECTED)
    assert "at most 1/4" in model.promise("disease")
    assert "the same rates in every group, of which nothing else is known" in model.promise("disease")
    assert vl.Knowledge.STATISTICS not in model.adversary().knows
    others = {label: 1.0 for label in data.columns["disease"].domain.labels if label not in PROTECTED}
    declared = replace(model, other_rates=others)
    assert "at the declared rates" in declared.promise("disease")
    assert vl.Knowledge.STATISTICS in declared.adversary().knows
    release = vl.publish(data, declared, vl.Mask(l=5), key=KEY)
    assert "at most 0.166" in release.certificate.claims[0]["promise"]  # 1 in 5 - 1 + 2
    assert last_check(vl.verify(release, data=data, key=KEY)).answer is Answer.HOLDS


@pytest.mark.parametrize("rates", [{"flu": 0.0}, {"flu": -1}, {"flu": float("inf")}, "flu"])
def test_other_rates_are_numbers_above_zero(rates: Any) -> None:
    with pytest.raises(PolicyError):
        vl.MConfidentiality(m=2, protect=("HIV",), other_rates=rates)
