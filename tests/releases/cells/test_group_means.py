"""Group means: that they tell nothing about values, what verify recomputes, and where they are refused."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import voile as vl
from voile.engines import base
from voile.errors import PolicyError, SchemaError
from voile.releases.release import Release
from voile.results import Verdict
from voile.tables import partition_tree
from voile.tables.microdata import Microdata

KEY = vl.Key(bytes(32))


def people(rows: int = 120) -> pl.DataFrame:
    rng = np.random.default_rng(8)
    return pl.DataFrame(
        {
            "age": rng.integers(18, 80, rows),
            "height": rng.normal(1.7, 0.1, rows).round(2),
            "sex": rng.choice(["f", "m"], rows),
            "ill": rng.choice(["flu", "cold", "gout"], rows),
        }
    )


def read(frame: pl.DataFrame | Path, **more: Any) -> Microdata:
    wishes = {"age": vl.Steer(mean=1), "height": vl.Steer(mean=0.05)}
    options = {name: more.pop(name) for name in ("engine",) if name in more}
    return vl.read(
        frame, vl.Schema(quasi=["age", "height", "sex"], sensitive=["ill"], steering=wishes, **more), **options
    )


@pytest.mark.parametrize("method", [vl.Mondrian(), vl.Cluster(), vl.FullDomain(), vl.Mondrian(recoding="hierarchy")])
def test_means_are_those_of_the_group(method: Any, tmp_path: Path) -> None:
    release = vl.publish(read(people()), vl.KAnonymity(k=6), method, key=KEY)
    table = release.tables["table"]
    whole = people()["age"].sum()
    half = 0.5 * table.height
    assert abs(table["age_mean"].sum() - whole) <= half  # rounding moves each by at most a half
    assert table.filter((pl.col("age_mean") < pl.col("age_low")) | (pl.col("age_mean") > pl.col("age_high"))).is_empty()
    assert table.group_by("age", "height", "sex").agg(pl.col("age_mean").n_unique())["age_mean"].max() == 1
    assert "work out the last one's" in release.dictionary["columns"][0]["mean"]["means"]
    for form in ("csv", "parquet"):
        release.save(tmp_path / form, format=form)
        assert vl.verify(tmp_path / form).holds
        assert vl.load(tmp_path / form).digest == release.digest
        assert any("publisher's word" in note for note in vl.verify(tmp_path / form).notes)


def test_whoever_knows_everybody_computes_the_means() -> None:
    """The promises are about somebody who knows all quasi-identifiers, who then learns nothing from a mean."""
    data = read(people())
    policy = vl.Policy(vl.KAnonymity(k=6), vl.LDiversity(l=2))
    release = vl.publish(data, policy, key=KEY)
    table, frame = release.tables["table"], people()
    for (low, high, tall, sex), rows in table.group_by("age_low", "age_high", "height", "sex"):
        least, most = (float(end) for end in str(tall).strip("[]").split(", "))
        inside = frame.filter(pl.col("age").is_between(low, high), pl.col("height").is_between(least, most), sex=sex)
        assert inside.height == rows.height
        assert rows["age_mean"][0] == math.floor(inside["age"].mean() + 0.5)  # type: ignore[operator]
    plain = vl.read(frame, vl.Schema(quasi=["age", "height", "sex"], sensitive=["ill"]))
    without = vl.publish(plain, policy, key=KEY)
    assert table.drop("age_mean", "height_mean").cast(pl.String).equals(without.tables["table"].cast(pl.String))
    assert [c.what for c in vl.verify(release, data=data).checks if c.answer.value == "holds"][-1] == "group means"


def _state(release: Release, mean: float) -> Verdict:
    wide = pl.col("age_low") < pl.col("age_high")
    table = release.tables["table"].with_columns(age_mean=pl.when(wide).then(mean).otherwise("age_mean"))
    return vl.verify(replace(release, tables={"table": table}))


def test_verify_accepts_exactly_the_means_that_people_can_have() -> None:
    """All tables of five people from 0 to 4 with both ends: the means that are accepted are theirs, and no others."""
    frame = pl.DataFrame({"age": [0, 1, 1, 2, 4, *[9] * 5], "ill": ["flu"] * 10})
    for step in (0.2, 0.5, 3):
        schema = vl.Schema(quasi=["age"], sensitive=["ill"], steering={"age": vl.Steer(mean=step)})
        release = vl.publish(vl.read(frame, schema), vl.KAnonymity(k=5), key=KEY)
        sums = {4 + sum(rest) for rest in itertools.product(range(5), repeat=3)}
        true = {min(round(math.floor(total / 5 / step + 0.5) * step, 9), 4) for total in sums}
        asked = {round(n * step, 9) for n in range(-1, 22)} | {0.3, 4.0, 1e300, math.inf, math.nan}
        assert {mean for mean in asked if not _state(release, float(mean)).broken} == true


def test_a_false_mean_is_found_with_the_table() -> None:
    data = read(people())
    release = vl.publish(data, vl.KAnonymity(k=6), vl.FullDomain(), key=KEY)
    moved = pl.when(pl.col("age_mean") < pl.col("age_high")).then(pl.col("age_mean") + 1).otherwise("age_mean")
    forged = replace(release, tables={"table": release.tables["table"].with_columns(age_mean=moved)})
    assert not vl.verify(forged).broken
    assert vl.verify(forged, data=data).broken


def test_a_missing_value_has_no_mean_and_engines_agree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(partition_tree, "LARGEST_PART", 50)  # groups with means are not published in parts
    monkeypatch.setattr(base, "CHUNK_ROWS", 30)
    gaps = pl.when(pl.int_range(pl.len()) % 9 > 0).then(pl.col("age")).alias("age")
    people().with_columns(gaps).write_parquet(tmp_path / "people.parquet")
    releases = [
        vl.publish(read(tmp_path / "people.parquet", missing="value", engine=engine), vl.KAnonymity(k=6), key=KEY)
        for engine in (None, vl.Disk())
    ]
    assert releases[0].digest == releases[1].digest
    assert vl.verify(releases[1].save(tmp_path / "out"), engine=vl.Disk()).holds
    table = releases[0].tables["table"]
    may_lack = table["age"].cast(pl.String).str.contains("missing")
    assert may_lack.any()
    assert (table["age_mean"].is_null() == may_lack).all()


@pytest.mark.parametrize(
    ("policy", "method", "more", "words"),
    [
        (vl.KAnonymity(k=4), vl.Mondrian(), {}, "groups of 4"),
        (vl.LDiversity(l=2), vl.Mondrian(), {}, "groups of 2"),
        (vl.KAnonymity(k=6), vl.Cluster(suppression=0.1), {}, "which people are withheld"),
        (vl.KAnonymity(k=6), vl.Mondrian(), {"quasi_sets": [["age", "sex"], ["height", "sex"]]}, "several sets"),
        (vl.LDiversity(l=6), vl.Anatomy(), {}, "knows no weights, levels, ranks or means"),
    ],
)
def test_means_are_refused_where_they_tell_more(policy: Any, method: Any, more: Any, words: str) -> None:
    with pytest.raises(PolicyError, match=words):
        vl.publish(read(people(), **more), policy, method, key=KEY)


def test_means_are_refused_in_series_of_people_with_several_rows_and_below_a_finest_level() -> None:
    first = vl.publish(read(people()), vl.KAnonymity(k=6), key=KEY)
    with pytest.raises(PolicyError, match="whoever came or left"):
        vl.publish(read(people()), vl.KAnonymity(k=6), after=[first], key=KEY)
    visits = people().with_columns(who=pl.int_range(pl.len()) // 2)
    with pytest.raises(PolicyError, match="people have several rows"):
        vl.publish(read(visits, person="who", rows_per_person=2), vl.KAnonymity(k=6), key=KEY)
    with pytest.raises(SchemaError, match="more than the finest level"):
        vl.Steer(mean=1, finest=1)
    with pytest.raises(SchemaError, match="a number above 0"):
        vl.Steer(mean=0)
    with pytest.raises(SchemaError, match="only numbers have group means"):
        vl.read(people(), vl.Schema(quasi=["sex"], sensitive=["ill"], steering={"sex": vl.Steer(mean=1)}))
