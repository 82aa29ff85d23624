"""A tree of cuts applied to rows, compared with following the cuts row by row."""

from __future__ import annotations

import numpy as np
import oracle
from hypothesis import given
from hypothesis import strategies as st

from voile.kernels import tree_cuts


@st.composite
def trees(draw: st.DrawFn) -> tuple[np.ndarray, ...]:
    """Rows of codes, and a random tree over two columns with random cutting orders."""
    rows = draw(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 6), st.integers(0, 2)), min_size=1, max_size=40))
    ranks = [draw(st.permutations(range(5))), draw(st.permutations(range(7)))]
    column, cut, left = [-1], [-1], [-1]
    for _ in range(draw(st.integers(0, 4))):
        leaf = draw(st.sampled_from([node for node, column_of_node in enumerate(column) if column_of_node < 0]))
        column[leaf] = draw(st.integers(0, 1))
        cut[leaf] = draw(st.integers(0, 5))
        left[leaf] = len(column)
        column += [-1, -1]
        cut += [-1, -1]
        left += [-1, -1]
    offset = np.array([0, 5, 12])
    codes = np.array(rows, dtype=np.uint8)
    return codes, np.array([0, 1]), offset, np.concatenate(ranks), np.array(column), np.array(cut), np.array(left)


@given(trees())
def test_every_row_reaches_the_leaf_that_its_cuts_lead_to(tree: tuple[np.ndarray, ...]) -> None:
    assert tree_cuts.find_leaves(*tree).tolist() == oracle.leaves(*tree)


@given(trees(), st.data())
def test_leaf_profiles_count_the_codes_of_their_rows(tree: tuple[np.ndarray, ...], data: st.DataObject) -> None:
    codes = tree[0]
    leaf = tree_cuts.find_leaves(*tree)
    weights = np.array(data.draw(st.lists(st.integers(1, 5), min_size=len(codes), max_size=len(codes))))
    chosen_nodes = data.draw(st.lists(st.sampled_from(range(len(tree[4]))), unique=True, min_size=1))
    slot = np.full(len(tree[4]), -1)
    slot[chosen_nodes] = np.arange(len(chosen_nodes))
    columns, offset = np.array([2, 0]), np.array([0, 3, 8])
    profiles = tree_cuts.count_leaf_codes(codes, weights, columns, offset, leaf, slot, len(chosen_nodes))
    assert profiles.tolist() == oracle.profile(codes, weights, columns, offset, leaf, chosen_nodes)
