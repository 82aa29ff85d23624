"""What a table can keep, before anything is published."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import voile as vl
from voile.errors import PolicyError, Unsatisfiable
from voile.flow.explore.foresee import Reach, start_of
from voile.plugins.registry import build_plugin, knob_fields, registered_classes
from voile.tables.microdata import Microdata


def data(diseases: list[str]) -> Microdata:
    frame = pl.DataFrame({"age": list(range(len(diseases))), "disease": diseases})
    return vl.read(frame, vl.Schema(quasi=["age"], sensitive=["disease"]))


@given(diseases=st.lists(st.sampled_from("abcd"), min_size=2, max_size=40))
def test_the_largest_l_can_be_kept_and_one_more_cannot(diseases: list[str]) -> None:
    table = data(diseases)
    most = len(diseases) // max(diseases.count(one) for one in "abcd")
    (found,) = vl.reach(table, vl.LDiversity(l=2)) or (None,)
    if most < 2:
        assert found is None
        with pytest.raises(Unsatisfiable):
            vl.foresee(table, vl.LDiversity(l=2))
        return
    assert found == Reach("l", most, True)
    vl.foresee(table, vl.LDiversity(l=most))
    with pytest.raises(Unsatisfiable) as caught:
        vl.foresee(table, vl.LDiversity(l=most + 1))
    assert f"largest possible l is {most}" in caught.value.best


@given(diseases=st.lists(st.sampled_from("abcd"), min_size=3, max_size=30))
def test_what_is_foreseen_is_what_publish_does(diseases: list[str]) -> None:
    """Within reach, one group of everybody is a release; out of reach, publish refuses too."""
    table = data(diseases)
    for model in (vl.KAnonymity(k=7), vl.LDiversity(l=2), vl.LDiversity(l=3, form="distinct")):
        try:
            vl.foresee(table, model)
        except Unsatisfiable:
            with pytest.raises(Unsatisfiable):
                vl.publish(table, model)
        else:
            vl.publish(table, model)


def test_a_smallest_value() -> None:
    table = data(["a"] * 3 + ["b"] * 5 + ["c"] * 2)
    found = {one.knob: one for one in vl.reach(table, vl.AlphaK(alpha=0.9, k=2))}
    assert (found["alpha"].value, found["alpha"].most) == (0.5, False)
    assert (found["k"].value, found["k"].most) == (10, True)
    assert str(found["alpha"]) == "the smallest possible alpha is 0.5"


def test_nothing_is_said_where_one_group_does_not_decide() -> None:
    table = data(["a", "b", "c", "d"] * 5)
    for model in (vl.RRobustness(r=2), vl.MConfidentiality(m=2), vl.MInvariance(m=2)):
        assert vl.reach(table, model) == ()


def test_policy_and_method_must_fit() -> None:
    table = data(["a", "b", "c", "d"] * 5)
    with pytest.raises(PolicyError):
        vl.foresee(table, vl.KAnonymity(k=2), vl.Anatomy())
    with pytest.raises(PolicyError):
        vl.foresee(table, vl.LDiversity(l=2, column="age"))


@pytest.mark.parametrize("name", registered_classes("models"))
def test_every_model_can_be_started_from(name: str) -> None:
    """A form begins with values that the model takes, as far as it can know them."""
    cls = registered_classes("models")[name]
    usual = {knob.name: start_of(knob) for knob in knob_fields(cls) if knob.metadata.get("limits")}
    for knob, value in usual.items():
        if value is not None:
            assert not knobs_by_name(cls)[knob].metadata["limits"].complaint(value)
    if name == "k-anonymity":
        assert build_plugin("models", name, usual) == vl.KAnonymity(k=5)


def knobs_by_name(cls: Any) -> dict[str, Any]:
    return {knob.name: knob for knob in knob_fields(cls)}
