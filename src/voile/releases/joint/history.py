"""The groups of several releases and who sits in them, as the publisher's ledger tells it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from math import factorial, prod

import numpy as np

from voile.adversaries.seating import Seating
from voile.releases.joint.closure import JointGroup, NoWorldError, find_components
from voile.releases.joint.value_types import TypedReleases

SEATINGS = 100  # ways to seat people who look alike that are tried one by one


@dataclass(frozen=True, eq=False)
class Lookalikes:
    """People who show the same quasi-identifier in one release, sit in different groups there, and sit differently
    elsewhere too: nothing published tells which of them sits where. `groups` are their groups there, one entry each."""

    people: tuple[int, ...]
    groups: tuple[int, ...]

    def count_seatings(self) -> int:
        repeats = [self.groups.count(group) for group in set(self.groups)]
        return factorial(len(self.groups)) // prod(map(factorial, repeats))

    def seatings(self) -> Iterator[tuple[int, ...]]:
        """Yield every way to seat them."""
        yield from _arrange(tuple(sorted(self.groups)))


@dataclass(frozen=True, eq=False)
class LinkedGroups:
    """Groups that share people, and the people of them who cannot be told apart."""

    groups: tuple[JointGroup, ...]
    lookalikes: tuple[Lookalikes, ...] = ()

    def count_seatings(self) -> int:
        return prod(own.count_seatings() for own in self.lookalikes)

    def reseat(self) -> Iterator[list[JointGroup]]:
        """Yield the groups under every way to seat the people who cannot be told apart."""
        for seatings in product(*(own.seatings() for own in self.lookalikes)):
            members = [set(group.people) for group in self.groups]
            for own, groups in zip(self.lookalikes, seatings, strict=True):
                for person, group in zip(own.people, own.groups, strict=True):
                    members[group].discard(person)
                for person, group in zip(own.people, groups, strict=True):
                    members[group].add(person)
            yield [JointGroup(frozenset(own), group.values) for own, group in zip(members, self.groups, strict=True)]


@dataclass(frozen=True, eq=False)
class History:
    """Everybody who ever had a seat, and the groups of all releases. `lone` are groups that share nobody with another
    group; a group that several releases show alike is there once. `people` are pseudonyms; numbers beyond them stand
    for values that belong to nobody."""

    people: np.ndarray
    lone: list[JointGroup]
    linked: list[LinkedGroups]

    def __repr__(self) -> str:
        return f"History({len(self.people)} people, {len(self.lone)} lone groups, {len(self.linked)} components)"


def gather_history(typed: TypedReleases, seatings: Sequence[Seating], copies: Sequence[bool]) -> History:
    """Collect the groups of releases whose seats are known. `copies` says of each release whether a group that shows
    the same as an earlier one is the very same group. NoWorldError where the same people have other values."""
    seated = [seating.group >= 0 for seating in seatings]
    everybody = np.unique(np.concatenate([own.people[has] for own, has in zip(seatings, seated, strict=True)]))
    starts = np.cumsum([0, *(own.groups for own in typed.releases)])
    person, group, kind = [], [], []
    owners = len(everybody)
    for number, (seating, has) in enumerate(zip(seatings, seated, strict=True)):
        shown, own_group = typed.releases[number], seating.group[has].astype(np.int64)
        sizes = np.bincount(shown.group, shown.count, shown.groups).astype(np.int64)
        nobody = sizes - np.bincount(own_group, minlength=shown.groups)
        if (nobody < 0).any():
            raise NoWorldError
        empty = np.repeat(np.arange(shown.groups), nobody)
        person.append(np.concatenate([np.searchsorted(everybody, seating.people[has]), owners + np.arange(len(empty))]))
        group.append(np.concatenate([own_group, empty]) + starts[number])
        kind.append(np.concatenate([seating.kind[has], np.full(len(empty), -1)]))
        owners += len(empty)
    seats = _Seats(np.concatenate(person), np.concatenate(group), np.concatenate(kind), starts, owners)
    return _split_history(everybody, typed, seats, copies)


@dataclass(frozen=True, eq=False)
class _Seats:
    """One entry per seat of any release: the person, the group (numbered through all releases), and the kind."""

    person: np.ndarray
    group: np.ndarray
    kind: np.ndarray
    starts: np.ndarray
    owners: int


def _split_history(everybody: np.ndarray, typed: TypedReleases, seats: _Seats, copies: Sequence[bool]) -> History:
    number = _unite_groups(typed, seats)
    entries = _find_lookalikes(seats, number, copies)
    # a group with people who cannot be told apart stays by itself, unless it is a copy
    apart = np.unique([seats.group[entry] for own in entries for entry in own if not copies[_release_of(seats, entry)]])
    number[apart.astype(np.int64)] = len(number) + np.arange(len(apart))
    _, first, number = np.unique(number, return_index=True, return_inverse=True)
    lookalikes = _name_lookalikes(seats, number, entries)
    pair = np.unique(seats.person * len(first) + number[seats.group])
    person, group = np.divmod(pair, len(first))
    shared = np.bincount(person, minlength=seats.owners) > 1
    is_linked = np.zeros(len(first), dtype=bool)
    is_linked[group[shared[person]]] = True
    groups = _make_groups(typed, seats, person, group, first)
    for own in lookalikes:
        is_linked[list(own.groups)] = True
    chosen = np.flatnonzero(is_linked).tolist()
    place = {own: position for position, own in enumerate(chosen)}
    links = [(place[own.groups[0]], place[other]) for own in lookalikes for other in own.groups[1:]]
    linked = []
    for component in find_components([groups[own] for own in chosen], links):
        inside = {chosen[own]: position for position, own in enumerate(component)}
        mine = tuple(
            Lookalikes(own.people, tuple(inside[other] for other in own.groups))
            for own in lookalikes
            if own.groups[0] in inside
        )
        linked.append(LinkedGroups(tuple(groups[own] for own in inside), mine))
    return History(everybody, [groups[own] for own in np.flatnonzero(~is_linked).tolist()], linked)


def _unite_groups(typed: TypedReleases, seats: _Seats) -> np.ndarray:
    """Number the different groups: those with the same people are one."""
    random = np.random.default_rng(0)  # 128 random bits for each person: different sets have different sums
    marks = random.integers(0, 2**63, (2, seats.owners), dtype=np.uint64)
    value_marks = random.integers(0, 2**63, len(typed.texts), dtype=np.uint64)
    total = int(seats.starts[-1])
    sums = np.zeros((3, total), dtype=np.uint64)
    for row in range(2):
        np.add.at(sums[row], seats.group, marks[row][seats.person])
    for start, own in zip(seats.starts[:-1], typed.releases, strict=True):
        np.add.at(sums[2], own.group + start, value_marks[own.kind] * own.count.astype(np.uint64))
    _, first, number = np.unique(sums[:2].T, axis=0, return_index=True, return_inverse=True)
    number = np.asarray(number).ravel()
    if (sums[2] != sums[2][first][number]).any():
        raise NoWorldError
    return number


def _release_of(seats: _Seats, entry: int) -> int:
    return int(np.searchsorted(seats.starts, seats.group[entry], side="right")) - 1


def _make_groups(
    typed: TypedReleases, seats: _Seats, person: np.ndarray, group: np.ndarray, first: np.ndarray
) -> list[JointGroup]:
    values: list[dict[int, int]] = [{} for _ in range(int(seats.starts[-1]))]
    wanted = np.zeros(len(values), dtype=bool)
    wanted[first] = True
    for start, own in zip(seats.starts[:-1], typed.releases, strict=True):
        needed = wanted[own.group + start]
        entries = zip((own.group[needed] + start).tolist(), own.kind[needed].tolist(), own.count[needed], strict=True)
        for at, kind, count in entries:
            values[at][kind] = int(count)
    order = np.argsort(group, kind="stable")
    ends = np.searchsorted(group[order], np.arange(len(first) + 1))
    people = person[order].tolist()
    return [
        JointGroup(frozenset(people[ends[own] : ends[own + 1]]), values[example])
        for own, example in enumerate(first.tolist())
    ]


def _find_lookalikes(seats: _Seats, number: np.ndarray, copies: Sequence[bool]) -> list[list[int]]:
    """Find the people who look alike in a release, sit in different groups there, and do not sit alike in all other
    groups that they have; as entries of the seats."""
    release = np.searchsorted(seats.starts, seats.group, side="right") - 1
    # a group that merely happens to show the same as an earlier one is another group
    distinct = np.where(np.asarray(copies)[release], number[seats.group], len(number) + seats.group)
    distinct[release == 0] = number[seats.group[release == 0]]
    known = np.flatnonzero(seats.kind >= 0)
    classes: dict[tuple[int, int], list[int]] = defaultdict(list)
    for entry in known.tolist():
        classes[int(release[entry]), int(seats.kind[entry])].append(entry)
    ambiguous = [own for own in classes.values() if len({int(distinct[entry]) for entry in own}) > 1]
    groups_of: dict[int, set[int]] = defaultdict(set)
    concerned = {int(seats.person[entry]) for own in ambiguous for entry in own}
    for entry in np.flatnonzero(np.isin(seats.person, list(concerned))).tolist():
        groups_of[int(seats.person[entry])].add(int(distinct[entry]))
    lookalikes = []
    for own in ambiguous:
        elsewhere = {frozenset(groups_of[int(seats.person[entry])] - {int(distinct[entry])}) for entry in own}
        if len(elsewhere) > 1:
            lookalikes.append(own)
    return lookalikes


def _name_lookalikes(seats: _Seats, number: np.ndarray, entries: Sequence[Sequence[int]]) -> list[Lookalikes]:
    """Return people who look alike with the numbers of their groups; those of a copied group once."""
    named = [
        (tuple(int(seats.person[entry]) for entry in own), tuple(int(number[seats.group[entry]]) for entry in own))
        for own in entries
    ]
    return [Lookalikes(people, groups) for people, groups in dict.fromkeys(named)]


def _arrange(groups: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """Yield the different orders of a list."""
    if not groups:
        yield ()
        return
    for first in sorted(set(groups)):
        rest = list(groups)
        rest.remove(first)
        for others in _arrange(tuple(rest)):
            yield (first, *others)
