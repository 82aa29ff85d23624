"""Exchange complete rows of several columns between people, where a joint table says which rows there are.

Everybody has one row of the joint table. People of one group may exchange their rows, and so may people of different
groups who have the same first value, if each group lists the values that it gets. A few people at a time hand their
rows around a circle, so that every step keeps the joint table, the lists, and the distribution of all tables that agree
with both.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from voile.releases.completions.atoms import Atoms
from voile.releases.completions.column_model import ColumnModel, weigh_levels

# how many people exchange rows in each round, inside groups and between them; two do not suffice: of three lists
# {x, y}, {y, z}, {z, x} no two can exchange
CIRCLES = (2, 2, 3, 2, 2, 4)


@dataclass(frozen=True, eq=False)
class JointColumn:
    """One column of the joint table: its place among all columns, what its cells stand for, the cell of each row, the
    level of each atom as a value and as a predictor, and its chances given the columns before it."""

    number: int
    atoms: Atoms
    cell: np.ndarray
    level: np.ndarray
    coarse: np.ndarray
    model: ColumnModel

    def __repr__(self) -> str:
        return f"JointColumn({self.number})"

    def lists(self, rows: np.ndarray, values: np.ndarray) -> np.ndarray:
        """Return whether the cell of each row lists a value."""
        cells, atoms = len(self.atoms.starts) - 1, self.atoms
        key = np.repeat(np.arange(cells), atoms.widths) * atoms.size + atoms.members
        asked = self.cell[rows] * atoms.size + values
        place = np.minimum(np.searchsorted(key, asked), max(len(key) - 1, 0))
        return np.asarray(key[place] == asked)


@dataclass(frozen=True, eq=False)
class JointRows:
    """The rows that people exchange: columns x people, in the order of the chain; with the group of each person, and
    the coarse codes of all columns, which are kept up to date."""

    columns: Sequence[JointColumn]
    box: np.ndarray
    values: np.ndarray
    codes: np.ndarray
    sizes: np.ndarray

    def __repr__(self) -> str:
        return f"JointRows({self.values.shape[1]} rows of {self.values.shape[0]} columns)"

    def exchange(self, rng: np.random.Generator) -> None:
        """Let everybody take part in some circles, inside their group and among people with the same first value."""
        for size in CIRCLES:
            self._turn(_draw_circles(self.box, size, rng), rng)
            self._turn(_draw_circles(self.values[0], size, rng), rng)

    def _turn(self, circles: np.ndarray, rng: np.random.Generator) -> None:
        """Hand rows around each circle (circles x people), with the probability that keeps their distribution."""
        if not circles.size:
            return
        ways = 1 + rng.integers(0, circles.shape[1] - 1, len(circles))
        place = (np.arange(circles.shape[1]) + ways[:, None]) % circles.shape[1]
        takers, givers = circles.ravel(), np.take_along_axis(circles, place, axis=1).ravel()
        fits = np.ones(len(takers), dtype=bool)
        for column, values in zip(self.columns, self.values, strict=True):
            fits &= column.lists(takers, values[givers])
        gain = self._weigh(takers, givers) - self._weigh(takers, takers)
        gain = np.where(fits, gain, -np.inf).reshape(circles.shape).sum(axis=1)
        odds = np.exp(np.minimum(gain, 700.0))  # as likely as not where nothing is gained, so that two do not alternate
        taken = np.repeat(rng.random(len(circles)) * (1 + odds) < odds, circles.shape[1])
        takers, givers = takers[taken], givers[taken]
        self.values[:, takers] = self.values[:, givers]
        for column in self.columns:
            self.codes[takers, column.number] = self.codes[givers, column.number]

    def _weigh(self, takers: np.ndarray, givers: np.ndarray) -> np.ndarray:
        """Return the logarithm of the chance of each giver's row for its taker, up to a factor of the taker."""
        codes, total = self.codes[takers], np.zeros(len(takers))
        for column, values in zip(self.columns, self.values, strict=True):
            total += weigh_levels(column.model, column.level[values[givers]], codes, self.sizes)
            codes[:, column.number] = column.coarse[values[givers]]
        return total


def _draw_circles(owner: np.ndarray, size: int, rng: np.random.Generator) -> np.ndarray:
    """Draw disjoint circles of people with the same owner (circles x size); whoever is left over stays out."""
    order = np.lexsort((rng.random(len(owner)), owner))
    ranked = owner[order]
    first = np.flatnonzero(np.diff(ranked, prepend=ranked[:1] - 1))
    lengths = np.diff(np.append(first, len(ranked)))
    inside = np.arange(len(ranked)) - np.repeat(first, lengths)
    return np.asarray(order[inside < np.repeat(lengths // size * size, lengths)].reshape(-1, size))
