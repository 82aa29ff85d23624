"""The charts of a comparison: the frontier of risk and loss, and a heat map of trials and attacks.

Trials are named by their number, counted from 1 as in the tables beside the charts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from voile.flow.compare.trial import AttackResult, Trial
from voile.flow.compare.trial_table import TrialTable
from voile.flow.report.charts import AFTER, BEFORE, BOUND, GUESS, WIDTHS, draw_widths, plotted, svg

COLUMNS = {"wide": 12, "narrow": 6}  # trials side by side


def draw_charts(found: TrialTable) -> dict[str, Any]:
    """All charts as SVG at two widths: the frontier, and one heat map per promise."""
    return {
        "frontier": draw_widths(lambda width: draw_frontier(found, width)) if found.frontier() else None,
        "heat": {promise: {size: draw_heat(found, promise, size) for size in WIDTHS} for promise in found.promises},
    }


def draw_frontier(found: TrialTable, width: int) -> str:
    """Draw risk against loss, one point per trial; the line joins the trials that no other beats in both."""
    import altair as alt

    best = {id(found.best_for(promise)) for promise in found.promises}
    points = [_point(number, row, found.by, id(row) in best) for number, row in enumerate(found.rows, 1)]
    points = [point for point in points if point["loss"] is not None and point["risk"] is not None]
    line = [{"loss": row.loss(found.by), "risk": row.risk()} for row in found.frontier()]
    most = max((point["loss"] for point in points), default=1.0)
    x = alt.X(
        "loss:Q",
        title=f"loss ({found.measure_title(found.by)})",
        scale=alt.Scale(domain=[0, 1.12 * most or 1.0], nice=False),
        axis=alt.Axis(tickCount=5, grid=False),
    )
    y = alt.Y(
        "risk:Q",
        title="right about a person, on average",
        scale=alt.Scale(domain=[0, 1], nice=False),
        axis=alt.Axis(format="%", tickCount=5),
    )
    kinds = alt.Color(
        "state:N", legend=None, scale=alt.Scale(domain=["kept", "best", "not kept"], range=[AFTER, AFTER, BOUND])
    )
    layers: list[Any] = []
    before = found.risk_before()
    if before is not None:
        layers.append(plotted([{"risk": before}]).mark_rule(color=BEFORE, strokeWidth=2, strokeDash=[6, 4]).encode(y=y))
    layers += [
        plotted(line).mark_line(color=GUESS, strokeWidth=2, opacity=0.7, interpolate="step-after").encode(x=x, y=y),
        plotted([point for point in points if point["state"] != "not kept"])
        .mark_point(size=80, filled=True, opacity=1)
        .encode(x=x, y=y, color=kinds),
        plotted([point for point in points if point["state"] == "not kept"])
        .mark_point(size=80, shape="cross", angle=45, filled=True, opacity=1)
        .encode(x=x, y=y, color=kinds),
        plotted([point for point in points if point["state"] == "best"])
        .mark_point(size=260, strokeWidth=2, filled=False, opacity=1)
        .encode(x=x, y=y, color=kinds),
        plotted(_labels(points)).mark_text(dy=-15, fontSize=11, fontWeight=600).encode(x=x, y=y, text="number:N"),
    ]
    return svg(alt.layer(*layers), width, 320)


def _labels(points: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The numbers of the trials, those at the same point together."""
    places: dict[tuple[float, float], list[str]] = {}
    for point in points:
        places.setdefault((round(point["loss"], 6), round(point["risk"], 4)), []).append(point["number"])
    return [{"loss": loss, "risk": risk, "number": ", ".join(names)} for (loss, risk), names in places.items()]


def _point(number: int, row: Trial, by: str, best: bool) -> dict[str, Any]:
    state = "best" if best else "kept" if row.kept else "not kept"
    return {"number": str(number), "loss": row.loss(by), "risk": row.risk(), "state": state}


def draw_heat(found: TrialTable, promise: str, size: str) -> list[str]:
    """Draw the worst belief of every attack in every trial of one promise, a few trials per drawing. A cell inside the
    promise has a frame; a value above its bound is marked with an exclamation mark."""
    trials = [(number, row) for number, row in enumerate(found.rows, 1) if row.promise == promise and row.reached]
    drawings = -(-len(trials) // COLUMNS[size])
    step = -(-len(trials) // max(drawings, 1))  # drawings of about the same width
    blocks = [trials[number * step : (number + 1) * step] for number in range(drawings)]
    return [_draw_block(block, WIDTHS[size]) for block in blocks]


def _draw_block(block: Sequence[tuple[int, Trial]], width: int) -> str:
    import altair as alt

    titles = list(dict.fromkeys(item.title for _, row in block for item in row.reached if item.worst is not None))
    reached = [(number, {item.title: item for item in row.reached}) for number, row in block]
    cells = [build_cell(number, title, own.get(title)) for number, own in reached for title in titles]
    room = width * 2 // 5
    x = alt.X(
        "trial:N",
        title=None,
        sort=[str(number) for number, _ in block],
        axis=alt.Axis(orient="top", labelAngle=0, ticks=False, domain=False, labelFontWeight="bold"),
    )
    y = alt.Y(
        "title:N", title=None, sort=titles, axis=alt.Axis(labelLimit=room, minExtent=room, ticks=False, domain=False)
    )
    shade = alt.Opacity("heat:Q", legend=None, scale=alt.Scale(domain=[0, 1], range=[0.04, 0.62]))
    boxes = plotted(cells).mark_rect(color=BOUND, cornerRadius=2).encode(x=x, y=y, opacity=shade)
    framed = [cell for cell in cells if cell["inside"]]
    frames = plotted(framed).mark_rect(filled=False, stroke=AFTER, strokeWidth=2).encode(x=x, y=y)
    text = plotted(cells).mark_text(fontSize=10 if width > WIDTHS["narrow"] else 9).encode(x=x, y=y, text="shown:N")
    return svg(alt.layer(boxes, frames, text), width, 26 * len(titles) + 34)


def build_cell(number: int, title: str, item: AttackResult | None) -> dict[str, Any]:
    """One cell of the heat map; empty where the attack does not apply."""
    empty = {"trial": str(number), "title": title, "heat": 0.0, "inside": False, "shown": "–"}
    if item is None or item.worst is None:
        return empty
    shown = f"{item.worst:.2f}" if item.limits == "distance" else f"{100 * item.worst:.0f}%"
    shown += "!" if not item.passed else ""
    return {**empty, "heat": min(item.worst, 1.0), "inside": item.inside, "shown": shown}
