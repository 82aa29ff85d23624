"""Checks of the contracts, for voile's own classes and for third parties: each raises AssertionError.

A class stands for its object with default knobs; knobs without a default get a small value within their limits.
"""

from __future__ import annotations

import base64
import contextlib
import dataclasses
import datetime
import json
import tempfile
from fractions import Fraction
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import polars as pl

import voile as vl
from voile import extend
from voile.extend import Attack, Column, Measure, Method, Microdata, Model, Plugin, PolicyError, Release
from voile.flow.publish.plan import check_request
from voile.models.abilities import distinct_values_needed
from voile.plugins.registry import build_plugin, find_class, registered_classes

LIMITS, BASES = ("identity", "belief", "protected belief", "gain", "distance"), ("counts", "prior", "process")
HEADINGS, ROUNDS = ("Claim", "Against", "Needs", "Why", "Source"), 40
Given = TypeVar("Given", bound=Plugin)


def check_model(model: Model | type[Model], column: Column | None = None) -> None:
    """Check the contract of a model: its knobs, claim and adversary, and a predicate that answers group by group.

    The predicate is tried on random groups of values of `column`, by default a column that the model accepts.

    >>> check_model(vl.KAnonymity(k=3))
    """
    model = _example(model)
    _check_plugin(model)
    known = model.limits.partition(" under ")[0] in LIMITS and model.basis in BASES
    _require(model, known, f"limits must be one of {LIMITS} and basis one of {BASES}")
    exact = isinstance(model.bound(), Fraction) and 0 <= model.bound() <= 1
    _require(model, exact, "bound() must be a Fraction between 0 and 1, because nothing is rounded")
    stated = bool(model.promise("disease").strip()) and isinstance(model.adversary(), vl.Adversary)
    _require(model, stated, "promise() must say something, and adversary() must say against whom")
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
            _require(
                model,
                fine,
                f"distinct_values_needed() is {needed}, but a group of {size} different values does not hold",
            )


def _check_predicate(model: Model, column: Column, groups: np.ndarray, rng: np.random.Generator) -> None:
    totals, sizes = groups.sum(axis=0), groups.sum(axis=1)

    def holds(groups: np.ndarray) -> np.ndarray:
        answer = np.asarray(model.holds(_counts(model, column, groups, totals)))
        fits = answer.dtype == bool and answer.shape == (len(groups),)
        _require(model, fits, "holds() must return True or False for each group")
        return answer

    whole, order = holds(groups), rng.permutation(len(groups))
    alone = [bool(holds(groups[number : number + 1])[0]) for number in range(len(groups))]
    _require(model, np.array_equal(whole, holds(groups)), "holds() must give the same answer twice")
    _require(model, np.array_equal(whole[order], holds(groups[order])), "holds() must not depend on the groups' order")
    _require(model, whole.tolist() == alone, "holds() must give a group the same answer alone as among others")
    _require(model, not whole[sizes < model.smallest()].any(), "a group below smallest() must not hold")
    if isinstance(model, extend.SizeModel) and model.is_threshold:
        _require(model, np.array_equal(whole, sizes >= model.smallest()), "a size model holds from smallest() rows on")
    good = groups[whole]
    if model.monotone and len(good) > 1:
        _require(model, bool(holds(good[1:] + good[:-1]).all()), "not monotone: two groups hold, but their union fails")


def check_method(method: Method | type[Method], policy: vl.Policy | Model | None = None) -> None:
    """Check the contract of a method: releases verify, depend only on table and key, lose nobody, reveal no key.

    >>> check_method(vl.Anatomy())
    """
    method = _example(method)
    _check_plugin(method)
    lacking = [head for head in HEADINGS if f"{head}:" not in str(type(method).__doc__)]
    _require(method, not lacking, f"its docstring lacks {lacking}")
    for seed, rows in enumerate((12, 40, 90)):
        data = vl.read(*(table := sample(rows, seed, more=_takes_several(method, policy))))
        wanted = vl.Policy(policy) if isinstance(policy, Model) else policy or _policy_for(method, data)
        key = vl.Key(np.random.default_rng(seed).bytes(32))
        release = vl.publish(data, wanted, method, key=key)
        known = wanted.priors() if isinstance(wanted, vl.Policy) else ()
        true = vl.verify(release, prior=known, data=data, key=key).holds and release.shape == method.produces
        _require(method, true, f"the release must verify and be {method.produces}, as the method says")
        people = int(release.sizes.sum()) + int(release.dictionary["withheld"])
        _require(method, release.people == release.sizes.sum() and people == rows, "somebody is missing")
        for other in (data, vl.read(table[0].sample(fraction=1.0, shuffle=True), table[1])):
            same = _same(release, vl.publish(other, wanted, method, key=key))
            _require(method, same, "the same people and the same key must give the same release")
        for format in ("parquet", "csv"):
            with tempfile.TemporaryDirectory() as place:
                saved = release.save(Path(place) / "release", format=format)
                holds = vl.verify(saved, prior=known, data=data, key=key).holds
                _require(method, holds, f"the release saved as {format} must verify")
                _require(method, _same(release, vl.load(saved)), f"{format} must preserve tables and claims")
                forms = (key.secret, key.secret.hex().encode(), base64.b64encode(key.secret).rstrip(b"="))
                told = any(form in found.read_bytes() for found in saved.iterdir() for form in forms)
                _require(method, not told, "the key appears in a published file")


