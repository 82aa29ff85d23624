"""Corruption: ask everybody else, and see which values remain for the one who did not answer.

The adversary has learned the true values of other people in the table: they told, or a file leaked. If a group's true
values are published, the known ones are removed and the person has one of the rest; once everybody else is known, it is
certain. In a release of perturbed, sampled rows the adversary weighs for each candidate how likely the group's one
published value comes from them, and how likely each value of the person would have become it (section V of the paper
on perturbed generalization).

A table names the corrupted people (`known`; an empty sensitive cell means that the person is not in the table), or they
are drawn at random: each other person with probability `corrupted`. On perturbed values the prior is the worst one that
gives no value more than `skew`. Without the table the corrupted people are the worst ones: none of them has the
published value.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from voile.adversaries.adversary import Adversary, Knowledge
from voile.attacks.base import Attack, Guess, Target
from voile.errors import InconsistentKnowledge
from voile.models.anti_corruption.anti_corruption import CORRUPTER, AntiCorruption
from voile.models.claimed_model import claimed_model
from voile.plugins.registry import knob, learned_field, narrow_type
from voile.releases.randomized_response import Channel, exact_fraction
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
    counts_values: ClassVar[bool] = False  # it knows what the channel does

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
            return self._disturbed(target, target.channel, external)
        # of a decomposed release the primary column: the others are listed, and there is nothing to strike from a list
        counted = {name: counts for name, counts in target.tallies.items() if counts.counts.dtype.kind != "f"}
        return [self._true(target, name, counts) for name, counts in counted.items()]

    # releases that show true values ------------------------------------------------------------------------------
    def _true(self, target: Target, name: str, counts: Counts) -> Guess:
        """Strike the known values of each group; the person has one of those that are left."""
        known, unplaced = self._struck(target, name, counts)
        left = counts.counts - known
        total = counts.summed(left)
        most = np.zeros(counts.groups, dtype=np.int64)
        np.maximum.at(most, counts.owner, left)
        # a corrupted person stands in for one who is asked last: the others' values are struck, not their own
        own = np.maximum(most[counts.owner], left + 1) / (total[counts.owner] + 1)
        risk = np.concatenate([most / np.maximum(total, 1), own])
        people = np.concatenate([total, known])
        risk, people = risk[people > 0], people[people > 0]
        baseline = float(counts.totals.max(initial=0) / max(int(counts.totals.sum()), 1))
        details = {"known people": float(known.sum()), "known people whose group is unclear": float(unplaced)}
        return Guess(f"Corruption attack on {name!r}", ASKER, Belief("belief", risk, people, baseline, name, details))

    def _struck(self, target: Target, name: str, counts: Counts) -> tuple[np.ndarray, int]:
        """How many people of each (group, value) are known, and how many known people fit no group clearly."""
        if self.known is None:
            rng = np.random.default_rng([self.seed, 1])
            return rng.binomial(counts.counts, self.corrupted), 0
        group, value, people = _placed(target, self.known, name, counts)
        if ((group >= 0) & (value == UNHEARD)).any():
            raise _contradiction("somebody is known to have a value that is not published")
        clear = (group >= 0) & (value >= 0)
        known = np.zeros(len(counts.counts), dtype=np.int64)
        size = counts.column.size if counts.column else 1
        keys = counts.owner * size + counts.values
        wanted = group[clear] * size + value[clear]
        place = np.minimum(np.searchsorted(keys, wanted), max(len(keys) - 1, 0))
        found = keys[place] == wanted if len(keys) else np.zeros(len(wanted), dtype=bool)
        np.add.at(known, place[found], people[clear][found])
        if not found.all() or (known > counts.counts).any():
            raise _contradiction("a group holds fewer people with a value than are known to have it")
        return known, int(people[(group < 0) & (value != OUTSIDE)].sum())

    # releases of disturbed values --------------------------------------------------------------------------------
    def _disturbed(self, release: Target, channel: Channel, external: Microdata | None) -> list[Guess]:
        ((name, counts),) = release.tallies.items()
        sizes = release.sizes
        same, unplaced = self._alike(release, name, counts, external)
        # of a group, those who are corrupted and have the published value see one such other less than the rest
        alike = np.concatenate([np.maximum(same - 1, 0), same])
        people = np.concatenate([same, sizes - same])
        some = people > 0
        people, others = people[some], _others(channel, np.concatenate([sizes, sizes])[some], alike[some])
        details = {
            "corrupted people with the published value": float(same.sum()),
            "known people whose group is unclear": float(unplaced),
        }
        found = []
        for model in self._settings(release, channel):
            if model.rho2 is None:
                risk, baseline, title = _growth(channel, others, model.skew), 0.0, "rise in belief about"
            else:
                assert model.rho1 is not None
                risk, baseline = _belief(channel, others, model.skew, model.rho1), model.rho1
                title = f"from a prior of {model.rho1:g} about"
            belief = Belief(model.limits, risk, people, baseline, name, details)
            found.append(Guess(f"Corruption attack, skew {model.skew:g}: {title} {name!r}", CORRUPTER, belief))
        return found

    def _settings(self, release: Target, channel: Channel) -> list[AntiCorruption]:
        """The priors to try: those of the claims, and the attack's own."""
        skew = max(self.skew, 1 / channel.size)  # no belief is more even than that
        own = [AntiCorruption(growth=0.5, skew=skew)]
        if self.rho1 < 1:
            own.append(AntiCorruption(rho1=self.rho1, rho2=(1 + self.rho1) / 2, skew=skew))
        claimed = [
            _claimed_target(claim) for claim in release.certificate.claims if claim["model"] == AntiCorruption.name
        ]
        return list({model.limits: model for model in [*claimed, *own]}.values())

    def _alike(self, release: Target, name: str, counts: Counts, external: Microdata | None) -> tuple[np.ndarray, int]:
        """How many corrupted people of each group truly have its published value; and how many fit no group."""
        source = self.known or self.table
        if source is None or name not in [column.name for column in source.columns.sensitive]:
            return np.zeros(len(counts.values), dtype=np.int64), 0  # the worst case
        group, value, people = _placed(release, source, name, counts)
        here = group >= 0
        if self.known is not None and (here & (value == UNHEARD)).any():
            raise _contradiction("somebody is known to have a value that is not in the domain")
        alike = here.copy()
        alike[here] = value[here] == counts.values[group[here]]
        if self.known is None:
            people = np.random.default_rng([self.seed, 2]).binomial(people, self.corrupted)
        same = np.bincount(group[alike], weights=people[alike], minlength=len(counts.values)).astype(np.int64)
        if self.known is not None:
            inside = here & (value != OUTSIDE)
            members = np.bincount(group[inside], weights=people[inside], minlength=len(same)).astype(np.int64)
            strangers = np.bincount(group[here & ~inside], weights=people[here & ~inside], minlength=len(same))
            self._check(release, external, members, strangers.astype(np.int64))
        return same, int(people[~here].sum())

    def _check(self, release: Target, external: Microdata | None, members: np.ndarray, strangers: np.ndarray) -> None:
        """g = (G - 1 - beta) / (e - alpha) must be a probability: no more may be known than there are."""
        fitting = release.candidates(external)[0] if external is not None else release.sizes
        candidates = np.maximum(fitting, release.sizes) if external is not None else release.sizes + strangers
        if (members > release.sizes).any() or (candidates - members - strangers < release.sizes - members).any():
            raise _contradiction("a group has fewer people than are known to be in it, or too few who may be")


