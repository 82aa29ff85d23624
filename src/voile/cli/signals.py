"""SIGINT and SIGTERM end a command alike: by an exception, so that temporary files are removed. Both are remembered, so
that a command ends even where the exception is swallowed."""

from __future__ import annotations

import atexit
import signal
import sys
import threading
from collections import namedtuple
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

from voile.io.safe_writing.interruptions import remember_interrupt, remembered_interrupts

_DEFAULTS: dict[signal.Signals, Any] = {signal.SIGINT: signal.default_int_handler, signal.SIGTERM: signal.SIG_DFL}


_COMPILERS = ("numba", "llvmlite")
_LATER = 0.05  # seconds after which an interrupt that met the compiler comes again


def _interrupt(number: int, frame: FrameType | None) -> None:
    """Raise KeyboardInterrupt, but never inside the compiler: it would keep its locks, and threads wait for them for
    ever. There the signal comes again a little later."""
    remember_interrupt(number)
    if not _is_compiling(frame):
        raise KeyboardInterrupt
    again = threading.Timer(_LATER, _send_again, (number,))
    again.daemon = True
    again.start()


def _send_again(number: int) -> None:
    if remembered_interrupts():  # the run has not ended meanwhile
        signal.raise_signal(number)


def _is_compiling(frame: FrameType | None) -> bool:
    while frame is not None:
        if frame.f_globals.get("__name__", "").partition(".")[0] in _COMPILERS:
            return True
        frame = frame.f_back
    return False


def _ignore_signals() -> None:
    """What is done is done: a signal while the interpreter ends changes no exit code."""
    for number in _DEFAULTS:
        signal.signal(number, signal.SIG_IGN)


@contextmanager
def remember_signals() -> Iterator[list[int]]:
    """Turn SIGINT and SIGTERM into KeyboardInterrupt as long as this lasts, and collect them. A signal that is handled
    already, or ignored, stays so; in another thread than the main one, nothing changes."""
    received = remembered_interrupts()
    if threading.current_thread() is not threading.main_thread():
        yield received
        return
    received.clear()
    unhandled = [number for number, default in _DEFAULTS.items() if signal.getsignal(number) == default]
    hook = sys.unraisablehook
    sys.unraisablehook = lambda unraisable: _keep_interrupt(unraisable, hook)
    for number in unhandled:
        signal.signal(number, _interrupt)
    try:
        yield received
    finally:
        for number in unhandled:
            signal.signal(number, _DEFAULTS[number])
        sys.unraisablehook = hook
        received.clear()


def _keep_interrupt(unraisable: Any, show: Callable[[Any], object]) -> None:
    """Remember an interrupt that a callback swallowed, whoever raised it, and show nothing of it: the command says so
    when it ends."""
    if not issubclass(unraisable.exc_type, KeyboardInterrupt):
        show(unraisable)
    elif not remembered_interrupts():
        remember_interrupt(signal.SIGINT)


def keep_exit_code() -> None:
    """Let the exit code of an interrupted command be its own: if the interrupt passed through code that is made from a
    text, as dataclasses and named tuples are, `python -m` would end by SIGINT instead. Making one takes that back."""
    namedtuple("Nothing", ())


def end_in_order() -> None:
    """From the end of the program on, let the interpreter finish whatever happens."""
    atexit.register(_ignore_signals)
