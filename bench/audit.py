"""CPU time of an audit with all attacks, relative to Mondrian's publish of the same table.

python bench/audit.py [rows, default 100,000]

Two tables of ten quasi-identifier columns: drawn at random, and the census with two more columns.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from statistics import median
from typing import Any

import numpy as np
import polars as pl
from clock import show
from tables import distinct_codes

import voile as vl


def cpu_seconds(work: Callable[..., Any], *arguments: Any) -> tuple[float, Any]:
    """Return the CPU time that a call takes, all threads included, and its result."""
    start = time.process_time()
    result = work(*arguments)
    return time.process_time() - start, result


def make_tables(rows: int) -> dict[str, tuple[pl.DataFrame, str]]:
    rng = np.random.default_rng(2)
    more = [pl.Series(f"more {size}", rng.integers(0, size, rows)) for size in (12, 5)]
    values = pl.Series("value", rng.integers(0, 20, rows)).cast(pl.String)
    drawn = distinct_codes(rows).with_columns(*more, values)
    return {"drawn": (drawn, "value"), "census": (vl.datasets.census(rows).with_columns(*more), "income")}


def main(rows: int) -> None:
    for name, (frame, sensitive) in make_tables(rows).items():
        quasi = [column for column in frame.columns if column != sensitive]
        data = vl.read(frame, vl.Schema(quasi=quasi, sensitive=[sensitive]))
        for model in (vl.KAnonymity(k=10), vl.LDiversity(l=5)):
            policy = vl.Policy(model)
            vl.audit(vl.publish(data, policy, vl.Mondrian()), data)  # compiles what is compiled once
            theirs, ours, audit = [], [], None
            for _ in range(5):  # what a release remembers must not count, so each has one audit
                spent, release = cpu_seconds(vl.publish, data, policy, vl.Mondrian())
                theirs.append(spent)
                spent, audit = cpu_seconds(vl.audit, release, data)
                ours.append(spent)
            assert audit is not None
            show(f"audit of {rows} x {len(quasi)}, {name}, {model.name} / publish", median(ours), median(theirs), 20)
            for note in audit.notes:
                print(f"  {note}")


main(int(sys.argv[1]) if len(sys.argv) > 1 else 100_000)
