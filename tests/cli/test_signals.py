"""SIGTERM ends a command as orderly as SIGINT, and "nothing was changed" is said only if it is true."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from calling import K5, ROLES, Voile

import voile as vl
from voile.cli.signals import remember_signals
from voile.cli.terminal import progress_bar, step_bar
from voile.io.release_folder import folder_writing

PUBLISH = ("--out", "out", *ROLES, *K5, "--json")

# the process gets the signal inside the function that is named, before or after its work, or in a callback that
# swallows what the handler raises, as callbacks from C do
RUN = """
import importlib, signal, sys
module, name, when, number = sys.argv[1:5]
sys.argv[1:5] = []
owner = importlib.import_module(module)
work = getattr(owner, name)
class Callback:
    def __del__(self):
        signal.raise_signal(int(number))
def signalled(*arguments, **keywords):
    if when == "before":
        signal.raise_signal(int(number))
    if when == "swallowed":
        Callback()
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
    "swallowed before the move": (WRITING, "_write_table", "swallowed", False),
    "swallowed after the move": ("voile.flow.verify.verify", "verify", "swallowed", True),
    "swallowed while libraries are loaded": ("voile.cli.run", "build_app", "swallowed", False),
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
    assert process.stderr == f"voile: {error['message']}\n"  # and no word of the callback
    assert [entry.name for entry in tmp_path.iterdir()] == (["out"] if written else [])
    if written:
        assert vl.verify(tmp_path / "out").holds


def test_the_exit_code_is_the_same_where_code_is_made(tmp_path: Path) -> None:
    made = "exec('import signal; signal.raise_signal(signal.SIGTERM)')"  # as a dataclass is, while it is loaded
    run = f"import voile.cli.run\nvoile.cli.run.build_app = lambda *_: {made}\nvoile.cli.main()\n"
    (tmp_path / "runner.py").write_text(run)
    done = subprocess.run([sys.executable, "-m", "runner"], cwd=tmp_path, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (143, "voile: Interrupted; nothing was changed.\n")


def test_what_was_written_is_named(voile: Voile, table: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: Any, **__: Any) -> Any:
        raise KeyboardInterrupt

    monkeypatch.setattr("voile.flow.verify.verify.verify", interrupt)
    followed = ("--model", "m-invariance:m=2", "--person", "name", "--ledger", "private/ledger")
    answer = voile("publish", table, "--out", "out", *ROLES[2:], *followed, "--json")
    assert answer.code == 130
    assert answer.json["error"]["message"] == "Interrupted; already written, and whole: ledger, out."


class Callback:
    """A callback that is called from C, and swallows what a handler of signals raises in it."""

    def __del__(self) -> None:
        signal.raise_signal(signal.SIGINT)


@pytest.mark.parametrize("earlier", [False, True], ids=["no ledger yet", "earlier release"])
def test_release_and_ledger_stay_as_they_are_if_a_callback_swallows_the_interrupt(
    voile: Voile, table: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, earlier: bool
) -> None:
    followed = ("--model", "m-invariance:m=2", "--person", "name", "--ledger", "private/ledger")
    publish = ("publish", table, *ROLES[2:], *followed, "--out")
    if earlier:
        assert voile(*publish, "first").code == 0
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    write = folder_writing._write_table

    def write_interrupted(*arguments: Any) -> Any:
        Callback()
        return write(*arguments)

    monkeypatch.setattr(folder_writing, "_write_table", write_interrupted)
    answer = voile(*publish, "out", *(["--after", "first"] if earlier else []))
    assert (answer.code, answer.err) == (130, "voile: Interrupted; nothing was changed.\n")
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before
    assert [entry.name for entry in tmp_path.iterdir() if entry.is_dir() and not any(entry.iterdir())] == []


def test_a_run_knows_nothing_of_the_interrupts_of_an_earlier_one(voile: Voile, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr("voile.cli.run.build_app", lambda name: lambda **_: Callback() and None)
        assert voile("--version").code == 130
    assert voile("--version").code == 0


def test_a_progress_bar_ends_a_run_whose_interrupt_was_swallowed(monkeypatch: pytest.MonkeyPatch) -> None:
    with remember_signals(), step_bar("load", "write") as step, progress_bar() as bar:
        step("load")
        Callback()
        for report in (lambda: step("write"), lambda: step.part("rows", 1, 2), lambda: bar(1, 2, "rows")):
            with pytest.raises(KeyboardInterrupt):
                report()


def test_an_error_in_a_callback_is_shown_as_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    class Faulty:
        def __del__(self) -> None:
            raise ValueError("x")

    shown: list[Any] = []
    monkeypatch.setattr("sys.unraisablehook", lambda unraisable: shown.append(unraisable.exc_type))
    with remember_signals() as received:
        Faulty()
        assert (shown, received) == ([ValueError], [])


COMPILE = """
def compile_slowly(number, done):
    signal.raise_signal(number)
    time.sleep(0.2)
    done.append("compiled")
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_waits_for_the_compiler_which_would_keep_its_locks(number: signal.Signals) -> None:
    module: dict[str, Any] = {"__name__": "numba.core.somewhere", "signal": signal, "time": time}
    exec(COMPILE, module)
    done: list[str] = []

    def compile_and_go_on() -> None:
        module["compile_slowly"](number, done)
        time.sleep(5)

    with remember_signals() as received:
        with pytest.raises(KeyboardInterrupt):
            compile_and_go_on()
        assert received[0] == number
    assert done == ["compiled"]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_the_handlers_are_given_back(voile: Voile, number: signal.Signals) -> None:
    before = signal.getsignal(number), sys.unraisablehook
    voile("--version")
    assert (signal.getsignal(number), sys.unraisablehook) == before
