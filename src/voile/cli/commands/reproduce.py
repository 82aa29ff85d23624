"""`voile reproduce`: the tables and figures of a source paper, recomputed."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from voile.cli.flags import Json
from voile.cli.terminal import print_json, progress_bar, show_frame


def reproduce(
    paper: Annotated[str, typer.Argument(help="A source paper: art, minimality, decompose or pg; or all.")],
    item: Annotated[list[str] | None, typer.Argument(help="Tables and figures of the paper; all by default.")] = None,
    data: Annotated[Path | None, typer.Option(help="The table that experiments are computed from.")] = None,
    out: Annotated[Path | None, typer.Option(help="The folder of the gallery; reproduction by default.")] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Finish in minutes, with fewer rows and repetitions.")] = False,
    jobs: Annotated[int, typer.Option(min=1, help="How many items are computed at once.")] = 1,
    as_json: Json = False,
) -> None:
    """Recompute the tables and figures of the source papers, and check what they print.

    A run that was interrupted goes on where it was. Exits with 5 if a printed claim differs and no reason is known.
    """
    from voile.papers.reproduce import reproduce as recompute

    folder = out or Path("reproduction")
    with progress_bar() as step:
        frames = recompute(paper, item or (), out=folder, data=data, quick=quick, jobs=jobs, step=step)
    if as_json:
        print_json({"out": str(folder), "items": {name: frame.to_dicts() for name, frame in frames.items()}})
    else:
        for name, frame in frames.items() if paper != "all" else ():
            show_frame(name, frame)
        typer.echo(f"Tables, figures and claims: {folder / 'README.md'}")
