"""voile publishes tables of people without giving the people away.

A release is a grouping of people and a way to show each group. A model bounds what an adversary may believe; an attack
computes that belief; the audit compares the two.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from voile.version import __version__

if TYPE_CHECKING:
    from voile import attacks, datasets, measures, mining
    from voile.core.adversary import Adversary, Knowledge
    from voile.core.following import Ledger
    from voile.core.hierarchy import by_frequency, dates, intervals, prefixes, tree
    from voile.core.key import Key
    from voile.core.policy import Policy
    from voile.core.preset import Preset, presets
    from voile.core.schema import Schema
    from voile.engines.disk import Disk
    from voile.engines.spark import Spark
    from voile.flow.audit import audit
    from voile.flow.budget import privacy_budget
    from voile.flow.compare import compare
    from voile.flow.distributions import distributions
    from voile.flow.foresee import foresee, reach
    from voile.flow.inspect import inspect
    from voile.flow.learn import learn_prior, read_prior
    from voile.flow.measure import measure
    from voile.flow.publish import publish
    from voile.flow.read import read
    from voile.flow.report import report
    from voile.flow.verify import load, verify
    from voile.methods.anatomy import Anatomy
    from voile.methods.art import Art
    from voile.methods.decompose import Decompose
    from voile.methods.full_domain import FullDomain
    from voile.methods.injector import Injector
    from voile.methods.mask import Mask
    from voile.methods.mondrian import Mondrian
    from voile.methods.perturbed_generalization import PerturbedGeneralization
    from voile.methods.republish import Republish
    from voile.models.alpha_k import AlphaK
    from voile.models.anti_corruption import AntiCorruption
    from voile.models.ck_safety import CKSafety
    from voile.models.k_anonymity import KAnonymity
    from voile.models.k_e import KE
    from voile.models.l_diversity import LDiversity
    from voile.models.m_confidentiality import MConfidentiality
    from voile.models.m_invariance import MInvariance
    from voile.models.multi_diversity import MultiDiversity
    from voile.models.personalized import Personalized
    from voile.models.r_robustness import RRobustness
    from voile.models.sequential import Sequential
    from voile.models.t_closeness import TCloseness

# where each public name lives; imported on first use, so that `voile --help` is quick
_HOME = {
    "Adversary": "core.adversary",
    "AlphaK": "models.alpha_k",
    "Anatomy": "methods.anatomy",
    "AntiCorruption": "models.anti_corruption",
    "Art": "methods.art",
    "CKSafety": "models.ck_safety",
    "Decompose": "methods.decompose",
    "Disk": "engines.disk",
    "FullDomain": "methods.full_domain",
    "Injector": "methods.injector",
    "KAnonymity": "models.k_anonymity",
    "KE": "models.k_e",
    "Key": "core.key",
    "Knowledge": "core.adversary",
    "LDiversity": "models.l_diversity",
    "Ledger": "core.following",
    "MConfidentiality": "models.m_confidentiality",
    "MInvariance": "models.m_invariance",
    "Mask": "methods.mask",
    "Mondrian": "methods.mondrian",
    "MultiDiversity": "models.multi_diversity",
    "Personalized": "models.personalized",
    "PerturbedGeneralization": "methods.perturbed_generalization",
    "Policy": "core.policy",
    "Preset": "core.preset",
    "RRobustness": "models.r_robustness",
    "Republish": "methods.republish",
    "Schema": "core.schema",
    "Sequential": "models.sequential",
    "Spark": "engines.spark",
    "TCloseness": "models.t_closeness",
    "attacks": "",
    "audit": "flow.audit",
    "by_frequency": "core.hierarchy",
    "compare": "flow.compare",
    "datasets": "",
    "dates": "core.hierarchy",
    "distributions": "flow.distributions",
    "foresee": "flow.foresee",
    "inspect": "flow.inspect",
    "intervals": "core.hierarchy",
    "learn_prior": "flow.learn",
    "load": "flow.verify",
    "measure": "flow.measure",
    "measures": "",
    "mining": "",
    "prefixes": "core.hierarchy",
    "presets": "core.preset",
    "privacy_budget": "flow.budget",
    "publish": "flow.publish",
    "reach": "flow.foresee",
    "read": "flow.read",
    "read_prior": "flow.learn",
    "report": "flow.report",
    "tree": "core.hierarchy",
    "verify": "flow.verify",
}

__all__ = [
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


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'voile' has no attribute {name!r}")
    home = _HOME[name]
    value = (
        getattr(importlib.import_module(f"voile.{home}"), name) if home else importlib.import_module(f"voile.{name}")
    )
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
