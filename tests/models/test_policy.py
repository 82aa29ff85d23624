"""A policy is a conjunction. Its faults are raised together, and an error states what is within reach."""

from __future__ import annotations

import polars as pl
import pytest

import voile as vl
from voile.errors import PolicyError, Unsatisfiable


@pytest.fixture
def data() -> vl.core.microdata.Microdata:
    frame = pl.DataFrame({"q": list("aabbccdd"), "s": list("xxxxxyzw"), "t": list("xyxyxyxy")})
    return vl.read(frame, vl.Schema(quasi=["q"], sensitive=["s", "t"]))


def test_an_empty_policy_is_refused() -> None:
    with pytest.raises(PolicyError, match="at least one model"):
        vl.Policy()


def test_only_models_make_a_policy() -> None:
    with pytest.raises(PolicyError, match="not a model"):
        vl.Policy(vl.Mondrian())


def test_all_faults_are_raised_together(data) -> None:
    policy = vl.Policy(vl.LDiversity(l=2, column="u"), vl.KE(k=2, e=1, column="s"))
    with pytest.raises(PolicyError, match="2 problems") as caught:
        policy.check(data.columns)
    assert len(caught.value.problems) == 2


def test_a_model_of_values_claims_every_sensitive_column(data) -> None:
    release = vl.publish(data, vl.LDiversity(l=2, form="distinct"))
    assert [claim["column"] for claim in release.certificate.claims] == ["s", "t"]


def test_a_model_may_name_its_column(data) -> None:
    release = vl.publish(data, vl.LDiversity(l=2, column="t"))
    assert [claim["column"] for claim in release.certificate.claims] == ["t"]


def test_the_error_states_the_largest_l_within_reach(data) -> None:
    with pytest.raises(Unsatisfiable, match="largest possible l is 1") as caught:
        vl.publish(data, vl.LDiversity(l=2, column="s"))
    assert "62 %" in caught.value.best


def test_a_single_model_is_a_policy(data) -> None:
    assert vl.verify(vl.publish(data, vl.KAnonymity(k=2))).holds
