"""Publish random tiny tables by capped counts, and compare every belief in every world with its bound.

python bench/robust_worlds.py [tables, default 6,000] [first seed, default 0]
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "helpers"))

from robust_worlds import draw_table, predict_outputs, worst_excess


def main(tables: int = 6000, first: int = 0) -> None:
    start, worst, outputs, refused = time.perf_counter(), -1.0, 0, 0
    for seed in range(first, first + tables):
        rng = np.random.default_rng(seed)
        table = draw_table(rng)
        worlds = predict_outputs(table, 2, rng)
        excess, number = worst_excess(table, worlds)
        worst, outputs = max(worst, excess), outputs + number
        refused += any(isinstance(shown, str) for shown in worlds.values())
        if excess > 1e-9:
            print(f"seed {seed}: a belief exceeds its bound by {excess:.4f}", flush=True)
    took = time.perf_counter() - start
    print(f"{tables} tables, {outputs} outputs, {refused} tables refused, worst excess {worst:.1e}, {took:.0f} s")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
