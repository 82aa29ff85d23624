"""The tables that a release may have come from: every way to give its values to the people who are known to be in it.

Who knows the people and their quasi-identifiers, and that a publisher coarsens no more than the policy demands, strikes
out the tables that could have been published as they are. What is left is counted here, in whole numbers: exact, for
tables of a few dozen people. Large releases are counted by kernel.
"""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from voile.errors import DataError
from voile.kernels import lazy_kernel

kernel = lazy_kernel("voile.attacks.minimality.kernel")

Qid = Any  # whatever names a kind of people
Table = dict[Qid, tuple[Any, ...]]
Test = Callable[[Mapping[Qid, Sequence[Any]]], bool]
DRAWS = 20_000


@dataclass(frozen=True)
class Shown:
    """One published group: how many people of each original kind are in it, and the values it shows."""

    inside: Mapping[Qid, int]
    values: Sequence[Any]


@dataclass(frozen=True)
class Posterior:
    """Belief by (kind of people, value). `belief` is None where no table explains the release.

    `kept` and `total` count the tables, by weight. Of an `estimate`, `error` is the half-width of a 95 % interval.
    """

    belief: Mapping[tuple[Qid, Any], Fraction] | None
    naive: Mapping[tuple[Qid, Any], Fraction]
    kept: int
    total: int
    estimate: bool = False
    error: float = 0.0


def credibility(
    external: Mapping[Qid, int],
    published: Sequence[Shown],
    could_show: Test,
    *,
    weighting: str = "slots",
    worlds: int = 1_000_000,
) -> Posterior:
    """Belief in every value for every kind of people, after striking out the tables that `could_show` admits.

    `weighting="slots"` takes every assignment of a group's values to its people as equally likely, `"tables"` every
    original table, however many ways lead from it to the release. Above the budget of `worlds` tables are drawn at
    random instead of listed, and the answer is an estimate.

    >>> shown = [Shown({"q1": 2, "q2": 2}, "YYNN"), Shown({"q2": 2}, "NN")]
    >>> fine = lambda table: all(2 * values.count("Y") <= len(values) for values in table.values())
    >>> credibility({"q1": 2, "q2": 4}, shown, fine).belief["q1", "Y"]
    Fraction(1, 1)
    """
    _covers(external, published)
    if math.prod(_fillings_bound(shown) for shown in published) > worlds:
        return _drawn(external, published, could_show)
    return _counted(external, [(1, published)], could_show, weighting)


def overlapping(
    external: Mapping[Qid, int],
    fits: Mapping[Any, Sequence[Qid]],
    values: Mapping[Any, Sequence[Any]],
    could_show: Test,
    worlds: int,
) -> Posterior | None:
    """As `credibility`, where it is only known which kinds of people fit which group: every way to place the people is
    a world too. None where there are more than `worlds`."""
    sizes = {group: len(listed) for group, listed in values.items()}
    found, total = [], 0
    for weight, inside in _placements(list(fits), dict(external), fits, sizes):
        shown = [Shown(inside[group], values[group]) for group in fits]
        total += math.prod(_fillings_bound(one) for one in shown)
        if total > worlds:
            return None
        found.append((weight, shown))
    return _counted(external, found, could_show, "slots") if found else None


def _placements(
    groups: Sequence[Any],
    left: Mapping[Qid, int],
    fits: Mapping[Any, Sequence[Qid]],
    sizes: Mapping[Any, int],
) -> Iterator[tuple[int, dict[Any, dict[Qid, int]]]]:
    """Every way to fill the groups with people who fit, and in how many ways the people can be chosen for it."""
    if not groups:
        if not any(left.values()):
            yield 1, {}
        return
    group, rest = groups[0], groups[1:]
    for taken in _parts(sizes[group], [(kind, left[kind]) for kind in fits[group]]):
        chosen = dict(taken)
        remaining = {kind: number - chosen.get(kind, 0) for kind, number in left.items()}
        ways = math.prod(math.comb(left[kind], number) for kind, number in chosen.items())
        for weight, inside in _placements(rest, remaining, fits, sizes):
            yield ways * weight, {group: chosen, **inside}


