"""Who fits which box, against asking everybody."""

from __future__ import annotations

import numpy as np
import oracle
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from voile.kernels import box_matching as kernel


def matrices(boxes: list[list[set[int]]], sizes: list[int]) -> list[sparse.csr_matrix]:
    found = []
    for d, size in enumerate(sizes):
        dense = np.zeros((len(boxes), size))
        for number, box in enumerate(boxes):
            dense[number, list(box[d])] = 1
        found.append(sparse.csr_matrix(dense))
    return found


@given(st.integers(0, 2**32), st.sampled_from([0, 1, 7, 8, 9, 40]), st.sampled_from([0, 1, 30]), st.booleans())
def test_people(seed: int, number: int, crowd: int, intervals: bool) -> None:
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 9, rng.integers(1, 4)).tolist()
    boxes = []
    for _ in range(number):
        cells = []
        for size in sizes:
            if intervals:
                low, high = sorted(rng.integers(0, size, 2).tolist())
                cells.append(set(range(low, high + 1)))
            else:
                cells.append({code for code in range(size) if rng.random() < 0.5})  # may be empty: nobody fits
        boxes.append(cells)
    people = np.stack([rng.integers(0, size, crowd) for size in sizes], axis=1)
    weights = rng.integers(1, 5, crowd)
    found = kernel.count_fitting(matrices(boxes, sizes), people.astype(np.uint16), weights)
    assert found.tolist() == oracle.people_fitting(boxes, [tuple(row) for row in people.tolist()], weights)
    for person, owner in zip(people.tolist(), kernel.find_owners(matrices(boxes, sizes), people), strict=True):
        alone = oracle.people_fitting(boxes, [tuple(person)], [1])
        assert owner == (alone.index(1) if sum(alone) == 1 else kernel.SEVERAL if any(alone) else kernel.NONE)


def test_many_equal_boxes_do_not_overflow_the_stack() -> None:
    """5,000 boxes that all hold everybody."""
    boxes = [sparse.csr_matrix(np.ones((5000, 3)))]
    found = kernel.count_fitting(boxes, np.array([[0], [2]]), np.array([2, 3]))
    assert found.tolist() == [5] * 5000


def test_columns_with_unsorted_indices() -> None:
    unsorted = sparse.csr_matrix((np.ones(3), np.array([2, 0, 1]), np.array([0, 3])), shape=(1, 4))
    assert kernel.count_fitting([unsorted], np.array([[0], [1], [2], [3]]), np.ones(4, dtype=np.int64)).tolist() == [3]


@pytest.mark.parametrize("code", [0, 99_999])
def test_many_codes(code: int) -> None:
    box = sparse.csr_matrix(([1.0], ([0], [code])), shape=(1, 100_000))
    people = np.array([[0], [50_000], [99_999]], dtype=np.uint32)
    assert kernel.count_fitting([box], people, np.array([1, 1, 1])).tolist() == [1]


@given(st.integers(0, 2**32), st.sampled_from([0, 1, 9, 30]), st.sampled_from([0, 1, 9, 30]))
def test_overlaps(seed: int, number: int, others: int) -> None:
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 9, rng.integers(1, 4)).tolist()
    some, more = (
        [[{code for code in range(size) if rng.random() < 0.4} for size in sizes] for _ in range(many)]
        for many in (number, others)
    )
    first, second = kernel.find_overlaps(matrices(some, sizes), matrices(more, sizes), 10**6)
    expected = {
        (i, j)
        for i, box in enumerate(some)
        for j, other in enumerate(more)
        if all(a & b for a, b in zip(box, other, strict=True))
    }
    assert sorted(zip(first.tolist(), second.tolist(), strict=True)) == sorted(expected)
    few, _ = kernel.find_overlaps(matrices(some, sizes), matrices(more, sizes), 3)
    assert len(few) == min(3, len(expected))
