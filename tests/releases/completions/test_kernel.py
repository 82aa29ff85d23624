"""The kernel that draws hidden values agrees with its slow twin."""

from __future__ import annotations

import numpy as np
import pytest
from oracle.completions import drawing as oracle

from voile.releases.completions import kernel


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("redraw", [True, False])
def test_boxes_are_drawn_as_the_slow_twin_draws_them(seed: int, redraw: bool) -> None:
    rng = np.random.default_rng(seed)
    sizes_of_boxes = rng.integers(1, 7, 12)
    box_starts = np.append(0, np.cumsum(sizes_of_boxes)).astype(np.int64)
    rows, size = int(box_starts[-1]), 6
    cells = [np.sort(rng.choice(size, rng.integers(1, 5), replace=False)) for _ in range(12)]
    starts = np.append(0, np.cumsum([len(cell) for cell in cells])).astype(np.int64)
    members = np.concatenate(cells).astype(np.int64)
    shares = rng.random(len(members)).astype(np.float32)
    cell = np.repeat(np.arange(12), sizes_of_boxes)
    needs = [
        list(one[: int(rng.integers(0, min(len(one), count) + 1))])
        for one, count in zip(cells, sizes_of_boxes, strict=True)
    ]
    need_starts = np.append(0, np.cumsum([len(need) for need in needs])).astype(np.int64)
    need_atoms = np.array([value for need in needs for value in need], dtype=np.int64)
    need_counts = np.ones(len(need_atoms), np.int64)
    codes, sizes, chain = rng.integers(0, 3, (rows, 2)).astype(np.int16), np.array([3, 3]), np.array([1, 0])
    table, level = rng.random((9, size)).astype(np.float32), np.arange(size)
    none, state = np.zeros(0, np.int64), np.array([seed * 7 + 1], dtype=np.uint64)
    atoms = np.array([rng.choice(cells[one]) for one in cell], dtype=np.int64)
    kernel.place_needed(box_starts, cell, need_starts, need_atoms, need_counts, state, atoms)
    coins, expected = oracle.Coins(int(state[0])), list[int]()
    for box in range(12):
        inside = range(box_starts[box], box_starts[box + 1])
        of_cell = members[starts[box] : starts[box + 1]].tolist()
        part = shares[starts[box] : starts[box + 1]]
        weights = [oracle.row_weights(i, of_cell, part, level, table, chain.tolist(), codes, sizes) for i in inside]
        values = [int(atoms[i]) for i in inside]
        needed = dict.fromkeys(map(int, needs[box]), 1)
        drawn = oracle.update_box(values, of_cell, needed, weights, redraw, 2, coins)
        assert set(needed) <= set(drawn) or not redraw
        expected += drawn
    seen = np.full(rows, -1, np.int64)
    kernel.update_boxes(
        box_starts, cell, starts, members, shares, need_starts, need_atoms, need_counts, seen, 0.0, 1.0,
        np.ones(size), level, table, chain, none, sizes, codes, np.ones(1, np.float32), none, redraw, 2, state, atoms,
    )  # fmt: skip
    assert atoms.tolist() == expected
    assert int(state[0]) == coins.state


def test_contexts_are_tallied_as_the_slow_twin_tallies_them() -> None:
    rng = np.random.default_rng(3)
    codes, sizes = rng.integers(0, 4, (60, 4)).astype(np.int16), np.full(4, 4)
    levels, weights = rng.integers(0, 5, 60), rng.random(60)
    chain, singles = np.array([2, 0]), np.array([1, 3])
    chain_at, single_at = np.array([0, 20, 100]), np.array([0, 20, 40])
    tables, alone = np.zeros(100), np.zeros(40)
    kernel.tally(levels, weights, 5, codes, chain, singles, sizes, tables, chain_at, alone, single_at)
    chained, single = oracle.tally(levels, weights, codes, [2, 0], [1, 3])
    for (a, level), weight in chained[0].items():
        assert tables[a * 5 + level] == pytest.approx(weight)
    for (a, b, level), weight in chained[1].items():
        assert tables[20 + (a * 4 + b) * 5 + level] == pytest.approx(weight)
    for place, found in enumerate(single):
        for (a, level), weight in found.items():
            assert alone[single_at[place] + a * 5 + level] == pytest.approx(weight)
    assert tables.sum() + alone.sum() == pytest.approx(4 * weights.sum())


def test_a_published_value_tells_as_much_as_its_channel() -> None:
    """One row per box, two values, even chances: the published value is true with probability keep + noise."""
    rows, state = 20_000, np.array([5], dtype=np.uint64)
    none, atoms = np.zeros(0, np.int64), np.zeros(20_000, np.int64)
    kernel.update_boxes(
        np.arange(rows + 1), np.zeros(rows, np.int64), np.array([0, 2]), np.array([0, 1]), np.ones(2, np.float32),
        np.zeros(2, np.int64), none, none, np.zeros(rows, np.int64), 0.4, 0.3, np.ones(2), np.arange(2),
        np.full((1, 2), 0.5, np.float32), none, none, np.ones(1, np.int64), np.zeros((rows, 1), np.int16),
        np.ones(1, np.float32), none, True, 0, state, atoms,
    )  # fmt: skip
    assert (atoms == 0).mean() == pytest.approx(0.7, abs=0.015)
