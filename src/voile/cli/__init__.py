"""The command line: the verbs of voile as commands. run.py lists them; commands/ has one file per command."""

from voile.cli.run import app, main

__all__ = ["app", "main"]
