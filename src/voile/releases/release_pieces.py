"""A release in parts, read piece by piece, so that no more than one piece is in memory at a time.

A piece holds whole groups. A group that lies in a single part is read there; groups with rows in several parts are
collected first, so that no answer depends on how a release was cut into parts, and nobody needs to trust whoever cut
it. Verify, the audit and the measures all work on such pieces.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl

from voile.errors import BrokenPromise
from voile.releases.certificate import Certificate
from voile.releases.partitioned_tables import PartitionedTables, count_part, hash_groups, stack_tables
from voile.releases.release import Release, find_shape
from voile.releases.shape_answers import SensitiveHome
from voile.tables.domain import encode_values
from voile.tables.group_counts import Counts
from voile.tables.hierarchy import hierarchy_from_rows
from voile.tables.part_protocol import Over, Parts

Tables = dict[str, pl.DataFrame]
ValueTotals = Mapping[str, pl.DataFrame]  # of each sensitive column: value, people
Keys = Mapping[str, list[str]]  # of each table: the columns that say to which group a row belongs


@dataclass(frozen=True, eq=False)
class PartSummary:
    """The contents of a part: rows by table, the hashes of its groups, how often each sensitive value occurs; and the
    answers about it, if a question was asked at once."""

    rows: Mapping[str, int]
    groups: np.ndarray
    values: ValueTotals
    answers: Any = None


@dataclass(frozen=True, eq=False)
class Pieces:
    """A release as pieces that hold whole groups. `values` counts each sensitive value in the whole release."""

    release: Release
    whole: Sequence[Parts]
    values: ValueTotals

    def __repr__(self) -> str:
        return f"Pieces({sum(len(parts) for parts in self.whole)} of a {self.release.shape} release)"

    def map(self, what: str, work: Callable[..., Any], *more: Any) -> list[Any]:
        """Return `work(piece, *more)` for every piece with people in it; a piece is a release of its own."""
        release, found = self.release, list[Any]()
        dictionary = _list_values(release.dictionary, self.values)
        for parts in self.whole:
            told = parts.map(what, apply_to_piece, release.shape, dictionary, release.certificate, work, more).summaries
            found += [one[0] for one in told if one]
        return found

    def mapper(self, what: str) -> Over:
        """Return `map` as a function for callers who know nothing of parts; pieces know the totals of the release."""
        return lambda work, *more: self.map(what, apply_with_totals, self.values, work, more)


def lies_in_pieces(release: Release) -> bool:
    """Whether a release is to be read piece by piece."""
    return isinstance(release.tables, PartitionedTables) and bool(release.group_columns)


def split_into_pieces(release: Release) -> Pieces:
    """Return the pieces of a release. Which groups lie in several parts is computed once."""
    return split_and_check(release, ())[0]


def split_and_check(release: Release, at_once: tuple[Any, ...]) -> tuple[Pieces, list[Any] | None]:
    """Return the pieces; and the answers about each, if a question was asked at once and every part is a piece."""
    tables = release.tables
    assert isinstance(tables, PartitionedTables)
    parts, keys, homes = tables.parts, release.group_columns, release.sensitive_homes
    known = f"pieces by {keys} with {homes}"  # another dictionary may name other columns
    if known in tables.findings:
        return Pieces(release, *tables.findings[known]), None
    _require(tables, [*keys.items(), *((home.table, [name]) for name, home in homes.items())])
    marked: list[PartSummary] = parts.map(
        "check" if at_once else "mark", summarize_part, keys, homes, at_once
    ).summaries
    tables.record_counts(keys, [(note.rows, note.groups) for note in marked])
    values = {name: _sum_values([note.values[name] for note in marked]) for name in homes}
    shared, whole = _find_shared([note.groups for note in marked]), [parts]
    if len(shared):
        number = max(1, -(-len(shared) * len(parts) // max(sum(len(note.groups) for note in marked), 1)))
        joined = parts.repartition("join", collect_shared_rows, join_pieces, number, keys, shared, number)
        whole = [parts.map_lazily(drop_shared_groups, keys, shared), joined]
    tables.findings[known] = (whole, values)
    done = [one for note in marked for one in note.answers] if at_once and not len(shared) else None
    return Pieces(release, whole, values), done


def _require(tables: PartitionedTables, wanted: Sequence[tuple[str, list[str]]]) -> None:
    for table, columns in wanted:
        lacking = [name for name in columns if name not in tables.empty.get(table, pl.DataFrame()).columns]
        if lacking:
            raise BrokenPromise(
                f"The published table {table!r} has no column {lacking[0]!r}, which its dictionary describes.",
                code="broken.table",
                hint="The folder was changed after publishing.",
            )


def summarize_part(
    tables: Tables, number: int, keys: Keys, homes: Mapping[str, SensitiveHome], at_once: tuple[Any, ...]
) -> tuple[None, PartSummary]:
    _, (rows, groups) = count_part(tables, number, keys)
    values = {}
    for name, home in homes.items():
        table = tables[home.table]
        people = pl.col(home.count_column).sum() if home.count_column else pl.len()
        found = table.group_by(pl.col(name).alias("value")).agg(people.cast(pl.Int64).alias("people"))
        named = found.schema["value"] in (pl.Enum, pl.Categorical)
        values[name] = found.with_columns(pl.col("value").cast(pl.String)) if named else found
    return None, PartSummary(rows, groups, values, apply_to_piece(tables, number, *at_once)[1] if at_once else ())


def _find_shared(groups: Sequence[np.ndarray]) -> np.ndarray:
    """Return the hashes of the groups that lie in more than one part."""
    every = np.sort(np.concatenate(groups))
    return np.unique(every[1:][every[1:] == every[:-1]])


def _sum_values(tables: Sequence[pl.DataFrame]) -> pl.DataFrame:
    return pl.concat(tables).group_by("value").agg(pl.col("people").sum()).sort("value", nulls_last=True)


def _list_values(dictionary: Mapping[str, Any], values: ValueTotals) -> dict[str, Any]:
    """Return the dictionary with all values of the sensitive columns, so that every piece codes them alike."""
    entries = []
    for entry in dictionary["columns"]:
        if entry["name"] in values and "values" not in entry["domain"]:
            known = values[str(entry["name"])]["value"].drop_nulls()
            listed = known.cast(pl.String).to_list() if known.dtype.is_temporal() else known.to_list()
            entry = {**entry, "domain": {**entry["domain"], "values": listed}}
        entries.append(entry)
    return {**dictionary, "columns": entries}


def drop_shared_groups(tables: Tables, number: int, keys: Keys, shared: np.ndarray) -> Tables:
    """Return a part without the groups that it shares with others."""
    return {
        name: table.filter(~np.isin(hash_groups(table, keys[name]), shared)) if name in keys else table
        for name, table in tables.items()
    }


def collect_shared_rows(
    tables: Tables, number: int, keys: Keys, shared: np.ndarray, homes: int
) -> list[tuple[int, Tables]]:
    """Return the rows of groups that lie in several parts, by the part where they are collected."""
    found: dict[int, Tables] = {}
    for name, columns in keys.items():
        group = hash_groups(tables[name], columns)
        place = np.flatnonzero(np.isin(group, shared))
        home = (group[place] % np.uint64(homes)).astype(np.int64)
        for one in np.unique(home):
            found.setdefault(int(one), {})[name] = tables[name][place[home == one]]
    empty = {name: tables[name].clear() for name in keys}
    return [(home, {**empty, **pieces}) for home, pieces in found.items()]


def join_pieces(pieces: Sequence[Tables], number: int) -> Tables:
    return {name: stack_tables([piece[name] for piece in pieces]) for name in pieces[0]} if pieces else {}


def apply_to_piece(
    tables: Tables,
    number: int,
    shape: str,
    dictionary: Mapping[str, Any],
    certificate: Certificate,
    work: Callable[..., Any],
    more: tuple[Any, ...],
) -> tuple[None, tuple[Any, ...]]:
    """Apply a function to one piece, as a release of its own; return nothing if it has no people."""
    if not tables or not any(table.height for table in tables.values()):
        return None, ()
    return None, (work(find_shape(shape)(tables, dictionary, certificate), *more),)


def apply_with_totals(piece: Release, values: ValueTotals, work: Callable[..., Any], more: tuple[Any, ...]) -> Any:
    """Apply a function to a piece that knows the totals of the whole release."""
    piece.__dict__["tallies"] = add_totals(piece, values)
    return work(piece, *more)


def add_totals(release: Release, values: ValueTotals) -> dict[str, Counts]:
    """Return the tallies of a piece with the number of times that each value occurs in the whole release."""
    found = {}
    for name, counts in release.tallies.items() if values else ():
        assert counts.column is not None
        column, told = counts.column, values[name]
        if told["value"].null_count() and not column.domain.missing:  # other pieces have missing values, the last code
            domain = replace(column.domain, missing=True)
            rows = next(entry for entry in release.described("sensitive") if entry["name"] == name).get("hierarchy")
            column = replace(column, domain=domain, hierarchy=hierarchy_from_rows(domain, rows) if rows else None)
        codes = encode_values(column.domain, told["value"].cast(column.domain.values.dtype))
        totals = np.bincount(codes, told["people"].to_numpy(), column.size).astype(np.int64)
        found[name] = replace(counts, totals=totals, column=column)
    return found
