"""The command line as a whole: its commands, every exit code, JSON on request, and progress on terminals only."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from calling import K5, ROLES, Voile

import voile as vl
from voile import cli
from voile.cli import commands
from voile.cli.run import COMMANDS
from voile.errors import FIXED_BEFOREHAND, BrokenPromise, DataError, EngineError, SpecError, Unsatisfiable, VoileError

VERBS = ["inspect", "init", "publish", "verify", "audit", "measure", "report", "pack", "query", "complete", "compare"]
VERBS += ["advise", "models", "methods", "attacks", "measures", "adversaries"]
VERBS += ["hierarchies", "people", "prior", "reproduce", "guarantees", "demo", "serve", "warm-up", "project"]


def test_every_command_has_a_file_of_its_name() -> None:
    files = {path.stem for path in Path(commands.__file__).parent.rglob("*.py")}
    families = {"models", "methods", "attacks", "measures"}  # one file lists them all
    assert files - {"__init__", "catalogue", "project"} == {name.replace("-", "_") for name in COMMANDS} - families


def test_help_lists_the_commands_and_version_is_shown(voile: Voile) -> None:
    assert voile("--version").out == f"voile {vl.__version__}\n"
    answer = voile("--help")
    assert answer.code == 0
    listed = [line.split()[0] for line in answer.out.partition("Commands:\n")[2].splitlines()]
    assert listed == VERBS
    for verb in VERBS:
        assert voile(verb, "--help").code == 0
        assert "--json" in voile(verb, "--help").out or verb in ("serve", "project")  # one runs on, one is a family
    assert voile().code == 2


@pytest.mark.parametrize(
    "arguments",
    [
        ("fly",),
        ("publish",),
        ("publish", "x.csv"),
        ("verify", "x", "--colour"),
        ("measure", "x"),
        ("--loud",),
    ],
)
def test_usage_errors_exit_with_2(voile: Voile, arguments: tuple[str, ...]) -> None:
    answer = voile(*arguments)
    assert answer.code == 2
    assert answer.out == ""
    assert "Error" in answer.err
    json_answer = voile(*arguments, "--json")
    assert json_answer.code == 2
    assert json_answer.json["error"]["code"] == "spec.usage"


def test_each_kind_of_error_has_its_exit_code(voile: Voile, table: Path) -> None:
    cases = {
        2: ("publish", table, "--out", "o", "--quasi", "nothing", *K5),
        3: ("publish", "none.csv", "--out", "o", *ROLES, *K5),
        4: ("publish", table, "--out", "o", *ROLES, "--model", "l-diversity:l=40"),
    }
    for code, arguments in cases.items():
        answer = voile(*arguments)
        assert answer.code == code
        assert answer.out == ""
        assert answer.err.startswith("voile: ")
        assert "Traceback" not in answer.err
        json_answer = voile(*arguments, "--json")
        assert json_answer.code == code
        assert set(json_answer.json["error"]) >= {"code", "message", "hint"}
    assert [e.exit_code for e in (SpecError, DataError, Unsatisfiable, BrokenPromise, EngineError)] == [2, 3, 4, 5, 6]
    assert not (voile.folder / "o").exists()


def test_a_missing_package_exits_with_6(voile: Voile, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "duckdb", None)
    (voile.folder / "x.duckdb").write_text("")
    answer = voile("publish", "duckdb:///x.duckdb", "--query", "select 1", "--out", "o", *ROLES, *K5, "--json")
    assert answer.code == 6
    assert answer.json["error"]["code"] == "engine.extra"


def test_unexpected_errors_show_no_cell(voile: Voile, table: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any, **__: Any) -> Any:
        raise RuntimeError("CANARY")

    monkeypatch.setattr("voile.flow.read.column_coding.build_domain", fail)
    answer = voile("publish", table, "--out", "o", *ROLES, *K5, "--json")
    assert answer.code == 1
    assert "CANARY" not in answer.out + answer.err
    assert "RuntimeError at test_run.py" in answer.json["error"]["message"]
    monkeypatch.setenv("VOILE_DEBUG", "1")
    monkeypatch.setattr(sys, "argv", ["voile", "publish", str(table), "--out", "o", *ROLES, *K5])
    with pytest.raises(RuntimeError, match="CANARY"):
        cli.main()


def test_an_interrupt_exits_with_130(voile: Voile, table: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: Any, **__: Any) -> Any:
        raise KeyboardInterrupt

    monkeypatch.setattr("voile.flow.read.column_coding.build_domain", interrupt)
    answer = voile("publish", table, "--out", "o", *ROLES, *K5, "--json")
    assert answer.code == 130
    assert answer.json["error"]["code"] == "interrupted"


def test_every_voile_error_becomes_its_exit_code(voile: Voile, table: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for kind in (SpecError, DataError, Unsatisfiable, BrokenPromise, EngineError, VoileError):

        def fail(*_: Any, kind: type[VoileError] = kind, **__: Any) -> Any:
            raise kind("It is so.", code="x.y", hint="Do this.")

        monkeypatch.setattr("voile.engines.memory.load_frame", fail)
        answer = voile("publish", table, "--out", "o", *ROLES, *K5, "--json")
        assert answer.code == kind.exit_code
        note = f"  {FIXED_BEFOREHAND}\n" if kind is Unsatisfiable else ""
        assert answer.err == f"voile: It is so.\n  Do this.\n{note}"
        assert answer.json["error"]["hint"] == "Do this."


@pytest.mark.parametrize("verb", ["verify", "query"])  # the second loads a library that watches how the process ends
def test_the_command_runs_as_a_process(release: Path, tmp_path: Path, verb: str) -> None:
    more = ["select count(*) from t"] if verb == "query" else []
    command = "from voile.cli import main; main()"
    process = subprocess.run(
        [sys.executable, "-W", "error", "-c", command, verb, str(release), *more, "--json"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
    )
    assert process.returncode == 0
    assert verb == "query" or json.loads(process.stdout)["holds"]
    assert process.stderr == ""


def test_progress_is_for_terminals_only(table: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-c", "from voile.cli import main; main()", "publish", str(table), "--out", "out"]
    terminal, worker_end = pty.openpty()
    worker = subprocess.Popen(
        [*command, *ROLES, *K5, "--json"], stdout=subprocess.PIPE, stderr=worker_end, cwd=tmp_path
    )
    os.close(worker_end)
    assert worker.stdout is not None
    out = worker.stdout.read()
    progress = b""
    try:
        while chunk := os.read(terminal, 4096):
            progress += chunk
    except OSError:
        pass  # the terminal is closed
    os.close(terminal)
    worker.stdout.close()
    assert worker.wait() == 0
    assert json.loads(out)["verdict"]["holds"]
    assert b"publish" in progress
    for cell in (b"Influenza", b"06000", b"Bianca"):
        assert cell not in progress


def test_every_summary_of_a_command_fits_on_its_line(voile: Voile, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    answer = voile("--help")
    assert answer.code == 0
    assert "..." not in answer.out.split("Commands:")[1]


@pytest.mark.parametrize("closed", [1, 2])
def test_a_closed_output_is_no_error(release: Path, closed: int) -> None:
    command = [sys.executable, "-m", "voile", "verify", str(release)]
    done = subprocess.run(command, preexec_fn=lambda: os.close(closed), capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_file_that_cannot_be_used_is_named(voile: Voile, table: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any, **__: Any) -> Any:
        raise PermissionError(13, "Permission denied", "/somewhere/x.csv")

    monkeypatch.setattr("voile.flow.read.read.read", refuse)
    answer = voile("publish", table, "--out", "out", *ROLES, *K5)
    assert answer.code == 3
    assert "The file 'x.csv' cannot be used (Permission denied)." in answer.err
    assert "somewhere" not in answer.err


WRITING = {
    "report": ("report", "{release}", "--out", "page.html"),
    "complete": ("complete", "{release}", "--draws", "2", "--out", "tables.csv"),
    "inspect": ("inspect", "{table}", "--out", "page.html"),
    "prior": ("prior", "{table}", "--quasi", "sex", "--sensitive", "disease", "--out", "known.csv"),
    "hierarchies": ("hierarchies", "{table}", "--quasi", "sex", "--out", "."),
    "pack": ("pack", "{release}", "--out", "for_you.zip"),
    "init": ("init", "{table}", "--out", "spec.toml"),
}


@pytest.mark.parametrize("verb", WRITING)
def test_a_file_that_exists_is_replaced_only_with_force(voile: Voile, release: Path, table: Path, verb: str) -> None:
    arguments = [argument.format(release=release, table=table) for argument in WRITING[verb]]
    before = set(voile.folder.iterdir())
    assert voile(*arguments).code == 0
    made = {path: path.read_bytes() for path in set(voile.folder.iterdir()) - before}
    for path in made:
        path.write_text("mine")
    answer = voile(*arguments)
    assert answer.code == 2
    assert "--force" in answer.err
    assert {path.read_text() for path in made} == {"mine"}
    assert voile(*arguments, "--force").code == 0
    assert "mine" not in {path.read_text(errors="replace") for path in made}


def test_no_color_leaves_no_style_on_a_terminal(voile: Voile, release: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert "\x1b[" in voile("verify", release).out
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[" not in voile("verify", release).out
