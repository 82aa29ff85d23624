"""Advice on columns: which one costs most, and what leaving it out, coarsening it or withholding people would give.

Everything is judged by the sizes of groups alone, in boxes of Mondrian's making: no sensitive value is looked at, so
nothing that is done on this advice tells anything about values.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Any

from voile.errors import Unsatisfiable
from voile.flow.measure.size_losses import FEW, SizeLosses, measure_losses
from voile.models.base import Model
from voile.models.policy import Policy
from voile.result_tables import ResultTable
from voile.tables.automatic_hierarchies.completion import complete_hierarchies
from voile.tables.microdata import PUBLIC_KEY, Microdata
from voile.tables.row_protocol import Rows
from voile.tables.schema import Column, Columns


@dataclass(frozen=True)
class ColumnCost:
    """What one column costs. `loss` is its own loss (certainty penalty, 0 to 1) and `others` the mean loss of the other
    columns; `without` is what these lose if it is left out. At the `level` of its hierarchy above the finest one it
    loses `coarse_loss`, and the others lose `coarse_others`; None if it has no such level, or if the promise is out of
    reach."""

    column: str
    loss: float
    others: float
    without: float | None
    level: int | None = None
    coarse_loss: float | None = None
    coarse_others: float | None = None

    @property
    def gain(self) -> float:
        """By how much the others' loss falls if the column is left out."""
        return 0.0 if self.without is None else self.others - self.without


@dataclass(frozen=True, repr=False)
class Advice(ResultTable):
    """The result of `advise`: the mean loss of all columns in groups of at least `smallest` people, and with some
    people withheld; and what each column costs, the most expensive first."""

    people: int
    smallest: int
    loss: float
    withheld: int
    loss_withheld: float
    columns: tuple[ColumnCost, ...]

    def __repr__(self) -> str:
        return f"Advice({len(self.columns)} columns; groups of at least {self.smallest} people lose {self.loss:.3f})"

    def _list_rows(self) -> list[dict[str, Any]]:
        return [
            {
                "column": cost.column,
                "its loss": cost.loss,
                "others' loss": cost.others,
                "left out": cost.without,
                "one level up: its loss": cost.coarse_loss,
                "one level up: others' loss": cost.coarse_others,
            }
            for cost in self.columns
        ]

    def _write_caption(self) -> str:
        return self.summary

    @property
    def summary(self) -> str:
        """Say in two sentences what would help most."""
        text = f"{self.people:,} people in groups of at least {self.smallest}: a cell loses {self.loss:.3f} on average."
        if self.withheld:
            text += f" Withholding {self.withheld:,} people makes it {self.loss_withheld:.3f}."
        first = self.columns[0]
        if first.without is None or first.gain <= 0:
            return text
        return (
            f"{text} Without {first.column!r} the other columns lose {first.without:.3f} instead of {first.others:.3f}."
        )

    def as_json(self) -> dict[str, Any]:
        return {**asdict(self), "columns": [{**asdict(cost), "gain": cost.gain} for cost in self.columns]}


def advise(data: Microdata, policy: Policy | Model) -> Advice:
    """Say which quasi-identifier column costs most under a policy, and what would help.

    >>> import voile as vl
    >>> data = vl.read(vl.datasets.hospital(), vl.Schema(quasi=["birth", "sex", "zip"], sensitive=["disease"]))
    >>> [cost.column for cost in advise(data, vl.KAnonymity(k=5)).columns]
    ['birth', 'zip', 'sex']
    """
    policy = (Policy(policy) if isinstance(policy, Model) else policy).count_people(data.unit.rows)
    smallest = max(policy.smallest(), 2)
    rows = data.draw(PUBLIC_KEY).collect()
    columns = data.columns
    losses = measure_losses(columns, rows, smallest)
    few = measure_losses(columns, rows, smallest, FEW)
    costs = [_weigh_column(columns, rows, smallest, losses, column) for column in columns.quasi]
    costs.sort(key=lambda cost: -cost.gain)
    withheld = rows.total - few.people
    return Advice(rows.total, smallest, losses.mean(), withheld, few.mean(), tuple(costs))


def _weigh_column(columns: Columns, rows: Rows, smallest: int, losses: SizeLosses, column: Column) -> ColumnCost:
    name = column.name
    without, cost = None, ColumnCost(name, losses.by_column[name], losses.mean(name), None)
    others = tuple(other for other in columns.quasi if other.name != name)
    if others:
        without = measure_losses(replace(columns, quasi=others), rows, smallest).mean()
    coarse = _coarsen(columns, column, rows)
    if coarse is None:
        return replace(cost, without=without)
    try:
        quasi = tuple(coarse if other.name == name else other for other in columns.quasi)
        after = measure_losses(replace(columns, quasi=quasi), rows, smallest)
    except Unsatisfiable:
        return replace(cost, without=without)
    return ColumnCost(
        name, cost.loss, cost.others, without, coarse.steer.finest, after.by_column[name], after.mean(name)
    )


def _coarsen(columns: Columns, column: Column, rows: Rows) -> Column | None:
    """Return a column that shows nothing finer than the next level of its hierarchy; None if that is its top, or
    coarser than the publisher wishes."""
    fitted = complete_hierarchies(columns, rows)[column.name]
    level = column.steer.finest + 1
    if fitted.hierarchy is None or level >= fitted.hierarchy.height or level > (column.steer.coarsest or level):
        return None
    if column.steer.coarsest == 0:
        return None
    return replace(fitted, steer=replace(column.steer, finest=level))
