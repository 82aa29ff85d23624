"""Cluster: put similar people together, cluster by cluster, and improve the clusters until nothing is gained.

Combinations that enough people share stay as they are. All others are divided into boxes of some hundred people. Inside
a box clusters grow one after another, each taking in whoever costs it least; then people move, change places, and
clusters dissolve, as long as the cells of the release become smaller and every cluster satisfies the policy.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from voile import kernels
from voile.errors import PolicyError, option
from voile.methods.base import CoversAlgorithm, FollowsNoKey, Method, Partitionable, Settings, Steerable
from voile.methods.cluster.clustering import cluster_boxes
from voile.methods.cluster.judge import Judge
from voile.methods.cluster.seating import seat_people
from voile.methods.mondrian.mondrian import Mondrian
from voile.methods.mondrian.policy_cuts import PolicyCuts, cut_by_size
from voile.methods.steering.column_cells import choose_cells
from voile.methods.steering.strata import number_strata, require_strata
from voile.methods.steering.withholding import count_allowed, find_expensive_groups, withhold_small_strata
from voile.models.policy import Policy
from voile.plugins.registry import knob
from voile.releases.release import Release
from voile.releases.shapes.generalized import show_boxes
from voile.tables.row_protocol import WITHHELD, Histogram, Rows
from voile.tables.schema import Columns

SMALL_TABLE = 30_000  # up to so many people the boxes are as large as they get


@dataclass(frozen=True)
class Cluster(Partitionable, Steerable, FollowsNoKey, CoversAlgorithm, Method):
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
    from the number of rows. A share `suppression` of the people may be withheld: those who would lose most, whatever
    their values.
    """

    name: ClassVar[str] = "cluster"
    tried: ClassVar[Settings] = ({}, {"recoding": "hierarchy"})

    recoding: str = knob("tight", choices=("tight", "hierarchy"))
    box_size: int | None = knob(None, low=10, high=100_000)
    suppression: float = knob(0.0, low=0, high=1)

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
        limit = count_allowed(self.suppression, rows.total)
        everybody, rows = rows.total, withhold_small_strata(columns, rows, policy, limit)
        limit -= everybody - rows.total
        if limit and not policy.sizes_suffice:
            rows, limit = Mondrian(self.recoding).withhold_blindly(columns, rows, policy.smallest(), limit), 0
        return self._cluster_people(columns, rows, policy, limit)

    def _cluster_people(self, columns: Columns, rows: Rows, policy: Policy, limit: int) -> Rows:
        """Cluster the people, and withhold those of the most expensive clusters, as many as the limit allows."""
        reads = policy.columns_read(columns)
        tallies = rows.tally_values(columns) if reads else {}
        policy.require_whole(columns, tallies, rows.total)
        table = rows.histogram([column.name for column in (*columns.quasi, *reads)])
        judge = Judge(columns, policy, table, {name: counts.totals for name, counts in tallies.items()})
        stratum = number_strata(columns, table)
        require_strata(columns, policy, table, stratum, judge.totals)
        shared = group_shared_rows(judge, stratum)
        free = np.flatnonzero(shared < 0)
        cells, clusters = cluster_boxes(judge, self.recoding, free, self._divide(judge, free, stratum))
        alike = np.flatnonzero(shared >= 0)
        cells = np.concatenate([np.repeat(alike, table.counts[alike]), cells])
        groups = np.concatenate([np.repeat(shared[alike], table.counts[alike]), shared.max(initial=-1) + 1 + clusters])
        seated = seat_people(columns, rows, table, cells, groups)
        if not limit:
            return seated
        expensive = find_expensive_groups(columns, seated, self.recoding, limit)
        return seat_people(columns, rows, table, cells, np.where(expensive[groups], WITHHELD, groups))

    def may_be_divided(self, columns: Columns, policy: Policy) -> bool:
        return super().may_be_divided(columns, policy) and (not self.suppression or policy.ignores_values)

    def covers_algorithm(self, policy: Policy) -> bool:
        return policy.ignores_values  # clusters then depend on quasi-identifiers alone

    def show(self, columns: Columns, rows: Rows) -> Release:
        cells = {column.name: choose_cells(column, rows, self.recoding) for column in columns.quasi}
        return show_boxes(columns, rows, cells)

    def people_per_box(self, people: int, policy: Policy) -> int:
        """Return how many people are clustered together: fewer in larger tables, whose boxes are tighter, and where
        the policy judges every change, which takes longer."""
        most = 3000 if policy.sizes_suffice else 1000
        return self.box_size or int(np.clip(SMALL_TABLE * most // max(people, 1), 150, most))

    def _divide(self, judge: Judge, cells: np.ndarray, stratum: np.ndarray | None) -> np.ndarray:
        """Cut some cells of the table into boxes that satisfy the policy; return the box of each. No box has people of
        two strata."""
        table = Histogram(judge.table.names, judge.table.codes[cells], judge.table.counts[cells])
        if not len(cells):
            return np.zeros(0, dtype=np.int64)
        frame, codes = Mondrian(self.recoding).frame_columns(judge.columns, table)
        size = max(self.people_per_box(table.total, judge.policy), judge.policy.smallest())
        strata = None if stratum is None else np.unique(stratum[cells], return_inverse=True)[1].reshape(-1)
        if judge.policy.sizes_suffice:
            return cut_by_size(codes, table, size, frame, strata)
        boxes = judge.box_policy(cells, size)
        return PolicyCuts(judge.columns, boxes, table, judge.totals, frame).cut(codes, strata)


def group_shared_rows(judge: Judge, stratum: np.ndarray | None = None) -> np.ndarray:
    """Return a group for each cell whose quasi-identifier is shared by people who satisfy the policy; -1 for the rest.
    If the rest of a stratum could not be published without them, nobody in it gets a group yet."""
    combination = _number_combinations(judge)
    verdict = judge.holds(np.arange(len(combination)), combination)
    stratum = np.zeros(len(combination), dtype=np.int64) if stratum is None else stratum
    rest = np.flatnonzero(~verdict[combination])
    if len(rest):
        strata, place = np.unique(stratum[rest], return_inverse=True)
        stuck = strata[~judge.holds(rest, place.reshape(-1))]
        verdict[combination[np.isin(stratum, stuck)]] = False
    number = np.where(verdict, np.cumsum(verdict) - 1, -1)
    return np.asarray(number[combination])


def _number_combinations(judge: Judge) -> np.ndarray:
    """Number the quasi-identifiers of the cells, as far as the finest levels tell them apart."""
    codes, columns = judge.table.codes[:, : len(judge.columns.quasi)], judge.columns.quasi
    if not any(column.steer.finest for column in columns):
        first = np.concatenate([[True], (codes[1:] != codes[:-1]).any(axis=1)])
        return np.asarray(np.cumsum(first) - 1)
    nodes = [
        column.hierarchy.maps[column.steer.finest][codes[:, place]] if column.hierarchy is not None else codes[:, place]
        for place, column in enumerate(columns)
    ]
    return np.asarray(kernels.distinct_rows.rank_rows(nodes, [max(column.size, 1) for column in columns])[0])
