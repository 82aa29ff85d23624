"""Tell how the text of a table was read: what was converted, and which categories may be one."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import typer

from voile.plugins.counted_nouns import count_noun

if TYPE_CHECKING:
    from voile.flow.explore.inspection import Inspection
    from voile.tables.microdata import Microdata


def show_reading(data: Microdata | Inspection, *, spelled: bool = False) -> None:
    """Print one line per conversion, per column that stays text, and per column with several spellings of a value. Only
    with `spelled`, where somebody looks at the table in order to decide, do the lines show cells."""
    variants = [one.describe() for one in data.variants] if spelled else _count_variants(data)
    for line in (*data.reading.describe(), *variants):
        typer.echo(line)


def _count_variants(data: Microdata | Inspection) -> list[str]:
    shown = {one.column for one in data.variants if one.spellings}
    return [
        f"{column}: {count_noun(count, 'value has', 'values have')} several spellings"
        f"{', which `voile inspect` lists' if column in shown else ''}; --merge {column} merges them"
        for column, count in _count_by_column(data).items()
    ]


def _count_by_column(data: Microdata | Inspection) -> dict[str, int]:
    counts: Counter[str] = Counter()
    for one in data.variants:
        counts[one.column] += one.values
    return dict(counts)


def describe_reading(data: Microdata) -> dict[str, Any]:
    """Return the same as plain values, without cells; nothing if there is nothing to tell."""
    reading, variants = data.reading.as_json(), _count_by_column(data)
    return {**({"reading": reading} if reading else {}), **({"variants": variants} if variants else {})}
