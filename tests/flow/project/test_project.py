"""Projects: several tables, undo, the next release, a private folder, and every way in which they go wrong."""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import voile as vl
from voile.errors import DataError, SpecError
from voile.io.safe_writing import locks

ROLES = {"schema": {"identifier": ["name"], "quasi": ["birth", "sex", "zip"], "sensitive": ["disease"]}}
K5 = {**ROLES, "policy": [{"model": "k-anonymity", "k": 5}]}
K9 = {**ROLES, "policy": [{"model": "k-anonymity", "k": 9}]}
L2 = {**ROLES, "policy": [{"model": "l-diversity", "l": 2}]}


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "projects"


@pytest.fixture
def table(tmp_path: Path) -> Path:
    vl.datasets.hospital().write_csv(tmp_path / "patients.csv")
    return tmp_path / "patients.csv"


@pytest.fixture
def project(home: Path, table: Path) -> vl.Project:
    return vl.Project.create("clinic", home).add_table(table, K5)


def test_a_project_is_opened_as_it_was_left(project: vl.Project, home: Path, tmp_path: Path) -> None:
    (tmp_path / "visits.csv").write_text("a,b\n1,2\n")
    project = project.add_table(tmp_path / "visits.csv", ROLES).change(L2).select("patients.csv").change(K9)
    opened = vl.Project.open("clinic", home)
    assert opened == project
    assert opened.current == "patients.csv"
    assert opened.read_spec() == K9
    assert opened.read_spec("visits.csv") == L2
    assert vl.Project.list_names(home) == ["clinic"]


def test_only_the_owner_can_read_a_project(project: vl.Project, home: Path) -> None:
    project.change(K9)
    assert (project.folder.stat().st_mode & 0o777, home.stat().st_mode & 0o777) == (0o700, 0o700)
    files = list(project.folder.iterdir())
    assert len(files) == 3
    assert {path.stat().st_mode & 0o777 for path in files} == {0o600}


def test_changes_are_undone_and_redone(project: vl.Project, home: Path) -> None:
    project = project.change(K9).change(L2).undo().undo()
    assert project.read_spec() == K5
    with pytest.raises(SpecError, match="nothing to undo"):
        project.undo()
    project = vl.Project.open("clinic", home).redo()
    assert project.read_spec() == K9
    project = project.change(K5)  # what was undone is forgotten, and its file with it
    with pytest.raises(SpecError, match="nothing to redo"):
        project.redo()
    assert project.undo().read_spec() == K9
    assert len(list(project.folder.glob("spec-*.toml"))) == 3


def test_the_same_spec_again_is_no_step(project: vl.Project) -> None:
    assert project.change(K5) is project


@pytest.mark.parametrize("change", [lambda p: p.change(L2), lambda p: p.undo(), lambda p: p.select("patients.csv")])
def test_an_older_state_of_the_project_overwrites_nothing(project: vl.Project, home: Path, change: Any) -> None:
    first, second = project.change(K9), vl.Project.open("clinic", home)
    newest = first.change(K5)
    with pytest.raises(DataError, match="changed elsewhere meanwhile") as caught:
        change(second)
    assert caught.value.code == "data.project-stale"
    assert vl.Project.open("clinic", home) == newest


