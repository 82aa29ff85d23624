"""Mondrian: cut the people into boxes of similar people, as small as the policy allows.

All people start in one box. A box is cut in two at the most even cut of the column in which a cut gains most, as long
as both halves satisfy the policy. Boxes never overlap, so everybody is in exactly one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from voile import kernels
from voile.errors import PolicyError, option
from voile.kernels import lazy_kernel
from voile.methods.base import CoversAlgorithm, FollowsNoKey, Method, Partitionable, Settings
from voile.methods.mondrian.cut_replay import CutReplay
from voile.methods.mondrian.policy_cuts import PolicyCuts, cut_by_size
from voile.methods.refusals import ExplainsRefusals, RefusedSteps
from voile.models.abilities import SurvivesCuts
from voile.models.policy import Policy
from voile.plugins.registry import knob
from voile.releases.cells.cell_choice import ancestor_cells, tight_cells
from voile.releases.cells.cells import Cells
from voile.releases.release import Release
from voile.releases.shapes.generalized import show_boxes
from voile.tables import partition_tree
from voile.tables.row_protocol import Histogram, Rows
from voile.tables.schema import Column, Columns

cut_kernel = lazy_kernel("voile.methods.mondrian.kernel")


@dataclass(frozen=True)
class Mondrian(Partitionable, ExplainsRefusals, FollowsNoKey, CoversAlgorithm, Method):
    """Strict multidimensional recoding by even cuts.

    Claim: every group satisfies every model of the policy.
    Against: the adversaries that the models name, except one who knows that no cut was omitted needlessly (minimality);
    under models of sizes alone also that one.
    Needs: monotone models. Hierarchies are optional.
    Why: the whole table satisfies the policy, and a cut is made only if both halves do.
    Source: LeFevre, DeWitt, Ramakrishnan: Mondrian multidimensional k-anonymity (ICDE 2006); choosing the cut of least
    loss and ordering categories by frequency are ours.

    `recoding="tight"` shows the range or set of the values that occur in a group. `recoding="hierarchy"` cuts along the
    branches of a column's hierarchy, if it has one, and shows only its labels.
    """

    name: ClassVar[str] = "mondrian"
    tried: ClassVar[Settings] = ({}, {"recoding": "hierarchy"})

    recoding: str = knob("tight", choices=("tight", "hierarchy"))

    def check(self, columns: Columns, policy: Policy) -> None:
        super().check(columns, policy)
        wild = ", ".join(m.name for m in policy if not m.monotone and not isinstance(m, SurvivesCuts))
        if wild:
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
        frame, codes = self.frame_columns(columns, table)
        if policy.sizes_suffice:
            return rows.place(table, cut_by_size(codes, table, policy.smallest(), frame))
        totals = {name: counts.totals for name, counts in tallies.items()}
        return rows.place(table, PolicyCuts(columns, policy, table, totals, frame).cut(codes))

    def covers_algorithm(self, policy: Policy) -> bool:
        return policy.ignores_values  # cuts then depend on quasi-identifiers alone

    def show(self, columns: Columns, rows: Rows) -> Release:
        column_cells: dict[str, tuple[Cells, np.ndarray]] = {}
        for column in columns.quasi:
            choose_cells = ancestor_cells if self._cuts_along_hierarchy(column) else tight_cells
            column_cells[column.name] = choose_cells(column, rows)
        return show_boxes(columns, rows, column_cells)

    def refused_steps(
        self, columns: Columns, table: Histogram, group: np.ndarray, smallest: int
    ) -> RefusedSteps | None:
        """Return every cut that was refused on the way from the whole table to the groups. Unknown with the labels of a
        hierarchy, where boxes with equal labels form one group, and for tables that are published in parts."""
        if self.recoding == "hierarchy" or not 0 < table.total <= partition_tree.LARGEST_PART:
            return None
        frame, codes = self.frame_columns(columns, table)
        return CutReplay(table, group, smallest, frame).replay(codes)

    def _cuts_along_hierarchy(self, column: Column) -> bool:
        return self.recoding == "hierarchy" and column.hierarchy is not None

    def frame_columns(self, columns: Columns, table: Histogram) -> tuple[tuple[np.ndarray, ...], np.ndarray]:
        """Return what the kernel needs to know of the columns (its `frame`), and the codes in cutting order."""
        sizes = [max(column.size, 1) for column in columns.quasi]
        frequencies = kernels.column_codes.count_codes(table.codes[:, : len(sizes)], sizes, table.counts)
        ranks, sketches, fences, scales, exact = [], [], [], [], []
        for column, frequency in zip(columns.quasi, frequencies, strict=True):
            rank, fence = self.order_codes(column, frequency)
            bit = _sketch_bits(column, rank)
            ranks.append(rank)
            sketches.append(np.uint64(1) << bit.astype(np.uint64))
            fences.append(fence)
            scales.append(1 / max(int(bit.max(initial=0)), 1))
            exact.append(np.array_equal(bit, np.arange(len(bit))))
        width = cut_kernel.padded_width(len(sizes), table.codes.dtype)
        codes = kernels.column_codes.recode_columns(table.codes, ranks, width)
        offset = np.concatenate([[0], np.cumsum([len(sketch) for sketch in sketches])]).astype(np.int64)
        ranged = np.array([column.kind != "categorical" for column in columns.quasi])
        fenced = np.array([self._cuts_along_hierarchy(column) for column in columns.quasi])
        bits = np.concatenate(sketches), offset, ranged, np.array(scales)
        return (*bits, np.concatenate(fences), fenced, np.array(exact)), codes

    def order_codes(self, column: Column, frequency: np.ndarray) -> tuple[np.ndarray | None, np.ndarray]:
        """Return the cutting order of a column (the rank of each code, None if codes are in order) and its fences."""
        flat = np.zeros(max(column.size, 1), dtype=np.int64)
        if self._cuts_along_hierarchy(column):
            assert column.hierarchy is not None
            order = np.lexsort(column.hierarchy.maps)
            fence = flat.copy()
            for level in range(column.hierarchy.height):
                node = column.hierarchy.maps[level][order]
                fence[:-1] += node[1:] != node[:-1]
            return _invert_order(order), fence
        if column.kind != "categorical":
            return None, flat
        # frequent categories first: a cut then separates a few common values from the many rare ones
        return _invert_order(np.lexsort((np.arange(len(frequency)), -frequency))), flat


def _invert_order(order: np.ndarray) -> np.ndarray:
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    return rank


def _sketch_bits(column: Column, rank: np.ndarray | None) -> np.ndarray:
    """Return the sketch bit of each code in cutting order: its place in the domain, in at most 64 steps."""
    position = np.arange(max(column.size, 1), dtype=np.float64)
    if column.domain.uses_intervals and len(column.domain.values) > 1 and rank is None:
        points = column.domain.numeric_values.astype(np.float64)
        position[: len(points)] = (points - points[0]) / max(points[-1] - points[0], 1e-300) * (len(points) - 1)
    size = len(position)
    return np.rint(position if size <= 64 else position * (63 / (size - 1))).astype(np.int64)
