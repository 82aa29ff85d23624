"""The README's examples run as they are printed."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from voile.cli import app

README = Path(__file__).parents[1] / "README.md"
TEXT = README.read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```python\n(.*?)^```", TEXT, re.MULTILINE | re.DOTALL)


def test_there_are_examples() -> None:
    assert BLOCKS
    assert commands()


def test_the_examples_run_from_top_to_bottom(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run the Python blocks in one process, then the commands in the same folder, as a reader would type them."""
    (tmp_path / "program.py").write_text("\n".join(BLOCKS), encoding="utf-8")
    call = [sys.executable, "-W", "error", "program.py"]
    done = subprocess.run(call, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    (tmp_path / "spec.toml").write_text(fenced("toml")[0], encoding="utf-8")
    for line in commands():
        if not line.startswith("voile serve") and "--engine spark" not in line:  # these need a visitor and a cluster
            result = CliRunner().invoke(app, shlex.split(line, comments=True)[1:])
            assert result.exit_code == 0, f"{line}\n{result.output}\n{result.exception}"


def fenced(language: str) -> list[str]:
    """Return the blocks of a language."""
    return re.findall(rf"^```{language}\n(.*?)^```", TEXT, re.MULTILINE | re.DOTALL)


def commands() -> list[str]:
    """Return the `voile` lines of the shell blocks, with continued lines joined."""
    lines = "".join(fenced("sh")).replace("\\\n", " ").splitlines()
    return [line for line in lines if line.startswith("voile ")]


def test_the_commands_exist() -> None:
    verbs = {command.name or command.callback.__name__ for command in app.registered_commands if command.callback}
    assert {line.split()[1] for line in commands()} <= verbs


def test_links_to_files_lead_somewhere() -> None:
    targets = re.findall(r"\]\((?!https?://|#|mailto:)([^)#\s]+)", TEXT)
    assert targets
    assert [target for target in targets if not (README.parent / target).exists()] == []
