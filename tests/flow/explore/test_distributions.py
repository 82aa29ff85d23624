"""Distributions: each column in the table, and as estimated from the release."""

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
def test_everybody_is_counted_exactly_once(model: Model, method: Method) -> None:
    data = vl.read(vl.datasets.hospital(), SCHEMA)
    release = vl.publish(data, model, method, key=vl.Key(bytes(32)))
    results = vl.distributions(data, release)
    hidden = [entry["name"] for entry in release.dictionary["columns"] if entry["shown"] == "suppressed"]
    assert [item.column for item in results] == ["birth", "sex", "zip", "disease"]
    assert [item.column for item in results if item.lost] == hidden
    for item in results:
        if item.lost:
            assert sum(item.before) == 400
            assert sum(item.after) == 0
            continue
        assert sum(item.before) == 400
        assert len(item.labels) == len(item.before) == len(item.after) <= 12
        starred = any(entry.get("prefixes") for entry in release.described("quasi") if entry["name"] == item.column)
        assert sum(item.after) <= release.people * 1.000001
        if item.column != "disease" and not starred:  # perturbed values need not add up, nor do those below a prefix
            assert sum(item.after) == pytest.approx(release.people)


def test_exact_columns_stay_exact() -> None:
    data = vl.read(vl.datasets.hospital(), SCHEMA)
    for item in vl.distributions(data, vl.publish(data, vl.LDiversity(l=3), vl.Anatomy())):
        assert item.after == pytest.approx(item.before)
        assert item.moved == pytest.approx(0)


def test_rare_categories_are_grouped() -> None:
    frame = pl.DataFrame({"a": [f"v{n:02}" for n in range(40)] * 3, "s": ["x", "y", "z"] * 40})
    data = vl.read(frame, vl.Schema(quasi=["a"], sensitive=["s"]))
    (quasi, _) = vl.distributions(data, vl.publish(data, vl.LDiversity(l=2), vl.Anatomy()))
    assert quasi.labels[-1] == "29 other values"
    assert sum(quasi.before) == 120


def test_a_distribution_is_drawn_as_svg() -> None:
    from voile.flow.explore.distributions import draw_distribution

    data = vl.read(vl.datasets.hospital(), SCHEMA)
    drawing = draw_distribution(vl.distributions(data, vl.publish(data, vl.KAnonymity(k=5)))[1])
    assert drawing.startswith("<svg")
    assert "Female" in drawing
