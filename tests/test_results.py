"""Answers: what counts as holding, broken, inside the promise."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

import voile as vl
from voile.errors import BrokenPromise
from voile.results import Answer, Audit, Belief, Checked, Finding, Loss, Losses, Verdict

WHO = vl.Adversary.who("neighbour", vl.Knowledge.QUASI)


def belief(*risk: float) -> Belief:
    return Belief("belief", np.array(risk), np.arange(1, len(risk) + 1), 0.1, "s")


def test_a_verdict_holds_only_if_everything_does() -> None:
    good, needs = Checked("a", Answer.HOLDS), Checked("b", Answer.NEEDS, "the prior")
    assert Verdict((good,)).holds
    assert not Verdict((good, needs)).holds
    assert not Verdict((good, needs)).broken
    with pytest.raises(BrokenPromise, match="c: why"):
        Verdict((good, Checked("c", Answer.BROKEN, "why"))).or_raise()


def test_belief_counts_people_not_groups() -> None:
    found = belief(0.5, 0.25)
    assert found.worst == 0.5
    assert found.mean == pytest.approx((0.5 + 2 * 0.25) / 3)
    assert found.above(Fraction(1, 4)) == 1
    assert found.rows.tolist() == [0.5, 0.25, 0.25]


def test_an_audit_fails_only_inside_the_promise() -> None:
    outside = Finding("x", "X", WHO, belief(1.0), None)
    inside = Finding("x", "X", WHO, belief(1.0), Fraction(1, 2), "l-diversity")
    assert Audit((outside,)).passed
    assert not Audit((outside, inside)).passed
    with pytest.raises(BrokenPromise, match="promised 1/2"):
        Audit((inside,)).or_raise()
    assert Audit((inside,)).as_json()["findings"][0]["above_bound"] == 1


def test_losses_are_found_by_name() -> None:
    losses = Losses((Loss("certainty", "GCP", 0.2), Loss("distortion", "D", 0.1)))
    assert losses["distortion"].value == 0.1
    assert losses.as_json()["losses"][0]["measure"] == "certainty"
