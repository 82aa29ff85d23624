"""Sorting inside kernels, compared with numpy's."""

from __future__ import annotations

import numpy as np

from voile.kernels import sorting


def test_values_are_ordered_as_numpy_orders_them() -> None:
    rng = np.random.default_rng(3)
    for size in (0, 1, 2, 7, 64, 65, 1000):
        for values in (rng.integers(0, max(size // 2, 1), size), rng.random(size).round(1)):
            assert sorting.order_values(values).tolist() == np.argsort(values, kind="stable").tolist()


def test_the_first_rows_of_a_doubled_table_are_those_of_the_table() -> None:
    table = np.arange(6).reshape(3, 2)
    doubled = sorting.double_rows(table)
    assert doubled.shape == (6, 2)
    assert doubled[:3].tolist() == table.tolist()
