"""`voile models`, `methods`, `attacks`, `measures`: what there is, with knobs, promises and examples."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated

import typer

from voile.cli.flags import Json, Plugins
from voile.cli.inputs import load_plugins
from voile.cli.terminal import print_json, print_table

if TYPE_CHECKING:
    from voile.flow.explore.catalogue import Entry


def _make_command(family: str, what: str) -> Callable[..., None]:
    """Make the command that lists a family, or describes one of its members."""

    def complete_name(incomplete: str) -> list[str]:
        from voile.flow.explore.catalogue import list_entries

        return [entry.name for entry in list_entries(family) if entry.name.startswith(incomplete)]

    def list_family(name: str | None = None, plugin: Plugins = None, as_json: Json = False) -> None:
        from voile.flow.explore.catalogue import describe_entry, list_entries

        load_plugins(plugin)
        if name is not None:
            entry = describe_entry(family, name)
            print_json(entry.as_json()) if as_json else _show_entry(entry)
            return
        entries = list_entries(family)
        if as_json:
            print_json({family: [entry.as_json() for entry in entries]})
            return
        rows = [[entry.name, entry.headline, ", ".join(knob.name for knob in entry.knobs)] for entry in entries]
        print_table(f"{len(entries)} {family}", ["name", what, "knobs"], rows, 0)
        typer.echo(f"`voile {family} NAME` says more about one of them.")

    argument = typer.Argument(metavar="[NAME]", help="Describe this one.", autocompletion=complete_name)
    list_family.__annotations__["name"] = Annotated[str | None, argument]
    list_family.__name__ = family
    list_family.__doc__ = f"List the {family} ({what}), or describe one with its knobs and an example."
    return list_family


models = _make_command("models", "what is promised")
methods = _make_command("methods", "how a table is published")
attacks = _make_command("attacks", "how a release is attacked")
measures = _make_command("measures", "what analysts lose")


def _show_entry(entry: Entry) -> None:
    typer.echo(f"{entry.name}: {entry.headline}\n")
    for paragraph in entry.story:
        typer.echo(f"{paragraph}\n")
    if entry.promise:
        typer.echo(f"Promises, e.g.: {entry.promise}\nAgainst: {entry.against}.")
    for gap in entry.gaps:
        typer.echo(f"Not against: {gap}.")
    rows = [
        [knob.name, knob.takes, "must be given" if knob.required else "" if knob.default is None else str(knob.default)]
        for knob in entry.knobs
    ]
    if rows:
        print_table("Knobs", ["knob", "takes", "default"], rows, 0)
    typer.echo(f"At the command line: {entry.example}\nIn Python: {entry.python}")
