"""Personalized privacy: everybody decides what must not be found out about them.

A person names a guarding node of the sensitive column's hierarchy: one person hides "that I never went beyond
elementary school", another hides the exact school. The neighbour's belief that a person's value lies below the node
they guard is at most p. Which node a person guards is itself revealing, so it is not published.

There are two forms. With `own_nodes`, everybody's node comes from a column of the table that is never published, and a
group is judged by the nodes of its own members. With a list of nodes, or none, everybody guards the same: the short
form, which anybody can recount.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np

from voile.adversaries.adversary import Adversary
from voile.errors import PolicyError, option, parameter
from voile.models.abilities import AcceptsDistinctValues, NamesValues, ProtectsSets, SurvivesCuts, single_values
from voile.models.base import Model, Verification
from voile.models.evidence import Evidence
from voile.models.k_anonymity import NEIGHBOUR
from voile.models.personalized.guarding import GuardedColumn, list_nodes, values_below
from voile.plugins.counted_nouns import count_noun
from voile.plugins.registry import knob
from voile.releases.release import Release
from voile.results import Answer
from voile.tables.group_counts import Counts, at_most
from voile.tables.microdata import Microdata
from voile.tables.schema import Column, Columns

OWN_NODES = "protected belief under everybody's own node"  # no attack guesses it: nobody else knows the nodes


@dataclass(frozen=True)
class Personalized(NamesValues, ProtectsSets, AcceptsDistinctValues, SurvivesCuts, Model):
    """No guarded node covers more than p of a group. `nodes` are values or labels of the column's hierarchy that
    everybody guards; without nodes, everybody guards their own value. With `own_nodes`, each person's node is in the
    column that the schema names (`guarding`).

    >>> Personalized(p=0.5, nodes=("elementary",)).bound()
    Fraction(1, 2)
    """

    name: ClassVar[str] = "personalized"

    p: float = knob(0.5, above=0, high=1)
    nodes: tuple[str, ...] = ()
    column: str | None = None
    own_nodes: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.nodes and self.own_nodes:
            raise PolicyError(
                f"{self.name}: everybody guards the same nodes, or everybody guards their own.",
                code="policy.parameter",
                hint=f"Leave out {parameter('nodes')} or {parameter('own_nodes')}.",
            )

    def parameters(self) -> dict[str, Any]:
        """Return the knobs; the usual form does not mention `own_nodes`."""
        return {key: value for key, value in super().parameters().items() if key != "own_nodes" or value}

    @property
    def monotone(self) -> bool:  # type: ignore[override]  # it depends on the form
        """Whether merging groups never breaks the promise. It may with `own_nodes`: the members of one group may guard
        what nobody guards in another group, where all have it."""
        return not self.own_nodes

    def targets(self, columns: Columns) -> list[Column | None]:
        """List the columns to judge: with `own_nodes` the pairs of values and nodes, where the table is at hand."""
        subjects = super().targets(columns)
        if not self.own_nodes:
            return subjects
        guards = {guard.subject.name: guard for guard in columns.guards}
        return [guards.get(column.name, column) for column in subjects if column is not None]

    def holds(self, counts: Counts) -> np.ndarray:
        """Return for each group whether the promise holds there. With `own_nodes`, counts of pairs of values and nodes
        are judged by the nodes of the members; counts of values alone, by all nodes."""
        column = counts.column
        assert column is not None
        if not isinstance(column, GuardedColumn):
            return self._cover_little(counts, counts.values, self.protected_sets(column))
        value, wish = column.split_pairs(counts.values)
        answer = np.ones(counts.groups, dtype=bool)
        for number in np.unique(wish[wish > 0]):
            guards = counts.summed((wish == number).astype(np.int64)) > 0
            answer &= ~guards | self._cover_little(counts, value, column.covers[number : number + 1])
        return answer

    def _cover_little(self, counts: Counts, values: np.ndarray, nodes: np.ndarray) -> np.ndarray:
        """Return for each group whether no node covers more than p of it."""
        answer = np.ones(counts.groups, dtype=bool)
        for is_below in nodes:
            covered_rows = counts.summed(np.where(is_below[values], counts.counts, 0))
            answer &= at_most(covered_rows, self.bound(), counts.sizes)
        return answer

    def protected_sets(self, column: Column) -> np.ndarray:
        if self.own_nodes:
            return list_nodes(column)
        return np.array([values_below(column, node) for node in self.nodes]) if self.nodes else single_values(column)

    def bound(self) -> Fraction:
        return Fraction(str(self.p))

    @property
    def limits(self) -> str:
        return OWN_NODES if self.own_nodes else "protected belief" if self.nodes else "belief"

    def adversary(self) -> Adversary:
        return Adversary.who("neighbour", *NEIGHBOUR)

    @property
    def gaps(self) -> tuple[str, ...]:  # type: ignore[override]  # it depends on the form
        return (
            ("an adversary who draws conclusions from the shape of the groups about who guards what",)
            if self.own_nodes
            else ()
        )

    def promise(self, column: str) -> str:
        if self.own_nodes:
            return (
                f"For nobody can it be inferred with probability above {self.p:g} that their {column!r} lies below the "
                "node that they guard. Which node that is, if any, is not published."
            )
        if not self.nodes:
            return f"Nobody can be linked to a value of {column!r} with probability above {self.p:g}."
        return (
            f"For nobody can it be inferred with probability above {self.p:g} that their {column!r} lies below any of "
            f"{len(self.nodes)} guarded nodes."
        )

    def check(self, column: Column | None) -> None:
        assert column is not None
        unknown_nodes = [node for node in self.nodes if not values_below(column, node).any()]
        if unknown_nodes:
            raise PolicyError(
                f"{self.name}: {len(unknown_nodes)} guarded nodes are neither values of {column.name!r} nor labels of "
                "its hierarchy.",
                code="policy.nodes",
                hint="Give the sensitive column a hierarchy that has them, or check their spelling.",
            )

    def check_named_values(self, column: Column | None) -> None:
        """Raise PolicyError if everybody guards their own node and the schema names no column that tells which."""
        assert column is not None
        if self.own_nodes and not isinstance(column, GuardedColumn):
            raise PolicyError(
                f"{self.name}: no column tells which node of {column.name!r} each person guards.",
                code="policy.guarding",
                hint=f"Name it in the schema, e.g. {option('guarding', {column.name: 'guarding_node'})}, or list nodes "
                f"for everybody ({parameter('nodes')}).",
            )

    def smallest(self) -> int:
        return 1 if self.nodes or self.own_nodes else int(np.ceil(1 / float(self.bound()) - 1e-9))

    def distinct_values_needed(self) -> int | None:
        return None if self.nodes or self.own_nodes else self.smallest()

    def best(self, counts: Counts) -> str:
        column, total = counts.column, int(counts.totals.sum())
        assert column is not None
        if isinstance(column, GuardedColumn):
            people = np.zeros(column.size, dtype=np.int64)
            people[: len(counts.totals)] = counts.totals
            table = people.reshape(column.target.size, -1)
            covered = column.covers.astype(np.int64) @ table.sum(axis=1)
            excessive = ~at_most(covered, self.bound(), np.full(len(covered), total))
            return (
                f"{int(table.sum(axis=0)[excessive].sum())} of {total} people guard a node that covers more than "
                f"{self.p:g} of all rows."
            )
        largest_count = max(int(counts.totals[is_guarded].sum()) for is_guarded in self.protected_sets(column))
        return f"The most frequent guarded node covers {largest_count} of {total} rows."

    def verify(self, release: Release, counts: Counts, evidence: Evidence) -> Verification:
        """Recount; with `own_nodes`, the release alone tells only whether the promise holds whatever people guard."""
        if not self.own_nodes:
            return super().verify(release, counts, evidence)
        if counts.groups and bool(self.holds(counts).all()):
            return Verification(
                Answer.HOLDS,
                f"Recounted in {count_noun(counts.groups, 'group')}, whatever node of the published hierarchy below "
                "its top anybody guards.",
            )
        guard = _find_guard(evidence.data, counts.column)
        if evidence.data is None or guard is None:
            return Verification(
                Answer.NEEDS,
                "Which node each person guards is not published. Checking it needs the table with that column.",
            )
        return self._check_people(release, counts, evidence.data, guard)

    def _check_people(self, release: Release, counts: Counts, data: Microdata, guard: GuardedColumn) -> Verification:
        """Check the groups that each person fits by the nodes that they guard. Somebody who fits several groups is in
        one of them, and only the key tells in which."""
        withheld = int(release.dictionary.get("withheld", 0))
        if data.rows.total != release.people + withheld:
            return Verification(Answer.BROKEN, "The table has another number of people than the release.")
        kind, group, _ = release.match_register(data)
        table = data.rows.histogram([*(str(entry["name"]) for entry in release.described("quasi")), guard.name])
        kind_of_row = np.unique(table.codes[:, :-1], axis=0, return_inverse=True)[1].reshape(-1)
        wish = guard.split_pairs(table.codes[:, -1])[1]
        fits = np.bincount(kind, minlength=int(kind_of_row.max(initial=-1)) + 1)
        is_wrong, is_unclear = np.zeros(len(wish), dtype=bool), np.zeros(len(wish), dtype=bool)
        for number in np.unique(wish[wish > 0]):
            failing = ~self._cover_little(counts, counts.values, _published_node(guard, int(number), counts))
            failures = np.bincount(kind[failing[group]], minlength=len(fits))[kind_of_row]
            asks = wish == number
            is_wrong |= asks & (failures > 0) & (failures == fits[kind_of_row]) & (withheld == 0)
            is_unclear |= asks & (failures > 0)
        if is_wrong.any():
            people = int(table.counts[is_wrong].sum())
            detail = f"For {people} people, the node that they guard covers more than {self.p:g} of their group."
            return Verification(Answer.BROKEN, detail)
        if is_unclear.any():
            people = int(table.counts[is_unclear].sum())
            detail = f"{people} people fit several groups, or may be withheld: checking these needs the key as well."
            return Verification(Answer.NEEDS, detail, by_republishing=True)
        asking = int(table.counts[wish > 0].sum())
        return Verification(
            Answer.HOLDS,
            f"Recounted in {count_noun(counts.groups, 'group')} for {count_noun(asking, 'person', 'people')} with a "
            "guarding node.",
        )


def _find_guard(data: Microdata | None, column: Column | None) -> GuardedColumn | None:
    """Return the column of guarding nodes that a table has for a sensitive column."""
    guards = () if data is None or column is None else data.columns.guards
    return next(
        (g for g in guards if isinstance(g, GuardedColumn) and g.target.name == getattr(column, "name", "")), None
    )


def _published_node(guard: GuardedColumn, wish: int, counts: Counts) -> np.ndarray:
    """Mark the published values that a wish covers, in the codes of the release."""
    assert counts.column is not None
    covered = {text for text, below in zip(guard.target.domain.labels, guard.covers[wish], strict=True) if below}
    return np.array([[text in covered for text in counts.column.domain.labels]])
