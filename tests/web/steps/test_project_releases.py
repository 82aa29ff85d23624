"""What is published in a project: recorded with its ledger, followed by the next release, imported, and taken back."""

from __future__ import annotations

import re
import shutil
from html import unescape
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import voile as vl

ROLES = {"age": "quasi", "sex": "quasi", "disease": "sensitive"}
PROMISE = {"models.m-invariance.on": "on", "models.m-invariance.m": "2"}
DISEASES = ("flu", "cold", "asthma", "gout")


def text(page: str) -> str:
    return re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]+>", "", page)))


def write_table(path: Path, people: range) -> None:
    frame = pl.DataFrame(
        {
            "patient": [f"P{person}" for person in people],
            "age": [20 + person * 7 % 60 for person in people],
            "sex": ["FM"[person % 2] for person in people],
            "disease": [DISEASES[person % 4] for person in people],
        }
    )
    frame.write_csv(path)


@pytest.fixture(scope="module")
def series(visitor: Any, folder: Path, settings: Any) -> vl.Project:
    """A project with a ledger and two releases of a table, which had a newer file the second time."""
    write_table(folder / "q1.csv", range(40))
    write_table(folder / "q2.csv", range(8, 60))
    visitor.post("/projects/create", {"name": "series"})
    visitor.post("/", {"how": "path", "path": "q1.csv"})
    assert "The ledger lists 0 people: it starts with the next release" in text(visitor.post("/projects/start-ledger"))
    visitor.mark(ROLES, person="0", rows_per_person="1")
    visitor.post("/promise", PROMISE)
    words = text(visitor.post("/publish", {"name": "first", "format": "csv"}))
    assert "The project keeps a copy of this release and of its ledger in" in words
    assert "voile publish --project series --out first" in words
    words = text(visitor.post("/", {"how": "path", "path": "q2.csv", "table": "q1.csv"}))
    assert "release 1 of" in words
    assert "The ledger lists 40 people and belongs to these releases." in words
    words = text(visitor.post("/publish", {"name": "second", "format": "csv"}))
    assert "after 1 earlier release." in words
    return vl.Project.open("series", settings.projects)


def test_the_next_release_takes_the_earlier_one_and_the_ledger(series: vl.Project, settings: Any) -> None:
    first, second = (vl.load(folder) for folder in series.list_history()["after"])
    ledger = vl.Ledger.read(series.list_history()["ledger"])
    assert ledger.releases == [first.digest, second.digest]
    assert vl.verify(series.list_history()["after"][1], after=[series.list_history()["after"][0]], ledger=ledger).holds
    kept = Path(series.list_history()["after"][0])
    assert kept.is_relative_to(series.folder), "the folder of the visit is deleted at the end"
    assert not any("ledger" in path.name for path in kept.iterdir())


def test_a_release_that_nobody_has_is_taken_back(visitor: Any, series: vl.Project, settings: Any) -> None:
    kept = Path(series.list_history()["after"][1])
    words = text(visitor.post("/projects/take-back"))
    assert "The ledger lists 40 people and belongs to these releases." in words
    assert "release 2 of" not in words
    assert not kept.exists()
    answer = visitor.post("/earlier", {"how": "clear"})
    assert "belong to the project" in text(answer)
    assert "A ledger starts with the first release." in text(visitor.post("/projects/start-ledger"))


def test_a_release_beside_which_another_one_was_made_is_refused(
    visitor: Any, series: vl.Project, settings: Any, tmp_path: Path
) -> None:
    project = vl.Project.open("series", settings.projects)
    other = shutil.copytree(project.list_history()["after"][0], tmp_path / "other")
    project.record_release(other, project.list_history()["ledger"])
    answer = visitor.client.post("/publish", data={"csrf": visitor.csrf(), "name": "beside", "format": "csv"})
    assert (answer.status_code, "changed elsewhere meanwhile" in answer.text) == (409, True)
    visitor.post("/projects/open", {"name": "series"})
    words = text(visitor.post("/publish", {"name": "beside", "format": "csv"}))
    assert "Published" not in words, "the same release twice is no series"
    visitor.post("/projects/take-back")


def test_releases_from_before_are_kept_in_the_project(visitor: Any, folder: Path, settings: Any) -> None:
    visitor.post("/projects/close")
    visitor.post("/", {"how": "path", "path": "q1.csv"})
    visitor.post("/earlier", {"how": "start-ledger"})
    visitor.mark(ROLES, person="0", rows_per_person="1")
    visitor.post("/promise", PROMISE)
    visitor.post("/publish", {"name": "before", "format": "csv"})
    packed, ledger = (visitor.client.get(f"/publish/{name}").content for name in ("release.zip", "ledger.json"))
    visitor.post("/projects/create", {"name": "later"})
    files = [("releases", ("before.zip", packed)), ("ledger", ("ledger.json", ledger))]
    words = text(visitor.post("/earlier", {"how": "add"}, files=files))
    assert "release 1 of" in words
    assert "The ledger lists 40 people and belongs to these releases." in words
    history = vl.Project.open("later", settings.projects).list_history()
    assert vl.Ledger.read(history["ledger"]).releases == [vl.load(history["after"][0]).digest]
    assert "belong to the project" in text(visitor.post("/earlier", {"how": "add"}, files=files))
    bad = [("releases", ("before.zip", b"PK"))]
    visitor.post("/projects/take-back")
    assert "This zip is not a release" in text(visitor.post("/earlier", {"how": "add"}, files=bad))
    assert vl.Project.open("later", settings.projects).list_history()["after"] == []
