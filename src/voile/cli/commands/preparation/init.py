"""`voile init`: a commented spec.toml from an inspection."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from voile.cli.flags import ForAudience, Json, ReadOptions, Source, with_table_options
from voile.cli.spec_flags import combine_reading
from voile.cli.terminal import print_json
from voile.cli.unused_options import refuse_unused_reading
from voile.errors import SpecError, hide_credentials, render


@with_table_options
def init(
    source: Source,
    out: Annotated[Path, typer.Option(help="The file to write.")] = Path("spec.toml"),
    force: Annotated[bool, typer.Option("--force", help="Replace the file if it exists.")] = False,
    audience: ForAudience = None,
    *,
    read_options: ReadOptions,
    as_json: Json = False,
) -> None:
    """Write a first spec.toml for a table: every column with its suggested role and the reason, for you to decide; and
    the promise that is recommended for an audience (--for), by the columns whose role is clear."""
    from voile.flow.explore.inspect import inspect
    from voile.flow.explore.spec_draft import draft_spec
    from voile.flow.recommend.spec_promise import recommend_draft
    from voile.io.text_files import write_texts

    refuse_unused_reading(read_options, source)
    if out.exists() and not force:
        raise SpecError(
            f"{out.name!r} exists already.", code="spec.out", hint="Name another file with --out, or add --force."
        )
    inspection = inspect(source, **read_options)
    reading = combine_reading(inspection.list_reading(), read_options)
    found = recommend_draft(source, inspection, audience, reading) if audience is not None else None
    promise = found.write_toml() if found is not None else None
    write_texts({out: draft_spec(inspection, hide_credentials(Path(source).name), reading, promise)})
    roles = inspection.roles()
    body = {"out": str(out), "roles": roles, "undecided": inspection.undecided()}
    body |= {"recommendation": found.as_json()} if found is not None else {}
    if as_json:
        print_json(body)
        return
    counts = ", ".join(f"{len(names)} {role}" for role, names in roles.items())
    typer.echo(f"{out}: {counts}, {len(inspection.undecided())} to be decided. Read it before you publish with it.")
    if found is not None:
        typer.echo(f"{found.audience.title}: {render(found.policy.mention())}")