UNHEARD = -1  # a value that the release does not know
OUTSIDE = -2  # a known person who is not in the table


def _claimed_target(claim: Mapping[str, Any]) -> AntiCorruption:
    """Build the model of a claim without its arithmetic: an attack asks only what is bounded, and by how much."""
    return replace(narrow_type(AntiCorruption, claimed_model(claim)), bounds="paper", domain=None)


def _placed(target: Target, source: Microdata, name: str, counts: Counts) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """For distinct people of a table: their group, the code of their value (UNHEARD where the release does not know it,
    OUTSIDE where the cell is empty), and how many they are."""
    assert counts.column is not None
    quasi = [column.name for column in source.columns.quasi]
    table = source.rows.histogram([*quasi, name])
    rows = table.codes[:, : len(quasi)]
    fresh = (rows[1:] != rows[:-1]).any(axis=1)  # both histograms rise in the same order
    group = target.locate(source)[np.append(0, np.cumsum(fresh))]
    known = {text: code for code, text in enumerate(counts.column.domain.labels)}
    domain = source.columns[name].domain
    codes = np.array([known.get(text, UNHEARD) for text in domain.labels], dtype=np.int64)
    if domain.missing:
        codes[-1] = OUTSIDE
    return group, codes[table.column(name)], table.counts


