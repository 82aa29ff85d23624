"""SUDA2: sdcMicro's example, and minimal sample uniques by exhaustive search."""

from __future__ import annotations

import itertools
import math
from collections import Counter

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import voile as vl
from voile.flow.explore.population import special_uniques
from voile.flow.explore.population.special_uniques import SpecialUniques

ROWS = st.lists(st.tuples(*[st.integers(0, 2)] * 4), min_size=1, max_size=15)


def find(rows: list[tuple[int, ...]]) -> SpecialUniques:
    names = [f"c{j}" for j in range(len(rows[0]))]
    frame = pl.DataFrame(rows, schema=names, orient="row")
    found = vl.inspect(frame, vl.Schema(quasi=names), special_uniques=True).special_uniques
    assert found is not None
    return found


def minimal_sets(rows: list[tuple[int, ...]], row: tuple[int, ...]) -> list[tuple[int, ...]]:
    """List the sets of columns on which a row is unique and on none of whose subsets it is."""
    unique: list[tuple[int, ...]] = []
    for size in range(1, len(row) + 1):
        for chosen in itertools.combinations(range(len(row)), size):
            alone = sum(all(other[j] == row[j] for j in chosen) for other in rows) == 1
            if alone and not any(set(smaller) < set(chosen) for smaller in unique):
                unique.append(chosen)
    return unique


def test_the_example_of_sdcmicro() -> None:
    found = find([(2, 0, 0), (1, 3, 6), (1, 0, 0)])
    assert found.scores.tolist() == [2, 4, 2]
    assert found.contributions == {"c0": 0.5, "c1": 0.375, "c2": 0.375}


@given(rows=ROWS)
def test_minimal_sample_uniques_by_exhaustive_search(rows: list[tuple[int, ...]]) -> None:
    found = find(rows)
    sets = [minimal_sets(rows, row) for row in rows]
    assert found.scores.tolist() == [sum(math.factorial(4 - len(item)) for item in own) for own in sets]
    counted = Counter(len(item) for own in sets for item in own)
    assert {size: count for size, count in found.by_size.items() if count} == dict(counted)


@given(rows=ROWS)
def test_disclosure_by_its_formula(rows: list[tuple[int, ...]]) -> None:
    found = find(rows)
    sizes = Counter(rows).values()
    alone, pairs = sum(size == 1 for size in sizes), sum(size == 2 for size in sizes)
    if not alone:
        assert not found.disclosure.any()
        return
    correct = alone * 0.01 / (alone * 0.01 + pairs * 0.99)
    adjustment = sum(score**-1.2 for score in found.scores if score)  # 1 + (8 - 4) / 20
    for score, disclosure in zip(found.scores, found.disclosure, strict=True):
        by_hand = 1 / (1 + (alone / correct - alone) / (score**1.2 * adjustment)) if score else 0
        assert disclosure == pytest.approx(by_hand)


def test_large_tables_are_searched_less_deeply(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(special_uniques, "LARGEST_WORK", 5 * (4 + 6))
    found = find([(0, 0, 0, 0), (0, 0, 1, 1), (1, 1, 0, 1), (1, 1, 1, 0), (2, 0, 1, 0)])
    assert found.depth == 2
    assert max(found.by_size) == 2


def test_no_score_of_a_row_is_in_the_answer() -> None:
    rng = np.random.default_rng(1)
    content = find([tuple(row) for row in rng.integers(0, 4, (60, 4)).tolist()]).as_json()
    assert not any(isinstance(part, list) and len(part) > 4 for part in content.values())
