"""The options of `voile publish` that change a table at the border: pseudonyms, dates, ages, Safe Harbor rules."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

Pseudonym = Annotated[
    str | None,
    typer.Option("--pseudonym", metavar="COLUMN", help="Make keyed pseudonyms for an identifier, in a private file."),
]
PseudonymFile = Annotated[
    Path | None, typer.Option("--pseudonym-file", help="A new file for identifiers and pseudonyms; keep it secret.")
]
Ages = Annotated[
    list[str] | None, typer.Option("--age", metavar="COLUMN=DATE", help="Replace dates of birth by ages at a date.")
]
ShiftDates = Annotated[
    str | None, typer.Option("--shift-dates", metavar="a,b,c", help="Shift the dates of each person by one offset.")
]
ShiftDays = Annotated[int | None, typer.Option("--shift-days", help="The largest offset in days; 182 by default.")]
SafeHarbor = Annotated[
    list[str] | None,
    typer.Option("--safe-harbor", metavar="COLUMN=RULE", help="A rule of HIPAA's Safe Harbor: zip, age, date, birth."),
]
On = Annotated[str | None, typer.Option("--on", metavar="DATE", help="The date for --safe-harbor COLUMN=birth.")]


def prepare_options(
    pseudonym: Pseudonym = None,
    pseudonym_file: PseudonymFile = None,
    age: Ages = None,
    shift_dates: ShiftDates = None,
    shift_days: ShiftDays = None,
    safe_harbor: SafeHarbor = None,
    on: On = None,
) -> dict[str, Any]:
    """Return the options that are set."""
    return {name: value for name, value in locals().items() if value not in (None, [])}
