"""Mondrian: cut the people into boxes of similar people, as small as the policy allows.

All people start in one box. A box is cut in two at the most even cut of the column in which a cut gains most, as long
as both halves satisfy the policy. Boxes never overlap, so everybody is in exactly one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

import numpy as np

from voile import kernels
from voile.errors import PolicyError, option, parameter
from voile.kernels import lazy_module
from voile.methods.base import CoversAlgorithm, FollowsNoKey, JudgesSets, Method, Partitionable, Settings, Steerable
from voile.methods.mondrian.cut_replay import CutReplay
from voile.methods.mondrian.policy_cuts import PolicyCuts, cut_by_size
from voile.methods.mondrian.set_cuts import cut_sets, show_shared_cells
from voile.methods.refusals import ExplainsRefusals, RefusedSteps
from voile.methods.steering.column_cells import shows_labels
from voile.methods.steering.strata import has_strata, number_strata, require_strata
from voile.methods.steering.withholding import count_allowed, find_expensive_groups, withhold_small_strata
from voile.models.abilities import SurvivesCuts
from voile.models.policy import Policy
from voile.plugins.registry import knob
from voile.releases.release import Release
from voile.releases.shapes.generalized import show_boxes
from voile.tables import partition_tree
from voile.tables.row_protocol import WITHHELD, Histogram, Rows
from voile.tables.schema import Column, Columns

cut_kernel = lazy_module("voile.methods.mondrian.kernel")


@dataclass(frozen=True)
class Mondrian(Partitionable, Steerable, JudgesSets, ExplainsRefusals, FollowsNoKey, CoversAlgorithm, Method):
    """Strict multidimensional recoding by even cuts.

    Claim: every group satisfies every model of the policy.
    Against: the adversaries that the models name, except one who knows that no cut was omitted needlessly (minimality);
    under models of sizes alone also that one.
    Needs: monotone models. Hierarchies are optional.
    Why: the whole table satisfies the policy, and a cut is made only if both halves do.
    Source: LeFevre, DeWitt, Ramakrishnan: Mondrian multidimensional k-anonymity (ICDE 2006); choosing the cut of least
    loss and ordering categories by frequency are ours.

    `recoding="tight"` shows the range or set of the values that occur in a group. `recoding="hierarchy"` cuts along the
    branches of a column's hierarchy, if it has one, and shows only its labels. A share `suppression` of the people may
    be withheld: those who would lose most, whatever their values.
    """

    name: ClassVar[str] = "mondrian"
    tried: ClassVar[Settings] = ({}, {"recoding": "hierarchy"})

    recoding: str = knob("tight", choices=("tight", "hierarchy"))
    suppression: float = knob(0.0, low=0, high=1)

    def check(self, columns: Columns, policy: Policy) -> None:
        super().check(columns, policy)
        if columns.quasi_sets and (self.suppression or has_strata(columns)):
            raise PolicyError(
                "mondrian withholds nobody and keeps no coarsest level where several sets of columns are judged.",
                code="policy.quasi-sets",
                hint=f"Set {parameter('suppression', 0)}, or use {option('method', 'full-domain')}.",
            )
        wild = ", ".join(m.name for m in policy if not m.monotone and not isinstance(m, SurvivesCuts))
        if wild:
            raise PolicyError(
                f"mondrian cannot serve {wild}: it is not monotone, so a cut that fails says nothing about finer ones.",
                code="policy.monotone",
                hint=f"Use {option('method', 'full-domain')}.",
            )

    def group(self, columns: Columns, rows: Rows, policy: Policy) -> Rows:
        if columns.quasi_sets:  # decided in `transform`, which notes whose cells each group shows
            policy.require_whole(columns, rows.tally_values(columns), rows.total)
            return rows.place(table := rows.histogram([columns.quasi[0].name]), np.zeros(len(table.counts), np.int64))
        limit = count_allowed(self.suppression, rows.total)
        everybody, rows = rows.total, withhold_small_strata(columns, rows, policy, limit)
        limit -= everybody - rows.total
        if limit and not policy.sizes_suffice:
            rows, limit = self.withhold_blindly(columns, rows, policy.smallest(), limit), 0
        reads = policy.columns_read(columns)
        tallies = rows.tally_values(columns) if reads else {}
        policy.require_whole(columns, tallies, rows.total)
        table = rows.histogram([column.name for column in (*columns.quasi, *reads)])
        totals = {name: counts.totals for name, counts in tallies.items()}
        stratum = number_strata(columns, table)
        require_strata(columns, policy, table, stratum, totals)
        group = self._cut_table(columns, table, policy, stratum, totals)
        placed = rows.place(table, group)
        if not limit:
            return placed
        expensive = find_expensive_groups(columns, placed, self.recoding, limit)
        return rows.place(table, np.where(expensive[group], WITHHELD, group))

    def _cut_table(
        self,
        columns: Columns,
        table: Histogram,
        policy: Policy,
        stratum: np.ndarray | None,
        totals: Mapping[str, np.ndarray],
    ) -> np.ndarray:
        """Cut the cells of a table into boxes that satisfy the policy, inside their strata."""
        frame, codes = self.frame_columns(columns, table)
        if policy.sizes_suffice:
            return cut_by_size(codes, table, policy.smallest(), frame, stratum)
        return PolicyCuts(columns, policy, table, totals, frame).cut(codes, stratum)

    @property
    def transforms_rows(self) -> bool:
        return False  # but for several sets of columns, which no earlier release and no other method goes with

    def transform(self, columns: Columns, rows: Rows, policy: Policy) -> tuple[Columns, Rows]:
        """Cut the columns of each set by themselves, where several sets are judged."""
        if not columns.quasi_sets:
            return columns, rows
        totals = {name: counts.totals for name, counts in rows.tally_values(columns).items()}
        cut = partial(self._cut_table, totals=totals)
        return cut_sets(columns, rows, policy, self.recoding, cut)

    def withhold_blindly(self, columns: Columns, rows: Rows, smallest: int, limit: int) -> Rows:
        """Return the rows without the people who lose most where groups are judged by their sizes alone. Nobody is
        withheld from strata: those who stay could lack variety."""
        if has_strata(columns):
            return rows
        table = rows.histogram([column.name for column in columns.quasi])
        frame, codes = self.frame_columns(columns, table)
        group = cut_by_size(codes, table, smallest, frame)
        expensive = find_expensive_groups(columns, rows.place(table, group), self.recoding, limit)
        return rows.place(table, np.where(expensive[group], WITHHELD, 0))

    def may_be_divided(self, columns: Columns, policy: Policy) -> bool:
        divisible = super().may_be_divided(columns, policy) and not columns.quasi_sets
        return divisible and (not self.suppression or policy.ignores_values)

    def covers_algorithm(self, policy: Policy) -> bool:
        return policy.ignores_values  # cuts then depend on quasi-identifiers alone

    def show(self, columns: Columns, rows: Rows) -> Release:
        cells = {column.name: show_shared_cells(column, rows, self.recoding) for column in columns.quasi}
        return show_boxes(columns, rows, cells)

    def refused_steps(
        self, columns: Columns, table: Histogram, group: np.ndarray, smallest: int
    ) -> RefusedSteps | None:
        """Return every cut that was refused on the way from the whole table to the groups. Unknown with the labels of a
        hierarchy, where boxes with equal labels form one group, for strata and withheld people, and for tables that are
        published in parts."""
        labelled = any(self._cuts_along_hierarchy(column) for column in columns.quasi) or self.recoding == "hierarchy"
        if (
            labelled
            or self.suppression
            or columns.quasi_sets
            or has_strata(columns)
            or not 0 < table.total <= partition_tree.LARGEST_PART
        ):
            return None
        frame, codes = self.frame_columns(columns, table)
        return CutReplay(table, group, smallest, frame).replay(codes)

    def _cuts_along_hierarchy(self, column: Column) -> bool:
        return shows_labels(column, self.recoding)

    def frame_columns(self, columns: Columns, table: Histogram) -> tuple[tuple[np.ndarray, ...], np.ndarray]:
        """Return what the kernel needs to know of the columns (its `frame`), and the codes in cutting order."""
        sizes = [max(column.size, 1) for column in columns.quasi]
        frequencies = kernels.column_codes.count_codes(table.codes[:, : len(sizes)], sizes, table.counts)
        ranks, sketches, fences, scales, exact = [], [], [], [], []
        for column, frequency in zip(columns.quasi, frequencies, strict=True):
            rank, fence = self.order_codes(column, frequency)
            bit = _sketch_bits(column, rank, len(fence))
            ranks.append(rank)
            sketches.append(np.uint64(1) << bit.astype(np.uint64))
            fences.append(fence)
            scales.append(column.steer.weight / max(int(bit.max(initial=0)), 1))
            exact.append(np.array_equal(bit, np.arange(len(bit))))
        width = cut_kernel.padded_width(len(sizes), table.codes.dtype)
        codes = kernels.column_codes.recode_columns(table.codes, ranks, width)
        offset = np.concatenate([[0], np.cumsum([len(sketch) for sketch in sketches])]).astype(np.int64)
        ranged = np.array([column.kind != "categorical" for column in columns.quasi])
        fenced = np.array([self._cuts_along_hierarchy(column) for column in columns.quasi])
        bits = np.concatenate(sketches), offset, ranged, np.array(scales)
        return (*bits, np.concatenate(fences), fenced, np.array(exact)), codes

    def order_codes(self, column: Column, frequency: np.ndarray) -> tuple[np.ndarray | None, np.ndarray]:
        """Return the cutting order of a column (the rank of each code, None if codes are in order) and its fences.
        Codes below one node of the finest level have one rank, so that no cut divides them."""
        flat = np.zeros(max(column.size, 1), dtype=np.int64)
        if self._cuts_along_hierarchy(column):
            assert column.hierarchy is not None
            maps = column.hierarchy.maps[column.steer.finest :]
            order = np.lexsort(maps)
            starts = np.concatenate([[True], maps[0][order][1:] != maps[0][order][:-1]])
            rank = np.empty(len(order), dtype=np.int64)
            rank[order] = np.cumsum(starts) - 1
            fence = np.zeros(int(starts.sum()), dtype=np.int64)
            for level in maps[:-1]:
                node = level[order][starts]
                fence[:-1] += node[1:] != node[:-1]
            return rank, fence
        if column.kind != "categorical":
            return None, flat
        # frequent categories first: a cut then separates a few common values from the many rare ones
        return _invert_order(np.lexsort((np.arange(len(frequency)), -frequency))), flat


def _invert_order(order: np.ndarray) -> np.ndarray:
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    return rank


def _sketch_bits(column: Column, rank: np.ndarray | None, size: int) -> np.ndarray:
    """Return the sketch bit of each of `size` ranks: its place in the domain, in at most 64 steps."""
    position = np.arange(size, dtype=np.float64)
    by_value = rank is None and not column.steer.by_rank
    if column.domain.uses_intervals and len(column.domain.values) > 1 and by_value:
        points = column.domain.numeric_values.astype(np.float64)
        position[: len(points)] = (points - points[0]) / max(points[-1] - points[0], 1e-300) * (len(points) - 1)
    return np.rint(position if size <= 64 else position * (63 / (size - 1))).astype(np.int64)
