"""Chain: one sensitive value of a person, once known, reveals another.

A colleague knows that Carl is a policeman. In Carl's group only one row is a policeman's, and it has his salary. For
everybody the belief in the most likely value of one column is computed, once the person's value in another is known;
where a release does not tell how many people of a group have a value, for as many as are expected to. Values occur
together, so knowing one of them tells something even without the release: the baseline is the belief of an adversary
who knows the person's value and the complete sensitive rows of the whole table, but not the person's group.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import permutations
from typing import Any, ClassVar

import numpy as np

from voile.adversaries.adversary import Adversary, Knowledge
from voile.attacks.base import Attack, Guess, Target, sensitive_names
from voile.errors import PolicyError
from voile.models.claimed_model import claimed_model
from voile.models.multi_diversity.multi_diversity import MultiDiversity
from voile.releases.row_matching.known_values import Allowance
from voile.releases.shape_answers import ValuePairs
from voile.results import Belief
from voile.tables.microdata import Microdata
from voile.tables.schema import suggest_name


@dataclass(frozen=True)
class Chain(Attack):
    """Belief in a value of one sensitive column if the value in another is known: in `known`, or in each in turn.

    >>> Chain(known="occupation").known
    'occupation'
    """

    name: ClassVar[str] = "chain"

    known: str | None = None

    def applies(self, target: object) -> bool:
        """With one sensitive column there is nothing to learn from another."""
        return super().applies(target) and len(sensitive_names(target)) > 1

    def guesses(self, target: Target, external: Microdata | None) -> list[Guess]:
        columns = list(target.tallies)
        require_sensitive(self.name, self.known, columns)
        column_pairs = [pair for pair in permutations(columns, 2) if self.known in (None, pair[0])]
        return [self._guess(target, known, guessed) for known, guessed in column_pairs]

    def _guess(self, target: Target, known_column: str, guessed_column: str) -> Guess:
        knowledge = (Knowledge.MEMBERSHIP, Knowledge.QUASI, Knowledge.OTHER_VALUE)
        colleague = Adversary.who("colleague", *knowledge)
        title = f"{guessed_column!r}, if {known_column!r} is known"
        pairs = target.pairs_of_values(known_column, guessed_column)
        if pairs is None:
            return Guess(title, colleague, guess_unlinked(target, guessed_column, title).belief)
        sizes = (_size(target, known_column), _size(target, guessed_column))
        allowed = [given for given in claimed_allowances(target, guessed_column) if given.knowing]
        risk, people, table_pairs, excess = _from_pairs(pairs, sizes, allowed)
        baseline = float(table_pairs.max(axis=1).sum() / max(table_pairs.sum(), 1e-12))
        belief = Belief("belief", np.minimum(risk, 1.0), people, baseline, guessed_column, target.sampling_notes)
        return Guess(title, colleague, replace(belief, excess=excess))


def _size(target: Target, name: str) -> int:
    column = target.tallies[name].column
    assert column is not None
    return column.size


def _from_pairs(
    pairs: ValuePairs, sizes: tuple[int, int], allowed: Sequence[Allowance]
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray | None]:
    """Return the largest belief and the people for each group and known value, all pairs of the whole table, and how
    far beliefs lie above what the claims allow, if any claim does."""
    pieces = list(pairs.pieces)
    table_pairs = np.zeros(sizes)
    for _, value, guessed_value, people_with in pieces:
        np.add.at(table_pairs, (value, guessed_value), people_with)
    shares = table_pairs / np.maximum(table_pairs.sum(axis=1, keepdims=True), 1e-12)
    limits = [np.maximum(given.bound, shares + given.slack) for given in allowed]
    lowest = np.minimum.reduce(limits) if limits else None
    risk, people, excess = [], [], []
    for group, value, guessed_value, people_with in pieces:
        starts = np.flatnonzero(np.append(True, (np.diff(group) != 0) | (np.diff(value) != 0)))
        sums = np.add.reduceat(people_with, starts)
        belief = people_with / np.repeat(sums, np.diff(np.append(starts, len(group))))
        risk.append(np.maximum.reduceat(belief, starts))
        people.append(sums)
        if lowest is not None:
            excess.append(np.maximum.reduceat(belief - lowest[value, guessed_value], starts))
    above = np.concatenate(excess) if excess else None
    counted = np.concatenate(people)
    if pairs.expected:
        counted = round_expected(counted, np.concatenate(risk) if above is None else above)
    return np.concatenate(risk), counted.astype(np.int64), table_pairs, above


def round_expected(people: np.ndarray, order: np.ndarray) -> np.ndarray:
    """Turn expected numbers of people into whole ones, with the same total: beginning with those that come first by
    falling `order`, so that nobody at the top is rounded away.

    >>> round_expected(np.array([0.2, 1.5, 1.3]), np.array([0.9, 0.1, 0.5])).tolist()
    [1, 1, 1]
    """
    falling = np.argsort(-order, kind="stable")
    ends = np.ceil(np.cumsum(people[falling]) - 1e-6)
    whole = np.empty(len(people), dtype=np.int64)
    whole[falling] = np.diff(ends, prepend=0.0).astype(np.int64)
    return whole


def claimed_allowances(target: Target, column: str) -> list[Allowance]:
    """List what the claims of a release allow somebody to believe about a column who knows other values."""
    claims = [claim for claim in target.certificate.claims if claim["column"] == column]
    models = [claimed_model(claim) for claim in claims if claim["model"] == MultiDiversity.name]
    return [
        model.allowance(column)
        for model in models
        if isinstance(model, MultiDiversity) and model.knows_other_values and model.level(column) > 1
    ]


def guess_unlinked(target: Target, name: str, title: str) -> Guess:
    """Guess where nothing links two columns: belief in the most likely value of one, nothing else being known."""
    counts = target.tallies[name]
    neighbour = Adversary.who("neighbour", Knowledge.MEMBERSHIP, Knowledge.QUASI)
    risk = counts.largest() / np.maximum(counts.sizes, 1)
    baseline = float(counts.totals.max(initial=0) / max(float(counts.totals.sum()), 1e-12))
    return Guess(f"{title}: {name!r}", neighbour, Belief("belief", risk, counts.sizes, baseline, name, counts.remarks))


def require_sensitive(attack: str, name: str | None, columns: list[str]) -> None:
    """Raise a PolicyError if an attack names a column that is not sensitive in its target."""
    if name is not None and name not in columns:
        raise PolicyError(
            f"The attack {attack} names {name!r}, which is not a sensitive column.",
            code="policy.column",
            hint=suggest_name(name, columns),
        )


def beliefs_about_person(
    target: Target,
    group: int,
    known: Mapping[str, Any] | None = None,
    excluded: Mapping[str, Collection[Any]] | None = None,
) -> dict[str, dict[Any, float]]:
    """Return the beliefs about a person of one group (counted from 0) in every other column, given one value that they
    have in some column, or values that they do not have. Empty for a column where no value remains."""
    constraint = {
        **{name: {value} for name, value in (known or {}).items()},
        **{n: set(v) for n, v in (excluded or {}).items()},
    }
    assert len(constraint) == 1, "exactly one column is known or has values ruled out"
    (constrained, values), inside = next(iter(constraint.items())), bool(known)
    beliefs = {}
    for name, counts in target.tallies.items():
        column = counts.column
        assert column is not None
        if name == constrained:
            continue
        weight = np.zeros(column.size)
        pairs = target.pairs_of_values(constrained, name)
        if pairs is None:
            span = slice(counts.starts[group], counts.starts[group + 1])
            weight[counts.values[span]] = counts.counts[span]
        else:
            constrained_column = target.tallies[constrained].column
            assert constrained_column is not None
            fits = np.isin(constrained_column.domain.values.to_list(), list(values))
            fits = np.append(fits, [False] * constrained_column.domain.missing) == inside
            for groups, value, guessed_value, people_with in pairs.pieces:
                mine = (groups == group) & fits[value]
                np.add.at(weight, guessed_value[mine], people_with[mine])
        codes = np.flatnonzero(weight > 1e-15)
        labels = [*column.domain.values.to_list(), None]
        beliefs[name] = {labels[code]: float(weight[code] / weight.sum()) for code in codes}
    return beliefs
