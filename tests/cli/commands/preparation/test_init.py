"""`voile init`: a spec.toml that a person decides about, and that publishes."""

from __future__ import annotations

import json
import tomllib
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest
from calling import Voile
from tables.roles.german_hospital import write_hospital

import voile as vl
from voile.errors import SpecError
from voile.flow.explore.spec_draft import draft_spec
from voile.io.spec_files import read_spec


def test_a_draft_publishes(voile: Voile, table: Path) -> None:
    answer = voile("init", table, "--json")
    assert answer.code == 0, answer.err
    text = (voile.folder / "spec.toml").read_text()
    assert '"name",  # ' in text  # every column has its reason beside it
    assert tomllib.loads(text)["schema"]["identifier"] == ["name"]
    assert "Ann" not in text
    published = voile("publish", table, "--spec", "spec.toml", "--out", "release")
    assert published.code == 0, published.err


def test_a_file_is_not_replaced_by_accident(voile: Voile, table: Path) -> None:
    (voile.folder / "spec.toml").write_text("mine")
    assert voile("init", table).code == 2
    assert (voile.folder / "spec.toml").read_text() == "mine"
    assert voile("init", table, "--force").code == 0


def test_people_missing_cells_and_reading_are_in_the_draft(voile: Voile) -> None:
    frame = pl.DataFrame(
        {"patient_id": [n % 60 for n in range(150)], "age": [None, *range(149)], 'a "b"': ["x", "y", "z"] * 50}
    )
    frame.write_csv(voile.folder / "visits.csv", separator=";")
    assert voile("init", "visits.csv", "--delimiter", ";").code == 0
    spec = tomllib.loads((voile.folder / "spec.toml").read_text())
    schema = spec["schema"]
    assert (schema["person"], schema["missing"], spec["read"]["delimiter"]) == ("patient_id", "value", ";")
    assert 'a "b"' in [name for key in ("quasi", "undecided") for name in schema.get(key, [])]
    assert "patient_id" not in schema["identifier"]


def test_a_messy_hospital_is_inspected_drafted_and_published_without_flags(voile: Voile) -> None:
    path = write_hospital(voile.folder / "export.csv", visits=300)
    shown = voile("inspect", "export.csv")
    assert shown.code == 0, shown.err
    assert "people are told apart by PatNr" in shown.out
    drafted = voile("init", "export.csv")
    assert "0 to be decided" in drafted.out
    published = voile("publish", "export.csv", "--spec", "spec.toml", "--out", "release", "--format", "csv")
    assert published.code == 0, published.err
    assert "people in 300 rows" in published.out
    release = "".join(file.read_text() for file in (voile.folder / "release").iterdir())
    rows = pl.read_csv(path, separator=";", encoding="cp1252", infer_schema=False)
    secret = {cell for name in ("PatNr", "Name", "Telefon", "Bemerkung") for cell in rows[name].to_list()}
    assert len(secret) > 500
    assert not [cell for cell in secret if cell in release]
    dictionary = json.loads((voile.folder / "release" / "dictionary.json").read_text(encoding="utf-8"))
    kinds = {column["name"]: column["kind"] for column in dictionary["columns"]}
    assert {kinds[name] for name in ("Geburtsdatum", "Aufnahme")} == {"date"}
    assert {kinds[name] for name in ("Kosten", "CRP", "Größe")} == {"numeric"}


def test_whole_numbers_that_may_be_codes_become_categories(voile: Voile) -> None:
    rows = {"zip": [10115 + n % 9 for n in range(90)], "age": [n % 30 + 20 for n in range(90)], "note": ["x", "y"] * 45}
    pl.DataFrame(rows).write_parquet(voile.folder / "t.parquet")
    assert "--kind zip=categorical" in voile("inspect", "t.parquet").out
    assert "--kind age" not in voile("inspect", "t.parquet").out
    assert voile("init", "t.parquet").code == 0
    spec = tomllib.loads((voile.folder / "spec.toml").read_text())
    assert spec["schema"]["kinds"] == {"zip": "categorical"}
    published = voile("publish", "t.parquet", "--spec", "spec.toml", "--out", "release")
    assert published.code == 0, published.err


def test_undecided_columns_must_be_decided(tmp_path: Path) -> None:
    inspection = vl.inspect(vl.datasets.hospital())
    unsure = [replace(column, role="unsure") if column.name == "ward" else column for column in inspection.columns]
    draft = replace(inspection, columns=tuple(unsure))
    assert draft.undecided() == ["ward"]
    path = tmp_path / "spec.toml"
    path.write_text(draft_spec(draft, "patients.csv", {}))
    with pytest.raises(SpecError, match="undecided: 'ward'") as caught:
        read_spec(path)
    assert caught.value.code == "spec.undecided"
    path.write_text(path.read_text().replace('"ward",', ""))
    assert "ward" not in read_spec(path).schema["quasi"]


def test_a_number_of_its_own_in_every_row_settles_repeated_names(voile: Voile) -> None:
    names, sexes = ("Ada", "Bea", "Cleo"), ("F", "M")
    rows = [f"{10_000 + i},{names[i % 3]},{20 + i % 40},{sexes[i % 2]},{'flu' if i % 5 else 'gout'}" for i in range(90)]
    (voile.folder / "visits.csv").write_text("\n".join(["patient_id,name,age,sex,diagnosis", *rows]) + "\n")
    assert voile("init", "visits.csv", "--for", "partner").code == 0
    assert 'person = "patient_id"' in (voile.folder / "spec.toml").read_text()
    assert voile("publish", "visits.csv", "--spec", "spec.toml", "--out", "out").code == 0
    (voile.folder / "names.csv").write_text(
        "\n".join(row.partition(",")[2] for row in ["patient_id,name,age,sex,diagnosis", *rows])
    )
    assert voile("init", "names.csv", "--out", "names.toml").code == 0
    assert (
        'values of "name" repeat: if every row is a person, write rows_are = "people"'
        in (voile.folder / "names.toml").read_text()
    )
