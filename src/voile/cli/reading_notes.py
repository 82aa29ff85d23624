"""Tell how the text of a table was read: what was converted, and which categories may be one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from voile.flow.explore.inspection import Inspection
    from voile.tables.microdata import Microdata


def show_reading(data: Microdata | Inspection) -> None:
    """Print one line per conversion, per column that stays text, and per value with several spellings."""
    for line in (*data.reading.describe(), *(one.describe() for one in data.variants)):
        typer.echo(line)


def describe_reading(data: Microdata) -> dict[str, Any]:
    """Return the same as plain values; nothing if there is nothing to tell."""
    reading, variants = data.reading.as_json(), [one.as_json() for one in data.variants]
    return {**({"reading": reading} if reading else {}), **({"variants": variants} if variants else {})}
