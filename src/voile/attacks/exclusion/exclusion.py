"""Exclusion: rule out values of one sensitive column, and read off another.

The adversary does not know Carl's occupation, only that he is not a nurse. In his group that leaves two rows with much
the same salary. Each value ruled out in one column removes the rows that have it; for every group the worst case over
all sets of `values` values is computed. The baseline rules out the same number of values in the whole table.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import permutations
from typing import ClassVar

import numpy as np

from voile.adversaries.adversary import Adversary, Knowledge
from voile.attacks.base import Attack, Guess, Target, sensitive_names
from voile.attacks.chain import claimed_allowances, guess_unlinked, require_sensitive
from voile.kernels import lazy_module
from voile.plugins.counted_nouns import count_noun
from voile.plugins.registry import knob
from voile.releases.release import Release
from voile.results import Belief
from voile.tables.microdata import Microdata

kernel = lazy_module("voile.attacks.exclusion.kernel")


@dataclass(frozen=True)
class Exclusion(Attack):
    """Belief in a value of one sensitive column after ruling out the most telling `values` of another: of `column`, or
    of each column in turn.

    >>> Exclusion(values=2).values
    2
    """

    name: ClassVar[str] = "exclusion"

    values: int = knob(1, low=1)
    column: str | None = None

    def applies(self, target: object) -> bool:
        """With one sensitive column there is nothing to learn from another."""
        return super().applies(target) and len(sensitive_names(target)) > 1

    def guesses(self, target: Target, external: Microdata | None) -> list[Guess]:
        columns = list(target.tallies)
        require_sensitive(self.name, self.column, columns)
        column_pairs = [pair for pair in permutations(columns, 2) if self.column in (None, pair[0])]
        return [self._guess(target, excluded, guessed) for excluded, guessed in column_pairs]

    def _guess(self, target: Target, excluded_column: str, guessed_column: str) -> Guess:
        knowledge = (Knowledge.MEMBERSHIP, Knowledge.QUASI, Knowledge.OTHER_EXCLUSION)
        colleague = Adversary.who("informed colleague", *knowledge, excludes=self.values)
        values = count_noun(self.values, "value")
        title = f"{guessed_column!r} after ruling out {values} of {excluded_column!r}"
        pairs = target.pairs_of_values(excluded_column, guessed_column)
        if pairs is None:
            return Guess(title, colleague, guess_unlinked(target, guessed_column, title).belief)
        sizes = []
        for name in (excluded_column, guessed_column):
            column = target.tallies[name].column
            assert column is not None
            sizes.append(column.size)
        risk, groups, table_weights = [], [], np.zeros(sizes[0] * sizes[1])
        for group, value, guessed_value, people_with in pairs.pieces:
            starts = np.flatnonzero(np.append(np.append(True, np.diff(group) != 0), True))
            weight = people_with.astype(np.float64)
            risk.append(kernel.find_largest_shares(starts, value, guessed_value, weight, *sizes, self.values))
            groups.append(group[starts[:-1]])
            table_weights += np.bincount(value * sizes[1] + guessed_value, weights=weight, minlength=len(table_weights))
        pair_codes = np.flatnonzero(table_weights)
        whole_table = (np.array([0, len(pair_codes)]), *np.divmod(pair_codes, sizes[1]), table_weights[pair_codes])
        baseline = float(kernel.find_largest_shares(*whole_table, *sizes, self.values)[0])
        whose = np.concatenate(groups)
        belief = Belief(
            "belief",
            np.concatenate(risk),
            target.sizes[whose],
            min(baseline, 1.0),
            guessed_column,
            target.sampling_notes,
            excess=self._excess(target, excluded_column, guessed_column, whose),
        )
        return Guess(title, colleague, belief)

    def _excess(
        self, target: Target, excluded_column: str, guessed_column: str, whose: np.ndarray
    ) -> np.ndarray | None:
        """Return how far the beliefs in groups lie above what the claims allow; None where no claim is about this."""
        allowed = [given for given in claimed_allowances(target, guessed_column) if given.excluding >= self.values]
        if not allowed or not isinstance(target, Release):
            return None
        ruling_out = [replace(given, knowing=0, excluding=self.values) for given in allowed]
        found = [target.beliefs_given(guessed_column, given, None, excluded_column) for given in ruling_out]
        return np.maximum.reduce([beliefs.excess[whose] for beliefs in found if beliefs is not None])  # type: ignore[no-any-return]
