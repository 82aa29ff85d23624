"""What somebody who keeps every release believes, by enumeration of worlds. Slow, and written apart from the product.

A world gives everybody who was ever published a value, such that every group of every release shows the values of the
people who sit in it. The adversary knows who sits where, and how common values are (the rates): worlds weigh as much as
the product of the rates of their values. Published tables are read as text here, by a few lines of their own.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

Group = tuple[frozenset[str], Counter[str]]  # who sits in it, and the values that it shows
Belief = dict[str, dict[str, Fraction]]
RATES = (
    {"a": Fraction(1), "b": Fraction(1), "c": Fraction(1), "d": Fraction(1)},
    {"a": Fraction(100), "b": Fraction(10), "c": Fraction(3), "d": Fraction(1)},
    {"a": Fraction(1), "b": Fraction(50), "c": Fraction(1), "d": Fraction(7)},
)


def worlds(groups: Sequence[Group]) -> Iterator[dict[str, str]]:
    """Yield every world: one person after the other takes a value that all their groups still have."""
    rest = [Counter(values) for _, values in groups]
    people = sorted({person for members, _ in groups for person in members})
    homes = {person: [n for n, (members, _) in enumerate(groups) if person in members] for person in people}
    world: dict[str, str] = {}

    def place(number: int) -> Iterator[dict[str, str]]:
        if number == len(people):
            if not any(+values for values in rest):
                yield dict(world)
            return
        person = people[number]
        for value in sorted(set.intersection(*({v for v, n in rest[h].items() if n} for h in homes[person]))):
            for home in homes[person]:
                rest[home][value] -= 1
            world[person] = value
            yield from place(number + 1)
            for home in homes[person]:
                rest[home][value] += 1

    yield from place(0)


def beliefs(groups: Sequence[Group], rates: Mapping[str, Fraction]) -> Belief:
    """Return how strongly each person is believed to have each value."""
    total, sums = Fraction(0), dict[str, Counter[str]]()
    for world in worlds(groups):
        weight = Fraction(1)
        for value in world.values():
            weight *= rates[value]
        total += weight
        for person, value in world.items():
            sums.setdefault(person, Counter())[value] += weight  # type: ignore[assignment]
    return {person: {value: Fraction(n) / total for value, n in own.items()} for person, own in sums.items()}


def highest_belief(groups: Sequence[Group], rates: Sequence[Mapping[str, Fraction]] = RATES) -> Fraction:
    """Return the strongest belief in any value of anybody, for any of the rates. Equal groups are looked at once: they
    allow the same worlds."""
    distinct = list({(members, frozenset(values.items())): (members, values) for members, values in groups}.values())
    return max(max(own.values()) for known in rates for own in beliefs(distinct, known).values())


def read_boxes(table: Any, quasi: Sequence[str], sensitive: str) -> dict[tuple[str, ...], Counter[str]]:
    """Return the values of each box of a generalized table."""
    boxes: dict[tuple[str, ...], Counter[str]] = {}
    for row in table.to_dicts():
        boxes.setdefault(tuple(str(row[name]) for name in quasi), Counter())[str(row[sensitive])] += 1
    return boxes


def fits(box: Sequence[str], person: Sequence[object]) -> bool:
    """Return whether somebody's quasi-identifier is inside a box of published cells."""
    return all(_fits_cell(cell, value) for cell, value in zip(box, person, strict=True))


def _fits_cell(cell: str, value: object) -> bool:
    if cell == "*" or cell == str(value):
        return True
    if cell.startswith("["):
        low, high = cell.strip("[]").split(", ")
        return int(low) <= int(str(value)) <= int(high)
    return cell.startswith("{") and str(value) in cell.strip("{}").split("|")


