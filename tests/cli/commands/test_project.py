"""`voile project`: make, list, show, undo, export, import and delete projects, and every way in which that fails."""

from __future__ import annotations

import fcntl
import os
import shutil
from pathlib import Path

import pytest
from calling import Voile

import voile as vl
from voile.io.safe_writing import locks


@pytest.fixture
def table(table: Path, tmp_path: Path) -> Path:
    """A table that a test may change."""
    return Path(shutil.copy(table, tmp_path))


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("VOILE_PROJECTS", str(tmp_path / "projects"))
    return tmp_path / "projects"


@pytest.fixture
def clinic(voile: Voile, home: Path, table: Path, tmp_path: Path) -> vl.Project:
    (tmp_path / "spec.toml").write_text("[schema]\nquasi = ['birth', 'sex']\nsensitive = ['disease']\n")
    assert voile("project", "new", "clinic").code == 0
    assert voile("project", "add", "clinic", table, "--spec", "spec.toml").code == 0
    return vl.Project.open("clinic", home)


def test_a_project_is_made_listed_and_shown(voile: Voile, clinic: vl.Project, table: Path) -> None:
    assert voile("project", "list").out == "clinic\n"
    assert clinic.read_spec()["schema"]["quasi"] == ["birth", "sex"]
    shown = voile("project", "show", clinic.folder, "--json")
    assert shown.json["tables"] == [
        {"name": "people.csv", "path": str(table.resolve()), "step": 1, "steps": 1, "releases": []}
    ]
    assert clinic.salt not in shown.out
    assert "people.csv (the last one worked on): step 1 of 1" in voile("project", "show", "clinic").out


def test_steps_are_undone_and_redone(voile: Voile, clinic: vl.Project) -> None:
    clinic.change({"schema": {"quasi": ["sex"]}})
    assert "step 1 of 2" in voile("project", "undo", "clinic").out
    answer = voile("project", "undo", "clinic")
    assert (answer.code, "nothing to undo" in answer.err) == (2, True)
    assert "step 2 of 2" in voile("project", "redo", "clinic", "--table", "people.csv").out


def test_an_export_is_imported_under_another_name(voile: Voile, clinic: vl.Project, home: Path) -> None:
    clinic.change({"schema": {"quasi": ["sex"], "domains": {"sex": ["F", "M"]}}})
    answer = voile("project", "export", "clinic", "--out", "clinic.toml")
    assert "left out: people.csv: [schema] domains" in answer.out
    assert "Choose another --out" in voile("project", "export", "clinic", "--out", "clinic.toml").err
    assert voile("project", "import", "clinic.toml", "--name", "copy").code == 0
    assert vl.Project.open("copy", home).read_spec() == {"schema": {"quasi": ["sex"]}}


def test_deleting_a_project_leaves_tables_alone(voile: Voile, clinic: vl.Project, table: Path, home: Path) -> None:
    assert voile("project", "delete", "clinic", "--yes").out == "clinic: deleted\n"
    assert not clinic.folder.exists()
    assert table.is_file()
    answer = voile("project", "show", "clinic")
    assert (answer.code, "There is no project 'clinic'" in answer.err) == (2, True)
    assert voile("project", "list").out == "There are no projects yet.\n"


def test_a_project_of_a_newer_version_is_refused(voile: Voile, clinic: vl.Project) -> None:
    path = clinic.folder / "project.toml"
    path.write_text(path.read_text().replace("format = 1", "format = 2"))
    for command in (("show",), ("undo",), ("delete", "--yes")):
        answer = voile("project", command[0], "clinic", *command[1:])
        assert (answer.code, "made by a newer version" in answer.err) == (3, True)
    assert path.is_file()


def test_a_project_that_another_process_uses_is_left_alone(
    voile: Voile, clinic: vl.Project, monkeypatch: pytest.MonkeyPatch, home: Path
) -> None:
    monkeypatch.setattr(locks, "PATIENCE", 0.05)
    descriptor = os.open(clinic.folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        answer = voile("project", "delete", "clinic", "--yes")
    finally:
        os.close(descriptor)
    assert "Another process is writing to 'clinic'" in answer.err
    assert vl.Project.open("clinic", home) == clinic


def test_the_next_release_of_a_project_is_published_after_the_earlier_ones(
    voile: Voile, clinic: vl.Project, home: Path, table: Path, tmp_path: Path
) -> None:
    clinic.change({**clinic.read_spec(), "policy": [{"model": "k-anonymity", "k": 2}]})
    first = voile("publish", "--project", "clinic", "--out", "first", "--format", "csv")
    assert (first.code, "as release 1 of people.csv" in first.out) == (0, True), first.err
    assert vl.Project.open("clinic", home).find_table().releases[0].folder == str(tmp_path / "first")
    second = voile("publish", "--project", clinic.folder, "--out", "second", "--model", "l-diversity:l=2")
    assert second.code != 0  # without a ledger the two together would break the promise, and nothing is recorded
    assert len(vl.Project.open("clinic", home).find_table().releases) == 1
    assert voile("verify", "--project", "clinic").code == 0
    attacked = voile("audit", "--project", "clinic", "--attack", "linking", "--json")
    assert attacked.json["findings"][0]["worst_before"] is not None, "the table of the project is read"
    compared = voile("compare", "--project", "clinic", "--method", "mondrian", "--attack", "linking", "--json")
    assert len(compared.json["trials"]) == 1
    assert "step 2 of 2" in voile("project", "take-back", "clinic").out
    assert "has no release yet" in voile("verify", "--project", "clinic").err
    assert "renamed" in voile("project", "rename", "clinic", "ward").out


def test_a_project_and_a_table_are_not_named_together(voile: Voile, clinic: vl.Project, table: Path) -> None:
    for arguments, message in (
        (["publish", table, "--project", "clinic", "--out", "x"], "the project names one"),
        (["publish", "--project", "clinic", "--out", "x", "--spec", "spec.toml"], "--spec has no effect here"),
        (["publish", "--out", "x"], "No table is given."),
        (["publish", table, "--out", "x", "--table", "t"], "--table has no effect here: no project is named"),
        (["compare", "--project", "clinic", "--after", "x"], "--after has no effect here: the project says it"),
        (["verify"], "No release is given."),
        (["audit", "x", "--project", "clinic"], "the project names one"),
    ):
        answer = voile(*arguments)
        assert (answer.code, message in answer.err) == (2, True), answer.err
    table.write_text(table.read_text() + table.read_text().splitlines()[1] + "\n")
    answer = voile("publish", "--project", "clinic", "--out", "x")
    assert (answer.code, "add the table to the project again" in answer.err) == (3, True)
