"""SIGTERM ends a command as SIGINT does: by an exception, so that temporary files are removed."""

from __future__ import annotations

import atexit
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

_received: list[int] = []  # the signals of this run


def _interrupt(number: int, _: FrameType | None) -> None:
    _received.append(number)
    raise KeyboardInterrupt


def _ignore_sigterm() -> None:
    """What is done is done: a signal while the interpreter ends changes no exit code."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)


@contextmanager
def interrupt_on_sigterm() -> Iterator[list[int]]:
    """Turn SIGTERM into KeyboardInterrupt as long as this lasts, and collect the signals. If it is handled already, or
    in another thread than the main one, nothing changes."""
    in_main_thread = threading.current_thread() is threading.main_thread()
    if not in_main_thread or signal.getsignal(signal.SIGTERM) != signal.SIG_DFL:
        yield _received
        return
    _received.clear()
    signal.signal(signal.SIGTERM, _interrupt)
    try:
        yield _received
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


def end_in_order() -> None:
    """From the end of the program on, let the interpreter finish whatever happens."""
    atexit.register(_ignore_sigterm)
