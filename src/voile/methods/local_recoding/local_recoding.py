"""Local recoding: of people with equal quasi-identifiers, only as many are shown coarsely as the policy needs.

The slides on the minimality attack publish in this way: two of four equal rows are generalized together with two rows
that need them, and the other two stay exact. Little is lost, and much is given away: boxes overlap, and a row that is
shown coarsely is there for a reason.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from voile.errors import PolicyError, Unsatisfiable, option
from voile.methods.base import CompletesHierarchies, FollowsNoKey, Method, Settings
from voile.methods.local_recoding.group_judge import GroupJudge
from voile.methods.local_recoding.row_borrowing import RowBorrowing
from voile.models.abilities import SurvivesCuts
from voile.models.policy import Policy
from voile.releases.cells.cell_choice import ancestor_cells
from voile.releases.release import Release
from voile.releases.shapes.generalized import show_boxes
from voile.tables.automatic_hierarchies.completion import complete_hierarchies
from voile.tables.row_protocol import Histogram, Rows, Table
from voile.tables.schema import Columns

LARGEST_TABLE = 20_000_000  # pairs of a distinct quasi-identifier and a combination of sensitive values


@dataclass(frozen=True)
class LocalRecoding(CompletesHierarchies, FollowsNoKey, Method):
    """Recoding row by row, with as few coarse rows as it finds.

    Claim: every group satisfies every model of the policy.
    Against: the adversaries that the models name, except one who knows the algorithm: it generalizes a row only where
    it must, so a coarse row tells that finer groups failed (minimality).
    Needs: monotone models or guarding nodes per person, and a hierarchy for every quasi-identifier column; columns
    without one get an automatic hierarchy.
    Why: the policy judges every group, also the groups that give rows to a failing one. Boxes may overlap: somebody who
    fits several groups can be in any of them, and the promise holds in each.
    Source: Wong, Fu, Wang, Pei: Minimality attack in privacy preserving data publishing (VLDB 2007), whose examples
    are published in this way; the search is ours.
    """

    name: ClassVar[str] = "local-recoding"
    tried: ClassVar[Settings] = ()  # a comparison tries it if it is named: it takes long on large tables

    def complete_hierarchies(self, columns: Columns, rows: Table) -> Columns:
        return complete_hierarchies(columns, rows)

    def check(self, columns: Columns, policy: Policy) -> None:
        super().check(columns, policy)
        wild = ", ".join(m.name for m in policy if not m.monotone and not isinstance(m, SurvivesCuts))
        if wild:
            raise PolicyError(
                f"{self.name} cannot serve {wild}: it is not monotone, so a group that borrows rows may never pass.",
                code="policy.monotone",
                hint=f"Use {option('method', 'full-domain')}.",
            )

    def group(self, columns: Columns, rows: Rows, policy: Policy) -> Rows:
        # a promise about sizes must not look at values: then all people of a cell are of one type
        counted = [] if policy.ignores_values else [column.name for column in columns.counted]
        quasi = [column.name for column in columns.quasi]
        tallies = rows.tally_values(columns) if counted else {}
        if policy.monotone:
            policy.require_whole(columns, tallies, rows.total)
        table = rows.histogram([*quasi, *counted])
        cells, cell = np.unique(table.codes[:, : len(quasi)], axis=0, return_inverse=True)
        types, kind = np.unique(table.codes[:, len(quasi) :], axis=0, return_inverse=True)
        cell, kind = cell.reshape(-1), kind.reshape(-1)
        if len(cells) * len(types) > LARGEST_TABLE:
            raise PolicyError(
                f"{self.name} weighs {len(cells):,} different quasi-identifiers and {len(types):,} combinations of "
                "sensitive values, which are too many.",
                code="policy.local-recoding",
                hint=f"Use {option('method', 'mondrian')}.",
            )
        people = np.zeros((len(cells), max(len(types), 1)), dtype=np.int64)
        people[cell, kind] = table.counts
        totals = {name: counts.totals for name, counts in tallies.items()}
        judge = GroupJudge(columns, policy, types, counted, totals)
        search = RowBorrowing(columns.quasi, cells, people, judge)
        groups = search.form_groups()
        if not search.all_pass():
            raise self._unsatisfiable(columns, rows, policy)
        return deal_rows(rows, table, number_rows(cell, kind, groups))

    def show(self, columns: Columns, rows: Rows) -> Release:
        return show_boxes(columns, rows, {column.name: ancestor_cells(column, rows) for column in columns.quasi})

    def _unsatisfiable(self, columns: Columns, rows: Rows, policy: Policy) -> Unsatisfiable:
        policy.require_whole(columns, rows.tally_values(columns), rows.total)
        hint = f"Ask for less, or use {option('method', 'full-domain')}, which may withhold rows."
        return Unsatisfiable(
            "Moving rows into coarser groups does not satisfy the policy.",
            code="unsatisfiable.local-recoding",
            hint=hint,
            best=hint,
        )


def number_rows(cell: np.ndarray, kind: np.ndarray, groups: list[dict[int, np.ndarray]]) -> list[tuple[int, int, int]]:
    """Return which groups the people of each row of the table go to: the row, the group, and how many."""
    row_of = {pair: row for row, pair in enumerate(zip(cell.tolist(), kind.tolist(), strict=True))}
    shares = [
        (row_of[place, int(number)], group, int(amounts[number]))
        for group, members in enumerate(groups)
        for place, amounts in members.items()
        for number in np.flatnonzero(amounts)
    ]
    return sorted(shares)


def deal_rows(rows: Rows, table: Histogram, shares: list[tuple[int, int, int]]) -> Rows:
    """Put the people of each row of the table into their groups. Where they differ in columns that were not looked at,
    chance decides who goes where."""
    whole = rows.histogram(rows.names)
    home = np.arange(len(whole.counts)) if table.index is None else np.asarray(table.index)
    homes: dict[int, list[tuple[int, int]]] = {}
    for row, group, amount in shares:
        homes.setdefault(row, []).append((group, amount))
    order = np.argsort(home, kind="stable")
    starts = np.searchsorted(home[order], np.arange(len(table.counts) + 1))
    dealt: list[tuple[int, int, int]] = []
    for row, split in homes.items():
        places = order[starts[row] : starts[row + 1]]
        if len(split) == 1:
            dealt += [(int(place), split[0][0], int(whole.counts[place])) for place in places]
            continue
        people = np.repeat(places, whole.counts[places])
        if len(places) > 1:
            people = people[rows.key.shuffle(f"local recoding {row}", len(people))]
        ends = np.cumsum([amount for _, amount in split])
        for (group, _), chosen in zip(split, np.split(people, ends[:-1]), strict=True):
            used, counts = np.unique(chosen, return_counts=True)
            dealt += [(int(place), group, int(count)) for place, count in zip(used, counts, strict=True)]
    places, groups, numbers = np.array(sorted(dealt), dtype=np.int64).reshape(-1, 3).T
    return rows.deal(whole, places, groups, numbers)