@dataclass
class History:
    """A table that people enter and leave, and in which rows change. `first` is the row that everybody was seated with
    first, which is the one that a release shows."""

    rng: random.Random
    values: str
    rows: dict[str, tuple[int, str, str]] = field(default_factory=dict)  # by person: age, city, value; also of leavers
    present: set[str] = field(default_factory=set)

    def enter(self, number: int) -> None:
        for _ in range(number):
            name = f"p{len(self.rows)}"
            self.rows[name] = self.rng.randrange(20, 60), self.rng.choice("xy"), self.rng.choice(self.values)
            self.present.add(name)

    def pass_quarter(self, most: int) -> None:
        """Let people enter, leave and return, and some rows change; nobody who was ever there is forgotten."""
        gone = sorted(self.rows.keys() - self.present)
        for name in self.rng.sample(sorted(self.present), min(len(self.present) - 1, self.rng.randint(0, 2))):
            self.present.discard(name)
        self.present |= {name for name in gone if self.rng.random() < 0.3}
        self.enter(min(self.rng.randint(0, 4), most - len(self.rows)))
        for name in sorted(self.present):
            age, city, value = self.rows[name]
            if self.rng.random() < 0.15:
                self.rows[name] = age, city, self.rng.choice(self.values)
            elif self.rng.random() < 0.15:
                self.rows[name] = age + 1, city, value

    def table(self) -> dict[str, list[object]]:
        names = sorted(self.present)
        rows = [self.rows[name] for name in names]
        return {
            "id": list(names),
            "age": [row[0] for row in rows],
            "city": [row[1] for row in rows],
            "disease": [row[2] for row in rows],
        }


@dataclass
class Record:
    """What was published so far: who sits where (from the publisher's ledger), and what every release shows there."""

    first: dict[str, tuple[int, str, str]] = field(default_factory=dict)  # the row that each person was seated with
    groups: list[Group] = field(default_factory=list)
    without_leavers: list[Group] = field(default_factory=list)  # what would be shown if leavers' seats were removed
    seats: dict[str, frozenset[str]] = field(default_factory=dict)  # everybody's group, which must never change

    def add(self, history: History, release: Any, seats: Mapping[str, int]) -> None:
        """Add a release, in which `seats` are the groups of people by name. Raise AssertionError if the seats do not
        explain what the release shows, or anybody sits elsewhere than before."""
        members: dict[int, set[str]] = {}
        for name, group in seats.items():
            members.setdefault(group, set()).add(name)
            self.first.setdefault(name, history.rows[name])
        groups = [
            (people, Counter(self.first[name][2] for name in people)) for people in map(frozenset, members.values())
        ]
        assert self._explains(release, groups), "the seats do not explain what is published"
        for people, values in groups:
            self.groups.append((people, values))
            staying = people & history.present
            if staying:
                self.without_leavers.append((staying, Counter(self.first[name][2] for name in staying)))
            for name in people:
                assert self.seats.get(name, frozenset()) <= people, "somebody sits with other people than before"
                self.seats[name] = people

    def _read(self, release: Any) -> dict[Any, tuple[list[tuple[str, ...]], Counter[str]]]:
        """Return the quasi-identifier rows (one box, or the members') and the values of each published group."""
        if "table" in release.tables:
            boxes = read_boxes(release.tables["table"], ("age", "city"), "disease")
            return {box: ([box], values) for box, values in boxes.items()}
        shown: dict[Any, tuple[list[tuple[str, ...]], Counter[str]]] = {}
        for row in release.tables["quasi"].to_dicts():
            shown.setdefault(row["group"], ([], Counter()))[0].append((str(row["age"]), str(row["city"])))
        for row in release.tables["sensitive"].to_dicts():
            shown[row["group"]][1][str(row["disease"])] += int(row["count"])
        return shown

    def _explains(self, release: Any, groups: Sequence[Group]) -> bool:
        """Return whether every published group is one of these groups: their rows fit it, and it shows their values."""
        shown = self._read(release)
        if len(shown) != len(groups):
            return False

        def match(number: int, free: frozenset[Any]) -> bool:
            if number == len(groups):
                return True
            people, values = groups[number]
            rows = sorted((str(self.first[name][0]), str(self.first[name][1])) for name in people)
            for place in free:
                quasi, listed = shown[place]
                is_box = "table" in release.tables
                fitting = all(fits(quasi[0], row) for row in rows) if is_box else sorted(quasi) == rows
                if fitting and listed == values and match(number + 1, free - {place}):
                    return True
            return False

        return match(0, frozenset(shown))
