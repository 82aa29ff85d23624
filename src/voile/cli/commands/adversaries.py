"""`voile adversaries`: the adversaries that --adversary takes by name."""

from __future__ import annotations

import typer

from voile.cli.flags import Json, Plugins
from voile.cli.inputs import load_plugins
from voile.cli.terminal import print_json


def adversaries(plugin: Plugins = None, as_json: Json = False) -> None:
    """List the adversaries that you can choose by name: who they are, what they know, and which attacks they run."""
    from voile.adversaries.presets import presets

    load_plugins(plugin)
    listed = presets().values()
    if as_json:
        print_json({"adversaries": [preset.as_json() for preset in listed]})
        return
    for preset in listed:
        typer.echo(f"{preset.name}: {preset.title}\n  {preset.story}\n  Attacks: {', '.join(preset.attacks)}\n")
