"""Compiled loops on arrays that several packages share; a loop with one owner lives in that owner's folder.

A kernel takes arrays and returns arrays, imports nothing from voile but other kernels, and has a slow twin in
tests/oracle. It is compiled when it is first worth it (`compilation`), so most commands never load numba.
"""

from __future__ import annotations

import importlib
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from voile.kernels import (
        box_matching,
        column_codes,
        count_beliefs,
        dealing,
        distinct_rows,
        group_scans,
        packed_keys,
        people,
        posterior,
        query_counts,
        sorting,
        tree_cuts,
        world_walk,
    )

__all__ = [
    "box_matching",
    "column_codes",
    "count_beliefs",
    "dealing",
    "distinct_rows",
    "group_scans",
    "packed_keys",
    "people",
    "posterior",
    "query_counts",
    "sorting",
    "tree_cuts",
    "world_walk",
]


def __getattr__(name: str) -> ModuleType:
    if name in __all__:
        return importlib.import_module(f"voile.kernels.{name}")
    raise AttributeError(name)


class _LazyModule:
    """A stand-in for a module, imported when one of its attributes is first used."""

    def __init__(self, module: str) -> None:
        self._module = module

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        value = getattr(importlib.import_module(self._module), name)
        setattr(self, name, value)  # the next use finds it at once
        return value


def lazy_module(module: str) -> Any:
    """Return a stand-in for a module that takes long to import, e.g. "scipy.sparse"; it is imported on first use."""
    return _LazyModule(module)
