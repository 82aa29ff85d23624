"""Projects on the page: every form is a step, a restart leads back, releases follow each other, and what goes wrong."""

from __future__ import annotations

import fcntl
import os
import re
import shutil
from collections.abc import Callable, Iterator
from html import unescape
from pathlib import Path
from typing import Any

import httpx
import pytest

import voile as vl
from voile.io.safe_writing import locks

ROLES = {"name": "identifier", "birth": "quasi", "sex": "quasi", "zip": "quasi", "disease": "sensitive"}
K = {"models.k-anonymity.on": "on", "models.k-anonymity.k": "5"}


def text(page: str) -> str:
    """The words of a page."""
    return re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]+>", "", page)))


@pytest.fixture
def another(visitor: Any, settings: Any, server: str) -> Iterator[Callable[[], Any]]:
    """Further visitors, each with a browser of its own: as after a restart, nothing is known of the last visit."""
    clients = []

    def enter() -> Any:
        clients.append(httpx.Client(base_url=server, follow_redirects=True, timeout=60))
        entered = type(visitor)(clients[-1], settings)
        entered.enter()
        return entered

    yield enter
    for client in clients:
        client.close()


@pytest.fixture
def home(settings: Any) -> Path:
    """The folder of all projects, empty."""
    for path in settings.projects.iterdir():
        shutil.rmtree(path)
    return Path(settings.projects)


@pytest.fixture
def clinic(visitor: Any, home: Path) -> Any:
    """A project with a table, its roles and a promise."""
    visitor.post("/projects/close")
    visitor.post("/projects/create", {"name": "clinic"})
    visitor.post("/", {"how": "path", "path": "patients.csv"})
    visitor.mark(ROLES)
    visitor.post("/promise", K)
    return visitor


def steps(home: Path, name: str = "clinic") -> tuple[int, int]:
    table = vl.Project.open(name, home).find_table()
    return table.position + 1, len(table.specs)


def chosen_k(visitor: Any) -> str:
    """The k of the form, which is that of the project."""
    match = re.search(r'name="models.k-anonymity.k"[^>]* value="(\d+)"', visitor.client.get("/promise").text)
    assert match
    return match[1]


def state(visitor: Any) -> str:
    match = re.search(r'name="state" value="([^"]*)"', visitor.client.get("/promise").text)
    assert match
    return match[1]


def test_every_saved_form_is_a_step_and_a_later_visit_goes_on(clinic: Any, home: Path) -> None:
    assert steps(home) == (3, 3)  # the table, its roles, the promise; what was found in the file is no step
    assert vl.Project.open("clinic", home).read_spec()["policy"] == [{"model": "k-anonymity", "k": 5}]
    clinic.client.get("/promise")
    assert steps(home) == (3, 3)
    clinic.post("/projects/close")
    words = text(clinic.client.get("/").text)
    assert "Open clinic" in words
    assert "at a glance" not in words, "everything of the last project is forgotten"
    assert "Compare the methods – voile" in clinic.post("/projects/open", {"name": "clinic"})
    words = text(clinic.client.get("/promise").text)
    assert chosen_k(clinic) == "5"
    assert "In plain words" in words
    assert "Step 3 of 3" in words
    assert "400 of 400 people" in text(clinic.client.get("/mark").text)


def test_undo_and_redo_lead_through_the_steps(clinic: Any, home: Path) -> None:
    clinic.post("/promise", {**K, "models.k-anonymity.k": "7"})
    clinic.post("/projects/undo", {"back": "/promise"})
    assert (steps(home), chosen_k(clinic)) == ((3, 4), "5")
    clinic.post("/projects/undo", {"back": "/mark"})
    clinic.post("/projects/undo", {"back": "/"})
    assert steps(home) == (1, 4)
    assert "There is nothing to undo" in text(clinic.post("/projects/undo"))
    for _ in range(3):
        clinic.post("/projects/redo", {"back": "/promise"})
    assert chosen_k(clinic) == "7"
    assert steps(home) == (4, 4)


