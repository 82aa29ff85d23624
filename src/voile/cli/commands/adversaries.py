"""`voile adversaries`: the adversaries that --adversary knows by name."""

from __future__ import annotations

import typer

from voile.cli.flags import Json, Plugins
from voile.cli.inputs import open_plugins
from voile.cli.terminal import say_json


def adversaries(plugin: Plugins = None, as_json: Json = False) -> None:
    """List the adversaries that can be named: who they are, what they know, and the attacks they run."""
    from voile.adversaries.presets import presets

    open_plugins(plugin)
    known = presets()
    if as_json:
        say_json({"adversaries": [preset.as_json() for preset in known.values()]})
        return
    for preset in known.values():
        typer.echo(f"{preset.name}: {preset.title}\n  {preset.story}\n  Attacks: {', '.join(preset.attacks)}\n")
