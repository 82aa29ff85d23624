"""The members of each group by quasi-identifier, as an adversary who knows everybody sees them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from voile import kernels
from voile.tables.schema import Column


@dataclass(frozen=True, eq=False)
class Members:
    """The distinct quasi-identifier rows and, group after group, which of them occur and how often.

    Group g consists of `rows[starts[g]:starts[g+1]]`, which index `codes`; `counts` says how many people each of them
    stands for. `memo` caches what was computed about the members.
    """

    columns: tuple[Column, ...]
    codes: np.ndarray
    starts: np.ndarray
    rows: np.ndarray
    counts: np.ndarray
    memo: dict[Any, Any] = field(default_factory=dict, repr=False)

    @property
    def groups(self) -> int:
        return len(self.starts) - 1


def gather_members(
    columns: Sequence[Column], codes: Sequence[np.ndarray], group: np.ndarray, weights: np.ndarray, groups: int
) -> Members:
    """Gather the members from a row of codes and a group for each person, or for `weights` equal people."""
    sizes = [max(column.size, 1) for column in columns]
    index, first_rows = kernels.distinct_rows.rank_rows(list(codes), sizes)
    pairs, counts = kernels.distinct_rows.weigh_rows([group, index], [max(groups, 1), max(len(first_rows), 1)], weights)
    starts = np.searchsorted(pairs[:, 0], np.arange(groups + 1))
    table = np.stack([np.asarray(code)[first_rows] for code in codes], axis=1)
    return Members(tuple(columns), table, starts, pairs[:, 1].astype(np.int64), counts)
