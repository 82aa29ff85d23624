"""Publish: from microdata to a release that keeps its promise."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import cast

import numpy as np

from voile.core.division import divided
from voile.core.following import Ledger, shown_now
from voile.core.key import Key
from voile.core.method import Method
from voile.core.microdata import Microdata
from voile.core.plugin import build, plain
from voile.core.policy import Model, Policy
from voile.core.release import Release
from voile.flow.after import followed, jointly, refuse_jointly, understood
from voile.flow.shards import hide, joined, left, show
from voile.flow.verify import verify, with_findings


def publish(
    data: Microdata,
    policy: Policy | Model,
    method: Method | None = None,
    *,
    key: Key | None = None,
    after: Sequence[Release | str | Path] = (),
    ledger: Ledger | None = None,
) -> Release:
    """Publish a table under a policy. The publisher is not trusted: the last step is what anyone runs on the folder.

    `after` are earlier releases of the same people, or their folders; what breaks the promise jointly with them is
    refused. `ledger` is where m-invariance remembers who was shown with which values; keep it secret.

    >>> import voile as vl
    >>> schema = vl.Schema(quasi=["birth", "sex", "zip"], sensitive=["disease"])
    >>> data = vl.read(vl.datasets.hospital(), schema)
    >>> vl.publish(data, vl.Policy(vl.KAnonymity(k=5)))  # doctest: +ELLIPSIS
    Generalized(400 rows in ... groups; k-anonymity)
    """
    policy = Policy(policy) if isinstance(policy, Model) else policy
    method = method or default_method(policy)
    earlier = understood(after)  # what was published before, and still keeps its promise
    policy, joint, method = policy.following(earlier), jointly(policy, earlier), method.following(earlier)
    columns, rows = followed(data, policy, earlier, ledger)  # who was shown with which values, where it matters
    columns = method.prepare(columns, rows)
    policy.check(columns)  # SpecError: fix the request
    method.check(columns, policy)
    rows = rows.keyed(key or Key.fresh())  # 256 random bits; never in the release
    policy = policy.informed(columns, rows)  # what an adversary is taken to know, where it is learned from the table
    policy = method.promising(columns, rows, policy)  # where the method promises less, it says so
    method = method.informed(columns, rows, policy)  # knobs that follow from policy and table
    rows = rows.gathered() if method.whole else rows
    division = divided(columns, rows, policy, method)  # a large table is published part by part
    parts = rows.parts(division).map("hide", hide, columns, policy, method, division is not None)  # who with whom
    columns, moved, lost = left(columns, parts, method)  # what nobody published has, the release does not mention
    first = np.concatenate([[0], np.cumsum([note.groups for note in parts.notes])]).tolist()
    shown = parts.map("show", show, columns, policy, method, moved, first)  # how each group is shown
    release, columns = joined(shown)
    release = release.withholding(lost)
    policy = method.settle(policy, release)  # the level that was reached, where it is part of the promise
    release = release.claiming((*method.claims(columns, policy), *joint(columns)), plain(method))
    release = with_findings(release, prior=policy.priors())
    # the code that a stranger runs, and what only the publisher can check (BrokenPromise)
    verdict = verify(release, prior=policy.priors(), after=earlier, data=data if ledger else None, ledger=ledger)
    refuse_jointly(verdict, earlier)
    verdict.or_raise()
    if ledger is not None:
        (rows,) = parts.each()
        ledger.record(release, shown_now(columns, rows.recode(moved) if moved else rows, data, earlier))
    return release


def default_method(policy: Policy) -> Method:
    """Each model names the method that serves it best; the first model decides."""
    return cast(Method, build("methods", policy.models[0].method, {}))
