"""Tasks of a recipient: the release that is described is the release that was verified."""

from __future__ import annotations

import io
import shutil
from pathlib import Path
from typing import Any

import pytest

import voile as vl
from voile.web.tasks import TASKS, recipient_tasks
from voile.web.worker import JobProgress


@pytest.fixture
def place(tmp_path: Path) -> Path:
    data = vl.read(vl.datasets.hospital(), vl.Schema(quasi=["birth", "sex"], sensitive=["disease"]))
    return vl.publish(data, vl.KAnonymity(k=5)).save(tmp_path / "out")


def receive(place: Path) -> Any:
    return TASKS["receive"]({"place": str(place)}, JobProgress(io.BytesIO(), 1))


def test_the_folder_is_read_once(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    check_folder: Any = vars(recipient_tasks)["check_folder"]

    def check_and_remove(folder: Path) -> Any:
        checked = check_folder(folder)
        shutil.rmtree(folder)
        return checked

    monkeypatch.setattr(recipient_tasks, "check_folder", check_and_remove)
    answer = receive(place)
    assert answer["verdict"]["holds"]
    assert [column["name"] for column in answer["columns"]] == ["birth", "sex", "disease"]
    assert len(answer["promises"]) == 1


def test_a_broken_release_is_not_described(place: Path) -> None:
    (place / "table.parquet").write_bytes(b"PAR1")
    answer = receive(place)
    assert answer["broken"]
    assert answer["columns"] == answer["promises"] == []
