"""The private folder of a visit: one file of a kind at a time, within the quota, and nothing after the visit."""

from __future__ import annotations

import errno
import io
import shutil
import zipfile
from pathlib import Path
from typing import Any

import pytest
from web.test_bad_input import read_alert

import voile as vl
from voile.errors import DataError, EngineError
from voile.web import private_storage
from voile.web.access_control import Settings
from voile.web.private_storage import EARLIER, RECEIVED, TABLE, PrivateStorage


@pytest.fixture
def storage(tmp_path: Path) -> PrivateStorage:
    return PrivateStorage(tmp_path, quota=100)


def store(storage: PrivateStorage, kind: str, *sizes: int) -> list[str]:
    storage.replace_files(kind, [(f"{size}", io.BytesIO(b"x" * size), size) for size in sizes])
    return sorted(str(path.relative_to(storage.folder)) for path in storage.folder.rglob("*") if path.is_file())


def test_a_file_takes_the_place_of_the_last_one_of_its_kind(storage: PrivateStorage) -> None:
    store(storage, RECEIVED, 10, 20)
    store(storage, TABLE, 5)
    assert store(storage, RECEIVED, 30) == ["received/30", "table/5"]


def test_all_files_count_against_the_quota(storage: PrivateStorage) -> None:
    store(storage, TABLE, 60)
    with pytest.raises(DataError, match="may store 100 bytes") as caught:
        store(storage, RECEIVED, 30, 11)
    assert caught.value.code == "data.quota"
    assert store(storage, RECEIVED, 30, 10) == ["received/10", "received/30", "table/60"]
    assert store(storage, RECEIVED, 40) == ["received/40", "table/60"]  # the replaced files do not count


def test_files_are_added_beside_others_within_the_quota(storage: PrivateStorage) -> None:
    storage.add_files(EARLIER, [("a", io.BytesIO(b"x" * 60), 60)])
    with pytest.raises(DataError, match="may store 100 bytes"):
        storage.add_files(EARLIER, [("b", io.BytesIO(b"x" * 20), 20), ("c", io.BytesIO(b"x" * 21), 21)])
    storage.add_files(EARLIER, [("b", io.BytesIO(b"x" * 40), 40)])
    with pytest.raises(EngineError):
        storage.add_files(EARLIER, [("d", io.BytesIO(), 0), ("a", io.BytesIO(), 0)])
    assert sorted(path.name for path in (storage.folder / EARLIER).iterdir()) == ["a", "b"]


def test_a_full_disk_is_a_message_and_leaves_nothing(storage: PrivateStorage, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise OSError(errno.ENOSPC, "secret path")

    monkeypatch.setattr(shutil, "copyfileobj", fail)
    with pytest.raises(EngineError, match="no room left on the disk") as caught:
        store(storage, RECEIVED, 30)
    assert "secret" not in str(caught.value)
    assert not [path for path in storage.folder.rglob("*") if path.is_file()]


# on the page --------------------------------------------------------------------------------------------------------
@pytest.fixture(scope="module")
def zipped(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    place = tmp_path_factory.mktemp("zipped")
    data = vl.read(vl.datasets.hospital(), vl.Schema(quasi=["birth", "sex"], sensitive=["disease"]))
    vl.publish(data, vl.KAnonymity(k=5)).save(place / "release")
    with zipfile.ZipFile(place / "release.zip", "w", strict_timestamps=False) as packed:
        for file in (place / "release").iterdir():
            packed.write(file, f"release/{file.name}")
    return (place / "release.zip").read_bytes()


def received(settings: Settings) -> list[str]:
    return sorted(path.name for path in settings.private.rglob("*/received/**/*") if path.is_file())


def test_a_received_zip_is_deleted_once_unpacked_and_replaced_by_the_next(visitor: Any, zipped: bytes) -> None:
    for _ in range(2):
        page = visitor.post("/receive", {"how": "upload"}, files={"file": ("r.zip", zipped)})
        assert "HOLDS" in page
        assert received(visitor.settings) == ["certificate.json", "dictionary.json", "table.parquet"]
    visitor.post("/receive", {"how": "files"}, files=[("files", ("r/certificate.json", b"{}"))])
    assert received(visitor.settings) == ["certificate.json"]
    page = visitor.post("/receive", {"how": "upload"}, files={"file": ("r.zip", zipped[:-200])})
    assert "damaged" in read_alert(page)
    assert received(visitor.settings) == []


def test_what_was_received_is_deleted_even_if_the_next_is_named_by_path(visitor: Any, zipped: bytes) -> None:
    visitor.post("/receive", {"how": "upload"}, files={"file": ("r.zip", zipped)})
    visitor.post("/receive", {"how": "path", "path": "below"})
    assert received(visitor.settings) == []


def test_a_zip_by_path_is_not_deleted(visitor: Any, folder: Path, zipped: bytes) -> None:
    (folder / "theirs.zip").write_bytes(zipped)
    assert "HOLDS" in visitor.post("/receive", {"how": "path", "path": "theirs.zip"})
    assert (folder / "theirs.zip").read_bytes() == zipped


def test_a_visit_over_its_quota_is_told_so(visitor: Any, zipped: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(private_storage.PrivateStorage, "measure_room", lambda self: 1000)
    for path, name in (("/receive", "r.zip"), ("/", "t.csv")):
        alert = read_alert(visitor.post(path, {"how": "upload"}, files={"file": (name, b"x" * 100_000)}))
        assert "A visit may store 4 GB, and this is more" in alert
        assert "name its path" in alert


def test_a_full_disk_while_a_form_is_read_is_a_message(visitor: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    async def fail(*_: object) -> None:
        raise OSError(errno.ENOSPC, "secret path")

    monkeypatch.setattr("starlette.datastructures.UploadFile.write", fail)
    form = {"data": {"csrf": visitor.csrf(), "how": "upload"}, "files": {"file": ("t.csv", b"a,b\n")}}
    answer = visitor.client.post("/", **form)
    assert answer.status_code == 503
    assert "no room left on the disk" in answer.text
    assert answer.headers["retry-after"] == "60"
    assert "secret" not in answer.text


@pytest.mark.parametrize(
    "name", ["x" * 300 + ".csv", "ü" * 120 + ".csv", "a\x00b.csv", "../..csv", ".csv", "a/b\\c.csv"]
)
def test_any_name_of_an_upload_is_accepted(visitor: Any, name: str) -> None:
    page = visitor.post("/", {"how": "upload"}, files={"file": (name, b"a,b\n1,2\n3,4\n")})
    assert "at a glance" in page or "cannot be read" in read_alert(page)


@pytest.mark.parametrize("name", ["r/" + "x" * 300, "r/" + "ü" * 120, "r/a\\b"])
def test_a_folder_with_names_that_cannot_be_used_is_refused(visitor: Any, name: str) -> None:
    files = [("files", ("r/certificate.json", b"{}")), ("files", (name, b""))]
    page = visitor.post("/receive", {"how": "files"}, files=files)
    assert "cannot be used" in read_alert(page)
