"""The public names and nothing else: whoever adds or removes one does so here."""

from __future__ import annotations

import inspect

import pytest

import voile as vl

NAMES = [
    "KE",
    "Adversary",
    "AlphaK",
    "Anatomy",
    "AntiCorruption",
    "Art",
    "CKSafety",
    "Decompose",
    "Disk",
    "FullDomain",
    "Injector",
    "KAnonymity",
    "Key",
    "Knowledge",
    "LDiversity",
    "Ledger",
    "MConfidentiality",
    "MInvariance",
    "Mask",
    "Mondrian",
    "MultiDiversity",
    "Personalized",
    "PerturbedGeneralization",
    "Policy",
    "Preset",
    "RRobustness",
    "Republish",
    "Schema",
    "Sequential",
    "Spark",
    "TCloseness",
    "__version__",
    "attacks",
    "audit",
    "by_frequency",
    "compare",
    "datasets",
    "dates",
    "distributions",
    "foresee",
    "inspect",
    "intervals",
    "learn_prior",
    "load",
    "measure",
    "measures",
    "mining",
    "prefixes",
    "presets",
    "privacy_budget",
    "publish",
    "reach",
    "read",
    "read_prior",
    "report",
    "tree",
    "verify",
]


def test_the_names_are_pinned() -> None:
    assert vl.__all__ == NAMES
    assert dir(vl) == sorted(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_every_name_leads_somewhere(name: str) -> None:
    thing = getattr(vl, name)
    if name != "__version__":
        assert thing.__doc__, "no docstring"
        assert inspect.ismodule(thing) or thing.__module__.startswith("voile.")


def test_other_names_are_none_of_ours() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'Manager'"):
        vl.Manager  # noqa: B018 - the access is the test


def test_star_imports_bring_the_same() -> None:
    scope: dict[str, object] = {}
    exec("from voile import *", scope)
    assert set(NAMES) <= set(scope)


def test_the_folders_of_attacks_and_measures() -> None:
    assert vl.attacks.__all__ == sorted(vl.attacks.__all__)
    assert vl.measures.__all__ == sorted(vl.measures.__all__)
    for module in (vl.attacks, vl.measures):
        for name in module.__all__:
            assert getattr(module, name).__doc__


@pytest.mark.parametrize(
    "function", [vl.read, vl.publish, vl.verify, vl.load, vl.audit, vl.measure, vl.report, vl.compare]
)
def test_the_verbs_are_typed(function: object) -> None:
    signature = inspect.signature(function)  # type: ignore[arg-type]
    assert signature.return_annotation is not inspect.Signature.empty
    assert all(parameter.annotation is not inspect.Parameter.empty for parameter in signature.parameters.values())
