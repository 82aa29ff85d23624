"""The chain of draws: every column in turn is drawn given the others, again and again, inside its cells."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from voile.kernels import lazy_module
from voile.releases.completions.atoms import Atoms, cut_atoms
from voile.releases.completions.column_model import (
    NO_COLUMNS,
    ColumnModel,
    Predictors,
    choose_power,
    choose_predictors,
    constant_model,
    fit_model,
)
from voile.releases.completions.joint_exchanges import JointColumn, JointRows
from voile.releases.known_rows import KnownColumn, KnownRows

sparse = lazy_module("scipy.sparse")
kernel = lazy_module("voile.releases.completions.kernel")

FINE, COARSE = 128, 10  # levels of a long column that is predicted, and that predicts
MOST_LEVELS = 24  # of categories that predict; the others count as one
NOBODY = -2  # in place of a published value: the row is a seat that belongs to nobody
BURN_IN, DEALT_BURN_IN = 5, 20
CHOOSE_AT = (1, 3, 10)  # the sweeps at which predictors are chosen
EXCHANGES, DEALT_EXCHANGES = 3, 12  # how often a row is offered an exchange in a sweep
EM_ROUNDS = 30


@dataclass(eq=False)
class HiddenColumn:
    """A column with something to draw: its atoms, the level of each atom, and which rows are free."""

    known: KnownColumn
    atoms: Atoms
    cell: np.ndarray
    level: np.ndarray
    levels: int
    marginal: np.ndarray  # of one atom of each level
    atom_marginal: np.ndarray
    spread: np.ndarray  # one by the number of atoms of each level
    teaches: np.ndarray | None  # weight of each row when the column is learned; None: all alike
    predictors: Predictors | None = None

    def __repr__(self) -> str:
        return f"HiddenColumn({self.known.name!r})"


class Chain:
    """The state of the draws. Rows are in the order of their boxes; `order` gives their place in the release."""

    def __init__(self, rows: KnownRows, seed: np.random.SeedSequence) -> None:
        self.rng = np.random.default_rng(seed)
        self.state = self.rng.integers(0, 1 << 63, 1, dtype=np.uint64)
        self.rows = rows
        self.order = np.argsort(rows.box, kind="stable")
        box = rows.box[self.order]
        self.boxes = int(box[-1]) + 1 if len(box) else 0
        self.box, self.box_starts = box, np.searchsorted(box, np.arange(self.boxes + 1))
        self.real = self.order < rows.people
        self.joint = rows.joint.places if rows.joint is not None else ()
        self.cut = [cut_atoms(column) for column in rows.columns]
        self.hidden: dict[int, HiddenColumn] = {}
        self.atoms = [self._start_column(number) for number in range(len(rows.columns))]
        coarse = [self._coarse_levels(number) for number in range(len(rows.columns))]
        self.coarse = [levels for levels, _ in coarse]
        self.sizes = np.array([size for _, size in coarse], dtype=np.int64)
        self.codes = np.zeros((len(box), max(len(coarse), 1)), np.int16)
        for number in range(len(rows.columns)):
            self._note_codes(number)
        self.fixed = {
            number: self._put_back(found) for number, found in enumerate(self.atoms) if number not in self.hidden
        }
        self.sweeps = 0

    def __repr__(self) -> str:
        return f"Chain({len(self.box)} rows, {len(self.hidden)} columns to draw)"

    # the start -------------------------------------------------------------------------------------------------------
    def _start_column(self, number: int) -> np.ndarray:
        """Return a first value for every row; drawn from the column's marginal distribution where it is hidden."""
        known, atoms = self.rows.columns[number], self.cut[number]
        cell = known.cell[self.order].astype(np.int64)
        first = (
            atoms.members[np.minimum(atoms.starts[:-1], max(len(atoms.members) - 1, 0))] if len(atoms.members) else 0
        )
        found = np.asarray(first, dtype=np.int64)[cell] if len(atoms.members) else np.zeros(len(cell), np.int64)
        width = atoms.widths[cell]
        if self.rows.joint is not None and number in self.joint:
            found = self.rows.joint.codes[self.joint.index(number)][self.order].astype(np.int64)
            known = replace(known, dealt=found)
        elif known.dealt is not None:
            found = self._deal(known.dealt)
        elif known.seen is None and not (width > 1).any():
            return found
        marginal = _estimate_marginal(atoms, cell, known, self.order)
        level, levels = _fine_levels(atoms, marginal)
        teaches = None
        if known.seen is not None:
            teaches = (known.seen[self.order] >= 0).astype(np.float64)
        elif known.dealt is None and not known.tight:
            teaches = (width == 1).astype(np.float64)
        members = np.maximum(np.bincount(level, minlength=levels), 1)
        by_level = np.bincount(level, weights=marginal, minlength=levels) / members
        column = HiddenColumn(known, atoms, cell, level, levels, by_level, marginal, 1 / members, teaches)
        self.hidden[number] = column
        if known.dealt is None:
            kernel.place_needed(self.box_starts, cell, *_needs(atoms), self.state, found)
            self._update(column, found, constant_model(by_level), 0)
        return found

    def _deal(self, values: np.ndarray) -> np.ndarray:
        """Deal the values of each group, which are in the order of the groups, to its rows at random."""
        place = np.lexsort((self.rng.random(len(self.box)), self.box))
        found = np.empty(len(self.box), np.int64)
        found[place] = values
        return found

    def _coarse_levels(self, number: int) -> tuple[np.ndarray, int]:
        """Return the level of each atom where the column predicts others, and the number of levels."""
        atoms, found = self.cut[number], self.atoms[number]
        size = max(atoms.size, int(found.max(initial=0)) + 1)
        people = np.bincount(found[self.real], minlength=size)
        if self.rows.columns[number].domain.kind in ("numeric", "date"):
            return _even_levels(people, COARSE)
        if size <= MOST_LEVELS:
            return np.arange(size), size
        rank = np.empty(size, np.int64)
        rank[np.argsort(-people, kind="stable")] = np.arange(size)
        return np.minimum(rank, MOST_LEVELS - 1), MOST_LEVELS

    def _note_codes(self, number: int) -> None:
        self.codes[:, number] = self.coarse[number][self.atoms[number]]

    # a sweep ---------------------------------------------------------------------------------------------------------
    def sweep(self) -> None:
        """Draw every hidden column once, with rows weighted by chance: the Bayesian bootstrap over boxes."""
        self.sweeps += 1
        weights = self.rng.standard_exponential(self.boxes)[self.box] * self.real
        models = []
        for number, column in self.hidden.items():
            model = self._learn(number, column, weights)
            if number in self.joint:
                models.append((number, column, model))
                continue
            rounds = EXCHANGES if column.known.tight else DEALT_EXCHANGES if column.known.dealt is not None else 0
            self._update(column, self.atoms[number], model, rounds)
            self._note_codes(number)
        if models:
            self._exchange_rows(models)

    def _exchange_rows(self, models: list[tuple[int, HiddenColumn, ColumnModel]]) -> None:
        """Let people exchange complete rows of the joint table."""
        models.sort(key=lambda entry: self.joint.index(entry[0]))
        columns = [
            JointColumn(number, column.atoms, column.cell, column.level, self.coarse[number], model)
            for number, column, model in models
        ]
        values = np.stack([self.atoms[number] for number in self.joint])
        JointRows(columns, self.box, values, self.codes, self.sizes).exchange(self.rng)
        for number, found in zip(self.joint, values, strict=True):
            self.atoms[number] = found

    def _learn(self, number: int, column: HiddenColumn, weights: np.ndarray) -> ColumnModel:
        levels = column.level[self.atoms[number]]
        weights = weights if column.teaches is None else weights * column.teaches
        if column.predictors is None or self.sweeps in CHOOSE_AT:
            column.predictors = self._choose(number, column, levels, weights)
        model = None
        if column.predictors is not None:
            model = fit_model(column.predictors, levels, column.levels, self.codes, self.sizes, weights)
        if model is None:  # nothing in the release tells values inside these cells apart
            return constant_model(column.marginal)
        if column.teaches is not None and column.known.seen is None:  # the shares inside cells are themselves unknown
            people = np.bincount(levels, weights=column.teaches, minlength=column.levels)
            model.table[:] *= (self.rng.gamma(1.0 + people) / (1.0 + people)).astype(np.float32)
        if column.levels < column.atoms.size:
            model.table[:] *= column.spread.astype(np.float32)
        return model

    def _choose(self, number: int, column: HiddenColumn, levels: np.ndarray, weights: np.ndarray) -> Predictors | None:
        taught = np.flatnonzero(weights > 0)
        if len(taught) < 2:
            return None
        rank = self.joint.index(number) if number in self.joint else 0
        later = self.joint[rank:] if number in self.joint else (number,)  # a row is drawn column after column
        others = np.array([other for other in range(len(self.atoms)) if other not in later], dtype=np.int64)
        codes = self.codes[taught]
        chosen = choose_predictors(levels[taught], column.levels, codes, self.sizes, others, self.rng)
        if rank:  # ratios of further columns would not add up to 1 under each value of the columns before
            chosen = Predictors(chosen.chain, NO_COLUMNS)
        model = fit_model(chosen, levels, column.levels, self.codes, self.sizes, weights)
        if model is None:
            return chosen
        return Predictors(
            chosen.chain, chosen.singles, choose_power(model, levels[taught], codes, self.sizes, self.rng)
        )

    def _update(self, column: HiddenColumn, found: np.ndarray, model: ColumnModel, rounds: int) -> None:
        known, atoms = column.known, column.atoms
        seen = known.seen[self.order] if known.seen is not None else np.where(self.real, -1, NOBODY)
        keep, noise = (float(known.channel.keep), float(known.channel.noise)) if known.channel else (0.0, 1.0)
        codes = getattr(self, "codes", np.zeros((len(found), 1), np.int16))
        sizes = getattr(self, "sizes", np.ones(1, np.int64))
        kernel.update_boxes(
            self.box_starts,
            column.cell,
            atoms.starts,
            atoms.members,
            atoms.shares,
            *_needs(atoms),
            seen,
            keep,
            noise,
            column.marginal,
            column.level,
            model.table,
            model.chain,
            model.singles,
            sizes,
            codes,
            model.ratios,
            model.single_at,
            known.dealt is None,
            rounds,
            self.state,
            found,
        )

    def warm_up(self) -> None:
        """Sweep until the draws have forgotten how they began; dealt values, which only change places, take longer."""
        dealt = any(column.known.dealt is not None for column in self.hidden.values())
        for _ in range(DEALT_BURN_IN if dealt else BURN_IN):
            self.sweep()

    def draw(self) -> list[np.ndarray]:
        """Sweep once more and return the atoms of each column, in the order of the release and without empty seats."""
        self.sweep()
        return [
            self._put_back(found) if number in self.hidden else self.fixed[number]
            for number, found in enumerate(self.atoms)
        ]

    def _put_back(self, found: np.ndarray) -> np.ndarray:
        """Return the atoms of a column in the order of the release, in as few bytes as they need."""
        top = int(found.max(initial=0))
        back = np.empty(len(found), np.uint8 if top < 1 << 8 else np.uint16 if top < 1 << 16 else np.uint32)
        back[self.order] = found
        return back[: self.rows.people]


