"""Attacks and measures with other knobs, adversaries by name, and attacks that are given what they need."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import polars as pl
from pinned import tables
from pinned.methods import RARE
from pinned.observe import KEY, Fields, findings_of, losses_of, refusals

import voile as vl

SHAPES: dict[str, tuple[Any, Any, Any]] = {
    "generalized": (tables.hospital, vl.Policy(vl.KAnonymity(k=4), vl.LDiversity(l=2)), vl.Mondrian()),
    "recoded": (tables.hospital_with_trees, vl.Policy(vl.LDiversity(l=2)), vl.FullDomain(suppression=0.2)),
    "bucketized": (tables.hospital, vl.Policy(vl.LDiversity(l=3)), vl.Anatomy()),
    "robust": (tables.rates, vl.Policy(vl.RRobustness(r=2, protect=("HIV",))), vl.Art(grouping="greedy")),
    "decomposed": (tables.two_sensitive, vl.Policy(vl.MultiDiversity({"disease": 3, "ward": 2})), vl.Decompose()),
    "sampled": (tables.incomes, vl.Policy(vl.AntiCorruption(rho1=0.2, rho2=0.6)), None),
    "republished": (tables.hospital, vl.Policy(vl.MInvariance(m=3)), None),
    "tiny": (tables.tiny, vl.Policy(vl.LDiversity(l=2)), vl.Mondrian()),
}
ATTACKS = {
    "chain, known": vl.attacks.Chain(known="ward"),
    "corruption, nobody": vl.attacks.Corruption(corrupted=0.0),
    "corruption, half": vl.attacks.Corruption(corrupted=0.5, skew=0.5, rho1=0.4, seed=3),
    "elimination 3": vl.attacks.Elimination(values=3),
    "elimination 50": vl.attacks.Elimination(values=50),
    "exclusion 2": vl.attacks.Exclusion(values=2),
    "exclusion, column": vl.attacks.Exclusion(values=1, column="ward"),
    "minimality, 2000 worlds": vl.attacks.Minimality(worlds=2_000),
    "minimality, original": vl.attacks.Minimality(exclusion="original", worlds=2_000),
    "minimality, one world": vl.attacks.Minimality(worlds=1),
    "minimality, requirement": vl.attacks.Minimality(requirement=vl.LDiversity(l=2), worlds=2_000),
    "prior, few columns": vl.attacks.Prior(max_columns=1, min_support=10),
    "prior, binary": vl.attacks.Prior(reading="binary"),
    "prior, few states": vl.attacks.Prior(max_states=10),
    "replay": vl.attacks.Replay(),
}
MEASURES = {
    "classification": vl.measures.Classification(starts=("B", "L"), max_depth=3, min_weight=5.0, seed=2),
    "query-error, default": vl.measures.QueryError(),
    "query-error, dimensions": vl.measures.QueryError(queries=50, repetitions=2, dimensions=1),
    "query-error, contiguous": vl.measures.QueryError(queries=50, repetitions=1, contiguous=True, selectivity=0.3),
    "query-error, sensitive": vl.measures.QueryError(queries=50, repetitions=1, sensitive=1, seed=4),
    "query-error, no sensitive": vl.measures.QueryError(queries=50, repetitions=1, sensitive=0),
}


@cache
def release(shape: str) -> tuple[Any, Any]:
    """A release of each shape, with its table."""
    data, policy, method = SHAPES[shape]
    return data(), vl.publish(data(), policy, method, key=KEY)


def _attacked(shape: str) -> Callable[[], Fields]:
    def work() -> Fields:
        data, made = release(shape)
        fields: Fields = {}
        for name, attack in ATTACKS.items():
            told = refusals(lambda attack=attack: findings_of(vl.audit(made, data, [attack], external=data)))
            fields |= {f"{name}: {field}": value for field, value in told.items()}
        return fields

    return work


def _alone(shape: str) -> Callable[[], Fields]:
    """What a stranger can do, who has nothing but the release."""
    return lambda: refusals(lambda: findings_of(vl.audit(release(shape)[1])))


def _measured(shape: str) -> Callable[[], Fields]:
    def work() -> Fields:
        data, made = release(shape)
        fields: Fields = {}
        for name, measure in MEASURES.items():
            told = refusals(lambda measure=measure: losses_of(vl.measure(data, made, [measure])))
            fields |= {name: next(iter(told.values()))}
        return fields

    return work


def _preset(name: str, shape: str) -> Callable[[], Fields]:
    def work() -> Fields:
        data, made = release(shape)
        return findings_of(vl.audit(made, data, adversary=name))

    return lambda: refusals(work)


def _known() -> Fields:
    """Some people are known, one of them not to be in the table."""
    frame = tables.hospital_frame().with_row_index().filter(pl.col("index") % 4 == 0)
    frame = frame.with_columns(disease=pl.when(pl.col("index") == 8).then(None).otherwise(pl.col("disease")))
    known = vl.read(frame, vl.Schema(quasi=["birth", "sex", "zip"], sensitive=["disease"], missing="value"))
    data, made = release("generalized")
    return findings_of(vl.audit(made, data, [vl.attacks.Corruption(known=known)]))


def _register() -> Fields:
    """A register of more people than the table has."""
    frame = pl.concat([tables.hospital_frame(), tables.hospital_frame().head(150)]).drop("disease")
    register = vl.read(frame, vl.Schema(quasi=["birth", "sex", "zip"]))
    data, made = release("generalized")
    attacks = [vl.attacks.Linking(), vl.attacks.Minimality(worlds=500)]
    return findings_of(vl.audit(made, data, attacks, external=register))


def _narrow_register() -> Fields:
    register = vl.read(tables.hospital_frame(), vl.Schema(quasi=["birth"]))
    return findings_of(vl.audit(release("generalized")[1], external=register))


def _given_prior() -> Fields:
    data, made = release("bucketized")
    prior = vl.learn_prior(data, min_support=20, max_columns=1, smoothing=2.0)
    return findings_of(vl.audit(made, data, [vl.attacks.Prior(prior=prior)]))


def cases() -> dict[str, Any]:
    found: dict[str, Any] = {f"attacks, {shape}": _attacked(shape) for shape in SHAPES}
    found |= {f"attacks of a stranger, {shape}": _alone(shape) for shape in SHAPES}
    found |= {f"measures, {shape}": _measured(shape) for shape in SHAPES}
    for name in vl.presets():
        for shape in ("generalized", "bucketized", "decomposed", "sampled"):
            found[f"adversary {name}, {shape}"] = _preset(name, shape)
    found["adversary nobody"] = _preset("nobody", "generalized")
    found["known people"] = lambda: refusals(_known)
    found["a register of more people"] = lambda: refusals(_register)
    found["a register without columns"] = lambda: refusals(_narrow_register)
    found["given statistics"] = lambda: refusals(_given_prior)
    found["wrong knobs"] = _wrong
    return found


def _wrong() -> Fields:
    """Knobs out of range: every class complains in the same way."""
    made: dict[str, Callable[[], Any]] = {
        "k": lambda: vl.KAnonymity(k=1),
        "k of the wrong type": lambda: vl.KAnonymity(k="5"),
        "l": lambda: vl.LDiversity(l=2, form="recursive"),
        "c": lambda: vl.LDiversity(l=2, c=1.0),
        "form": lambda: vl.LDiversity(l=2, form="other"),
        "t": lambda: vl.TCloseness(t=2),
        "r": lambda: vl.RRobustness(r=1, protect=RARE),
        "rho": lambda: vl.AntiCorruption(rho1=0.5, rho2=0.2),
        "nothing": lambda: vl.AntiCorruption(),
        "alpha and k": lambda: vl.AlphaK(alpha=0, k=1),
        "e": lambda: vl.KE(k=2, e=-1),
        "reached": lambda: vl.MultiDiversity({"a": 2}, reached={"a": "x"}),
        "mapping": lambda: vl.MultiDiversity({"a": "b"}),
        "requirement": lambda: vl.Sequential(vl.KAnonymity(k=2)),
        "mode": lambda: vl.Art(mode="fast"),
        "suppression": lambda: vl.FullDomain(suppression=1.5),
        "s": lambda: vl.PerturbedGeneralization(s=0),
        "queries": lambda: vl.measures.QueryError(queries=0),
        "worlds": lambda: vl.attacks.Minimality(worlds=0),
        "empty policy": lambda: vl.Policy(),
        "policy of methods": lambda: vl.Policy(vl.Mondrian()),
        "key": lambda: vl.Key(bytes(3)),
        "memory": lambda: vl.Disk(memory="1MiB"),
        "memory of the wrong form": lambda: vl.Disk(memory="much"),
    }
    return {name: refusals(lambda work=work: {"made": repr(work())}) for name, work in made.items()}
