"""Files that a command writes where it is told to: one that exists is replaced only with --force."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from voile.errors import SpecError, option

Force = Annotated[bool, typer.Option("--force", help="Replace what the command wrote there before, or any other file.")]


def refuse_existing(*paths: Path | None, force: bool) -> None:
    """Raise if one of the files exists, before any work: it may be the table, or a page with a decision on it."""
    existing = [path for path in paths if path is not None and path.exists()]
    if existing and not force:
        raise SpecError(
            f"{existing[0].name!r} exists already.",
            code="spec.out-exists",
            hint=f"Name another file ({option('out', 'FILE')}), or replace it ({option('force', True)}).",
        )
