"""The README's examples run as they stand."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

README = Path(__file__).parents[1] / "README.md"
if not README.is_file():
    pytest.skip("there is no README.md yet", allow_module_level=True)

TEXT = README.read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```python\n(.*?)^```", TEXT, re.MULTILINE | re.DOTALL)


def test_there_are_examples() -> None:
    assert BLOCKS


def test_the_examples_run_one_after_the_other(tmp_path: Path) -> None:
    """All blocks in one process and one empty folder, as a reader would type them; what is a session is a doctest."""
    program = "\n".join(block for block in BLOCKS if not block.lstrip().startswith(">>>"))
    sessions = "\n\n".join(block for block in BLOCKS if block.lstrip().startswith(">>>"))
    (tmp_path / "program.py").write_text(program, encoding="utf-8")
    (tmp_path / "sessions.txt").write_text(sessions, encoding="utf-8")
    run = "import doctest, runpy, sys\nscope = runpy.run_path('program.py')\n"
    run += "failed, _ = doctest.testfile('sessions.txt', module_relative=False, globs=scope, "
    run += "optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)\nsys.exit(failed > 0)"
    done = subprocess.run([sys.executable, "-W", "error", "-c", run], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_commands_exist() -> None:
    from voile.cli import app

    verbs = {command.name or command.callback.__name__ for command in app.registered_commands if command.callback}
    shell = "\n".join(re.findall(r"^```(?:sh|bash|console|shell|text)?\n(.*?)^```", TEXT, re.MULTILINE | re.DOTALL))
    for verb in re.findall(r"^\$? ?voile ([a-z]+)", shell, re.MULTILINE):
        assert verb in verbs


def test_links_to_files_lead_somewhere() -> None:
    for target in re.findall(r"\]\((?!https?://|#|mailto:)([^)#\s]+)", TEXT):
        assert (README.parent / target).exists(), target
