"""Corruption: ask everybody else, and see which values remain for the person who did not answer.

The adversary has learned the true values of other people in the table: they said so, or a file leaked. If a group's
true values are published, the known ones are removed and the person has one of the rest; once everybody else is known,
only the person's own value remains. In a release of perturbed, sampled rows the adversary weighs, for each candidate,
how likely it is that the group's one published value comes from them, and how likely each value of the person would
have become it (section V of the paper on perturbed generalization). Where a column shows only whether a value is
protected, the known people are struck from the cases of each group, and the belief is in "one of the protected values".

A table names the corrupted people (`known`; an empty sensitive cell means that the person is not in the table), or they
are drawn at random: each other person with probability `corrupted`. On perturbed values the prior is the worst one that
gives no value more than `skew`. Without the table the corrupted people are the worst ones: none of them has the
published value.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from voile.adversaries.adversary import Adversary, Knowledge
from voile.adversaries.prior_posterior import SHOWN
from voile.attacks.base import Attack, Guess, Target
from voile.attacks.corruption.perturbed_posterior import (
    contradiction,
    find_worst_belief,
    find_worst_growth,
    weigh_others,
)
from voile.attacks.corruption.remaining_cases import believe_in_cases, draw_known, find_contradiction
from voile.attacks.indicator_counts import describe_estimates, shows_indicator
from voile.models.anti_corruption.anti_corruption import CORRUPTER, AntiCorruption
from voile.models.claimed_model import claimed_model
from voile.models.r_robustness import RRobustness
from voile.plugins.registry import knob, learned_field, narrow_type
from voile.releases.randomized_response import Channel
from voile.results import Belief
from voile.tables.group_counts import Counts
from voile.tables.microdata import Microdata

ASKER = Adversary.who("corrupter", Knowledge.MEMBERSHIP, Knowledge.QUASI, Knowledge.POPULATION, Knowledge.CORRUPTION)


@dataclass(frozen=True)
class Corruption(Attack):
    """Belief about a person once the values of others are known.

    >>> Corruption(corrupted=0.5).corrupted
    0.5
    """

    name: ClassVar[str] = "corruption"
    counts_values: ClassVar[bool] = False  # it knows the channel

    corrupted: float = knob(1.0, low=0, high=1)
    skew: float = knob(0.1, above=0, high=1)
    rho1: float = knob(0.2, low=0, high=1)
    seed: int = 0
    known: Microdata | None = None
    table: Microdata | None = learned_field()

    def learn(self, data: Microdata | None) -> Corruption:
        return replace(self, table=data) if self.table is None else self

    def guesses(self, target: Target, external: Microdata | None) -> list[Guess]:
        if target.channel is not None:
            return self._guess_perturbed_values(target, target.channel, external)
        # a decomposed release only counts its primary column; nothing can be struck from the lists of the others
        tallies = {name: counts for name, counts in target.tallies.items() if counts.counts.dtype.kind != "f"}
        return [
            (self._guess_protected_values if shows_indicator(counts) else self._guess_true_values)(target, name, counts)
            for name, counts in tallies.items()
        ]

    # releases that show only whether values are protected ---------------------------------------------------------
    def _guess_protected_values(self, target: Target, name: str, counts: Counts) -> Guess:
        """Strike known people from each group and from its cases."""
        if self.known is None:
            cases, others = draw_known(counts, self.corrupted, np.random.default_rng([self.seed, 1]))
            unplaced_people = 0
        else:
            protected = _list_protected(target, name)
            group, value, people = _locate_people(target, self.known, name, counts, protected)
            unplaced_people = int(people[(group < 0) & (value != OUTSIDE)].sum())
            cases, others = (
                np.bincount(group[own], people[own], counts.groups).astype(np.int64)
                for own in ((group >= 0) & (value == code) for code in (SHOWN, 1 - SHOWN))
            )
            reason = find_contradiction(counts, cases, others)
            if reason:
                raise contradiction(reason)
        risk, people, baseline = believe_in_cases(counts, cases, others)
        details = {
            "known people": float(cases.sum() + others.sum()),
            "known people whose group is unclear": float(unplaced_people),
            **describe_estimates(counts),
        }
        belief = Belief("belief", risk, people, baseline, name, details)
        return Guess(f"Corruption attack on protected values of {name!r}", ASKER, belief)

    # releases that show true values ------------------------------------------------------------------------------
    def _guess_true_values(self, target: Target, name: str, counts: Counts) -> Guess:
        """Remove the known values of each group; the person has one of the remaining ones."""
        known_counts, unplaced_people = self._count_known(target, name, counts)
        remaining = counts.counts - known_counts
        total = counts.summed(remaining)
        largest = np.zeros(counts.groups, dtype=np.int64)
        np.maximum.at(largest, counts.owner, remaining)
        # a corrupted person stands for somebody who is asked last: the others' values are struck, not their own
        own_risk = np.maximum(largest[counts.owner], remaining + 1) / (total[counts.owner] + 1)
        risk = np.concatenate([largest / np.maximum(total, 1), own_risk])
        people = np.concatenate([total, known_counts])
        risk, people = risk[people > 0], people[people > 0]
        baseline = float(counts.totals.max(initial=0) / max(int(counts.totals.sum()), 1))
        details = {
            "known people": float(known_counts.sum()),
            "known people whose group is unclear": float(unplaced_people),
        }
        return Guess(f"Corruption attack on {name!r}", ASKER, Belief("belief", risk, people, baseline, name, details))

    def _count_known(self, target: Target, name: str, counts: Counts) -> tuple[np.ndarray, int]:
        """Return how many people of each (group, value) are known, and how many known people fit no group clearly."""
        if self.known is None:
            rng = np.random.default_rng([self.seed, 1])
            return rng.binomial(counts.counts, self.corrupted), 0
        group, value, people = _locate_people(target, self.known, name, counts)
        if ((group >= 0) & (value == UNLISTED)).any():
            raise contradiction("somebody is known to have a value that is not published")
        clear = (group >= 0) & (value >= 0)
        known_counts = np.zeros(len(counts.counts), dtype=np.int64)
        size = counts.column.size if counts.column else 1
        keys = counts.owner * size + counts.values
        wanted_keys = group[clear] * size + value[clear]
        entry = np.minimum(np.searchsorted(keys, wanted_keys), max(len(keys) - 1, 0))
        has_entry = keys[entry] == wanted_keys if len(keys) else np.zeros(len(wanted_keys), dtype=bool)
        np.add.at(known_counts, entry[has_entry], people[clear][has_entry])
        if not has_entry.all() or (known_counts > counts.counts).any():
            raise contradiction("a group holds fewer people with a value than are known to have it")
        return known_counts, int(people[(group < 0) & (value != OUTSIDE)].sum())

    # releases of perturbed values --------------------------------------------------------------------------------
    def _guess_perturbed_values(self, release: Target, channel: Channel, external: Microdata | None) -> list[Guess]:
        ((name, counts),) = release.tallies.items()
        sizes = release.sizes
        same_value, unplaced_people = self._count_with_published_value(release, name, counts, external)
        # corrupted people who have the published value see one fewer such person in their group than the rest do
        others_alike = np.concatenate([np.maximum(same_value - 1, 0), same_value])
        people = np.concatenate([same_value, sizes - same_value])
        nonempty = people > 0
        people = people[nonempty]
        other_weight = weigh_others(channel, np.concatenate([sizes, sizes])[nonempty], others_alike[nonempty])
        details = {
            "corrupted people with the published value": float(same_value.sum()),
            "known people whose group is unclear": float(unplaced_people),
        }
        guesses = []
        for model in self._list_models(release, channel):
            if model.rho2 is None:
                risk, baseline, title = (
                    find_worst_growth(channel, other_weight, model.skew),
                    0.0,
                    "rise in belief about",
                )
            else:
                assert model.rho1 is not None
                risk, baseline = find_worst_belief(channel, other_weight, model.skew, model.rho1), model.rho1
                title = f"from a prior of {model.rho1:g} about"
            belief = Belief(model.limits, risk, people, baseline, name, details)
            guesses.append(Guess(f"Corruption attack, skew {model.skew:g}: {title} {name!r}", CORRUPTER, belief))
        return guesses

    def _list_models(self, release: Target, channel: Channel) -> list[AntiCorruption]:
        """List the models whose priors are tried: those of the claims, and the attack's own."""
        skew = max(self.skew, 1 / channel.size)  # no prior is more even than that
        default_models = [AntiCorruption(growth=0.5, skew=skew)]
        if self.rho1 < 1:
            default_models.append(AntiCorruption(rho1=self.rho1, rho2=(1 + self.rho1) / 2, skew=skew))
        claimed_models = [
            _claimed_target(claim) for claim in release.certificate.claims if claim["model"] == AntiCorruption.name
        ]
        return list({model.limits: model for model in [*claimed_models, *default_models]}.values())

    def _count_with_published_value(
        self, release: Target, name: str, counts: Counts, external: Microdata | None
    ) -> tuple[np.ndarray, int]:
        """Return how many corrupted people of each group truly have its published value, and how many fit no group."""
        source = self.known or self.table
        if source is None or name not in [column.name for column in source.columns.sensitive]:
            return np.zeros(len(counts.values), dtype=np.int64), 0  # the worst case
        group, value, people = _locate_people(release, source, name, counts)
        in_group = group >= 0
        if self.known is not None and (in_group & (value == UNLISTED)).any():
            raise contradiction("somebody is known to have a value that is not in the domain")
        has_value = in_group.copy()
        has_value[in_group] = value[in_group] == counts.values[group[in_group]]
        if self.known is None:
            people = np.random.default_rng([self.seed, 2]).binomial(people, self.corrupted)

        def count_by_group(mask: np.ndarray) -> np.ndarray:
            return np.bincount(group[mask], weights=people[mask], minlength=len(counts.values)).astype(np.int64)

        if self.known is not None:
            outside = in_group & (value == OUTSIDE)
            self._check_sizes(release, external, count_by_group(in_group & ~outside), count_by_group(outside))
        return count_by_group(has_value), int(people[~in_group].sum())

    def _check_sizes(
        self, release: Target, external: Microdata | None, members: np.ndarray, strangers: np.ndarray
    ) -> None:
        """Raise if more people are known than a group holds: g = (G - 1 - beta) / (e - alpha) must be a probability."""
        fitting = release.candidates(external)[0] if external is not None else release.sizes
        candidates = np.maximum(fitting, release.sizes) if external is not None else release.sizes + strangers
        if (members > release.sizes).any() or (candidates - members - strangers < release.sizes - members).any():
            raise contradiction("a group has fewer people than are known to be in it, or too few who may be")


