"""Reconstruction of incomes before the channel: by its inverse, by expectation maximization, and not at all."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import polars as pl

from voile.mining.training import Training, make_classes
from voile.mining.tree import Tree, grow, kernel
from voile.papers.paper import Figure, Item, Run
from voile.papers.perturbed_generalization.utility import (
    CLASSES,
    INCOMES,
    PS,
    QUICK_PS,
    USUAL_K,
    publish_incomes,
    read_census,
)
from voile.releases.randomized_response import Channel, exact_fraction
from voile.releases.release import Release
from voile.tables.microdata import Microdata

STEPS, PRECISION = 20_000, 1e-9
DEPTH = 8
Reconstruct = Callable[[np.ndarray, Channel], np.ndarray]


def maximize_likelihood(counts: np.ndarray, channel: Channel) -> np.ndarray:
    """Estimate the counts before the channel by expectation maximization, from the counts after it (the last axis).

    Each step shares out every published value over the values that it may have been, by the estimate so far. It ends
    at the most likely counts, which are the inverse of the channel wherever that is nowhere negative.

    >>> maximize_likelihood(np.array([40.0, 35.0, 25.0]), Channel(0.5, 3)).round(4).tolist()
    [46.6667, 36.6667, 16.6667]
    >>> maximize_likelihood(np.array([70.0, 20.0, 10.0]), Channel(0.5, 3)).round(4).tolist()
    [96.2963, 3.7037, 0.0]
    """
    seen = np.asarray(counts, dtype=np.float64)
    total = seen.sum(axis=-1, keepdims=True)
    keep, noise = float(exact_fraction(channel.keep)), float(channel.noise)
    found = np.broadcast_to(total / channel.size, seen.shape).copy()
    for _ in range(STEPS):
        weight = seen / np.maximum(keep * found + noise * total, 1e-300)
        new = found * (keep * weight + noise * weight.sum(axis=-1, keepdims=True))
        if np.abs(new - found).max() <= PRECISION * total.max():
            return np.asarray(new)
        found = new
    return found


def invert(counts: np.ndarray, channel: Channel) -> np.ndarray:
    return channel.undo(counts, np.full(channel.size, 1 / channel.size))


WAYS: dict[str, Reconstruct] = {
    "as published": lambda counts, channel: np.asarray(counts),
    "inverse": invert,
    "EM": maximize_likelihood,
}


def find_leaves(tree: Tree, table: pl.DataFrame) -> np.ndarray:
    """Return the leaf of each row."""
    codes = np.stack([feature.codes(table[feature.name]) for feature in tree.features], axis=1)
    people = tree.counts.sum(axis=1)
    heavier = np.where(people[tree.children[:, 0]] >= people[tree.children[:, 1]], 0, 1)
    return np.asarray(kernel.find_leaves(codes, tree.column, tree.children, tree.sides, heavier))


def count_by(groups: np.ndarray, values: np.ndarray, weight: np.ndarray, number: int) -> np.ndarray:
    """Count people per group and income."""
    cells = groups.astype(np.int64) * INCOMES + values  # codes are small integers, which would overflow
    return np.bincount(cells, weights=weight, minlength=number * INCOMES).reshape(number, INCOMES)


def compare_ways(data: Microdata, release: Release, channel: Channel) -> dict[str, float]:
    """Estimate incomes in the whole table and by education, and label the leaves of trees; return every error."""
    rows, original = (
        release.training_rows(np.random.default_rng(0)),
        data.rows.histogram([c.name for c in data.columns]),
    )
    truth, income = data.columns["education"], original.column("income")
    people = pl.DataFrame({c.name: c.domain.decode(original.column(c.name)) for c in data.columns.quasi})
    level = np.array([truth.domain.code_of(value) for value in rows.table["education"].cast(pl.String)])
    published = count_by(level, rows.values, rows.weight, truth.size)
    real = count_by(original.column("education"), income, original.counts, truth.size)
    found: dict[str, float] = {}
    for name, undo in WAYS.items():
        found[f"{name}, whole table"] = _distance(undo(published.sum(axis=0), channel), real.sum(axis=0))
        found[f"{name}, by education"] = _distance(undo(published, channel), real)
    for m, starts in CLASSES.items():
        classes = make_classes(data.columns["income"].domain, starts)
        tree = grow(Training(rows.table, classes.of_code[rows.values], rows.weight, classes, channel), DEPTH)
        nodes = len(tree.column)
        by_leaf = count_by(find_leaves(tree, rows.table), rows.values, rows.weight, nodes)
        leaf = find_leaves(tree, people)
        for name, undo in WAYS.items():
            by_class = np.add.reduceat(
                undo(by_leaf, channel), np.flatnonzero(np.diff(classes.of_code, prepend=-1)), axis=1
            )
            wrong = by_class.argmax(axis=1)[leaf] != classes.of_code[income]
            found[f"{name}, m = {m}"] = float(original.counts[wrong].sum() / original.counts.sum())
    return found


def _distance(estimate: np.ndarray, real: np.ndarray) -> float:
    """Return the part of the people who are counted under a wrong income (total variation), over all groups."""
    scaled = estimate * (real.sum(axis=-1, keepdims=True) / np.maximum(estimate.sum(axis=-1, keepdims=True), 1))
    return float(np.abs(scaled - real).sum() / (2 * real.sum()))


def compute(run: Run) -> pl.DataFrame:
    """Compare the three ways for every p, on releases with blind groups."""
    table: list[Microdata] = []

    def measure(p: float) -> dict[str, float]:
        if not table:
            table.append(read_census(run))
        release, _ = publish_incomes(table[0], USUAL_K, p, "mondrian", 0)
        return compare_ways(table[0], release, Channel(p, INCOMES))

    rows = []
    asked = QUICK_PS if run.quick else PS
    for number, p in enumerate(asked):
        run.step(number, len(asked), f"p = {p:g}")
        point = run.point({"p": p}, lambda p=p: measure(p))  # type: ignore[misc]
        for what in ("whole table", "by education", *(f"m = {m}" for m in CLASSES)):
            rows += [{"p": p, "what": what, "way": way, "error": point[f"{way}, {what}"]} for way in WAYS]
    return pl.DataFrame(rows)


TITLES = {
    "whole table": "incomes in the whole table",
    "by education": "incomes by education",
    "m = 2": "tree, m = 2",
    "m = 3": "tree, m = 3",
}
ITEM = Item(
    "reconstruction",
    "Reconstruction: the inverse of the channel, and expectation maximization",
    compute,
    [
        Figure("p", "error", "way", "p", "error", letter=letter, title=title, ticks=PS, where={"what": what})
        for letter, (what, title) in zip("abcd", TITLES.items(), strict=True)
    ],
    note="How far the estimated incomes are from the true ones: (a) and (b) as the part of people who are counted "
    "under a wrong income, (c) and (d) as the error of a tree that is grown by the inverse and whose leaves are "
    "labelled from the 50 estimated incomes. k = 6, blind groups. The paper leaves the reconstruction to its extended "
    "version.",
    table="census",
    seed="key of 32 bytes 0, seed 0",
)
