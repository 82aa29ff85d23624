"""`voile adversaries`: the adversaries that --adversary knows by name."""

from __future__ import annotations

import typer

from voile.cli.flags import Json, Plugins
from voile.cli.inputs import load_plugins
from voile.cli.terminal import print_json


def adversaries(plugin: Plugins = None, as_json: Json = False) -> None:
    """List the adversaries that you can name: who they are, what they know, and which attacks they run."""
    from voile.adversaries.presets import presets

    load_plugins(plugin)
    known = presets().values()
    if as_json:
        print_json({"adversaries": [preset.as_json() for preset in known]})
        return
    for preset in known:
        typer.echo(f"{preset.name}: {preset.title}\n  {preset.story}\n  Attacks: {', '.join(preset.attacks)}\n")
