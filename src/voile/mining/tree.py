"""A decision tree learned from perturbed classes, and the bins that its columns are cut into for the kernel."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from voile.kernels import lazy_module
from voile.mining.training import Training
from voile.releases.randomized_response import exact_fraction

kernel = lazy_module("voile.mining.kernel")

BINS = 255
# each side of a cut keeps at least MIN_ROWS perturbed rows or MIN_SHARE of all people, whichever is more
MIN_ROWS = 50
MIN_SHARE = 0.025
# a cut must gain this many times as much as noise does: about the best of a hundred meaningless cuts
NOISE_FACTOR = 12


@dataclass(frozen=True, eq=False)
class Feature:
    """How a column's values become bins: numbers and dates by their position in `bin_values`, categories by name."""

    name: str
    ranged: bool
    bin_values: Any

    @property
    def bins(self) -> int:
        return len(self.bin_values) + 1  # the last is for missing values

    def codes(self, column: pl.Series) -> np.ndarray:
        """Return the bin of each value; a category that training did not see is -1."""
        if not self.ranged:
            if isinstance(column.dtype, pl.Enum):  # few categories are looked up instead of many rows
                bins_of_categories = self._find_bins(column.dtype.categories)
                codes = np.append(bins_of_categories, -1)[column.to_physical().cast(pl.Int64).fill_null(-1).to_numpy()]
            else:
                codes = self._find_bins(column.cast(pl.String))
            return np.where(column.is_null(), len(self.bin_values), codes)
        numbers = _as_numbers(column)
        positions = np.minimum(np.searchsorted(self.bin_values, numbers), len(self.bin_values) - 1)
        return np.where(np.isnan(numbers), len(self.bin_values), positions)

    def _find_bins(self, texts: pl.Series) -> np.ndarray:
        numbers = np.arange(len(self.bin_values))
        bins = texts.replace_strict(self.bin_values, numbers, default=-1, return_dtype=pl.Int64)
        return bins.fill_null(-1).to_numpy()


def make_feature(column: pl.Series) -> Feature:
    """Choose the bins of a column: every value, or as many even parts as there is room for."""
    if column.dtype.is_numeric() or column.dtype in (pl.Date, pl.Datetime):
        numbers = np.unique(_as_numbers(column.drop_nulls()))
        if len(numbers) > BINS:
            numbers = np.unique(np.quantile(_as_numbers(column.drop_nulls()), np.linspace(0, 1, BINS), method="lower"))
        return Feature(column.name, True, numbers if len(numbers) else np.zeros(1))
    return Feature(column.name, False, column.cast(pl.String).drop_nulls().unique().sort().to_list())


def _as_numbers(column: pl.Series) -> np.ndarray:
    return column.to_physical().cast(pl.Float64).fill_null(float("nan")).to_numpy()


@dataclass(frozen=True, eq=False)
class Tree:
    """A grown tree: `decide` gives the class of each row of a table, `chances` the share of every class in its leaf."""

    features: tuple[Feature, ...]
    column: np.ndarray
    children: np.ndarray
    sides: np.ndarray
    counts: np.ndarray

    def __repr__(self) -> str:
        return f"Tree({int((self.column < 0).sum())} leaves on {len(self.features)} columns)"

    def chances(self, table: pl.DataFrame) -> np.ndarray:
        codes = np.stack([feature.codes(table[feature.name]) for feature in self.features], axis=1)
        people = self.counts.sum(axis=1)
        heavier_child = np.where(people[self.children[:, 0]] >= people[self.children[:, 1]], 0, 1)
        leaf = kernel.find_leaves(codes, self.column, self.children, self.sides, heavier_child)
        return np.asarray(self.counts[leaf] / people[leaf].reshape(-1, 1))

    def decide(self, table: pl.DataFrame) -> np.ndarray:
        return np.asarray(np.argmax(self.chances(table), axis=1))


def grow(training_set: Training, max_depth: int = 8, min_weight: float | None = None) -> Tree:
    """Learn a tree. Both sides of a cut keep `min_weight` people, by default a fortieth of them.

    If classes were perturbed, both sides keep at least the people of 50 rows, and a cut must gain more than noise does:
    the variance of a share estimated from N rows is at most 1/(4 p^2 N), so a meaningless cut gains the people of
    1/(2 p^2) rows on average.
    """
    features = tuple(make_feature(training_set.X[name]) for name in training_set.X.columns)
    codes = np.stack([feature.codes(training_set.X[feature.name]) for feature in features], axis=1)
    keep, total = float(exact_fraction(training_set.channel.keep)), float(training_set.weight.sum())
    people_per_row = total / max(len(training_set.weight), 1)
    least_people, min_gain = 1.0, 0.0
    if keep < 1:
        least_people = MIN_ROWS * people_per_row
        min_gain = NOISE_FACTOR * people_per_row / (2 * keep * keep) if keep else total
    min_people = max(least_people, MIN_SHARE * total) if min_weight is None else float(min_weight)
    bins = np.array([feature.bins for feature in features])
    ranged = np.array([feature.ranged for feature in features])
    shares = training_set.classes.shares
    weights = training_set.weight.astype(np.float64)
    nodes = kernel.grow(codes, training_set.y, weights, bins, ranged, keep, shares, max_depth, min_people, min_gain)
    return Tree(features, *nodes)
