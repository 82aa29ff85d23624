"""What a promise bounds, as questions to an adversary who knows every chance: how likely is this, given what you see?

A question is a share of worlds: among the worlds that the adversary thinks possible (`base`, a weight per world), those
in which the person has one of some values (`inside`, weights up to the base). Its answer given an output is the chance
of `inside` divided by that of `base`.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from voile.models.abilities import NamesRates, belief_bounds, narrow_to_column, protected_sets
from voile.models.base import Model
from voile.models.kinds import PriorModel, SizeModel
from voile.testing.tiny_publishing import Output
from voile.testing.tiny_table import TinyTable

SKEW = 3.0  # in a skewed prior each value is three times as likely as the next


@dataclass(frozen=True, eq=False)
class Question:
    """One question about one person: weights of worlds, the bound, and the bound after a refusal, where no claim is
    made and nobody can be asked to believe less than before. Of a question about identity, `value` is what the rows
    show that may be the person's: they share the answer."""

    person: int
    base: np.ndarray
    inside: np.ndarray
    bound: float
    refusal_bound: float
    value: int | None = None

    def count_rows(self, outputs: Sequence[Output]) -> np.ndarray:
        """Return for each output how many rows share the answer; 0 where the question has no meaning."""
        if self.value is None:
            return np.ones(len(outputs))
        alike = [output.alike[self.person][self.value] if output.alike else 0 for output in outputs]
        return np.array(alike, dtype=np.float64)


def default_rates(table: TinyTable, model: Model) -> list[np.ndarray]:
    """Return the priors that a claim names, each as rates per person and value.

    A promise that rests on statistics names them, one prior per set of columns. To one that counts people are alike:
    it may name the rates of the values (`NamesRates`); else they are even, or skewed in either direction. People are
    always independent.
    """
    size = len(table.values)
    if isinstance(model, NamesRates):
        return [np.tile(rates, (table.people, 1)) for rates in model.named_rates(table.target)]
    statistics = model.statistics if isinstance(model, PriorModel) else None
    if statistics is not None:
        even = np.full(size, 1 / size)
        coded = statistics.encode(table.data.columns.quasi, table.quasi_codes, table.target, even)
        return [coded.rows[index] for index in coded.index]
    falling = SKEW ** -np.arange(size)
    return [np.tile(rates / rates.sum(), (table.people, 1)) for rates in (np.ones(size), falling, falling[::-1])]


def list_questions(table: TinyTable, model: Model, rates: Sequence[np.ndarray] | None) -> Iterator[Question]:
    """List what a model bounds; nothing if it bounds no belief."""
    model, worlds = narrow_to_column(model, table.target.name), np.array(list(table.worlds()))
    if isinstance(model, SizeModel):
        for prior in rates or default_rates(table, model):
            yield from _ask_identity(table, model, worlds, prior)
    elif " under " in model.limits:
        yield from _ask_knowing_others(table, model, worlds)
    elif model.limits == "privacy loss":
        yield from _ask_ratio(table, model, worlds)
    elif model.limits in ("belief", "protected belief") and model.bound() < 1:
        for prior in rates or default_rates(table, model):
            yield from _ask_values(table, model, worlds, prior)


def know_totals(table: TinyTable, question: Question) -> Iterator[Question]:
    """Ask the same of an adversary who knows how often each value occurs in the whole table, for all such numbers."""
    totals = np.sort(np.array(list(table.worlds())), axis=1)
    for known in np.unique(totals, axis=0):
        fits = (totals == known).all(axis=1)
        base, inside = question.base * fits, question.inside * fits
        if base.sum() > 0:
            before = float(inside.sum() / base.sum())
            refusal_bound = max(question.bound, before) if question.value is None else question.refusal_bound
            yield replace(question, base=base, inside=inside, refusal_bound=refusal_bound)


