"""Requests: from a spec to a schema, a policy and a method, with all problems raised at once."""

from __future__ import annotations

import pytest

import voile as vl
from voile.errors import PolicyError, SchemaError, SpecError
from voile.flow.request.request import read_request
from voile.io.spec_files import Spec

GOOD = {"quasi": ["age"], "sensitive": ["disease"]}
K = {"model": "k-anonymity", "k": 5}


def test_a_whole_request() -> None:
    found = read_request(
        Spec(GOOD, (K, {"model": "l-diversity", "l": "2"}), {"name": "full-domain", "suppression": "0.1"})
    )
    assert found.schema == vl.Schema(**GOOD)
    assert [repr(model) for model in found.policy] == ["KAnonymity(k=5)", "LDiversity(l=2)"]
    assert found.method == vl.FullDomain(suppression=0.1)
    assert found.format == "parquet"
    assert read_request(Spec(GOOD, (K,), release={"format": "csv"})).format == "csv"
    assert read_request(Spec(GOOD, (K,))).method is None


def test_all_problems_together() -> None:
    spec = Spec(
        {"quasi": ["age", "age"], "missing": "ignore"},
        ({"model": "k-anonimity"}, {"model": "l-diversity"}, {"model": "t-closeness", "t": 7}),
        {"name": "mondriaan"},
        {"format": "xml"},
    )
    with pytest.raises(SpecError) as error:
        read_request(spec)
    assert len(error.value.problems) == 7
    codes = [problem.code for problem in error.value.problems]
    assert codes.count("policy.parameter") == 2
    assert {
        "schema.role-twice",
        "schema.missing",
        "policy.unknown-model",
        "policy.unknown-method",
        "spec.format",
    } <= set(codes)
    assert type(error.value) is SpecError


def test_one_kind_of_problem_keeps_its_class() -> None:
    with pytest.raises(SchemaError):
        read_request(Spec({}, (K,)))
    with pytest.raises(PolicyError, match="at least one model"):
        read_request(Spec(GOOD))
