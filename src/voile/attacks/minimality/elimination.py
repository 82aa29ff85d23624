"""Striking out worlds: what is left to believe once it is known which finer release was refused.

A group shows some values; who has which is unknown. A step is a finer way to show the group that the method would have
taken, had the policy allowed it. So in the true world some part of it fails, and every other world is struck out. Small
groups are counted world by world, one step by convolution, and what is too large for both is drawn at random.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from voile.kernels import lazy_kernel

kernel = lazy_kernel("voile.attacks.minimality.kernel")

STATES = 40_000  # the largest table of states of one group
WORK = 40_000_000  # the most that one convolution may cost
DRAWS = 4_000
ENOUGH = 100  # fewer draws than this are no estimate
BATCH = 1_500_000  # states judged at once
STEPS = 4  # of steps that concern all groups at once, this many are used: fewer only make the adversary weaker
ATOMS = 64  # more atoms than this have more worlds than anybody lists
NOTHING = 1e-12

Judge = Callable[[np.ndarray, np.ndarray, np.ndarray, int], np.ndarray]
"""(case, type, count, number of cases) -> which cases may be shown. Absent people are of no type and not passed."""


@dataclass(frozen=True, eq=False)
class Case:
    """One group: the people of each atom, its part in each step (-1 where the step does not concern the group), the
    types of values with their counts, and how many of the people are absent (the register may list more than there
    are rows)."""

    atoms: np.ndarray
    parts: np.ndarray
    types: np.ndarray
    counts: np.ndarray
    absent: int = 0

    @property
    def total(self) -> int:
        return int(self.atoms.sum())

    @property
    def expected(self) -> np.ndarray:
        """People by atom and type where nothing is struck out."""
        return np.outer(self.atoms, self.counts) / max(self.total, 1)


@dataclass(frozen=True, eq=False)
class Left:
    """What is left of a case: the share of worlds, and people by atom and type, jointly with being left.

    With steps for all groups at once there is a line for each set of steps that could have been taken.
    """

    weights: np.ndarray
    expected: np.ndarray
    draws: int = 0  # 0 where it is exact; else the draws that were kept


@dataclass
class _Table:
    """The states of a case: which type is left out, and for each size of a part which states may be shown."""

    order: np.ndarray  # the types in rising count, then the absent people if they are more, the last one left out
    counts: np.ndarray
    last: int
    sizes: np.ndarray
    fine: np.ndarray = field(default_factory=lambda: np.zeros((0, 0), dtype=bool))


def strike(cases: Sequence[Case], judge: Judge, whole: bool, worlds: int) -> list[Left]:
    """What is left of every case. With `whole`, lines 0..2^steps - 1 are the sets of steps that the group allows."""
    tables = [_table(case) for case in cases]
    for some in _batches(tables):
        _fill(
            [tables[i] for i in some if tables[i] is not None], [cases[i] for i in some if tables[i] is not None], judge
        )
    return [
        _counted(case, table, whole, worlds, number) if table is not None else _drawn(case, judge, whole, number)
        for number, (case, table) in enumerate(zip(cases, tables, strict=True))
    ]


def _table(case: Case) -> _Table | None:
    counts = np.append(case.counts, case.absent) if case.absent else case.counts
    order = np.lexsort((np.arange(len(counts)), counts))
    small = counts[order[:-1]]
    if np.prod(small.astype(np.float64) + 1) > STATES:
        return None
    sizes = np.unique(np.concatenate([_sizes(case, step) for step in range(case.parts.shape[1])]))
    return _Table(order, small.astype(np.int64), int(counts[order[-1]]), sizes)


def _sizes(case: Case, step: int) -> np.ndarray:
    """The people of each part of a step."""
    part = case.parts[:, step]
    if len(part) and part[0] < 0:
        return np.array([case.total])
    return np.bincount(part, weights=case.atoms).astype(np.int64)


def _batches(tables: Sequence[_Table | None]) -> Iterator[list[int]]:
    some: list[int] = []
    states = 0
    for number, table in enumerate(tables):
        some.append(number)
        states += len(table.sizes) * int(np.prod(table.counts + 1)) if table is not None else 0
        if states > BATCH:
            yield some
            some, states = [], 0
    yield some


def _fill(tables: Sequence[_Table | None], cases: Sequence[Case], judge: Judge) -> None:
    """Judge every state of every size of some cases at once."""
    asked: list[tuple[np.ndarray, np.ndarray, np.ndarray]] = []
    valid: list[np.ndarray] = []
    offset = 0
    for table, case in zip(tables, cases, strict=True):
        assert table is not None
        digits = kernel.digits_of(table.counts)
        rest = table.sizes[:, None] - digits.sum(axis=1)[None, :]
        possible = (rest >= 0) & (rest <= table.last)
        valid.append(possible)
        row, state = np.nonzero(possible)
        content = np.column_stack([digits[state], rest[row, state]])
        where, kind = np.nonzero(content)
        number = table.order[kind]
        present = number < len(case.types)  # the last kind may be the absent people
        asked.append((where[present] + offset, case.types[number[present]], content[where, kind][present]))
        offset += len(row)
    if not offset:
        return
    where, kind, content = (np.concatenate(part) for part in zip(*asked, strict=True))
    answers = judge(where, kind, content, offset)
    at = 0
    for table, possible in zip(tables, valid, strict=True):
        assert table is not None
        states = int(possible.sum())
        table.fine = np.zeros(possible.shape, dtype=bool)
        table.fine[possible] = answers[at : at + states]
        at += states


def _counted(case: Case, table: _Table, whole: bool, worlds: int, number: int) -> Left:
    steps = case.parts.shape[1]
    parts, numbers, rows = _steps(case, table)
    given = (case.atoms, parts, numbers, rows, table.fine, table.counts, table.last)
    if len(case.atoms) <= ATOMS:
        found, weights, expected = kernel.listed(*given, whole, worlds)
        if found >= 0:
            return _back(case, table, Left(weights, expected))
    sizes = np.sort(_sizes(case, 0))
    if steps == 1 and len(sizes) * len(table.fine[0]) * _widest(table) <= WORK:
        return _convolved(case, table, whole)
    draws = max(int(min(DRAWS, 40_000_000 / (case.total * steps))), ENOUGH)
    hits, expected = kernel.drawn(*given, whole, draws, number + 1)
    if hits[0] < ENOUGH and not whole:  # few worlds are left: try harder
        draws *= 10
        hits, expected = kernel.drawn(*given, whole, draws, number + 1)
    return _back(case, table, Left(hits / draws, expected, max(int(hits[0]), 1) if not whole else draws))


def _widest(table: _Table) -> int:
    """The most states that one part may be in."""
    return int(table.fine.shape[1] if len(table.counts) > 1 else min(table.fine.shape[1], table.sizes.max() + 1))


def _steps(case: Case, table: _Table) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The parts of each atom, the number of parts of each step, and where the size of each part stands in the table."""
    parts = np.maximum(case.parts, 0)
    numbers = parts.max(axis=0, initial=0) + 1
    rows = np.zeros((parts.shape[1], int(numbers.max(initial=1))), dtype=np.int64)
    for step in range(parts.shape[1]):
        sizes = _sizes(case, step)
        rows[step, : len(sizes)] = np.searchsorted(table.sizes, sizes)
    return parts, numbers, rows


