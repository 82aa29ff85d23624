"""The contract of a model: a claim with an adversary, and a predicate that answers group by group."""

from __future__ import annotations

import contextlib
import math
from fractions import Fraction

import numpy as np
import polars as pl

import voile as vl
from voile import extend
from voile.extend import Column, Model, PolicyError
from voile.models.abilities import distinct_values_needed
from voile.plugins.registry import find_class
from voile.testing.plugin_contract import LIMITS, check_plugin, example_of, require

BASES, ROUNDS = ("counts", "prior", "process"), 40


def check_model(model: Model | type[Model], column: Column | None = None) -> None:
    """Check the contract of a model: its knobs, claim and adversary, and a predicate that answers group by group.

    The predicate is tried on random groups of values of `column`, by default a column that the model accepts.

    >>> check_model(vl.KAnonymity(k=3))
    """
    model = example_of(model)
    check_plugin(model)
    known = model.limits.partition(" under ")[0] in LIMITS and model.basis in BASES
    require(model, known, f"limits must be one of {LIMITS} and basis one of {BASES}")
    most = math.inf if model.limits == "privacy loss" else 1
    exact = isinstance(model.bound(), Fraction) and 0 <= model.bound() <= most
    require(model, exact, "bound() must be a Fraction between 0 and 1, because nothing is rounded")
    stated = bool(model.promise("disease").strip()) and isinstance(model.adversary(), vl.Adversary)
    require(model, stated, "promise() must say something, and adversary() must say against whom")
    find_class("methods", model.method)
    if model.basis == "counts":
        column, rng = column or _column_for(model), np.random.default_rng(1)
        for _ in range(ROUNDS):
            shares = rng.dirichlet(np.full(column.size, rng.choice([0.2, 1.0, 30.0])), rng.integers(2, 9))
            groups = [rng.multinomial(rng.integers(1, 25), share) for share in shares]  # skewed or even, never empty
            _check_predicate(model, column, np.array(groups, dtype=np.int64), rng)
        needed = distinct_values_needed(model)
        for size in () if needed is None else range(needed, min(needed + 2, column.size + 1)):
            one = (np.arange(column.size) < size).astype(np.int64).reshape(1, -1)
            fine = bool(model.holds(_counts(model, column, one, one[0])).all())
            require(
                model,
                fine,
                f"distinct_values_needed() is {needed}, but a group of {size} different values does not hold",
            )


def _check_predicate(model: Model, column: Column, groups: np.ndarray, rng: np.random.Generator) -> None:
    totals, sizes = groups.sum(axis=0), groups.sum(axis=1)

    def holds(groups: np.ndarray) -> np.ndarray:
        answer = np.asarray(model.holds(_counts(model, column, groups, totals)))
        fits = answer.dtype == bool and answer.shape == (len(groups),)
        require(model, fits, "holds() must return True or False for each group")
        return answer

    whole, order = holds(groups), rng.permutation(len(groups))
    alone = [bool(holds(groups[number : number + 1])[0]) for number in range(len(groups))]
    require(model, np.array_equal(whole, holds(groups)), "holds() must give the same answer twice")
    require(model, np.array_equal(whole[order], holds(groups[order])), "holds() must not depend on the groups' order")
    require(model, whole.tolist() == alone, "holds() must give a group the same answer alone as among others")
    require(model, not whole[sizes < model.smallest()].any(), "a group below smallest() must not hold")
    if isinstance(model, extend.SizeModel) and model.is_threshold:
        require(model, np.array_equal(whole, sizes >= model.smallest()), "a size model holds from smallest() rows on")
    good = groups[whole]
    if model.monotone and len(good) > 1:
        require(model, bool(holds(good[1:] + good[:-1]).all()), "not monotone: two groups hold, but their union fails")


def _column_for(model: Model) -> Column:
    """Return a column that the model accepts: numbers, ordered or plain categories, each with a hierarchy."""
    words = [f"value {letter}" for letter in "abcdefgh"]
    tree = {"first": words[:4], "last": words[4:]}
    kinds = {"numeric": (range(10, 90, 10), "intervals:20,40"), "ordered": (words, tree), "categorical": (words, tree)}
    for kind, (values, above) in kinds.items():
        schema = vl.Schema(quasi="value", kinds={"value": kind}, hierarchies={"value": above})
        column = vl.read(pl.DataFrame({"value": values}), schema).columns["value"]
        with contextlib.suppress(PolicyError):
            model.check(column)
            return column
    raise AssertionError(f"{model!r}: none of the sample columns fits; pass one as `column`.")


def _counts(model: Model, column: Column, groups: np.ndarray, totals: np.ndarray) -> extend.Counts:
    if isinstance(model, extend.SizeModel):
        return extend.sizes_only(groups.sum(axis=1))
    owner, value = np.nonzero(groups)
    return extend.tally(column, owner, value, groups[owner, value], len(groups), totals)
