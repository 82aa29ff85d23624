"""Cluster end to end: every model holds, nobody is lost, and less is lost than by Mondrian."""

from __future__ import annotations

from collections import Counter
from typing import Any
from unittest import mock

import numpy as np
import polars as pl
import pytest
from published import KEY, digests

import voile as vl
from voile.errors import PolicyError, Unsatisfiable
from voile.methods.cluster import judged_clusters

QUASI = ["age", "letter", "size"]
TREE = {"front": ["a", "b", "c"], "back": ["d", "e", "f", "g", "h"]}
POLICIES = {
    "k": vl.Policy(vl.KAnonymity(k=4)),
    "distinct": vl.Policy(vl.KAnonymity(k=3), vl.LDiversity(l=2, form="distinct")),
    "frequency": vl.Policy(vl.LDiversity(l=2)),
    "entropy": vl.Policy(vl.LDiversity(l=2, form="entropy")),
    "closeness": vl.Policy(vl.KAnonymity(k=3), vl.TCloseness(t=0.3)),
}


def make_table(seed: int, rows: int = 300) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    return pl.DataFrame(
        {
            "age": rng.integers(0, 60, rows),
            "letter": rng.choice(list("abcdefgh"), rows, p=rng.dirichlet(np.full(8, 0.7))),
            "size": rng.choice(["S", "M", "L"], rows),
            "disease": rng.choice(["flu", "HIV", "acne", "gout"], rows, p=[0.4, 0.3, 0.2, 0.1]),
        }
    )


def read(frame: pl.DataFrame, **changes: Any) -> vl.Microdata:
    schema = vl.Schema(
        **{
            "quasi": QUASI,
            "sensitive": ["disease"],
            "kinds": {"size": "ordered"},
            "domains": {"size": ["S", "M", "L"]},
            **changes,
        }
    )
    return vl.read(frame, schema)


def recount(release: vl.Release) -> dict[tuple[str, ...], Counter[str]]:
    """Count the diseases of each group, from the published table alone."""
    groups: dict[tuple[str, ...], Counter[str]] = {}
    for *cells, disease in release.tables["table"].select([*QUASI, "disease"]).iter_rows():
        groups.setdefault(tuple(map(str, cells)), Counter())[disease] += 1
    return groups


@pytest.mark.parametrize("recoding", ["tight", "hierarchy"])
@pytest.mark.parametrize("promise", POLICIES)
def test_every_group_holds_and_nobody_is_lost(promise: str, recoding: str) -> None:
    frame = make_table(3)
    method = vl.Cluster(recoding=recoding, box_size=50)
    release = vl.publish(read(frame, hierarchies={"letter": TREE}), POLICIES[promise], method, key=KEY)
    groups = recount(release)
    total = sum(groups.values(), Counter())
    assert total == Counter(frame["disease"].to_list())
    for counts in groups.values():
        size = counts.total()
        if promise == "k":
            assert size >= 4
        if promise == "distinct":
            assert size >= 3
            assert len(counts) >= 2
        if promise == "frequency":
            assert 2 * max(counts.values()) <= size
        if promise == "closeness":
            assert sum(abs(counts[value] / size - total[value] / 300) for value in total) / 2 <= 0.3 + 1e-9
    if recoding == "hierarchy":
        assert set(release.tables["table"]["letter"].cast(pl.String)) <= {*"abcdefgh", "front", "back", "*"}
    assert len(groups) > 3


def test_every_cell_holds_a_person_of_the_group() -> None:
    """In a tight release both ends of a range and every value of a set occur: rows of the table explain each group."""
    frame = make_table(5)
    release = vl.publish(read(frame), vl.KAnonymity(k=4), vl.Cluster(box_size=60), key=KEY)
    for (ages, letters, _), counts in recount(release).items():
        low, high = map(int, ages.strip("[]").split(", ")) if "[" in ages else (int(ages), int(ages))
        fits = frame.filter(
            pl.col("age").is_between(low, high) & pl.col("letter").is_in(letters.strip("{}").split("|"))
        )
        assert fits.height >= counts.total()
        assert {low, high} <= set(fits["age"])


