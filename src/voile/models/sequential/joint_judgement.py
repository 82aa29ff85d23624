"""Judge several releases together: is anybody's value believed with more than the bound, given all of them?

Worlds give everybody one value; an adversary takes those with the same totals as equally likely, whatever rates of the
values they know. The tests go from cheap to costly, component by component: a lone group is judged as any group; twins
are values that can be exchanged; Fréchet bounds hold in every world; a transfer over cells counts the worlds.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

from voile.models.alpha_k import AlphaK
from voile.models.sequential.requirement import Requirement
from voile.plugins.counted_nouns import count_noun
from voile.releases.joint.closure import JointGroup, NoWorldError, close_groups, find_components
from voile.releases.joint.component import Component
from voile.releases.joint.history import SEATINGS, History, LinkedGroups
from voile.results import Answer

BUDGET = 200_000  # transitions of the transfer in one component
ALL_BUDGET = 4_000_000  # in all components of one judgement


@dataclass(frozen=True)
class JointVerdict:
    """The answer, how many components each test decided, and what stands in the way."""

    answer: Answer
    routes: Counter[str] = field(default_factory=Counter)
    reason: str = ""


class _UndecidedError(Exception):
    """The tests do not decide within the budget."""


def judge_history(history: History, requirement: Requirement, *, known_rates: bool = True) -> JointVerdict:
    """Judge a requirement in all releases of a history. NEEDS means: not decided within the budget."""
    judge = _Judge(requirement, known_rates)
    if len(history.lone):
        judge.judge_lone(history.lone)
    for linked in history.linked:
        judge.judge_linked(linked)
    if judge.broken:
        return JointVerdict(Answer.BROKEN, judge.routes, f"it fails in {count_noun(judge.broken, 'set')} of groups.")
    if judge.undecided:
        reason = f"{count_noun(judge.undecided, 'set')} of overlapping groups took too long to decide."
        return JointVerdict(Answer.NEEDS, judge.routes, reason)
    return JointVerdict(Answer.HOLDS, judge.routes)


class _Judge:
    def __init__(self, requirement: Requirement, known_rates: bool) -> None:
        self.requirement, self.known_rates = requirement, known_rates
        self.routes: Counter[str] = Counter()
        self.broken = self.undecided = 0
        self.budget = ALL_BUDGET

    def judge_lone(self, groups: Sequence[JointGroup]) -> None:
        failing = int((~self.requirement.holds(groups)).sum())
        self.routes["lone groups"] += len(groups)
        self.broken += failing

    def judge_linked(self, linked: LinkedGroups) -> None:
        """Judge groups that share people, under every way to seat the people who cannot be told apart."""
        if not linked.lookalikes:
            self._note(lambda: self._hold_together(linked.groups))
            return
        if self._twins_hold(linked.groups, any_seating=True):
            self.routes["twins"] += 1
        elif linked.count_seatings() > SEATINGS:
            self.undecided += 1
        else:
            self._note(lambda: self._hold_reseated(linked))

    def _note(self, test: Callable[[], bool]) -> None:
        try:
            self.broken += not test()
        except _UndecidedError:
            self.undecided += 1

    def _hold_reseated(self, linked: LinkedGroups) -> bool:
        possible = 0
        for groups in linked.reseat():
            try:
                if not self._hold_together(groups):
                    return False
                possible += 1
            except NoWorldError:
                continue
        if not possible:
            raise NoWorldError
        return True

    def _hold_together(self, groups: Iterable[JointGroup]) -> bool:
        closed = close_groups(groups)
        undecided = False
        for numbers in find_components(closed):
            part = [closed[number] for number in numbers]
            try:
                if not (self._holds_alone(part) if len(part) == 1 else self._holds_in(Component(part))):
                    return False
            except _UndecidedError:
                undecided = True
        if undecided:
            raise _UndecidedError
        return True

    def _holds_alone(self, part: Sequence[JointGroup]) -> bool:
        self.routes["lone groups"] += 1
        return bool(self.requirement.holds(part)[0])

    def _holds_in(self, part: Component) -> bool:
        """Judge a component of several groups."""
        if not self.requirement.bounds_shares:
            raise _UndecidedError
        bound, sizes = self.requirement.model.bound(), part.sizes
        sets = self.requirement.event_sets(part.values).astype(np.int64)
        if self._smallest_fails(part):
            return False
        if self._twins_hold(part.groups, component=part):
            self.routes["twins"] += 1
            return True
        low, high = part.bound_counts()
        least, most = low @ sets.T, np.minimum(high @ sets.T, sizes[:, None] - low @ (1 - sets).T)
        if (least * bound.denominator > sizes[:, None] * bound.numerator).any():
            self.routes["bounds"] += 1
            return False
        if (most * bound.denominator <= sizes[:, None] * bound.numerator).all():
            self.routes["bounds"] += 1
            return True
        counted = part.count_worlds(min(BUDGET, self.budget), by_total=self.known_rates)
        if counted is None:
            self.budget -= min(BUDGET, self.budget)
            raise _UndecidedError
        sums, totals, used = counted
        self.budget -= used
        self.routes["worlds"] += 1
        return not any(
            Fraction(int(weight), total * int(size)) > bound
            for own, total in zip(sums, totals, strict=True)
            for cell, size in zip(own, sizes, strict=True)
            for weight in sets.astype(object) @ cell
        )

    @property
    def _asks_for_size(self) -> bool:
        return isinstance(self.requirement.model, AlphaK)

    def _smallest_fails(self, part: Component) -> bool:
        """Return whether a cell is smaller than the model asks of a group, whatever its values are."""
        return self._asks_for_size and bool((part.sizes < self.requirement.model.smallest()).any())

    def _twins_hold(
        self, groups: Sequence[JointGroup], *, component: Component | None = None, any_seating: bool = False
    ) -> bool:
        """Return whether enough values can be exchanged for each other. For adversaries who know rates the totals must
        be told, and under any seating of people who look alike it is not known that they are."""
        if not self.requirement.bounds_shares or (any_seating and (self.known_rates or self._asks_for_size)):
            return False
        part = component or Component(groups)
        if self.known_rates and not part.tells_totals:
            return False
        return twins_hold(self.requirement, part)


def twins_hold(requirement: Requirement, part: Component) -> bool:
    """Return whether every value can be exchanged with enough others: the beliefs in values that occur equally often in
    every group are equal, so a set of values is believed at most with its share of such a class."""
    if not requirement.bounds_shares:
        return False
    sets, bound = requirement.event_sets(part.values), requirement.model.bound()
    return all(
        int(own[twins].sum()) * bound.denominator <= len(twins) * bound.numerator
        for twins in part.twin_classes()
        for own in sets
    )
