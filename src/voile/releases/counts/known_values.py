"""Values that somebody asks for and that a release does not have."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

from voile.errors import SchemaError
from voile.releases.cells.label_meanings import match_prefix
from voile.releases.known_rows import KnownColumn
from voile.releases.queries.query import Condition
from voile.releases.queries.query_literals import numeric_point, typed_literal
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
    check_coded_ends(column, condition)
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


def check_coded_ends(column: KnownColumn, condition: Condition) -> None:
    """Raise SchemaError if a condition tells values apart that were recoded to the top or bottom of their column."""
    coded, dtype = column.entry.get("steering", {}), column.domain.values.dtype
    for name, sign, direction in (("top", 1, "above"), ("bottom", -1, "below")):
        if name not in coded:
            continue
        end = sign * numeric_point(coded[name], dtype)
        inner, outer = (condition.low, condition.high) if sign > 0 else (condition.high, condition.low)
        inner_open, outer_open = (condition.above, condition.below) if sign > 0 else (condition.below, condition.above)
        points = [sign * numeric_point(value, dtype) for value in condition.values or ()]
        cuts = any(point >= end for point in points)
        if inner is not None:
            point = sign * numeric_point(inner, dtype)
            cuts |= point > end or (point == end and inner_open)
        if outer is not None:
            point = sign * numeric_point(outer, dtype)
            cuts |= point > end or (point == end and not outer_open)
        if cuts:
            more = "more" if sign > 0 else "less"
            raise SchemaError(
                f"Values of {column.name!r} {direction} {coded[name]} are shown as {coded[name]}, so they cannot be "
                "told apart.",
                code="schema.coded-value",
                hint=f"Ask for {coded[name]} or {more}, or for values that exclude it.",
            )


def explain_coding(columns: Iterable[KnownColumn]) -> str:
    """Say that counts are of values as they were recoded; nothing if no column was."""
    coded = [f"{column.name!r} ({column.entry['coded']})" for column in columns if "coded" in column.entry]
    return f"Values were recoded before publication, and are counted as recoded: {', '.join(coded)}." if coded else ""


def suggest_value(text: str, known: list[str]) -> str:
    """Write a hint that names the most similar value, or all of them if they are few."""
    folded = {label.casefold(): label for label in known}
    near = folded.get(text.casefold()) or next(iter(difflib.get_close_matches(text, known, n=1)), None)
    if near is not None:
        return f"Did you mean {near!r}?"
    return f"It has {len(known)} values: " + ", ".join(known[:FEW]) + (", ..." if len(known) > FEW else ".")
