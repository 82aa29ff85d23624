"""t-closeness: three distances against linear programming, over the whole domain, and a promise that depends on t."""

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
from voile.core.counts import Counts, tally
from voile.core.schema import Column
from voile.errors import PolicyError
from voile.models.t_closeness import distances, emd_equal, emd_ordered

TREE = {"respiratory": {"upper": ["cold", "croup"], "lower": ["flu", "pneumonia"]}, "other": {"skin": ["acne", "rash"]}}
LEAVES = ["cold", "croup", "flu", "pneumonia", "acne", "rash"]


def column(kind: str, values: list[Any], tree: Any = None) -> Column:
    schema = vl.Schema(quasi=["v"], kinds={"v": kind}, domains={"v": values}, hierarchies={"v": tree} if tree else {})
    return vl.read(pl.DataFrame({"v": values}), schema).columns["v"]


ORDERED = column("ordered", LEAVES)
HIERARCHICAL = column("categorical", LEAVES, TREE)


def counted(groups: np.ndarray, totals: np.ndarray | None = None, of: Column = ORDERED) -> Counts:
    owner, value = np.nonzero(groups)
    return tally(of, owner, value, groups[owner, value], len(groups), totals)


def ground(name: str) -> np.ndarray:
    if name == "hierarchical":
        return oracle.ground_hierarchical(HIERARCHICAL.hierarchy.rows())  # type: ignore[union-attr]
    return {"equal": oracle.ground_equal, "ordered": oracle.ground_ordered}[name](len(LEAVES))


GROUPS = st.lists(st.lists(st.integers(0, 5), min_size=6, max_size=6).filter(any), min_size=1, max_size=4).map(np.array)


@settings(max_examples=30)
@given(
    GROUPS, st.lists(st.integers(0, 3), min_size=6, max_size=6), st.sampled_from(["equal", "ordered", "hierarchical"])
)
def test_distances_are_earth_movers(groups: np.ndarray, rest: list[int], name: str) -> None:
    totals = groups.sum(axis=0) + np.array(rest)  # other groups of the table
    found = distances(counted(groups, totals, HIERARCHICAL if name == "hierarchical" else ORDERED), name)
    for one, row in zip(found, groups, strict=True):
        expected = oracle.earth_mover(row / row.sum(), totals / totals.sum(), ground(name))
        assert one == pytest.approx(expected, abs=1e-9)


@settings(max_examples=40)
@given(GROUPS, st.lists(st.integers(0, 3), min_size=6, max_size=6))
def test_the_equal_distance_is_the_largest_gain_of_belief(groups: np.ndarray, rest: list[int]) -> None:
    """Over all 64 sets of values, exactly."""
    totals = groups.sum(axis=0) + np.array(rest)
    for one, row in zip(distances(counted(groups, totals), "equal"), groups.tolist(), strict=True):
        gain = oracle.variation(row, totals.tolist())
        assert one == pytest.approx(float(gain), abs=1e-12)


def test_the_papers_salaries() -> None:
    """Nine ordered salaries: {3, 4, 5} is 0.375 from the table, {6, 8, 11} is 1/6."""
    nine = column("numeric", [3, 4, 5, 6, 7, 8, 9, 10, 11])
    groups = np.zeros((3, 9), dtype=np.int64)
    groups[0, :3], groups[1, [3, 5, 8]], groups[2, [4, 6, 7]] = 1, 1, 1
    found = distances(counted(groups, of=nine), "ordered")
    assert found[0] == pytest.approx(0.375)
    assert found[1] == pytest.approx(1 / 6)


def test_values_absent_from_a_group_count() -> None:
    """A group with the only common value: half of the table's mass is elsewhere, though the group never shows it."""
    totals = np.array([4, 1, 1, 1, 1, 0])
    group = np.array([[4, 0, 0, 0, 0, 0]])
    assert distances(counted(group, totals), "equal").tolist() == [0.5]
    assert distances(counted(group, totals), "ordered")[0] == pytest.approx((1 + 2 + 3 + 4) / 8 / 5)
    assert not vl.TCloseness(t=0.45).holds(counted(group, totals)).any()


