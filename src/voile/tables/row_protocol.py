"""The operations that a method may use on rows, wherever they are stored. Methods and engines meet only here.

People with the same values are interchangeable, so a method decides on the histogram of distinct rows (cells) and the
engine applies the decision. An engine implements these operations and knows nothing about privacy.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, Self

import numpy as np

from voile.tables.group_counts import Counts
from voile.tables.part_protocol import Parts
from voile.tables.partition_tree import PartitionTree
from voile.tables.schema import Columns
from voile.tables.secret_key import Key

WITHHELD = -1
CodeWeights = tuple[str, np.ndarray]  # a column, and the weight that each of its codes stands for


@dataclass(frozen=True, eq=False)
class Histogram:
    """Distinct combinations of some columns, in rising order of their codes, and how many rows have each.

    `codes[i, j]` is the code of cell i in column j. `index` belongs to the engine that made the histogram.
    """

    names: tuple[str, ...]
    codes: np.ndarray
    counts: np.ndarray
    index: Any = None

    def __repr__(self) -> str:
        return f"Histogram({len(self.counts)} cells of {', '.join(self.names)})"

    def column(self, name: str) -> np.ndarray:
        return self.codes[:, self.names.index(name)]

    @property
    def total(self) -> int:
        return int(self.counts.sum())


class Table(Protocol):
    """Rows of integer codes, wherever they are stored. Every operation returns new rows; none changes the old ones."""

    @property
    def names(self) -> tuple[str, ...]:
        """The columns, in order."""
        ...

    @property
    def total(self) -> int:
        """The number of people."""
        ...

    @property
    def key(self) -> Key:
        """The secret key that random choices about these rows follow."""
        ...

    def with_key(self, key: Key) -> Self:
        """Return the same rows under another key."""
        ...

    def collect(self) -> Rows:
        """Bring the rows into the memory of this process; raise EngineError if there are too many."""
        ...

    def histogram(self, names: Sequence[str]) -> Histogram:
        """Count the distinct combinations of some columns."""
        ...

    def count_matches(
        self, names: Sequence[str], offset: np.ndarray, chosen: np.ndarray, weights: CodeWeights | None = None
    ) -> np.ndarray:
        """Count the people who satisfy each query. A query is a row of `chosen`, which marks the codes that it admits
        in each of the columns; those of column j start at `offset[j]`. With `weights`, a column and the weight of each
        of its codes, add up the weights instead."""
        ...

    def count_pairs(self, names: Sequence[str], bins: Mapping[str, np.ndarray]) -> dict[tuple[str, ...], np.ndarray]:
        """Count the people by bin of each column, and by the bins of each pair of columns. `bins` has the bin of each
        code of every column; they are counted from 0."""
        ...

    def count_by_node(self, names: Sequence[str], tree: PartitionTree, nodes: np.ndarray) -> np.ndarray:
        """Count, at each of these leaves, the people who have each code of the columns, one column after the other."""
        ...

    def parts(self, tree: PartitionTree | None) -> Parts:
        """Return the rows of each part of a partition, each under its own key; without a tree, one part."""
        ...

    def tally_values(self, columns: Columns) -> dict[str, Counts]:
        """Count the values of each sensitive column by group."""
        ...

    def recode(self, codes: Mapping[str, np.ndarray]) -> Self:
        """Replace code c by `codes[name][c]` in the named columns; codes that no row has may become anything."""
        ...


class Rows(Table, Protocol):
    """Rows in this process's memory: all of a table, or one part of it. They can be put into groups."""

    @property
    def groups(self) -> int:
        """The number of groups, once the rows are grouped."""
        ...

    @property
    def box(self) -> Mapping[str, np.ndarray] | None:
        """For a part of a large table: the codes of each quasi-identifier column that it may hold."""
        ...

    @property
    def totals(self) -> Mapping[str, np.ndarray]:
        """For a part of a large table: how often each value of a sensitive column occurs in the whole table."""
        ...

    def place(self, histogram: Histogram, groups: np.ndarray) -> Rows:
        """Put each row into the group of its cell; WITHHELD rows are not published."""
        ...

    def deal(self, histogram: Histogram, cells: np.ndarray, groups: np.ndarray, counts: np.ndarray) -> Rows:
        """Put `counts[i]` rows of cell `cells[i]` into `groups[i]`; which ones is left to chance."""
        ...

    def regroup(self, labels: np.ndarray) -> Rows:
        """Renumber group g as `labels[g]`."""
        ...

    def revalue(
        self,
        name: str,
        groups: np.ndarray,
        old: np.ndarray,
        new: np.ndarray,
        counts: np.ndarray,
        *,
        shuffled: bool = True,
    ) -> Rows:
        """Change code `old[i]` of a column to `new[i]` in `counts[i]` rows of `groups[i]`; which ones is left to
        chance, unless the release shows the column apart from all others. Each pair of a group and an old code stands
        for different rows."""
        ...

    def rewrite(self, histogram: Histogram, name: str, codes: np.ndarray) -> Rows:
        """Give every person their own code in one column, in the order of the cells of a histogram of whole rows."""
        ...

    def find_extents(self, name: str, rank: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
        """Find the least and the greatest code of a column in each group, or the least and greatest `rank[code]`."""
        ...

    def count_people(self) -> np.ndarray:
        """Count the people of each group."""
        ...

    def pick(self, places: np.ndarray, name: str) -> np.ndarray:
        """Return the code of one person per group in a column: the `places[g]`-th person of group g in row order."""
        ...

    def list_codes(self, name: str) -> tuple[np.ndarray, np.ndarray]:
        """List the codes of a column that occur in each group: where each group starts, and the codes, sorted."""
        ...

    def count_by_group(self, names: Sequence[str]) -> tuple[np.ndarray, Histogram]:
        """Count the distinct combinations of group and columns; return the groups, and their histogram."""
        ...


class PersonTable(Protocol):
    """All rows of a table, and whose they are. Rows are drawn from it before anything is published."""

    @property
    def total(self) -> int:
        """The number of rows."""
        ...

    @property
    def people_by_rows(self) -> np.ndarray:
        """The number of people with 0, 1, 2 rows and so on; the last entry is not zero."""
        ...

    @property
    def people(self) -> int:
        """The number of people."""
        ...

    def count_rows_over(self, limit: int) -> int:
        """Count the rows that are left out if nobody may have more than `limit`."""
        ...

    def draw(self, limit: int, key: Key) -> Table:
        """Draw at most `limit` rows of each person. The same key draws the same rows, in whatever order and on whatever
        engine they lie."""
        ...

    def draw_linked(self, limit: int, key: Key) -> Rows:
        """Draw the same rows with one column more, the last, which numbers the people in the order of their hashes.
        EngineError where there are too many rows for the memory of this process."""
        ...

    def list_hashes(self) -> np.ndarray:
        """Return the hash of each person, in the order of their numbers. EngineError as for `draw_linked`."""
        ...
