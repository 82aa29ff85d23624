"""The contracts of the open sets, for voile's own classes and for third parties': each check raises AssertionError.

    from voile.testing import check_model
    def test_my_model():
        check_model(MyModel(k=5))

A class stands for its object with default knobs; knobs without a default get a small value within their limits.
"""

from __future__ import annotations

import base64
import dataclasses
import datetime
import json
import tempfile
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import polars as pl

from voile.core.adversary import Adversary
from voile.core.attack import Attack, Guess, RawTable
from voile.core.counts import Counts, sizes_only, tally
from voile.core.hierarchy import intervals
from voile.core.key import Key
from voile.core.measure import Measure
from voile.core.method import Method
from voile.core.microdata import Microdata
from voile.core.plugin import Plugin, build, find, registered
from voile.core.policy import Model, Policy
from voile.core.release import Release
from voile.core.schema import Column, Schema
from voile.errors import PolicyError
from voile.flow.publish import publish
from voile.flow.read import read
from voile.flow.verify import load, verify

LIMITS = ("identity", "belief", "gain", "distance")
BASES = ("counts", "prior", "process")
HEADINGS = ("Claim", "Against", "Needs", "Why", "Source")
ROUNDS = 40

Any_ = TypeVar("Any_", bound=Plugin)


def check_model(model: Model | type[Model], column: Column | None = None) -> None:
    """A model's contract: knobs, claim and adversary, and a predicate that answers group by group.

    The predicate is tried on random groups of values of `column`, by default of one that the model accepts.

    >>> from voile.models.k_anonymity import KAnonymity
    >>> check_model(KAnonymity(k=3))
    """
    model = _example(model)
    _check_plugin(model)
    say = _speaker(model)
    assert model.limited() in LIMITS, say(f"limits must be one of {LIMITS}")
    assert model.basis in BASES, say(f"basis must be one of {BASES}")
    assert isinstance(model.adversary(), Adversary), say("adversary() must be an Adversary")
    assert isinstance(model.bound(), Fraction), say("bound() must be a Fraction, so that nothing is rounded")
    assert 0 <= model.bound() <= 1, say("bound() must lie between 0 and 1")
    assert model.promise("disease").strip(), say("promise() must say something")
    assert model.smallest() >= 1, say("smallest() must be at least 1")
    find("methods", model.method)
    if model.basis != "counts":
        return
    column = column or _column_for(model)
    rng = np.random.default_rng(1)
    for _ in range(ROUNDS):
        groups = _random_groups(rng, column.size)
        totals = groups.sum(axis=0)

        def holds(groups: np.ndarray, totals: np.ndarray = totals) -> np.ndarray:
            answer = model.holds(_counts(model, column, groups, totals))
            assert len(answer) == len(groups), say("holds() must give one answer a group")
            assert np.asarray(answer).dtype == bool, say("holds() must give True or False")
            return np.asarray(answer)

        whole = holds(groups)
        _check_predicate(model, groups, whole, holds, rng)
    needed = model.all_different()
    for size in () if needed is None else range(needed, min(needed + 2, column.size + 1)):
        one = np.zeros((1, column.size), dtype=np.int64)
        one[0, :size] = 1
        counts = _counts(model, column, one, one[0])
        assert model.holds(counts).all(), say(f"all_different() is {needed}, but {size} different values do not hold")


def _check_predicate(model: Model, groups: np.ndarray, whole: np.ndarray, holds: Any, rng: np.random.Generator) -> None:
    say = _speaker(model)
    sizes = groups.sum(axis=1)
    assert np.array_equal(whole, holds(groups)), say("holds() must answer the same twice")
    order = rng.permutation(len(groups))
    assert np.array_equal(whole[order], holds(groups[order])), say("holds() must not depend on the order of groups")
    alone = [bool(holds(groups[number : number + 1])[0]) for number in range(len(groups))]
    assert whole.tolist() == alone, say("holds() must judge a group alone as among others")
    assert not whole[sizes < model.smallest()].any(), say("a group below smallest() must not hold")
    if model.threshold:
        assert np.array_equal(whole, sizes >= model.smallest()), say("threshold means: holds from smallest() on")
    good = groups[whole]
    if model.monotone and len(good) > 1:
        merged = good[1:] + good[:-1]
        assert holds(merged).all(), say("declared monotone, but two groups that hold were merged into one that fails")