def _others(channel: Channel, sizes: np.ndarray, alike: np.ndarray) -> np.ndarray:
    """G times the probability that the published value is another person's: u each, and p more for those who have it.

    Of the others who are not corrupted the adversary believes the worst for the victim: none has the value. Then it
    does not matter which candidates are in the table, because as many as there are, are.
    """
    return (sizes - 1) * float(channel.noise) + alike * float(exact_fraction(channel.keep))


def _belief(channel: Channel, others: np.ndarray, skew: float, rho1: float) -> np.ndarray:
    """The worst belief in a set of prior rho1: it holds the published value, with as much prior as there may be."""
    mass, u = float(exact_fraction(channel.keep)) * min(skew, rho1), float(channel.noise)
    below = mass + u + others
    return rho1 + np.where(below > 0, mass * (1 - rho1) / np.where(below > 0, below, 1), 1 - rho1)


def _growth(channel: Channel, others: np.ndarray, skew: float) -> np.ndarray:
    """The worst rise of belief over priors up to the skew: p w (1-w) / (p w + c) at its peak, or at the skew."""
    keep, c = float(exact_fraction(channel.keep)), others + float(channel.noise)
    if keep == 0:
        return np.zeros(len(others))
    w = np.minimum(skew, (np.sqrt(c * c + keep * c) - c) / keep)
    below = keep * w + c
    return np.where(below > 0, keep * w * (1 - w) / np.where(below > 0, below, 1), 1.0)


def posterior(
    prior: Sequence[float], y: int, channel: Channel, size: int, corrupted: Sequence[int], others: Sequence[float] = ()
) -> tuple[float, np.ndarray]:
    """How likely the published row is the person's, and what is then believed of the person's value.

    `prior` is over the values, y the published one, `size` the group's; `corrupted` are true values of people known to
    be in the group, `others` the prior of y for each further candidate, who is in it with the probability left.

    >>> h, belief = posterior([0.4, 0.3, 0.1, 0.1, 0.1], 0, Channel(0.3, 5), 3, [2, 3])
    >>> round(h, 6), round(float(belief[0]), 6)
    (0.481481, 0.533333)
    """
    keep, u = float(exact_fraction(channel.keep)), float(channel.noise)
    left = size - 1 - len(corrupted)
    if left < 0 or left > len(others):
        raise _contradiction("the group cannot hold exactly the people who are known and those who may be in it")
    present = left / len(others) if len(others) else 0.0
    believed = np.asarray(prior, dtype=np.float64)
    own = keep * believed[y] + u
    known = sum(u + keep * (value == y) for value in corrupted)
    rest = present * sum(keep * share + u for share in others)
    if own + known + rest <= 0:
        raise _contradiction("what is known gives the published value probability 0")
    h = own / (own + known + rest)
    if own <= 0:
        return 0.0, believed
    turned = believed * (u + keep * (np.arange(len(believed)) == y)) / own
    return float(h), h * turned + (1 - h) * believed


def _contradiction(what: str) -> InconsistentKnowledge:
    return InconsistentKnowledge(
        f"The adversary's assumed knowledge contradicts the release: {what}.",
        code="data.inconsistent",
        hint="Check the table of corrupted people and the external table.",
    )
