"""(alpha, k)-anonymity compared with exact fractions; unknown protected values are refused."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import oracle
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import voile as vl
from voile.errors import PolicyError, Unsatisfiable
from voile.tables.group_counts import tally

COLUMN = vl.read(pl.DataFrame({"v": list("abcdef")}), vl.Schema(quasi=["v"])).columns["v"]


@settings(max_examples=80)
@given(
    st.lists(st.lists(st.integers(0, 7), min_size=6, max_size=6).filter(any), min_size=1, max_size=6).map(np.array),
    st.sampled_from([0.1, 0.2, 0.3, 0.5, 0.7, 1]),
    st.integers(2, 12),
    st.sets(st.sampled_from("abcdef")),
)
def test_groups_agree_with_exact_fractions(groups: np.ndarray, alpha: float, k: int, protect: set[str]) -> None:
    owner, value = np.nonzero(groups)
    counts = tally(COLUMN, owner, value, groups[owner, value], len(groups))
    protected_codes = ["abcdef".index(letter) for letter in protect] or range(6)
    expected = [oracle.alpha_k_anonymous(row, Fraction(str(alpha)), k, protected_codes) for row in groups.tolist()]
    model = vl.AlphaK(alpha=alpha, k=k, protect=tuple(sorted(protect)))
    assert model.holds(counts).tolist() == expected


@pytest.mark.parametrize("alpha", [0.1, 0.2, 0.3, 0.6, 0.7])
def test_a_share_of_exactly_alpha_holds(alpha: float) -> None:
    """3 of 10 rows are exactly 0.3, whatever floating point makes of it."""
    group = np.array([[round(10 * alpha), 10 - round(10 * alpha), 0, 0, 0, 0]])
    owner, value = np.nonzero(group)
    counts = tally(COLUMN, owner, value, group[owner, value], 1)
    assert vl.AlphaK(alpha=alpha, k=2, protect=("a",)).holds(counts).all()


@pytest.mark.parametrize("knobs", [{"alpha": 0, "k": 2}, {"alpha": 1.5, "k": 2}, {"alpha": 0.5, "k": 1}])
def test_parameters_out_of_range_are_refused(knobs: dict[str, Any]) -> None:
    with pytest.raises(PolicyError):
        vl.AlphaK(**knobs)


def table() -> Any:
    frame = pl.DataFrame({"age": range(20), "disease": ["flu"] * 14 + ["HIV"] * 3 + ["acne"] * 3})
    return vl.read(frame, vl.Schema(quasi=["age"], sensitive=["disease"]))


def test_only_protected_values_count() -> None:
    data = table()
    with pytest.raises(Unsatisfiable, match=r"0\.700"):
        vl.publish(data, vl.AlphaK(alpha=0.5, k=2))
    release = vl.publish(data, vl.AlphaK(alpha=0.5, k=2, protect=("HIV",)))
    assert release.groups > 2
    claim = release.certificate.claims[0]
    assert claim["parameters"]["protect"] == ["HIV"]
    assert "HIV" not in claim["promise"]


def test_an_unknown_protected_value_is_refused() -> None:
    with pytest.raises(PolicyError) as caught:
        vl.publish(table(), vl.AlphaK(alpha=0.5, k=2, protect=("hiv", "HIV")))
    assert caught.value.code == "policy.protect"
    assert "1 of 2 protected" in str(caught.value)


def test_k_alone_is_not_enough_and_anatomy_is_refused() -> None:
    with pytest.raises(Unsatisfiable):
        vl.publish(table(), vl.AlphaK(alpha=1, k=21))
    with pytest.raises(PolicyError):
        vl.publish(table(), vl.AlphaK(alpha=1, k=2), vl.Anatomy())


def test_a_protected_value_may_be_withheld_altogether() -> None:
    """The promise holds trivially, because nobody who is published has the value."""
    frame = pl.DataFrame({"age": [1] * 6 + [2], "disease": ["flu", "cold"] * 3 + ["HIV"]})
    schema = vl.Schema(quasi=["age"], sensitive=["disease"], hierarchies={"age": {"young": [1], "old": [2]}})
    release = vl.publish(
        vl.read(frame, schema), vl.AlphaK(alpha=0.6, k=3, protect=("HIV",)), vl.FullDomain(suppression=0.2)
    )
    assert release.dictionary["withheld"] == 1
    assert vl.verify(release).holds


def test_only_the_belief_in_protected_values_is_promised() -> None:
    """Some people have flu with certainty, but nothing was promised about flu."""
    release = vl.publish(table(), vl.AlphaK(alpha=0.5, k=2, protect=("HIV",)))
    homogeneity = vl.audit(release, attacks=[vl.attacks.Homogeneity()]).findings[0]
    assert homogeneity.belief.worst == 1
    assert not homogeneity.inside
