"""`voile compare`: try every method, attack every release, and name the best method that keeps the promise."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from voile.cli.comparison_tables import announce_trial, show_comparison
from voile.cli.flags import (
    Adversaries,
    After,
    EngineOptions,
    Json,
    KeyFile,
    LedgerFile,
    Models,
    Plugins,
    ReadOptions,
    SchemaOptions,
    drop_unset,
    parse_pair,
    split_names,
    with_table_options,
)
from voile.cli.inputs import file_options, load_plugins
from voile.cli.project_inputs import OptionalSource, ProjectName, ProjectTableName, read_project_request, with_history
from voile.cli.spec_flags import combine_spec
from voile.cli.terminal import print_json, progress_bar
from voile.cli.unused_options import refuse_unused_reading
from voile.errors import BrokenPromise, Unsatisfiable

if TYPE_CHECKING:
    from voile.flow.compare.comparison import Comparison
    from voile.tables.microdata import Microdata
    from voile.tables.schema import Schema


@with_table_options
def compare(
    source: OptionalSource = None,
    spec: Annotated[Path | None, typer.Option(help="A spec.toml, perhaps with [compare]; flags win over it.")] = None,
    out: Annotated[
        Path | None, typer.Option(help="A folder for the page, JSON and CSV; repeat the call to resume it.")
    ] = None,
    model: Models = None,
    vary: Annotated[
        list[str] | None,
        typer.Option(help="PARAMETER=a,b,c: try several values of a model's parameter, e.g. k=2,5,10."),
    ] = None,
    method: Annotated[list[str] | None, typer.Option(help="E.g. mondrian; all that fit by default.")] = None,
    attack: Annotated[list[str] | None, typer.Option(help="E.g. linking; all by default.")] = None,
    adversary: Adversaries = None,
    measure: Annotated[list[str] | None, typer.Option(help="E.g. query-error:queries=500; all by default.")] = None,
    by: Annotated[str | None, typer.Option(help="The measure that decides; marginals by default.")] = None,
    allow_lost: Annotated[
        bool | None, typer.Option("--allow-lost", help="Let a release win in which a column is lost to 90 % or more.")
    ] = None,
    synthetic: Annotated[
        list[str] | None,
        typer.Option(
            help="FILE:epsilon=1,title=MST: a synthetic table made elsewhere, measured beside the methods. "
            "mst:epsilon=1,python=ENV/bin/python: one that dpmm makes in an environment of its own."
        ),
    ] = None,
    external: Annotated[Path | None, typer.Option(help="A register of the population; by default the table.")] = None,
    key_file: KeyFile = None,
    after: After = None,
    ledger: LedgerFile = None,
    project: ProjectName = None,
    table: ProjectTableName = None,
    *,
    schema_options: SchemaOptions,
    read_options: ReadOptions,
    engine_options: EngineOptions,
    plugin: Plugins = None,
    as_json: Json = False,
) -> None:
    """Try methods on a table, attack and measure each release, and name the one that keeps the promise at the least
    loss; exit 4 or 5 if none does.

    With earlier releases of the same people (--after, oldest first) and their ledger (--ledger), every trial is
    published after them and attacked together with them. The ledger is only read.
    With --project all of this is what the project says.
    """
    with progress_bar() as step:
        from voile.adversaries.ledger import Ledger
        from voile.engines.selection import choose_engine
        from voile.flow.compare.compare import compare as compare_methods
        from voile.flow.compare.comparison_request import read_comparison_request
        from voile.flow.prepare.prepare import prepare_as_asked
        from voile.flow.read.read import read
        from voile.tables.secret_key import Key

        load_plugins(plugin)
        source, base = read_project_request(project, table, source, spec, {"after": after, "ledger": ledger})
        combined = combine_spec(base, schema_options, model, None, read_options, engine_options)
        refuse_unused_reading(combined.read, source, external)
        variations = {name: split_names(text) for name, text in map(parse_pair, vary)} if vary else None
        flags = drop_unset(
            methods=method,
            attacks=attack,
            measures=measure,
            adversary=adversary,
            by=by,
            vary=variations,
            allow_lost=allow_lost,
            synthetic=synthetic,
        )
        combined = replace(with_history(combined, after, ledger), compare={**combined.compare, **flags})
        request = read_comparison_request(combined)
        book = Ledger.read(request.request.ledger) if request.request.ledger else None
        key = Key.read(key_file) if key_file else None
        step(0, None, "read")
        engine = choose_engine(source, request.request.engine)
        schema, options = request.request.schema, request.request.read
        loaded, reading = prepare_as_asked(source, combined.prepare, options, person=schema.person, engine=engine)
        data = read(loaded, schema, **reading, engine=engine)
        try:
            comparison = compare_methods(
                data,
                request.policies,
                request.methods,
                request.attacks,
                request.measures,
                adversary=request.adversary,
                external=_read_register(external, request.request.schema, combined.read) if external else None,
                key=key,
                progress=step,
                so_far=lambda found: step.note(announce_trial(found)),
                store=out / "trials" if out else None,
                by=request.by,
                allow_lost=request.allow_lost,
                yardsticks=request.yardsticks,
                after=request.request.after,
                ledger=book,
            )
        except KeyboardInterrupt:
            if out:
                typer.echo(f"Finished trials are kept in {out}; the same call resumes from there.", err=True)
            raise
        page = comparison.save(out) if out else None
    if as_json:
        print_json({**drop_unset(page=str(page) if page else None), **comparison.as_json()})
    else:
        show_comparison(comparison)
        if page:
            typer.echo(f"Page: {page}")
    _exit_without_winner(comparison)


def _read_register(path: Path, schema: Schema, read_options: ReadOptions) -> Microdata:
    """Read a register of the population: only its quasi-identifier columns."""
    from voile.flow.read.read import read
    from voile.tables.schema import Schema

    kinds, hierarchies = (
        {name: value for name, value in by_column.items() if name in schema.quasi}
        for by_column in (schema.kinds, schema.hierarchies)
    )
    quasi_only = Schema(quasi=schema.quasi, kinds=kinds, hierarchies=hierarchies, missing="drop")
    return read(path, quasi_only, **file_options(read_options))


def _exit_without_winner(comparison: Comparison) -> None:
    """If no method keeps the promise, exit with the reason: a promise was broken, or no release is possible."""
    if comparison.best is not None:
        return
    published = any(trial.fault is None for trial in comparison.rows)
    only_lost = comparison.only_lost(
        comparison.promises[0]
    )  # the promise can be kept, but at a price that nobody asked for
    raise typer.Exit(BrokenPromise.exit_code if published and not only_lost else Unsatisfiable.exit_code)
