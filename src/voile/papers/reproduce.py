"""Reproduce: recompute the tables and figures of the source papers, and check what they print."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import replace
from multiprocessing import get_context
from pathlib import Path

import polars as pl

from voile.errors import BrokenPromise, SpecError, option
from voile.papers.gallery import record_result
from voile.papers.item_results import ItemResult, Step, run_item
from voile.papers.paper import Item, Paper, Run, papers
from voile.plugins.counted_nouns import count_noun

ALL = "all"


def reproduce(
    paper: str,
    items: Sequence[str] = (),
    *,
    out: str | Path,
    data: str | Path | None = None,
    quick: bool = False,
    jobs: int = 1,
    step: Step = lambda done, of, what: None,
) -> dict[str, pl.DataFrame]:
    """Recompute a paper's tables and figures (all, or the named `items`), or "all" papers, and check every number that
    they print against ours.

    Writes OUT/PAPER/ITEM.csv and .svg, a page per paper with the printed claims beside ours, an overview of all papers,
    and claims.csv; what depends on the clock goes to OUT/PAPER/times. `data` is the table that experiments are computed
    from; examples need none. `quick` takes a part of the rows and repetitions: minutes instead of hours. `jobs` items
    are computed at once. A run that was interrupted goes on where it was. Returns the table of each item, by its name
    ("PAPER/ITEM" for all papers). Raises BrokenPromise if a claim differs and gives no reason.
    """
    chosen = _choose_items(paper, items)
    _check_table(paper, chosen, data)
    if jobs < 1:
        raise SpecError("At least one item is computed at a time.", code="spec.jobs", hint=f"Use {option('jobs', 1)}.")
    wishes = [_make_wish(source, item, Path(data) if data else None, quick, paper == ALL) for source, item in chosen]
    names = [f"{source.name}/{item.name}" if paper == ALL else item.name for source, item in chosen]
    tables, wrong = {}, []
    compute = _compute_at_once if jobs > 1 and len(wishes) > 1 else _compute_in_turn
    for source, item, result in compute(wishes, Path(out), jobs, step):
        record_result(source, item, result, quick=quick, out=Path(out))
        tables[f"{source.name}/{result.item}" if paper == ALL else result.item] = result.frame
        wrong += [f"{source.name} {result.item}, {c.needs_attention}" for c in result.claims if c.needs_attention]
    if wrong:
        raise BrokenPromise(
            f"{count_noun(len(wrong), 'claim has', 'claims have')} no verdict that stands: {'; '.join(wrong)}.",
            code="papers.claim",
            hint="Every number is written; give the claim a reason, or mend the computation.",
        )
    return {name: tables[name] for name in names}


Wish = tuple[Paper, Item, Run]
Outcome = tuple[Paper, Item, ItemResult]


def _make_wish(paper: Paper, item: Item, table: Path | None, quick: bool, of_all: bool) -> Wish:
    takes = item.table == "adult" or (item.table and not of_all)  # all papers together share the Adult table
    return paper, item, Run(table if takes else None, quick)


def _compute_in_turn(wishes: Sequence[Wish], out: Path, jobs: int, step: Step) -> Iterator[Outcome]:
    """Compute one item after the other; the bar moves with the points of each."""
    for place, (paper, item, run) in enumerate(wishes):

        def move(done: int, of: int, what: str, place: int = place, name: str = f"{paper.name} {item.name}") -> None:
            step(place * max(of, 1) + done, len(wishes) * max(of, 1), f"{name}: {what}")

        move(0, 1, "")
        yield paper, item, run_item(paper, item, replace(run, step=move), out)
    step(1, 1, "done")


def _compute_at_once(wishes: Sequence[Wish], out: Path, jobs: int, step: Step) -> Iterator[Outcome]:
    """Compute several items at once, each in a process of its own; the bar moves with the items."""
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        waiting = {
            pool.submit(_run_by_name, paper.name, item.name, run.data, run.quick, out): (paper, item)
            for paper, item, run in wishes
        }
        step(0, len(waiting), "")
        for done, future in enumerate(as_completed(waiting), 1):
            paper, item = waiting[future]
            step(done, len(waiting), f"{paper.name} {item.name}")
            yield paper, item, future.result()


def _run_by_name(paper: str, item: str, data: Path | None, quick: bool, out: Path) -> ItemResult:
    source = papers()[paper]
    return run_item(source, _find_item(source, item), Run(data, quick), out)


def _choose_items(paper: str, items: Sequence[str]) -> list[tuple[Paper, Item]]:
    known = papers()
    if paper == ALL:
        if items:
            raise SpecError("All papers have no items of one name.", code="spec.paper-item", hint="Name one paper.")
        return [(source, item) for source in known.values() for item in source.items]
    if paper not in known:
        names = ", ".join([*sorted(known), ALL])
        raise SpecError(f"There is no paper {paper!r}.", code="spec.paper", hint=f"Known: {names}.")
    source = known[paper]
    return [(source, _find_item(source, name)) for name in items] or [(source, item) for item in source.items]


def _find_item(paper: Paper, name: str) -> Item:
    for item in paper.items:
        if item.name == name:
            return item
    known = ", ".join(item.name for item in paper.items)
    raise SpecError(f"{paper.name} has no item {name!r}.", code="spec.paper-item", hint=f"It has: {known}.")


def _check_table(paper: str, chosen: Sequence[tuple[Paper, Item]], data: str | Path | None) -> None:
    """Refuse a table that none of the chosen items is computed from, and ask for the one that they need."""
    takers = [item for _, item in chosen if item.table]
    needy = [item.name for item in takers if item.table == "adult"]
    if data is None and needy:
        raise SpecError(
            f"{', '.join(needy)}: each needs the Adult table.",
            code="spec.paper-data",
            hint=f"Name the file ({option('data')}), or other items.",
        )
    if data is None or takers:
        return
    others = ", ".join(item.name for item in chosen[0][0].items if item.table)
    raise SpecError(
        f"{option('data')} has no effect here: none of these items is computed from a table of yours.",
        code="spec.unused-option",
        hint=f"Leave it out; of {paper}, these items take a table: {others}." if others else "Leave it out.",
    )
