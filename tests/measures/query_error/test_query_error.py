"""COUNT queries: estimates in fractions, errors by hand, and a benchmark that is the same every time."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import oracle
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from published import even_count

import voile as vl
from voile.errors import PolicyError, SchemaError
from voile.measures.base import View
from voile.measures.query_error.query_error import Questions, average_relative_error, predicate_width, relative_error

SCHEMA = vl.Schema(quasi=["age", "city"], sensitive=["disease"])


def table(seed: int, rows: int = 42) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    return pl.DataFrame(
        {
            "age": rng.integers(20, 50, rows),
            "city": rng.choice(["Bern", "Lyon", "Oslo", "Rome"], rows),
            "disease": rng.permutation(np.resize(["flu", "HIV", "acne"], rows)),
        }
    )


SHAPES: dict[str, tuple[Any, Any]] = {
    "boxes": (vl.KAnonymity(k=4), vl.Mondrian()),
    "levels": (vl.KAnonymity(k=4), vl.FullDomain(suppression=0.1)),
    "buckets": (vl.LDiversity(l=3), vl.Anatomy()),
    "lists": (vl.MultiDiversity({"disease": 3}), vl.Decompose()),
}


def estimated(frame: pl.DataFrame, release: Any, wanted: dict[str, set[Any]], width: bool) -> float:
    """The estimate by the definition. `width` counts all whole numbers of a range, not only those that occur."""
    everything = {name: set(frame[name].unique().to_list()) for name in frame.columns}
    asked = {name: wanted.get(name, everything[name]) for name in frame.columns}
    if release.shape in ("bucketized", "decomposed"):
        people, values = {}, {}
        for number, age, city in release.tables["quasi"].select("group", "age", "city").iter_rows():
            people.setdefault(number, []).append((age, city))
        shown = release.tables["sensitive" if release.shape == "bucketized" else "sensitive_disease"]
        for number, value, *count in shown.iter_rows():
            values.setdefault(number, []).append((value, *(count or [1])))
        groups: Any = [(people[number], values[number]) for number in people]
        return float(oracle.estimate_buckets(groups, [asked["age"], asked["city"]], asked["disease"]))
    entries = {str(entry["name"]): entry for entry in release.described("quasi")}
    ages = list(range(100)) if width else sorted(everything["age"])
    if "age" not in wanted:
        asked["age"] = set(ages)
    groups = []
    for row in release.tables["table"].iter_rows(named=True):
        cells = [
            oracle.stands_for(row["age"], entries["age"], ages),
            oracle.stands_for(row["city"], entries["city"], sorted(everything["city"])),
        ]
        groups.append((cells, [((row["disease"],), 1)]))
    return float(oracle.estimate_boxes(groups, [asked["age"], asked["city"]], [asked["disease"]]))


@settings(max_examples=30)
@given(st.integers(0, 2**32), st.sampled_from(sorted(SHAPES)))
def test_estimates_of_random_queries(seed: int, shape: str) -> None:
    """The measure's own estimates: shares of the values that occur."""
    frame = table(seed)
    data = vl.read(frame, SCHEMA)
    release = vl.publish(data, *SHAPES[shape])
    ask, shown = Questions(data.columns, 2, 0.1, False), View(data, release).estimates
    chosen = ask.draw(5, np.random.default_rng(seed))
    for answer, mask in zip(shown.answers(chosen), chosen, strict=True):
        wanted = {}
        for number, column in enumerate(ask.columns):
            picked = np.flatnonzero(mask[ask.offset[number] : ask.offset[number + 1]])
            wanted[column.name] = {column.domain.values[int(code)] for code in picked}
        assert answer == pytest.approx(estimated(frame, release, wanted, width=False), abs=1e-9)


@settings(max_examples=30)
@given(st.integers(0, 2**32), st.sampled_from(sorted(SHAPES)), st.integers(20, 49), st.integers(0, 15))
def test_estimate_of_a_release(seed: int, shape: str, low: int, width: int) -> None:
    """`release.estimate` in its three ways of asking; a range counts every whole number in a cell."""
    frame = table(seed)
    release = vl.publish(vl.read(frame, SCHEMA), *SHAPES[shape])
    high = low + width
    if any(entry["shown"] == "suppressed" for entry in release.dictionary["columns"]):
        with pytest.raises(SchemaError, match="shows no value"):  # nobody can count in a column that shows nothing
            even_count(release, age=(low, high), city=["Oslo", "Rome"], disease="HIV")
        return
    ages = set(range(low, high + 1))
    expected = estimated(frame, release, {"age": ages, "city": {"Oslo", "Rome"}, "disease": {"HIV"}}, width=True)
    rest = "city in ('Oslo', 'Rome') and disease = 'HIV'"
    ways = (
        even_count(release, age=(low, high), city=["Oslo", "Rome"], disease="HIV"),
        even_count(release, {"age": sorted(ages), "city": ["Rome", "Oslo"]}, disease=["HIV"]),
        even_count(release, f"select count(*) from t where age between {low} and {high} and {rest}"),
    )
    assert ways == pytest.approx([expected] * 3, abs=1e-9)
    assert even_count(release) == pytest.approx(release.people)
    flu = sum(release.tallies["disease"].counts[release.tallies["disease"].values == 2])
    assert even_count(release, disease="flu") == pytest.approx(flu)  # the values are published as they are


