"""Which k: how many people stand out in a table, and what groups of each size would cost.

Everything is counted from the sizes of groups alone. No sensitive value is looked at, so choosing k by these numbers
tells nothing about values.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from voile.errors import EngineError, Unsatisfiable
from voile.flow.measure.size_losses import measure_losses
from voile.result_tables import ResultTable
from voile.tables.microdata import PUBLIC_KEY, Microdata
from voile.tables.unit import Unit

SIZES = (3, 5, 10, 20)


@dataclass(frozen=True)
class SizeCost:
    """What one k costs: how many people `stand_out` (fewer than k people of the table share their values), and the
    number of `groups` and the mean `loss` of a cell (0: as exact as before, 1: nothing left) in groups of at least k
    people; None if the table has too few people, or too many to try it."""

    k: int
    stand_out: int
    groups: int | None = None
    loss: float | None = None


@dataclass(frozen=True, eq=False, repr=False)
class SizeCosts(ResultTable):
    """The table's own numbers for the choice of k: its people, those who are alone with their values, and the cost of
    each k."""

    columns: tuple[str, ...]
    people: int
    alone: int
    unit: Unit
    costs: tuple[SizeCost, ...]

    def __repr__(self) -> str:
        return f"SizeCosts({self.people} {self.noun}, {self.alone} alone; k = {self._list_sizes()})"

    def _list_sizes(self) -> str:
        return ", ".join(str(cost.k) for cost in self.costs)

    def _list_rows(self) -> list[dict[str, Any]]:
        heads = {"k": "k", "stand_out": f"{self.noun} below k", "groups": "groups", "loss": "loss of a cell"}
        return [{heads[name]: value for name, value in asdict(cost).items()} for cost in self.costs]

    def _write_caption(self) -> str:
        return self.explain()

    @property
    def noun(self) -> str:
        return "people" if self.unit.checked else "rows"

    def __getitem__(self, k: int) -> SizeCost:
        return next(cost for cost in self.costs if cost.k == k)

    def explain(self) -> str:
        """Say how many people stand out, and what k means, in three sentences."""
        alone = f"{self.alone:,} of {self.people:,} {self.noun} have values of {', '.join(self.columns)} that no other"
        return (
            f"{alone} has. With k, everybody hides among at least k, and cells become coarser. Below k are those whom "
            "fewer than k resemble now."
        )

    def as_json(self) -> dict[str, Any]:
        return {
            "columns": list(self.columns),
            "people": self.people,
            "alone": self.alone,
            "counts": self.noun,
            "costs": [asdict(cost) for cost in self.costs],
            "words": self.explain(),
        }


def count_size_costs(data: Microdata, sizes: Sequence[int] = SIZES) -> SizeCosts:
    """Count who stands out in a table, and what groups of each size would cost.

    >>> import voile as vl
    >>> data = vl.read(vl.datasets.hospital(), vl.Schema(quasi=["birth", "sex", "zip"], sensitive=["disease"]))
    >>> count_size_costs(data, [5])
    SizeCosts(400 rows, 400 alone; k = 5)
    """
    names = [column.name for column in data.columns.quasi]
    each = data.rows if data.people is None else data.people.draw(1, PUBLIC_KEY)
    counts = each.histogram(names).counts
    costs = [_measure_size(data, SizeCost(k, int(counts[counts < k].sum()))) for k in sorted(set(sizes))]
    return SizeCosts(tuple(names), int(counts.sum()), int(np.sum(counts == 1)), data.unit, tuple(costs))


def _measure_size(data: Microdata, cost: SizeCost) -> SizeCost:
    """Add the groups and the loss in boxes of Mondrian's making. Of people with several rows, groups need as many times
    more rows."""
    try:
        losses = measure_losses(data.columns, data.rows.collect(), cost.k * data.unit.rows)
    except (EngineError, Unsatisfiable):
        return cost
    return replace(cost, groups=losses.groups, loss=losses.mean())