def test_two_tables_keep_their_roles_and_promises(clinic: Any, home: Path) -> None:
    clinic.post("/", {"how": "path", "path": "below/patients.parquet"})
    clinic.mark({"sex": "quasi", "disease": "sensitive"})
    clinic.post("/promise", {**K, "models.k-anonymity.k": "9"})
    clinic.post("/projects/table", {"table": "patients.csv"})
    assert chosen_k(clinic) == "5"
    clinic.post("/projects/table", {"table": "below/patients.parquet"})
    assert chosen_k(clinic) == "9"
    assert "has no table 'nothing'" in text(clinic.post("/projects/table", {"table": "nothing"}))
    clinic.post("/", {"how": "path", "path": "patients.csv"})  # loading a known table again forgets nothing
    assert chosen_k(clinic) == "5"


def test_an_upload_is_kept_only_if_the_person_agrees(visitor: Any, home: Path, folder: Path) -> None:
    visitor.post("/projects/create", {"name": "sent"})
    sent = {"file": ("sent.csv", (folder / "patients.csv").read_bytes())}
    visitor.post("/", {"how": "upload"}, files=sent)
    visitor.mark(ROLES)
    project = vl.Project.open("sent", home)
    assert (project.find_table().path, list(project.folder.rglob("*.csv"))) == ("", [])
    visitor.post("/projects/close")
    words = text(visitor.post("/projects/open", {"name": "sent"}))
    assert "The table sent.csv has no file here" in words
    page = visitor.post("/", {"how": "upload", "table": "sent.csv", "keep": "yes"}, files=sent)
    assert "sent.csv: at a glance" in text(page)
    assert "The risk with these roles" in text(visitor.client.get("/mark").text)
    assert vl.Project.open("sent", home).find_file().read_bytes() == sent["file"][1]
    visitor.post("/projects/close")
    visitor.post("/projects/open", {"name": "sent"})
    assert "The risk with these roles" in text(visitor.client.get("/mark").text)
    changed = {"file": ("other.csv", sent["file"][1] + b"\n")}
    words = text(visitor.post("/", {"how": "upload", "table": "sent.csv"}, files=changed))
    assert "The file of 'sent.csv' is another one than before." in words
    assert not list(project.folder.rglob("*.csv")), "the copy of the file before is deleted"


def test_a_table_that_is_open_becomes_the_first_of_a_project(visitor: Any, home: Path) -> None:
    visitor.post("/projects/close")
    visitor.post("/", {"how": "demo"})
    visitor.mark(ROLES)
    visitor.post("/projects/create", {"name": "demo"})
    project = vl.Project.open("demo", home)
    assert project.read_spec()["schema"]["quasi"] == ["birth", "sex", "zip"]
    assert project.find_file().is_relative_to(project.folder)
    assert "already a project 'demo'" in text(visitor.post("/projects/create", {"name": "demo"}))
    assert "not a valid name" in text(visitor.post("/projects/create", {"name": "../x"}))


def test_a_table_that_has_changed_is_taken_only_if_that_is_meant(clinic: Any, folder: Path) -> None:
    before = (folder / "patients.csv").read_bytes()
    try:
        (folder / "patients.csv").write_bytes(before + b"New " + before.splitlines()[1] + b"\n")
        words = text(clinic.post("/projects/open", {"name": "clinic"}))
        assert "The table 'patients.csv' has changed since the project last saw it." in words
        assert "Rows401" not in words
        clinic.post("/projects/again")
        assert "Rows401" in text(clinic.client.get("/").text)
        assert chosen_k(clinic) == "5"
    finally:
        (folder / "patients.csv").write_bytes(before)
    (folder / "gone.csv").write_bytes(before)
    clinic.post("/", {"how": "path", "path": "gone.csv"})
    (folder / "gone.csv").unlink()
    words = text(clinic.post("/projects/open", {"name": "clinic"}))
    assert "The table 'gone.csv' cannot be read" in words
    assert "cannot be read" in text(clinic.post("/projects/again"))


