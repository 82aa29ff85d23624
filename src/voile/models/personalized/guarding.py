"""Guarding nodes: what each person does not want to be found out about their value, from a column of the table.

A guarding node is a value of a sensitive column or a label of its hierarchy. The column that names them is as private
as the values, so it is never published. Rows hold it as pairs of a value and a wish: a group's counts of such pairs
tell how many people have each value, and which wishes there are among them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import polars as pl

from voile.errors import DataError, option
from voile.tables.schema import Column
from voile.tables.value_text import TOP, format_value

NO_WISH = "none"  # as the slides write it; an empty cell means the same
LARGEST_PAIRS = 1 << 24  # pairs of a value and a wish


@dataclass(frozen=True, eq=False)
class GuardedColumn(Column):
    """A sensitive column together with the node that each person guards. The code of a pair is the code of the value
    times the number of wishes, plus the wish. Wish 0 is no wish, and `covers[w]` marks the values that wish w covers;
    `wishes` numbers the texts of the column of guarding nodes."""

    target: Column = field(kw_only=True)
    wishes: Mapping[str, int] = field(kw_only=True, repr=False)
    covers: np.ndarray = field(kw_only=True, repr=False)

    @property
    def size(self) -> int:
        return self.target.size * len(self.covers)

    @property
    def subject(self) -> Column:
        return self.target

    def number_wishes(self, texts: pl.Series) -> np.ndarray:
        """Return the wish of each text of the column, 0 for an empty one."""
        return np.array([self.wishes[_write_node(text)] for text in texts.to_list()], dtype=np.int64)

    def split_pairs(self, pairs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the value and the wish of each pair."""
        value, wish = np.divmod(pairs.astype(np.int64), len(self.covers))
        return value, wish


def build_guard(name: str, table: pl.DataFrame, target: Column) -> GuardedColumn:
    """Build a column of guarding nodes from its values and how often each occurs. DataError if a node is not in the
    hierarchy, or covers every value that there can be."""
    texts = [_write_node(value) for value in table["value"].to_list()]
    masks: dict[bytes, int] = {np.zeros(target.size, dtype=bool).tobytes(): 0}
    wishes, unknown, rootless = {"": 0}, 0, 0
    for text, count in zip(texts, table["count"].to_list(), strict=True):
        if text == TOP:
            rootless += count
        elif is_node(target, text):
            wishes[text] = masks.setdefault(_declared_below(target, text).tobytes(), len(masks))
        elif text == NO_WISH or not text:
            wishes[text] = 0
        else:
            unknown += count
    if unknown or rootless:
        raise _refuse_nodes(name, target.name, unknown, rootless)
    if target.size * len(masks) > LARGEST_PAIRS:
        raise DataError(
            f"Column {name!r} names {len(masks) - 1:,} guarding nodes for {target.size:,} values of {target.name!r}, "
            f"more than {LARGEST_PAIRS:,} pairs.",
            code="data.guarding",
            hint="Group the values first, so that people guard fewer nodes.",
        )
    covers = np.array([np.frombuffer(mask, dtype=bool) for mask in masks]).reshape(len(masks), target.size)
    return GuardedColumn(name, "guarding", target.domain, target=target, wishes=wishes, covers=covers)


def _refuse_nodes(name: str, target: str, unknown: int, rootless: int) -> DataError:
    if unknown:
        return DataError(
            f"{unknown:,} rows of {name!r} name a guarding node that is neither a value of {target!r} nor a label of "
            "its hierarchy.",
            code="data.guarding",
            hint=f"Give {target!r} a hierarchy that has these nodes, or correct their spelling. An empty cell means "
            "that a person guards nothing.",
        )
    return DataError(
        f"{rootless:,} rows of {name!r} guard every value of {target!r}, which no release can hide: everybody has one.",
        code="data.guarding",
        hint="Name a node below the top of the hierarchy.",
    )


def check_one_row_each(guards: Mapping[str, str], rows: int, people: int) -> None:
    """Refuse guarding nodes where somebody has several rows: which of their wishes counts would be left to chance."""
    if guards and rows > people:
        raise DataError(
            f"The table has {rows:,} rows of {people:,} people, and guarding nodes need one row per person.",
            code="data.guarding",
            hint=f"Keep one row of each person before reading the table, or leave {option('guarding')} out.",
        )


def is_node(column: Column, node: str) -> bool:
    """Whether a text names a value of a column or a label of its hierarchy, whether or not anybody has a value below
    it."""
    hierarchy = column.hierarchy
    declared = {} if hierarchy is None else hierarchy.declared
    return (
        bool(values_below(column, node).any())
        or node in declared
        or any(node in leaves for leaves in declared.values())
    )


def _declared_below(column: Column, node: str) -> np.ndarray:
    """Mark the values below a node, which may also be a label that the hierarchy declares and no level shows: fitted to
    few values, a hierarchy loses the levels that tell nothing apart."""
    is_below = values_below(column, node)
    declared = column.hierarchy.declared.get(node, ()) if column.hierarchy is not None else ()
    return np.asarray(is_below | np.array([text in declared for text in column.domain.labels], dtype=bool))


def values_below(column: Column, node: str) -> np.ndarray:
    """Mark the values of a column that lie below a node, which is a value itself or a label of the hierarchy."""
    is_below = np.array([text == node for text in column.domain.labels], dtype=bool)
    if column.hierarchy is not None:
        for level, labels in enumerate(column.hierarchy.labels):
            for node_index, label in enumerate(labels):
                if label == node:
                    is_below |= column.hierarchy.maps[level] == node_index
    return is_below


def list_nodes(column: Column) -> np.ndarray:
    """Return the values below every node of a column but the top one: one row per node, true where a value is in it."""
    nodes = [np.eye(column.size, dtype=bool)]
    if column.hierarchy is not None:
        for nodes_of_values, labels in zip(column.hierarchy.maps[:-1], column.hierarchy.labels[:-1], strict=True):
            nodes.append(np.arange(len(labels))[:, None] == nodes_of_values[None, :])
    return np.unique(np.concatenate(nodes), axis=0)


def _write_node(value: object) -> str:
    return "" if value is None else format_value(value).strip()
