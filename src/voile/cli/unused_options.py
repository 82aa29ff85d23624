"""Refuse options that have no effect: a user who sets an option expects it to do something."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from voile.cli.flags import ReadOptions
from voile.errors import SpecError, VoileError, option, raise_together

if TYPE_CHECKING:
    from voile.releases.release import Release

WORKBOOKS = ("Excel", "OpenDocument")
UNSET: tuple[Any, ...] = (None, [], (), {})
FLAGS = {"null_values": "null"}  # keywords of voile.read whose flag has another name


def refuse_unused(why: str, options: Mapping[str, Any]) -> None:
    """Raise an error for every option that is set although it has no effect, and say `why`."""
    raise_together(_list_unused(why, options))


def _list_unused(why: str, options: Mapping[str, Any]) -> list[SpecError]:
    return [
        SpecError(
            f"{option(FLAGS.get(name, name))} has no effect here: {why}.",
            code="spec.unused-option",
            hint="Leave it out.",
        )
        for name, value in options.items()
        if value not in UNSET
    ]


def refuse_unused_reading(options: ReadOptions, data: str | None, *files: Path | None) -> None:
    """Refuse reading options that no table needs: all of them if no table is read, those of a CSV if no table is a CSV.
    A query belongs to `data`; if `data` is a file, reading it raises the error."""
    if all(value in UNSET for value in options.values()):
        return
    from voile.io import labelled_files
    from voile.io.databases import parse_scheme
    from voile.io.table_files import FILE_KINDS

    tables = [str(source) for source in (data, *files) if source is not None]
    csv_options = {name: value for name, value in options.items() if name not in ("query", "merge", "sheet")}
    if not any(labelled_files.KINDS.get(Path(table).suffix.lower()) in WORKBOOKS for table in tables):
        refuse_unused("no table is a workbook", {"sheet": options.get("sheet")})
    if not tables:
        refuse_unused("no table is read", options)
    elif data is None:
        refuse_unused("there is no table to query", {"query": options.get("query")})
    # a file with an unknown extension is refused when it is read
    if all(parse_scheme(table) or FILE_KINDS.get(Path(table).suffix.lower(), "csv") != "csv" for table in tables):
        is_labelled = any(FILE_KINDS.get(Path(table).suffix.lower()) == "labelled" for table in tables)
        useful = ("convert", "null_values") if is_labelled else ()
        refuse_unused(
            "no table is a CSV file", {name: value for name, value in csv_options.items() if name not in useful}
        )


def refuse_unused_person(release: Release, person: str | None) -> None:
    """Refuse a column of persons beside a release that takes every row as a person of its own: the people of the table
    would be compared with rows."""
    from voile.tables.unit import PERSON_COLUMN

    if release.unit.basis != PERSON_COLUMN:
        refuse_unused("the release takes every row as a person of its own", {"person": person})


def refuse_unused_evidence(release: Release, evidence: Mapping[str, Any]) -> None:
    """Refuse evidence (data, key-file, ledger, after, private) that no claim of a release rests on. Where a column
    tells people apart, every claim rests on the table, and on the key that drew their rows. If a claim cannot be read,
    refuse nothing: the verdict reports it."""
    from voile.models.claimed_model import claimed_model
    from voile.models.kinds import FollowsPeople, SpansReleases
    from voile.models.personalized import Personalized
    from voile.tables.unit import PERSON_COLUMN

    try:
        models = [claimed_model(claim) for claim in release.certificate.claims]
        tells_people = evidence.get("person") is not None or release.unit.basis == PERSON_COLUMN
        states_means = bool(release.mean_names)
    except (KeyError, TypeError, ValueError, VoileError):
        return
    # the key also repeats how statistics were learned from the table
    draws_coins = any(model.basis in ("process", "prior") for model in models)
    follows_people = any(isinstance(model, FollowsPeople) for model in models)
    guards_nodes = any(isinstance(model, Personalized) and model.own_nodes for model in models)
    spans_releases = any(isinstance(model, SpansReleases) for model in models)
    reasons = {
        "data": (draws_coins or follows_people or tells_people or guards_nodes or states_means, "the table"),
        "guarding": (guards_nodes, "the nodes that single people guard"),
        "key-file": (draws_coins or tells_people or guards_nodes, "random numbers"),
        "ledger": (spans_releases, "a ledger"),
        "private": (draws_coins or tells_people, "statistics or random numbers"),
        "after": (spans_releases, "earlier releases"),
    }
    problems: list[SpecError] = []
    for name, (matters, basis) in reasons.items():
        if not matters:
            problems += _list_unused(f"no claim of this release rests on {basis}", {name: evidence.get(name)})
    raise_together(problems)
