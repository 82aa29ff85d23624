"""Trials in a folder: complete or absent, found again, and of no use to somebody who tests a guess about the table."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import voile as vl
from voile.errors import DataError
from voile.flow.compare import trial_store
from voile.flow.compare.trial_store import user_key
from voile.io.safe_writing import locks
from voile.tables.microdata import Microdata

POLICY, METHODS = vl.LDiversity(l=3), [vl.Mondrian(), vl.Anatomy()]
SCHEMA = vl.Schema(quasi=["birth", "sex", "zip"], sensitive=["disease"])


def read(frame: pl.DataFrame) -> Microdata:
    return vl.read(frame, SCHEMA)


def compared(data: Microdata, store: Path, **options: Any) -> tuple[Any, list[str]]:
    """The comparison, and the trials that were made for it."""
    words: list[str] = []
    asked: dict[str, Any] = {"attacks": [vl.attacks.Homogeneity()], "measures": [vl.measures.Certainty()], **options}
    found = vl.compare(data, POLICY, METHODS, store=store, progress=lambda done, of, what: words.append(what), **asked)
    return found, [name for name in ("mondrian", "anatomy") if any(word.startswith(name) for word in words)]


@pytest.fixture(scope="module")
def frame() -> pl.DataFrame:
    return vl.datasets.hospital()


def test_the_same_request_is_not_done_again(frame: pl.DataFrame, tmp_path: Path) -> None:
    first, made = compared(read(frame), tmp_path)
    assert made == ["mondrian", "anatomy"]
    again, made = compared(read(frame.sample(fraction=1.0, shuffle=True, seed=1)), tmp_path)
    assert made == [], "rows in another order are the same table"
    assert again.rows == first.rows


def test_what_was_interrupted_goes_on(frame: pl.DataFrame, tmp_path: Path) -> None:
    first, _ = compared(read(frame), tmp_path)
    kept = sorted(tmp_path.iterdir(), key=lambda file: "anatomy" in file.read_text(encoding="utf-8"))
    kept[-1].unlink()
    again, made = compared(read(frame), tmp_path)
    assert made == ["anatomy"]
    assert again.rows[0] == first.rows[0]


@pytest.mark.parametrize(
    "other",
    [
        lambda frame: {"data": read(frame.with_columns(disease=frame["disease"].reverse()))},
        lambda frame: {"data": read(frame[1:])},
        lambda frame: {"attacks": [vl.attacks.Skewness()]},
        lambda frame: {"measures": [vl.measures.Certainty(), vl.measures.ClassSize()]},
        lambda frame: {"external": vl.read(frame, vl.Schema(quasi=SCHEMA.quasi))},
        lambda frame: {"key": vl.Key(bytes(32))},
        lambda frame: {"attacks": [vl.attacks.Corruption(known=read(frame[:9]))]},
    ],
    ids=["a cell", "a row", "attacks", "measures", "a register", "a key", "known people"],
)
def test_any_other_request_is_done_anew(frame: pl.DataFrame, tmp_path: Path, other: Any) -> None:
    compared(read(frame), tmp_path)
    asked = {"data": read(frame), **other(frame)}
    _, made = compared(asked.pop("data"), tmp_path, **asked)
    assert made == ["mondrian", "anatomy"]


def test_known_people_are_part_of_the_request(frame: pl.DataFrame, tmp_path: Path) -> None:
    for number, made in ((9, 2), (10, 2), (9, 0)):
        attack = vl.attacks.Corruption(known=read(frame[:number]))
        assert len(compared(read(frame), tmp_path, attacks=[attack])[1]) == made


def test_another_version_is_another_request(
    frame: pl.DataFrame, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    compared(read(frame), tmp_path)
    monkeypatch.setattr(trial_store, "__version__", "99")
    assert len(compared(read(frame), tmp_path)[1]) == 2


def test_names_of_files_tell_nothing_without_the_key(
    frame: pl.DataFrame, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same table in two folders of two users: no name and no digest in common."""
    names = []
    for user in ("one", "two"):
        monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / f"state of {user}"))
        compared(read(frame), tmp_path / user)
        names.append({file.name for file in (tmp_path / user).iterdir()})
        key = tmp_path / f"state of {user}" / "voile" / "compare.key"
        assert key.stat().st_mode & 0o777 == 0o600
        secret = key.read_bytes()
        assert all(secret.hex() not in file.read_text() for file in (tmp_path / user).iterdir())
    assert len(names[0]) == 2
    assert not names[0] & names[1]