def test_a_form_from_an_older_page_is_told_and_can_be_sent_once_more(
    clinic: Any, home: Path, another: Callable[[], Any]
) -> None:
    old = state(clinic)
    clinic.post("/promise", {**K, "models.k-anonymity.k": "6"})
    form = {"csrf": clinic.csrf(), "state": old, **K, "models.k-anonymity.k": "8"}
    answer = clinic.client.post("/promise", data=form)
    assert answer.status_code == 409
    assert "This page is older than the project" in text(answer.text)
    assert vl.Project.open("clinic", home).read_spec()["policy"][0]["k"] == 6
    live = clinic.client.post("/promise", data={**form, "live": "yes"})
    assert "This page is older" in live.text
    again = dict(re.findall(r'<textarea name="([^"]+)" hidden>\n([^<]*)</textarea>', answer.text))
    again |= {"csrf": clinic.csrf(), "once_more": "yes"}
    assert clinic.client.post("/promise", data={**again, "state": state(clinic)}).status_code == 200
    assert vl.Project.open("clinic", home).read_spec()["policy"][0]["k"] == 8

    second = another()
    second.post("/projects/open", {"name": "clinic"})
    second.post("/promise", {**K, "models.k-anonymity.k": "10"})
    answer = clinic.client.post("/promise", data={"csrf": clinic.csrf(), **K, "models.k-anonymity.k": "12"})
    assert answer.status_code == 409
    assert "changed elsewhere meanwhile" in text(answer.text)
    again |= {"models.k-anonymity.k": "12"}
    clinic.client.post("/promise", data={**again, "state": state(clinic)})
    project = vl.Project.open("clinic", home)
    assert [project.read_spec()["policy"][0]["k"], project.undo().read_spec()["policy"][0]["k"]] == [12, 10]

    old = state(clinic)
    clinic.post("/projects/create", {"name": "other"})
    answer = clinic.client.post("/mark", data={"csrf": clinic.csrf(), "state": old, "role.0": "quasi"})
    assert (answer.status_code, "Save my form on top" in answer.text) == (409, False), "it is about another table"


def test_a_folder_in_use_a_newer_version_and_a_lost_project_lose_nothing(
    clinic: Any, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(locks, "PATIENCE", 0.05)
    descriptor = os.open(home / "clinic", os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        words = text(clinic.post("/promise", {**K, "models.k-anonymity.k": "6"}))
        assert "Another process is writing to 'clinic'" in words
        assert chosen_k(clinic) == "6"
    finally:
        os.close(descriptor)
    words = text(clinic.post("/projects/save", {"back": "/promise"}))
    assert "not in the project yet" not in words
    assert vl.Project.open("clinic", home).read_spec()["policy"][0]["k"] == 6

    path = home / "clinic" / "project.toml"
    path.write_text(path.read_text().replace("format = 1", "format = 2"))
    assert "made by a newer version of voile" in text(clinic.client.get("/projects").text)
    assert "made by a newer version" in text(clinic.post("/projects/open", {"name": "clinic"}))
    answer = clinic.client.post("/promise", data={"csrf": clinic.csrf(), **K})
    assert (answer.status_code, "made by a newer version" in answer.text) == (409, True)
    shutil.rmtree(home / "clinic")
    answer = clinic.client.post("/promise", data={"csrf": clinic.csrf(), **K})
    assert (answer.status_code, "There is no project" in unescape(answer.text)) == (409, True)
    assert "There is no project" in text(clinic.post("/projects/save"))
    assert "There are no projects yet." in text(clinic.post("/projects/close"))


def test_projects_are_renamed_exported_imported_and_deleted(clinic: Any, home: Path) -> None:
    clinic.post("/projects/rename", {"name": "clinic", "new": "ward"})
    assert vl.Project.list_names(home) == ["ward"]
    clinic.post("/promise", {**K, "models.k-anonymity.k": "6"})
    assert vl.Project.open("ward", home).read_spec()["policy"][0]["k"] == 6
    clinic.post("/projects/export", {"name": "ward"})
    exported = clinic.client.get("/projects/export.toml").content
    assert b"patients.csv" in exported
    assert str(home).encode() not in exported
    page = clinic.post("/projects/import", {"name": "copy"}, files={"file": ("ward.toml", exported)})
    assert "The table patients.csv has no file here" in text(clinic.client.get("/").text), text(page)
    clinic.post("/", {"how": "path", "path": "patients.csv", "table": "patients.csv"})
    assert chosen_k(clinic) == "6"
    words = text(clinic.post("/projects/import", files={"file": ("x.toml", b"x")}))
    assert "is not an exported project" in words
    assert "was not deleted" in text(clinic.post("/projects/delete", {"name": "copy"}))
    words = text(clinic.post("/projects/delete", {"name": "copy", "sure": "yes"}))
    assert vl.Project.list_names(home) == ["ward"]
    assert "Project copy" not in words
