"""Average class size by hand."""

from __future__ import annotations

import polars as pl
import pytest

import voile as vl


def test_by_hand() -> None:
    """Five rows in groups of two and three; two were asked for."""
    frame = pl.DataFrame({"age": [20, 20, 50, 50, 50], "disease": list("ababa")})
    data = vl.read(frame, vl.Schema(quasi=["age"], sensitive=["disease"]))
    loss = vl.measures.ClassSize()(data, vl.publish(data, vl.KAnonymity(k=2)))
    assert loss.value == pytest.approx(2.5)
    assert loss.parts == pytest.approx({"C_avg": 1.25, "smallest": 2.0, "largest": 3.0})


def test_the_strictest_claim_sets_the_scale() -> None:
    frame = pl.DataFrame({"age": range(12), "disease": list("abcd") * 3})
    data = vl.read(frame, vl.Schema(quasi=["age"], sensitive=["disease"]))
    release = vl.publish(data, vl.Policy(vl.KAnonymity(k=2), vl.LDiversity(l=4)))
    loss = vl.measures.ClassSize()(data, release)
    assert loss.parts["C_avg"] == pytest.approx(12 / release.groups / 4)


def test_a_claim_without_k_or_l() -> None:
    frame = pl.DataFrame({"age": range(8), "disease": list("abababab")})
    data = vl.read(frame, vl.Schema(quasi=["age"], sensitive=["disease"]))
    release = vl.publish(data, vl.TCloseness(t=0.5))
    loss = vl.measures.ClassSize()(data, release)
    assert loss.parts["C_avg"] == loss.value == 8 / release.groups
