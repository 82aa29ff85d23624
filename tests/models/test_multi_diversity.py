"""Multi-diversity: a bound for each column, the level that was reached, and what is refused."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import polars as pl
import pytest

import voile as vl
from voile.errors import PolicyError
from voile.plugins.registry import build_plugin
from voile.results import Answer

KEY = vl.Key(bytes(32))
FRAME = pl.DataFrame(
    {
        "age": range(24),
        "drug": ["aspirin", "codeine", "insulin", "none"] * 6,
        "disease": ["flu", "flu", "HIV", "acne", "gout", "cold"] * 4,
    }
)


def data(frame: pl.DataFrame = FRAME) -> Any:
    return vl.read(frame, vl.Schema(quasi=["age"], sensitive=["drug", "disease"]))


def test_every_column_has_its_own_bound() -> None:
    model = vl.MultiDiversity({"drug": 4}, otherwise=3)
    assert model.for_column("drug").bound() == Fraction(1, 4)
    assert model.for_column("disease").bound() == Fraction(1, 3)
    assert "1/4" in model.for_column("drug").promise("drug")
    assert vl.MultiDiversity({"drug": 1}).promise("drug").startswith("Nothing is promised")


def test_claims_name_the_level_of_each_column() -> None:
    release = vl.publish(data(), vl.MultiDiversity({"drug": 4, "disease": 3}), key=KEY)
    bounds = {claim["column"]: Fraction(claim["bound"]) for claim in release.certificate.claims}
    assert bounds["drug"] <= Fraction(1, 4)
    assert bounds["disease"] <= Fraction(1, 3)
    assert vl.verify(release).holds


def test_a_level_that_was_not_reached_is_named() -> None:
    release = vl.publish(
        data(), vl.MultiDiversity({"drug": 4, "disease": 3}), vl.Decompose(primary="drug", noise="paper"), key=KEY
    )
    told = {claim["column"]: claim for claim in release.certificate.claims}
    assert Fraction(told["disease"]["bound"]) > Fraction(1, 3)
    assert "1/3 was requested" in told["disease"]["promise"]
    assert vl.verify(release).holds


def test_a_forged_level_is_broken() -> None:
    release = vl.publish(data(), vl.MultiDiversity({"drug": 4, "disease": 3}), vl.Decompose(on_fail="lower"), key=KEY)
    claims = []
    for claim in release.certificate.claims:
        better = vl.MultiDiversity({claim["column"]: 9})
        forged = {"parameters": better.parameters(), "bound": "1/9", "promise": better.promise(claim["column"])}
        claims.append({**claim, **forged})
    verdict = vl.verify(replace(release, certificate=replace(release.certificate, claims=tuple(claims))))
    assert [check.answer for check in verdict.checks] == [Answer.HOLDS, Answer.BROKEN, Answer.BROKEN]


def test_a_value_that_is_taken_from_a_list_breaks_the_release() -> None:
    """A list without the value that a member has: rows and groups cannot belong together any more, or belief rises."""
    release = vl.publish(data(), vl.MultiDiversity({"drug": 4, "disease": 3}), key=KEY)
    name = f"sensitive_{release.sensitive_names[1]}"
    table = release.tables[name]
    lost = table.filter((pl.col("group") > 1) | (pl.int_range(pl.len()) > table["group"].eq(1).sum() - 2))
    assert vl.verify(replace(release, tables={**release.tables, name: lost})).broken


def test_on_boxes_and_buckets_it_is_frequency() -> None:
    boxes = vl.publish(data(), vl.MultiDiversity({"drug": 3, "disease": 2}), vl.Mondrian(), key=KEY)
    assert boxes.shape == "generalized"
    for name, least in (("drug", 3), ("disease", 2)):
        counts = boxes.tallies[name]
        assert (counts.largest() * least <= counts.sizes).all()
    one = vl.read(FRAME, vl.Schema(quasi=["age"], sensitive=["drug"]))
    assert vl.publish(one, vl.MultiDiversity({"drug": 4}), vl.Anatomy()).shape == "bucketized"


@pytest.mark.parametrize(
    "knobs",
    [
        {"l": {"drug": 0}},
        {"l": {"drug": 2.5}},
        {"l": {"drug": True}},
        {"l": 3},
        {"l": {3: 3}},
        {"otherwise": 0},
        {"reached": {"drug": "2"}},
        {"reached": {"drug": "much"}},
        {"reached": 1},
    ],
    ids=repr,
)
def test_parameters_out_of_range(knobs: Any) -> None:
    with pytest.raises(PolicyError):
        vl.MultiDiversity(**knobs)


def test_a_column_that_is_not_sensitive() -> None:
    with pytest.raises(PolicyError, match="'age'"):
        vl.publish(data(), vl.MultiDiversity({"age": 2}))


@pytest.mark.parametrize(
    "told",
    [{"drug": "4", "disease": "2"}, {"l": "drug=4|disease=2"}, {"l": {"drug": 4, "disease": 2}}],
    ids=repr,
)
def test_ways_to_write_it(told: Any) -> None:
    assert build_plugin("models", "multi-diversity", told) == vl.MultiDiversity({"drug": 4, "disease": 2})


@pytest.mark.parametrize("told", [{"drug": "many"}, {"l": "drug"}, {"l": "drug=4", "dsease": "2"}], ids=repr)
def test_ways_not_to_write_it(told: Any) -> None:
    with pytest.raises(PolicyError):
        build_plugin("models", "multi-diversity", told)


def test_levels_are_rounded_up() -> None:
    release = vl.publish(data(), vl.MultiDiversity({"drug": 2, "disease": 2}), vl.Decompose(on_fail="lower"), key=KEY)
    model = vl.MultiDiversity({"drug": 2, "disease": 2}).with_reached_levels(release)
    for name, level in model.reached.items():
        worst = release.belief_bound(name).largest  # type: ignore[union-attr]
        assert worst <= float(Fraction(level)) + 1e-9
        assert float(Fraction(level)) - worst < 1.1e-4
    assert np.isfinite(float(model.bound()))
