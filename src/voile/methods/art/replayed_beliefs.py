"""What an adversary believes who knows ART, runs it on every world, and weighs the worlds that lead to the release.

Small releases are answered exactly. Of large ones, those that were dealt by blocks are: a deal looks at nobody, so all
worlds that differ within groups are as likely as the prior says. A large greedy release is answered by an upper bound;
for a hint, the greedy step is replayed from every member of a group: from whom does it lead to exactly this group?
"""

from __future__ import annotations

from dataclasses import replace
from typing import Protocol

import numpy as np
import polars as pl

from voile.adversaries.group_members import Members
from voile.adversaries.prior import Prior
from voile.adversaries.prior_posterior import compute_posterior
from voile.adversaries.replayed_beliefs import ReplayedBeliefs
from voile.methods.art.block_grouping import cut_blocks
from voile.methods.art.buckets import Buckets, gather_buckets, rebuild_buckets, weigh_people
from voile.methods.art.deal_enumeration import NotEnumerableError
from voile.methods.art.greedy_grouping import AcceptanceTest, Grouping, HidingSearch, seeks_one_value
from voile.methods.art.possible_worlds import Replayer, list_worlds, weigh_worlds
from voile.models.r_robustness import RRobustness
from voile.releases.placed_people import place_people
from voile.releases.release import Release
from voile.tables.domain import Domain
from voile.tables.group_counts import Counts
from voile.tables.microdata import Microdata
from voile.tables.schema import Column
from voile.tables.secret_key import Key


class Art(Protocol):
    """What a replay needs of ART: its knobs, its test of a group, and what it decides."""

    @property
    def grouping(self) -> str: ...
    @property
    def leftover(self) -> str: ...
    @property
    def frequent(self) -> str: ...
    @property
    def max_states(self) -> int: ...
    @property
    def rule(self) -> int: ...
    def make_test(self, model: RRobustness, people: int) -> AcceptanceTest: ...
    def decide_groups(self, people: Buckets, model: RRobustness, target: Column, key: Key) -> Grouping: ...
    def find_hopeless(self, people: Buckets, model: RRobustness) -> np.ndarray: ...
    def count_together(self, test: AcceptanceTest) -> int: ...


def replay_beliefs(
    art: Art, release: Release, model: RRobustness, prior: Prior, table: Microdata | None
) -> ReplayedBeliefs:
    """Return the belief about each entry of the members: exact if all worlds of a small release can be gone through, or
    if the group was dealt by blocks and not united with another; otherwise exact for groups without a protected value,
    and 1 as an upper bound for the others."""
    counts = next(iter(release.tallies.values()))
    assert counts.column is not None
    members, events = release.members, model.events(counts.column)
    cases = counts.summed(np.where(events[counts.values] >= 0, counts.counts, 0))
    is_clear = np.repeat(cases == 0, np.diff(members.starts))
    arguments = (prior, members, counts, events, model.protected_values)
    if _was_dealt_by_blocks(art, counts, events):
        posterior = compute_posterior(*arguments, as_set=model.protect_as == "set", max_states=art.max_states)
        return ReplayedBeliefs(posterior.risk, np.repeat(posterior.exact, np.diff(members.starts)))
    beliefs = _go_through_worlds(art, release, model, prior, table, counts)
    if beliefs is not None:
        return ReplayedBeliefs(beliefs, np.ones(len(is_clear), dtype=bool))
    if art.leftover == "merge":
        posterior = compute_posterior(*arguments, as_set=model.protect_as == "set", max_states=art.max_states)
        is_united = np.repeat(_find_united(art, release, model, prior, table), np.diff(members.starts)) & ~is_clear
        details = {"people in groups that were united, or may have been": float(members.counts[is_united].sum())}
        is_exact = np.repeat(posterior.exact, np.diff(members.starts)) & ~is_united
        return ReplayedBeliefs(np.where(is_united, 1.0, posterior.risk), is_exact, details)
    found = _search_from_members(art, release, model, prior, counts)
    is_suspect = (found > float(model.bound()) + 1e-9) & ~is_clear
    details = {"people whom the search of their own group singles out": float(members.counts[is_suspect].sum())}
    return ReplayedBeliefs(np.where(is_clear, 0.0, 1.0), is_clear, details)