def check_method(method: Method | type[Method], policy: Policy | Model | None = None) -> None:
    """A method's contract: its releases verify, depend on nothing but table and key, lose nobody, and tell no key.

    >>> from voile.methods.anatomy import Anatomy
    >>> check_method(Anatomy())
    """
    method = _example(method)
    _check_plugin(method)
    say = _speaker(method)
    text = type(method).__doc__ or ""
    lacking = [head for head in HEADINGS if f"{head}:" not in text]
    assert not lacking, say(f"its docstring lacks {lacking}")
    for seed, rows in enumerate((12, 40, 90)):
        frame, schema = sample(rows, seed)
        data = read(frame, schema)
        wanted = policy or _policy_for(method, data)
        key = Key(np.random.default_rng(seed).bytes(32))
        release = publish(data, wanted, method, key=key)
        assert verify(release).holds, say("the release must verify")
        assert release.shape == method.produces, say(f"it says that it produces {method.produces}")
        withheld = int(release.dictionary["withheld"])
        assert release.people + withheld == rows == int(release.sizes.sum()) + withheld, say("somebody is lost")
        moved = frame.sample(fraction=1.0, shuffle=True, seed=seed)
        for other in (data, read(moved, schema)):
            again = publish(other, wanted, method, key=key)
            assert _same(release, again), say("the same people and the same key must give the same release")
        for format in ("parquet", "csv"):
            with tempfile.TemporaryDirectory() as place:
                saved = release.save(Path(place) / "release", format=format)
                assert verify(saved).holds, say(f"the release saved as {format} must verify")
                assert _same(release, load(saved)), say(f"{format} must keep tables and claims")
                _check_secret(saved, key, say)


def _check_secret(place: Path, key: Key, say: Any) -> None:
    forms = [key.secret, key.secret.hex().encode(), base64.b64encode(key.secret).rstrip(b"=")]
    for found in place.iterdir():
        assert not any(form in found.read_bytes() for form in forms), say(f"the key appears in {found.name}")


def check_attack(attack: Attack | type[Attack]) -> None:
    """An attack's contract: on every shape and on the raw table, a probability for each person, and a baseline.

    >>> from voile.attacks.homogeneity import Homogeneity
    >>> check_attack(Homogeneity)
    """
    attack = _example(attack)
    _check_plugin(attack)
    say = _speaker(attack)
    frame, schema = sample(40, 3)
    data = read(frame, schema)
    bare = read(frame, Schema(quasi=schema.quasi))  # nothing sensitive: there may be nothing to guess
    targets = [*_releases(data), RawTable(data), publish(bare, Policy(_k(2))), RawTable(bare)]
    for number, target in enumerate(targets):
        for external in (data,) if attack.needs_external else (None, data):
            guesses, again = attack.guesses(target, external), attack.guesses(target, external)
            assert guesses or number >= len(targets) - 2, say("it must guess something")
            for one, same in zip(guesses, again, strict=True):
                _check_guess(one, target.people, say)
                assert np.array_equal(one.belief.risk, same.belief.risk), say("it must guess the same twice")


def _check_guess(guess: Guess, people: int, say: Any) -> None:
    belief = guess.belief
    assert guess.title.strip(), say("a guess needs a title")
    assert isinstance(guess.adversary, Adversary), say("a guess needs an Adversary")
    assert belief.limits in LIMITS, say(f"limits must be one of {LIMITS}")
    assert len(belief.risk) == len(belief.people), say("risk and people must have one entry each")
    assert bool(((belief.risk >= 0) & (belief.risk <= 1 + 1e-12)).all()), say("risk must lie between 0 and 1")
    assert int(belief.people.sum()) == people, say("everybody who is published must be attacked")
    assert 0 <= belief.baseline <= 1, say("the baseline must lie between 0 and 1")


def check_measure(measure: Measure | type[Measure], unchanged: float | None = None) -> None:
    """A measure's contract: finite, never negative, the same twice, and no worse where nothing is changed than where
    all is lost. `unchanged` is the most that it may say of a release in which nothing is changed.

    >>> from voile.measures.certainty import Certainty
    >>> check_measure(Certainty(), unchanged=0)
    """
    measure = _example(measure)
    _check_plugin(measure)
    say = _speaker(measure)
    frame, schema = sample(40, 4)
    data, twice = read(frame, schema), read(pl.concat([frame, frame]), schema)
    for release in (*_releases(data), publish(data, Policy(_k(8)), _method("full-domain", suppression=0.2))):
        loss = measure(data, release)
        assert np.isfinite(loss.value), say("a loss must be finite")
        assert loss.value >= 0, say("a loss must not be negative")
        assert loss.measure == measure.name, say("a loss must name its measure")
        json.dumps(loss.as_json(), allow_nan=False)
        assert measure(data, release) == loss, say("it must measure the same twice")
    exact = measure(twice, publish(twice, Policy(_k(2)))).value
    worst = measure(twice, publish(twice, Policy(_k(80)))).value
    assert exact <= worst, say("a release with nothing changed must not lose more than one with everything in one box")
    assert unchanged is None or exact <= unchanged, say(f"nothing was changed, and it says {exact}")


def sample(rows: int, seed: int) -> tuple[pl.DataFrame, Schema]:
    """A small random table of people, no two alike, and its schema; no disease covers more than a quarter of them."""
    rng = np.random.default_rng(seed)
    frame = pl.DataFrame(
        {
            "age": rng.permutation(np.arange(18, 18 + rows)),
            "city": rng.choice(["Bern", "Lyon", "Oslo", "Rome"], rows),
            "visit": [datetime.date(2024, 1, 1) + datetime.timedelta(int(day)) for day in rng.integers(0, 700, rows)],
            "disease": rng.permutation(np.resize(["asthma", "flu", "gastritis", "HIV", "migraine"], rows)),
        }
    )
    return frame, Schema(quasi=["age", "city", "visit"], sensitive=["disease"])


