"""A visitor can only name files inside the folder, whether by a path, a zip or a form."""

from __future__ import annotations

import stat
import zipfile
from pathlib import Path
from typing import Any

import pytest

from voile.errors import DataError, SpecError
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
    "x\x00y",
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


def write_zip(archive_path: Path, members: dict[str, bytes], links: dict[str, str] | None = None) -> Path:
    with zipfile.ZipFile(archive_path, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
        for name, target in (links or {}).items():
            entry = zipfile.ZipInfo(name)
            entry.external_attr = (stat.S_IFLNK | 0o777) << 16
            archive.writestr(entry, target)
    return archive_path


def test_a_zip_cannot_write_elsewhere(tmp_path: Path) -> None:
    members = {"r/certificate.json": b"{}", "r/../../evil.txt": b"x", "/abs.txt": b"x", "r/sub/deep.txt": b"x"}
    folder = received_files.unpack_release(
        write_zip(tmp_path / "a.zip", members, {"r/link": "/etc/passwd"}), tmp_path / "out" / "r"
    )
    assert sorted(path.name for path in folder.iterdir()) == ["certificate.json"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.zip", "out"]


@pytest.mark.parametrize(
    "members",
    [{}, {"a.txt": b""}, {"a/certificate.json": b"", "b/certificate.json": b""}, {f"{n}": b"" for n in range(200)}],
)
def test_a_zip_without_exactly_one_release_is_refused(tmp_path: Path, members: dict[str, bytes]) -> None:
    with pytest.raises(DataError, match="not a release"):
        received_files.unpack_release(write_zip(tmp_path / "a.zip", members), tmp_path / "out")


def test_an_uploaded_folder_cannot_write_elsewhere(visitor: Any) -> None:
    names = ["r/certificate.json", "r/../../../evil.json", "/tmp/evil.json"]
    page = visitor.post("/receive", {"how": "files"}, files=[("files", (name, b"{}")) for name in names])
    assert "No release folder was chosen" in page  # two files have the same name
    visitor.post("/receive", {"how": "files"}, files=[("files", (name, b"{}")) for name in names[:2]])
    assert not Path("/tmp/evil.json").exists()
    assert [path.parent.parent.parent for path in visitor.settings.private.rglob("evil.json")] == [
        visitor.settings.private
    ]


def test_a_zip_bomb_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(received_files, "BYTES", 1_000_000)
    bomb = write_zip(tmp_path / "a.zip", {"certificate.json": b"{}", "table.csv": b"0" * 2_000_000})
    with pytest.raises(DataError, match="too large"):
        received_files.unpack_release(bomb, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_file_that_is_not_a_zip_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.zip").write_bytes(b"PK\x03\x04 nothing")
    with pytest.raises(DataError, match="damaged"):
        received_files.unpack_release(tmp_path / "a.zip", tmp_path / "out")
