"""Check a folder, and use the very release that was checked."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import voile as vl
from voile.flow.checking.check_folder import check_folder
from voile.io import release_folder
from voile.io.release_folder import CERTIFICATE

DATA = vl.read(vl.datasets.hospital(), vl.Schema(quasi=["birth", "sex", "zip"], sensitive=["disease"]))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return vl.publish(DATA, vl.KAnonymity(k=5)).save(tmp_path / "release")


def test_the_release_is_the_one_that_was_checked(folder: Path) -> None:
    verdict, release = check_folder(folder)
    assert verdict.holds
    assert release is not None
    assert release.digest == vl.load(folder).digest


@pytest.mark.parametrize("format", ["parquet", "csv"])
def test_a_folder_that_changes_after_its_digests_were_taken(
    tmp_path: Path, format: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The bytes that were verified are parsed, although other bytes lie in the folder by then."""
    published = vl.publish(DATA, vl.KAnonymity(k=5))
    place = published.save(tmp_path / "release", format=format)
    read_verified = release_folder.read_verified

    def read_then_overwrite(*arguments: Any) -> Any:
        result = read_verified(*arguments)
        for path in place.iterdir():
            path.write_text("overwritten")
        return result

    monkeypatch.setattr(release_folder, "read_verified", read_then_overwrite)
    verdict, release = check_folder(place)
    assert verdict.holds
    assert release is not None
    assert release.digest == published.digest


def test_each_file_is_read_once(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened = []
    read_bytes = Path.read_bytes

    def count_reads(path: Path) -> bytes:
        opened.append(path.name)
        return read_bytes(path)

    monkeypatch.setattr(Path, "read_bytes", count_reads)
    assert check_folder(folder)[0].holds
    assert sorted(opened) == ["certificate.json", "dictionary.json", "table.parquet"]


def test_a_changed_table_gives_no_release(folder: Path) -> None:
    table = folder / "table.parquet"
    table.write_bytes(table.read_bytes() + b" ")
    verdict, release = check_folder(folder)
    assert verdict.broken
    assert release is None


def test_a_certificate_without_files_gives_no_release(folder: Path) -> None:
    path = folder / CERTIFICATE
    path.write_text(path.read_text().replace('"files"', '"fields"'))
    verdict, release = check_folder(folder)
    assert verdict.broken
    assert release is None


def test_other_files_are_named(folder: Path) -> None:
    (folder / "notes.txt").write_text("mine")
    verdict, _ = check_folder(folder)
    assert verdict.holds
    assert "notes.txt" in " ".join(verdict.notes)
