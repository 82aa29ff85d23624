"""The file of a ledger: saved with its release, resolved after a crash, and refused where it must not lie."""

from __future__ import annotations

import json
import stat
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import voile as vl
from voile.errors import DataError, SpecError
from voile.releases.release import Release

PEOPLE = [("Ann", ("flu", "HIV")), ("Bob", ("cold", "flu"))]


def publish(seed: int) -> Release:
    rng = np.random.default_rng(seed)
    frame = pl.DataFrame({"age": rng.integers(18, 90, 40), "disease": rng.choice(["flu", "HIV", "gout"], 40)})
    data = vl.read(frame, vl.Schema(quasi=["age"], sensitive=["disease"]))
    return vl.publish(data, vl.LDiversity(l=2), key=vl.Key(bytes(32)))


FIRST, SECOND = publish(0), publish(1)


def open_recorded(path: Path, release: Release) -> vl.Ledger:
    ledger = vl.Ledger.open(path)
    ledger.record(release.digest, PEOPLE)
    return ledger


def test_a_ledger_is_saved_with_its_release_and_only_its_owner_may_read_it(tmp_path: Path) -> None:
    path = tmp_path / "private" / "ledger"
    ledger = open_recorded(path, FIRST)
    FIRST.save(tmp_path / "one", ledger=ledger)
    assert vl.Ledger.read(path).releases == [FIRST.digest]
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [entry.name for entry in path.parent.iterdir()] == ["ledger"]
    assert json.loads(path.read_text())["format"] == 1
    ledger.record(SECOND.digest, PEOPLE)
    SECOND.save(tmp_path / "two", ledger=ledger)
    assert vl.Ledger.read(path).releases == [FIRST.digest, SECOND.digest]
    assert vl.Ledger.read(path).signature("Ann") == ("flu", "HIV")


def test_a_ledger_that_another_process_changed_is_not_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "ledger"
    mine, theirs = open_recorded(path, FIRST), open_recorded(path, SECOND)
    SECOND.save(tmp_path / "theirs", ledger=theirs)
    with pytest.raises(DataError, match="changed by another process") as error:
        FIRST.save(tmp_path / "mine", ledger=mine)
    assert error.value.code == "data.ledger"
    assert vl.Ledger.read(path).releases == [SECOND.digest]
    assert not (tmp_path / "mine").exists()


def test_a_ledger_without_a_file_cannot_be_saved_with_a_release(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match="has no file"):
        FIRST.save(tmp_path / "one", ledger=vl.Ledger())
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("place", ["one/ledger", "one/sub/ledger", "earlier/ledger"])
def test_a_ledger_never_lies_in_a_release_folder(tmp_path: Path, place: str) -> None:
    SECOND.save(tmp_path / "earlier")
    with pytest.raises(SpecError, match="goes to recipients"):
        FIRST.save(tmp_path / "one", ledger=open_recorded(tmp_path / place, FIRST))
    assert not (tmp_path / "one").exists()
    assert not (tmp_path / "earlier" / "ledger").exists()


def test_a_ledger_at_a_link_is_refused(tmp_path: Path) -> None:
    real = vl.Ledger().save(tmp_path / "real")
    before = real.read_bytes()
    (tmp_path / "link").symlink_to(real)
    with pytest.raises(SpecError, match="is a link"):
        FIRST.save(tmp_path / "one", ledger=open_recorded(tmp_path / "link", FIRST))
    assert real.read_bytes() == before
    assert not (tmp_path / "one").exists()


def test_a_release_that_cannot_be_moved_leaves_the_ledger_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any) -> None:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr("voile.io.release_folder.folder_writing.move_into_place", fail)
    for path in (tmp_path / "new", vl.Ledger().save(tmp_path / "old")):
        before = path.read_bytes() if path.exists() else None
        with pytest.raises(DataError, match="nothing was changed"):
            FIRST.save(tmp_path / "one", ledger=open_recorded(path, FIRST))
        assert (path.read_bytes() if path.exists() else None) == before
    assert [entry.name for entry in tmp_path.iterdir()] == ["old"]


def test_after_a_kill_the_named_releases_may_decide(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The release was in place, its process was killed before it settled the ledger, and then somebody moved it."""
    path = tmp_path / "ledger"
    with monkeypatch.context() as patch:
        patch.setattr("voile.io.release_folder.companion.Companion.settle", lambda *_, **__: None)
        FIRST.save(tmp_path / "one", ledger=open_recorded(path, FIRST))
    assert json.loads(path.read_text())["format"] == 2
    assert vl.Ledger.read(path).releases == [FIRST.digest]
    vl.Ledger.read(path).check([FIRST.digest])
    with pytest.raises(DataError, match="belongs to 1 releases"):
        vl.Ledger.read(path).check([])
    (tmp_path / "one").rename(tmp_path / "archive")
    moved = vl.Ledger.read(path)
    assert moved.releases == []
    moved.check([FIRST.digest])
    assert moved.releases == [FIRST.digest]
    assert moved.signature("Bob") == ("cold", "flu")


BODY = {"format": 1, "salt": "00" * 32, "releases": ["sha256:1"], "signatures": [["a", "b"]], "people": {"x": 0}}


@pytest.mark.parametrize(
    "change",
    [
        {"salt": "00"},
        {"salt": "00" * 100},
        {"salt": 5},
        {"people": {"x": 1}},
        {"people": []},
        {"signatures": 3},
        {"releases": None},
        {"after": {}},
        {"after": BODY, "before": None, "release": "x"},
        {"after": BODY, "before": 5, "release": {"folder": "x", "certificate": "y"}},
        {"after": BODY, "before": None, "release": {"folder": "a\0b", "certificate": "y"}},
    ],
)
def test_files_that_are_no_ledger(tmp_path: Path, change: dict[str, Any]) -> None:
    (tmp_path / "ledger").write_text(json.dumps({**BODY, **change}))
    with pytest.raises(DataError, match="cannot be read"):
        vl.Ledger.read(tmp_path / "ledger")


@pytest.mark.parametrize("content", [b"", b"[]", b"5", b"null", b'"after"', b"\xff", b"[" * 100_000, b"9" * 5000])
def test_files_that_are_no_document(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "ledger").write_bytes(content)
    for read in (vl.Ledger.read, vl.Ledger.open):
        with pytest.raises(DataError, match="cannot be read"):
            read(tmp_path / "ledger")
