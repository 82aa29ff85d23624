"""The verbs on rows in memory: no order of the input survives, nobody is lost."""

from __future__ import annotations

import numpy as np
import pytest

import voile as vl
from voile.engines.memory_rows import MemoryRows, build_rows
from voile.tables.row_protocol import WITHHELD


@pytest.fixture
def rows() -> MemoryRows:
    columns = [np.array([1, 0, 1, 0, 1]), np.array([2, 2, 2, 0, 0])]
    return build_rows(["a", "b"], columns, [2, 3])


def test_equal_rows_are_kept_once_in_rising_order(rows: MemoryRows) -> None:
    assert rows.codes.tolist() == [[0, 0], [0, 2], [1, 0], [1, 2]]
    assert rows.weights.tolist() == [1, 1, 1, 2]
    assert rows.total == 5


def test_the_order_of_the_input_is_gone() -> None:
    rng = np.random.default_rng(0)
    columns = [rng.integers(0, 9, 500), rng.integers(0, 70_000, 500)]
    shuffled = rng.permutation(500)
    first = build_rows(["a", "b"], columns, [9, 70_000])
    second = build_rows(["a", "b"], [column[shuffled] for column in columns], [9, 70_000])
    assert np.array_equal(first.codes, second.codes)
    assert np.array_equal(first.weights, second.weights)


@pytest.mark.parametrize("names", [["a"], ["b"], ["b", "a"], ["a", "b"]])
def test_histograms_count_any_columns(rows: MemoryRows, names: list[str]) -> None:
    table = rows.histogram(names)
    assert table.total == 5
    expected: dict[tuple[int, ...], int] = {}
    for code, weight in zip(rows.codes.tolist(), rows.weights.tolist(), strict=True):
        cell = tuple(code["ab".index(name)] for name in names)
        expected[cell] = expected.get(cell, 0) + weight
    assert dict(zip(map(tuple, table.codes.tolist()), table.counts.tolist(), strict=True)) == dict(
        sorted(expected.items())
    )


def test_withheld_rows_leave_and_groups_are_renumbered(rows: MemoryRows) -> None:
    placed = rows.place(rows.histogram(["a"]), np.array([WITHHELD, 7]))
    assert placed.total == 3
    assert placed.groups == 1


def test_dealt_rows_add_up(rows: MemoryRows) -> None:
    table = rows.histogram(["a", "b"])
    dealt = rows.deal(table, np.array([0, 1, 2, 3, 3]), np.array([0, 1, 0, 1, 0]), np.ones(5, np.int64))
    assert dealt.total == 5
    group, inside = dealt.count_by_group(["b"])
    assert group.tolist() == [0, 0, 1]
    assert inside.counts.tolist() == [2, 1, 2]


def test_members_and_extents_of_groups(rows: MemoryRows) -> None:
    placed = rows.place(rows.histogram(["a"]), np.array([1, 0]))
    starts, members = placed.list_codes("b")
    assert [part.tolist() for part in np.split(members, starts[1:-1])] == [[0, 2], [0, 2]]
    low, high = placed.find_extents("b")
    assert (low.tolist(), high.tolist()) == ([0, 0], [2, 2])


def test_everybody_gets_a_code_of_their_own(rows: MemoryRows) -> None:
    table = rows.histogram(["a", "b"])
    grouped = rows.place(table, np.array([0, 0, 1, 1]))
    new = np.array([1, 2, 0, 1, 2])
    moved = grouped.rewrite(table, "b", new)
    assert np.repeat(moved.codes, moved.weights, axis=0).tolist() == [[0, 1], [0, 2], [1, 0], [1, 1], [1, 2]]
    assert moved.count_people().tolist() == grouped.count_people().tolist() == [2, 3]
    assert moved.pick(np.array([1, 2]), "b").tolist() == [2, 2]
    assert grouped.pick(np.array([0, 1]), "b").tolist() == [0, 2]
    assert grouped.codes[:, 1].tolist() == [0, 2, 0, 2]  # the old rows are as they were


def test_extents_of_ranks(rows: MemoryRows) -> None:
    grouped = rows.place(rows.histogram(["a"]), np.array([0, 1]))
    low, high = grouped.find_extents("b", np.array([2, 1, 0]))
    assert (low.tolist(), high.tolist()) == ([0, 0], [2, 2])


def test_rows_have_no_telling_repr(rows: MemoryRows) -> None:
    assert "array" not in repr(rows.with_key(vl.Key(bytes(32))))


def test_revalue_changes_as_many_rows_as_asked_and_no_other() -> None:
    rng = np.random.default_rng(4)
    columns = [rng.integers(0, 3, 400), rng.integers(0, 4, 400), rng.integers(0, 2, 400)]
    plain = build_rows(["q", "s", "o"], columns, [3, 4, 2]).with_key(vl.Key(bytes(32)))
    table = plain.histogram(["q"])
    rows = plain.place(table, np.array([0, 1, 1]))
    groups, old, new, counts = np.array([0, 0, 1]), np.array([2, 2, 0]), np.array([0, 3, 1]), np.array([4, 3, 90])

    def tally(rows: MemoryRows) -> dict[tuple[int, ...], int]:
        group, found = rows.count_by_group(["s"])
        return {(int(g), int(c)): int(n) for g, c, n in zip(group, found.codes[:, 0], found.counts, strict=True)}

    changed = rows.revalue("s", groups, old, new, counts)
    before, after = tally(rows), tally(changed)
    moved = dict(before)
    for group, source, target, many in zip(groups, old, new, counts, strict=True):
        many = min(int(many), before[int(group), int(source)])
        moved[int(group), int(source)] -= many
        moved[int(group), int(target)] += many
    assert after == {place: many for place, many in moved.items() if many}
    assert changed.histogram(["q"]).counts.tolist() == rows.histogram(["q"]).counts.tolist()
    assert np.array_equal(changed.codes, changed.codes[np.lexsort(changed.codes.T[::-1])])  # still in rising order
    assert np.array_equal(changed.codes, rows.revalue("s", groups, old, new, counts).codes)
    other = rows.with_key(vl.Key(b"\1" * 32)).revalue("s", groups, old, new, counts)
    assert tally(other) == after
    assert not np.array_equal(
        np.repeat(other.codes, other.weights, axis=0), np.repeat(changed.codes, changed.weights, axis=0)
    )


def test_revalue_of_nothing_changes_nothing() -> None:
    rows = build_rows(["q", "s"], [np.array([0, 1]), np.array([1, 0])], [2, 2]).with_key(vl.Key(bytes(32)))
    rows = rows.place(rows.histogram(["q"]), np.array([0, 1]))
    none = np.zeros(0, dtype=np.int64)
    same = rows.revalue("s", none, none, none, none)
    assert np.array_equal(same.codes, rows.codes)
    assert same.total == rows.total


def test_rows_too_wide_for_one_number_stay_in_order() -> None:
    rng = np.random.default_rng(1)
    names = [f"c{n}" for n in range(9)]
    wide = build_rows(names, [rng.integers(0, 500, 60) for _ in names], [500] * 9).with_key(vl.Key(bytes(32)))
    wide = wide.place(wide.histogram(names), np.zeros(60, dtype=np.int64))
    code = int(wide.codes[0, 8])
    changed = wide.revalue("c8", np.array([0]), np.array([code]), np.array([(code + 1) % 500]), np.array([1]))
    assert np.array_equal(changed.codes, changed.codes[np.lexsort(changed.codes.T[::-1])])
