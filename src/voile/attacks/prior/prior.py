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
from math import comb
from typing import Any, ClassVar

import numpy as np

from voile.adversaries import prior_learning
from voile.adversaries.group_members import Members
from voile.adversaries.prior import INDICATOR, SUPPORT
from voile.adversaries.prior import Prior as Statistics
from voile.adversaries.prior_learning import read_prior, tabulate_statistics
from voile.adversaries.prior_posterior import MAX_STATES, compute_posterior
from voile.attacks.base import Guess, PiecewiseAttack, Target, guess_piece, sensitive_names
from voile.attacks.prior.register_matching import fits, from_register, surveyed, uncovered
from voile.errors import DataError
from voile.models.r_robustness import RRobustness, statistician
from voile.plugins.registry import knob, learned_field
from voile.releases.release import Release
from voile.results import Belief
from voile.tables.group_counts import Counts
from voile.tables.microdata import Microdata
from voile.tables.part_protocol import Over
from voile.tables.row_protocol import WITHHELD

WORK = 30_000_000  # people times column sets; beyond it fewer columns are combined
SETS = "column sets"
SPREAD = 5_000_000  # pairs of person and value that statistics are estimated from


@dataclass(frozen=True)
class Prior(PiecewiseAttack):
    """Belief in a sensitive value under known statistics, the greatest over all sets of columns.

    `prior` holds the statistics or names their file. Without it they are learned from the table where the auditor has
    it (every signature of up to `max_columns` columns that `min_support` people share), else from the release itself.
    A release that promises r-robustness is also attacked where its promise is: its protected values, in its reading.

    >>> Prior(min_support=50).name
    'prior'
    """

    name: ClassVar[str] = "prior"
    quick: ClassVar[Mapping[str, Any]] = {"max_columns": 2, "max_states": 20_000}

    prior: Statistics | str | None = None
    min_support: int = knob(SUPPORT, low=1)
    max_columns: int | None = knob(None, low=1)
    reading: str = knob("full", choices=("full", "binary"))
    max_states: int = knob(MAX_STATES, low=2)
    known: Mapping[str, Any] | None = learned_field()  # the table's own statistics, by column
    register: Microdata | None = learned_field()

    def learn(self, data: Microdata | None) -> Prior:
        if data is None:
            return self
        if self.prior is not None:
            return replace(self, register=data)
        columns, limits = data.columns, self._limits(data.rows.total, len(data.columns.quasi))
        known = {
            column.name: prior_learning.learn_statistics(columns, data.rows, column, **limits)
            for column in columns.sensitive
        }
        return replace(self, known=known, register=data)

    def _limits(self, people: int, columns: int) -> dict[str, Any]:
        """How many columns are combined: all, or as many as can be afforded."""
        most = self.max_columns or columns
        while most > 1 and people * sum(comb(columns, size) for size in range(1, most + 1)) > WORK:
            most -= 1
        return {"min_support": self.min_support, "max_columns": most}

    def guesses(self, target: Target, external: Microdata | None) -> list[Guess]:
        found = []
        for name, counts in target.tallies.items():
            members, counts = _present(target, counts, external)
            if members is None:
                # the auditor's own table serves as a register, where each person fits one box only
                with contextlib.suppress(DataError):
                    members, counts = _present(target, counts, self.register)
            prior = self._statistics(name, members, counts)
            if prior is None:
                continue
            asked: list[tuple[tuple[str, ...], bool, str]] = [((), False, self.reading)]
            asked += [one for one in _promised(target, name) if one not in asked]
            assert counts.column is not None
            if tuple(counts.column.domain.labels) == INDICATOR:
                asked = [one for one in asked if one[0]] or asked[:0]
            for protect, as_set, reading in asked:
                model = RRobustness(r=2, protect=protect or "all", protect_as="set" if as_set else "values")
                belief = self._belief(prior, members, counts, model, reading == "binary")
                what = f"one of {len(protect)} protected values of {name!r}" if protect else repr(name)
                title = f"Belief about {what}, with statistics of {len(prior.sets)} column sets"
                title += " (binary reading)" if reading == "binary" else ""
                asked_of = int(members.counts.sum()) if members is not None else None
                found.append(Guess(title, statistician(reading), belief, prior.digest, asked_of))
        return found

    def can_divide(self, release: Release, external: Microdata | None) -> bool:
        """What a release itself teaches about its people is learned from all of it at once."""
        told = self.prior is not None or self.known is not None
        return told or (not release.shows_members and external is None)

    def guess_pieces(self, release: Release, over: Over, external: Microdata | None) -> list[Guess]:
        """Who of a register is in which group is found out first: people whom boxes of several pieces fit are in none
        for certain."""
        attack, register = self, external if external is not None else self.register
        if isinstance(self.prior, str):
            read = {name: read_prior(self.prior, name) for name in sensitive_names(release)}
            attack = replace(attack, prior=None, known=read)
        if release.shows_members or register is None:
            return self.combine(over(guess_piece, replace(attack, register=None), external))
        register = replace(register, rows=register.rows.collect())
        table = register.rows.histogram([str(entry["name"]) for entry in release.described("quasi")])
        kept, short = surveyed(table.counts, over(fits, register))
        if short and external is not None:
            raise uncovered(short)
        clear = replace(register, rows=register.rows.collect().place(table, np.where(kept, 0, WITHHELD)))
        attack = replace(attack, register=None if short or external is not None else clear)
        return self.combine(over(guess_piece, attack, clear if external is not None else None))

    def combine(self, pieces: Sequence[Sequence[Guess]]) -> list[Guess]:
        found = []
        for guess, first in zip(super().combine(pieces), pieces[0] if pieces else (), strict=True):
            same = {name: first.belief.details[name] for name in (SETS,) if name in guess.belief.details}
            found.append(replace(guess, belief=replace(guess.belief, details={**guess.belief.details, **same})))
        return found

    def _statistics(self, name: str, members: Members | None, counts: Counts) -> Statistics | None:
        prior = read_prior(self.prior, name) if isinstance(self.prior, str) else self.prior
        if prior is not None:
            return prior if prior.column == name else None
        if self.known is not None:
            return self.known.get(name)
        return self._estimated(members, counts)

    def _estimated(self, members: Members | None, counts: Counts) -> Statistics:
        """What the release itself teaches: within a group every link counts as equally likely."""
        assert counts.column is not None
        if members is None:
            shares = counts.totals / max(int(counts.totals.sum()), 1)
            return Statistics(counts.column.name, tuple(counts.column.domain.labels), (), shares)
        group = np.repeat(np.arange(members.groups), np.diff(members.starts))
        pairs = np.diff(counts.starts)[group]
        if pairs.sum() > SPREAD:
            kept = np.cumsum(pairs) <= SPREAD
            group, pairs, rows, people = group[kept], pairs[kept], members.rows[kept], members.counts[kept]
        else:
            rows, people = members.rows, members.counts
        entry = np.repeat(np.arange(len(group)), pairs)
        within = np.arange(len(entry)) - np.repeat(np.cumsum(pairs) - pairs, pairs)
        place = counts.starts[group[entry]] + within
        weight = people[entry] * counts.counts[place] / np.maximum(counts.sizes[group[entry]], 1)
        limits = self._limits(int(counts.sizes.sum()), len(members.columns))
        codes = members.codes[rows[entry]]
        return tabulate_statistics(members.columns, counts.column, codes, counts.values[place], weight, **limits)

    def _belief(
        self, prior: Statistics, members: Members | None, counts: Counts, model: RRobustness, binary: bool
    ) -> Belief:
        assert counts.column is not None
        events = model.events(counts.column)
        if members is None:
            return _undistinguished(counts, events, model)
        events = np.append(events, -1)  # one more value for people who are not in the table
        most = self.max_states
        found = compute_posterior(
            prior, members, counts, events, model.protected_values, binary=binary, max_states=most
        )
        bounded = float((~found.exact).sum())
        details = {SETS: float(len(found.sets)), "groups with an upper bound only": bounded}
        baseline = _baseline(prior, members, counts, events, model)
        people = _likeliest(found.risk, members, counts.sizes)
        return Belief(model.limits, found.risk, people, baseline, counts.column.name, details)


