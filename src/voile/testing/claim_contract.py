"""The contract of a claim: if it covers an adversary who knows the algorithm, no belief on tiny tables exceeds it."""

from __future__ import annotations

from dataclasses import fields, replace

import numpy as np

from voile.adversaries.adversary import Knowledge
from voile.methods.base import Method, covers_algorithm
from voile.models.base import Model
from voile.models.kinds import PriorModel
from voile.models.policy import Policy
from voile.testing.belief_questions import list_questions
from voile.testing.exhaust import exhaust
from voile.testing.plugin_contract import example_of
from voile.testing.tiny_table import TinyTable, random_prior, random_tiny_table

MOST_OUTCOMES = 100  # of the coins in one world; where there are more, keys are sampled


def check_claim(
    method: Method | type[Method],
    policy: Policy | Model,
    *,
    tables: int = 4,
    people: tuple[int, int] = (2, 4),
    keys: int = 60,
    seed: int = 0,
) -> bool:
    """Check every claim that covers an adversary who knows the algorithm, on some random tiny tables; and return
    whether there is one. A model that rests on statistics gets random ones, unless it has some already.

    >>> import voile as vl
    >>> check_claim(vl.Mondrian, vl.KAnonymity(k=2)), check_claim(vl.Mondrian, vl.LDiversity(l=2))
    (True, False)
    """
    method, policy = example_of(method), Policy(policy) if isinstance(policy, Model) else policy
    rng = np.random.default_rng(seed)
    checked = False
    for _ in range(tables):
        table = random_tiny_table(rng, people)
        asked = Policy(*(_with_statistics(rng, table, model) for model in policy))
        all_covered = covers_algorithm(method, asked)
        covered = [model for model in asked if all_covered or Knowledge.ALGORITHM in model.adversary().knows]
        if not covered or not any(any(list_questions(table, model, None)) for model in covered):
            continue
        checked, found = True, exhaust(method, asked, table=table, keys=keys, seed=seed, most_outcomes=MOST_OUTCOMES)
        if not found.holds and found.model in [model.name for model in covered]:
            raise AssertionError(
                f"{method!r} under {asked!r}: the claim of {found.model} covers an adversary who knows the algorithm, "
                f"but their belief about person {found.person} of {table} is at least {found.limit:.4f} where "
                f"{found.bound:.4f} is promised. What they saw: {found.output}"
            )
    return checked


def _with_statistics(rng: np.random.Generator, table: TinyTable, model: Model) -> Model:
    takes_prior = isinstance(model, PriorModel) and any(field.name == "prior" for field in fields(model))
    return replace(model, prior=random_prior(rng, table)) if takes_prior and not model.prior else model  # type: ignore[attr-defined,call-arg]
