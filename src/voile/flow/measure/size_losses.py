"""What columns lose in groups of a certain size, by the sizes of groups alone.

The groups are boxes of Mondrian's making. No sensitive value is looked at, so nothing that is done on these numbers
tells anything about values.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from voile.errors import VoileError
from voile.methods.mondrian.mondrian import Mondrian
from voile.methods.steering.column_cells import choose_cells
from voile.models.k_anonymity import KAnonymity
from voile.models.policy import Policy
from voile.tables.microdata import PUBLIC_KEY, Microdata
from voile.tables.row_protocol import Rows
from voile.tables.schema import Columns

FEW = 0.01  # the share of people whose withholding is tried
COSTLIEST = 3  # columns whose leaving out is priced


@dataclass(frozen=True)
class SizeLosses:
    """What each column loses in boxes of a certain size, and how many people and groups these have."""

    people: int
    groups: int
    by_column: Mapping[str, float]

    def mean(self, without: str = "") -> float:
        """Return the mean loss of all columns, or of all but one."""
        listed = [loss for name, loss in self.by_column.items() if name != without]
        return float(np.mean(listed)) if listed else 0.0


@dataclass(frozen=True)
class StepPrice:
    """The price of one step: the mean loss of a cell before it and after it (0: as exact as before, 1: nothing left).
    Where a column is left out, the loss is that of the others."""

    step: str
    before: float
    after: float

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def measure_losses(columns: Columns, rows: Rows, smallest: int, suppression: float = 0.0) -> SizeLosses:
    """Return the mean certainty penalty of each column in boxes of at least `smallest` rows."""
    sizes_alone = Policy(KAnonymity(k=smallest))
    bare = replace(columns, sensitive=(), guards=(), quasi_sets=())
    grouped = Mondrian(suppression=suppression).group(bare, rows, sizes_alone)
    people, losses = grouped.count_people(), {}
    for column in columns.quasi:
        cells, cell = choose_cells(column, grouped, "tight")
        losses[column.name] = float(np.dot(cells.loss()[cell], people) / people.sum())
    return SizeLosses(int(people.sum()), len(people), losses)


def price_steps(data: Microdata, policy: Policy) -> tuple[StepPrice, ...]:
    """Price the steps that are nearest to a policy: twice its crowd, one per cent of the people withheld, and the
    costliest columns left out. Nothing where the table is too large, or the policy too large for it."""
    try:
        return tuple(_price_steps(data, policy.count_people(data.unit.rows)))
    except VoileError:
        return ()


def _price_steps(data: Microdata, policy: Policy) -> Iterator[StepPrice]:
    columns, rows, each = data.columns, data.draw(PUBLIC_KEY).collect(), data.unit.rows
    smallest = max(policy.smallest(), 2)
    losses = measure_losses(columns, rows, smallest)
    crowd = "people" if each > 1 or data.unit.checked else "rows"
    size = smallest // each
    if 2 * smallest <= rows.total:
        doubled = measure_losses(columns, rows, 2 * smallest)
        yield StepPrice(f"groups of {2 * size} {crowd} instead of {size}", losses.mean(), doubled.mean())
    few = measure_losses(columns, rows, smallest, FEW)
    yield StepPrice(f"withholding {100 * FEW:g} % of the rows", losses.mean(), few.mean())
    ranked = sorted(losses.by_column, key=lambda name: -losses.by_column[name])
    for name in ranked[:COSTLIEST] if len(ranked) > 1 else ():
        others = tuple(column for column in columns.quasi if column.name != name)
        without = measure_losses(replace(columns, quasi=others), rows, smallest)
        yield StepPrice(f"leaving out {name!r}", losses.mean(name), without.mean())
