"""The values that the cells of a column may stand for, cut into atoms: single values, or stretches of a long range."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl

from voile.releases.cells.cells import Cells
from voile.releases.cells.column_types import parse_type
from voile.releases.known_rows import KnownColumn
from voile.tables.domain import Domain
from voile.tables.value_text import parse_values

SINGLE_VALUES = 512  # up to this many whole numbers or days, each is an atom
STRETCHES = 128


@dataclass(frozen=True, eq=False)
class Atoms:
    """What each cell stands for. Cell i holds the atoms `members[starts[i]:starts[i+1]]`, each with its share that lies
    in the cell; of `needed_atoms[needed_starts[i]:needed_starts[i+1]]` at least `needed_counts` rows of a box must
    have each. `edges` are the ends of stretches in physical numbers; None where atoms are the codes of `domain`."""

    domain: Domain
    size: int
    starts: np.ndarray
    members: np.ndarray
    shares: np.ndarray
    needed_starts: np.ndarray
    needed_atoms: np.ndarray
    needed_counts: np.ndarray
    edges: np.ndarray | None = None
    low: np.ndarray | None = None
    high: np.ndarray | None = None
    digits: int | None = None

    def __repr__(self) -> str:
        return f"Atoms({self.size} in {len(self.starts) - 1} cells)"

    @property
    def widths(self) -> np.ndarray:
        """The number of atoms in each cell."""
        return np.diff(self.starts)

    def lengths(self) -> np.ndarray:
        """Return how much of the domain each atom covers, together 1."""
        if self.edges is None:
            return np.full(self.size, 1 / max(self.size, 1))
        found = np.append(np.diff(self.edges).astype(np.float64), [])
        found = found / found.sum()
        return np.append(found, [found.mean()] * (self.size - len(found))) / (1 + (self.size - len(found)) / len(found))

    def hides(self) -> np.ndarray:
        """Which cells leave something open."""
        if self.edges is None:
            return np.asarray(self.widths > 1)
        assert self.low is not None and self.high is not None
        return np.asarray((self.widths > 1) | (self.low < self.high))


def cut_atoms(column: KnownColumn) -> Atoms:
    """Cut what a column's cells stand for into atoms."""
    cells = column.cells
    if cells.members is not None or column.is_exact or not len(cells.domain.values):
        return _cut_codes(column)
    listed = column.entry["domain"].get("values")
    domain = _listed_domain(listed, cells) if listed else _whole_domain(cells)
    if domain is not None:
        return _cut_points(column, domain)
    return _cut_stretches(column)


def _cut_codes(column: KnownColumn) -> Atoms:
    """Every value of the domain is an atom."""
    cells = column.cells
    matrix = cells.matrix
    starts, members = matrix.indptr.astype(np.int64), matrix.indices.astype(np.int64)
    if cells.prefixes:  # the beginning of a code stands for itself only where no code is known that begins so
        pseudo = np.isin(np.array(cells.domain.labels), list(cells.prefixes))
        owner = np.repeat(np.arange(len(cells)), np.diff(starts))
        real = np.bincount(owner[~pseudo[members]], minlength=len(cells)) > 0
        keep = ~pseudo[members] | ~real[owner]
        starts, members = np.append(0, np.cumsum(np.bincount(owner[keep], minlength=len(cells)))), members[keep]
    needed = _needed_codes(column, starts, members)
    return Atoms(cells.domain, cells.domain.size, starts, members, np.ones(len(members), np.float32), *needed)


