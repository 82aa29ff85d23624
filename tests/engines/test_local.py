"""The verbs on rows in memory: no order of the input survives, nobody is lost."""

from __future__ import annotations

import numpy as np
import pytest

import voile as vl
from voile.core.rows import WITHHELD
from voile.engines.local import LocalRows, local_rows


@pytest.fixture
def rows() -> LocalRows:
    columns = [np.array([1, 0, 1, 0, 1]), np.array([2, 2, 2, 0, 0])]
    return local_rows(["a", "b"], columns, [2, 3])


def test_equal_rows_are_kept_once_in_rising_order(rows: LocalRows) -> None:
    assert rows.codes.tolist() == [[0, 0], [0, 2], [1, 0], [1, 2]]
    assert rows.weights.tolist() == [1, 1, 1, 2]
    assert rows.total == 5


def test_the_order_of_the_input_is_gone() -> None:
    rng = np.random.default_rng(0)
    columns = [rng.integers(0, 9, 500), rng.integers(0, 70_000, 500)]
    shuffled = rng.permutation(500)
    first = local_rows(["a", "b"], columns, [9, 70_000])
    second = local_rows(["a", "b"], [column[shuffled] for column in columns], [9, 70_000])
    assert np.array_equal(first.codes, second.codes)
    assert np.array_equal(first.weights, second.weights)


@pytest.mark.parametrize("names", [["a"], ["b"], ["b", "a"], ["a", "b"]])
def test_histograms_count_any_columns(rows: LocalRows, names: list[str]) -> None:
    table = rows.histogram(names)
    assert table.total == 5
    expected: dict[tuple[int, ...], int] = {}
    for code, weight in zip(rows.codes.tolist(), rows.weights.tolist(), strict=True):
        cell = tuple(code["ab".index(name)] for name in names)
        expected[cell] = expected.get(cell, 0) + weight
    assert dict(zip(map(tuple, table.codes.tolist()), table.counts.tolist(), strict=True)) == dict(
        sorted(expected.items())
    )


def test_withheld_rows_leave_and_groups_are_renumbered(rows: LocalRows) -> None:
    placed = rows.place(rows.histogram(["a"]), np.array([WITHHELD, 7]))
    assert placed.total == 3
    assert placed.groups == 1


def test_dealt_rows_add_up(rows: LocalRows) -> None:
    table = rows.histogram(["a", "b"])
    dealt = rows.deal(table, np.array([0, 1, 2, 3, 3]), np.array([0, 1, 0, 1, 0]), np.ones(5, np.int64))
    assert dealt.total == 5
    group, inside = dealt.grouped(["b"])
    assert group.tolist() == [0, 0, 1]
    assert inside.counts.tolist() == [2, 1, 2]


def test_members_and_extents_of_groups(rows: LocalRows) -> None:
    placed = rows.place(rows.histogram(["a"]), np.array([1, 0]))
    starts, members = placed.members("b")
    assert [part.tolist() for part in np.split(members, starts[1:-1])] == [[0, 2], [0, 2]]
    low, high = placed.extents("b")
    assert (low.tolist(), high.tolist()) == ([0, 0], [2, 2])


def test_everybody_gets_a_code_of_their_own(rows: LocalRows) -> None:
    table = rows.histogram(["a", "b"])
    grouped = rows.place(table, np.array([0, 0, 1, 1]))
    new = np.array([1, 2, 0, 1, 2])
    moved = grouped.rewrite(table, "b", new)
    assert np.repeat(moved.codes, moved.weights, axis=0).tolist() == [[0, 1], [0, 2], [1, 0], [1, 1], [1, 2]]
    assert moved.headcount().tolist() == grouped.headcount().tolist() == [2, 3]
    assert moved.pick(np.array([1, 2]), "b").tolist() == [2, 2]
    assert grouped.pick(np.array([0, 1]), "b").tolist() == [0, 2]
    assert grouped.codes[:, 1].tolist() == [0, 2, 0, 2]  # the old rows are as they were


def test_extents_of_ranks(rows: LocalRows) -> None:
    grouped = rows.place(rows.histogram(["a"]), np.array([0, 1]))
    low, high = grouped.extents("b", np.array([2, 1, 0]))
    assert (low.tolist(), high.tolist()) == ([0, 0], [2, 2])


def test_rows_have_no_telling_repr(rows: LocalRows) -> None:
    assert "array" not in repr(rows.keyed(vl.Key(bytes(32))))
