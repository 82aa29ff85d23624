"""Files are replaced whole or not at all, under names that nobody can foresee, and links are not followed."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest
from crashing import Died, dying

from voile.io.safe_writing.file_replacement import replace_files, write_file
from voile.io.safe_writing.staging import sweep_folder


def test_death_at_every_step(tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"

    def write() -> None:
        replace_files({one: b"new", two: b"new"})

    with dying() as steps:
        write()
    for last in range(len(steps.names)):
        for path in (one, two):
            path.write_bytes(b"old")
        with dying(last), pytest.raises(Died):
            write()
        assert {one.read_bytes(), two.read_bytes()} <= {b"old", b"new"}
        write()
        assert sorted(tmp_path.iterdir()) == [one, two]
        assert one.read_bytes() == two.read_bytes() == b"new"


@pytest.mark.parametrize(("private", "rights"), [(False, 0o640), (True, 0o600)])
def test_the_umask_decides_who_may_read_a_file_unless_it_is_private(tmp_path: Path, private: bool, rights: int) -> None:
    before = os.umask(0o027)
    try:
        replace_files({tmp_path / "file": b"x"}, private=private)
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "file").stat().st_mode) == rights


def test_a_link_is_replaced_and_not_followed(tmp_path: Path) -> None:
    (tmp_path / "other").write_text("untouched")
    (tmp_path / "file").symlink_to(tmp_path / "other")
    replace_files({tmp_path / "file": b"new"})
    assert (tmp_path / "other").read_text() == "untouched"
    assert not (tmp_path / "file").is_symlink()


def test_a_staged_file_is_never_opened_if_it_exists(tmp_path: Path) -> None:
    (tmp_path / "trap").symlink_to(tmp_path / "other")
    with pytest.raises(FileExistsError):
        write_file(tmp_path / "trap", b"secret")
    assert not (tmp_path / "other").exists()


def test_a_folder_is_swept_of_dead_writers_and_of_nothing_else(tmp_path: Path) -> None:
    (tmp_path / ".a.json.abcdefgh.partial").mkdir()
    (tmp_path / ".a.json.partial").mkdir()
    (tmp_path / "a.json").write_text("{}")
    sweep_folder(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == [".a.json.partial", "a.json"]
    sweep_folder(tmp_path / "none")


def test_names_that_no_file_can_have(tmp_path: Path) -> None:
    for name in ("a\0b", "x" * 300):
        with pytest.raises(OSError, match=r"Invalid argument|too long"):
            replace_files({tmp_path / name: b"x"})
    assert list(tmp_path.iterdir()) == []
