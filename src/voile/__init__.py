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
    from voile.adversaries.adversary import Adversary, Knowledge
    from voile.adversaries.ledger import Ledger
    from voile.adversaries.presets import Preset, presets
    from voile.engines.disk import Disk
    from voile.engines.spark import Spark
    from voile.flow.audit.audit import audit
    from voile.flow.checking.load import load
    from voile.flow.compare.compare import compare
    from voile.flow.explore.distributions import distributions
    from voile.flow.explore.foresee import foresee, reach
    from voile.flow.explore.inspect import inspect
    from voile.flow.explore.learn_prior import learn_prior, read_prior
    from voile.flow.explore.privacy_budget import privacy_budget
    from voile.flow.measure.measure import measure
    from voile.flow.publish.publish import publish
    from voile.flow.read.read import read
    from voile.flow.report.report import report
    from voile.flow.verify.verify import verify
    from voile.methods.anatomy import Anatomy
    from voile.methods.art.art import Art
    from voile.methods.decompose.decompose import Decompose
    from voile.methods.full_domain import FullDomain
    from voile.methods.injector.injector import Injector
    from voile.methods.mask.mask import Mask
    from voile.methods.mondrian.mondrian import Mondrian
    from voile.methods.perturbed_generalization.perturbed_generalization import PerturbedGeneralization
    from voile.methods.republish import Republish
    from voile.models.alpha_k import AlphaK
    from voile.models.anti_corruption.anti_corruption import AntiCorruption
    from voile.models.ck_safety import CKSafety
    from voile.models.k_anonymity import KAnonymity
    from voile.models.k_e import KE
    from voile.models.l_diversity import LDiversity
    from voile.models.m_confidentiality import MConfidentiality
    from voile.models.m_invariance import MInvariance
    from voile.models.multi_diversity import MultiDiversity
    from voile.models.personalized import Personalized
    from voile.models.policy import Policy
    from voile.models.r_robustness import RRobustness
    from voile.models.sequential import Sequential
    from voile.models.t_closeness.t_closeness import TCloseness
    from voile.tables.hierarchy import by_frequency, dates, intervals, prefixes, tree
    from voile.tables.schema import Schema
    from voile.tables.secret_key import Key

# where each public name lives; imported on first use, so that `voile --help` is quick
_HOME = {
    "Adversary": "adversaries.adversary",
    "AlphaK": "models.alpha_k",
    "Anatomy": "methods.anatomy",
    "AntiCorruption": "models.anti_corruption.anti_corruption",
    "Art": "methods.art.art",
    "CKSafety": "models.ck_safety",
    "Decompose": "methods.decompose.decompose",
    "Disk": "engines.disk",
    "FullDomain": "methods.full_domain",
    "Injector": "methods.injector.injector",
    "KAnonymity": "models.k_anonymity",
    "KE": "models.k_e",
    "Key": "tables.secret_key",
    "Knowledge": "adversaries.adversary",
    "LDiversity": "models.l_diversity",
    "Ledger": "adversaries.ledger",
    "MConfidentiality": "models.m_confidentiality",
    "MInvariance": "models.m_invariance",
    "Mask": "methods.mask.mask",
    "Mondrian": "methods.mondrian.mondrian",
    "MultiDiversity": "models.multi_diversity",
    "Personalized": "models.personalized",
    "PerturbedGeneralization": "methods.perturbed_generalization.perturbed_generalization",
    "Policy": "models.policy",
    "Preset": "adversaries.presets",
    "RRobustness": "models.r_robustness",
    "Republish": "methods.republish",
    "Schema": "tables.schema",
    "Sequential": "models.sequential",
    "Spark": "engines.spark",
    "TCloseness": "models.t_closeness.t_closeness",
    "attacks": "",
    "audit": "flow.audit.audit",
    "by_frequency": "tables.hierarchy",
    "compare": "flow.compare.compare",
    "datasets": "",
    "dates": "tables.hierarchy",
    "distributions": "flow.explore.distributions",
    "foresee": "flow.explore.foresee",
    "inspect": "flow.explore.inspect",
    "intervals": "tables.hierarchy",
    "learn_prior": "flow.explore.learn_prior",
    "load": "flow.checking.load",
    "measure": "flow.measure.measure",
    "measures": "",
    "mining": "",
    "prefixes": "tables.hierarchy",
    "presets": "adversaries.presets",
    "privacy_budget": "flow.explore.privacy_budget",
    "publish": "flow.publish.publish",
    "reach": "flow.explore.foresee",
    "read": "flow.read.read",
    "read_prior": "flow.explore.learn_prior",
    "report": "flow.report.report",
    "tree": "tables.hierarchy",
    "verify": "flow.verify.verify",
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
