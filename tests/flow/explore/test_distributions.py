"""Each column before, and as a recipient would count it."""

from __future__ import annotations

import polars as pl
import pytest

import voile as vl
from voile.methods.base import Method
from voile.models.base import Model

SCHEMA = vl.Schema(quasi=["birth", "sex", "zip"], sensitive=["disease"])


@pytest.mark.parametrize(
    ("model", "method"),
    [
        (vl.KAnonymity(k=5), vl.Mondrian()),
        (vl.KAnonymity(k=5), vl.FullDomain()),
        (vl.LDiversity(l=3), vl.Anatomy()),
        (vl.AntiCorruption(rho1=0.2, rho2=0.9, skew=0.3), vl.PerturbedGeneralization()),
    ],
)
def test_nobody_is_lost_and_nobody_counted_twice(model: Model, method: Method) -> None:
    data = vl.read(vl.datasets.hospital(), SCHEMA)
    release = vl.publish(data, model, method, key=vl.Key(bytes(32)))
    found = vl.distributions(data, release)
    assert [one.column for one in found] == ["birth", "sex", "zip", "disease"]
    for one in found:
        assert sum(one.before) == 400
        assert len(one.labels) == len(one.before) == len(one.after) <= 12
        if one.column != "disease":  # what was disturbed is put back only in the large
            assert sum(one.after) == pytest.approx(release.people)


def test_exact_columns_stay_exact() -> None:
    data = vl.read(vl.datasets.hospital(), SCHEMA)
    for one in vl.distributions(data, vl.publish(data, vl.LDiversity(l=3), vl.Anatomy())):
        assert one.after == pytest.approx(one.before)
        assert one.moved == pytest.approx(0)


def test_many_categories_are_taken_together() -> None:
    frame = pl.DataFrame({"a": [f"v{n:02}" for n in range(40)] * 3, "s": ["x", "y", "z"] * 40})
    data = vl.read(frame, vl.Schema(quasi=["a"], sensitive=["s"]))
    (first, _) = vl.distributions(data, vl.publish(data, vl.LDiversity(l=2), vl.Anatomy()))
    assert first.labels[-1] == "29 other values"
    assert sum(first.before) == 120


def test_a_drawing() -> None:
    from voile.flow.explore.distributions import beside

    data = vl.read(vl.datasets.hospital(), SCHEMA)
    drawn = beside(vl.distributions(data, vl.publish(data, vl.KAnonymity(k=5)))[1])
    assert drawn.startswith("<svg")
    assert "Female" in drawn
