"""`voile audit`: attack a release."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from voile.cli.flags import (
    Adversaries,
    After,
    Data,
    EngineOptions,
    HierarchyFolder,
    Json,
    LedgerFile,
    Person,
    Plugins,
    ReadOptions,
    with_table_options,
)
from voile.cli.inputs import file_options, load_plugins, open_register, open_release, open_table
from voile.cli.project_inputs import OptionalFolder, ProjectName, ProjectTableName, find_release
from voile.cli.terminal import print_json, show_audit, step_bar
from voile.cli.unused_options import refuse_unused, refuse_unused_person, refuse_unused_reading
from voile.errors import BrokenPromise, SpecError

if TYPE_CHECKING:
    from voile.attacks.base import Attack
    from voile.releases.release import Release


@with_table_options
def audit(
    release: OptionalFolder = None,
    attack: Annotated[
        list[str] | None, typer.Option(help="E.g. linking, elimination:values=2; all by default.")
    ] = None,
    adversary: Adversaries = None,
    data: Data = None,
    person: Person = None,
    external: Annotated[Path | None, typer.Option(help="A register of the population, for the journalist.")] = None,
    corrupted: Annotated[
        Path | None, typer.Option(help="People whose values are known, for --attack corruption.")
    ] = None,
    after: After = None,
    ledger: LedgerFile = None,
    hierarchies: HierarchyFolder = None,
    project: ProjectName = None,
    table: ProjectTableName = None,
    *,
    read_options: ReadOptions,
    engine_options: EngineOptions,
    plugin: Plugins = None,
    as_json: Json = False,
) -> None:
    """Attack a release; exit 5 if an attack inside the promise succeeds.

    With earlier releases of the same people (--after, oldest first) they are also attacked together; the ledger
    (--ledger) tells who sat in which group of each. With --project it is the last release of a project, with its table.
    """
    from voile.adversaries.ledger import Ledger
    from voile.flow.audit.audit import audit as run_audit

    release, found = find_release(project, table, release, {"data": data, "after": after, "ledger": ledger})
    data, after, ledger = found["data"], found["after"], found["ledger"]
    read_options, person = {**found.get("read", {}), **read_options}, person or found.get("person")
    refuse_unused_reading(read_options, data, external, corrupted)
    if data is None:
        refuse_unused("the table is not given", {"person": person})
    if not after:
        refuse_unused("no earlier releases are given", {"ledger": ledger})
    if data is None and external is None:
        refuse_unused("neither the table nor a register is given", {"hierarchies": hierarchies})
    with step_bar("load", "attack") as step:
        load_plugins(plugin)
        step("load")
        opened, _ = open_release(release, engine_options, step.part)
        refuse_unused_person(opened, person)
        step("attack")
        original = None
        if data is not None:
            original = open_table(opened, data, hierarchies, read_options, engine_options, step.part, person=person)
        attacks = _build_attacks(opened, attack or [], corrupted, read_options)
        register = open_register(opened, external, hierarchies, read_options)
        book = Ledger.read(ledger) if ledger else None
        result = run_audit(
            opened, original, attacks or None, external=register, adversary=adversary, after=after or (), ledger=book
        )
    print_json(result.as_json()) if as_json else show_audit(result, opened.unit)
    if not result.passed:
        raise typer.Exit(BrokenPromise.exit_code)


def _build_attacks(
    release: Release, texts: list[str], corrupted: Path | None, read_options: ReadOptions
) -> list[Attack]:
    """Build the named attacks; the corruption attack gets the corrupted people."""
    from voile.attacks.base import Attack
    from voile.flow.read.read import read
    from voile.flow.request.release_schema import corrupted_schema
    from voile.plugins.parameters import parse_short_form
    from voile.plugins.registry import build_plugin, narrow_type

    entries: list[tuple[str, dict[str, Any]]] = [parse_short_form(text) for text in texts]
    if corrupted is not None:
        entries = entries or [("corruption", {})]
        if all(name != "corruption" for name, _ in entries):
            hint = "Add --attack corruption."
            raise SpecError("--corrupted applies only to the corruption attack.", code="spec.corrupted", hint=hint)
        people = read(corrupted, corrupted_schema(release), **file_options(read_options))
        entries = [(name, {**knobs, "known": people} if name == "corruption" else knobs) for name, knobs in entries]
    return [narrow_type(Attack, build_plugin("attacks", name, knobs)) for name, knobs in entries]
