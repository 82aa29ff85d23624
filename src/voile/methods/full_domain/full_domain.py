"""Full-domain recoding: one level of the hierarchy per column, the same for everybody.

Of all level vectors that satisfy the policy, `lattice_search` finds the one that loses least. Rows of groups that fail
may be withheld, up to a limit.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from voile.errors import PolicyError, Unsatisfiable, option
from voile.methods.base import CompletesHierarchies, CoversAlgorithm, FollowsNoKey, Method, Settings
from voile.methods.full_domain.lattice import Lattice
from voile.methods.full_domain.lattice_search import LatticeSearch
from voile.methods.full_domain.vector_replay import replay_vectors
from voile.methods.refusals import ExplainsRefusals, RefusedSteps
from voile.models.policy import Policy
from voile.plugins.registry import knob
from voile.releases.cells.cell_choice import level_cells
from voile.releases.release import Release
from voile.releases.shapes.generalized import show_boxes
from voile.tables.automatic_hierarchies.completion import complete_hierarchies
from voile.tables.row_protocol import Histogram, Rows, Table
from voile.tables.schema import Columns

LARGEST_LATTICE = 2_000_000


@dataclass(frozen=True)
class FullDomain(CompletesHierarchies, ExplainsRefusals, FollowsNoKey, CoversAlgorithm, Method):
    """Global recoding over the lattice of hierarchy levels.

    Claim: every group satisfies every model of the policy.
    Against: the adversaries that the models name, except one who knows that a lower vector failed (minimality); under
    models of sizes alone also that one.
    Needs: a hierarchy for every quasi-identifier column; columns without one get an automatic hierarchy.
    Why: the policy judges every group of the chosen vector; groups that fail are withheld, up to a share `suppression`
    of the rows.
    Source: LeFevre, DeWitt, Ramakrishnan: Incognito (SIGMOD 2005).
    """

    name: ClassVar[str] = "full-domain"
    tried: ClassVar[Settings] = ({}, {"suppression": 0.01}, {"suppression": 0.05})

    suppression: float = knob(0.0, low=0, high=1)

    def complete_hierarchies(self, columns: Columns, rows: Table) -> Columns:
        return complete_hierarchies(columns, rows)

    def check(self, columns: Columns, policy: Policy) -> None:
        super().check(columns, policy)
        vectors = 1
        for column in columns.quasi:
            vectors *= column.hierarchy.height + 1 if column.hierarchy else 1
        if vectors > LARGEST_LATTICE:
            raise PolicyError(
                f"The lattice has {vectors} level vectors, more than {LARGEST_LATTICE}.",
                code="policy.lattice",
                hint=f"Give fewer columns or flatter hierarchies, or use {option('method', 'mondrian')}.",
            )

    def group(self, columns: Columns, rows: Rows, policy: Policy) -> Rows:
        quasi = [column.name for column in columns.quasi]
        table = rows.histogram([*quasi, *(column.name for column in policy.columns_read(columns))])
        limit = int(self.suppression * table.total + 1e-9)
        search = LatticeSearch(columns, policy, table, limit)
        vector = search.find_best()
        if vector is None:
            raise self._unsatisfiable(columns, rows, policy)
        return rows.place(table, search.group_cells(vector))

    def covers_algorithm(self, policy: Policy) -> bool:
        return policy.ignores_values  # levels and withheld rows then depend on quasi-identifiers alone

    def show(self, columns: Columns, rows: Rows) -> Release:
        """Show each column at the lowest level at which every group has a single node."""
        column_cells = {}
        for column in columns.quasi:
            assert column.hierarchy is not None
            starts, members = rows.list_codes(column.name)
            for level in range(column.hierarchy.height + 1):
                nodes = column.hierarchy.maps[level][members]
                if np.array_equal(np.maximum.reduceat(nodes, starts[:-1]), np.minimum.reduceat(nodes, starts[:-1])):
                    column_cells[column.name] = level_cells(column, level, rows)
                    break
        return show_boxes(columns, rows, column_cells)

    def refused_steps(
        self, columns: Columns, table: Histogram, group: np.ndarray, smallest: int
    ) -> RefusedSteps | None:
        """Return every level vector that loses less than the chosen one. None if the groups are not those of a level
        vector, because the publisher used other hierarchies."""
        return replay_vectors(Lattice(columns, table), group, smallest, int(self.suppression * table.total + 1e-9))

    def _unsatisfiable(self, columns: Columns, rows: Rows, policy: Policy) -> Unsatisfiable:
        policy.require_whole(columns, rows.tally_values(columns), rows.total)
        hint = f"Raise the suppression limit, or use {option('method', 'mondrian')}."
        return Unsatisfiable(
            "No level vector of the hierarchies satisfies the policy.",
            code="unsatisfiable.lattice",
            hint=hint,
            best=hint,
        )
