"""The command line: the verbs of voile as commands. run.py lists them; commands/ has one file per command."""

from __future__ import annotations

import atexit
import gc
import os
import signal
import sys
from typing import TYPE_CHECKING, Any

from voile.cli.signals import end_in_order, keep_exit_code, remember_signals
from voile.io.safe_writing.interruptions import raise_if_interrupted

if TYPE_CHECKING:
    from typer import Typer

    app: Typer

__all__ = ["app", "main"]


def main() -> None:
    """Run the command line. Signals are handled before anything else is loaded."""
    _open_standard_streams()
    end_in_order()
    # newer versions of typer check flags with pydantic, which would look for plug-ins in every installed package
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    atexit.register(_skip_last_collection)
    gc.set_threshold(1_000_000)  # looking for cycles while modules are loaded takes a tenth of a small command's time
    with remember_signals() as received:
        try:
            from voile.cli.run import run_command

            raise_if_interrupted()
        except KeyboardInterrupt:
            keep_exit_code()
            sys.stderr.write("voile: Interrupted; nothing was changed.\n")
            raise SystemExit(128 + (received or [signal.SIGINT])[0]) from None
        run_command(received)


def _open_standard_streams() -> None:
    """Let a command whose output nobody wants (`>&-`) run like any other. Nothing else gets the number of a closed
    stream either: what a library prints would land in that file."""
    for name in ("stdin", "stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "r" if name == "stdin" else "w"))  # noqa: SIM115 - open to the end


def _skip_last_collection() -> None:
    """Spare a process that ends the search for cycles in all that it loaded, a quarter of a small command's time."""
    if "duckdb" not in sys.modules:  # the library that binds it to Python would report leaks
        gc.freeze()


def __getattr__(name: str) -> Any:
    if name == "app":
        from voile.cli import run

        return run.build_app()
    raise AttributeError(name)
