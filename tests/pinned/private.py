"""The only place that knows a module of voile which is not public.

A table is divided into parts above about a million people, and read from disk in chunks of about a million rows. To
see that with a small table, these two numbers are made small. Where they move or are renamed, change PLACES alone.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from contextlib import contextmanager

# (module, name, the number while it is small)
PLACES = (
    ("voile.tables.partition_tree", "LARGEST_PART", 400),  # people in a part, at most
    ("voile.engines.base", "CHUNK_ROWS", 450),  # rows of a chunk
)


@contextmanager
def small_parts() -> Iterator[None]:
    """Parts and chunks so small that a table of 1,500 rows has several."""
    kept = []
    for module, name, number in PLACES:
        home = importlib.import_module(module)
        kept.append((home, name, getattr(home, name)))
        setattr(home, name, number)
    try:
        yield
    finally:
        for home, name, number in kept:
            setattr(home, name, number)
