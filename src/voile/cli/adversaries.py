"""`voile adversaries`: the adversaries that --adversary knows by name."""

from __future__ import annotations

import typer

from voile.cli.opening import open_plugins
from voile.cli.options import Json, Plugins
from voile.terminal import say_json


def adversaries(plugin: Plugins = None, as_json: Json = False) -> None:
    """List the adversaries that can be named: who they are, what they know, and the attacks they run."""
    from voile.core.preset import presets

    open_plugins(plugin)
    known = presets()
    if as_json:
        say_json({"adversaries": [preset.as_json() for preset in known.values()]})
        return
    for preset in known.values():
        typer.echo(f"{preset.name}: {preset.title}\n  {preset.story}\n  Attacks: {', '.join(preset.attacks)}\n")
