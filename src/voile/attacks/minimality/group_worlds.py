"""One published group as a set of worlds, and the table of the states in which its parts may be shown.

A world gives every person of the group one of its values. Because only counts matter, worlds are handled as states: how
many values of each type the people of a part have.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from voile.kernels import lazy_module

kernel = lazy_module("voile.attacks.minimality.kernel")

STATES = 40_000  # a group with more states gets no table
BATCH = 1_500_000  # states judged at once

Judge = Callable[[np.ndarray, np.ndarray, np.ndarray, int], np.ndarray]
"""(case, type, count, number of cases) -> which cases may be shown. Absent people have no type and are not passed."""


@dataclass(frozen=True, eq=False)
class GroupWorlds:
    """A group with the steps that concern it, before any world is eliminated.

    `atoms` are the people that no step separates, by number. `parts[a, s]` is the part of atom a in step s; -1 where
    the step does not concern the group. `types` are the types of values in the group with their `counts`. The register
    may list more people than the group has rows: `absent` of them are in no row.
    """

    atoms: np.ndarray
    parts: np.ndarray
    types: np.ndarray
    counts: np.ndarray
    absent: int = 0

    @property
    def total(self) -> int:
        return int(self.atoms.sum())

    @property
    def steps(self) -> int:
        return int(self.parts.shape[1])

    @property
    def expected(self) -> np.ndarray:
        """The expected number of people per atom and type if no world is eliminated."""
        return np.outer(self.atoms, self.counts) / max(self.total, 1)

    @property
    def all_counts(self) -> np.ndarray:
        """The counts of the types and, if anybody is absent, the number of absent people."""
        return np.append(self.counts, self.absent) if self.absent else self.counts

    def part_sizes(self, step: int) -> np.ndarray:
        """Return the number of people in each part of a step."""
        part = self.parts[:, step]
        if len(part) and part[0] < 0:
            return np.array([self.total])
        return np.bincount(part, weights=self.atoms).astype(np.int64)


@dataclass
class StateTable:
    """The states of a group: in which of them may a part of each size be shown?

    `order` lists the types by rising count, with the absent people as one more type; the last of them is not stored in
    a state. `may_show` has one row per entry of `sizes` and one column per state.
    """

    order: np.ndarray
    counts: np.ndarray
    last: int
    sizes: np.ndarray
    may_show: np.ndarray = field(default_factory=lambda: np.zeros((0, 0), dtype=bool))

    @staticmethod
    def of(group: GroupWorlds) -> StateTable | None:
        """Return the table of a group, not yet filled; None if it would have too many states."""
        counts = group.all_counts
        order = np.lexsort((np.arange(len(counts)), counts))
        small = counts[order[:-1]]
        if np.prod(small.astype(np.float64) + 1) > STATES:
            return None
        sizes = np.unique(np.concatenate([group.part_sizes(step) for step in range(group.steps)]))
        return StateTable(order, small.astype(np.int64), int(counts[order[-1]]), sizes)

    @property
    def cells(self) -> int:
        return len(self.sizes) * int(np.prod(self.counts + 1))

    @property
    def widest(self) -> int:
        """The largest number of states that one part may be in."""
        states = self.may_show.shape[1]
        return int(states if len(self.counts) > 1 else min(states, self.sizes.max() + 1))


def fill_tables(groups: Sequence[GroupWorlds], tables: Sequence[StateTable | None], judge: Judge) -> None:
    """Judge every state of every size, many groups at once."""
    for batch in _batches(tables):
        _fill_batch([(groups[i], table) for i in batch if (table := tables[i]) is not None], judge)


def _batches(tables: Sequence[StateTable | None]) -> Iterator[list[int]]:
    batch: list[int] = []
    states = 0
    for position, table in enumerate(tables):
        batch.append(position)
        states += table.cells if table is not None else 0
        if states > BATCH:
            yield batch
            batch, states = [], 0
    yield batch


def _fill_batch(batch: Sequence[tuple[GroupWorlds, StateTable]], judge: Judge) -> None:
    questions: list[tuple[np.ndarray, np.ndarray, np.ndarray]] = []
    valid: list[np.ndarray] = []
    offset = 0
    for group, table in batch:
        digits = kernel.list_states(table.counts)
        of_last = table.sizes[:, None] - digits.sum(axis=1)[None, :]
        possible = (of_last >= 0) & (of_last <= table.last)
        valid.append(possible)
        row, state = np.nonzero(possible)
        content = np.column_stack([digits[state], of_last[row, state]])
        where, column = np.nonzero(content)
        kind = table.order[column]
        present = kind < len(group.types)  # the last kind may be the absent people
        questions.append((where[present] + offset, group.types[kind[present]], content[where, column][present]))
        offset += len(row)
    if not offset:
        return
    where, kind, content = (np.concatenate(part) for part in zip(*questions, strict=True))
    answers = judge(where, kind, content, offset)
    at = 0
    for (_, table), possible in zip(batch, valid, strict=True):
        states = int(possible.sum())
        table.may_show = np.zeros(possible.shape, dtype=bool)
        table.may_show[possible] = answers[at : at + states]
        at += states
