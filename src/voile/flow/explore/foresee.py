"""Foresee: which promises a table can keep, before anything is published.

Merging groups never breaks a monotone promise, so a promise that fails for the whole table as one group fails for every
grouping. That test takes one count and shows at once how far a parameter can go.
"""

from __future__ import annotations

from dataclasses import MISSING
from typing import Any

from voile.errors import PolicyError
from voile.flow.publish.plan import check_request, default_method
from voile.methods.base import Method
from voile.models.abilities import count_people
from voile.models.base import Model
from voile.models.nearby_promises import Reach, WholeTable, find_reach, is_decided_by_counts
from voile.models.policy import Policy
from voile.plugins.parameters import Limits
from voile.tables.microdata import Microdata


def foresee(data: Microdata, policy: Policy | Model, method: Method | None = None) -> None:
    """Raise now the error that publishing would raise later: SpecError if policy, method and table do not fit,
    Unsatisfiable if no grouping keeps the promise; its `best` says what can be reached, and its `alternatives` are
    policies that the table can keep.

    >>> import voile as vl
    >>> data = vl.read(vl.datasets.hospital(), vl.Schema(quasi=["sex", "zip"], sensitive=["disease"]))
    >>> vl.foresee(data, vl.LDiversity(l=4))
    """
    policy = Policy(policy) if isinstance(policy, Model) else policy
    method = method or default_method(policy)
    policy = policy.count_people(data.unit.rows)
    columns = check_request(data.columns, data.rows, policy, method)
    countable = [model for model in policy if is_decided_by_counts(model)]
    if countable:
        policy.require_whole(columns, data.rows.tally_values(columns), data.rows.total, countable)


def reach(data: Microdata, model: Model) -> tuple[Reach, ...]:
    """Return how far each numeric parameter of a model can go on a table. A model that has no form for people with
    several rows reaches nothing where they may have some.

    >>> import voile as vl
    >>> data = vl.read(vl.datasets.hospital(), vl.Schema(quasi=["sex", "zip"], sensitive=["disease"]))
    >>> [str(item) for item in reach(data, vl.KAnonymity(k=5))]
    ['the largest possible k is 400']
    """
    try:
        model = count_people(model, data.unit.rows)
    except PolicyError:  # foresee says why
        return ()
    if not is_decided_by_counts(model):
        return ()
    return find_reach(model, WholeTable(data.columns, data.rows.tally_values(data.columns), data.rows.total))


def suggest_value(field: Any) -> Any:
    """Return the default of a parameter, or a first value: above its lower limit, or half way between its limits."""
    if field.default is not MISSING:
        return field.default
    limits = field.metadata.get("limits") or Limits()
    low = limits.low if limits.low is not None else limits.above
    if low is None:
        return None
    if limits.high is not None:
        return (low + limits.high) / 2
    return low + (3 if isinstance(low, int) and limits.above is None and low > 0 else 1)
