"""Publish random tiny tables by accounted cuts, and compare every belief in every world with its bound.

python bench/accounted_worlds.py [tables, default 2,000] [first seed, default 0]
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from oracle.accounted_cuts.worlds import check_worlds, draw_table


def main(tables: int = 2000, first: int = 0) -> None:
    start, worst, outputs, refused, coins = time.process_time(), -1.0, 0, 0, 0
    for seed in range(first, first + tables):
        table = draw_table(np.random.default_rng(seed))
        check = check_worlds(table)
        worst, outputs = max(worst, check.excess), outputs + check.outputs
        refused, coins = refused + check.refused, coins + check.coins
        if check.excess > 1e-9:
            print(f"seed {seed}: a belief exceeds its bound by {check.excess:.4f}: {table}", flush=True)
    print(
        f"{tables} tables, {outputs} outputs, {refused} tables refused, {coins} with coins, worst excess {worst:.1e}, "
        f"{time.process_time() - start:.0f} s of CPU time"
    )


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
