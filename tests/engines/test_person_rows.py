"""Rows of people are drawn uniformly, with the key, and alike on every engine, in whatever order they lie."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from math import comb
from pathlib import Path
from typing import Any

import cluster
import numpy as np
import polars as pl
import pytest
from published import KEY, QUASI, digests, people
from scipy.stats import chi2

import voile as vl
from voile.engines import base, person_rows
from voile.errors import DataError
from voile.tables import partition_tree

NO_SPARK = cluster.absent()
ROWS = 2_000
REQUESTS: dict[str, tuple[int, vl.Policy, Any]] = {
    "mondrian, one row": (1, vl.Policy(vl.KAnonymity(k=5)), vl.Mondrian()),
    "mondrian, three rows": (3, vl.Policy(vl.KAnonymity(k=3)), vl.Mondrian()),
    "full-domain, two rows": (2, vl.Policy(vl.KAnonymity(k=3), vl.LDiversity(l=2)), vl.FullDomain(suppression=0.05)),
    "anatomy, one row": (1, vl.Policy(vl.LDiversity(l=3)), vl.Anatomy()),
}


def events(named: str = "number", order: int = 0) -> pl.DataFrame:
    """About 600 people with 1 to 9 rows, which lie all over the table; a fifth of the rows occur twice."""
    rng = np.random.default_rng(2)
    owner = rng.integers(0, 600, ROWS)
    frame = people(ROWS).with_columns(pl.Series("patient", owner))
    frame = pl.concat([frame, frame.head(ROWS // 5)])
    if named == "text":
        frame = frame.with_columns(pl.format("Zoë {}", "patient").alias("patient"))
    return frame.sample(fraction=1.0, shuffle=True, seed=order) if order else frame


def with_person(rows: int = 1) -> vl.Schema:
    return vl.Schema(quasi=QUASI, sensitive=["occupation"], person="patient", rows_per_person=rows)


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tables of 2,400 rows are read in chunks, and their people spread over eight buckets."""
    monkeypatch.setattr(partition_tree, "LARGEST_PART", 400)
    monkeypatch.setattr(person_rows, "LARGEST_PART", 400)
    monkeypatch.setattr(base, "CHUNK_ROWS", 600)


@pytest.mark.parametrize("named", ["number", "text"])
@pytest.mark.parametrize("request_name", sorted(REQUESTS))
def test_disk_publishes_what_memory_does(request_name: str, named: str, small: None, tmp_path: Path) -> None:
    rows, policy, method = REQUESTS[request_name]
    here = vl.publish(vl.read(events(named), with_person(rows)), policy, method, key=KEY)
    moved = events(named, order=1)
    moved.write_parquet(tmp_path / "events.parquet")
    moved.write_csv(tmp_path / "events.csv")
    for name in ("events.parquet", "events.csv"):
        data = vl.read(tmp_path / name, with_person(rows), engine=vl.Disk())
        there = vl.publish(data, policy, method, key=KEY)
        assert digests(there) == digests(here)
        assert there.dictionary == here.dictionary
        assert there.certificate == here.certificate
        assert vl.verify(there.save(tmp_path / f"{name} out"), engine=vl.Disk()).holds


@pytest.mark.skipif(NO_SPARK is not None, reason=NO_SPARK or "")
def test_spark_publishes_what_memory_does(small: None, tmp_path: Path) -> None:
    session = cluster.session("local[2]")
    try:
        for named in ("number", "text"):
            events(named, order=2).write_parquet(tmp_path / f"{named}.parquet")
            for rows, policy, method in (REQUESTS["mondrian, one row"], REQUESTS["full-domain, two rows"]):
                here = vl.publish(vl.read(events(named), with_person(rows)), policy, method, key=KEY)
                engine = vl.Spark(session=session)
                data = vl.read(tmp_path / f"{named}.parquet", with_person(rows), engine=engine)
                there = vl.publish(data, policy, method, key=KEY)
                assert digests(there) == digests(here)
                assert there.certificate == here.certificate
                assert data.count_left_out() == vl.read(events(named), with_person(rows)).count_left_out()
        with pytest.raises(DataError, match="2,400 rows share") as caught:
            vl.read(tmp_path / "text.parquet", with_identifier(), engine=vl.Spark(session=session))
        assert caught.value.code == "data.people"
        unique = events().with_row_index("visit").with_columns(pl.format("v{}", "visit").alias("visit"))
        unique.write_parquet(tmp_path / "unique.parquet")
        schema = vl.Schema(quasi=QUASI, sensitive=["occupation"], identifier=["visit"])
        data = vl.read(tmp_path / "unique.parquet", schema, engine=vl.Spark(session=session))
        assert data.unit.basis == "identifier"
    finally:
        session.stop()


def with_identifier(**more: Any) -> vl.Schema:
    return vl.Schema(quasi=QUASI, sensitive=["occupation"], identifier=["patient"], **more)


@pytest.mark.parametrize("named", ["number", "text"])
def test_a_repeated_identifier_is_noticed_on_disk(named: str, small: None, tmp_path: Path) -> None:
    """The rows of a person lie in several chunks: no chunk alone would tell."""
    frame = pl.concat([people(700).with_row_index("patient")] * 2)
    if named == "text":
        frame = frame.with_columns(pl.col("patient").cast(pl.String))
    frame.write_parquet(tmp_path / "events.parquet")
    for engine in (None, vl.Disk()):
        with pytest.raises(DataError, match="1,400 rows share 700 values") as caught:
            vl.read(tmp_path / "events.parquet", with_identifier(), engine=engine)
        assert caught.value.code == "data.people"
        data = vl.read(tmp_path / "events.parquet", with_identifier(rows_are="people"), engine=engine)
        assert data.unit.basis == "declared"
    frame.head(700).write_parquet(tmp_path / "people.parquet")
    for engine in (None, vl.Disk()):
        assert vl.read(tmp_path / "people.parquet", with_identifier(), engine=engine).unit.basis == "identifier"


