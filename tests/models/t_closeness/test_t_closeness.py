"""t-closeness: three distances over the whole domain, compared with linear programming, and releases that depend on
t."""

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


def make_column(kind: str, values: list[Any], tree: Any = None) -> Column:
    schema = vl.Schema(quasi=["v"], kinds={"v": kind}, domains={"v": values}, hierarchies={"v": tree} if tree else {})
    return vl.read(pl.DataFrame({"v": values}), schema).columns["v"]


ORDERED = make_column("ordered", LEAVES)
HIERARCHICAL = make_column("categorical", LEAVES, TREE)


def count_groups(groups: np.ndarray, totals: np.ndarray | None = None, of: Column = ORDERED) -> Counts:
    owner, value = np.nonzero(groups)
    return tally(of, owner, value, groups[owner, value], len(groups), totals)


def ground_distances(name: str) -> np.ndarray:
    if name == "hierarchical":
        return oracle.ground_hierarchical(HIERARCHICAL.hierarchy.rows())  # type: ignore[union-attr]
    return {"equal": oracle.ground_equal, "ordered": oracle.ground_ordered}[name](len(LEAVES))


GROUPS = st.lists(st.lists(st.integers(0, 5), min_size=6, max_size=6).filter(any), min_size=1, max_size=4).map(np.array)


@settings(max_examples=30)
@given(
    GROUPS, st.lists(st.integers(0, 3), min_size=6, max_size=6), st.sampled_from(["equal", "ordered", "hierarchical"])
)
def test_distances_are_the_cheapest_flows(groups: np.ndarray, other_rows: list[int], name: str) -> None:
    totals = groups.sum(axis=0) + np.array(other_rows)  # other groups of the table
    found_distances = distances(count_groups(groups, totals, HIERARCHICAL if name == "hierarchical" else ORDERED), name)
    for distance, row in zip(found_distances, groups, strict=True):
        expected = oracle.earth_mover(row / row.sum(), totals / totals.sum(), ground_distances(name))
        assert distance == pytest.approx(expected, abs=1e-9)


@settings(max_examples=40)
@given(GROUPS, st.lists(st.integers(0, 3), min_size=6, max_size=6))
def test_the_equal_distance_is_the_largest_gain_of_belief(groups: np.ndarray, other_rows: list[int]) -> None:
    """Over all 64 sets of values, exactly."""
    totals = groups.sum(axis=0) + np.array(other_rows)
    for distance, row in zip(distances(count_groups(groups, totals), "equal"), groups.tolist(), strict=True):
        gain = oracle.variation(row, totals.tolist())
        assert distance == pytest.approx(float(gain), abs=1e-12)


def test_the_salaries_of_the_paper_have_the_distances_it_states() -> None:
    """Nine ordered salaries: {3, 4, 5} is 0.375 from the table, {6, 8, 11} is 1/6."""
    salaries = make_column("numeric", [3, 4, 5, 6, 7, 8, 9, 10, 11])
    groups = np.zeros((3, 9), dtype=np.int64)
    groups[0, :3], groups[1, [3, 5, 8]], groups[2, [4, 6, 7]] = 1, 1, 1
    found_distances = distances(count_groups(groups, of=salaries), "ordered")
    assert found_distances[0] == pytest.approx(0.375)
    assert found_distances[1] == pytest.approx(1 / 6)


def test_values_that_a_group_lacks_count_in_its_distance() -> None:
    """A group with the most common value only: half of the table's mass lies on values that the group does not have."""
    totals = np.array([4, 1, 1, 1, 1, 0])
    group = np.array([[4, 0, 0, 0, 0, 0]])
    assert distances(count_groups(group, totals), "equal").tolist() == [0.5]
    assert distances(count_groups(group, totals), "ordered")[0] == pytest.approx((1 + 2 + 3 + 4) / 8 / 5)
    assert not vl.TCloseness(t=0.45).holds(count_groups(group, totals)).any()


