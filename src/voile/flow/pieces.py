"""Checking a release that lies in parts: no more than one part is in memory at a time.

A group that lies in one part only is judged there. Groups of which several parts hold something are brought together
first, so that nothing depends on how a release was cut into parts, and nobody need trust who cut it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl

from voile.core.certificate import Certificate
from voile.core.counts import Counts
from voile.core.domain import codes_in
from voile.core.evidence import Evidence
from voile.core.kept import Kept, stacked
from voile.core.release import Release, of_shape
from voile.core.results import Answer, Checked

Tables = dict[str, pl.DataFrame]
DIVISIBLE = ("generalized", "bucketized")  # shapes whose groups can be judged one by one


@dataclass(frozen=True, eq=False)
class Marked:
    """What a part holds: its groups, as numbers that stand for them, and how often each sensitive value occurs."""

    groups: np.ndarray
    values: Mapping[str, pl.DataFrame]


@dataclass(frozen=True, eq=False)
class Judged:
    """What was found in a piece."""

    people: int
    groups: int
    faults: Sequence[str]
    checks: Sequence[Checked]
    found: Sequence[Mapping[str, Any]]


def in_pieces(release: Release) -> bool:
    """Whether a release is to be judged piece by piece."""
    return isinstance(release.tables, Kept) and release.shape in DIVISIBLE


def judged(release: Release, evidence: Evidence, judge: Any) -> list[Judged]:
    """What `judge(piece, totals, evidence)` says of every piece of a release."""
    assert isinstance(release.tables, Kept)
    parts = release.tables.parts
    keys = group_columns(release)
    marked = parts.map("mark", mark, keys, sensitive_tables(release))
    shared = _in_several([note.groups for note in marked.notes])
    values = {name: _summed([note.values[name] for note in marked.notes]) for name in marked.notes[0].values}
    dictionary = _listing(release.dictionary, values)
    more = (release.shape, dictionary, release.certificate, values, evidence, judge)
    if not len(shared):
        return parts.map("check", check, *more).notes
    apart = parts.map("part", without, keys, shared).map("check", check, *more).notes
    number = max(1, -(-len(shared) * len(parts) // max(sum(len(note.groups) for note in marked.notes), 1)))
    joined = parts.scatter("join", shared_rows, join_pieces, number, keys, shared, number)
    return [*apart, *joined.map("check", check, *more).notes]


def group_columns(release: Release) -> dict[str, list[str]]:
    """The columns of each table that say to which group a row belongs."""
    if release.shape == "generalized":
        return {"table": [str(entry["name"]) for entry in release.described("quasi")]}
    return {"quasi": ["group"], "sensitive": ["group"]}


def sensitive_tables(release: Release) -> dict[str, str]:
    """Where each sensitive column is."""
    home = "table" if release.shape == "generalized" else "sensitive"
    return {str(entry["name"]): home for entry in release.described("sensitive")}


def mark(tables: Tables, number: int, keys: Mapping[str, list[str]], homes: Mapping[str, str]) -> tuple[None, Marked]:
    groups = np.unique(np.concatenate([numbers(tables[name], columns) for name, columns in keys.items()]))
    values = {}
    for name, home in homes.items():
        table = tables[home]
        people = pl.col("count").sum() if home == "sensitive" else pl.len()
        found = table.group_by(pl.col(name).alias("value")).agg(people.cast(pl.Int64).alias("people"))
        named = found.schema["value"] in (pl.Enum, pl.Categorical)
        values[name] = found.with_columns(pl.col("value").cast(pl.String)) if named else found
    return None, Marked(groups, values)


def numbers(table: pl.DataFrame, columns: Sequence[str]) -> np.ndarray:
    """A number for the group of each row: equal cells have equal numbers, whatever the type of the column."""
    mixed = np.zeros(table.height, dtype=np.uint64)
    for name in columns:
        values = table[name]
        if isinstance(values.dtype, pl.Enum) and not values.null_count():
            each = values.dtype.categories.hash(1).to_numpy()[values.to_physical().to_numpy()]
        else:
            each = values.cast(pl.String).hash(1).to_numpy()
        mixed = (mixed ^ each) * np.uint64(0x9E3779B97F4A7C15)
        mixed ^= mixed >> np.uint64(29)
    return mixed


def _in_several(groups: Sequence[np.ndarray]) -> np.ndarray:
    """The numbers that more than one part holds."""
    every = np.sort(np.concatenate(groups))
    return np.unique(every[1:][every[1:] == every[:-1]])


def _summed(tables: Sequence[pl.DataFrame]) -> pl.DataFrame:
    return pl.concat(tables).group_by("value").agg(pl.col("people").sum()).sort("value", nulls_last=True)


def _listing(dictionary: Mapping[str, Any], values: Mapping[str, pl.DataFrame]) -> dict[str, Any]:
    """The dictionary with all values of the sensitive columns, so that every piece numbers them alike."""
    entries = []
    for entry in dictionary["columns"]:
        if entry["name"] in values and "values" not in entry["domain"]:
            known = values[str(entry["name"])]["value"].drop_nulls()
            listed = known.cast(pl.String).to_list() if known.dtype.is_temporal() else known.to_list()
            entry = {**entry, "domain": {**entry["domain"], "values": listed}}
        entries.append(entry)
    return {**dictionary, "columns": entries}


def without(tables: Tables, number: int, keys: Mapping[str, list[str]], shared: np.ndarray) -> tuple[Tables, None]:
    """A part without the groups that others share."""
    return {
        name: table.filter(~np.isin(numbers(table, keys[name]), shared)) if name in keys else table
        for name, table in tables.items()
    }, None


def shared_rows(
    tables: Tables, number: int, keys: Mapping[str, list[str]], shared: np.ndarray, homes: int
) -> list[tuple[int, Tables]]:
    """The rows of groups that several parts hold, by where they are brought together."""
    found: dict[int, Tables] = {}
    for name, columns in keys.items():
        group = numbers(tables[name], columns)
        place = np.flatnonzero(np.isin(group, shared))
        home = (group[place] % np.uint64(homes)).astype(np.int64)
        for one in np.unique(home):
            found.setdefault(int(one), {})[name] = tables[name][place[home == one]]
    empty = {name: tables[name].clear() for name in keys}
    return [(home, {**empty, **pieces}) for home, pieces in found.items()]


def join_pieces(pieces: Sequence[Tables], number: int) -> Tables:
    return {name: stacked([piece[name] for piece in pieces]) for name in pieces[0]} if pieces else {}


def check(
    tables: Tables,
    number: int,
    shape: str,
    dictionary: Mapping[str, Any],
    certificate: Certificate,
    values: Mapping[str, pl.DataFrame],
    evidence: Evidence,
    judge: Any,
) -> tuple[None, Judged]:
    """One piece, as a release of its own whose totals are those of the whole."""
    if not tables or not any(table.height for table in tables.values()):
        return None, Judged(0, 0, (), (), ())
    piece = of_shape(shape)(tables, dictionary, certificate)
    return None, judge(piece, values, evidence)


def with_totals(release: Release, values: Mapping[str, pl.DataFrame]) -> dict[str, Counts]:
    """The tallies of a piece, which know how often each value occurs in the whole release."""
    found = {}
    for name, counts in release.tallies.items():
        assert counts.column is not None
        domain, told = counts.column.domain, values[name]
        codes = codes_in(domain, told["value"].cast(domain.values.dtype))
        totals = np.bincount(codes, told["people"].to_numpy(), domain.size).astype(np.int64)
        found[name] = replace(counts, totals=totals)
    return found


def combined(pieces: Sequence[Judged]) -> tuple[list[Checked], list[dict[str, Any]]]:
    """One answer a claim: broken where one piece is, and what was found is the worst of all."""
    some = [piece for piece in pieces if piece.groups or piece.faults]
    if not some:
        return [], []
    groups = sum(piece.groups for piece in some)
    checks, found = [], []
    for number, first in enumerate(some[0].checks):
        every = [piece.checks[number] for piece in some]
        worst = next((one for answer in (Answer.BROKEN, Answer.NEEDS) for one in every if one.answer is answer), None)
        broken = sum(one.answer is Answer.BROKEN for one in every)
        if worst is None:
            checks.append(Checked(first.what, Answer.HOLDS, f"Recounted in {groups} groups, in {len(some)} pieces."))
        elif worst.answer is Answer.BROKEN and len(some) > 1:
            checks.append(replace(worst, detail=f"{worst.detail} (In {broken} of {len(some)} pieces.)"))
        else:
            checks.append(worst)
        told = [piece.found[number] for piece in some]
        found.append({key: max(one[key] for one in told if key in one) for key in {k for one in told for k in one}})
    return checks, found
