"""Full-domain recoding finds the least loss over all level vectors without looking at all of them."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
import oracle
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import voile as vl
from voile.errors import PolicyError, Unsatisfiable
from voile.plugins import registry
from voile.tables.group_counts import Counts

TREES = {
    "age": vl.intervals(2, 4, 8),
    "city": {
        "north": {"sea": ["Oslo", "Kiel"], "land": ["Ulm"]},
        "south": {"hills": ["Bern", "Como"], "sea side": ["Nice"]},
    },
    "zip": vl.prefixes(2, 1),
}


def make_table(seed: int, rows: int, columns: int) -> tuple[pl.DataFrame, Any]:
    rng = np.random.default_rng(seed)
    frame = pl.DataFrame(
        {
            "age": rng.integers(20, 36, rows),
            "city": rng.choice(["Oslo", "Kiel", "Ulm", "Bern", "Como", "Nice"], rows),
            "zip": [f"{first_digit}{second_digit}" for first_digit, second_digit in rng.integers(1, 4, (rows, 2))],
            "disease": rng.choice(["flu", "HIV", "acne"], rows, p=[0.5, 0.2, 0.3]),
            "row": [f"r{number}" for number in range(rows)],  # published as it is: it tells which row is where
        }
    )
    quasi = ["age", "city", "zip"][:columns]
    trees = {name: TREES[name] for name in quasi}
    schema = vl.Schema(quasi=quasi, sensitive=["disease"], other=["row"], confirmed=["row"], hierarchies=trees)
    return frame, vl.read(frame, schema)


Judge = Callable[[Counter[str], Counter[str]], bool]
Partition = frozenset[frozenset[str]]


@dataclass(frozen=True)
class LeastLoss:
    """The least loss over all vectors, and the rows of each group under each vector that reaches it."""

    loss: Fraction
    outcomes: list[Partition]


def brute_force(frame: pl.DataFrame, data: Any, judge: Judge, suppression: float) -> LeastLoss | None:
    """Try every level vector: group, withhold the groups that fail, judge the others again, and add up the loss."""
    names = [column.name for column in data.columns.quasi]
    people = frame.to_dicts()
    paths = {column.name: {row[0]: row for row in column.hierarchy.rows()} for column in data.columns.quasi}
    limit = int(suppression * len(people) + 1e-9)
    solutions: list[tuple[Fraction, Partition]] = []
    for vector in itertools.product(*(range(len(next(iter(paths[name].values())))) for name in names)):
        groups: dict[tuple[str, ...], list[dict[str, Any]]] = {}
        for person in people:
            box = tuple(paths[name][str(person[name])][level] for name, level in zip(names, vector, strict=True))
            groups.setdefault(box, []).append(person)
        while True:
            totals = Counter(person["disease"] for members in groups.values() for person in members)
            passing_groups = {
                box: members
                for box, members in groups.items()
                if judge(Counter(member["disease"] for member in members), totals)
            }
            if len(passing_groups) == len(groups):
                break
            groups = passing_groups
        withheld = len(people) - sum(len(members) for members in groups.values())
        if withheld > limit or not groups:
            continue
        loss = Fraction(withheld * len(names))
        for index, (name, level) in enumerate(zip(names, vector, strict=True)):
            values = frame[name].unique().to_list()
            for box, members in groups.items():
                leaves = {value for value in values if paths[name][str(value)][level] == box[index]}
                ends = (min(leaves), max(leaves)) if name == "age" else None
                loss += len(members) * oracle.certainty_penalty(leaves, values, name == "age", ends)
        partition = frozenset(frozenset(member["row"] for member in members) for members in groups.values())
        solutions.append((loss / (len(names) * len(people)), partition))
    if not solutions:
        return None
    least_loss = min(loss for loss, _ in solutions)
    return LeastLoss(least_loss, [partition for loss, partition in solutions if loss == least_loss])


def check_least_loss(release: Any, data: Any, expected: LeastLoss) -> None:
    table, groups = release.tables["table"], dict[tuple[str, ...], set[str]]()
    for *box, row in table.select(*release.cells, "row").iter_rows():
        groups.setdefault(tuple(map(str, box)), set()).add(row)
    assert frozenset(map(frozenset, groups.values())) in expected.outcomes
    if not release.dictionary["withheld"]:  # else cells may be narrower than their nodes, or * and wider
        assert vl.measures.Certainty()(data, release).value == pytest.approx(float(expected.loss), abs=1e-9)


def k_judge(k: int) -> Judge:
    return lambda values, totals: oracle.k_anonymous([*values.values()], k)


def l_judge(l: int) -> Judge:  # noqa: E741 - the letter of the literature
    return lambda values, totals: oracle.frequency_diverse([*values.values()], l)


def t_judge(t: Fraction) -> Judge:
    return lambda values, totals: oracle.variation([values[v] for v in totals], [*totals.values()]) <= t


POLICIES: list[tuple[Any, Judge]] = [
    (vl.KAnonymity(k=2), k_judge(2)),
    (vl.KAnonymity(k=5), k_judge(5)),
    (vl.LDiversity(l=2), l_judge(2)),
    (vl.TCloseness(t=0.25), t_judge(Fraction(1, 4))),
]


@settings(max_examples=60)
@given(
    st.integers(0, 2**32),
    st.sampled_from([6, 15, 30]),
    st.integers(1, 3),
    st.sampled_from(POLICIES),
    st.sampled_from([0.0, 0.1, 0.34, 1.0]),
)
def test_the_release_has_the_least_loss_of_all_level_vectors(
    seed: int, rows: int, columns: int, policy: tuple[Any, Judge], suppression: float
) -> None:
    model, judge = policy
    frame, data = make_table(seed, rows, columns)
    expected = brute_force(frame, data, judge, suppression)
    if expected is None:
        with pytest.raises(Unsatisfiable):
            vl.publish(data, model, vl.FullDomain(suppression=suppression))
        return
    release = vl.publish(data, model, vl.FullDomain(suppression=suppression))
    assert release.dictionary["withheld"] <= suppression * rows
    check_least_loss(release, data, expected)


@settings(max_examples=25)
@given(st.integers(0, 2**32), st.sampled_from([0.0, 0.2]))
def test_every_column_is_recoded_to_one_level(seed: int, suppression: float) -> None:
    """Global recoding: the cells of a column divide the published values as one level of its hierarchy does."""
    frame, data = make_table(seed, 40, 3)
    release = vl.publish(data, vl.KAnonymity(k=3), vl.FullDomain(suppression=suppression))
    table = release.tables["table"]
    assert table.height + release.dictionary["withheld"] == frame.height
    own = {row["row"]: row for row in frame.to_dicts()}
    for column in data.columns.quasi:
        entry = next(entry for entry in release.described("quasi") if entry["name"] == column.name)
        values = frame[column.name].unique().to_list()
        shown: dict[str, set[Any]] = {}  # the values of the published rows below each label
        for label, row in table.select(column.name, "row").iter_rows():
            shown.setdefault(str(label), set()).add(own[row][column.name])
        for label, inside in shown.items():
            assert inside <= oracle.stands_for(label, entry, values)
        cells = list(shown.values())
        levels = []
        for level in range(column.hierarchy.height + 1):
            nodes: dict[str, set[Any]] = {}
            for value in values:
                path = next(row for row in column.hierarchy.rows() if row[0] == str(value))
                nodes.setdefault(path[level], set()).add(value)
            levels.append(list(nodes.values()))
        # every cell lies in one node, and no two cells lie in the same node
        assert any(
            all(sum(cell <= node for node in level) == 1 for cell in cells)
            and all(sum(cell <= node for cell in cells) <= 1 for node in level)
            for level in levels
        ), column.name


def test_withholding_one_row_keeps_the_city() -> None:
    """Four people live in two cities: the city is suppressed unless one person may be withheld."""
    frame = pl.DataFrame({"city": ["Oslo", "Oslo", "Oslo", "Bern"]})
    tree = {"north": ["Oslo"], "south": ["Bern"]}
    data = vl.read(frame, vl.Schema(quasi=["city"], hierarchies={"city": tree}))
    strict_release = vl.publish(data, vl.KAnonymity(k=2), vl.FullDomain())
    assert strict_release.tables["table"]["city"].to_list() == ["*"] * 4
    loose_release = vl.publish(data, vl.KAnonymity(k=2), vl.FullDomain(suppression=0.25))
    assert loose_release.tables["table"]["city"].to_list() == ["Oslo"] * 3
    assert loose_release.dictionary["withheld"] == 1


def test_no_more_rows_are_withheld_than_the_limit_allows() -> None:
    """0.24 of four rows is less than one row."""
    data = vl.read(pl.DataFrame({"city": ["Oslo", "Oslo", "Oslo", "Bern"]}), vl.Schema(quasi=["city"]))
    release = vl.publish(data, vl.KAnonymity(k=2), vl.FullDomain(suppression=0.24))
    assert release.dictionary["withheld"] == 0


def test_withheld_rows_leave_no_trace() -> None:
    """A value that only withheld people have appears in no file."""
    frame = pl.DataFrame({"city": ["Oslo"] * 9 + ["Atlantis"], "disease": ["flu", "cold", "gout"] * 3 + ["leprosy"]})
    for tree in ({}, {"city": {"here": ["Oslo"], "there": ["Atlantis"]}}):
        data = vl.read(frame, vl.Schema(quasi=["city"], sensitive=["disease"], hierarchies=tree))
        release = vl.publish(data, vl.KAnonymity(k=2), vl.FullDomain(suppression=0.1))
        assert release.dictionary["withheld"] == 1
        published_text = str(release.dictionary) + str(release.tables) + str(release.certificate.as_json())
        assert "Atlantis" not in published_text
        assert "leprosy" not in published_text


@pytest.fixture
def odd_model() -> Iterator[Any]:
    """A model that is not monotone: a group must have an odd number of rows."""

    @dataclass(frozen=True)
    class Odd(vl.KAnonymity):
        """Odd groups."""

        name: ClassVar[str] = "toy-odd"
        monotone: ClassVar[bool] = False

        def holds(self, counts: Counts) -> np.ndarray:
            return np.asarray((counts.sizes >= self.k) & (counts.sizes % 2 == 1))

    yield Odd(k=2)
    del registry._registry["models"]["toy-odd"]


@pytest.mark.parametrize("suppression", [0.0, 0.3])
def test_a_model_that_is_not_monotone_gets_the_least_loss(odd_model: Any, suppression: float) -> None:
    releases = 0
    for seed in range(12):
        frame, data = make_table(seed, 15, 2)
        judge: Judge = lambda values, totals: values.total() % 2 == 1 and values.total() >= 2  # noqa: E731
        expected = brute_force(frame, data, judge, suppression)
        if expected is None:
            with pytest.raises(Unsatisfiable):
                vl.publish(data, odd_model, vl.FullDomain(suppression=suppression))
            continue
        releases += 1
        release = vl.publish(data, odd_model, vl.FullDomain(suppression=suppression))
        assert (release.sizes % 2 == 1).all()
        check_least_loss(release, data, expected)
    assert releases > 3


def test_mondrian_refuses_a_model_that_is_not_monotone(odd_model: Any) -> None:
    _, data = make_table(0, 15, 2)
    with pytest.raises(PolicyError) as caught:
        vl.publish(data, odd_model, vl.Mondrian())
    assert caught.value.code == "policy.monotone"
    assert "FullDomain" in str(caught.value)


def test_columns_without_a_hierarchy_get_an_automatic_one() -> None:
    rng = np.random.default_rng(0)
    frame = pl.DataFrame({"age": rng.integers(18, 90, 200), "city": rng.choice(list("abcdefghij"), 200)})
    release = vl.publish(vl.read(frame, vl.Schema(quasi=["age", "city"])), vl.KAnonymity(k=10), vl.FullDomain())
    assert release.groups > 1
    assert release.sizes.min() >= 10


@pytest.mark.parametrize("suppression", [-0.1, 1.5, "0.1"])
def test_a_suppression_out_of_range_is_refused(suppression: Any) -> None:
    with pytest.raises(PolicyError):
        vl.FullDomain(suppression=suppression)


def test_a_lattice_that_is_too_large_is_refused() -> None:
    """Eight columns of eight levels are 16,777,216 vectors."""
    codes = [f"{i:07b}" for i in range(128)]
    frame = pl.DataFrame({f"c{i}": codes for i in range(8)})
    schema = vl.Schema(quasi=frame.columns, hierarchies=dict.fromkeys(frame.columns, vl.prefixes(6, 5, 4, 3, 2, 1)))
    with pytest.raises(PolicyError) as caught:
        vl.publish(vl.read(frame, schema), vl.KAnonymity(k=2), vl.FullDomain())
    assert caught.value.code == "policy.lattice"


def test_a_release_that_withholds_everybody_is_refused() -> None:
    data = vl.read(pl.DataFrame({"age": [1, 2, 3]}), vl.Schema(quasi=["age"]))
    with pytest.raises(Unsatisfiable):
        vl.publish(data, vl.KAnonymity(k=4), vl.FullDomain(suppression=1.0))