def test_a_folder_that_another_process_writes_to_is_left_alone(
    project: vl.Project, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(locks, "PATIENCE", 0.05)
    descriptor = os.open(project.folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        with pytest.raises(DataError, match="Another process is writing to 'clinic'"):
            project.change(K9)
    finally:
        os.close(descriptor)
    assert vl.Project.open("clinic", home) == project


def test_of_many_processes_each_change_is_written_or_refused(project: vl.Project, home: Path) -> None:
    code = (
        "import sys, voile as vl\n"
        f"project = vl.Project.open('clinic', {str(home)!r})\n"
        "sys.stdin.readline()\n"
        "try:\n"
        "    project.change({'policy': [{'model': 'k-anonymity', 'k': int(sys.argv[1])}]})\n"
        "except vl.errors.DataError as error:\n"
        "    print(error.code)\n"
    ).replace("import sys, voile as vl\n", "import sys, voile as vl, voile.errors\n")
    command = [sys.executable, "-c", code]
    pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    running = [subprocess.Popen([*command, str(k)], **pipes) for k in (3, 4)]
    answers = [process.communicate("go\n")[0].strip() for process in running]
    written = vl.Project.open("clinic", home)
    assert answers.count("data.project-stale") + written.revision - project.revision == 2
    assert len(written.find_table().specs) == 1 + answers.count("")


def test_a_project_of_a_newer_version_is_not_touched(project: vl.Project, home: Path) -> None:
    path = project.folder / "project.toml"
    path.write_text(path.read_text().replace("format = 1", "format = 2"))
    before = path.read_bytes()
    for attempt in (lambda: vl.Project.open("clinic", home), lambda: project.change(K9)):
        with pytest.raises(DataError, match="newer version") as caught:
            attempt()
        assert caught.value.code == "data.project-version"
    assert path.read_bytes() == before


@pytest.mark.parametrize("text", ["", "format = 1", "format = [", "\0", "format = true"])
def test_a_damaged_project_is_refused(project: vl.Project, home: Path, text: str) -> None:
    (project.folder / "project.toml").write_text(text)
    with pytest.raises(DataError, match="damaged"):
        vl.Project.open("clinic", home)


def test_a_damaged_entry_is_refused(project: vl.Project, home: Path) -> None:
    path = project.folder / "project.toml"
    path.write_text(path.read_text().replace("position = 0", "position = 7"))
    with pytest.raises(DataError, match="damaged"):
        vl.Project.open("clinic", home)


def test_a_table_that_has_changed_is_noticed(project: vl.Project, table: Path) -> None:
    assert not project.has_changed()
    project.check_table()
    table.write_text(table.read_text() + table.read_text().splitlines()[1] + "\n")
    with pytest.raises(DataError, match=r"'patients.csv' has changed since") as caught:
        project.check_table()
    assert "add the table to the project again" in caught.value.hint
    project = project.add_table(table)
    project.check_table()
    assert project.read_spec() == K5
    table.unlink()
    with pytest.raises(DataError, match="cannot be read"):
        project.check_table()


def test_fingerprints_of_two_projects_differ(project: vl.Project, home: Path, table: Path) -> None:
    other = vl.Project.create("other", home).add_table(table)
    assert other.find_table().fingerprint != project.find_table().fingerprint


def test_the_next_release_follows_the_earlier_ones(project: vl.Project, table: Path, tmp_path: Path) -> None:
    data = vl.read(table, vl.Schema(**project.read_spec()["schema"]))
    assert project.list_history() == {"after": [], "ledger": None}
    first = vl.publish(data, vl.KAnonymity(k=5)).save(tmp_path / "first")
    project = project.record_release(first)
    history = project.list_history()
    assert history == {"after": [str(first.resolve())], "ledger": None}
    (first / "certificate.json").write_text("{}")
    with pytest.raises(DataError, match="'first' is missing, or another one is in its place"):
        project.list_history()
    with pytest.raises(DataError, match="no release folder"):
        project.record_release(tmp_path / "nowhere")


def test_an_export_holds_no_value_and_no_path(project: vl.Project, home: Path, tmp_path: Path) -> None:
    spec = {
        **K5,
        "schema": {
            **ROLES["schema"],
            "hierarchies": {"sex": {"*": ["Canary-F", "Canary-M"]}, "zip": "prefixes:5,3", "birth": "/canary/b.csv"},
            "domains": {"disease": ["Canary-flu"]},
        },
        "read": {"query": "select 'Canary'", "delimiter": ";"},
        "engine": {"scratch": "/canary"},
        "policy": [{"model": "l-diversity", "l": 2, "form": "distinct", "column": "disease"}],
        "method": {"name": "mondrian", "note": "Canary"},
        "release": {"format": "csv", "ledger": "/canary/ledger.json"},
    }
    path = tmp_path / "clinic.toml"
    left_out = project.change(spec).export(path)
    text = path.read_text()
    assert "canary" not in text.lower()
    assert str(tmp_path) not in text
    assert project.salt not in text
    assert project.find_table().fingerprint not in text
    assert set(left_out) == {
        "patients.csv: [schema] domains",
        "patients.csv: the hierarchy of sex",
        "patients.csv: the hierarchy of birth",
        "patients.csv: [read] query",
        "patients.csv: [engine] scratch",
        "patients.csv: note of mondrian",
        "patients.csv: [release] ledger",
    }
    imported = vl.Project.import_from(path, "copy", home)
    assert imported.read_spec()["policy"] == spec["policy"]
    assert imported.read_spec()["schema"] == {**ROLES["schema"], "hierarchies": {"zip": "prefixes:5,3"}}
    with pytest.raises(SpecError, match="has no file here"):
        imported.check_table()
    with pytest.raises(SpecError, match="already a project 'copy'"):
        vl.Project.import_from(path, "copy", home)


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("", "not an exported project"),
        ("kind = 'voile project'\nformat = 9\n", "newer version"),
        ("kind = 'voile project'\nformat = 1\n", "not an exported project"),
        (
            "kind='voile project'\nformat=1\nname='x'\n[[tables]]\nname='t'\n"
            "[tables.spec.schema.hierarchies]\nzip='/etc/hosts'\n",
            "not an exported project",
        ),
        (
            "kind='voile project'\nformat=1\nname='x'\n[[tables]]\nname='t'\n[tables.spec.release]\nledger='/etc/x'\n",
            "not an exported project",
        ),
    ],
)
def test_a_file_that_is_no_export_is_refused(home: Path, tmp_path: Path, text: str, what: str) -> None:
    (tmp_path / "bad.toml").write_text(text)
    with pytest.raises(DataError, match=what):
        vl.Project.import_from(tmp_path / "bad.toml", home=home)
    assert vl.Project.list_names(home) == []


