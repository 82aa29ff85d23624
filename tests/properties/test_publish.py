"""Whatever the table, the policy and the method: publish refuses with a reason, or the release is true and verifies.

It verifies from the folder alone, and shows nothing of the order of the input.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import oracle
import polars as pl
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from published import even_count
from random_requests import CLOCK, DAYS, KEY, MOMENTS, REQUESTS, looks_same, publish_or_refuse, save_temporarily
from scipy.optimize import linear_sum_assignment

import voile as vl
from voile.errors import SchemaError
from voile.releases.release import Release
from voile.releases.shapes.bucketized import Bucketized
from voile.releases.shapes.decomposed import Decomposed
from voile.releases.shapes.generalized import Generalized


@settings(max_examples=150)
@given(REQUESTS)
def test_a_release_is_true_and_verifies(request: Any) -> None:
    (frame, schema), policy, method = request
    release = publish_or_refuse(frame, schema, policy, method)
    assume(release is not None)
    assert release is not None
    assert vl.verify(release).holds
    kept = frame.drop_nulls([*schema.quasi, *schema.sensitive]) if schema.missing == "drop" else frame
    assert release.people + release.dictionary["withheld"] == kept.height
    check_truth(release, kept)
    for format in ("parquet", "csv"):
        with save_temporarily(release, format) as folder:
            verdict = vl.verify(folder)
            assert verdict.holds, f"{format}: {verdict}"
            loaded = vl.load(folder)
            assert looks_same(release, loaded)
            check_answers(release, loaded, kept)
            assert KEY.secret not in b"".join(path.read_bytes() for path in folder.iterdir())


TYPES: dict[str, list[Any]] = {
    "bool": [True, False],
    "date": DAYS[:2],
    "datetime": MOMENTS[1:3],
    "time": CLOCK[1:],
    "int": [-7, 10**15],
    "float": [0.1, 1e-12],
    "text": ["", "null"],
    "missing": ["a", None],
}


@pytest.mark.parametrize("kind", [None, "ordered"])
@pytest.mark.parametrize("sort", sorted(TYPES))
def test_every_type_survives_both_formats(sort: str, kind: str | None) -> None:
    values = [value for value in TYPES[sort] for _ in range(3)]
    frame = pl.DataFrame({"age": [1, 2, 3] * 2, "value": values, "note": values})
    kinds = {"value": kind, "note": kind} if kind else {}
    schema = vl.Schema(quasi=["age"], sensitive=["value"], other=["note"], kinds=kinds, missing="value")
    for method in (vl.Mondrian(), vl.Anatomy()):
        release = vl.publish(vl.read(frame, schema), vl.LDiversity(l=2), method)
        for format in ("parquet", "csv"):
            with save_temporarily(release, format) as folder:
                assert vl.verify(folder).holds, format
                loaded = vl.load(folder)
                assert looks_same(release, loaded)
                for name in ("value", "note"):
                    for value in TYPES[sort]:
                        if value is not None:
                            assert even_count(loaded, {name: value}) == pytest.approx(3), (format, name, value)


def check_answers(release: Release, loaded: Release, frame: pl.DataFrame) -> None:
    """The same COUNT queries have the same answers, from memory and from the folder."""
    for entry in release.dictionary["columns"]:
        name = str(entry["name"])
        values = frame[name].drop_nulls().unique().sort().to_list()
        if values and entry["shown"] == "suppressed" and "values" not in entry["domain"]:
            for one in (release, loaded):
                with pytest.raises(SchemaError):
                    even_count(one, {name: values[0]})
        elif values:
            wanted: list[Any] = [values[0], values[-2:]]
            wanted += [(values[0], values[len(values) // 2])] if entry["kind"] in ("numeric", "date") else []
            for one in wanted:
                assert even_count(release, {name: one}) == pytest.approx(even_count(loaded, {name: one})), (name, one)


def check_truth(release: Release, frame: pl.DataFrame) -> None:
    """Every published row is a person's: their values lie in its cells, and no person stands for two rows."""
    exact = [str(entry["name"]) for role in ("sensitive", "other") for entry in release.described(role)]
    quasi = {str(entry["name"]): entry for entry in release.described("quasi")}
    people = frame.to_dicts()
    if isinstance(release, Bucketized):
        check_buckets(release, people, list(quasi), exact)
        return
    if isinstance(release, Decomposed):
        check_lists(release, people, list(quasi))
        return
    assert isinstance(release, Generalized)
    rows = release.tables["table"].to_dicts()
    values = {name: frame[name].unique().to_list() for name in quasi}
    inside = {
        (name, row[name]): oracle.stands_for(row[name], entry, values[name])
        for row in rows
        for name, entry in quasi.items()
    }
    fits = np.array(
        [
            [
                all(oracle.text(row[name]) == oracle.text(person[name]) for name in exact)
                and all(person[name] in inside[name, row[name]] for name in quasi)
                for person in people
            ]
            for row in rows
        ]
    )
    row, person = linear_sum_assignment(~fits)
    assert fits[row, person].all(), "a published row is nobody's"
    told = Counter(tuple(oracle.text(row[name]) for name in exact) for row in rows)
    whole = Counter(tuple(oracle.text(person[name]) for name in exact) for person in people)
    assert told <= whole
    assert (whole - told).total() == release.dictionary["withheld"]
    boxes = Counter(tuple(oracle.text(row[name]) for name in quasi) for row in rows)
    assert sorted(boxes.values()) == sorted(release.sizes.tolist())


