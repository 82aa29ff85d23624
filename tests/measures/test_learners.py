"""Learners: on request only, and less is lost where less is blurred."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import voile as vl
from voile.flow.measure.measure import list_measures

pytest.importorskip("sklearn")


def test_a_blurred_release_costs_learners_more() -> None:
    rng = np.random.default_rng(0)
    age, city = rng.integers(20, 60, 600), rng.choice(["Bern", "Lyon"], 600)
    sick = np.where((age > 40) ^ (rng.random(600) < 0.05), "yes", "no")
    data = vl.read(
        pl.DataFrame({"age": age, "city": city, "sick": sick}), vl.Schema(quasi=["age", "city"], sensitive=["sick"])
    )
    releases = [vl.publish(data, vl.KAnonymity(k=k), vl.Mondrian(), key=vl.Key(bytes(32))) for k in (3, 400)]
    fine, coarse = (vl.measure(data, release, [vl.measures.Learners()]) for release in releases)
    assert set(fine["learners"].parts) == {"classifier", "regression"}
    assert fine["learners"].parts["classifier"] < 0.05 < coarse["learners"].parts["classifier"]


def test_learners_are_measured_on_request_only() -> None:
    assert "learners" not in [measure.name for measure in list_measures()]


def test_a_column_of_other_labels_teaches_nothing() -> None:
    rng = np.random.default_rng(0)
    zips = [f"{number:05}" for number in rng.integers(10, 99, 200) * 1000 + rng.integers(0, 99, 200)]
    frame = pl.DataFrame({"zip": zips, "sick": rng.choice(["yes", "no"], 200)})
    schema = vl.Schema(quasi=["zip"], sensitive=["sick"], hierarchies={"zip": vl.prefixes(2, 1)})
    release = vl.publish(vl.read(frame, schema), vl.KAnonymity(k=5), vl.FullDomain())
    assert 0 <= vl.measure(vl.read(frame, schema), release, [vl.measures.Learners()])["learners"].value < 0.5
