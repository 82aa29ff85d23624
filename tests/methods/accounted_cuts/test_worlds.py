"""Accounted cuts on tiny tables: every world, coin and belief. `bench/accounted_worlds.py` is the long form."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
import polars as pl
import pytest
from oracle.accounted_cuts.worlds import AccountedTable, check_worlds, draw_table, list_runs

import voile as vl
from voile.methods.accounted_cuts import cut_walk, level_walk
from voile.tables.group_counts import tally

SEEDS = (*range(4), *range(5, 12), 99, 185)  # the last two would exceed 1/l without coins


@pytest.mark.parametrize("seed", SEEDS)
def test_no_belief_exceeds_its_bound(seed: int) -> None:
    assert check_worlds(draw_table(np.random.default_rng(seed))).excess < 1e-9


def test_the_check_fails_without_coins(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (cut_walk, level_walk):
        monkeypatch.setattr(module, "toss_stop", lambda *_: False)
    assert check_worlds(draw_table(np.random.default_rng(99))).excess > 0.02


def test_a_replay_believes_what_all_worlds_say() -> None:
    compared = sum(compare_replay(draw_table(np.random.default_rng(seed))) for seed in (0, 3, 5, 99))
    assert compared > 5


def compare_replay(table: AccountedTable) -> int:
    """Compare what the method says about its refusals with sums over all worlds, for every release of a table."""
    if table.method.grouping != "mondrian" or max(table.totals) * table.l > len(table.rows):
        return 0
    names, people, values = ["a", "b"][: len(table.rows[0])], len(table.rows), len(table.totals)
    frame = pl.DataFrame({name: [row[j] for row in table.rows] for j, name in enumerate(names)})
    texts = [f"v{code}" for code in range(values)]
    schema = vl.Schema(quasi=names, sensitive=["s"], domains={"s": texts})
    data = vl.read(frame.with_columns(pl.Series("s", [texts[0]] * people)), schema)
    cells = data.rows.histogram(names)
    labels = [data.columns[name].domain.labels for name in names]
    number = {tuple(labels[j][code] for j, code in enumerate(codes)): cell for cell, codes in enumerate(cells.codes)}
    cell = np.array([number[row] for row in table.rows])
    listed: dict[object, np.ndarray] = defaultdict(lambda: np.zeros((people, values)))
    for world, chance, shown in list_runs(table):
        listed[shown][np.arange(people), list(world)] += chance
    for shown, weights in listed.items():
        assert isinstance(shown, tuple)
        group, target = np.zeros(len(cells.counts), dtype=np.int64), data.columns.sensitive[0]
        for place, (members, _) in enumerate(shown):
            group[cell[list(members)]] = place
        owner = np.repeat(np.arange(len(shown)), [len(members) for members, _ in shown])
        codes = np.concatenate([members_values for _, members_values in shown])
        counts = tally(target, owner, codes, np.ones(people, dtype=np.int64), len(shown))
        beliefs, exact = table.method.accounted_beliefs(data.columns, cells, group, counts, table.policy)
        certain = exact[cell]
        expected = weights / weights.sum(axis=1, keepdims=True)
        # where the coin is far rarer than the margin for rounding, belief is less certain than the listing
        assert beliefs[cell][certain] == pytest.approx(expected[certain], abs=1e-6)
        assert (beliefs[cell] >= expected - 1e-6).all()
    return len(listed)
