"""m-confidentiality: what can be seen is checked, the coins need table and key."""

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


def last(verdict: Any) -> Any:
    return verdict.checks[-1]


def test_a_stranger_is_told_what_is_missing(release: Any) -> None:
    check = last(vl.verify(release))
    assert check.answer is Answer.NEEDS
    assert "needs the table and the key" in check.detail


def test_the_publisher_makes_it_again(data: Any, release: Any) -> None:
    assert last(vl.verify(release, data=data, key=KEY)).answer is Answer.HOLDS
    assert last(vl.verify(release, data=data, key=vl.Key(bytes(32)))).answer is Answer.BROKEN
    smaller = vl.read(vl.datasets.hospital().head(300), SCHEMA)
    assert last(vl.verify(release, data=smaller, key=KEY)).answer is Answer.BROKEN


def test_visible_structure_is_counted(release: Any) -> None:
    """A table in which a protected value covers a group is broken for everybody."""
    protected = release.certificate.claims[0]["parameters"]["protect"][0]
    table = release.tables["table"].with_columns(pl.lit(protected).alias("disease"))
    assert last(vl.verify(replace(release, tables={"table": table}))).answer is Answer.BROKEN


def test_only_a_method_that_promises_it_may_claim_it(release: Any) -> None:
    for method in ({"name": "mondrian"}, {**release.certificate.method, "sampling": "paper"}):
        forged = replace(release, certificate=replace(release.certificate, method=method))
        assert last(vl.verify(forged)).answer is Answer.BROKEN


def test_the_published_algorithm_promises_less_and_says_so(data: Any) -> None:
    release = vl.publish(data, vl.MConfidentiality(m=2), vl.Mask(sampling="paper", k=6))
    claim = release.certificate.claims[0]
    assert claim["parameters"]["reading"] == "published"
    assert "true values is not bounded" in claim["promise"]
    assert "algorithm" not in claim["adversary"]["knows"]
    assert vl.verify(release).holds


def test_readings_and_limits() -> None:
    model = vl.MConfidentiality(m=4)
    assert model.bound() == vl.MConfidentiality(m=4, reading="published").bound()
    assert (model.smallest(), vl.MConfidentiality(m=4, protect=("x",)).smallest()) == (4, 1)
    assert vl.Knowledge.ALGORITHM in model.adversary().knows


def test_protected_values_must_exist(data: Any) -> None:
    with pytest.raises(PolicyError, match="1 protected values do not occur"):
        vl.publish(data, vl.MConfidentiality(m=2, protect=("no such disease",)))
