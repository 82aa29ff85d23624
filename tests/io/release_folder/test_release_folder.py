"""The release folder: whole or not at all, nothing else in it, and nothing of the input's order."""

from __future__ import annotations

import errno
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import voile as vl
from voile.errors import DataError, SpecError
from voile.io import release_folder
from voile.io.release_folder import folder_replacement, folder_writing
from voile.releases.release import Release

KEY = vl.Key(bytes(range(32)))
ROWS = 240


def people(seed: int = 0, rows: int = ROWS) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    return pl.DataFrame(
        {
            "name": [f"Zorro-{number}" for number in range(rows)],
            "age": rng.integers(18, 90, rows),
            "zip": [f"{code:05}" for code in rng.integers(1000, 1060, rows)],
            "disease": rng.choice(["flu", "HIV", "cold", "gout"], rows),
        }
    )


def publish(frame: pl.DataFrame, method: Any = None, key: vl.Key = KEY) -> Release:
    schema = vl.Schema(identifier=["name"], quasi=["age", "zip"], sensitive=["disease"])
    return vl.publish(vl.read(frame, schema), vl.LDiversity(l=2), method, key=key)


@pytest.fixture(scope="module")
def release() -> Release:
    return publish(people())


@pytest.fixture(scope="module")
def linked() -> Release:
    return publish(people(), vl.Anatomy())


def listing(place: Path) -> list[str]:
    return sorted(found.name for found in place.iterdir())


def contents(place: Path) -> dict[str, bytes]:
    return {found.name: found.read_bytes() for found in place.iterdir()}


@pytest.mark.parametrize("format", ["parquet", "csv"])
def test_nothing_but_the_release_is_in_the_folder(
    release: Release, linked: Release, tmp_path: Path, format: str
) -> None:
    release.save(tmp_path / "a", format=format)
    linked.save(tmp_path / "b", format=format)
    assert listing(tmp_path / "a") == ["certificate.json", "dictionary.json", f"table.{format}"]
    assert listing(tmp_path / "b") == ["certificate.json", "dictionary.json", f"quasi.{format}", f"sensitive.{format}"]
    assert listing(tmp_path) == ["a", "b"]
    assert vl.verify(tmp_path / "a").holds
    assert vl.verify(tmp_path / "b").holds


def test_file_times_tell_nothing(linked: Release, tmp_path: Path) -> None:
    linked.save(tmp_path / "a")
    times = {(found.stat().st_mtime, found.stat().st_atime) for found in (tmp_path / "a").iterdir()}
    assert {modified for modified, _ in times} == {0.0}


@pytest.mark.parametrize("method", [None, vl.FullDomain(), vl.Anatomy()])
@pytest.mark.parametrize("format", ["parquet", "csv"])
def test_the_order_of_the_input_is_nowhere(tmp_path: Path, method: Any, format: str) -> None:
    frame = people()
    shuffled = frame.sample(fraction=1.0, shuffle=True, seed=3)
    backwards = frame.reverse()
    publish(frame, method).save(tmp_path / "0", format=format)
    for number, other in enumerate((shuffled, backwards), 1):
        publish(other, method).save(tmp_path / str(number), format=format)
        assert contents(tmp_path / "0") == contents(tmp_path / str(number))


def test_no_row_numbers_and_no_identifiers(linked: Release, release: Release, tmp_path: Path) -> None:
    for number, one in enumerate((linked, release)):
        one.save(tmp_path / str(number), format="csv")
        joined = b"".join(contents(tmp_path / str(number)).values())
        assert b"Zorro" not in joined
        for table in one.tables.values():
            assert not any("index" in column or "row" in column for column in table.columns)


