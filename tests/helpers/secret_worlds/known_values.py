"""What somebody who knows other sensitive values of a person may believe, by going through all assignments of rows.

The beliefs are computed apart from the product: tables are read row by row, worlds are listed one by one, and numbers
are fractions.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import polars as pl

import voile as vl
from voile.errors import PolicyError, Unsatisfiable

Row = tuple[Any, ...]


def rows_of_groups(release: Any, joint: Sequence[Row]) -> dict[int, dict[Row, Fraction]]:
    """For each group the expected number of each complete sensitive row, over all ways to give the joint rows of every
    primary value to its slots, one by one."""
    primary, *others = release.sensitive_names
    listed: dict[str, dict[int, list[Any]]] = {name: {} for name in (primary, *others)}
    for name, groups in listed.items():
        for group, value in release.tables[f"sensitive_{name}"].iter_rows():
            groups.setdefault(group, []).append(value)
    expected: dict[int, dict[Row, Fraction]] = {group: {} for group in listed[primary]}
    for value in {row[0] for row in joint}:
        slots = [group for group, values in listed[primary].items() for entry in values if entry == value]
        worlds = [*_fill(slots, sorted((row for row in joint if row[0] == value), key=repr), listed, others)]
        assert worlds, "the tables do not belong together"
        for world in worlds:
            for group, row in zip(slots, world, strict=True):
                expected[group][row] = expected[group].get(row, Fraction(0)) + Fraction(1, len(worlds))
    return expected


def _fill(slots: list[int], rows: list[Row], listed: Any, others: list[str]) -> Iterator[tuple[Row, ...]]:
    """Yield every different way to put the rows into the slots."""
    if not slots:
        yield ()
        return
    for row in dict.fromkeys(rows):
        if all(value in listed[name][slots[0]] for name, value in zip(others, row[1:], strict=True)):
            rest = list(rows)
            rest.remove(row)
            for world in _fill(slots[1:], rest, listed, others):
                yield (row, *world)


def every_evidence(
    joint: Sequence[Row], target: int, knowing: int, excluding: int
) -> Iterator[tuple[dict[int, Any], int | None, tuple[Any, ...]]]:
    """Yield all that may be known: values of some columns, and values of one further column that are ruled out."""
    others = [number for number in range(len(joint[0])) if number != target]
    values = {number: sorted({row[number] for row in joint}, key=repr) for number in others}
    for size in range(knowing + 1):
        for columns in itertools.combinations(others, size):
            for chosen in itertools.product(*(values[number] for number in columns)):
                known = dict(zip(columns, chosen, strict=True))
                yield known, None, ()
                for further in others:
                    if further not in known:
                        for number in range(1, excluding + 1):
                            for struck in itertools.combinations(values[further], number):
                                yield known, further, struck


def excess_given(
    expected: dict[int, dict[Row, Fraction]],
    joint: Sequence[Row],
    target: int,
    knowing: int,
    excluding: int,
    bound: Fraction,
    slack: Fraction,
) -> Fraction:
    """How far the worst belief lies above its limit, over all groups, evidence and values; at most 0 where the promise
    holds."""
    worst = Fraction(-1)
    for known, further, struck in every_evidence(joint, target, knowing, excluding):

        def agrees(row: Row, known: Any = known, further: Any = further, struck: Any = struck) -> bool:
            return all(row[n] == v for n, v in known.items()) and (further is None or row[further] not in struck)

        left = [row for row in joint if agrees(row)]
        if not left:
            continue
        for rows in expected.values():
            remaining = {row: weight for row, weight in rows.items() if agrees(row)}
            total = sum(remaining.values(), Fraction(0))
            for value in {row[target] for row in remaining}:
                belief = sum((w for row, w in remaining.items() if row[target] == value), Fraction(0)) / total
                share = Fraction(sum(row[target] == value for row in left), len(left))
                worst = max(worst, belief - max(bound, share + slack))
    return worst


@dataclass(frozen=True)
class Trial:
    """A random small table, published against somebody who knows other values: what verify answers and the truth."""

    excess: Fraction
    attacks_pass: bool
    answers: tuple[str, ...]
    groups: int


def try_random_table(seed: int) -> Trial | None:
    """Publish a random table with 2 or 3 sensitive columns, with or without a joint table, and go through all worlds;
    None where it cannot be published."""
    rng = np.random.default_rng(seed)
    names = ["p", "s", "t"][: int(rng.integers(2, 4))]
    rows, knowing, excluding = int(rng.integers(6, 15)), int(rng.integers(0, len(names))), int(rng.integers(0, 3))
    knowing, excluding = (1, 0) if knowing + excluding == 0 else (knowing, excluding)
    columns = {name: rng.choice(list("abcd"), rows, p=rng.dirichlet(np.full(4, 3.0))) for name in names}
    columns["p"] = rng.permutation(np.resize(list("abcd")[: int(rng.integers(3, 5))], rows))
    for name in names[1:]:  # columns that say something about each other
        copied = rng.random(rows) < rng.choice([0.0, 0.5, 0.9])
        columns[name] = np.where(copied, columns["p"], columns[name])
    frame = pl.DataFrame({"q": range(rows), **columns})
    slack = Fraction(int(rng.integers(0, 4)), 10)
    levels = {name: int(rng.integers(1, 4)) for name in names}
    model = vl.MultiDiversity(levels, knowing=knowing, excluding=excluding, slack=float(slack))
    data = vl.read(frame, vl.Schema(quasi=["q"], sensitive=names))
    method = vl.Decompose(
        publish_joint=bool(rng.random() < 0.6), draw=str(rng.choice(["random", "nearest"])), frequent="error"
    )
    try:
        release: Any = vl.publish(data, model, method, key=vl.Key(seed.to_bytes(32, "big")))
    except (PolicyError, Unsatisfiable):
        return None
    joint = list(frame.select(release.sensitive_names).iter_rows())
    if max(Counter(row[0] for row in joint).values()) > 6:
        return None
    expected = rows_of_groups(release, joint)
    worst = Fraction(-1)
    for name in names:
        if levels[name] > 1:
            target, bound = release.sensitive_names.index(name), Fraction(1, levels[name])
            worst = max(worst, excess_given(expected, joint, target, knowing, excluding, bound, slack))
    answers = tuple(check.answer.value for check in vl.verify(release, data=data).checks)
    passed = all(finding.passed for finding in vl.audit(release).findings if finding.attack in ("chain", "exclusion"))
    return Trial(worst, passed, answers, release.groups)
