"""`voile serve`: the errors when it cannot start. tests/web and tests/browser test that it runs."""

from __future__ import annotations

import socket
import sys
from pathlib import Path

import pytest
from calling import Voile
from typer.testing import CliRunner

from voile.cli import app
from voile.errors import EngineError, SpecError


def test_a_missing_package_names_the_extra_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.startswith("voile.web")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    result = CliRunner().invoke(app, ["serve", "--no-browser"])
    assert isinstance(result.exception, EngineError)
    assert "uvicorn" in result.exception.message
    assert result.exception.hint == "Install voile[web]."


def test_a_port_in_use_is_refused(voile: Voile) -> None:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        port = listener.getsockname()[1]
        answer = voile("serve", "--no-browser", "--port", port)
    assert answer.code == EngineError.exit_code
    assert "--port" in answer.err


def test_a_missing_folder_is_refused(tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["serve", "--no-browser", "--folder", str(tmp_path / "nothing")])
    assert isinstance(result.exception, SpecError)


def test_listening_on_the_network_prints_a_warning() -> None:
    result = CliRunner().invoke(app, ["serve", "--no-browser", "--host", "256.1.1.1"])
    assert "not encrypted" in result.output
    assert isinstance(result.exception, EngineError)
