"""`voile publish`: a table, a request of flags and a spec, and a release folder that was verified."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from voile.cli.opening import open_ledger, open_plugins, open_priors
from voile.cli.options import (
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
    pair,
    public_values,
    reads,
)
from voile.errors import BrokenPromise
from voile.terminal import say_json, show_verdict, steps

if TYPE_CHECKING:
    from voile.core.microdata import Microdata
    from voile.core.release import Release
    from voile.core.results import Verdict


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
        from voile.core.key import Key
        from voile.flow import publish as publishing
        from voile.flow.chunks import engine_for
        from voile.flow.read import read
        from voile.flow.request import request
        from voile.flow.verify import verify as check
        from voile.io import folder
        from voile.io.spec import Spec, load

        open_plugins(plugin)
        wanted = load(spec) if spec else Spec()
        roles = given(identifier=identifier, quasi=quasi, sensitive=sensitive, other=other)
        schema = _overruled(wanted.schema, {role: names(text) for role, text in roles.items()})
        schema |= given(missing=missing, person=person)
        told = given(format=format, after=[str(place) for place in after] if after else None, ledger=ledger)
        wanted = Spec(
            _described(schema, kind or [], domain or [], hierarchies),
            tuple(_named("model", text) for text in model or ()) or wanted.policy,
            _named("name", method) if method else wanted.method,
            {**wanted.release, **told},
            {**wanted.read, **reading},
            wanted.engine,
        )
        asked = request(wanted)
        key = Key.read(key_file) if key_file else None
        book = open_ledger(asked.ledger)
        folder.refuse(out, force)  # before the work, not after it
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


def _named(key: str, text: str) -> dict[str, Any]:
    """A model or a method as a spec writes it: its name under `key`, beside its knobs."""
    from voile.io.spec import short

    name, knobs = short(text)
    return {key: name, **knobs}


def _described(schema: dict[str, Any], kinds: list[str], domains: list[str], trees: Path | None) -> dict[str, Any]:
    """The schema with what the flags say of single columns; a hierarchy of a column without a role is left out."""
    from voile.io.hierarchies import of_folder

    told: dict[str, dict[str, Any]] = {}
    if kinds:
        told["kinds"] = dict(pair(item) for item in kinds)
    if domains:
        told["domains"] = dict(public_values(item) for item in domains)
    if trees is not None:
        listed = [name for role in ("quasi", "sensitive", "other") for name in schema.get(role, ())]
        told["hierarchies"] = {name: path for name, path in of_folder(trees).items() if name in listed}
    return schema | {what: {**schema.get(what, {}), **columns} for what, columns in told.items()}


def _overruled(schema: Mapping[str, Any], roles: dict[str, list[str]]) -> dict[str, Any]:
    """The schema of a spec under the roles given as flags: what a flag names or leaves out follows the flag."""
    named = {name for names in roles.values() for name in names}
    result: dict[str, Any] = {}
    for key, value in schema.items():
        if key in ("identifier", "quasi", "sensitive", "other") and isinstance(value, list):
            result[key] = [name for name in value if name not in named]
        else:
            result[key] = value
    result |= roles
    left = {name for role in roles for name in schema.get(role, ()) if name not in named}
    for what in ("kinds", "domains", "hierarchies"):
        if isinstance(result.get(what), dict):
            result[what] = {name: value for name, value in result[what].items() if name not in left}
    return result
