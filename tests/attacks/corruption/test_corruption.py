"""The corruption attack on every shape, compared with the enumeration of all possible events."""

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
def test_the_posterior_equals_the_enumeration(data: st.DataObject) -> None:
    size, group = data.draw(st.integers(2, 4)), data.draw(st.integers(1, 4))
    p = Fraction(data.draw(st.integers(0, 9)), 10)
    known_values = data.draw(st.lists(st.integers(0, size - 1), max_size=group - 1))
    people_left = group - 1 - len(known_values)
    other_beliefs = data.draw(st.lists(beliefs(size), min_size=people_left, max_size=people_left + 2))
    prior, y = data.draw(beliefs(size)), data.draw(st.integers(0, size - 1))
    expected = oracle.corrupted_posterior(prior, y, p, group, known_values, other_beliefs)
    _, posterior_beliefs = posterior(
        [float(share) for share in prior],
        y,
        Channel(p, size),
        group,
        known_values,
        [float(belief[y]) for belief in other_beliefs],
    )
    assert posterior_beliefs == pytest.approx([float(share) for share in expected], abs=1e-9)


def random_belief(rng: np.random.Generator, size: int, skew: float) -> np.ndarray:
    """Draw a random belief that gives no value a probability above the skew."""
    belief = rng.dirichlet(np.full(size, rng.choice([0.05, 0.3, 1.0])))
    while belief.max() > skew:
        is_over = belief > skew
        excess, belief[is_over] = (belief[is_over] - skew).sum(), skew
        room = np.where(is_over, 0, skew - belief)
        belief = belief + room * (excess / room.sum() if room.sum() else 0)
        belief = np.minimum(belief, skew + 1e-12) if excess < 1e-12 else belief
    return belief


def test_no_simulated_attack_exceeds_the_certificate() -> None:
    """Random priors and groups, with nobody to all but one corrupted, and the worst set of values for each prior."""
    rng = np.random.default_rng(6)
    near_misses = 0
    for _ in range(1000):
        size, k = int(rng.integers(2, 12)), int(rng.integers(1, 8))
        skew, p, rho1 = float(rng.uniform(1 / size, 1)), float(rng.uniform(0, 0.98)), float(rng.uniform(0, 0.9))
        group = k + int(rng.integers(0, 3))
        prior, y = random_belief(rng, size, skew), int(rng.integers(size))
        corrupted = rng.integers(0, size, rng.integers(0, group)).tolist()
        other_chances = rng.dirichlet(np.ones(size), group - 1 - len(corrupted) + int(rng.integers(0, 3)))[:, y]
        _, after = posterior(prior.tolist(), y, Channel(p, size), group, corrupted, other_chances.tolist())
        growth = np.maximum(after - prior, 0).sum()  # the best set consists of all values that gained
        for tight in (False, True):
            terms = Terms(k, size, skew, tight=tight)
            assert growth < 1e-6 or not terms.grows_within(p, Fraction(growth - 1e-9))  # the bound is higher
            near_misses += tight and growth > 0.01 and terms.grows_within(p, Fraction(growth * 1.1))
            values = likeliest_set(prior, after, y, rho1)
            if values:
                assert after[values].sum() <= float(terms.exact_belief(p, rho1)) + 1e-9
    assert near_misses > 0  # the bound is nearly reached, so the attacks are not too weak


def likeliest_set(prior: np.ndarray, after: np.ndarray, y: int, rho1: float) -> list[int]:
    """Return the set of up to three values with prior at most rho1 that is believed most afterwards."""
    sets = itertools.chain.from_iterable(itertools.combinations(range(len(prior)), n) for n in (1, 2, 3))
    allowed_sets = [list(members) for members in sets if prior[list(members)].sum() <= rho1]
    return max(allowed_sets, key=lambda members: float(after[members].sum()), default=[])


def test_the_mechanism_itself_does_what_the_formula_says() -> None:
    """Run the real method on many equal groups and count the published values."""
    groups, values = 4000, list("abcde")
    frame = pl.DataFrame({"age": np.repeat(np.arange(groups), 3), "value": ["a", "c", "d"] * groups})
    data = vl.read(frame, vl.Schema(quasi=["age"], sensitive=["value"], domains={"value": values}))
    method, policy = vl.PerturbedGeneralization(s=1 / 3, p=0.3), vl.AntiCorruption(growth=0.9, skew=1)
    release = vl.publish(data, policy, method, key=KEY)
    assert release.groups == groups
    published_counts = Counter(release.tables["table"]["value"])
    for value in values:
        chances = [
            float(oracle.kept_or_redrawn(Fraction(3, 10), 5, values.index(x), values.index(value))) for x in "acd"
        ]
        assert published_counts[value] / groups == pytest.approx(sum(chances) / 3, abs=0.03)


