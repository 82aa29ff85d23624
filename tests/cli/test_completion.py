"""The shell completes names of the catalogue."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

CALL = "import sys; sys.argv = ['voile']; from voile.cli import main; main()"


@pytest.mark.parametrize(
    ("family", "start", "name"),
    [("models", "l-", "l-diversity"), ("methods", "mon", "mondrian"), ("attacks", "link", "linking")],
)
def test_names_are_completed(family: str, start: str, name: str) -> None:
    asked = {"_VOILE_COMPLETE": "complete_bash", "COMP_WORDS": f"voile {family} {start}", "COMP_CWORD": "2"}
    done = subprocess.run([sys.executable, "-c", CALL], env={**os.environ, **asked}, capture_output=True, text=True)
    assert name in done.stdout.split(), done.stderr
    assert all(one.startswith(start) for one in done.stdout.split())