def weigh_worlds(worlds: np.ndarray, rates: np.ndarray) -> np.ndarray:
    """Return the probability of every world, people being independent with these rates (people x values)."""
    return np.asarray(np.prod(rates[np.arange(len(rates)), worlds], axis=1))


def _ask_values(table: TinyTable, model: Model, worlds: np.ndarray, rates: np.ndarray) -> Iterator[Question]:
    base = weigh_worlds(worlds, rates)
    for event in protected_sets(model, table.target):
        before = rates @ event
        bounds = belief_bounds(model, before)
        for person in range(table.people):
            inside = np.where(event[worlds[:, person]], base, 0.0)
            bound = float(bounds[person])
            yield Question(person, base, inside, bound, max(bound, float(before[person])))


def _ask_identity(table: TinyTable, model: Model, worlds: np.ndarray, rates: np.ndarray) -> Iterator[Question]:
    """Ask which published row is a person's: rows that show the same are equally likely to be theirs."""
    base, bound = weigh_worlds(worlds, rates), float(model.bound())
    for person, value in itertools.product(range(table.people), range(len(table.values))):
        inside = np.where(worlds[:, person] == value, base, 0.0)
        yield Question(person, base, inside, bound, 1.0, value)


def _ask_knowing_others(table: TinyTable, model: Model, worlds: np.ndarray) -> Iterator[Question]:
    """Ask for any set of values, whatever the values of all others are: knowing fewer of them is a mixture of these."""
    size = len(table.values)
    targets = model.belief_targets()  # type: ignore[attr-defined]  # models with " under " in their limits have them
    most = float(model.skew)  # type: ignore[attr-defined]
    for rates, person in itertools.product(_skewed_rates(size, most), range(table.people)):
        others = np.delete(worlds, person, axis=1)
        for known in np.unique(others, axis=0):
            fits = (others == known).all(axis=1)
            base = np.where(fits, rates[worlds[:, person]], 0.0)
            for values in _subsets(size):
                before = float(rates[values].sum())
                bounds = [targets["rho2"]] if targets["rho2"] and before <= targets["rho1"] + 1e-12 else []
                bounds += [before + targets["growth"]] if targets["growth"] else []
                if bounds:
                    inside = np.where(np.isin(worlds[:, person], values), base, 0.0)
                    bound = float(min(bounds))
                    yield Question(person, base, inside, bound, max(bound, before))


def _ask_ratio(table: TinyTable, model: Model, worlds: np.ndarray) -> Iterator[Question]:
    """Ask for any set of values, whatever the values of all others are: a likelihood ratio of at most e^epsilon takes
    odds to at most e^epsilon times the odds before."""
    size, ratio = len(table.values), math.exp(float(model.bound()))
    for rates, person in itertools.product(_skewed_rates(size, 0.9), range(table.people)):
        others = np.delete(worlds, person, axis=1)
        for known in np.unique(others, axis=0):
            base = np.where((others == known).all(axis=1), rates[worlds[:, person]], 0.0)
            for values in _subsets(size):
                before = float(rates[values].sum())
                inside = np.where(np.isin(worlds[:, person], values), base, 0.0)
                bound = ratio * before / (ratio * before + 1 - before)
                yield Question(person, base, inside, bound, max(bound, before))


def _skewed_rates(size: int, most: float) -> list[np.ndarray]:
    """Return distributions in which no value is likelier than `most`: the even one, and the most uneven ones."""
    if most * size < 1:
        return []
    full = min(int(1 / most + 1e-9), size)
    corner = np.zeros(size)
    corner[:full] = most
    if full < size:
        corner[full] = 1 - most * full
    corners = {tuple(np.round(order, 12)) for order in itertools.permutations(corner / corner.sum())}
    return [np.full(size, 1 / size), *(np.array(rates) for rates in sorted(corners))]


def _subsets(size: int) -> list[list[int]]:
    return [list(s) for number in range(1, size) for s in itertools.combinations(range(size), number)]
