"""Minimality: a release that is no coarser than needed tells why it is so coarse.

The adversary has the release, a register of the people in it, and knows the method and what it had to satisfy. For each
group they ask what the method would have shown instead, had the policy allowed it. It was refused, so in the true table
some part of it fails. All tables in which nothing fails are struck out, and belief is counted in the rest. What a
method would have shown, it says itself (`Method.refused`); of a method that does not say, it is only assumed that it
would rather have shown the table as it was. The baseline is the most frequent value of the whole table.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from typing import Any, ClassVar, cast

import numpy as np
import polars as pl

from voile.adversaries.adversary import Adversary, Knowledge
from voile.attacks.base import Attack, Guess, RawTable, Target
from voile.attacks.minimality import exact_worlds
from voile.attacks.minimality.candidates import Crowd, crowd
from voile.attacks.minimality.exact_worlds import Posterior, Shown
from voile.attacks.minimality.posterior import beliefs
from voile.errors import DataError, PolicyError, SpecError
from voile.models.base import Model
from voile.models.policy import Policy
from voile.plugins.registry import build, knob
from voile.releases.release import Release
from voile.results import Belief
from voile.tables.domain import encode_column, infer_kind
from voile.tables.group_counts import tally
from voile.tables.hierarchy import tree
from voile.tables.microdata import Microdata
from voile.tables.schema import Column, Columns

KNOWN = (Knowledge.MEMBERSHIP, Knowledge.QUASI, Knowledge.POPULATION, Knowledge.ALGORITHM)


@dataclass(frozen=True)
class Minimality(Attack):
    """Belief in a value after striking out the tables that would have been shown otherwise.

    The requirement is what the certificate claims, or the model named here. `exclusion="one-step"` strikes out what a
    finer step of the method would have shown, `"original"` only tables that need no coarsening at all. Groups with more
    than `worlds` worlds are counted by convolution or, where that is too much, estimated by drawing.

    >>> Minimality().exclusion
    'one-step'
    """

    name: ClassVar[str] = "minimality"
    needs_external: ClassVar[bool] = True
    quick: ClassVar[Mapping[str, Any]] = {"worlds": 1000}

    requirement: Model | None = None
    exclusion: str = knob("one-step", choices=("one-step", "original"))
    worlds: int = knob(100_000, low=1)

    def guesses(self, target: Target, external: Microdata | None) -> list[Guess]:
        if external is None:
            raise SpecError(
                "minimality needs a register of the people in the release.",
                code="spec.external",
                hint="Give one with external= (--external).",
            )
        if isinstance(target, RawTable):
            return _as_it_was(target)
        assert isinstance(target, Release)
        policy = self._policy(target)
        people = crowd(target, external, policy, self.exclusion == "original")
        return [guess for column in target.tallies for guess in self._guesses(target, policy, people, column)]

    def _models(self, release: Release) -> list[Model]:
        return [self.requirement] if self.requirement is not None else _claimed(release)

    def _policy(self, release: Release) -> Policy | None:
        """What the release had to satisfy, and does."""
        models = [model for model in self._models(release) if model.basis == "counts"]
        if not models:
            return None
        columns = Columns((), tuple(c.column for c in release.tallies.values() if c.column), ())
        policy = Policy(*models)
        policy.check(columns)
        failing = int((~policy.holds(columns, release.tallies, release.sizes)).sum())
        if failing:
            raise PolicyError(
                f"The release does not satisfy the requirement itself: {failing} of {release.groups} groups fail.",
                code="policy.requirement",
                hint="Name the requirement that it was published under, or leave it to the certificate.",
            )
        return policy

    def _guesses(self, release: Release, policy: Policy | None, people: Crowd, name: str) -> list[Guess]:
        counts = release.tallies[name]
        assert counts.column is not None
        found = beliefs(people, policy, name, self.worlds)
        baseline = float(counts.totals.max(initial=0) / max(int(counts.totals.sum()), 1))
        informed = Adversary.who("neighbour who knows the method", *KNOWN)
        bounds: dict[str, Fraction] = {}
        models = [m for m in self._models(release) if m.reads_values and getattr(m, "column", None) in (None, name)]
        for model in models:
            limits = model.limited()
            if limits in ("belief", "protected belief") and model.bound() < 1:
                bounds[limits] = min(bounds.get(limits, model.bound()), model.bound())
        guesses = []
        for limits, sets in _sets(models, counts.column).items():
            risk, shown = found.risk(sets), found.risk(sets, naive=True)
            bound = bounds.get(limits)
            details = {
                "people believed in more than their group shows": int(found.people[risk > shown + 1e-9].sum()),
                "people whose value is certain": int(found.people[risk > 1 - 1e-9].sum()),
                "people in groups that no table explains": found.unexplained,
                "people in groups too large to answer": found.unanswered,
                "people by estimate": found.estimated,
                "half-width of the widest 95 % interval": found.error,
            }
            if bound is not None:
                details[f"people above {bound}"] = int(found.people[risk > float(bound) + 1e-9].sum())
            belief = Belief(limits, risk, found.people, baseline, name, details, float(bound) if bound else None)
            title = f"Minimality of {name!r}" + (", protected values" if limits != "belief" else "")
            guesses.append(Guess(title, informed, belief))
        return guesses


def _claimed(release: Release) -> list[Model]:
    """The models of the certificate, each for its column."""
    models = []
    for claim in release.certificate.claims:
        model = cast(Model, build("models", str(claim["model"]), dict(claim["parameters"])))
        if claim["column"] is not None and any(field.name == "column" for field in fields(model)):
            model = replace(model, column=str(claim["column"]))  # type: ignore[call-arg]
        models.append(model)
    return models


def _sets(models: Sequence[Model], column: Column) -> dict[str, np.ndarray]:
    """What may be believed: every value and, where a model protects some, the sets that it protects."""
    some = [model.guarded(column) for model in models if model.limited() == "protected belief"]
    sets = {"belief": np.eye(column.size, dtype=bool)}
    return {**sets, "protected belief": np.concatenate(some)} if some else sets


def _as_it_was(target: RawTable) -> list[Guess]:
    """The table itself refuses nothing: belief is the share among the people with the same quasi-identifier."""
    informed = Adversary.who("neighbour who knows the method", *KNOWN)
    found = []
    for name, counts in target.tallies.items():
        risk = counts.largest() / np.maximum(counts.sizes, 1)
        baseline = float(counts.totals.max(initial=0) / max(int(counts.totals.sum()), 1))
        found.append(Guess(f"Minimality of {name!r}", informed, Belief("belief", risk, counts.sizes, baseline, name)))
    return found


def attack_local(
    external: Mapping[Any, int],
    published: Sequence[Mapping[str, Any]],
    requirement: Model | exact_worlds.Test,
    *,
    weighting: str = "slots",
    steps: Sequence[Callable[[Any], Any]] = (),
    hierarchy: Mapping[str, Any] | None = None,
    max_worlds: int = 1_000_000,
) -> Posterior:
    """The attack on a release written out by hand, exactly: `published` lists groups as
    `{"inside": {kind of people: number}, "values": [...]}`.

    The requirement is a model, or any test of a table `{kind: values}`. Without `steps` a table is struck out if it
    satisfies the requirement as it is; with them, if it does when each kind q is shown as `step(q)`, for some step.

    >>> from voile.models.k_e import KE
    >>> shown = [{"inside": {"q1": 2, "q2": 1}, "values": [30, 30, 20]}, {"inside": {"q2": 2}, "values": [10, 40]}]
    >>> attack_local({"q1": 2, "q2": 3}, shown, KE(k=2, e=5)).belief["q1", 30]
    Fraction(1, 1)
    """
    groups = [Shown(group["inside"], list(group["values"])) for group in published]
    every = [value for group in groups for value in group.values]
    satisfied = judged_by(requirement, every, hierarchy) if isinstance(requirement, Model) else requirement
    if isinstance(requirement, Model) and not satisfied(dict(enumerate(group.values for group in groups))):
        raise PolicyError(
            "The release does not satisfy the requirement itself.",
            code="policy.requirement",
            hint="Name the requirement that it was published under.",
        )

    def could_show(table: Mapping[Any, Sequence[Any]]) -> bool:
        if not steps:
            return satisfied(table)
        for step in steps:
            merged: dict[Any, list[Any]] = {}
            for kind, values in table.items():
                merged.setdefault(step(kind), []).extend(values)
            if satisfied(merged):
                return True
        return False

    return exact_worlds.credibility(external, groups, could_show, weighting=weighting, worlds=max_worlds)


def judged_by(model: Model, values: Sequence[Any], hierarchy: Mapping[str, Any] | None = None) -> exact_worlds.Test:
    """A model as a test of a table `{kind: values}`; `values` are those of the whole table."""
    series = pl.Series("value", values)
    domain, codes = encode_column(
        "value", series, infer_kind(series), sorted(_leaves(hierarchy)) if hierarchy else None
    )
    totals = np.bincount(codes, minlength=domain.size)
    fitted = tree(hierarchy).fit("value", domain, totals) if hierarchy else None
    column = Column("value", "sensitive", domain, fitted)
    model.check(column)
    known: dict[tuple[Any, ...], bool] = {}

    def one(group: Sequence[Any]) -> bool:
        counts = Counter(group)
        key = tuple(sorted(counts.items(), key=repr))
        if key not in known:
            code = np.array([domain.code_of(value) for value, _ in key], dtype=np.int64)
            weight = np.array([count for _, count in key], dtype=np.int64)
            group_counts = tally(column, np.zeros(len(key), dtype=np.int64), code, weight, 1, totals)
            known[key] = bool(model.holds(group_counts)[0])
        return known[key]

    return lambda table: all(one(group) for group in table.values() if len(group))


def _leaves(nested: Any) -> list[Any]:
    if isinstance(nested, Mapping):
        return [leaf for below in nested.values() for leaf in _leaves(below)]
    return list(nested)


def joined_with(earlier: Sequence[Mapping[str, Any]], requirement: exact_worlds.Test) -> exact_worlds.Test:
    """A requirement on the join with an earlier release: for every kind of people, pairs of rows that agree on the
    value, one from the table and one from an earlier group that the kind is in."""

    def satisfied(table: Mapping[Any, Sequence[Any]]) -> bool:
        pairs = {}
        for kind, values in table.items():
            for number, group in enumerate(earlier):
                if group["inside"].get(kind):
                    there = Counter(group["values"])
                    pairs[kind, number] = [value for value in values for _ in range(there[value])]
        return requirement(table) and requirement({place: both for place, both in pairs.items() if both})

    return satisfied


def fraction(belief: Posterior, kind: Any, value: Any) -> Fraction | None:
    """Belief in one value for one kind of people; None where no table explains the release."""
    if belief.belief is None:
        return None
    if (kind, value) not in belief.naive:
        raise DataError(
            "Nobody of this kind is in the release, or it does not show the value.",
            code="data.target",
            hint="Name a kind of the external table and a published value.",
        )
    return belief.belief[kind, value]
