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
from voile.cli.signals import keep_exit_code
from voile.cli.terminal import print_error
from voile.errors import DataError, SpecError, VoileError, hide_credentials, speaking
from voile.io.safe_writing.interruptions import raise_if_interrupted, record_writes
from voile.version import __version__

# the module of each command in commands/, in the order in which --help lists them, and what it says there in a line
COMMANDS = {
    "inspect": ("preparation.inspect", "Look at a table: kinds, roles, and who stands out."),
    "init": ("preparation.init", "Write a first spec.toml for a table, for you to decide."),
    "publish": ("publish", "Publish a table under a policy, and verify the result."),
    "verify": ("verify", "Check everything that a published folder claims."),
    "audit": ("audit", "Attack a release."),
    "measure": ("measure", "Measure what analysts lose by working with a release."),
    "report": ("report", "Write a page about a release: attacks, losses, verdict."),
    "pack": ("pack", "Pack a release and a guide for its recipients into a zip."),
    "query": ("query", "Answer a SQL query with COUNT, SUM or AVG."),
    "complete": ("complete", "Draw plain tables that agree with every published cell."),
    "compare": ("compare", "Try methods on a table, and name the best one."),
    "advise": ("preparation.advise", "Show what to promise, and what each column costs."),
    "models": ("preparation.catalogue", "List the models (what is promised), or describe one."),
    "methods": ("preparation.catalogue", "List the methods (how to publish), or describe one."),
    "attacks": ("preparation.catalogue", "List the attacks, or describe one."),
    "measures": ("preparation.catalogue", "List the measures (what is lost), or describe one."),
    "adversaries": ("adversaries", "List the adversaries that have names."),
    "hierarchies": ("preparation.hierarchies", "Write automatic hierarchies to files that you can edit."),
    "people": ("preparation.people", "Show what each number of rows per person would cost."),
    "prior": ("preparation.prior", "Learn the statistics that an adversary may know."),
    "reproduce": ("reproduce", "Recompute tables and figures of the source papers."),
    "guarantees": ("guarantees", "Show what perturbed generalization would promise."),
    "demo": ("demo", "Publish, verify, audit and measure a small table."),
    "serve": ("serve", "Open the workbench in a browser."),
    "warm-up": ("warm_up", "Compile the kernels beforehand, e.g. for an image."),
}
FAMILIES = {"project": ("project", "Keep tables and their releases in a project.")}  # each has commands of its own


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
        module, summary = COMMANDS[command]
        app.command(command, short_help=summary)(getattr(_import_commands(module), command.replace("-", "_")))
    for family in [name] if name in FAMILIES else FAMILIES if name not in COMMANDS else ():
        module, summary = FAMILIES[family]
        app.add_typer(_import_commands(module).app, name=family, short_help=summary)
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
        reason, named = error.strerror or type(error).__name__, isinstance(error.filename, str)
        what = f"The file {Path(error.filename).name!r}" if named else "A file"
        _fail(DataError.exit_code, {"code": "data.file", "message": f"{what} cannot be used ({reason}).", "hint": hint})
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
    keep_exit_code()
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
