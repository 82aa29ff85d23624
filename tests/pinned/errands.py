"""The other commands with --json: compare, hierarchies, prior, guarantees, adversaries, demo, reproduce."""

from __future__ import annotations

from typing import Any

from pinned.observe import Fields
from pinned.terminal import FAST, K5, KEY, L3, ROLES, answer, case, room

# items of the papers that need neither the Adult table nor minutes
REPRODUCED = (
    ("minimality", "examples"),
    ("minimality", "global"),
    ("minimality", "masking"),
    ("pg", "table-2"),
    ("pg", "lemmas"),
    ("pg", "table-3"),
    ("art", "two-people"),
    ("art", "example-4"),
    ("art", "sizes"),
    ("art", "ceilings"),
    ("art", "counterexamples"),
    ("decompose", "groups"),
    ("decompose", "noise"),
    ("decompose", "posterior"),
)


def _demo() -> Fields:
    """The demonstration has a fresh key, but its method throws no coins: only the order of rows is chance."""
    with room():
        return answer(("demo", "--out", "shown"))


def cases() -> dict[str, Any]:
    compare = ("compare", "people.csv", *ROLES)
    prior = ("prior", "people.csv", "--quasi", "sex,zip", "--sensitive", "disease", "--out", "known.csv")
    trees = ("hierarchies", "people.csv", "--out", "trees")
    some = ("--method", "mondrian", "--method", "anatomy", "--attack", "homogeneity")
    return {
        "compare": case((*compare, *L3, *FAST, *some, "--out", "found")),
        "compare, vary": case((*compare, *K5, *FAST, "--method", "mondrian", "--vary", "k=3,6", "--attack", "linking")),
        "compare, spec": case(("compare", "people.csv", "--spec", "spec.toml", *KEY)),
        "compare, adversary": case((*compare, *L3, *FAST, *some[:4], "--adversary", "insurer", "--by", "certainty")),
        "compare, out of reach": case((*compare, "--model", "l-diversity:l=13", *FAST, *some)),
        "compare, unknown measure": case((*compare, *L3, *FAST, *some, "--by", "beauty")),
        "compare, wrong vary": case((*compare, *L3, *FAST, *some, "--vary", "q=1")),
        "hierarchies": case(trees),
        "hierarchies, recipes": case((*trees, "--quasi", "zip,cost", "--recipe", "cost=intervals:500,5000")),
        "hierarchies twice": case(trees, trees),
        "hierarchies, wrong recipe": case((*trees, "--quasi", "zip", "--recipe", "zip=dates")),
        "prior": case(prior),
        "prior, knobs": case((*prior, "--min-support", "10", "--max-columns", "1", "--smoothing", "2")),
        "prior, wrong support": case((*prior, "--min-support", "0")),
        "prior, unknown column": case((*prior[:5], "town", *prior[6:])),
        "guarantees": case(("guarantees", "--domain", "50")),
        "guarantees, targets": case(("guarantees", "--domain", "50", "--k", "2,6", "--p", "0.1,0.3", "--rho2", "0.5")),
        "guarantees, plot": case(("guarantees", "--domain", "50", "--growth", "0.2", "--out", "plot.svg")),
        "guarantees, wrong list": case(("guarantees", "--domain", "50", "--k", "two")),
        "guarantees, wrong domain": case(("guarantees", "--domain", "1")),
        "guarantees, no domain": case(("guarantees",)),
        "adversaries": case(("adversaries",)),
        "demo": _demo,
        "reproduce, unknown paper": case(("reproduce", "none")),
        "reproduce, unknown item": case(("reproduce", "pg", "none")),
        **{
            f"reproduce, {paper} {item}": case(("reproduce", paper, item, "--quick", "--out", "found"))
            for paper, item in REPRODUCED
        },
    }