def test_an_earlier_release_is_replaced_only_on_demand(release: Release, linked: Release, tmp_path: Path) -> None:
    place = release.save(tmp_path / "out")
    before = contents(place)
    with pytest.raises(SpecError) as error:
        linked.save(place)
    assert error.value.code == "spec.out-exists"
    assert contents(place) == before
    linked.save(place, force=True)
    assert listing(place) == ["certificate.json", "dictionary.json", "quasi.parquet", "sensitive.parquet"]
    assert vl.verify(place).holds
    release.save(place, format="csv", force=True)
    assert listing(place) == ["certificate.json", "dictionary.json", "table.csv"]
    assert listing(tmp_path) == ["out"]


@pytest.mark.parametrize("force", [False, True])
def test_what_is_no_release_is_never_replaced(release: Release, tmp_path: Path, force: bool) -> None:
    place = tmp_path / "thesis"
    place.mkdir()
    (place / "chapter.txt").write_text("years of work")
    with pytest.raises(SpecError) as error:
        release.save(place, force=force)
    assert error.value.code == "spec.out-not-a-release"
    assert contents(place) == {"chapter.txt": b"years of work"}
    (tmp_path / "file").write_text("x")
    with pytest.raises(SpecError, match="is a file"):
        release.save(tmp_path / "file", force=force)


def test_folders_inside_an_earlier_release_are_not_deleted(release: Release, tmp_path: Path) -> None:
    place = release.save(tmp_path / "out")
    (place / "figures").mkdir()
    (place / "figures" / "one.svg").write_text("<svg/>")
    with pytest.raises(SpecError, match="sub-folders"):
        release.save(place, force=True)
    assert (place / "figures" / "one.svg").exists()


def test_files_beside_the_release_stay(release: Release, tmp_path: Path) -> None:
    place = release.save(tmp_path / "out")
    (place / "README.txt").write_text("how to cite")
    (place / "report.html").write_text("of the old release")
    release.save(place, force=True)
    assert listing(place) == ["README.txt", "certificate.json", "dictionary.json", "table.parquet"]
    verdict = vl.verify(place)
    assert verdict.holds
    assert "README.txt" in verdict.notes[-1]


