"""Publish: from microdata to a release that keeps its promise."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from voile.core.key import Key
from voile.core.method import Method
from voile.core.microdata import Microdata
from voile.core.narrow import narrowed
from voile.core.plugin import build, plain
from voile.core.policy import Model, Policy
from voile.core.release import Release
from voile.flow.after import Before, followed_table, jointly, refuse_jointly, understood
from voile.flow.verify import verify


def publish(
    data: Microdata,
    policy: Policy | Model,
    method: Method | None = None,
    *,
    key: Key | None = None,
    after: Sequence[Before] = (),
) -> Release:
    """Publish a table under a policy. The publisher is not trusted: the last step is what anyone runs on the folder.

    `after` are earlier releases of the same people (releases or folders; for m-invariance pairs of a release and the
    table that it was made from). What breaks the promise jointly with them is refused.

    >>> import voile as vl
    >>> schema = vl.Schema(quasi=["birth", "sex", "zip"], sensitive=["disease"])
    >>> data = vl.read(vl.datasets.hospital(), schema)
    >>> vl.publish(data, vl.Policy(vl.KAnonymity(k=5)))  # doctest: +ELLIPSIS
    Generalized(400 rows in ... groups; k-anonymity)
    """
    policy = Policy(policy) if isinstance(policy, Model) else policy
    method = method or default_method(policy)
    earlier, tables = understood(after)  # what was published before, and still keeps its promise
    policy, joint, method = policy.following(earlier), jointly(policy, earlier), method.following(earlier)
    key = key or Key.fresh()  # 256 random bits; never in the release
    columns, rows = followed_table(data, policy, earlier, tables, key)
    columns = method.prepare(columns, rows)
    policy.check(columns)  # SpecError: fix the request
    method.check(columns, policy)
    rows = rows.keyed(key)
    policy = policy.informed(columns, rows)  # what an adversary is taken to know, where it is learned from the table
    rows = method.group(columns, rows, policy)  # who hides with whom (Unsatisfiable)
    rows = method.alter(columns, rows, policy)  # which values are disturbed (default: none)
    if rows.total < data.rows.total or type(method).alter is not Method.alter:
        columns, rows = narrowed(columns, rows)  # what nobody published has, the release does not mention
    release = method.shape(columns, rows).withholding(data.rows.total - rows.total)
    release = release.claiming((*method.claims(columns, policy), *joint(columns)), plain(method))
    refuse_jointly(release, earlier)
    own = data if tables else None
    verify(release, prior=policy.priors(), after=earlier, data=own, tables=tables).or_raise()  # as a stranger does
    return release


def default_method(policy: Policy) -> Method:
    """Each model names the method that serves it best; the first model decides."""
    return cast(Method, build("methods", policy.models[0].method, {}))
