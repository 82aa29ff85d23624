"""A table before anything is done: who stands out, counted again by hand."""

from __future__ import annotations

import itertools
from collections import Counter
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import voile as vl
from voile.errors import DataError
from voile.flow.explore import inspect as inspecting
from voile.io import csv_files

TABLES = st.lists(
    st.tuples(st.integers(0, 3), st.sampled_from("ab"), st.one_of(st.none(), st.integers(0, 2))),
    min_size=1,
    max_size=30,
)


def alone(rows: list[tuple[object, ...]]) -> int:
    return sum(count == 1 for count in Counter(rows).values())


@given(rows=TABLES)
def test_the_crowds_are_those_counted_by_hand(rows: list[tuple[int, str, int | None]]) -> None:
    frame = pl.DataFrame(rows, schema={"a": pl.Int64, "b": pl.String, "c": pl.Int64}, orient="row")
    found = vl.inspect(frame, vl.Schema(quasi=["a", "b", "c"]))
    assert found.whole is not None
    assert found.whole.alone == alone(rows)
    assert found.whole.few == sum(count for count in Counter(rows).values() if count < 5)
    by_columns = {crowd.columns: crowd.alone for crowd in found.combinations}
    for size in (1, 2, 3):
        for chosen in itertools.combinations(range(3), size):
            names = tuple("abc"[place] for place in chosen)
            assert by_columns[names] == alone([tuple(row[place] for place in chosen) for row in rows])
    for name, gone in found.adds.items():
        kept = [place for place in range(3) if "abc"[place] != name]
        assert gone == found.whole.alone - alone([tuple(row[place] for place in kept) for row in rows])


@given(rows=TABLES)
def test_the_order_of_rows_does_not_matter(rows: list[tuple[int, str, int | None]]) -> None:
    schema = {"a": pl.Int64, "b": pl.String, "c": pl.Int64}
    first = vl.inspect(pl.DataFrame(rows, schema=schema, orient="row"))
    second = vl.inspect(pl.DataFrame(rows[::-1], schema=schema, orient="row"))
    assert first.as_json() == second.as_json()


def test_a_table_that_was_read_is_looked_at_the_same_way() -> None:
    schema = vl.Schema(quasi=["birth", "sex", "zip"], sensitive=["disease"])
    direct = vl.inspect(vl.datasets.hospital(), schema, columns=["birth", "sex", "zip", "disease"])
    assert vl.inspect(vl.read(vl.datasets.hospital(), schema)).as_json() == direct.as_json()


def test_the_riskiest_are_few_and_each_tells_something_new() -> None:
    found = vl.inspect(vl.datasets.hospital())
    shown = found.riskiest(4)
    assert [len(crowd.columns) for crowd in shown] == sorted(len(crowd.columns) for crowd in shown)
    for crowd in shown:
        assert crowd.alone > 0
        for less in shown:
            assert not (set(less.columns) < set(crowd.columns) and less.alone >= crowd.alone)


def test_long_tables_are_looked_at_in_part_and_it_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inspecting, "VISITS", 400 * 7)
    found = vl.inspect(vl.datasets.hospital())
    assert len(found.combinations) == 7 < found.possible
    assert {crowd.columns for crowd in found.combinations} >= {(name,) for name in found.known}


def test_suggested_roles_of_the_demonstration() -> None:
    roles = vl.inspect(vl.datasets.hospital()).roles()
    assert roles["identifier"] == ["name"]
    assert {"birth", "sex", "zip"} <= set(roles["quasi"])
    assert "disease" in roles["sensitive"]
    vl.read(vl.datasets.hospital(), vl.Schema(**roles))  # a schema as it stands


def test_no_cell_is_told() -> None:
    frame = pl.DataFrame({"name": [f"Secret{n}" for n in range(40)], "age": list(range(40)), "note": ["Hush"] * 40})
    found = vl.inspect(frame)
    assert "Secret" not in repr(found) + str(found.as_json())
    assert "Hush" not in repr(found) + str(found.as_json())


def test_a_type_without_values_is_left_out() -> None:
    found = vl.inspect(pl.DataFrame({"a": [1, 2], "b": [[1], [2]]}))
    assert (found["b"].kind, found["b"].role) == ("none", "")
    assert found.known == ("a",)


def test_too_many_columns(tmp_path: Path) -> None:
    wide = pl.DataFrame({f"c{n}": [1, 2] for n in range(2000)})
    wide.write_csv(tmp_path / "wide.csv")
    for source in (wide, tmp_path / "wide.csv"):
        with pytest.raises(DataError, match="2000 columns") as caught:
            vl.inspect(source)
        assert caught.value.code == "data.columns"
        assert "Name the columns" in caught.value.hint
        assert len(vl.inspect(source, columns=["c1", "c5"]).columns) == 2


def test_a_wrong_delimiter(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("age;sex\n31;F\n32;M\n")
    with pytest.raises(DataError) as caught:
        vl.inspect(path, delimiter=",")
    assert caught.value.code == "data.delimiter"
    assert [column.name for column in vl.inspect(path).columns] == ["age", "sex"]


def test_the_header_is_opened_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "t.csv"
    path.write_text("age;sex\n31;F\n32;M\n")
    opened: list[Path] = []
    open_csv = csv_files._open_csv

    def count(path: Path, *options: Any) -> Any:
        opened.append(path)
        return open_csv(path, *options)

    monkeypatch.setattr(csv_files, "_open_csv", count)
    assert vl.inspect(path).people == 2
    assert opened == [path]


def test_only_a_file_has_a_delimiter() -> None:
    assert vl.inspect(pl.DataFrame({"town; street": ["a", "b"]})).people == 2


def test_an_empty_table() -> None:
    with pytest.raises(DataError, match="no rows"):
        vl.inspect(pl.DataFrame({"a": []}, schema={"a": pl.Int64}))


def test_advice() -> None:
    frame = pl.DataFrame({"id": [f"x{n}" for n in range(100)], "age": [n % 7 for n in range(100)]})
    found = vl.inspect(frame)
    told = found.advice(vl.Schema(quasi=["id", "age"]))
    assert any("100 of 100 people" in words and "'id'" in words and "identifier" in words for words in told)
    assert any("No column is marked as secret" in words for words in told)
    trees = {"id": vl.prefixes(2, 1)}
    assert not any("'id'" in words for words in found.advice(vl.Schema(quasi=["id"], hierarchies=trees)))
    assert found.advice(vl.Schema(quasi=["age"], sensitive=["id"]))[0].startswith("100 of 100")
    many = pl.DataFrame({f"c{n}": [0, 1] for n in range(14)})
    assert any("14 columns" in words for words in vl.inspect(many).advice(vl.Schema(quasi=many.columns[:14])))