def _counted(
    external: Mapping[Qid, int], placed: Sequence[tuple[int, Sequence[Shown]]], could_show: Test, weighting: str
) -> Posterior:
    found: dict[tuple[tuple[Qid, tuple[Any, ...]], ...], int] = {}
    for ways, published in placed:
        for weight, table in _tables(published):
            key = tuple(sorted(((qid, table[qid]) for qid in table), key=repr))
            if weighting == "tables":
                found[key] = math.prod(_arrangements(Counter(values)) for values in table.values())
            else:
                found[key] = found.get(key, 0) + ways * weight
    kept = {key: weight for key, weight in found.items() if not could_show(dict(key))}
    naive = _shares(external, found)
    assert naive is not None
    return Posterior(_shares(external, kept), naive, sum(kept.values()), sum(found.values()))


def _covers(external: Mapping[Qid, int], published: Sequence[Shown]) -> None:
    """The people inside the groups must be those of the external table."""
    inside: Counter[Qid] = Counter()
    for shown in published:
        inside.update(dict(shown.inside))
        if sum(shown.inside.values()) != len(shown.values):
            raise DataError(
                f"A group shows {len(shown.values)} values for {sum(shown.inside.values())} people.",
                code="data.external-cover",
                hint="Every person of a group has one of its values.",
            )
    wrong = sum(inside[qid] != external.get(qid, 0) for qid in {*inside, *external})
    if wrong:
        raise DataError(
            f"The external table and the release disagree on the number of people of {wrong} kinds.",
            code="data.external-cover",
            hint="The external table must list everybody who is in the release.",
        )


def _shares(
    external: Mapping[Qid, int], found: Mapping[tuple[tuple[Qid, tuple[Any, ...]], ...], int]
) -> dict[tuple[Qid, Any], Fraction] | None:
    total = sum(found.values())
    if not total:
        return None
    sums: Counter[tuple[Qid, Any]] = Counter()
    every = {value for key in found for _, values in key for value in values}
    for key, weight in found.items():
        for qid, values in key:
            for value, count in Counter(values).items():
                sums[qid, value] += weight * count
    return {
        (qid, value): Fraction(sums[qid, value], total * people)
        for qid, people in external.items()
        if people
        for value in every
    }


def _tables(published: Sequence[Shown]) -> Iterator[tuple[int, Table]]:
    """Every original table, with the number of assignments that lead to it (a table may come more than once)."""
    if not published:
        yield 1, {}
        return
    first, rest = published[0], published[1:]
    for weight, parts in fillings(list(first.inside.values()), Counter(first.values)):
        here = dict(zip(first.inside, parts, strict=True))
        for more, table in _tables(rest):
            merged = dict(table)
            for qid, values in here.items():
                merged[qid] = tuple(sorted((*merged.get(qid, ()), *values), key=repr))
            yield weight * more, merged


def fillings(sizes: Sequence[int], values: Counter[Any]) -> Iterator[tuple[int, list[tuple[Any, ...]]]]:
    """Every way to part a multiset of values into parts of these sizes, and how many assignments each stands for.

    >>> [(weight, parts) for weight, parts in fillings([1, 2], Counter("aab"))]
    [(2, [('a',), ('a', 'b')]), (1, [('b',), ('a', 'a')])]
    """
    if not sizes:
        if not values.total():
            yield 1, []
        return
    for part in _parts(sizes[0], sorted(values.items(), key=repr)):
        left = values - Counter(dict(part))
        ways = _arrangements(Counter(dict(part)))
        listed = tuple(value for value, count in part for _ in range(count))
        for weight, rest in fillings(sizes[1:], left):
            yield ways * weight, [listed, *rest]


def _parts(size: int, values: Sequence[tuple[Any, int]]) -> Iterator[list[tuple[Any, int]]]:
    """The multisets of one size below a multiset."""
    if not values:
        if size == 0:
            yield []
        return
    (value, count), rest = values[0], values[1:]
    for taken in range(min(count, size), -1, -1):
        for more in _parts(size - taken, rest):
            yield [(value, taken), *more] if taken else more


