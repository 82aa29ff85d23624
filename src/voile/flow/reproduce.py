"""Reproduce: the tables and figures of a source paper, recomputed, as CSV and plots."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from voile.core.paper import Figure, Item, Paper, Run, papers
from voile.errors import SpecError
from voile.flow.audit import audit
from voile.flow.measure import measure
from voile.flow.publish import publish
from voile.flow.read import read


def reproduce(
    paper: str,
    items: Sequence[str] = (),
    *,
    out: str | Path,
    data: str | Path | None = None,
    quick: bool = False,
    step: Callable[[int, int, str], None] = lambda done, of, what: None,
) -> dict[str, pl.DataFrame]:
    """Recompute a paper's tables and figures (all, or the named `items`) and write each as CSV and SVG under `out`.

    `quick` takes a part of the rows and repetitions: minutes instead of hours.
    """
    found = _paper(paper)
    chosen = [_item(found, name) for name in items] or list(found.items)
    place = Path(out)
    place.mkdir(parents=True, exist_ok=True)
    run = Run(read, publish, audit, measure, Path(data) if data else None, quick, step)
    results = {}
    for item in chosen:
        frame = item.compute(run)
        results[item.name] = frame
        frame.write_csv(place / f"{item.name}.csv")
        for figure in item.figures:
            name = item.name if len(item.figures) == 1 else f"{item.name}-{figure.y}"
            (place / f"{name}.svg").write_text(draw(frame, item, figure), encoding="utf-8")
    (place / "README.md").write_text(_page(found, chosen), encoding="utf-8")
    return results


def draw(frame: pl.DataFrame, item: Item, figure: Figure) -> str:
    """One figure as SVG."""
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
    chart = alt.Chart(alt.InlineData(rows), title=item.title, width=460, height=300)
    marked = chart.mark_line(point=True) if kind == "quantitative" else chart.mark_bar()
    return str(vl_convert.vegalite_to_svg(marked.encode(**channels).to_dict()))


def _page(paper: Paper, items: Sequence[Item]) -> str:
    """What was computed, and where it differs from the print."""
    lines = [f"# {paper.title}", ""]
    for item in items:
        lines += [f"## {item.title}", "", f"Numbers: [{item.name}.csv]({item.name}.csv)", ""]
        lines += [item.note, ""] if item.note else []
        for figure in item.figures:
            name = item.name if len(item.figures) == 1 else f"{item.name}-{figure.y}"
            lines += [f"![{item.title}]({name}.svg)", ""]
    return "\n".join(lines)


def _paper(name: str) -> Paper:
    known = papers()
    if name not in known:
        raise SpecError(
            f"There is no paper {name!r}.", code="spec.paper", hint="Known: " + ", ".join(sorted(known)) + "."
        )
    return known[name]


def _item(paper: Paper, name: str) -> Item:
    for item in paper.items:
        if item.name == name:
            return item
    known = ", ".join(item.name for item in paper.items)
    raise SpecError(f"{paper.name} has no item {name!r}.", code="spec.paper-item", hint=f"It has: {known}.")
