"""The contract of an attack: a probability for everybody who is published, and a baseline."""

from __future__ import annotations

import numpy as np

import voile as vl
from voile import extend
from voile.extend import Attack
from voile.testing.plugin_contract import LIMITS, check_plugin, example_of, require
from voile.testing.sample_tables import sample, sample_releases


def check_attack(attack: Attack | type[Attack]) -> None:
    """Check the contract of an attack: on every shape and on the raw table, a probability per person and a baseline.

    >>> check_attack(vl.attacks.Homogeneity)
    """
    attack = example_of(attack)
    check_plugin(attack)
    frame, schema = sample(40, 3)
    data, bare = vl.read(frame, schema), vl.read(frame, vl.Schema(quasi=schema.quasi))
    several = vl.read(*sample(40, 5, more=True))
    full: list[extend.Target] = [
        *sample_releases(data),
        extend.RawTable(data),
        *sample_releases(several),
        extend.RawTable(several),
    ]
    empty: list[extend.Target] = [
        vl.publish(bare, vl.KAnonymity(k=3)),
        extend.RawTable(bare),
    ]  # nothing sensitive to guess
    for target in full + empty:
        if not attack.applies(target):
            continue
        own = several if len(target.tallies) > 1 else data
        for external in (own,) if attack.needs_external else (None, own):
            guesses, again = attack.guesses(target, external), attack.guesses(target, external)
            require(attack, bool(guesses) or target in empty, "it must guess something")
            for one, same in zip(guesses, again, strict=True):
                belief, risk = one.belief, one.belief.risk
                stated = bool(one.title.strip()) and isinstance(one.adversary, vl.Adversary)
                stated = stated and belief.limits.partition(" under ")[0] in LIMITS
                require(attack, stated, f"a guess needs a title, an Adversary, and limits from {LIMITS}")
                inside = bool(((risk >= 0) & (risk <= 1 + 1e-12)).all()) and 0 <= belief.baseline <= 1
                require(attack, inside, "risk and baseline must lie between 0 and 1")
                everybody = len(risk) == len(belief.people) and belief.people.sum() == target.people
                require(attack, everybody, "everybody who is published must be attacked")
                require(attack, np.array_equal(risk, same.belief.risk), "it must guess the same twice")
