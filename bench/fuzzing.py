"""Random inputs for the command line: documented exit codes, no cell in an output, no half release, no long wait.

python bench/fuzzing.py [inputs, default 20,000] [first seed, default 0] [kinds, default all, e.g. csv,spec]

Inputs are drawn by tests/fuzz: tables, databases, specs, hierarchies, priors, ledgers, flags. Folders are mutated by
bench/forging.py, zips by the tests of the workbench. A finding is printed with its seed; keep it as a case of
tests/fuzz/test_findings.py.
"""

from __future__ import annotations

import collections
import os
import select
import subprocess
import sys
import time
from pathlib import Path

TESTS = Path(__file__).parents[1] / "tests"
PATIENCE = 120.0  # seconds until a call that does not answer is killed; a finding is more than 10 s of computing


def work(kinds: list[str]) -> None:
    """Answer every seed on the input with what is wrong about it."""
    from fuzz.calls import try_input
    from fuzz.odd_inputs import draw_input

    with os.fdopen(os.dup(1), "w", encoding="utf-8", errors="replace") as answers:
        for line in sys.stdin:
            drawn = draw_input(int(line), kinds)
            print(drawn.kind, try_input(drawn).replace("\n", " "), sep="\t", file=answers, flush=True)


def start_worker(kinds: list[str]) -> subprocess.Popen[str]:
    environment = {**os.environ, "PYTHONPATH": f"{TESTS}:{os.environ.get('PYTHONPATH', '')}"}
    command = [sys.executable, "-W", "ignore", __file__, "work", ",".join(kinds)]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment)


def ask(worker: subprocess.Popen[str], seed: int, patience: float) -> str | None:
    """Return the answer for a seed; None if there is none in time."""
    assert worker.stdin is not None
    assert worker.stdout is not None
    worker.stdin.write(f"{seed}\n")
    worker.stdin.flush()
    ready, _, _ = select.select([worker.stdout], [], [], patience)
    return worker.stdout.readline() if ready else None


def fuzz(inputs: int, first: int, kinds: list[str]) -> int:
    """Try many inputs; print every finding and return their number."""
    begin, findings = time.perf_counter(), 0
    counts: collections.Counter[str] = collections.Counter()
    worker, is_new = start_worker(kinds), True
    for seed in range(first, first + inputs):
        answer = ask(worker, seed, PATIENCE * (6 if is_new else 1))  # the first call compiles
        is_new = False
        kind, _, fault = (answer or "").rstrip("\n").partition("\t")
        if not kind:
            fault = "no answer" if answer is None else "the process died"
            worker.kill()
            worker.wait()
            worker, is_new = start_worker(kinds), True
        counts[kind or "lost"] += 1
        if fault:
            findings += 1
            print(f"seed {seed} ({kind or 'lost'}): {fault}", flush=True)
    worker.kill()
    worker.wait()
    seconds = time.perf_counter() - begin
    print(f"{inputs:,} inputs in {seconds:.0f} s, {findings} findings; {dict(sorted(counts.items()))}")
    return findings


if __name__ == "__main__":
    arguments = sys.argv[1:]
    if arguments[:1] == ["work"]:
        work(arguments[1].split(","))
    else:
        sys.path.insert(0, str(TESTS))
        from fuzz.odd_inputs import KINDS

        chosen = arguments[2].split(",") if len(arguments) > 2 else list(KINDS)
        numbers = [int(text.replace(",", "")) for text in arguments[:2]]
        raise SystemExit(min(fuzz(*(numbers + [20_000, 0][len(numbers) :]), chosen), 1))
