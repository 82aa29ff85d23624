"""Who is in each group, by quasi-identifier: what an adversary who knows everybody sees."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from voile import kernels
from voile.tables.schema import Column


@dataclass(frozen=True, eq=False)
class Members:
    """Distinct quasi-identifier rows, and group after group which of them occur and how often.

    Group g has the people `rows[starts[g]:starts[g+1]]` (places in `codes`), their numbers beside them. `memo` keeps
    what was computed about them.
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


def gathered(
    columns: Sequence[Column], codes: Sequence[np.ndarray], group: np.ndarray, weights: np.ndarray, groups: int
) -> Members:
    """Members from one row of codes and a group for each person, or for `weights` people alike."""
    sizes = [max(column.size, 1) for column in columns]
    index, first = kernels.distinct_rows.rank_rows(list(codes), sizes)
    pairs, counts = kernels.distinct_rows.weigh_rows([group, index], [max(groups, 1), max(len(first), 1)], weights)
    starts = np.searchsorted(pairs[:, 0], np.arange(groups + 1))
    table = np.stack([np.asarray(code)[first] for code in codes], axis=1)
    return Members(tuple(columns), table, starts, pairs[:, 1].astype(np.int64), counts)
