"""`voile publish`: a table, a request of flags and a spec, and a release folder that was verified."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from voile.cli.flags import (
    After,
    Engine,
    Json,
    KeyFile,
    LedgerFile,
    Names,
    Plugins,
    Reading,
    Source,
    Trees,
    given,
    names,
    reads,
)
from voile.cli.inputs import open_ledger, open_plugins, open_priors
from voile.cli.spec_flags import described, named_part, overruled
from voile.cli.terminal import say_json, show_verdict, steps
from voile.errors import BrokenPromise

if TYPE_CHECKING:
    from voile.releases.release import Release
    from voile.results import Verdict
    from voile.tables.microdata import Microdata


@reads
def publish(
    source: Source,
    out: Annotated[Path, typer.Option(help="The folder for the release.")],
    spec: Annotated[Path | None, typer.Option(help="A spec.toml; flags win over it.")] = None,
    identifier: Names = None,
    quasi: Names = None,
    sensitive: Names = None,
    other: Names = None,
    model: Annotated[list[str] | None, typer.Option(help="E.g. k-anonymity:k=5; may be given several times.")] = None,
    method: Annotated[str | None, typer.Option(help="E.g. mondrian, full-domain:suppression=0.05, anatomy.")] = None,
    missing: Annotated[str | None, typer.Option(help="error, drop or value.")] = None,
    kind: Annotated[list[str] | None, typer.Option(help="COLUMN=KIND; categorical, ordered, numeric or date.")] = None,
    domain: Annotated[list[str] | None, typer.Option(help="COLUMN=a|b|c or COLUMN=0..49: its public values.")] = None,
    hierarchies: Trees = None,
    format: Annotated[str | None, typer.Option(help="parquet or csv.")] = None,
    key_file: KeyFile = None,
    after: After = None,
    ledger: LedgerFile = None,
    person: Annotated[str | None, typer.Option(help="The column that tells who is who; never published.")] = None,
    force: Annotated[bool, typer.Option(help="Replace an earlier release.")] = False,
    *,
    reading: Reading,
    place: Engine,
    plugin: Plugins = None,
    as_json: Json = False,
) -> None:
    """Publish a table under a policy, and verify what was published."""
    with steps("read", "publish", "save", "verify") as step:
        from voile.flow.publish import publish as publishing
        from voile.flow.read.chunked_reading import engine_for
        from voile.flow.read.read import read
        from voile.flow.request.request import request
        from voile.flow.verify.verify import verify as check
        from voile.io import release_folder
        from voile.io.spec_files import Spec, read_spec
        from voile.tables.secret_key import Key

        open_plugins(plugin)
        wanted = read_spec(spec) if spec else Spec()
        roles = given(identifier=identifier, quasi=quasi, sensitive=sensitive, other=other)
        schema = overruled(wanted.schema, {role: names(text) for role, text in roles.items()})
        schema |= given(missing=missing, person=person)
        told = given(format=format, after=[str(place) for place in after] if after else None, ledger=ledger)
        wanted = Spec(
            described(schema, kind or [], domain or [], hierarchies),
            tuple(named_part("model", text) for text in model or ()) or wanted.policy,
            named_part("name", method) if method else wanted.method,
            {**wanted.release, **told},
            {**wanted.read, **reading},
            wanted.engine,
        )
        asked = request(wanted)
        key = Key.read(key_file) if key_file else None
        book = open_ledger(asked.ledger)
        release_folder.check_target(out, force)  # before the work, not after it
        step("read")
        engine = engine_for(source, {**asked.engine, **place}, step.part)
        data = read(source, asked.schema, **asked.read, engine=engine)
        step("publish")
        release = publishing.publish(data, asked.policy, asked.method, key=key, after=asked.after, ledger=book)
        step("save")
        release.save(out, format=asked.format, force=force)
        if book is not None and asked.ledger is not None:
            book.save(asked.ledger)
        step("verify")
        named = [Path(item["prior"]) for item in wanted.policy if isinstance(item.get("prior"), str)]
        verdict = check(out, prior=open_priors(out, named), after=asked.after, engine=engine)
    _answer(out, data, release, verdict, as_json)
    if verdict.broken:
        raise typer.Exit(BrokenPromise.exit_code)


def _answer(out: Path, data: Microdata, release: Release, verdict: Verdict, as_json: bool) -> None:
    withheld = int(release.dictionary.get("withheld", 0))
    if as_json:
        body = {"out": str(out), "people": verdict.people, "groups": verdict.groups, "withheld": withheld}
        say_json({**body, "dropped": data.dropped, "verdict": verdict.as_json()})
        return
    typer.echo(f"{verdict.people} people in {verdict.groups} groups, published to {out}")
    for count, why in ((data.dropped, "dropped for missing values"), (withheld, "withheld to keep the promise")):
        if count:
            typer.echo(f"{count} rows {why}")
    show_verdict(verdict)
