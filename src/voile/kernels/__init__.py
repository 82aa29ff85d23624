"""Compiled loops on arrays that several rooms share; a loop with one owner lives in that owner's folder.

A kernel takes arrays and returns arrays, imports nothing else from voile, and has a slow twin in tests/oracle. Kernels
are imported when the first of their functions is asked for, so that `voile --help` never loads numba.
"""

from __future__ import annotations

import importlib
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from voile.kernels import box_matching, dealing, distinct_rows, group_scans, posterior, query_counts, tree_cuts

__all__ = ["box_matching", "dealing", "distinct_rows", "group_scans", "posterior", "query_counts", "tree_cuts"]


def __getattr__(name: str) -> ModuleType:
    if name in __all__:
        return importlib.import_module(f"voile.kernels.{name}")
    raise AttributeError(name)


class _LazyKernel:
    """Stands for a module until one of its attributes is asked for."""

    def __init__(self, module: str) -> None:
        self._module = module

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(importlib.import_module(self._module), name)


def lazy_kernel(module: str) -> Any:
    """Return a stand-in for a module of compiled loops that imports it on first use."""
    return _LazyKernel(module)
