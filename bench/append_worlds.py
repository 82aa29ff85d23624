"""Publish random sequences by append, and compare every belief of somebody who keeps all releases with 1/l.

python bench/append_worlds.py [sequences, default 10,000] [first seed, default 0]
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from pathlib import Path

TESTS = Path(__file__).parents[1] / "tests"
sys.path.insert(0, str(TESTS))

from oracle.append.sequences import publish_sequence  # noqa: E402


def main(sequences: int = 10_000, first: int = 0) -> None:
    start, above, control, worst, events = time.process_time(), 0, 0, 0.0, Counter[str]()
    for seed in range(first, first + sequences):
        outcome = publish_sequence(seed)
        events += outcome.events
        control += outcome.without_leavers > outcome.bound
        worst = max(worst, float(outcome.belief / outcome.bound))
        if outcome.belief > outcome.bound:
            above += 1
            print(f"seed {seed}: belief {outcome.belief}, bound {outcome.bound}", flush=True)
        if (seed - first) % 500 == 499:
            print(f"{seed - first + 1} sequences, {above} above, {control} without leavers' seats", flush=True)
    print(f"{sequences} sequences, {above} above 1/l (worst: {worst:.3f} of the bound)")
    print(f"without the seats of leavers {control} would be above")
    print(", ".join(f"{name}: {number}" for name, number in sorted(events.items())))
    print(f"{time.process_time() - start:.0f} s of processor time")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
