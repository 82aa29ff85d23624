"""The place of a release: links are not followed, two processes do not mix, and what dead processes left is removed."""

from __future__ import annotations

import os
import stat
import threading
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import voile as vl
from voile.errors import DataError, SpecError
from voile.io.release_folder import folder_replacement, folder_writing
from voile.io.safe_writing import file_replacement, locks
from voile.releases.release import Release

KEY = vl.Key(bytes(range(32)))


@pytest.fixture(scope="module")
def release() -> Release:
    rng = np.random.default_rng(0)
    frame = pl.DataFrame({"age": rng.integers(18, 90, 60), "disease": rng.choice(["flu", "HIV", "gout"], 60)})
    return vl.publish(vl.read(frame, vl.Schema(quasi=["age"], sensitive=["disease"])), vl.LDiversity(l=2), key=KEY)


def listing(place: Path) -> list[str]:
    return sorted(entry.name for entry in place.iterdir())


@pytest.mark.parametrize("there", [False, True])
def test_a_link_in_the_place_of_the_release_is_not_followed(release: Release, tmp_path: Path, there: bool) -> None:
    if there:
        release.save(tmp_path / "other")
    (tmp_path / "link").symlink_to(tmp_path / "other")
    with pytest.raises(SpecError, match="is a link"):
        release.save(tmp_path / "link", force=True)
    assert listing(tmp_path) == (["link", "other"] if there else ["link"])
    assert (tmp_path / "link").is_symlink()


def test_links_above_the_release_are_followed(release: Release, tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    assert release.save(tmp_path / "link" / "out") == tmp_path / "real" / "out"
    assert vl.verify(tmp_path / "link" / "out").holds


def test_a_release_that_a_dead_process_moved_away_is_put_back(release: Release, tmp_path: Path) -> None:
    """Where names cannot be swapped, the old release is for a moment only in the staging folder."""
    for reader in (vl.verify, vl.load, lambda place: folder_writing.check_target(place, True)):
        place = release.save(tmp_path / "out", force=True)
        staging = tmp_path / ".out.abcdefgh.partial"
        staging.mkdir(mode=0o700)
        place.rename(staging / "old")
        reader(place)
        assert listing(tmp_path) == ["out"]
        assert vl.verify(place).holds


def test_a_release_is_not_put_back_onto_something_else(release: Release, tmp_path: Path) -> None:
    place = release.save(tmp_path / "out")
    staging = tmp_path / ".out.abcdefgh.partial"
    staging.mkdir()
    place.rename(staging / "old")
    place.mkdir()
    (place / "thesis.txt").write_text("years of work")
    with pytest.raises(SpecError):
        release.save(place, force=True)
    assert vl.verify(staging / "old").holds
    assert listing(place) == ["thesis.txt"]
    (place / "thesis.txt").unlink()
    with pytest.raises(SpecError, match="already holds a release"):
        release.save(place)
    assert listing(tmp_path) == ["out"]


def test_only_what_dead_processes_left_is_removed(release: Release, tmp_path: Path) -> None:
    names = ["dead", "live", ".out.partial", ".out.abcdefg.partial", ".out.ABCDEFGH.partial", ".other.abcdefgh.partial"]
    names[:2] = [".out.dead0000.partial", ".out.live0000.partial"]
    for name in names:
        (tmp_path / name).mkdir()
        (tmp_path / name / "file").write_text("x")
    (tmp_path / ".out.file0000.partial").write_text("a file")
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "file").write_text("x")
    (tmp_path / ".out.link0000.partial").symlink_to(tmp_path / "elsewhere")
    before = listing(tmp_path)
    live = locks.open_folder(tmp_path / names[1])
    try:
        assert locks.try_lock(live)
        release.save(tmp_path / "out")
    finally:
        os.close(live)
    assert listing(tmp_path) == sorted([*(name for name in before if "dead" not in name), "out"])
    assert (tmp_path / "elsewhere" / "file").exists()


