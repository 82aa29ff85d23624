"""`voile hierarchies`: files that can be edited and read back."""

from __future__ import annotations

from pathlib import Path

import polars as pl
from calling import K5, ROLES, Voile

import voile as vl


def test_hierarchies_can_be_edited_and_read_back(voile: Voile, table: Path) -> None:
    answer = voile("hierarchies", table, "--quasi", "birth,sex,zip", "--recipe", "zip=prefixes:2", "--out", "trees")
    assert answer.code == 0
    assert "zip.csv: 2 levels" in answer.out
    path = voile.folder / "trees" / "zip.csv"
    assert path.read_text().splitlines()[0] == "04100;04***;*"
    assert voile("hierarchies", table, "--quasi", "zip", "--out", "trees").code == 2
    path.write_text(path.read_text().replace("04***", "Alps").replace("05***", "Alps"))
    flags = (*ROLES, *K5, "--method", "full-domain", "--hierarchies", "trees", "--out", "out")
    assert voile("publish", table, *flags).code == 0
    assert voile("measure", "out", "--data", table, "--hierarchies", "trees").code == 0
    path.write_text("04100;Alps;*\n")
    answer = voile("publish", table, *flags, "--force")
    assert answer.code == 2
    assert "'zip' lacks" in answer.err
    json_answer = voile("hierarchies", table, "--quasi", "zip", "--out", "trees", "--force", "--json")
    assert json_answer.json["heights"] == {"zip": 4}


def test_missing_cells_are_not_listed_in_hierarchy_files(voile: Voile) -> None:
    (voile.folder / "t.csv").write_text("a,b\n1,x\n,y\n3,\n4,z\n5,w\n")
    assert voile("hierarchies", "t.csv", "--out", "trees").code == 0
    content = (voile.folder / "trees" / "b.csv").read_text()
    assert [line.split(";")[0] for line in content.splitlines()] == ["w", "x", "y", "z"]
    frame = pl.read_csv(voile.folder / "t.csv")
    trees = {name: str(voile.folder / "trees" / f"{name}.csv") for name in "ab"}
    assert vl.read(frame, vl.Schema(quasi=["a", "b"], hierarchies=trees, missing="value")).rows.total == 5


def test_values_that_a_public_list_lacks_are_counted_on_every_surface(voile: Voile) -> None:
    codes = ["E11.0", "E11.9", "E14.1", "I10", "I21.0", "O80", "Z38.0", "U50.0"]
    rows = [f"{codes[n % 8]},{30 + n % 4},{['flu', 'gout'][n % 2]}" for n in range(80)]
    Path("codes.csv").write_text("\n".join(["code,age,ill", *rows]) + "\n")
    answer = voile("hierarchies", "codes.csv", "--quasi", "code,age", "--out", "lists")
    assert "from ICD-10 (WHO, 2019); 1 value not in it" in answer.out
    listed = voile("hierarchies", "codes.csv", "--quasi", "code", "--out", "lists", "--force", "--json").json
    assert listed["unlisted"] == {"code": 1}
    sentence = "code: 1 of 8 values is not in ICD-10 (WHO, 2019), and seems to be of a national edition of ICD-10"
    assert sentence in voile("inspect", "codes.csv").out.replace("\n", " ")
    (column, *_) = voile("inspect", "codes.csv", "--json").json["columns"]
    assert (column["code_list"]["list"], column["code_list"]["unlisted"]) == ("icd10", 1)
    flags = ("--quasi", "code,age", "--sensitive", "ill", "--model", "k-anonymity:k=5", "--method", "full-domain")
    published = voile("publish", "codes.csv", *flags, "--out", "out")
    assert sentence in published.out.replace("\n", " ")
    assert "U50.0" not in published.out


def test_identifiers_are_left_out_unless_they_are_named(voile: Voile, table: Path) -> None:
    answer = voile("hierarchies", table, "--out", "trees")
    made = {path.stem for path in (voile.folder / "trees").iterdir()}
    assert answer.code == 0
    assert made == set(pl.read_csv(table).columns) - {"name"}
    assert "Left out" in answer.out
    assert answer.out.endswith(": name\n")
    assert "sex.csv: 1 level above" in answer.out
    assert voile("hierarchies", table, "--out", "trees", "--force", "--json").json["left_out"] == ["name"]
    named = voile("hierarchies", table, "--quasi", "name", "--out", "named", "--json").json
    assert "left_out" not in named
    assert (voile.folder / "named" / "name.csv").exists()
    assert (
        "name" in voile("hierarchies", table, "--recipe", "name=prefixes:1", "--out", "more", "--json").json["heights"]
    )