def _example(given: Any_ | type[Any_]) -> Any_:
    """An object from a class: knobs without a default get a value within their limits."""
    if not isinstance(given, type):
        return given
    knobs: dict[str, Any] = {}
    for field in dataclasses.fields(given):
        if field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING:
            limits = field.metadata.get("limits")
            low, high = getattr(limits, "low", None), getattr(limits, "high", None)
            usual: Any = low if low is not None else high / 2 if high is not None else 1
            knobs[field.name] = limits.choices[0] if limits and limits.choices else usual
    return given(**knobs)


def _speaker(plugin: Plugin) -> Any:
    return lambda complaint: f"{plugin!r}: {complaint}."


def _check_plugin(plugin: Plugin) -> None:
    """What all families share: a frozen dataclass, registered under its name, whose knobs survive JSON and text."""
    cls, say = type(plugin), _speaker(plugin)
    assert dataclasses.is_dataclass(cls) and cls.__dataclass_params__.frozen, say("it must be a frozen dataclass")  # type: ignore[attr-defined]
    assert registered(plugin.family).get(plugin.name) is cls, say(f"it is not registered as {plugin.name!r}")
    assert (cls.__doc__ or "").strip(), say("it needs a docstring")
    knobs = plugin.parameters()
    assert build(plugin.family, plugin.name, json.loads(json.dumps(knobs))) == plugin, say(
        "its knobs must survive JSON"
    )
    words = {key: str(value) for key, value in knobs.items() if not isinstance(value, (list, dict))}
    words |= {key: "|".join(value) for key, value in knobs.items() if isinstance(value, list) and value}
    assert build(plugin.family, plugin.name, words) == plugin, say("its knobs must survive the command line")


def _columns() -> Iterator[Column]:
    """Sensitive columns to try a model on: numbers, ordered and plain categories, each with a hierarchy."""
    numbers, words = list(range(10, 90, 10)), [f"value {letter}" for letter in "abcdefgh"]
    tree = {"low": words[:4], "high": words[4:]}
    yield read(
        pl.DataFrame({"value": numbers}), Schema(quasi="value", hierarchies={"value": intervals(20, 40)})
    ).columns["value"]
    for kind in ("ordered", "categorical"):
        schema = Schema(quasi="value", kinds={"value": kind}, hierarchies={"value": tree})
        yield read(pl.DataFrame({"value": words}), schema).columns["value"]


def _column_for(model: Model) -> Column:
    for column in _columns():
        try:
            model.check(column)
        except PolicyError:
            continue
        return column
    raise AssertionError(f"{model!r}: no column at hand fits; pass one as `column`.")


def _random_groups(rng: np.random.Generator, values: int) -> np.ndarray:
    """Groups x values: skewed or even, small or large, never empty."""
    number = int(rng.integers(2, 9))
    shares = rng.dirichlet(np.full(values, rng.choice([0.2, 1.0, 30.0])), number)
    return np.stack([rng.multinomial(rng.integers(1, 25), share) for share in shares]).astype(np.int64)


def _counts(model: Model, column: Column, groups: np.ndarray, totals: np.ndarray) -> Counts:
    if not model.reads_values:
        return sizes_only(groups.sum(axis=1))
    owner, value = np.nonzero(groups)
    return tally(column, owner, value, groups[owner, value], len(groups), totals)


def _k(k: int) -> Model:
    model = build("models", "k-anonymity", {"k": k})
    assert isinstance(model, Model)
    return model


def _method(name: str, **knobs: Any) -> Method:
    method = build("methods", name, knobs)
    assert isinstance(method, Method)
    return method


def _policy_for(method: Method, data: Microdata) -> Policy:
    """The first of a few policies that the method serves."""
    for name, knobs in (("k-anonymity", {"k": 3}), ("l-diversity", {"l": 3})):
        model = build("models", name, knobs)
        assert isinstance(model, Model)
        try:
            method.check(method.prepare(data.columns, data.rows), Policy(model))
        except PolicyError:
            continue
        return Policy(model)
    raise AssertionError(f"{method!r}: it serves no policy at hand; pass one as `policy`.")


def _releases(data: Microdata) -> list[Release]:
    diverse = build("models", "l-diversity", {"l": 3})
    assert isinstance(diverse, Model)
    return [publish(data, Policy(_k(3), diverse)), publish(data, Policy(diverse), _method("anatomy"))]


def _same(one: Release, other: Release) -> bool:
    """Equal as published: what a reader sees in the tables, the claims, the dictionary."""
    shown = [{name: table.cast(pl.String) for name, table in release.tables.items()} for release in (one, other)]
    claims = [json.dumps(release.certificate.claims) for release in (one, other)]
    entries = [json.dumps(release.dictionary, sort_keys=True) for release in (one, other)]
    tables = shown[0].keys() == shown[1].keys() and all(shown[0][name].equals(shown[1][name]) for name in shown[0])
    return tables and claims[0] == claims[1] and entries[0] == entries[1]
