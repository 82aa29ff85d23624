"""Marginals: the share of people who are counted elsewhere, against a count written apart from it."""

from __future__ import annotations

import itertools
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import voile as vl
from voile.engines.chunked_rows import ChunkedRows
from voile.errors import EngineError
from voile.measures.expected_marginals import BINS, choose_bins
from voile.methods.base import Method
from voile.releases.release import Release
from voile.tables.microdata import Microdata

KEY = vl.Key(bytes(32))
NAMES = ["age", "city", "disease", "ward"]


def people(rows: int = 48, seed: int = 0) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    return pl.DataFrame(
        {
            "age": rng.integers(20, 30, rows),
            "city": rng.choice(["Bern", "Lyon", "Rome"], rows),
            "disease": rng.choice(["flu", "cold", "gout"], rows),
            "ward": rng.choice(["a", "b"], rows),
        }
    )


def read(frame: pl.DataFrame) -> Microdata:
    return vl.read(frame, vl.Schema(quasi=["age", "city"], sensitive=["disease", "ward"]))


def spread_rows(release: Release, frame: pl.DataFrame) -> list[tuple[float, dict[str, object]]]:
    """Every published row as all rows that it may stand for, each with its share."""
    domain = {name: sorted(frame[name].unique().to_list()) for name in ("age", "city")}
    found = []
    for row in release.tables["table"].rows(named=True):
        ages = [age for age in domain["age"] if _holds(str(row["age"]), age)]
        cities = [city for city in domain["city"] if str(row["city"]) == "*" or city in str(row["city"])]
        for age, city in itertools.product(ages, cities):
            found.append((1 / len(ages) / len(cities), {**row, "age": age, "city": city}))
    return found


def _holds(label: str, age: int) -> bool:
    if label == "*":
        return True
    low, _, high = label.strip("[]").partition(", ")
    return int(low) <= age <= int(high or low)


@pytest.mark.parametrize("method", [vl.Mondrian(), vl.Cluster(), vl.FullDomain(suppression=0.3)])
def test_the_distance_is_that_of_rows_spread_one_by_one(method: Method) -> None:
    frame = people()
    release = vl.publish(read(frame), vl.KAnonymity(k=4), method, key=KEY)
    spread, distances = spread_rows(release, frame), dict[tuple[str, ...], float]()
    for names in [*((name,) for name in NAMES), *itertools.combinations(NAMES, 2)]:
        there, expected = dict[object, float](), dict[object, float]()
        for row in frame.rows(named=True):
            key = tuple(row[name] for name in names)
            there[key] = there.get(key, 0) + 1
        for share, row in spread:
            key = tuple(row[name] for name in names)
            expected[key] = expected.get(key, 0) + share
        apart = sum(abs(there.get(key, 0) - expected.get(key, 0)) for key in {*there, *expected})
        distances[names] = (apart + frame.height - release.people) / 2 / frame.height
    loss = vl.measure(read(frame), release, [vl.measures.Marginals()])["marginals"]
    assert loss.value == pytest.approx(np.mean(list(distances.values())))
    for name in NAMES:
        assert loss.parts[name] == pytest.approx(np.mean([d for names, d in distances.items() if name in names]))


def test_linked_tables_lose_only_what_links_them() -> None:
    frame = people()
    data = vl.read(frame, vl.Schema(quasi=["age", "city"], sensitive=["disease"]))
    release = vl.publish(data, vl.LDiversity(l=2), vl.Anatomy(), key=KEY)
    loss = vl.measure(data, release, [vl.measures.Marginals()])["marginals"]
    quasi, values = release.tables["quasi"], release.tables["sensitive"]
    sizes = dict(quasi.group_by("group").len().rows())
    apart = []
    for name in ("age", "city"):
        difference = dict[tuple[object, object], float]()
        for row in frame.rows(named=True):
            difference[row[name], row["disease"]] = difference.get((row[name], row["disease"]), 0) + 1
        for row in quasi.join(values, on="group").rows(named=True):
            key = row[name], row["disease"]
            difference[key] = difference.get(key, 0) - row["count"] / sizes[row["group"]]
        apart.append(sum(map(abs, difference.values())) / 2 / frame.height)
    assert loss.value == pytest.approx(sum(apart) / 6)  # three columns and one pair are exact


def test_columns_with_many_values_are_counted_in_bins() -> None:
    frame = pl.DataFrame(
        {"income": np.arange(1000) ** 2, "name": [f"n{n}" for n in range(1000)], "sick": ["y", "n"] * 500}
    )
    data = vl.read(frame, vl.Schema(quasi=["income", "name"], sensitive=["sick"]))
    bins = choose_bins(data)
    assert bins.sizes["income"] <= BINS
    assert bins.sizes["name"] == BINS
    assert (np.diff(bins.places["income"]) >= 0).all()
    assert np.bincount(bins.places["income"]).max() <= 2 * 1000 / BINS


def test_rows_are_counted_where_they_lie(tmp_path: Path) -> None:
    """The disk engine may bring very few distinct rows into memory here; bins and pairs are fewer."""
    frame = people(400)
    frame.write_parquet(tmp_path / "people.parquet")
    schema = vl.Schema(quasi=["age", "city"], sensitive=["disease", "ward"])
    here, there = read(frame), vl.read(tmp_path / "people.parquet", schema, engine=vl.Disk())
    assert isinstance(there.rows, ChunkedRows)
    there = there.with_rows(replace(there.rows, row_limit=5))
    with pytest.raises(EngineError):
        there.rows.histogram(NAMES)
    release = vl.publish(here, vl.KAnonymity(k=4), key=KEY)
    losses = [vl.measure(data, release, [vl.measures.Marginals()])["marginals"] for data in (here, there)]
    assert losses[0].value == losses[1].value
    assert losses[0].parts == losses[1].parts
