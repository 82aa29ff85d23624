"""A trial: when it keeps its promise, its risk and loss, and its way through JSON."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from voile.adversaries.adversary import Adversary, Knowledge
from voile.flow.compare.trial import AttackResult, Failure, LossResult, Trial
from voile.results import Belief, Finding, Loss

WHO = Adversary.who("neighbour", Knowledge.QUASI)
BELIEF = Belief("belief", np.array([0.5, 0.25]), np.array([10, 30]), 0.1, "disease")
INSIDE = replace(
    AttackResult.of(Finding("homogeneity", "Same value", WHO, BELIEF, Fraction(1, 2))), presets=("insurer",)
)
ABOVE = AttackResult.of(Finding("homogeneity", "Same value", WHO, BELIEF, Fraction(1, 3)))
OUTSIDE = replace(INSIDE, attack="prior", title="Prior", bound=None, share=None, inside=False, worst=1.0, mean=0.9)
GAIN = replace(OUTSIDE, attack="skewness", title="Gain", limits="gain", mean=0.95)
SILENT = AttackResult("replay", "replay")
TRIAL = Trial(
    "mondrian",
    "l-diversity (l=2)",
    {"name": "mondrian", "recoding": "tight"},
    ({"name": "l-diversity", "l": 2},),
    verified="holds",
    reached=(INSIDE, OUTSIDE, GAIN, SILENT),
    losses=(
        LossResult.of(Loss("certainty", "GCP", 0.25, {"age": 0.5, "sex": float("inf")})),
        LossResult("other", "Other"),
    ),
)


def test_the_share_of_people_above_the_bound() -> None:
    assert INSIDE.share == 0
    assert INSIDE.passed
    assert ABOVE.share == 0.25
    assert not ABOVE.passed
    assert ABOVE.limit == pytest.approx(1 / 3)
    assert SILENT.limit is None


@pytest.mark.parametrize(
    ("change", "kept"),
    [
        ({}, True),
        ({"verified": "needs"}, False),
        ({"verified": "broken"}, False),
        ({"fault": Failure("unsatisfiable.l", "No.")}, False),
        ({"reached": (ABOVE,)}, False),
        ({"reached": (INSIDE, replace(SILENT, fault=Failure("data.prior-contradicts", "No.")))}, False),
    ],
)
def test_a_promise_is_kept_if_verified_and_no_attack_inside_is_above(change: dict[str, object], kept: bool) -> None:
    assert replace(TRIAL, **change).kept is kept  # type: ignore[arg-type]


def test_risk_looks_inside_the_promise_first() -> None:
    assert TRIAL.risk() == pytest.approx(INSIDE.mean)
    assert TRIAL.risk("prior") == 0.9
    assert TRIAL.risk("skewness") is None, "a gain is no bet on a value"
    assert replace(TRIAL, reached=(OUTSIDE, GAIN)).risk() == 0.9
    assert replace(TRIAL, reached=()).risk() is None


def test_losses_by_name() -> None:
    assert TRIAL.loss("certainty") == 0.25
    assert TRIAL.loss("other") is None
    assert TRIAL.loss("absent") is None
    assert TRIAL.losses[0].parts == {"age": 0.5, "sex": None}


def test_json_and_back() -> None:
    for trial in (TRIAL, replace(TRIAL, reached=(), fault=Failure("unsatisfiable.l", "No.", "Less."))):
        text = json.dumps(trial.as_json(), allow_nan=False)
        assert Trial.from_json(json.loads(text)) == trial
    with pytest.raises(KeyError):
        Trial.from_json({"title": "mondrian"})
