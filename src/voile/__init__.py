"""voile publishes tables of people without giving the people away.

A release is a grouping of people and a way to show each group. A model bounds what an adversary may believe; an attack
computes that belief; the audit compares the two.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from voile.version import __version__

if TYPE_CHECKING:
    from voile import attacks, datasets, measures
    from voile.core.adversary import Adversary, Knowledge
    from voile.core.following import Ledger
    from voile.core.hierarchy import by_frequency, dates, intervals, prefixes, tree
    from voile.core.key import Key
    from voile.core.policy import Policy
    from voile.core.schema import Schema
    from voile.flow.audit import audit
    from voile.flow.measure import measure
    from voile.flow.publish import publish
    from voile.flow.read import read
    from voile.flow.report import report
    from voile.flow.verify import load, verify
    from voile.methods.anatomy import Anatomy
    from voile.methods.full_domain import FullDomain
    from voile.methods.mask import Mask
    from voile.methods.mondrian import Mondrian
    from voile.methods.republish import Republish
    from voile.models.alpha_k import AlphaK
    from voile.models.ck_safety import CKSafety
    from voile.models.k_anonymity import KAnonymity
    from voile.models.k_e import KE
    from voile.models.l_diversity import LDiversity
    from voile.models.m_confidentiality import MConfidentiality
    from voile.models.m_invariance import MInvariance
    from voile.models.personalized import Personalized
    from voile.models.sequential import Sequential
    from voile.models.t_closeness import TCloseness

# where each public name lives; imported on first use, so that `voile --help` is quick
_HOME = {
    "Adversary": "core.adversary",
    "AlphaK": "models.alpha_k",
    "Anatomy": "methods.anatomy",
    "CKSafety": "models.ck_safety",
    "FullDomain": "methods.full_domain",
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
    "Personalized": "models.personalized",
    "Policy": "core.policy",
    "Republish": "methods.republish",
    "Schema": "core.schema",
    "Sequential": "models.sequential",
    "TCloseness": "models.t_closeness",
    "attacks": "",
    "audit": "flow.audit",
    "by_frequency": "core.hierarchy",
    "datasets": "",
    "dates": "core.hierarchy",
    "intervals": "core.hierarchy",
    "load": "flow.verify",
    "measure": "flow.measure",
    "measures": "",
    "prefixes": "core.hierarchy",
    "publish": "flow.publish",
    "read": "flow.read",
    "report": "flow.report",
    "tree": "core.hierarchy",
    "verify": "flow.verify",
}

__all__ = [
    "KE",
    "Adversary",
    "AlphaK",
    "Anatomy",
    "CKSafety",
    "FullDomain",
    "KAnonymity",
    "Key",
    "Knowledge",
    "LDiversity",
    "Ledger",
    "MConfidentiality",
    "MInvariance",
    "Mask",
    "Mondrian",
    "Personalized",
    "Policy",
    "Republish",
    "Schema",
    "Sequential",
    "TCloseness",
    "__version__",
    "attacks",
    "audit",
    "by_frequency",
    "datasets",
    "dates",
    "intervals",
    "load",
    "measure",
    "measures",
    "prefixes",
    "publish",
    "read",
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
