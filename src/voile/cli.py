"""The same verbs at the command line. Every command answers on a terminal, or as JSON with --json."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer

from voile.errors import BrokenPromise, SpecError, VoileError
from voile.terminal import (
    progress,
    say_json,
    show_audit,
    show_bars,
    show_frame,
    show_losses,
    show_rows,
    show_verdict,
    steps,
)
from voile.version import __version__

if TYPE_CHECKING:
    from voile.core.following import Ledger
    from voile.core.microdata import Microdata
    from voile.core.release import Release
    from voile.core.results import Audit, Losses

app = typer.Typer(
    name="voile",
    help="Publish tables of people without giving the people away.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)

Names = Annotated[str | None, typer.Option(metavar="a,b,c")]
Json = Annotated[bool, typer.Option("--json", help="Answer as JSON on standard output.")]
Plugins = Annotated[list[str] | None, typer.Option("--plugin", help="A module or .py file with further plug-ins.")]
Folder = Annotated[Path, typer.Argument(metavar="DIR", help="A release folder.")]
Data = Annotated[str | None, typer.Option("--data", help="The table that the release was made from.")]
Query = Annotated[str | None, typer.Option("--query", help="A SQL statement, where the table is a database URL.")]
Delimiter = Annotated[str | None, typer.Option("--delimiter", help="The CSV's delimiter; guessed by default.")]
Encoding = Annotated[str | None, typer.Option("--encoding", help="The CSV's encoding; UTF-8 by default.")]
Null = Annotated[list[str] | None, typer.Option("--null", help="A text that means missing, e.g. --null '?'.")]
After = Annotated[
    list[Path] | None, typer.Option("--after", help="An earlier release of the same people; first first.")
]
KeyFile = Annotated[Path | None, typer.Option("--key-file", help="64 hexadecimal digits, for a repeatable release.")]
LedgerFile = Annotated[Path | None, typer.Option("--ledger", help="Who was shown with which values (m-invariance).")]
Trees = Annotated[Path | None, typer.Option("--hierarchies", help="A folder of <column>.csv, leaf first.")]


@app.callback(invoke_without_command=True)
def _root(version: Annotated[bool, typer.Option("--version", help="Show the version.")] = False) -> None:
    if version:
        typer.echo(f"voile {__version__}")
        raise typer.Exit


@app.command()
def publish(
    source: Annotated[str, typer.Argument(metavar="INPUT", help="A CSV, Parquet or Arrow file, or a database URL.")],
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
    query: Query = None,
    delimiter: Delimiter = None,
    encoding: Encoding = None,
    null: Null = None,
    plugin: Plugins = None,
    as_json: Json = False,
) -> None:
    """Publish a table under a policy, and verify what was published."""
    with steps("read", "publish", "save", "verify") as step:
        from voile.core.key import Key
        from voile.flow import publish as publishing
        from voile.flow.read import read
        from voile.flow.request import request
        from voile.flow.verify import verify as check
        from voile.io import folder
        from voile.io.hierarchies import of_folder
        from voile.io.spec import Spec, load, short

        _load(plugin)
        wanted = load(spec) if spec else Spec()
        roles = {"identifier": identifier, "quasi": quasi, "sensitive": sensitive, "other": other}
        schema = _overruled(wanted.schema, {role: _names(given) for role, given in roles.items() if given is not None})
        schema |= _given(missing=missing, person=person)
        if kind:
            schema["kinds"] = {**schema.get("kinds", {}), **dict(_pair(item) for item in kind)}
        if domain:
            schema["domains"] = {**schema.get("domains", {}), **dict(_domain(item) for item in domain)}
        if hierarchies is not None:
            listed = [name for role in ("quasi", "sensitive", "other") for name in schema.get(role, ())]
            found = {name: path for name, path in of_folder(hierarchies).items() if name in listed}
            schema["hierarchies"] = {**schema.get("hierarchies", {}), **found}
        policy = wanted.policy
        if model:
            policy = tuple({"model": name, **knobs} for name, knobs in map(short, model))
        chosen = wanted.method
        if method:
            name, knobs = short(method)
            chosen = {"name": name, **knobs}
        reading = {**wanted.read, **_reading(query, delimiter, encoding, null)}
        told = _given(format=format, after=[str(place) for place in after] if after else None, ledger=ledger)
        asked = request(Spec(schema, policy, chosen, {**wanted.release, **told}, reading))
        key = Key.read(key_file) if key_file else None
        book = _ledger(asked.ledger)
        folder.refuse(out, force)  # before the work, not after it
        step("read")
        data = read(source, asked.schema, **asked.read)
        step("publish")
        release = publishing.publish(data, asked.policy, asked.method, key=key, after=asked.after, ledger=book)
        step("save")
        release.save(out, format=asked.format, force=force)
        if book is not None and asked.ledger is not None:
            book.save(asked.ledger)
        step("verify")
        named = [Path(item["prior"]) for item in policy if isinstance(item.get("prior"), str)]
        verdict = check(out, prior=_priors(out, named), after=asked.after)
    withheld = int(release.dictionary.get("withheld", 0))
    if as_json:
        body = {"out": str(out), "people": release.people, "groups": release.groups, "withheld": withheld}
        say_json({**body, "dropped": data.dropped, "verdict": verdict.as_json()})
    else:
        typer.echo(f"{release.people} people in {release.groups} groups, published to {out}")
        for count, why in ((data.dropped, "dropped for missing values"), (withheld, "withheld to keep the promise")):
            if count:
                typer.echo(f"{count} rows {why}")
        show_verdict(verdict)
    if verdict.broken:
        raise typer.Exit(BrokenPromise.exit_code)


@app.command()
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
    query: Query = None,
    delimiter: Delimiter = None,
    encoding: Encoding = None,
    null: Null = None,
    plugin: Plugins = None,
    as_json: Json = False,
) -> None:
    """Recount everything that a published folder claims; exit 5 if anything is broken.

    With earlier releases (--after), what is claimed jointly; with the table and the key (--data, --key-file), what
    rests on coins.
    """
    from voile.core.following import Ledger
    from voile.core.key import Key
    from voile.flow.verify import load
    from voile.flow.verify import verify as check

    _load(plugin)
    table = None
    if data is not None:
        table = _table(load(release), data, hierarchies, _reading(query, delimiter, encoding, null), person)
    key = Key.read(key_file) if key_file else None
    book = Ledger.read(ledger) if ledger else None
    priors = _priors(release, prior)
    verdict = check(release, prior=priors, after=after or (), data=table, key=key, ledger=book)
    by = "Verified with the table and the key" if table and key else "Verified from the published files alone"
    say_json(verdict.as_json()) if as_json else show_verdict(verdict, by)
    if verdict.broken:
        raise typer.Exit(BrokenPromise.exit_code)


@app.command()
def audit(
    release: Folder,
    attack: Annotated[
        list[str] | None, typer.Option(help="E.g. linking, elimination:values=2; all by default.")
    ] = None,
    data: Data = None,
    external: Annotated[Path | None, typer.Option(help="A register of the population, for the journalist.")] = None,
    corrupted: Annotated[
        Path | None, typer.Option(help="People whose values are known, for --attack corruption.")
    ] = None,
    hierarchies: Trees = None,
    query: Query = None,
    delimiter: Delimiter = None,
    encoding: Encoding = None,
    null: Null = None,
    plugin: Plugins = None,
    as_json: Json = False,
) -> None:
    """Attack a release; exit 5 if an attack inside the promise succeeds."""
    with steps("load", "attack") as step:
        _load(plugin)
        step("load")
        loaded = _verified(release)
        step("attack")
        table = _table(loaded, data, hierarchies, _reading(query, delimiter, encoding, null))
        found = _audit(loaded, attack, table, external, hierarchies, corrupted)
    say_json(found.as_json()) if as_json else show_audit(found)
    if not found.passed:
        raise typer.Exit(BrokenPromise.exit_code)


@app.command()
def measure(
    release: Folder,
    data: Annotated[str, typer.Option("--data", help="The table that the release was made from.")],
    measure: Annotated[list[str] | None, typer.Option(help="E.g. query-error:queries=10000; all by default.")] = None,
    hierarchies: Trees = None,
    query: Query = None,
    delimiter: Delimiter = None,
    encoding: Encoding = None,
    null: Null = None,
    plugin: Plugins = None,
    as_json: Json = False,
) -> None:
    """Measure what analysts lose."""
    with steps("load", "measure") as step:
        _load(plugin)
        step("load")
        loaded = _verified(release)
        table = _table(loaded, data, hierarchies, _reading(query, delimiter, encoding, null))
        step("measure")
        assert table is not None
        losses = _measure(loaded, measure, table)
    say_json(losses.as_json()) if as_json else show_losses(losses)


@app.command()
def report(
    release: Folder,
    out: Annotated[Path | None, typer.Option(help="The page; DIR/report.html by default.")] = None,
    data: Data = None,
    external: Annotated[Path | None, typer.Option(help="A register of the population.")] = None,
    hierarchies: Trees = None,
    query: Query = None,
    delimiter: Delimiter = None,
    encoding: Encoding = None,
    null: Null = None,
    plugin: Plugins = None,
    as_json: Json = False,
) -> None:
    """Write one self-contained HTML page about a release, and the same as JSON."""
    with steps("load", "attack", "measure", "write") as step:
        from voile.flow.report import report as reporting
        from voile.flow.verify import verify as check

        _load(plugin)
        step("load")
        loaded = _verified(release)
        table = _table(loaded, data, hierarchies, _reading(query, delimiter, encoding, null))
        step("attack")
        found = _audit(loaded, None, table, external, hierarchies)
        step("measure")
        losses = _measure(loaded, None, table) if table is not None else None
        step("write")
        page = reporting(loaded, found, losses, check(release))
        place = page.save(out or release / "report.html")
    say_json({"report": str(place), **page.as_json()}) if as_json else typer.echo(f"Report: {place}")


@app.command()
def hierarchies(
    source: Annotated[str, typer.Argument(metavar="INPUT")],
    out: Annotated[Path, typer.Option(help="The folder for the files.")],
    quasi: Annotated[str | None, typer.Option(metavar="a,b,c", help="The columns; all by default.")] = None,
    recipe: Annotated[list[str] | None, typer.Option(help="COLUMN=RECIPE, e.g. zip=prefixes:5,3,1.")] = None,
    force: Annotated[bool, typer.Option(help="Replace files of the same name.")] = False,
    query: Query = None,
    delimiter: Delimiter = None,
    encoding: Encoding = None,
    null: Null = None,
    as_json: Json = False,
) -> None:
    """Write an automatic hierarchy for each column to a file that a person can edit."""
    from voile.core.schema import Schema
    from voile.flow.read import load_frame, read
    from voile.io import hierarchies as files

    frame = load_frame(source, None, **_reading(query, delimiter, encoding, null))
    names = _names(quasi) if quasi else frame.columns
    recipes = {**dict.fromkeys(names, "auto"), **dict(_pair(item) for item in recipe or ())}
    # with missing="value" no value is lost; the row of the missing one itself is not for editing
    columns = read(frame, Schema(quasi=names, hierarchies=recipes, missing="value")).columns.quasi
    made = {column.name: (column.hierarchy, len(column.domain.values)) for column in columns}
    paths = files.write(out, {name: tree.rows()[:size] for name, (tree, size) in made.items() if tree}, force)
    heights = {name: tree.height for name, (tree, _) in made.items() if tree}
    if as_json:
        say_json({"out": str(out), "heights": heights})
    else:
        for path, height in zip(paths, heights.values(), strict=True):
            typer.echo(f"{path}: {height} levels above the leaves")


@app.command()
def prior(
    source: Annotated[str, typer.Argument(metavar="INPUT", help="A CSV, Parquet or Arrow file, or a database URL.")],
    out: Annotated[Path, typer.Option(help="The file for the statistics; .csv or .parquet.")],
    quasi: Annotated[str, typer.Option(metavar="a,b,c", help="The quasi-identifier columns.")],
    sensitive: Annotated[str, typer.Option(help="The sensitive column.")],
    min_support: Annotated[int, typer.Option(help="People who must share a signature.")] = 30,
    max_columns: Annotated[int | None, typer.Option(help="Columns combined at most; all by default.")] = None,
    smoothing: Annotated[float, typer.Option(help="Pull rare signatures towards the whole table.")] = 0.0,
    missing: Annotated[str, typer.Option(help="error, drop or value.")] = "error",
    query: Query = None,
    delimiter: Delimiter = None,
    encoding: Encoding = None,
    null: Null = None,
    as_json: Json = False,
) -> None:
    """Learn the statistics that an adversary is taken to know, and write them to a file to publish and verify with."""
    from voile.core.schema import Schema
    from voile.flow.learn import learn_prior
    from voile.flow.read import read

    schema = Schema(quasi=_names(quasi), sensitive=[sensitive], missing=missing)
    data = read(source, schema, **_reading(query, delimiter, encoding, null))
    found = learn_prior(data, min_support=min_support, max_columns=max_columns, smoothing=smoothing)
    place = found.save(out)
    signatures = sum(len(known.signatures) for known in found.sets)
    body = {"out": str(place), "digest": found.digest, "column_sets": len(found.sets), "signatures": signatures}
    say_json(body) if as_json else typer.echo(
        f"{signatures} signatures in {len(found.sets)} column sets, written to {place}\n{found.digest}"
    )


@app.command()
def reproduce(
    paper: Annotated[str, typer.Argument(help="A source paper: art, minimality, decompose or pg.")],
    item: Annotated[list[str] | None, typer.Argument(help="Tables and figures; all by default.")] = None,
    data: Data = None,
    out: Annotated[Path | None, typer.Option(help="The folder for CSV and plots; PAPER by default.")] = None,
    quick: Annotated[bool, typer.Option("--quick", help="A run of minutes: fewer rows and repetitions.")] = False,
    as_json: Json = False,
) -> None:
    """Recompute the tables and figures of a source paper."""
    from voile.flow.reproduce import reproduce as reproducing

    place = out or Path(paper)
    with progress() as step:
        found = reproducing(paper, item or (), out=place, data=data, quick=quick, step=step)
    if as_json:
        say_json({"out": str(place), "items": {name: frame.to_dicts() for name, frame in found.items()}})
    else:
        for name, frame in found.items():
            show_frame(name, frame)
        typer.echo(f"CSV and plots: {place}")


@app.command()
def guarantees(
    domain: Annotated[int, typer.Option(help="How many values the sensitive column may have.")],
    p: Annotated[str, typer.Option(metavar="a,b,c", help="Probabilities of keeping a value.")] = "0.3",
    k: Annotated[str, typer.Option(metavar="a,b,c", help="Least numbers of people in a group.")] = "6",
    skew: Annotated[float, typer.Option(help="The most that an adversary gives a value beforehand.")] = 0.1,
    rho1: Annotated[float, typer.Option(help="The most that an adversary gives a set of values beforehand.")] = 0.2,
    rho2: Annotated[float | None, typer.Option(help="A target: find the largest p for it.")] = None,
    growth: Annotated[float | None, typer.Option(help="A target: find the largest p for it.")] = None,
    out: Annotated[Path | None, typer.Option(help="Write the trade-off as a picture (.svg).")] = None,
    as_json: Json = False,
) -> None:
    """What perturbed generalization would promise, before anything is published."""
    from voile.flow.budget import privacy_budget, up

    targets = _given(rho2=rho2, growth=growth)
    chosen, sizes = _numbers("p", p, float), _numbers("k", k, int)
    budget = privacy_budget(chosen, sizes, domain=domain, skew=skew, rho1=rho1, **targets)
    place = budget.save(out, "growth" if rho2 is None and growth is not None else "rho2") if out else None
    if as_json:
        say_json({**budget.as_json(), **_given(plot=str(place) if place else None)})
        return
    title = f"Promises for {domain} values, skew {skew:g}, rho1 {rho1:g} (rounded up)"
    show_rows(title, [{name: _up(name, value) for name, value in row.items()} for row in budget.table.to_dicts()])
    if budget.largest.height:
        show_rows("The largest p that meets the targets", budget.largest.to_dicts())
    for size in sizes:
        rows = [(row["p"], row["rho2"]) for row in budget.curve.to_dicts() if row["k"] == size]
        show_bars(f"rho2 against p, k = {size}", [(f"{one:g}", up(value, 4)) for one, value in rows])
    if place:
        typer.echo(f"Plot: {place}")


@app.command()
def demo(
    out: Annotated[Path, typer.Option(help="Where to leave the release and the report.")] = Path("voile-demo"),
    as_json: Json = False,
) -> None:
    """Publish, verify, audit and measure a small hospital table, and leave a release and a report to open."""
    with steps("read", "publish", "save", "verify", "attack", "measure", "write") as step:
        import voile as vl

        step("read")
        schema = vl.Schema(
            identifier=["name"],
            quasi=["birth", "sex", "zip"],
            sensitive=["disease"],
            hierarchies={"zip": vl.prefixes(5, 3, 1), "birth": vl.dates()},
        )
        data = vl.read(vl.datasets.hospital(), schema)
        step("publish")
        release = vl.publish(data, vl.Policy(vl.KAnonymity(k=5), vl.LDiversity(l=3)))
        step("save")
        place = release.save(out / "release", force=True)
        step("verify")
        verdict = vl.verify(place)
        step("attack")
        found = vl.audit(release, data)
        step("measure")
        losses = vl.measure(data, release)
        step("write")
        page = vl.report(release, found, losses, verdict).save(out / "report.html")
    if as_json:
        say_json(
            {
                "release": str(place),
                "report": str(page),
                "verdict": verdict.as_json(),
                **found.as_json(),
                **losses.as_json(),
            }
        )
        return
    typer.echo(f"A hospital table of {data.rows.total} patients, published as {release.groups} groups.\n")
    show_verdict(verdict)
    typer.echo("")
    show_audit(found)
    typer.echo("")
    show_losses(losses)
    typer.echo(f"\nRelease: {place}\nReport:  {page}")


def _priors(release: Path, given: list[Path] | None) -> list[Any]:
    """The statistics of each file, about the column that the release's claims rest on."""
    if not given:
        return []
    from voile.flow.learn import read_prior
    from voile.io import folder

    claims = folder.read_documents(release)[0].get("claims", [])
    resting = [claim for claim in claims if isinstance(claim, dict) and claim.get("basis") == "prior"]
    columns = {str(claim.get("column")) for claim in resting}
    return [read_prior(path, column) for path in given for column in sorted(columns)]


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]


