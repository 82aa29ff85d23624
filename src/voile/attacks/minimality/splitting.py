"""Estimate beliefs about linked groups by splitting: worlds that satisfy more and more of the refusals.

Worlds in which every step is refused may be so rare that none is ever drawn. So refusals are imposed a few at a time:
those of the drawn worlds that satisfy them are copied, and every copy is shuffled on, as long as it satisfies what is
imposed (a random walk that keeps all such worlds equally likely). Where hardly any world refuses a step, it is
approached by worlds in which some part is closer and closer to having one value only. Independent islands of worlds
give the estimate and, by their spread, its 95 % interval.
"""

from __future__ import annotations

import numpy as np

from voile.attacks.minimality.drawn_worlds import CellShares, LinkedWorlds, SlotGroup
from voile.kernels import lazy_module

stats = lazy_module("scipy.stats")

ISLANDS = 8
WORLDS = 96  # worlds per island
SURVIVORS = 0.3  # so many of the worlds satisfy the refusals that are imposed at once
SWEEPS = 3  # walks over all groups after each imposition
MORE_SWEEPS = 24  # walks over all groups at the end
APPROACHES = 60  # times that rare refusals are approached, all in all


class Splitting:
    """Worlds on their way to satisfying every refusal. `threshold[s]` is what a world must reach in step s: its score,
    unless it refuses the step; minus infinity while nothing is imposed, infinity once it must be refused. At most
    `most_work` cells are judged."""

    def __init__(self, linked: LinkedWorlds, random: np.random.Generator, most_work: float) -> None:
        self.linked, self.random, self.most_work = linked, random, most_work
        self.threshold = np.full(len(linked.steps), -np.inf)
        self.log_share = np.zeros(ISLANDS)
        self.alive = np.ones(ISLANDS, dtype=bool)
        self.work = 0.0
        self.worlds = np.zeros((0, 0), dtype=np.int64)
        self.contents: list[np.ndarray] = []
        self.movable = [group for group in linked.groups if len(group.slots) > 1]
        self.touching = {
            position: [
                number
                for number, step in enumerate(linked.steps)
                if len(np.unique(step.part[group.slots])) > 1 or group.chances is not None
            ]
            for position, group in enumerate(self.movable)
        }

    def estimate(self) -> CellShares | None:
        """Return the estimate; None if too few islands reach the end, or if that takes too long."""
        drawn = self.linked.draw(ISLANDS * WORLDS, self.random)
        if drawn is None:
            return None
        self.worlds, everybody = drawn, np.arange(len(self.linked.cell))
        self.contents = [step.fixed + step.count_types(drawn, everybody) for step in self.linked.steps]
        for _ in range(len(self.threshold) + APPROACHES):
            if (self.threshold == np.inf).all():
                return self._average()
            if not self._impose() or self.work > self.most_work:
                return None
            self._walk(SWEEPS)
        return None

    def _impose(self) -> bool:
        """Impose further refusals, and copy the worlds that satisfy them; False if no world is left."""
        pending = np.flatnonzero(self.threshold < np.inf)
        scores = np.stack([self._score(int(number), self.contents[number]) for number in pending], axis=1)
        refused = scores == np.inf
        survives = np.ones(len(self.worlds), dtype=bool)
        imposed = 0
        for position in np.argsort(-refused.mean(axis=0), kind="stable"):
            both = survives & refused[:, position]
            if both.mean() < SURVIVORS and (imposed or refused[:, position].mean() < SURVIVORS / 3):
                break
            survives, imposed = both, imposed + 1
            self.threshold[pending[position]] = np.inf
        if not imposed:  # approach the step that is refused most often
            position = int(np.argmax(refused.mean(axis=0)))
            level = float(np.quantile(scores[:, position], 1 - SURVIVORS))
            if level <= self.threshold[pending[position]]:  # no world is closer: take what there is
                level = np.inf if refused[:, position].any() else level
                if level < np.inf:
                    higher = scores[:, position][scores[:, position] > level]
                    if not len(higher):
                        return False
                    level = float(higher.min())
            survives &= scores[:, position] >= level
            self.threshold[pending[position]] = level
        return self._copy(survives)

    def _copy(self, survives: np.ndarray) -> bool:
        chosen = np.arange(len(survives))
        for island in range(ISLANDS):
            where = np.arange(island * WORLDS, (island + 1) * WORLDS)
            remaining = where[survives[where]]
            if not len(remaining):
                self.alive[island] = False
                continue
            self.log_share[island] += np.log(len(remaining) / WORLDS)
            chosen[where] = remaining[self.random.permutation(np.arange(WORLDS) % len(remaining))]
        if self.alive.sum() < ISLANDS / 2:
            return False
        self.worlds = self.worlds[chosen]
        self.contents = [content[chosen] for content in self.contents]
        return True

    def _score(self, number: int, content: np.ndarray) -> np.ndarray:
        """Return infinity where a step is refused, else how close some part is to one value only."""
        step = self.linked.steps[number]
        self.work += content.size
        refused = step.is_refused(self.linked.judge(content))
        if self.threshold[number] == np.inf:
            return np.where(refused, np.inf, 0.0)
        share = content.max(axis=2) / np.maximum(content.sum(axis=2), 1)
        return np.where(refused, np.inf, share.max(axis=1))

    def _walk(self, sweeps: int) -> None:
        for _ in range(sweeps):
            for position, group in enumerate(self.movable):
                self._move(group, self.touching[position])

    def _move(self, group: SlotGroup, touching: list[int]) -> None:
        """Shuffle some slots of a group in every world, and keep the outcome where nothing imposed is violated."""
        size = len(group.slots)
        number = min(size, 1 << int(self.random.integers(1, 2 + size.bit_length())))
        slots = group.slots[np.sort(self.random.permutation(size)[:number])]
        before = self.worlds[:, slots]
        if group.chances is None:
            after = self.random.permuted(before, axis=1)
        else:
            after = self.random.choice(len(group.chances), before.shape, p=group.chances)
        accepted = np.ones(len(before), dtype=bool)
        if group.chances is not None:
            accepted &= self._fails_alone(group, slots, after)
        moved = np.flatnonzero(accepted & (before != after).any(axis=1))
        contents: dict[int, np.ndarray] = {}
        # what is imposed first: most moves end there
        for step_number in sorted(touching, key=lambda number: -self.threshold[number]):
            step = self.linked.steps[step_number]
            change = step.count_types(after[moved], slots) - step.count_types(before[moved], slots)
            content = self.contents[step_number][moved] + change
            if self.threshold[step_number] > -np.inf:
                stays = ~change.any(axis=(1, 2))
                stays[~stays] = self._score(step_number, content[~stays]) >= self.threshold[step_number]
                moved, content = moved[stays], content[stays]
                contents = {number: earlier[stays] for number, earlier in contents.items()}
            contents[step_number] = content
        self.worlds[np.ix_(moved, slots)] = after[moved]
        for step_number, content in contents.items():
            self.contents[step_number][moved] = content

    def _fails_alone(self, group: SlotGroup, slots: np.ndarray, after: np.ndarray) -> np.ndarray:
        proposed = self.worlds[:, group.slots].copy()
        proposed[:, np.searchsorted(group.slots, slots)] = after
        types = len(self.linked.codes)
        cell = np.arange(len(proposed))[:, None] * types + proposed
        return self.linked.judge(np.bincount(cell.ravel(), minlength=len(proposed) * types).reshape(-1, types))

    def _average(self) -> CellShares:
        cells, cell = np.unique(self.linked.cell, return_inverse=True)
        types, sums = len(self.linked.codes), np.zeros((ISLANDS, len(cells), len(self.linked.codes)))
        island = np.repeat(np.arange(ISLANDS), WORLDS)
        for _ in range(MORE_SWEEPS):
            self._walk(1)
            place = (island[:, None] * len(cells) + cell.ravel()) * types + self.worlds
            sums += np.bincount(place.ravel(), minlength=sums.size).reshape(sums.shape)
        shares = sums / sums.sum(axis=2, keepdims=True)
        weight = np.where(self.alive, np.exp(self.log_share - self.log_share[self.alive].max()), 0.0)
        weight /= weight.sum()
        mean = np.tensordot(weight, shares, axes=1)
        spread = np.sqrt((weight[:, None, None] ** 2 * (shares - mean) ** 2).sum(axis=0) * ISLANDS / (ISLANDS - 1))
        return CellShares(cells, mean, spread.max(axis=1) * float(stats.t.ppf(0.975, ISLANDS - 1)))