def test_nothing_changed_is_no_error() -> None:
    frame = table(1)
    data = vl.read(pl.concat([frame, frame]), SCHEMA)
    loss = vl.measures.QueryError(queries=200)(data, vl.publish(data, vl.KAnonymity(k=2)))
    assert loss.value == pytest.approx(0, abs=1e-12)
    assert loss.parts["high"] == pytest.approx(0, abs=1e-12)


def test_a_benchmark_is_the_same_every_time() -> None:
    data = vl.read(table(2), SCHEMA)
    release = vl.publish(data, vl.KAnonymity(k=5))
    one, same, other = (vl.measures.QueryError(queries=100, seed=seed)(data, release) for seed in (0, 0, 1))
    assert one == same
    assert one.value != other.value
    assert one.parts["low"] <= one.value <= one.parts["high"]


def test_coarser_is_worse() -> None:
    data = vl.read(table(3, 300), SCHEMA)
    errors = [
        vl.measures.QueryError(queries=300)(data, vl.publish(data, vl.KAnonymity(k=k))).value for k in (2, 10, 150)
    ]
    assert errors == sorted(errors)
    assert errors[0] < errors[-1]


@pytest.mark.parametrize("contiguous", [False, True])
@pytest.mark.parametrize("dimensions", [1, 2])
def test_queries_ask_what_was_ordered(contiguous: bool, dimensions: int) -> None:
    frame = table(4)
    data = vl.read(frame, SCHEMA)
    ask = Questions(data.columns, dimensions, 0.2, contiguous)
    for mask in ask.draw(50, np.random.default_rng(0)):
        parts = [mask[a:b] for a, b in zip(ask.offset[:-1], ask.offset[1:], strict=True)]
        widths = [predicate_width(len(part), 0.2, dimensions) for part in parts]
        asked = [part.sum() == width for part, width in zip(parts, widths, strict=True)]
        whole = [part.all() for part in parts]
        assert all(one or two for one, two in zip(asked, whole, strict=True))
        assert sum(not one for one in whole[:2]) == dimensions
        assert asked[2]
        if contiguous and not whole[0]:
            places = np.flatnonzero(parts[0])
            assert places[-1] - places[0] + 1 == len(places)


def test_queries_that_nobody_satisfies() -> None:
    """Forty people, no two alike in anything: a query for one value of each column finds nobody."""
    frame = pl.DataFrame({"a": range(40), "b": range(40), "c": range(40), "s": [f"s{number}" for number in range(40)]})
    data = vl.read(frame, vl.Schema(quasi=["a", "b", "c"], sensitive=["s"]))
    release = vl.publish(data, vl.KAnonymity(k=2))
    with pytest.raises(PolicyError, match="selectivity"):
        vl.measures.QueryError(queries=20, selectivity=1e-9, repetitions=2)(data, release)


@pytest.mark.parametrize(
    "knobs", [{"queries": 0}, {"dimensions": 0}, {"selectivity": 0}, {"selectivity": 1.5}, {"repetitions": 0}]
)
def test_knobs_out_of_range(knobs: dict[str, Any]) -> None:
    with pytest.raises(PolicyError):
        vl.measures.QueryError(**knobs)


def test_more_dimensions_than_columns() -> None:
    data = vl.read(table(5), SCHEMA)
    with pytest.raises(PolicyError, match="2 quasi"):
        vl.measures.QueryError(dimensions=3)(data, vl.publish(data, vl.KAnonymity(k=2)))


@given(st.integers(1, 500), st.floats(0.001, 1), st.integers(1, 9))
def test_predicate_width(size: int, share: float, columns: int) -> None:
    width = predicate_width(size, share, columns)
    assert 1 <= width <= size
    assert width >= size * share ** (1 / (columns + 1)) - 1e-6
    assert width - 1 <= size * share ** (1 / (columns + 1)) + 1e-6
    assert predicate_width(size, 1, columns) == size


def test_errors_by_hand() -> None:
    assert relative_error(4, 3) == 0.25
    assert relative_error(4, 5) == 0.25
    assert average_relative_error([(4, 3), (0, 2), (10, 12)]) == pytest.approx(0.225)
    assert math.isclose(relative_error(2, 11 / 6), 1 / 12)


SEVERAL = vl.Schema(quasi=["age", "city"], sensitive=["disease", "drug", "visits"])
LISTS = [
    vl.Decompose(primary="disease"),
    vl.Decompose(primary="disease", publish_joint=False),
    vl.Decompose(primary="disease", noise="paper"),
]


def several(seed: int) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    drug, visits = rng.choice(list("mnop"), 42), rng.integers(0, 3, 42)
    return table(seed).with_columns(drug=pl.Series(drug), visits=pl.Series(visits))