def _up(name: str, value: float) -> str:
    """A promise with four decimals, never rounded down; p and k as they are."""
    from voile.flow.budget import up

    return f"{value:g}" if name in ("p", "k") else f"{up(value, 4):.4f}"


def _numbers(name: str, text: str, kind: type[Any]) -> list[Any]:
    try:
        return [kind(part) for part in _names(text)]
    except ValueError:
        raise SpecError(f"--{name} {text!r} is no list of numbers.", code="spec.number", hint="E.g. 2,4,6.") from None


def _domain(text: str) -> tuple[str, list[Any]]:
    """COLUMN=a|b|c, or COLUMN=0..49 for whole numbers."""
    name, listed = _pair(text)
    low, dots, high = listed.partition("..")
    if dots and low.lstrip("-").isdigit() and high.lstrip("-").isdigit():
        return name, list(range(int(low), int(high) + 1))
    return name, listed.split("|")


def _pair(text: str) -> tuple[str, str]:
    name, sign, value = text.partition("=")
    if not sign:
        raise SpecError(f"{text!r} has no '='.", code="spec.pair", hint="Write COLUMN=VALUE.")
    return name.strip(), value.strip()


def _given(**options: Any) -> dict[str, Any]:
    return {name: value for name, value in options.items() if value is not None}


