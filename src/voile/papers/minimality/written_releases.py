"""The minimality attack on releases that are written out by hand, as the slides and papers print them."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import polars as pl

from voile.attacks.minimality.assignments import PublishedGroup
from voile.attacks.minimality.exact_worlds import ExactPosterior, Requirement, compute_credibility
from voile.errors import PolicyError
from voile.models.base import Model
from voile.tables.domain import encode_column, infer_kind
from voile.tables.group_counts import tally
from voile.tables.hierarchy import tree
from voile.tables.schema import Column


def attack_local(
    external: Mapping[Any, int],
    published: Sequence[Mapping[str, Any]],
    requirement: Model | Requirement,
    *,
    hierarchy: Mapping[str, Any] | None = None,
) -> ExactPosterior:
    """Attack a release exactly. `published` lists its groups as `{"inside": {kind of people: count}, "values": [...]}`.

    The requirement is a model, or any test of a table `{kind: values}`. A table is eliminated if it satisfies the
    requirement as it is.

    >>> from voile.models.k_e import KE
    >>> shown = [{"inside": {"q1": 2, "q2": 1}, "values": [30, 30, 20]}, {"inside": {"q2": 2}, "values": [10, 40]}]
    >>> attack_local({"q1": 2, "q2": 3}, shown, KE(k=2, e=5)).belief["q1", 30]
    Fraction(1, 1)
    """
    groups = [PublishedGroup(group["inside"], list(group["values"])) for group in published]
    if not isinstance(requirement, Model):
        return compute_credibility(external, groups, requirement)
    satisfied = require_model(requirement, [value for group in groups for value in group.values], hierarchy)
    if not satisfied(dict(enumerate(group.values for group in groups))):
        raise PolicyError(
            "The release itself does not satisfy the requirement.",
            code="policy.requirement",
            hint="Name the requirement that it was published under.",
        )
    return compute_credibility(external, groups, satisfied)


def require_model(model: Model, values: Sequence[Any], hierarchy: Mapping[str, Any] | None = None) -> Requirement:
    """Turn a model into a test of a table `{kind: values}`; `values` are those of the whole table."""
    series = pl.Series("value", values)
    domain, codes = encode_column(
        "value", series, infer_kind(series), sorted(_leaves(hierarchy)) if hierarchy else None
    )
    totals = np.bincount(codes, minlength=domain.size)
    fitted = tree(hierarchy).fit("value", domain, totals) if hierarchy else None
    column = Column("value", "sensitive", domain, fitted)
    model.check(column)
    answers: dict[tuple[Any, ...], bool] = {}

    def satisfies(group: Sequence[Any]) -> bool:
        key = tuple(sorted(Counter(group).items(), key=repr))
        if key not in answers:
            code = np.array([domain.code_of(value) for value, _ in key], dtype=np.int64)
            weight = np.array([count for _, count in key], dtype=np.int64)
            group_counts = tally(column, np.zeros(len(key), dtype=np.int64), code, weight, 1, totals)
            answers[key] = bool(model.holds(group_counts)[0])
        return answers[key]

    return lambda table: all(satisfies(group) for group in table.values() if len(group))


def _leaves(nested: Any) -> list[Any]:
    if isinstance(nested, Mapping):
        return [leaf for below in nested.values() for leaf in _leaves(below)]
    return list(nested)


def require_of_join(earlier: Sequence[Mapping[str, Any]], requirement: Requirement) -> Requirement:
    """Require something of a table and of its join with an earlier release. The join has, for every kind of people, the
    pairs of rows with one value: one row from the table, one from an earlier group that the kind is in."""

    def satisfied(table: Mapping[Any, Sequence[Any]]) -> bool:
        pairs = {}
        for kind, values in table.items():
            for position, group in enumerate(earlier):
                if group["inside"].get(kind):
                    matches = Counter(group["values"])
                    pairs[kind, position] = [value for value in values for _ in range(matches[value])]
        return requirement(table) and requirement({cell: joined for cell, joined in pairs.items() if joined})

    return satisfied


def credibility_global(class_sizes: Sequence[int], sensitive_count: int, l: int) -> list[Fraction] | None:  # noqa: E741
    """Belief in the sensitive value for a person of each original group, once the groups are shown as one.

    A table gives j_i sensitive rows to group i; it is eliminated if j_i l <= n_i everywhere. Tables are counted by
    convolution over the groups, all of them and those to eliminate: O(groups * sensitive_count^2). None where no table
    remains.

    >>> credibility_global([2, 2, 4], 3, 2)
    [Fraction(7, 16), Fraction(7, 16), Fraction(5, 16)]
    """
    ways = [[math.comb(n, j) for j in range(min(n, sensitive_count) + 1)] for n in class_sizes]
    diverse = [
        [count if j * l <= n else 0 for j, count in enumerate(row)] for n, row in zip(class_sizes, ways, strict=True)
    ]
    total = math.comb(sum(class_sizes), sensitive_count) - _multiply(diverse, sensitive_count, None)[sensitive_count]
    if total <= 0:
        return None
    answer: dict[int, Fraction] = {}
    for place, n in enumerate(class_sizes):
        if n in answer:
            continue  # groups of one size are alike
        others = sum(class_sizes) - n
        eliminated = _multiply(diverse, sensitive_count, place)
        sums = 0
        for j, count in enumerate(ways[place]):
            elsewhere = sensitive_count - j
            rest = math.comb(others, elsewhere) - (eliminated[elsewhere] if j * l <= n else 0)
            sums += j * count * rest
        answer[n] = Fraction(sums, total * n)
    return [answer[n] for n in class_sizes]


def _multiply(rows: Sequence[Sequence[int]], degree: int, without: int | None) -> list[int]:
    """The product of polynomials up to a degree, all of them but one."""
    result = [1] + [0] * degree
    for place, row in enumerate(rows):
        if place == without:
            continue
        fresh = [0] * (degree + 1)
        for i, left in enumerate(result):
            if left:
                for j, right in enumerate(row[: degree + 1 - i]):
                    fresh[i + j] += left * right
        result = fresh
    return result
