"""What clusters lose, and how long they take against Mondrian: CPU time of both in one process.

    python bench/cluster.py                 # Adult and a million rows
    python bench/cluster.py FOLDER          # also Census-Income (see bench/population.py for the folder)

The loss is the mean certainty penalty of all cells (GCP). Adult is the training part, 30,162 rows, 8 columns.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
from clock import show
from population import COLUMNS, read_census
from tables import ADULT, QUASI, adult, distinct_codes

import voile as vl
from voile.tables.microdata import Microdata

KEY = vl.Key(bytes(32))
K5, K10 = vl.Policy(vl.KAnonymity(k=5)), vl.Policy(vl.KAnonymity(k=10))
DIVERSE = vl.Policy(vl.KAnonymity(k=5), vl.LDiversity(l=2, form="distinct"))
CENSUS_ROWS = 199_523  # the training part


def time_cpu(work: Callable[[], Any]) -> tuple[float, Any]:
    started = time.process_time()
    result = work()
    return time.process_time() - started, result


def compare_methods(
    title: str, data: Microdata, policy: vl.Policy, bars: tuple[float | None, float], runs: int
) -> None:
    """Publish by both methods; print the loss of cluster and the ratio of CPU times, with their bars."""
    plain, theirs = min(
        (time_cpu(lambda: vl.publish(data, policy, vl.Mondrian(), key=KEY)) for _ in range(runs)), key=lambda x: x[0]
    )
    took, ours = time_cpu(lambda: vl.publish(data, policy, vl.Cluster(), key=KEY))
    loss, other = (vl.measure(data, release, [vl.measures.Certainty()]).items[0].value for release in (ours, theirs))
    bar, times = bars
    verdict = "" if bar is None else f", bar {bar}: {'ok' if loss <= bar else 'MISSED'}"
    print(f"{title}: GCP {loss:.5f} against Mondrian's {other:.5f}{verdict}")
    show(f"  {title}, CPU", took, plain, times)
    sys.stdout.flush()


def main() -> None:
    if ADULT.exists():
        frame = adult().select(*QUASI, "salary-class")
        schema = vl.Schema(quasi=QUASI, sensitive=["salary-class"])
        warm, data = vl.read(frame.head(2000), schema), vl.read(frame, schema)
        for policy in (K5, K10, DIVERSE):
            vl.publish(warm, policy, vl.Mondrian(), key=KEY)
            vl.publish(warm, policy, vl.Cluster(), key=KEY)
        compare_methods("Adult, k=5", data, K5, (0.0175, 60), 5)
        compare_methods("Adult, k=10", data, K10, (0.035, 60), 5)
        compare_methods("Adult, k=5 and distinct 2-diversity", data, DIVERSE, (0.040, 60), 5)
    for folder in sys.argv[1:]:
        census = read_census(Path(folder)).head(CENSUS_ROWS)
        table = census.select([census.columns[place] for place in COLUMNS["8"]])
        table = table.with_columns(pl.col(table.columns[0]).cast(pl.Int64))
        data = vl.read(table, vl.Schema(quasi=table.columns))
        compare_methods("Census-Income, 8 columns, k=5", data, K5, (0.0066, 60), 3)
    million = distinct_codes(1_000_000)
    data = vl.read(million, vl.Schema(quasi=million.columns))
    compare_methods("a million rows, k=5", data, K5, (None, 30), 2)


if __name__ == "__main__":
    main()