def list_leaves(document: Any) -> list[Any]:
    """All names, texts and numbers of a JSON document."""
    if isinstance(document, dict):
        return [leaf for key, value in document.items() for leaf in (key, *list_leaves(value))]
    if isinstance(document, list):
        return [leaf for item in document for leaf in list_leaves(item)]
    return [document]


def test_no_cell_is_kept(frame: pl.DataFrame, tmp_path: Path) -> None:
    compared(read(frame), tmp_path)
    leaves = [leaf for file in tmp_path.iterdir() for leaf in list_leaves(json.loads(file.read_text("utf-8")))]
    numbers = {str(leaf) for leaf in leaves if not isinstance(leaf, str)}  # the digits of a time may hold a zip code
    texts = " ".join(leaf for leaf in leaves if isinstance(leaf, str))
    for column in ("name", "birth", "zip", "disease"):
        cells = frame[column].cast(str).unique()
        assert not [cell for cell in cells if cell in texts or cell in numbers], column


def test_a_file_that_is_not_ours_is_done_again(frame: pl.DataFrame, tmp_path: Path) -> None:
    compared(read(frame), tmp_path)
    for file, text in zip(sorted(tmp_path.iterdir()), ("{", '{"title": 1}'), strict=True):
        file.write_text(text)
    found, made = compared(read(frame), tmp_path)
    assert len(made) == 2
    assert found.best is not None


def test_a_folder_that_cannot_be_made(frame: pl.DataFrame, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(DataError) as caught:
        compared(read(frame), tmp_path / "file")
    assert caught.value.code == "data.write"
    assert caught.value.hint


def test_the_users_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    assert user_key() == user_key()
    (tmp_path / "voile" / "compare.key").write_bytes(b"short")
    assert user_key() != user_key(), "what is no key is not used"
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "file"))
    assert user_key() != user_key(), "nowhere to keep it"


CHILD = """
import sys, voile as vl
from voile.flow.compare.trial import Trial
from voile.flow.compare.trial_store import TrialStore

save = TrialStore.save
def slowly(self, trial):
    save(self, trial)
    print("kept", flush=True)
    sys.stdin.read()
TrialStore.save = slowly
data = vl.read(vl.datasets.hospital(), vl.Schema(quasi=["birth", "sex", "zip"], sensitive=["disease"]))
vl.compare(data, vl.LDiversity(l=3), [vl.Mondrian(), vl.Anatomy()], [vl.attacks.Homogeneity()],
           [vl.measures.Certainty()], store=sys.argv[1])
"""


def test_a_killed_run_leaves_whole_files(frame: pl.DataFrame, tmp_path: Path) -> None:
    run = subprocess.Popen(
        [sys.executable, "-c", CHILD, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert run.stdout is not None
    assert run.stdin is not None
    assert run.stdout.readline() == "kept\n"
    run.send_signal(signal.SIGKILL)
    run.wait()
    run.stdout.close()
    run.stdin.close()
    (file,) = tmp_path.iterdir()
    assert json.loads(file.read_text(encoding="utf-8"))["title"] == "mondrian"
    assert compared(read(frame), tmp_path)[1] == ["anatomy"]


def test_what_a_killed_writer_left_is_removed(frame: pl.DataFrame, tmp_path: Path) -> None:
    dead, live = tmp_path / ".trial-a.json.abcdefgh.partial", tmp_path / ".trial-b.json.abcdefgh.partial"
    for folder in (dead, live):
        folder.mkdir()
        (folder / "new").write_text("{")
    lock = locks.open_folder(live)
    assert locks.try_lock(lock)
    compared(read(frame), tmp_path)
    os.close(lock)
    assert not dead.exists()
    assert live.exists(), "somebody is writing it"
