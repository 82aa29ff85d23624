"""A large table is published part by part: a tree of even cuts along the quasi-identifier, decided on counts alone.

A part is a box of the quasi-identifier space with at most LARGEST_PART people, as far as cuts allow. Every engine
makes the same cuts from the same counts, so that a table in memory, on disk or on a cluster gives the same release;
and a method that works on one part at a time never needs more memory than that part does.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from voile import kernels

LARGEST_PART = 1 << 20  # people in a part, at most: large enough to lose nothing, small enough for one task


@dataclass(frozen=True, eq=False)
class PartitionTree:
    """Cuts by columns of codes. `names` are the columns, `ranks` the cutting order of each, `column`, `cut` and `left`
    the tree as kernels.divide reads it, `people` the number of people at every node. `totals` says how often each value
    of the counted sensitive columns occurs in the whole table."""

    names: tuple[str, ...]
    ranks: tuple[np.ndarray, ...]
    column: np.ndarray
    cut: np.ndarray
    left: np.ndarray
    people: np.ndarray
    totals: Mapping[str, np.ndarray] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"PartitionTree({len(self.leaves)} parts by {', '.join(self.names)})"

    @cached_property
    def leaves(self) -> np.ndarray:
        """The nodes that are parts, from left to right."""
        leaves, stack = [], [0]
        while stack:
            node = stack.pop()
            if self.column[node] < 0:
                leaves.append(node)
            else:
                stack += [int(self.left[node]) + 1, int(self.left[node])]
        return np.array(leaves)

    @cached_property
    def part(self) -> np.ndarray:
        """The number of the part that each node is, or -1 if the node is not a part."""
        part = np.full(len(self.column), -1)
        part[self.leaves] = np.arange(len(self.leaves))
        return part

    @cached_property
    def boxes(self) -> list[dict[str, np.ndarray]]:
        """The codes of each column that each part may hold, as masks. The boxes tile the space."""
        masks: dict[int, list[np.ndarray]] = {0: [np.ones(len(rank), dtype=bool) for rank in self.ranks]}
        for node in range(len(self.column)):
            if self.column[node] >= 0:
                j, child = int(self.column[node]), int(self.left[node])
                low = self.ranks[j] <= self.cut[node]
                for side, half in ((child, low), (child + 1, ~low)):
                    masks[side] = [mask & half if i == j else mask for i, mask in enumerate(masks[node])]
        return [dict(zip(self.names, masks[int(leaf)], strict=True)) for leaf in self.leaves]

    def nodes(self, names: Sequence[str], codes: np.ndarray) -> np.ndarray:
        """Find the leaf that each row of codes belongs to."""
        positions = np.array([list(names).index(name) for name in self.names], dtype=np.int64)
        offset = np.concatenate([[0], np.cumsum([len(rank) for rank in self.ranks])]).astype(np.int64)
        ranks = np.concatenate([*self.ranks, np.zeros(0, np.int64)]).astype(np.int64)
        return np.asarray(
            kernels.tree_cuts.find_leaves(codes, positions, offset, ranks, self.column, self.cut, self.left)
        )
