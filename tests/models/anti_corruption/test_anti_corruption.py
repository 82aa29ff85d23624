"""Anti-corruption: the targets that may be requested, and the checks that a recipient can make."""

from __future__ import annotations

import dataclasses
from fractions import Fraction
from typing import Any

import polars as pl
import pytest

import voile as vl
from voile.errors import PolicyError, SpecError
from voile.models.anti_corruption.anti_corruption import read_process
from voile.results import Answer

ROWS = pl.DataFrame({"age": list(range(20, 60)), "disease": ["flu", "HIV", "asthma", "cold"] * 10})
SCHEMA = vl.Schema(quasi=["age"], sensitive=["disease"], domains={"disease": ["flu", "HIV", "asthma", "cold", "gout"]})
KEY = vl.Key(bytes(32))


@pytest.mark.parametrize(
    ("knobs", "message"),
    [
        ({"rho1": 0.5, "rho2": 0.2}, "must be below rho2"),
        ({"rho1": 0.5, "rho2": 0.5}, "must be below rho2"),
        ({"rho1": 0.2}, "belong together"),
        ({"rho2": 0.2}, "belong together"),
        ({"rho1": 0.2, "rho2": 1.0}, "promises nothing"),
        ({"growth": 1.0}, "promises nothing"),
        ({"growth": 0.0}, "above 0"),
        ({"growth": 0.1, "skew": 1.5}, "at most 1"),
        ({"rho1": -0.1, "rho2": 0.5}, "at least 0"),
        ({"growth": 0.1, "bounds": "best"}, "one of paper, tight"),
    ],
)
def test_targets_out_of_range_are_refused(knobs: dict[str, Any], message: str) -> None:
    with pytest.raises(PolicyError, match=message):
        vl.AntiCorruption(**knobs)


def test_faults_are_raised_together() -> None:
    with pytest.raises(SpecError) as raised:
        vl.AntiCorruption(rho1=0.9, rho2=0.5, growth=1.0)
    assert len(raised.value.problems) == 2


def test_the_default_targets_are_a_fifth_and_a_half() -> None:
    model = vl.AntiCorruption()
    assert (model.rho1, model.rho2, model.growth) == (0.2, 0.5, None)
    assert model.bound() == Fraction(1, 2)
    assert repr(vl.AntiCorruption(growth=0.2, skew=0.3)) == "AntiCorruption(growth=0.2, skew=0.3)"


def test_a_skew_below_one_over_the_domain_is_refused() -> None:
    data = vl.read(ROWS, SCHEMA)
    with pytest.raises(PolicyError, match="below 1/5") as raised:
        vl.publish(data, vl.AntiCorruption(skew=0.1))
    assert "0.2" in raised.value.hint
    data_with_one_value = vl.read(
        ROWS.with_columns(disease=pl.lit("flu")), vl.Schema(quasi=["age"], sensitive=["disease"])
    )
    with pytest.raises(PolicyError, match="no other value to hide it among"):
        vl.publish(data_with_one_value, vl.AntiCorruption(skew=0.1))


def test_two_targets_make_two_claims() -> None:
    data = vl.read(ROWS, SCHEMA)
    policy = vl.Policy(vl.AntiCorruption(rho1=0.2, rho2=0.6, growth=0.25, skew=0.4))
    release = vl.publish(data, policy, vl.PerturbedGeneralization(s=0.25), key=KEY)
    belief, gain, loss = release.certificate.claims
    assert loss["model"] == "label-differential-privacy"  # every sample of a declared list states its epsilon
    assert (belief["bound"], belief["limits"]) == ("3/5", "belief under skew 0.4 from 0.2")
    assert (gain["bound"], gain["limits"]) == ("1/4", "gain under skew 0.4")
    assert belief["basis"] == gain["basis"] == "process"
    assert "corruption" in belief["adversary"]["knows"]
    assert "who knows the value of 'disease' of everybody else" in belief["promise"]
    assert vl.verify(release, data=data, key=KEY).holds


def test_the_certificate_states_the_bounds_and_the_origin_of_the_domain() -> None:
    declared = vl.publish(vl.read(ROWS, SCHEMA), vl.AntiCorruption(skew=0.4, bounds="tight"))
    assert "Tight bounds" in declared.certificate.claims[0]["promise"]
    assert "assumed to be known" not in declared.certificate.claims[0]["promise"]
    observed = vl.publish(vl.read(ROWS, vl.Schema(quasi=["age"], sensitive=["disease"])), vl.AntiCorruption(skew=0.4))
    claim = observed.certificate.claims[0]
    assert claim["parameters"]["domain"] == "observed"
    assert "Which values occur in the table is assumed to be known" in claim["promise"]


def test_tight_bounds_allow_a_larger_p() -> None:
    data = vl.read(ROWS, SCHEMA)
    p_by_bounds = [
        vl.publish(data, vl.AntiCorruption(skew=0.4, bounds=bounds)).certificate.method["p"]
        for bounds in ("paper", "tight")
    ]
    assert p_by_bounds[0] < p_by_bounds[1]


def test_a_claim_for_which_p_is_too_large_is_broken() -> None:
    release = vl.publish(vl.read(ROWS, SCHEMA), vl.AntiCorruption(skew=0.4), key=KEY)
    assert [check.answer for check in vl.verify(release).checks] == [Answer.HOLDS, Answer.NEEDS, Answer.NEEDS]
    claim = dict(release.certificate.claims[0])
    smaller_target = {**claim["parameters"], "rho2": 0.3}
    promise = claim["promise"].replace("0.5", "0.3")
    forged_claim = {**claim, "parameters": smaller_target, "bound": "3/10", "promise": promise}
    certificate = dataclasses.replace(release.certificate, claims=(forged_claim,))
    verdict = vl.verify(dataclasses.replace(release, certificate=certificate))
    assert verdict.broken
    assert "too large" in str(verdict)


def test_a_value_aware_grouping_with_the_p_of_a_blind_one_is_broken() -> None:
    """A publisher who groups by value but uses the p of a blind grouping is caught."""
    release = vl.publish(vl.read(ROWS, SCHEMA), vl.AntiCorruption(skew=0.4), key=KEY)
    method = {**release.certificate.method, "splitter": "specialization"}
    certificate = dataclasses.replace(release.certificate, method=method)
    assert "too large" in str(vl.verify(dataclasses.replace(release, certificate=certificate)))


@pytest.mark.parametrize(
    "method",
    [
        {},
        None,
        {"s": "x", "p": 0.1, "splitter": "mondrian"},
        {"s": 0.0, "p": 0.1, "splitter": "mondrian"},
        {"s": 0.5, "p": 1.1, "splitter": "mondrian"},
        {"s": 0.5, "p": 0.1, "splitter": "by hand"},
    ],
)
def test_a_malformed_process_is_not_read(method: Any) -> None:
    assert read_process(method) is None


def test_the_model_and_the_method_are_refused_without_each_other() -> None:
    with pytest.raises(PolicyError, match="anti-corruption"):
        vl.publish(vl.read(ROWS, SCHEMA), vl.AntiCorruption(skew=0.4), vl.Mondrian())
    with pytest.raises(PolicyError, match="k-anonymity has no meaning"):
        vl.publish(vl.read(ROWS, SCHEMA), vl.KAnonymity(k=2), vl.PerturbedGeneralization())
