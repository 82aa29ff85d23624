"""Prior: an adversary who knows the statistics of every group of people.

They know everybody's quasi-identifier and group. For each set of columns they know how likely each
sensitive value is for people with those values ("men get lung cancer with probability 0.1, women 0.003"). They weigh
every way of giving the group's values to its members, and believe accordingly. Guessing without the release, they
believe the statistics themselves: that is the baseline.
"""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, cast

import numpy as np

from voile.adversaries import prior_learning
from voile.adversaries.group_members import Members
from voile.adversaries.prior import INDICATOR, SUPPORT
from voile.adversaries.prior import Prior as Statistics
from voile.adversaries.prior_learning import read_prior, tabulate_statistics
from voile.adversaries.prior_posterior import ANYTHING, MAX_STATES, compute_posterior, encode_people, make_indicator
from voile.attacks.base import Guess, PiecewiseAttack, Target, guess_piece, sensitive_names
from voile.attacks.indicator_counts import expect_counts, name_protected
from voile.attacks.prior import work_limits
from voile.attacks.prior.register_matching import coverage_error, find_members, match_piece, survey_register
from voile.attacks.prior.work_limits import SETS, SETS_LEFT_OUT, WALKS, WALKS_LEFT_OUT
from voile.errors import DataError
from voile.models.claimed_model import claimed_model
from voile.models.r_robustness import RRobustness, statistician
from voile.plugins.counted_nouns import count_noun
from voile.plugins.registry import knob, learned_field
from voile.releases.release import Release
from voile.results import Belief
from voile.tables.group_counts import Counts
from voile.tables.microdata import Microdata
from voile.tables.part_protocol import Over
from voile.tables.row_protocol import WITHHELD

Question = tuple[tuple[str, ...], bool, str, tuple[float, float] | None]  # values, as a set, reading, what is allowed
SPREAD = 5_000_000  # pairs of person and value that statistics are estimated from


