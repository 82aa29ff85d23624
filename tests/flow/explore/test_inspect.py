"""Inspecting a table before anything is done: people who stand out are counted again by hand."""

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
from voile.flow.explore import uniqueness
from voile.io import csv_files

TABLES = st.lists(
    st.tuples(st.integers(0, 3), st.sampled_from("ab"), st.one_of(st.none(), st.integers(0, 2))),
    min_size=1,
    max_size=30,
)


def count_alone(rows: list[tuple[object, ...]]) -> int:
    return sum(count == 1 for count in Counter(rows).values())


@given(rows=TABLES)
def test_uniqueness_agrees_with_a_count_by_hand(rows: list[tuple[int, str, int | None]]) -> None:
    frame = pl.DataFrame(rows, schema={"a": pl.Int64, "b": pl.String, "c": pl.Int64}, orient="row")
    inspection = vl.inspect(frame, vl.Schema(quasi=["a", "b", "c"]))
    assert inspection.whole is not None
    assert inspection.whole.alone == count_alone(rows)
    assert inspection.whole.few == sum(count for count in Counter(rows).values() if count < 5)
    by_columns = {item.columns: item.alone for item in inspection.combinations}
    for size in (1, 2, 3):
        for positions in itertools.combinations(range(3), size):
            names = tuple("abc"[j] for j in positions)
            assert by_columns[names] == count_alone([tuple(row[j] for j in positions) for row in rows])
    for name, added in inspection.adds.items():
        others = [j for j in range(3) if "abc"[j] != name]
        assert added == inspection.whole.alone - count_alone([tuple(row[j] for j in others) for row in rows])


@given(rows=TABLES)
def test_the_order_of_rows_does_not_matter(rows: list[tuple[int, str, int | None]]) -> None:
    schema = {"a": pl.Int64, "b": pl.String, "c": pl.Int64}
    inspection = vl.inspect(pl.DataFrame(rows, schema=schema, orient="row"))
    reverse = vl.inspect(pl.DataFrame(rows[::-1], schema=schema, orient="row"))
    assert inspection.as_json() == reverse.as_json()


def test_a_table_that_was_read_gives_the_same_inspection() -> None:
    schema = vl.Schema(quasi=["birth", "sex", "zip"], sensitive=["disease"])
    direct = vl.inspect(vl.datasets.hospital(), schema, columns=["birth", "sex", "zip", "disease"])
    assert vl.inspect(vl.read(vl.datasets.hospital(), schema)).as_json() == direct.as_json()


def test_each_riskiest_combination_singles_out_more_than_those_it_contains() -> None:
    inspection = vl.inspect(vl.datasets.hospital())
    riskiest = inspection.riskiest(4)
    assert [len(item.columns) for item in riskiest] == sorted(len(item.columns) for item in riskiest)
    for item in riskiest:
        assert item.alone > 0
        for subset in riskiest:
            assert not (set(subset.columns) < set(item.columns) and subset.alone >= item.alone)


def test_only_some_combinations_of_a_long_table_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uniqueness, "VISITS", 400 * 7)
    inspection = vl.inspect(vl.datasets.hospital())
    assert len(inspection.combinations) == 7 < inspection.possible
    assert {item.columns for item in inspection.combinations} >= {(name,) for name in inspection.known}


def test_suggested_roles_of_the_demo_table_make_a_schema() -> None:
    roles = vl.inspect(vl.datasets.hospital()).roles()
    assert roles["identifier"] == ["name"]
    assert {"birth", "sex", "zip"} <= set(roles["quasi"])
    assert "disease" in roles["sensitive"]
    vl.read(vl.datasets.hospital(), vl.Schema(**roles))  # the roles can be used as they are


def test_an_inspection_shows_no_cell() -> None:
    frame = pl.DataFrame({"name": [f"Secret{n}" for n in range(40)], "age": list(range(40)), "note": ["Hush"] * 40})
    inspection = vl.inspect(frame)
    assert "Secret" not in repr(inspection) + str(inspection.as_json())
    assert "Hush" not in repr(inspection) + str(inspection.as_json())


