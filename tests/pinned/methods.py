"""Every method, and every knob of each."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from pinned import tables
from pinned.observe import publishing

import voile as vl

RARE = ("HIV infection", "Lung cancer")


def robust(**knobs: Any) -> Any:
    """r-robustness with the statistics of the table, so that verify has them too."""
    return lambda data: vl.RRobustness(**{"r": 2, **knobs}, prior=vl.learn_prior(data, max_columns=2))


def _mondrian() -> dict[str, Any]:
    k5 = vl.KAnonymity(k=5)
    together = vl.Policy(vl.KAnonymity(k=2), vl.LDiversity(l=2), vl.TCloseness(t=0.6))
    return {
        "mondrian": publishing(tables.hospital, k5, vl.Mondrian()),
        "mondrian, census": publishing(tables.census, k5, vl.Mondrian()),
        "mondrian, hierarchy": publishing(tables.hospital_with_trees, k5, vl.Mondrian(recoding="hierarchy")),
        "mondrian, hierarchy, census": publishing(tables.incomes, together, vl.Mondrian(recoding="hierarchy")),
        "mondrian, three models": publishing(tables.census, together, vl.Mondrian()),
        "mondrian, tiny": publishing(tables.tiny, vl.KAnonymity(k=3), vl.Mondrian()),
        "mondrian, two sensitive": publishing(tables.two_sensitive, vl.Policy(k5, vl.LDiversity(l=2)), vl.Mondrian()),
        "mondrian, all alike": publishing(tables.alike, k5, vl.Mondrian()),
        "mondrian, one person": publishing(tables.alone, vl.KAnonymity(k=2), vl.Mondrian()),
        "mondrian, out of reach": publishing(tables.hospital, vl.KAnonymity(k=401), vl.Mondrian()),
    }


def _full_domain() -> dict[str, Any]:
    k5, trees = vl.KAnonymity(k=5), tables.hospital_with_trees
    return {
        "full-domain": publishing(trees, k5, vl.FullDomain()),
        "full-domain, suppression": publishing(trees, k5, vl.FullDomain(suppression=0.05)),
        "full-domain, much suppression": publishing(
            trees, vl.LDiversity(l=3, form="entropy"), vl.FullDomain(suppression=0.3)
        ),
        "full-domain, no trees": publishing(tables.census, k5, vl.FullDomain(suppression=0.01)),
        "full-domain, two models": publishing(
            tables.incomes, vl.Policy(k5, vl.TCloseness(t=0.5)), vl.FullDomain(suppression=0.1)
        ),
        "full-domain, tiny": publishing(tables.tiny, vl.KAnonymity(k=3), vl.FullDomain()),
        "full-domain, all alike": publishing(tables.alike, vl.LDiversity(l=2), vl.FullDomain()),
    }


def _buckets() -> dict[str, Any]:
    l2 = vl.LDiversity(l=2)
    knobs = {
        "": {},
        ", min_conf": {"min_conf": 0.9},
        ", min_exp": {"min_exp": 2.5},
        ", max_items": {"max_items": 3},
        ", one item": {"max_items": 1},
        ", intervals": {"intervals": 4},
    }
    return {
        "anatomy": publishing(tables.hospital, vl.LDiversity(l=3), vl.Anatomy()),
        "anatomy, census": publishing(tables.census, vl.LDiversity(l=5), vl.Anatomy()),
        "anatomy, recursive": publishing(tables.hospital, vl.LDiversity(l=2, form="recursive", c=1), vl.Anatomy()),
        "anatomy, two models": publishing(
            tables.hospital, vl.Policy(vl.LDiversity(l=4), vl.LDiversity(l=2, form="distinct")), vl.Anatomy()
        ),
        "anatomy, tiny": publishing(tables.tiny, l2, vl.Anatomy()),
        "anatomy, out of reach": publishing(tables.hospital, vl.LDiversity(l=13), vl.Anatomy()),
        "anatomy, k-anonymity": publishing(tables.hospital, vl.KAnonymity(k=5), vl.Anatomy()),
        "anatomy, two sensitive": publishing(tables.two_sensitive, l2, vl.Anatomy()),
        **{f"injector{name}": publishing(tables.hospital, l2, vl.Injector(**given)) for name, given in knobs.items()},
        "injector, census": publishing(tables.census, vl.LDiversity(l=4), vl.Injector()),
        "injector, recursive": publishing(tables.hospital, vl.LDiversity(l=2, form="recursive", c=1), vl.Injector()),
        "injector, tiny": publishing(tables.tiny, l2, vl.Injector()),
    }


def _art() -> dict[str, Any]:
    rare = robust(protect=RARE, protect_as="set")
    knobs: dict[str, dict[str, Any]] = {
        "": {},
        ", swap": {"mode": "swap"},
        ", paper": {"mode": "paper"},
        ", closest": {"candidates": "closest"},
        ", greedy": {"grouping": "greedy"},
        ", greedy and closest": {"grouping": "greedy", "candidates": "closest"},
        ", block": {"grouping": "block"},
        ", indicator": {"publish": "indicator"},
        ", max_group": {"max_group": 6},
        ", absorb": {"leftover": "absorb", "grouping": "greedy"},
        ", leftover error": {"leftover": "error", "grouping": "greedy"},
        ", no loss": {"loss": 0.0},
        ", few states": {"max_states": 50},
    }
    rates = robust(protect=("HIV",))
    common = robust(r=3, protect=("flu", "HIV"))
    return {
        **{f"art{name}": publishing(tables.hospital, rare, vl.Art(**given)) for name, given in knobs.items()},
        **{f"art, rates{name}": publishing(tables.rates, rates, vl.Art(**given)) for name, given in knobs.items()},
        **{
            f"art, frequent {what}": publishing(tables.tiny, common, vl.Art(frequent=what))
            for what in ("error", "suppress", "unprotect")
        },
        "art, census": publishing(tables.census, robust(r=4, protect=("Cashier", "Cook"), protect_as="set"), vl.Art()),
        "art, beside k-anonymity": publishing(
            tables.hospital, vl.Policy(vl.RRobustness(r=2), vl.KAnonymity(k=2)), vl.Art()
        ),
    }


def _mask() -> dict[str, Any]:
    rare, every = vl.MConfidentiality(m=2, protect=RARE), vl.MConfidentiality(m=2)
    return {
        "mask": publishing(tables.hospital, rare, vl.Mask()),
        "mask, every value": publishing(tables.hospital, every, vl.Mask()),
        "mask, paper": publishing(tables.hospital, vl.MConfidentiality(m=3, protect=RARE), vl.Mask(sampling="paper")),
        "mask, published": publishing(
            tables.hospital, vl.MConfidentiality(m=3, reading="published", protect=RARE), vl.Mask(sampling="paper")
        ),
        "mask, k": publishing(tables.hospital, rare, vl.Mask(k=4)),
        "mask, l": publishing(tables.hospital, rare, vl.Mask(l=3)),
        "mask, slack": publishing(tables.hospital, rare, vl.Mask(sampling="slack")),
        "mask, rate": publishing(tables.hospital, replace(rare, highest_rate=0.1), vl.Mask()),
        "mask, rate too high": publishing(tables.hospital, replace(rare, highest_rate=0.5), vl.Mask()),
        "mask, full-domain": publishing(
            tables.hospital_with_trees, rare, vl.Mask(l=2, anonymizer=vl.FullDomain(suppression=0.2))
        ),
        "mask, hierarchy": publishing(
            tables.hospital_with_trees, rare, vl.Mask(anonymizer=vl.Mondrian(recoding="hierarchy"))
        ),
        "mask, census": publishing(tables.census, vl.MConfidentiality(m=3, protect=("Cashier", "Cook")), vl.Mask()),
        "mask, tiny": publishing(tables.tiny, vl.MConfidentiality(m=2, protect=("HIV",)), vl.Mask()),
        "mask, k-anonymity": publishing(tables.hospital, vl.KAnonymity(k=5), vl.Mask()),
    }


def _decompose() -> dict[str, Any]:
    both = vl.MultiDiversity({"disease": 3, "ward": 2})
    three = vl.MultiDiversity({"disease": 3, "ward": 2}, otherwise=1)
    return {
        "decompose": publishing(tables.two_sensitive, both, vl.Decompose()),
        "decompose, primary": publishing(tables.two_sensitive, both, vl.Decompose(primary="ward")),
        "decompose, l": publishing(
            tables.two_sensitive, vl.MultiDiversity({"disease": 4}, otherwise=1), vl.Decompose(l={"ward": 2})
        ),
        "decompose, paper": publishing(tables.two_sensitive, both, vl.Decompose(noise="paper")),
        "decompose, apart": publishing(tables.two_sensitive, both, vl.Decompose(publish_joint=False)),
        "decompose, merge": publishing(tables.two_sensitive, both, vl.Decompose(on_fail="merge")),
        "decompose, lower": publishing(tables.two_sensitive, both, vl.Decompose(on_fail="lower")),
        "decompose, three columns": publishing(tables.three_sensitive, three, vl.Decompose()),
        "decompose, one column": publishing(tables.census, vl.MultiDiversity({"occupation": 3}), vl.Decompose()),
        "decompose, unknown primary": publishing(tables.two_sensitive, both, vl.Decompose(primary="sex")),
        "decompose, out of reach": publishing(tables.two_sensitive, vl.MultiDiversity({"ward": 50}), vl.Decompose()),
    }


def _sampled() -> dict[str, Any]:
    target = vl.AntiCorruption(rho1=0.2, rho2=0.5)
    growth = vl.AntiCorruption(growth=0.3, skew=0.5)
    made = vl.PerturbedGeneralization
    return {
        "perturbed-generalization": publishing(tables.census, target, made()),
        "perturbed-generalization, s": publishing(tables.census, target, made(s=0.1)),
        "perturbed-generalization, p": publishing(tables.hospital, growth, made(s=0.4, p=0.1)),
        "perturbed-generalization, p too large": publishing(tables.hospital, growth, made(p=0.9)),
        "perturbed-generalization, specialization": publishing(
            tables.census, vl.AntiCorruption(growth=0.3), made(splitter="specialization")
        ),
        "perturbed-generalization, declared": publishing(tables.incomes, target, made()),
        "perturbed-generalization, all rows": publishing(tables.hospital, growth, made(s=1.0)),
        "perturbed-generalization, few rows": publishing(
            tables.tiny, vl.AntiCorruption(rho1=0.2, rho2=0.9, skew=0.5), made(s=0.05)
        ),
    }


def cases() -> dict[str, Any]:
    return _mondrian() | _full_domain() | _buckets() | _art() | _mask() | _decompose() | _sampled()
