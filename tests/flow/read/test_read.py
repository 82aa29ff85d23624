"""Reading: roles, kinds, missing cells, and what never enters memory."""

from __future__ import annotations

import datetime
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from published import even_count

import voile as vl
from voile.engines.base import Source
from voile.engines.memory import load_frame
from voile.errors import DataError, SchemaError
from voile.flow.read.column_coding import parse_recipe
from voile.tables.hierarchy import HierarchyRecipe

FRAME = pl.DataFrame(
    {
        "name": ["Ann", "Bob", "Cid", "Dan"],
        "age": [31, 42, 31, 58],
        "size": ["S", "L", "M", "S"],
        "born": [datetime.date(2000, 1, n) for n in (1, 2, 3, 4)],
        "disease": ["flu", "HIV", "flu", "gout"],
    }
)


def holes(**where: list[int]) -> pl.DataFrame:
    return FRAME.with_columns(
        pl.when(pl.int_range(pl.len()).is_in(rows)).then(None).otherwise(pl.col(name)).alias(name)
        for name, rows in where.items()
    )


# roles and kinds ----------------------------------------------------------------------------------------------------
def test_roles() -> None:
    schema = vl.Schema(identifier=["name"], quasi=["age", "born"], sensitive=["disease"], other=["size"])
    data = vl.read(FRAME, schema)
    assert repr(data) == "Microdata(4 rows; 2 quasi, 1 sensitive, 1 other)"
    assert [column.name for column in data.columns] == ["age", "born", "disease", "size"]
    assert [column.kind for column in data.columns] == ["numeric", "date", "categorical", "categorical"]


@pytest.mark.parametrize("ending", ["csv", "parquet", "frame"])
def test_unknown_columns(tmp_path: Path, ending: str) -> None:
    source: Any = FRAME
    if ending != "frame":
        source = tmp_path / f"t.{ending}"
        getattr(FRAME, f"write_{ending}")(source)
    schema = vl.Schema(identifier=["nmae"], quasi=["agee"], sensitive=["ilness"])
    with pytest.raises(SchemaError) as error:
        vl.read(source, schema)
    assert len(error.value.problems) == 3
    assert "Did you mean 'name'?" in str(error.value)
    assert "Did you mean 'age'?" in str(error.value)
    assert not any(cell in str(error.value) for cell in ("Ann", "HIV", "31"))


@pytest.mark.parametrize("role", ["identifier", "person"])
def test_no_published_file_holds_an_identifier(tmp_path: Path, role: str) -> None:
    """Identifiers are read to see whether they repeat, and a person column to tell rows apart; nothing of them is
    kept. Columns without a role are not read at all."""
    names = ["Annabel", "Benedict", "Cordelia", "Desmond"]
    frame = FRAME.with_columns(surname=pl.Series(names))
    schema = vl.Schema(quasi=["age"], sensitive=["disease"], **{role: "surname"})
    frame.write_csv(tmp_path / "t.csv")
    frame.write_parquet(tmp_path / "t.parquet")
    for source in (tmp_path / "t.csv", tmp_path / "t.parquet", frame):
        assert sorted(load_frame(Source(source), schema).columns) == ["age", "disease", "surname"]
        data = vl.read(source, schema)
        assert [column.name for column in data.columns] == ["age", "disease"]
        folder = vl.publish(data, vl.KAnonymity(k=2)).save(tmp_path / "out", format="csv", force=True)
        published = b"".join(path.read_bytes() for path in folder.iterdir())
        assert b"flu" in published
        assert not [name for name in (*names, "surname") if name.encode() in published]


def test_declared_kinds_and_domains() -> None:
    schema = vl.Schema(
        quasi=["age", "size", "born"],
        sensitive=["disease"],
        kinds={"age": "categorical", "size": "ordered", "born": "ordered", "disease": "ordered"},
        domains={"size": ["XS", "S", "M", "L"], "disease": ["gout", "flu", "HIV"]},
    )
    columns = vl.read(FRAME, schema).columns
    assert [column.kind for column in columns] == ["categorical", "ordered", "ordered", "ordered"]
    assert columns["size"].domain.labels == ["XS", "S", "M", "L"]
    assert columns["disease"].domain.labels == ["gout", "flu", "HIV"]
    with pytest.raises(DataError, match="'size' has 1 cell outside"):
        vl.read(FRAME, vl.Schema(quasi=["size"], domains={"size": ["S", "M"]}))


