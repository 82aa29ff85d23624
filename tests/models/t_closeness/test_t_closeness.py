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
from voile.errors import PolicyError
from voile.models.t_closeness.t_closeness import distances, emd_equal, emd_ordered
from voile.tables.group_counts import Counts, tally
from voile.tables.schema import Column

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


SQUARES = [0, 1, 4, 9, 16, 25]
SQUARE_TREE = {"low": {"x": [0, 1], "y": [4, 9]}, "high": {"z": [16], "w": [25]}}


def sensitive(kind: str, values: list[Any], domain: list[Any] | None) -> Column:
    schema = vl.Schema(
        quasi=["v"],
        kinds={"v": kind},
        hierarchies={"v": SQUARE_TREE},
        domains={"v": domain} if domain else {},
    )
    series = pl.Series("v", values if kind == "numeric" else [str(value) for value in values])
    return vl.read(series.to_frame(), schema).columns["v"]


@given(GROUPS, st.sets(st.integers(0, 5), min_size=1), st.sampled_from(["numeric", "ordered"]))
def test_withheld_values_are_no_steps_of_the_order(groups: np.ndarray, left: set[int], kind: str) -> None:
    """The publisher, who knows the values of withheld rows, and a reader, who does not, must measure alike."""
    whole = sensitive(kind, SQUARES, None)
    codes = sorted(left)
    known = sensitive(kind, [int(whole.domain.labels[code]) for code in codes], None)
    groups = groups[groups[:, codes].any(axis=1)]
    groups[:, [code for code in range(6) if code not in left]] = 0
    seen = groups.sum(axis=0) > 0
    if len(groups) and seen[codes].all():
        for distance in ("ordered", "hierarchical"):
            publisher = distances(counted(groups, of=whole), distance)
            assert publisher == pytest.approx(distances(counted(groups[:, codes], of=known), distance), abs=1e-12)


def test_a_declared_domain_is_public_and_counts_whole() -> None:
    whole, some = sensitive("numeric", SQUARES, SQUARES), sensitive("numeric", [0, 25], None)
    groups = np.array([[1, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 1]])
    assert distances(counted(groups, of=whole), "ordered") == pytest.approx([0.5, 0.5])
    declared = sensitive("numeric", [0, 4], SQUARES)
    groups = np.array([[1, 0, 0, 0, 0, 0], [0, 0, 1, 0, 0, 0]])
    assert distances(counted(groups, of=declared), "ordered") == pytest.approx([0.2, 0.2])  # two of five steps
    assert distances(counted(np.eye(2, dtype=np.int64), of=some), "ordered") == pytest.approx([0.5, 0.5])


@pytest.mark.parametrize("kind", ["numeric", "ordered"])
@pytest.mark.parametrize("distance", ["ordered", "hierarchical"])
def test_a_release_that_withholds_values_verifies(kind: str, distance: str) -> None:
    thin = 0
    for seed in range(30):
        rng = np.random.default_rng(seed)
        values = pl.Series("s", rng.choice(SQUARES, 20))
        frame = pl.DataFrame({"a": rng.integers(0, 4, 20), "b": rng.choice(list("pqr"), 20)})
        frame = frame.with_columns(values if kind == "numeric" else values.cast(pl.String))
        schema = vl.Schema(quasi=["a", "b"], sensitive=["s"], kinds={"s": kind}, hierarchies={"s": SQUARE_TREE})
        policy = vl.Policy(vl.KAnonymity(k=3), vl.TCloseness(t=0.3, distance=distance))
        release = vl.publish(vl.read(frame, schema), policy, vl.FullDomain(suppression=0.6))
        assert vl.verify(release).holds
        thin += release.tables["table"]["s"].n_unique() < frame["s"].n_unique()
    assert thin, "no value was withheld altogether: the case under test did not occur"


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
    assert (equal.limits, ordered.limits) == ("gain", "distance")
    assert "not bounded" in ordered.promise("disease")


@given(st.integers(1, 9), st.integers(0, 2**32))
def test_distances_of_two_distributions(m: int, seed: int) -> None:
    p, q = np.random.default_rng(seed).dirichlet(np.ones(m), 2)
    assert emd_equal(p, q) == pytest.approx(oracle.earth_mover(p, q, oracle.ground_equal(m)), abs=1e-9)
    assert emd_ordered(p, q) == pytest.approx(oracle.earth_mover(p, q, oracle.ground_ordered(m)), abs=1e-9)
