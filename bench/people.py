"""People with several rows: what telling them apart costs, and random tables of events, recounted with the ids.

python bench/people.py [rows, default 5,000,000]   against the same table without a column of persons
python bench/people.py fuzz [tables, default 100,000] [first seed, default 0]
"""

from __future__ import annotations

import shutil
import statistics
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import polars as pl
from clock import peak_gib, show

import voile as vl

ROWS_PER_PERSON = 5
RUNS = 3


def write_events(path: Path, rows: int) -> list[str]:
    """Write a census whose rows belong to a fifth as many people; return its columns without the person."""
    frame = vl.datasets.census(rows)
    person = np.random.default_rng(1).permutation(rows) // ROWS_PER_PERSON
    frame.with_columns(pl.Series("patient", person)).write_parquet(path)
    return frame.columns


def time_steps(path: Path, schema: vl.Schema, k: int) -> dict[str, float]:
    """Time each step from the file to the verified release."""
    out = path.with_suffix(".release")
    shutil.rmtree(out, ignore_errors=True)
    marks = [time.perf_counter()]
    data = vl.read(path, schema)
    marks.append(time.perf_counter())
    release = vl.publish(data, vl.KAnonymity(k=k), vl.Mondrian())
    marks.append(time.perf_counter())
    release.save(out)
    marks.append(time.perf_counter())
    assert vl.verify(out).holds
    marks.append(time.perf_counter())
    steps = dict(zip(("read", "publish", "save", "verify"), np.diff(marks).tolist(), strict=True))
    return {**steps, "all": marks[-1] - marks[0]}


def compare(rows: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "events.parquet"
        names = write_events(path, rows)
        roles = {"quasi": names[:8], "sensitive": ["income"]}
        people = vl.Schema(**roles, person="patient", rows_per_person=ROWS_PER_PERSON)
        requests = {
            "people": (people, 10),
            "rows": (vl.Schema(**roles), 10),
            "rows in groups as large as those of people": (vl.Schema(**roles), 10 * ROWS_PER_PERSON),
        }
        small = Path(folder) / "small.parquet"
        write_events(small, 20_000)
        for schema, k in requests.values():  # compiled before the clock runs
            time_steps(small, schema, k)
        times: dict[str, list[dict[str, float]]] = {name: [] for name in requests}
        for run in range(RUNS):
            for name in list(requests) if run % 2 else list(requests)[::-1]:
                times[name].append(time_steps(path, *requests[name]))
                print(f"  {name}: " + ", ".join(f"{step} {spent:.2f} s" for step, spent in times[name][-1].items()))
        medians = {
            name: {step: statistics.median(run[step] for run in runs) for step in runs[0]}
            for name, runs in times.items()
        }
        for other in list(requests)[1:]:
            for step, spent in medians["people"].items():
                show(
                    f"{rows} rows of {rows // ROWS_PER_PERSON} people / {other}, {step}",
                    spent,
                    medians[other][step],
                    1.3,
                )
    print(f"peak memory {peak_gib():.2f} GiB")


def fuzz(tables: int, first: int = 0) -> None:
    """Publish random tables of events and recount each with the ids; every second one is tiny, and enumerated."""
    tests = Path(__file__).resolve().parents[1] / "tests"
    sys.path[:0] = [str(tests), str(tests / "helpers")]
    from event_recount import recount
    from event_tables import random_request

    published, faults, began = [0, 0], 0, time.perf_counter()
    for seed in range(first, first + tables):
        tiny = seed % 2
        try:
            published[tiny] += recount(random_request(seed, bool(tiny)), bool(tiny))
        except Exception as error:  # count every fault, and go on
            faults += 1
            print(f"seed {seed}, {'tiny' if tiny else 'ordinary'}: {type(error).__name__}: {error}", flush=True)
        done = seed - first + 1
        if done % 1000 == 0 or done == tables:
            spent = time.perf_counter() - began
            kinds = f"{published[0]} ordinary and {published[1]} tiny published"
            print(f"{done} tables, {kinds}, {faults} faults, {spent:.0f} s", flush=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["fuzz"]:
        fuzz(*(int(number.replace(",", "")) for number in (*sys.argv[2:], "100000")[: max(1, len(sys.argv) - 2)]))
    else:
        compare(int(sys.argv[1]) if len(sys.argv) > 1 else 5_000_000)
