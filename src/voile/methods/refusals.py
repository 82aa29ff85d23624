"""What a method refused to show, and what that tells: the abilities of methods that can say so."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from voile.models.policy import Policy
from voile.tables.group_counts import Counts
from voile.tables.row_protocol import Histogram
from voile.tables.schema import Columns


@dataclass(frozen=True, eq=False)
class SpanningStep:
    """A refused step that concerns several groups: `parts[i]` is the part in which cell `cells[i]` would have been.

    It was refused because the parts that fail have more than `tolerance` people together or, for a method that
    withholds such people at a price, because they cost more than `margin`: `costs[i]` is the price of the people of
    cell `cells[i]`. By default one part that fails is enough.
    """

    cells: np.ndarray
    parts: np.ndarray
    tolerance: int = 0
    margin: float = float("inf")
    costs: np.ndarray | None = None


@dataclass(frozen=True, eq=False)
class RefusedSteps:
    """Steps that a method did not take because the policy forbade what they would have shown.

    `parts[i, s]` is the part of its group in which cell i would be after step s, or -1 if there is no such step. With
    `whole`, a step is taken in all groups at once (and was refused if one part of one group fails); otherwise group by
    group. `spanning` are the steps whose parts reach over several groups. The steps are `complete` if the method makes
    this release of every table with the published groups in which all of them fail.
    """

    parts: np.ndarray
    whole: bool = False
    spanning: tuple[SpanningStep, ...] = ()
    complete: bool = False


NOTHING_REFUSED = RefusedSteps(np.zeros((0, 0), dtype=np.int64), complete=True)


class ExplainsRefusals:
    """A method that can say what it would have shown if the policy had allowed it."""

    def refused_steps(
        self, columns: Columns, table: Histogram, group: np.ndarray, smallest: int
    ) -> RefusedSteps | None:
        """Return what the method would have shown instead of each group; None if that is not known.

        `table` counts the people by quasi-identifier, `group` is the group of each of its cells (WITHHELD for people
        who are in none), and no group has fewer than `smallest` people.
        """
        raise NotImplementedError  # pragma: no cover - every method of this kind defines it


class AccountsForRefusals:
    """A method whose refusals say something that is accounted for: anybody who knows it can compute what."""

    def accounted_beliefs(
        self, columns: Columns, table: Histogram, group: np.ndarray, counts: Counts, policy: Policy
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return how strongly an adversary who replays the method believes in each value (cells x values), and for
        which cells this is exact; for the others it is an upper bound.

        `table` counts the people by quasi-identifier, `group` is the group of each of its cells, and `counts` are the
        published counts.
        """
        raise NotImplementedError  # pragma: no cover - every method of this kind defines it


class IgnoresValues(ExplainsRefusals):
    """A method that groups people without looking at sensitive values, and so refuses no step because of them."""

    def refused_steps(self, columns: Columns, table: Histogram, group: np.ndarray, smallest: int) -> RefusedSteps:
        return NOTHING_REFUSED


class RefusesByTotals:
    """A method that covers the algorithm and refuses a table by how common each value is in the whole of it, and by
    nothing else about values. A refusal then says nothing new to an adversary who knows that; any other adversary
    learns from it that some value is too common."""
