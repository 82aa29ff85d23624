"""Group the people who have no seat yet, and let those wait who cannot be grouped."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from voile import kernels
from voile.engines.memory_rows import build_rows
from voile.errors import Unsatisfiable, parameter
from voile.methods.base import Method, Partitionable
from voile.models.policy import Policy
from voile.plugins.counted_nouns import count_noun
from voile.tables.microdata import PERSON
from voile.tables.row_protocol import WITHHELD, Rows
from voile.tables.schema import Columns
from voile.tables.secret_key import Key

STEPS = 100  # about so many numbers of newcomers are tried, if not all of them can be grouped


@dataclass(frozen=True, eq=False)
class Newcomers:
    """People with a row each: `codes[i]` are the codes of person `people[i]` in the columns of the table."""

    columns: Columns
    codes: np.ndarray
    people: np.ndarray
    key: Key

    @staticmethod
    def of(columns: Columns, rows: Rows, is_new: np.ndarray) -> Newcomers:
        """Select the people for whom `is_new` (by number) is true."""
        table = rows.histogram([*(column.name for column in columns), PERSON])
        people = table.column(PERSON).astype(np.int64)
        chosen = is_new[people]
        return Newcomers(columns, table.codes[chosen, :-1].astype(np.int64), people[chosen], rows.key)

    def __len__(self) -> int:
        return len(self.people)

    def take(self, chosen: np.ndarray) -> Newcomers:
        """Return some of them."""
        return Newcomers(self.columns, self.codes[chosen], self.people[chosen], self.key)

    def as_rows(self) -> Rows:
        """Return their rows, which do not tell whose they are."""
        names, sizes = [column.name for column in self.columns], [column.size for column in self.columns]
        return build_rows(names, list(self.codes.T), sizes).with_key(self.key)


def group_newcomers(method: Method, newcomers: Newcomers, policy: Policy) -> tuple[np.ndarray, np.ndarray]:
    """Return the people who get a seat, and their groups. People with equal rows are interchangeable, so the seats of
    their rows are dealt to them with the key."""
    grouped = method.group(newcomers.columns, newcomers.as_rows(), policy)
    names, sizes = zip(*((column.name, max(column.size, 1)) for column in newcomers.columns), strict=True)
    group, table = grouped.count_by_group(names)
    codes = np.concatenate([newcomers.codes, table.codes.astype(np.int64)])
    cell, _ = kernels.distinct_rows.rank_rows(list(codes.T), sizes)
    person_cell, seat_cell = np.split(cell, [len(newcomers)])
    seat_cell, seat_group = np.repeat(seat_cell, table.counts), np.repeat(group, table.counts)
    seats = np.lexsort((seat_group, seat_cell))
    people = np.lexsort((newcomers.key.stream("seats of newcomers", len(newcomers)), person_cell))
    rank = np.arange(len(people)) - np.searchsorted(person_cell[people], person_cell[people])
    seat = np.searchsorted(seat_cell[seats], person_cell[people]) + rank
    seated = seat < np.searchsorted(seat_cell[seats], person_cell[people], side="right")
    return newcomers.people[people[seated]], seat_group[seats[seat[seated]]]


def choose_newcomers(method: Method, newcomers: Newcomers, policy: Policy, waiting: str, batch: int) -> Newcomers:
    """Return the newcomers who are grouped now; the others wait.

    All of them wait while they are fewer than `batch`, or too few for any group. With `waiting="blind"` nothing else
    decides: the rest is grouped, or the publication is refused. With "fewest" they are put in random order, and as many
    of the first as possible are grouped: nobody waits for having a certain value, but how many wait depends on values.
    """
    if len(newcomers) < max(batch, policy.smallest()):
        return newcomers.take(np.zeros(0, dtype=np.int64))
    if can_be_grouped(method, newcomers, policy):
        return newcomers
    if waiting == "blind":
        best = f"{count_noun(len(newcomers), 'newcomer')} cannot be grouped among themselves."
        raise Unsatisfiable(
            f"{best} With {parameter('waiting', 'blind')} nobody may wait because of that.",
            code="unsatisfiable.newcomers",
            hint=f"Let them wait until there are more ({parameter('batch', 2 * len(newcomers))}).",
            best=best,
        )
    order = newcomers.key.shuffle("order of newcomers", len(newcomers))
    step = max(len(newcomers) // STEPS, 1)
    for number in range(len(newcomers) - step, policy.smallest() - 1, -step):
        chosen = newcomers.take(np.sort(order[:number]))
        if can_be_grouped(method, chosen, policy):
            return chosen
    return newcomers.take(np.zeros(0, dtype=np.int64))


def can_be_grouped(method: Method, newcomers: Newcomers, policy: Policy) -> bool:
    """Return whether the method can group these people among themselves."""
    rows = newcomers.as_rows()
    tallies, sizes = rows.tally_values(newcomers.columns), np.array([rows.total])
    if tallies and isinstance(method, Partitionable):
        return bool(method.can_stand_alone(newcomers.columns, policy, tallies)[0])
    return bool(policy.holds(newcomers.columns, tallies, sizes)[0])


def label_people(number: int, people: Sequence[int] | np.ndarray, groups: np.ndarray) -> np.ndarray:
    """Return the group of each of `number` people, WITHHELD for those without one."""
    labels = np.full(number, WITHHELD, dtype=np.int64)
    labels[people] = groups
    return labels
