"""`voile reproduce`: the tables and figures of a source paper, recomputed."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from voile.cli.flags import Json
from voile.cli.terminal import print_json, progress_bar, show_frame


def reproduce(
    paper: Annotated[str, typer.Argument(help="A source paper: art, minimality, decompose or pg; or all.")],
    item: Annotated[list[str] | None, typer.Argument(help="Tables and figures; all by default.")] = None,
    data: Annotated[Path | None, typer.Option(help="The table that experiments are computed from.")] = None,
    out: Annotated[Path | None, typer.Option(help="The folder of the gallery; reproduction by default.")] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Finish in minutes, with fewer rows and repetitions.")] = False,
    as_json: Json = False,
) -> None:
    """Recompute the tables and figures of a source paper."""
    from voile.papers.reproduce import reproduce as recompute

    folder = out or Path("reproduction")
    with progress_bar() as step:
        frames = recompute(paper, item or (), out=folder, data=data, quick=quick, step=step)
    if as_json:
        print_json({"out": str(folder), "items": {name: frame.to_dicts() for name, frame in frames.items()}})
    else:
        for name, frame in frames.items():
            show_frame(name, frame)
        typer.echo(f"Tables, figures and claims: {folder / 'README.md'}")
