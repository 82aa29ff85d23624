"""Inspect: look at a table before anything is done to it: what its columns hold, which roles they may have, and how
many people stand out.

A person whose values on some columns nobody else has can be found by anybody who knows those columns. No result shows
a cell.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np

from voile.engines.base import Source
from voile.engines.memory import load_frame
from voile.engines.memory_rows import build_rows
from voile.engines.person_rows import PersonRows, hash_people, write_names
from voile.errors import DataError, SchemaError, option
from voile.flow.explore.column_profiles import (
    ColumnProfile,
    RepeatedValues,
    find_repeats,
    profile_column,
    profile_table,
)
from voile.flow.explore.role_advice import give_advice
from voile.io.conversions.column_readings import ReadingRecord
from voile.io.conversions.encodings import AUTO
from voile.tables.microdata import PUBLIC_KEY, Microdata
from voile.tables.roles.role_guessing import UNSURE
from voile.tables.row_protocol import Table
from voile.tables.schema import Schema, suggest_name
from voile.tables.unit import ASSUMED, IDENTIFIER, ONE_ROW, PERSON_COLUMN, Unit
from voile.tables.value_variants import Variants, find_table_variants, merge_table_variants

MOST_COLUMNS = 256  # more columns than a person can give a role to, one by one
TOGETHER = 3  # at most as many columns are combined
VISITS = 60_000_000  # distinct rows to count, over all combinations
FEW = 5  # a group of fewer people is small


@dataclass(frozen=True)
class Uniqueness:
    """How many people stand out on some columns: `alone` people share their values with nobody, `few` people are in
    groups of fewer than `FEW`."""

    columns: tuple[str, ...]
    people: int
    alone: int
    few: int

    @property
    def share(self) -> float:
        return self.alone / self.people


@dataclass(frozen=True, eq=False, repr=False)
class Inspection:
    """The result of `inspect`.

    `known` are the columns that an adversary is assumed to know, `whole` is the uniqueness on all of them, `adds` the
    number of people that each of them singles out and the others do not, and `combinations` the uniqueness on up to
    three of them. `possible` counts all combinations; on wide or long tables only the most telling are computed.
    `repeats` are the columns that look like identifiers and whose values repeat: a person may have several rows. Where
    a column tells people apart, as a schema says or else as suggested, people stand out by one row each: somebody with
    two equal rows is alone all the same. `unit` says whether people are counted there, or rows. `reading` tells how the
    text of a file was converted and what a person must decide there; `variants` are categories that may be one.
    """

    people: int
    columns: tuple[ColumnProfile, ...]
    known: tuple[str, ...]
    whole: Uniqueness | None
    adds: Mapping[str, int] = field(default_factory=dict)
    combinations: tuple[Uniqueness, ...] = ()
    possible: int = 0
    repeats: tuple[RepeatedValues, ...] = ()
    unit: Unit = ONE_ROW
    reading: ReadingRecord = field(default_factory=ReadingRecord)
    variants: tuple[Variants, ...] = ()

    def __repr__(self) -> str:
        alone = f"; {self.whole.alone} alone on {', '.join(self.known)}" if self.whole else ""
        size = f"{self.people} {self.row_noun}"
        return f"Inspection({size}, {len(self.columns)} columns{alone})"

    def __getitem__(self, name: str) -> ColumnProfile:
        return next(column for column in self.columns if column.name == name)

    @property
    def row_noun(self) -> str:
        """What `people` and the profiles of the columns count: "people" where every row is known to be one."""
        one_row_each = self.whole is None or self.whole.people == self.people
        return "people" if self.unit.checked and one_row_each else "rows"

    @property
    def suggested_person(self) -> str | None:
        """The column that seems to tell people apart although its values repeat; of several the one that tells apart
        the most. None if another such column is different in every row."""
        whole = [column for column in self.columns if column.tells_people_apart and column.distinct == self.people]
        candidates = [item for item in self.repeats if item.is_person]
        if whole or not candidates:
            return None
        return max(candidates, key=lambda item: (item.different, item.column)).column

    def undecided(self) -> list[str]:
        """Return the columns about which nothing can be suggested: a person must decide on each."""
        return [column.name for column in self.columns if column.role == UNSURE]

    def roles(self) -> dict[str, list[str]]:
        """Return the suggested roles, as a schema takes them, without the undecided columns."""
        return {
            role: [column.name for column in self.columns if column.role == role]
            for role in ("identifier", "quasi", "sensitive", "other")
        }

    def riskiest(self, each: int = 4) -> list[Uniqueness]:
        """Return, for one, two and three columns, the combinations that single out the most people. A combination that
        singles out no more people than one that it contains is left out."""
        riskiest: list[Uniqueness] = []
        for size in range(1, TOGETHER + 1):
            ranked = sorted(
                (item for item in self.combinations if len(item.columns) == size and item.alone),
                key=lambda item: (-item.alone, item.columns),
            )
            riskiest += [
                item
                for item in ranked[:each]
                if all(item.alone > subset.alone for subset in riskiest if set(subset.columns) < set(item.columns))
            ]
        return riskiest

    def advice(self, schema: Schema) -> list[str]:
        """Return what is unwise about the roles of a schema, with what to do about it."""
        return [*give_advice(schema, self.columns, self.repeats, self.people, self.row_noun)]

    def as_json(self) -> dict[str, Any]:
        return {
            "people": self.people,
            "columns": [asdict(column) for column in self.columns],
            "known": list(self.known),
            "whole": asdict(self.whole) if self.whole else None,
            "adds": dict(self.adds),
            "riskiest": [asdict(item) for item in self.riskiest()],
            "looked_at": len(self.combinations),
            "possible": self.possible,
            "repeats": [asdict(item) for item in self.repeats],
            "suggested_person": self.suggested_person,
            "undecided": self.undecided(),
            "unit": self.unit.as_json(),
            "reading": {"notes": self.reading.describe(), "spec": self.reading.as_spec(), **self.reading.as_json()},
            "variants": [one.as_json() for one in self.variants],
        }


def inspect(
    source: Any,
    schema: Schema | None = None,
    *,
    columns: Sequence[str] | None = None,
    query: str | None = None,
    delimiter: str | None = None,
    encoding: str = AUTO,
    null_values: Sequence[str] = (),
    convert: Mapping[str, str] | None = None,
    merge: Sequence[str] = (),
) -> Inspection:
    """Inspect a table as it is: kinds, suggested roles, and people who stand out on the columns that others may know.

    Those are the quasi-identifier columns of a schema (or of a table that was read with one), or else the suggested
    ones. `columns` limits the inspection to some columns.

    >>> import voile as vl
    >>> vl.inspect(vl.datasets.hospital()).roles()["identifier"]
    ['name']
    """
    if isinstance(source, Microdata):
        return _inspect_microdata(source)
    subset = Schema(quasi=columns) if columns else None
    table_source = Source(source, query, delimiter, encoding, null_values, convert or {})

    def check_header(names: Sequence[str]) -> None:
        _check_width(columns or names)
        if table_source.path is not None:
            _check_delimiter(names, delimiter)
        if subset is not None:
            subset.check(names)

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
    profiles, coded = profile_table(frame)
    decided: dict[str, Any] = {
        "reading": table_source.record,
        "variants": tuple(one for one in variants if one.column not in merge),
    }
    known = schema.known_columns() if schema else [column.name for column in profiles if column.role == "quasi"]
    names = [name for name in known if name in coded]
    bare = Inspection(frame.height, profiles, (), None, repeats=find_repeats(profiles, coded))
    person = _find_person(bare, schema)
    whole = any(column.role == "identifier" and column.distinct == frame.height for column in profiles)
    unit = Unit(1, PERSON_COLUMN if person in coded else IDENTIFIER if whole else ASSUMED)
    if not names:
        return replace(bare, unit=unit, **decided)
    sizes = {name: coded[name][0].size for name in names}
    codes = [coded[name][1] for name in names]
    if person in coded:
        owner = hash_people(write_names(frame[person]).fill_null(""))
        people = PersonRows(tuple(names), tuple(sizes.values()), tuple(codes), owner)
        inspection = _inspect_rows(profiles, people.draw(1, PUBLIC_KEY), sizes)
    else:
        inspection = _inspect_rows(profiles, build_rows(names, codes, list(sizes.values())), sizes)
    return replace(inspection, people=frame.height, repeats=bare.repeats, unit=unit, **decided)


def _find_person(inspection: Inspection, schema: Schema | None) -> str:
    """Return the column that tells people apart, as a schema says, else as suggested; or an empty text."""
    if schema is not None and (schema.person is not None or schema.rows_are is not None):
        return schema.person or ""
    return inspection.suggested_person or ""


def _inspect_microdata(data: Microdata) -> Inspection:
    """Inspect a table that was read: its published columns, assuming that its quasi-identifier is known. People with
    several rows are counted once, by one row that is drawn."""
    rows = data.rows if data.people is None else data.people.draw(1, PUBLIC_KEY)
    profiles = []
    for column in data.columns:
        table = rows.histogram([column.name])
        counts = np.zeros(column.size, dtype=np.int64)
        counts[table.codes[:, 0]] = table.counts
        profiles.append(profile_column(column.name, column.domain, counts))
    inspection = _inspect_rows(tuple(profiles), rows, {column.name: column.size for column in data.columns.quasi})
    return replace(inspection, unit=replace(data.unit, rows=1))


def _check_width(names: Sequence[str]) -> None:
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


def _inspect_rows(profiles: tuple[ColumnProfile, ...], rows: Table, sizes: Mapping[str, int]) -> Inspection:
    """Count the people who stand out on the columns in `sizes`."""
    names = list(sizes)
    whole = _measure_uniqueness(rows, names)
    adds = {}
    if len(names) > 1:
        for name in names:
            adds[name] = whole.alone - _measure_uniqueness(rows, [other for other in names if other != name]).alone
    sets = [columns for size in range(1, TOGETHER + 1) for columns in itertools.combinations(names, size)]
    distinct = len(rows.histogram(rows.names).counts)
    affordable = max(VISITS // max(distinct, 1), len(names))
    selected = sets if len(sets) <= affordable else _select_sets(sets, sizes, affordable)
    combinations = tuple(_measure_uniqueness(rows, list(columns)) for columns in selected)
    return Inspection(rows.total, profiles, tuple(names), whole, adds, combinations, len(sets))


def _select_sets(sets: list[tuple[str, ...]], sizes: Mapping[str, int], number: int) -> list[tuple[str, ...]]:
    """Select every single column, then the sets with the most possible combinations of values."""
    ranked = sorted(sets, key=lambda names: (len(names) > 1, -sum(math.log(max(sizes[name], 1)) for name in names)))
    return ranked[:number]


def _measure_uniqueness(rows: Table, names: list[str]) -> Uniqueness:
    counts = rows.histogram(names).counts
    return Uniqueness(tuple(names), rows.total, int((counts == 1).sum()), int(counts[counts < FEW].sum()))