def test_correlated_values_are_outside_the_promise() -> None:
    """The proof takes people's values as independent. If everybody in a group has the same value, the published row is
    about all of them, and belief grows beyond the bound for k (docs/limits.md)."""
    p, size, k, skew = Fraction(3, 10), 5, 4, Fraction(1, 5)
    joint = [Fraction(1, size) * oracle.kept_or_redrawn(p, size, x, 0) for x in range(size)]
    growth = joint[0] / sum(joint) - Fraction(1, size)
    assert growth > Terms(k, size, skew).growth(p)
    assert growth <= Terms(k, size, skew, blind=False).growth(p)


def test_an_observed_domain_reveals_which_values_occur() -> None:
    """An adversary who has corrupted everybody else reads the victim's rare value in the dictionary, unless the domain
    is declared."""
    frame = pl.DataFrame({"age": range(12), "value": ["flu", "cold", "cough"] * 3 + ["flu", "cold", "HIV"]})
    observed_release = vl.publish(
        vl.read(frame, vl.Schema(quasi=["age"], sensitive=["value"])), vl.AntiCorruption(skew=0.5)
    )
    listed_values = observed_release.dictionary["columns"][-1]["domain"]["values"]
    assert set(listed_values) - set(frame["value"][:-1]) == {"HIV"}
    assert "assumed to be known" in observed_release.certificate.claims[0]["promise"]
    all_values = ["flu", "cold", "cough", "HIV", "gout"]
    schema = vl.Schema(quasi=["age"], sensitive=["value"], domains={"value": all_values})
    declared_release = vl.publish(vl.read(frame, schema), vl.AntiCorruption(skew=0.5))
    assert declared_release.dictionary["columns"][-1]["domain"]["values"] == all_values


# releases of true values ----------------------------------------------------------------------------------------
ROWS = pl.DataFrame({"age": [20, 21, 22, 23, 24, 25, 26, 27], "value": ["a", "b", "a", "c", "b", "c", "d", "a"]})
PLAIN = vl.Schema(quasi=["age"], sensitive=["value"])


@pytest.mark.parametrize("method", [vl.Mondrian(), vl.Anatomy()])
def test_knowing_everybody_else_gives_certainty(method: Any) -> None:
    data = vl.read(ROWS, PLAIN)
    release = vl.publish(data, vl.LDiversity(l=2), method, key=KEY)
    belief = Corruption().guesses(release, None)[0].belief
    assert belief.people.sum() == 8
    assert belief.risk.min() == 1.0
    belief_without_corruption = Corruption(corrupted=0.0).guesses(release, None)[0].belief
    homogeneity = vl.attacks.Homogeneity().guesses(release, None)[0].belief
    assert (belief_without_corruption.worst, belief_without_corruption.mean) == (homogeneity.worst, homogeneity.mean)
    finding = vl.audit(release, data, [Corruption()]).findings[0]
    assert not finding.inside


def test_known_people_are_removed_from_their_group() -> None:
    """Table I of the paper: Bob is known to have bronchitis, so Calvin has pneumonia."""
    frame = pl.DataFrame({"age": [25, 30, 45, 50], "value": ["bronchitis", "pneumonia", "pneumonia", "cancer"]})
    release = vl.publish(vl.read(frame, PLAIN), vl.KAnonymity(k=2))
    known_people = vl.read(frame.head(1), PLAIN)
    belief = Corruption(known=known_people).guesses(release, None)[0].belief
    by_risk = {float(risk): int(people) for risk, people in zip(belief.risk, belief.people, strict=True) if people}
    assert sum(people for risk, people in by_risk.items() if risk == 1.0) >= 1
    assert belief.details["known people"] == 1
    raw_belief = Corruption(known=known_people).guesses(RawTable(vl.read(frame, PLAIN)), None)[0].belief
    assert raw_belief.worst == 1.0


def test_known_people_are_removed_from_a_decomposed_release() -> None:
    frame = ROWS.with_columns(other=pl.Series(["x", "y", "z", "x", "z", "y", "x", "z"]))
    schema = vl.Schema(quasi=["age"], sensitive=["value", "other"])
    release: Any = vl.publish(vl.read(frame, schema), vl.MultiDiversity({"value": 2, "other": 2}), key=KEY)
    (guess,) = Corruption(known=vl.read(frame.head(1), schema)).guesses(release, None)
    assert (
        guess.belief.column == release.sensitive_names[0]
    )  # the other columns are published as lists, from which nobody can be removed
    assert guess.belief.details == {"known people": 1.0, "known people whose group is unclear": 0.0}
    assert Corruption().guesses(release, None)[0].belief.worst == 1.0


