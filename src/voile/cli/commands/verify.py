"""`voile verify`: what a stranger runs on a published folder, and what a publisher can show beyond it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from voile.cli.flags import After, Data, Engine, Folder, Json, KeyFile, LedgerFile, Plugins, Reading, Trees, reads
from voile.cli.inputs import open_plugins, open_priors, open_table
from voile.cli.terminal import say_json, show_verdict
from voile.errors import BrokenPromise


@reads
def verify(
    release: Folder,
    prior: Annotated[
        list[Path] | None, typer.Option(help="Statistics that a claim of r-robustness speaks of; CSV or Parquet.")
    ] = None,
    after: After = None,
    data: Data = None,
    person: Annotated[str | None, typer.Option(help="With --data and --ledger: who is who.")] = None,
    key_file: KeyFile = None,
    ledger: LedgerFile = None,
    hierarchies: Trees = None,
    *,
    reading: Reading,
    place: Engine,
    plugin: Plugins = None,
    as_json: Json = False,
) -> None:
    """Recount everything that a published folder claims; exit 5 if anything is broken.

    With earlier releases (--after), what is claimed jointly; with the table and the key (--data, --key-file), what
    rests on coins.
    """
    from voile.adversaries.ledger import Ledger
    from voile.flow.checking.load import load
    from voile.flow.read.chunked_reading import engine_for
    from voile.flow.verify.verify import verify as check
    from voile.tables.secret_key import Key

    open_plugins(plugin)
    engine = engine_for(release, place)
    table = None
    if data is not None:
        table = open_table(load(release, engine=engine), data, hierarchies, reading, person, place)
    key = Key.read(key_file) if key_file else None
    book = Ledger.read(ledger) if ledger else None
    priors = open_priors(release, prior)
    verdict = check(release, prior=priors, after=after or (), data=table, key=key, ledger=book, engine=engine)
    by = "Verified with the table and the key" if table and key else "Verified from the published files alone"
    say_json(verdict.as_json()) if as_json else show_verdict(verdict, by)
    if verdict.broken:
        raise typer.Exit(BrokenPromise.exit_code)
