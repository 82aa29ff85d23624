"""Ask verify about a folder, and reduce whatever happens to one word."""

from __future__ import annotations

import signal
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import voile as vl
from voile.errors import DataError

NOTICED = ("BROKEN", "REFUSED")
SECONDS = 10


class HangError(BaseException):
    """Verify took too long; not an Exception, so that nothing on the way catches it."""


@contextmanager
def time_limit(seconds: int = SECONDS) -> Iterator[None]:
    """Raise HangError in the main thread after some seconds of computing: other processes may keep it waiting."""

    def ring(*_: Any) -> None:
        raise HangError

    before = signal.signal(signal.SIGPROF, ring)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def ask(folder: Path, engine: Any = None) -> str:
    """Return HOLDS, NEEDS, BROKEN, REFUSED (a DataError, exit code 3), HANG, or CRASH with the kind of the error."""
    return ask_in_detail(folder, engine)[0]


def ask_in_detail(folder: Path, engine: Any = None) -> tuple[str, str]:
    """Return the answer, and the words of verify."""
    try:
        with time_limit(), warnings.catch_warnings():
            warnings.simplefilter("error")
            verdict = vl.verify(folder, engine=engine)
    except DataError as error:
        return "REFUSED", str(error)
    except HangError:
        return "HANG", ""
    except BaseException as error:  # a panic of a library is not an Exception
        if isinstance(error, KeyboardInterrupt):
            raise
        return f"CRASH {type(error).__name__}", str(error)[:300]
    answer = "HOLDS" if verdict.holds else "BROKEN" if verdict.broken else "NEEDS"
    return answer, str(verdict)
