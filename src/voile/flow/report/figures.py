"""Figures of numbers: lines from a table, drawn as SVG in one or several panels with one legend.

The drawing is text of our own, so that the same numbers give the same bytes on every machine. Colours are those of
Okabe and Ito, each with a shape; text and axes follow the reader's light or dark mode.
"""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from html import escape
from typing import Any

import polars as pl

from voile.flow.report.figure_axes import Axis, fit_axis, name_axis

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#8c8c8c", "#b8ab00")
SHAPES = (
    "M-4,0a4,4 0 1,0 8,0a4,4 0 1,0 -8,0z",
    "M-3.6,-3.6h7.2v7.2h-7.2z",
    "M0,-4.8L4.6,3.4H-4.6z",
    "M0,-5L5,0L0,5L-5,0z",
    "M0,4.8L4.6,-3.4H-4.6z",
    "M-4.6,-1.6h3v-3h3.2v3h3v3.2h-3v3h-3.2v-3h-3z",
    "M-5,-1.6L0,-5L5,-1.6L3.1,4.2H-3.1z",
    "M-2.4,-4.4h4.8L5,0L2.4,4.4h-4.8L-5,0z",
)
DASHES = ("", "8 2", "5 2", "3 2", "8 2 2 2", "2 2", "5 2 2 2", "12 3")  # a line below another one shines through
WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 300, 210, 62, 16, 30, 48  # of a panel: its plot and the margins around it
LINE, CAPTION = 20, 16  # of the legend, and of the text above a panel
STYLE = (
    ".vf text{font:12px 'Helvetica Neue',Helvetica,Arial,sans-serif;fill:#1f2328}.vf .t{font-size:13px;font-weight:600}"
    ".vf .a{stroke:#59636e;fill:none}.vf .g{stroke:#8c8c8c;stroke-opacity:.25;fill:none}"
    ".vf .b{stroke:#59636e;stroke-dasharray:6 4;stroke-width:1.5;fill:none}"
    "@media(prefers-color-scheme:dark){.vf text{fill:#e6edf3}.vf .a,.vf .b{stroke:#b1bac4}}"
)


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

    @property
    def caption(self) -> str:
        return f"({self.letter}) {self.title or self.y_title or self.y}" if self.letter else self.title


def draw_figure(frame: pl.DataFrame, title: str, figure: Figure) -> str:
    """Draw one figure as SVG."""
    return draw_panels(frame, title, [figure if figure.caption else replace(figure, title=title)])


def draw_panels(frame: pl.DataFrame, title: str, figures: Sequence[Figure]) -> str:
    """Draw figures side by side as one SVG, with one legend for all of them."""
    names = _list_lines(frame, figures)
    columns = {4: 2}.get(len(figures), min(len(figures), 3))
    top = TOP + CAPTION * (max(len(_wrap(figure.caption)) for figure in figures) - 1)
    wide, high = LEFT + WIDTH + RIGHT, top + HEIGHT + BOTTOM
    parts = []
    for place, figure in enumerate(figures):
        at = f"translate({place % columns * wide + LEFT},{place // columns * high + top})"
        parts.append(f'<g transform="{at}">{_draw_panel(frame, figure, names)}</g>')
    rows = -(-len(figures) // columns)
    bounds = list(dict.fromkeys(figure.bound_title for figure in figures if figure.bound != ""))
    legend, lines = _draw_legend([name for name in names if name], bounds, columns * wide)
    parts.append(f'<g transform="translate(0,{rows * high})">{legend}</g>')
    size = f"{columns * wide} {rows * high + lines * LINE + 6}"
    width, height = size.split()
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="vf" width="{width}" height="{height}" viewBox="0 0 {size}" '
        f'role="img" aria-label="{escape(title)}"><style>{STYLE}</style>{"".join(parts)}</svg>\n'
    )


def _list_lines(frame: pl.DataFrame, figures: Sequence[Figure]) -> list[str]:
    """List the lines of all panels, in the order of the table: each has one colour and shape everywhere."""
    names: list[str] = []
    for figure in figures:
        shown = _filter_rows(frame, figure)
        names += [str(name) for name in shown[figure.by]] if figure.by else [""]
    return list(dict.fromkeys(names))


