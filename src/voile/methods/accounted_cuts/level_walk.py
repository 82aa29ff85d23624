"""The walk of a table down the hierarchies: all columns start at the top, and one of them is lowered at a time.

Which column is lowered follows from quasi-identifiers and from the counts of the present groups, which the release
shows. The first step that is refused, or by chance not tried, ends the walk. What a refusal says is not computed:
its chance is bounded, and a coin that is likely enough hides it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from voile import kernels
from voile.kernels import lazy_module
from voile.methods.accounted_cuts.cut_walk import Limits, toss_stop
from voile.methods.accounted_cuts.value_cells import ValueCells
from voile.releases.cells.cells import node_cells
from voile.tables.group_counts import Counts, tally
from voile.tables.schema import Column, Columns
from voile.tables.secret_key import Key

kernel = lazy_module("voile.methods.accounted_cuts.kernel")


@dataclass(frozen=True, eq=False)
class Step:
    """A column one level lower: the finer group of each cell, its group before, and what is known beforehand."""

    position: int
    group: np.ndarray
    parent: np.ndarray  # of each finer group
    worth: float
    stop: float


def lower_levels(
    columns: Columns, cells: ValueCells, target: Column, limits: Limits, late: np.ndarray, key: Key
) -> np.ndarray:
    """Lower columns as far as refusals can be hidden, and return the group of each cell."""
    levels = [column.hierarchy.height for column in columns.quasi if column.hierarchy is not None]
    group = np.zeros(len(cells.table.counts), dtype=np.int64)
    for number in range(sum(levels)):
        counts = _count(cells, group, target)
        steps = [
            step
            for position, column in enumerate(columns.quasi)
            if levels[position] and (step := _weigh_step(column, position, levels, cells, group, counts, limits, late))
        ]
        if not steps:
            break
        best = max(steps, key=lambda step: step.worth)
        finer = _count(cells, best.group, target)
        if best.stop > 0 and toss_stop(best.stop, key, f"accounted cuts, step {number}"):
            break
        if (finer.largest() * limits.l > finer.sizes).any():
            break
        group, levels[best.position] = best.group, levels[best.position] - 1
    return group


def _count(cells: ValueCells, group: np.ndarray, target: Column) -> Counts:
    owner = cells.owner
    return tally(target, group[owner], cells.values, cells.counts, int(group.max()) + 1)


def _weigh_step(
    column: Column,
    position: int,
    levels: list[int],
    cells: ValueCells,
    group: np.ndarray,
    counts: Counts,
    limits: Limits,
    late: np.ndarray,
) -> Step | None:
    """Return the step that lowers a column; None if its groups are too small, or a refusal could not be hidden."""
    assert column.hierarchy is not None
    level, codes, people = levels[position], cells.table.codes[:, position], cells.table.counts
    nodes = column.hierarchy.maps[level - 1][codes]
    finer, first = kernels.distinct_rows.rank_rows([group, nodes], [counts.groups, int(nodes.max()) + 1])
    sizes = np.bincount(finer, weights=people, minlength=len(first)).astype(np.int64)
    if sizes.min() < limits.smallest:
        return None
    parent = group[first]
    if len(first) == counts.groups:  # it splits no group, so it shows nothing about values
        failure, stop = 0.0, 0.0
    else:
        failure = _bound_failure(counts, parent, sizes, limits)
        stop = _hide_failure(counts, failure, limits)
    if stop > kernel.MOST_STOP:
        return None
    occurs = np.bincount(codes, minlength=column.size) > 0
    high, low = (
        node_cells(column.domain, column.hierarchy, height).loss(occurs)[column.hierarchy.maps[height][codes]]
        for height in (level, level - 1)
    )
    gain = float(np.dot(high - low, people)) / max(int(people.sum()), 1) + 1e-9
    worth = gain * (1 - stop) * max(1 - failure, 1e-9) * (kernel.LATE if late[position] else 1.0)
    return Step(position, finer, parent, worth, stop)


def _bound_failure(counts: Counts, parent: np.ndarray, sizes: np.ndarray, limits: Limits) -> float:
    """Bound the chance that some value covers more than 1/l of some finer group, given the counts of the present
    groups. A group that is not split cannot fail."""
    is_split = np.bincount(parent, minlength=counts.groups)[parent] > 1
    parts = np.flatnonzero(is_split)
    lengths = np.diff(counts.starts)[parent[parts]]
    part = np.repeat(parts, lengths)
    ends = np.cumsum(lengths)
    entry = np.arange(int(lengths.sum())) - np.repeat(ends - lengths - counts.starts[parent[parts]], lengths)
    drawn = sizes[part]
    return float(kernel.sum_tails(counts.sizes[parent[part]], counts.counts[entry], drawn, drawn // limits.l + 1))


def _hide_failure(counts: Counts, failure: float, limits: Limits) -> float:
    """Return the chance of not trying a step that keeps every belief within its limit, whatever a refusal says."""
    if failure <= 0:
        return 0.0
    if failure >= 1:
        return 1.0
    people = counts.sizes[counts.owner]
    limit = np.minimum(1 / limits.l, counts.counts / limits.k)
    excess, room = failure * (1 - limit), np.maximum(limit - counts.counts / people, 0)
    return float(np.max(excess / (excess + room)))
