"""All ways to give the published values to the people of a small release, and how likely each leads to the release.

A world says which value everybody has. Given a world, ART decides on its buckets, and then deals the people of each
bucket to their seats at random. So the probability of a release is that of the decision, times the share of the deals
that give the published groups.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from voile.methods.art.buckets import Buckets, PersonWeights, gather_buckets
from voile.methods.art.deal_enumeration import Decide, NotEnumerableError, enumerate_decisions
from voile.methods.art.greedy_grouping import Grouping
from voile.releases.placed_people import PlacedPeople
from voile.tables.group_counts import Counts

WORLDS = 4000  # worlds to go through at most
RUNS = 20_000  # decisions of the method to go through at most

Kind = tuple[int, int]  # a value and a profile: rows that ART does not tell apart
Content = tuple[tuple[Kind, int], ...]  # how many rows of each kind a group has
Share = tuple[int, ...]  # how many people of an entry have each value


@dataclass(frozen=True, eq=False)
class World:
    """How many people of each entry have each value, and the logarithm of the number of ways to choose them."""

    shares: tuple[Share, ...]
    choices: float


@dataclass(eq=False)
class Replayer:
    """Runs ART on worlds. Worlds with equally many rows of each kind give the same decisions, which are kept."""

    known: PersonWeights
    placed: PlacedPeople
    decide: Decide
    find_hopeless: Callable[[Buckets], np.ndarray]
    runs: int = 0
    decisions: dict[Content, list[tuple[float, Counter[Content], Content]]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        _, first, inverse = np.unique(self.known.index.T, axis=0, return_index=True, return_inverse=True)
        self.profile, self.example = inverse.reshape(-1), first

    def log_likelihood(self, world: World) -> float:
        """Return the logarithm of the probability that ART publishes the groups if this world is the true one."""
        contents: list[Counter[Kind]] = [Counter() for _ in range(self.placed.groups + 1)]
        for entry, share in enumerate(world.shares):
            profile = int(self.profile[self.placed.cell[entry]])
            for value, count in enumerate(share):
                if count:
                    contents[int(self.placed.group[entry])][value, profile] += count
        missing, groups = _sort_content(contents.pop()), [_sort_content(content) for content in contents]
        rows: Counter[Kind] = Counter()
        for content in (*groups, missing):
            rows.update(dict(content))
        published, total = Counter(groups), 0.0
        for probability, expected, unplaced in self._decisions(_sort_content(rows)):
            if expected == published and unplaced == missing:
                total += probability
        if total <= 0:
            return -math.inf
        seats = sum(math.lgamma(count + 1) for content in (*groups, missing) for _, count in content)
        orders = sum(math.lgamma(times + 1) for times in published.values())
        return math.log(total) + seats + orders - sum(math.lgamma(count + 1) for count in rows.values())

    def _decisions(self, rows: Content) -> list[tuple[float, Counter[Content], Content]]:
        if rows not in self.decisions:
            kinds = [kind for kind, _ in rows]
            value, profile = np.array([kind[0] for kind in kinds]), np.array([kind[1] for kind in kinds])
            counts, index = np.array([count for _, count in rows]), self.known.index[:, self.example[profile]]
            people = gather_buckets(None, counts, value, index, self.known)
            names = {int(bucket): kind for bucket, kind in zip(people.bucket, kinds, strict=True)}
            found = []
            hopeless = self.find_hopeless(people)
            for probability, grouping in enumerate_decisions(self.decide, people, hopeless, RUNS - self.runs):
                self.runs += 1
                found.append((probability, *_describe_groups(grouping, names)))
            self.decisions[rows] = found
        return self.decisions[rows]


def _describe_groups(grouping: Grouping, names: dict[int, Kind]) -> tuple[Counter[Content], Content]:
    """Return how many groups of each content there are, single rows included; and what is withheld."""
    groups: Counter[Content] = Counter()
    for kinds, row_counts, times in grouping.groups:
        content = {names[int(bucket)]: int(count) for bucket, count in zip(kinds, row_counts, strict=True)}
        groups[_sort_content(content)] += times
    for bucket in np.flatnonzero(grouping.remaining):
        groups[_sort_content({names[int(bucket)]: 1})] += int(grouping.remaining[bucket])
    return groups, _sort_content({names[bucket]: count for bucket, count in grouping.unplaced.items() if count})


def _sort_content(content: dict[Kind, int]) -> Content:
    return tuple(sorted((kind, count) for kind, count in content.items() if count))


def list_worlds(placed: PlacedPeople, counts: Counts, codes: Sequence[int], values: int) -> Iterator[World]:
    """Go through all worlds in which every group has its published values, and missing people have any. `codes` are the
    codes of the published values among the `values` of the world. NotEnumerableError if there are too many."""
    choices: list[list[list[Share]]] = []
    entries: list[list[int]] = [[] for _ in range(placed.groups + 1)]
    for entry, group in enumerate(placed.group.tolist()):
        entries[group].append(entry)
    total = 1
    for group, members in enumerate(entries):
        people = [int(placed.people[entry]) for entry in members]
        if group < placed.groups:
            room = [0] * values
            for position in range(counts.starts[group], counts.starts[group + 1]):
                room[codes[int(counts.values[position])]] += int(counts.counts[position])
            ways = list(itertools.islice(_share_out(people, tuple(room)), WORLDS + 1))
        else:
            each = [list(_divide(number, (number,) * values)) for number in people]
            ways = [list(way) for way in itertools.islice(itertools.product(*each), WORLDS + 1)]
        choices.append(ways)
        total *= len(ways)
        if total > WORLDS:
            raise NotEnumerableError
    order = np.argsort(np.concatenate([np.array(members, dtype=np.int64) for members in entries]), kind="stable")
    for combination in itertools.product(*choices):
        shares = [share for way in combination for share in way]
        ordered = tuple(shares[position] for position in order)
        yield World(ordered, sum(_log_choices(share) for share in ordered))


def _share_out(people: Sequence[int], room: Share) -> Iterator[list[Share]]:
    """Go through all ways to give a group's values to its entries."""
    if not people:
        yield []
        return
    for share in _divide(people[0], room):
        left = tuple(free - taken for free, taken in zip(room, share, strict=True))
        for rest in _share_out(people[1:], left):
            yield [share, *rest]