def check_buckets(release: Bucketized, people: list[dict[str, Any]], quasi: list[str], exact: list[str]) -> None:
    told = release.tables["quasi"].to_dicts()
    shown = [name for name in told[0] if name != "group"]
    rows = Counter(tuple(row[name] for name in shown) for row in told)
    assert rows <= Counter(tuple(person[name] for name in shown) for person in people)
    assert rows.total() + release.dictionary["withheld"] == len(people)
    sensitive = exact[0]
    values: Counter[Any] = Counter()
    sizes: Counter[int] = Counter()
    for row in release.tables["sensitive"].to_dicts():
        values[row[sensitive]] += row["count"]
        sizes[row["group"]] += row["count"]
    assert values <= Counter(person[sensitive] for person in people)
    assert sizes == Counter(row["group"] for row in told)


def check_lists(release: Decomposed, people: list[dict[str, Any]], quasi: list[str]) -> None:
    """Everybody is in the quasi table, everybody's primary value is listed once, every other value at least once."""
    told = release.tables["quasi"].to_dicts()
    shown = [name for name in told[0] if name != "group"]
    assert Counter(tuple(row[name] for name in shown) for row in told) == Counter(
        tuple(person[name] for name in shown) for person in people
    )
    primary, *others = release.sensitive_names
    listed = release.tables[f"sensitive_{primary}"]
    assert Counter(listed[primary].to_list()) == Counter(person[primary] for person in people)
    assert Counter(listed["group"].to_list()) == Counter(row["group"] for row in told)
    for name in others:
        values = release.tables[f"sensitive_{name}"]
        assert not values.is_duplicated().any()
        assert {person[name] for person in people} <= set(values[name].to_list())
    if "joint" in release.tables:
        rows = release.tables["joint"].to_dicts()
        names = release.sensitive_names
        both = [Counter(tuple(row[name] for name in names) for row in table) for table in (rows, people)]
        assert both[0] == both[1]


@settings(max_examples=50)
@given(REQUESTS, st.integers(0, 2**16))
def test_no_order_of_the_input_survives(request: Any, seed: int) -> None:
    (frame, schema), policy, method = request
    release = publish_or_refuse(frame, schema, policy, method)
    moved = publish_or_refuse(frame.sample(fraction=1.0, shuffle=True, seed=seed), schema, policy, method)
    assert (release is None) == (moved is None)
    assume(release is not None)
    assert release is not None
    assert moved is not None
    assert looks_same(release, moved)
    assert release.dictionary == moved.dictionary
    again = publish_or_refuse(frame, schema, policy, method)
    assert again is not None
    assert looks_same(release, again)
    for format in ("parquet", "csv"):
        with save_temporarily(release, format) as one, save_temporarily(moved, format) as other:
            for path in one.iterdir():
                assert path.read_bytes() == (other / path.name).read_bytes(), path.name


@settings(max_examples=25)
@given(
    st.integers(0, 2**32), st.sampled_from([vl.Mondrian(), vl.FullDomain(suppression=0.1), vl.Anatomy(), vl.Injector()])
)
def test_a_pandas_index_is_no_data(seed: int, method: Any) -> None:
    """Other tools take row labels for positions: here a shuffled, repeated or filtered index changes nothing."""
    rng = np.random.default_rng(seed)
    frame = pl.DataFrame(
        {
            "age": rng.integers(20, 40, 60),
            "city": rng.choice(["Bern", "Lyon", "Oslo"], 60),
            "disease": rng.choice(["flu", "HIV", "acne", "gout", "cold"], 60),
        }
    )
    schema = vl.Schema(quasi=["age", "city"], sensitive=["disease"])
    policy = vl.Policy(vl.LDiversity(l=2))
    expected = publish_or_refuse(frame, schema, policy, method)
    young = publish_or_refuse(frame.filter(pl.col("age") < 32), schema, policy, method)
    labelled = frame.to_pandas()
    labelled.index = rng.integers(0, 5, 60)
    shuffled = frame.to_pandas().sample(frac=1.0, random_state=seed % 1000)
    filtered = shuffled[shuffled["age"] < 32]
    for table, wanted in ((labelled, expected), (shuffled, expected), (filtered, young)):
        found = publish_or_refuse(table, schema, policy, method)
        assert (found is None) == (wanted is None)
        if found is not None and wanted is not None:
            assert looks_same(found, wanted)
