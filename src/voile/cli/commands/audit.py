"""`voile audit`: a release under attack."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from voile.cli.flags import Adversaries, Data, Engine, Folder, Json, Plugins, Reading, Trees, reads
from voile.cli.inputs import open_plugins, open_release, open_table
from voile.cli.terminal import say_json, show_audit, steps
from voile.errors import BrokenPromise, SpecError

if TYPE_CHECKING:
    from voile.releases.release import Release
    from voile.results import Audit
    from voile.tables.microdata import Microdata


@reads
def audit(
    release: Folder,
    attack: Annotated[
        list[str] | None, typer.Option(help="E.g. linking, elimination:values=2; all by default.")
    ] = None,
    adversary: Adversaries = None,
    data: Data = None,
    external: Annotated[Path | None, typer.Option(help="A register of the population, for the journalist.")] = None,
    corrupted: Annotated[
        Path | None, typer.Option(help="People whose values are known, for --attack corruption.")
    ] = None,
    hierarchies: Trees = None,
    *,
    reading: Reading,
    place: Engine,
    plugin: Plugins = None,
    as_json: Json = False,
) -> None:
    """Attack a release; exit 5 if an attack inside the promise succeeds."""
    with steps("load", "attack") as step:
        open_plugins(plugin)
        step("load")
        loaded = open_release(release, place, step.part)
        step("attack")
        table = None if data is None else open_table(loaded, data, hierarchies, reading, None, place, step.part)
        found = attacked(loaded, attack, table, external, hierarchies, corrupted, adversary)
    say_json(found.as_json()) if as_json else show_audit(found)
    if not found.passed:
        raise typer.Exit(BrokenPromise.exit_code)


def attacked(
    release: Release,
    attacks: list[str] | None,
    data: Microdata | None,
    external: Path | None,
    trees: Path | None = None,
    corrupted: Path | None = None,
    adversary: list[str] | None = None,
) -> Audit:
    """What the named attacks and adversaries find, or all of them; known people go to the corruption attack."""
    from voile.attacks.base import Attack
    from voile.flow.audit.audit import audit
    from voile.flow.read.read import read
    from voile.flow.request.request import corrupted_schema, population_schema
    from voile.io.hierarchy_files import find_hierarchies
    from voile.plugins.parameters import parse_short_form
    from voile.plugins.registry import build_plugin, narrow_type

    asked = [parse_short_form(text) for text in attacks or ()]
    if corrupted is not None:
        known = read(corrupted, corrupted_schema(release))
        if attacks and all(name != "corruption" for name, _ in asked):
            hint = "Add --attack corruption."
            raise SpecError("--corrupted is for the corruption attack.", code="spec.corrupted", hint=hint)
        asked = [(name, {**knobs, "known": known} if name == "corruption" else knobs) for name, knobs in asked]
        asked = asked or [("corruption", {"known": known})]
    chosen = [narrow_type(Attack, build_plugin("attacks", name, knobs)) for name, knobs in asked] or None
    hierarchies = find_hierarchies(trees) if trees else {}
    register = read(external, population_schema(release, hierarchies)) if external else None
    return audit(release, data, chosen, external=register, adversary=adversary)
