"""Which promises a table can keep, before anything is published."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import voile as vl
from voile.errors import PolicyError, Unsatisfiable
from voile.flow.explore.foresee import suggest_value
from voile.models.nearby_promises import Reach
from voile.plugins.registry import build_plugin, knob_fields, registered_classes
from voile.tables.microdata import Microdata


def read_diseases(diseases: list[str]) -> Microdata:
    frame = pl.DataFrame({"age": list(range(len(diseases))), "disease": diseases})
    return vl.read(frame, vl.Schema(quasi=["age"], sensitive=["disease"]))


@given(diseases=st.lists(st.sampled_from("abcd"), min_size=2, max_size=40))
def test_the_largest_l_can_be_kept_and_one_more_cannot(diseases: list[str]) -> None:
    table = read_diseases(diseases)
    largest = len(diseases) // max(diseases.count(disease) for disease in "abcd")
    (limit,) = vl.reach(table, vl.LDiversity(l=2)) or (None,)
    if largest < 2:
        assert limit is None
        with pytest.raises(Unsatisfiable):
            vl.foresee(table, vl.LDiversity(l=2))
        return
    assert limit == Reach("l", largest, True)
    vl.foresee(table, vl.LDiversity(l=largest))
    with pytest.raises(Unsatisfiable) as caught:
        vl.foresee(table, vl.LDiversity(l=largest + 1))
    assert f"largest possible l is {largest}" in caught.value.best


@given(diseases=st.lists(st.sampled_from("abcd"), min_size=3, max_size=30))
def test_foresee_agrees_with_publish(diseases: list[str]) -> None:
    """If foresee accepts a promise, one group of everybody is a release; if it refuses, publish refuses too."""
    table = read_diseases(diseases)
    for model in (vl.KAnonymity(k=7), vl.LDiversity(l=2), vl.LDiversity(l=3, form="distinct")):
        try:
            vl.foresee(table, model)
        except Unsatisfiable:
            with pytest.raises(Unsatisfiable):
                vl.publish(table, model)
        else:
            vl.publish(table, model)


def test_reach_names_the_smallest_alpha_and_the_largest_k() -> None:
    table = read_diseases(["a"] * 3 + ["b"] * 5 + ["c"] * 2)
    limits = {item.knob: item for item in vl.reach(table, vl.AlphaK(alpha=0.9, k=2))}
    assert (limits["alpha"].value, limits["alpha"].most) == (0.5, False)
    assert (limits["k"].value, limits["k"].most) == (10, True)
    assert str(limits["alpha"]) == "the smallest possible alpha is 0.5"


def test_reach_is_empty_for_models_that_counts_do_not_decide() -> None:
    table = read_diseases(["a", "b", "c", "d"] * 5)
    for model in (vl.RRobustness(r=2), vl.MConfidentiality(m=2), vl.MInvariance(m=2)):
        assert vl.reach(table, model) == ()


def test_a_policy_that_does_not_fit_the_method_is_refused() -> None:
    table = read_diseases(["a", "b", "c", "d"] * 5)
    with pytest.raises(PolicyError):
        vl.foresee(table, vl.KAnonymity(k=2), vl.Anatomy())
    with pytest.raises(PolicyError):
        vl.foresee(table, vl.LDiversity(l=2, column="age"))


@pytest.mark.parametrize("name", registered_classes("models"))
def test_suggested_values_lie_within_the_limits(name: str) -> None:
    """A form starts with values that the model accepts."""
    cls = registered_classes("models")[name]
    values = {knob.name: suggest_value(knob) for knob in knob_fields(cls) if knob.metadata.get("limits")}
    for knob, value in values.items():
        if value is not None:
            assert not knobs_by_name(cls)[knob].metadata["limits"].complaint(value)
    if name == "k-anonymity":
        assert build_plugin("models", name, values) == vl.KAnonymity(k=5)


def knobs_by_name(cls: Any) -> dict[str, Any]:
    return {knob.name: knob for knob in knob_fields(cls)}