@pytest.mark.parametrize("t", [0.1, 0.2, 0.3, 0.7])
def test_a_distance_of_exactly_t_holds(t: float) -> None:
    """Half the mass of 10 moves: no rounding makes t = 0.3 fail at 0.3."""
    moved = round(10 * t)
    groups = np.array([[10 - moved, moved, 0, 0, 0, 0]])
    totals = np.array([100, 0, 0, 0, 0, 0])
    assert vl.TCloseness(t=t).holds(counted(groups, totals)).all()
    assert not vl.TCloseness(t=t - 0.001).holds(counted(groups, totals)).any()


def hospital() -> Any:
    rng = np.random.default_rng(0)
    frame = pl.DataFrame(
        {"age": rng.integers(20, 80, 300), "zip": rng.integers(0, 20, 300), "disease": rng.choice(LEAVES, 300)}
    )
    return vl.read(frame, vl.Schema(quasi=["age", "zip"], sensitive=["disease"], hierarchies={"disease": TREE}))


@pytest.mark.parametrize("method", [vl.Mondrian(), vl.FullDomain()], ids=lambda method: method.name)
def test_the_release_depends_on_t(method: Any) -> None:
    """A tool that ignores t publishes the same for every t."""
    data = hospital()
    groups = []
    for t in (0.05, 0.15, 0.3, 0.9):
        release = vl.publish(data, vl.TCloseness(t=t), method)
        assert distances(release.tallies["disease"], "equal").max() <= t + 1e-9
        groups.append(release.groups)
    assert groups == sorted(groups)
    assert groups[0] < groups[-1]
    assert distances(vl.publish(data, vl.TCloseness(t=0.9), method).tallies["disease"], "equal").max() > 0.15


@pytest.mark.parametrize("distance", ["equal", "ordered", "hierarchical"])
def test_no_cut_at_t_zero(distance: str) -> None:
    data = hospital()
    if distance == "ordered":
        with pytest.raises(PolicyError, match="order"):
            vl.publish(data, vl.TCloseness(t=0, distance=distance))
        return
    assert vl.publish(data, vl.TCloseness(t=0, distance=distance)).groups == 1


@pytest.mark.parametrize("knobs", [{"t": -0.1}, {"t": 1.1}, {"t": "0.2"}, {"t": 0.2, "distance": "euclidean"}])
def test_knobs_out_of_range(knobs: dict[str, Any]) -> None:
    with pytest.raises(PolicyError):
        vl.TCloseness(**knobs)


def test_a_distance_needs_what_it_speaks_of() -> None:
    frame = pl.DataFrame({"age": [1, 2, 3], "disease": ["a", "b", "c"]})
    data = vl.read(frame, vl.Schema(quasi=["age"], sensitive=["disease"]))
    with pytest.raises(PolicyError, match="order"):
        vl.publish(data, vl.TCloseness(t=0.5, distance="ordered"))
    with pytest.raises(PolicyError, match="hierarchy"):
        vl.publish(data, vl.TCloseness(t=0.5, distance="hierarchical"))


def test_what_is_promised() -> None:
    equal, ordered = vl.TCloseness(t=0.25), vl.TCloseness(t=0.25, distance="ordered")
    assert equal.bound() == ordered.bound() == Fraction(1, 4)
    assert (equal.limited(), ordered.limited()) == ("gain", "distance")
    assert "not bounded" in ordered.promise("disease")


@given(st.integers(1, 9), st.integers(0, 2**32))
def test_distances_of_two_distributions(m: int, seed: int) -> None:
    p, q = np.random.default_rng(seed).dirichlet(np.ones(m), 2)
    assert emd_equal(p, q) == pytest.approx(oracle.earth_mover(p, q, oracle.ground_equal(m)), abs=1e-9)
    assert emd_ordered(p, q) == pytest.approx(oracle.earth_mover(p, q, oracle.ground_ordered(m)), abs=1e-9)
