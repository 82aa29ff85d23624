"""Tasks about a release, called as the worker calls them."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pytest

import voile as vl
from voile.web.tasks import TASKS, release_tasks, session_data
from voile.web.worker import JobProgress

ROLES = {"identifier": ["name"], "quasi": ["sex", "zip"], "sensitive": ["disease"]}
ROBUST = {"model": "r-robustness", "r": 2, "protect": ["HIV infection"]}


@pytest.fixture
def payload(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    monkeypatch.setattr(session_data, "memory", memory := session_data.Memory())
    monkeypatch.setattr(release_tasks, "memory", memory)
    vl.datasets.hospital().write_parquet(tmp_path / "patients.parquet")
    spec = {"schema": ROLES, "policy": [ROBUST]}
    out = {"place": str(tmp_path / "out"), "zip": str(tmp_path / "out.zip"), "page": str(tmp_path / "out.html")}
    out["private"] = str(tmp_path / "private.json")
    options = {"name": "release", "format": "csv"}
    return {"source": str(tmp_path / "patients.parquet"), "spec": spec, **out, **options}


def run(task: str, payload: dict[str, Any]) -> Any:
    return TASKS[task](payload, JobProgress(io.BytesIO(), 1))


def test_an_r_robust_release_is_verified_with_its_own_statistics(payload: dict[str, Any]) -> None:
    published = run("publish", payload)
    assert published["verdict"]["holds"]
    assert [check["answer"] for check in published["verdict"]["checks"]] == ["holds"] * 3
    assert not vl.verify(payload["place"]).broken
    assert not vl.verify(payload["place"]).holds, "a stranger would need the statistics"
    assert vl.verify(payload["place"], private=payload["private"]).holds


def test_publish_writes_the_release_that_was_looked_at(payload: dict[str, Any]) -> None:
    run("look", payload)
    release = session_data.memory.release
    assert run("publish", payload)["verdict"]["holds"]
    assert session_data.memory.release is release
    assert release is not None
    assert vl.load(payload["place"]).digest == release.digest
