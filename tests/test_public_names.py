"""The public names and nothing else: this list is the only one, so adding or removing a name shows here."""

from __future__ import annotations

import inspect

import pytest

import voile as vl
from voile.plugins.class_homes import class_homes
from voile.plugins.registry import registered_classes

NAMES = [
    "KE",
    "AccountedCuts",
    "Adversary",
    "AlphaK",
    "Anatomy",
    "AntiCorruption",
    "Append",
    "Art",
    "CKSafety",
    "CappedCounts",
    "Cluster",
    "Decompose",
    "Disk",
    "FullDomain",
    "Injector",
    "KAnonymity",
    "KeptSeats",
    "Key",
    "Knowledge",
    "LDiversity",
    "LocalRecoding",
    "LabelDifferentialPrivacy",
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
    "Project",
    "RRobustness",
    "Republish",
    "Schema",
    "Sequential",
    "Spark",
    "Steer",
    "TCloseness",
    "Yardstick",
    "__version__",
    "advise",
    "attacks",
    "audit",
    "ages",
    "alike",
    "by_frequency",
    "code_list",
    "compare",
    "compare_rows_per_person",
    "datasets",
    "dates",
    "distributions",
    "foresee",
    "guide",
    "inspect",
    "intervals",
    "learn_prior",
    "load",
    "measure",
    "measures",
    "merge_groups",
    "mining",
    "move_labels",
    "pack",
    "pool",
    "prefixes",
    "prepare",
    "presets",
    "preview",
    "privacy_budget",
    "publish",
    "reach",
    "read",
    "read_prior",
    "recommend",
    "rename_group",
    "report",
    "tree",
    "verify",
]


def test_the_names_are_pinned() -> None:
    assert sorted(vl.__all__) == sorted(NAMES)
    assert dir(vl) == sorted(NAMES)


def test_every_model_and_method_is_public() -> None:
    """The names are read from the source files; the registry, which imports them, must agree."""
    for family in ("models", "methods"):
        own = {cls for cls in registered_classes(family).values() if cls.__module__.startswith("voile.")}
        assert own == {getattr(vl, name) for name in class_homes(family)}


@pytest.mark.parametrize("name", NAMES)
def test_every_name_has_an_object_with_a_docstring(name: str) -> None:
    thing = getattr(vl, name)
    if name != "__version__":
        assert thing.__doc__, "no docstring"
        assert inspect.ismodule(thing) or thing.__module__.startswith("voile.")


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'Manager'"):
        vl.Manager  # noqa: B018 - the access is the test


def test_a_star_import_brings_the_same_names() -> None:
    scope: dict[str, object] = {}
    exec("from voile import *", scope)
    assert set(scope) - {"__builtins__"} == set(NAMES)


def test_the_names_of_attacks_and_measures_are_sorted_and_documented() -> None:
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
