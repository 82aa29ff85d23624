"""A visitor can only name files inside the folder, whether by a path, a zip or a form."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from voile.errors import SpecError
from voile.web import received_files


def choose_promise(visitor: Any) -> None:
    """Load the demo table, mark its columns and choose a promise."""
    visitor.post("/", {"how": "demo"})
    visitor.mark({"birth": "quasi", "sex": "quasi", "zip": "quasi", "disease": "sensitive", "name": "identifier"})
    visitor.post("/promise", {"models.k-anonymity.on": "on", "models.k-anonymity.k": "5"})


OUTSIDE = [
    "../outside.csv",
    "/etc/passwd",
    "link.csv",
    "below/../../outside.csv",
    "..",
    ".",
    "",
    "~/x.csv/../..",
]


@pytest.mark.parametrize("text", OUTSIDE)
def test_paths_outside_the_folder_are_refused(visitor: Any, folder: Path, text: str) -> None:
    with pytest.raises(SpecError) as caught:
        received_files.resolve_inside(folder, text)
    assert caught.value.code == "spec.outside"
    if text.strip():
        for path in ("/", "/receive"):
            page = visitor.post(path, {"how": "path", "path": text})
            assert "not inside the folder" in page
            assert str(folder.parent) not in page


@pytest.mark.parametrize("text", ["x\x00y", "x" * 300, "a/" * 3000, "a\nb", "a/" + "ü" * 128])
def test_a_path_that_no_file_can_have_is_refused(visitor: Any, folder: Path, text: str) -> None:
    with pytest.raises(SpecError) as caught:
        received_files.resolve_inside(folder, text)
    assert caught.value.code == "spec.path"
    for path in ("/", "/receive"):
        assert "This path is too long" in visitor.post(path, {"how": "path", "path": text})


def test_files_whose_names_cannot_be_shown_are_not_listed(tmp_path: Path) -> None:
    (tmp_path / "good.csv").touch()
    (tmp_path / "bad\udcff.csv").touch()
    assert received_files.list_tables(tmp_path) == ["good.csv"]


def test_paths_inside_the_folder_are_resolved_and_listed(folder: Path) -> None:
    assert (
        received_files.resolve_inside(folder, "below/patients.parquet")
        == (folder / "below" / "patients.parquet").resolve()
    )
    assert received_files.resolve_inside(folder, str(folder / "patients.csv")) == (folder / "patients.csv").resolve()
    assert received_files.list_tables(folder) == ["patients.csv", "below/patients.parquet"]  # links are not followed


def test_a_release_cannot_be_written_outside_the_folder(visitor: Any) -> None:
    choose_promise(visitor)
    for name in ("../escaped", "/tmp/escaped", "a/b", "..", ".hidden"):
        page = visitor.post("/publish", {"where": "folder", "name": name, "format": "csv"})
        assert "not a valid folder name" in page


def test_knobs_cannot_name_files(visitor: Any) -> None:
    """A prior may be the path of a file, but a form must not name it."""
    choose_promise(visitor)
    form = {"models.r-robustness.on": "on", "models.r-robustness.r": "2", "models.r-robustness.prior": "/etc/passwd"}
    visitor.post("/promise", form)
    assert "passwd" not in visitor.client.get("/publish/spec.toml").text
    page = visitor.post("/tree/1", {"how": "recipe", "recipe": "/etc/passwd"})
    assert "no such recipe" in page


def test_an_uploaded_folder_cannot_write_elsewhere(visitor: Any) -> None:
    names = ["r/certificate.json", "r/../../../evil.json", "/tmp/evil.json"]
    page = visitor.post("/receive", {"how": "files"}, files=[("files", (name, b"{}")) for name in names])
    assert "No release folder was chosen" in page  # two files have the same name
    visitor.post("/receive", {"how": "files"}, files=[("files", (name, b"{}")) for name in names[:2]])
    assert not Path("/tmp/evil.json").exists()
    assert [path.parent.parent.parent for path in visitor.settings.private.rglob("evil.json")] == [
        visitor.settings.private
    ]