def _reading(query: str | None, delimiter: str | None, encoding: str | None, null: list[str] | None) -> dict[str, Any]:
    return _given(query=query, delimiter=delimiter, encoding=encoding, null_values=null)


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


def _load(plugins: list[str] | None) -> None:
    from voile.core.plugin import load_plugin

    for source in plugins or ():
        load_plugin(source)


def _verified(place: Path) -> Release:
    """A folder whose claims hold; what is broken is not attacked or measured but refused."""
    from voile.flow.verify import load, verify

    verify(place).or_raise()
    return load(place)


def _ledger(place: str | Path | None) -> Ledger | None:
    """The ledger of a file, or a fresh one where there is none yet."""
    from voile.core.following import Ledger

    if place is None:
        return None
    return Ledger.read(place) if Path(place).exists() else Ledger()


def _table(
    release: Release, source: str | None, trees: Path | None, reading: dict[str, Any], person: str | None = None
) -> Microdata | None:
    from dataclasses import replace

    from voile.flow.read import read
    from voile.flow.request import schema_of
    from voile.io.hierarchies import of_folder

    if source is None:
        return None
    schema = schema_of(release, of_folder(trees) if trees else None)
    return read(source, replace(schema, person=person) if person else schema, **reading)


def _audit(
    release: Release,
    attacks: list[str] | None,
    data: Microdata | None,
    external: Path | None,
    trees: Path | None = None,
    corrupted: Path | None = None,
) -> Audit:
    from voile.core.attack import Attack
    from voile.core.plugin import build, typed
    from voile.flow.audit import audit
    from voile.flow.read import read
    from voile.flow.request import corrupted_schema, population_schema
    from voile.io.hierarchies import of_folder
    from voile.io.spec import short

    asked = [short(text) for text in attacks or ()]
    if corrupted is not None:
        known = read(corrupted, corrupted_schema(release))
        if attacks and all(name != "corruption" for name, _ in asked):
            hint = "Add --attack corruption."
            raise SpecError("--corrupted is for the corruption attack.", code="spec.corrupted", hint=hint)
        asked = [(name, {**knobs, "known": known} if name == "corruption" else knobs) for name, knobs in asked]
        asked = asked or [("corruption", {"known": known})]
    chosen = [typed(Attack, build("attacks", name, knobs)) for name, knobs in asked] or None
    register = read(external, population_schema(release, of_folder(trees) if trees else {})) if external else None
    return audit(release, data, chosen, external=register)


