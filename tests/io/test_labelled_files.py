"""Workbooks and files of Stata and SPSS: labels, and what is wrong with a file."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import voile as vl
from voile.errors import DataError, SpecError
from voile.io import table_files

pd = pytest.importorskip("pandas")
pyreadstat = pytest.importorskip("pyreadstat")
pytest.importorskip("fastexcel")

_PARTS = {
    "[Content_Types].xml": '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default '
    'Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" '
    'ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-'
    'officedocument.spreadsheetml.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType='
    '"application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/></Types>',
    "_rels/.rels": '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship '
    'Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" '
    'Target="xl/workbook.xml"/></Relationships>',
    "xl/workbook.xml": '<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="http://'
    'schemas.openxmlformats.org/officeDocument/2006/relationships"><sheets><sheet name="A" sheetId="1" r:id="rId1"/>'
    "</sheets></workbook>",
    "xl/_rels/workbook.xml.rels": '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
    '<Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet" '
    'Target="worksheets/sheet1.xml"/></Relationships>',
}


def write_workbook(path: Path, rows: list[list[Any]]) -> Path:
    """Write a workbook with one sheet, without a library for it."""
    cells = "".join(
        "<row>"
        + "".join(
            f"<c><v>{cell}</v></c>" if isinstance(cell, int | float) else f'<c t="inlineStr"><is><t>{cell}</t></is></c>'
            for cell in row
        )
        + "</row>"
        for row in rows
    )
    sheet = f'<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>{cells}</sheetData></worksheet>'
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in {**_PARTS, "xl/worksheets/sheet1.xml": sheet}.items():
            archive.writestr(name, '<?xml version="1.0" encoding="UTF-8"?>' + text)
    return path


ROWS = [["age", "born", "cost"], *([30 + n, f"{1 + n:02}.02.1980", f"{n},50 €"] for n in range(12))]


def test_a_workbook_is_read_with_its_conversions(tmp_path: Path) -> None:
    path = write_workbook(tmp_path / "t.xlsx", ROWS)
    data = vl.read(path, vl.Schema(quasi=["age", "born"], sensitive=["cost"]))
    assert [column.kind for column in data.columns] == ["numeric", "date", "numeric"]
    assert data.reading.as_spec() == {"convert": {"born": "day-first", "cost": "decimal-comma"}}
    assert data.columns["age"].domain.values.dtype == pl.Int64  # a workbook stores every number with decimals
    on_disk = vl.read(path, vl.Schema(quasi=["age", "born"], sensitive=["cost"]), engine=vl.Disk())
    assert on_disk.columns["cost"].domain.labels == data.columns["cost"].domain.labels


def write_statistics(folder: Path, ending: str, labels: dict[int, str]) -> Path:
    frame = pd.DataFrame(
        {
            "sex": [1.0, 2.0, 2.0, 1.0],
            "age": [30.0, 40.0, 50.0, 61.0],
            "city": ["Ulm", "", "Köln", "Ulm"],
            "plz": [89073.0, 89075.0, 50667.0, 89073.0],
            "v7": [1.0, 2.0, 3.0, 1.0],
        }
    )
    path, titles = folder / f"t.{ending}", ["Sex", "Age", "Town", "Postcode", "Marital status"]
    (pyreadstat.write_dta if ending == "dta" else pyreadstat.write_sav)(
        frame, str(path), variable_value_labels={"sex": labels}, column_labels=titles
    )
    return path


@pytest.mark.parametrize("ending", ["dta", "sav"])
def test_labels_take_the_place_of_codes(tmp_path: Path, ending: str) -> None:
    path = write_statistics(tmp_path, ending, {1: "male", 2: "female", 3: "other"})
    frame = table_files.read_file(path)
    assert frame["sex"].to_list() == ["male", "female", "female", "male"]
    assert frame["age"].dtype == pl.Int64
    assert frame["city"].null_count() == 1
    data = vl.read(path, vl.Schema(quasi=["sex", "age"]))
    assert data.columns["sex"].domain.labels == ["male", "female"]  # in the order of the codes
    release = vl.publish(data, vl.KAnonymity(k=2))
    assert "male" in str(release.dictionary)
    assert "other" not in str(release.dictionary)
    codes = vl.read(path, vl.Schema(quasi=["sex"]), convert={"sex": "codes"})
    assert codes.columns["sex"].domain.labels == ["1", "2"]


@pytest.mark.parametrize("ending", ["dta", "sav"])
def test_titles_of_columns_say_what_they_are_and_postcodes_stay_text(tmp_path: Path, ending: str) -> None:
    path = write_statistics(tmp_path, ending, {1: "male", 2: "female"})
    found = vl.inspect(path)
    assert (found["v7"].title, found["v7"].role, found["v7"].meaning) == ("Marital status", "quasi", "family")
    assert "Marital status" in found.html
    assert found["plz"].kind == "categorical"
    for engine in (None, vl.Disk()):
        assert vl.read(path, vl.Schema(quasi=["plz"]), engine=engine).columns["plz"].domain.labels[0] == "50667"
    numbers = vl.read(path, vl.Schema(quasi=["plz"]), convert={"plz": "codes"})
    assert numbers.columns["plz"].kind == "numeric"


@pytest.mark.parametrize("ending", ["dta", "sav"])
def test_labels_that_do_not_cover_the_values_are_asked_about(tmp_path: Path, ending: str) -> None:
    path = write_statistics(tmp_path, ending, {1: "male"})
    with pytest.raises(DataError, match="1 of its 2 values have no label") as error:
        vl.read(path, vl.Schema(quasi=["sex"]))
    assert "convert={'sex': 'codes'}" in str(error.value)
    labels = vl.read(path, vl.Schema(quasi=["sex"]), convert={"sex": "labels"})
    assert labels.columns["sex"].domain.labels == ["male", "2"]
    assert vl.inspect(path).reading.columns[0].choices == ("codes", "labels")


@pytest.mark.parametrize("ending", ["dta", "sav"])
def test_codes_with_one_label_are_told_apart_by_whole_codes(tmp_path: Path, ending: str) -> None:
    path = write_statistics(tmp_path, ending, {1: "male", 2: "male"})
    assert table_files.read_file(path)["sex"].to_list() == ["male (1)", "male (2)", "male (2)", "male (1)"]


@pytest.mark.parametrize("ending", ["dta", "sav"])
@pytest.mark.parametrize("engine", [None, vl.Disk()], ids=["memory", "disk"])
def test_a_reading_that_a_statistics_file_cannot_have_is_refused(
    tmp_path: Path, ending: str, engine: vl.Engine | None
) -> None:
    path = write_statistics(tmp_path, ending, {1: "male", 2: "female"})
    for name, reading, useful in (("city", "day-first", "text, codes"), ("age", "labels", "text, codes, decimal")):
        with pytest.raises(SpecError, match=rf"convert={{'{name}': '{reading}'}} has no effect here") as error:
            vl.read(path, vl.Schema(quasi=[name]), convert={name: reading}, engine=engine)
        assert error.value.code == "spec.unused-option"
        assert f"The readings of '{name}' are {useful}" in error.value.hint


def test_what_is_wrong_with_a_file(tmp_path: Path) -> None:
    workbook = write_workbook(tmp_path / "t.xlsx", ROWS)
    faults = {
        "csv.csv": (workbook.read_bytes(), "data.format", "workbook data"),
        "text.xlsx": (b"age,sex\n1,m\n", "data.format", "it is text data"),
        "locked.xlsx": (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600), "data.password", "password"),
        "cut.xlsx": (workbook.read_bytes()[:300], "data.corrupt", "not a complete Excel file"),
        "text.sav": (b"age,sex\n1,m\n", "data.format", "it is text data"),
        "text.dta": (b"age,sex\n1,m\n", "data.format", "it is text data"),
        "page.csv": (
            b"\n<!DOCTYPE html><html><table><tr><td>Ann</td></tr></table>\n",
            "data.format",
            "HTML or XML data",
        ),
        "page.xls": (b"<html><table><tr><td>Ann</td></tr></table>", "data.format", "HTML or XML data"),
        "print.csv": (b"%PDF-1.7\n%\xe2\xe3\n", "data.format", "PDF data"),
        "packed.csv": (b"\x1f\x8b" + bytes(40), "data.format", "compressed data"),
        "list.csv": (b'[{"name": "Ann", "age": 3},\n{"name": "Bob"}]\n', "data.format", "JSON data"),
        "titled.csv": (b"Report;;\nage;sex;note\n31;m;x\n", "data.header", "2 columns of 'titled.csv' have no name"),
        "other.parquet": (workbook.read_bytes(), "data.format", "workbook data"),
    }
    for name, (content, code, words) in faults.items():
        path = tmp_path / name
        path.write_bytes(content)
        with pytest.raises(DataError, match=words) as error:
            table_files.read_file(path)
        assert error.value.code == code, name


def test_texts_among_the_numbers_of_a_workbook_are_no_missing_cells(tmp_path: Path) -> None:
    rows = [["age", "cost"], *([n if n < 1_100 else "unknown", n if n % 3 else "n/a"] for n in range(1_200))]
    path = write_workbook(tmp_path / "t.xlsx", rows)
    frame = table_files.read_file(path)
    assert frame.dtypes == [pl.String, pl.String]
    assert frame.null_count().row(0) == (0, 0)
    notes = [reading.note for reading in vl.inspect(path).reading.columns]
    assert "the other 100 are not" in notes[0]
    assert "the other 400 are not" in notes[1]
    named = vl.inspect(path, null_values=["n/a", "unknown"])
    assert [(named[name].kind, named[name].missing) for name in ("age", "cost")] == [("numeric", 100), ("numeric", 400)]


def test_two_header_rows_of_a_workbook(tmp_path: Path) -> None:
    path = write_workbook(tmp_path / "two.xlsx", [ROWS[0], ["years", "date", "euro"], *ROWS[1:]])
    with pytest.raises(DataError, match="second header") as error:
        table_files.read_file(path)
    assert error.value.code == "data.header"
    titled = write_workbook(tmp_path / "titled.xlsx", [["Patients", "", ""], *ROWS])
    with pytest.raises(DataError, match=r"columns of 'titled.xlsx' have no name"):
        table_files.read_file(titled)


def write_two_sheets(path: Path) -> Path:
    """Write a workbook with the sheets A (text) and B (the table)."""
    write_workbook(path, ROWS)
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name).decode() for name in archive.namelist()}
    second = parts["xl/worksheets/sheet1.xml"]
    parts["xl/worksheets/sheet2.xml"] = second
    parts["xl/worksheets/sheet1.xml"] = second.replace("age", "note")
    for name, one, two in (
        ("[Content_Types].xml", "sheet1.xml", "sheet2.xml"),
        ("xl/_rels/workbook.xml.rels", "sheet1.xml", "sheet2.xml"),
        ("xl/workbook.xml", 'name="A"', 'name="B"'),
    ):
        start = parts[name].rindex("<", 0, parts[name].index(one))
        entry = parts[name][start : parts[name].index(">", start) + 1]
        copy = entry.replace(one, two).replace("rId1", "rId2").replace('sheetId="1"', 'sheetId="2"')
        parts[name] = parts[name].replace(entry, entry + copy)
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in parts.items():
            archive.writestr(name, text)
    return path


def test_one_of_several_sheets_is_named(tmp_path: Path) -> None:
    path = write_two_sheets(tmp_path / "t.xlsx")
    with pytest.raises(DataError, match=r"has 2 sheets with rows. Name one of 'A' \(1\), 'B' \(2\): sheet='A'"):
        vl.inspect(path)
    with pytest.raises(DataError, match="has no sheet 'C'"):
        vl.inspect(path, sheet="C")
    schema = vl.Schema(quasi=["age"], sensitive=["cost"])
    for sheet in ("B", 2, "2"):
        assert vl.inspect(path, sheet=sheet)["age"].distinct == 12
        assert vl.read(path, schema, sheet=sheet, engine=vl.Disk()).rows.total == 12
    assert vl.inspect(path, sheet=1)["note"].distinct == 12
