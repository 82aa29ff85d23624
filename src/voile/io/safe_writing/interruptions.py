"""Signals that wait for the end of a step, interrupts that are remembered, and a record of what was written before."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from types import FrameType

_SIGNALS = (signal.SIGINT, signal.SIGTERM)
_record: ContextVar[list[Path] | None] = ContextVar("record", default=None)
_interrupts: list[int] = []  # the signals of this run that a handler remembered


@contextmanager
def record_writes() -> Iterator[list[Path]]:
    """Collect the paths that are replaced as long as this lasts: nothing was changed exactly if the list is empty."""
    written: list[Path] = []
    before = _record.set(written)
    try:
        yield written
    finally:
        _record.reset(before)


def note_written(path: Path) -> None:
    """Record that something new is in place."""
    written = _record.get()
    if written is not None and path not in written:
        written.append(path)


def remember_interrupt(number: int) -> None:
    """Remember that a signal asked this run to end: the exception that it raises may be swallowed where it is raised,
    e.g. in a callback that a library calls from C."""
    _interrupts.append(number)


def remembered_interrupts() -> list[int]:
    """Return the signals that asked this run to end; a new run clears the list."""
    return _interrupts


def raise_if_interrupted() -> None:
    """Raise the interrupt again that something swallowed. Whoever replaces files asks before the first one."""
    if _interrupts:
        raise KeyboardInterrupt


@contextmanager
def hold_signals() -> Iterator[None]:
    """Let an interrupt or a termination wait until a step is finished. Python handles signals in the main thread only,
    so that no other thread needs this."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    arrived: list[int] = []

    def remember(number: int, _: FrameType | None) -> None:
        arrived.append(number)

    # a handler that was not installed from Python is None, and cannot be put back: it stays
    previous = {number: handler for number in _SIGNALS if (handler := signal.getsignal(number)) is not None}
    try:
        for number in previous:
            signal.signal(number, remember)
        yield
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)
        for received in dict.fromkeys(arrived):
            signal.raise_signal(received)
