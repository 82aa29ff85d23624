"""Detection of people with several rows, by columns of every type."""

from __future__ import annotations

import datetime as dt
from typing import Any

import polars as pl
import pytest

import voile as vl
from voile.errors import DataError
from voile.tables.unit import ASSUMED, DECLARED, IDENTIFIER, PERSON_COLUMN

BASE = {"age": [1, 2, 3, 4], "disease": ["flu", "HIV", "flu", "HIV"]}


def read(values: list[Any], **schema: Any) -> vl.Microdata:
    return vl.read(pl.DataFrame({**BASE, "id": values}), vl.Schema(quasi=["age"], sensitive=["disease"], **schema))


@pytest.mark.parametrize(
    "values",
    [["a", "b", "c", "c"], [1, 2, 3, 3], [1.5, 2.0, 3.0, 3.0], [b"a", b"\xff", b"c", b"c"], [True, False, None, True]],
)
def test_an_identifier_that_repeats_is_refused_with_the_ways_on(values: list[Any]) -> None:
    with pytest.raises(DataError) as error:
        read(values, identifier=["id"])
    assert error.value.code == "data.people"
    named = sum(value is not None for value in values)
    assert f"{named} rows share {named - 1} values of the identifier 'id'" in error.value.message
    assert "person='id'" in str(error.value.hint)
    assert "rows_are='people'" in str(error.value.hint)


def test_the_unit_tells_how_people_are_known() -> None:
    different = ["a", "b", "c", "d"]
    assert read(different, identifier=["id"]).unit.basis == IDENTIFIER
    assert read(["a", "b", "c", None], identifier=["id"]).unit.basis == ASSUMED  # one row was not compared
    assert read(different).unit.basis == ASSUMED
    assert read(["a", "a", "a", "a"], identifier=["id"], rows_are="people").unit.basis == DECLARED
    assert (
        read(different, person="id").unit
        == vl.read(
            pl.DataFrame({**BASE, "id": different}), vl.Schema(quasi=["age"], person="id", identifier=["id"])
        ).unit
    )
    assert read(different, person="id").unit.basis == PERSON_COLUMN


def test_a_number_of_visits_is_no_person_where_a_number_of_people_repeats() -> None:
    table = pl.DataFrame({**BASE, "Fallnummer": [1, 2, 3, 4], "Pat.-Nr.": [7, 7, 8, 9], "name": ["x", "x", "y", "y"]})
    roles: dict[str, Any] = {"quasi": ["age"], "sensitive": ["disease"], "person": "Fallnummer"}
    with pytest.raises(DataError) as error:
        vl.read(table, vl.Schema(**roles, identifier=["Pat.-Nr.", "name"]))
    assert error.value.code == "data.people"
    assert "4 rows share 3 values of the identifier 'Pat.-Nr.'" in error.value.message
    assert "person='Pat.-Nr.'" in str(error.value.hint)
    assert vl.read(table, vl.Schema(**roles, identifier=["name"])).unit.basis == PERSON_COLUMN
    several = table.with_columns(pl.Series("Fallnummer", [1, 1, 2, 3]))
    assert vl.read(several, vl.Schema(**roles, identifier=["Pat.-Nr."])).unit.basis == PERSON_COLUMN
    apart = table.with_columns(pl.Series("Pat.-Nr.", [6, 7, 8, 9]))
    assert vl.read(apart, vl.Schema(**roles, identifier=["Pat.-Nr."])).unit.basis == PERSON_COLUMN


@pytest.mark.parametrize("values", [[[1], [2], [3], [3]], [dt.timedelta(day) for day in range(4)]])
@pytest.mark.parametrize("role", ["person", "identifier"])
def test_a_type_without_texts_cannot_tell_people_apart(values: list[Any], role: str) -> None:
    with pytest.raises(DataError, match="cannot tell people apart") as error:
        read(values, **({"person": "id"} if role == "person" else {"identifier": ["id"]}))
    assert error.value.code == "data.type"


def test_rows_without_a_person_are_refused_or_dropped() -> None:
    for missing in ("error", "value"):
        with pytest.raises(DataError, match="1 rows have no value in 'id'") as error:
            read(["a", None, "b", "b"], person="id", missing=missing)
        assert error.value.code == "data.person"
    data = read(["a", None, "b", "b"], person="id", missing="drop")
    assert data.people is not None
    assert data.dropped == 1
    assert data.people.people_by_rows.tolist() == [0, 1, 1]
    assert data.count_left_out() == 1
    assert data.rows.total == 2
