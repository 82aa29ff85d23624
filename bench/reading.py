"""Read a CSV of a million rows with `vl.read`, against `polars.read_csv` of the same file (CPU time, aim 2).

Reading checks every byte, so that the file is read alike by every parser, and codes every column; polars does neither.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import polars as pl
from clock import show
from tables import bootstrapped_adult, distinct_codes

import voile as vl

ROWS = 1_000_000


def cpu(work: Callable[[], Any], runs: int = 7) -> float:
    """Return the least CPU time of some runs, over all threads."""
    times = []
    for _ in range(runs):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        for what, table in (("8 integers", distinct_codes(ROWS)), ("8 texts, 1 integer", bootstrapped_adult(ROWS))):
            path = Path(place) / "table.csv"
            table.write_csv(path)
            schema = vl.Schema(quasi=table.columns[:-1], sensitive=table.columns[-1:])
            theirs = cpu(partial(pl.read_csv, path))
            ours = cpu(partial(vl.read, path, schema))
            show(f"read, 1 M rows x {what}", ours, theirs, 2)
