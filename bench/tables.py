"""Tables for the benchmarks: the same size always gives the same rows, and nothing is downloaded."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl

ADULT = Path(__file__).resolve().parents[2] / "shared" / "data" / "adult.csv"
HIERARCHIES = ADULT.parent / "hierarchies"
QUASI = ["age", "workclass", "education", "marital-status", "occupation", "race", "sex", "native-country"]


def distinct_codes(rows: int) -> pl.DataFrame:
    """Return eight columns of codes with the domain sizes of a census; nearly all rows are distinct."""
    rng = np.random.default_rng(1)
    sizes = [74, 2, 17, 57, 50, 9, 8, 6]
    return pl.DataFrame({f"c{i}": rng.integers(0, size, rows).astype(np.int32) for i, size in enumerate(sizes)})


def adult(rows: int | None = 30_162) -> pl.DataFrame:
    """Return the complete rows of UCI Adult's training part (the first 30,162 of the file), or all rows."""
    frame = pl.read_csv(ADULT)
    return frame.head(rows) if rows else frame


def bootstrapped_adult(rows: int) -> pl.DataFrame:
    """Return Adult drawn with replacement, with jitter: few distinct rows (about 317 thousand of 5 million)."""
    rng = np.random.default_rng(1)
    frame = adult(None).select([*QUASI, "salary-class"])[rng.integers(0, 45_222, rows)]
    age = (frame["age"] + pl.Series(rng.integers(-12, 13, rows))).clip(17, 90)
    flip = pl.Series(rng.random(rows) < 0.03)
    other = frame["workclass"].gather(rng.permutation(rows))
    return frame.with_columns(
        age.alias("age"),
        pl.select(pl.when(flip).then(other).otherwise(frame["workclass"])).to_series().alias("workclass"),
    )


def as_codes(frame: pl.DataFrame) -> pl.DataFrame:
    """Return every column as int32 codes in the order of its values."""
    return frame.select(pl.all().rank("dense").cast(pl.Int32) - 1)
