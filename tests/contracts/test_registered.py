"""Every registered class keeps the contract of its family: with its default knobs, and with other ones."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest

import voile as vl
from voile.plugins.registry import FAMILIES, registered_classes
from voile.testing import check_attack, check_measure, check_method, check_model

# beside each class with its defaults: other readings of the same class
MODELS = [
    vl.KAnonymity(k=7),
    vl.LDiversity(l=3),
    vl.LDiversity(l=3, form="distinct"),
    vl.LDiversity(l=3, form="entropy"),
    vl.LDiversity(l=2, form="recursive", c=0.5),
    vl.LDiversity(l=3, form="recursive", c=2.5),
    vl.TCloseness(t=0.3),
    vl.TCloseness(t=0.25, distance="ordered"),
    vl.TCloseness(t=0.35, distance="hierarchical"),
    vl.TCloseness(t=0),
    vl.AlphaK(alpha=0.3, k=4),
    vl.AlphaK(alpha=0.2, k=3, protect=("10", "20")),
    vl.KE(k=3, e=25),
    vl.RRobustness(r=2.5, protect=("10", "20"), protect_as="set", reading="binary"),
    vl.AntiCorruption(growth=0.2, skew=0.3),
    vl.AntiCorruption(rho1=0.1, rho2=0.4, growth=0.3, bounds="tight"),
    vl.MultiDiversity({"value": 3}),
    vl.MultiDiversity({"value": 4}, otherwise=3, reached={"value": "2/5"}),
    vl.CKSafety(c=0.9, k=2),
    vl.CKSafety(c=0.6, k=0),
    vl.Personalized(p=0.3, nodes=("10", "20")),
    vl.Sequential(vl.LDiversity(l=3)),
    vl.Sequential(vl.TCloseness(t=0.3)),
    vl.MConfidentiality(m=3, protect=("10",)),
    vl.MConfidentiality(m=2, protect=("10", "20"), highest_rate=0.2, other_rates={"30": 0.5, "40": 2}),
    vl.MInvariance(m=4),
]
METHODS = [
    (vl.Mondrian(recoding="hierarchy"), vl.Policy(vl.KAnonymity(k=4))),
    (vl.Mondrian(), vl.Policy(vl.KAnonymity(k=2), vl.LDiversity(l=2), vl.TCloseness(t=0.4))),
    (vl.Mondrian(), vl.Policy(vl.AlphaK(alpha=0.5, k=2, protect=("HIV",)))),
    (vl.FullDomain(suppression=0.3), vl.Policy(vl.LDiversity(l=3, form="entropy"))),
    (vl.FullDomain(suppression=0.1), vl.Policy(vl.KAnonymity(k=3), vl.TCloseness(t=0.5))),
    (vl.Anatomy(), vl.Policy(vl.LDiversity(l=2, form="recursive", c=1))),
    (vl.Mask(sampling="paper"), vl.Policy(vl.MConfidentiality(m=3, protect=("HIV", "flu")))),
    (vl.Mask(k=4), vl.Policy(vl.MConfidentiality(m=2, protect=("HIV",)))),
    (vl.Mask(sampling="slack", l=4), vl.Policy(vl.MConfidentiality(m=2, protect=("HIV", "flu"), highest_rate=0.1))),
    (vl.Mask(l=2, anonymizer=vl.FullDomain(suppression=0.2)), vl.Policy(vl.MConfidentiality(m=2, protect=("HIV",)))),
    (vl.Republish(), vl.Policy(vl.MInvariance(m=4))),
    (vl.Mondrian(), vl.Policy(vl.CKSafety(c=0.9, k=1))),
    (vl.Mondrian(), vl.Policy(vl.Personalized(p=0.5, nodes=("HIV",)))),
    (vl.Anatomy(), vl.Policy(vl.LDiversity(l=4), vl.LDiversity(l=2, form="distinct"))),
    (vl.Injector(), vl.Policy(vl.LDiversity(l=2, form="recursive", c=1))),
    (vl.Injector(min_conf=0.9, min_exp=2.5, max_items=3, intervals=4), vl.Policy(vl.LDiversity(l=2))),
    (vl.PerturbedGeneralization(s=0.4, p=0.1), vl.Policy(vl.AntiCorruption(growth=0.3, skew=0.5))),
    (vl.PerturbedGeneralization(splitter="specialization"), vl.Policy(vl.AntiCorruption(skew=0.4, bounds="tight"))),
    (vl.Mondrian(), vl.Policy(vl.MultiDiversity({"disease": 3}))),
    (vl.Decompose(primary="drug"), vl.Policy(vl.MultiDiversity({"disease": 3, "drug": 2}))),
    (vl.Decompose(on_fail="lower", l={"drug": 3}), vl.Policy(vl.MultiDiversity({"disease": 4}))),
    (vl.Decompose(noise="paper"), vl.Policy(vl.MultiDiversity({"disease": 3, "drug": 3}))),
    (vl.Decompose(publish_joint=False), vl.Policy(vl.MultiDiversity({"disease": 4, "drug": 1}))),
]
ATTACKS = [
    vl.attacks.Minimality(exclusion="original"),
    vl.attacks.Minimality(worlds=1),
    vl.attacks.Elimination(values=3),
    vl.attacks.Elimination(values=50),
    vl.attacks.Corruption(corrupted=0.0),
    vl.attacks.Corruption(corrupted=0.5, skew=1.0, rho1=0.5, seed=3),
    vl.attacks.Exclusion(values=2),
    vl.attacks.Exclusion(values=50),
]
# what a measure may say where nothing is changed; None where that says nothing (a group of two is a group of two)
UNCHANGED = {"alteration": 0.0, "certainty": 0.0, "distortion": 0.0, "divergence": 0.05, "query-error": 1e-9}
MEASURES = [
    vl.measures.QueryError(queries=50, repetitions=2, dimensions=1),
    vl.measures.QueryError(queries=50, repetitions=1, contiguous=True, selectivity=0.3),
    vl.measures.QueryError(queries=50, repetitions=1, sensitive=1),
]


def classes(family: str) -> Iterable[Any]:
    """The classes that voile itself defines; a plug-in of another test is not its business."""
    return [
        pytest.param(cls, id=name)
        for name, cls in registered_classes(family).items()
        if cls.__module__.startswith("voile.")
    ]


def test_no_family_is_empty() -> None:
    for family in FAMILIES:
        assert classes(family), family


@pytest.mark.parametrize("cls", classes("models"))
def test_model_class(cls: Any) -> None:
    check_model(cls)


@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_model(model: Any) -> None:
    check_model(model)


@pytest.mark.parametrize("cls", classes("methods"))
def test_method_class(cls: Any) -> None:
    check_method(cls)


@pytest.mark.parametrize(("method", "policy"), METHODS, ids=repr)
def test_method(method: Any, policy: Any) -> None:
    check_method(method, policy)


@pytest.mark.parametrize("cls", classes("attacks"))
def test_attack_class(cls: Any) -> None:
    check_attack(cls)


@pytest.mark.parametrize("attack", ATTACKS, ids=repr)
def test_attack(attack: Any) -> None:
    check_attack(attack)


@pytest.mark.parametrize("cls", classes("measures"))
def test_measure_class(cls: Any) -> None:
    check_measure(cls, unchanged=UNCHANGED.get(cls.name))


@pytest.mark.parametrize("measure", MEASURES, ids=repr)
def test_measure(measure: Any) -> None:
    check_measure(measure, unchanged=UNCHANGED[measure.name])


@pytest.mark.parametrize("family", FAMILIES)
def test_names_are_fit_for_a_command_line(family: str) -> None:
    for name, cls in registered_classes(family).items():
        assert name == name.lower().strip()
        assert not set(name) & set(":,= ")
        assert cls.family == family
