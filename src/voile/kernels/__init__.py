"""Loops on arrays. A kernel takes arrays and returns arrays, imports nothing from voile, and has a slow twin in
tests/oracle.py. Modules are imported when a kernel is first asked for, so that `voile --help` never loads numba."""

from __future__ import annotations

import importlib
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from voile.kernels import (
        alter,
        compatible,
        deal,
        distance,
        distinct,
        divide,
        exclude,
        gather,
        hide,
        match,
        matching,
        merge,
        posterior,
        query,
        regions,
        rules,
        specialise,
        split,
        tree,
        worlds,
    )

__all__ = [
    "alter",
    "compatible",
    "deal",
    "distance",
    "distinct",
    "divide",
    "exclude",
    "gather",
    "hide",
    "match",
    "matching",
    "merge",
    "posterior",
    "query",
    "regions",
    "rules",
    "specialise",
    "split",
    "tree",
    "worlds",
]


def __getattr__(name: str) -> ModuleType:
    if name in __all__:
        return importlib.import_module(f"voile.kernels.{name}")
    raise AttributeError(name)
