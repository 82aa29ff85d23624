"""SUDA2: minimal sets of columns on which a row is unique in the sample, and scores by how small the sets are.

A row that is unique on few columns stays unique in the population more often than one that needs many. Scores and
DIS-SUDA follow Elliot et al. and agree with sdcMicro's. Subsets of columns are visited by size; uniqueness is inherited
by supersets, so a set is minimal where no set with one column less is unique. O(rows * subsets).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from voile.flow.explore.uniqueness import CodedRows
from voile.result_tables import ResultTable

LARGEST_WORK = 2_000_000_000  # rows times subsets
DEFAULT_FRACTION = 0.01  # as in sdcMicro


@dataclass(frozen=True, eq=False)
class SpecialUniques(ResultTable):
    """The rows that are unique on a minimal set of columns.

    `scores` and `disclosure` (DIS-SUDA) have one number per row, in the order of the table unless rows of people were
    drawn, and are never printed. `contributions` is the share of the total score to which sets with a column contribute
    (several columns share a set, so they add up to more than 1), and `by_size[k]` counts the minimal sets of k columns.
    Sets of up to `depth` columns were visited.
    """

    columns: tuple[str, ...]
    depth: int
    fraction: float
    scores: np.ndarray
    disclosure: np.ndarray
    contributions: dict[str, float]
    by_size: dict[int, int]

    def __repr__(self) -> str:
        rows = int((self.scores > 0).sum())
        return f"SpecialUniques({rows:,} of {len(self.scores):,} rows, up to {self.depth} columns)"

    def _list_rows(self) -> list[dict[str, Any]]:
        return [{"column": name, "share of the scores": share} for name, share in self.contributions.items()]

    def as_json(self) -> dict[str, Any]:
        """Return the numbers that show nobody: no score of a single row."""
        return {
            "columns": list(self.columns),
            "depth": self.depth,
            "fraction": self.fraction,
            "rows": int((self.scores > 0).sum()),
            "worst_disclosure": float(self.disclosure.max(initial=0.0)),
            "mean_disclosure": float(self.disclosure.mean()) if len(self.disclosure) else 0.0,
            "contributions": self.contributions,
            "minimal_sets": {str(size): count for size, count in self.by_size.items()},
        }


def find_special_uniques(rows: CodedRows, names: Sequence[str], fraction: float | None = None) -> SpecialUniques:
    """Find the minimal sample uniques on up to as many columns as can be afforded, and score the rows."""
    fraction = DEFAULT_FRACTION if fraction is None else fraction
    width, depth = len(names), _choose_depth(len(rows), len(names))
    scores, parts = np.zeros(len(rows)), np.zeros((width, len(rows)))
    by_size: dict[int, int] = {}
    smaller: dict[tuple[int, ...], np.ndarray] = {(): np.packbits(np.zeros(len(rows), dtype=bool))}
    for size in range(1, depth + 1):
        value = math.prod(width - step for step in range(size, min(depth, width - 1) + 1))
        unique: dict[tuple[int, ...], np.ndarray] = {}
        for chosen in itertools.combinations(range(width), size):
            alone = np.packbits(rows.mark_alone([names[j] for j in chosen]))
            inherited = smaller[chosen[1:]].copy()
            for left_out in range(1, size):
                inherited |= smaller[chosen[:left_out] + chosen[left_out + 1 :]]
            unique[chosen] = alone | inherited
            minimal = np.flatnonzero(np.unpackbits(alone & ~inherited, count=len(rows)))
            by_size[size] = by_size.get(size, 0) + len(minimal)
            scores[minimal] += value
            for j in chosen:
                parts[j, minimal] += value
        smaller = unique
    total = scores.sum()
    contributions = {name: float(parts[j].sum() / total) if total else 0.0 for j, name in enumerate(names)}
    disclosure = _scale_to_disclosure(rows, names, scores, fraction)
    return SpecialUniques(tuple(names), depth, fraction, scores, disclosure, contributions, by_size)


def _choose_depth(rows: int, width: int) -> int:
    """Return how many columns a set may have: all of them, or as many as the work allows, but at least one."""
    depth, work = 1, rows * width
    while depth < width and work + rows * math.comb(width, depth + 1) <= LARGEST_WORK:
        depth += 1
        work += rows * math.comb(width, depth)
    return depth


def _scale_to_disclosure(rows: CodedRows, names: Sequence[str], scores: np.ndarray, fraction: float) -> np.ndarray:
    """Return DIS-SUDA: the chance that a unique match is correct, shared out over the rows by their scores."""
    sizes = rows.group_sizes(names)
    alone, pairs = int((sizes == 1).sum()), int((sizes == 2).sum())
    scored = scores > 0
    if not alone or not scored.any():
        return np.zeros(len(scores))
    correct = alone * fraction / (alone * fraction + pairs * (1 - fraction))
    power = 1 + (8 - len(names)) / 20
    powered = np.where(scored, scores, 1.0) ** power
    adjustment = float((1 / powered[scored]).sum())
    answer = 1 / (1 + (alone / correct - alone) / (powered * adjustment))
    return np.asarray(np.where(scored, answer, 0.0))
