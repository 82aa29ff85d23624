"""`voile inspect`: look at any table before it is published, or after."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from voile.cli.flags import (
    ColumnNames,
    Domains,
    Json,
    Kinds,
    Person,
    ReadOptions,
    RowsAre,
    Source,
    Weight,
    drop_unset,
    split_names,
    with_table_options,
)
from voile.cli.inspection_tables import show_inspection
from voile.cli.output_files import Force, refuse_existing
from voile.cli.spec_flags import combine_schema
from voile.cli.terminal import print_json
from voile.cli.unused_options import refuse_unused_reading

PARTS = ("identifier", "quasi", "sensitive", "other", "person", "rows_are", "weight", "kinds", "domains")


@with_table_options
def inspect(
    source: Source,
    spec: Annotated[Path | None, typer.Option(help="A spec.toml, for the roles of the columns.")] = None,
    columns: Annotated[str | None, typer.Option(metavar="a,b,c", help="Look at these columns only.")] = None,
    identifier: ColumnNames = None,
    quasi: ColumnNames = None,
    sensitive: ColumnNames = None,
    other: ColumnNames = None,
    person: Person = None,
    rows_are: RowsAre = None,
    weight: Weight = None,
    kind: Kinds = None,
    domain: Domains = None,
    population: Annotated[
        int | None, typer.Option(help="How many people the table was drawn from; who is alone there is estimated.")
    ] = None,
    register: Annotated[Path | None, typer.Option(help="A register of the population, for k-map and presence.")] = None,
    suda: Annotated[
        bool, typer.Option("--suda", help="Find the smallest sets of columns that single out a row.")
    ] = False,
    out: Annotated[Path | None, typer.Option(help="Also write a self-contained page, e.g. inspection.html.")] = None,
    force: Force = False,
    *,
    read_options: ReadOptions,
    as_json: Json = False,
) -> None:
    """Look at any table: kinds, suggested roles, who stands out, and k, l, t, alpha, beta and delta.

    It may be a table that is to be published, or one that somebody published with another tool. Roles that no flag
    names are suggested. No cell of the table is shown.
    """
    from voile.flow.explore.inspect import inspect as inspect_table
    from voile.flow.prepare.prepare import prepare_as_asked
    from voile.io.spec_files import read_spec

    refuse_unused_reading(read_options, source, register)
    refuse_existing(out, force=force)
    flags = drop_unset(
        identifier=identifier, quasi=quasi, sensitive=sensitive, other=other, person=person, rows_are=rows_are,
        weight=weight, kind=kind, domain=domain,
    )  # fmt: skip
    base = read_spec(spec) if spec else None
    roles = combine_schema({**{role: [] for role in PARTS[:4]}, **base.schema} if base else {}, flags)
    reading = {**(base.read if base else {}), **read_options}
    table, reading = prepare_as_asked(source, base.prepare if base else {}, reading, person=roles.get("person"))
    inspection = inspect_table(
        table,
        {part: roles[part] for part in PARTS if part in roles},
        columns=split_names(columns) if columns else None,
        population=population,
        register=register,
        special_uniques=suda,
        **reading,
    )
    page = inspection.save(out) if out else None
    if as_json:
        print_json({**inspection.as_json(), **({"page": str(page)} if page else {})})
        return
    show_inspection(inspection)
    if page:
        typer.echo(f"Page: {page}")
