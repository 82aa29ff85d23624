"""From a CSV of 5 million rows to the saved, verified release, against polars reading, grouping and writing a CSV."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import polars as pl
from clock import peak_gib, show
from tables import ADULT, QUASI, bootstrapped_adult, distinct_codes

import voile as vl


def time_polars(path: Path, quasi: list[str]) -> float:
    start = time.perf_counter()
    frame = pl.read_csv(path)
    frame.group_by(quasi).len().write_csv(path.with_suffix(".grouped.csv"))
    return time.perf_counter() - start


def time_voile(path: Path, quasi: list[str], sensitive: str, steps: bool = False) -> float:
    out = path.with_suffix(".release")
    shutil.rmtree(out, ignore_errors=True)
    marks = [time.perf_counter()]
    data = vl.read(path, vl.Schema(quasi=quasi, sensitive=[sensitive]))
    marks.append(time.perf_counter())
    release = vl.publish(data, vl.Policy(vl.KAnonymity(k=10)), vl.Mondrian())
    marks.append(time.perf_counter())
    release.save(out)
    marks.append(time.perf_counter())
    assert vl.verify(out).holds
    marks.append(time.perf_counter())
    if steps:
        names = ("read", "publish", "save", "verify")
        print("  " + ", ".join(f"{n} {b - a:.2f} s" for n, a, b in zip(names, marks, marks[1:], strict=False)))
    return marks[-1] - marks[0]


def compare(name: str, frame: pl.DataFrame, quasi: list[str], sensitive: str, folder: Path) -> None:
    path = folder / f"{name}.csv"
    frame.write_csv(path)
    del frame
    theirs = min(time_polars(path, quasi) for _ in range(2))
    best = min(time_voile(path, quasi, sensitive, steps=True) for _ in range(2))
    show(f"CSV to verified release, {name} / polars read + group + write", best, theirs, 3)


def main(rows: int, which: str) -> None:
    with tempfile.TemporaryDirectory() as place:
        if which == "distinct":
            frame = distinct_codes(rows)
            frame = frame.with_columns((pl.int_range(pl.len()) % 23).alias("s"))
            compare("distinct", frame, frame.columns[:8], "s", Path(place))
        elif which == "census":
            frame = vl.datasets.census(rows)
            compare("census", frame, frame.columns[:8], "income", Path(place))
        elif ADULT.exists():
            compare("adult", bootstrapped_adult(rows), QUASI, "salary-class", Path(place))
    print(f"peak memory of this process {peak_gib():.2f} GiB, bar 6")


if len(sys.argv) > 2:
    main(int(sys.argv[1]), sys.argv[2])
else:
    for which in ("distinct", "census", "adult"):  # one process each, so that each has its own peak memory
        subprocess.run([sys.executable, __file__, sys.argv[1] if len(sys.argv) > 1 else "5000000", which], check=True)
