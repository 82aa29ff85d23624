"""Figures of numbers: lines or bars from a table, drawn as SVG."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import polars as pl


@dataclass(frozen=True)
class Figure:
    """How numbers are drawn: the columns of both axes, and a line for each value of `by`.

    Figures of one item that have a `letter` are the panels of one drawing, with one legend; `title` is printed after
    the letter. `ticks` and `y_ticks` are those of the paper. `low` and `high` are columns: the band around each line.
    `bound` is a column or a number, drawn as a dashed line and called `bound_title` in the legend. `where` keeps the
    rows with these values only, e.g. {"m": 2}.
    """

    x: str
    y: str
    by: str = ""
    x_title: str = ""
    y_title: str = ""
    log_y: bool = False
    log_x: bool = False
    letter: str = ""
    title: str = ""
    ticks: Sequence[float] = ()
    y_ticks: Sequence[float] = ()
    low: str = ""
    high: str = ""
    bound: str | float = ""
    bound_title: str = "bound"
    where: Mapping[str, Any] = field(default_factory=dict)


def draw_figure(frame: pl.DataFrame, title: str, figure: Figure) -> str:
    """Draw one figure as SVG."""
    import altair as alt
    import vl_convert

    rows = frame.drop_nulls([figure.x, figure.y]).to_dicts()
    kind = "quantitative" if frame[figure.x].dtype.is_numeric() else "nominal"
    scale: Any = alt.Scale(type="log") if figure.log_y else alt.Scale(zero=True)
    channels: dict[str, Any] = {
        "x": alt.X(f"{figure.x}:{kind[0].upper()}", title=figure.x_title or figure.x),
        "y": alt.Y(f"{figure.y}:Q", title=figure.y_title or figure.y, scale=scale),
    }
    if figure.by:
        channels |= {"color": alt.Color(f"{figure.by}:N"), "shape": alt.Shape(f"{figure.by}:N")}
    chart = alt.Chart(alt.InlineData(rows), title=title, width=460, height=300)
    marked = chart.mark_line(point=True) if kind == "quantitative" else chart.mark_bar()
    return str(vl_convert.vegalite_to_svg(marked.encode(**channels).to_dict()))
