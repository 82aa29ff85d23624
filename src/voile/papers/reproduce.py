"""Reproduce: recompute the tables and figures of the source papers, and check what they print."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import polars as pl

from voile.errors import BrokenPromise, SpecError, option
from voile.papers.gallery import record_results
from voile.papers.item_results import ItemResult, Step, run_item
from voile.papers.paper import Item, Paper, Run, papers

ALL = "all"


def reproduce(
    paper: str,
    items: Sequence[str] = (),
    *,
    out: str | Path,
    data: str | Path | None = None,
    quick: bool = False,
    step: Step = lambda done, of, what: None,
) -> dict[str, pl.DataFrame]:
    """Recompute a paper's tables and figures (all, or the named `items`), or "all" papers, and check every number that
    they print against ours.

    Writes OUT/PAPER/ITEM.csv and .svg, a page per paper with the printed claims beside ours, an overview of all papers,
    and claims.csv; what depends on the clock goes to OUT/PAPER/times. `data` is the table that experiments are computed
    from; examples need none. `quick` takes a part of the rows and repetitions: minutes instead of hours. A run that was
    interrupted goes on where it was. Returns the table of each item, by its name ("PAPER/ITEM" for all papers). Raises
    BrokenPromise if a claim differs and gives no reason.
    """
    sources = _choose_items(paper, items)
    table = Path(data) if data else None
    if table is not None:
        _check_takers(sources, paper)
    tables, wrong = {}, []
    for source, chosen in sources.items():
        results = []
        for item in chosen:
            results.append(_run(source, item, table, quick, step, paper == ALL, Path(out)))
            record_results(source, results[-1:], quick=quick, out=Path(out))
        for result in results:
            tables[f"{source.name}/{result.item}" if paper == ALL else result.item] = result.frame
            wrong += [f"{source.name} {result.item}, {c.needs_attention}" for c in result.claims if c.needs_attention]
    if wrong:
        raise BrokenPromise(
            f"{len(wrong)} claims have no verdict that stands: {'; '.join(wrong)}.",
            code="papers.claim",
            hint="Every number is written; give the claim a reason, or mend the computation.",
        )
    return tables


def _run(paper: Paper, item: Item, table: Path | None, quick: bool, step: Step, of_all: bool, out: Path) -> ItemResult:
    takes = item.takes_table and (item.table == "adult" or not of_all)  # `all` papers share the Adult table
    return run_item(paper, item, Run(table if takes else None, quick, step), out)


def _choose_items(paper: str, items: Sequence[str]) -> dict[Paper, list[Item]]:
    known = papers()
    if paper == ALL and not items:
        return {source: list(source.items) for source in known.values()}
    if paper not in known:
        names = ", ".join([*sorted(known), ALL])
        raise SpecError(f"There is no paper {paper!r}.", code="spec.paper", hint=f"Known: {names}.")
    return {known[paper]: [_find_item(known[paper], name) for name in items] or list(known[paper].items)}


def _find_item(paper: Paper, name: str) -> Item:
    for item in paper.items:
        if item.name == name:
            return item
    known = ", ".join(item.name for item in paper.items)
    raise SpecError(f"{paper.name} has no item {name!r}.", code="spec.paper-item", hint=f"It has: {known}.")


def _check_takers(sources: dict[Paper, list[Item]], paper: str) -> None:
    """Refuse a table that none of the chosen items is computed from."""
    if any(item.takes_table for chosen in sources.values() for item in chosen):
        return
    takers = ", ".join(item.name for source in sources for item in source.items if item.takes_table)
    raise SpecError(
        f"{option('data')} has no effect here: none of these items is computed from a table of yours.",
        code="spec.unused-option",
        hint=f"Leave it out; of {paper}, these items take a table: {takers}." if takers else "Leave it out.",
    )
