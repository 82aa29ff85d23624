"""KL divergence against dense tables of expected people."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from typing import Any

import numpy as np
import oracle
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import voile as vl


def table(seed: int) -> tuple[pl.DataFrame, Any]:
    rng = np.random.default_rng(seed)
    frame = pl.DataFrame(
        {
            "age": rng.integers(20, 28, 24),
            "city": rng.choice(["Bern", "Lyon", "Oslo"], 24),
            "disease": rng.permutation(np.resize(["flu", "HIV", "acne"], 24)),
        }
    )
    return frame, vl.read(frame, vl.Schema(quasi=["age", "city"], sensitive=["disease"]))


def spread(frame: pl.DataFrame, release: Any) -> list[dict[str, dict[Any, float]]]:
    """What an analyst takes each published person to be: for every column the chance of each value."""
    entries = {str(entry["name"]): entry for entry in release.described("quasi")}
    people = []
    if release.shape == "bucketized":
        values: dict[int, Counter[str]] = {}
        for number, value, count in release.tables["sensitive"].iter_rows():
            values.setdefault(number, Counter())[value] += count
        for row in release.tables["quasi"].iter_rows(named=True):
            inside = values[row["group"]]
            chance = {value: count / inside.total() for value, count in inside.items()}
            people.append({"age": {row["age"]: 1.0}, "city": {row["city"]: 1.0}, "disease": chance})
        return people
    for row in release.tables["table"].iter_rows(named=True):
        person = {"disease": {row["disease"]: 1.0}}
        for name, entry in entries.items():
            cell = oracle.stands_for(row[name], entry, frame[name].unique().to_list())
            person[name] = dict.fromkeys(cell, 1 / len(cell))
        people.append(person)
    return people


def divergence(frame: pl.DataFrame, people: list[dict[str, dict[Any, float]]], names: tuple[str, ...]) -> float:
    """Sum of p log(p / q); one more person, spread over everything, is added to the published side."""
    values = list(itertools.product(*(frame[name].unique().to_list() for name in names)))
    actual = Counter(frame.select(names).iter_rows())
    total = 0.0
    for value in values:
        if actual[value]:
            shown = sum(
                math.prod(one[name].get(part, 0.0) for name, part in zip(names, value, strict=True)) for one in people
            )
            p, q = actual[value] / frame.height, (shown + 1 / len(values)) / (len(people) + 1)
            total += p * math.log(p / q)
    return total


@settings(max_examples=20)
@given(st.integers(0, 2**32), st.sampled_from(["boxes", "buckets", "thinned"]))
def test_against_dense_tables(seed: int, shape: str) -> None:
    frame, data = table(seed)
    model: Any = vl.LDiversity(l=3) if shape == "buckets" else vl.KAnonymity(k=3)
    method = {"boxes": vl.Mondrian(), "buckets": vl.Anatomy(), "thinned": vl.FullDomain(suppression=0.2)}[shape]
    release = vl.publish(data, model, method)
    people = spread(frame, release)
    loss = vl.measures.Divergence()(data, release)
    names = ["age", "city", "disease"]
    wanted = [(name,) for name in names] + list(itertools.combinations(names, 2))
    expected = {" x ".join(some): divergence(frame, people, some) for some in wanted}
    assert loss.parts == pytest.approx(expected, abs=1e-9)
    assert loss.value == pytest.approx(sum(expected.values()) / len(expected), abs=1e-9)


def test_two_sensitive_columns_are_published_row_by_row() -> None:
    frame = pl.DataFrame({"age": [1, 2, 3, 4] * 5, "a": list("xyxy") * 5, "b": list("ppqq") * 5})
    data = vl.read(frame, vl.Schema(quasi=["age"], sensitive=["a", "b"]))
    parts = vl.measures.Divergence()(data, vl.publish(data, vl.KAnonymity(k=20))).parts
    assert parts["a x b"] == pytest.approx(0, abs=1e-3)
    assert parts["age x a"] > 0.4  # all ages in one box: what age said about a is lost
