"""Small random tables, policies that fit a method, and releases of every shape, to try plug-ins on."""

from __future__ import annotations

import contextlib
import datetime

import numpy as np
import polars as pl

import voile as vl
from voile.extend import Method, Microdata, Model, PolicyError, Release
from voile.flow.publish.plan import check_request


def sample(rows: int, seed: int, *, more: bool = False) -> tuple[pl.DataFrame, vl.Schema]:
    """Return a small random table of people, no two alike, and its schema. No disease covers more than a quarter of
    the rows. With `more` there is a second sensitive column."""
    rng = np.random.default_rng(seed)
    days = [datetime.date(2024, 1, 1) + datetime.timedelta(int(day)) for day in rng.integers(0, 700, rows)]
    columns = {"age": rng.permutation(np.arange(18, 18 + rows)), "city": rng.choice(["Bern", "Lyon", "Oslo"], rows)}
    diseases = rng.permutation(np.resize(["asthma", "flu", "gastritis", "HIV", "migraine"], rows))
    sensitive = {"disease": diseases}
    if more:
        sensitive["drug"] = rng.permutation(np.resize(["aspirin", "codeine", "insulin", "none"], rows))
    schema = vl.Schema(quasi=["age", "city", "visit"], sensitive=list(sensitive))
    return pl.DataFrame({**columns, "visit": days, **sensitive}), schema


def sample_policy(method: Method, data: Microdata) -> vl.Policy:
    """Return the first of a few policies that the method serves."""
    served: list[Model] = [vl.KAnonymity(k=3), vl.LDiversity(l=3), vl.MultiDiversity(otherwise=3)]
    served += [vl.AntiCorruption(skew=1), vl.MConfidentiality(m=2, protect=("HIV",)), vl.MInvariance(m=3)]
    prior = vl.learn_prior(data, min_support=10)
    served += [vl.RRobustness(r=1.5, prior=prior), vl.RRobustness(r=1.5, protect=("HIV",), prior=prior)]
    for policy in served:
        with contextlib.suppress(PolicyError):
            check_request(data.columns, data.rows, vl.Policy(policy), method)
            return vl.Policy(policy)
    raise AssertionError(f"{method!r}: it serves none of the sample policies; pass one as `policy`.")


def sample_releases(data: Microdata) -> list[Release]:
    """Publish one release of each shape, and one that withholds rows."""
    diverse, alike, coarse = vl.LDiversity(l=3), vl.KAnonymity(k=3), vl.FullDomain(suppression=0.2)
    asked: list[tuple[vl.Policy, Method | None]] = [(vl.Policy(alike, diverse), None), (vl.Policy(alike), coarse)]
    if len(data.columns.sensitive) == 1:
        asked.append((vl.Policy(diverse), vl.Anatomy()))
        asked.append((vl.Policy(vl.AntiCorruption(skew=1)), vl.PerturbedGeneralization(s=0.3)))
    asked.append((vl.Policy(vl.MultiDiversity(otherwise=3)), None))
    asked.append((vl.Policy(vl.MultiDiversity()), vl.Decompose(noise="paper", publish_joint=False)))
    return [vl.publish(data, policy, method) for policy, method in asked]
