"""The contract of a method: releases that verify, depend on table and key only, lose nobody and reveal no key."""

from __future__ import annotations

import base64
import contextlib
import json
import tempfile
from pathlib import Path

import numpy as np
import polars as pl

import voile as vl
from voile.extend import Method, Model, PolicyError, Release
from voile.flow.publish.plan import check_request
from voile.testing.plugin_contract import check_plugin, example_of, require
from voile.testing.sample_tables import sample, sample_policy

HEADINGS = ("Claim", "Against", "Needs", "Why", "Source")


def check_method(method: Method | type[Method], policy: vl.Policy | Model | None = None) -> None:
    """Check the contract of a method: releases verify, depend only on table and key, lose nobody, reveal no key.

    >>> check_method(vl.Anatomy())
    """
    method = example_of(method)
    check_plugin(method)
    lacking = [head for head in HEADINGS if f"{head}:" not in str(type(method).__doc__)]
    require(method, not lacking, f"its docstring lacks {lacking}")
    for seed, rows in enumerate((12, 40, 90)):
        data = vl.read(*(table := sample(rows, seed, more=_takes_several(method, policy))))
        wanted = vl.Policy(policy) if isinstance(policy, Model) else policy or sample_policy(method, data)
        key = vl.Key(np.random.default_rng(seed).bytes(32))
        release = vl.publish(data, wanted, method, key=key)
        known = wanted.priors() if isinstance(wanted, vl.Policy) else ()
        true = vl.verify(release, prior=known, data=data, key=key).holds and release.shape == method.produces
        require(method, true, f"the release must verify and be {method.produces}, as the method says")
        people = int(release.sizes.sum()) + int(release.dictionary["withheld"])
        require(method, release.people == release.sizes.sum() and people == rows, "somebody is missing")
        for other in (data, vl.read(table[0].sample(fraction=1.0, shuffle=True), table[1])):
            same = _same(release, vl.publish(other, wanted, method, key=key))
            require(method, same, "the same people and the same key must give the same release")
        for format in ("parquet", "csv"):
            with tempfile.TemporaryDirectory() as place:
                saved = release.save(Path(place) / "release", format=format)
                holds = vl.verify(saved, prior=known, data=data, key=key).holds
                require(method, holds, f"the release saved as {format} must verify")
                require(method, _same(release, vl.load(saved)), f"{format} must preserve tables and claims")
                forms = (key.secret, key.secret.hex().encode(), base64.b64encode(key.secret).rstrip(b"="))
                told = any(form in found.read_bytes() for found in saved.iterdir() for form in forms)
                require(method, not told, "the key appears in a published file")


def _takes_several(method: Method, policy: vl.Policy | Model | None) -> bool:
    """Whether a method accepts a table with two sensitive columns, under a policy or its usual one."""
    data = vl.read(*sample(12, 0, more=True))
    with contextlib.suppress(PolicyError, AssertionError):
        wanted = sample_policy(method, data) if policy is None else policy
        asked = vl.Policy(wanted) if isinstance(wanted, Model) else wanted
        check_request(data.columns, data.rows, asked, method)
        return method.produces == "decomposed"
    return False


def _same(one: Release, other: Release) -> bool:
    """Whether a reader sees the same in the tables, the claims and the dictionary of two releases."""
    tables, others = ({name: table.cast(pl.String) for name, table in r.tables.items()} for r in (one, other))
    said = [json.dumps([r.certificate.claims, r.dictionary], sort_keys=True) for r in (one, other)]
    same = tables.keys() == others.keys() and all(tables[name].equals(others[name]) for name in tables)
    return same and said[0] == said[1]
