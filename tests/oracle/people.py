"""Whose rows a release shows: count the people of each group, and enumerate which rows may be whose."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

from oracle.cells import stands_for, text

Row = Mapping[str, Any]
Box = tuple[str, ...]


def place_rows(
    published: Sequence[Row], described: Sequence[Mapping[str, Any]], drawn: Sequence[Row], exact: Sequence[str]
) -> tuple[dict[Box, list[Row]], list[Row]]:
    """Put each drawn row into the one published box that it fits; return the rows that fit none, too.

    AssertionError if a row fits two boxes, or if a box shows other sensitive values than its rows have.
    """
    names = [str(entry["name"]) for entry in described]
    shown: dict[Box, Counter[tuple[str, ...]]] = {}
    for row in published:
        box = tuple(str(row[name]) for name in names)
        shown.setdefault(box, Counter())[tuple(text(row[name]) for name in exact)] += 1
    values = {name: list({row[name] for row in drawn}) for name in names}
    inside = {
        (name, cell): stands_for(cell, entry, values[name])
        for place, (name, entry) in enumerate(zip(names, described, strict=True))
        for cell in {box[place] for box in shown}
    }
    groups: dict[Box, list[Row]] = {box: [] for box in shown}
    nowhere: list[Row] = []
    for row in drawn:
        homes = [
            box for box in shown if all(row[name] in inside[name, cell] for name, cell in zip(names, box, strict=True))
        ]
        assert len(homes) <= 1, "a row fits two boxes"
        (groups[homes[0]] if homes else nowhere).append(row)
    for box, rows in groups.items():
        assert Counter(tuple(text(row[name]) for name in exact) for row in rows) == shown[box], "the values differ"
    return groups, nowhere


def fewest_people(groups: Mapping[Box, Sequence[Row]], person: str) -> int:
    """Return how many people the group with the fewest people has."""
    return min(len({row[person] for row in rows}) for rows in groups.values())


def largest_share(groups: Mapping[Box, Sequence[Row]], person: str) -> Fraction:
    """Return the largest share of a group's rows that one person has."""
    return max(Fraction(max(Counter(row[person] for row in rows).values()), len(rows)) for rows in groups.values())


def arrangements(counts: Mapping[Hashable, int]) -> Iterator[tuple[Hashable, ...]]:
    """Yield every way to give the rows of a group to people, of whom each has a known number of rows."""
    if not any(counts.values()):
        yield ()
        return
    for person, rows in counts.items():
        if rows:
            for rest in arrangements({**counts, person: rows - 1}):
                yield (person, *rest)


def enumerate_beliefs(
    groups: Mapping[Box, Sequence[Row]], person: str, column: str
) -> tuple[Fraction, dict[tuple[Hashable, Any], Fraction]]:
    """Return the largest probability that a row is a given person's, and how probable it is that a person has a value
    in any published row.

    The adversary knows how many rows each person has in each group, and takes all assignments of the group's rows to
    people as equally likely. Every joint assignment is enumerated.
    """
    rows = [row for own in groups.values() for row in own]
    ways = [list(arrangements(Counter(row[person] for row in own))) for own in groups.values()]
    owns: Counter[tuple[int, Hashable]] = Counter()
    has: Counter[tuple[Hashable, Any]] = Counter()
    total = 0
    for way in itertools.product(*ways):
        owners = [owner for group in way for owner in group]
        owns.update(enumerate(owners))
        has.update({(owner, row[column]) for owner, row in zip(owners, rows, strict=True)})
        total += 1
    return (
        max(Fraction(count, total) for count in owns.values()),
        {pair: Fraction(count, total) for pair, count in has.items()},
    )