def _was_dealt_by_blocks(art: Art, counts: Counts, events: np.ndarray) -> bool:
    """Return whether blocks made the groups: if asked for, or if a group has two rows of one event, which no greedy
    search gives. A deal gives all worlds that differ within groups the same probability."""
    if art.grouping != "auto" or art.leftover == "absorb":
        return art.grouping == "block" and art.leftover != "merge"
    event = events[counts.values]
    for number in np.unique(event[event >= 0]):
        if (counts.summed(np.where(event == number, counts.counts, 0)) > 1).any():
            return True
    return False


def _find_united(art: Art, release: Release, model: RRobustness, prior: Prior, table: Microdata | None) -> np.ndarray:
    """Return which groups were united from several, or may have been. Anybody who has the statistics can cut the blocks
    again and count how many groups each was dealt into; where so many lie inside it, each is as it was dealt."""
    counts, members = next(iter(release.tallies.values())), release.members
    column, test = counts.column, art.make_test(model, release.people)
    assert column is not None
    target = _find_target(column, prior, table)
    is_known = table is not None or column.indicator or not column.domain.declared
    if not model.protected_values or not is_known:
        return np.ones(members.groups, dtype=bool)  # a deal may leave rows over, or values may be missing here
    usual = np.zeros(target.size)
    known = weigh_people(prior, members.columns, members.codes, target, usual, model, column.indicator)
    people = np.bincount(members.rows, members.counts, len(members.codes)).astype(np.int64)
    buckets = gather_buckets(None, people, np.zeros(len(people), dtype=np.int64), known.index, known)
    block = cut_blocks(buckets, np.ones(len(buckets.size), dtype=bool), test)[buckets.bucket][members.rows]
    first, last = (edge.reduceat(block, members.starts[:-1]) for edge in (np.minimum, np.maximum))
    event, blocks = model.events(column)[counts.values], int(block.max(initial=-1)) + 1
    cases = [counts.summed(np.where(event == number, counts.counts, 0)) for number in range(int(event.max()) + 1)]
    has_cases = np.sum(cases, axis=0) > 0
    largest = np.max([np.bincount(first, number, blocks) for number in cases], axis=0).astype(np.int64)
    dealt = np.maximum(largest // art.count_together(test), 1)
    is_whole = np.bincount(first[has_cases], minlength=blocks) == dealt
    for group in np.flatnonzero(first != last):
        is_whole[block[members.starts[group] : members.starts[group + 1]]] = False
    return np.asarray(~is_whole[first])


def _find_target(column: Column, prior: Prior, table: Microdata | None) -> Column:
    """Return the sensitive column as ART saw it, as far as the table or the release tells."""
    if table is not None:
        return table.columns[column.name]
    if column.indicator:
        return replace(column, domain=Domain(pl.Series(prior.values), "categorical"), indicator=False)
    return column


def _go_through_worlds(
    art: Art, release: Release, model: RRobustness, prior: Prior, table: Microdata | None, counts: Counts
) -> np.ndarray | None:
    """Return the exact beliefs of a small release about its members; None if there is too much to go through, or if the
    release does not tell enough (who is missing, which values were unprotected)."""
    placed = place_people(release, table)
    column = counts.column
    assert column is not None
    if placed is None or art.frequent == "unprotect":
        return None
    target = _find_target(column, prior, table)
    usual = np.zeros(target.size)  # stands in for people whom the prior does not cover, and publish refuses those
    known = weigh_people(prior, placed.columns, placed.codes, target, usual, model, column.indicator)
    positions = {text: position for position, text in enumerate(target.domain.labels)}
    codes = [0, 1] if column.indicator else [positions.get(text, -1) for text in column.domain.labels]
    if min(codes, default=-1) < 0:
        return None
    try:
        worlds = list(list_worlds(placed, counts, codes, len(known.events)))
        replayer = Replayer(
            known,
            placed,
            lambda buckets, key: art.decide_groups(buckets, model, target, key),
            lambda buckets: art.find_hopeless(buckets, model),
        )
        beliefs = weigh_worlds(worlds, replayer.log_likelihood, known, placed)
    except NotEnumerableError:
        return None
    return None if beliefs is None else beliefs[: len(release.members.rows)]


def _search_from_members(art: Art, release: Release, model: RRobustness, prior: Prior, counts: Counts) -> np.ndarray:
    """Estimate, for each entry of the members, the belief that this person has the group's protected value, from the
    search of each group by itself.

    A search may choose among the group and all rows that stayed alone, which is not what it chose from when it was
    made: this is no bound in either direction.
    """
    test = art.make_test(model, release.people)
    people, bucket_of = rebuild_buckets(release.members, counts, model, prior)
    members, rule = release.members, art.rule
    share = _protected_shares(people, members, counts)
    hiding = HidingSearch(people, test) if seeks_one_value(people, test, rule) else None
    if hiding is None:
        return share
    pool = np.zeros(len(people.size), dtype=np.int64)
    single = np.flatnonzero(counts.sizes == 1)
    alone = counts.values[counts.starts[single]]
    lone = people.event[alone] < 0
    np.add.at(pool, bucket_of[alone[lone], members.rows[members.starts[single[lone]]]], 1)
    for group in np.flatnonzero(counts.sizes > 1):
        values = counts.values[counts.starts[group] : counts.starts[group + 1]]
        value_counts = counts.counts[counts.starts[group] : counts.starts[group + 1]]
        inside = people.event[values] >= 0
        if len(values) != 2 or inside.sum() != 1 or value_counts[inside][0] != 1:
            continue
        entries = np.arange(members.starts[group], members.starts[group + 1])
        hiding_buckets = bucket_of[values[~inside][0], members.rows[entries]]
        consistent = _find_starters(hiding, pool, hiding_buckets, members.counts[entries], int(values[inside][0]))
        starters = int(members.counts[entries][consistent].sum())
        if starters:
            share[entries] = np.where(consistent, 1 / starters, 0.0)
    return share


def _find_starters(
    hiding: HidingSearch, pool: np.ndarray, hiding_buckets: np.ndarray, row_counts: np.ndarray, value: int
) -> np.ndarray:
    """Return which entries of a group (buckets under its hiding value, rows of each) lead to it as the seed."""
    people = hiding.buckets
    left = pool.copy()
    np.add.at(left, hiding_buckets, row_counts)
    colour = int(hiding.colour[hiding.place[hiding_buckets[0]]])
    answer = np.zeros(len(hiding_buckets), dtype=bool)
    for bucket in np.unique(hiding_buckets):
        left[bucket] -= 1
        group_members = np.sort(np.repeat(hiding_buckets, row_counts))
        for choice in (colour, None):  # most fail already among rows of the group's own value
            members = hiding.search(left, int(bucket), value, choice)
            if not np.array_equal(np.sort(members), group_members):
                break
        else:
            answer |= people.profile[hiding_buckets] == people.profile[bucket]
        left[bucket] += 1
    return answer


def _protected_shares(people: Buckets, members: Members, counts: Counts) -> np.ndarray:
    """Return the share of protected rows in each entry's group."""
    inside = np.where(people.event[counts.values] >= 0, counts.counts, 0)
    share = counts.summed(inside) / np.maximum(counts.sizes, 1)
    return np.repeat(share, np.diff(members.starts))