def from_lists(release: Any, wanted: dict[str, set[Any]]) -> float:
    """Section 6: matching people times, for each listed primary value, the share of the joint rows that fit the group's
    lists (or, without them, of the listed values of each column) that match."""
    lists: dict[str, dict[int, list[Any]]] = {}
    for name in release.sensitive_names:
        for number, value in release.tables[f"sensitive_{name}"].iter_rows():
            lists.setdefault(name, {}).setdefault(number, []).append(value)
    primary, *others = release.sensitive_names

    def asked(name: str, value: Any) -> bool:
        return value in wanted.get(name, {value})

    total = 0.0
    for (number,), people in release.tables["quasi"].group_by("group"):
        fitting = sum(
            asked("age", age) and asked("city", city) for age, city in people.select("age", "city").iter_rows()
        )
        for one in lists[primary][number]:
            share = float(asked(primary, one))
            if "joint" in release.tables:
                rows = [row for row in release.tables["joint"].iter_rows(named=True) if row[primary] == one]
                rows = [row for row in rows if all(row[name] in lists[name][number] for name in others)]
                share *= sum(all(asked(name, row[name]) for name in others) for row in rows) / len(rows)
            else:
                for name in others:
                    inside = lists[name][number]
                    share *= sum(asked(name, value) for value in inside) / len(inside)
            total += fitting * share / people.height
    return total


@settings(max_examples=25)
@given(st.integers(0, 2**32), st.sampled_from(LISTS), st.integers(0, 3))
def test_estimates_from_lists(seed: int, method: Any, sensitive: int) -> None:
    frame = several(seed)
    data = vl.read(frame, SEVERAL)
    release: Any = vl.publish(data, vl.MultiDiversity({"disease": 3, "drug": 2, "visits": 1}, otherwise=1), method)
    ask, shown = Questions(data.columns, 2, 0.2, False, sensitive), View(data, release).estimates
    chosen = ask.draw(4, np.random.default_rng(seed))
    for answer, mask in zip(shown.answers(chosen), chosen, strict=True):
        wanted, narrowed = {}, 0
        for number, column in enumerate(ask.columns):
            picked = np.flatnonzero(mask[ask.offset[number] : ask.offset[number + 1]])
            wanted[column.name] = {column.domain.values[int(code)] for code in picked}
            narrowed += number >= 2 and len(picked) < column.size
        assert narrowed <= sensitive
        expected = from_lists(release, wanted)
        assert answer == pytest.approx(expected, abs=1e-9)
        assert even_count(release, {name: sorted(values) for name, values in wanted.items()}) == pytest.approx(expected)


def test_more_sensitive_columns_than_there_are() -> None:
    data = vl.read(table(5), SCHEMA)
    with pytest.raises(PolicyError, match="1 sensitive"):
        vl.measures.QueryError(sensitive=2)(data, vl.publish(data, vl.KAnonymity(k=2)))


@pytest.mark.parametrize("withheld", [False, True])
def test_the_error_of_weighted_queries_by_the_definition(withheld: bool) -> None:
    """Three queries by hand: the truth adds up weights, a row of the release counts the middle of its weight's cell."""
    rng = np.random.default_rng(3)
    frame = table(3, 300).with_columns(wt=pl.Series(rng.gamma(2, 40, 300).round(1) + 1))
    schema = vl.Schema(quasi=["city"], sensitive=["disease"], weight="wt", withhold_weight=withheld)
    data = vl.read(frame, schema)
    release = vl.publish(data, vl.KAnonymity(k=5), vl.Mondrian())
    measure = vl.measures.QueryError(queries=3, repetitions=1, selectivity=0.3)
    loss = measure(data, release)
    assert loss.title.endswith("weighted")
    questions = Questions(data.columns, 1, 0.3, False)
    chosen = questions.draw(3, np.random.default_rng([0, 0]))
    middle = frame["wt"].mean()
    cells = [str(cell).strip("[]").split(", ") for cell in release.tables["table"]["wt"]] if not withheld else []
    weights = [(float(ends[0]) + float(ends[-1])) / 2 for ends in cells] or [middle] * 300
    shown = release.tables["table"].with_columns(counts=pl.Series(weights))
    assert set(shown["city"].cast(pl.String)) <= set(frame["city"])  # the cells of cities are exact here
    errors = []
    for row in chosen:
        wanted = {}
        for name in ("city", "disease"):
            number = [column.name for column in questions.columns].index(name)
            marks = row[questions.offset[number] : questions.offset[number + 1]].astype(bool)
            wanted[name] = [label for label, mark in zip(data.columns[name].domain.labels, marks, strict=True) if mark]
        fits = pl.all_horizontal(pl.col(name).cast(pl.String).is_in(values) for name, values in wanted.items())
        truth, estimate = frame.filter(fits)["wt"].sum(), shown.filter(fits)["counts"].sum()
        errors.append(abs(truth - estimate) / truth)
    assert loss.value == pytest.approx(np.mean(errors))
