"""What is certain about a count: the least and the greatest number of people that the published tables allow.

Of each box the release tells, column by column, how many of its rows can satisfy a condition; all columns together, at
least the sum of what each leaves no room for, and at most the least of them (Fréchet).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from voile.releases.counts.cell_matches import hidden_codes, is_altered, match_cells, matching_codes
from voile.releases.known_rows import KnownColumn, KnownRows
from voile.releases.queries.query import Condition


class BoxRange(NamedTuple):
    """The least and the greatest number of matching people of each box."""

    low: np.ndarray
    high: np.ndarray


class BoxView:
    """The rows of a release by box: the size of each box, and its first row."""

    def __init__(self, rows: KnownRows) -> None:
        self.rows = rows
        self.boxes = int(rows.box.max(initial=-1)) + 1
        self.sizes = np.bincount(rows.box[: rows.people], minlength=self.boxes)
        self.empty = np.bincount(rows.box[rows.people :], minlength=self.boxes)
        self.first = np.zeros(self.boxes, np.int64)
        self.first[rows.box[::-1]] = np.arange(len(rows.box))[::-1]
        self.columns = {column.name: column for column in rows.columns}
        self.matched: tuple[dict[str, Condition], np.ndarray] | None = None

    def __repr__(self) -> str:
        return f"BoxView({self.boxes} boxes)"

    def bound(self, conditions: Mapping[str, Condition]) -> BoxRange:
        """Return how many people of each box satisfy all conditions, at least and at most."""
        exact, ranges = self.match_rows(conditions), list[BoxRange]()
        for name, condition in conditions.items():
            column = self.columns[name]
            if not shows_every_row(column):
                ranges.append(self._bound_column(column, condition))
        low = exact + sum(found.low for found in ranges) - len(ranges) * self.sizes
        high = exact
        for found in ranges:
            high = np.minimum(high, found.high)
        return BoxRange(np.maximum(low, 0), high)

    def match_rows(self, conditions: Mapping[str, Condition]) -> np.ndarray:
        """Count the rows of each box that satisfy the conditions on columns that show every row's value."""
        exact = {name: wanted for name, wanted in conditions.items() if shows_every_row(self.columns[name])}
        if not exact:
            return self.sizes
        if self.matched is None or self.matched[0] != exact:  # the groups of a query mostly share these conditions
            fits = np.ones(self.rows.people, dtype=bool)
            for name, condition in exact.items():
                column = self.columns[name]
                codes = column.cells.matrix.indices[column.cell[: self.rows.people]]
                fits &= matching_codes(column, condition)[codes]
            self.matched = exact, np.bincount(self.rows.box[: self.rows.people][fits], minlength=self.boxes)
        return self.matched[1]

    def _bound_column(self, column: KnownColumn, condition: Condition) -> BoxRange:
        none = np.zeros(self.boxes, np.int64)
        if is_altered(column):
            return BoxRange(none, self.sizes)
        if column.dealt is not None:
            seats, hidden = self.count_dealt(column, condition)
            low = np.maximum(seats - self.empty, 0)
            return BoxRange(np.minimum(low, self.sizes), np.minimum(seats + hidden, self.sizes))
        low, high = match_cells(column, condition).count_rows(column.cell[self.first], self.sizes)
        return BoxRange(low, high)

    def count_dealt(self, column: KnownColumn, condition: Condition) -> tuple[np.ndarray, np.ndarray]:
        """Count the values of each group that satisfy a condition, and those that are not shown."""
        assert column.dealt is not None
        owner = np.repeat(np.arange(self.boxes), self.sizes + self.empty)
        chosen, hidden = matching_codes(column, condition), hidden_codes(column)
        return tuple(  # type: ignore[return-value]
            np.bincount(owner[mask[column.dealt]], minlength=self.boxes) for mask in (chosen, hidden & ~chosen)
        )


def shows_every_row(column: KnownColumn) -> bool:
    """Whether the release shows the value of every row, and the value is the person's own."""
    return column.is_exact and not is_altered(column)


def weigh_boxes(column: KnownColumn, first: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the least and the greatest survey weight that a row of each box may have; `first` is a row of each box. A
    missing weight counts 0, and `*` may be any weight."""
    cells = column.cells
    assert cells.low is not None and cells.high is not None and cells.missing is not None
    points = cells.domain.numeric_values.astype(np.float64)
    none = cells.high < cells.low
    low, high = points[np.clip(cells.low, 0, None)], points[np.clip(cells.high, 0, None)]
    least = np.where(none | cells.missing | cells.whole, 0.0, low)
    most = np.where(
        cells.whole & (column.entry["domain"].get("declared") is not True), np.inf, np.where(none, 0.0, high)
    )
    return least[column.cell[first]], most[column.cell[first]]
