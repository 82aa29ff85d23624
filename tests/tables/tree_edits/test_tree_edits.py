"""Trees edited by hand: every edit keeps the values, and every result is a hierarchy."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import voile as vl
from voile.errors import SchemaError
from voile.tables.tree_edits.nested_labels import list_paths, unfold_tree

WORLD = {"Europe": {"West": ["FR", "IT"], "East": ["PL"]}, "Asia": ["JP", "TR"]}
VALUES = ["FR", "IT", "JP", "PL", "TR"]


def fit(nested: Any) -> list[list[str]]:
    """Read a column with the tree; this raises unless it is a hierarchy of all values."""
    table = pl.DataFrame({"country": VALUES})
    column = vl.read(table, vl.Schema(quasi=["country"], hierarchies={"country": vl.tree(nested)})).columns["country"]
    assert column.hierarchy is not None
    return column.hierarchy.rows()


def test_a_value_moves_into_another_group() -> None:
    moved = vl.move_labels(WORLD, [("Asia", "TR")], to=("Europe", "East"))
    assert moved == {"Europe": {"West": ["FR", "IT"], "East": ["PL", "TR"]}, "Asia": ["JP"]}
    assert ["TR", "East", "Europe", "*"] in fit(moved)
    assert WORLD["Asia"] == ["JP", "TR"]  # the tree before is still there


def test_an_emptied_group_goes_with_the_groups_above_it() -> None:
    flat = vl.move_labels(
        WORLD, [("Europe", "West", "FR"), ("Europe", "West", "IT"), ("Europe", "East", "PL")], ("Asia",)
    )
    assert flat == {"Asia": ["JP", "TR", "FR", "IT", "PL"]}


def test_labels_move_to_the_top() -> None:
    moved = vl.move_labels(WORLD, [("Europe", "West"), ("Asia", "JP")])
    assert moved == {"Europe": {"East": ["PL"]}, "Asia": ["TR"], "West": ["FR", "IT"], "JP": ["JP"]}
    fit(moved)


def test_a_group_moves_among_values() -> None:
    moved = vl.move_labels(WORLD, [("Europe", "East")], to=("Asia",))
    assert moved == {"Europe": {"West": ["FR", "IT"]}, "Asia": {"JP": ["JP"], "TR": ["TR"], "East": ["PL"]}}
    fit(moved)


def test_groups_are_renamed_in_their_place() -> None:
    assert [*vl.rename_group(WORLD, ("Europe",), " Old world ")] == ["Old world", "Asia"]
    assert vl.rename_group(WORLD, ("Asia",), "Asia") == WORLD


def test_groups_are_merged_at_the_place_of_the_first() -> None:
    merged = vl.merge_groups(WORLD, [("Europe", "East"), ("Asia",)])
    assert merged == {"Europe": {"West": ["FR", "IT"], "East": ["PL", "JP", "TR"]}}
    fit(merged)
    assert vl.merge_groups(WORLD, [("Asia",), ("Europe", "East")], "East") == {
        "Europe": {"West": ["FR", "IT"]},
        "East": ["JP", "TR", "PL"],
    }


def test_merged_values_make_a_group() -> None:
    flat = {"*": VALUES}
    merged = vl.merge_groups(flat, [("JP",), ("TR",)], "Asia")
    assert merged == {"FR": ["FR"], "IT": ["IT"], "Asia": ["JP", "TR"], "PL": ["PL"]}
    fit(merged)


@pytest.mark.parametrize(
    ("edit", "words"),
    [
        (lambda: vl.move_labels(WORLD, []), "Too few labels"),
        (lambda: vl.move_labels(WORLD, [("Africa",)]), "no such label"),
        (lambda: vl.move_labels(WORLD, [("Europe",)], ("Europe", "West")), "into itself"),
        (lambda: vl.move_labels(WORLD, [("Europe",)], ("Asia", "JP")), "into groups only"),
        (lambda: vl.move_labels(WORLD, [()]), "root"),
        (lambda: vl.rename_group(WORLD, ("Asia", "JP"), "Japan"), "value of the table"),
        (lambda: vl.rename_group(WORLD, ("Asia",), "Europe"), "has this name"),
        (lambda: vl.rename_group(WORLD, ("Asia",), "FR"), "has this name"),
        (lambda: vl.rename_group(WORLD, ("Asia",), "  "), "no name"),
        (lambda: vl.rename_group(WORLD, ("Asia",), "a\nb"), "no name"),
        (lambda: vl.rename_group(WORLD, ("Asia",), "*"), "meaning of its own"),
        (lambda: vl.rename_group(WORLD, ("Asia",), "(missing)"), "meaning of its own"),
        (lambda: vl.merge_groups(WORLD, [("Europe",), ("Europe", "West")]), "Too few labels"),
        (lambda: vl.merge_groups(WORLD, [("Asia", "JP"), ("Asia", "TR")]), "no name"),
        (lambda: vl.merge_groups(WORLD, [("Asia", "JP"), ("Asia", "TR")], "JP"), "has this name"),
    ],
)
def test_impossible_edits_are_refused(edit: Any, words: str) -> None:
    with pytest.raises(SchemaError, match=words) as refused:
        edit()
    assert refused.value.hint


def test_a_set_says_what_it_stands_for_after_an_edit() -> None:
    sets = {"{FR|IT}": ["FR", "IT"], "{JP|PL}": ["JP", "PL"], "TR": ["TR"]}
    moved = vl.move_labels(sets, [("{FR|IT}", "IT"), ("TR",)], to=("{JP|PL}",))
    assert moved == {"FR": ["FR"], "{JP|PL|IT|TR}": ["JP", "PL", "IT", "TR"]}
    fit(moved)
    assert [*vl.merge_groups(sets, [("{FR|IT}",), ("{JP|PL}",)])] == ["{FR|IT|JP|PL}", "TR"]
    named = {"{rich|poor}": ["FR", "IT"], "others": ["JP", "PL", "TR"]}
    assert [*vl.move_labels(named, [("others", "TR")], to=("{rich|poor}",))] == ["{rich|poor}", "others"]


def test_groups_of_one_name_never_meet() -> None:
    twice = {"A": {"x": {"y": ["FR"]}, "u": {"v": ["IT"]}}, "B": {"w": {"x": ["JP"]}, "q": {"r": ["PL", "TR"]}}}
    fit(twice)
    with pytest.raises(SchemaError, match="of the same name"):
        vl.move_labels(twice, [("B", "w", "x")], ("A",))


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_edits_in_any_order_leave_a_hierarchy(data: Any) -> None:
    nested: Any = WORLD
    for number in range(6):
        labels = [*list_paths(unfold_tree(nested))]
        paths, groups = [path for path, _ in labels], [(), *(path for path, is_group in labels if is_group)]
        chosen = data.draw(st.lists(st.sampled_from(paths), min_size=1, max_size=3))
        to, name = data.draw(st.sampled_from(groups)), data.draw(st.sampled_from(["", "East", "FR", f"new {number}"]))
        edit = data.draw(st.sampled_from(["move", "rename", "merge"]))
        try:
            if edit == "move":
                nested = vl.move_labels(nested, chosen, to)
            elif edit == "rename":
                nested = vl.rename_group(nested, chosen[0], name)
            else:
                nested = vl.merge_groups(nested, chosen, name)
        except SchemaError:
            continue
        assert sorted(row[0] for row in fit(nested)) == VALUES