def _undistinguished(counts: Counts, events: np.ndarray, model: RRobustness) -> Belief:
    """Where the members of a group cannot be told apart, statistics about them add nothing to the group's shares."""
    assert counts.column is not None
    event = events[counts.values]
    most = np.zeros(counts.groups, dtype=np.int64)
    for number in np.unique(event[event >= 0]):
        most = np.maximum(most, counts.summed(np.where(event == number, counts.counts, 0)))
    totals = np.bincount(events[events >= 0], weights=counts.totals[events >= 0], minlength=1)
    baseline = float(totals.max(initial=0)) / max(int(counts.totals.sum()), 1)
    share = most / np.maximum(counts.sizes, 1)
    return Belief(model.limits, share, counts.sizes, baseline, counts.column.name)


def _promised(target: Target, name: str) -> list[tuple[tuple[str, ...], bool, str]]:
    """The events and readings that the release's own claims of r-robustness speak of."""
    found = []
    for claim in target.certificate.claims:
        if claim["model"] == RRobustness.name and claim["column"] == name:
            told = claim["parameters"]
            protect = () if told.get("protect", "all") == "all" else tuple(told["protect"])
            found.append((protect, told.get("protect_as") == "set", str(told.get("reading", "full"))))
    return found


def _present(target: Target, counts: Counts, register: Microdata | None) -> tuple[Members | None, Counts]:
    """Who may be in each group: as published, or as a register says; None where nothing tells people apart."""
    if not isinstance(target, Release):
        return None, counts
    if target.shows_members:
        return target.members, counts
    if target.shows_boxes and register is not None:
        return from_register(target, counts, register)
    return None, counts


def _likeliest(risk: np.ndarray, members: Members, sizes: np.ndarray) -> np.ndarray:
    """As many people a group as were published, those with the highest risk first."""
    group = np.repeat(np.arange(members.groups), np.diff(members.starts))
    order = np.lexsort((-risk, group))
    ahead = np.cumsum(members.counts[order]) - members.counts[order]
    ahead -= np.repeat(ahead[np.minimum(members.starts[:-1], len(ahead) - 1)], np.diff(members.starts))
    people = np.zeros(len(risk), dtype=np.int64)
    people[order] = np.clip(sizes[group[order]] - ahead, 0, members.counts[order])
    return people


def _baseline(prior: Statistics, members: Members, counts: Counts, events: np.ndarray, model: RRobustness) -> float:
    """The mean over people of the greatest prior belief in an event, without the release."""
    assert counts.column is not None
    told = prior.as_indicator(model.protected_values) if tuple(counts.column.domain.labels) == INDICATOR else prior
    usual = counts.totals / max(int(counts.totals.sum()), 1)
    known = told.encode(members.columns, members.codes, counts.column, usual[: counts.column.size])
    number = int(events.max(initial=-1)) + 1
    if number == 0 or not len(members.rows):
        return 0.0
    own = events[: known.rows.shape[1]]
    chance = np.stack([known.rows[:, own == event].sum(axis=1) for event in range(number)]).max(axis=0)
    peak = chance[known.index].max(axis=0)
    return min(float(np.average(peak[members.rows], weights=members.counts)), 1.0)
