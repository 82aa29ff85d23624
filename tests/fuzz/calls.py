"""One call of the command line in this process, and what every call must keep, whatever its input is."""

from __future__ import annotations

import contextlib
import csv
import functools
import io
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple
from unittest import mock

import typer.main
from fuzz.odd_inputs import CANARY, Input

from voile import cli

DOCUMENTED = {0, 2, 3, 4, 5, 6}
PATIENCE = 10.0  # seconds of computing, however busy the machine is
LONGEST_WAIT = 60.0  # seconds by the clock


build_command = functools.cache(typer.main.get_command)  # it holds nothing of a call, and takes longer than most calls


class Outcome(NamedTuple):
    code: int
    output: str
    seconds: float
    waited: float


def call(arguments: list[str]) -> Outcome:
    """Run the command line; its output includes what libraries write past Python."""
    begin, code, before = (time.process_time(), time.perf_counter()), 0, sys.argv
    with _captured() as output:
        sys.argv = ["voile", *arguments]
        try:
            with mock.patch.object(typer.main, "get_command", build_command):
                cli.main()
        except SystemExit as left:
            code = left.code if isinstance(left.code, int) else 0
        except BaseException as error:
            code = -1
            print(f"{type(error).__name__} came through", file=sys.stderr)
        finally:
            sys.argv = before
    return Outcome(code, "".join(output), time.process_time() - begin[0], time.perf_counter() - begin[1])


@contextlib.contextmanager
def _captured() -> Iterator[list[str]]:
    """Collect what Python and native code write to both outputs."""
    output: list[str] = []
    saved = [os.dup(1), os.dup(2)]
    with tempfile.TemporaryFile() as sink:
        text = io.StringIO()
        try:
            os.dup2(sink.fileno(), 1)
            os.dup2(sink.fileno(), 2)
            with contextlib.redirect_stdout(text), contextlib.redirect_stderr(text):
                yield output
        finally:
            for number, handle in enumerate(saved, 1):
                os.dup2(handle, number)
                os.close(handle)
            sink.seek(0)
            output += [text.getvalue(), sink.read().decode("utf-8", "replace")]


def try_input(drawn: Input) -> str:
    """Call the command line with an input in a folder of its own; return what is wrong, or nothing."""
    folder = Path(tempfile.mkdtemp(prefix="fuzz"))
    here = Path.cwd()
    try:
        os.chdir(folder)
        arguments = drawn.write(folder)
        before = {path.name for path in folder.iterdir()}
        outcome = call(arguments)
        fault = _judge(outcome, drawn, folder, before)
        if not fault and _is_long(outcome):
            again = call(arguments)  # the first call of a method compiles it
            return f"{again.seconds:.0f} s, {again.waited:.0f} by the clock" if _is_long(again) else ""
        return fault
    finally:
        os.chdir(here)
        shutil.rmtree(folder, ignore_errors=True)


def _is_long(outcome: Outcome) -> bool:
    return outcome.seconds > PATIENCE or outcome.waited > LONGEST_WAIT


def _judge(outcome: Outcome, drawn: Input, folder: Path, before: set[str]) -> str:
    if outcome.code not in DOCUMENTED:
        return f"exit code {outcome.code}: {_last_line(outcome.output)}"
    if "Traceback" in outcome.output or "panicked" in outcome.output:
        return f"a trace of a library: {_last_line(outcome.output)}"
    if CANARY in outcome.output and not _names_canary(drawn):
        return "a cell in the output"
    left = {path.name for path in folder.iterdir()} - before
    residue = [name for name in left if name.endswith(".partial") or name.startswith(".")]
    if residue:
        return "residue beside the release"
    if outcome.code and (folder / "out").exists():
        return "a release although the call failed"
    if "out" in left and not (folder / "out" / "certificate.json").is_file():
        return "a release without a certificate"
    return ""


def _names_canary(drawn: Input) -> bool:
    """Whether a mutation made a cell part of the header, whose names messages may show."""
    content = drawn.files.get("t.csv", b"") + b"\n"
    first = content.decode("utf-8", "replace").replace("\r", "\n").lstrip("\ufeff\n").split("\n")[0]
    with contextlib.suppress(csv.Error):
        first += "".join(next(csv.reader(io.StringIO(content.decode("utf-8", "replace"))), []))
    return CANARY in first or any(CANARY in argument for argument in drawn.arguments)


def _last_line(output: str) -> str:
    lines = [line for line in output.splitlines() if line.strip()]
    return " / ".join(line[:160] for line in lines[-2:])
