"""Spark: from Parquet to the saved, verified release on a standalone cluster with two one-core workers.

    python bench/spark.py [--linear]

The local engine does the same in the same run, as a process of its own. The start of the session is apart.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))
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
            # the straight line through the ends
            slope = (times[25_000_000] - times[1_000_000]) / 24_000_000
            middle = times[1_000_000] + slope * 4_000_000
            print({rows: round(one, 1) for rows, one in sorted(times.items())}, "seconds")
            print(f"5 million: {times[5_000_000] / middle - 1:+.0%} of the line through 1 and 25 million (bar 25 %)")


if __name__ == "__main__":
    main("--linear" in sys.argv)
