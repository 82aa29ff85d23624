"""The adversary's posterior belief about every candidate, once worlds are eliminated."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from voile.attacks.minimality.candidates import Candidates
from voile.attacks.minimality.elimination import NOTHING, combine_groups, eliminate_worlds
from voile.attacks.minimality.group_cases import GroupCase, find_cases, merge_whole_steps
from voile.attacks.minimality.linked_groups import LinkedAnswer, find_links, solve_linked
from voile.attacks.minimality.overlapping_groups import solve_overlaps
from voile.attacks.minimality.replayed_worlds import ReplayedWorlds
from voile.attacks.minimality.value_types import ValueTypes, sensitive_columns
from voile.models.policy import Policy
from voile.tables.group_counts import Counts

WIDEST = 0.2  # an interval with a larger half-width is no estimate
BATCH = 64  # groups eliminated at once where a step concerns all groups

EXACT, BOUNDED, ESTIMATED, UNKNOWN, COVERED, UNEXPLAINED = range(
    6
)  # what is known about the belief in somebody's value


@dataclass(eq=False)
class CandidateBeliefs:
    """Belief by candidate entry and value, before elimination (`naive`) and after (`belief`).

    `people` says how many of an entry's people are in the release. `basis` says what is known about each entry. For
    BOUNDED entries belief lies between `lowest` and `highest`; elsewhere both equal it. `error` is the half-width of
    the 95 % interval of an estimate, of each entry by itself.
    """

    naive: np.ndarray
    belief: np.ndarray
    people: np.ndarray
    basis: np.ndarray
    lowest: np.ndarray
    highest: np.ndarray
    error: np.ndarray

    def count(self, basis: int) -> int:
        """Return the number of people about whom this much is known."""
        return int(self.people[self.basis == basis].sum())

    def risk(self, sets: np.ndarray) -> np.ndarray:
        """Return the largest belief in any of the sets of values; where it is bounded, the upper bound."""
        return _largest_share(self.highest, sets)

    def demonstrated_risk(self, sets: np.ndarray) -> np.ndarray:
        """Return the largest belief that is certain: the lower bound where it is bounded, the lower end of the interval
        where it is an estimate; where it is not known, what somebody who knows less believes."""
        lowest = _largest_share(self.lowest, sets) - np.where(self.basis == ESTIMATED, self.error, 0.0)
        return np.asarray(np.maximum(lowest, 0.0))

    def highest_risk(self, sets: np.ndarray) -> np.ndarray:
        """Return the largest belief that cannot be excluded: 1 where it is not known, and with the interval where it is
        an estimate."""
        margin = np.where(self.basis == ESTIMATED, self.error, 0.0)
        return np.where(self.basis == UNKNOWN, 1.0, np.minimum(self.risk(sets) + margin, 1.0))

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
    basis = np.full(len(group), COVERED if candidates.covered else EXACT)
    beliefs = CandidateBeliefs(
        shares[group], shares[group], present, basis, shares[group], shares[group], np.zeros(len(group))
    )
    if replayed is not None:
        return _take_replayed(candidates, replayed, name, beliefs)
    if policy is not None and any(column.name == name for column in policy.columns_read(sensitive_columns(release))):
        types = ValueTypes(release, policy, name)
        for answer in _eliminate(candidates, types, excess, max_worlds):
            entries = answer.entries
            if answer.people is None:
                beliefs.basis[entries] = UNKNOWN if answer.explained else UNEXPLAINED
                continue
            beliefs.belief[entries], beliefs.people[entries] = types.spread_over_values(
                answer.group, answer.people, shares[answer.group]
            )
            if answer.half_width is not None:
                beliefs.basis[entries] = np.where(answer.half_width <= WIDEST, ESTIMATED, UNKNOWN)
                beliefs.error[entries] = answer.half_width
                vague = entries[answer.half_width > WIDEST]
                beliefs.belief[vague] = beliefs.naive[vague]
    for entries in solve_overlaps(candidates, policy, name, max_worlds, beliefs.naive, beliefs.belief, beliefs.people):
        beliefs.basis[entries] = UNKNOWN
    beliefs.people = _round_people(beliefs.people, release.people)
    if not candidates.covered and (candidates.steps is None or not candidates.steps.complete):
        beliefs.basis[beliefs.basis != UNEXPLAINED] = UNKNOWN
    _bound_unknown(candidates, release.tallies[name], beliefs)
    return beliefs


def _bound_unknown(candidates: Candidates, counts: Counts, beliefs: CandidateBeliefs) -> None:
    """Bound what is not known by counting: of n people in a group, no larger share has a value than the group shows of
    it, and no smaller one than the rest of the group leaves over. Whoever may still have a value for certain stays
    unknown."""
    beliefs.lowest, beliefs.highest = beliefs.belief.copy(), beliefs.belief.copy()
    unknown = np.flatnonzero(beliefs.basis == UNKNOWN)
    if not len(unknown) or not candidates.exact or candidates.steps is None:
        return
    group, people = candidates.group[unknown], candidates.count[unknown][:, None]
    sizes = candidates.release.sizes[group][:, None]
    shown = np.rint(_share_matrix(counts)[group] * sizes)
    highest, lowest = np.minimum(shown / people, 1.0), np.maximum(shown - (sizes - people), 0) / people
    says_something = highest.max(axis=1) < 1
    chosen = unknown[says_something]
    beliefs.basis[chosen] = BOUNDED
    beliefs.highest[chosen], beliefs.lowest[chosen] = highest[says_something], lowest[says_something]


def _take_replayed(
    candidates: Candidates, replayed: ReplayedWorlds, name: str, beliefs: CandidateBeliefs
) -> CandidateBeliefs:
    """Return the beliefs of the worlds that remain. Of people who fit several groups only the kind is known."""
    kind, size = candidates.kind, beliefs.naive.shape[1]
    expected = replayed.average_counts(name, size)
    belief = expected[kind] / np.maximum(expected.sum(axis=1), 1e-300)[kind][:, None]
    share = candidates.count / np.bincount(kind)[kind]  # some of them may be withheld
    people = _round_people(share * (candidates.release.people / share.sum()), candidates.release.people)
    basis = np.full(len(kind), EXACT)
    return replace(beliefs, belief=belief, people=people, basis=basis, lowest=belief, highest=belief)


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
    candidates = merge_whole_steps(candidates, types)
    linked = set[int]()
    for groups, steps in find_links(candidates, candidates.steps.spanning if candidates.steps else ()):
        linked.update(groups)
        yield from solve_linked(candidates, types, groups, steps, max_worlds)
    concerns_all = candidates.steps is None or candidates.steps.whole
    cases = [case for case in find_cases(candidates, types, excess, concerns_all) if case.group not in linked]
    for case, people, draws in _eliminate_alone(cases, types, concerns_all, max_worlds):
        if people is None and draws and not concerns_all and not excess[case.group]:
            yield from solve_linked(candidates, types, [case.group], (), max_worlds)
            continue
        expected = None if people is None else case.by_entry(people, candidates.count)
        half_width = np.full(len(case.entries), 0.98 / np.sqrt(draws)) if draws else None
        yield LinkedAnswer(case.group, case.entries, expected, half_width, people is not None or draws > 0)


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
    draws = [worlds.draws for worlds in remaining_worlds if worlds.draws]
    for position, case in enumerate(cases):
        # a group that is counted exactly depends on the others, of which some are drawn
        yield case, answers[position] if answers else None, min(draws, default=0)


def _round_people(present: np.ndarray, total: int) -> np.ndarray:
    """Round expected numbers of people so that their sum stays."""
    rounded = np.floor(present + 1e-9).astype(np.int64)
    largest_remainders = np.argsort(rounded - present, kind="stable")[: max(total - int(rounded.sum()), 0)]
    rounded[largest_remainders] += 1
    return rounded
