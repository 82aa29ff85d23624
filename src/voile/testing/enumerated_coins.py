"""Coins that take every outcome in turn, so that what a method may publish can be listed with exact probabilities."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from math import factorial, prod

import numpy as np

from voile.tables.secret_key import Key

NO_NEWS = ("group numbers",)  # coins that decide only in which order groups are numbered, which carries nothing


class CannotEnumerate(Exception):  # noqa: N818 - a statement about the method, not a failure
    """The method uses numbers of which nobody can tell how many outcomes matter, or there are too many outcomes."""


@dataclass
class Outcomes:
    """A walk over the outcomes of all coins: `picks` says which option each toss takes in this run, and `chances` how
    likely each option is."""

    limit: int
    picks: list[int] = field(default_factory=list)
    chances: list[Sequence[float]] = field(default_factory=list)

    def __iter__(self) -> Iterator[Outcomes]:
        """Yield itself before every run. After a run it moves to the next outcome, until there is none."""
        for _ in range(self.limit):
            self.chances = []
            yield self
            while self.picks and self.picks[-1] + 1 == len(self.chances[len(self.picks) - 1]):
                self.picks.pop()
            if not self.picks:
                return
            self.picks[-1] += 1
        raise CannotEnumerate

    @property
    def chance(self) -> float:
        """The probability of the outcome of this run."""
        return prod(options[pick] for options, pick in zip(self.chances, self.picks, strict=True))

    def toss(self, chances: Sequence[float]) -> int:
        """Return which of some options is taken in this run, given how likely each is."""
        if len(self.chances) == len(self.picks):
            self.picks.append(0)
        self.chances.append(chances)
        return self.picks[len(self.chances) - 1]

    def toss_evenly(self, options: int) -> int:
        """Return which of some equally likely options is taken in this run."""
        if options > self.limit:
            raise CannotEnumerate
        return self.toss([1 / options] * options)


@dataclass(frozen=True)
class EnumeratedKey(Key):
    """A key whose permutations and draws are the next outcome of a walk. The same purpose gives the same numbers."""

    outcomes: Outcomes = field(default_factory=lambda: Outcomes(1), repr=False, compare=False)
    drawn: dict[tuple[str, tuple[int, ...]], np.ndarray] = field(default_factory=dict, repr=False, compare=False)

    def __repr__(self) -> str:
        return "EnumeratedKey()"

    def stream(self, purpose: str, size: int) -> np.ndarray:
        """Refuse: 64-bit numbers have too many outcomes, unless there are none or they only salt a digest."""
        if size and not purpose.startswith("prior of "):
            raise CannotEnumerate
        return np.zeros(size, dtype=np.uint64)

    def shuffle(self, purpose: str, size: int) -> np.ndarray:
        if purpose in NO_NEWS:
            return np.arange(size)
        if size > 7:
            raise CannotEnumerate
        return self._once(purpose, (size,), lambda: _permutation(self.outcomes.toss_evenly(factorial(size)), size))

    def draw_below(self, purpose: str, limits: int | np.ndarray, size: int) -> np.ndarray:
        ends = np.broadcast_to(np.asarray(limits, dtype=np.int64), size)
        draw = lambda: np.array([self.outcomes.toss_evenly(int(end)) for end in ends], dtype=np.uint64)  # noqa: E731
        return self._once(purpose, tuple(ends.tolist()), draw)

    def draw_true(self, purpose: str, threshold: int, size: int) -> np.ndarray:
        chance = threshold / 2**64
        draw = lambda: np.array([self.outcomes.toss([1 - chance, chance]) for _ in range(size)], dtype=bool)  # noqa: E731
        return self._once(purpose, (size,), draw)

    def derive_part_key(self, number: int) -> Key:
        raise CannotEnumerate

    def _once(self, purpose: str, size: tuple[int, ...], draw: Callable[[], np.ndarray]) -> np.ndarray:
        others = [key for key in self.drawn if key[0] == purpose]
        if others and others != [(purpose, size)]:
            raise CannotEnumerate  # one purpose, two sizes: the outcomes depend on each other
        if not others:
            self.drawn[purpose, size] = draw()
        return self.drawn[purpose, size]


def _permutation(number: int, size: int) -> np.ndarray:
    return np.array(next(itertools.islice(itertools.permutations(range(size)), number, None)), dtype=np.int64)
