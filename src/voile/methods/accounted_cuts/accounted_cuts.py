"""Accounted cuts: Mondrian or full-domain recoding under l-diversity, whose refusals are part of the account.

A method that coarsens no more than necessary reveals something by the cuts that it refuses. Here every group tries one
cut at most, chosen without a look at who has which value, and it is known beforehand what a refusal would say. Where
that is too much, the cut is left out by chance so often that nobody can tell a refusal from the coin. Values are shown
as they are.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from voile.errors import PolicyError, SpecError, option, parameter, raise_together
from voile.methods.accounted_cuts.cut_walk import CutWalk, Limits, cut_boxes, replay_beliefs
from voile.methods.accounted_cuts.level_walk import lower_levels
from voile.methods.accounted_cuts.value_cells import count_values, place_counts
from voile.methods.base import CompletesHierarchies, CoversAlgorithm, Method, Settings, ShowsItsKnobs
from voile.methods.full_domain import FullDomain
from voile.methods.mondrian.mondrian import Mondrian
from voile.methods.refusals import AccountsForRefusals, RefusesByTotals
from voile.models.abilities import needs_one_row
from voile.models.base import Model
from voile.models.kinds import SizeModel
from voile.models.l_diversity import LDiversity
from voile.models.policy import Policy
from voile.plugins.registry import knob
from voile.releases.release import Release
from voile.tables.group_counts import Counts
from voile.tables.row_protocol import Histogram, Rows, Table
from voile.tables.schema import Column, Columns, suggest_name


@dataclass(frozen=True)
class AccountedCuts(CompletesHierarchies, CoversAlgorithm, RefusesByTotals, AccountsForRefusals, ShowsItsKnobs, Method):
    """Generalization that withstands knowing the algorithm: one cut per group, whose refusal is accounted for.

    Claim: frequency l-diversity (and k-anonymity, if the policy asks for it), for an adversary who also knows the
    algorithm and its parameters.
    Against: a neighbour who knows everybody's quasi-identifier, how common each value is in the whole table, and the
    algorithm, and takes all ways to deal the values to the people as equally likely.
    Needs: one sensitive column under l-diversity. With `grouping="full-domain"`, hierarchies; missing ones are built.
    Why: which cut is tried follows from what the release shows anyway. If it is not made, either it was refused or a
    coin said stop; the coin is so likely that belief stays at 1/l.
    Source: voile. The threat is the minimality attack (Wong, Fu, Wang, Pei: VLDB 2007).

    `grouping="mondrian"` makes boxes, `"full-domain"` lowers one level of a hierarchy for everybody at a time. Columns
    in `last` are cut after the others: those that go with the sensitive value, so that their cuts would be refused.
    Name them by what is known in public, not by a look at the table.
    """

    name: ClassVar[str] = "accounted-cuts"
    tried: ClassVar[Settings] = ({}, {"grouping": "full-domain"})

    grouping: str = knob("mondrian", choices=("mondrian", "full-domain"))
    last: tuple[str, ...] = ()

    def complete_hierarchies(self, columns: Columns, rows: Table) -> Columns:
        return FullDomain().complete_hierarchies(columns, rows) if self.grouping == "full-domain" else columns

    def check(self, columns: Columns, policy: Policy) -> None:
        if policy.rows_per_person > 1:
            raise needs_one_row(self.name, "it takes all ways to deal values to people as equally likely")
        super().check(columns, policy)
        problems: list[SpecError] = []
        if not _serves(policy):
            problems.append(
                PolicyError(
                    "accounted-cuts serves frequency l-diversity of one column, and k-anonymity beside it.",
                    code="policy.method",
                    hint=f"Ask for it ({option('model', 'l-diversity', l=2)}), or use {option('method', 'mondrian')}.",
                )
            )
        elif len(_diversity(policy).targets(columns)) > 1:
            problems.append(
                PolicyError(
                    "accounted-cuts accounts for one sensitive column, and l-diversity is asked for "
                    f"{len(columns.sensitive)}.",
                    code="policy.column",
                    hint=f"Name one ({parameter('column', columns.sensitive[0].name)}).",
                )
            )
        quasi = [column.name for column in columns.quasi]
        problems += [
            PolicyError(
                f"accounted-cuts: {name!r} in `last` is not a quasi-identifier column.",
                code="policy.column",
                hint=suggest_name(name, quasi),
            )
            for name in self.last
            if name not in quasi
        ]
        raise_together(problems)

    def group(self, columns: Columns, rows: Rows, policy: Policy) -> Rows:
        target = _target(columns, policy)
        policy.require_whole(columns, rows.tally_values(columns), rows.total)
        cells = count_values(rows, columns.quasi, target)
        limits, late = _find_limits(policy), self._mark_late(columns)
        if self.grouping == "mondrian":
            return rows.place(cells.table, cut_boxes(columns, cells, limits, late, rows.key))
        return rows.place(cells.table, lower_levels(columns, cells, target, limits, late, rows.key))

    def show(self, columns: Columns, rows: Rows) -> Release:
        shower: Method = Mondrian() if self.grouping == "mondrian" else FullDomain()
        return shower.show(columns, rows)

    def covers_algorithm(self, policy: Policy) -> bool:
        return _serves(policy)

    def accounted_beliefs(
        self, columns: Columns, table: Histogram, group: np.ndarray, counts: Counts, policy: Policy
    ) -> tuple[np.ndarray, np.ndarray]:
        """Replay the walk over the boxes. What a refused level says is only known to stay within the limits, and so it
        is if the walk cannot be replayed, because the publisher used other columns or hierarchies."""
        assert counts.column is not None
        limits, totals = _find_limits(policy), np.zeros((counts.groups, counts.column.size), dtype=np.int64)
        totals[counts.owner, counts.values] = counts.counts
        if self.grouping == "mondrian":
            walk = CutWalk(columns, place_counts(table, group, counts), limits, self._mark_late(columns))
            replayed = replay_beliefs(walk, group, totals)
            if replayed is not None:
                return replayed
        bounds = np.minimum(1 / limits.l, totals / limits.k)
        return bounds[group], np.zeros(len(group), dtype=bool)

    def _mark_late(self, columns: Columns) -> np.ndarray:
        return np.array([column.name in self.last for column in columns.quasi])

    def contradictions(self, release: Release) -> list[str]:
        """Only one column can have been accounted for, and only quasi-identifiers are cut."""
        claimed = {claim.get("column") for claim in release.certificate.claims if claim.get("column") is not None}
        quasi = {str(entry["name"]) for entry in release.described("quasi")}
        problems = ["accounts for one sensitive column, and the claims name several"] if len(claimed) > 1 else []
        return problems + (["names a column that is no quasi-identifier"] if set(self.last) - quasi else [])


def _serves(policy: Policy) -> bool:
    """Whether the policy asks for frequency l-diversity once, beside it for sizes only, and everybody has one row."""
    diversity = [model for model in policy if isinstance(model, LDiversity) and model.form == "frequency"]
    return (
        len(diversity) == 1
        and all(model is diversity[0] or _is_threshold(model) for model in policy)
        and policy.rows_per_person == 1
    )


def _is_threshold(model: Model) -> bool:
    return isinstance(model, SizeModel) and model.is_threshold


def _diversity(policy: Policy) -> LDiversity:
    return next(model for model in policy if isinstance(model, LDiversity))


def _find_limits(policy: Policy) -> Limits:
    promised = max((model.smallest() for model in policy.size_models), default=1)
    return Limits(_diversity(policy).l, promised, policy.smallest())


def _target(columns: Columns, policy: Policy) -> Column:
    (target,) = _diversity(policy).targets(columns)
    assert target is not None
    return target
