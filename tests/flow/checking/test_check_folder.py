"""Check a folder, and use the very release that was checked."""

from __future__ import annotations

from pathlib import Path

import pytest

import voile as vl
from voile.flow.checking.check_folder import check_folder
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
