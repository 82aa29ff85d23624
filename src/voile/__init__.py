"""voile publishes tables of people without giving the people away.

A release is a grouping of people and a way to show each group. A model bounds what an adversary may believe; an attack
computes that belief; the audit compares the two.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from voile.version import __version__ as __version__

if TYPE_CHECKING:  # for type checkers and editors; a model or method that is not listed works all the same
    from voile import attacks as attacks
    from voile import datasets as datasets
    from voile import measures as measures
    from voile import mining as mining
    from voile.adversaries.adversary import Adversary as Adversary
    from voile.adversaries.adversary import Knowledge as Knowledge
    from voile.adversaries.ledger import Ledger as Ledger
    from voile.adversaries.presets import Preset as Preset
    from voile.adversaries.presets import presets as presets
    from voile.engines.disk import Disk as Disk
    from voile.engines.spark import Spark as Spark
    from voile.flow.audit.audit import audit as audit
    from voile.flow.checking.load import load as load
    from voile.flow.compare.compare import compare as compare
    from voile.flow.compare.yardstick import Yardstick as Yardstick
    from voile.flow.explore.advise import advise as advise
    from voile.flow.explore.distributions import distributions as distributions
    from voile.flow.explore.foresee import foresee as foresee
    from voile.flow.explore.foresee import reach as reach
    from voile.flow.explore.inspect import inspect as inspect
    from voile.flow.explore.learn_prior import learn_prior as learn_prior
    from voile.flow.explore.learn_prior import read_prior as read_prior
    from voile.flow.explore.privacy_budget import privacy_budget as privacy_budget
    from voile.flow.explore.rows_per_person import compare_rows_per_person as compare_rows_per_person
    from voile.flow.guide.guide import guide as guide
    from voile.flow.guide.packing import pack as pack
    from voile.flow.measure.measure import measure as measure
    from voile.flow.pool.pool import pool as pool
    from voile.flow.prepare.prepare import prepare as prepare
    from voile.flow.preview.preview import preview as preview
    from voile.flow.project.project import Project as Project
    from voile.flow.publish.publish import publish as publish
    from voile.flow.read.read import read as read
    from voile.flow.recommend.recommend import recommend as recommend
    from voile.flow.report.report import report as report
    from voile.flow.verify.verify import verify as verify
    from voile.methods.accounted_cuts.accounted_cuts import AccountedCuts as AccountedCuts
    from voile.methods.anatomy import Anatomy as Anatomy
    from voile.methods.append.append import Append as Append
    from voile.methods.art.art import Art as Art
    from voile.methods.capped_counts.capped_counts import CappedCounts as CappedCounts
    from voile.methods.cluster.cluster import Cluster as Cluster
    from voile.methods.decompose.decompose import Decompose as Decompose
    from voile.methods.full_domain import FullDomain as FullDomain
    from voile.methods.injector.injector import Injector as Injector
    from voile.methods.mask.mask import Mask as Mask
    from voile.methods.mondrian.mondrian import Mondrian as Mondrian
    from voile.methods.perturbed_generalization.perturbed_generalization import (
        PerturbedGeneralization as PerturbedGeneralization,
    )
    from voile.methods.republish import Republish as Republish
    from voile.models.alpha_k import AlphaK as AlphaK
    from voile.models.anti_corruption.anti_corruption import AntiCorruption as AntiCorruption
    from voile.models.ck_safety import CKSafety as CKSafety
    from voile.models.k_anonymity import KAnonymity as KAnonymity
    from voile.models.k_e import KE as KE
    from voile.models.kept_seats.kept_seats import KeptSeats as KeptSeats
    from voile.models.l_diversity import LDiversity as LDiversity
    from voile.models.label_differential_privacy import LabelDifferentialPrivacy as LabelDifferentialPrivacy
    from voile.models.m_confidentiality import MConfidentiality as MConfidentiality
    from voile.models.m_invariance import MInvariance as MInvariance
    from voile.models.multi_diversity import MultiDiversity as MultiDiversity
    from voile.models.personalized import Personalized as Personalized
    from voile.models.policy import Policy as Policy
    from voile.models.r_robustness import RRobustness as RRobustness
    from voile.models.sequential.sequential import Sequential as Sequential
    from voile.models.t_closeness.t_closeness import TCloseness as TCloseness
    from voile.tables.hierarchy import ages as ages
    from voile.tables.hierarchy import alike as alike
    from voile.tables.hierarchy import by_frequency as by_frequency
    from voile.tables.hierarchy import code_list as code_list
    from voile.tables.hierarchy import dates as dates
    from voile.tables.hierarchy import intervals as intervals
    from voile.tables.hierarchy import prefixes as prefixes
    from voile.tables.hierarchy import tree as tree
    from voile.tables.schema import Schema as Schema
    from voile.tables.secret_key import Key as Key
    from voile.tables.steering.steer import Steer as Steer
    from voile.tables.tree_edits.tree_edits import merge_groups as merge_groups
    from voile.tables.tree_edits.tree_edits import move_labels as move_labels
    from voile.tables.tree_edits.tree_edits import rename_group as rename_group

# where each public name lives; imported on first use, so that `voile --help` is quick
_HOMES = {
    "Adversary": "adversaries.adversary",
    "Disk": "engines.disk",
    "Key": "tables.secret_key",
    "Knowledge": "adversaries.adversary",
    "Ledger": "adversaries.ledger",
    "Policy": "models.policy",
    "Preset": "adversaries.presets",
    "Project": "flow.project.project",
    "Schema": "tables.schema",
    "Spark": "engines.spark",
    "Steer": "tables.steering.steer",
    "advise": "flow.explore.advise",
    "attacks": "",
    "audit": "flow.audit.audit",
    "ages": "tables.hierarchy",
    "alike": "tables.hierarchy",
    "by_frequency": "tables.hierarchy",
    "code_list": "tables.hierarchy",
    "Yardstick": "flow.compare.yardstick",
    "compare": "flow.compare.compare",
    "compare_rows_per_person": "flow.explore.rows_per_person",
    "datasets": "",
    "dates": "tables.hierarchy",
    "distributions": "flow.explore.distributions",
    "foresee": "flow.explore.foresee",
    "guide": "flow.guide.guide",
    "inspect": "flow.explore.inspect",
    "intervals": "tables.hierarchy",
    "learn_prior": "flow.explore.learn_prior",
    "load": "flow.checking.load",
    "measure": "flow.measure.measure",
    "measures": "",
    "merge_groups": "tables.tree_edits.tree_edits",
    "mining": "",
    "move_labels": "tables.tree_edits.tree_edits",
    "pack": "flow.guide.packing",
    "pool": "flow.pool.pool",
    "prefixes": "tables.hierarchy",
    "prepare": "flow.prepare.prepare",
    "presets": "adversaries.presets",
    "preview": "flow.preview.preview",
    "privacy_budget": "flow.explore.privacy_budget",
    "publish": "flow.publish.publish",
    "reach": "flow.explore.foresee",
    "read": "flow.read.read",
    "read_prior": "flow.explore.learn_prior",
    "recommend": "flow.recommend.recommend",
    "rename_group": "tables.tree_edits.tree_edits",
    "report": "flow.report.report",
    "tree": "tables.hierarchy",
    "verify": "flow.verify.verify",
}


def _plugin_homes() -> dict[str, str]:
    """The models and methods, which are public because their file exists."""
    from voile.plugins.class_homes import class_homes

    return {**class_homes("models"), **class_homes("methods")}


def __getattr__(name: str) -> Any:
    if name == "__all__":
        return sorted({*_HOMES, *_plugin_homes(), "__version__"})
    if name in _HOMES:
        home = _HOMES[name]
        module = importlib.import_module(f"voile.{home or name}")
        value = getattr(module, name) if home else module
    elif name[:1].isupper() and name in (homes := _plugin_homes()):
        value = getattr(importlib.import_module(homes[name]), name)
    else:
        raise AttributeError(f"module 'voile' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return list(__getattr__("__all__"))
