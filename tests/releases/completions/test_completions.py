"""Completions agree with every published cell, whatever the method."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from published import EXAMPLES, KEY, people, schema

import voile as vl
from voile.errors import BrokenPromise, SpecError
from voile.releases.release import Release

RANGE = re.compile(r"^\[(.+), (.+)\]$")


def publish(name: str) -> Release:
    policy, method = EXAMPLES[name]
    return vl.publish(vl.read(people(500), schema()), policy, method, key=KEY)


def admits(label: str, value: Any) -> bool:
    """Whether a published label admits a value, read by hand."""
    ends = RANGE.match(label)
    if ends:
        return float(ends[1]) <= float(value) <= float(ends[2])
    if label.startswith("{"):
        return str(value) in label[1:-1].split("|")
    return label in ("*", str(value))


@pytest.mark.parametrize("name", sorted(EXAMPLES))
def test_completions_agree_with_every_published_cell(name: str) -> None:
    release = publish(name)
    drawn = release.complete(2)
    assert len(drawn) == 2
    for table in drawn:
        assert table.height == release.people
        assert set(table.columns) == {entry["name"] for entry in release.dictionary["columns"]}
        for entry in release.dictionary["columns"]:
            assert str(table[entry["name"]].dtype) == entry["type"]
        if release.shows_boxes:
            check_boxes(release, table)
        else:
            check_groups(release, table)


def check_boxes(release: Release, table: pl.DataFrame) -> None:
    published = release.tables["table"]
    if release.perturbs:
        published = published.select(pl.all().repeat_by("group_size").explode())
    names = [entry["name"] for entry in release.described("quasi")]
    shown = {name: published[name].cast(pl.String).to_list() for name in names}
    for entry in release.described("quasi"):
        if entry["shown"] == "suppressed" and "values" not in entry["domain"]:
            continue
        assert all(map(admits, shown[entry["name"]], table[entry["name"]].to_list())), entry["name"]
    if not release.perturbs:
        for entry in release.described("sensitive"):
            assert table[entry["name"]].to_list() == published[entry["name"]].to_list()
    method = release.certificate.method
    if (method.get("grouping", method.get("anonymizer", method)) or {}) and method.get("recoding") == "tight":
        boxes: dict[tuple[str, ...], dict[str, set[str]]] = {}
        for row, values in zip(zip(*shown.values(), strict=True), table.select(names).rows(), strict=True):
            inside = boxes.setdefault(row, {name: set() for name in names})
            for name, value in zip(names, values, strict=True):
                inside[name].add(str(value))
        for row, inside in boxes.items():
            for label, name in zip(row, names, strict=True):
                ends = RANGE.match(label)
                listed = set(ends.groups()) if ends else set(label[1:-1].split("|")) if label.startswith("{") else set()
                assert listed <= inside[name], (name, label)


def check_groups(release: Release, table: pl.DataFrame) -> None:
    quasi = release.tables["quasi"]
    names = [name for name in quasi.columns if name != "group"]
    assert table.select(names).equals(quasi.select(names).cast(dict(table.select(names).schema)))
    home = release.tables.get("sensitive", release.tables.get("sensitive_occupation"))
    assert home is not None
    listed = Counter[tuple[int, str]]()
    for row in home.iter_rows(named=True):
        listed[row["group"], row["occupation"]] += row.get("count", 1)
    dealt = Counter(zip(quasi["group"], table["occupation"], strict=True))
    assert dealt <= listed if release.has_counterfeits else dealt == listed


def test_the_same_key_draws_the_same_tables() -> None:
    release = publish("mondrian")
    one, same, other = release.complete(3), release.complete(3), release.complete(3, key=vl.Key(bytes(32)))
    assert all(a.equals(b) for a, b in zip(one, same, strict=True))
    assert not one[0].equals(one[1])
    assert not one[0].equals(other[0])
    assert release.complete(3, key=7)[-1].equals(release.complete(3, key=7)[2])
    with pytest.raises(IndexError):
        one[3]


@pytest.mark.parametrize("draws", [1, 0, -3, True, 2.5])
def test_a_single_draw_is_refused(draws: Any) -> None:
    with pytest.raises(SpecError) as caught:
        publish("mondrian").complete(draws)
    assert caught.value.code == "spec.draws"


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_all_draws_go_into_one_file(ending: str, tmp_path: Path) -> None:
    drawn = publish("cluster").complete(2)
    path = drawn.save(tmp_path / f"t.{ending}")
    table = pl.read_csv(path) if ending == "csv" else pl.read_parquet(path)
    assert table.filter(pl.col("_draw") == 2).drop("_draw").equals(drawn[1])
    with pytest.raises(SpecError, match="neither"):
        drawn.save(tmp_path / "t.xlsx")


def test_completions_say_what_they_assume() -> None:
    """Where a certificate does not state the recoding, a value may lie anywhere in its cell."""
    assert not publish("mondrian").complete(2).assumptions
    assert "does not say which values" in publish("full-domain").complete(2).assumptions[0]
    assert "may have been replaced" in " ".join(publish("mask").complete(2).assumptions)
    tight = publish("mondrian")
    unstated = tight.with_certificate(type(tight.certificate)("generalized", {"name": "unknown"}, (), "x"))
    assert "does not say which values" in unstated.complete(2).assumptions[0]


def test_wide_numbers_dates_and_missing_values_keep_their_types() -> None:
    rng = __import__("numpy").random.default_rng(1)
    rows = 300
    frame = pl.DataFrame(
        {
            "salary": rng.integers(0, 10**9, rows),
            "height": rng.normal(170, 10, rows).round(1),
            "born": pl.Series(rng.integers(0, 20_000, rows), dtype=pl.Int32).cast(pl.Date),
            "disease": rng.choice(["a", "b", "c"], rows),
        }
    ).with_columns(pl.when(pl.Series(rng.random(rows) < 0.1)).then(None).otherwise(pl.col("height")).alias("height"))
    given = vl.Schema(quasi=["salary", "height", "born"], sensitive=["disease"], missing="value")
    release = vl.publish(vl.read(frame, given), vl.KAnonymity(k=5), key=KEY)
    for table in release.complete(2):
        assert table.schema == frame.schema
        assert table["height"].null_count() > 0
        for name in ("salary", "born"):
            for label, value in zip(
                release.tables["table"][name].cast(pl.String), table[name].cast(pl.String), strict=True
            ):
                ends = RANGE.match(label)
                low, high = ends.groups() if ends else (label, label)
                assert label == "*" or (low <= value <= high if name == "born" else int(low) <= int(value) <= int(high))
        for label in release.tables["table"]["salary"].cast(pl.String).unique():
            ends = RANGE.match(label)
            inside = table.filter(release.tables["table"]["salary"].cast(pl.String) == label)["salary"].cast(pl.String)
            assert not ends or {*ends.groups()} <= set(inside)


def test_tables_that_contradict_each_other_are_refused() -> None:
    release = publish("anatomy")
    fewer = {**release.tables, "sensitive": release.tables["sensitive"].head(5)}
    with pytest.raises(BrokenPromise):
        type(release)(fewer, release.dictionary, release.certificate).complete(2)
