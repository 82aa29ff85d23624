"""A process that dies at a chosen step of the file system: from then on nothing it does reaches the disk any more."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow.parquet as pq
import pytest

from voile.io.release_folder import folder_replacement

# Every call of voile that changes the disk, by who makes it
_OS = ("mkdir", "open", "rename", "replace", "unlink", "remove", "rmdir", "fsync", "utime", "chmod", "write", "link")
_OTHERS: tuple[tuple[Any, str], ...] = (
    (Path, "write_text"),
    (pl.DataFrame, "write_parquet"),
    (pl.DataFrame, "write_csv"),
    (pq.ParquetWriter, "write_table"),
    (shutil, "copy2"),
    (folder_replacement, "_exchange_names"),
)


class Died(BaseException):
    """The process is dead."""


class Steps:
    """Counts the steps of a process, which dies before step `last`; `names` lists the steps it did."""

    def __init__(self, last: int | None) -> None:
        self.last, self.names, self.dead = last, list[str](), False

    def wrap(self, name: str, work: Callable[..., Any]) -> Callable[..., Any]:
        def step(*arguments: Any, **keywords: Any) -> Any:
            if self.dead or len(self.names) == self.last:
                self.dead = True
                raise Died
            self.names.append(name)
            return work(*arguments, **keywords)

        return step


@contextmanager
def dying(last: int | None = None, *, exchange: bool = True) -> Iterator[Steps]:
    """Die before step number `last`, or never. Without `exchange`, the file system cannot swap two names."""
    steps = Steps(last)
    with pytest.MonkeyPatch.context() as patch:
        if not exchange:
            patch.setattr(folder_replacement, "_exchange_names", lambda first, second: False)
        for name in _OS:
            patch.setattr(os, name, steps.wrap(name, getattr(os, name)))
        for owner, name in _OTHERS:
            patch.setattr(owner, name, steps.wrap(name, getattr(owner, name)))
        yield steps
