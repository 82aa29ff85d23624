"""Reproduce: recompute the tables and figures of a source paper, as CSV and plots."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import polars as pl

from voile.errors import SpecError, option
from voile.flow.report.figures import draw_figure
from voile.io.text_files import write_texts
from voile.papers.paper import Item, Paper, Run, papers


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

    `data` is the table that experiments are computed from; examples need none. `quick` takes a part of the rows and
    repetitions: minutes instead of hours.
    """
    source = _find_paper(paper)
    chosen = [_find_item(source, name) for name in items] or list(source.items)
    if data is not None:
        _check_takers(source, chosen)
    place = Path(out)
    with_table, without = Run(Path(data) if data else None, quick, step), Run(None, quick, step)
    results = {}
    for item in chosen:
        frame = item.compute(with_table if item.takes_table else without)
        results[item.name] = frame
        texts = {place / f"{item.name}.csv": frame.write_csv()}
        for figure in item.figures:
            name = item.name if len(item.figures) == 1 else f"{item.name}-{figure.y}"
            texts[place / f"{name}.svg"] = draw_figure(frame, item.title, figure)
        write_texts(texts, "result")
    write_texts({place / "README.md": _write_page(source, chosen)}, "page")
    return results


def _write_page(paper: Paper, items: Sequence[Item]) -> str:
    """Return a page that says what was computed, and where it differs from the printed numbers."""
    lines = [f"# {paper.title}", ""]
    for item in items:
        lines += [f"## {item.title}", "", f"Numbers: [{item.name}.csv]({item.name}.csv)", ""]
        lines += [item.note, ""] if item.note else []
        for figure in item.figures:
            name = item.name if len(item.figures) == 1 else f"{item.name}-{figure.y}"
            lines += [f"![{item.title}]({name}.svg)", ""]
    return "\n".join(lines)


def _find_paper(name: str) -> Paper:
    known = papers()
    if name not in known:
        raise SpecError(
            f"There is no paper {name!r}.", code="spec.paper", hint="Known: " + ", ".join(sorted(known)) + "."
        )
    return known[name]


def _find_item(paper: Paper, name: str) -> Item:
    for item in paper.items:
        if item.name == name:
            return item
    known = ", ".join(item.name for item in paper.items)
    raise SpecError(f"{paper.name} has no item {name!r}.", code="spec.paper-item", hint=f"It has: {known}.")


def _check_takers(paper: Paper, chosen: Sequence[Item]) -> None:
    """Refuse a table that none of the chosen items is computed from."""
    if any(item.takes_table for item in chosen):
        return
    takers = ", ".join(item.name for item in paper.items if item.takes_table)
    raise SpecError(
        f"{option('data')} has no effect here: none of these items is computed from a table of yours.",
        code="spec.unused-option",
        hint=f"Leave it out; of {paper.name}, these items take a table: {takers}." if takers else "Leave it out.",
    )
