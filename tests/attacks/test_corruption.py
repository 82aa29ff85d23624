"""The corruption attack: against every shape, checked by going through everything that may have happened."""

from __future__ import annotations

import dataclasses
import itertools
from collections import Counter
from fractions import Fraction
from typing import Any

import numpy as np
import oracle
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import voile as vl
from voile.attacks.base import RawTable
from voile.attacks.corruption import Corruption, posterior
from voile.errors import InconsistentKnowledge
from voile.models.anti_corruption.privacy_arithmetic import Terms
from voile.releases.randomized_response import Channel

KEY = vl.Key(bytes(32))


@st.composite
def beliefs(draw: st.DrawFn, size: int) -> list[Fraction]:
    weights = draw(st.lists(st.integers(0, 9), min_size=size, max_size=size))
    weights[draw(st.integers(0, size - 1))] += 1  # a filter for a positive sum may reject too many examples
    return [Fraction(weight, sum(weights)) for weight in weights]


@given(st.data())
def test_the_posterior_is_what_enumeration_gives(data: st.DataObject) -> None:
    size, group = data.draw(st.integers(2, 4)), data.draw(st.integers(1, 4))
    p = Fraction(data.draw(st.integers(0, 9)), 10)
    known = data.draw(st.lists(st.integers(0, size - 1), max_size=group - 1))
    left = group - 1 - len(known)
    others = data.draw(st.lists(beliefs(size), min_size=left, max_size=left + 2))
    prior, y = data.draw(beliefs(size)), data.draw(st.integers(0, size - 1))
    expected = oracle.corrupted_posterior(prior, y, p, group, known, others)
    _, found = posterior(
        [float(share) for share in prior], y, Channel(p, size), group, known, [float(one[y]) for one in others]
    )
    assert found == pytest.approx([float(share) for share in expected], abs=1e-9)


def capped(rng: np.random.Generator, size: int, skew: float) -> np.ndarray:
    """A random belief that gives no value more than the skew."""
    belief = rng.dirichlet(np.full(size, rng.choice([0.05, 0.3, 1.0])))
    while belief.max() > skew:
        over = belief > skew
        spare, belief[over] = (belief[over] - skew).sum(), skew
        room = np.where(over, 0, skew - belief)
        belief = belief + room * (spare / room.sum() if room.sum() else 0)
        belief = np.minimum(belief, skew + 1e-12) if spare < 1e-12 else belief
    return belief


def test_no_simulated_attack_exceeds_the_certificate() -> None:
    """Random priors, groups and corruption from none to all but one; the worst set of values for each prior."""
    rng = np.random.default_rng(6)
    close = 0
    for _ in range(1000):
        size, k = int(rng.integers(2, 12)), int(rng.integers(1, 8))
        skew, p, rho1 = float(rng.uniform(1 / size, 1)), float(rng.uniform(0, 0.98)), float(rng.uniform(0, 0.9))
        group = k + int(rng.integers(0, 3))
        prior, y = capped(rng, size, skew), int(rng.integers(size))
        corrupted = rng.integers(0, size, rng.integers(0, group)).tolist()
        others = rng.dirichlet(np.ones(size), group - 1 - len(corrupted) + int(rng.integers(0, 3)))[:, y]
        _, after = posterior(prior.tolist(), y, Channel(p, size), group, corrupted, others.tolist())
        grown = np.maximum(after - prior, 0).sum()  # the best set of values is all that gained
        for tight in (False, True):
            terms = Terms(k, size, skew, tight=tight)
            assert grown < 1e-6 or not terms.grows_within(p, Fraction(grown - 1e-9))  # the bound is above
            close += tight and grown > 0.01 and terms.grows_within(p, Fraction(grown * 1.1))
            chosen = subset(prior, after, y, rho1)
            if chosen:
                assert after[chosen].sum() <= float(terms.exact_belief(p, rho1)) + 1e-9
    assert close > 0  # the bound is nearly reached: these are attacks


