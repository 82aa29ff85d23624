"""`voile serve`: the workbench, a page on your own machine."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from voile.cli.flags import Plugins
from voile.errors import EngineError

LOOPBACK = ("127.0.0.1", "localhost", "::1")


def serve(
    port: Annotated[int, typer.Option(help="The port; a free one by default.", min=0, max=65535)] = 0,
    no_browser: Annotated[bool, typer.Option("--no-browser", help="Do not open a browser.")] = False,
    host: Annotated[str, typer.Option(help="The address to listen on; only this machine by default.")] = "127.0.0.1",
    folder: Annotated[Path, typer.Option(help="The folder whose files the page may open; this one by default.")] = Path(
        "."
    ),
    projects: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR", help="The folder of all projects; VOILE_PROJECTS, or else a folder of your own data."
        ),
    ] = None,
    plugin: Plugins = None,
) -> None:
    """Open the workbench in a browser: load a table, choose a promise, compare the methods, and publish."""
    try:
        from voile.web.serve import serve as run_server
    except ModuleNotFoundError as error:
        if (error.name or "").split(".")[0] == "voile":
            raise
        raise EngineError(
            f"The workbench needs the package {error.name!r}.", code="engine.extra", hint="Install voile[web]."
        ) from None
    if host not in LOOPBACK:
        typer.echo("Anyone on the network can reach this page, and the connection is not encrypted.", err=True)
    run_server(
        _print_address,
        host=host,
        port=port,
        folder=folder,
        projects=projects,
        browser=not no_browser,
        plugins=plugin or (),
    )


def _print_address(address: str) -> None:
    typer.echo(f"The workbench is open at\n\n    {address}\n\nPress Ctrl-C to close it and delete all uploads.")
