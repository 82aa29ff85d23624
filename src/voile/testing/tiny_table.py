"""A table small enough that everything that could be in it can be listed: a handful of people, two or three values."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl

from voile.adversaries.prior import Prior, Statistics
from voile.engines.memory_rows import build_rows
from voile.flow.read.read import read
from voile.tables.microdata import Microdata
from voile.tables.schema import Column, Schema

SENSITIVE = "s"
VALUES = ("none", "hiv", "flu")
LETTERS = "abcdefgh"


@dataclass(frozen=True)
class TinyTable:
    """Everybody's quasi-identifier, and the values that anybody may have. The list of values is declared, so that it is
    no news which of them occur.

    >>> table = TinyTable((("x",), ("x",), ("y",)), ("none", "hiv"))
    >>> len(list(table.worlds())), table.names
    (8, ('a',))
    """

    quasi: tuple[tuple[str, ...], ...]
    values: tuple[str, ...] = VALUES[:2]

    def __post_init__(self) -> None:
        if len({len(row) for row in self.quasi}) != 1 or not self.quasi[0]:
            raise ValueError("everybody needs the same number of quasi-identifier values")
        if len(set(self.values)) != len(self.values) or len(self.values) < 2:
            raise ValueError("a sensitive column needs two or more different values")

    @property
    def people(self) -> int:
        return len(self.quasi)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the quasi-identifier columns."""
        return tuple(LETTERS[: len(self.quasi[0])])

    @cached_property
    def data(self) -> Microdata:
        """The table as it is read, in a world where everybody has the first value."""
        columns = {name: [row[j] for row in self.quasi] for j, name in enumerate(self.names)}
        frame = pl.DataFrame({**columns, SENSITIVE: [self.values[0]] * self.people})
        schema = Schema(quasi=list(self.names), sensitive=[SENSITIVE], domains={SENSITIVE: list(self.values)})
        return read(frame, schema)

    @property
    def target(self) -> Column:
        """The sensitive column."""
        return self.data.columns.sensitive[0]

    @cached_property
    def quasi_codes(self) -> np.ndarray:
        """The codes of everybody's quasi-identifier (people x columns)."""
        codes = [
            [column.domain.labels.index(row[j]) for j, column in enumerate(self.data.columns.quasi)]
            for row in self.quasi
        ]
        return np.array(codes, dtype=np.int64)

    def worlds(self) -> Iterator[tuple[int, ...]]:
        """List every assignment of values to people, as codes of the sensitive column."""
        return itertools.product(range(len(self.values)), repeat=self.people)

    def in_world(self, world: Sequence[int]) -> Microdata:
        """Return the table of a world: only the sensitive codes differ, so nothing is read again."""
        columns = [*self.quasi_codes.T, np.asarray(world, dtype=np.int64)]
        sizes = [column.size for column in self.data.columns]
        return self.data.with_rows(build_rows([column.name for column in self.data.columns], columns, sizes))

    def value_order(self) -> list[int]:
        """Return the code of each value, in the order in which the table lists the values."""
        return [self.target.domain.labels.index(value) for value in self.values]


def random_tiny_table(
    rng: np.random.Generator, people: tuple[int, int] = (4, 6), values: int | None = None
) -> TinyTable:
    """Return a random table of so many people: one or two quasi-identifier columns in which values repeat, and two or
    three sensitive values."""
    number = int(rng.integers(people[0], people[1] + 1))
    columns = int(rng.integers(1, 3))
    texts = [[LETTERS[j] + str(code) for code in rng.integers(0, rng.integers(2, 5), number)] for j in range(columns)]
    return TinyTable(tuple(zip(*texts, strict=True)), VALUES[: values or int(rng.integers(2, 4))])


def random_prior(rng: np.random.Generator, table: TinyTable, column_sets: int | None = None) -> Prior:
    """Return random statistics about a table, of one to three sets of its columns: some skewed, some with zeros.

    Every value stays possible for everybody by at least one set, and every set rules out something for few people only.
    """
    subsets = [s for size in range(1, len(table.names) + 1) for s in itertools.combinations(table.names, size)]
    number = min(column_sets or int(rng.integers(1, 4)), len(subsets))
    chosen = [subsets[j] for j in sorted(rng.choice(len(subsets), number, replace=False))]
    sets = []
    for names in chosen:
        places = [table.names.index(name) for name in names]
        signatures = tuple(sorted({tuple(row[j] for j in places) for row in table.quasi}))
        rates = np.array([random_rates(rng, len(table.values)) for _ in signatures])
        sets.append(Statistics(names, signatures, rates))
    return Prior(SENSITIVE, table.values, tuple(sets), random_rates(rng, len(table.values), zeros=False))


def random_rates(rng: np.random.Generator, values: int, *, zeros: bool = True) -> np.ndarray:
    """Return a random distribution over values: even, skewed, or without one of the values; in hundredths."""
    rates = rng.dirichlet(np.full(values, rng.choice([0.5, 1.0, 5.0])))
    rates = np.maximum(np.rint(rates * 100), 1)
    if zeros and values > 2 and rng.random() < 0.2:
        rates[rng.integers(1, values)] = 0
    rates[0] += 100 - rates.sum() if rates[0] + 100 - rates.sum() > 0 else 0
    return np.asarray(rates / rates.sum())
