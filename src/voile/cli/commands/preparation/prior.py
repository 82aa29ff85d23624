"""`voile prior`: the statistics that an adversary is assumed to know."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from voile.cli.flags import EngineOptions, Json, Person, ReadOptions, Source, split_names, with_table_options
from voile.cli.output_files import Force, refuse_existing
from voile.cli.terminal import print_json
from voile.cli.unused_options import refuse_unused_reading
from voile.plugins.counted_nouns import count_noun

SMOOTHING = 1.0  # people: a rate of 0 among these people must not rule a value out for others


@with_table_options
def prior(
    source: Source,
    out: Annotated[Path, typer.Option(help="The file for the statistics; .csv or .parquet.")],
    quasi: Annotated[str, typer.Option(metavar="a,b,c", help="The quasi-identifier columns.")],
    sensitive: Annotated[str, typer.Option(help="The sensitive column.")],
    person: Person = None,
    min_support: Annotated[int, typer.Option(help="How many people must share a signature.")] = 30,
    max_columns: Annotated[
        int | None, typer.Option(help="How many columns to combine at most; all by default.")
    ] = None,
    smoothing: Annotated[
        float,
        typer.Option(
            help="Pull every signature towards the whole table with the weight of this many people, so that no value "
            "that occurs is ruled out for other people; 0 writes the exact shares of this table."
        ),
    ] = SMOOTHING,
    force: Force = False,
    missing: Annotated[str, typer.Option(help="Rows with missing cells: error, drop or value.")] = "error",
    *,
    read_options: ReadOptions,
    engine_options: EngineOptions,
    as_json: Json = False,
) -> None:
    """Learn the statistics that an adversary is assumed to know, and write them to a file, to publish other people with
    (--model r-robustness:r=5,prior=FILE)."""
    from voile.engines.selection import choose_engine
    from voile.flow.explore.learn_prior import learn_prior
    from voile.flow.read.read import read
    from voile.tables.schema import Schema

    refuse_unused_reading(read_options, source)
    refuse_existing(out, force=force)
    schema = Schema(quasi=split_names(quasi), sensitive=[sensitive], missing=missing, person=person)
    data = read(source, schema, **read_options, engine=choose_engine(source, engine_options))
    statistics = learn_prior(data, min_support=min_support, max_columns=max_columns, smoothing=smoothing)
    path = statistics.save(out)
    signatures = sum(len(column_set.signatures) for column_set in statistics.sets)
    body = {
        "out": str(path),
        "digest": statistics.digest,
        "column_sets": len(statistics.sets),
        "signatures": signatures,
    }
    if as_json:
        print_json(body)
        return
    sets = count_noun(len(statistics.sets), "column set")
    typer.echo(f"{count_noun(signatures, 'signature')} in {sets}, written to {path}\n{statistics.digest}")
