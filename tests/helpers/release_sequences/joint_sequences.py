"""Random sequences of tiny releases, published for real, and the truth about them by enumerating every world.

Nothing of the test of several releases is shared with the product: a world is written down person by person.
"""

from __future__ import annotations

import math
import random
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import permutations, product
from typing import Any, ClassVar
from unittest import mock

import numpy as np
import polars as pl

import voile as vl
from voile.errors import BrokenPromise
from voile.flow.publish import earlier_releases
from voile.methods.base import Method
from voile.plugins import registry
from voile.releases.cells.cell_choice import tight_cells
from voile.releases.linked_tables import show_buckets
from voile.releases.shapes.generalized import show_boxes

SCHEMA = vl.Schema(person="who", quasi=["age"], sensitive=["value"])
Group = tuple[frozenset[int], Counter[str]]


@dataclass(frozen=True)
class OfferedBoxes(Method):
    """Groups as they are given: the youngest age of each."""

    name: ClassVar[str] = "offered-boxes"
    starts: tuple[int, ...] = ()

    def group(self, columns: Any, rows: Any, policy: Any) -> Any:
        table = rows.histogram(["age"])
        ages = columns["age"].domain.values.to_numpy()[table.codes[:, 0]]
        return rows.place(table, np.searchsorted(np.array(sorted(self.starts)), ages, side="right") - 1)

    def show(self, columns: Any, rows: Any) -> Any:
        return show_boxes(columns, rows, {"age": tight_cells(columns["age"], rows)})