def check_attack(attack: Attack | type[Attack]) -> None:
    """Check the contract of an attack: on every shape and on the raw table, a probability per person and a baseline.

    >>> check_attack(vl.attacks.Homogeneity)
    """
    attack = _example(attack)
    _check_plugin(attack)
    frame, schema = sample(40, 3)
    data, bare = vl.read(frame, schema), vl.read(frame, vl.Schema(quasi=schema.quasi))
    several = vl.read(*sample(40, 5, more=True))
    full: list[extend.Target] = [*_releases(data), extend.RawTable(data), *_releases(several), extend.RawTable(several)]
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
            _require(attack, bool(guesses) or target in empty, "it must guess something")
            for one, same in zip(guesses, again, strict=True):
                belief, risk = one.belief, one.belief.risk
                stated = bool(one.title.strip()) and isinstance(one.adversary, vl.Adversary)
                stated = stated and belief.limits.partition(" under ")[0] in LIMITS
                _require(attack, stated, f"a guess needs a title, an Adversary, and limits from {LIMITS}")
                inside = bool(((risk >= 0) & (risk <= 1 + 1e-12)).all()) and 0 <= belief.baseline <= 1
                _require(attack, inside, "risk and baseline must lie between 0 and 1")
                everybody = len(risk) == len(belief.people) and belief.people.sum() == target.people
                _require(attack, everybody, "everybody who is published must be attacked")
                _require(attack, np.array_equal(risk, same.belief.risk), "it must guess the same twice")


def check_measure(measure: Measure | type[Measure], unchanged: float | None = None) -> None:
    """Check the contract of a measure: finite, never negative, the same twice, and no worse on a release that changes
    nothing than on one that loses everything. `unchanged` is the largest loss it may report if nothing is changed.

    >>> check_measure(vl.measures.Certainty(), unchanged=0)
    """
    measure = _example(measure)
    _check_plugin(measure)
    frame, schema = sample(40, 4)
    data, twice = vl.read(frame, schema), vl.read(pl.concat([frame, frame]), schema)
    several = vl.read(*sample(40, 5, more=True))
    for table, release in [(one, release) for one in (data, several) for release in _releases(one)]:
        loss = measure(table, release)
        good = bool(np.isfinite(loss.value)) and loss.value >= 0 and loss.measure == measure.name
        _require(measure, good, "a loss must be finite, not negative, and name its measure")
        _require(measure, measure(table, release) == loss, "it must measure the same twice")
        json.dumps(loss.as_json(), allow_nan=False)
    exact, worst = (measure(twice, vl.publish(twice, vl.KAnonymity(k=k))).value for k in (2, 80))
    _require(measure, exact <= worst, "changing nothing must not lose more than putting everybody in one box")
    _require(measure, unchanged is None or exact <= unchanged, f"nothing was changed, but it reports {exact}")


def sample(rows: int, seed: int, *, more: bool = False) -> tuple[pl.DataFrame, vl.Schema]:
    """Return a small random table of people, no two alike, and its schema. No disease covers more than a quarter of
    the rows. With `more` there is a second sensitive column."""
    rng = np.random.default_rng(seed)
    days = [datetime.date(2024, 1, 1) + datetime.timedelta(int(day)) for day in rng.integers(0, 700, rows)]
    columns = {"age": rng.permutation(np.arange(18, 18 + rows)), "city": rng.choice(["Bern", "Lyon", "Oslo"], rows)}
    diseases = rng.permutation(np.resize(["asthma", "flu", "gastritis", "HIV", "migraine"], rows))
    sensitive = {"disease": diseases}
    if more:
        sensitive["drug"] = rng.permutation(np.resize(["aspirin", "codeine", "insulin", "none"], rows))
    schema = vl.Schema(quasi=["age", "city", "visit"], sensitive=list(sensitive))
    return pl.DataFrame({**columns, "visit": days, **sensitive}), schema


def _require(plugin: Plugin, fine: bool, complaint: str) -> None:
    if not fine:
        raise AssertionError(f"{plugin!r}: {complaint}.")


