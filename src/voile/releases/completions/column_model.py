"""The chance of each value of a column given the other columns of a row, learned from the rows themselves.

A table of chances given at most three other columns backs off to fewer of them where rows are rare; each further column
adds a ratio as in naive Bayes, to a power between 0 and 1 that fits the rows best.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from voile.kernels import lazy_module

kernel = lazy_module("voile.releases.completions.kernel")

DEPTH = 3
TABLE = 1 << 20  # the most numbers in a table of chances
PSEUDO_ROWS = 5.0  # how many rows the shorter context counts as
PSEUDO_RATIO = 2.0
POWERS = (0.0, 0.15, 0.3, 0.45, 0.6, 0.8)
SAMPLE = 20_000  # rows by which columns are chosen
JUDGED = 4_000  # rows by which the power is chosen
LEAST_GAIN = 1e-4
FEWEST_ROWS = 50.0  # with less weight than this, rows teach nothing
TINY = 1e-12


@dataclass(frozen=True, eq=False)
class Predictors:
    """The columns that a column is predicted from: those of the table in order, the further ones, and their power."""

    chain: np.ndarray
    singles: np.ndarray
    power: float = 1.0

    def __repr__(self) -> str:
        return f"Predictors({self.chain.tolist()} and {self.singles.tolist()} to the power {self.power})"


@dataclass(frozen=True, eq=False)
class ColumnModel:
    """Chances (contexts x levels), and the ratios of the further columns, as the kernel reads them."""

    table: np.ndarray
    chain: np.ndarray
    singles: np.ndarray
    ratios: np.ndarray
    single_at: np.ndarray

    def __repr__(self) -> str:
        return f"ColumnModel({self.table.shape[0]} contexts x {self.table.shape[1]} levels)"


NO_COLUMNS = np.zeros(0, np.int64)


def constant_model(chances: np.ndarray) -> ColumnModel:
    """Return the model in which no other column matters."""
    table = np.ascontiguousarray(chances.reshape(1, -1), dtype=np.float32)
    return ColumnModel(table, NO_COLUMNS, NO_COLUMNS, np.ones(1, np.float32), NO_COLUMNS)


def choose_predictors(
    levels: np.ndarray, count: int, codes: np.ndarray, sizes: np.ndarray, others: np.ndarray, rng: np.random.Generator
) -> Predictors:
    """Choose, one after the other, the columns that predict a column best: by the likelihood of each row's level given
    the other rows."""
    rows = np.arange(len(levels))
    if len(rows) > SAMPLE:
        rows = np.sort(rng.choice(len(levels), SAMPLE, replace=False))
    seen, codes = levels[rows], codes[rows]
    share = np.bincount(seen, minlength=count) / max(len(seen), 1)
    chance = share[seen]
    best, chosen, key, width = float(np.log(np.maximum(chance, TINY)).mean()), list[int](), np.zeros(len(rows), int), 1
    rest = others.tolist()
    while rest and len(chosen) < DEPTH:
        found = None
        for other in rest:
            if width * sizes[other] * count > TABLE:
                continue
            context = key * sizes[other] + codes[:, other]
            together = np.bincount(context * count + seen, minlength=width * sizes[other] * count)
            alone = np.bincount(context, minlength=width * sizes[other])
            given = (together[context * count + seen] - 1 + PSEUDO_ROWS * chance) / (alone[context] - 1 + PSEUDO_ROWS)
            likelihood = float(np.log(np.maximum(given, TINY)).mean())
            if found is None or likelihood > found[0]:
                found = (likelihood, other, context, given)
        if found is None or (chosen and found[0] <= best + LEAST_GAIN):
            break
        best, other, key, chance = found
        width *= int(sizes[other])
        chosen.append(other)
        rest.remove(other)
    return Predictors(np.array(chosen, dtype=np.int64), np.array(rest, dtype=np.int64))


def fit_model(
    predictors: Predictors, levels: np.ndarray, count: int, codes: np.ndarray, sizes: np.ndarray, weights: np.ndarray
) -> ColumnModel | None:
    """Learn the chances from weighted rows; None where there are too few to learn from."""
    base = np.bincount(levels, weights=weights, minlength=count)
    if base.sum() < FEWEST_ROWS:
        return None
    base = (base + 0.5) / (base.sum() + 0.5 * count)
    chain, singles = predictors.chain, predictors.singles
    widths = np.cumprod(sizes[chain]) if len(chain) else np.zeros(0, np.int64)
    chain_at = np.append(0, np.cumsum(widths * count)).astype(np.int64)
    single_at = np.append(0, np.cumsum(sizes[singles] * count)).astype(np.int64)
    tables, alone = np.zeros(chain_at[-1]), np.zeros(single_at[-1])
    kernel.tally(levels, weights, count, codes, chain, singles, sizes, tables, chain_at, alone, single_at)
    chances = base.reshape(1, -1)
    for place, width in enumerate(widths):
        context = tables[chain_at[place] : chain_at[place + 1]].reshape(len(chances), -1, count)
        context = context + PSEUDO_ROWS * chances[:, None, :]
        chances = (context / context.sum(axis=2, keepdims=True)).reshape(width, count)
    ratios = np.ones(max(single_at[-1], 1), np.float32)
    for place, other in enumerate(singles):
        table = alone[single_at[place] : single_at[place + 1]].reshape(sizes[other], count)
        share = table.sum(axis=1, keepdims=True) / max(table.sum(), TINY)
        given = (table + PSEUDO_RATIO * share) / (table.sum(axis=0, keepdims=True) + PSEUDO_RATIO)
        ratio = np.maximum(given, TINY) / np.maximum(share, 1e-9)
        ratios[single_at[place] : single_at[place + 1]] = (ratio**predictors.power).ravel()
    return ColumnModel(
        np.ascontiguousarray(chances + TINY, dtype=np.float32), chain, singles, ratios, single_at[:-1].copy()
    )


def weigh_levels(model: ColumnModel, levels: np.ndarray, codes: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """Return the logarithm of the chance of one level for each row, up to a factor of the further columns' codes."""
    key, count = np.zeros(len(levels), np.int64), model.table.shape[1]
    for other in model.chain:
        key = key * sizes[other] + codes[:, other]
    weight = model.table[key, levels].astype(np.float64)
    for place, other in enumerate(model.singles):
        weight *= model.ratios[model.single_at[place] + codes[:, other].astype(np.int64) * count + levels]
    return np.asarray(np.log(np.maximum(weight, 1e-300)))


def choose_power(
    model: ColumnModel, levels: np.ndarray, codes: np.ndarray, sizes: np.ndarray, rng: np.random.Generator
) -> float:
    """Return the power of the ratios under which the levels of the rows are most likely; the model has power 1."""
    if not len(model.singles):
        return 1.0
    rows = rng.choice(len(levels), min(JUDGED, len(levels)), replace=False)
    key = np.zeros(len(rows), np.int64)
    for other in model.chain:
        key = key * sizes[other] + codes[rows, other]
    chance, count = np.log(model.table[key].astype(np.float64)), model.table.shape[1]
    ratio = np.zeros_like(chance)
    for place, other in enumerate(model.singles):
        at = model.single_at[place]
        table = model.ratios[at : at + sizes[other] * count].reshape(sizes[other], count)
        ratio += np.log(np.maximum(table.astype(np.float64), TINY))[codes[rows, other]]
    picked = np.arange(len(rows)), levels[rows]
    fits = []
    for power in POWERS:
        logs = chance + power * ratio
        logs -= logs.max(axis=1, keepdims=True)
        fits.append(float((logs[picked] - np.log(np.exp(logs).sum(axis=1))).mean()))
    return POWERS[int(np.argmax(fits))]