@pytest.mark.parametrize("t", [0.1, 0.2, 0.3, 0.7])
def test_a_distance_of_exactly_t_holds(t: float) -> None:
    """A share of exactly t moves, and rounding does not make t = 0.3 fail at 0.3."""
    rows_moved = round(10 * t)
    groups = np.array([[10 - rows_moved, rows_moved, 0, 0, 0, 0]])
    totals = np.array([100, 0, 0, 0, 0, 0])
    assert vl.TCloseness(t=t).holds(count_groups(groups, totals)).all()
    assert not vl.TCloseness(t=t - 0.001).holds(count_groups(groups, totals)).any()


def make_hospital() -> Any:
    rng = np.random.default_rng(0)
    frame = pl.DataFrame(
        {"age": rng.integers(20, 80, 300), "zip": rng.integers(0, 20, 300), "disease": rng.choice(LEAVES, 300)}
    )
    return vl.read(frame, vl.Schema(quasi=["age", "zip"], sensitive=["disease"], hierarchies={"disease": TREE}))


@pytest.mark.parametrize("method", [vl.Mondrian(), vl.FullDomain()], ids=lambda method: method.name)
def test_the_release_depends_on_t(method: Any) -> None:
    """A tool that ignores t publishes the same for every t."""
    data = make_hospital()
    groups = []
    for t in (0.05, 0.15, 0.3, 0.9):
        release = vl.publish(data, vl.TCloseness(t=t), method)
        assert distances(release.tallies["disease"], "equal").max() <= t + 1e-9
        groups.append(release.groups)
    assert groups == sorted(groups)
    assert groups[0] < groups[-1]
    assert distances(vl.publish(data, vl.TCloseness(t=0.9), method).tallies["disease"], "equal").max() > 0.15


@pytest.mark.parametrize("distance", ["equal", "ordered", "hierarchical"])
def test_t_zero_allows_no_cut(distance: str) -> None:
    data = make_hospital()
    if distance == "ordered":
        with pytest.raises(PolicyError, match="order"):
            vl.publish(data, vl.TCloseness(t=0, distance=distance))
        return
    assert vl.publish(data, vl.TCloseness(t=0, distance=distance)).groups == 1


SQUARES = [0, 1, 4, 9, 16, 25]
SQUARE_TREE = {"low": {"x": [0, 1], "y": [4, 9]}, "high": {"z": [16], "w": [25]}}


def make_sensitive_column(kind: str, values: list[Any], domain: list[Any] | None) -> Column:
    schema = vl.Schema(
        quasi=["v"],
        kinds={"v": kind},
        hierarchies={"v": SQUARE_TREE},
        domains={"v": domain} if domain else {},
    )
    series = pl.Series("v", values if kind == "numeric" else [str(value) for value in values])
    return vl.read(series.to_frame(), schema).columns["v"]


@given(GROUPS, st.sets(st.integers(0, 5), min_size=1), st.sampled_from(["numeric", "ordered"]))
def test_withheld_values_are_not_steps_of_the_order(groups: np.ndarray, published_codes: set[int], kind: str) -> None:
    """The publisher knows the values of withheld rows and a reader does not, but both must measure the same."""
    publisher_column = make_sensitive_column(kind, SQUARES, None)
    codes = sorted(published_codes)
    reader_column = make_sensitive_column(kind, [int(publisher_column.domain.labels[code]) for code in codes], None)
    groups = groups[groups[:, codes].any(axis=1)]
    groups[:, [code for code in range(6) if code not in published_codes]] = 0
    is_published = groups.sum(axis=0) > 0
    if len(groups) and is_published[codes].all():
        for distance in ("ordered", "hierarchical"):
            publisher_distances = distances(count_groups(groups, of=publisher_column), distance)
            assert publisher_distances == pytest.approx(
                distances(count_groups(groups[:, codes], of=reader_column), distance), abs=1e-12
            )