@pytest.mark.parametrize("mask", [0o022, 0o077, 0o002])
def test_the_umask_decides_who_may_read_a_release(release: Release, tmp_path: Path, mask: int) -> None:
    before = os.umask(mask)
    try:
        place = release.save(tmp_path / "out")
    finally:
        os.umask(before)
    assert stat.S_IMODE(place.stat().st_mode) == 0o777 & ~mask
    assert {stat.S_IMODE(entry.stat().st_mode) for entry in place.iterdir()} == {0o666 & ~mask}


def test_nobody_else_may_read_a_release_before_it_is_in_place(
    release: Release, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = []

    def look(staging: Path, target: Path) -> None:
        seen.append((stat.S_IMODE(staging.stat().st_mode), staging.parent, staging.name.startswith(".out.")))
        folder_replacement.move_into_place(staging, target)

    monkeypatch.setattr(folder_writing, "move_into_place", look)
    release.save(tmp_path / "out")
    assert seen == [(0o700, tmp_path, True)]


def test_two_processes_do_not_mix(release: Release, tmp_path: Path) -> None:
    """Of ten that save to one place without force one wins; with force the last one, and every release is whole."""
    outcomes: list[str] = []

    def save(force: bool) -> None:
        try:
            release.save(tmp_path / "out", force=force)
            outcomes.append("saved")
        except SpecError as error:
            outcomes.append(error.code)

    for force in (False, True):
        outcomes.clear()
        threads = [threading.Thread(target=save, args=(force,)) for _ in range(10)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert outcomes.count("saved") == (10 if force else 1)
        assert set(outcomes) <= {"saved", "spec.out-exists"}
        assert listing(tmp_path) == ["out"]
        assert vl.verify(tmp_path / "out").holds


def test_a_process_that_never_ends_is_not_waited_for(
    release: Release, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(locks, "PATIENCE", 0.1)
    with locks.lock_folders(tmp_path), pytest.raises(DataError) as error:
        release.save(tmp_path / "out")
    assert error.value.code == "data.busy"
    assert listing(tmp_path) == []


def test_a_file_system_without_locks(release: Release, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def unsupported(*_: Any) -> None:
        raise OSError(95, "Operation not supported")

    monkeypatch.setattr("fcntl.flock", unsupported)
    (tmp_path / ".out.abcdefgh.partial").mkdir()
    release.save(tmp_path / "out")
    assert listing(tmp_path) == [".out.abcdefgh.partial", "out"]  # nobody can tell whether it is in use
    assert vl.verify(tmp_path / "out").holds


def test_a_failed_save_leaves_no_empty_folders(
    release: Release, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(DataError, match="nothing was changed"):
        release.save(tmp_path / "a" / "b" / "out")
    assert listing(tmp_path) == []


def test_a_disk_that_does_not_confirm_is_not_called_unchanged(
    release: Release, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    flush = file_replacement.flush_to_disk

    def fail(path: Path) -> None:
        if path == tmp_path:
            raise OSError(5, "Input/output error")
        flush(path)

    monkeypatch.setattr(folder_writing, "flush_to_disk", fail)
    with pytest.raises(DataError, match="The release is in 'out'") as error:
        release.save(tmp_path / "out")
    assert "nothing was changed" not in str(error.value)
    assert vl.verify(tmp_path / "out").holds


def test_a_file_of_a_user_does_not_replace_a_published_one(release: Release, tmp_path: Path) -> None:
    """A file beside the old release may have the name of a table of the new one."""
    place = release.save(tmp_path / "out", format="csv")
    (place / "table.parquet").write_text("notes")
    (place / "notes").symlink_to(tmp_path / "private")
    (tmp_path / "private").write_text("secret")
    release.save(place, force=True)
    assert listing(place) == ["certificate.json", "dictionary.json", "notes", "table.parquet"]
    assert (place / "notes").is_symlink()
    assert vl.verify(place).holds


def test_names_that_are_long_or_impossible(release: Release, tmp_path: Path) -> None:
    assert vl.verify(release.save(tmp_path / ("é" * 120))).holds
    for name in ("x" * 300, "a\0b"):
        with pytest.raises((SpecError, DataError)):
            release.save(tmp_path / name)
        with pytest.raises(DataError):
            vl.load(tmp_path / name)
    assert len(listing(tmp_path)) == 1
