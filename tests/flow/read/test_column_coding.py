"""Survey weights and near-unique columns, as they are read on each engine."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from published import even_count

import voile as vl
from voile.errors import DataError

KEY = vl.Key(bytes(range(32)))
ROWS = 700


def survey(seed: int = 0) -> pl.DataFrame:
    """People with survey weights, nearly all different."""
    rng = np.random.default_rng(seed)
    return pl.DataFrame(
        {
            "age": rng.integers(20, 60, ROWS),
            "city": rng.choice(["Bern", "Lyon", "Oslo"], ROWS),
            "wt": rng.gamma(3, 50, ROWS).round(2) + 1,
            "disease": rng.choice(["flu", "HIV", "acne"], ROWS),
        }
    )


def schema(**more: Any) -> vl.Schema:
    return vl.Schema(**{"quasi": ["age", "city"], "sensitive": ["disease"], **more})


def engines() -> list[Any]:
    return [None, vl.Disk()]


@pytest.mark.parametrize("number", range(2))
def test_weights_are_read_alike_on_every_engine(number: int, tmp_path: Path) -> None:
    frame, engine = survey(), engines()[number]
    frame.write_parquet(tmp_path / "t.parquet")
    for withheld in (False, True):
        data = vl.read(tmp_path / "t.parquet", schema(weight="wt", withhold_weight=withheld), engine=engine)
        weighted = data.weighted_rows
        assert weighted is not None
        assert weighted.total == pytest.approx(frame["wt"].sum())
        names = ["city"]
        size = data.columns["city"].size
        counted = weighted.rows.count_matches(
            names, np.array([0, size]), np.eye(size, dtype=np.uint8), (weighted.name, weighted.weights)
        )
        expected = frame.group_by("city").agg(pl.col("wt").sum()).sort("city")["wt"].to_list()
        assert counted.tolist() == pytest.approx(expected)


@pytest.mark.parametrize("number", range(2))
@pytest.mark.parametrize("method", [vl.Mondrian(), vl.Anatomy()], ids=["boxes", "buckets"])
def test_a_withheld_weight_changes_nothing_that_is_published(number: int, method: Any, tmp_path: Path) -> None:
    survey().write_parquet(tmp_path / "t.parquet")
    engine = engines()[number]
    one, other = (
        vl.publish(vl.read(tmp_path / "t.parquet", roles, engine=engine), vl.LDiversity(l=2), method, key=KEY)
        for roles in (schema(), schema(weight="wt", withhold_weight=True))
    )
    assert one.digest == other.digest
    assert "wt" not in str(other.dictionary)


def test_a_withheld_weight_beside_people_is_drawn_with_them() -> None:
    frame = pl.concat([survey().with_columns(who=pl.int_range(ROWS)), survey(1).with_columns(who=pl.int_range(ROWS))])
    data = vl.read(frame, schema(weight="wt", withhold_weight=True, person="who"))
    assert data.weighted_rows is not None
    assert data.weighted_rows.rows.total == data.rows.total == ROWS


@pytest.mark.parametrize(
    ("cells", "words"),
    [
        ([0.0], "1 rows have a survey weight"),
        ([-31337.4, -5.0], "2 rows have a survey weight"),
        ([float("inf")], "infinite"),
        ([None], "missing cells"),
    ],
)
def test_a_weight_must_be_a_finite_number_above_0(cells: list[float], words: str) -> None:
    frame = survey().with_columns(wt=pl.Series([*cells, *survey()["wt"].to_list()[len(cells) :]]))
    for withheld in (False, True):
        with pytest.raises(DataError, match=words) as caught:
            vl.read(frame, schema(weight="wt", withhold_weight=withheld))
        assert "31337" not in str(caught.value)


def test_a_weight_of_text_is_refused_and_missing_weights_follow_the_schema() -> None:
    with pytest.raises(DataError, match="does not hold numbers"):
        vl.read(survey().with_columns(wt=pl.col("city")), schema(weight="wt"))
    holes = survey().with_columns(wt=pl.when(pl.int_range(ROWS) < 10).then(None).otherwise(pl.col("wt")))
    assert vl.read(holes, schema(weight="wt", missing="drop")).dropped == 10
    data = vl.read(holes, schema(weight="wt", missing="value"))
    assert data.weighted_rows is not None
    assert data.weighted_rows.total == pytest.approx(holes["wt"].sum())
    release = vl.publish(data, vl.KAnonymity(k=5))
    assert 0 < even_count(release) < 2 * holes["wt"].sum()


@pytest.mark.parametrize("number", range(2))
def test_a_near_unique_column_must_be_confirmed(number: int, tmp_path: Path) -> None:
    survey().write_parquet(tmp_path / "t.parquet")
    engine = engines()[number]
    with pytest.raises(DataError, match="different values in 700 rows of 'wt'") as caught:
        vl.read(tmp_path / "t.parquet", schema(other=["wt"]), engine=engine)
    assert caught.value.code == "data.near-unique"
    assert "confirmed=['wt']" in caught.value.hint
    data = vl.read(tmp_path / "t.parquet", schema(other=["wt"], confirmed=["wt"]), engine=engine)
    assert [column.name for column in data.columns.other] == ["wt"]


def test_few_rows_and_repeated_values_need_no_confirmation() -> None:
    assert vl.read(survey().head(20), schema(other=["wt"])).rows.total == 20
    assert vl.read(survey().with_columns(wt=(pl.col("wt") / 50).round()), schema(other=["wt"])).rows.total == ROWS


def test_a_release_with_a_confirmed_column_is_read_back(tmp_path: Path) -> None:
    from voile.flow.request.release_schema import table_schema

    release = vl.publish(vl.read(survey(), schema(other=["wt"], confirmed=["wt"])), vl.KAnonymity(k=5))
    assert vl.read(survey(), table_schema(release)).rows.total == ROWS
