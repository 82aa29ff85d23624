"""Schemas with a survey weight and with confirmed columns: what is wrong with them is said."""

from __future__ import annotations

from typing import Any

import pytest

import voile as vl
from voile.errors import SchemaError


@pytest.mark.parametrize(
    ("wrong", "code"),
    [
        ({"weight": "age"}, "schema.role-twice"),
        ({"weight": "ward"}, "schema.role-twice"),
        ({"weight": "who", "person": "who"}, "schema.role-twice"),
        ({"withhold_weight": True}, "schema.weight"),
        ({"weight": ["wt"]}, "schema.type"),
        ({"weight": "wt", "withhold_weight": "yes"}, "schema.type"),
        ({"weight": "wt", "kinds": {"wt": "categorical"}}, "schema.kind"),
        ({"weight": "wt", "withhold_weight": True, "hierarchies": {"wt": "intervals:5"}}, "schema.unknown-column"),
        ({"confirmed": ["age"]}, "schema.confirmed"),
        ({"confirmed": 3}, "schema.type"),
    ],
)
def test_a_wrong_weight_or_confirmation_is_refused(wrong: dict[str, Any], code: str) -> None:
    with pytest.raises(SchemaError) as caught:
        vl.Schema(quasi=["age"], sensitive=["disease"], other=["ward"], **wrong)
    assert caught.value.code == code


def test_the_weight_is_a_quasi_identifier_unless_it_is_withheld() -> None:
    shown = vl.Schema(quasi=["age"], sensitive=["disease"], weight="wt", hierarchies={"wt": "intervals:5"})
    assert shown.names() == ("age", "wt", "disease")
    assert shown.role("wt") == "quasi"
    withheld = vl.Schema(quasi=["age"], sensitive=["disease"], weight="wt", withhold_weight=True)
    assert withheld.names() == ("age", "disease")
    assert withheld.coded_names() == ("age", "disease", "wt")
    assert "withhold_weight=True" in repr(withheld)
