"""A first spec.toml from an inspection: every column with its suggested role and the reason, for a person to decide."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from voile.flow.explore.column_profiles import ColumnProfile
from voile.flow.explore.inspection import Inspection
from voile.io.toml_writing import render_toml
from voile.tables.roles.role_guessing import UNSURE

HEADINGS = {
    "identifier": "Never published: what names a person.",
    "quasi": "Others may know these about a person. They are coarsened.",
    "sensitive": "What nobody should learn about a person.",
    "other": "Published as they are: nobody can know these about a person, and nobody minds.",
}
UNDECIDED = (
    "Not sure. Move each of these into a list above, or delete it here to leave it out. Until then nothing is read."
)


def draft_spec(inspection: Inspection, name: str, read: Mapping[str, Any], promise: Sequence[str] | None = None) -> str:
    """Write a commented spec.toml for the table of that name; `read` says how the table was read, and `promise` are the
    lines of the promise and the method, if one was recommended."""
    lines = [*_write_roles(inspection, name), *(promise if promise is not None else _write_promise(inspection))]
    lines += [*_write_spellings(inspection), *(["", render_toml({"read": dict(read)}).strip()] if read else [])]
    return "\n".join(lines) + "\n"


def _write_roles(inspection: Inspection, name: str) -> Iterator[str]:
    repeating = inspection.suggested_person
    person = repeating or (inspection.row_identifier if inspection.repeats else None)
    yield f"# A draft from an inspection of {name}: {inspection.people:,} rows, {len(inspection.columns)} columns."
    yield "# Every role is a suggestion. Read the reasons, decide, and publish with --spec."
    yield ""
    yield "[schema]"
    left_out = [column for column in inspection.columns if not column.role]
    undecided = [column for column in inspection.columns if column.role == UNSURE]
    for role, heading in HEADINGS.items():
        columns = [column for column in inspection.columns if column.role == role and column.name != person]
        yield from _write_list(role, heading, columns)
    if undecided:
        yield from _write_list("undecided", UNDECIDED, undecided)
    if left_out:
        yield "# Left out, because they have no role:"
        yield from (f"#   {_quote(column.name)}: {_one_line(column.why)}" for column in left_out)
        yield ""
    if repeating:
        yield f"# Its values repeat: it seems to tell people apart. If every row is a person, use {_ROWS_ARE} instead."
    elif person:
        yield "# It is different in every row, so every row is a person, although values of another identifier repeat."
    elif inspection.repeats:
        names = ", ".join(_quote(item.column) for item in inspection.repeats)
        yield f"# To be decided, because values of {names} repeat: if every row is a person, write {_ROWS_ARE};"
        yield '# if somebody has several rows, name the column that tells people apart: person = "..."'
        yield ""
    if person:
        yield f"person = {_quote(person)}"
        yield ""
    if any(column.missing for column in inspection.columns):
        yield '# Rows with missing cells: "error" refuses, "drop" leaves out, "value" takes missing as a value.'
        yield 'missing = "value"'
        yield ""
    codes = [column for column in inspection.columns if column.holds_codes and column.role in ("quasi", "sensitive")]
    if codes:
        yield "# Whole numbers that may be codes, of which a range means nothing. Delete those that are quantities."
        yield "[schema.kinds]"
        yield from (f'{_quote(column.name)} = "categorical"' for column in codes)
        yield ""


def _write_promise(inspection: Inspection) -> Iterator[str]:
    yield "# What is promised. `voile models` lists the others."
    yield from ("[[policy]]", 'model = "k-anonymity"', "k = 5", "")
    if any(column.role == "sensitive" for column in inspection.columns):
        yield from ("[[policy]]", 'model = "l-diversity"', "l = 2", "")
    yield "# How it is published. `voile methods` lists the others."
    yield from ("[method]", 'name = "mondrian"')


def _write_spellings(inspection: Inspection) -> Iterator[str]:
    spellings = dict.fromkeys(variants.column for variants in inspection.variants)
    if spellings:
        yield ""
        yield "# Values that differ only in case and blanks may be one. To merge them, add this to [read]:"
        yield f"#   merge = [{', '.join(map(_quote, spellings))}]"


_ROWS_ARE = 'rows_are = "people"'


def _write_list(key: str, heading: str, columns: list[ColumnProfile]) -> Iterator[str]:
    yield f"# {heading}"
    if not columns:
        yield f"{key} = []"
    else:
        yield f"{key} = ["
        yield from (f"  {_quote(column.name)},  # {_one_line(column.why)}" for column in columns)
        yield "]"
    yield ""


def _quote(name: str) -> str:
    return json.dumps(name, ensure_ascii=False).replace("\x7f", "\\u007f")


def _one_line(text: str) -> str:
    return " ".join(text.split())
