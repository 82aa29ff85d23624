"""Honest folders of what a publisher may wish for: coded values, levels, sets of columns, blanks, clusters, seats."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl

import voile as vl

KEY = vl.Key(bytes(range(32)))
K3, BOTH = vl.KAnonymity(k=3), vl.Policy(vl.KAnonymity(k=3), vl.LDiversity(l=2))
PLAIN: dict[str, Any] = {"quasi": ["age", "city"], "sensitive": ["disease"]}
TREES = {"age": vl.intervals(5, 10, 20, 40), "zip": vl.prefixes(5, 3, 1)}
THREE: dict[str, Any] = {"quasi": ["age", "zip", "smoker"], "sensitive": ["disease"], "hierarchies": TREES}
SETS = [["age", "smoker"], ["smoker", "zip"]]
CODED = {"age": vl.Steer(bottom=25, top=55, round=5), "stay": vl.Steer(top=6)}
LEVELS = {"age": vl.Steer(finest=1, weight=2), "smoker": vl.Steer(coarsest=0), "zip": vl.Steer(finest=1)}
DEEP = {"viral": {"airborne": ["flu", "mumps"], "else": ["HIV", "polio"]}, "other": ["acne", "gout"]}

Wish = tuple[dict[str, Any], Any, Any]  # roles, policy, method
WISHES: dict[str, Wish] = {
    "mondrian, coded": ({**PLAIN, "sensitive": ["stay"], "steering": CODED}, K3, vl.Mondrian()),
    "mondrian, tails": ({**PLAIN, "sensitive": ["stay"], "steering": {"stay": vl.Steer(tails=6)}}, K3, vl.Mondrian()),
    "mondrian, means": ({**PLAIN, "steering": {"age": vl.Steer(mean=0.5)}}, vl.KAnonymity(k=6), vl.Mondrian()),
    "mondrian, levels": ({**THREE, "steering": LEVELS}, K3, vl.Mondrian()),
    "mondrian, withheld": (PLAIN, BOTH, vl.Mondrian(suppression=0.15)),
    "mondrian, sets": ({**THREE, "quasi_sets": SETS}, BOTH, vl.Mondrian()),
    "full-domain, sets": ({**THREE, "quasi_sets": SETS}, vl.KAnonymity(k=2), vl.FullDomain()),
    "full-domain, blanks": (THREE, K3, vl.FullDomain(suppression=0.3, blanks=True)),
    "cluster": (PLAIN, BOTH, vl.Cluster()),
    "cluster, withheld": ({**PLAIN, "steering": {"age": vl.Steer(by_rank=True)}}, K3, vl.Cluster(suppression=0.15)),
    "accounted cuts": (PLAIN, vl.LDiversity(l=2), vl.AccountedCuts()),
    "entropy": (
        PLAIN,
        vl.Policy(vl.LDiversity(l=2, form="entropy"), vl.LDiversity(l=2, form="recursive", c=2.0)),
        vl.Mondrian(),
    ),
    "personalized": (
        {**PLAIN, "hierarchies": {"disease": vl.tree(DEEP)}},
        vl.Personalized(nodes=["airborne", "else"], p=0.6),
        vl.Mondrian(),
    ),
}


def publish_wish(frame: pl.DataFrame, wish: Wish) -> Callable[[Path, str], None]:
    """Return a function that publishes the table as wished."""

    def publish(folder: Path, form: str) -> None:
        roles, policy, method = wish
        vl.publish(vl.read(frame, vl.Schema(**roles)), policy, method, key=KEY).save(folder, format=form)

    return publish


def publish_next(frame: pl.DataFrame, policy: Any) -> Callable[[Path, str], None]:
    """Return a function that publishes a quarter and the next one by append, and saves the second."""

    def publish(folder: Path, form: str) -> None:
        whole, ledger = frame.with_columns(patient=pl.int_range(pl.len())), vl.Ledger()
        schema = vl.Schema(**{**PLAIN, "person": "patient"})
        first = vl.publish(vl.read(whole.head(24), schema), policy, vl.Append(), key=KEY, ledger=ledger)
        now = vl.read(whole.filter(pl.col("patient") % 5 != 1), schema)
        vl.publish(now, policy, vl.Append(), key=KEY, after=[first], ledger=ledger).save(folder, format=form)

    return publish