def _filter_rows(frame: pl.DataFrame, figure: Figure) -> pl.DataFrame:
    for column, value in figure.where.items():
        frame = frame.filter(pl.col(column) == value)
    return frame.drop_nulls([figure.x, *([figure.by] if figure.by else [])])


def _wrap(caption: str) -> list[str]:
    return textwrap.wrap(caption, 48) or [""]


def _draw_panel(frame: pl.DataFrame, figure: Figure, names: Sequence[str]) -> str:
    rows = _filter_rows(frame, figure)
    texts = None if rows[figure.x].dtype.is_numeric() else list(dict.fromkeys(map(str, rows[figure.x])))
    across = _fit_across(rows, figure, texts)
    values = [value for name in _value_columns(figure) for value in rows[name].drop_nulls()]
    values += [figure.bound] if isinstance(figure.bound, (int, float)) else []
    up = fit_axis(values, HEIGHT, 0, ticks=figure.y_ticks, log=figure.log_y, zero=True)
    parts = [_draw_axes(figure, across, up)]
    for number, name in enumerate(names):
        line = rows.filter(pl.col(figure.by).cast(pl.String) == name) if figure.by else rows
        points = line.sort(figure.x) if texts is None else line
        if points.height:
            parts.append(_draw_line(points.to_dicts(), figure, number, across, up, texts))
    if figure.bound != "":
        parts.append(_draw_bound(rows, figure, across, up))
    return "".join(parts)


def _value_columns(figure: Figure) -> list[str]:
    bound = figure.bound if isinstance(figure.bound, str) else ""
    return [name for name in (figure.y, figure.low, figure.high, bound) if name]


def _fit_across(rows: pl.DataFrame, figure: Figure, texts: list[str] | None) -> Axis:
    if texts is not None:
        return name_axis(texts, 0, WIDTH)
    inset = 12.0  # so that the first point does not lie on the axis
    marks = figure.ticks or (() if rows[figure.x].n_unique() > 10 else sorted(rows[figure.x].unique()))
    return fit_axis(list(rows[figure.x]), inset, WIDTH - inset, ticks=marks, log=figure.log_x, zero=False)


def _draw_axes(figure: Figure, across: Axis, up: Axis) -> str:
    parts = [
        f'<text class="t" x="{WIDTH / 2:g}" y="{-12 - CAPTION * place}" text-anchor="middle">{escape(line)}</text>'
        for place, line in enumerate(reversed(_wrap(figure.caption)))
    ]
    for value, label in up.marks:
        y = f"{up.place(value):.1f}"
        parts.append(f'<path class="g" d="M0,{y}H{WIDTH}"/>')
        parts.append(f'<text x="-7" y="{y}" dy=".32em" text-anchor="end">{label}</text>')
    close = sum(7 * len(label) + 8 for _, label in across.marks) > WIDTH
    for place, (value, label) in enumerate(across.marks):
        x, below = f"{across.place(value):.1f}", HEIGHT + (15 + 11 * (place % 2) if close else 17)
        parts.append(f'<path class="a" d="M{x},{HEIGHT}v4"/>')
        parts.append(f'<text x="{x}" y="{below}" text-anchor="middle">{escape(label)}</text>')
    parts.append(f'<path class="a" d="M0,0V{HEIGHT}H{WIDTH}"/>')
    x_title, y_title = escape(figure.x_title or figure.x), escape(figure.y_title or figure.y)
    parts.append(f'<text x="{WIDTH / 2:g}" y="{HEIGHT + 36}" text-anchor="middle">{x_title}</text>')
    turned = f"rotate(-90) translate({-HEIGHT / 2:g},{-LEFT + 14})"
    return "".join([*parts, f'<text transform="{turned}" text-anchor="middle">{y_title}</text>'])


