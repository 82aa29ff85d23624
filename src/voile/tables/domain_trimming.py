"""After rows were withheld, nothing that is published may speak of them: domains shrink to the values that are left."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from voile.tables.domain import Domain
from voile.tables.hierarchy import Hierarchy
from voile.tables.row_protocol import Rows
from voile.tables.schema import Column, Columns


def find_used_codes(columns: Columns, rows: Rows) -> dict[str, np.ndarray]:
    """The codes that occur. A declared domain is public and stays."""
    return {
        column.name: rows.histogram([column.name]).codes[:, 0].astype(np.int64)
        for column in columns
        if not column.domain.declared
    }


def trim_columns(columns: Columns, used: Mapping[str, np.ndarray]) -> tuple[Columns, dict[str, np.ndarray]]:
    """Columns without the values that no row has, and what becomes of the codes of those that lost some."""
    used = {name: codes for name, codes in used.items() if len(codes) < columns[name].size}
    moved = {}
    for name, codes in used.items():
        moved[name] = np.zeros(columns[name].size, dtype=np.int64)
        moved[name][codes] = np.arange(len(codes))
    fewer = {
        role: tuple(_column(c, used[c.name]) if c.name in used else c for c in getattr(columns, role))
        for role in ("quasi", "sensitive", "other")
    }
    return Columns(**fewer), moved


def trim_unused_values(columns: Columns, rows: Rows) -> tuple[Columns, Rows]:
    """Remove values that no row has, from the columns and the codes of the rows."""
    fewer, code_map = trim_columns(columns, find_used_codes(columns, rows))
    return fewer, rows.recode(code_map) if code_map else rows


def _column(column: Column, used: np.ndarray) -> Column:
    domain = column.domain
    known = used[used < len(domain.values)]
    fewer = Domain(domain.values.gather(known), domain.kind, len(known) < len(used))
    return replace(column, domain=fewer, hierarchy=_hierarchy(column.hierarchy, used))


def _hierarchy(hierarchy: Hierarchy | None, used: np.ndarray) -> Hierarchy | None:
    """The same levels over fewer leaves; heights stay, because distances are measured in levels."""
    if hierarchy is None:
        return None
    maps, labels = [], []
    for level in range(hierarchy.height + 1):
        nodes, inverse = np.unique(hierarchy.maps[level][used], return_inverse=True)
        maps.append(inverse)
        labels.append(tuple(hierarchy.labels[level][node] for node in nodes))
    return Hierarchy(tuple(maps), tuple(labels))
