"""Prepare the table of a command at the border, as its flags and its spec ask for."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from voile.cli.flags import parse_pair, split_names
from voile.cli.unused_options import refuse_unused
from voile.errors import SpecError

if TYPE_CHECKING:
    from voile.flow.prepare.prepare import PreparedTable
    from voile.tables.microdata import Microdata


def combine_preparation(spec: Mapping[str, Any], flags: Mapping[str, Any]) -> dict[str, Any]:
    """Replace what a spec says about the border by what the flags say; the file of the pseudonyms is taken out."""
    combined = {name: flags[name] for name in ("pseudonym", "shift_days", "on") if name in flags}
    if "age" in flags:
        combined["ages"] = dict(map(parse_pair, flags["age"]))
    if "safe_harbor" in flags:
        combined["safe_harbor"] = dict(map(parse_pair, flags["safe_harbor"]))
    if "shift_dates" in flags:
        combined["shift_dates"] = split_names(flags["shift_dates"])
    return {**spec, **combined}


def check_pseudonym_file(preparation: Mapping[str, Any], path: Path | None, out: Path, has_key: bool) -> None:
    """Refuse pseudonyms without a key and a new file, a file without pseudonyms, a file that would lie in the release,
    and an offset without dates."""
    if "shift_dates" not in preparation:
        refuse_unused("no dates are shifted", {"shift_days": preparation.get("shift_days")})
    if "pseudonym" not in preparation:
        refuse_unused("no pseudonyms are made", {"pseudonym_file": path})
    elif path is None:
        raise SpecError(
            "Pseudonyms are never published, so they need a file of their own.",
            code="spec.pseudonym",
            hint="Name it with --pseudonym-file.",
        )
    elif path.exists():
        raise SpecError(f"{path.name!r} exists already.", code="spec.out", hint="Name a new file.")
    elif out.resolve() in (path.resolve(), *path.resolve().parents):
        raise SpecError("The file of the pseudonyms would lie in the release.", code="spec.pseudonym")
    elif not has_key:
        raise SpecError(
            "Pseudonyms need a key: with another one the same person would have another pseudonym.",
            code="spec.pseudonym",
            hint="Make one and keep it secret: --key-file key.hex.",
        )


def show_checklist(prepared: PreparedTable, data: Microdata) -> None:
    """Print which dates stand unshifted beside shifted ones, and the checklist of Safe Harbor if its rules were
    applied."""
    dates = prepared.preparation.list_unshifted([column.name for column in data.columns if column.kind == "date"])
    if dates:
        typer.echo(
            f"{', '.join(dates)}: published as they are beside shifted dates. Whoever knows how long it was from one "
            "to the other learns the offset, and with it all dates of the person. Shift them too, or leave them out."
        )
    from voile.cli.terminal import print_table
    from voile.flow.prepare.safe_harbor import EDITION

    if prepared.rules:
        rows = [list(row.values()) for row in prepared.checklist()]
        print_table(f"Checklist ({EDITION})", ["", "identifiers", "status"], rows, 0)
        typer.echo("This is a checklist for a person. It does not say that the release complies with any law.")
