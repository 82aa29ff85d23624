"""A table, a release of it, and the command line to call."""

from __future__ import annotations

from pathlib import Path

import pytest
from calling import Voile

import voile as vl


@pytest.fixture
def voile(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Voile:
    monkeypatch.chdir(tmp_path)
    return Voile(monkeypatch, capsys, tmp_path)


@pytest.fixture(scope="session")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("table") / "people.csv"
    vl.datasets.hospital().write_csv(path)
    return path


@pytest.fixture(scope="session")
def release(table: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    schema = vl.Schema(identifier=["name"], quasi=["birth", "sex", "zip"], sensitive=["disease"])
    published = vl.publish(vl.read(table, schema), vl.Policy(vl.KAnonymity(k=5), vl.LDiversity(l=2)))
    return published.save(tmp_path_factory.mktemp("release") / "out")