def _example(given: Given | type[Given]) -> Given:
    """Return an object of a class: knobs without a default get a value within their limits."""
    if not isinstance(given, type):
        return given
    knobs: dict[str, Any] = {}
    for field in dataclasses.fields(given):
        limits = field.metadata.get("limits")
        if limits and field.default is dataclasses.MISSING:
            usual = limits.low if limits.low is not None else limits.high / 2 if limits.high is not None else 1
            usual = usual if limits.above is None or usual > limits.above else limits.above + 0.5
            knobs[field.name] = limits.choices[0] if limits.choices else usual
    return given(**knobs)


def _check_plugin(plugin: Plugin) -> None:
    """Check what all families share: a frozen dataclass, registered by name, whose knobs survive JSON and text."""
    cls, knobs = type(plugin), plugin.parameters()
    _require(plugin, getattr(vars(cls).get("__dataclass_params__"), "frozen", False), "it must be a frozen dataclass")
    _require(
        plugin, registered_classes(plugin.family).get(plugin.name) is cls, f"it is not registered as {plugin.name!r}"
    )
    bare = (cls.__doc__ or "").partition(f"{cls.__name__}(")[0] == ""  # a dataclass writes its signature
    _require(plugin, not bare, "it needs a docstring")
    words = {key: _words(value) for key, value in knobs.items() if value not in (None, [], {})}
    for way, sent in (("JSON", json.loads(json.dumps(knobs))), ("the command line", words)):
        _require(plugin, build_plugin(plugin.family, plugin.name, sent) == plugin, f"its knobs must survive {way}")


def _words(value: Any) -> str:
    """Write a knob as the command line does."""
    if isinstance(value, dict) and "name" in value:  # a plug-in within a plug-in
        inner = [f"{key}={_words(item)}" for key, item in value.items() if key != "name" and item not in (None, [], {})]
        return f"{value['name']}:{';'.join(inner)}"
    if isinstance(value, dict):
        value = [f"{name}={one}" for name, one in value.items()]
    return "|".join(map(str, value)) if isinstance(value, list) else str(value)


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


def _takes_several(method: Method, policy: vl.Policy | Model | None) -> bool:
    """Whether a method accepts a table with two sensitive columns, under a policy or its usual one."""
    data = vl.read(*sample(12, 0, more=True))
    with contextlib.suppress(PolicyError, AssertionError):
        wanted = _policy_for(method, data) if policy is None else policy
        asked = vl.Policy(wanted) if isinstance(wanted, Model) else wanted
        check_request(data.columns, data.rows, asked, method)
        return method.produces == "decomposed"
    return False


def _policy_for(method: Method, data: Microdata) -> vl.Policy:
    """Return the first of a few policies that the method serves."""
    served: list[Model] = [vl.KAnonymity(k=3), vl.LDiversity(l=3), vl.MultiDiversity(otherwise=3)]
    served += [vl.AntiCorruption(skew=1), vl.MConfidentiality(m=2, protect=("HIV",)), vl.MInvariance(m=3)]
    served.append(vl.RRobustness(r=1.5, prior=vl.learn_prior(data, min_support=10)))
    for policy in served:
        with contextlib.suppress(PolicyError):
            check_request(data.columns, data.rows, vl.Policy(policy), method)
            return vl.Policy(policy)
    raise AssertionError(f"{method!r}: it serves none of the sample policies; pass one as `policy`.")


def _counts(model: Model, column: Column, groups: np.ndarray, totals: np.ndarray) -> extend.Counts:
    if isinstance(model, extend.SizeModel):
        return extend.sizes_only(groups.sum(axis=1))
    owner, value = np.nonzero(groups)
    return extend.tally(column, owner, value, groups[owner, value], len(groups), totals)


def _releases(data: Microdata) -> list[Release]:
    """Publish one release of each shape, and one that withholds rows."""
    diverse, alike, coarse = vl.LDiversity(l=3), vl.KAnonymity(k=3), vl.FullDomain(suppression=0.2)
    asked: list[tuple[vl.Policy, Method | None]] = [(vl.Policy(alike, diverse), None), (vl.Policy(alike), coarse)]
    if len(data.columns.sensitive) == 1:
        asked.append((vl.Policy(diverse), vl.Anatomy()))
        asked.append((vl.Policy(vl.AntiCorruption(skew=1)), vl.PerturbedGeneralization(s=0.3)))
    asked.append((vl.Policy(vl.MultiDiversity(otherwise=3)), None))
    asked.append((vl.Policy(vl.MultiDiversity()), vl.Decompose(noise="paper", publish_joint=False)))
    return [vl.publish(data, policy, method) for policy, method in asked]


def _same(one: Release, other: Release) -> bool:
    """Whether a reader sees the same in the tables, the claims and the dictionary of two releases."""
    tables, others = ({name: table.cast(pl.String) for name, table in r.tables.items()} for r in (one, other))
    said = [json.dumps([r.certificate.claims, r.dictionary], sort_keys=True) for r in (one, other)]
    same = tables.keys() == others.keys() and all(tables[name].equals(others[name]) for name in tables)
    return same and said[0] == said[1]