def test_a_declared_domain_is_public_and_counts_whole() -> None:
    full_column, observed_column = (
        make_sensitive_column("numeric", SQUARES, SQUARES),
        make_sensitive_column("numeric", [0, 25], None),
    )
    groups = np.array([[1, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 1]])
    assert distances(count_groups(groups, of=full_column), "ordered") == pytest.approx([0.5, 0.5])
    declared_column = make_sensitive_column("numeric", [0, 4], SQUARES)
    groups = np.array([[1, 0, 0, 0, 0, 0], [0, 0, 1, 0, 0, 0]])
    assert distances(count_groups(groups, of=declared_column), "ordered") == pytest.approx(
        [0.2, 0.2]
    )  # two of five steps
    assert distances(count_groups(np.eye(2, dtype=np.int64), of=observed_column), "ordered") == pytest.approx(
        [0.5, 0.5]
    )


@pytest.mark.parametrize("kind", ["numeric", "ordered"])
@pytest.mark.parametrize("distance", ["ordered", "hierarchical"])
def test_a_release_that_withholds_values_verifies(kind: str, distance: str) -> None:
    releases_without_a_value = 0
    for seed in range(30):
        rng = np.random.default_rng(seed)
        values = pl.Series("s", rng.choice(SQUARES, 20))
        frame = pl.DataFrame({"a": rng.integers(0, 4, 20), "b": rng.choice(list("pqr"), 20)})
        frame = frame.with_columns(values if kind == "numeric" else values.cast(pl.String))
        schema = vl.Schema(quasi=["a", "b"], sensitive=["s"], kinds={"s": kind}, hierarchies={"s": SQUARE_TREE})
        policy = vl.Policy(vl.KAnonymity(k=3), vl.TCloseness(t=0.3, distance=distance))
        release = vl.publish(vl.read(frame, schema), policy, vl.FullDomain(suppression=0.6))
        assert vl.verify(release).holds
        releases_without_a_value += release.tables["table"]["s"].n_unique() < frame["s"].n_unique()
    assert releases_without_a_value, "no value was withheld altogether: the case under test did not occur"


@pytest.mark.parametrize("knobs", [{"t": -0.1}, {"t": 1.1}, {"t": "0.2"}, {"t": 0.2, "distance": "euclidean"}])
def test_parameters_out_of_range_are_refused(knobs: dict[str, Any]) -> None:
    with pytest.raises(PolicyError):
        vl.TCloseness(**knobs)


def test_a_distance_needs_its_order_or_its_hierarchy() -> None:
    frame = pl.DataFrame({"age": [1, 2, 3], "disease": ["a", "b", "c"]})
    data = vl.read(frame, vl.Schema(quasi=["age"], sensitive=["disease"]))
    with pytest.raises(PolicyError, match="order"):
        vl.publish(data, vl.TCloseness(t=0.5, distance="ordered"))
    with pytest.raises(PolicyError, match="hierarchy"):
        vl.publish(data, vl.TCloseness(t=0.5, distance="hierarchical"))


def test_only_the_equal_distance_bounds_belief() -> None:
    equal, ordered = vl.TCloseness(t=0.25), vl.TCloseness(t=0.25, distance="ordered")
    assert equal.bound() == ordered.bound() == Fraction(1, 4)
    assert (equal.limits, ordered.limits) == ("gain", "distance")
    assert "not bounded" in ordered.promise("disease")


@given(st.integers(1, 9), st.integers(0, 2**32))
def test_distances_of_two_distributions_are_the_cheapest_flows(m: int, seed: int) -> None:
    p, q = np.random.default_rng(seed).dirichlet(np.ones(m), 2)
    assert emd_equal(p, q) == pytest.approx(oracle.earth_mover(p, q, oracle.ground_equal(m)), abs=1e-9)
    assert emd_ordered(p, q) == pytest.approx(oracle.earth_mover(p, q, oracle.ground_ordered(m)), abs=1e-9)
