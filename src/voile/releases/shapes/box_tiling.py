"""Boxes that tile the space: every combination of quasi-identifier values lies in exactly one of them.

A group is shown as its whole region of the split tree, not as the box around its people: everybody in a register fits
exactly one box, and a box does not tell where in it its people are.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl

from voile import kernels
from voile.releases.cells.cell_choice import set_cells
from voile.releases.cells.cells import Cells, ranges
from voile.releases.certificate import FORMAT, UNSIGNED
from voile.releases.dictionary import PERTURBED_VALUE, describe
from voile.releases.randomized_response import Channel
from voile.releases.shapes.sampled import Sampled
from voile.tables.domain import Domain
from voile.tables.schema import Column, Columns
from voile.tables.value_text import format_value

PRIME = (1 << 31) - 1
ROUNDS = 4


def region_cells(
    column: Column, rank: np.ndarray | None, low: np.ndarray, high: np.ndarray
) -> tuple[Cells, np.ndarray]:
    """The cells of regions `low..high`, places in the cutting order (`rank[code]` is the place), and each one's cell.

    A region of numbers or dates starts right after the last value left of its cut, so that nothing lies between two.
    """
    size = column.size
    keys, cell = _number_keys(low * size + high, size * size)
    low, high = keys // size, keys % size
    if column.domain.uses_intervals:
        return _ranges(column.domain, low, high), cell
    lengths = high - low + 1
    starts = np.concatenate([[0], np.cumsum(lengths)])
    places = np.arange(starts[-1]) - np.repeat(starts[:-1] - low, lengths)
    codes = places if rank is None else np.argsort(rank)[places]
    codes = codes[np.lexsort((codes, np.repeat(np.arange(len(low)), lengths)))]
    cells, shown = set_cells(replace(column, hierarchy=None), starts, codes)
    return cells, shown[cell]


def _number_keys(keys: np.ndarray, limit: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the keys that occur, rising, and the number of each; by a table of all keys if that is small."""
    if limit > 1_000_000 + 8 * len(keys):
        return np.unique(keys, return_inverse=True)
    there = np.zeros(limit, dtype=bool)
    there[keys] = True
    return np.flatnonzero(there), (np.cumsum(there) - 1)[keys]


def _ranges(domain: Domain, low: np.ndarray, high: np.ndarray) -> Cells:
    last = len(domain.values) - 1
    missing = (high > last) if domain.missing else np.zeros(len(high), dtype=bool)
    none = low > last
    physical = domain.values.to_physical()
    first = pl.concat([physical.head(1), _next_values(physical.head(last))]).gather(np.minimum(low, last))
    final = physical.gather(np.minimum(high, last))
    # the ends of the domain are among them: only what reaches from one to the other is everything
    ends = pl.concat([first, final, physical.head(1), physical.tail(1)]).unique().sort()
    bounds = Domain(ends.cast(domain.values.dtype), domain.kind, domain.missing)
    left, right = (ends.search_sorted(part).to_numpy().astype(np.int64) for part in (first, final))
    return ranges(bounds, np.where(none, 0, left), np.where(none, -1, right), missing)


def _next_values(values: pl.Series) -> pl.Series:
    """Return the next value that the type can hold."""
    if values.dtype.is_float():
        numbers = values.to_numpy()
        return pl.Series(np.nextafter(numbers, np.full_like(numbers, np.inf)), dtype=values.dtype)
    return values + pl.Series([1], dtype=values.dtype)


def tiles(shown: Sequence[tuple[Mapping[str, Any], Cells, np.ndarray]]) -> bool:
    """Whether boxes cover the dictionary's domain and no two overlap; (entry, cells, the cell of each box) per column.

    Give every value of every column a random weight. A box weighs the product of its cells' sums, and the boxes
    together weigh as much as the whole space, whatever the weights, if and only if they tile it. For boxes that do not,
    a random choice modulo a prime agrees with probability at most columns / 2^31 (Schwartz and Zippel), four choices
    with less than 2^-100. O(boxes * columns), whatever the shape of the boxes.
    """
    rng = np.random.default_rng(secrets.randbits(128))
    for _ in range(ROUNDS):
        whole, parts = 1, np.ones(len(shown[0][2]), dtype=np.int64)
        for entry, cells, cell in shown:
            weights, everything = _weights(entry, cells, rng)
            parts = parts * weights[cell] % PRIME
            whole = whole * everything % PRIME if min(whole, everything) >= 0 else -1
        if int((parts % PRIME).sum()) % PRIME != whole:
            return False
    return True