def _measure(release: Release, measures: list[str] | None, data: Microdata) -> Losses:
    from voile.core.measure import Measure
    from voile.core.plugin import build, typed
    from voile.flow.measure import measure
    from voile.io.spec import short

    chosen = [typed(Measure, build("measures", *short(text))) for text in measures] if measures else None
    return measure(data, release, chosen)


def main() -> None:
    """Run the command line: a VoileError becomes its message and its exit code, never a stack trace."""
    usage_error: Any = typer.BadParameter.__bases__[0]  # typer keeps its own copy of click, or uses the real one
    try:
        code = app(standalone_mode=False)
    except VoileError as error:
        _fail(error.exit_code, error.as_json())
    except usage_error as error:
        if "--json" in sys.argv:
            say_json({"error": {"code": "spec.usage", "message": error.format_message(), "hint": "See --help."}})
        error.show()
        code = SpecError.exit_code
    except (KeyboardInterrupt, typer.Abort):
        code = 130
    except Exception as error:
        if os.environ.get("VOILE_DEBUG"):
            raise
        # the message of an unforeseen error may quote a cell: only its kind and place are shown
        place = error.__traceback__
        while place is not None and place.tb_next is not None:
            place = place.tb_next
        where = f"{Path(place.tb_frame.f_code.co_filename).name}:{place.tb_lineno}" if place else "unknown"
        hint = "This is a fault of voile; set VOILE_DEBUG=1 to see it whole (it may show data)."
        _fail(1, {"code": "internal", "message": f"Unforeseen {type(error).__name__} at {where}.", "hint": hint})
    if code == 130:
        _fail(130, {"code": "interrupted", "message": "Interrupted; nothing was changed.", "hint": ""})
    raise SystemExit(code or 0)


def _fail(exit_code: int, error: dict[str, Any]) -> NoReturn:
    if "--json" in sys.argv:
        say_json({"error": error})
    typer.echo(f"voile: {error['message']}" + (f"\n  {error['hint']}" if error["hint"] else ""), err=True)
    raise SystemExit(exit_code)
