"""Advice about a request that can be served as it stands: what is unwise about its roles, what would serve it better,
and what gives less away."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

import numpy as np

from voile.errors import option, render
from voile.flow.explore.column_profiles import ColumnProfile, RepeatedValues
from voile.models.base import GivesAdvice, Model
from voile.models.policy import Policy
from voile.tables.code_lists.known_lists import measure_column_fit
from voile.tables.microdata import Microdata
from voile.tables.roles.code_guessing import looks_like_codes
from voile.tables.schema import Column, Schema

FEWEST = 5  # people who should share the greatest values of a sensitive column of numbers


def suggest_improvements(data: Microdata, policy: Policy | Model, decided: Collection[str] = ()) -> list[str]:
    """Return sentences of advice about a table and a policy; none where nothing is to be said. `decided` names columns
    whose kind somebody has stated.

    >>> import polars as pl, voile as vl
    >>> table = pl.DataFrame({"age": [30, 31] * 9, "income": [1, 2] * 8 + [3, 9_876_543]})
    >>> data = vl.read(table, vl.Schema(quasi=["age"], sensitive=["income"]))
    >>> for sentence in suggest_improvements(data, vl.TCloseness(t=0.3)):
    ...     print(sentence.partition(":")[0])
    t-closeness takes all values of 'income' as equally far apart
    Fewer than 5 people share the greatest value of 'income', and it is published as it is
    """
    policy = Policy(policy) if isinstance(policy, Model) else policy
    told = [
        model.advise(column)
        for model in policy
        for column in model.targets(data.columns)
        if column is not None and isinstance(model, GivesAdvice)
    ]
    fewest = max(FEWEST, policy.smallest())
    told += [_advise_rounding(column) for column in list_exact_dates(data)]
    told += [_advise_limit(data, column, fewest) for column in data.columns.sensitive if column.domain.uses_intervals]
    told += [_count_unlisted(data, column) for column in data.columns.quasi]
    told += [_ask_about_codes(column) for column in data.columns if column.name not in decided]
    return [render(sentence) for sentence in dict.fromkeys(told) if sentence]


def _count_unlisted(data: Microdata, column: Column) -> str:
    """Say how many values of a column are not in the public list that the others are of."""
    if column.kind not in ("categorical", "ordered"):
        return ""
    if column.hierarchy is not None and not column.hierarchy.unlisted:
        return ""
    counted = data.rows.histogram([column.name])
    rows = np.bincount(counted.column(column.name), weights=counted.counts, minlength=column.size)
    fit = measure_column_fit(column.name, column.domain, rows)
    return fit.describe(column.name) if fit is not None and fit.unlisted and fit.holds else ""


def _ask_about_codes(column: Column) -> str:
    """Ask whether whole numbers are codes, unless a hierarchy says what they mean."""
    if column.kind != "numeric" or column.hierarchy is not None or column.role == "other":
        return ""
    return advise_categories(column.name) if looks_like_codes(column.name, str(column.domain.values.dtype)) else ""


def list_exact_dates(data: Microdata) -> Iterator[Column]:
    """List the columns of dates that others may know and whose ranges would end at exact dates of real people."""
    for column in data.columns.quasi:
        shown_by_labels = column.steer.finest > 0
        if column.kind == "date" and not (column.domain.declared or shown_by_labels or column.steer.round):
            yield column


def _advise_rounding(column: Column) -> str:
    return (
        f"Ranges of {column.name!r} end at exact dates of real people. If no exact date should be published, show them "
        "by year or by month (steering, round=year)."
    )


def _advise_limit(data: Microdata, column: Column, fewest: int) -> str:
    """Say that the greatest value of a column of numbers tells of few people. The value itself is not named."""
    counted = data.rows.histogram([column.name])
    people = np.bincount(counted.column(column.name), weights=counted.counts, minlength=column.size)
    people = people[: len(column.domain.values)]
    if not people.any() or column.domain.declared or column.steer.tails or people[np.flatnonzero(people)[-1]] >= FEWEST:
        return ""
    return (
        f"Fewer than {FEWEST} people share the greatest value of {column.name!r}, and it is published as it is: "
        f"whoever is known for it stands out. Bound both ends by round values that at least {fewest} people reach "
        f"(steering, tails={fewest}), or give the column a top that does not depend on the table (steering, top)."
    )


def advise_categories(name: str) -> str:
    """Ask whether whole numbers are codes: a range of codes would mean nothing."""
    return render(
        f"{name!r} holds whole numbers that may be codes. A range of codes means nothing: if they are codes, state "
        f"that the column is categorical ({option('kinds', {name: 'categorical'})}), else that it is numeric."
    )


def give_advice(
    schema: Schema, columns: Sequence[ColumnProfile], repeats: Sequence[RepeatedValues], rows: int, noun: str
) -> Iterator[str]:
    """Say what is unwise about roles, one sentence after the other. `noun` says what the `rows` of the table are."""
    if schema.person is None and schema.rows_are is None:
        yield from (item.give_advice() for item in repeats)
    by_name = {column.name: column for column in columns}
    for name in (*schema.quasi, *schema.sensitive):
        column = by_name.get(name)
        if column is None or column.kind not in ("categorical", "ordered") or name in schema.hierarchies:
            continue
        if 2 * column.alone > rows and column.alone > 20:
            share = f"{column.alone:,} of {rows:,} {noun}"
            finding = f"{share} have a value of {name!r} that no other has."
            if name in schema.quasi:
                yield (
                    f"{finding} If others may know it, nearly every cell has to be shown as *, and every step becomes "
                    "slow. Mark it as an identifier or leave it out, or give it a hierarchy."
                )
            else:
                yield (
                    f"{finding} Recipients of the release cannot count with a secret that is different for "
                    "everybody. Mark it as an identifier, or leave it out."
                )
    for name in (*schema.quasi, *schema.sensitive):
        column = by_name.get(name)
        if column is not None and column.holds_codes:
            yield advise_categories(name)
    if not schema.sensitive:
        yield (
            "No column is marked as secret: a promise can cover finding a person's row, but not learning something "
            "about the person. Mark the columns that nobody should learn."
        )
    if len(schema.quasi) > 12:
        yield (
            f"{len(schema.quasi)} columns are marked as known to others. The more there are, the more coarsely they "
            "must be shown. Leave out the columns that recipients do not need."
        )
