"""Mondrian and top-down specialization, cut by cut."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from oracle.rows import Row


@dataclass(frozen=True)
class Cuttable:
    """A column as Mondrian sees it: the place (0 to 63) of each code, and the height of the fence after each code."""

    place: Sequence[int]
    ranged: bool
    scale: float
    fence: Sequence[int] | None = None

    def spread(self, codes: Iterable[int]) -> int:
        places = {self.place[code] for code in codes}
        return max(places) - min(places) if self.ranged else len(places) - 1


def most_even_cut(codes: Sequence[int], weights: Sequence[int], column: Cuttable) -> tuple[int, int] | None:
    """(last code on the left, people there): among the highest fences the most even one, the first of equals."""
    people: Counter[int] = Counter()
    for code, weight in zip(codes, weights, strict=True):
        people[code] += weight
    left, total = 0, sum(weights)
    options = []
    for here, after in itertools.pairwise(sorted(people)):
        left += people[here]
        height = max(column.fence[here:after]) if column.fence is not None else 0
        options.append((-height, abs(2 * left - total), here, left))
    if not options:
        return None
    _, _, here, left = min(options)
    return here, left


def ranked_cuts(
    rows: Sequence[Row], weights: Sequence[int], columns: Sequence[Cuttable], smallest: int, fine: int
) -> list[tuple[int, int]]:
    """(column, cut) of every column that may be cut, the largest gain first, the first column of equals."""
    total = sum(weights)
    options = []
    for d, column in enumerate(columns):
        cut = most_even_cut([row[d] for row in rows], weights, column)
        if cut is None or cut[1] < smallest or total - cut[1] < smallest:
            continue
        if len(rows) > fine:
            gain = column.spread(row[d] for row in rows) * column.scale
        else:
            gain = 0.0
            for side in (False, True):
                half = [i for i, row in enumerate(rows) if (row[d] > cut[0]) is side]
                loss = sum(other.spread(rows[i][c] for i in half) * other.scale for c, other in enumerate(columns))
                gain -= loss * sum(weights[i] for i in half)
        options.append((-gain, d, cut[0]))
    return [(d, at) for _, d, at in sorted(options)]


def mondrian(
    rows: Sequence[Row],
    weights: Sequence[int],
    columns: Sequence[Cuttable],
    smallest: int,
    fine: int,
    fits: Callable[[list[int]], bool] | None = None,
) -> list[list[int]]:
    """Return the groups of row numbers. With `fits`, both halves of a cut must fit, else the next best cut is tried."""
    found: list[list[int]] = []
    todo = [list(range(len(rows)))]
    while todo:
        node = todo.pop()
        cuts = ranked_cuts([rows[i] for i in node], [weights[i] for i in node], columns, smallest, fine)
        for d, at in cuts:
            left, right = [i for i in node if rows[i][d] <= at], [i for i in node if rows[i][d] > at]
            if fits is None or (fits(left) and fits(right)):
                todo += [left, right]
                break
        else:
            found.append(sorted(node))
    return sorted(found)


def leaves(
    codes: Any, places: Any, offset: Any, rank: Any, column: Sequence[int], cut: Sequence[int], left: Sequence[int]
) -> list[int]:
    """The leaf of each row: from the root down, cut after cut."""

    def down(row: Any, node: int) -> int:
        if column[node] < 0:
            return node
        place = rank[offset[column[node]] + row[places[column[node]]]]
        return down(row, int(left[node]) + (1 if place > cut[node] else 0))

    return [down(row, 0) for row in codes]


def profile(codes: Any, weights: Any, places: Any, offset: Any, leaf: Any, asked: Sequence[int]) -> list[list[int]]:
    """Count the people of some leaves who have each code of some columns, one column after the other."""
    found = []
    for node in asked:
        line: list[int] = []
        for j, place in enumerate(places):
            for code in range(offset[j + 1] - offset[j]):
                here = [
                    int(w) for row, w, at in zip(codes, weights, leaf, strict=True) if at == node and row[place] == code
                ]
                line.append(sum(here))
        found.append(line)
    return found


def _entropy(values: Sequence[int]) -> float:
    return -sum(count / len(values) * math.log(count / len(values)) for count in Counter(values).values())


def specialised(people: Sequence[tuple[Row, int]], smallest: int) -> list[list[tuple[Row, int]]]:
    """Leaves, from left to right, of the tree that cuts where gain / (people - smaller half + 1) is largest.

    `people` are (quasi-identifier codes, value).
    """
    values = [value for _, value in people]
    best: tuple[float, int, int] | None = None
    for column in range(len(people[0][0])):
        for at in sorted({row[column] for row, _ in people})[:-1]:
            left = [value for row, value in people if row[column] <= at]
            right = [value for row, value in people if row[column] > at]
            if min(len(left), len(right)) < smallest:
                continue
            gain = len(values) * _entropy(values) - len(left) * _entropy(left) - len(right) * _entropy(right)
            score = gain / (len(values) - min(len(left), len(right)) + 1)
            if best is None or score > best[0] + 1e-9 * abs(best[0]):
                best = (score, column, at)
    if best is None:
        return [list(people)]
    _, column, at = best
    halves = ([who for who in people if who[0][column] <= at], [who for who in people if who[0][column] > at])
    return [leaf for half in halves for leaf in specialised(half, smallest)]
