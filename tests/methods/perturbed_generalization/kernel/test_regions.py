"""Regions around the leaves of a split tree, compared with checking every point."""

from __future__ import annotations

import numpy as np
import oracle
from hypothesis import given
from hypothesis import strategies as st

from voile.kernels import lazy_module

region_kernel = lazy_module("voile.methods.perturbed_generalization.kernel.regions")


@st.composite
def leaves(draw: st.DrawFn) -> tuple[list[int], list[list[tuple[int, int]]]]:
    """A random split tree: the sizes of the columns, and the extents of the people in each leaf, in order."""
    sizes = draw(st.lists(st.integers(1, 6), min_size=1, max_size=3))

    def cut(box: list[tuple[int, int]], depth: int) -> list[list[tuple[int, int]]]:
        cuttable_columns = [d for d, (low, high) in enumerate(box) if high > low]
        if not depth or not cuttable_columns or draw(st.integers(0, 3)) == 0:
            return [box]
        d = draw(st.sampled_from(cuttable_columns))
        last_code = draw(st.integers(box[d][0], box[d][1] - 1))
        left, right = list(box), list(box)
        left[d], right[d] = (box[d][0], last_code), (last_code + 1, box[d][1])
        return cut(left, depth - 1) + cut(right, depth - 1)

    boxes = cut([(0, size - 1) for size in sizes], 5)
    extents = []
    for box in boxes:  # the people of a leaf may fill only a part of it
        ends = [sorted(draw(st.tuples(st.integers(low, high), st.integers(low, high)))) for low, high in box]
        extents.append([(low, high) for low, high in ends])
    return sizes, extents


def narrow_regions(sizes: list[int], extents: list[list[tuple[int, int]]]) -> tuple[bool, np.ndarray, np.ndarray]:
    low, high = (np.array([[box[d][end] for box in extents] for d in range(len(sizes))]) for end in (0, 1))
    region_low = np.zeros_like(low)
    region_high = np.zeros_like(high) + np.array(sizes).reshape(-1, 1) - 1
    are_separable = region_kernel.narrow_regions(low, high, region_low, region_high)
    return are_separable, region_low, region_high


@given(leaves())
def test_regions_tile_and_hold_their_people(tree: tuple[list[int], list[list[tuple[int, int]]]]) -> None:
    sizes, extents = tree
    are_separable, low, high = narrow_regions(sizes, extents)
    assert are_separable
    boxes = [[set(range(low[d, leaf], high[d, leaf] + 1)) for d in range(len(sizes))] for leaf in range(len(extents))]
    assert oracle.tiling(boxes, sizes)
    for box, extents_of_leaf in zip(boxes, extents, strict=True):
        assert all({first, last} <= cell for cell, (first, last) in zip(box, extents_of_leaf, strict=True))


def test_leaves_that_no_cut_separates_are_reported() -> None:
    assert not narrow_regions([4], [[(0, 2)], [(1, 3)]])[0]
