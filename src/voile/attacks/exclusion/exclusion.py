"""Exclusion: rule out values of one sensitive column, and read off another.

The adversary does not know Carl's occupation, only that he is not a nurse. In his group that leaves two rows with much
the same salary. Each value ruled out in one column removes the rows that have it; for every group the worst case over
all sets of `values` values is computed. The baseline rules out the same number of values in the whole table.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import permutations
from typing import ClassVar

import numpy as np

from voile.adversaries.adversary import Adversary, Knowledge
from voile.attacks.base import Attack, Guess, Target, sensitive_names
from voile.attacks.chain import guess_unlinked, require
from voile.kernels import lazy_kernel
from voile.plugins.registry import knob
from voile.results import Belief
from voile.tables.microdata import Microdata

kernel = lazy_kernel("voile.attacks.exclusion.kernel")


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
        require(self.name, self.column, columns)
        chosen = [(one, other) for one, other in permutations(columns, 2) if self.column in (None, one)]
        return [self._guess(target, one, other) for one, other in chosen]

    def _guess(self, target: Target, one: str, other: str) -> Guess:
        known = (Knowledge.MEMBERSHIP, Knowledge.QUASI, Knowledge.OTHER_EXCLUSION)
        informed = Adversary.who("informed colleague", *known, excludes=self.values)
        title = f"{other!r} after ruling out {self.values} value{'' if self.values == 1 else 's'} of {one!r}"
        pairs = target.pairs_of_values(one, other)
        if pairs is None:
            return Guess(title, informed, guess_unlinked(target, other, title).belief)
        sizes = []
        for name in (one, other):
            column = target.tallies[name].column
            assert column is not None
            sizes.append(column.size)
        risk, groups, whole = [], [], np.zeros(sizes[0] * sizes[1])
        for group, value, guessed, number in pairs.pieces:
            starts = np.flatnonzero(np.append(np.append(True, np.diff(group) != 0), True))
            weight = number.astype(np.float64)
            risk.append(kernel.worst(starts, value, guessed, weight, sizes[0], sizes[1], self.values))
            groups.append(group[starts[:-1]])
            whole += np.bincount(value * sizes[1] + guessed, weights=weight, minlength=len(whole))
        listed = np.flatnonzero(whole)
        cuts = np.array([0, len(listed)])
        alike = (cuts, listed // sizes[1], listed % sizes[1], whole[listed], sizes[0], sizes[1], self.values)
        baseline = float(kernel.worst(*alike)[0])
        people = target.sizes[np.concatenate(groups)]
        belief = Belief("belief", np.concatenate(risk), people, min(baseline, 1.0), other, target.sampling_notes)
        return Guess(title, informed, belief)