def _needs(atoms: Atoms) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    return atoms.needed_starts, atoms.needed_atoms, atoms.needed_counts


def _estimate_marginal(atoms: Atoms, cell: np.ndarray, known: KnownColumn, order: np.ndarray) -> np.ndarray:
    """Estimate the share of each atom in the column, by expectation and maximization over its cells."""
    size = atoms.size
    if known.dealt is not None:
        people = np.bincount(known.dealt, minlength=size) + 0.5
        return np.asarray(people / people.sum())
    if known.seen is not None and known.channel is not None:
        seen = np.bincount(known.seen[known.seen >= 0], minlength=size).astype(np.float64)
        found = known.channel.undo(seen, np.full(size, 1 / size)) + 0.5
        return np.asarray(found / found.sum())
    matrix = sparse.csr_matrix((atoms.shares, atoms.members, atoms.starts), shape=(len(atoms.starts) - 1, size))
    rows, share = np.bincount(cell, minlength=len(atoms.starts) - 1), atoms.lengths()
    for _ in range(EM_ROUNDS):
        mass = matrix @ share
        share = share * (matrix.T @ (rows / np.maximum(mass, 1e-300)))
        share = share / max(share.sum(), 1e-300) + 1e-4 / size
    return np.asarray(share / share.sum())


def _fine_levels(atoms: Atoms, marginal: np.ndarray) -> tuple[np.ndarray, int]:
    """Return the level of each atom where the column is predicted: itself, unless there are too many."""
    return (np.arange(atoms.size), atoms.size) if atoms.size <= FINE else _even_levels(marginal, FINE // 2)


def _even_levels(weight: np.ndarray, most: int) -> tuple[np.ndarray, int]:
    """Cut ordered atoms into levels of about the same weight."""
    middle = (np.cumsum(weight) - weight / 2) / max(weight.sum(), 1e-300)
    level = np.minimum((middle * most).astype(np.int64), most - 1)
    return np.unique(level, return_inverse=True)[1], len(np.unique(level))
