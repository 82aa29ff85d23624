"""The charts of the report: small tables of numbers in, SVG text out. No row or cell of the data ever gets here.

Every chart has a transparent background and mid-tone marks; its text and lines take their colours from the page, so one
drawing serves light mode, dark mode and paper. A page has each chart at two widths and shows the one that fits.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from voile.results import Finding

if TYPE_CHECKING:
    import altair as alt

WIDTHS = {"wide": 760, "narrow": 340}
BEFORE, AFTER, BOUND, GUESS = "#c98a2b", "#3d82c4", "#d1495b", "#8b93a1"
POINTS = 100  # of a curve
BARS = 40
ARIA = re.compile(
    r' (?:role|aria-[a-z]+)="[^"]*"'
)  # a page says what a chart shows; its marks have no names of their own
AXES = {
    "probability": "probability of being right",
    "gain": "rise in belief",
    "distance": "distance from the whole table",
}


def scale_of(limits: str) -> str:
    """The scale of a belief: an identity or a value is believed with a probability."""
    word = limits.partition(" under ")[0]
    return word if word in AXES else "probability"


def draw_widths(draw: Callable[[int], str]) -> dict[str, str]:
    """Draw one chart at each width."""
    return {name: draw(width) for name, width in WIDTHS.items()}


# the numbers behind a chart ----------------------------------------------------------------------------------------
def exceedance(risk: np.ndarray, people: np.ndarray) -> list[list[float]]:
    """Points (x, share of people with a risk of at least x) by rising x: every step, or a grid and the last step.

    >>> exceedance(np.array([0.5, 1.0]), np.array([3, 1]))
    [[0.0, 1.0], [0.5, 1.0], [1.0, 0.25]]
    """
    order = np.argsort(risk, kind="stable")
    risk, total = risk[order], float(people.sum())
    if not total:
        return []
    ahead = np.append(0.0, np.cumsum(people[order]))  # people strictly before a position
    steps = np.unique(risk)
    grid = steps if len(steps) <= POINTS else np.append(np.linspace(0, 1, POINTS), steps[-1])
    places = np.unique(np.append(0.0, grid))
    shares = 1 - ahead[np.searchsorted(risk, places, side="left")] / total
    return [[float(x), float(share)] for x, share in zip(places, shares, strict=True)]


def over_people(findings: Sequence[Finding]) -> dict[str, Any] | None:
    """The risk of being found, over all people; without such an attack, the first one that was also run before."""
    drawable = [item for item in findings if scale_of(item.belief.limits) == "probability" and item.belief.people.sum()]
    identity = [item for item in drawable if item.belief.limits == "identity"]
    finding = next(iter(identity or [item for item in drawable if item.before]), None)
    if finding is None:
        return None
    before = finding.before
    return {
        "attack": finding.attack,
        "title": finding.title,
        "limit": float(finding.bound) if finding.bound is not None else None,
        "before": exceedance(before.risk, before.people) if before else [],
        "after": exceedance(finding.belief.risk, finding.belief.people),
    }


def bin_sizes(sizes: np.ndarray) -> list[dict[str, int]]:
    """Count the groups of each size; wide ranges in even bins, very skewed ones in bins that grow.

    >>> bin_sizes(np.array([5, 5, 7]))
    [{'from': 5, 'to': 5, 'groups': 2}, {'from': 6, 'to': 6, 'groups': 0}, {'from': 7, 'to': 7, 'groups': 1}]
    """
    if not len(sizes):
        return []
    low, high = int(sizes.min()), int(sizes.max())
    if high - low < BARS:
        edges = np.arange(low, high + 2)
    elif high > 20 * float(np.median(sizes)):
        edges = np.unique(np.append(low, np.rint(np.geomspace(max(low, 1), high + 1, BARS // 2)).astype(np.int64)))
    else:
        step = -(-(high - low + 1) // (BARS * 3 // 4))
        edges = np.arange(low, high + step + 1, step)
    counts, _ = np.histogram(sizes, edges)
    return [
        {"from": int(start), "to": int(end) - 1, "groups": int(count)}
        for start, end, count in zip(edges[:-1], edges[1:], counts, strict=True)
    ]


# the drawings ------------------------------------------------------------------------------------------------------
def draw_risks(findings: Sequence[Mapping[str, Any]], width: int) -> str:
    """Draw two rows per attack, the worst-off person and the average, from before publishing to after."""
    import altair as alt

    scale = scale_of(findings[0]["limits"])
    percent = scale != "distance"
    ends: list[dict[str, Any]] = []
    lines, marks, titles = [], [], []
    for number, item in enumerate(findings):
        top = 3.0 * number
        titles.append({"y": top, "text": item["title"]})
        for row, part in enumerate(("worst", "mean"), 1):
            places = {"before": item[f"{part}_before"], "after": item[part]}
            ends += [{"y": top + row, "x": x, "when": when} for when, x in places.items() if x is not None]
            if None not in places.values():
                lines.append({"y": top + row, "x": places["before"], "end": places["after"]})
        for what, place in (("guess", item["baseline"] if scale == "probability" else None), ("bound", item["limit"])):
            if place is not None:
                marks.append({"y": top + 0.55, "end": top + 2.45, "x": place, "what": what})
    widest = max((point["x"] for point in [*ends, *marks]), default=0.0)
    x = alt.X(
        "x:Q",
        title=AXES[scale],
        scale=alt.Scale(domain=[0, 1 if percent else max(min(1.0, 1.15 * widest), 0.05)], nice=not percent),
        axis=alt.Axis(format="%" if percent else ".2~f", tickCount=5),
    )
    rows = [3.0 * number + row for number in range(len(findings)) for row in (1, 2)]
    # labels by position: the first row of each attack is the worst case
    label = "datum.value % 3 == 1 ? 'worst' : 'average'"
    axis = alt.Axis(values=rows, labelExpr=label, labelPadding=10, grid=False, ticks=False, domain=False)
    depth = alt.Scale(domain=[-0.6, 3 * len(findings) - 0.4], reverse=True, nice=False)
    y = alt.Y("y:Q", title=None, axis=axis, scale=depth)
    colours = alt.Scale(domain=["bound", "guess"], range=[BOUND, GUESS])
    dashes = alt.Scale(domain=["bound", "guess"], range=[[1, 0], [3, 3]])
    kinds = {
        "color": alt.Color("what:N", legend=None, scale=colours),
        "strokeDash": alt.StrokeDash("what:N", legend=None, scale=dashes),
    }
    chart = alt.layer(
        plotted(marks).mark_rule(strokeWidth=2).encode(x=x, y=y, y2="end:Q", **kinds),
        plotted(lines).mark_rule(strokeWidth=3, opacity=0.35, color=GUESS).encode(x=x, x2="end:Q", y=y),
        _points([end for end in ends if end["when"] == "before"], BEFORE, filled=False).encode(x=x, y=y),
        _points([end for end in ends if end["when"] == "after"], AFTER, filled=True).encode(x=x, y=y),
        plotted(titles)
        .mark_text(align="left", baseline="middle", fontWeight=600, fontSize=12, limit=width - 70)
        .encode(x=alt.XDatum(0), y=y, text="text:N"),
    )
    return svg(chart, width, 64 * len(findings) + 48)


def draw_curve(
    before: Sequence[Sequence[float]], after: Sequence[Sequence[float]], limit: float | None, width: int
) -> str:
    """Draw the share of people with a risk of at least x, before and after."""
    import altair as alt

    domain = alt.Scale(domain=[0, 1], nice=False)
    x = alt.X("x:Q", title="risk of at least", scale=domain, axis=alt.Axis(format="%", tickCount=5, grid=False))
    y = alt.Y("share:Q", title="share of the people", scale=domain, axis=alt.Axis(format="%", tickCount=5))
    layers: list[alt.Chart] = []
    if limit is not None:
        layers.append(plotted([{"x": limit}]).mark_rule(color=BOUND, strokeWidth=2).encode(x=x))
    for points, colour, dash in ((before, BEFORE, [6, 4]), (after, AFTER, [1, 0])):
        if points:
            # nobody is above the highest risk, so the curve falls to zero there
            table = [{"x": x0, "share": share} for x0, share in points] + [{"x": max(1.0, points[-1][0]), "share": 0.0}]
            line = plotted(table).mark_line(interpolate="step-before", color=colour, strokeWidth=2.5, strokeDash=dash)
            layers.append(line.encode(x=x, y=y))
    return svg(alt.layer(*layers), width, 260)


def draw_bars(parts: Mapping[str, float], width: int, title: str = "loss") -> str:
    """Draw the columns with the largest shares, such as the loss from 0 (as exact as before) to 1 (nothing left)."""
    import altair as alt

    table = [{"column": name, "loss": loss} for name, loss in select_largest(parts)]
    axis = alt.Axis(labelLimit=width // 3, ticks=False, domain=False, grid=False)
    y = alt.Y("column:N", title=None, sort=None, axis=axis)
    x = alt.X("loss:Q", title=title, scale=alt.Scale(domain=[0, 1], clamp=True), axis=alt.Axis(format="%", tickCount=5))
    chart = alt.layer(
        plotted(table).mark_bar(color=AFTER, height=12).encode(x=x, y=y),
        plotted(table)
        .mark_text(align="left", dx=5, fontSize=11)
        .encode(x=x, y=y, text=alt.Text("loss:Q", format=".0%")),
    )
    return svg(chart, width, 22 * len(table) + 48)


def select_largest(parts: Mapping[str, float]) -> list[tuple[str, float]]:
    """The largest entries, as many as a bar chart has room for."""
    return sorted(parts.items(), key=lambda part: (-part[1], part[0]))[:BARS]


def draw_histogram(bins: Sequence[Mapping[str, int]], counted: str, width: int) -> str:
    """Draw the number of groups of each size, which counts people or rows."""
    import altair as alt

    table = [{"low": max(bin["from"] - 0.5, 0.25), "high": bin["to"] + 0.5, "groups": bin["groups"]} for bin in bins]
    even = len({bin["to"] - bin["from"] for bin in bins}) == 1
    ends = [table[0]["low"] - 1, table[-1]["high"] + 1]
    scale = alt.Scale(domain=ends, nice=False) if even else alt.Scale(type="log", nice=False)
    axis = alt.Axis(format=",d", tickCount=8 if width > WIDTHS["narrow"] else 5, tickMinStep=1, grid=False)
    chart = (
        plotted(table)
        .mark_bar(color=AFTER)
        .encode(
            x=alt.X("low:Q", bin="binned", title=f"{counted} in the group", scale=scale, axis=axis),
            x2="high:Q",
            y=alt.Y("groups:Q", title="groups", axis=alt.Axis(format=",d", tickCount=4, tickMinStep=1)),
        )
    )
    return svg(chart, width, 240)


def plotted(values: list[dict[str, Any]]) -> alt.Chart:
    import altair as alt

    return alt.Chart(alt.InlineData(values=values))


def _points(values: list[dict[str, Any]], colour: str, filled: bool) -> alt.Chart:
    marked: alt.Chart = plotted(values).mark_point(size=75, strokeWidth=2.2, color=colour, filled=filled, opacity=1)
    return marked


def svg(chart: alt.Chart | alt.LayerChart | alt.FacetChart, width: int, height: int) -> str:
    import altair as alt
    import vl_convert

    fit = alt.AutoSizeParams(type="fit", contains="padding")
    sized = chart.properties(width=width, height=height, autosize=fit, padding=4)
    plain = sized.configure(aria=False, background="transparent", font="sans-serif").configure_view(stroke=None)
    styled = plain.configure_axis(
        labelFontSize=11, titleFontSize=11, titleFontWeight="normal", labelPadding=6, gridColor="#d5d9df"
    )
    with alt.data_transformers.enable("default"):  # whatever the caller's own charts use
        return ARIA.sub("", str(vl_convert.vegalite_to_svg(styled.to_dict())))
