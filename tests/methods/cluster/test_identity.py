"""Whose row is it? People with equal quasi-identifiers may be in several clusters: every seating and every assignment
of values is enumerated, and no published row belongs to anybody with more than 1/k."""

from __future__ import annotations

import itertools
from collections import Counter, defaultdict
from fractions import Fraction

import polars as pl
import pytest
from published import KEY

import voile as vl

RATES = {"flu": Fraction(3, 4), "HIV": Fraction(1, 4)}
TABLES = [
    [("a", 1), ("a", 1), ("b", 2), ("b", 2), ("b", 9), ("c", 9)],
    [("a", 1), ("a", 1), ("a", 5), ("a", 5), ("b", 5), ("b", 9), ("b", 9)],
    [("a", 1), ("a", 2), ("a", 2), ("b", 2), ("b", 3), ("b", 3)],
]

Seats = list[list[int]]  # the people of each group


def list_seatings(people: list[tuple[str, int]], k: int) -> list[Seats]:
    """List who may sit where: the groups of one release, dealt in every way to people with equal quasi-identifiers."""
    frame = pl.DataFrame(
        {
            "letter": [letter for letter, _ in people],
            "age": [age for _, age in people],
            "name": [str(number) for number in range(len(people))],
        }
    )
    schema = vl.Schema(quasi=["letter", "age"], sensitive=["name"])
    release = vl.publish(vl.read(frame, schema), vl.KAnonymity(k=k), vl.Cluster(), key=KEY)
    groups: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for *cells, name in release.tables["table"].select("letter", "age", "name").iter_rows():
        groups[tuple(map(str, cells))].append(int(name))
    equals = [[n for n, other in enumerate(people) if other == kind] for kind in dict.fromkeys(people)]
    seatings = []
    for dealt in itertools.product(*(itertools.permutations(alike) for alike in equals)):
        pairs = zip(itertools.chain(*equals), itertools.chain(*dealt), strict=True)
        becomes = dict(pairs)
        seatings.append([[becomes[person] for person in members] for members in groups.values()])
    return seatings


@pytest.mark.parametrize("people", TABLES)
@pytest.mark.parametrize("k", [2, 3])
def test_no_row_is_anybodys_with_more_than_one_in_k(people: list[tuple[str, int]], k: int) -> None:
    seatings = list_seatings(people, k)
    seen: Counter[tuple[tuple[tuple[str, int], ...], ...]] = Counter()
    owned: Counter[tuple[object, int, int, str]] = Counter()
    for seats in seatings:
        for values in itertools.product(RATES, repeat=len(people)):
            weight = Fraction(1)
            for value in values:
                weight *= RATES[value]
            shown = tuple(tuple(sorted(Counter(values[n] for n in members).items())) for members in seats)
            seen[shown] += weight  # type: ignore[assignment]  # fractions
            for group, members in enumerate(seats):
                for person in members:
                    rows = dict(shown[group])[values[person]]
                    owned[shown, group, person, values[person]] += weight / rows  # type: ignore[assignment]
    assert len(seatings) > 1
    assert max(weight / seen[key[0]] for key, weight in owned.items()) <= Fraction(1, k)  # type: ignore[index]