@pytest.mark.parametrize("promise", POLICIES)
def test_less_is_lost_than_by_mondrian(promise: str) -> None:
    data = read(make_table(7, 600))
    losses = [
        vl.measure(data, vl.publish(data, POLICIES[promise], method, key=KEY), [vl.measures.Certainty()]).items[0].value
        for method in (vl.Mondrian(), vl.Cluster())
    ]
    assert losses[1] < losses[0]


def test_the_order_of_rows_does_not_matter() -> None:
    frame = make_table(9)
    shuffled = frame.sample(fraction=1, shuffle=True, seed=1)
    for policy in POLICIES.values():
        releases = [vl.publish(read(table), policy, vl.Cluster(), key=KEY) for table in (frame, shuffled)]
        assert digests(releases[0]) == digests(releases[1])


def test_boxes_side_by_side_are_the_boxes_one_by_one() -> None:
    data, policy = read(make_table(11)), POLICIES["distinct"]
    together = vl.publish(data, policy, vl.Cluster(box_size=20), key=KEY)
    with mock.patch.object(judged_clusters, "SIDE_BY_SIDE", 1):
        assert digests(vl.publish(data, policy, vl.Cluster(box_size=20), key=KEY)) == digests(together)


def test_values_do_not_steer_clusters_of_sizes() -> None:
    frame = make_table(13)
    other = frame.with_columns(pl.col("disease").reverse())
    boxes = [
        sorted(
            (key, counts.total())
            for key, counts in recount(vl.publish(read(table), POLICIES["k"], vl.Cluster(), key=KEY)).items()
        )
        for table in (frame, other)
    ]
    assert boxes[0] == boxes[1]


def test_missing_values_and_shared_combinations() -> None:
    frame = pl.DataFrame(
        {
            "age": [30] * 5 + [None, None, 41, 42, 43],
            "letter": ["a"] * 5 + ["b", None, "b", "c", "c"],
            "size": ["S"] * 10,
            "disease": ["flu", "HIV"] * 5,
        }
    )
    release = vl.publish(read(frame, missing="value"), vl.KAnonymity(k=5), vl.Cluster(), key=KEY)
    groups = recount(release)
    assert [counts.total() for counts in groups.values()] == [5, 5]
    assert ("30", "a", "S") in groups


@pytest.mark.parametrize("seed", range(30))
def test_hard_promises_on_small_tables(seed: int) -> None:
    """Tables in which nearly every cluster fails at first: the release holds, or nothing does."""
    rng = np.random.default_rng(seed)
    frame = make_table(seed, int(rng.integers(4, 40)))
    policy = vl.Policy(vl.KAnonymity(k=2), vl.LDiversity(l=int(rng.integers(2, 4)), form="recursive", c=1.5))
    try:
        release = vl.publish(read(frame), policy, vl.Cluster(box_size=10), key=KEY)
    except Unsatisfiable:
        with pytest.raises(Unsatisfiable):
            vl.publish(read(frame), policy, vl.Mondrian(), key=KEY)
        return
    assert vl.verify(release).holds
    assert release.people == frame.height


def test_bad_requests() -> None:
    with pytest.raises(PolicyError, match="box_size"):
        vl.Cluster(box_size=3)
    with pytest.raises(Unsatisfiable):
        vl.publish(read(make_table(1, 5)), vl.KAnonymity(k=6), vl.Cluster())


def test_boxes_are_larger_in_small_tables_and_where_nothing_is_judged() -> None:
    sizes, values = vl.Policy(vl.KAnonymity(k=5)), vl.Policy(vl.LDiversity(l=2))
    assert [vl.Cluster().people_per_box(people, sizes) for people in (30_000, 300_000, 1_000_000)] == [3000, 300, 150]
    assert [vl.Cluster().people_per_box(people, values) for people in (30_000, 300_000)] == [1000, 150]
    assert vl.Cluster(box_size=20).people_per_box(30_000, sizes) == 20
