"""CPU time of verify on folders of a million rows, by method and format; with another source tree, the ratio to it.

python bench/verify.py [rows, default 1,000,000] [src folder of another version]

Both versions publish their own folders with the same key and verify them in turn, each in a process of its own.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROUNDS = 7
FOLDERS = ("mondrian.parquet", "mondrian.csv", "anatomy.parquet", "anatomy.csv")

WORK = """
import sys, time
from pathlib import Path
import voile as vl

room, rows = Path(sys.argv[1]), int(sys.argv[2])
frame = vl.datasets.census(rows)
data = vl.read(frame, vl.Schema(quasi=frame.columns[:8], sensitive=["income"]))
requests = {"mondrian": (vl.KAnonymity(k=10), vl.Mondrian()), "anatomy": (vl.LDiversity(l=10), vl.Anatomy())}
for name, (model, method) in requests.items():
    release = vl.publish(data, vl.Policy(model), method, key=vl.Key(bytes(32)))
    for form in ("parquet", "csv"):
        release.save(room / f"{name}.{form}", format=form)
        assert vl.verify(room / f"{name}.{form}").holds  # compiles what is compiled once
del frame, data, release
print("ready", flush=True)
for line in sys.stdin:
    start = time.process_time()
    assert vl.verify(room / line.strip()).holds
    print(time.process_time() - start, flush=True)
"""


def start_worker(source: Path, room: Path, rows: int) -> subprocess.Popen[str]:
    """Start a process that publishes the folders with one version, and then verifies those that it is asked for."""
    room.mkdir()
    command = [sys.executable, "-W", "ignore", "-c", WORK, str(room), str(rows)]
    environment = {**os.environ, "PYTHONPATH": str(source)}
    worker = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment)
    assert worker.stdout is not None
    if worker.stdout.readline() != "ready\n":
        raise SystemExit(f"The version in {source} cannot publish the folders.")
    return worker


def ask(worker: subprocess.Popen[str], folder: str) -> float:
    assert worker.stdin is not None
    assert worker.stdout is not None
    worker.stdin.write(f"{folder}\n")
    worker.stdin.flush()
    return float(worker.stdout.readline())


def main(rows: int, sources: list[Path]) -> None:
    with tempfile.TemporaryDirectory() as place:
        workers = [start_worker(source, Path(place) / str(number), rows) for number, source in enumerate(sources)]
        for folder in FOLDERS:
            seconds = [[ask(worker, folder) for worker in workers] for _ in range(ROUNDS)]
            medians = [statistics.median(column) for column in zip(*seconds, strict=True)]
            ratio = f", ratio {medians[0] / medians[1]:.2f}" if len(medians) > 1 else ""
            print(f"verify {folder:17} {', '.join(f'{median:.3f}' for median in medians)} CPU s{ratio}", flush=True)
        for worker in workers:
            worker.kill()
            worker.wait()


if __name__ == "__main__":
    here = Path(__file__).parents[1] / "src"
    main(
        int(sys.argv[1].replace(",", "")) if len(sys.argv) > 1 else 1_000_000,
        [here, *(Path(text) for text in sys.argv[2:3])],
    )
