"""Send random vectors of group sizes through MASK's channels, and compare every belief with 1/m, in fractions.

python bench/mask_worlds.py [vectors, default 2,000] [first seed, default 0]
"""

from __future__ import annotations

import sys
import time
from fractions import Fraction
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from oracle.mask.size_vectors import draw_sizes, find_belief


def main(vectors: int = 2000, first: int = 0) -> None:
    start, above, reached, worst = time.process_time(), 0, 0, Fraction(0)
    for seed in range(first, first + vectors):
        vector = draw_sizes(np.random.default_rng(seed))
        share = find_belief(vector) * vector.m
        above, reached, worst = above + (share > 1), reached + (share == 1), max(worst, share)
        if share > 1:
            print(f"seed {seed}: belief is {float(share):.4f} times 1/m: {vector}", flush=True)
    print(
        f"{vectors} vectors of sizes: {above} above 1/m, {reached} reach it exactly, largest belief {float(worst):.4f} "
        f"times 1/m, {time.process_time() - start:.0f} s of CPU time"
    )


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