def subset(prior: np.ndarray, after: np.ndarray, y: int, rho1: float) -> list[int]:
    """The set of values with prior at most rho1 that is believed most afterwards (all sets, where they are few)."""
    sets = itertools.chain.from_iterable(itertools.combinations(range(len(prior)), n) for n in (1, 2, 3))
    fitting = [list(one) for one in sets if prior[list(one)].sum() <= rho1]
    return max(fitting, key=lambda one: float(after[one].sum()), default=[])


def test_the_mechanism_itself_does_what_the_formula_says() -> None:
    """Throw the coins of the real method for many groups alike: whose value is published, and what became of it."""
    groups, values = 4000, list("abcde")
    frame = pl.DataFrame({"age": np.repeat(np.arange(groups), 3), "value": ["a", "c", "d"] * groups})
    data = vl.read(frame, vl.Schema(quasi=["age"], sensitive=["value"], domains={"value": values}))
    method, policy = vl.PerturbedGeneralization(s=1 / 3, p=0.3), vl.AntiCorruption(growth=0.9, skew=1)
    release = vl.publish(data, policy, method, key=KEY)
    assert release.groups == groups
    seen = Counter(release.tables["table"]["value"])
    for value in values:
        own = [float(oracle.kept_or_redrawn(Fraction(3, 10), 5, values.index(x), values.index(value))) for x in "acd"]
        assert seen[value] / groups == pytest.approx(sum(own) / 3, abs=0.03)


def test_correlated_values_are_outside_the_promise() -> None:
    """The proof takes people's values as independent. Where all of a group have the same value, the published row is
    about everybody, and belief grows beyond the bound for k (docs/limits.md)."""
    p, size, k, skew = Fraction(3, 10), 5, 4, Fraction(1, 5)
    joint = [Fraction(1, size) * oracle.kept_or_redrawn(p, size, x, 0) for x in range(size)]
    grown = joint[0] / sum(joint) - Fraction(1, size)
    assert grown > Terms(k, size, skew).growth(p)
    assert grown <= Terms(k, size, skew, blind=False).growth(p)


def test_an_observed_domain_tells_which_values_occur() -> None:
    """Who has corrupted everybody else reads the victim's rare value in the dictionary, unless it is declared."""
    frame = pl.DataFrame({"age": range(12), "value": ["flu", "cold", "cough"] * 3 + ["flu", "cold", "HIV"]})
    observed = vl.publish(vl.read(frame, vl.Schema(quasi=["age"], sensitive=["value"])), vl.AntiCorruption(skew=0.5))
    listed = observed.dictionary["columns"][-1]["domain"]["values"]
    assert set(listed) - set(frame["value"][:-1]) == {"HIV"}
    assert "assumed to be known" in observed.certificate.claims[0]["promise"]
    everything = ["flu", "cold", "cough", "HIV", "gout"]
    schema = vl.Schema(quasi=["age"], sensitive=["value"], domains={"value": everything})
    declared = vl.publish(vl.read(frame, schema), vl.AntiCorruption(skew=0.5))
    assert declared.dictionary["columns"][-1]["domain"]["values"] == everything


# releases of true values ----------------------------------------------------------------------------------------
ROWS = pl.DataFrame({"age": [20, 21, 22, 23, 24, 25, 26, 27], "value": ["a", "b", "a", "c", "b", "c", "d", "a"]})
PLAIN = vl.Schema(quasi=["age"], sensitive=["value"])


@pytest.mark.parametrize("method", [vl.Mondrian(), vl.Anatomy()])
def test_everybody_else_known_is_certainty(method: Any) -> None:
    data = vl.read(ROWS, PLAIN)
    release = vl.publish(data, vl.LDiversity(l=2), method, key=KEY)
    belief = Corruption().guesses(release, None)[0].belief
    assert belief.people.sum() == 8
    assert belief.risk.min() == 1.0
    none = Corruption(corrupted=0.0).guesses(release, None)[0].belief
    plain = vl.attacks.Homogeneity().guesses(release, None)[0].belief
    assert (none.worst, none.mean) == (plain.worst, plain.mean)
    found = vl.audit(release, data, [Corruption()]).findings[0]
    assert not found.inside