def _arrangements(counts: Counter[Any]) -> int:
    """In how many orders a multiset can stand."""
    return math.factorial(counts.total()) // math.prod(math.factorial(count) for count in counts.values())


def _fillings_bound(shown: Shown) -> int:
    """At least the number of fillings of a group: the assignments of values to places, or kind by kind."""
    counts = Counter(shown.values)
    by_kind = math.prod(math.comb(size + len(counts) - 1, size) for size in shown.inside.values())
    return min(_arrangements(counts), by_kind)


def _drawn(external: Mapping[Qid, int], published: Sequence[Shown], could_show: Test) -> Posterior:
    """By rejection: tables are drawn at random, those that could have been shown are thrown away."""
    coins = random.Random(1)
    sums: Counter[tuple[Qid, Any]] = Counter()
    kept = 0
    for _ in range(DRAWS):
        table: dict[Qid, list[Any]] = {}
        for shown in published:
            values = list(shown.values)
            coins.shuffle(values)
            for qid, people in shown.inside.items():
                table.setdefault(qid, []).extend(values[:people])
                del values[:people]
        if could_show(table):
            continue
        kept += 1
        for qid, given in table.items():
            for value, count in Counter(given).items():
                sums[qid, value] += count
    every = {value for shown in published for value in shown.values}
    naive = {(qid, value): Fraction(0) for qid in external for value in every}
    for shown in published:
        counts = Counter(shown.values)
        for qid, people in shown.inside.items():
            for value in every:
                naive[qid, value] += Fraction(people * counts[value], external[qid] * len(shown.values))
    if not kept:
        return Posterior(None, naive, 0, DRAWS, True)
    belief = {(q, v): Fraction(sums[q, v], kept * external[q]) for q, v in naive if external[q]}
    return Posterior(belief, naive, kept, DRAWS, True, 0.98 / math.sqrt(kept))


def credibility_global(class_sizes: Sequence[int], sensitive_count: int, l: int) -> list[Fraction] | None:  # noqa: E741
    """Belief in the sensitive value for a person of each original group, once the groups are shown as one.

    A table gives j_i sensitive rows to group i; it is struck out if j_i l <= n_i everywhere. Tables are counted by
    convolution over the groups, all of them and those to strike out: O(groups * sensitive_count^2). None where no
    table is left.

    >>> credibility_global([2, 2, 4], 3, 2)
    [Fraction(7, 16), Fraction(7, 16), Fraction(5, 16)]
    """
    every = [[math.comb(n, j) for j in range(min(n, sensitive_count) + 1)] for n in class_sizes]
    fine = [
        [ways if j * l <= n else 0 for j, ways in enumerate(row)] for n, row in zip(class_sizes, every, strict=True)
    ]
    total = math.comb(sum(class_sizes), sensitive_count) - _others(fine, sensitive_count, None)[sensitive_count]
    if total <= 0:
        return None
    answer: dict[int, Fraction] = {}
    for place, n in enumerate(class_sizes):
        if n in answer:
            continue  # groups of one size are alike
        others = sum(class_sizes) - n
        ok = _others(fine, sensitive_count, place)
        sums = 0
        for j, ways in enumerate(every[place]):
            left = sensitive_count - j
            rest = math.comb(others, left) - (ok[left] if j * l <= n else 0)
            sums += j * ways * rest
        answer[n] = Fraction(sums, total * n)
    return [answer[n] for n in class_sizes]


def _others(rows: Sequence[Sequence[int]], most: int, without: int | None) -> list[int]:
    """The product of polynomials up to a degree, all of them but one."""
    result = [1] + [0] * most
    for place, row in enumerate(rows):
        if place == without:
            continue
        fresh = [0] * (most + 1)
        for i, left in enumerate(result):
            if left:
                for j, right in enumerate(row[: most + 1 - i]):
                    fresh[i + j] += left * right
        result = fresh
    return result
