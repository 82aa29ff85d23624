"""Slow, obvious twins: of every kernel (distinct, gather, match, distance, query, deal, rules, compatible, split), of
the models' predicates, of the attacks' beliefs and of the measures. Plain Python on lists, exact where the definition
is exact; nothing here is shared with src/voile, and nothing here is fast.
"""

from __future__ import annotations

import datetime
import itertools
import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from scipy.optimize import linprog

Row = tuple[int, ...]


# voile.kernels.distinct ---------------------------------------------------------------------------------------------
def rows_of(columns: Sequence[Sequence[int]]) -> list[Row]:
    """One tuple a row."""
    return [tuple(int(code) for code in row) for row in zip(*columns, strict=True)]


def distinct(columns: Sequence[Sequence[int]], weights: Sequence[int] | None = None) -> list[tuple[Row, int]]:
    """Distinct rows in rising order, with their number or weight."""
    total: Counter[Row] = Counter()
    rows = rows_of(columns)
    for row, weight in zip(rows, weights if weights is not None else [1] * len(rows), strict=True):
        total[row] += int(weight)
    return sorted(total.items())


def ranks(columns: Sequence[Sequence[int]]) -> list[int]:
    """The place of each row among the distinct rows."""
    rows = rows_of(columns)
    place = {row: number for number, row in enumerate(sorted(set(rows)))}
    return [place[row] for row in rows]


def frequencies(codes: Sequence[Row], sizes: Sequence[int], weights: Sequence[int]) -> list[list[int]]:
    """The people with each code, column by column."""
    return [
        [sum(int(w) for row, w in zip(codes, weights, strict=True) if row[j] == code) for code in range(size)]
        for j, size in enumerate(sizes)
    ]


# voile.kernels.gather -----------------------------------------------------------------------------------------------
def members(group: Sequence[int], codes: Sequence[int], groups: int) -> list[list[int]]:
    """The codes that occur in each group, rising."""
    return [sorted({int(code) for code, owner in zip(codes, group, strict=True) if owner == g}) for g in range(groups)]


# voile.kernels.match ------------------------------------------------------------------------------------------------
def people_fitting(boxes: Sequence[Sequence[set[int]]], people: Sequence[Row], weights: Sequence[int]) -> list[int]:
    """How many people fit each box; a box has a set of codes a column."""
    return [
        sum(
            int(weight)
            for row, weight in zip(people, weights, strict=True)
            if all(code in cell for code, cell in zip(row, box, strict=True))
        )
        for box in boxes
    ]


# voile.kernels.distance ---------------------------------------------------------------------------------------------
def earth_mover(p: Sequence[float], q: Sequence[float], ground: np.ndarray) -> float:
    """The least work to turn p into q, by linear programming over all flows."""
    m = len(p)
    leaving = np.kron(np.eye(m), np.ones(m))
    arriving = np.kron(np.ones(m), np.eye(m))
    found = linprog(
        np.asarray(ground, dtype=float).ravel(),
        A_eq=np.vstack([leaving, arriving])[:-1],
        b_eq=np.concatenate([np.asarray(p, dtype=float), np.asarray(q, dtype=float)])[:-1],
        bounds=(0, None),
        method="highs",
    )
    assert found.status == 0, found.message
    return float(found.fun)


def ground_equal(m: int) -> np.ndarray:
    return 1.0 - np.eye(m)


def ground_ordered(m: int) -> np.ndarray:
    place = np.arange(m)
    return np.abs(place[:, None] - place[None, :]) / max(m - 1, 1)


def ground_hierarchical(paths: Sequence[Sequence[str]]) -> np.ndarray:
    """Two leaves are level(lowest common ancestor) / height apart. `paths[i]` lists leaf i's labels, leaf first."""
    height = len(paths[0]) - 1

    def apart(one: Sequence[str], other: Sequence[str]) -> float:
        level = next(level for level in range(height + 1) if one[level:] == other[level:])
        return level / height

    return np.array([[apart(one, other) for other in paths] for one in paths])


