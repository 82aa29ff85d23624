"""`voile report`: the attacks, the losses and the verdict on one page."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from voile.cli.flags import (
    Adversaries,
    After,
    Data,
    EngineOptions,
    Folder,
    HierarchyFolder,
    Json,
    LedgerFile,
    Person,
    Plugins,
    ReadOptions,
    with_table_options,
)
from voile.cli.inputs import load_plugins, open_register, open_release, open_table
from voile.cli.output_files import Force, refuse_existing
from voile.cli.terminal import print_json, step_bar
from voile.cli.unused_options import refuse_unused, refuse_unused_person, refuse_unused_reading
from voile.errors import SpecError


@with_table_options
def report(
    release: Folder,
    out: Annotated[Path | None, typer.Option(help="The page; DIR-report.html, beside DIR, by default.")] = None,
    force: Force = False,
    adversary: Adversaries = None,
    data: Data = None,
    person: Person = None,
    external: Annotated[Path | None, typer.Option(help="A register of the population.")] = None,
    after: After = None,
    ledger: LedgerFile = None,
    hierarchies: HierarchyFolder = None,
    decided_by: Annotated[str | None, typer.Option(help="Who decided on this release; blank by default.")] = None,
    decided_on: Annotated[str | None, typer.Option(metavar="DATE", help="When, e.g. 2026-03-31.")] = None,
    reason: Annotated[list[str] | None, typer.Option(help="Why it was chosen; repeat it for several.")] = None,
    pdf: Annotated[bool, typer.Option("--pdf", help="Also print it as a PDF; needs an installed Chromium.")] = False,
    *,
    read_options: ReadOptions,
    engine_options: EngineOptions,
    plugin: Plugins = None,
    as_json: Json = False,
) -> None:
    """Write one self-contained HTML page about a release, and the same content as JSON: one screen that decides, with
    everything else folded below it.

    With earlier releases of the same people (--after, oldest first) they are also judged and attacked together.
    """
    from voile.adversaries.ledger import Ledger
    from voile.flow.audit.audit import audit
    from voile.flow.measure.measure import measure
    from voile.flow.report.decision import read_decision
    from voile.flow.report.report import report as write_report
    from voile.flow.verify.verify import verify

    read_decision(decided_by, decided_on, reason)  # a wrong date is refused before the work
    page_path = out if out is not None else _place_beside(release)
    _refuse_release_folder(page_path)
    refuse_existing(
        page_path, page_path.with_suffix(".json"), page_path.with_suffix(".pdf") if pdf else None, force=force
    )
    refuse_unused_reading(read_options, data, external)
    if data is None:
        refuse_unused("the table is not given", {"person": person})
    if not after:
        refuse_unused("no earlier releases are given", {"ledger": ledger})
    if data is None and external is None:
        refuse_unused("neither the table nor a register is given", {"hierarchies": hierarchies})
    with step_bar("load", "attack", "measure", "write") as step:
        load_plugins(plugin)
        step("load")
        opened, verdict = open_release(release, engine_options, step.part)
        refuse_unused_person(opened, person)
        table = None
        if data is not None:
            table = open_table(opened, data, hierarchies, read_options, engine_options, step.part, person=person)
        step("attack")
        register = open_register(opened, external, hierarchies, read_options)
        book = Ledger.read(ledger) if ledger else None
        attacks = audit(opened, table, external=register, adversary=adversary, after=after or (), ledger=book)
        if after:
            verdict = verify(release, after=after, ledger=book)
        step("measure")
        losses = measure(table, opened) if table is not None else None
        step("write")
        decision = {"decided_by": decided_by, "decided_on": decided_on, "reasons": reason or ()}
        page = write_report(opened, attacks, losses, verdict, **decision)  # type: ignore[arg-type]
        path = page.save(page_path)
        printed = page.save_pdf(path.with_suffix(".pdf")) if pdf else None
    if as_json:
        print_json({"report": str(path), **({"pdf": str(printed)} if printed else {}), **page.as_json()})
        return
    typer.echo(f"Report: {path}" + (f" and {printed.name}" if printed else ""))


def _place_beside(folder: Path) -> Path:
    """Name the page of a release: beside its folder, because the folder goes to recipients."""
    place = folder.resolve()
    return place.with_name(f"{place.name or 'release'}-report.html")


def _refuse_release_folder(page: Path) -> None:
    """Refuse a page inside a release folder: the folder goes to recipients, and the report tells what attacks reach."""
    from voile.io.release_folder import CERTIFICATE

    if any((folder / CERTIFICATE).exists() for folder in page.resolve().parents):
        raise SpecError(
            f"The report {page.name!r} would lie in a release folder, which goes to recipients.",
            code="spec.out",
            hint="Name a page outside of it.",
        )
