"""Draw worlds of linked groups, and see in how many every step is refused.

Where that happens in most of them, belief is known better than by averaging the worlds that remain: belief over all
worlds is known exactly, and only what the removed ones contribute is estimated. And removing a share d of all worlds
moves no belief by more than d / (1 - d).
"""

from __future__ import annotations

import numpy as np

from voile.attacks.minimality.drawn_worlds import CellShares, DrawnStep, LinkedWorlds
from voile.kernels import lazy_module

stats = lazy_module("scipy.stats")

DRAWS = 4_000
ENOUGH = 100  # fewer remaining worlds than this are no estimate
BATCH = 2_000_000  # slots drawn at once
SURE = 8  # a step whose refusal is so many standard deviations away from failing is not drawn again
FEW = 200  # draws after which an estimate is given up if hardly any world remains


def draw_whole_worlds(linked: LinkedWorlds, random: np.random.Generator, most_work: float) -> CellShares | None:
    """Return an estimate with its 95 % interval; None if too few worlds remain. About `most_work` cells are judged."""
    cells, cell = np.unique(linked.cell, return_inverse=True)
    cell, types = cell.ravel(), len(linked.codes)
    sums, people = np.zeros((2, len(cells), types)), np.bincount(cell)[:, None]  # of worlds that remain, of others
    everybody, steps = np.arange(len(linked.cell)), list(linked.steps)
    batch = int(np.clip(BATCH // len(cell), 1, 500))
    draws = accepted = 0
    work = 0.0
    while draws < DRAWS and work < most_work:
        worlds = linked.draw(batch, random)
        if worlds is None:
            return None
        alive = np.ones(batch, dtype=bool)
        doubtful = []
        for step in steps:
            fails = linked.judge(step.fixed + step.count_types(worlds, everybody))
            work += fails.size * types + worlds.size
            alive &= step.is_refused(fails)
            if not _is_sure(step, fails):
                doubtful.append(step)
        if draws == 0 and batch >= FEW // 10:
            steps = doubtful
        draws, accepted = draws + batch, accepted + int(alive.sum())
        place = (np.where(alive, 0, len(cells))[:, None] + cell) * types + worlds
        sums += np.bincount(place.ravel(), minlength=sums.size).reshape(sums.shape) / people
        if draws >= FEW and accepted * DRAWS < ENOUGH * draws / 2:
            return None
    return _estimate(linked, cells, sums, draws, accepted)


def _estimate(
    linked: LinkedWorlds, cells: np.ndarray, sums: np.ndarray, draws: int, accepted: int
) -> CellShares | None:
    """Return the best of three estimates: by the worlds that remain, by those that are removed, or none is removed."""
    if not accepted:
        return None
    removed = float(stats.beta.ppf(0.975, draws - accepted + 1, accepted))
    naive, shares = naive_shares(linked, cells), sums[0] / accepted
    corrected = (naive * draws - sums[1]) / accepted
    estimates = [
        (removed / (1 - removed), naive),
        (1.96 * float(np.sqrt(removed / draws)) / (1 - removed), np.clip(corrected, 0, 1)),
        (0.98 / float(np.sqrt(accepted)) if accepted >= ENOUGH else np.inf, shares),
    ]
    half_width, best = min(estimates, key=lambda estimate: estimate[0])
    return CellShares(cells, best, np.full(len(cells), half_width)) if half_width < 1 else None


def _is_sure(step: DrawnStep, fails: np.ndarray) -> bool:
    """Return whether a step is refused in the drawn worlds by so wide a margin that it always is."""
    people = fails @ step.people - step.tolerance
    return bool(len(people) > 1 and people.mean() > SURE * people.std() and people.std() > 0)


def naive_shares(linked: LinkedWorlds, cells: np.ndarray) -> np.ndarray:
    """Return the shares of the types where nothing is eliminated: those of each group."""
    shares = np.zeros((len(cells), len(linked.codes)))
    for group in linked.groups:
        own = np.searchsorted(cells, np.unique(linked.cell[group.slots]))
        if group.chances is not None:
            shares[own] = group.chances
        else:
            shares[own] = np.bincount(group.kinds, minlength=len(linked.codes)) / len(group.kinds)
    return shares
