"""The border to libraries that read tables: whatever they raise becomes one error of ours.

polars reports some faults as a panic, which is no Exception, and writes it to the standard error by itself; both may
quote a cell.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import polars as pl

from voile.errors import VoileError

LIBRARY_FAULTS = (Exception, pl.exceptions.PanicException)
_lock = threading.Lock()
_silenced: list[int] = []  # one saved handle of the standard error per block that is silent now


@contextmanager
def library_border(fault: VoileError) -> Iterator[None]:
    """Raise `fault` for any error or panic of a library in this block; errors of ours pass."""
    is_faulty = False
    with _silent_panics():
        try:
            yield
        except VoileError:
            raise
        except LIBRARY_FAULTS as error:
            forget_words(error)
            is_faulty = True
    if is_faulty:
        raise fault from None


def forget_words(error: BaseException | None) -> None:
    """Take the words out of a library's error, which may quote a cell: it travels along as the context of ours."""
    while error is not None:
        error.args = ()
        error = error.__cause__ or error.__context__


@contextmanager
def _silent_panics() -> Iterator[None]:
    """Send what native code writes to the standard error nowhere. Blocks of several threads may overlap: the first one
    turns it off, the last one turns it on again."""
    try:
        with _lock:
            _silenced.append(os.dup(2))
            if len(_silenced) == 1:
                nowhere = os.open(os.devnull, os.O_WRONLY)
                os.dup2(nowhere, 2)
                os.close(nowhere)
    except OSError:  # there is no standard error
        yield
        return
    try:
        yield
    finally:
        with _lock:
            if len(_silenced) == 1:
                os.dup2(_silenced[0], 2)
            os.close(_silenced.pop())