def _needed_codes(
    column: KnownColumn, starts: np.ndarray, members: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the values that must occur in a box with each cell: those of a set that published cells list by name, of a
    set of ordered values its two ends."""
    none = np.zeros(len(starts), np.int64), np.zeros(0, np.int64), np.zeros(0, np.int64)
    if not column.tight:
        return none
    owner, place = np.repeat(np.arange(len(starts) - 1), np.diff(starts)), np.arange(len(members))
    if column.domain.kind == "ordered":
        marked = column.is_plain[owner] & ((place == starts[owner]) | (place == starts[owner + 1] - 1))
    else:
        marked = column.is_listed[members] & (column.is_plain[owner] | (not column.grown))
    atoms = members[marked]
    counts = np.bincount(owner[marked], minlength=len(starts) - 1)
    return np.append(0, np.cumsum(counts)), atoms, np.ones(len(atoms), np.int64)


def _listed_domain(listed: list[Any], cells: Cells) -> Domain:
    """Return the declared values as a domain of points."""
    dtype = cells.domain.values.dtype
    values = pl.Series(listed, strict=False)
    values = parse_values(values, dtype) if values.dtype == pl.String else values.cast(dtype)
    return Domain(values.unique().sort(), cells.domain.kind, cells.domain.missing)


def _whole_domain(cells: Cells) -> Domain | None:
    """Return all whole numbers or days from the least to the greatest end; None where they are too many."""
    values = cells.domain.values
    if values.dtype.is_float() or values.dtype.is_decimal():
        return None
    ends = values.to_physical()
    first, last = int(ends[0]), int(ends[-1])
    if last - first >= SINGLE_VALUES:
        return None
    points = pl.Series(np.arange(first, last + 1), dtype=ends.dtype).cast(values.dtype)
    return Domain(points, cells.domain.kind, cells.domain.missing)


def _ends(cells: Cells) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the physical ends of each cell, and which cells hold no value but a missing one."""
    assert cells.low is not None and cells.high is not None
    points = cells.domain.values.to_physical().to_numpy()
    return points[np.clip(cells.low, 0, None)], points[np.clip(cells.high, 0, None)], cells.high < cells.low


def _cut_points(column: KnownColumn, domain: Domain) -> Atoms:
    """Every value between the ends is an atom."""
    cells = column.cells
    assert cells.missing is not None
    low, high, none = _ends(cells)
    points = domain.values.to_physical().to_numpy()
    first = np.searchsorted(points, low)
    last = np.searchsorted(points, high, side="right") - 1
    first, last = np.where(none, 0, first), np.where(none, -1, last)
    matrix = Cells(domain, cells.labels, first, last, cells.missing).matrix
    starts, members = matrix.indptr.astype(np.int64), matrix.indices.astype(np.int64)
    atoms = Atoms(domain, domain.size, starts, members, np.ones(len(members), np.float32), *_no_needs(len(cells)))
    return _with_ends(column, atoms, first, last, none)


def _cut_stretches(column: KnownColumn) -> Atoms:
    """Cut a long range at the ends of its cells, where many rows lie between; the missing value comes last."""
    cells = column.cells
    assert cells.missing is not None
    low, high, none = _ends(cells)
    rows = np.bincount(column.cell, minlength=len(cells))
    values = cells.domain.values
    ends, weight = np.concatenate([low, high]), np.concatenate([rows, rows]).astype(np.float64)
    order = np.argsort(ends, kind="stable")
    share = np.cumsum(weight[order]) / max(weight.sum(), 1)
    cuts = ends[order][np.searchsorted(share, np.arange(1, STRETCHES) / STRETCHES)]
    edges = np.unique(np.concatenate([[ends.min()], cuts, [ends.max()]]))
    step = 0 if values.dtype.is_float() else 1
    edges = np.append(edges[:-1] if len(edges) > 1 else edges, edges[-1] + 1)  # the last stretch holds its end
    count = len(edges) - 1
    first = np.clip(np.searchsorted(edges, low, side="right") - 1, 0, count - 1)
    last = np.clip(np.searchsorted(edges, high, side="right") - 1, 0, count - 1)
    first, last = np.where(none, 0, first), np.where(none, -1, last)
    domain = Domain(pl.Series(np.arange(count)), "numeric", cells.domain.missing)
    matrix = Cells(domain, cells.labels, first, last, cells.missing).matrix
    starts, members = matrix.indptr.astype(np.int64), matrix.indices.astype(np.int64)
    owner = np.repeat(np.arange(len(cells)), np.diff(starts))
    stretch = np.minimum(members, count - 1)
    left = np.maximum(edges[stretch], low[owner]).astype(np.float64)
    right = np.minimum(edges[stretch + 1] - step, high[owner]).astype(np.float64)
    shares = (right - left + step) / np.maximum((edges[stretch + 1] - edges[stretch]).astype(np.float64), 1e-300)
    shares = np.where((members == count) | (np.diff(starts)[owner] == 1), 1.0, np.maximum(shares, 1e-9))
    atoms = Atoms(
        cells.domain,
        count + cells.domain.missing,
        starts,
        members,
        shares.astype(np.float32),
        *_no_needs(len(cells)),
        edges,
        np.where(none, 0, low),
        np.where(none, 0, high),
        _count_digits(values) if values.dtype.is_float() else None,
    )
    return _with_ends(column, atoms, first, last, none)


def _no_needs(cells: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    return np.zeros(cells + 1, np.int64), np.zeros(0, np.int64), np.zeros(0, np.int64)


def _count_digits(values: pl.Series) -> int:
    """Return the number of digits after the point of the ends as they are written."""
    texts = [repr(value) for value in values.to_list()]
    return max((len(text.partition(".")[2]) for text in texts if "e" not in text), default=6)


def _with_ends(column: KnownColumn, atoms: Atoms, first: np.ndarray, last: np.ndarray, none: np.ndarray) -> Atoms:
    """Return the atoms with what must occur in a box: both ends of a range, and a missing value that is listed."""
    cells = column.cells
    if not column.tight:
        return atoms
    assert cells.missing is not None
    named = ~cells.whole
    plain = named & ~none
    two = plain & (_two_values(atoms, first, last))
    same = two & (first == last)
    number = np.arange(len(cells))
    owner = np.concatenate([number[plain], number[two & ~same], number[cells.missing & named]])
    which = np.concatenate(
        [first[plain], last[two & ~same], np.full(int((cells.missing & named).sum()), atoms.size - 1)]
    )
    counts = np.concatenate([1 + same[plain], np.ones(len(owner) - int(plain.sum()), np.int64)]).astype(np.int64)
    order = np.argsort(owner, kind="stable")
    starts = np.append(0, np.cumsum(np.bincount(owner, minlength=len(cells))))
    return replace(atoms, needed_starts=starts, needed_atoms=which[order], needed_counts=counts[order])


def _two_values(atoms: Atoms, first: np.ndarray, last: np.ndarray) -> np.ndarray:
    """Which ranges have two different ends."""
    if atoms.edges is None:
        return np.asarray(first < last)
    assert atoms.low is not None and atoms.high is not None
    return np.asarray(atoms.low < atoms.high)


def decode_atoms(
    column: KnownColumn, atoms: Atoms, codes: np.ndarray, box: np.ndarray, rng: np.random.Generator
) -> pl.Series:
    """Return values of the column's own type; a stretch becomes a value in it that its cell may stand for."""
    dtype = parse_type(str(column.entry["type"])) or pl.String()
    if not len(atoms.domain.values) and not atoms.domain.missing:
        return pl.repeat(None, len(codes), dtype=dtype, eager=True).alias(column.name)
    plain = atoms.edges is None
    values = atoms.domain.decode(codes) if plain else _draw_in_stretches(column, atoms, codes, box, rng)
    if isinstance(dtype, pl.Datetime) and dtype.time_zone and values.dtype != dtype:
        values = values.dt.replace_time_zone("UTC").dt.convert_time_zone(dtype.time_zone)
    return values.cast(dtype).alias(column.name)


def _draw_in_stretches(
    column: KnownColumn, atoms: Atoms, codes: np.ndarray, box: np.ndarray, rng: np.random.Generator
) -> pl.Series:
    assert atoms.edges is not None and atoms.low is not None and atoms.high is not None
    low, high = atoms.low[column.cell], atoms.high[column.cell]
    count = len(atoms.edges) - 1
    absent, stretch = codes >= count, np.minimum(codes, count - 1)
    whole = atoms.digits is None
    left = np.maximum(atoms.edges[stretch], low)
    right = np.minimum(atoms.edges[stretch + 1] - (1 if whole else 0), high)
    coins = rng.random(len(codes))
    if whole:
        drawn = left + np.floor(coins * (right - left + 1).astype(np.float64)).astype(left.dtype)
        drawn = np.clip(drawn, left, np.maximum(left, right))
    else:
        exact = left + coins * (right - left)
        rounded = np.round(exact, atoms.digits or 0)
        drawn = np.where((rounded >= left) & (rounded <= right), rounded, exact)
    if column.tight:
        drawn = _put_ends(drawn, stretch, absent, low, high, atoms, box)
    values = column.domain.values
    shown = pl.Series(drawn, dtype=values.to_physical().dtype).cast(values.dtype)
    return shown.set(pl.Series(absent), None) if absent.any() else shown


def _put_ends(
    drawn: np.ndarray,
    stretch: np.ndarray,
    absent: np.ndarray,
    low: np.ndarray,
    high: np.ndarray,
    atoms: Atoms,
    box: np.ndarray,
) -> np.ndarray:
    """Give the low end of a range to the first row of its box that lies in the stretch of the low end, and the high end
    to the last row that lies in the stretch of the high end."""
    assert atoms.edges is not None
    count = len(atoms.edges) - 1
    rows = np.arange(len(drawn))
    drawn = drawn.copy()
    for end, order in ((low, rows), (high, rows[::-1])):
        place = np.clip(np.searchsorted(atoms.edges, end, side="right") - 1, 0, count - 1)
        fits = order[(stretch[order] == place[order]) & ~absent[order]]
        _, first = np.unique(box[fits], return_index=True)
        drawn[fits[first]] = end[fits[first]]
    return drawn
