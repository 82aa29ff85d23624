"""Multi-diversity: a bound for each column, the level that is reached, and requests that are refused."""

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

KEY = vl.Key(bytes(32))
FRAME = pl.DataFrame(
    {
        "age": range(24),
        "drug": ["aspirin", "codeine", "insulin", "none"] * 6,
        "disease": ["flu", "flu", "HIV", "acne", "gout", "cold"] * 4,
    }
)


def read_data(frame: pl.DataFrame = FRAME) -> Any:
    return vl.read(frame, vl.Schema(quasi=["age"], sensitive=["drug", "disease"]))


def test_every_column_has_its_own_bound() -> None:
    model = vl.MultiDiversity({"drug": 4}, otherwise=3)
    assert model.for_column("drug").bound() == Fraction(1, 4)
    assert model.for_column("disease").bound() == Fraction(1, 3)
    assert "1/4" in model.for_column("drug").promise("drug")
    assert vl.MultiDiversity({"drug": 1}).promise("drug").startswith("Nothing is promised")


def test_claims_name_the_level_of_each_column() -> None:
    release = vl.publish(read_data(), vl.MultiDiversity({"drug": 4, "disease": 3}), key=KEY)
    bounds = {claim["column"]: Fraction(claim["bound"]) for claim in release.certificate.claims}
    assert bounds["drug"] <= Fraction(1, 4)
    assert bounds["disease"] <= Fraction(1, 3)
    assert vl.verify(release).holds


def test_a_claim_names_the_level_that_was_requested_but_not_reached() -> None:
    release = vl.publish(
        read_data(), vl.MultiDiversity({"drug": 4, "disease": 3}), vl.Decompose(primary="drug", noise="paper"), key=KEY
    )
    claims = {claim["column"]: claim for claim in release.certificate.claims}
    assert Fraction(claims["disease"]["bound"]) > Fraction(1, 3)
    assert "1/3 was requested" in claims["disease"]["promise"]
    assert vl.verify(release).holds


def test_a_forged_level_is_broken() -> None:
    release = vl.publish(
        read_data(), vl.MultiDiversity({"drug": 4, "disease": 3}), vl.Decompose(on_fail="lower"), key=KEY
    )
    claims = []
    for claim in release.certificate.claims:
        forged_model = vl.MultiDiversity({claim["column"]: 9})
        forged_fields = {
            "parameters": forged_model.parameters(),
            "bound": "1/9",
            "promise": forged_model.promise(claim["column"]),
        }
        claims.append({**claim, **forged_fields})
    verdict = vl.verify(replace(release, certificate=replace(release.certificate, claims=tuple(claims))))
    assert verdict.broken


def test_a_value_removed_from_a_list_breaks_the_release() -> None:
    """If a list lacks the value of a member, rows and groups no longer fit together, or belief rises."""
    release = vl.publish(read_data(), vl.MultiDiversity({"drug": 4, "disease": 3}), key=KEY)
    name = f"sensitive_{release.sensitive_names[1]}"
    table = release.tables[name]
    shortened = table.filter((pl.col("group") > 1) | (pl.int_range(pl.len()) > table["group"].eq(1).sum() - 2))
    assert vl.verify(replace(release, tables={**release.tables, name: shortened})).broken


def test_on_boxes_and_buckets_it_is_frequency_diversity() -> None:
    boxes = vl.publish(read_data(), vl.MultiDiversity({"drug": 3, "disease": 2}), vl.Mondrian(), key=KEY)
    assert boxes.shape == "generalized"
    for name, level in (("drug", 3), ("disease", 2)):
        counts = boxes.tallies[name]
        assert (counts.largest() * level <= counts.sizes).all()
    single_column = vl.read(FRAME, vl.Schema(quasi=["age"], sensitive=["drug"]))
    assert vl.publish(single_column, vl.MultiDiversity({"drug": 4}), vl.Anatomy()).shape == "bucketized"


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
def test_parameters_out_of_range_are_refused(knobs: Any) -> None:
    with pytest.raises(PolicyError):
        vl.MultiDiversity(**knobs)


def test_a_column_that_is_not_sensitive_is_refused() -> None:
    with pytest.raises(PolicyError, match="'age'"):
        vl.publish(read_data(), vl.MultiDiversity({"age": 2}))


@pytest.mark.parametrize(
    "parameters",
    [{"drug": "4", "disease": "2"}, {"l": "drug=4|disease=2"}, {"l": {"drug": 4, "disease": 2}}],
    ids=repr,
)
def test_levels_may_be_written_as_keys_text_or_mapping(parameters: Any) -> None:
    assert build_plugin("models", "multi-diversity", parameters) == vl.MultiDiversity({"drug": 4, "disease": 2})


@pytest.mark.parametrize("parameters", [{"drug": "many"}, {"l": "drug"}, {"l": "drug=4", "dsease": "2"}], ids=repr)
def test_malformed_levels_are_refused(parameters: Any) -> None:
    with pytest.raises(PolicyError):
        build_plugin("models", "multi-diversity", parameters)


def test_levels_are_rounded_up() -> None:
    release = vl.publish(
        read_data(), vl.MultiDiversity({"drug": 2, "disease": 2}), vl.Decompose(on_fail="lower"), key=KEY
    )
    model = vl.MultiDiversity({"drug": 2, "disease": 2}).with_reached_levels(release)
    for name, level in model.reached.items():
        largest_belief = release.belief_bound(name).largest  # type: ignore[union-attr]
        assert largest_belief <= float(Fraction(level)) + 1e-9
        assert float(Fraction(level)) - largest_belief < 1.1e-4
    assert np.isfinite(float(model.bound()))