def test_disk_counts_the_people_and_rows_of_memory(small: None, tmp_path: Path) -> None:
    events(order=3).write_parquet(tmp_path / "events.parquet")
    there: Any = vl.read(tmp_path / "events.parquet", with_person(), engine=vl.Disk()).people
    assert len(there.buckets) == 8
    counted = Counter(Counter(events()["patient"].to_list()).values())
    expected = [counted.get(rows, 0) for rows in range(max(counted) + 1)]
    here: Any = vl.read(events(), with_person()).people
    for table in (here, there):
        assert table.people_by_rows.tolist() == expected
        assert table.people == events()["patient"].n_unique()
        assert table.total == events().height
        for limit in (1, 2, 5, 100):
            over = sum(number * max(rows - limit, 0) for rows, number in counted.items())
            assert table.count_rows_over(limit) == over


def draw(frame: pl.DataFrame, rows: int, key: vl.Key) -> Counter[tuple[int, ...]]:
    """Draw rows, and count the distinct ones."""
    schema = vl.Schema(quasi=["age"], sensitive=["disease"], person="who", rows_per_person=rows)
    data = vl.read(frame, schema)
    table = data.draw(key).histogram(["age", "disease"])
    ages = data.columns["age"].domain.decode(table.codes[:, 0]).to_list()
    diseases = data.columns["disease"].domain.decode(table.codes[:, 1]).to_list()
    return Counter(dict(zip(zip(ages, diseases, strict=True), table.counts.tolist(), strict=True)))


FIVE_ROWS = pl.DataFrame({"who": ["Ann"] * 5 + ["Bob"], "age": [1, 2, 3, 4, 5, 9], "disease": [*"abcde", "z"]})
EQUAL_ROWS = pl.DataFrame({"who": ["Ann"] * 5 + ["Bob"], "age": [1, 1, 1, 4, 5, 9], "disease": [*"aaade", "z"]})


@pytest.mark.parametrize("frame", [FIVE_ROWS, EQUAL_ROWS], ids=["five different rows", "three equal rows"])
def test_every_pair_of_five_rows_is_drawn_equally_often(frame: pl.DataFrame) -> None:
    """Chi-square over 2,000 keys; with three equal rows, pairs of equal content count together."""
    schema = vl.Schema(quasi=["age"], sensitive=["disease"], person="who", rows_per_person=2)
    data = vl.read(frame, schema)
    ages = data.columns["age"].domain.values.to_list()
    drawn: Counter[tuple[int, ...]] = Counter()
    for number in range(2_000):
        table = data.draw(vl.Key(number.to_bytes(32, "big"))).histogram(["age"])
        rows = [ages[code] for code, count in zip(table.codes[:, 0], table.counts, strict=True) for _ in range(count)]
        assert rows.pop() == 9  # Bob keeps his only row
        drawn[tuple(rows)] += 1
    own = frame["age"].to_list()[:5]
    expected = Counter(tuple(sorted(pair)) for pair in combinations(own, 2))
    assert set(drawn) == set(expected)
    scale = 2_000 / comb(5, 2)
    statistic = sum((drawn[pair] - scale * ways) ** 2 / (scale * ways) for pair, ways in expected.items())
    assert statistic < chi2.ppf(0.9999, len(expected) - 1)


def test_the_key_decides_what_is_drawn_and_the_order_does_not() -> None:
    keys = [vl.Key(bytes([number]) * 32) for number in range(40)]
    draws = [draw(FIVE_ROWS, 2, key) for key in keys]
    assert len({tuple(sorted(own.items())) for own in draws}) > 5
    for order in range(5):
        moved = FIVE_ROWS.sample(fraction=1.0, shuffle=True, seed=order)
        assert [draw(moved, 2, key) for key in keys] == draws


def test_a_limit_that_nobody_reaches_draws_every_row() -> None:
    assert draw(EQUAL_ROWS, 5, KEY) == Counter(EQUAL_ROWS.select("age", "disease").rows())
    assert draw(EQUAL_ROWS, 100, KEY) == draw(EQUAL_ROWS, 5, KEY)


def test_draws_of_different_people_are_independent() -> None:
    """Two people with the same five rows: over 1,000 keys, the row of one tells nothing of the row of the other."""
    frame = pl.DataFrame({"who": ["A"] * 3 + ["B"] * 3, "age": [1, 2, 3] * 2, "disease": [*"abcdef"]})
    data = vl.read(frame, vl.Schema(quasi=["age"], sensitive=["disease"], person="who"))
    both: Counter[tuple[int, ...]] = Counter()
    for number in range(1_000):
        both[tuple(data.draw(vl.Key(number.to_bytes(32, "big"))).histogram(["disease"]).codes[:, 0].tolist())] += 1
    assert len(both) == 9
    statistic = sum((count - 1_000 / 9) ** 2 / (1_000 / 9) for count in both.values())
    assert statistic < chi2.ppf(0.9999, 8)
