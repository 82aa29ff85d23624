"""Hierarchies in files: what a person may write, and that what voile writes can be read back."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import voile as vl
from voile.errors import DataError, SchemaError, SpecError
from voile.io import hierarchy_files
from voile.tables.hierarchy import Hierarchy

NASTY = st.text(st.sampled_from(list(";,\"' \t|{}\\*[]()\r\né漢a1")), max_size=6)


def written(folder: Path, content: str | bytes, name: str = "zip.csv") -> Path:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


@pytest.mark.parametrize(
    "content",
    [
        "a;A;*\nb;A;*\nc;C;*\n",
        "a,A,*\nb,A,*\nc,C,*",
        "\ufeffa;A;*\r\nb;A;*\r\n\r\nc;C;*\r\n",
        " a ; A ; * \n b;A ;*\nc; C;*\n\n",
        '"a";"A";"*"\n"b";"A";"*"\n"c";"C";"*"\n',
        "a;A;*\nb;A;*\nc;C;*\nunused;C;*\n",
    ],
)
def test_what_a_person_may_write(tmp_path: Path, content: str) -> None:
    path = written(tmp_path, content)
    schema = vl.Schema(quasi=["zip"], hierarchies={"zip": str(path)})
    tree = vl.read(pl.DataFrame({"zip": ["a", "b", "c"]}), schema).columns["zip"].hierarchy
    assert tree is not None
    assert tree.rows() == [["a", "A", "*"], ["b", "A", "*"], ["c", "C", "*"]]


def test_the_sign_between_the_cells() -> None:
    assert hierarchy_files.parse_rows('"x;y",Z\nw,Z\n') == [["x;y", "Z"], ["w", "Z"]]
    assert hierarchy_files.parse_rows("x,y;Z\nw;Z\n") == [["x,y", "Z"], ["w", "Z"]]
    assert hierarchy_files.parse_rows("x\ny\n") == [["x"], ["y"]]
    assert hierarchy_files.parse_rows("x;\n;y") == [["x", ""], ["", "y"]]
    assert hierarchy_files.parse_rows("x;") == [["x", ""]]
    assert hierarchy_files.parse_rows("") == []


@given(st.lists(st.lists(NASTY, min_size=2, max_size=4), min_size=1, max_size=5))
@settings(max_examples=150, deadline=None, derandomize=True, database=None)
def test_what_is_written_can_be_read_back(rows: list[list[str]]) -> None:
    content = "".join(";".join(map(hierarchy_files._quote_cell, row)) + "\n" for row in rows)
    assert hierarchy_files.parse_rows(content) == rows


def same(one: Hierarchy | None, two: Hierarchy | None) -> bool:
    assert one is not None
    assert two is not None
    return one.labels == two.labels and all((a == b).all() for a, b in zip(one.maps, two.maps, strict=True))


def test_automatic_hierarchies_survive_the_round_trip(tmp_path: Path) -> None:
    frame = vl.datasets.hospital().with_columns(
        pl.col("zip").cast(pl.Int64).alias("number"), (pl.col("zip").cast(pl.Float64) / 7).alias("share")
    )
    names = ["birth", "sex", "zip", "disease", "number", "share"]
    data = vl.read(frame, vl.Schema(quasi=names, hierarchies=dict.fromkeys(names, "auto")))
    made = {column.name: column.hierarchy for column in data.columns.quasi}
    hierarchy_files.write_hierarchies(tmp_path, {name: tree.rows() for name, tree in made.items() if tree})
    again = vl.read(frame, vl.Schema(quasi=names, hierarchies=hierarchy_files.find_hierarchies(tmp_path)))
    for column in again.columns.quasi:
        assert same(column.hierarchy, made[column.name]), column.name


@given(st.sets(NASTY, min_size=5, max_size=9))
@settings(max_examples=40, deadline=None, derandomize=True, database=None)
def test_nasty_values_survive_the_round_trip(values: set[str]) -> None:
    frame = pl.DataFrame({"q": sorted(values)})
    one = vl.read(frame, vl.Schema(quasi=["q"], hierarchies={"q": vl.by_frequency()})).columns["q"].hierarchy
    assert one is not None
    content = "".join(";".join(map(hierarchy_files._quote_cell, row)) + "\n" for row in one.rows())
    recipe = vl.tree({}).__class__("rows", content=hierarchy_files.parse_rows(content))
    two = vl.read(frame, vl.Schema(quasi=["q"], hierarchies={"q": recipe})).columns["q"].hierarchy
    assert same(one, two)


def test_names_of_columns_cannot_leave_the_folder(tmp_path: Path) -> None:
    names = ["../up", "a/b", "c\\d", "50%", ".hidden", "%2F", "é ü", "con:1", "*?"]
    out = tmp_path / "deep" / "out"
    hierarchy_files.write_hierarchies(out, {name: [["x", "*"]] for name in names})
    assert sorted(hierarchy_files.find_hierarchies(out)) == sorted(names)
    assert [found.name for found in tmp_path.iterdir()] == ["deep"]
    assert len(list(out.iterdir())) == len(names)


def test_files_are_replaced_only_on_demand(tmp_path: Path) -> None:
    hierarchy_files.write_hierarchies(tmp_path, {"zip": [["x", "*"]]})
    with pytest.raises(SpecError, match="already has 1 of these files"):
        hierarchy_files.write_hierarchies(tmp_path, {"zip": [["y", "*"]], "age": [["1", "*"]]})
    assert sorted(hierarchy_files.find_hierarchies(tmp_path)) == ["zip"]
    hierarchy_files.write_hierarchies(tmp_path, {"zip": [["y", "*"]]}, force=True)
    assert hierarchy_files.read_hierarchy(tmp_path / "zip.csv") == [["y", "*"]]
    assert [found.name for found in tmp_path.iterdir()] == ["zip.csv"]


def test_no_space_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hierarchy_files.write_hierarchies(tmp_path, {"zip": [["x", "*"]]})

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.replace", full)
    with pytest.raises(DataError, match="No space left on device"):
        hierarchy_files.write_hierarchies(tmp_path, {"zip": [["y", "*"]]}, force=True)
    assert [found.name for found in tmp_path.iterdir()] == ["zip.csv"]
    assert hierarchy_files.read_hierarchy(tmp_path / "zip.csv") == [["x", "*"]]


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(SchemaError, match=r"'none.csv' cannot be read"):
        hierarchy_files.read_hierarchy(tmp_path / "none.csv")
    with pytest.raises(SchemaError, match=r"'zip.csv' cannot be read"):
        hierarchy_files.read_hierarchy(written(tmp_path, b"a;\xff\n"))
    with pytest.raises(SpecError, match="There is no folder 'none'"):
        hierarchy_files.find_hierarchies(tmp_path / "none")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("a;A\nb;B\n", r"lacks 1 of 3 values \(2 rows\)"),
        ("a;A\nb;A;*\nc;C\n", "rows of 2 different lengths"),
        ("a;A;X\nb;A;Y\nc;C;X\n", "a label has two parents"),
        ("a;A\nb;B\nc;C\na;B\n", "lists a leaf twice"),
        ("", "is empty"),
        ("\n\n", "is empty"),
    ],
)
def test_faults_name_the_column_and_the_counts(tmp_path: Path, content: str, message: str) -> None:
    path = written(tmp_path, content)
    frame = pl.DataFrame({"zip": ["a", "b", "c", "c"]})
    with pytest.raises(SchemaError, match=message) as error:
        vl.read(frame, vl.Schema(quasi=["zip"], hierarchies={"zip": path}))
    assert "'zip'" in error.value.message


def test_the_same_row_twice_is_no_fault(tmp_path: Path) -> None:
    path = written(tmp_path, "a;A\nb;A\na;A\n")
    data = vl.read(pl.DataFrame({"zip": ["a", "b"]}), vl.Schema(quasi=["zip"], hierarchies={"zip": path}))
    assert data.columns["zip"].hierarchy is not None
