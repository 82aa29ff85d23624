"""`voile query` and `voile complete`: what a recipient computes from a folder."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from calling import Voile

import voile as vl


def test_a_query_is_answered_with_intervals_and_bounds(voile: Voile, release: Path) -> None:
    opened = vl.load(release)
    sensitive = str(opened.described("sensitive")[0]["name"])
    sql = f'select "{sensitive}", count(*) from t group by "{sensitive}"'
    shown = voile("query", release, sql)
    assert shown.code == 0
    assert "at least" in shown.out
    row = voile("query", release, sql, "--draws", "3", "--json").json["rows"][0]
    assert row["count"] == {name: opened.count({sensitive: row[sensitive]}).as_json()[name] for name in row["count"]}


@pytest.mark.parametrize(
    ("sql", "draws", "named"),
    [
        ("select max(x) from t", "20", "MAX"),
        ("select count(*) from t", "1", "At least 2 draws"),
        ("drop table t", "20", "DROP"),
    ],
)
def test_bad_queries_end_in_their_error(voile: Voile, release: Path, sql: str, draws: str, named: str) -> None:
    answer = voile("query", release, sql, "--draws", draws)
    assert answer.code == 2
    assert named in answer.err


def test_completions_are_written_to_one_file(voile: Voile, release: Path, tmp_path: Path) -> None:
    for name in ("t.csv", "t.parquet"):
        answer = voile("complete", release, "--draws", "2", "--out", tmp_path / name, "--json").json
        assert answer["draws"] == 2
        table = pl.read_csv(tmp_path / name) if name.endswith("csv") else pl.read_parquet(tmp_path / name)
        assert table.height == 2 * answer["rows"]
        assert table["_draw"].unique().sort().to_list() == [1, 2]
    assert voile("complete", release, "--draws", "1", "--out", tmp_path / "t.csv").code == 2
    assert voile("complete", release, "--out", release / "t.csv").code == 2
    other = voile("complete", release, "--draws", "2", "--seed", "5", "--out", tmp_path / "u.csv")
    assert "2 tables" in other.out
    assert (tmp_path / "u.csv").read_text() != (tmp_path / "t.csv").read_text()
