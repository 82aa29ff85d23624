"""How error messages in the workbench write an option: by its label in the form."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from voile.errors import Mention

LABELS = {
    "keep": "let the project keep a copy of the file, so that it opens by itself next time",
    "table": "Load it as",
    "delimiter": "Separator",
    "encoding": "Encoding",
    "null": "Texts that mean “missing”",
    "convert": "Readings of columns",
    "sheet": "Sheet of a workbook",
    "merge": "Columns in which case and blanks do not matter",
    "ages": "Ages instead of dates of birth",
    "shift_dates": "Dates to shift",
    "shift_days": "Shift by at most (days)",
    "safe_harbor": "Safe Harbor rules",
    "on": "Date for the rule of births",
    "population": "People in the population",
    "special_uniques": "find the smallest sets of columns that single out a row (SUDA2)",
    "kinds": "Holds",
    "missing": "Rows with missing cells",
    "quasi": "others may know it",
    "sensitive": "secret: nobody should learn it",
    "identifier": "identifies a person: never published",
    "other": "harmless: publish it unchanged",
    "person": "Column that tells people apart",
    "rows_per_person": "Rows per person, at most",
    "rows_are": "If values of an identifier repeat",
    "weight": "Column with survey weights",
    "withhold_weight": "do not publish the weights: use them to measure only",
    "guarding": "Column with the node that each person guards",
    "steering": "Wishes for single columns",
    "quasi_sets": "Sets of columns that one person may know together",
    "confirmed": "publish it although nearly every row has its own value",
    "method": "Method",
    "model": "Promise",
    "after": "Earlier releases",
    "ledger": "Ledger",
    "force": "replace an earlier release of that name",
    "allow_lost": "a release may win although a column of it is lost to 90 % or more",
    "decided_by": "Decided by",
    "decided_on": "Decided on",
    "ends": "write the ends of ranges as columns of numbers and dates beside the labels",
}
CHOICES = {
    "delimiter": {",": "comma ,", ";": "semicolon ;", "\t": "tab", "|": "bar |"},
    "missing": {
        "error": "stop and tell me",
        "drop": "leave them out",
        "value": "treat “missing” as a value of its own",
    },
    "rows_are": {"": "stop and tell me", "people": "every row is a person of its own"},
}
ELSEWHERE = "only at the command line or in Python"


def write_label(mention: Mention) -> str:
    """Write a mention as the form labels it.

    >>> write_label(Mention("option", "encoding", "latin-1")), write_label(Mention("option", "force", True))
    ('Encoding: latin-1', '“replace an earlier release of that name”')
    >>> write_label(Mention("option", "model", "l-diversity", {"l": 3, "form": "entropy"}))
    'Promise: l-diversity with l: 3, form: entropy'
    >>> write_label(Mention("option", "quasi", ["age"])), write_label(Mention("parameter", "on_fail", "lower"))
    ('age: “others may know it”', 'on fail: lower')
    """
    if mention.family == "recipe":
        return f"{mention.name}:{_write_value(mention.value)}" if mention.value else mention.name
    if mention.family == "parameter":
        name = mention.name.replace("_", " ")
        return name if mention.value is None else f"{name}: {_write_value(mention.value)}"
    label = LABELS.get(mention.name)
    if label is None:
        return f"{mention.name}: {ELSEWHERE}"
    if isinstance(mention.value, (list, tuple)):
        return f"{', '.join(mention.value)}: “{label}”"
    if mention.value is None or mention.value is True:
        return f"“{label}”"
    knobs = ", ".join(f"{name}: {_write_value(value)}" for name, value in mention.knobs.items())
    written = _write_value(mention.value)
    value = CHOICES.get(mention.name, {}).get(mention.value, written) if isinstance(mention.value, str) else written
    return f"{label}: {value}" + (f" with {knobs}" if knobs else "")


def _write_value(value: Any) -> str:
    if isinstance(value, Mapping):
        return "|".join(f"{key}={part}" for key, part in value.items())
    return ",".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)