def largest_belief_over_worlds(counts: dict[str, int], known: dict[str, int]) -> float:
    """Return the belief in the likeliest value of an unknown person, over all ways to deal out the values left."""
    values_left = [value for value, n in counts.items() for _ in range(n - known.get(value, 0))]
    first_values = Counter(order[0] for order in itertools.permutations(values_left))
    return max(first_values.values()) / sum(first_values.values())


@given(st.lists(st.sampled_from("abc"), min_size=2, max_size=5), st.data())
def test_belief_is_that_of_all_worlds(values: list[str], data: st.DataObject) -> None:
    frame = pl.DataFrame({"age": [30] * len(values), "value": values})
    known_rows = data.draw(st.lists(st.integers(0, len(values) - 1), unique=True, max_size=len(values) - 1))
    release = vl.publish(vl.read(frame, PLAIN), vl.KAnonymity(k=2))
    known_people = vl.read(frame[known_rows], PLAIN) if known_rows else None
    attack = Corruption(known=known_people) if known_people else Corruption(corrupted=0.0)
    belief = attack.guesses(release, None)[0].belief
    expected = largest_belief_over_worlds(Counter(values), Counter(values[row] for row in known_rows))
    assert belief.people[0] == len(values) - len(known_rows)
    assert belief.risk[0] == pytest.approx(expected)


def test_knowledge_that_contradicts_the_release_is_refused() -> None:
    release = vl.publish(vl.read(ROWS, PLAIN), vl.KAnonymity(k=2))
    unknown_value = vl.read(pl.DataFrame({"age": [20], "value": ["z"]}), PLAIN)
    with pytest.raises(InconsistentKnowledge, match="not published"):
        Corruption(known=unknown_value).guesses(release, None)
    too_many_people = vl.read(pl.DataFrame({"age": [20] * 5, "value": ["a"] * 5}), PLAIN)
    with pytest.raises(InconsistentKnowledge, match="fewer people"):
        Corruption(known=too_many_people).guesses(release, None)
    schema = vl.Schema(quasi=["age"], sensitive=["value"], domains={"value": list("abcd")})
    sampled_release = vl.publish(vl.read(ROWS, schema), vl.AntiCorruption(skew=0.5), vl.PerturbedGeneralization(s=0.5))
    with pytest.raises(InconsistentKnowledge, match="not in the domain"):
        Corruption(known=unknown_value).guesses(sampled_release, None)
    with pytest.raises(InconsistentKnowledge, match="contradicts the release"):
        Corruption(known=too_many_people).guesses(sampled_release, None)
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
        audit = vl.audit(release, data, [Corruption(corrupted=share)])
        assert audit.passed
        promised_findings = [finding for finding in audit.findings if finding.inside]
        assert {str(finding.bound) for finding in promised_findings} == {"1/2", "1/5"}
    worst_audit = vl.audit(release, None, [Corruption()])
    assert worst_audit.passed
    if splitter == "mondrian" and bounds == "tight":
        worst_by_bound = {str(f.bound): f.belief.worst for f in worst_audit.findings if f.inside}
        assert any(value > 0.99 * float(Fraction(bound)) for bound, value in worst_by_bound.items())


def test_too_large_a_p_is_caught_by_the_audit(census: tuple[Any, Any]) -> None:
    """The audit does not trust the arithmetic: if p is larger than the claim allows, the attack breaks the claim."""
    _, data = census
    release = vl.publish(data, vl.AntiCorruption(growth=0.2), vl.PerturbedGeneralization(s=0.2), key=KEY)
    columns = [dict(entry) for entry in release.dictionary["columns"]]
    columns[-1]["keep"] = 0.6
    forged_release = dataclasses.replace(release, dictionary={**release.dictionary, "columns": columns})
    assert not vl.audit(forged_release, None, [Corruption()]).passed


def test_known_people_lower_the_mean_belief_about_the_others(census: tuple[Any, Any]) -> None:
    frame, data = census
    release = vl.publish(data, vl.AntiCorruption(), vl.PerturbedGeneralization(s=0.2), key=KEY)
    schema = vl.Schema(quasi=["age", "gender", "education"], sensitive=["income"], missing="value")
    known_people = vl.read(frame.head(1000), schema)
    register = vl.read(frame.drop("income"), vl.Schema(quasi=["age", "gender", "education"]))
    belief_with_known = Corruption(known=known_people).guesses(release, register)[0].belief
    worst_belief = Corruption().guesses(release, register)[0].belief
    assert belief_with_known.worst <= worst_belief.worst
    # some corrupted people have the published value, so the row is more likely theirs
    assert belief_with_known.mean < worst_belief.mean
    assert belief_with_known.people.sum() == 4000
    people_without_values = frame.head(400).with_columns(income=pl.lit(None, dtype=pl.Int64))
    with pytest.raises(InconsistentKnowledge):  # for some group, nobody in the register is left
        Corruption(known=vl.read(pl.concat([people_without_values, frame]), schema)).guesses(release, register)