def _convolved(case: Case, table: _Table, whole: bool) -> Left:
    sizes = _sizes(case, 0)
    order = np.argsort(sizes, kind="stable")
    row = np.searchsorted(table.sizes, sizes[order])
    could, inside = kernel.shown(sizes[order], row, table.fine, table.counts, table.last)
    expected = np.empty_like(inside)
    expected[order] = inside
    part = case.parts[:, 0]
    by_atom = expected[part] * (case.atoms / sizes[part])[:, None]
    full = np.append(case.counts, case.absent) if case.absent else case.counts
    naive = np.outer(case.atoms, full[table.order]) / max(case.total, 1)
    # a difference of near equals has lost its digits: then nothing is left
    kept = 1 - could if could < 1 - NOTHING else 0.0
    lines = [(kept, np.maximum(naive - by_atom, 0))] + ([(could, by_atom)] if whole else [])
    weights, beliefs = np.array([line[0] for line in lines]), np.array([line[1] for line in lines])
    return _back(case, table, Left(weights, beliefs))


def _back(case: Case, table: _Table, left: Left) -> Left:
    """Types in the order of the case, without the absent."""
    expected = np.zeros((*left.expected.shape[:2], len(table.order)))
    expected[:, :, table.order] = left.expected
    return Left(left.weights, expected[:, :, : len(case.types)], left.draws)


