"""Cluster: put similar people together, cluster by cluster, and improve the clusters until nothing is gained.

Combinations that enough people share stay as they are. All others are divided into boxes of some hundred people. Inside
a box clusters grow one after another, each taking in whoever costs it least; then people move, change places, and
clusters dissolve, as long as the cells of the release become smaller and every cluster satisfies the policy.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from voile.errors import PolicyError, option
from voile.methods.base import CoversAlgorithm, FollowsNoKey, Method, Partitionable, Settings
from voile.methods.cluster.clustering import cluster_boxes
from voile.methods.cluster.judge import Judge
from voile.methods.cluster.seating import seat_people
from voile.methods.mondrian.mondrian import Mondrian
from voile.methods.mondrian.policy_cuts import PolicyCuts, cut_by_size
from voile.models.policy import Policy
from voile.plugins.registry import knob
from voile.releases.cells.cell_choice import ancestor_cells, tight_cells
from voile.releases.release import Release
from voile.releases.shapes.generalized import show_boxes
from voile.tables.row_protocol import Histogram, Rows
from voile.tables.schema import Columns


@dataclass(frozen=True)
class Cluster(Partitionable, FollowsNoKey, CoversAlgorithm, Method):
    """Local recoding by clusters of similar people.

    Claim: every group satisfies every model of the policy.
    Against: the adversaries that the models name, except one who knows that no change was omitted needlessly
    (minimality); under models of sizes alone also that one.
    Needs: monotone models. Hierarchies are optional.
    Why: every box satisfies the policy, and so does every cluster that is formed or changed in it.
    Source: Byun, Kamra, Bertino, Li: Efficient k-anonymization using clustering techniques (DASFAA 2007) for the
    growing; boxes, moves, exchanges and dissolving are ours.

    The boxes of two groups may overlap, so a person may fit several. `recoding="tight"` shows the range or set of the
    values that occur in a group, `recoding="hierarchy"` the labels of a column's hierarchy, if it has one. `box_size`
    is the number of people that are clustered together: larger boxes lose less and take longer. By default it follows
    from the number of rows.
    """

    name: ClassVar[str] = "cluster"
    tried: ClassVar[Settings] = ({}, {"recoding": "hierarchy"})

    recoding: str = knob("tight", choices=("tight", "hierarchy"))
    box_size: int | None = knob(None, low=10, high=100_000)

    def check(self, columns: Columns, policy: Policy) -> None:
        super().check(columns, policy)
        if not policy.monotone:
            wild = ", ".join(model.name for model in policy if not model.monotone)
            raise PolicyError(
                f"cluster cannot serve {wild}: it is not monotone, so groups that hold may fail together.",
                code="policy.monotone",
                hint=f"Use {option('method', 'full-domain')}.",
            )

    def group(self, columns: Columns, rows: Rows, policy: Policy) -> Rows:
        reads = policy.columns_read(columns)
        tallies = rows.tally_values(columns) if reads else {}
        policy.require_whole(columns, tallies, rows.total)
        table = rows.histogram([column.name for column in (*columns.quasi, *reads)])
        judge = Judge(columns, policy, table, {name: counts.totals for name, counts in tallies.items()})
        shared = group_shared_rows(judge)
        free = np.flatnonzero(shared < 0)
        cells, clusters = cluster_boxes(judge, self.recoding, free, self._divide(judge, free))
        alike = np.flatnonzero(shared >= 0)
        cells = np.concatenate([np.repeat(alike, table.counts[alike]), cells])
        groups = np.concatenate([np.repeat(shared[alike], table.counts[alike]), shared.max(initial=-1) + 1 + clusters])
        return seat_people(columns, rows, table, cells, groups)

    def covers_algorithm(self, policy: Policy) -> bool:
        return policy.ignores_values  # clusters then depend on quasi-identifiers alone

    def show(self, columns: Columns, rows: Rows) -> Release:
        column_cells = {}
        for column in columns.quasi:
            along_tree = self.recoding == "hierarchy" and column.hierarchy is not None
            column_cells[column.name] = (ancestor_cells if along_tree else tight_cells)(column, rows)
        return show_boxes(columns, rows, column_cells)

    def people_per_box(self, people: int) -> int:
        """Return how many people are clustered together: fewer in larger tables, whose boxes are tighter."""
        return self.box_size or int(np.clip(2**25 // max(people, 1), 150, 1000))

    def _divide(self, judge: Judge, cells: np.ndarray) -> np.ndarray:
        """Cut some cells of the table into boxes that satisfy the policy; return the box of each."""
        table = Histogram(judge.table.names, judge.table.codes[cells], judge.table.counts[cells])
        if not len(cells):
            return np.zeros(0, dtype=np.int64)
        frame, codes = Mondrian(self.recoding).frame_columns(judge.columns, table)
        size = max(self.people_per_box(table.total), judge.policy.smallest())
        if judge.policy.sizes_suffice:
            return cut_by_size(codes, table, size, frame)
        boxes = judge.box_policy(cells, size)
        return PolicyCuts(judge.columns, boxes, table, judge.totals, frame).cut(codes)


def group_shared_rows(judge: Judge) -> np.ndarray:
    """Return a group for each cell whose quasi-identifier is shared by people who satisfy the policy; -1 for the rest.
    If the rest could not be published without them, nobody gets a group yet."""
    quasi = judge.table.codes[:, : len(judge.columns.quasi)]
    first = np.concatenate([[True], (quasi[1:] != quasi[:-1]).any(axis=1)])
    combination = np.cumsum(first) - 1
    verdict = judge.holds(np.arange(len(combination)), combination)
    rest = np.flatnonzero(~verdict[combination])
    if len(rest) and not judge.holds(rest, np.zeros(len(rest), dtype=np.int64))[0]:
        return np.full(len(combination), -1)
    number = np.where(verdict, np.cumsum(verdict) - 1, -1)
    return np.asarray(number[combination])
