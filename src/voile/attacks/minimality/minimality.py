"""Minimality: a release that is no coarser than necessary reveals why it is so coarse.

The adversary has the release and a register of the people in it, and knows the method and what it had to satisfy. For
each group they ask what the method would have shown instead, had the policy allowed it. It was refused, so in the true
table some part of it fails. The adversary eliminates all tables in which nothing fails, and counts belief in the rest.
The method itself says what it would have shown (`ExplainsRefusals.refused_steps`); about any other method it is only
assumed that it would rather have shown the original table. The baseline is the most frequent value of the whole table.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np

from voile.adversaries.adversary import Adversary, Knowledge
from voile.attacks.base import Attack, Guess, RawTable, Target, most_frequent_share
from voile.attacks.minimality.accounted_refusals import guess_accounted
from voile.attacks.minimality.candidates import Candidates, find_candidates, find_method
from voile.attacks.minimality.posterior import (
    BOUNDED,
    COVERED,
    ESTIMATED,
    EXACT,
    UNEXPLAINED,
    UNKNOWN,
    CandidateBeliefs,
    compute_beliefs,
)
from voile.attacks.minimality.replayed_worlds import ReplayedWorlds, replay_worlds
from voile.attacks.minimality.value_types import sensitive_columns
from voile.errors import PolicyError, SpecError, option
from voile.methods.base import FollowsNoKey
from voile.models.abilities import protected_sets
from voile.models.base import Model
from voile.models.claimed_model import requested_model
from voile.models.kinds import SpansReleases, reads_column
from voile.models.personalized import Personalized
from voile.models.policy import Policy
from voile.plugins.registry import knob
from voile.releases.release import Release
from voile.results import Belief
from voile.tables.microdata import Microdata
from voile.tables.schema import Column

INSIDER = Adversary.who(
    "neighbour who knows the method",
    Knowledge.MEMBERSHIP,
    Knowledge.QUASI,
    Knowledge.POPULATION,
    Knowledge.ALGORITHM,
)


@dataclass(frozen=True)
class Minimality(Attack):
    """Belief in a value after eliminating the tables that the method would have shown otherwise.

    The requirement is what the certificate claims, or the model named here. `exclusion="one-step"` eliminates the
    tables for which the method would have taken a finer step, `"original"` only those that need no coarsening at all.
    A release with up to `replays` worlds is attacked exactly: the method runs again on each of them. Otherwise the
    refused steps are used that the method reports; groups with more than `worlds` worlds are counted by convolution or,
    if that is too much work, by drawing worlds, the longer the larger `worlds` is.

    >>> Minimality().exclusion
    'one-step'
    """

    name: ClassVar[str] = "minimality"
    needs_external: ClassVar[bool] = True
    quick: ClassVar[Mapping[str, Any]] = {"worlds": 1000, "replays": 100}

    requirement: Model | None = None
    exclusion: str = knob("one-step", choices=("one-step", "original"))
    worlds: int = knob(100_000, low=1)
    replays: int = knob(2_000, low=0)

    def guesses(self, target: Target, external: Microdata | None) -> list[Guess]:
        if external is None:
            raise SpecError(
                "The minimality attack needs a register of the people in the release.",
                code="spec.external",
                hint=f"Give one ({option('external')}).",
            )
        if isinstance(target, RawTable):
            return _guess_raw(target)
        assert isinstance(target, Release)
        models = [self.requirement] if self.requirement is not None else _claimed_models(target)
        policy = _check_requirement(target, models)
        candidates = find_candidates(target, external, policy, self.exclusion == "original")
        if any(_keeps_wishes_secret(model) for model in models):
            candidates = replace(candidates, steps=None)  # so no belief is called exact
        others_decide = policy is not None and len(policy.models) < len(models)
        if candidates.steps is not None and (_spans_releases(models) or others_decide):
            # what earlier releases or models that count no values demanded is not known
            candidates = replace(candidates, steps=replace(candidates.steps, complete=False))
        is_own = self.requirement is None and self.exclusion == "one-step"
        accounted = guess_accounted(candidates, external, policy) if is_own else None
        if accounted is not None:
            return [Guess(f"Minimality attack on {belief.column!r}", INSIDER, belief) for belief in accounted]
        replayed = self._replay(candidates, external, policy, models)
        guesses = []
        for name in target.tallies:
            beliefs = compute_beliefs(candidates, policy, name, self.worlds, replayed)
            guesses += self._guess_column(target, beliefs, models, name)
        return guesses

    def _replay(
        self, candidates: Candidates, external: Microdata, policy: Policy | None, models: Sequence[Model]
    ) -> ReplayedWorlds | None:
        """Run the method again on all worlds, if they are few and if nothing else had a say in the release."""
        release, method = candidates.release, find_method(candidates.release)
        if policy is None or not policy.value_models or self.exclusion == "original":
            return None
        if not isinstance(method, FollowsNoKey) or release.unit.rows > 1 or len(policy.models) < len(models):
            return None
        if _spans_releases(models):
            return None
        return replay_worlds(candidates, external, policy, method, self.replays)

    def _guess_column(
        self, release: Release, beliefs: CandidateBeliefs, models: Sequence[Model], name: str
    ) -> list[Guess]:
        """Make one guess about every value and, where a model protects some, one about the protected values."""
        counts = release.tallies[name]
        assert counts.column is not None
        column_models = [model for model in models if reads_column(model, name)]
        guesses = []
        for limits, sets in _believable_sets(column_models, counts.column).items():
            bound = _strictest_bound(column_models, limits)
            risk, floor = beliefs.risk(sets), float(bound) if bound else None
            details = _details(beliefs, sets, bound)
            belief = Belief(limits, risk, beliefs.people, most_frequent_share(counts), name, details, floor)
            title = f"Minimality attack on {name!r}" + (", protected values" if limits != "belief" else "")
            guesses.append(Guess(title, INSIDER, belief))
        return guesses


def _claimed_models(release: Release) -> list[Model]:
    """Return the models of the certificate, each for its column."""
    return [requested_model(claim) for claim in release.certificate.claims]


def _spans_releases(models: Sequence[Model]) -> bool:
    """Return whether earlier releases, which the attack does not have, had a say in this one."""
    return any(bool(getattr(model, "earlier", ())) for model in models if isinstance(model, SpansReleases))


def _check_requirement(release: Release, models: Sequence[Model]) -> Policy | None:
    """Return the policy of the models that can be checked on counts, or None if there are none. The release itself must
    satisfy it."""
    countable = [model for model in models if model.basis == "counts"]
    if not countable or any(_keeps_wishes_secret(model) for model in models):
        return None
    columns, policy = sensitive_columns(release), Policy(*countable)
    policy.check(columns)
    failing = int((~policy.holds(columns, release.tallies, release.sizes)).sum())
    if failing:
        raise PolicyError(
            f"The release itself does not satisfy the requirement: {failing} of {release.groups} groups fail.",
            code="policy.requirement",
            hint="Name the requirement that it was published under, or name none to use those of the certificate.",
        )
    return policy


def _keeps_wishes_secret(model: Model) -> bool:
    """Whether a model judged the groups by wishes that no adversary knows: then no refusal can be replayed. Naming
    another requirement says what the adversary supposes."""
    return isinstance(model, Personalized) and model.own_nodes


def _believable_sets(models: Sequence[Model], column: Column) -> dict[str, np.ndarray]:
    """Return the sets that beliefs are about: every single value and, where a model protects some, the sets that it
    protects."""
    protected_values = [protected_sets(model, column) for model in models if model.limits == "protected belief"]
    sets = {"belief": np.eye(column.size, dtype=bool)}
    return {**sets, "protected belief": np.concatenate(protected_values)} if protected_values else sets


def _strictest_bound(models: Sequence[Model], limits: str) -> Fraction | None:
    return min((model.bound() for model in models if model.limits == limits and model.bound() < 1), default=None)


def _details(beliefs: CandidateBeliefs, sets: np.ndarray, bound: Fraction | None) -> dict[str, float]:
    certain, highest, people = beliefs.demonstrated_risk(sets), beliefs.highest_risk(sets), beliefs.people
    details = {
        "people with a higher risk than their group shows": int(
            people[certain > beliefs.naive_risk(sets) + 1e-9].sum()
        ),
        "people whose value is certain": int(people[certain > 1 - 1e-9].sum()),
        "people whose risk is exact": beliefs.count(EXACT),
        "people whose risk is bounded": beliefs.count(BOUNDED),
        "people whose risk is an estimate": beliefs.count(ESTIMATED),
        "people whose risk is not known, open to minimality": beliefs.count(UNKNOWN),
        "people whom the claim covers, with nothing to gain": beliefs.count(COVERED),
        "people in groups that no table explains": beliefs.count(UNEXPLAINED),
        "half-width of the widest 95 % interval": float(beliefs.error[beliefs.basis == ESTIMATED].max(initial=0.0)),
        "highest risk that cannot be excluded": float(highest[people > 0].max(initial=0.0)),
    }
    if bound is not None:
        details[f"people above {bound}"] = int(people[certain > float(bound) + 1e-9].sum())
        details[f"people who may be above {bound}"] = int(people[highest > float(bound) + 1e-9].sum())
    return details


def _guess_raw(target: RawTable) -> list[Guess]:
    """Guess from the original table, which refuses nothing: belief is the share among the people with the same
    quasi-identifier."""
    guesses = []
    for name, counts in target.tallies.items():
        risk = counts.largest() / np.maximum(counts.sizes, 1)
        belief = Belief("belief", risk, counts.sizes, most_frequent_share(counts), name)
        guesses.append(Guess(f"Minimality attack on {name!r}", INSIDER, belief))
    return guesses
