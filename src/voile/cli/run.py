"""The list of commands, and how errors become exit codes.

A new command is a file in commands/, named in COMMANDS. Every command prints text, or JSON
with --json. Commands import heavy libraries when they run, so that --help is fast.
"""

from __future__ import annotations

import importlib
import os
import signal
import sys
from functools import cache
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer

from voile.cli.flag_wording import write_flag
from voile.cli.terminal import print_error
from voile.errors import DataError, SpecError, VoileError, hide_credentials, speaking
from voile.io.safe_writing.interruptions import raise_if_interrupted, record_writes
from voile.version import __version__

# the module of each command in commands/, in the order in which --help lists them
COMMANDS = {
    "inspect": "preparation.inspect",
    "init": "preparation.init",
    "publish": "publish",
    "verify": "verify",
    "audit": "audit",
    "measure": "measure",
    "report": "report",
    "pack": "pack",
    "query": "query",
    "complete": "complete",
    "compare": "compare",
    "advise": "preparation.advise",
    "models": "preparation.catalogue",
    "methods": "preparation.catalogue",
    "attacks": "preparation.catalogue",
    "measures": "preparation.catalogue",
    "adversaries": "adversaries",
    "hierarchies": "preparation.hierarchies",
    "people": "preparation.people",
    "prior": "preparation.prior",
    "reproduce": "reproduce",
    "guarantees": "guarantees",
    "demo": "demo",
    "serve": "serve",
    "warm-up": "warm_up",
}
FAMILIES = {"project": "project"}  # each has commands of its own


@cache
def build_app(name: str = "") -> typer.Typer:
    """Return the command line: with all commands, or with one of them, which is all that calling it takes."""
    app = typer.Typer(
        name="voile",
        help="Publish tables of people without giving the people away.",
        no_args_is_help=True,
        add_completion=True,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
    )
    app.callback(invoke_without_command=True)(_root)
    for command in [name] if name in COMMANDS else COMMANDS if name not in FAMILIES else ():
        app.command(command)(getattr(_import_commands(COMMANDS[command]), command.replace("-", "_")))
    for family in [name] if name in FAMILIES else FAMILIES if name not in COMMANDS else ():
        app.add_typer(_import_commands(FAMILIES[family]).app, name=family)
    return app


def _import_commands(module: str) -> Any:
    return importlib.import_module(f"voile.cli.commands.{module}")


def _root(version: Annotated[bool, typer.Option("--version", help="Show the version.")] = False) -> None:
    if version:
        typer.echo(f"voile {__version__}")
        raise typer.Exit


def run_command(received: list[int]) -> NoReturn:
    """Run the command line: a VoileError becomes its message and its exit code, never a stack trace. `received` are the
    signals that come meanwhile."""
    with speaking(write_flag), record_writes() as written:
        _run(written, received)


def _run(written: list[Path], received: list[int]) -> NoReturn:
    usage_error: Any = typer.BadParameter.__bases__[0]  # typer keeps its own copy of click, or uses the real one
    try:
        if any("\0" in argument for argument in sys.argv):
            raise SpecError("An argument has a zero byte.", code="spec.usage", hint="See --help.")
        # of a command that is named, the others need not be loaded
        code = build_app(sys.argv[1] if len(sys.argv) > 1 else "")(standalone_mode=False)
        raise_if_interrupted()  # a callback of a library may have swallowed what the signal raised
    except VoileError as error:
        _fail(error.exit_code, error.as_json())
    except usage_error as error:
        error.message = hide_credentials(error.message)
        if "--json" in sys.argv:
            print_error({"error": {"code": "spec.usage", "message": error.format_message(), "hint": "See --help."}})
        error.show()
        code = SpecError.exit_code
    except (KeyboardInterrupt, typer.Abort):
        code = 130
    except OSError as error:
        hint = "Check the path, its length, your rights and the free space."
        reason = error.strerror or type(error).__name__
        _fail(DataError.exit_code, {"code": "data.file", "message": f"A file cannot be used ({reason}).", "hint": hint})
    except SystemExit:
        raise
    except BaseException as error:  # a panic of a library is no Exception
        if received:  # it met the interrupt in a callback, and failed for want of what that should have done
            _end_interrupted(written, received)
        if os.environ.get("VOILE_DEBUG"):
            raise
        # the message of an unexpected error may quote a cell, so show only its type and where it happened
        frame = error.__traceback__
        while frame is not None and frame.tb_next is not None:
            frame = frame.tb_next
        where = f"{Path(frame.tb_frame.f_code.co_filename).name}:{frame.tb_lineno}" if frame else "unknown"
        hint = "This is a bug in voile; set VOILE_DEBUG=1 to see the whole error (it may show data)."
        _fail(1, {"code": "internal", "message": f"Unexpected {type(error).__name__} at {where}.", "hint": hint})
    if code == 130:
        _end_interrupted(written, received)
    _mention_lost_kernels()
    raise SystemExit(code or 0)


def _mention_lost_kernels() -> None:
    """Say what a command could not keep and the next one does again."""
    compilation = sys.modules.get("voile.kernels.compilation")
    if compilation is not None and not compilation.can_keep_kernels():
        hint = (
            "set NUMBA_CACHE_DIR to a folder that you may write to, or ask for `voile warm-up` where voile is installed"
        )
        typer.echo(f"Compiled code could not be kept, so every command compiles it again: {hint}.", err=True)


def _end_interrupted(written: list[Path], received: list[int]) -> NoReturn:
    message = f"Interrupted; {_describe_changes(written)}."
    _fail(128 + (received or [signal.SIGINT])[0], {"code": "interrupted", "message": message, "hint": ""})


def _describe_changes(written: list[Path]) -> str:
    if not written:
        return "nothing was changed"
    names = ", ".join(path.name for path in written[:3]) + (f" and {len(written) - 3} more" if written[3:] else "")
    return f"already written, and whole: {names}"


def _fail(exit_code: int, error: dict[str, Any]) -> NoReturn:
    if "--json" in sys.argv:
        print_error({"error": error})
    lines = [f"voile: {error['message']}", *(f"  {error[part]}" for part in ("hint", "note") if error.get(part))]
    typer.echo("\n".join(lines), err=True)
    raise SystemExit(exit_code)