def test_known_people_are_struck() -> None:
    """Table I of the paper: Bob is known to have bronchitis, so Calvin has pneumonia."""
    frame = pl.DataFrame({"age": [25, 30, 45, 50], "value": ["bronchitis", "pneumonia", "pneumonia", "cancer"]})
    release = vl.publish(vl.read(frame, PLAIN), vl.KAnonymity(k=2))
    known = vl.read(frame.head(1), PLAIN)
    belief = Corruption(known=known).guesses(release, None)[0].belief
    by_risk = {float(risk): int(people) for risk, people in zip(belief.risk, belief.people, strict=True) if people}
    assert sum(people for risk, people in by_risk.items() if risk == 1.0) >= 1
    assert belief.details["known people"] == 1
    raw = Corruption(known=known).guesses(RawTable(vl.read(frame, PLAIN)), None)[0].belief
    assert raw.worst == 1.0


def test_known_people_are_struck_from_a_decomposed_release() -> None:
    frame = ROWS.with_columns(other=pl.Series(["x", "y", "z", "x", "z", "y", "x", "z"]))
    schema = vl.Schema(quasi=["age"], sensitive=["value", "other"])
    release: Any = vl.publish(vl.read(frame, schema), vl.MultiDiversity({"value": 2, "other": 2}), key=KEY)
    (guess,) = Corruption(known=vl.read(frame.head(1), schema)).guesses(release, None)
    assert guess.belief.column == release.sensitive_names[0]  # of the others there are lists, and nothing to strike
    assert guess.belief.details == {"known people": 1.0, "known people whose group is unclear": 0.0}
    assert Corruption().guesses(release, None)[0].belief.worst == 1.0


def worlds(counts: dict[str, int], known: dict[str, int]) -> float:
    """The belief in the likeliest value of somebody not known, over all ways to deal out what is left."""
    left = [value for value, n in counts.items() for _ in range(n - known.get(value, 0))]
    dealt = Counter(order[0] for order in itertools.permutations(left))
    return max(dealt.values()) / sum(dealt.values())


@given(st.lists(st.sampled_from("abc"), min_size=2, max_size=5), st.data())
def test_belief_is_that_of_all_worlds(values: list[str], data: st.DataObject) -> None:
    frame = pl.DataFrame({"age": [30] * len(values), "value": values})
    chosen = data.draw(st.lists(st.integers(0, len(values) - 1), unique=True, max_size=len(values) - 1))
    release = vl.publish(vl.read(frame, PLAIN), vl.KAnonymity(k=2))
    known = vl.read(frame[chosen], PLAIN) if chosen else None
    attack = Corruption(known=known) if known else Corruption(corrupted=0.0)
    belief = attack.guesses(release, None)[0].belief
    expected = worlds(Counter(values), Counter(values[place] for place in chosen))
    assert belief.people[0] == len(values) - len(chosen)
    assert belief.risk[0] == pytest.approx(expected)


def test_contradictions_are_named() -> None:
    release = vl.publish(vl.read(ROWS, PLAIN), vl.KAnonymity(k=2))
    strange = vl.read(pl.DataFrame({"age": [20], "value": ["z"]}), PLAIN)
    with pytest.raises(InconsistentKnowledge, match="not published"):
        Corruption(known=strange).guesses(release, None)
    many = vl.read(pl.DataFrame({"age": [20] * 5, "value": ["a"] * 5}), PLAIN)
    with pytest.raises(InconsistentKnowledge, match="fewer people"):
        Corruption(known=many).guesses(release, None)
    schema = vl.Schema(quasi=["age"], sensitive=["value"], domains={"value": list("abcd")})
    sampled = vl.publish(vl.read(ROWS, schema), vl.AntiCorruption(skew=0.5), vl.PerturbedGeneralization(s=0.5))
    with pytest.raises(InconsistentKnowledge, match="not in the domain"):
        Corruption(known=strange).guesses(sampled, None)
    with pytest.raises(InconsistentKnowledge, match="contradicts the release"):
        Corruption(known=many).guesses(sampled, None)
    with pytest.raises(InconsistentKnowledge, match="cannot hold"):
        posterior([0.5, 0.5], 0, Channel(0.3, 2), 2, [0, 1])
    with pytest.raises(InconsistentKnowledge, match="probability 0"):
        posterior([0.0, 1.0], 0, Channel(1.0, 2), 1, [])