# voile.kernels.query ------------------------------------------------------------------------------------------------
def count(rows: Iterable[Row], weights: Iterable[int], query: Sequence[set[int]]) -> int:
    """How many people satisfy a query: a set of admitted codes for each column."""
    return sum(
        int(weight)
        for row, weight in zip(rows, weights, strict=True)
        if all(code in admitted for code, admitted in zip(row, query, strict=True))
    )


def estimate_boxes(
    groups: Sequence[tuple[Sequence[set[int]], Sequence[tuple[Row, int]]]],
    quasi: Sequence[set[int]],
    sensitive: Sequence[set[int]],
) -> Fraction:
    """Each group is (its cells, its sensitive rows with their number): values of a cell are taken as equally likely."""
    total = Fraction(0)
    for cells, entries in groups:
        share = Fraction(1)
        for cell, admitted in zip(cells, quasi, strict=True):
            share *= Fraction(len(cell & admitted), len(cell)) if cell else 0
        total += share * count([row for row, _ in entries], [number for _, number in entries], sensitive)
    return total


def estimate_buckets(
    groups: Sequence[tuple[Sequence[Row], Sequence[tuple[int, int]]]], quasi: Sequence[set[int]], sensitive: set[int]
) -> Fraction:
    """Each group is (its people, its values with their number): every link is taken as equally likely."""
    total = Fraction(0)
    for people, values in groups:
        matching = count(people, [1] * len(people), quasi)
        wanted = sum(number for value, number in values if value in sensitive)
        total += Fraction(matching * wanted, len(people)) if people else 0
    return total


