"""The contract of a measure, which compares a release with the table that it was made from: what do analysts lose?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from voile.measures.release_view import Outline, View, outline_table
from voile.plugins.registry import Plugin
from voile.releases.release import Release
from voile.results import Loss
from voile.tables.microdata import Microdata
from voile.tables.part_protocol import Over

__all__ = ["ByGroup", "Measure", "Outline", "View", "mean_costs", "outline_table"]


@dataclass(frozen=True)
class Measure(Plugin):
    """A measure is called with a table and a release, and returns a loss. Lower is better."""

    family: ClassVar[str] = "measures"
    across: ClassVar[bool] = False  # it compares releases of different shapes
    on_request: ClassVar[bool] = False  # it is slow, or needs more than voile itself

    def __call__(self, data: Microdata, release: Release) -> Loss:
        raise NotImplementedError  # pragma: no cover - every measure defines it


@dataclass(frozen=True)
class ByGroup(Measure):
    """A measure that looks at one group at a time: it summarizes each piece of a release, and combines the summaries.
    A release in memory is one piece."""

    def __call__(self, data: Microdata, release: Release) -> Loss:
        return self.measure_pieces(data, release, lambda work, *more: [work(release, *more)])

    def measure_pieces(self, data: Microdata, release: Release, over: Over) -> Loss:
        """Measure a release whose pieces `over` visits; the tables of the release itself are not read."""
        table = outline_table(data)
        return self.combine(table, release, over(summarize_piece, self, table))

    def summarize(self, view: View) -> Any:
        """Summarize one piece."""
        raise NotImplementedError  # pragma: no cover - every measure of this kind defines it

    def combine(self, table: Outline, release: Release, summaries: Sequence[Any]) -> Loss:
        """Combine the summaries of all pieces into a loss."""
        raise NotImplementedError  # pragma: no cover - every measure of this kind defines it


def summarize_piece(piece: Release, measure: ByGroup, table: Outline) -> Any:
    """Summarize one piece of a release for a measure."""
    return measure.summarize(View(table, piece))


def mean_costs(table: Outline, summaries: Sequence[tuple[int, Mapping[str, float]]]) -> dict[str, float]:
    """Return the mean cost of a cell for each quasi-identifier column, from the people and the costs of every piece;
    each cell of a withheld row costs 1. Rows of people who have left the table count like the others."""
    people = sum(number for number, _ in summaries)
    total, withheld = max(table.total, people), max(table.total - people, 0)
    names = [column.name for column in table.columns.quasi]
    return {name: (sum(costs[name] for _, costs in summaries) + withheld) / total for name in names}
