"""Inspect: a table before anything is done to it. What the columns hold, what they may be for, and who stands out.

Who is alone with their values on some columns is found by anybody who knows those columns. Nothing here names a cell.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
import polars as pl

from voile.engines.base import Source
from voile.engines.memory import load_frame
from voile.engines.memory_rows import build_rows
from voile.errors import DataError, VoileError, option
from voile.tables.domain import Domain, encode_column, infer_kind
from voile.tables.microdata import Microdata
from voile.tables.role_guessing import ColumnProfile, suggest_role
from voile.tables.row_protocol import Table
from voile.tables.schema import Schema

MOST_COLUMNS = 256  # more than anybody can give a role to, one by one
TOGETHER = 3  # columns combined at most
VISITS = 60_000_000  # distinct rows looked at, over all combinations
FEW = 5  # a group of fewer people is small


@dataclass(frozen=True)
class Uniqueness:
    """How many people stand out on some columns: `alone` share their values with nobody, `few` are in groups of fewer
    than `FEW` people."""

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

    `known` are the columns that an adversary is assumed to know, `whole` is how people stand out on all of them, `adds`
    how many people each of them singles out that the others do not, and `combinations` the uniqueness on up to three of
    them (`possible` counts all combinations; of wide or long tables only the likeliest are computed).
    """

    people: int
    columns: tuple[ColumnProfile, ...]
    known: tuple[str, ...]
    whole: Uniqueness | None
    adds: Mapping[str, int] = field(default_factory=dict)
    combinations: tuple[Uniqueness, ...] = ()
    possible: int = 0

    def __repr__(self) -> str:
        alone = f"; {self.whole.alone} alone on {', '.join(self.known)}" if self.whole else ""
        return f"Inspection({self.people} rows, {len(self.columns)} columns{alone})"

    def __getitem__(self, name: str) -> ColumnProfile:
        return next(column for column in self.columns if column.name == name)

    def roles(self) -> dict[str, list[str]]:
        """The suggested roles, as a schema takes them."""
        return {
            role: [column.name for column in self.columns if column.role == role]
            for role in ("identifier", "quasi", "sensitive", "other")
        }

    def riskiest(self, each: int = 4) -> list[Uniqueness]:
        """Of one, two and three columns those on which most people are alone; a column more must single out more."""
        found: list[Uniqueness] = []
        for size in range(1, TOGETHER + 1):
            ranked = sorted(
                (crowd for crowd in self.combinations if len(crowd.columns) == size and crowd.alone),
                key=lambda crowd: (-crowd.alone, crowd.columns),
            )
            found += [
                crowd
                for crowd in ranked[:each]
                if all(crowd.alone > less.alone for less in found if set(less.columns) < set(crowd.columns))
            ]
        return found

    def advice(self, schema: Schema) -> list[str]:
        """What is unwise about the roles of a schema, each with what to do."""
        return [*_advice(self, schema)]

    def as_json(self) -> dict[str, Any]:
        return {
            "people": self.people,
            "columns": [asdict(column) for column in self.columns],
            "known": list(self.known),
            "whole": asdict(self.whole) if self.whole else None,
            "adds": dict(self.adds),
            "riskiest": [asdict(crowd) for crowd in self.riskiest()],
            "looked_at": len(self.combinations),
            "possible": self.possible,
        }


def inspect(
    source: Any,
    schema: Schema | None = None,
    *,
    columns: Sequence[str] | None = None,
    query: str | None = None,
    delimiter: str | None = None,
    encoding: str = "utf8",
    null_values: Sequence[str] = (),
) -> Inspection:
    """Look at a table as it is: kinds, suggested roles, and who stands out on the columns that others may know.

    Those are the quasi-identifier columns of a schema (or of a table that was read with one), or the suggested ones.
    `columns` limits what is looked at.

    >>> import voile as vl
    >>> vl.inspect(vl.datasets.hospital()).roles()["identifier"]
    ['name']
    """
    if isinstance(source, Microdata):
        return _of_microdata(source)
    wanted = Schema(quasi=columns) if columns else None
    described = Source(source, query, delimiter, encoding, null_values)

    def check(names: Sequence[str]) -> None:
        _check_width(columns or names)
        if described.path is not None:
            _check_delimiter(names, delimiter)
        if wanted is not None:
            wanted.check(names)

    frame = load_frame(described, wanted, check)
    if frame.height == 0:
        raise DataError("The table has no rows.", code="data.no-rows", hint="Check the file or the query.")
    seen, coded = [], {}
    for name in frame.columns:
        values = frame[name]
        try:
            domain, codes = encode_column(name, values, infer_kind(values), None)
        except VoileError as error:  # a type without values to compare has no place in a release
            seen.append(ColumnProfile(name, "none", str(values.dtype.base_type()), 0, 0, 0, "", error.message))
            continue
        coded[name] = (domain, codes)
        seen.append(_seen(name, domain, np.bincount(codes, minlength=domain.size)))
    known = schema.quasi if schema else [column.name for column in seen if column.role == "quasi"]
    names = [name for name in known if name in coded]
    if not names:
        return Inspection(frame.height, tuple(seen), (), None)
    sizes = {name: coded[name][0].size for name in names}
    rows = build_rows(names, [coded[name][1] for name in names], list(sizes.values()))
    return _risk(tuple(seen), rows, sizes)


