"""Large tables in parts: cuts decided on counts, the same whatever the order of the rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest
from published import KEY, QUASI, digests, people, schema

import voile as vl
from voile.flow.publish.earlier_releases import EarlierReleases
from voile.flow.publish.partition_planning import people_before, plan_partition
from voile.flow.publish.plan import make_plan, partition_rows
from voile.models.policy import Policy
from voile.tables import partition_tree


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(partition_tree, "LARGEST_PART", 300)


def cut(frame: pl.DataFrame, policy: Any, method: Any) -> tuple[Any, Any]:
    data = vl.read(frame, schema())
    return data, plan_partition(data.columns, data.rows, Policy(policy), method)


def test_parts_are_small_and_everybody_is_in_one() -> None:
    data, found = cut(people(), vl.KAnonymity(k=5), vl.Mondrian())
    sizes = found.people[found.leaves]
    assert sizes.max() <= 300
    assert sizes.sum() == 2_000
    assert sizes.min() > 30  # cuts are even
    parts = list(data.rows.with_key(KEY).parts(found))
    assert [part.total for part in parts] == sizes.tolist()
    assert people_before(found) == [0, *np.cumsum(sizes)[:-1]]
    assert len({part.key.secret for part in parts}) == len(parts)


def test_boxes_tile_the_space() -> None:
    data, found = cut(people(), vl.KAnonymity(k=5), vl.Mondrian())
    volume = 0
    for box, part in zip(found.boxes, data.rows.with_key(KEY).parts(found), strict=True):
        volume += int(np.prod([mask.sum() for mask in box.values()]))
        for name, mask in box.items():
            assert mask[part.codes[:, part.names.index(name)]].all()
    assert volume == int(np.prod([column.size for column in data.columns.quasi]))


def test_the_order_of_the_rows_says_nothing() -> None:
    _, found = cut(people(), vl.LDiversity(l=3), vl.Anatomy())
    _, again = cut(people().sample(fraction=1, shuffle=True, seed=3), vl.LDiversity(l=3), vl.Anatomy())
    for one, other in zip(
        (found.column, found.cut, found.left, found.people), (again.column, again.cut, again.left, again.people),
        strict=True,
    ):  # fmt: skip
        assert np.array_equal(one, other)


def test_a_small_table_is_not_divided() -> None:
    assert cut(people().head(300), vl.KAnonymity(k=5), vl.Mondrian())[1] is None
    alike = people().with_columns(pl.col(QUASI).first())
    assert cut(alike, vl.KAnonymity(k=5), vl.Mondrian())[1] is None  # there is nothing to cut


def test_no_part_is_made_that_cannot_keep_the_policy() -> None:
    # the young have one value: a cut by age alone would leave them nothing to hide among
    frame = people().with_columns(occupation=pl.when(pl.col("age") < 40).then(pl.lit("pupil")).otherwise("occupation"))
    data, found = cut(frame, vl.LDiversity(l=2), vl.Mondrian())
    if found is not None:
        for part in data.rows.with_key(KEY).parts(found):
            (counts,) = part.tally_values(data.columns).values()
            assert vl.LDiversity(l=2).holds(counts).all()
    assert vl.verify(vl.publish(data, vl.LDiversity(l=2))).holds


def test_what_rests_on_coins_divides_without_a_look() -> None:
    policy = Policy(vl.AntiCorruption(rho1=0.2, rho2=0.5))
    data = vl.read(people(), schema())
    assert vl.PerturbedGeneralization().watched_columns(data.columns, policy) == []
    shuffled = people().with_columns(occupation=people()["occupation"].shuffle(seed=5))
    _, found = cut(people(), vl.AntiCorruption(rho1=0.2, rho2=0.5), vl.PerturbedGeneralization())
    _, again = cut(shuffled, vl.AntiCorruption(rho1=0.2, rho2=0.5), vl.PerturbedGeneralization())
    assert np.array_equal(found.cut, again.cut)
    assert np.array_equal(found.column, again.column)


@pytest.mark.parametrize("recoding", ["tight", "hierarchy"])
def test_parts_make_one_release(recoding: str) -> None:
    trees = {"education": vl.by_frequency(4), "age": vl.intervals(10, 40)}
    data = vl.read(people(), schema(hierarchies=trees))
    release = vl.publish(data, vl.Policy(vl.KAnonymity(k=4), vl.TCloseness(t=0.6)), vl.Mondrian(recoding), key=KEY)
    assert vl.verify(release).holds
    assert release.people == 2_000
    again = vl.publish(data, vl.Policy(vl.KAnonymity(k=4), vl.TCloseness(t=0.6)), vl.Mondrian(recoding), key=KEY)
    assert digests(again) == digests(release)


def test_closeness_is_to_the_whole_table() -> None:
    """Each part must be as near to the whole as the promise says, not only to itself."""
    frame = people().with_columns(
        occupation=pl.when(pl.col("gender") == "Male").then(pl.lit("a")).otherwise(pl.lit("b"))
    )
    release = vl.publish(vl.read(frame, schema()), vl.TCloseness(t=0.2), key=KEY)
    assert vl.verify(release).holds


def test_a_method_that_decides_for_everybody_at_once_has_one_part() -> None:
    data = vl.read(people(), schema())
    plan = make_plan(data, vl.KAnonymity(k=5), vl.FullDomain(), KEY, EarlierReleases())
    assert len(partition_rows(plan)[0]) == 1
    plan = make_plan(data, vl.KAnonymity(k=5), vl.Mondrian(), KEY, EarlierReleases())
    assert len(partition_rows(plan)[0]) > 1
