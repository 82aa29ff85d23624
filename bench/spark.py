"""Spark: from Parquet to the saved, verified release on a standalone cluster with two one-core workers.

    python bench/spark.py [--linear]

The local engine does the same in the same run, as a process of its own. The start of the session is apart.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from scipy.optimize import linprog

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "helpers"))
from clock import show
from cluster import cluster, session
from disk import QUASI, made, timed

import voile as vl


def published(spark: object, path: Path, out: Path, watch: bool = False) -> float:
    began = last = time.perf_counter()

    def told(what: str, done: int, total: int) -> None:
        nonlocal last
        now = time.perf_counter()
        if watch:
            print(f"    {what}: {now - last:.2f} s, {total} parts")
        last = now

    data = vl.read(path, vl.Schema(quasi=QUASI), engine=vl.Spark(session=spark, watch=told))
    release = vl.publish(data, vl.KAnonymity(k=10))
    release.save(out, force=True)
    if watch:
        print(f"    write: {time.perf_counter() - last:.2f} s")
    return time.perf_counter() - began


def main(linear: bool) -> None:
    with tempfile.TemporaryDirectory() as folder, cluster() as found:
        small, tiny, out = Path(folder) / "5m.parquet", Path(folder) / "tiny.parquet", Path(folder) / "out"
        made(small, 5_000_000)
        made(tiny, 1_100_000)
        local, _ = timed(small, out, "local")
        spark = session(found.url, **{"spark.executor.instances": "2"})
        published(spark, tiny, out)  # workers started, kernels loaded
        seconds = published(spark, small, out, watch=True)
        show("5 million rows on two workers against one process", seconds, local, 5)
        if linear:
            times = {5_000_000: seconds}
            for rows in (1_000_000, 25_000_000):
                made(small, rows)
                times[rows] = published(spark, small, out)
            print({rows: round(one, 1) for rows, one in sorted(times.items())}, "seconds")
            off = max(abs(part) for part in _off_line(times).values())
            print(f"farthest from the best straight line: {off:.0%} (bar 25 %), {_off_line(times)}")


def _off_line(times: dict[int, float]) -> dict[int, float]:
    """How far each time is from the straight line that keeps the greatest relative distance least."""
    rows = np.array(sorted(times), dtype=float)
    seconds = np.array([times[int(one)] for one in rows])
    # least t with |a + b x - y| <= t y
    weights = np.stack([np.ones_like(rows), rows, -seconds], axis=1)
    below = np.stack([-np.ones_like(rows), -rows, -seconds], axis=1)
    free = [(None, None), (None, None), (0, None)]
    found = linprog([0, 0, 1], np.concatenate([weights, below]), np.concatenate([seconds, -seconds]), bounds=free)
    line = found.x[0] + found.x[1] * rows
    return {int(x): round(float(part), 3) for x, part in zip(rows, seconds / line - 1, strict=True)}


if __name__ == "__main__":
    main("--linear" in sys.argv)