def _of_microdata(data: Microdata) -> Inspection:
    """Inspect a table that was read: its published columns, with its quasi-identifier as the known columns."""
    seen = []
    for column in data.columns:
        table = data.rows.histogram([column.name])
        counts = np.zeros(column.size, dtype=np.int64)
        counts[table.codes[:, 0]] = table.counts
        seen.append(_seen(column.name, column.domain, counts))
    return _risk(tuple(seen), data.rows, {column.name: column.size for column in data.columns.quasi})


def _check_width(names: Sequence[str]) -> None:
    if len(names) > MOST_COLUMNS:
        raise DataError(
            f"The table has {len(names)} columns, more than the {MOST_COLUMNS} that can be given a role one by one.",
            code="data.columns",
            hint="Name the columns that matter; the others are neither read nor published.",
        )


def _check_delimiter(names: Sequence[str], delimiter: str | None) -> None:
    """Refuse a single column whose name contains separators: the table has another delimiter."""
    if len(names) == 1 and any(sign in names[0] for sign in ",;\t|:"):
        given = f" with the delimiter {delimiter!r}" if delimiter else ""
        raise DataError(
            f"The table is read as a single column{given}, but its first line contains characters that may "
            "separate columns.",
            code="data.delimiter",
            hint=f"Name the separator (e.g. {option('delimiter', ';')}), or leave it out to have it guessed.",
        )


def _seen(name: str, domain: Domain, counts: np.ndarray) -> ColumnProfile:
    people, missing = int(counts.sum()), int(counts[-1]) if domain.missing else 0
    counts = counts[:-1] if domain.missing else counts
    texts = domain.values.dtype == pl.String
    length = float(domain.values.str.len_chars().mean() or 0) if texts else 0.0  # type: ignore[arg-type]
    kind, dtype = domain.kind, str(domain.values.dtype.base_type())
    plain = ColumnProfile(name, kind, dtype, int((counts > 0).sum()), missing, int((counts == 1).sum()))
    return suggest_role(plain, people, length)


def _risk(seen: tuple[ColumnProfile, ...], rows: Table, sizes: Mapping[str, int]) -> Inspection:
    """Count who stands out on the columns with these sizes."""
    names = list(sizes)
    whole = _measure_uniqueness(rows, names)
    adds = {}
    if len(names) > 1:
        for name in names:
            adds[name] = whole.alone - _measure_uniqueness(rows, [other for other in names if other != name]).alone
    sets = [one for size in range(1, TOGETHER + 1) for one in itertools.combinations(names, size)]
    distinct = len(rows.histogram(rows.names).counts)
    affordable = max(VISITS // max(distinct, 1), len(names))
    chosen = sets if len(sets) <= affordable else _likeliest(sets, sizes, affordable)
    found = tuple(_measure_uniqueness(rows, list(one)) for one in chosen)
    return Inspection(rows.total, seen, tuple(names), whole, adds, found, len(sets))


def _likeliest(sets: list[tuple[str, ...]], sizes: Mapping[str, int], number: int) -> list[tuple[str, ...]]:
    """Every single column, then the sets with the most possible combinations of values."""
    ranked = sorted(sets, key=lambda one: (len(one) > 1, -sum(math.log(max(sizes[name], 1)) for name in one)))
    return ranked[:number]


def _measure_uniqueness(rows: Table, names: list[str]) -> Uniqueness:
    counts = rows.histogram(names).counts
    return Uniqueness(tuple(names), rows.total, int((counts == 1).sum()), int(counts[counts < FEW].sum()))


def _advice(found: Inspection, schema: Schema) -> Iterator[str]:
    by_name = {column.name: column for column in found.columns}
    for name in (*schema.quasi, *schema.sensitive):
        column = by_name.get(name)
        if column is None or column.kind not in ("categorical", "ordered") or name in schema.hierarchies:
            continue
        if 2 * column.alone > found.people and column.alone > 20:
            lost = f"{column.alone:,} of {found.people:,} people have a value of {name!r} that nobody else has."
            if name in schema.quasi:
                yield (
                    f"{lost} If others may know it, nearly every cell would be shown as *, and everything becomes "
                    "slow. Mark it as an identifier or leave it out, or give it a hierarchy."
                )
            else:
                yield (
                    f"{lost} A secret that is different for everybody cannot be counted by those who receive the "
                    "release. Mark it as an identifier, or leave it out."
                )
    if not schema.sensitive:
        yield (
            "No column is marked as secret: only promises about finding a person's row can be made, none about what "
            "is learned of a person. Mark the columns that nobody should learn."
        )
    if len(schema.quasi) > 12:
        yield (
            f"{len(schema.quasi)} columns are marked as known to others. The more there are, the coarser they must be "
            "shown. Leave out what the recipients do not need."
        )