@pytest.mark.parametrize("name", ["", "..", "a/b", ".hidden", "x" * 81, "a\0b", " a", "a "])
def test_a_name_that_no_folder_can_have_is_refused(home: Path, name: str) -> None:
    for attempt in (vl.Project.create, vl.Project.open):
        with pytest.raises(SpecError, match="not a valid name"):
            attempt(name, home)
    assert not home.exists()


def test_what_is_not_there_is_said(project: vl.Project, home: Path) -> None:
    with pytest.raises(SpecError, match="no project 'clinc'"):
        vl.Project.open("clinc", home)
    with pytest.raises(SpecError, match="no table 'x'"):
        project.read_spec("x")
    with pytest.raises(SpecError, match="no table yet"):
        vl.Project.create("empty", home).read_spec()


def test_the_folder_of_all_projects_can_be_set(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VOILE_PROJECTS", str(tmp_path / "here"))
    assert vl.Project.create("mine").folder == tmp_path / "here" / "mine"
    assert vl.Project.list_names() == ["mine"]


def test_a_copy_of_a_table_is_kept_only_if_that_is_asked(project: vl.Project, home: Path, table: Path) -> None:
    kept = project.add_table(table, name="kept", keep="copy")
    assert (kept.find_file().parent.parent, kept.find_file().stat().st_mode & 0o777) == (kept.folder / "tables", 0o600)
    noted = kept.add_table(table, name="noted", keep="fingerprint")
    assert noted.find_table("noted").fingerprint == project.find_table().fingerprint
    with pytest.raises(SpecError, match="has no file here"):
        noted.find_file("noted")
    renamed = noted.rename("ward")
    assert vl.Project.open("ward", home) == renamed
    renamed.check_table("kept")
    copy = renamed.find_file("kept")
    renamed.add_table(table, name="kept")
    assert not copy.exists()
    with pytest.raises(SpecError, match="already a project 'ward'"):
        vl.Project.create("clinic", home).rename("ward")


def test_copies_of_releases_and_ledgers_are_kept_and_taken_back(
    project: vl.Project, table: Path, tmp_path: Path
) -> None:
    schema = vl.Schema(quasi=["birth", "sex"], sensitive=["disease"], person="name")
    project = project.start_ledger()
    book = vl.Ledger.read(project.list_history()["ledger"])
    first = tmp_path / "first"
    vl.publish(vl.read(table, schema), vl.MInvariance(m=2), ledger=book).save(first, ledger=book)
    project = project.keep_release(first, book.path, earlier=0)
    shutil.rmtree(first)
    path, sections = project.read_request()
    assert path == table
    assert vl.verify(sections["release"]["after"][0]).holds
    assert vl.Ledger.read(sections["release"]["ledger"]).releases == [vl.load(sections["release"]["after"][0]).digest]
    with pytest.raises(DataError, match=r"Another release of 'patients.csv' was recorded meanwhile"):
        project.record_release(sections["release"]["after"][0], earlier=0)
    with pytest.raises(SpecError, match="starts with the first release"):
        project.start_ledger()
    project = project.take_back_release()
    assert project.list_history()["after"] == []
    assert not list((project.folder / "releases").iterdir())
    project.delete()
    assert not project.folder.exists()
