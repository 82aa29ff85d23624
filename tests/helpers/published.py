"""One policy per method on one small table, with which the contract of the engines is tested."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from functools import cache
from typing import Any

import polars as pl

import voile as vl
from voile.releases.queries.query import parse_query
from voile.releases.release import Release

KEY = vl.Key(bytes(range(32)))
QUASI = ["age", "gender", "education", "marital-status"]


@cache
def people(rows: int = 2_000) -> pl.DataFrame:
    frame = vl.datasets.census(rows).select([*QUASI, "occupation"])
    return frame.with_columns(pl.col(pl.Enum).cast(pl.String))  # which every engine has


def _examples() -> dict[str, tuple[vl.Policy, Any]]:
    listed = sorted(people()["occupation"].unique().to_list())
    return {
        "mondrian": (vl.Policy(vl.KAnonymity(k=5)), vl.Mondrian()),
        "mondrian, values": (vl.Policy(vl.LDiversity(l=2), vl.TCloseness(t=0.6)), vl.Mondrian()),
        "accounted-cuts": (vl.Policy(vl.LDiversity(l=2)), vl.AccountedCuts()),
        "accounted-cuts, levels": (vl.Policy(vl.LDiversity(l=2)), vl.AccountedCuts(grouping="full-domain")),
        "append": (vl.Policy(vl.KAnonymity(k=5)), vl.Append()),
        "cluster": (vl.Policy(vl.KAnonymity(k=5)), vl.Cluster()),
        "cluster, values": (vl.Policy(vl.LDiversity(l=2)), vl.Cluster(box_size=100)),
        "full-domain": (vl.Policy(vl.KAnonymity(k=5)), vl.FullDomain(suppression=0.05)),
        "local-recoding": (vl.Policy(vl.LDiversity(l=2)), vl.LocalRecoding()),
        "anatomy": (vl.Policy(vl.LDiversity(l=3)), vl.Anatomy()),
        "injector": (vl.Policy(vl.LDiversity(l=2)), vl.Injector()),
        "art": (vl.Policy(vl.RRobustness(r=2, protect=tuple(listed[:2]), protect_as="set", max_columns=2)), vl.Art()),
        "art, nobody withheld": (
            vl.Policy(vl.RRobustness(r=2, protect=tuple(listed[:2]), protect_as="set", max_columns=2)),
            vl.Art(grouping="block", leftover="merge", publish="indicator"),
        ),
        "capped-counts": (
            vl.Policy(vl.RRobustness(r=3, protect=tuple(listed[:2]), protect_as="set", max_columns=2)),
            vl.CappedCounts(),
        ),
        "mask": (vl.Policy(vl.MConfidentiality(m=2, protect=tuple(listed[:2]))), vl.Mask()),
        "mask, full-domain": (
            vl.Policy(vl.MConfidentiality(m=3, protect=tuple(listed[:3]))),
            vl.Mask(sampling="slack", anonymizer=vl.FullDomain(suppression=0.05)),
        ),
        "decompose": (vl.Policy(vl.MultiDiversity({"occupation": 3})), vl.Decompose()),
        "perturbed-generalization": (
            vl.Policy(vl.AntiCorruption(rho1=0.2, rho2=0.5)),
            vl.PerturbedGeneralization(),
        ),
        "republish": (vl.Policy(vl.MInvariance(m=3)), vl.Republish()),
    }


EXAMPLES = _examples()


def schema(**more: Any) -> vl.Schema:
    return vl.Schema(quasi=QUASI, sensitive=["occupation"], **more)


def digests(release: Any) -> dict[str, str]:
    """Return a digest of each published table that does not depend on the order of its rows."""
    return {
        name: hashlib.sha256(table.cast(pl.String).sort(table.columns).write_csv().encode()).hexdigest()
        for name, table in release.tables.items()
    }


def even_count(
    release: Release, query: str | Mapping[str, Any] | None = None, /, *, weighted: bool | None = None, **where: Any
) -> float:
    """Count as `Release.count` is asked, with every cell spread evenly, as measures do."""
    return release.answer(release._weigh(parse_query(query, where), weighted))
