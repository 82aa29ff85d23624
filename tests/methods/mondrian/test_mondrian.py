"""Mondrian end to end: the boxes of a Mondrian of plain lists, tight cells, and only labels of the hierarchy."""

from __future__ import annotations

import datetime
from collections import Counter
from typing import Any

import numpy as np
import oracle
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle import Cuttable

import voile as vl
from voile.errors import PolicyError, Unsatisfiable
from voile.kernels import lazy_module
from voile.methods.mondrian import policy_cuts

cut_kernel = lazy_module("voile.methods.mondrian.kernel")

LETTERS = list("abcdefghi")


def make_table(seed: int, rows: int) -> pl.DataFrame:
    """Return ages 0 to 16 and nine letters, each at least once: spreads are exact in binary, and so are ties."""
    rng = np.random.default_rng(seed)
    ages = np.append(np.arange(17), rng.integers(0, 17, rows))
    return pl.DataFrame(
        {
            "age": ages,
            "letter": np.append(np.resize(LETTERS, 17), rng.choice(LETTERS, rows, p=rng.dirichlet(np.full(9, 0.6)))),
            "disease": rng.choice(["flu", "HIV", "acne", "gout"], rows + 17),
        }
    )


SCHEMA = vl.Schema(quasi=["age", "letter"], sensitive=["disease"])


def groups_of_the_oracle(
    frame: pl.DataFrame, smallest: int, fine: int, diversity: int | None
) -> list[list[tuple[int, str, str]]]:
    """Return the oracle's groups of people: letters are cut in falling order of frequency."""
    frequency = Counter(frame["letter"].to_list())
    rank = {
        letter: position for position, letter in enumerate(sorted(LETTERS, key=lambda name: (-frequency[name], name)))
    }
    people: Counter[tuple[int, str, str]] = Counter(frame.iter_rows())
    rows = sorted(people)
    if diversity is None:  # people with the same age and letter are one row
        people_by_cell: Counter[tuple[int, str]] = Counter()
        for age, letter, _ in frame.iter_rows():
            people_by_cell[age, letter] += 1
        cells: list[Any] = sorted(people_by_cell)
        weights = [people_by_cell[cell] for cell in cells]
    else:
        cells, weights = rows, [people[cell] for cell in rows]
    columns = [Cuttable(range(17), True, 1 / 16), Cuttable(range(9), False, 1 / 8)]

    def fits(node: list[int]) -> bool:
        values: Counter[str] = Counter()
        for i in node:
            values[cells[i][2]] += weights[i]
        return oracle.frequency_diverse([*values.values()], diversity or 1)

    codes = [(cell[0], rank[cell[1]]) for cell in cells]
    groups = oracle.mondrian(codes, weights, columns, smallest, fine, fits if diversity else None)
    groups_of_people = []
    for group in groups:
        cells_of_group = {cells[i][:2] for i in group}
        groups_of_people.append(sorted(person for person in frame.iter_rows() if person[:2] in cells_of_group))
    return sorted(groups_of_people)


def people_in_boxes(frame: pl.DataFrame, release: Any) -> list[list[tuple[int, str, str]]]:
    """Return the people in each published box; boxes of tight cells never overlap."""
    entries = {str(entry["name"]): entry for entry in release.described("quasi")}
    boxes = []
    for box in release.tables["table"].select("age", "letter").unique().iter_rows(named=True):
        values_by_column = {
            name: oracle.stands_for(box[name], entries[name], frame[name].unique().to_list())
            for name in ("age", "letter")
        }
        boxes.append(
            sorted(
                person
                for person in frame.iter_rows()
                if person[0] in values_by_column["age"] and person[1] in values_by_column["letter"]
            )
        )
    return sorted(boxes)