def test_ordered_columns_are_cut_in_their_order() -> None:
    frame = pl.DataFrame({"size": ["S", "M", "L", "XL"] * 5})
    schema = vl.Schema(quasi=["size"], kinds={"size": "ordered"}, domains={"size": ["S", "M", "L", "XL"]})
    shown = vl.publish(vl.read(frame, schema), vl.KAnonymity(k=10)).tables["table"]["size"]
    assert set(shown) == {"{S|M}", "{L|XL}"}


def test_no_rows() -> None:
    with pytest.raises(DataError, match="no rows"):
        vl.read(FRAME.clear(), vl.Schema(quasi=["age"]))


# missing cells ------------------------------------------------------------------------------------------------------
def test_missing_cells_are_an_error_that_names_columns_and_counts() -> None:
    frame = holes(age=[0, 1], disease=[2])
    with pytest.raises(DataError) as error:
        vl.read(frame, vl.Schema(quasi=["age", "size"], sensitive=["disease"]))
    assert error.value.code == "data.missing"
    assert error.value.message == "The table has missing cells: 2 in 'age', 1 in 'disease'."
    assert "missing='drop'" in error.value.hint


def test_missing_cells_may_be_dropped() -> None:
    data = vl.read(holes(age=[0, 1], disease=[1]), vl.Schema(quasi=["age"], sensitive=["disease"], missing="drop"))
    assert (data.rows.total, data.dropped) == (2, 2)
    with pytest.raises(DataError, match="Every row has a missing cell"):
        vl.read(holes(age=[0, 1], disease=[2, 3]), vl.Schema(quasi=["age"], sensitive=["disease"], missing="drop"))


def test_missing_cells_of_other_columns_are_nobodys_business() -> None:
    data = vl.read(holes(size=[0]), vl.Schema(quasi=["age"], sensitive=["disease"], other=["size"]))
    assert data.rows.total == 4
    assert data.columns["size"].domain.missing


def test_missing_may_be_a_value() -> None:
    schema = vl.Schema(quasi=["age", "size", "born"], sensitive=["disease"], missing="value")
    data = vl.read(holes(age=[0], size=[1], born=[2], disease=[3]), schema)
    assert data.rows.total == 4
    for column in data.columns:
        assert column.domain.missing
        assert column.domain.labels[-1] == "(missing)"


def test_not_a_number_is_missing() -> None:
    frame = pl.DataFrame({"x": [1.0, float("nan")]})
    with pytest.raises(DataError, match="1 in 'x'"):
        vl.read(frame, vl.Schema(quasi=["x"]))


def test_the_word_for_missing_is_taken() -> None:
    frame = pl.DataFrame({"q": ["(missing)", None, "b"]})
    with pytest.raises(DataError, match="Column 'q' holds the text"):
        vl.read(frame, vl.Schema(quasi=["q"], missing="value"))
    assert vl.read(frame.drop_nulls(), vl.Schema(quasi=["q"])).rows.total == 2


METHODS = [
    vl.Mondrian(),
    vl.Mondrian(recoding="hierarchy"),
    vl.FullDomain(),
    vl.FullDomain(suppression=0.2),
    vl.Anatomy(),
]


