"""Which people fit which box, compared with checking every person."""

from __future__ import annotations

import numpy as np
import oracle
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from voile.kernels import box_matching as kernel


def build_matrices(boxes: list[list[set[int]]], sizes: list[int]) -> list[sparse.csr_matrix]:
    matrices = []
    for d, size in enumerate(sizes):
        dense = np.zeros((len(boxes), size))
        for index, box in enumerate(boxes):
            dense[index, list(box[d])] = 1
        matrices.append(sparse.csr_matrix(dense))
    return matrices


@given(st.integers(0, 2**32), st.sampled_from([0, 1, 7, 8, 9, 40]), st.sampled_from([0, 1, 30]), st.booleans())
def test_boxes_hold_the_people_who_fit_every_cell(
    seed: int, box_count: int, person_count: int, intervals: bool
) -> None:
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 9, rng.integers(1, 4)).tolist()
    boxes = []
    for _ in range(box_count):
        cells = []
        for size in sizes:
            if intervals:
                low, high = sorted(rng.integers(0, size, 2).tolist())
                cells.append(set(range(low, high + 1)))
            else:
                cells.append({code for code in range(size) if rng.random() < 0.5})  # may be empty: nobody fits
        boxes.append(cells)
    people = np.stack([rng.integers(0, size, person_count) for size in sizes], axis=1)
    weights = rng.integers(1, 5, person_count)
    counts = kernel.count_fitting(build_matrices(boxes, sizes), people.astype(np.uint16), weights)
    assert counts.tolist() == oracle.people_fitting(boxes, [tuple(row) for row in people.tolist()], weights)
    for person, owner in zip(people.tolist(), kernel.find_owners(build_matrices(boxes, sizes), people), strict=True):
        fits = oracle.people_fitting(boxes, [tuple(person)], [1])
        assert owner == (fits.index(1) if sum(fits) == 1 else kernel.SEVERAL if any(fits) else kernel.NONE)


def test_many_equal_boxes_do_not_overflow_the_stack() -> None:
    """5,000 boxes that all hold everybody."""
    boxes = [sparse.csr_matrix(np.ones((5000, 3)))]
    counts = kernel.count_fitting(boxes, np.array([[0], [2]]), np.array([2, 3]))
    assert counts.tolist() == [5] * 5000


def test_column_indices_may_come_in_any_order() -> None:
    unsorted_matrix = sparse.csr_matrix((np.ones(3), np.array([2, 0, 1]), np.array([0, 3])), shape=(1, 4))
    people = np.array([[0], [1], [2], [3]])
    assert kernel.count_fitting([unsorted_matrix], people, np.ones(4, dtype=np.int64)).tolist() == [3]


@pytest.mark.parametrize("code", [0, 99_999])
def test_people_are_matched_in_a_column_of_many_codes(code: int) -> None:
    box = sparse.csr_matrix(([1.0], ([0], [code])), shape=(1, 100_000))
    people = np.array([[0], [50_000], [99_999]], dtype=np.uint32)
    assert kernel.count_fitting([box], people, np.array([1, 1, 1])).tolist() == [1]


@given(st.integers(0, 2**32), st.sampled_from([0, 1, 9, 30]), st.sampled_from([0, 1, 9, 30]))
def test_overlapping_boxes_are_paired_up_to_a_limit(seed: int, first_count: int, second_count: int) -> None:
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 9, rng.integers(1, 4)).tolist()
    first_boxes, second_boxes = (
        [[{code for code in range(size) if rng.random() < 0.4} for size in sizes] for _ in range(count)]
        for count in (first_count, second_count)
    )
    first_index, second_index = kernel.find_overlaps(
        build_matrices(first_boxes, sizes), build_matrices(second_boxes, sizes), 10**6
    )
    expected = {
        (i, j)
        for i, box in enumerate(first_boxes)
        for j, other_box in enumerate(second_boxes)
        if all(a & b for a, b in zip(box, other_box, strict=True))
    }
    assert sorted(zip(first_index.tolist(), second_index.tolist(), strict=True)) == sorted(expected)
    limited_index, _ = kernel.find_overlaps(build_matrices(first_boxes, sizes), build_matrices(second_boxes, sizes), 3)
    assert len(limited_index) == min(3, len(expected))
