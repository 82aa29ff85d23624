"""Personalized privacy: the shares of a group below the guarded nodes."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

import voile as vl
from voile.errors import PolicyError, Unsatisfiable

SCHOOL = {"elementary": ["1st", "2nd"], "university": ["BA", "MA"]}
SCHEMA = vl.Schema(quasi=["q"], sensitive=["school"], hierarchies={"school": SCHOOL})


def table(*schools: str) -> Any:
    return vl.read(pl.DataFrame({"q": ["a"] * len(schools), "school": schools}), SCHEMA)


def test_a_node_covers_the_values_below_it() -> None:
    data = table("1st", "2nd", "BA", "MA")
    release = vl.publish(data, vl.Personalized(p=0.5, nodes=("elementary",)))
    assert vl.verify(release).holds
    stricter_model = vl.Personalized(p=0.4, nodes=("elementary",))
    assert not stricter_model.holds(release.tallies["school"]).any()
    assert stricter_model.holds(release.tallies["school"]).shape == (1,)
    assert vl.Personalized(p=0.25).holds(release.tallies["school"]).all()


def test_guarded_nodes_narrow_the_claim_to_protected_values() -> None:
    assert vl.Personalized(p=0.5, nodes=("x",)).limits == "protected belief"
    assert vl.Personalized(p=0.5).limits == "belief"
    assert (vl.Personalized(p=0.3).smallest(), vl.Personalized(p=0.3).distinct_values_needed()) == (4, 4)
    assert vl.Personalized(p=0.3, nodes=("x",)).distinct_values_needed() is None


def test_an_unknown_node_is_refused() -> None:
    with pytest.raises(PolicyError, match="1 guarded nodes are neither values of 'school' nor labels") as error:
        vl.publish(table("1st", "2nd", "BA", "MA"), vl.Personalized(p=0.5, nodes=("secondary",)))
    assert error.value.code == "policy.nodes"


def test_the_error_states_how_many_rows_a_node_covers() -> None:
    with pytest.raises(Unsatisfiable, match="covers 3 of 4 rows"):
        vl.publish(table("1st", "2nd", "1st", "MA"), vl.Personalized(p=0.5, nodes=("elementary",)))
