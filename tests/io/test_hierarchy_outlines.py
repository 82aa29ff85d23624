"""Hierarchies as outlines that a person edits."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voile.errors import SchemaError
from voile.io import hierarchy_outlines
from voile.tables.hierarchy_builders import flatten_tree

LABELS = st.text(min_size=0, max_size=4)


@given(
    leaves=st.lists(LABELS, min_size=1, max_size=8, unique=True),
    picks=st.lists(st.integers(0, 2), min_size=8, max_size=8),
    names=st.lists(LABELS, min_size=3, max_size=3, unique=True),
)
def test_an_outline_round_trips(leaves: list[str], picks: list[int], names: list[str]) -> None:
    """Any labels: with spaces, quotes, line ends, or none at all."""
    rows = [[leaf, names[pick], "*"] for leaf, pick in zip(leaves, picks, strict=False)]
    drawn = hierarchy_outlines.render_outline(rows)
    again = flatten_tree("c", hierarchy_outlines.parse_outline(drawn, "c"))
    assert sorted(again) == sorted(row[:2] for row in rows)


def test_a_leaf_among_nodes_becomes_a_node_of_its_own() -> None:
    assert hierarchy_outlines.parse_outline("A\n  a\nb\n", "c") == {"A": ["a"], "b": ["b"]}


def test_leaves_alone_have_nothing_but_the_root_above_them() -> None:
    assert hierarchy_outlines.parse_outline("a\nb\n", "c") == {"*": ["a", "b"]}


@pytest.mark.parametrize(
    "text", ["  a\nb\n", "A\n  a\n  a\n", 'A\n  "a\n', "".join(" " * n + "a\n" for n in range(2_000))]
)
def test_no_tree(text: str) -> None:
    with pytest.raises(SchemaError, match="tree of 'c' cannot be read") as caught:
        hierarchy_outlines.parse_outline(text, "c")
    assert "two spaces" in caught.value.hint