def test_a_column_that_cannot_be_compared_gets_no_role() -> None:
    inspection = vl.inspect(pl.DataFrame({"age": [1, 2], "b": [[1], [2]]}))
    assert (inspection["b"].kind, inspection["b"].role) == ("none", "")
    assert inspection.known == ("age",)


def test_too_many_columns_are_refused_unless_some_are_named(tmp_path: Path) -> None:
    wide = pl.DataFrame({f"c{n}": [1, 2] for n in range(2000)})
    wide.write_csv(tmp_path / "wide.csv")
    for source in (wide, tmp_path / "wide.csv"):
        with pytest.raises(DataError, match="2000 columns") as caught:
            vl.inspect(source)
        assert caught.value.code == "data.columns"
        assert "Name the columns" in caught.value.hint
        assert len(vl.inspect(source, columns=["c1", "c5"]).columns) == 2


def test_a_wrong_delimiter_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("age;sex\n31;F\n32;M\n")
    with pytest.raises(DataError) as caught:
        vl.inspect(path, delimiter=",")
    assert caught.value.code == "data.delimiter"
    assert [column.name for column in vl.inspect(path).columns] == ["age", "sex"]


def test_the_header_is_opened_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "t.csv"
    path.write_text("age;sex\n31;F\n32;M\n")
    opened_paths: list[Path] = []
    read_header = csv_files._read_header

    def read_and_record(path: Path, *options: Any) -> Any:
        opened_paths.append(path)
        return read_header(path, *options)

    monkeypatch.setattr(csv_files, "_read_header", read_and_record)
    assert vl.inspect(path).people == 2
    assert opened_paths == [path]


def test_only_a_file_has_a_delimiter() -> None:
    assert vl.inspect(pl.DataFrame({"town; street": ["a", "b"]})).people == 2


def test_an_empty_table_is_refused() -> None:
    with pytest.raises(DataError, match="no rows"):
        vl.inspect(pl.DataFrame({"a": []}, schema={"a": pl.Int64}))


def test_advice_names_unwise_roles() -> None:
    frame = pl.DataFrame({"id": [f"x{n}" for n in range(100)], "age": [n % 7 for n in range(100)]})
    inspection = vl.inspect(frame)
    advice = inspection.advice(vl.Schema(quasi=["id", "age"]))
    assert any("100 of 100 people" in words and "'id'" in words and "identifier" in words for words in advice)
    assert any("No column is marked as secret" in words for words in advice)
    trees = {"id": vl.prefixes(2, 1)}
    assert not any("'id'" in words for words in inspection.advice(vl.Schema(quasi=["id"], hierarchies=trees)))
    assert inspection.advice(vl.Schema(quasi=["age"], sensitive=["id"]))[0].startswith("100 of 100")
    many = pl.DataFrame({f"c{n}": [0, 1] for n in range(14)})
    assert any("14 columns" in words for words in vl.inspect(many).advice(vl.Schema(quasi=many.columns[:14])))


def make_visits(name: str = "patient_id") -> pl.DataFrame:
    """90 visits of 40 people, the first of whom has 12."""
    people = [0] * 10 + [n % 40 for n in range(80)]
    return pl.DataFrame(
        {
            name: [f"P{person}" for person in people],
            "birth": [1930 + person for person in people],
            "sex": ["FM"[person % 2] for person in people],
            "town": [f"T{n % 25}" for n in range(90)],
            "disease": [("flu", "cold", "asthma")[n % 3] for n in range(90)],
        }
    )


@pytest.mark.parametrize("name", ["patient_id", "number"])  # by its name, and by birth and sex
def test_a_column_that_tells_people_apart_is_suggested(name: str) -> None:
    inspection = vl.inspect(make_visits(name))
    assert inspection.suggested_person == name
    (repeats,) = inspection.repeats
    assert (repeats.rows, repeats.different, repeats.most, repeats.is_person) == (90, 40, 12, True)
    assert inspection[name].why == "40 different values in 90 rows: it may tell people apart."
    document = inspection.as_json()
    assert document["suggested_person"] == name
    assert document["repeats"][0]["different"] == 40
    assert "P1" not in str(document)


