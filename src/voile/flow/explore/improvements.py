"""Advice about a request that can be served as it stands: what would serve it better, or give less away."""

from __future__ import annotations

import numpy as np

from voile.errors import render
from voile.models.base import Model
from voile.models.policy import Policy
from voile.tables.microdata import Microdata
from voile.tables.schema import Column

FEWEST = 5  # people who should share the greatest values of a sensitive column of numbers


def suggest_improvements(data: Microdata, policy: Policy | Model) -> list[str]:
    """Return sentences of advice about a table and a policy; none where nothing is to be said.

    >>> import polars as pl, voile as vl
    >>> table = pl.DataFrame({"age": [30, 31] * 9, "income": [1, 2] * 8 + [3, 9_876_543]})
    >>> data = vl.read(table, vl.Schema(quasi=["age"], sensitive=["income"]))
    >>> for sentence in suggest_improvements(data, vl.TCloseness(t=0.3)):
    ...     print(sentence.partition(":")[0])
    t-closeness takes all values of 'income' as equally far apart
    Fewer than 5 people share the greatest value of 'income', and it is published as it is
    """
    policy = Policy(policy) if isinstance(policy, Model) else policy
    told = [model.advise(column) for model in policy for column in model.targets(data.columns) if column is not None]
    told += [_advise_limit(data, column) for column in data.columns.sensitive if column.domain.uses_intervals]
    return [render(sentence) for sentence in dict.fromkeys(told) if sentence]


def _advise_limit(data: Microdata, column: Column) -> str:
    """Say that the greatest value of a column of numbers tells of few people. The value itself is not named."""
    counted = data.rows.histogram([column.name])
    people = np.bincount(counted.column(column.name), weights=counted.counts, minlength=column.size)
    people = people[: len(column.domain.values)]
    if not people.any() or column.domain.declared or people[np.flatnonzero(people)[-1]] >= FEWEST:
        return ""
    return (
        f"Fewer than {FEWEST} people share the greatest value of {column.name!r}, and it is published as it is: "
        "whoever is known for it stands out. Give the column a top that does not depend on the table (steering, top): "
        "values above it are then shown as the top."
    )
