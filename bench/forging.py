"""Forge release folders at random, and count those whose forgery verify does not notice.

python bench/forging.py [folders, default 20,000] [seed, default 0]

Every fourth folder of Parquet files is verified on the disk engine. A folder that takes more than ten
seconds of computing, or at which the worker says nothing for two minutes, counts as an escape.
"""

from __future__ import annotations

import multiprocessing
import sys
import tempfile
import time
from collections import Counter
from multiprocessing.connection import Connection
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from forging.honest_folders import publish_all
from forging.random_forgeries import Outcome, load_honest, run

import voile as vl

SECONDS = 120


def forge_folders(folders: dict[str, Path], first: int, last: int, seed: int, work: Path, pipe: Connection) -> None:
    """Send what became of each folder; None at the end."""
    for outcome in run(load_honest(folders), range(first, last), work, seed, vl.Disk()):
        pipe.send(outcome)
    pipe.send(None)


def watch(folders: dict[str, Path], count: int, seed: int, work: Path) -> list[Outcome]:
    """Run the worker, and start it again behind a folder at which it hangs or dies."""
    context, found, done = multiprocessing.get_context("spawn"), list[Outcome](), 0
    while done < count:
        ours, theirs = context.Pipe(duplex=False)
        worker = context.Process(target=forge_folders, args=(folders, done, count, seed, work, theirs), daemon=True)
        worker.start()
        theirs.close()
        patience = SECONDS
        try:
            while ours.poll(patience):
                outcome = ours.recv()
                if outcome is None:
                    done = count
                    break
                found.append(outcome)
                done = outcome.number + 1
                if outcome.escaped:
                    print(describe(outcome), flush=True)
            else:
                found.append(Outcome(done, "", (), "HANG", ()))
                print(f"{done}: HANG", flush=True)
                done += 1
        except EOFError:
            found.append(Outcome(done, "", (), "CRASH of the process", ()))
            print(f"{done}: CRASH of the process", flush=True)
            done += 1
        worker.kill()
        worker.join()
    return found


def describe(outcome: Outcome) -> str:
    changes = "\n    ".join(outcome.changes)
    return f"{outcome.number} {outcome.origin}: {outcome.answer}\n    {changes}\n    judge: {outcome.complaints[:3]}"


def main() -> None:
    count = int(sys.argv[1].replace(",", "")) if len(sys.argv) > 1 else 20_000
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    shared = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=shared if shared.is_dir() else None) as room:
        folders = publish_all(Path(room) / "honest")
        start = time.perf_counter()
        outcomes = watch(folders, count, seed, Path(room))
        seconds = time.perf_counter() - start
    answers = Counter(outcome.answer for outcome in outcomes)
    print(
        f"{len(outcomes)} forged folders in {seconds:.0f} s ({len(outcomes) / seconds:.0f} per second): {dict(answers)}"
    )
    print(f"escapes: {sum(outcome.escaped for outcome in outcomes)}")
    print(f"refused although the judge has no complaint: {sum(o.refused_without_complaint for o in outcomes)}")


if __name__ == "__main__":
    main()
