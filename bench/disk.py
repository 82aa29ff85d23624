"""Tables larger than memory on one machine: time and resident memory against the in-memory run.

    python bench/disk.py [rows, default 50,000,000]

Each run is a process of its own, so that its peak is its own.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path

import polars as pl
from clock import peak_gib, show
from tables import distinct_codes

import voile as vl

QUASI = [f"c{number}" for number in range(8)]


def made(path: Path, rows: int) -> None:
    """Codes of a census, five million at a time."""
    lots = [distinct_codes(min(5_000_000, rows - start)) for start in range(0, min(rows, 5_000_000), 5_000_000)]
    many = -(-rows // 5_000_000)
    base = lots[0].lazy()
    pl.concat([base.with_columns((pl.col("c0") + 7 * number) % 74) for number in range(many)]).head(rows).sink_parquet(
        path, row_group_size=1 << 20
    )


def run(path: Path, out: Path, engine: str) -> None:
    schema = vl.Schema(quasi=QUASI)
    small = vl.publish(vl.read(distinct_codes(20_000), schema), vl.KAnonymity(k=10))  # compiled before the clock runs
    assert small.people
    began = time.perf_counter()
    data = vl.read(path, schema, engine=vl.Disk() if engine == "disk" else None)
    vl.publish(data, vl.KAnonymity(k=10)).save(out, force=True)
    print(time.perf_counter() - began, peak_gib())


def timed(path: Path, out: Path, engine: str) -> tuple[float, float]:
    command = [sys.executable, __file__, "run", str(path), str(out), engine]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    seconds, peak = done.stdout.split()[-2:]
    return float(seconds), float(peak)


def main(rows: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        small, large, out = Path(folder) / "5m.parquet", Path(folder) / "large.parquet", Path(folder) / "out"
        made(small, 5_000_000)
        made(large, rows)
        memory, peak = timed(small, out, "local")
        print(f"5 million rows in memory: {memory:.2f} s, peak {peak:.2f} GiB")
        seconds, peak = timed(small, out, "disk")
        print(f"5 million rows on disk: {seconds:.2f} s, peak {peak:.2f} GiB")
        seconds, peak = timed(large, out, "disk")
        show(f"{rows} rows on disk", seconds, memory, 15)
        show("resident", peak, 1, 6, "GiB")
        began = time.perf_counter()
        assert vl.verify(out, engine=vl.Disk()).holds
        print(f"verified again by a stranger: {time.perf_counter() - began:.1f} s")


if __name__ == "__main__":
    if sys.argv[1:2] == ["run"]:
        run(Path(sys.argv[2]), Path(sys.argv[3]), sys.argv[4])
    else:
        main(int(sys.argv[1]) if len(sys.argv) > 1 else 50_000_000)
