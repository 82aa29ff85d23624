"""A cross table of two columns: how many people have each pair of values, with intervals and certain bounds."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from voile.errors import SchemaError
from voile.releases.counts.count_answer import Count
from voile.releases.queries.query import Condition, Query
from voile.releases.release import Release
from voile.tables.schema import suggest_name
from voile.tables.value_text import format_value

MOST = 12  # values of a column that have a line of their own; the others share one
BINS = 8  # of numbers and dates


@dataclass(frozen=True, eq=False)
class CrossTable:
    """The count of every pair: `counts[i][j]` people have `rows[i]` in one column and `columns[j]` in the other."""

    names: tuple[str, str]
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    counts: tuple[tuple[Count, ...], ...]

    def __repr__(self) -> str:
        return f"CrossTable({len(self.rows)} x {len(self.columns)})"


def make_cross_table(release: Release, first: str, second: str) -> CrossTable:
    """Count every pair of values of two columns. Numbers and dates are binned, rare values counted together."""
    rows, columns = (_find_lines(release, name) for name in (first, second))
    if first == second:
        raise SchemaError("A cross table needs two columns.", code="schema.columns", hint="Choose another column.")
    counts = tuple(
        tuple(release.counting.count(Query({first: row, second: column})) for _, column in columns) for _, row in rows
    )
    return CrossTable((first, second), tuple(text for text, _ in rows), tuple(text for text, _ in columns), counts)


def _find_lines(release: Release, name: str) -> list[tuple[str, Condition]]:
    """Return the lines of a column: what they are called, and their condition."""
    counting = release.counting
    if name not in counting.places:
        hint = suggest_name(name, list(counting.places))
        raise SchemaError(f"The release has no column {name!r}.", code="schema.unknown-column", hint=hint)
    number = counting.places[name]
    column, values = counting.draws.rows.columns[number], counting.draws.column(0, number).drop_nulls()
    if column.domain.uses_intervals and values.n_unique() > MOST:
        ordered = values.sort()
        cuts = [ordered[int(place)] for place in np.linspace(0, len(ordered) - 1, BINS + 1)]
        cuts = list(dict.fromkeys(cuts))
        inner = cuts[1:-1]
        lines = [(f"below {format_value(inner[0])}", Condition(high=inner[0], below=True))]
        for low, high in pairwise(inner):
            between = Condition(low=low, high=high, below=True)
            lines.append((f"{format_value(low)} to below {format_value(high)}", between))
        lines.append((f"{format_value(inner[-1])} or more", Condition(low=inner[-1])))
        return lines
    found = values.value_counts(sort=True)[name].to_list()
    if len(found) <= MOST + 1:
        return [(format_value(value), Condition(values=(value,))) for value in sorted(found)]
    listed = [(format_value(value), Condition(values=(value,))) for value in sorted(found[:MOST])]
    return [*listed, (f"{len(found) - MOST} other values", Condition(values=tuple(found[MOST:])))]
