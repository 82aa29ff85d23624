"""Every model, in each of its forms and readings."""

from __future__ import annotations

from typing import Any

from pinned import tables
from pinned.methods import RARE, robust
from pinned.observe import publishing

import voile as vl


def _counted() -> dict[str, Any]:
    """Models that are counted in groups, published by Mondrian."""
    made = {
        "k-anonymity 7": vl.KAnonymity(k=7),
        "l-diversity frequency": vl.LDiversity(l=3),
        "l-diversity distinct": vl.LDiversity(l=3, form="distinct"),
        "l-diversity entropy": vl.LDiversity(l=3, form="entropy"),
        "l-diversity recursive": vl.LDiversity(l=3, form="recursive", c=2.5),
        "l-diversity recursive, small c": vl.LDiversity(l=2, form="recursive", c=0.5),
        "l-diversity of an unknown column": vl.LDiversity(l=2, column="ward"),
        "t-closeness equal": vl.TCloseness(t=0.3),
        "t-closeness 0": vl.TCloseness(t=0),
        "alpha-k": vl.AlphaK(alpha=0.5, k=3),
        "alpha-k, protect": vl.AlphaK(alpha=0.3, k=2, protect=RARE),
        "alpha-k, unknown value": vl.AlphaK(alpha=0.3, k=2, protect=("gout",)),
        "c-k-safety": vl.CKSafety(),
        "c-k-safety 2": vl.CKSafety(c=0.9, k=2),
        "c-k-safety 0": vl.CKSafety(c=0.6, k=0),
        "personalized": vl.Personalized(p=0.5),
        "personalized, nodes": vl.Personalized(p=0.3, nodes=RARE),
        "multi-diversity": vl.MultiDiversity({"disease": 3}),
        "sequential": vl.Sequential(vl.LDiversity(l=3)),
        "sequential, t-closeness": vl.Sequential(vl.TCloseness(t=0.4)),
    }
    return {name: publishing(tables.hospital, model, vl.Mondrian()) for name, model in made.items()}


def _typed() -> dict[str, Any]:
    """Models of numbers, of trees, of several columns."""
    both = tables.two_sensitive
    return {
        "t-closeness ordered": publishing(tables.costs, vl.TCloseness(t=0.25, distance="ordered")),
        "t-closeness ordered, categories": publishing(tables.hospital, vl.TCloseness(t=0.3, distance="ordered")),
        "t-closeness hierarchical": publishing(tables.sick_tree, vl.TCloseness(t=0.35, distance="hierarchical")),
        "t-closeness hierarchical, no tree": publishing(tables.hospital, vl.TCloseness(t=0.4, distance="hierarchical")),
        "k-e": publishing(tables.costs, vl.KE(k=3, e=2)),
        "k-e, categories": publishing(tables.hospital, vl.KE(k=3, e=2)),
        "k-e, full-domain": publishing(tables.costs, vl.KE(k=2, e=5), vl.FullDomain(suppression=0.1)),
        "personalized, inner nodes": publishing(tables.sick_tree, vl.Personalized(p=0.8, nodes=("a", "second"))),
        "l-diversity of one of two": publishing(both, vl.LDiversity(l=3, column="ward"), vl.Mondrian()),
        "multi-diversity, two": publishing(both, vl.MultiDiversity({"disease": 3, "ward": 2}), vl.Mondrian()),
        "multi-diversity, otherwise": publishing(both, vl.MultiDiversity({"disease": 4}, otherwise=3)),
        "multi-diversity, reached": publishing(both, vl.MultiDiversity({"disease": 4}, reached={"disease": "2/5"})),
        "multi-diversity, anatomy": publishing(tables.hospital, vl.MultiDiversity({"disease": 3}), vl.Anatomy()),
        "l-diversity entropy, anatomy": publishing(tables.hospital, vl.LDiversity(l=3, form="entropy"), vl.Anatomy()),
        "t-closeness, anatomy": publishing(tables.hospital, vl.TCloseness(t=0.6), vl.Anatomy()),
        "c-k-safety, anatomy": publishing(tables.hospital, vl.CKSafety(c=0.8, k=1), vl.Anatomy()),
        "no sensitive value": publishing(tables.alike, vl.LDiversity(l=2)),
    }


def _of_statistics() -> dict[str, Any]:
    """r-robustness by art."""
    made = {
        "r-robustness": robust(),
        "r-robustness 2.5, set, binary": robust(r=2.5, protect=RARE, protect_as="set", reading="binary"),
        "r-robustness, values": robust(r=3, protect=RARE),
        "r-robustness, set": robust(r=3, protect=RARE, protect_as="set"),
        "r-robustness, binary": robust(r=3, protect=RARE, reading="binary"),
        "r-robustness, out of reach": robust(r=20),
        "r-robustness, unknown value": robust(protect=("gout",)),
    }
    found = {name: publishing(tables.hospital, model, vl.Art()) for name, model in made.items()}
    learned = {
        "r-robustness, own statistics": vl.RRobustness(r=2, protect=RARE),
        "r-robustness, min_support": vl.RRobustness(r=2, protect=RARE, min_support=10),
        "r-robustness, max_columns": vl.RRobustness(r=2, protect=RARE, max_columns=1),
    }
    return found | {name: publishing(tables.hospital, model, vl.Art()) for name, model in learned.items()}


def _of_coins() -> dict[str, Any]:
    """Promises that rest on how a release is made."""
    made = {
        "anti-corruption rho": vl.AntiCorruption(rho1=0.2, rho2=0.5),
        "anti-corruption growth": vl.AntiCorruption(growth=0.2, skew=0.3),
        "anti-corruption both, tight": vl.AntiCorruption(rho1=0.1, rho2=0.4, growth=0.3, bounds="tight"),
        "anti-corruption tight": vl.AntiCorruption(rho1=0.2, rho2=0.5, bounds="tight"),
        "anti-corruption declared": vl.AntiCorruption(rho1=0.2, rho2=0.5, domain="declared"),
        "anti-corruption observed": vl.AntiCorruption(rho1=0.2, rho2=0.5, domain="observed"),
        "anti-corruption small skew": vl.AntiCorruption(rho1=0.2, rho2=0.5, skew=0.001),
    }
    found = {name: publishing(tables.incomes, model) for name, model in made.items()}
    return found | {
        "anti-corruption declared, not declared": publishing(tables.census, made["anti-corruption declared"]),
        "anti-corruption by mondrian": publishing(tables.census, made["anti-corruption rho"], vl.Mondrian()),
        "m-confidentiality 3": publishing(tables.hospital, vl.MConfidentiality(m=3, protect=RARE)),
        "m-confidentiality published": publishing(
            tables.hospital, vl.MConfidentiality(m=2, protect=RARE, reading="published")
        ),
        "m-confidentiality out of reach": publishing(tables.hospital, vl.MConfidentiality(m=20)),
        "m-invariance, one release": publishing(tables.hospital, vl.MInvariance(m=4)),
        "m-invariance out of reach": publishing(tables.hospital, vl.MInvariance(m=13)),
    }


def cases() -> dict[str, Any]:
    return _counted() | _typed() | _of_statistics() | _of_coins()