@dataclass(frozen=True)
class Prior(PiecewiseAttack):
    """Belief in a sensitive value under known statistics, the greatest over all sets of columns.

    `prior` holds the statistics or names their file. Without it they are learned from the table where the auditor has
    it (every signature of up to `max_columns` columns that `min_support` people share), else from the release itself.
    Learned statistics are weighed as far as the work is bounded: on large tables fewer columns are combined, and the
    longest walks through groups are left out; the result says how many. Statistics that are named are weighed fully.
    A release that promises r-robustness is also attacked where its promise is: its protected values, in its reading.

    >>> Prior(min_support=50).name
    'prior'
    """

    name: ClassVar[str] = "prior"
    quick: ClassVar[Mapping[str, Any]] = {"max_columns": 2, "max_states": 20_000}

    prior: Statistics | str | None = None
    min_support: int = knob(SUPPORT, low=1)
    max_columns: int | None = knob(None, low=1, high=1000)
    reading: str = knob("full", choices=("full", "binary"))
    max_states: int = knob(MAX_STATES, low=2)
    known: Mapping[str, Any] | None = learned_field()  # the table's own statistics, by column
    named: Mapping[str, Any] | None = learned_field()  # those of the file that `prior` names, where pieces lack it
    register: Microdata | None = learned_field()

    def learn(self, data: Microdata | None) -> Prior:
        if data is None:
            return self
        data = data.with_all_rows()  # which rows of a person were drawn is not known: all of them may be in the release
        if self.prior is not None:
            return replace(self, register=data)
        columns, limits = data.columns, self._limits(data.rows.total, len(data.columns.quasi))
        statistics = {
            column.name: prior_learning.learn_statistics(columns, data.rows, column, **limits)
            for column in columns.sensitive
        }
        return replace(self, known=statistics, register=data)

    def _limits(self, people: int, columns: int) -> dict[str, Any]:
        """Limit the number of columns that are combined: all of them, or as many as can be afforded."""
        max_columns = work_limits.limit_columns(people, columns, self.max_columns)
        return {"min_support": self.min_support, "max_columns": max_columns}

    def guesses(self, target: Target, external: Microdata | None) -> list[Guess]:
        guesses = []
        for name, counts in target.tallies.items():
            members, counts = _find_members(target, counts, external)
            if members is None:
                # the auditor's own table serves as a register, where each person fits one box only
                with contextlib.suppress(DataError):
                    members, counts = _find_members(target, counts, self.register)
            prior = self._find_statistics(name, members, counts)
            if prior is None:
                continue
            claimed = _list_claimed_questions(target, name)
            is_claimed = any(question[:3] == ((), False, self.reading) for question in claimed)
            questions: list[Question] = [*([] if is_claimed else [((), False, self.reading, None)]), *claimed]
            assert counts.column is not None
            if counts.column.indicator:
                questions = [question for question in questions if question[0]] or questions[:0]
            for protect, as_set, reading, allowed in questions:
                model = RRobustness(r=2, protect=protect or "all", protect_as="set" if as_set else "values")
                belief = self._compute_belief(prior, members, counts, model, reading == "binary", allowed)
                subject = f"{name_protected(len(protect))} of {name!r}" if protect else repr(name)
                title = f"Belief about {subject}, with statistics of {count_noun(len(prior.sets), 'column set')}"
                title += " (binary reading)" if reading == "binary" else ""
                people = int(members.counts.sum()) if members is not None else None
                guesses.append(Guess(title, statistician(reading), belief, _name_statistics(prior, target), people))
        return guesses

    def describe_gaps(self, belief: Belief) -> str:
        return work_limits.describe_gaps(self.name, belief)

    def can_divide(self, release: Release, external: Microdata | None) -> bool:
        """Return whether pieces suffice: what a release itself teaches about its people is learned from all of it at
        once."""
        has_statistics = self.prior is not None or self.known is not None
        return has_statistics or (not release.shows_members and external is None)

    def guess_pieces(self, release: Release, over: Over, external: Microdata | None) -> list[Guess]:
        """Match a register with all pieces first: people who fit boxes of several pieces are in none of them for
        certain."""
        attack, register = self, external if external is not None else self.register
        if isinstance(self.prior, str):
            statistics = {name: read_prior(self.prior, name) for name in sensitive_names(release)}
            attack = replace(attack, prior=None, named=statistics)
        if release.shows_members or register is None:
            return self.combine(over(guess_piece, replace(attack, register=None), external))
        register = register.with_rows(register.rows.collect())
        table = register.rows.histogram([str(entry["name"]) for entry in release.described("quasi")])
        fits_one, short, overlap = survey_register(table.counts, over(match_piece, register))
        if short and external is not None:
            if overlap:  # nothing tells in which of several groups somebody is
                return self.combine(over(guess_piece, replace(attack, register=None), None))
            raise coverage_error(short)
        clear = register.with_rows(register.rows.collect().place(table, np.where(fits_one, 0, WITHHELD)))
        attack = replace(attack, register=None if short or external is not None else clear)
        return self.combine(over(guess_piece, attack, clear if external is not None else None))

    def combine(self, pieces: Sequence[Sequence[Guess]]) -> list[Guess]:
        combined = []
        for guess, first in zip(super().combine(pieces), pieces[0] if pieces else (), strict=True):
            shared = (SETS, SETS_LEFT_OUT)
            set_counts = {name: first.belief.details[name] for name in shared if name in guess.belief.details}
            details = {**guess.belief.details, **set_counts}
            combined.append(replace(guess, belief=replace(guess.belief, details=details)))
        return combined

    def _find_statistics(self, name: str, members: Members | None, counts: Counts) -> Statistics | None:
        prior = read_prior(self.prior, name) if isinstance(self.prior, str) else self.prior
        if prior is not None:
            return prior if prior.column == name else None
        read = self.named or self.known
        if read is not None:
            return read.get(name)
        return self._estimate_statistics(members, counts)

    def _estimate_statistics(self, members: Members | None, counts: Counts) -> Statistics:
        """Estimate the statistics from the release itself: within a group every link counts as equally likely."""
        assert counts.column is not None
        column = counts.column
        if column.indicator:
            column, counts = make_indicator(column, INDICATOR), expect_counts(counts)
        if members is None:
            shares = counts.totals / max(int(counts.totals.sum()), 1)
            return Statistics(column.name, tuple(column.domain.labels), (), shares)
        group = np.repeat(np.arange(members.groups), np.diff(members.starts))
        pairs = np.diff(counts.starts)[group]
        if pairs.sum() > SPREAD:
            affordable = np.cumsum(pairs) <= SPREAD
            group, pairs = group[affordable], pairs[affordable]
            rows, people = members.rows[affordable], members.counts[affordable]
        else:
            rows, people = members.rows, members.counts
        entry = np.repeat(np.arange(len(group)), pairs)
        within = np.arange(len(entry)) - np.repeat(np.cumsum(pairs) - pairs, pairs)
        position = counts.starts[group[entry]] + within
        weight = people[entry] * counts.counts[position] / np.maximum(counts.sizes[group[entry]], 1)
        limits = self._limits(int(counts.sizes.sum()), len(members.columns))
        codes = members.codes[rows[entry]]
        return tabulate_statistics(members.columns, column, codes, counts.values[position], weight, **limits)

    def _compute_belief(
        self,
        prior: Statistics,
        members: Members | None,
        counts: Counts,
        model: RRobustness,
        binary: bool,
        allowed: tuple[float, float] | None,
    ) -> Belief:
        assert counts.column is not None
        events = model.events(counts.column)
        if members is None:
            return _belief_by_shares(counts, events, model)
        is_named = self.prior is not None or self.named is not None
        events = np.append(events, -1)  # one more value for people who are not in the table
        posterior = compute_posterior(
            prior,
            members,
            counts,
            events,
            model.protected_values,
            as_set=model.protect_as == "set",
            binary=binary,
            max_states=self.max_states,
            allowed=allowed or ANYTHING,
            most_steps=None if is_named else work_limits.limit_steps(int(counts.sizes.sum())),
        )
        bounded_groups = float((~posterior.exact).sum())
        details = {SETS: float(len(posterior.sets)), "groups with an upper bound only": bounded_groups}
        columns = sum(len(statistics.names) == 1 for statistics in prior.sets)
        missing = work_limits.count_sets(columns, self.max_columns or columns) - len(prior.sets)
        if not is_named and missing > 0:
            details[SETS_LEFT_OUT] = float(missing)
        if posterior.left_out.any():
            walks = {WALKS: len(posterior.sets) * counts.groups, WALKS_LEFT_OUT: posterior.left_out.sum()}
            details |= {name: float(number) for name, number in walks.items()}
        baseline = _compute_baseline(prior, members, counts, events, model)
        people = _count_likeliest(posterior.risk, members, counts.sizes)
        excess = posterior.excess if allowed else None
        return Belief(model.limits, posterior.risk, people, baseline, counts.column.name, details, excess=excess)