# voile.kernels.deal -------------------------------------------------------------------------------------------------
def most_groups(sizes: Sequence[int], l: int) -> int:  # noqa: E741 - the letter of the literature
    """max{K: sum_i min(n_i, K) >= K l}: as many groups of l rows from l different buckets as there can be."""
    return max(k for k in range(sum(sizes) // l + 1) if sum(min(size, k) for size in sizes) >= k * l)


def dealt(sizes: Sequence[int], l: int) -> tuple[list[list[int]], list[int]]:  # noqa: E741
    """Take one row from each of the l largest buckets, again and again."""
    left, groups = list(sizes), []
    while sum(size > 0 for size in left) >= l:
        chosen = sorted(range(len(left)), key=lambda bucket: -left[bucket])[:l]
        for bucket in chosen:
            left[bucket] -= 1
        groups.append(chosen)
    return groups, left


# voile.kernels.rules ------------------------------------------------------------------------------------------------
def excluded(rows: Sequence[Row], values: Sequence[int], most: int, confidence: Fraction, expected: Fraction) -> Any:
    """The values that negative rules exclude for each row: X => not s, for sets X of at most `most` of its items."""
    n, every = len(rows), sorted(set(values))
    found: list[set[int]] = [set() for _ in rows]
    for number in range(1, most + 1):
        for columns in itertools.combinations(range(len(rows[0])), number):
            for i, row in enumerate(rows):
                same = [j for j in range(n) if all(rows[j][c] == row[c] for c in columns)]
                for value in every:
                    without = Fraction(sum(values[j] != value for j in same), len(same))
                    support = n * Fraction(len(same), n) * Fraction(list(values).count(value), n)
                    if without >= confidence and support >= expected:
                        found[i].add(value)
    return found


# voile.kernels.compatible -------------------------------------------------------------------------------------------
def matchings(edges: Sequence[set[int]], values: Sequence[int]) -> list[tuple[int, ...]]:
    """Every way to give each person one of the values, each value once, along the edges."""
    return [way for way in itertools.permutations(values) if all(v in e for v, e in zip(way, edges, strict=True))]


def fewest_kept(edges: Sequence[set[int]], values: Sequence[int]) -> int:
    """The least number of values that a person has over all matchings; 0 if there is none."""
    ways = matchings(edges, values)
    return min(len({way[i] for way in ways}) for i in range(len(edges)))


@dataclass
class Pile:
    """People with one value for whom the same values are allowed."""

    value: int
    allowed: set[int]
    left: int


def gathered(piles: list[Pile], seeds: list[int], order: list[int], l: int, most: int) -> list[list[int]]:  # noqa: E741
    """Groups grown from the seeds, each time by the pile that leaves most to the worst off (numbers of piles).

    Among equals: one that leaves l values to all, by the value with the most people; then by how many it leaves to all.
    """

    def people(value: int) -> int:
        return sum(pile.left for pile in piles if pile.value == value)

    def merit(group: list[int], new: int) -> tuple[Any, ...]:
        inside = [piles[p] for p in (*group, new)]
        kept = fewest_kept([pile.allowed for pile in inside], [pile.value for pile in inside])
        common, rank = len(set.intersection(*(pile.allowed for pile in inside))), -order.index(piles[new].value)
        return (kept, True, rank, common, -new) if common >= l else (kept, False, common, rank, -new)

    def grown(seed: int) -> list[int]:
        group, kept = [seed], int(piles[seed].value in piles[seed].allowed)
        while len(group) < l or kept < l:
            have = {piles[p].value for p in group}
            fits = [p for p, pile in enumerate(piles) if pile.left and pile.value not in have]
            if not fits or kept + most - len(group) < l:
                return []
            best = max(fits, key=lambda p: merit(group, p))
            kept = merit(group, best)[0]
            group.append(best)
        return group

    groups = []
    for seed in seeds:
        while piles[seed].left and (group := grown(seed)):
            groups.append(group)
            for p in group:
                same = [v for v in order if people(v) == people(piles[p].value)]  # it goes behind its equals
                here, there = order.index(piles[p].value), order.index(same[-1])
                order[here], order[there] = order[there], order[here]
                piles[p].left -= 1
    return groups


# voile.kernels.split ------------------------------------------------------------------------------------------------
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
    """The groups of row numbers. With `fits`, a cut is made only if both halves fit; the next best is tried else."""
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


# the models, one group at a time ------------------------------------------------------------------------------------
def k_anonymous(counts: Sequence[int], k: int) -> bool:
    return sum(counts) >= k


def frequency_diverse(counts: Sequence[int], l: int) -> bool:  # noqa: E741
    return all(Fraction(count, sum(counts)) <= Fraction(1, l) for count in counts)


def distinct_diverse(counts: Sequence[int], l: int) -> bool:  # noqa: E741
    return sum(count > 0 for count in counts) >= l


def entropy_diverse(counts: Sequence[int], l: int) -> bool:  # noqa: E741
    """Entropy >= log l, without logarithms: n^n >= l^n * prod c^c."""
    n = sum(counts)
    return n**n >= l**n * math.prod(count**count for count in counts)


def recursive_diverse(counts: Sequence[int], c: Fraction, l: int) -> bool:  # noqa: E741
    falling = sorted((count for count in counts if count), reverse=True)
    return len(falling) >= l and falling[0] <= c * sum(falling[l - 1 :])


def alpha_k_anonymous(counts: Sequence[int], alpha: Fraction, k: int, protected: Iterable[int]) -> bool:
    return sum(counts) >= k and all(Fraction(counts[value], sum(counts)) <= alpha for value in protected)


def k_e_anonymous(numbers: Iterable[float], k: int, e: float) -> bool:
    present = set(numbers)
    return len(present) >= k and max(present) - min(present) >= e


def variation(counts: Sequence[int], totals: Sequence[int]) -> Fraction:
    """The largest gain of belief in any set of values, over all 2^m sets."""
    p = [Fraction(count, sum(counts)) for count in counts]
    q = [Fraction(count, sum(totals)) for count in totals]
    gains = [a - b for a, b in zip(p, q, strict=True)]
    return max(
        sum((gains[value] for value in chosen), Fraction(0))
        for size in range(len(gains) + 1)
        for chosen in itertools.combinations(range(len(gains)), size)
    )


# the attacks, one group at a time -----------------------------------------------------------------------------------
def homogeneity(counts: Sequence[int]) -> Fraction:
    return max(Fraction(count, sum(counts)) for count in counts)


def elimination(counts: Sequence[int], values: int) -> Fraction:
    """The largest belief in any value after ruling out any set of at most `values` other values."""
    best = Fraction(0)
    present = [value for value, count in enumerate(counts) if count]
    for target in present:
        others = [value for value in present if value != target]
        for size in range(min(values, len(others)) + 1):
            for struck in itertools.combinations(others, size):
                left = sum(count for value, count in enumerate(counts) if value not in struck)
                best = max(best, Fraction(counts[target], left))
    return best


def prosecutor(boxes: Sequence[Any]) -> dict[Any, Fraction]:
    """The chance to pick a person's row among those that look alike."""
    return {box: Fraction(1, number) for box, number in Counter(boxes).items()}


# what a published cell stands for -----------------------------------------------------------------------------------
def text(value: Any) -> str:
    if value is None:
        return "(missing)"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, datetime.datetime):
        return value.isoformat(sep=" ")
    return str(value)


def parts_of(inside: str) -> list[str]:
    """`A|B` to its parts; a backslash shields the next sign."""
    parts, shielded = [""], False
    for sign in inside:
        if shielded:
            parts[-1] += sign
            shielded = False
        elif sign == "\\":
            shielded = True
        elif sign == "|":
            parts.append("")
        else:
            parts[-1] += sign
    return parts


def stands_for(cell: Any, entry: Mapping[str, Any], values: Sequence[Any]) -> set[Any]:
    """Which of the original values a published cell may stand for, by the dictionary's own explanation."""
    if entry["shown"] == "exact":
        return {value for value in values if text(value) == text(cell)}
    label, names = str(cell), entry.get("names") or {}
    if entry["kind"] in ("numeric", "date"):
        return {value for value in values if _in_range(label, value, entry, names, values)}
    if label == "*":
        listed = [text(name) for name in (*entry["domain"]["values"], *[None] * entry["domain"]["missing"])]
    elif label in names:
        listed = [text(name) for name in names[label]]
    elif label.startswith("{") and label.endswith("}"):
        listed = parts_of(label[1:-1])
    else:
        listed = [label.removeprefix("\\")]
    return {value for value in values if text(value) in listed}


def _in_range(
    label: str, value: Any, entry: Mapping[str, Any], names: Mapping[str, Any], values: Sequence[Any]
) -> bool:
    if label.endswith("|(missing)}"):
        return value is None or _in_range(label[1 : -len("|(missing)}")], value, entry, names, values)
    if value is None:
        return label == "(missing)" or (label == "*" and bool(entry["domain"]["missing"]))
    if label == "(missing)":
        return False
    read = type(next(one for one in values if one is not None))
    parse = read.fromisoformat if issubclass(read, datetime.date) else read
    if label == "*":  # any value of the domain, whose ends or whose list the dictionary tells
        domain = entry["domain"]
        ends = [domain["min"], domain["max"]] if "min" in domain else [domain["values"][0], domain["values"][-1]]
    elif label in names:
        ends = [names[label][0], names[label][-1]]
    elif label.startswith("["):
        ends = label[1:-1].split(", ")
    else:
        ends = [label, label]
    return bool(parse(str(ends[0])) <= value <= parse(str(ends[1])))


# the measures -------------------------------------------------------------------------------------------------------
def certainty_penalty(inside: set[Any], values: Sequence[Any], ranged: bool, ends: tuple[Any, Any] | None) -> Fraction:
    """NCP of one cell: the width of its range over the column's, or its other values over the column's others.

    `ends` are the ends of the cell where it is a range, which may lie outside of the values that occur.
    """
    if not ranged:
        return Fraction(max(len(inside) - 1, 0), max(len(set(values)) - 1, 1))
    assert ends is not None
    numbers = [_number(value) for value in values]
    low, high = max(_number(ends[0]), min(numbers)), min(_number(ends[1]), max(numbers))
    width = max(numbers) - min(numbers)
    return (high - low) / width if width else Fraction(0)


def _number(value: Any) -> Fraction:
    return Fraction(value.toordinal()) if isinstance(value, datetime.date) else Fraction(value)


def discernibility(sizes: Sequence[int], withheld: int) -> int:
    """Every person pays for those they cannot be told from, a withheld one for everybody."""
    total = sum(sizes) + withheld
    return sum(size * size for size in sizes) + withheld * total


def node_numbers(ids: list[int], ends: list[int]) -> list[int]:
    """split.numbered: which node, of those that end at `ends`, holds each id."""
    found = [0] * len(ids)
    for place, one in enumerate(ids):
        found[one] = next(number for number, end in enumerate(ends) if place < end)
    return found


# voile.releases.shapes.box_tiling ---------------------------------------------------------------------
def tiling(boxes: Sequence[Sequence[set[int]]], sizes: Sequence[int]) -> bool:
    """Whether every combination of codes lies in exactly one box."""
    everything = itertools.product(*(range(size) for size in sizes))
    return all(
        sum(all(code in cell for code, cell in zip(point, box, strict=True)) for box in boxes) == 1
        for point in everything
    )


# voile.kernels.specialise ----------------------------------------------------------------------------------------
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


# voile.attacks.corruption and privacy_arithmetic -------------------------------------------------------------------
def kept_or_redrawn(p: Fraction, size: int, a: int, b: int) -> Fraction:
    """The probability that value a is published as b."""
    return (p if a == b else Fraction(0)) + (1 - p) / size


def corrupted_posterior(
    prior: Sequence[Fraction],
    y: int,
    p: Fraction,
    group: int,
    corrupted: Sequence[int],
    others: Sequence[Sequence[Fraction]],
) -> list[Fraction]:
    """Belief in each value of a victim by going through everything that may have happened: who of the further
    candidates is in the group, whose row was drawn, what they all have, and what became of it."""
    size, absent = len(prior), group - 1 - len(corrupted)
    joint = [Fraction(0)] * size
    for present in itertools.combinations(range(len(others)), absent):
        for x in range(size):
            seen = kept_or_redrawn(p, size, x, y)
            for value in corrupted:
                seen += kept_or_redrawn(p, size, value, y)
            for who in present:
                seen += sum(
                    (share * kept_or_redrawn(p, size, value, y) for value, share in enumerate(others[who])), Fraction(0)
                )
            joint[x] += prior[x] * seen / group
    total = sum(joint, Fraction(0))
    return [share / total for share in joint]


# voile.kernels.tree ----------------------------------------------------------------------------------------------
def before_channel(seen: Sequence[float], keep: float, shares: Sequence[float]) -> list[float]:
    """Class counts before a channel, none negative, with the same total."""
    total = sum(seen)
    raw = [max((count - (1 - keep) * share * total) / keep, 0.0) for count, share in zip(seen, shares, strict=True)]
    if sum(raw) == 0:
        return [share * total for share in shares]
    return [count * total / sum(raw) for count in raw]


def gini(seen: Sequence[float], keep: float, shares: Sequence[float]) -> float:
    """Impurity of the counts before the channel, times the people."""
    found = before_channel(seen, keep, shares)
    return sum(found) - sum(count * count for count in found) / sum(found)


def best_threshold(
    codes: Sequence[int],
    labels: Sequence[int],
    weights: Sequence[float],
    keep: float,
    shares: Sequence[float],
    least: float,
) -> tuple[float, int]:
    """The gain of the best cut of one ordered column, and the last code on its left; (0, -1) where none gains."""

    def counts(chosen: Callable[[int], bool]) -> list[float]:
        return [
            sum(w for c, y, w in zip(codes, labels, weights, strict=True) if chosen(c) and y == label)
            for label in range(len(shares))
        ]

    whole, best = gini(counts(lambda code: True), keep, shares), (0.0, -1)
    for at in sorted(set(codes))[:-1]:
        left, right = counts(lambda code, at=at: code <= at), counts(lambda code, at=at: code > at)
        if min(sum(left), sum(right)) >= least:
            gain = whole - gini(left, keep, shares) - gini(right, keep, shares)
            if gain > best[0] + 1e-9:
                best = (gain, at)
    return best


# voile.kernels.posterior --------------------------------------------------------------------------------------------
def posterior(priors: Sequence[Sequence[Any]], values: Sequence[int]) -> list[dict[int, Any]] | None:
    """p(t:x) by enumeration of all worlds, one dict a member; None if no world has any weight.

    Copies of a value are told apart, which multiplies every world by the same number.
    """
    total: Any = 0
    weight: list[dict[int, Any]] = [dict.fromkeys(values, 0) for _ in values]
    for world in itertools.permutations(values):
        product = math.prod(row[value] for row, value in zip(priors, world, strict=True))
        total += product
        for member, value in enumerate(world):
            weight[member][value] += product
    if not total:
        return None
    return [{value: part / total for value, part in one.items()} for one in weight]


def against(chances: Sequence[Any], inside: int) -> list[Any] | None:
    """Belief in an event that `inside` members satisfy, weighed against its contrary: enumeration of who they are."""
    total: Any = 0
    weight: list[Any] = [0 for _ in chances]
    for chosen in itertools.combinations(range(len(chances)), inside):
        product = math.prod(f if member in chosen else 1 - f for member, f in enumerate(chances))
        total += product
        for member in chosen:
            weight[member] += product
    return [part / total for part in weight] if total else None


def event_beliefs(
    priors: Sequence[Sequence[Any]], values: Sequence[int], events: Sequence[int], binary: bool
) -> list[Any] | None:
    """Each member's greatest belief in an event that occurs in the group; None if no world has any weight."""
    present = sorted({events[value] for value in values if events[value] >= 0})
    worst: list[Any] = [0 for _ in values]
    for event in present:
        if binary:
            chances = [min(sum(p for p, e in zip(row, events, strict=True) if e == event), 1) for row in priors]
            found = against(chances, sum(events[value] == event for value in values))
        else:
            full = posterior(priors, values)
            found = full and [sum(p for value, p in one.items() if events[value] == event) for one in full]
        if found is None:
            return None
        worst = [max(pair) for pair in zip(worst, found, strict=True)]
    return worst


# voile.kernels.merge ------------------------------------------------------------------------------------------------
def spread_admitted(size: int, r: Fraction, f: Fraction, spread: Fraction) -> bool:
    """(N - 1) odds(f - spread) >= (r - 1) odds(f): even if all others are least likely, the odds of the likeliest are
    at most 1 to r - 1."""
    if not 0 < f < 1:
        return spread <= 0
    low = f - spread
    return (size - 1) * low / (1 - low) >= (r - 1) * f / (1 - f)


def fewest(r: Fraction, f: Fraction, spread: Fraction, most: int) -> int | None:
    """The least group size that admits a spread, by trying one after another."""
    return next((size for size in range(math.ceil(r), most + 1) if spread_admitted(size, r, f, spread)), None)


# voile.kernels.matching, exclude and core.linkage -------------------------------------------------------------------
def matching_chances(
    allowed: Sequence[Sequence[bool]], slots: Sequence[int], rows: Sequence[int]
) -> list[list[Fraction]] | None:
    """The chance that a slot of each class holds a row of each type, by going through all assignments of types to
    slots; None where there is no perfect matching. An assignment stands for as many matchings as any other."""
    owner = [c for c, number in enumerate(slots) for _ in range(number)]
    held = [t for t, number in enumerate(rows) for _ in range(number)]
    worlds = {
        world
        for world in set(itertools.permutations(held))
        if all(allowed[c][t] for c, t in zip(owner, world, strict=True))
    }
    if not worlds:
        return None
    seen = [[0] * len(rows) for _ in slots]
    for world in worlds:
        for c, t in zip(owner, world, strict=True):
            seen[c][t] += 1
    return [[Fraction(number, len(worlds) * slots[c]) for number in line] for c, line in enumerate(seen)]


def after_exclusion(pairs: Mapping[tuple[int, int], Fraction], number: int) -> Fraction:
    """The largest share of any second value once up to `number` first values are struck, over all sets of them."""
    firsts, best = sorted({a for a, _ in pairs}), Fraction(0)
    for size in range(min(number, len(firsts) - 1) + 1):
        for struck in itertools.combinations(firsts, size):
            left = {pair: weight for pair, weight in pairs.items() if pair[0] not in struck}
            for z in {b for _, b in left}:
                top = sum((weight for (_, b), weight in left.items() if b == z), Fraction(0))
                best = max(best, top / sum(left.values(), Fraction(0)))
    return best


def decomposed_belief(release: Any) -> dict[str, dict[int, dict[Any, Fraction]]]:
    """For each column and group the belief in each value, from the published tables alone: all ways to give the joint
    rows of every primary value to its slots, one by one."""
    primary, *others = [name.removeprefix("sensitive_") for name in release.tables if name.startswith("sensitive_")]
    listed: dict[str, dict[int, list[Any]]] = {}
    for name in (primary, *others):
        for group, value in release.tables[f"sensitive_{name}"].iter_rows():
            listed.setdefault(name, {}).setdefault(group, []).append(value)
    found: dict[str, dict[int, dict[Any, Fraction]]] = {name: {} for name in (primary, *others)}
    sizes = Counter(release.tables["quasi"]["group"].to_list())
    for group, values in listed[primary].items():
        assert len(values) == sizes[group]
        found[primary][group] = {value: Fraction(values.count(value), len(values)) for value in values}
    if "joint" not in release.tables:
        for name in others:
            for group, values in listed[name].items():
                found[name][group] = {value: Fraction(1, len(values)) for value in values}
        return found
    rows = list(release.tables["joint"].select(primary, *others).iter_rows())
    for one in sorted({row[0] for row in rows}, key=str):
        mine = [row[1:] for row in rows if row[0] == one]
        slots = [group for group, values in listed[primary].items() for value in values if value == one]
        assert len(mine) == len(slots)
        worlds = [
            world
            for world in set(itertools.permutations(mine))
            if all(
                value in listed[name][group]
                for group, row in zip(slots, world, strict=True)
                for name, value in zip(others, row, strict=True)
            )
        ]
        assert worlds, "the tables do not belong together"
        for world in worlds:
            for group, row in zip(slots, world, strict=True):
                for name, value in zip(others, row, strict=True):
                    inside = found[name].setdefault(group, {})
                    inside[value] = inside.get(value, Fraction(0)) + Fraction(1, len(worlds) * sizes[group])
    return found


# minimality: every labelled person, every order of the values --------------------------------------------------------
Shown = tuple[Sequence[Any], Sequence[Any]]  # the kind of each person of a group, and its values


def orders(groups: Sequence[Shown]) -> Iterable[list[tuple[Any, Any]]]:
    """Every way to hand out the values, person by person: (kind, value) of everybody."""
    for dealt in itertools.product(*(itertools.permutations(values) for _, values in groups)):
        yield [
            pair for (kinds, _), values in zip(groups, dealt, strict=True) for pair in zip(kinds, values, strict=True)
        ]


def minimality(
    groups: Sequence[Shown], could_show: Callable[[Mapping[Any, Sequence[Any]]], bool]
) -> dict[tuple[Any, Any], Fraction] | None:
    """Belief by (kind, value): the share among all orders of the values that could not have been shown as they are."""
    hits: Counter[tuple[Any, Any]] = Counter()
    kept = 0
    for people in orders(groups):
        table: dict[Any, list[Any]] = {}
        for kind, value in people:
            table.setdefault(kind, []).append(value)
        if could_show(table):
            continue
        kept += 1
        hits.update(people)
    many = Counter(kind for kinds, _ in groups for kind in kinds)
    every = {value for _, values in groups for value in values}
    if not kept:
        return None
    return {(kind, value): Fraction(hits[kind, value], kept * many[kind]) for kind in many for value in every}


def worst_rules(groups: Sequence[Sequence[Any]], k: int) -> Fraction:
    """(c, k)-safety: the largest belief in any fact, given any k rules (premise -> that fact), over all worlds."""
    homes = [number for number, values in enumerate(groups) for _ in values]
    dealt = itertools.product(*(sorted(set(itertools.permutations(values))) for values in groups))
    worlds = [tuple(value for values in world for value in values) for world in dealt]
    facts = [(person, value) for person, home in enumerate(homes) for value in sorted(set(groups[home]))]
    true = {fact: {n for n, world in enumerate(worlds) if world[fact[0]] == fact[1]} for fact in facts}
    worst = Fraction(0)
    for fact in facts:
        for premises in itertools.combinations(facts, k):
            struck = set().union(*(true[premise] for premise in premises)) - true[fact] if premises else set()
            worst = max(worst, Fraction(len(true[fact]), len(worlds) - len(struck)))
    return worst


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
    """How many people of some leaves have each code of some columns, one column after the other."""
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