def test_an_empty_folder_and_a_deep_path(release: Release, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    assert vl.verify(release.save(tmp_path / "empty")).holds
    assert vl.verify(release.save(tmp_path / "a" / "b" / "c")).holds
    assert listing(tmp_path) == ["a", "empty"]


def test_odd_names_of_folders(release: Release, tmp_path: Path) -> None:
    for name in ("a[1]*", "b=1", "ç ?", ".hidden"):
        for format in ("parquet", "csv"):
            place = release.save(tmp_path / name, format=format, force=True)
            assert vl.verify(place).holds


def test_unknown_formats(release: Release, tmp_path: Path) -> None:
    with pytest.raises(SpecError, match="'xml' is not known"):
        release.save(tmp_path / "out", format="xml")
    assert listing(tmp_path) == []


# crashes ------------------------------------------------------------------------------------------------------------
def _full(*_: Any, **__: Any) -> Any:
    raise OSError(errno.ENOSPC, "No space left on device")


def _corrupt(*_: Any, **__: Any) -> Any:
    raise pl.exceptions.ComputeError("CANARY in the message of a library")


WAYS = {
    "tables": ("pyarrow.parquet.ParquetWriter.write_table", _full),
    "library": ("pyarrow.parquet.ParquetWriter.write_table", _corrupt),
    "documents": ("pathlib.Path.write_text", _full),
    "sync": ("os.fsync", _full),
    "times": ("os.utime", _full),
    "folder": ("tempfile.mkdtemp", _full),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("there", [False, True])
def test_no_space_left(
    release: Release, linked: Release, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, way: str, there: bool
) -> None:
    place = tmp_path / "out"
    before = contents(linked.save(place)) if there else {}
    with monkeypatch.context() as patched:
        patched.setattr(*WAYS[way])
        with pytest.raises(DataError) as error:
            release.save(place, force=True)
    assert error.value.code == "data.write"
    assert "CANARY" not in str(error.value)
    assert ("No space left" in str(error.value)) == (way != "library")
    assert listing(tmp_path) == (["out"] if there else [])
    if there:
        assert contents(place) == before
        assert vl.verify(place).holds


def test_a_swap_that_fails_leaves_the_old_release(
    release: Release, linked: Release, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = linked.save(tmp_path / "out")
    before = contents(place)
    rename = os.rename

    def failing(source: Path, target: Path) -> None:
        if source.name == "new":
            raise OSError(errno.EIO, "Input/output error")
        rename(source, target)

    monkeypatch.setattr(folder_replacement, "_exchange_names", lambda first, second: False)
    with monkeypatch.context() as patched:
        patched.setattr(os, "rename", failing)
        with pytest.raises(DataError, match="Input/output error"):
            release.save(place, force=True)
    assert listing(tmp_path) == ["out"]
    assert contents(place) == before
    release.save(place, force=True)
    assert listing(tmp_path) == ["out"]
    assert vl.verify(place).holds
    assert "table.parquet" in listing(place)


def test_an_interrupt_leaves_the_old_release(
    release: Release, linked: Release, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = linked.save(tmp_path / "out")

    def interrupted(*_: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(folder_writing, "move_into_place", interrupted)
    with pytest.raises(KeyboardInterrupt):
        release.save(place, force=True)
    assert listing(tmp_path) == ["out"]
    assert vl.verify(place).holds


SAVES_FOREVER = """
import sys
from pathlib import Path
import numpy as np
import polars as pl
from voile.io import release_folder
rows = 400_000
table = pl.DataFrame({str(n): np.random.default_rng(n).random(rows) for n in range(4)})
documents = {"dictionary": {"columns": []}, "certificate": {"format": 1}}
print("ready", flush=True)
while True:
    release_folder.write_release(Path(sys.argv[1]), {"table": table}, documents, "csv", True)
"""


def test_a_killed_save_leaves_a_whole_release(release: Release, tmp_path: Path) -> None:
    """Killed at some moment of an endless sequence of saves: what is in place has all its files, unchanged."""
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    if not folder_replacement._exchange_names(tmp_path / "a", tmp_path / "b"):
        pytest.skip("this file system cannot swap two names in one step")
    place = release.save(tmp_path / "out")
    assert vl.verify(place).holds
    worker = subprocess.Popen([sys.executable, "-c", SAVES_FOREVER, str(place)], stdout=subprocess.PIPE)
    assert worker.stdout is not None
    try:
        assert worker.stdout.readline() == b"ready\n"
        for pause in (0.07, 0.31):
            time.sleep(pause)
            os.kill(worker.pid, signal.SIGSTOP)
            document = json.loads((place / "certificate.json").read_text())
            assert release_folder.find_changed_files(place, document["files"]) == []
            os.kill(worker.pid, signal.SIGCONT)
    finally:
        worker.kill()
        worker.wait()
        worker.stdout.close()
    document = json.loads((place / "certificate.json").read_text())
    assert release_folder.find_changed_files(place, document["files"]) == []
    if "table.parquet" in document["files"]:
        assert vl.verify(place).holds


def test_a_save_killed_in_the_middle_leaves_the_old_release(release: Release, tmp_path: Path) -> None:
    place = release.save(tmp_path / "out")
    before = contents(place)
    endless = SAVES_FOREVER.replace("rows = 400_000", "rows = 3_000_000")
    worker = subprocess.Popen([sys.executable, "-c", endless, str(place)], stdout=subprocess.PIPE)
    assert worker.stdout is not None
    worker.stdout.readline()
    until = time.monotonic() + 20
    while time.monotonic() < until and not list(tmp_path.glob(".out.*/new/table.csv")):
        time.sleep(0.002)
    worker.kill()
    worker.wait()
    worker.stdout.close()
    assert contents(place) == before
    assert vl.verify(place).holds
    assert listing(tmp_path) != ["out"]
    assert vl.verify(release.save(place, force=True)).holds
    assert listing(tmp_path) == ["out"]


# reading it back ----------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("format", ["parquet", "csv"])
def test_a_truncated_table(release: Release, tmp_path: Path, format: str) -> None:
    place = release.save(tmp_path / "out", format=format)
    path = place / f"table.{format}"
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    assert vl.verify(place).broken
    if format == "parquet":
        with pytest.raises(DataError, match="cannot be read"):
            vl.load(place)


def test_bytes_flipped_in_a_table_never_end_in_a_crash(release: Release, tmp_path: Path) -> None:
    place = release.save(tmp_path / "out")
    whole = (place / "table.parquet").read_bytes()
    rng = np.random.default_rng(5)
    for position in rng.integers(0, len(whole), 60):
        broken = bytearray(whole)
        broken[position] ^= 1 << int(rng.integers(0, 8))
        (place / "table.parquet").write_bytes(broken)
        assert vl.verify(place).broken


def test_folders_that_hold_no_release(tmp_path: Path) -> None:
    for place in (tmp_path, tmp_path / "none"):
        with pytest.raises(DataError, match=r"holds no certificate.json"):
            vl.load(place)


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"5", b"null", b"\xff", b'{"format": 1}', b"[" * 100_000])
@pytest.mark.parametrize("name", ["certificate.json", "dictionary.json"])
def test_documents_that_cannot_be_read(release: Release, tmp_path: Path, name: str, content: bytes) -> None:
    place = release.save(tmp_path / "out")
    (place / name).write_bytes(content)
    with pytest.raises(DataError):
        vl.load(place)


def test_the_same_table_in_two_formats_is_refused(release: Release, tmp_path: Path) -> None:
    place = release.save(tmp_path / "out")
    release.save(tmp_path / "csv", format="csv")
    (place / "table.csv").write_bytes((tmp_path / "csv" / "table.csv").read_bytes())
    document = json.loads((place / "certificate.json").read_text())
    document["files"]["table.csv"] = release_folder.file_digest(place / "table.csv")
    (place / "certificate.json").write_text(json.dumps(document))
    assert vl.verify(place).broken


def test_paths_in_the_list_of_files_lead_nowhere(release: Release, tmp_path: Path) -> None:
    place = release.save(tmp_path / "out")
    (tmp_path / "x.csv").write_text("a\n1\n")
    for trick in ("../x.csv", "/etc/hostname", "", ".", "..", "sub/x.csv", "a\\b", str(tmp_path / "x.csv"), "\x00"):
        document = json.loads((place / "certificate.json").read_text())
        document["files"] = {**document["files"], trick: release_folder.file_digest(tmp_path / "x.csv")}
        other = tmp_path / "other"
        other.mkdir(exist_ok=True)
        for name, content in contents(place).items():
            (other / name).write_bytes(content)
        (other / "certificate.json").write_text(json.dumps(document))
        assert vl.verify(other).broken, trick


def test_columns_named_like_ours_survive_csv(tmp_path: Path) -> None:
    frame = people().rename({"zip": "group", "disease": "count"})
    schema = vl.Schema(quasi=["age", "group"], sensitive=["count"])
    release = vl.publish(vl.read(frame, schema), vl.LDiversity(l=2), key=KEY)
    loaded = vl.load(release.save(tmp_path / "out", format="csv"))
    assert loaded.tables["table"]["count"].to_list() == release.tables["table"]["count"].to_list()
    assert vl.verify(tmp_path / "out").holds


def test_missing_and_empty_are_two_things_in_csv(tmp_path: Path) -> None:
    frame = pl.DataFrame({"q": ["", None, "x", "y"] * 5, "s": ["", None, "a", "b"] * 5})
    schema = vl.Schema(quasi=["q"], sensitive=["s"], missing="value")
    for method in (None, vl.Anatomy()):
        release = vl.publish(vl.read(frame, schema), vl.LDiversity(l=2), method, key=KEY)
        for format in ("csv", "parquet"):
            loaded = vl.load(release.save(tmp_path / format, format=format, force=True))
            assert vl.verify(tmp_path / format).holds
            for name, table in release.tables.items():
                shown = table.cast(pl.String)
                assert loaded.tables[name].cast(pl.String).equals(shown), (name, format)
