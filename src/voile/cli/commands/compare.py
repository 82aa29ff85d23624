"""`voile compare`: every method against every attack, and the one that keeps the promise at the least loss."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from voile.cli.flags import (
    Adversaries,
    Engine,
    Json,
    KeyFile,
    Names,
    Plugins,
    Reading,
    Source,
    Trees,
    given,
    names,
    pair,
    reads,
)
from voile.cli.inputs import open_plugins
from voile.cli.spec_flags import described, named_part, overruled
from voile.cli.terminal import progress, say_json, show_comparison
from voile.errors import BrokenPromise, Unsatisfiable

if TYPE_CHECKING:
    from voile.flow.compare.comparison import Comparison
    from voile.tables.microdata import Microdata
    from voile.tables.schema import Schema


@reads
def compare(
    source: Source,
    spec: Annotated[Path | None, typer.Option(help="A spec.toml, perhaps with [compare]; flags win over it.")] = None,
    out: Annotated[
        Path | None, typer.Option(help="A folder for page, JSON and CSV; the same call goes on where one stopped.")
    ] = None,
    identifier: Names = None,
    quasi: Names = None,
    sensitive: Names = None,
    other: Names = None,
    model: Annotated[list[str] | None, typer.Option(help="E.g. k-anonymity:k=5; several hold together.")] = None,
    vary: Annotated[list[str] | None, typer.Option(help="PARAMETER=a,b,c of the models, e.g. k=2,5,10.")] = None,
    method: Annotated[list[str] | None, typer.Option(help="E.g. mondrian; all that fit by default.")] = None,
    attack: Annotated[list[str] | None, typer.Option(help="E.g. linking; all by default.")] = None,
    adversary: Adversaries = None,
    measure: Annotated[list[str] | None, typer.Option(help="E.g. query-error:queries=500; all by default.")] = None,
    by: Annotated[str | None, typer.Option(help="The measure that decides; query-error by default.")] = None,
    external: Annotated[Path | None, typer.Option(help="A register of the population; else the table.")] = None,
    missing: Annotated[str | None, typer.Option(help="error, drop or value.")] = None,
    kind: Annotated[list[str] | None, typer.Option(help="COLUMN=KIND; categorical, ordered, numeric or date.")] = None,
    domain: Annotated[list[str] | None, typer.Option(help="COLUMN=a|b|c or COLUMN=0..49: its public values.")] = None,
    hierarchies: Trees = None,
    key_file: KeyFile = None,
    *,
    reading: Reading,
    place: Engine,
    plugin: Plugins = None,
    as_json: Json = False,
) -> None:
    """Try methods on a table, attack and measure each release, and name the one that keeps the promise at the least
    loss; exit 4 or 5 if none does."""
    with progress() as step:
        from voile.flow.compare.compare import compare as comparing
        from voile.flow.compare.comparison_request import read_comparison_request
        from voile.flow.read.chunked_reading import engine_for
        from voile.flow.read.read import read
        from voile.io.spec_files import Spec, read_spec
        from voile.tables.secret_key import Key

        open_plugins(plugin)
        told = read_spec(spec) if spec else Spec()
        roles = given(identifier=identifier, quasi=quasi, sensitive=sensitive, other=other)
        schema = overruled(told.schema, {role: names(text) for role, text in roles.items()}) | given(missing=missing)
        varied = {name: names(text) for name, text in map(pair, vary)} if vary else None
        asked = given(methods=method, attacks=attack, measures=measure, adversary=adversary, by=by, vary=varied)
        request = read_comparison_request(
            replace(
                told,
                schema=described(schema, kind or [], domain or [], hierarchies),
                policy=tuple(named_part("model", text) for text in model or ()) or told.policy,
                read={**told.read, **reading},
                compare={**told.compare, **asked},
            )
        )
        key = Key.read(key_file) if key_file else None
        step(0, None, "read")
        engine = engine_for(source, {**request.request.engine, **place})
        data = read(source, request.request.schema, **request.request.read, engine=engine)
        try:
            found = comparing(
                data,
                request.policies,
                request.methods,
                request.attacks,
                request.measures,
                adversary=request.adversary,
                external=_register(external, request.request.schema) if external else None,
                key=key,
                progress=step,
                store=out / "trials" if out else None,
                by=request.by,
            )
        except KeyboardInterrupt:
            if out:
                typer.echo(f"Finished trials are kept in {out}; the same call goes on from there.", err=True)
            raise
        page = found.save(out) if out else None
    if as_json:
        say_json({**given(page=str(page) if page else None), **found.as_json()})
    else:
        show_comparison(found)
        if page:
            typer.echo(f"Page: {page}")
    _conclude(found)


def _register(place: Path, schema: Schema) -> Microdata:
    """The people of a register: the quasi-identifier columns alone."""
    from voile.flow.read.read import read
    from voile.tables.schema import Schema

    kinds, trees = (
        {name: value for name, value in told.items() if name in schema.quasi}
        for told in (schema.kinds, schema.hierarchies)
    )
    return read(place, Schema(quasi=schema.quasi, kinds=kinds, hierarchies=trees, missing="drop"))


def _conclude(found: Comparison) -> None:
    """Where nothing keeps the promise, the exit code says why: a promise was broken, or there is no such release."""
    if found.best is not None:
        return
    published = any(row.fault is None for row in found.rows)
    raise typer.Exit(BrokenPromise.exit_code if published else Unsatisfiable.exit_code)