@settings(max_examples=25)
@given(st.integers(0, 2**32), st.sampled_from([5, 60, 300]), st.integers(2, 9))
def test_boxes_under_k_anonymity_are_those_of_the_oracle(seed: int, rows: int, k: int) -> None:
    frame = make_table(seed, rows)
    release = vl.publish(vl.read(frame, SCHEMA), vl.KAnonymity(k=k), vl.Mondrian())
    published_boxes = people_in_boxes(frame, release)
    assert published_boxes == groups_of_the_oracle(frame, k, cut_kernel.FINE, None)
    assert sorted(map(len, published_boxes)) == sorted(release.sizes.tolist())


@settings(max_examples=25)
@given(st.integers(0, 2**32), st.sampled_from([5, 60, 150]), st.integers(2, 3))
def test_boxes_under_l_diversity_are_those_of_the_oracle(seed: int, rows: int, l: int) -> None:  # noqa: E741
    frame = make_table(seed, rows)
    try:
        release = vl.publish(vl.read(frame, SCHEMA), vl.LDiversity(l=l), vl.Mondrian())
    except Unsatisfiable:
        largest_count = max(Counter(frame["disease"].to_list()).values())
        assert largest_count * l > frame.height
        return
    assert people_in_boxes(frame, release) == groups_of_the_oracle(frame, l, policy_cuts.FINE, l)


@given(st.integers(0, 2**32), st.integers(2, 6))
def test_cells_span_exactly_the_people_of_their_box(seed: int, k: int) -> None:
    frame = make_table(seed, 60)
    release = vl.publish(vl.read(frame, SCHEMA), vl.KAnonymity(k=k), vl.Mondrian())
    entries = {str(entry["name"]): entry for entry in release.described("quasi")}
    published_boxes = release.tables["table"].select("age", "letter").unique().iter_rows(named=True)
    values = frame["letter"].unique().to_list()
    tight_cells = set()
    for people in people_in_boxes(frame, release):
        ages = [person[0] for person in people]
        tight_cells.add((min(ages), max(ages), frozenset(person[1] for person in people)))
    published_cells = set()
    for box in published_boxes:
        ages_of_cell = oracle.stands_for(box["age"], entries["age"], list(range(17)))
        published_cells.add(
            (
                min(ages_of_cell),
                max(ages_of_cell),
                frozenset(oracle.stands_for(box["letter"], entries["letter"], values)),
            )
        )
    assert published_cells == tight_cells


TREES = {
    "age": vl.intervals(4, 8),
    "letter": {"first": {"ab": ["a", "b"], "cd": ["c", "d"]}, "last": {"ef": ["e", "f"], "ghi": ["g", "h", "i"]}},
}


@given(st.integers(0, 2**32), st.integers(2, 12))
def test_hierarchy_recoding_shows_labels_of_the_hierarchy_only(seed: int, k: int) -> None:
    frame = make_table(seed, 80)
    data = vl.read(frame, vl.Schema(quasi=["age", "letter"], sensitive=["disease"], hierarchies=TREES))
    release = vl.publish(data, vl.KAnonymity(k=k), vl.Mondrian(recoding="hierarchy"))
    for column in data.columns.quasi:
        assert column.hierarchy is not None
        labels = {label for row in column.hierarchy.rows() for label in row}
        published_labels = set(release.tables["table"][column.name].cast(pl.String))
        assert published_labels <= labels, column.name
    for box in release.tables["table"].select("age", "letter").unique().iter_rows():
        assert not str(box[1]).startswith("{")


def test_hierarchy_labels_that_look_like_values_are_read_as_nodes() -> None:
    """A node with the name of one of its leaves must not be read as that leaf."""
    frame = pl.DataFrame({"age": [5, 6, 7, 8] * 6 + [5] * 6})
    tree = {"all": {"5": [5, 6], "7": [7, 8]}}
    for kinds in ({}, {"age": "ordered"}, {"age": "categorical"}):
        data = vl.read(frame, vl.Schema(quasi=["age"], kinds=kinds, hierarchies={"age": tree}))
        for method in (vl.Mondrian(recoding="hierarchy"), vl.FullDomain(), vl.Mondrian()):
            for k in (2, 7, 13):
                release = vl.publish(data, vl.KAnonymity(k=k), method)
                entry = release.described("quasi")[0]
                values_of_cells: Counter[int] = Counter()
                for label in release.tables["table"]["age"].unique():
                    values_of_cells.update(oracle.stands_for(label, entry, [5, 6, 7, 8]))
                assert values_of_cells == Counter([5, 6, 7, 8]), (kinds, method, k)


