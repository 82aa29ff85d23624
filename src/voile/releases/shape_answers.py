"""The answers that a shape gives about its tables, as small records of arrays."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import polars as pl

from voile.releases.cells.cells import Cells
from voile.releases.randomized_response import Channel

Pairs = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]  # group, value, other value, people


class SensitiveHome(NamedTuple):
    """The table that holds a sensitive column, and its column of counts where a row stands for several people."""

    table: str
    count_column: str | None = None  # `count` is a method of tuples


class SensitiveRows(NamedTuple):
    """Published sensitive rows: the group, the codes of all sensitive columns, and the number of people of each."""

    group: np.ndarray
    codes: np.ndarray
    people: np.ndarray

    def __repr__(self) -> str:
        return f"SensitiveRows({len(self.group)} rows)"


class QuasiEntries(NamedTuple):
    """The different quasi-identifiers that each group shows: for every column its cells and the cell of each entry, and
    the group that each entry leads to."""

    cells: Mapping[str, tuple[Cells, np.ndarray]]
    group: np.ndarray


class RegisterMatches(NamedTuple):
    """The people of a register in the groups that they fit, ordered by group: `people[i]` of those with the register's
    distinct quasi-identifier `kind[i]` may be in `group[i]`."""

    kind: np.ndarray
    group: np.ndarray
    people: np.ndarray


@dataclass(frozen=True, eq=False)
class ValuePairs:
    """The pairs of values in two sensitive columns. `pieces` hold whole groups, ordered by group and by both values;
    where `expected`, the people of a pair are an expectation over all tables that agree with the release."""

    pieces: Iterator[Pairs]
    expected: bool = False


class BeliefBound(NamedTuple):
    """The largest belief in any value of a column that the tables allow. `counted` is the number of groups whose
    matchings of rows and people were all counted; None where there was nothing to match."""

    largest: float
    counted: int | None = None


class TrainingRows(NamedTuple):
    """A possible table behind a release: quasi-identifier values, the code of the (first) sensitive value, the weight
    of each row in people, and the channel that the sensitive values went through."""

    table: pl.DataFrame
    values: np.ndarray
    weight: np.ndarray
    channel: Channel

    def __repr__(self) -> str:
        return f"TrainingRows({self.table.height} rows)"
