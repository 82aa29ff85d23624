"""Distributions: each column in the original table, beside the estimate that a recipient gets from the release."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from voile.errors import SchemaError
from voile.flow.measure.measure import match_release
from voile.flow.report import charts
from voile.releases.queries.query import Condition, Query, cell_shares
from voile.releases.release import Release
from voile.result_tables import ResultTable
from voile.tables.microdata import Microdata
from voile.tables.schema import Column
from voile.tables.value_text import format_value

BARS = 12
STARS = "* (says nothing)"


@dataclass(frozen=True, repr=False)
class Distribution(ResultTable):
    """How many people have each value, or a value in each range: in the table, and as estimated from the release. A
    column that is `*` in every row is `lost`: nothing is estimated, and everybody counts as moved. `stars` counts the
    rows that show `*`, and `readable` is the estimate without them: `*` says nothing, and is not spread over values."""

    column: str
    role: str
    labels: tuple[str, ...]
    before: tuple[int, ...]
    after: tuple[float, ...]
    lost: bool = False
    stars: int = 0
    readable: tuple[float, ...] = ()

    def __repr__(self) -> str:
        return f"Distribution({self.column!r}: {self.moved:.1%} of the people moved)"

    def _list_rows(self) -> list[dict[str, Any]]:
        parts = zip(self.labels, self.before, self.after, strict=True)
        return [{self.column: label, "before": before, "after": float(after)} for label, before, after in parts]

    @property
    def moved(self) -> float:
        """The share of people who would have to change value to make the two distributions equal."""
        if self.lost:
            return 1.0
        return float(np.abs(np.subtract(self.before, self.after)).sum() / 2 / max(sum(self.before), 1))


def distributions(data: Microdata, release: Release, bars: int = BARS) -> list[Distribution]:
    """Return a distribution for each column that a recipient can count. Many values are grouped: numbers and dates into
    ranges, all but the most frequent categories into one.

    >>> import voile as vl
    >>> data = vl.read(vl.datasets.hospital(), vl.Schema(quasi=["sex", "zip"], sensitive=["disease"]))
    >>> [item.column for item in distributions(data, vl.publish(data, vl.KAnonymity(k=5)))]
    ['sex', 'zip', 'disease']
    """
    data = match_release(data, release)
    results = []
    for column in data.columns:
        table = data.rows.histogram([column.name])
        counts = np.zeros(column.size, dtype=np.int64)
        counts[table.codes[:, 0]] = table.counts
        counts = counts[: len(column.domain.values)]
        parts = list(
            _split_range(column, counts, bars) if column.domain.uses_intervals else _list_values(column, counts, bars)
        )
        lost = False
        try:
            after = [release.answer(Query({column.name: condition})) for _, condition, _ in parts]
        except SchemaError as error:
            if error.code != "schema.suppressed":
                continue  # this release does not publish the column
            after, lost = [0.0] * len(parts), True
        labels, before = [label for label, _, _ in parts], [people for _, _, people in parts]
        stars, readable = _leave_out_stars(release, column.name, [condition for _, condition, _ in parts], after)
        results.append(
            Distribution(column.name, column.role, tuple(labels), tuple(before), tuple(after), lost, stars, readable)
        )
    return results


def _leave_out_stars(
    release: Release, name: str, conditions: Sequence[Condition], after: Sequence[float]
) -> tuple[int, tuple[float, ...]]:
    """Count the rows that show `*` in a column, and estimate each part from the other rows alone."""
    if name not in release.box_cells:
        return 0, tuple(after)
    cells, cell = release.box_cells[name]
    rows = np.where(cells.whole[cell], 0, release.sizes)
    stars = int(release.sizes.sum() - rows.sum())
    if not stars:
        return 0, tuple(after)
    return stars, tuple(float(cell_shares(cells, condition)[cell] @ rows) for condition in conditions)


def _list_values(column: Column, counts: np.ndarray, bars: int) -> Iterator[tuple[str, Condition, int]]:
    """Yield the most frequent values, and the others as one, each with its condition and its number of people."""
    values, texts = column.domain.values.to_list(), column.domain.labels
    ordered = np.argsort(-counts, kind="stable")
    frequent = ordered if len(ordered) <= bars else ordered[: bars - 1]
    for code in np.sort(frequent) if column.kind == "ordered" else frequent:
        yield texts[code], Condition(values=(values[code],)), int(counts[code])
    if len(frequent) < len(ordered):
        rare = ordered[bars - 1 :]
        condition = Condition(values=tuple(values[code] for code in rare))
        yield f"{len(rare)} other values", condition, int(counts[rare].sum())


def _split_range(column: Column, counts: np.ndarray, bars: int) -> Iterator[tuple[str, Condition, int]]:
    """Split the range evenly. Each part ends where the next begins, so that nobody falls between two parts."""
    values, points = column.domain.values.to_list(), column.domain.numeric_values.astype(np.float64)
    if not len(values):
        return
    edges = np.linspace(points[0], points[-1], bars + 1)[1:-1]
    part = np.searchsorted(edges, points, side="right") if len(values) > bars else np.arange(len(values))
    starts = np.flatnonzero(np.append(True, part[1:] != part[:-1]))
    for start, stop in zip(starts, [*starts[1:], None], strict=True):
        low, high = values[start], values[(len(values) if stop is None else stop) - 1]
        label = format_value(low) if low == high else f"{format_value(low)} to {format_value(high)}"
        condition = Condition(low=low) if stop is None else Condition(low=low, high=values[stop], below=True)
        yield label, condition, int(counts[start:stop].sum())


def draw_distribution(distribution: Distribution, width: int = 360) -> str:
    """Draw two bars per value (SVG): the count before publishing, and the estimate of a recipient. Rows that show `*`
    have a bar of their own."""
    import altair as alt

    bars = [*zip(distribution.labels, distribution.before, distribution.readable or distribution.after, strict=True)]
    bars += [(STARS, 0, float(distribution.stars))] if distribution.stars else []
    table = [
        {"value": label, "when": when, "people": people}
        for label, *counts in bars
        for when, people in zip(("before", "after"), counts, strict=True)
    ]
    colours = alt.Scale(domain=["before", "after"], range=[charts.BEFORE, charts.AFTER])
    axis = alt.Axis(labelLimit=width // 3, ticks=False, domain=False, grid=False)
    chart = (
        charts.plotted(table)
        .mark_bar(height={"band": 0.9})
        .encode(
            x=alt.X("people:Q", title="people", axis=alt.Axis(tickCount=4, format="~s")),
            y=alt.Y("value:N", title=None, sort=None, axis=axis, scale=alt.Scale(paddingInner=0.25)),
            yOffset=alt.YOffset("when:N", sort=["before", "after"]),
            color=alt.Color("when:N", legend=None, scale=colours),
        )
    )
    return charts.svg(chart, width, 26 * len(bars) + 44)