def test_boxes_of_dates_times_and_missing_values_hold_everybody() -> None:
    rng = np.random.default_rng(1)
    days = [datetime.date(2020, 1, 1) + datetime.timedelta(int(step)) for step in rng.integers(0, 900, 80)]
    times = [
        datetime.datetime(2020, 1, 1, 8, 30) + datetime.timedelta(minutes=int(m)) for m in rng.integers(0, 9000, 80)
    ]
    frame = pl.DataFrame(
        {
            "day": [None if rng.random() < 0.1 else day for day in days],
            "time": times,
            "weight": [None if rng.random() < 0.1 else float(w) for w in rng.integers(500, 900, 80) / 10],
        }
    )
    for trees in ({}, {"day": vl.dates(), "time": "auto"}):
        data = vl.read(frame, vl.Schema(quasi=frame.columns, hierarchies=trees, missing="value"))
        for recoding in ("tight", "hierarchy"):
            release = vl.publish(data, vl.KAnonymity(k=4), vl.Mondrian(recoding=recoding))
            assert release.sizes.min() >= 4
            assert release.groups > 4
            entries = {str(entry["name"]): entry for entry in release.described("quasi")}
            people_found = 0
            for box in release.tables["table"].unique().iter_rows(named=True):
                fits = [
                    all(
                        row[name] in oracle.stands_for(box[name], entries[name], frame[name].unique().to_list())
                        for name in row
                    )
                    for row in frame.iter_rows(named=True)
                ]
                assert sum(fits) >= 4
                people_found += sum(fits)
            assert people_found >= frame.height


@pytest.mark.parametrize("recoding", ["loose", "", None, 1])
def test_an_unknown_recoding_is_refused(recoding: Any) -> None:
    with pytest.raises(PolicyError):
        vl.Mondrian(recoding=recoding)


@pytest.mark.parametrize("codes", [65, 70_000])
def test_columns_of_many_codes_are_cut_finely(codes: int) -> None:
    """More values than a sketch has bits, and more values than two bytes can number."""
    frame = pl.DataFrame({"number": np.arange(codes), "text": [f"t{i % 90:02d}" for i in range(codes)]})
    release = vl.publish(vl.read(frame, vl.Schema(quasi=["number", "text"])), vl.KAnonymity(k=5))
    assert release.people == codes
    assert release.sizes.min() >= 5
    assert release.sizes.max() < 20
    entry = release.described("quasi")[0]
    low, high = entry["domain"]["min"], entry["domain"]["max"]
    assert (low, high) == (0, codes - 1)


def test_equal_people_are_published_as_they_are() -> None:
    frame = pl.DataFrame({"age": [30] * 9, "city": ["Bern"] * 9})
    release = vl.publish(vl.read(frame, vl.Schema(quasi=["age", "city"])), vl.KAnonymity(k=4))
    assert release.tables["table"].equals(frame)
    assert release.groups == 1


def test_adult_is_published_without_needless_loss(adult: pl.DataFrame) -> None:
    """45,222 people: every group has k rows and l well-represented occupations, and the boxes are not needlessly
    coarse."""
    quasi = ["age", "sex", "race", "marital-status", "education"]
    data = vl.read(adult, vl.Schema(quasi=quasi, sensitive=["occupation"]))
    for policy, largest_loss in (
        (vl.Policy(vl.KAnonymity(k=10)), 0.12),
        (vl.Policy(vl.KAnonymity(k=10), vl.LDiversity(l=3)), 0.2),
    ):
        release = vl.publish(data, policy)
        assert release.people == adult.height
        assert release.sizes.min() >= 10
        assert vl.measures.Certainty()(data, release).value < largest_loss
        if len(policy.models) > 1:
            assert (release.tallies["occupation"].largest() * 3 <= release.sizes).all()
