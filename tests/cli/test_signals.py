"""SIGTERM ends a command as orderly as SIGINT, and "nothing was changed" is said only if it is true."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from calling import K5, ROLES, Voile

import voile as vl

PUBLISH = ("--out", "out", *ROLES, *K5, "--json")

# the process gets the signal inside the function that is named, before or after its work
RUN = """
import importlib, signal, sys
module, name, when, number = sys.argv[1:5]
sys.argv[1:5] = []
owner = importlib.import_module(module)
work = getattr(owner, name)
def signalled(*arguments, **keywords):
    if when == "before":
        signal.raise_signal(int(number))
    result = work(*arguments, **keywords)
    if when == "after":
        signal.raise_signal(int(number))
    return result
setattr(owner, name, signalled)
from voile.cli import main
main()
"""
WRITING = "voile.io.release_folder.folder_writing"
MOMENTS = {
    "while tables are written": (WRITING, "_write_table", "after", False),
    "before the move": (WRITING, "move_into_place", "before", True),  # the step is finished first
    "after the move": (WRITING, "move_into_place", "after", True),
    "while it is verified": ("voile.flow.verify.verify", "verify", "before", True),
}


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=["SIGINT", "SIGTERM"])
@pytest.mark.parametrize("moment", MOMENTS)
def test_a_signal_ends_in_order(table: Path, tmp_path: Path, moment: str, number: signal.Signals) -> None:
    module, name, when, written = MOMENTS[moment]
    command = [sys.executable, "-c", RUN, module, name, when, str(int(number)), "publish", str(table), *PUBLISH]
    process = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert process.returncode == 128 + number, process.stderr
    error = json.loads(process.stdout)["error"]
    assert error["code"] == "interrupted"
    assert ("nothing was changed" in error["message"]) is not written
    assert ("already written, and whole: out" in error["message"]) is written
    assert "Traceback" not in process.stderr
    assert [entry.name for entry in tmp_path.iterdir()] == (["out"] if written else [])
    if written:
        assert vl.verify(tmp_path / "out").holds


def test_what_was_written_is_named(voile: Voile, table: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: Any, **__: Any) -> Any:
        raise KeyboardInterrupt

    monkeypatch.setattr("voile.flow.verify.verify.verify", interrupt)
    followed = ("--model", "m-invariance:m=2", "--person", "name", "--ledger", "private/ledger")
    answer = voile("publish", table, "--out", "out", *ROLES[2:], *followed, "--json")
    assert answer.code == 130
    assert answer.json["error"]["message"] == "Interrupted; already written, and whole: ledger, out."


def test_the_handler_of_sigterm_is_given_back(voile: Voile) -> None:
    before = signal.getsignal(signal.SIGTERM)
    voile("--version")
    assert signal.getsignal(signal.SIGTERM) is before
