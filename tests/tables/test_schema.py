"""Schemas: roles, kinds, and errors that list all problems at once."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

import voile as vl
from voile.errors import SchemaError
from voile.tables.schema import suggest_name


def test_a_single_name_counts_as_a_list() -> None:
    schema = vl.Schema(quasi="age", sensitive="disease")
    assert (schema.quasi, schema.names()) == (("age",), ("age", "disease"))


def test_all_problems_of_a_schema_are_raised_together() -> None:
    with pytest.raises(SchemaError) as error:
        vl.Schema(
            quasi=["age", "age"],
            sensitive=["disease", "age"],
            identifier=["name"],
            kinds={"agee": "numeric", "disease": "magic", "name": "numeric"},
            missing="ignore",
        )
    text = str(error.value)
    assert len(error.value.problems) == 6
    assert text.startswith("6 problems:")
    for part in (
        "twice (quasi)",
        "twice (quasi and sensitive)",
        "Did you mean 'age'?",
        "'magic'",
        "'name'",
        "'ignore'",
    ):
        assert part in text
    assert {problem.code for problem in error.value.problems} == {
        "schema.role-twice",
        "schema.unknown-column",
        "schema.kind",
        "schema.missing",
    }


def test_a_schema_without_quasi_identifier_is_refused() -> None:
    with pytest.raises(SchemaError) as error:
        vl.Schema(sensitive=["x"])
    assert error.value.code == "schema.no-quasi"


@pytest.mark.parametrize(
    "wrong",
    [
        {"quasi": 5},
        {"quasi": ["a", 5]},
        {"quasi": None},
        {"quasi": ["a"], "kinds": ["a"]},
        {"quasi": ["a"], "domains": {"a": "xyz"}},
        {"quasi": ["a"], "domains": {"a": 5}},
        {"quasi": ["a"], "hierarchies": "folder"},
    ],
)
def test_parts_of_the_wrong_type_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(SchemaError) as error:
        vl.Schema(**wrong)
    assert error.value.code == "schema.type"


def test_unknown_columns_are_all_named() -> None:
    schema = vl.Schema(identifier=["nmae"], quasi=["age", "zipp"], sensitive=["ilness"])
    with pytest.raises(SchemaError) as error:
        schema.check(["name", "age", "zip", "illness"])
    assert str(error.value).count("Did you mean") == 3
    with pytest.raises(SchemaError, match="It has: a, b"):
        vl.Schema(quasi=["zzz"]).check(["a", "b"])
    assert suggest_name("x", []) == "There are none."


def test_problems_of_all_columns_are_raised_together() -> None:
    frame = pl.DataFrame({"a": ["x"], "b": ["y"], "c": [1]})
    schema = vl.Schema(quasi=["a", "b", "c"], kinds={"a": "numeric", "b": "date"}, hierarchies={"c": "dates"})
    with pytest.raises(SchemaError) as error:
        vl.read(frame, schema)
    assert [problem.code for problem in error.value.problems] == ["schema.kind", "schema.kind", "schema.hierarchy"]


def test_reprs_show_roles_and_no_values() -> None:
    schema = vl.Schema(quasi=["age"], domains={"age": ["SECRET"]}, hierarchies={"age": {"SECRET": ["SECRET"]}})
    assert repr(schema) == "Schema(quasi=['age'], domains of 1, hierarchies of 1, missing='error')"
    data = vl.read(pl.DataFrame({"age": ["SECRET"]}), schema)
    for thing in (data, data.columns, data.columns["age"]):
        assert "SECRET" not in repr(thing)


def test_columns_are_found_by_name() -> None:
    data = vl.read(pl.DataFrame({"age": [1, 2], "s": ["a", "b"]}), vl.Schema(quasi=["age"], sensitive=["s"]))
    assert [column.name for column in data.columns] == ["age", "s"]
    assert data.columns["s"].role == "sensitive"
    with pytest.raises(SchemaError, match="Did you mean 'age'"):
        data.columns["agee"]
