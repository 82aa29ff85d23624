"""Methods follow wishes, or refuse them by name. Everything is judged from the published labels."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

import voile as vl
from voile.errors import PolicyError, Unsatisfiable
from voile.methods.base import Method, Steerable
from voile.methods.steering.column_cells import weigh_losses
from voile.methods.steering.strata import number_strata
from voile.plugins.registry import registered_classes
from voile.releases.cells.cells import node_cells
from voile.testing.plugin_contract import example_of

STEERED = [vl.FullDomain(), vl.Mondrian(), vl.Mondrian("hierarchy"), vl.Cluster(), vl.Cluster("hierarchy")]
POLICIES = [vl.Policy(vl.KAnonymity(k=4)), vl.Policy(vl.KAnonymity(k=3), vl.LDiversity(l=2))]


def people(rows: int = 300, seed: int = 5) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    return pl.DataFrame(
        {
            "age": rng.integers(18, 78, rows),
            "sex": rng.choice(["f", "m"], rows),
            "zip": rng.choice(["10115", "10117", "20095", "20097", "80331", "80333"], rows),
            "pay": np.rint(rng.lognormal(6, 1.5, rows)).astype(int),
            "ill": rng.choice(list("abcdef"), rows),
        }
    )


def publish(method: Method, policy: vl.Policy, *, quasi: Any = ("age", "sex", "zip"), **steering: Any) -> Any:
    hierarchies = {"zip": vl.prefixes(5, 2), "age": vl.intervals(10, 30)}
    known = {name: recipe for name, recipe in hierarchies.items() if name in quasi}
    schema = vl.Schema(quasi=quasi, sensitive=["ill"], hierarchies=known, steering=steering)
    release = vl.publish(vl.read(people(), schema), policy, method, key=vl.Key(bytes(32)))
    assert vl.verify(release).holds
    return release


def labels(release: Any, column: str) -> set[str]:
    return set(release.tables["table"][column].cast(pl.String))


def widths(ranges: set[str]) -> list[int]:
    ends = [[int(end) for end in label.strip("[]").split(", ")] for label in ranges]
    return [pair[-1] - pair[0] for pair in ends]


@pytest.mark.parametrize("policy", POLICIES, ids=["sizes", "values"])
@pytest.mark.parametrize("method", STEERED, ids=repr)
def test_nothing_finer_and_nothing_coarser_is_published(method: Method, policy: vl.Policy) -> None:
    release = publish(method, policy, age={"finest": 1}, zip={"coarsest": 1}, sex={"coarsest": 0})
    assert labels(release, "sex") == {"f", "m"}
    assert all(label[:2].isdigit() for label in labels(release, "zip"))
    assert all("|" not in label for label in labels(release, "zip"))
    assert all(width >= 9 for width in widths(labels(release, "age") - {"*"}))
    fixed = publish(method, policy, age={"finest": 1, "coarsest": 1}, sex={"weight": 3})
    assert set(widths(labels(fixed, "age"))) == {9}


@pytest.mark.parametrize("method", STEERED, ids=repr)
def test_a_column_that_weighs_more_loses_less(method: Method) -> None:
    def lost(column: str, **steering: Any) -> float:
        release = publish(method, POLICIES[0], **steering)
        data = vl.read(people(), vl.Schema(quasi=["age", "sex", "zip"], sensitive=["ill"]))
        return float(vl.measure(data, release, [vl.measures.Certainty()]).items[0].parts[column])

    for column in ("age", "zip"):
        light, heavy = lost(column, **{column: {"weight": 0}}), lost(column, **{column: {"weight": 20}})
        assert heavy < light


@pytest.mark.parametrize("method", [vl.Mondrian(), vl.Cluster()], ids=repr)
def test_ranks_spread_a_skewed_number_evenly(method: Method) -> None:
    ranks = {str(value): rank for rank, value in enumerate(sorted(set(people()["pay"])))}

    def mean_span(**steering: Any) -> float:
        release = publish(method, POLICIES[0], quasi=("pay", "age"), **steering)
        ends = [label.strip("[]").split(", ") for label in release.tables["table"]["pay"].cast(pl.String)]
        return float(np.mean([ranks[pair[-1]] - ranks[pair[0]] for pair in ends]))

    assert mean_span(pay={"by_rank": True}) < mean_span()


def test_full_domain_measures_ranks() -> None:
    data = vl.read(people(), vl.Schema(quasi=["pay"], steering={"pay": {"by_rank": True, "weight": 2}}))
    column = vl.FullDomain().complete_hierarchies(data.columns, data.rows)["pay"]
    assert column.hierarchy is not None
    cells = node_cells(column.domain, column.hierarchy, 1)
    expected = [2 * (size - 1) / (column.size - 1) for size in np.bincount(column.hierarchy.maps[1])]
    assert weigh_losses(column, cells).tolist() == pytest.approx(expected)


@pytest.mark.parametrize("method", [vl.Mondrian(), vl.Cluster(), vl.FullDomain()], ids=repr)
def test_never_coarsening_a_rare_column_says_how_many_people_to_withhold(method: Any) -> None:
    counts = people()["age"].value_counts()
    rare = int(counts.filter(pl.col("count") < 4)["count"].sum())
    with pytest.raises(Unsatisfiable, match=f"{rare} of 300 people .* 'age' is never coarsened") as caught:
        publish(method, POLICIES[0], age={"coarsest": 0})
    assert caught.value.code == "unsatisfiable.steering"
    share = -(-1000 * rare // 300) / 1000
    release = publish(type(method)(suppression=share), POLICIES[0], age={"coarsest": 0})
    assert release.dictionary["withheld"] >= rare
    assert all(label.isdigit() for label in labels(release, "age"))


def test_strata_are_the_nodes_of_the_coarsest_levels() -> None:
    schema = vl.Schema(
        quasi=["age", "zip"],
        hierarchies={"zip": vl.prefixes(5, 2)},
        steering={"zip": {"coarsest": 1}, "age": {"coarsest": 0}},
    )
    data = vl.read(people(60).select("age", "zip"), schema)
    table = data.rows.histogram(["age", "zip"])
    stratum = number_strata(data.columns, table)
    ages, zips = (data.columns[name].domain.decode(table.column(name)).to_list() for name in ("age", "zip"))
    pairs = [(age, place[:2]) for age, place in zip(ages, zips, strict=True)]
    assert stratum is not None
    assert [pairs.index(pair) for pair in pairs] == [stratum.tolist().index(number) for number in stratum]


@pytest.mark.parametrize("name", sorted(registered_classes("methods")))
def test_methods_follow_wishes_or_refuse_them(name: str) -> None:
    method = example_of(registered_classes("methods")[name])  # type: ignore[type-var]
    data = vl.read(people(), vl.Schema(quasi=["age", "sex"], sensitive=["ill"], steering={"age": {"weight": 2}}))
    if isinstance(method, Steerable):
        return
    with pytest.raises(PolicyError) as caught:
        Method.check(method, data.columns, POLICIES[0])
    assert caught.value.code == "policy.steering"
    assert name in caught.value.message
