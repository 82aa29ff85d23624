"""The sampling of the paper, for comparison: each group that shows too much imitates another one that passes.

It takes over the shares of the protected values of a group that passes, drawn evenly. An adversary who knows this sees
a group and asks how likely it is to be an imitator; groups near 1/l are imitated too often, and belief exceeds 1/l.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from voile.errors import Unsatisfiable
from voile.kernels import lazy_module
from voile.tables.group_counts import Counts
from voile.tables.row_protocol import Rows

kernel = lazy_module("voile.methods.mask.kernel")


@dataclass(frozen=True, eq=False)
class GroupShares:
    """How often each protected value occurs in each group, as entries (owner, value, count)."""

    sizes: np.ndarray
    owner: np.ndarray
    value: np.ndarray
    count: np.ndarray
    l: int  # noqa: E741 - the letter of the literature

    @property
    def passes(self) -> np.ndarray:
        """Whether each group passes: no protected value covers more than 1/l of it."""
        good = np.ones(len(self.sizes), dtype=bool)
        good[self.owner[self.count * self.l > self.sizes[self.owner]]] = False
        return good


def imitate_groups(rows: Rows, counts: Counts, is_protected: np.ndarray, l: int) -> Rows:  # noqa: E741
    """Change the values of a column in the groups that fail, so that each imitates a group that passes."""
    assert counts.column is not None
    name = counts.column.name
    inside = is_protected[counts.values]
    shares = GroupShares(counts.sizes, counts.owner[inside], counts.values[inside], counts.counts[inside], l)
    passes = shares.passes
    if not passes.any():
        best = f"Raise k, e.g. to {2 * int(counts.sizes.min())}, or protect fewer values."
        raise Unsatisfiable(
            f"No group can be imitated: none of {len(counts.sizes)} groups keeps every protected value of {name!r} at "
            f"or below 1/{l}.",
            code="unsatisfiable.mask",
            hint=best,
            best=best,
        )
    groups, passing = np.flatnonzero(~passes), np.flatnonzero(passes)
    models = passing[rows.key.draw_below(f"mask {name}", len(passing), len(groups)).astype(np.int64)]
    starts = np.concatenate([[0], np.cumsum(np.diff(counts.starts)[groups])])
    entries = np.arange(starts[-1]) - np.repeat(starts[:-1] - counts.starts[groups], np.diff(starts))
    coins = rows.key.stream(f"mask {name}, values", rows.groups)[groups]
    goals = _set_goals(shares, groups, models)
    totals = np.bincount(counts.values, weights=counts.counts, minlength=len(is_protected)).astype(np.int64)
    if not totals[~is_protected].any():  # nobody has an unprotected value
        totals[:] = 1
    moves = kernel.change_values(
        starts, counts.values[entries], counts.counts[entries], *goals, is_protected, totals, coins
    )
    return rows.revalue(name, groups[moves[:, 0]], moves[:, 1], moves[:, 2], np.ones(len(moves), np.int64))


def _set_goals(
    shares: GroupShares, groups: np.ndarray, models: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return how often each protected value should occur in each imitating group: where its goals start, the values,
    and their counts."""
    starts = np.searchsorted(shares.owner, np.arange(len(shares.sizes) + 1))
    lengths = np.diff(starts)[models]
    ends = np.concatenate([[0], np.cumsum(lengths)])
    entries = np.arange(ends[-1]) - np.repeat(ends[:-1] - starts[models], lengths)
    size, model_size = np.repeat(shares.sizes[groups], lengths), np.repeat(shares.sizes[models], lengths)
    return ends, shares.value[entries], shares.count[entries] * size // model_size
