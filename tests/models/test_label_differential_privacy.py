"""Label differential privacy: enumerated mechanisms, the arithmetic of epsilon, requests and verdicts."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from typing import Any

import polars as pl
import pytest
from secret_worlds.label_privacy_worlds import Mechanism, largest_ratio, list_mechanisms

import voile as vl
from voile.errors import PolicyError, Unsatisfiable
from voile.models.label_differential_privacy import exponential_below, state_epsilon
from voile.releases.randomized_response import Channel
from voile.results import Answer

KEY = vl.Key(bytes(32))
VALUES = ["acne", "cold", "flu", "gout", "HIV"]
FRAME = pl.DataFrame(
    {
        "age": [20 + row % 40 for row in range(60)],
        "city": ["Bern", "Oslo", "Rome"] * 20,
        "disease": ["flu", "HIV", "gout", "flu", "cold"] * 12,
    }
)


def read(declared: bool = True, frame: pl.DataFrame = FRAME) -> Any:
    domains = {"domains": {"disease": VALUES}} if declared else {}
    return vl.read(frame, vl.Schema(quasi=["age", "city"], sensitive=["disease"], **domains))  # type: ignore[arg-type]


@pytest.mark.parametrize("mechanism", list_mechanisms(), ids=lambda mechanism: mechanism.name)
def test_no_output_is_more_than_e_to_the_epsilon_times_likelier(mechanism: Mechanism) -> None:
    epsilon = state_epsilon(Channel(mechanism.p, mechanism.size), mechanism.share)
    assert epsilon is not None
    assert largest_ratio(mechanism) <= exponential_below(epsilon)


def test_the_bound_is_reached() -> None:
    """By single releases always; by the others where the mechanism leaves no slack."""
    mechanisms = list_mechanisms()
    reached = [
        largest_ratio(one) == Channel(one.p, one.size).largest_ratio(one.share)
        for one in mechanisms
        if one.size**one.people <= 32
    ]
    assert len(mechanisms) >= 20
    assert sum(reached) >= 15


@pytest.mark.parametrize(("share", "expected"), [(Fraction(1), 3.110336), (Fraction(1, 6), 1.519826)])
def test_the_numbers_of_fifty_values(share: Fraction, expected: float) -> None:
    assert state_epsilon(Channel(0.3, 50), share) == expected
    model = vl.LabelDifferentialPrivacy(expected)
    assert model.meets(Channel(0.3, 50), share)
    assert not vl.LabelDifferentialPrivacy(expected - 1e-6).meets(Channel(0.3, 50), share)
    assert float(model.largest_p(share, 50)) == pytest.approx(0.3, abs=1e-6)


def test_p_is_solved_from_epsilon() -> None:
    release = vl.publish(read(), vl.LabelDifferentialPrivacy(epsilon=1.0), vl.PerturbedGeneralization(s=0.1), key=KEY)
    p = float(release.certificate.method["p"])
    assert math.log(1 + p * 5 / (10 * (1 - p))) == pytest.approx(1.0, abs=1e-6)
    (claim,) = release.certificate.claims
    assert (claim["bound"], claim["limits"], claim["basis"]) == ("1", "privacy loss", "process")
    assert "Label differential privacy" in claim["promise"]
    assert "quasi-identifier" in claim["not_covered"][0]


def test_cuts_by_values_cost_the_local_epsilon() -> None:
    method = vl.PerturbedGeneralization(s=0.1, splitter="specialization")
    release = vl.publish(read(), vl.LabelDifferentialPrivacy(epsilon=1.0), method, key=KEY)
    p = float(release.certificate.method["p"])
    assert math.log(1 + p * 5 / (1 - p)) == pytest.approx(1.0, abs=1e-6)


def test_every_sample_of_a_declared_list_states_its_epsilon() -> None:
    model = vl.AntiCorruption(rho1=0.2, rho2=0.5, skew=0.5)
    release = vl.publish(read(), model, key=KEY)
    first, second = release.certificate.claims
    assert (first["model"], second["model"]) == ("anti-corruption", "label-differential-privacy")
    channel: Any = release.channel
    assert second["parameters"]["epsilon"] == state_epsilon(channel, Fraction(1, 5))
    observed = vl.publish(read(declared=False), model, key=KEY)
    assert [claim["model"] for claim in observed.certificate.claims] == ["anti-corruption"]


def test_the_table_and_the_key_decide() -> None:
    data = read()
    release = vl.publish(data, vl.LabelDifferentialPrivacy(epsilon=1.0), key=KEY)
    assert {check.answer for check in vl.verify(release).checks} == {Answer.HOLDS, Answer.NEEDS}
    assert vl.verify(release, data=data, key=KEY).holds
    assert vl.verify(release, data=data, key=vl.Key(bytes([1] * 32))).broken


@pytest.mark.parametrize("epsilon", [0.5, 0.999])
def test_a_smaller_epsilon_than_the_channel_keeps_is_broken(epsilon: float) -> None:
    release = vl.publish(read(), vl.LabelDifferentialPrivacy(epsilon=1.0), key=KEY)
    model = vl.LabelDifferentialPrivacy(epsilon)
    (claim,) = release.certificate.claims
    forged = {
        **claim,
        "parameters": {**claim["parameters"], "epsilon": epsilon},
        "bound": str(model.bound()),
        "promise": model.promise("disease"),
    }
    verdict = vl.verify(replace(release, certificate=replace(release.certificate, claims=(forged,))))
    assert any("too large for epsilon" in check.detail for check in verdict.checks if check.answer is Answer.BROKEN)


def test_an_observed_list_is_refused() -> None:
    with pytest.raises(PolicyError, match="taken from the table"):
        vl.publish(read(declared=False), vl.LabelDifferentialPrivacy(epsilon=1.0))


@pytest.mark.parametrize("epsilon", [0, -1.0, 51.0, math.inf])
def test_an_epsilon_out_of_range_is_refused(epsilon: float) -> None:
    with pytest.raises(PolicyError):
        vl.LabelDifferentialPrivacy(epsilon)


def test_a_given_p_that_is_too_large_is_refused() -> None:
    with pytest.raises(Unsatisfiable, match="does not meet"):
        vl.publish(read(), vl.LabelDifferentialPrivacy(epsilon=0.5), vl.PerturbedGeneralization(p=0.9))


def test_more_releases_than_people_of_a_region_cannot_be_planned() -> None:
    with pytest.raises(Unsatisfiable, match="No p above 0"):
        vl.publish(read(), vl.LabelDifferentialPrivacy(epsilon=1.0, releases=5), vl.PerturbedGeneralization(s=0.2))