@dataclass(frozen=True)
class OfferedBuckets(Method):
    """Groups as they are given: age, letter and group of everybody, as one number."""

    name: ClassVar[str] = "offered-buckets"
    produces: ClassVar[str] = "bucketized"
    seats: tuple[int, ...] = ()

    def group(self, columns: Any, rows: Any, policy: Any) -> Any:
        table = rows.histogram(["age", "value"])
        ages, values = columns["age"].domain.labels, columns["value"].domain.labels
        place = {(ages[age], values[value]): cell for cell, (age, value) in enumerate(table.codes.tolist())}
        seats = sorted((place[str(seat // 10_000), chr(seat // 100 % 100 + 90)], seat % 100) for seat in self.seats)
        cells, groups = np.array(seats).T
        return rows.deal(table, cells, groups, np.ones(len(cells), dtype=np.int64))

    def show(self, columns: Any, rows: Any) -> Any:
        return show_buckets(columns, rows)


OFFERED = {cls.name: registry._registry["methods"].pop(cls.name) for cls in (OfferedBoxes, OfferedBuckets)}


@contextmanager
def offered_methods() -> Iterator[None]:
    """Let voile know the methods of this file for a while: other tests try every method that is registered. Methods
    that are loaded in the meantime stay."""
    registered = registry._registry["methods"]
    registered.update(OFFERED)
    try:
        yield
    finally:
        for name in OFFERED:
            del registered[name]


@dataclass
class Sequence:
    """What was published so far: the groups of each release, who sits in them, and whether it shows ages exactly."""

    ages: dict[int, int]
    values: dict[int, str]
    least: int
    releases: list[Any] = field(default_factory=list)
    groups: list[list[Group]] = field(default_factory=list)
    exact: list[bool] = field(default_factory=list)
    ledger: vl.Ledger = field(default_factory=vl.Ledger)

    def publish(self, groups: list[frozenset[int]], boxes: bool) -> bool:
        """Offer a release; return whether it was accepted."""
        people = sorted(person for group in groups for person in group)
        frame = pl.DataFrame(
            {
                "who": [f"p{person}" for person in people],
                "age": [self.ages[person] for person in people],
                "value": [self.values[person] for person in people],
            }
        )
        method: Method
        if boxes:
            method = OfferedBoxes(tuple(min(self.ages[person] for person in group) for group in groups))
        else:
            seats = [
                self.ages[person] * 10_000 + (ord(self.values[person]) - 90) * 100 + number
                for number, group in enumerate(groups)
                for person in sorted(group)
            ]
            method = OfferedBuckets(tuple(seats))
        try:
            with offered_methods():
                data, policy = vl.read(frame, SCHEMA), vl.LDiversity(l=self.least)
                release = vl.publish(data, policy, method, after=self.releases, ledger=self.ledger)
        except BrokenPromise:
            return False
        self.releases.append(release)
        self.add(groups, boxes)
        return True

    def add(self, groups: list[frozenset[int]], boxes: bool) -> None:
        self.groups.append([(group, Counter(self.values[person] for person in group)) for group in groups])
        self.exact.append(not boxes)

    def extended(self, groups: list[frozenset[int]], boxes: bool) -> Sequence:
        longer = Sequence(self.ages, self.values, self.least)
        longer.groups, longer.exact = list(self.groups), list(self.exact)
        longer.add(groups, boxes)
        return longer

    # the truth ---------------------------------------------------------------------------------------------------
    def is_safe(self) -> bool:
        """Return whether no belief exceeds 1/l. If there is one way to seat people only, whoever does not know who sits
        where knows it, and the totals of all groups together mix what the totals of connected groups say."""
        if self.worst_belief() * self.least > 1:
            return False
        return self._count_seatings() == 1 or self.worst_unseated() * self.least <= 1

    def worst_belief(self) -> Fraction:
        """Return the largest belief of an adversary who knows who sits where, given any totals of connected groups."""
        return max(_worst(part, by_total=True) for part in _connected([g for release in self.groups for g in release]))

    def worst_unseated(self) -> Fraction:
        """Return the largest belief of an adversary who knows ages and who is in which release, and takes every way to
        seat people of one age in the groups that show it as possible; given any totals, and given none."""
        worlds: Counter[tuple[tuple[int, str], ...]] = Counter()
        for seating in self._seatings():
            for world in _worlds(seating):
                worlds[tuple(sorted(world.items()))] += 1
        by_total: dict[tuple[str, ...], Counter[tuple[int, str]]] = defaultdict(Counter)
        sizes: Counter[tuple[str, ...]] = Counter()
        for assignment, often in worlds.items():
            total = tuple(sorted(value for _, value in assignment))
            sizes[total] += often
            for pair in assignment:
                by_total[total][pair] += often
        alone = max(Fraction(max(by_total[total].values()), sizes[total]) for total in sizes)
        everything: Counter[tuple[int, str]] = Counter()
        for own in by_total.values():
            everything.update(own)
        return max(alone, Fraction(max(everything.values()), sum(sizes.values())))

    def _count_seatings(self) -> int:
        """Return the number of ways to seat people of one age in the releases that show ages."""
        choices = zip(self.groups, self.exact, strict=True)
        return math.prod(sum(1 for _ in _reseat(groups, self.ages)) for groups, exact in choices if exact)

    def _seatings(self) -> Iterator[list[Group]]:
        """Yield all groups under every way to seat people of one age in the releases that show ages."""
        choices = [
            list(_reseat(groups, self.ages)) if exact else [groups]
            for groups, exact in zip(self.groups, self.exact, strict=True)
        ]
        for chosen in product(*choices):
            yield [group for release in chosen for group in release]


def _reseat(groups: list[Group], ages: dict[int, int]) -> Iterator[list[Group]]:
    home = {person: number for number, (people, _) in enumerate(groups) for person in people}
    by_age: dict[int, list[int]] = defaultdict(list)
    for person in home:
        by_age[ages[person]].append(person)
    options = [
        [dict(zip(people, seats, strict=True)) for seats in sorted(set(permutations([home[p] for p in people])))]
        for people in by_age.values()
    ]
    for chosen in product(*options):
        seats = {person: group for part in chosen for person, group in part.items()}
        yield [
            (frozenset(person for person in seats if seats[person] == number), values)
            for number, (_, values) in enumerate(groups)
        ]


def _connected(groups: list[Group]) -> list[list[Group]]:
    parts: list[tuple[set[int], list[Group]]] = []
    for group in groups:
        touching = [part for part in parts if part[0] & group[0]]
        parts = [part for part in parts if not part[0] & group[0]]
        people = set(group[0]).union(*(part[0] for part in touching))
        parts.append((people, [*(own for part in touching for own in part[1]), group]))
    return [own for _, own in parts]


def _worlds(groups: list[Group]) -> Iterator[dict[int, str]]:
    """Yield every way to give each person one value such that every group shows its values."""
    people = sorted({person for members, _ in groups for person in members})
    values = sorted({value for _, shown in groups for value in shown})
    mine = {person: [number for number, (members, _) in enumerate(groups) if person in members] for person in people}
    left = [Counter(shown) for _, shown in groups]
    world: dict[int, str] = {}

    def extend(place: int) -> Iterator[dict[int, str]]:
        if place == len(people):
            yield dict(world)
            return
        person = people[place]
        for value in values:
            if all(left[number][value] > 0 for number in mine[person]):
                for number in mine[person]:
                    left[number][value] -= 1
                world[person] = value
                yield from extend(place + 1)
                for number in mine[person]:
                    left[number][value] += 1

    yield from extend(0)


def _worst(groups: list[Group], *, by_total: bool) -> Fraction:
    tally: dict[tuple[str, ...], Counter[tuple[int, str]]] = defaultdict(Counter)
    sizes: Counter[tuple[str, ...]] = Counter()
    for world in _worlds(groups):
        total = tuple(sorted(world.values())) if by_total else ()
        sizes[total] += 1
        tally[total].update(world.items())
    return max(Fraction(max(tally[total].values()), sizes[total]) for total in sizes)


# random offers ---------------------------------------------------------------------------------------------------
def draw_sequence(rng: random.Random) -> tuple[Sequence, set[int], str]:
    number, least = rng.randint(5, 9), rng.choice([2, 2, 3])
    letters = "abcd"[: rng.randint(least, 4)]
    span = number if rng.random() < 0.7 else max(number - 2, 3)  # sometimes people share an age
    ages = {person: 20 + (person if span == number else rng.randrange(span)) for person in range(number)}
    values = {person: rng.choice(letters) for person in range(number)}
    mode = rng.choice(["insert", "delete", "both", "same"])
    everybody = set(range(number))
    inside = everybody if mode in ("same", "delete") else set(rng.sample(sorted(everybody), number - rng.randint(1, 3)))
    return Sequence(ages, values, least), set(inside), mode


def change_people(rng: random.Random, sequence: Sequence, inside: set[int], mode: str) -> set[int]:
    inside = set(inside)
    if mode in ("insert", "both"):
        inside |= {person for person in sequence.ages if rng.random() < 0.4}  # also people who return
    if mode in ("delete", "both"):
        inside -= {person for person in sorted(inside) if rng.random() < 0.2}
    return inside


def draw_offer(rng: random.Random, sequence: Sequence, inside: set[int]) -> tuple[list[frozenset[int]], bool] | None:
    """Draw groups of which each is diverse by itself; None where none are found."""
    for _ in range(25):
        boxes = rng.random() < 0.5
        people = sorted(inside, key=lambda person: (sequence.ages[person], person))
        if boxes:
            ages = sorted({sequence.ages[person] for person in people})
            cuts = sorted(rng.sample(range(1, len(ages)), min(len(ages) - 1, rng.randint(0, 2))))
            label = {age: sum(place >= cut for cut in cuts) for place, age in enumerate(ages)}
            home = {person: label[sequence.ages[person]] for person in people}
        else:
            number = rng.randint(1, max(1, len(people) // sequence.least))
            home = {person: rng.randrange(number) for person in people}
        groups = [frozenset(p for p in people if home[p] == group) for group in sorted(set(home.values()))]
        shares = [max(Counter(sequence.values[p] for p in g).values()) * sequence.least <= len(g) for g in groups]
        if groups and all(shares):
            return groups, boxes
    return None


@contextmanager
def verified_once() -> Iterator[None]:
    """Let publish verify each release of a sequence once: it would open the same objects before every offer."""
    verdicts: dict[tuple[int, ...], tuple[Any, Any]] = {}
    verify_release = earlier_releases._opened

    def recall(place: Any, earlier: tuple[Any, ...]) -> tuple[Any, Any]:
        key = tuple(map(id, (place, *earlier)))
        if key not in verdicts:
            verdicts[key] = verify_release(place, earlier)
        return verdicts[key]

    with mock.patch.object(earlier_releases, "_opened", recall):
        yield


def run_sequences(number: int, seed: int) -> Counter[str]:
    """Publish sequences of 2 to 4 releases and compare every offer with the truth."""
    rng, seen = random.Random(seed), Counter[str]()
    while seen["sequences"] < number:
        with verified_once():
            _run_sequence(rng, seen)
    return seen


def _run_sequence(rng: random.Random, seen: Counter[str]) -> None:
    sequence, inside, mode = draw_sequence(rng)
    first, known = None, set[int]()
    for step in range(rng.randint(2, 4)):
        inside = change_people(rng, sequence, inside, mode) if step else inside
        offer = draw_offer(rng, sequence, inside) if len(inside) >= sequence.least else None
        if offer is None or (known and not inside & known):
            continue  # a table of other people does not follow these releases
        if first is None:
            first, known = offer, set(inside)  # published as soon as there is a second one
            continue
        if not sequence.releases:
            assert sequence.publish(*first), "a release of diverse groups was refused"
        longer = sequence.extended(*offer)
        is_safe, accepted = longer.is_safe(), sequence.publish(*offer)
        known |= inside if accepted else set()
        seen["offers"] += 1
        seen["safe"] += is_safe
        seen["accepted"] += accepted
        seen["safe and accepted"] += accepted and is_safe
        seen["unsafe and accepted"] += accepted and not is_safe
    seen["sequences"] += len(sequence.releases) > 1