def _weights(entry: Mapping[str, Any], cells: Cells, rng: np.random.Generator) -> tuple[np.ndarray, int]:
    """Return the random weight of each cell of a column, and of its whole domain, modulo the prime. In a column that is
    `*` everywhere, every cell is the whole domain."""
    if not cells.domain.size:
        return np.ones(len(cells), dtype=np.int64), 1
    if cells.members is not None and cells.starts is not None:
        each = rng.integers(0, PRIME, cells.domain.size)
        sums = np.append(0, np.cumsum(each[cells.members] % PRIME))
        return (sums[cells.starts[1:]] - sums[cells.starts[:-1]]) % PRIME, int(each.sum()) % PRIME
    assert cells.low is not None and cells.high is not None and cells.missing is not None
    absent = int(rng.integers(0, PRIME)) if entry["domain"]["missing"] else 0
    if not len(cells.domain.values):
        return np.full(len(cells), absent), absent
    values = cells.domain.values.to_physical()
    starts, stops = values.to_list(), _next_values(values.cast(_wider_type(values.dtype))).to_list()
    edges = sorted({*starts, *stops})
    place = {edge: number for number, edge in enumerate(edges)}
    sums = np.append(0, np.cumsum(rng.integers(0, PRIME, len(edges))))
    left, right = (np.array([sums[place[edge]] for edge in ends]) for ends in (starts, stops))
    some = cells.high >= cells.low
    weight = np.where(some, right[np.clip(cells.high, 0, None)] - left[cells.low], 0) + absent * cells.missing
    ends = _domain_ends(entry, cells.domain)
    if ends is None:
        return weight % PRIME, -1  # the domain is not even written
    return weight % PRIME, (int(right[ends[1]]) - int(left[ends[0]]) + absent) % PRIME


def _wider_type(dtype: pl.DataType) -> pl.DataType:
    """Return a type that holds one more than the largest value."""
    return dtype if dtype.is_float() else pl.Int128()


def _domain_ends(entry: Mapping[str, Any], domain: Domain) -> tuple[int, int] | None:
    """Return the positions of the least and greatest value of a column's domain among the written ends; None if they
    are not written."""
    listed = entry["domain"].get("values")
    ends = (listed[0], listed[-1]) if listed else (entry["domain"].get("min"), entry["domain"].get("max"))
    texts = domain.labels
    known = all(format_value(end) in texts for end in ends)
    return (texts.index(format_value(ends[0])), texts.index(format_value(ends[1]))) if known else None


def show_samples(
    columns: Columns,
    shown: Mapping[str, tuple[Cells, np.ndarray]],
    values: np.ndarray,
    sizes: np.ndarray,
    channel: Channel,
) -> Sampled:
    """Return one row per group: its box, a perturbed value, and the number of people; ordered by the box."""
    names = [column.name for column in columns.quasi]
    # every box is there once, so its rank is its place
    rank, _ = kernels.distinct_rows.rank_rows([shown[n][1] for n in names], [max(len(shown[n][0]), 1) for n in names])
    order = np.empty(len(rank), dtype=np.int64)
    order[rank] = np.arange(len(rank))
    target = columns.sensitive[0]
    published = {
        name: pl.Series(cells.labels, dtype=pl.Enum(cells.labels)).gather(cell[order])
        for name, (cells, cell) in shown.items()
    }
    published[target.name] = target.domain.decode(values[order])
    published["group_size"] = pl.Series(sizes[order], dtype=pl.Int64)
    entries = [
        describe(replace(column, hierarchy=None), shown[column.name][0], labels_only=True) for column in columns.quasi
    ]
    entry = describe(replace(target, hierarchy=None), None)
    entry |= {
        "shown": "perturbed",
        "domain": replace(target.domain, declared=True).as_json(),
        "keep": float(channel.keep),
        "cell": PERTURBED_VALUE,
    }
    return Sampled({"table": pl.DataFrame(published)}, {"format": FORMAT, "columns": [*entries, entry]}, UNSIGNED)