def _draw_line(
    rows: Sequence[Mapping[str, Any]], figure: Figure, number: int, across: Axis, up: Axis, texts: list[str] | None
) -> str:
    """Draw one line with its shapes and its band; it is broken where a value is missing."""
    stroke, mark = _draw_mark(number)
    placed = [(across.place(texts.index(str(row[figure.x])) if texts else row[figure.x]), row) for row in rows]
    parts, path, pen = [], "", "M"
    for x, row in placed:
        if not up.can_show(row[figure.y]):
            pen = "M"
            continue
        path += f"{pen}{x:.1f},{up.place(row[figure.y]):.1f}"
        pen = "L"
    if figure.low and figure.high:
        parts.append(_draw_bands([(x, row[figure.low], row[figure.high]) for x, row in placed], number, up))
    if texts is None:
        parts.append(f'<path d="{path}" {stroke}/>')
    for x, row in placed:
        if up.can_show(row[figure.y]):
            parts.append(f'<g transform="translate({x:.1f},{up.place(row[figure.y]):.1f})">{mark}</g>')
    return "".join(parts)


def _draw_mark(number: int) -> tuple[str, str]:
    """Return how a line is stroked, and its shape. Lines that are drawn first have larger shapes: those drawn over them
    do not hide them."""
    cycle = len(COLOURS)
    colour, shape = COLOURS[number % cycle], SHAPES[(number + number // cycle) % len(SHAPES)]
    dash = f' stroke-dasharray="{DASHES[number % cycle]}"' if DASHES[number % cycle] else ""
    size = f"{max(1.25 - 0.1 * number, 0.75):g}"
    stroke = f'fill="none" stroke="{colour}" stroke-width="1.8"{dash}'
    return stroke, f'<path d="{shape}" fill="{colour}" transform="scale({size})"/>'


def _draw_bands(ends: Sequence[tuple[float, Any, Any]], number: int, up: Axis) -> str:
    """Draw the space between the ends of intervals, and each interval as a bar; missing ones break it."""
    colour = COLOURS[number % len(COLOURS)]
    runs: list[list[tuple[float, float, float]]] = [[]]
    for x, low, high in ends:
        if up.can_show(low) and up.can_show(high):
            runs[-1].append((x, up.place(low), up.place(high)))
        elif runs[-1]:
            runs.append([])
    parts = []
    for run in filter(None, runs):
        edge = [(x, high) for x, _, high in run] + [(x, low) for x, low, _ in reversed(run)]
        path = "L".join(f"{x:.1f},{y:.1f}" for x, y in edge)
        bars = "".join(f"M{x:.1f},{low:.1f}V{high:.1f}" for x, low, high in run)
        parts.append(f'<path d="M{path}z" fill="{colour}" fill-opacity=".15"/>')
        parts.append(f'<path d="{bars}" stroke="{colour}" stroke-opacity=".7" fill="none"/>')
    return "".join(parts)


def _draw_bound(rows: pl.DataFrame, figure: Figure, across: Axis, up: Axis) -> str:
    if isinstance(figure.bound, str):
        points = rows.select(figure.x, figure.bound).drop_nulls().unique().sort(figure.x, figure.bound).rows()
        shown = [(across.place(x), up.place(y)) for x, y in points if up.can_show(y)]
    else:
        shown = [(x, up.place(figure.bound)) for x in (0.0, float(WIDTH))]
    return f'<path class="b" d="M{"L".join(f"{x:.1f},{y:.1f}" for x, y in shown)}"/>' if shown else ""


def _draw_legend(names: Sequence[str], bounds: Sequence[str], width: int) -> tuple[str, int]:
    """Draw the legend of all panels, and say how many lines it takes."""
    parts, x, y = [], LEFT, 0
    for number, text in enumerate([*names, *bounds]):
        space = 40 + round(6.4 * len(text))
        if x > LEFT and x + space > width:
            x, y = LEFT, y + 1
        if number < len(names):
            stroke, shape = _draw_mark(number)
            mark = f'<path d="M-13,0H13" {stroke}/>{shape}'
        else:
            mark = '<path class="b" d="M-12,0H12"/>'
        label = f'<text x="16" dy=".32em">{escape(text)}</text>'
        parts.append(f'<g transform="translate({x + 10},{y * LINE + 8})">{mark}{label}</g>')
        x += space
    return "".join(parts), (y + 1 if parts else 0)