def _divide(number: int, room: Share) -> Iterator[Share]:
    """Go through all ways to divide a number of people among values with limited room."""
    if len(room) == 1:
        if number <= room[0]:
            yield (number,)
        return
    for first in range(min(number, room[0]) + 1):
        for rest in _divide(number - first, room[1:]):
            yield (first, *rest)


def _log_choices(share: Share) -> float:
    return math.lgamma(sum(share) + 1) - sum(math.lgamma(count + 1) for count in share)


def weigh_worlds(
    worlds: Sequence[World], likelihood: Callable[[World], float], known: PersonWeights, placed: PlacedPeople
) -> np.ndarray | None:
    """Return for each entry the greatest belief in an event over all column sets and events; None if no world leads to
    the release, or if the prior allows none that does."""
    likelihoods = np.array([likelihood(world) + world.choices for world in worlds])
    possible = np.flatnonzero(np.isfinite(likelihoods))
    if not len(possible):
        return None
    shares = np.array([worlds[int(position)].shares for position in possible], dtype=np.float64)  # world, entry, value
    events = [known.events == event for event in range(int(known.events.max(initial=-1)) + 1)]
    worst = np.zeros(shares.shape[1])
    for index in known.index:
        with np.errstate(divide="ignore"):
            logs = np.log(known.rows[index[placed.cell]])
        terms = np.multiply(shares, logs, out=np.zeros_like(shares), where=shares > 0)
        weights = likelihoods[possible] + terms.sum(axis=(1, 2))
        if not np.isfinite(weights).any():
            return None
        weights = np.exp(weights - weights.max())
        means = np.tensordot(weights / weights.sum(), shares, axes=1) / placed.people[:, None]
        for event in events:
            worst = np.maximum(worst, means[:, event].sum(axis=1))
    return np.asarray(np.minimum(worst, 1.0))