def test_a_mistyped_trait_does_not_hide_who_is_who() -> None:
    people = [n % 200 for n in range(600)]
    frame = pl.DataFrame({"number": people, "sex": ["FM"[person % 2] for person in people]})
    mistyped = frame.with_columns(pl.when(pl.int_range(pl.len()) == 0).then(pl.lit("M")).otherwise("sex").alias("sex"))
    assert vl.inspect(mistyped).suggested_person == "number"
    by_chance = frame.with_columns(pl.Series("birth", [1950 + n % 7 for n in range(600)]))
    assert vl.inspect(by_chance).suggested_person is None  # one sex per value, but several births
    shuffled = frame.with_columns(pl.Series("sex", ["FM"[n // 200 % 2] for n in range(600)]))
    assert vl.inspect(shuffled).suggested_person is None


def test_of_several_columns_the_one_that_tells_apart_the_most_is_suggested() -> None:
    frame = pl.DataFrame({"person_id": [n // 2 for n in range(200)], "household_id": [n // 5 for n in range(200)]})
    assert vl.inspect(frame).suggested_person == "person_id"
    whole = frame.with_columns(pl.Series("person_id", range(200)))
    inspection = vl.inspect(whole)
    assert inspection.suggested_person is None  # every row is a person already
    assert [item.column for item in inspection.repeats] == ["household_id"]


@pytest.mark.parametrize("number", ["Fallnummer", "visit_id", "encounter", "email", "Rechnungsnr", "row"])
def test_a_number_of_cases_is_no_person_where_patients_repeat(number: str) -> None:
    patients = [(37 * row) % 61 for row in range(150)]
    table = pl.DataFrame(
        {
            number: [f"u{row}@example.org" if number == "email" else 2_024_000 + row for row in range(150)],
            "Pat.-Nr.": [100_000 + patient for patient in patients],
            "sex": ["mf"[patient % 2] for patient in patients],
            "birth": [1930 + patient for patient in patients],
        },
        strict=False,
    )
    inspection = vl.inspect(table)
    assert inspection.suggested_person == "Pat.-Nr."
    assert inspection.row_identifier is None
    households = table.rename({"Pat.-Nr.": "household_id", number: "person_id"})
    assert vl.inspect(households).row_identifier == "person_id"


def test_names_that_people_share_repeat_but_are_no_persons() -> None:
    frame = pl.DataFrame({"name": [f"N{n % 38}" for n in range(40)], "age": [n % 7 for n in range(40)]})
    inspection = vl.inspect(frame)
    assert [(item.column, item.is_person) for item in inspection.repeats] == [("name", False)]
    assert inspection.suggested_person is None


def test_advice_says_what_to_do_about_repeated_people() -> None:
    inspection = vl.inspect(make_visits())
    roles = {"quasi": ["birth", "sex"], "sensitive": ["disease"]}
    (words,) = inspection.advice(vl.Schema(**roles))
    assert words.startswith("40 different patient_id in 90 rows, up to 12 rows each.")
    assert "person='patient_id'" in words
    assert "rows_are='people'" in words
    assert not inspection.advice(vl.Schema(**roles, person="patient_id"))
    assert not inspection.advice(vl.Schema(**roles, rows_are="people"))


def test_people_with_several_rows_stand_out_once() -> None:
    schema = vl.Schema(quasi=["birth", "sex"], sensitive=["disease"], person="patient_id", rows_per_person=3)
    inspection = vl.inspect(vl.read(make_visits(), schema))
    assert inspection.whole is not None
    assert (inspection.people, inspection.whole.alone) == (40, 40)
    assert "40 people" in repr(inspection)
    schema = vl.Schema(quasi=["birth", "sex"])
    raw = vl.inspect(make_visits(), schema)  # as suggested
    assert raw.whole is not None
    assert (raw.people, raw.whole.people, raw.whole.alone) == (90, 40, 40)
    assert "90 rows" in repr(raw)
    rows = vl.inspect(make_visits(), vl.Schema(quasi=["birth", "sex"], rows_are="people"))
    assert rows.whole is not None
    assert (rows.whole.people, rows.whole.alone, rows.unit.checked) == (90, 0, False)
