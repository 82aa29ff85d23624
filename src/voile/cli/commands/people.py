"""`voile people`: what each number of rows per person would cost."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from voile.cli.flags import (
    ColumnNames,
    Domains,
    EngineOptions,
    HierarchyFolder,
    Json,
    KeyFile,
    Kinds,
    Missing,
    Models,
    Person,
    Plugins,
    ReadOptions,
    Source,
    drop_unset,
    parse_numbers,
    split_names,
    with_table_options,
)
from voile.cli.inputs import load_plugins
from voile.cli.spec_flags import add_column_flags, override_roles, parse_plugin
from voile.cli.terminal import print_json, progress_bar
from voile.cli.unused_options import refuse_unused_reading


@with_table_options
def people(
    source: Source,
    spec: Annotated[Path | None, typer.Option(help="A spec.toml; flags win over it.")] = None,
    person: Person = None,
    identifier: ColumnNames = None,
    quasi: ColumnNames = None,
    sensitive: ColumnNames = None,
    other: ColumnNames = None,
    model: Models = None,
    method: Annotated[str | None, typer.Option(help="A method that generalizes; mondrian by default.")] = None,
    choices: Annotated[
        str | None, typer.Option(metavar="1,2,5", help="Numbers of rows per person; 1, 2, 3, 5, 8 ... by default.")
    ] = None,
    missing: Missing = None,
    kind: Kinds = None,
    domain: Domains = None,
    hierarchies: HierarchyFolder = None,
    key_file: KeyFile = None,
    *,
    read_options: ReadOptions,
    engine_options: EngineOptions,
    plugin: Plugins = None,
    as_json: Json = False,
) -> None:
    """Show what each number of rows per person would cost: rows left out, groups and loss. Nothing is published."""
    with progress_bar() as step:
        from voile.engines.selection import choose_engine
        from voile.flow.explore.rows_per_person import compare_rows_per_person
        from voile.flow.read.read import read
        from voile.flow.request.request import read_request
        from voile.io.spec_files import Spec, read_spec
        from voile.tables.secret_key import Key

        load_plugins(plugin)
        base = read_spec(spec) if spec else Spec()
        reading = {**base.read, **read_options}
        refuse_unused_reading(reading, source)
        roles = drop_unset(identifier=identifier, quasi=quasi, sensitive=sensitive, other=other)
        named = {role: split_names(text) for role, text in roles.items()}
        schema = override_roles(base.schema, named, drop_unset(person=person)) | drop_unset(missing=missing)
        request = read_request(
            replace(
                base,
                schema=add_column_flags(schema, kind, domain, hierarchies),
                policy=tuple(parse_plugin("model", text) for text in model or ()) or base.policy,
                method=parse_plugin("name", method) if method else base.method,
                read=reading,
                engine={**base.engine, **engine_options},
            )
        )
        key = Key.read(key_file) if key_file else None
        numbers = parse_numbers("choices", choices, int) if choices else None
        step(0, None, "read")
        data = read(source, request.schema, **request.read, engine=choose_engine(source, request.engine))
        comparison = compare_rows_per_person(data, request.policy, request.method, numbers, key=key, progress=step)
    print_json(comparison.as_json()) if as_json else typer.echo(str(comparison))
