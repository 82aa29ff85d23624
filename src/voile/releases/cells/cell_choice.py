"""The cell that each group shows: as small as possible, or a node of a hierarchy."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from voile import kernels
from voile.releases.cells.cells import Cells, node_cells, ranges, sets
from voile.releases.cells.label_ends import code_ranges
from voile.tables.row_protocol import Rows
from voile.tables.schema import Column


def tight_cells(column: Column, rows: Rows) -> tuple[Cells, np.ndarray]:
    """Return the smallest cell of each group: the range of its numbers, the set of its categories."""
    if column.kind == "categorical":
        starts, members = rows.list_codes(column.name)
        return set_cells(column, starts, members)
    low, high = rows.find_extents(column.name)
    domain = column.domain
    if domain.uses_intervals and not domain.missing:
        return _range_cells(column, low, high, np.zeros(len(low), dtype=bool))
    if domain.uses_intervals:
        starts, members = rows.list_codes(column.name)
        return _range_cells(column, *code_ranges(domain, starts, members))
    lengths = high - low + 1
    starts = np.concatenate([[0], np.cumsum(lengths)])
    return set_cells(column, starts, np.arange(starts[-1]) - np.repeat(starts[:-1] - low, lengths))


def _range_cells(column: Column, low: np.ndarray, high: np.ndarray, missing: np.ndarray) -> tuple[Cells, np.ndarray]:
    size = column.size + 1
    ranks, first = kernels.distinct_rows.rank_rows([low, high + 1, missing.astype(np.int64)], [size, size, 2])
    return ranges(column.domain, low[first], high[first], missing[first]), ranks


def set_cells(column: Column, starts: np.ndarray, members: np.ndarray) -> tuple[Cells, np.ndarray]:
    """Return one cell for all equal sets, ordered by label, and the cell of each set."""
    first, cell = kernels.group_scans.match_equal_sets(starts, members, column.size)
    sizes = np.diff(starts)[first]
    cuts = np.concatenate([[0], np.cumsum(sizes)])
    inside = np.arange(cuts[-1]) - np.repeat(cuts[:-1] - starts[first], sizes)
    cells = sets(column.domain, cuts, members[inside], column.hierarchy)
    return _sort_by_label(cells, cell)


def _sort_by_label(cells: Cells, cell: np.ndarray) -> tuple[Cells, np.ndarray]:
    """Sort the cells by label, so that the published order depends only on what is published."""
    order = cells.labels.arg_sort().to_numpy()
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    assert cells.starts is not None and cells.members is not None
    sizes = np.diff(cells.starts)[order]
    starts = np.concatenate([[0], np.cumsum(sizes)])
    inside = np.arange(starts[-1]) - np.repeat(starts[:-1] - cells.starts[:-1][order], sizes)
    return Cells(cells.domain, cells.labels.gather(order), starts=starts, members=cells.members[inside]), rank[cell]


def level_cells(column: Column, level: int, rows: Rows) -> tuple[Cells, np.ndarray]:
    """Return the cell of each group at one level of the hierarchy, where all its rows share a node."""
    assert column.hierarchy is not None
    low, _ = rows.find_extents(column.name)
    cells = node_cells(column.domain, column.hierarchy, level)
    return _drop_unused(cells, column.hierarchy.maps[level][low])


def level_or_blank_cells(column: Column, level: int, rows: Rows) -> tuple[Cells, np.ndarray]:
    """Return the cell of each group at one level of the hierarchy, or `*` if its rows share no node there."""
    assert column.hierarchy is not None
    starts, members = rows.list_codes(column.name)
    nodes = column.hierarchy.maps[level][members]
    least, greatest = np.minimum.reduceat(nodes, starts[:-1]), np.maximum.reduceat(nodes, starts[:-1])
    cells = node_cells(column.domain, column.hierarchy, level)
    whole = node_cells(column.domain, column.hierarchy, column.hierarchy.height)
    return _drop_unused(_join_cells([cells, whole]), np.where(least == greatest, least, len(cells)))


def ancestor_cells(column: Column, rows: Rows, finest: int = 0) -> tuple[Cells, np.ndarray]:
    """Return the lowest node of the hierarchy, from the level `finest` up, above all values of each group."""
    assert column.hierarchy is not None
    starts, members = rows.list_codes(column.name)
    open_groups = np.ones(len(starts) - 1, dtype=bool)
    offset, node = 0, np.zeros(len(starts) - 1, dtype=np.int64)
    parts: list[Cells] = []
    for level in range(finest, column.hierarchy.height + 1):
        nodes = column.hierarchy.maps[level][members]
        alike = np.maximum.reduceat(nodes, starts[:-1]) == np.minimum.reduceat(nodes, starts[:-1])
        now = open_groups & alike
        node[now] = offset + nodes[starts[:-1]][now]
        open_groups &= ~alike
        parts.append(node_cells(column.domain, column.hierarchy, level))
        offset += len(parts[-1])
    return _drop_unused(_join_cells(parts), node)


def _join_cells(parts: Sequence[Cells]) -> Cells:
    labels = pl.concat([part.labels for part in parts])
    domain = parts[0].domain
    if domain.uses_intervals:
        low, high, missing = (
            np.concatenate([getattr(part, end) for part in parts]) for end in ("low", "high", "missing")
        )
        return Cells(domain, labels, low, high, missing)
    members = np.concatenate([part.members for part in parts if part.members is not None])
    sizes = np.concatenate([part.sizes for part in parts])
    return Cells(domain, labels, starts=np.concatenate([[0], np.cumsum(sizes)]), members=members)


def _drop_unused(cells: Cells, cell: np.ndarray) -> tuple[Cells, np.ndarray]:
    """Keep only the cells that occur, and merge cells with the same label."""
    first: dict[str, int] = {}
    same = np.array([first.setdefault(label, number) for number, label in enumerate(cells.labels)])
    used, inverse = np.unique(same[cell], return_inverse=True)
    labels = cells.labels.gather(used)
    if cells.low is not None and cells.high is not None and cells.missing is not None:
        return Cells(cells.domain, labels, cells.low[used], cells.high[used], cells.missing[used]), inverse
    assert cells.starts is not None and cells.members is not None
    sizes = np.diff(cells.starts)[used]
    starts = np.concatenate([[0], np.cumsum(sizes)])
    inside = np.arange(starts[-1]) - np.repeat(starts[:-1] - cells.starts[:-1][used], sizes)
    return Cells(cells.domain, labels, starts=starts, members=cells.members[inside]), inverse
