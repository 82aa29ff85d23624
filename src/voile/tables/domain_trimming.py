"""Remove values that no published row has, so that a release does not mention the values of withheld rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np

from voile.tables.domain import Domain, narrow_categories
from voile.tables.row_protocol import Table
from voile.tables.schema import Column, Columns

AnyTable = TypeVar("AnyTable", bound=Table)


def find_used_codes(columns: Iterable[Column], rows: Table) -> dict[str, np.ndarray]:
    """Return the codes that occur in each column. A declared domain is public and stays, so its column is left out."""
    return {
        column.name: rows.histogram([column.name]).codes[:, 0].astype(np.int64)
        for column in columns
        if not column.domain.declared
    }


def trim_columns(columns: Columns, used: Mapping[str, np.ndarray]) -> tuple[Columns, dict[str, np.ndarray]]:
    """Remove the values that no row has; return the columns, and the code maps of those that lost values."""
    used = {name: codes for name, codes in used.items() if len(codes) < columns[name].size}
    code_maps = {}
    for name, codes in used.items():
        code_maps[name] = np.zeros(columns[name].size, dtype=np.int64)
        code_maps[name][codes] = np.arange(len(codes))
    trimmed: dict[str, Any] = {
        role: tuple(trim_column(c, used[c.name]) if c.name in used else c for c in getattr(columns, role))
        for role in ("quasi", "sensitive", "other")
    }
    return replace(columns, **trimmed), code_maps


def trim_unused_values(columns: Columns, rows: AnyTable) -> tuple[Columns, AnyTable]:
    """Remove values that no row has, from the columns and the codes of the rows."""
    trimmed, code_maps = trim_columns(columns, find_used_codes(columns, rows))
    return trimmed, rows.recode(code_maps) if code_maps else rows


def trim_column(column: Column, used: np.ndarray) -> Column:
    """Return a column with these codes only. A declared domain stays."""
    if column.domain.declared or len(used) == column.size:
        return column
    domain, hierarchy = column.domain, column.hierarchy
    present = used[used < len(domain.values)]  # without the code of missing cells
    trimmed = Domain(narrow_categories(domain.values.gather(present)), domain.kind, len(present) < len(used))
    return replace(column, domain=trimmed, hierarchy=hierarchy.trim(domain, used) if hierarchy is not None else None)
