"""m-confidentiality: everything visible is checked; checking the random draws needs the table and the key."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import polars as pl
import pytest

import voile as vl
from voile.errors import PolicyError
from voile.results import Answer

SCHEMA = vl.Schema(quasi=["birth", "sex", "zip"], sensitive=["disease"])
KEY = vl.Key(bytes(range(32)))


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
    for method in ({"name": "mondrian"}, {**release.certificate.method, "sampling": "paper"}):
        forged_release = replace(release, certificate=replace(release.certificate, method=method))
        assert last_check(vl.verify(forged_release)).answer is Answer.BROKEN


def test_the_published_algorithm_promises_less_and_says_so(data: Any) -> None:
    release = vl.publish(data, vl.MConfidentiality(m=2), vl.Mask(sampling="paper", k=6))
    claim = release.certificate.claims[0]
    assert claim["parameters"]["reading"] == "published"
    assert "true values is not bounded" in claim["promise"]
    assert "algorithm" not in claim["adversary"]["knows"]
    assert vl.verify(release).holds


def test_both_readings_have_the_same_bound_and_the_mechanism_is_known() -> None:
    model = vl.MConfidentiality(m=4)
    assert model.bound() == vl.MConfidentiality(m=4, reading="published").bound()
    assert (model.smallest(), vl.MConfidentiality(m=4, protect=("x",)).smallest()) == (4, 1)
    assert vl.Knowledge.ALGORITHM in model.adversary().knows


def test_protected_values_must_exist(data: Any) -> None:
    with pytest.raises(PolicyError, match="1 protected values do not occur"):
        vl.publish(data, vl.MConfidentiality(m=2, protect=("no such disease",)))