@pytest.mark.parametrize("method", METHODS, ids=repr)
@pytest.mark.parametrize("format", ["csv", "parquet"])
def test_missing_values_through_every_method(tmp_path: Path, method: Any, format: str) -> None:
    rows = 60
    frame = pl.DataFrame(
        {
            "age": [None if n % 7 == 0 else 20 + n % 30 for n in range(rows)],
            "pay": [None if n % 5 == 0 else 1000.5 + n for n in range(rows)],
            "born": [None if n % 6 == 0 else datetime.date(2000, 1, 1) + datetime.timedelta(n) for n in range(rows)],
            "sex": [None if n % 4 == 0 else "FM"[n % 2] for n in range(rows)],
            "disease": [None if n % 9 == 0 else ("flu", "HIV", "gout")[n % 3] for n in range(rows)],
        }
    )
    names = ["age", "pay", "born", "sex"]
    trees = {"age": "intervals:5,10", "born": "dates", "sex": "frequency"}
    schema = vl.Schema(quasi=names, sensitive=["disease"], hierarchies=trees, missing="value")
    data = vl.read(frame, schema)
    release = vl.publish(data, vl.LDiversity(l=2), method, key=vl.Key(bytes(32)))
    place = release.save(tmp_path / "out", format=format)
    assert vl.verify(place).holds
    loaded = vl.load(place)
    assert loaded.people == release.people
    assert even_count(loaded) == release.people
    known = frame["disease"].drop_nulls().len()
    assert even_count(loaded, disease=["flu", "HIV", "gout"]) <= known
    for query in ({"age": (20, 30)}, {"pay": (1000, 1030)}, {"born": ("2000-01-01", "2000-02-01")}, {"sex": "F"}):
        if next(entry for entry in release.described("quasi") if entry["name"] in query)["shown"] == "suppressed":
            for one in (release, loaded):
                with pytest.raises(SchemaError, match="shows no value"):
                    even_count(one, query)
            continue
        assert 0 <= even_count(loaded, query) <= rows
        assert even_count(loaded, query) == pytest.approx(even_count(release, query))
    assert vl.audit(release, data).passed
    assert all(loss.value >= 0 for loss in vl.measure(data, release).items)


def test_a_column_of_nothing() -> None:
    frame = pl.DataFrame({"q": [None] * 6, "n": pl.Series([None] * 6, dtype=pl.Int64), "s": ["a", "b", "c"] * 2})
    data = vl.read(frame, vl.Schema(quasi=["q", "n"], sensitive=["s"], missing="value"))
    for method in (vl.Mondrian(), vl.FullDomain(), vl.Anatomy()):
        release = vl.publish(data, vl.LDiversity(l=3), method)
        assert release.people == 6
        assert even_count(release, n=(0, 5)) == 0


# hierarchies --------------------------------------------------------------------------------------------------------
def test_what_may_be_written_for_a_hierarchy(tmp_path: Path) -> None:
    path = tmp_path / "size.csv"
    path.write_text("S;small;*\nM;small;*\nL;large;*\n")
    for wanted in (
        path,
        str(path),
        {"small": ["S", "M"], "large": ["L"]},
        vl.tree({"small": ["S", "M"], "large": ["L"]}),
    ):
        tree = vl.read(FRAME, vl.Schema(quasi=["size"], hierarchies={"size": wanted})).columns["size"].hierarchy
        assert tree is not None
        assert tree.rows()[0] == ["L", "large", "*"]
    assert parse_recipe("prefixes:5,3,1", "c") == vl.prefixes(5, 3, 1)
    assert parse_recipe("intervals:0.5,1", "c") == vl.intervals(0.5, 1)
    assert parse_recipe("dates", "c") == vl.dates()
    assert parse_recipe("auto", "c") == HierarchyRecipe("auto")
    for text in ("intervals:5,10", "prefixes:5,3,1", "dates", "frequency:3", "auto"):
        assert parse_recipe(text, "c").text() == text


@pytest.mark.parametrize("wanted", ["prefixes:a", "intervals:5;10", 5, None, ["a"], "no-such-file.csv", "prefix:3"])
def test_hierarchies_that_are_none(wanted: Any) -> None:
    with pytest.raises(SchemaError):
        vl.read(FRAME, vl.Schema(quasi=["age"], hierarchies={"age": wanted}))


def test_a_lacking_leaf_names_the_column_and_the_counts() -> None:
    with pytest.raises(SchemaError) as error:
        vl.read(FRAME, vl.Schema(quasi=["size"], hierarchies={"size": {"small": ["S"], "large": ["L"]}}))
    assert error.value.code == "schema.hierarchy-leaf"
    assert "'size' lacks 1 of 3 values (1 rows)" in error.value.message