# the release of perturbed values --------------------------------------------------------------------------------
@pytest.fixture(scope="module")
def census() -> tuple[Any, Any]:
    frame = vl.datasets.census(4000).select("age", "gender", "education", "income")
    schema = vl.Schema(quasi=["age", "gender", "education"], sensitive=["income"], domains={"income": list(range(50))})
    return frame, vl.read(frame, schema)


@pytest.mark.parametrize("bounds", ["paper", "tight"])
@pytest.mark.parametrize("splitter", ["mondrian", "specialization"])
def test_the_attack_stays_within_the_claims(census: tuple[Any, Any], bounds: str, splitter: str) -> None:
    _, data = census
    policy = vl.AntiCorruption(rho1=0.2, rho2=0.5, growth=0.2, skew=0.1, bounds=bounds)
    release = vl.publish(data, policy, vl.PerturbedGeneralization(s=0.2, splitter=splitter), key=KEY)
    for share in (0.0, 0.5, 1.0):
        found = vl.audit(release, data, [Corruption(corrupted=share)])
        assert found.passed
        inside = [finding for finding in found.findings if finding.inside]
        assert {str(finding.bound) for finding in inside} == {"1/2", "1/5"}
    worst = vl.audit(release, None, [Corruption()])
    assert worst.passed
    if splitter == "mondrian" and bounds == "tight":
        reached = {str(f.bound): f.belief.worst for f in worst.findings if f.inside}
        assert any(value > 0.99 * float(Fraction(bound)) for bound, value in reached.items())


def test_too_large_a_p_is_caught_by_the_audit(census: tuple[Any, Any]) -> None:
    """The audit does not trust the arithmetic: with more kept than the claim allows, the attack breaks it."""
    _, data = census
    release = vl.publish(data, vl.AntiCorruption(growth=0.2), vl.PerturbedGeneralization(s=0.2), key=KEY)
    columns = [dict(entry) for entry in release.dictionary["columns"]]
    columns[-1]["keep"] = 0.6
    weaker = dataclasses.replace(release, dictionary={**release.dictionary, "columns": columns})
    assert not vl.audit(weaker, None, [Corruption()]).passed


def test_known_people_and_strangers(census: tuple[Any, Any]) -> None:
    frame, data = census
    release = vl.publish(data, vl.AntiCorruption(), vl.PerturbedGeneralization(s=0.2), key=KEY)
    schema = vl.Schema(quasi=["age", "gender", "education"], sensitive=["income"], missing="value")
    known = vl.read(frame.head(1000), schema)
    register = vl.read(frame.drop("income"), vl.Schema(quasi=["age", "gender", "education"]))
    first = Corruption(known=known).guesses(release, register)[0].belief
    worst = Corruption().guesses(release, register)[0].belief
    assert first.worst <= worst.worst
    assert first.mean < worst.mean  # some corrupted people have the published value, which speaks for them
    assert first.people.sum() == 4000
    gone = frame.head(400).with_columns(income=pl.lit(None, dtype=pl.Int64))
    with pytest.raises(InconsistentKnowledge):  # nobody of the register is left to be in some group
        Corruption(known=vl.read(pl.concat([gone, frame]), schema)).guesses(release, register)
