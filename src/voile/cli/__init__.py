"""The same verbs at the command line, one command a file; run.py lists them."""

from voile.cli.run import app, main

__all__ = ["app", "main"]
