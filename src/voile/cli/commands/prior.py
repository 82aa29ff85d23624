"""`voile prior`: the statistics that an adversary is taken to know."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from voile.cli.flags import Engine, Json, Reading, Source, names, reads
from voile.cli.terminal import say_json


@reads
def prior(
    source: Source,
    out: Annotated[Path, typer.Option(help="The file for the statistics; .csv or .parquet.")],
    quasi: Annotated[str, typer.Option(metavar="a,b,c", help="The quasi-identifier columns.")],
    sensitive: Annotated[str, typer.Option(help="The sensitive column.")],
    min_support: Annotated[int, typer.Option(help="People who must share a signature.")] = 30,
    max_columns: Annotated[int | None, typer.Option(help="Columns combined at most; all by default.")] = None,
    smoothing: Annotated[float, typer.Option(help="Pull rare signatures towards the whole table.")] = 0.0,
    missing: Annotated[str, typer.Option(help="error, drop or value.")] = "error",
    *,
    reading: Reading,
    place: Engine,
    as_json: Json = False,
) -> None:
    """Learn the statistics that an adversary is taken to know, and write them to a file to publish and verify with."""
    from voile.flow.explore.learn_prior import learn_prior
    from voile.flow.read.chunked_reading import engine_for
    from voile.flow.read.read import read
    from voile.tables.schema import Schema

    schema = Schema(quasi=names(quasi), sensitive=[sensitive], missing=missing)
    data = read(source, schema, **reading, engine=engine_for(source, place))
    found = learn_prior(data, min_support=min_support, max_columns=max_columns, smoothing=smoothing)
    made = found.save(out)
    signatures = sum(len(known.signatures) for known in found.sets)
    body = {"out": str(made), "digest": found.digest, "column_sets": len(found.sets), "signatures": signatures}
    say_json(body) if as_json else typer.echo(
        f"{signatures} signatures in {len(found.sets)} column sets, written to {made}\n{found.digest}"
    )