def _drawn(case: Case, judge: Judge, whole: bool, number: int) -> Left:
    """Where not even the states can be listed: whole worlds are drawn and judged."""
    steps, total = case.parts.shape[1], case.total
    draws = max(int(min(DRAWS, 8_000_000 / (total * steps))), ENOUGH)
    coins = np.random.default_rng(number + 1)
    kind = np.repeat(np.arange(len(case.counts) + 1), [*case.counts, case.absent])
    who = np.repeat(np.arange(len(case.atoms)), case.atoms)
    given = np.tile(kind, (draws, 1))
    coins.permuted(given, axis=1, out=given)
    mask = np.zeros(draws, dtype=np.int64)
    for step in range(steps):
        part = np.maximum(case.parts[:, step], 0)[who]
        parts = int(part.max(initial=0)) + 1
        where = (np.arange(draws)[:, None] * parts + part[None, :]).ravel()
        present = given.ravel() < len(case.types)
        ones = np.ones(int(present.sum()), dtype=np.int64)
        fine = judge(where[present], case.types[given.ravel()[present]], ones, draws * parts)
        mask |= fine.reshape(draws, parts).all(axis=1).astype(np.int64) << step
    lines = 1 << steps if whole else 1
    weights, expected = np.zeros(lines), np.zeros((lines, len(case.atoms), len(case.types) + 1))
    for line in range(lines):
        those = given[mask == line]
        weights[line] = len(those) / draws
        place = np.broadcast_to(who, those.shape) * (len(case.types) + 1) + those
        sums = np.bincount(place.ravel(), minlength=expected[line].size)
        expected[line] = sums.reshape(expected[line].shape) / draws
    kept = draws if whole else max(round(float(weights[0]) * draws), 1)
    return Left(weights, expected[:, :, : len(case.types)], kept)


def alone(case: Case, left: Left) -> tuple[np.ndarray | None, int]:
    """People by atom and type in the worlds that are left of one group by itself; None where none is left, or too few
    were drawn."""
    if left.weights[0] <= NOTHING or 0 < left.draws < ENOUGH:
        return None, left.draws
    return left.expected[0] / left.weights[0], left.draws


def surviving(lefts: Sequence[Left], chosen: int) -> float:
    """The share of worlds in which some steps could have been taken in every group."""
    return float(np.prod([_above(left.weights, chosen) for left in lefts]))


def together(cases: Sequence[Case], lefts: Sequence[Left], steps: int) -> list[np.ndarray] | None:
    """People by atom and type for steps that concern all groups: each must fail somewhere. Groups are independent, so
    the worlds are counted by inclusion and exclusion over the steps. None where no world is left."""
    sets = range(1 << steps)
    allowed = np.array([[_above(left.weights, chosen) for left in lefts] for chosen in sets])
    sign = np.array([(-1) ** bin(chosen).count("1") for chosen in sets])
    kept = float((sign * allowed.prod(axis=1)).sum())
    if kept <= NOTHING:
        return None
    found = []
    for number, (case, left) in enumerate(zip(cases, lefts, strict=True)):
        total = np.zeros_like(case.expected)
        for chosen in sets:
            others = float(np.delete(allowed[chosen], number).prod())
            if others > 0 and chosen:
                total += sign[chosen] * others * _above(left.expected, chosen)
            elif not chosen:
                total += case.expected if not left.draws else _above(left.expected, 0)
        found.append(np.maximum(total, 0) / kept)
    return found


def _above(lines: np.ndarray, chosen: int) -> np.ndarray:
    """The sum over all sets of steps that contain the chosen ones."""
    return np.asarray(sum(lines[other] for other in range(len(lines)) if other & chosen == chosen))
