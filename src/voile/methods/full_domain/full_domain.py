"""Full-domain recoding: one level of the hierarchy per column, the same for everybody.

Of all level vectors that satisfy the policy, `lattice_search` finds the one that loses least. Rows of groups that fail
may be withheld, up to a limit.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import prod
from typing import ClassVar

import numpy as np

from voile.adversaries.adversary import join_phrases
from voile.errors import PolicyError, Unsatisfiable, option, parameter
from voile.methods.base import (
    CompletesHierarchies,
    CoversAlgorithm,
    FollowsNoKey,
    JudgesSets,
    Method,
    Settings,
    Steerable,
)
from voile.methods.full_domain.cell_blanks import check_columns
from voile.methods.full_domain.lattice import Lattice, list_levels
from voile.methods.full_domain.lattice_search import LatticeSearch
from voile.methods.full_domain.set_search import SetSearch
from voile.methods.full_domain.vector_replay import replay_vectors
from voile.methods.refusals import ExplainsRefusals, RefusedSteps
from voile.methods.steering.strata import has_strata, too_rare
from voile.methods.steering.withholding import count_allowed
from voile.models.policy import Policy
from voile.plugins.registry import knob
from voile.releases.cells.cell_choice import level_cells, level_or_blank_cells
from voile.releases.release import Release
from voile.releases.shapes.generalized import show_boxes
from voile.tables.automatic_hierarchies.completion import complete_hierarchies
from voile.tables.row_protocol import Histogram, Rows, Table
from voile.tables.schema import Columns

LARGEST_LATTICE = 2_000_000


@dataclass(frozen=True)
class FullDomain(CompletesHierarchies, Steerable, JudgesSets, ExplainsRefusals, FollowsNoKey, CoversAlgorithm, Method):
    """Global recoding over the lattice of hierarchy levels.

    Claim: every group satisfies every model of the policy.
    Against: the adversaries that the models name, except one who knows that a lower vector failed (minimality); under
    models of sizes alone also that one.
    Needs: a hierarchy for every quasi-identifier column; columns without one get an automatic hierarchy.
    Why: the policy judges every group of the chosen vector; groups that fail are withheld, up to a share `suppression`
    of the rows.
    With `blanks`, single cells of these rows are blanked instead, where that is enough; when rows are counted, a blank
    is equal to a blank only.
    Source: LeFevre, DeWitt, Ramakrishnan: Incognito (SIGMOD 2005).
    """

    name: ClassVar[str] = "full-domain"
    tried: ClassVar[Settings] = ({}, {"suppression": 0.01}, {"suppression": 0.05})

    suppression: float = knob(0.0, low=0, high=1)
    blanks: bool = False

    def complete_hierarchies(self, columns: Columns, rows: Table) -> Columns:
        return complete_hierarchies(columns, rows)

    def check(self, columns: Columns, policy: Policy) -> None:
        super().check(columns, policy)
        if self.blanks:
            check_columns(len(columns.quasi))
        if columns.quasi_sets and (self.suppression or self.blanks):
            raise PolicyError(
                "full-domain withholds nobody where several sets of quasi-identifiers are judged.",
                code="policy.quasi-sets",
                hint=f"Set {parameter('suppression', 0)}.",
            )
        if columns.quasi_sets and not all(model.basis == "counts" for model in policy):
            raise PolicyError(
                "Only models that count people can be promised for each of several sets of quasi-identifiers.",
                code="policy.quasi-sets",
                hint=f"Use {option('model', 'k-anonymity')} or {option('model', 'l-diversity')}.",
            )
        levels = {column.name: len(list_levels(column)) for column in columns.quasi if column.hierarchy is not None}
        vectors = prod(levels.values())
        if vectors > LARGEST_LATTICE:
            tall = _find_tallest(levels)
            raise PolicyError(
                f"The lattice has {vectors} level vectors, more than {LARGEST_LATTICE}.",
                code="policy.lattice",
                hint=f"Fix {join_phrases(map(repr, tall))} at one level each ({option('steering')}, with the same "
                f"finest and coarsest level), leave a column out, or use {option('method', 'mondrian')} or "
                f"{option('method', 'cluster')}.",
            )

    def group(self, columns: Columns, rows: Rows, policy: Policy) -> Rows:
        if columns.quasi_sets or self.blanks:  # decided in `transform`, which notes the levels
            return rows.place(table := rows.histogram([columns.quasi[0].name]), np.zeros(len(table.counts), np.int64))
        quasi = [column.name for column in columns.quasi]
        table = rows.histogram([*quasi, *(column.name for column in policy.columns_read(columns))])
        search = LatticeSearch(columns, policy, table, count_allowed(self.suppression, table.total))
        vector = search.find_best()
        if vector is None:
            policy.require_whole(columns, rows.tally_values(columns), rows.total)
            raise self._unsatisfiable(columns, search)
        return rows.place(table, search.group_cells(vector))

    @property
    def transforms_rows(self) -> bool:
        return self.blanks  # or for several sets of columns, which no earlier release and no other method goes with

    def transform(self, columns: Columns, rows: Rows, policy: Policy) -> tuple[Columns, Rows]:
        """Choose the levels where several sets of columns are judged or cells are blanked, and note them: the people of
        a small group may share a node at a lower level, which then must not be shown."""
        if not columns.quasi_sets and not self.blanks:
            return columns, rows
        table = rows.histogram([column.name for column in (*columns.quasi, *policy.columns_read(columns))])
        limit = count_allowed(self.suppression, table.total)
        search = (
            SetSearch(columns, policy, table) if columns.quasi_sets else LatticeSearch(columns, policy, table, limit)
        )
        vector = search.find_best()
        if vector is None:
            policy.require_whole(columns, rows.tally_values(columns), rows.total)
            raise self._unsatisfiable(columns, search)
        quasi = tuple(
            replace(column, level=column.steer.finest + level)
            for column, level in zip(columns.quasi, vector, strict=True)
        )
        group = search.blank_cells(vector) if self.blanks else search.group_cells(vector)
        return replace(columns, quasi=quasi), rows.place(table, group)

    def covers_algorithm(self, policy: Policy) -> bool:
        return policy.ignores_values  # levels and withheld rows then depend on quasi-identifiers alone

    def show(self, columns: Columns, rows: Rows) -> Release:
        """Show each column at the lowest level at which every group has a single node."""
        column_cells = {}
        for column in columns.quasi:
            assert column.hierarchy is not None
            if column.level is not None:
                column_cells[column.name] = level_or_blank_cells(column, column.level, rows)
                continue
            starts, members = rows.list_codes(column.name)
            for level in range(column.steer.finest, column.hierarchy.height + 1):
                nodes = column.hierarchy.maps[level][members]
                if np.array_equal(np.maximum.reduceat(nodes, starts[:-1]), np.minimum.reduceat(nodes, starts[:-1])):
                    column_cells[column.name] = level_cells(column, level, rows)
                    break
        return show_boxes(columns, rows, column_cells)

    def refused_steps(
        self, columns: Columns, table: Histogram, group: np.ndarray, smallest: int
    ) -> RefusedSteps | None:
        """Return every level vector that loses less than the chosen one. None if the groups are not those of a level
        vector, because the publisher used other hierarchies, several sets of columns were judged, or cells were
        blanked."""
        if columns.quasi_sets or self.blanks:
            return None
        return replay_vectors(Lattice(columns, table), group, smallest, count_allowed(self.suppression, table.total))

    def _unsatisfiable(self, columns: Columns, search: LatticeSearch) -> Unsatisfiable:
        if has_strata(columns):
            return too_rare(columns, search.count_failing(), search.table.total)
        hint = f"Raise the suppression limit, or use {option('method', 'mondrian')}."
        return Unsatisfiable(
            "No level vector of the hierarchies satisfies the policy.",
            code="unsatisfiable.lattice",
            hint=hint,
            best=hint,
        )


def _find_tallest(levels: Mapping[str, int]) -> list[str]:
    """Return the columns with most levels, as many as must be fixed at one level to make the lattice small enough."""
    names = sorted(levels, key=lambda name: -levels[name])
    fixed = next(n for n in range(len(names) + 1) if prod(levels[name] for name in names[n:]) <= LARGEST_LATTICE)
    return names[:fixed]
