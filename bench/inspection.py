"""Inspect a table of a million rows and twenty columns, against one polars group-by of the same columns (CPU time).

Half of the columns are texts. The group-by is what any tool that finds people who stand out has to do at least once.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import polars as pl
from clock import show

import voile as vl

ROWS = 1_000_000
SIZES = [74, 2, 17, 57, 50, 9, 8, 6, 3, 24, 12, 5, 40, 2, 7, 15, 100, 4, 30, 10]


def make_table(rows: int) -> pl.DataFrame:
    """Return twenty columns of skewed codes, every other one as text."""
    rng = np.random.default_rng(1)
    columns: dict[str, pl.Series] = {}
    for number, size in enumerate(SIZES):
        codes = (size * rng.random(rows) ** 2).astype(np.int64)
        values = pl.Series(codes)
        columns[f"c{number}"] = values if number % 2 else pl.Series([f"value {v}" for v in range(size)]).gather(codes)
    return pl.DataFrame(columns)


def cpu(work: Callable[[], Any], runs: int = 3) -> tuple[float, Any]:
    """Return the median CPU time of some runs, over all threads, and the last result."""
    times, result = [], None
    for _ in range(runs):
        start = time.process_time()
        result = work()
        times.append(time.process_time() - start)
    return statistics.median(times), result


if __name__ == "__main__":
    table = make_table(ROWS)
    names = table.columns
    vl.inspect(table, vl.Schema(quasi=names))  # compile
    grouped, _ = cpu(lambda: table.group_by(names).len())
    inspected, found = cpu(lambda: vl.inspect(table, vl.Schema(quasi=names)))
    print(found)
    show("inspect, 1 M rows x 20 columns", inspected, grouped, 5)
