"""Foresee: which promises a table can keep, before anything is published.

Merging groups never breaks a monotone promise, so a promise that fails for the whole table as one group fails for every
grouping. That test takes one count and shows at once how far a parameter can go.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import MISSING, dataclass, fields, replace
from functools import partial
from typing import Any

import numpy as np

from voile.errors import PolicyError, VoileError
from voile.flow.publish.plan import check_request, default_method
from voile.methods.base import Method
from voile.models.abilities import check_fit, count_people
from voile.models.base import Model
from voile.models.kinds import SpansReleases
from voile.models.policy import Policy
from voile.plugins.parameters import Limits
from voile.plugins.registry import knob_fields
from voile.tables.group_counts import Counts, sizes_only
from voile.tables.microdata import Microdata
from voile.tables.schema import Column

DIGITS = 3  # decimals of a parameter that is not an integer
FARTHEST = 1 << 40  # where the search for the largest value ends


@dataclass(frozen=True)
class Reach:
    """How far one parameter of a model can go on a table while the others stay the same. If `most` is true, `value` is
    the largest value that can be kept, else the smallest. Reaching it may take a single group of everybody, which is
    a great loss."""

    knob: str
    value: float
    most: bool

    def __str__(self) -> str:
        return f"the {'largest' if self.most else 'smallest'} possible {self.knob} is {self.value:g}"


def foresee(data: Microdata, policy: Policy | Model, method: Method | None = None) -> None:
    """Raise now the error that publishing would raise later: SpecError if policy, method and table do not fit,
    Unsatisfiable (whose `best` says what can be reached) if no grouping keeps the promise.

    >>> import voile as vl
    >>> data = vl.read(vl.datasets.hospital(), vl.Schema(quasi=["sex", "zip"], sensitive=["disease"]))
    >>> vl.foresee(data, vl.LDiversity(l=4))
    """
    policy = Policy(policy) if isinstance(policy, Model) else policy
    method = method or default_method(policy)
    policy = policy.count_people(data.unit.rows)
    columns = check_request(data.columns, data.rows, policy, method)
    countable = [model for model in policy if _is_decided_by_counts(model)]
    if countable:
        Policy(*countable).require_whole(columns, data.rows.tally_values(columns), data.rows.total)


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
    if not _is_decided_by_counts(model):
        return ()
    tallies = data.rows.tally_values(data.columns)

    def keeps(changed: Model) -> bool:
        return all(_holds(changed, column, tallies, data.rows.total) for column in changed.targets(data.columns))

    results = []
    for field in knob_fields(type(model)):
        limits, value = field.metadata.get("limits"), getattr(model, field.name)
        if limits is None or isinstance(value, bool) or not isinstance(value, (int, float)):
            continue
        limit = _find_limit(partial(_holds_with, model, field.name, keeps), limits, isinstance(value, int))
        if limit is not None:
            results.append(Reach(field.name, *limit))
    return tuple(results)


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


def _is_decided_by_counts(model: Model) -> bool:
    """Whether one group of everybody decides the model: it counts, is monotone, and is about this table alone."""
    return (
        model.monotone
        and model.basis == "counts"
        and not isinstance(model, SpansReleases)
        and not _contains_model(model)
    )


def _contains_model(model: Model) -> bool:
    return any(isinstance(getattr(model, field.name), Model) for field in fields(model))


def _holds(model: Model, column: Column | None, tallies: dict[str, Counts], total: int) -> bool:
    try:
        check_fit(model, column)
        counts = tallies[column.name] if column else sizes_only(np.array([total]))
        return bool(model.holds(counts)[0])
    except VoileError:
        return False


def _holds_with(model: Model, name: str, keeps: Callable[[Model], bool], value: float) -> bool:
    try:
        return keeps(replace(model, **{name: value}))
    except PolicyError:
        return False


def _find_limit(holds_at: Callable[[float], bool], limits: Limits, whole: bool) -> tuple[float, bool] | None:
    """Find the last value on a grid that holds, and whether it is the largest; None if all or no values hold."""
    unit = 1 if whole else 10**DIGITS
    low = math.ceil((limits.low if limits.low is not None else limits.above or 0) * unit)
    low += limits.low is None
    value: Callable[[int], float] = (lambda step: step) if whole else (lambda step: step / unit)
    far = math.floor(limits.high * unit) if limits.high is not None else max(low, 1)
    while limits.high is None and far < FARTHEST and holds_at(value(far)):
        far *= 2
    holds_low, holds_far = holds_at(value(low)), holds_at(value(far))
    if holds_low == holds_far:
        return None
    inside, outside = (low, far) if holds_low else (far, low)
    while abs(outside - inside) > 1:
        middle = (inside + outside) // 2
        inside, outside = (middle, outside) if holds_at(value(middle)) else (inside, middle)
    return value(inside), holds_low
