"""Mondrian: cut the people into boxes of similar ones, as small as the policy allows.

All people start in one box. A box is cut in two where the halves are most even, in the column where a cut gains most,
as long as both halves keep the policy. Boxes never overlap, so everybody is in exactly one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from voile import kernels
from voile.errors import PolicyError, option
from voile.kernels import lazy_kernel
from voile.methods.base import ExplainsRefusals, Method, Partitionable, RefusedSteps, Settings
from voile.models.policy import Policy
from voile.plugins.registry import knob
from voile.releases.cell_choice import ancestor_cells, tight_cells
from voile.releases.cells import Cells
from voile.releases.release import Release
from voile.releases.shapes.generalized import show_boxes
from voile.tables.group_counts import tally
from voile.tables.row_protocol import Histogram, Rows
from voile.tables.schema import Column, Columns

split_kernel = lazy_kernel("voile.methods.mondrian.kernel")

FINE = 4096  # boxes up to this many distinct rows weigh the loss of every cut, when a policy judges them


@dataclass(frozen=True)
class Mondrian(Partitionable, ExplainsRefusals, Method):
    """Strict multidimensional recoding by even cuts.

    Claim: every group satisfies every model of the policy.
    Against: the adversaries that the models name; not one who knows that no cut was left out needlessly (minimality).
    Needs: monotone models. Hierarchies are optional.
    Why: the whole table satisfies the policy, and a cut is made only if both halves do.
    Source: LeFevre, DeWitt, Ramakrishnan: Mondrian multidimensional k-anonymity (ICDE 2006); the choice of the cut by
    least loss and the order of categories by frequency are ours.

    `recoding="tight"` shows the range or set of the values that occur in a group. `recoding="hierarchy"` cuts along the
    branches of a column's hierarchy, where it has one, and shows its labels only.
    """

    name: ClassVar[str] = "mondrian"
    tried: ClassVar[Settings] = ({}, {"recoding": "hierarchy"})

    recoding: str = knob("tight", choices=("tight", "hierarchy"))

    def check(self, columns: Columns, policy: Policy) -> None:
        super().check(columns, policy)
        if not policy.monotone:
            wild = ", ".join(model.name for model in policy if not model.monotone)
            raise PolicyError(
                f"mondrian cannot serve {wild}: it is not monotone, so a cut that fails says nothing about finer ones.",
                code="policy.monotone",
                hint=f"Use {option('method', 'full-domain')}.",
            )

    def group(self, columns: Columns, rows: Rows, policy: Policy) -> Rows:
        reads = policy.columns_read(columns)
        quasi = [column.name for column in columns.quasi]
        tallies = rows.tally_values(columns) if reads else {}
        policy.require_whole(columns, tallies, rows.total)
        table = rows.histogram([*quasi, *(column.name for column in reads)])
        frame, codes = self.frame(columns, table)
        weights = table.counts.astype(np.int32 if table.total < 1 << 31 else np.int64)
        ids = np.arange(len(weights), dtype=np.int32 if len(weights) < 1 << 31 else np.int64)
        if policy.sizes_suffice:
            ends = split_kernel.grow(codes, weights, ids, policy.smallest(), frame)
        else:
            totals = {name: counts.totals for name, counts in tallies.items()}
            ends = _grow_judged(codes, weights, ids, frame, columns, policy, table, totals)
        return rows.place(table, split_kernel.numbered(ids, ends))

    def show(self, columns: Columns, rows: Rows) -> Release:
        shown: dict[str, tuple[Cells, np.ndarray]] = {}
        for column in columns.quasi:
            by_tree = self._follows(column)
            shown[column.name] = ancestor_cells(column, rows) if by_tree else tight_cells(column, rows)
        return show_boxes(columns, rows, shown)

    def refused_steps(
        self, columns: Columns, table: Histogram, group: np.ndarray, smallest: int
    ) -> RefusedSteps | None:
        """The most even cut of each column, where it leaves enough people on both sides. Not known with labels of a
        hierarchy: boxes with equal labels are one group, which was cut."""
        if self.recoding == "hierarchy":
            return None
        frame, codes = self.frame(columns, table)
        order = np.argsort(group, kind="stable")
        codes, weights = np.ascontiguousarray(codes[order]), table.counts[order].astype(np.int64)
        starts = np.searchsorted(group[order], np.arange(int(group.max(initial=-1)) + 2))
        shape = (len(starts) - 1, len(columns.quasi))
        cuts, ranks = np.empty(shape, np.int64), np.empty(shape, np.int64)
        split_kernel.candidates(codes, weights, starts[:-1], starts[1:], smallest, FINE, frame, cuts, ranks)
        cut = cuts[group[order]]
        parts = np.empty((len(order), shape[1]), dtype=np.int64)
        parts[order] = np.where(cut < 0, -1, codes[:, : shape[1]].astype(np.int64) > cut)
        return RefusedSteps(parts)

    def _follows(self, column: Column) -> bool:
        return self.recoding == "hierarchy" and column.hierarchy is not None

    def frame(self, columns: Columns, table: Histogram) -> tuple[tuple[np.ndarray, ...], np.ndarray]:
        """The columns as the kernel wants them: codes in cutting order, and the sketch of each code."""
        sizes = [max(column.size, 1) for column in columns.quasi]
        frequencies = kernels.column_codes.count_codes(table.codes[:, : len(sizes)], sizes, table.counts)
        ranks, sketches, fences, scales, exact = [], [], [], [], []
        for column, frequency in zip(columns.quasi, frequencies, strict=True):
            rank, fence = self.order(column, frequency)
            bit = _bits(column, rank)
            ranks.append(rank)
            sketches.append(np.uint64(1) << bit.astype(np.uint64))
            fences.append(fence)
            scales.append(1 / max(int(bit.max(initial=0)), 1))
            exact.append(np.array_equal(bit, np.arange(len(bit))))
        width = split_kernel.padded(len(sizes), table.codes.dtype)
        codes = kernels.column_codes.recode_columns(table.codes, ranks, width)
        offset = np.concatenate([[0], np.cumsum([len(sketch) for sketch in sketches])]).astype(np.int64)
        ranged = np.array([column.kind != "categorical" for column in columns.quasi])
        fenced = np.array([self._follows(column) for column in columns.quasi])
        bits = np.concatenate(sketches), offset, ranged, np.array(scales)
        return (*bits, np.concatenate(fences), fenced, np.array(exact)), codes

    def order(self, column: Column, frequency: np.ndarray) -> tuple[np.ndarray | None, np.ndarray]:
        """The cutting order of a column (rank of each code, None for the codes' own) and its fences."""
        flat = np.zeros(max(column.size, 1), dtype=np.int64)
        if self._follows(column):
            assert column.hierarchy is not None
            order = np.lexsort(column.hierarchy.maps)
            fence = flat.copy()
            for level in range(column.hierarchy.height):
                node = column.hierarchy.maps[level][order]
                fence[:-1] += node[1:] != node[:-1]
            return _inverse(order), fence
        if column.kind != "categorical":
            return None, flat
        # frequent categories first: a cut then sets a few common values against the many rare ones
        return _inverse(np.lexsort((np.arange(len(frequency)), -frequency))), flat


def _inverse(order: np.ndarray) -> np.ndarray:
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    return rank


def _bits(column: Column, rank: np.ndarray | None) -> np.ndarray:
    """The sketch bit of each code in cutting order: its place in the domain, in 64 steps at most."""
    place = np.arange(max(column.size, 1), dtype=np.float64)
    if column.domain.uses_intervals and len(column.domain.values) > 1 and rank is None:
        points = column.domain.numeric_values.astype(np.float64)
        place[: len(points)] = (points - points[0]) / max(points[-1] - points[0], 1e-300) * (len(points) - 1)
    size = len(place)
    return np.rint(place if size <= 64 else place * (63 / (size - 1))).astype(np.int64)


def _grow_judged(
    codes: np.ndarray,
    weights: np.ndarray,
    ids: np.ndarray,
    frame: tuple[np.ndarray, ...],
    columns: Columns,
    policy: Policy,
    table: Histogram,
    totals: Mapping[str, np.ndarray],
) -> np.ndarray:
    """Level by level: every open box proposes its cuts, best first; the policy judges both halves of all at once."""
    lows, highs = np.array([0]), np.array([len(ids)])
    done: list[np.ndarray] = []
    while len(lows):
        shape = (len(lows), len(columns.quasi))
        cuts, order = np.empty(shape, np.int64), np.empty(shape, np.int64)
        split_kernel.candidates(codes, weights, lows, highs, policy.smallest(), FINE, frame, cuts, order)
        chosen = np.full(len(lows), -1)
        for rank in range(shape[1]):
            waiting = np.flatnonzero((chosen < 0) & (order[:, rank] >= 0))
            if not len(waiting):
                break
            dims = order[waiting, rank]
            proposed = lows[waiting], highs[waiting], dims, cuts[waiting, dims]
            good = _judge(codes, ids, *proposed, columns, policy, table, totals)
            chosen[waiting[good]] = dims[good]
        cut = chosen >= 0
        done.append(highs[~cut])
        lows, highs, dims = lows[cut], highs[cut], chosen[cut]
        middles = split_kernel.divide(codes, weights, ids, lows, highs, dims, cuts[cut, dims])
        lows, highs = np.concatenate([lows, middles]), np.concatenate([middles, highs])
    return np.sort(np.concatenate(done))


def _judge(
    codes: np.ndarray,
    ids: np.ndarray,
    lows: np.ndarray,
    highs: np.ndarray,
    dims: np.ndarray,
    cuts: np.ndarray,
    columns: Columns,
    policy: Policy,
    table: Histogram,
    totals: Mapping[str, np.ndarray],
) -> np.ndarray:
    """Whether both halves of each proposed cut satisfy the policy."""
    half, who = split_kernel.sides(codes, ids, lows, highs, dims, cuts)
    weights = table.counts[who]
    sizes = np.bincount(half, weights=weights, minlength=2 * len(lows)).astype(np.int64)
    tallies = {}
    for column in policy.columns_read(columns):
        value = table.column(column.name)
        tallies[column.name] = tally(column, half, value[who], weights, len(sizes), totals[column.name])
    return np.asarray(policy.holds(columns, tallies, sizes).reshape(-1, 2).all(axis=1))
