"""Values that somebody asks for and that a release does not have."""

from __future__ import annotations

import difflib

from voile.errors import SchemaError
from voile.releases.cells.label_meanings import match_prefix
from voile.releases.completions.known_rows import KnownColumn
from voile.releases.queries.query import Condition
from voile.releases.queries.query_literals import typed_literal
from voile.tables.value_text import format_value

FEW = 12  # values that a hint lists


def check_values(column: KnownColumn, condition: Condition) -> None:
    """Raise SchemaError if a release shows no value of a column at all, or if it has not a category that is asked for.
    Numbers and dates have no such list."""
    domain = column.domain
    if not len(domain.values):
        raise SchemaError(
            f"The release shows no value of {column.name!r}.", code="schema.suppressed", hint="Ask about other columns."
        )
    if condition.values is None or domain.uses_intervals:
        return
    known = domain.labels[: len(domain.values)]
    listed = set(known)
    for value in condition.values:
        texts = [format_value(one) for one in typed_literal(value, domain.values.dtype)] or [format_value(value)]
        if texts[0] in listed or any(match_prefix(label, texts) for label in column.cells.prefixes):
            continue
        raise SchemaError(
            f"The release names no value {texts[0]!r} of {column.name!r}.",
            code="schema.unknown-value",
            hint=suggest_value(texts[0], known),
        )


def suggest_value(text: str, known: list[str]) -> str:
    """Write a hint that names the most similar value, or all of them if they are few."""
    folded = {label.casefold(): label for label in known}
    near = folded.get(text.casefold()) or next(iter(difflib.get_close_matches(text, known, n=1)), None)
    if near is not None:
        return f"Did you mean {near!r}?"
    return f"It has {len(known)} values: " + ", ".join(known[:FEW]) + (", ..." if len(known) > FEW else ".")
