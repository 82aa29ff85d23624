"""Inspect: look at a table before anything is done to it: what its columns hold, which roles they may have, and how
many people stand out.

A person whose values on some columns nobody else has can be found by anybody who knows those columns. No result shows
a cell.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from typing import Any

import numpy as np
import polars as pl

from voile.engines.base import Source
from voile.engines.memory import load_frame
from voile.engines.person_rows import PersonRows, hash_people, write_names
from voile.errors import DataError, SchemaError, option, raise_together
from voile.flow.explore.anonymity import measure_anonymity
from voile.flow.explore.asked_estimates import AskedEstimates
from voile.flow.explore.column_profiles import (
    CodedColumns,
    ColumnProfile,
    find_repeats,
    profile_columns,
    profile_table,
)
from voile.flow.explore.inspection import Inspection
from voile.flow.explore.uniqueness import (
    CodedRows,
    Uniqueness,
    count_combinations,
    count_small,
    share_out,
)
from voile.flow.prepare.prepare import PreparedTable
from voile.io.conversions.encodings import AUTO
from voile.tables.domain import Domain, encode_column, infer_kind
from voile.tables.microdata import PUBLIC_KEY, Microdata
from voile.tables.role_faults import name_faults
from voile.tables.roles.role_guessing import UNSURE
from voile.tables.schema import ROLES, Schema, suggest_name
from voile.tables.unit import ASSUMED, IDENTIFIER, PERSON_COLUMN, Unit
from voile.tables.value_variants import Variants, find_table_variants, hide_cells, merge_table_variants

MOST_COLUMNS = 256  # more columns than a person can give a role to, one by one


def inspect(
    source: Any,
    schema: Schema | Mapping[str, Any] | None = None,
    *,
    columns: Sequence[str] | None = None,
    population: int | None = None,
    register: Any = None,
    special_uniques: bool = False,
    query: str | None = None,
    delimiter: str | None = None,
    encoding: str = AUTO,
    null_values: Sequence[str] = (),
    convert: Mapping[str, str] | None = None,
    sheet: str | int | None = None,
    merge: Sequence[str] = (),
) -> Inspection:
    """Inspect a table as it is: kinds, suggested roles, and people who stand out on the columns that others may know.

    Those are the quasi-identifier columns of a schema (or of a table that was read with one), or else the suggested
    ones and those for which nothing can be suggested. A mapping names some roles only, such as `{"sensitive":
    ["disease"]}`; the others are suggested. `columns` limits the inspection to some columns. A table that some other
    tool published is inspected in the same way: its intervals and labels are texts. So is one that `prepare` returned.

    With the size of the `population` that the table was drawn from, or a survey weight in the schema, people who are
    alone in the population are estimated; with a `register` of the population, its k-map and delta-presence are
    counted; `special_uniques` finds the smallest sets of columns that single out a row (SUDA2).

    >>> import voile as vl
    >>> vl.inspect(vl.datasets.hospital()).roles()["identifier"]
    ['name']
    """
    asked = AskedEstimates(population, register, special_uniques)
    if isinstance(source, Microdata):
        asked.refuse_read_table()
        return _inspect_microdata(source)
    subset = Schema(quasi=columns) if columns else None
    if isinstance(source, PreparedTable):
        Source(None, convert=convert or {}).refuse_unused_convert()
        table_source = Source(source.frame, record=source.reading)
    else:
        table_source = Source(source, query, delimiter, encoding, null_values, convert or {}, sheet=sheet)
        table_source.refuse_unused_convert()

    def check_header(names: Sequence[str]) -> None:
        _check_columns(columns or names)
        if table_source.path is not None:
            _check_delimiter(names, delimiter)
        if subset is not None:
            subset.check(names)
        if schema is not None:
            _check_names(schema, columns or names)

    frame = load_frame(table_source, subset, check_header)
    if frame.height == 0:
        raise DataError("The table has no rows.", code="data.no-rows", hint="Check the file or the query.")
    unknown = [name for name in (*merge, *(convert or {})) if name not in frame.columns]
    if unknown:
        raise SchemaError(
            f"The table has no column {unknown[0]!r}.",
            code="schema.unknown-column",
            hint=suggest_name(unknown[0], frame.columns),
        )
    variants = find_table_variants(frame)
    frame = merge_table_variants(frame, variants, merge)
    profiles, coded = profile_table(frame, table_source.record.titles)
    roles = schema if isinstance(schema, Schema) else _complete_roles(profiles, schema or {})
    unmerged = _show_variants([one for one in variants if one.column not in merge], profiles, schema)
    repeats = find_repeats(profiles, coded)
    bare = Inspection(frame.height, profiles, (), None, repeats=repeats, reading=table_source.record, variants=unmerged)
    person = _find_person(bare, roles)
    whole = any(column.role == "identifier" and column.distinct == frame.height for column in profiles)
    unit = Unit(1, PERSON_COLUMN if person in coded else IDENTIFIER if whole else ASSUMED)
    known = [name for name in roles.known_columns() if name in coded] if roles else []
    if roles is None or not known:
        asked.refuse_unknown()
        return replace(bare, unit=unit)
    coded = {**coded, **_encode_as_declared(frame, roles)}
    domains = {name: coded[name][0] for name in roles.sensitive if name in coded}
    weight = [name for name in (roles.weight,) if name in coded and name not in known]
    needed = {name: coded[name] for name in (*known, *domains, *weight) if name}
    rows = _draw_rows(needed, frame[person] if person in coded else None)
    inspection = _count_people(profiles, rows, known, domains)
    inspection = asked.add_estimates(inspection, rows, roles, coded)
    if asked.register is not None:
        each = frame.unique(person, maintain_order=True) if person in coded else frame
        inspection = replace(inspection, register=asked.compare_register(each, roles.quasi, table_source))
    return replace(inspection, people=frame.height, repeats=repeats, unit=unit, reading=bare.reading, variants=unmerged)


def _complete_roles(profiles: Sequence[ColumnProfile], roles: Mapping[str, Any]) -> Schema | None:
    """Return a schema with the roles that are named, and the suggested ones for all other columns; None if nothing is
    known to others. A column on which nobody has decided counts as known, which is the safe side."""
    named = {name for role in ROLES for name in roles.get(role, ())} | {roles.get("person"), roles.get("weight")}
    complete = {
        role: [column.name for column in profiles if _has_role(column, role) and column.name not in named]
        for role in ROLES
        if role not in roles
    }
    quasi = roles.get("quasi", complete.get("quasi"))
    withheld = {"withhold_weight": True} if roles.get("weight") else {}  # a weight serves to estimate here
    return Schema(**{**complete, **withheld, **roles}) if quasi else None


def _show_variants(
    variants: Sequence[Variants], profiles: Sequence[ColumnProfile], schema: Schema | Mapping[str, Any] | None
) -> tuple[Variants, ...]:
    """Return the variants that somebody has to decide on. A column that is never published has none; while nobody has
    decided whether a column is published, its variants are counted."""
    roles = {} if isinstance(schema, Schema) else {column.name: column.role for column in profiles}
    asked = vars(schema) if isinstance(schema, Schema) else schema or {}
    roles |= {name: role for role in ROLES for name in asked.get(role, ())}
    roles |= {asked["person"]: "identifier"} if asked.get("person") else {}
    published = {name for name, role in roles.items() if role in ("quasi", "sensitive", "other")}
    undecided = {name for name, role in roles.items() if role == UNSURE}
    return tuple(hide_cells([one for one in variants if one.column in published | undecided], published))


def _has_role(column: ColumnProfile, role: str) -> bool:
    return column.role == role or (role == "quasi" and column.role == UNSURE)


def _encode_as_declared(frame: pl.DataFrame, schema: Schema) -> dict[str, tuple[Domain, np.ndarray]]:
    """Encode the sensitive columns for which a schema names a kind or a domain: an order follows from it."""
    named = [name for name in schema.sensitive if name in schema.kinds or name in schema.domains]
    return {
        name: encode_column(
            name, frame[name], schema.kinds.get(name) or infer_kind(frame[name]), schema.domains.get(name)
        )
        for name in named
    }


def _draw_rows(coded: CodedColumns, person: pl.Series | None) -> CodedRows:
    """Return all rows, or one of each person if a column tells people apart."""
    sizes = {name: domain.size for name, (domain, _) in coded.items()}
    columns = {name: codes for name, (_, codes) in coded.items()}
    if person is None:
        return CodedRows(sizes, columns)
    owner = hash_people(write_names(person).fill_null(""))
    drawn = PersonRows(tuple(sizes), tuple(sizes.values()), tuple(columns.values()), owner).draw(1, PUBLIC_KEY)
    return CodedRows(sizes, {name: drawn.codes[:, j] for j, name in enumerate(sizes)}, drawn.weights)


def _find_person(inspection: Inspection, schema: Schema | None) -> str:
    """Return the column that tells people apart, as a schema says, else as suggested; or an empty text."""
    if schema is not None and (schema.person is not None or schema.rows_are is not None):
        return schema.person or ""
    return inspection.suggested_person or ""


def _inspect_microdata(data: Microdata) -> Inspection:
    """Inspect a table that was read: its published columns, assuming that its quasi-identifier is known. People with
    several rows are counted once, by one row that is drawn."""
    rows = data.rows if data.people is None else data.people.draw(1, PUBLIC_KEY)
    counted = {}
    for column in data.columns:
        table = rows.histogram([column.name])
        counts = np.zeros(column.size, dtype=np.int64)
        counts[table.codes[:, 0]] = table.counts
        counted[column.name] = column.domain, counts
    columns = (*data.columns.quasi, *data.columns.sensitive)
    sizes = {column.name: column.size for column in columns}
    table = rows.histogram(list(sizes))
    drawn = CodedRows(sizes, {name: table.codes[:, j] for j, name in enumerate(sizes)}, table.counts)
    known = [column.name for column in data.columns.quasi]
    domains = {column.name: column.domain for column in data.columns.sensitive}
    inspection = _count_people(profile_columns(counted), drawn, known, domains)
    return replace(inspection, unit=replace(data.unit, rows=1))


def _check_names(schema: Schema | Mapping[str, Any], present: Sequence[str]) -> None:
    """Raise an error for every named column that the table lacks."""
    if isinstance(schema, Schema):
        schema.check(present)
        return
    parts = [part.name for part in fields(Schema)]
    raise_together(
        SchemaError(f"A schema has no part {part!r}.", code="schema.unknown-part", hint=suggest_name(part, parts))
        for part in schema
        if part not in parts
    )
    named = [name for role in ROLES for name in schema.get(role, ())]
    named += [schema[part] for part in ("person", "weight") if schema.get(part)]
    if named:
        Schema(quasi=list(dict.fromkeys(named))).check(present)


def _check_columns(names: Sequence[str]) -> None:
    """Refuse more columns than anybody can mark, and names that libraries take for patterns; an index has no name."""
    raise_together(name_faults(name for name in names if name))
    if len(names) > MOST_COLUMNS:
        raise DataError(
            f"The table has {len(names)} columns, more than the {MOST_COLUMNS} that can be given a role one by one.",
            code="data.columns",
            hint="Name the columns that matter; the others are neither read nor published.",
        )


def _check_delimiter(names: Sequence[str], delimiter: str | None) -> None:
    """Refuse a single column whose name contains separators: the table must have another delimiter."""
    if len(names) == 1 and any(character in names[0] for character in ",;\t|:"):
        reading = f" with the delimiter {delimiter!r}" if delimiter else ""
        raise DataError(
            f"The table is read as a single column{reading}, but its first line contains characters that may "
            "separate columns.",
            code="data.delimiter",
            hint=f"Name the separator (e.g. {option('delimiter', ';')}), or leave it out to have it guessed.",
        )


def _count_people(
    profiles: tuple[ColumnProfile, ...], rows: CodedRows, known: Sequence[str], domains: Mapping[str, Domain]
) -> Inspection:
    """Count the people who stand out on the known columns, and measure how mixed the sensitive ones are."""
    anonymity = measure_anonymity(rows, known, domains)
    whole = Uniqueness(tuple(known), rows.total, *count_small(anonymity.sizes))
    several = known if len(known) > 1 else ()
    adds = {name: whole.alone - rows.measure(known, without=name).alone for name in several}
    combinations, possible = count_combinations(rows, known)
    shares = share_out(combinations, known)
    return Inspection(
        rows.total,
        profiles,
        tuple(known),
        whole,
        adds,
        tuple(combinations),
        possible,
        shares=shares,
        anonymity=anonymity,
    )