UNLISTED = -1  # a value that the release does not list
OUTSIDE = -2  # a known person who is not in the table


def _claimed_target(claim: Mapping[str, Any]) -> AntiCorruption:
    """Build the model of a claim without its arithmetic: an attack only needs the bounded quantity and the bound."""
    return replace(narrow_type(AntiCorruption, claimed_model(claim)), bounds="paper", domain=None)


def _list_protected(target: Target, name: str) -> frozenset[str]:
    """Return the values that the claims about a column protect."""
    models = [claimed_model(claim) for claim in target.certificate.claims if claim["column"] == name]
    return frozenset(text for model in models if isinstance(model, RRobustness) for text in model.protected_values)


def _locate_people(
    target: Target, source: Microdata, name: str, counts: Counts, protected: frozenset[str] | None = None
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return, for the distinct people of a table, their group, the code of their value (UNLISTED if the release does
    not list it, OUTSIDE if the cell is empty), and how many they are. Where a release shows only whether values are
    protected, `protected` are those that are."""
    assert counts.column is not None
    quasi = [column.name for column in source.columns.quasi]
    table = source.rows.histogram([*quasi, name])
    rows = table.codes[:, : len(quasi)]
    fresh = (rows[1:] != rows[:-1]).any(axis=1)  # both histograms rise in the same order
    group = target.locate(source)[np.append(0, np.cumsum(fresh))]
    code_of = {text: code for code, text in enumerate(counts.column.domain.labels)}
    domain = source.columns[name].domain
    codes = np.array([code_of.get(text, UNLISTED) for text in domain.labels], dtype=np.int64)
    if protected is not None:
        codes = np.array([SHOWN if text in protected else 1 - SHOWN for text in domain.labels], dtype=np.int64)
    if domain.missing:
        codes[-1] = OUTSIDE
    return group, codes[table.column(name)], table.counts
