"""The adversary's posterior belief about every candidate, once worlds are eliminated."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from voile.attacks.minimality.candidates import Candidates
from voile.attacks.minimality.elimination import NOTHING, combine_groups, eliminate_worlds
from voile.attacks.minimality.group_cases import GroupCase, find_cases
from voile.attacks.minimality.linked_groups import LinkedAnswer, find_links, solve_linked
from voile.attacks.minimality.overlapping_groups import solve_overlaps
from voile.attacks.minimality.replayed_worlds import ReplayedWorlds
from voile.attacks.minimality.value_types import ValueTypes, sensitive_columns
from voile.models.policy import Policy
from voile.tables.group_counts import Counts

BATCH = 64  # groups eliminated at once where a step concerns all groups


@dataclass(eq=False)
class CandidateBeliefs:
    """Belief by candidate entry and value, before elimination (`naive`) and after (`belief`).

    `people` says how many of an entry's people are in the release. The other figures count people: in groups whose
    belief is an estimate, that no table explains, that are too large to answer; and whose belief rests on a part of
    what the method refused (`partial`). All others are exact. `error` is the half-width of the widest 95 % interval.
    """

    naive: np.ndarray
    belief: np.ndarray
    people: np.ndarray
    estimated: int = 0
    unexplained: int = 0
    unanswered: int = 0
    partial: int = 0
    error: float = 0.0

    @property
    def exact(self) -> int:
        """The number of people whose belief is exact."""
        return int(self.people.sum()) - self.estimated - self.unexplained - self.unanswered - self.partial

    def risk(self, sets: np.ndarray) -> np.ndarray:
        """Return the largest belief in any of the sets of values."""
        return _largest_share(self.belief, sets)

    def naive_risk(self, sets: np.ndarray) -> np.ndarray:
        """Return the largest belief in any of the sets of values before elimination."""
        return _largest_share(self.naive, sets)


def _largest_share(belief: np.ndarray, sets: np.ndarray) -> np.ndarray:
    shares = belief @ sets.T.astype(np.float64)
    return np.asarray(np.minimum(shares.max(axis=1, initial=0.0), 1.0))


def compute_beliefs(
    candidates: Candidates,
    policy: Policy | None,
    name: str,
    max_worlds: int,
    replayed: ReplayedWorlds | None = None,
) -> CandidateBeliefs:
    """Compute belief about everybody's value in one sensitive column, listing up to `max_worlds` worlds per group; or
    take it from the worlds in which the method, run again, gives the release."""
    release, group = candidates.release, candidates.group
    shares, excess = _share_matrix(release.tallies[name]), candidates.fitting - release.sizes
    present = candidates.count * (release.sizes / np.maximum(candidates.fitting, 1))[group]
    beliefs = CandidateBeliefs(shares[group], shares[group], present)
    if replayed is not None:
        return _take_replayed(candidates, replayed, name, beliefs)
    if policy is not None and any(column.name == name for column in policy.columns_read(sensitive_columns(release))):
        types = ValueTypes(release, policy, name)
        for answer in _eliminate(candidates, types, excess, max_worlds):
            size = int(release.sizes[answer.group])
            if answer.people is None:
                beliefs.unanswered += size if answer.explained else 0
                beliefs.unexplained += 0 if answer.explained else size
                continue
            beliefs.belief[answer.entries], beliefs.people[answer.entries] = types.spread_over_values(
                answer.group, answer.people, shares[answer.group]
            )
            if answer.draws:
                beliefs.estimated += size
                beliefs.error = max(beliefs.error, 0.98 / float(np.sqrt(answer.draws)))
    beliefs.estimated += solve_overlaps(
        candidates, policy, name, max_worlds, beliefs.naive, beliefs.belief, beliefs.people
    )
    beliefs.people = _round_people(beliefs.people, release.people)
    if candidates.steps is None or not candidates.steps.complete:
        beliefs.partial = release.people - beliefs.estimated - beliefs.unexplained - beliefs.unanswered
    return beliefs


def _take_replayed(
    candidates: Candidates, replayed: ReplayedWorlds, name: str, beliefs: CandidateBeliefs
) -> CandidateBeliefs:
    """Return the beliefs of the worlds that remain. Of people who fit several groups only the kind is known."""
    kind, size = candidates.kind, beliefs.naive.shape[1]
    expected = replayed.average_counts(name, size)
    belief = expected[kind] / np.maximum(expected.sum(axis=1), 1e-300)[kind][:, None]
    share = candidates.count / np.bincount(kind)[kind]  # some of them may be withheld
    people = _round_people(share * (candidates.release.people / share.sum()), candidates.release.people)
    return replace(beliefs, belief=belief, people=people)


def _share_matrix(counts: Counts) -> np.ndarray:
    """Return the share of each value in each group."""
    assert counts.column is not None
    table = np.zeros((counts.groups, counts.column.size))
    table[counts.owner, counts.values] = counts.counts / counts.sizes[counts.owner]
    return table


def _eliminate(
    candidates: Candidates, types: ValueTypes, excess: np.ndarray, max_worlds: int
) -> Iterator[LinkedAnswer]:
    """Yield every group that loses worlds, with the people that are expected in it once they are gone."""
    linked = set[int]()
    for groups, steps in find_links(candidates, candidates.steps.spanning if candidates.steps else ()):
        linked.update(groups)
        yield from solve_linked(candidates, types, groups, steps, max_worlds)
    concerns_all = candidates.steps is None or candidates.steps.whole
    cases = [case for case in find_cases(candidates, types, excess, concerns_all) if case.group not in linked]
    for case, people, draws in _eliminate_alone(cases, types, concerns_all, max_worlds):
        expected = None if people is None else case.by_entry(people, candidates.count)
        yield LinkedAnswer(case.group, case.entries, expected, draws, people is not None or draws > 0)


def _eliminate_alone(
    cases: list[GroupCase], types: ValueTypes, concerns_all: bool, max_worlds: int
) -> Iterator[tuple[GroupCase, np.ndarray | None, int]]:
    """Yield groups that no step links, with their expected people by atom and type (None if there is no answer) and the
    number of draws behind them (0 if they are exact)."""
    groups = [case.worlds for case in cases]
    if not cases:
        return
    if not concerns_all:
        for case, remaining in zip(cases, eliminate_worlds(groups, types.judge, False, max_worlds), strict=True):
            yield case, remaining.people, remaining.draws
        return
    steps = groups[0].steps
    allowed_shares, remaining_worlds = np.ones(steps), []
    for start in range(0, len(groups), BATCH):
        batch = eliminate_worlds(groups[start : start + BATCH], types.judge, True, max_worlds)
        allowed_shares *= [np.prod([worlds.share_allowing(1 << step) for worlds in batch]) for step in range(steps)]
        remaining_worlds += batch
        if (allowed_shares < NOTHING).all():
            return  # hardly any world allows a step in all groups: nothing is eliminated
    answers = combine_groups(groups, remaining_worlds, steps)
    for position, (case, worlds) in enumerate(zip(cases, remaining_worlds, strict=True)):
        yield case, answers[position] if answers else None, worlds.draws


def _round_people(present: np.ndarray, total: int) -> np.ndarray:
    """Round expected numbers of people so that their sum stays."""
    rounded = np.floor(present + 1e-9).astype(np.int64)
    largest_remainders = np.argsort(rounded - present, kind="stable")[: max(total - int(rounded.sum()), 0)]
    rounded[largest_remainders] += 1
    return rounded
