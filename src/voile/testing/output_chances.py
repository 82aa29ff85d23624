"""How likely each output is in each world: exact over all outcomes of the coins, or estimated over many keys."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from voile.tables.secret_key import Key
from voile.testing.enumerated_coins import CannotEnumerate, EnumeratedKey, Outcomes
from voile.testing.tiny_publishing import Output, TinyPublisher


@dataclass(frozen=True, eq=False)
class Sample:
    """How often each world gave each output (outputs x worlds), in so many runs of each world."""

    counts: np.ndarray
    runs: np.ndarray

    @property
    def chance(self) -> np.ndarray:
        return np.asarray(self.counts / np.maximum(self.runs, 1))


@dataclass(frozen=True, eq=False)
class OutputChances:
    """The outputs, and the chance of each in every world (outputs x worlds).

    Where coins could be enumerated the chances of a world are `exact`. Of the other worlds there are two samples of
    keys: the first is for choosing what to look at, and the second decides. No two runs share a key.
    """

    worlds: np.ndarray
    outputs: tuple[Output, ...]
    exact: np.ndarray
    known: np.ndarray  # outputs x worlds, zero for worlds that were sampled
    first: Sample
    second: Sample

    @property
    def is_exact(self) -> bool:
        return bool(self.exact.all())

    @property
    def keys(self) -> int:
        """How many keys were sampled; 0 if all coins were enumerated."""
        return int(self.first.runs.sum() + self.second.runs.sum())

    @cached_property
    def refused(self) -> np.ndarray:
        return np.array([output.refusal for output in self.outputs], dtype=bool)

    def chance(self, sample: Sample) -> np.ndarray:
        """Return the chances, as a sample estimates them where they are not exact."""
        return np.asarray(self.known + sample.chance)


def list_outputs(
    publisher: TinyPublisher, weights: np.ndarray, keys: int, seed: int, most_outcomes: int
) -> OutputChances:
    """Publish every world of positive weight under every outcome of the coins, if a world has at most so many, or else
    under `keys` keys on average: worlds with more weight get more of them."""
    worlds = np.array(list(publisher.table.worlds()), dtype=np.int64)
    found: list[tuple[int, int, float]] = []  # output, world, chance
    number: dict[Output, int] = {}
    sampled = []
    for place in np.flatnonzero(weights > 0).tolist():
        try:
            outcomes = _enumerate(publisher, worlds[place], most_outcomes)
        except CannotEnumerate:
            sampled.append(place)
            most_outcomes = 1  # what fails once fails again; but worlds that toss no coin stay exact
            continue
        found += [(number.setdefault(output, len(number)), place, chance) for output, chance in outcomes]
    share = np.zeros(len(worlds))
    share[sampled] = weights[sampled] / weights[sampled].sum()
    runs = np.where(share > 0, np.maximum(np.ceil(keys * len(sampled) * (share + 1 / len(worlds)) / 4), 2), 0)
    seen: list[tuple[int, int, int]] = []  # output, world, which half
    for place in sampled:
        for k in range(2 * int(runs[place])):
            key = Key(hashlib.blake2b(f"{seed} {place} {k}".encode(), digest_size=32).digest())
            output = publisher.run(worlds[place].tolist(), key)
            seen.append((number.setdefault(output, len(number)), place, k % 2))
    exact = np.ones(len(worlds), dtype=bool)
    exact[sampled] = False
    known, halves = np.zeros((len(number), len(worlds))), np.zeros((2, len(number), len(worlds)))
    for place_of_output, place, chance in found:
        known[place_of_output, place] += chance
    for place_of_output, place, half in seen:
        halves[half, place_of_output, place] += 1
    return OutputChances(worlds, tuple(number), exact, known, Sample(halves[0], runs), Sample(halves[1], runs))


def _enumerate(publisher: TinyPublisher, world: np.ndarray, most_outcomes: int) -> list[tuple[Output, float]]:
    found = []
    for outcomes in Outcomes(most_outcomes):
        output = publisher.run(world.tolist(), EnumeratedKey(bytes(32), outcomes))
        found.append((output, outcomes.chance))
    return found
