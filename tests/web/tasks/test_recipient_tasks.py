"""Tasks of a recipient: the described release is the one that was verified."""

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
def release_folder(tmp_path: Path) -> Path:
    data = vl.read(vl.datasets.hospital(), vl.Schema(quasi=["birth", "sex"], sensitive=["disease"]))
    return vl.publish(data, vl.KAnonymity(k=5)).save(tmp_path / "out")


def receive(release_folder: Path) -> Any:
    return TASKS["receive"]({"place": str(release_folder)}, JobProgress(io.BytesIO(), 1))


def test_the_folder_is_read_once(release_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    check_folder: Any = vars(recipient_tasks)["check_folder"]

    def check_and_remove(folder: Path) -> Any:
        result = check_folder(folder)
        shutil.rmtree(folder)
        return result

    monkeypatch.setattr(recipient_tasks, "check_folder", check_and_remove)
    answer = receive(release_folder)
    assert answer["verdict"]["holds"]
    assert [column["name"] for column in answer["columns"]] == ["birth", "sex", "disease"]
    assert len(answer["promises"]) == 1


def test_a_broken_release_is_not_described(release_folder: Path) -> None:
    (release_folder / "table.parquet").write_bytes(b"PAR1")
    answer = receive(release_folder)
    assert answer["broken"]
    assert answer["columns"] == answer["promises"] == []
