"""`voile publish`: turn a table and a request (flags, a spec) into a release folder, and verify it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from voile.cli.flags import (
    After,
    EngineOptions,
    Json,
    KeyFile,
    LedgerFile,
    Models,
    Plugins,
    PrepareOptions,
    ReadOptions,
    SchemaOptions,
    SigningKeyFile,
    SpecFile,
    drop_unset,
    with_table_options,
)
from voile.cli.inputs import load_plugins, open_ledger, open_signing_key, read_priors
from voile.cli.prepared_source import (
    check_pseudonym_file,
    combine_preparation,
    show_checklist,
)
from voile.cli.project_inputs import (
    OptionalSource,
    ProjectName,
    ProjectTableName,
    count_releases,
    read_project_request,
    record_release,
    with_history,
)
from voile.cli.reading_notes import describe_reading, show_reading
from voile.cli.spec_flags import combine_spec
from voile.cli.terminal import print_json, show_verdict, step_bar
from voile.cli.unused_options import refuse_unused, refuse_unused_reading
from voile.errors import FIXED_BEFOREHAND, BrokenPromise
from voile.plugins.counted_nouns import count_noun

if TYPE_CHECKING:
    from voile.releases.release import Release
    from voile.results import Verdict
    from voile.tables.microdata import Microdata


@with_table_options
def publish(
    source: OptionalSource = None,
    *,
    out: Annotated[Path, typer.Option(help="The folder for the release.")],
    spec: SpecFile = None,
    model: Models = None,
    method: Annotated[str | None, typer.Option(help="E.g. mondrian, full-domain:suppression=0.05, anatomy.")] = None,
    format: Annotated[str | None, typer.Option(help="parquet or csv.")] = None,
    ends: Annotated[
        bool | None,
        typer.Option(
            "--ends/--no-ends", help="Write the ends of ranges as typed columns beside the labels; done by default."
        ),
    ] = None,
    key_file: KeyFile = None,
    after: After = None,
    ledger: LedgerFile = None,
    force: Annotated[bool, typer.Option(help="Replace an earlier release.")] = False,
    preview: Annotated[
        bool,
        typer.Option("--preview", help="Show rows before and after, and write nothing; with --key-file, exactly this."),
    ] = False,
    sign: SigningKeyFile = None,
    private: Annotated[
        Path | None,
        typer.Option(
            help="A new file for the key and the learned statistics, for `voile verify --private`; keep it secret."
        ),
    ] = None,
    project: ProjectName = None,
    table: ProjectTableName = None,
    schema_options: SchemaOptions,
    read_options: ReadOptions,
    engine_options: EngineOptions,
    prepare_options: PrepareOptions,
    plugin: Plugins = None,
    as_json: Json = False,
) -> None:
    """Publish a table under a policy, and verify the folder that was written.

    With --project the table, the request, the earlier releases and their ledger are those of the project; flags win
    over its request, and the release is recorded for the next one.

    With --preview nothing is written: twenty rows are shown beside what would be published of them, with how exact each
    column is and what a recipient can compute. That shows rows of the table, and is for you alone.
    """
    with step_bar("read", "publish", "save", "verify") as step:
        from voile.adversaries.private_file import check_private_path
        from voile.engines.selection import choose_engine
        from voile.flow.explore.improvements import suggest_improvements
        from voile.flow.prepare.prepare import PreparedTable, prepare_as_asked
        from voile.flow.publish.publish import publish as publish_table
        from voile.flow.read.read import read
        from voile.flow.request.request import read_request
        from voile.flow.verify.verify import verify as verify_folder
        from voile.io import release_folder
        from voile.tables.secret_key import Key

        load_plugins(plugin)
        earlier = count_releases(project, table)
        source, base = read_project_request(project, table, source, spec, {"after": after, "ledger": ledger})
        combined = combine_spec(base, schema_options, model, method, read_options, engine_options)
        refuse_unused_reading(combined.read, source)
        combined = with_history(combined, after, ledger)
        combined = replace(combined, release={**combined.release, **drop_unset(format=format, ends=ends)})
        request = read_request(combined)
        key = Key.read(key_file) if key_file else None
        preparation = combine_preparation(combined.prepare, prepare_options)
        pseudonym_file = prepare_options.get("pseudonym_file")
        check_pseudonym_file(preparation, pseudonym_file, out, key is not None)
        book = open_ledger(request.ledger)
        release_folder.check_target(out, force)  # fail before the work, not after it
        if book is not None:
            book.companion().check_place(out)
        if private is not None:
            check_private_path(private, out)
        if preview:
            refuse_unused("a preview writes nothing", {"private": private, "sign": sign, "ledger": request.ledger})
        signing_key = open_signing_key(sign)
        step("read")
        engine = choose_engine(source, request.engine, step.part)
        person = request.schema.person
        loaded, reading = prepare_as_asked(source, preparation, request.read, person=person, key=key, engine=engine)
        prepared = loaded if isinstance(loaded, PreparedTable) else None
        data = read(loaded, request.schema, **reading, engine=engine)
        step("publish")
        coins = key or (Key.fresh() if preview else None)  # a preview shows the rows that were drawn
        release = publish_table(
            data, request.policy, request.method, key=coins, after=request.after, ledger=book, private=private
        )
        if preview:
            from voile.flow.preview.preview import preview as preview_release

            shown = preview_release(data, release, key=coins)
            print_json(shown.as_json()) if as_json else typer.echo(str(shown))
            return
        step("save")
        release.save(out, format=request.format, force=force, ledger=book, sign=signing_key, ends=request.ends)
        if prepared is not None and pseudonym_file is not None:
            prepared.save_pseudonyms(pseudonym_file)
        step("verify")
        prior_files = [Path(entry["prior"]) for entry in combined.policy if isinstance(entry.get("prior"), str)]
        known = read_priors(release, prior_files)
        verdict = verify_folder(out, prior=known, after=request.after, engine=engine, private=private)
        advice = suggest_improvements(data, request.policy, request.schema.kinds)
        recorded = {} if verdict.broken else record_release(project, table, out, request.ledger, earlier)
    _show_outcome(out, data, release, verdict, advice, recorded, as_json)
    if prepared is not None and not as_json:
        show_checklist(prepared, data)
    if verdict.broken:
        raise typer.Exit(BrokenPromise.exit_code)


def _show_outcome(
    out: Path,
    data: Microdata,
    release: Release,
    verdict: Verdict,
    advice: list[str],
    recorded: dict[str, Any],
    as_json: bool,
) -> None:
    from voile.models.r_robustness import describe_own_exceptions

    withheld, left_out, unit = int(release.dictionary.get("withheld", 0)), data.count_left_out(), verdict.unit
    people, rows = _count_table(data)
    if as_json:
        print_json(
            {
                "out": str(out),
                "people": unit.fewest_people(verdict.people),
                "rows": verdict.people,
                "groups": verdict.groups,
                "withheld": withheld,
                **({"absent": release.absent} if release.absent else {}),
                "left_out": left_out,
                "dropped": data.dropped,
                "people_in_table": people,
                "rows_in_table": rows,
                "unit": unit.as_json(),
                **describe_reading(data),
                **release.counted,
                **({"note": FIXED_BEFOREHAND} if release.certificate.names_algorithm else {}),
                **({"advice": advice} if advice else {}),
                **({"recorded": recorded} if recorded else {}),
                "verdict": verdict.as_json(),
            }
        )
        return
    typer.echo(f"{unit.count(verdict.people)} in {count_noun(verdict.groups, 'group')}, published to {out}")
    show_reading(data)
    if data.people is not None:
        typer.echo(f"The table has {count_noun(people or 0, 'person', 'people')} in {count_noun(rows, 'row')}")
    surplus = f"left out because some people have more than {count_noun(unit.rows, 'row')}"
    withholding = "withheld to keep the promise"
    for count, why in ((data.dropped, "dropped for missing values"), (left_out, surplus), (withheld, withholding)):
        if count:
            typer.echo(f"{count_noun(count, 'row')} {why}")
    if release.absent:
        typer.echo(f"{release.absent} of the published rows are of people who have left the table, and stay")
    show_verdict(verdict)
    exceptions = describe_own_exceptions(release)
    if exceptions and not verdict.counted:  # the publisher knows the statistics, even where the folder does not tell
        typer.echo(exceptions)
    if release.certificate.names_algorithm:
        typer.echo(FIXED_BEFOREHAND)
    for sentence in advice:
        typer.echo(sentence)
    if recorded:
        typer.echo("Recorded in the project {project!r} as release {release} of {table}".format(**recorded))
    most = len(data.people.people_by_rows) - 1 if data.people is not None else unit.rows
    if most < unit.rows:
        typer.echo(f"Nobody has more than {most} rows, so --rows-per-person {most} would do, with finer groups.")


def _count_table(data: Microdata) -> tuple[int | None, int]:
    """Count the people of the table, if something tells them apart, and its rows; rows that were dropped for missing
    values are not counted."""
    if data.people is not None:
        return data.people.people, data.people.total
    return data.rows.total if data.unit.checked else None, data.rows.total
