"""Strata are well mixed and disjoint."""

from __future__ import annotations

import numpy as np
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from voile.methods.decompose.strata import find_strata


@settings(max_examples=150)
@given(st.integers(0, 2**32), st.integers(1, 3), st.integers(2, 3), st.integers(20, 400))
def test_no_value_is_too_frequent_in_a_stratum(seed: int, columns: int, first_level: int, people: int) -> None:
    rng = np.random.default_rng(seed)
    sizes = [int(rng.integers(3, 12)) for _ in range(columns + 1)]
    table = np.stack([rng.choice(size, people, p=rng.dirichlet(np.full(size, 3.0))) for size in sizes], axis=1)
    codes, counts = np.unique(table, axis=0, return_counts=True)
    l = [first_level, *(int(rng.integers(1, 4)) for _ in range(columns))]  # noqa: E741
    assume(all(np.bincount(table[:, j]).max() * l[j] <= people for j in range(columns + 1)))
    strata = find_strata(codes, counts, sizes, l)
    assert sorted(set(strata.stratum.tolist())) == list(range(strata.number))
    for stratum in range(strata.number):
        in_stratum = strata.stratum == stratum
        total = counts[in_stratum].sum()
        for j in range(columns + 1):
            largest_count = np.bincount(codes[in_stratum, j], weights=counts[in_stratum]).max()
            assert l[j] == 1 or largest_count * l[j] <= total
    # a row belongs to the stratum of its classes and to no other
    stratum_by_classes: dict[tuple[int, ...], int] = {}
    for row, stratum in zip(codes, strata.stratum, strict=True):
        classes = tuple(int(class_of_value[row[j]]) for j, class_of_value in enumerate(strata.classes, 1))
        assert stratum_by_classes.setdefault(classes, int(stratum)) == stratum
    for j, class_of_value in enumerate(strata.classes, 1):
        if l[j] == 1:
            assert set(class_of_value.tolist()) <= {0, -1}


def test_many_evenly_frequent_values_give_many_strata() -> None:
    rng = np.random.default_rng(0)
    table = np.stack([rng.integers(0, 20, 20_000), rng.integers(0, 40, 20_000)], axis=1)
    codes, counts = np.unique(table, axis=0, return_counts=True)
    strata = find_strata(codes, counts, [20, 40], [5, 4])
    assert strata.number >= 6
    assert all((strata.classes[0] == i).sum() >= 4 for i in range(strata.number))


def test_strata_are_the_same_for_the_same_counts() -> None:
    rng = np.random.default_rng(1)
    table = np.stack([rng.integers(0, 6, 300), rng.integers(0, 9, 300)], axis=1)
    codes, counts = np.unique(table, axis=0, return_counts=True)
    first, second = (find_strata(codes, counts, [6, 9], [3, 3]) for _ in range(2))
    assert np.array_equal(first.stratum, second.stratum)
