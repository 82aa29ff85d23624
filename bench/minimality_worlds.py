"""Compare the minimality attack on random small releases with the belief that publishing every world again gives.

python bench/minimality_worlds.py [releases, default 500] [first seed, default 0]
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "helpers"))

from minimality_worlds import exhaust_beliefs, largest_difference, random_release

import voile as vl


def main(releases: int = 500, seed: int = 0) -> None:
    start, worst, methods = time.perf_counter(), 0.0, Counter[str]()
    while methods.total() < releases:
        case = random_release(seed)
        if case is not None:
            truth = exhaust_beliefs(case)
            explains = case.method in (vl.Mondrian(), vl.FullDomain())
            ways = (5000, 0) if explains else (5000,)  # without running it again: from what it refused
            difference = max(largest_difference(case, truth, replays) for replays in ways)
            worst = max(worst, difference)
            methods[repr(case.method)] += 1
            if difference > 1e-9:
                print(f"seed {seed}: {case.method}, {case.policy}: off by {difference:.4f}", flush=True)
        seed += 1
    took = time.perf_counter() - start
    print(f"{releases} releases, largest difference {worst:.1e}, {took:.0f} s; {dict(methods)}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
