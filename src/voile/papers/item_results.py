"""One item, computed and written: its table, its figures, its checked claims; times in a folder of their own."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import polars as pl
import polars.selectors as cs

from voile.flow.report.figures import Figure, draw_panels
from voile.io.text_files import write_texts
from voile.papers.claim import CheckedClaim, check_claim
from voile.papers.paper import Item, Paper, Run
from voile.papers.points import FOLDER, Points, fingerprint_table
from voile.version import __version__

DIGITS = 6  # of every published number, so that machines agree
TIMES = "times"
Step = Callable[[int, int, str], None]  # moves a progress bar: done, of how many, what


@dataclass(frozen=True, eq=False)
class ItemResult:
    """What an item gave: its table, its claims with their verdicts, and the CPU time of all its points."""

    item: str
    frame: pl.DataFrame
    claims: tuple[CheckedClaim, ...]
    seconds: float


def run_item(paper: Paper, item: Item, run: Run, out: Path) -> ItemResult:
    """Compute one item, check its claims and write its files into OUT/PAPER."""
    context: dict[str, Any] = {"paper": paper.name, "item": item.name, "edition": item.edition, "quick": run.quick}
    context |= {"table": fingerprint_table(run.data), "voile": __version__}
    points = Points(out / FOLDER / paper.name / item.name, context)
    start = time.process_time()
    frame = item.compute(replace(run, points=points))
    seconds = time.process_time() - start + points.saved
    rounded = round_numbers(frame)
    claims = tuple(check_claim(claim, rounded) for claim in item.claims)
    write_texts(_write_files(item, rounded, out / paper.name), "result")
    return ItemResult(item.name, frame, claims, seconds)


def round_numbers(frame: pl.DataFrame) -> pl.DataFrame:
    """Round the numbers of a table as they are published."""
    return frame.with_columns(cs.float().round_sig_figs(DIGITS))


def _write_files(item: Item, frame: pl.DataFrame, place: Path) -> dict[Path, str]:
    texts = {place / f"{item.name}.csv": frame.drop(item.times).write_csv()}
    if item.times:
        texts[place / TIMES / f"{item.name}.csv"] = frame.write_csv()
    for name, figures in list_drawings(item):
        texts[place / name] = draw_panels(frame, item.title, figures)
    return texts


def list_drawings(item: Item) -> list[tuple[str, list[Figure]]]:
    """List the drawings of an item: the file of each, and its panels. Figures with letters are drawn together, those
    of times apart from the others."""
    drawings: dict[str, list[Figure]] = {}
    for figure in item.figures:
        together = figure.letter or len(item.figures) == 1
        name = f"{item.name}.svg" if together else f"{item.name}-{figure.y}.svg"
        drawings.setdefault(f"{TIMES}/{name}" if figure.y in item.times else name, []).append(figure)
    return list(drawings.items())
