"""Top-down specialization, compared with its slow twin."""

from __future__ import annotations

import numpy as np
import oracle
from hypothesis import given
from hypothesis import strategies as st

from voile.kernels import lazy_module

specialization_kernel = lazy_module("voile.methods.perturbed_generalization.kernel.specialization")

tables = st.lists(
    st.tuples(st.tuples(st.integers(0, 4), st.integers(0, 3)), st.integers(0, 2)), min_size=2, max_size=25
)


@given(tables, st.integers(1, 4))
def test_leaves_equal_those_of_the_slow_twin(people: list[tuple[tuple[int, int], int]], smallest: int) -> None:
    codes = np.array([row for row, _ in people])
    values, weights = np.array([value for _, value in people]), np.ones(len(people), dtype=np.int64)
    ids = np.arange(len(people))
    ends = specialization_kernel.grow_tree(codes, values, weights, ids, smallest, 3, np.array([5, 4]))
    leaves = [sorted(people[i] for i in ids[low:high]) for low, high in zip([0, *ends], ends, strict=False)]
    assert leaves == [sorted(leaf) for leaf in oracle.specialised(people, smallest)]


def test_a_cut_counts_people_by_weight() -> None:
    codes, values = np.array([[0], [1]]), np.array([0, 1])
    ids = np.arange(2)
    assert len(specialization_kernel.grow_tree(codes, values, np.array([2, 3]), ids, 2, 2, np.array([2]))) == 2
    assert len(specialization_kernel.grow_tree(codes, values, np.array([1, 3]), ids, 2, 2, np.array([2]))) == 1
