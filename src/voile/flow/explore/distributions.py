"""Distributions: each column in the original table, and as a recipient would estimate it from the release."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from voile.errors import SchemaError
from voile.flow.measure.measure import match_release
from voile.flow.report import charts
from voile.releases.queries.query import Condition, Query
from voile.releases.release import Release
from voile.tables.microdata import Microdata
from voile.tables.schema import Column
from voile.tables.value_text import format_value

BARS = 12


@dataclass(frozen=True)
class Distribution:
    """How many people have each value, or a value in each range, before publishing and by the release's estimate."""

    column: str
    role: str
    labels: tuple[str, ...]
    before: tuple[int, ...]
    after: tuple[float, ...]

    @property
    def moved(self) -> float:
        """The share of people that would have to move to make the two alike."""
        return float(np.abs(np.subtract(self.before, self.after)).sum() / 2 / max(sum(self.before), 1))


def distributions(data: Microdata, release: Release, bars: int = BARS) -> list[Distribution]:
    """One for every column that a recipient can count. Many values are taken together: numbers and dates in ranges,
    categories beyond the most frequent as one.

    >>> import voile as vl
    >>> data = vl.read(vl.datasets.hospital(), vl.Schema(quasi=["sex", "zip"], sensitive=["disease"]))
    >>> [one.column for one in distributions(data, vl.publish(data, vl.KAnonymity(k=5)))]
    ['sex', 'zip', 'disease']
    """
    data = match_release(data, release)
    found = []
    for column in data.columns:
        table = data.rows.histogram([column.name])
        counts = np.zeros(column.size, dtype=np.int64)
        counts[table.codes[:, 0]] = table.counts
        counts = counts[: len(column.domain.values)]
        parts = list(_ranges(column, counts, bars) if column.domain.uses_intervals else _values(column, counts, bars))
        try:
            after = [release.answer(Query({column.name: wanted})) for _, wanted, _ in parts]
        except SchemaError:  # a column that this release does not show
            continue
        labels, before = [label for label, _, _ in parts], [people for _, _, people in parts]
        found.append(Distribution(column.name, column.role, tuple(labels), tuple(before), tuple(after)))
    return found


def _values(column: Column, counts: np.ndarray, bars: int) -> Iterator[tuple[str, Condition, int]]:
    values, texts = column.domain.values.to_list(), column.domain.labels
    ordered = np.argsort(-counts, kind="stable")
    shown = ordered if len(ordered) <= bars else ordered[: bars - 1]
    for code in np.sort(shown) if column.kind == "ordered" else shown:
        yield texts[code], Condition(values=(values[code],)), int(counts[code])
    if len(shown) < len(ordered):
        rest = ordered[bars - 1 :]
        left = Condition(values=tuple(values[code] for code in rest))
        yield f"{len(rest)} other values", left, int(counts[rest].sum())


def _ranges(column: Column, counts: np.ndarray, bars: int) -> Iterator[tuple[str, Condition, int]]:
    """Even parts of the range, each up to where the next begins, so that nobody falls between two."""
    values, points = column.domain.values.to_list(), column.domain.numeric_values.astype(np.float64)
    if not len(values):
        return
    edges = np.linspace(points[0], points[-1], bars + 1)[1:-1]
    place = np.searchsorted(edges, points, side="right") if len(values) > bars else np.arange(len(values))
    firsts = np.flatnonzero(np.append(True, place[1:] != place[:-1]))
    for first, after in zip(firsts, [*firsts[1:], None], strict=True):
        low, high = values[first], values[(len(values) if after is None else after) - 1]
        label = format_value(low) if low == high else f"{format_value(low)} to {format_value(high)}"
        end = Condition(low=low) if after is None else Condition(low=low, high=values[after], below=True)
        yield label, end, int(counts[first:after].sum())


def beside(one: Distribution, width: int = 360) -> str:
    """A drawing (SVG): for every value two bars, before publishing and as a recipient would count."""
    import altair as alt

    table = [
        {"value": label, "when": when, "people": people}
        for label, *both in zip(one.labels, one.before, one.after, strict=True)
        for when, people in zip(("before", "after"), both, strict=True)
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
    return charts.svg(chart, width, 26 * len(one.labels) + 44)