def _name_statistics(prior: Statistics, target: Target) -> str:
    """Return the digest of the statistics if a claim rests on any; without such a claim nobody compares it."""
    return prior.digest if any(claim["basis"] == "prior" for claim in target.certificate.claims) else ""


def _belief_by_shares(counts: Counts, events: np.ndarray, model: RRobustness) -> Belief:
    """Return the belief where members cannot be told apart: statistics add nothing to the shares of their group."""
    assert counts.column is not None
    event = events[counts.values]
    largest = np.zeros(counts.groups, dtype=np.int64)
    for event_code in np.unique(event[event >= 0]):
        largest = np.maximum(largest, counts.summed(np.where(event == event_code, counts.counts, 0)))
    totals = np.bincount(events[events >= 0], weights=counts.totals[events >= 0], minlength=1)
    baseline = float(totals.max(initial=0)) / max(int(counts.totals.sum()), 1)
    share = largest / np.maximum(counts.sizes, 1)
    return Belief(model.limits, share, counts.sizes, baseline, counts.column.name)


def _list_claimed_questions(target: Target, name: str) -> list[Question]:
    """Return the events, readings and allowed beliefs that the release's own claims of r-robustness are about."""
    questions: list[Question] = []
    for claim in target.certificate.claims:
        if claim["model"] == RRobustness.name and claim["column"] == name:
            parameters = claim["parameters"]
            protect = () if parameters.get("protect", "all") == "all" else tuple(parameters["protect"])
            allowed = cast(RRobustness, claimed_model(claim)).allowed
            reading, as_set = str(parameters.get("reading", "full")), parameters.get("protect_as") == "set"
            questions.append((protect, as_set, reading, allowed))
    return questions


def _find_members(target: Target, counts: Counts, register: Microdata | None) -> tuple[Members | None, Counts]:
    """Return who may be in each group, as published or according to a register; None if nothing tells people apart."""
    if not isinstance(target, Release):
        return None, counts
    if target.shows_members:
        return target.members, counts
    if target.shows_boxes and register is not None:
        return find_members(target, counts, register)
    return None, counts


def _count_likeliest(risk: np.ndarray, members: Members, sizes: np.ndarray) -> np.ndarray:
    """Return how many people of each entry count as published: as many per group as the release shows, those with the
    highest risk first."""
    group = np.repeat(np.arange(members.groups), np.diff(members.starts))
    order = np.lexsort((-risk, group))
    ahead = np.cumsum(members.counts[order]) - members.counts[order]
    ahead -= np.repeat(ahead[np.minimum(members.starts[:-1], len(ahead) - 1)], np.diff(members.starts))
    people = np.zeros(len(risk), dtype=np.int64)
    people[order] = np.clip(sizes[group[order]] - ahead, 0, members.counts[order])
    return people


def _compute_baseline(
    prior: Statistics, members: Members, counts: Counts, events: np.ndarray, model: RRobustness
) -> float:
    """Return the mean over people of the greatest prior belief in an event, without the release."""
    assert counts.column is not None
    is_indicator = counts.column.indicator
    statistics = prior.as_indicator(model.protected_values) if is_indicator else prior
    usual = counts.totals / max(int(counts.totals.sum()), 1)
    encoded = encode_people(statistics, members, counts.column, usual[: counts.column.size])
    event_count = int(events.max(initial=-1)) + 1
    if event_count == 0 or not len(members.rows):
        return 0.0
    value_events = events[: encoded.rows.shape[1]]
    chance = np.stack([encoded.rows[:, value_events == event].sum(axis=1) for event in range(event_count)]).max(axis=0)
    peak = chance[encoded.index].max(axis=0)
    return min(float(np.average(peak[members.rows], weights=members.counts)), 1.0)
